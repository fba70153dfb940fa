(* check_invert_sound: the bytes of an inversion are correct, if check_invert
   accepts them with a shape and certificates for the segments. *)
Require Import ZArith List Lia FMapPositive Bool Poly Instr Claim Word Goal Check Machine Slots Sim Loop X86 Routine Proof Sound Segment Divstep Inverse Invert.
Import ListNotations.
Open Scope Z_scope.

(* An inversion claims z·x = r (mod p), or z = 0 (mod p), and z < p, for its first
   and second parameter. *)
Definition inverse_claims (c : routine) (h : shape) (r : Z) : bool :=
  match rclaims c with
  | [CInv (After a) (Before b) r' m; CRange (After a') lo hi] =>
    (a =? 1) && (b =? 2) && (r' =? r) && (m =? sP h) && (a' =? 1) && (lo =? 0) && (hi =? sP h - 1)
  | _ => false end%bool.
Definition certs3 := (cert * cert * cert)%type.
Definition invert_pattern (c : routine) (h : shape) (pre body post : list mop) (pat : list Z) (k : certs3) : bool :=
  match trloop (lay c pat) (mkenv (tags c pat)) RES pre body post with
  | Some x =>
    let '(k0, k1, k2) := k in
    entrywords c pat (mkenv (tags c pat)) && returns c pat (lend x) && negb (fst (where_ c pat (Before 2))) && fst (where_ c pat (After 1)) &&
    check_segments h x (low c pat) (where_ c pat (Before 2)) (snd (where_ c pat (After 1))) k0 k1 k2
  | None => false end%bool.
Fixpoint invert_patterns (c : routine) (h : shape) (pre body post : list mop) (pats : list (list Z)) (ks : list certs3) : bool :=
  match pats, ks with
  | [], [] => true
  | pat :: pats', k :: ks' => invert_pattern c h pre body post pat k && invert_patterns c h pre body post pats' ks'
  | _, _ => false end%bool.
Definition check_invert (c : routine) (h : shape) (r : Z) (code : list Z) (ks : list certs3) : bool :=
  (shape_ok h && scale_ok h r && inverse_claims c h r && (0 <? r) &&
   match decodes (machine c) code with
   | Some (Loop pre body post) => invert_patterns c h pre body post (patterns 1 [] (params c)) ks
   | _ => false end)%bool.

Lemma invert_patterns_in c h a b d pat : forall pats ks, invert_patterns c h a b d pats ks = true -> In pat pats -> exists k, invert_pattern c h a b d pat k = true.
Proof.
  induction pats as [|q pats IH]; intros [|k ks]; cbn [invert_patterns In]; try congruence; try tauto.
  rewrite andb_true_iff. intros [A B] [<-|H]; [exists k; assumption|eauto].
Qed.
Lemma inverse_claims_ok c h r : inverse_claims c h r = true ->
  rclaims c = [CInv (After 1) (Before 2) r (sP h); CRange (After 1) 0 (sP h - 1)].
Proof.
  unfold inverse_claims. destruct (rclaims c) as [|q1 [|q2 [|]]]; try discriminate; destruct q1 as [| | | |v a k m]; try discriminate; destruct v as [|i|]; try discriminate;
  destruct a as [j| |]; try discriminate; destruct q2 as [|v lo hi| | |]; try discriminate; destruct v as [|i'|]; try discriminate.
  rewrite !andb_true_iff, !Z.eqb_eq. intros [[[[[[-> ->] ->] ->] ->] ->] ->]. reflexivity.
Qed.
Theorem check_invert_sound c h r code ks : check_invert c h r code ks = true ->
  enough (sP h) (sRounds h * Z.to_nat (nsteps h)) -> routine_correct c code.
Proof.
  unfold check_invert, routine_correct. rewrite !andb_true_iff. intros [[[[HS HR] HQ] _] CP] HN.
  destruct (decodes (machine c) code) as [[p|mp mb mq]|]; [discriminate| |discriminate].
  apply inverse_claims_ok in HQ. exists (Loop mp mb mq), (Datatypes.S (pred (sRounds h))). split; [reflexivity|].
  intros u s HE. destruct (patterns_ok (arg c s) (params c) 1 []) as (pat & I1 & I2).
  destruct (invert_patterns_in _ _ _ _ _ pat _ _ CP I1) as ([[k0 k1] k2] & K). unfold invert_pattern in K.
  destruct (trloop _ _ _ _ _ _) as [x|] eqn:T; [|discriminate]. rewrite !andb_true_iff, negb_true_iff in K.
  destruct K as [[[[E1 E2] E3] E4] E5].
  assert (SS : sim (base c s) (lay c pat) (mkenv (tags c pat)) s (start c s)) by (eapply sim_start; eassumption).
  assert (GL : good (base c s) (lay c pat)) by (eapply good_layout; eassumption).
  assert (WS : words_ok (start c s)) by (intros l; eapply start_range; eassumption).
  assert (PL : pre (low c pat) (start c s)) by (eapply pre_low; eassumption).
  destruct (run_ok h x (low c pat) (where_ c pat (Before 2)) (snd (where_ c pat (After 1))) k0 k1 k2 (start c s) E5 HS WS PL E3 r HR HN) as (R1 & R2 & R3).
  destruct (loop_ok (base c s) (lay c pat) u RES GL _ mp mb mq x s (start c s) _ SS T R1 R2) as (n & s' & acc & RUN & S' & FN).
  exists n, s', acc. split; [exact RUN|]. eapply exit_ok; try eassumption; [split; [exact S'|exact FN]|].
  unfold post, low. cbn [cclaims]. rewrite HQ. cbn [map cmap]. destruct R3 as (C1 & C2 & C3). unfold wordsval in C2, C3. rewrite E3 in C2, C3.
  assert (P0 : 0 < sP h) by (unfold shape_ok in HS; rewrite !andb_true_iff, Z.ltb_lt in HS; tauto).
  intros q [<-|[<-|[]]]; cbn [holds]; unfold wordsval; rewrite E4, ?E3; auto.
Qed.
Print Assumptions check_invert_sound.
