(* An inversion in three segments: what is before the loop, what follows the
   batch in its body, and what is after it. Each has a contract over locations,
   which Check.v proves; the batch is proved by Value.v. *)
Require Import ZArith List Lia FMapPositive Bool Poly Instr Claim Word Bits Goal Check Slots Value BatchCode Loop.
Import ListNotations.
Open Scope Z_scope.
Local Opaque pw.

(* Where the state of an inversion stands at the head of the loop. *)
Record shape := {
  sF : list loc; sFt : loc;   (* f in two's complement, and its last word *)
  sG : list loc; sGt : loc;
  sU : list loc; sV : list loc;
  sN : loc; sCount : loc;
  sn0 : Z; sn1 : Z; sn2 : Z;  (* steps of the sub-batches *)
  sRounds : nat;
  sScale : Z;                 (* v at the start *)
  sCut : nat;                 (* the number of operations of a batch, at the head of the body *)
  sT : bool -> bool -> loc;   (* where they leave the matrix *)
  sP : Z;                     (* the modulus *)
  sMax : Z }.                 (* the largest value of u and v *)
Definition nsteps (h : shape) : Z := sn0 h + sn1 h + sn2 h.
Definition fwords (h : shape) : list loc := sF h ++ [sFt h].
Definition gwords (h : shape) : list loc := sG h ++ [sGt h].
Definition flimbs (h : shape) : Z := Z.of_nat (length (fwords h)).

(* Words that no code knows, so that contracts can speak of them. *)
Definition ghost : loc := 1000000.
Definition gsF : loc := 1000000.   (* the sign of f *)
Definition gsG : loc := 1000001.
Definition grest (i : bool) : loc := if i then 1000009 else 1000005.   (* the low steps of a row of the product *)
Definition ghosts (h : shape) : list instr :=
  [Shr gsF (L (sFt h)) 63; Shr gsG (L (sGt h)) 63] ++
  flat_map (fun i : bool =>
    let a := (if i then 1000006 else 1000002)%positive in let b := (if i then 1000007 else 1000003)%positive in let j := (if i then 1000008 else 1000004)%positive in
    [Mul j a (L (sT h i false)) (L (hd 1%positive (fwords h))); Mul j b (L (sT h i true)) (L (hd 1%positive (gwords h)));
     Adc a j (L a) (L b) (I 0); Logic And (grest i) (L a) (I (2 ^ nsteps h - 1))]) [false; true].

Definition num (after : bool) (ls : list loc) : expr words := EV (after, ls).
Definition words_in (ls : list loc) (m : Z) : list (loc * Z) := map (fun l => (l, m)) ls.
Definition start_contract (h : shape) (lo : contract) (x : words) : contract :=
  {| cin := cin lo; cpre := cpre lo; cclaims :=
    [CEq (num true (fwords h)) (EC (sP h)); CCong (num true (gwords h)) (EV x) (sP h); CRange (true, gwords h) 0 (sP h - 1);
     CEq (num true (sU h)) (EC 0); CEq (num true (sV h)) (EC (sScale h)); CEq (num true [sN h]) (EC (W - 1));
     CEq (num true [sCount h]) (EC (Z.of_nat (sRounds h)))] |}.
Definition to (h : shape) (i : bool) : list loc := if i then gwords h else fwords h.
Definition uto (h : shape) (i : bool) : list loc := if i then sV h else sU h.
Definition signednum (h : shape) (ls : list loc) (s : loc) : expr words :=
  ESub (num false ls) (EMul (EC (2 ^ (64 * flimbs h))) (num true [s])).
Definition update_contract (h : shape) : contract :=
  let bias := EC (2 ^ nsteps h) in
  let f := num false (fwords h) in let g := num false (gwords h) in
  let x := num false (sU h) in let y := num false (sV h) in
  {| cin := words_in (sCount h :: fwords h ++ gwords h ++ sU h ++ sV h) (W - 1) ++
       flat_map (fun i : bool => words_in [sT h i false; sT h i true] (2 ^ (nsteps h + 1))) [false; true];
     cpre := [(sU h, sMax h); (sV h, sMax h)];
     cclaims := flat_map (fun i : bool =>
       let a := num false [sT h i false] in let b := num false [sT h i true] in
       [CCong (EAdd (EMul bias (num true (to h i))) (num true [grest i]))
          (ESub (EAdd (EMul a (signednum h (fwords h) gsF)) (EMul b (signednum h (gwords h) gsG))) (EMul bias (EAdd f g)))
          (2 ^ (nsteps h + 64 * flimbs h));
        CCong (num true (uto h i)) (ESub (EAdd (EMul a x) (EMul b y)) (EMul bias (EAdd x y))) (sP h);
        CRange (true, uto h i) 0 (sMax h)]) [false; true] ++
       [CCong (num true [sCount h]) (ESub (num false [sCount h]) (EC 1)) W; CRange (true, [sCount h]) 0 (W - 1);
        CEq (num true [42%positive]) (num true [sCount h])] |}.
Definition finish_ghosts (h : shape) : list instr := [Shr gsF (L (sFt h)) 63].
Definition finish_contract (h : shape) (z : list loc) : contract :=
  let u := num false (sU h) in
  {| cin := words_in (fwords h ++ sU h) (W - 1); cpre := [(sU h, sMax h)];
     cclaims := [CCong (num true z) (ESub u (EMul (EMul (EC 2) (num true [gsF])) u)) (sP h); CRange (true, z) 0 (sP h - 1)] |}.

(* What the code must leave alone. *)
Definition isghost (l : loc) : bool := Pos.leb ghost l.
Definition ghostfree (p : list instr) : bool :=
  forallb (fun i => forallb (fun x => match x with L l => negb (isghost l) | I _ => true end) (srcs i) && forallb (fun l => negb (isghost l)) (dsts i))%bool p.
Definition keeps (p : list instr) (ls : list loc) : bool := forallb (fun i => forallb (fun l => negb (existsb (Pos.eqb l) (dsts i))) ls) p.
Definition sound_ops (p : list instr) : bool :=
  forallb (fun i => shift_ok i && forallb (fun x => match x with I z => (0 <=? z) && (z <? W) | L _ => true end) (srcs i))%bool p.
Definition batch_of (h : shape) (x : looped) : list instr := firstn (sCut h) (lbody x).
Definition update_of (h : shape) (x : looped) : list instr := skipn (sCut h) (lbody x).
Definition ins (h : shape) : list (loc * loc) := [(hd 1%positive (fwords h), bf); (hd 1%positive (gwords h), bg); (sN h, bn)].
Definition outs_ (h : shape) : list (loc * loc) :=
  [(sT h false false, bt false false); (sT h false true, bt false true); (sT h true false, bt true false); (sT h true true, bt true true); (sN h, bn)].
Definition known_words (h : shape) : list loc := sCount h :: fwords h ++ gwords h ++ sU h ++ sV h.
Definition check_segments (h : shape) (x : looped) (lo : contract) (xw : words) (z : list loc) (k0 k1 k2 : cert) : bool :=
  (sound_ops (lpre x) && sound_ops (batch_of h x) && sound_ops (update_of h x) && ghostfree (update_of h x) && ghostfree (lpost x) &&
   keeps (batch_of h x) (known_words h) && keeps (update_of h x) [sN h] &&
   forallb (fun l => negb (isghost l)) (sN h :: known_words h ++ [sT h false false; sT h false true; sT h true false; sT h true true]) &&
   forallb (fun l => negb (isghost l)) z &&
   same (batch_of h x) (batch (sn0 h) (sn1 h) (sn2 h)) (ins h) (outs_ h) &&
   check (lpre x) (start_contract h lo xw) k0 &&
   check (ghosts h ++ update_of h x) (update_contract h) k1 &&
   check (finish_ghosts h ++ lpost x) (finish_contract h z) k2)%bool.

Definition words_ok (s : state) : Prop := forall l, 0 <= s l < W.
Lemma exec_app p q s : exec (p ++ q) s = exec q (exec p s).
Proof. revert s; induction p as [|i p IH]; intros s; cbn [app exec]; auto. Qed.
Lemma exec_range p : sound_ops p = true -> forall s, words_ok s -> words_ok (exec p s).
Proof.
  unfold sound_ops. induction p as [|i p IH]; cbn [forallb exec]; intros H s R; [assumption|].
  rewrite !andb_true_iff in H. destruct H as [[H1 H2] H3]. rewrite forallb_forall in H2. apply IH; [assumption|]. intros l.
  destruct (in_dec Pos.eq_dec l (dsts i)) as [X|X]; [|rewrite exec1_other by assumption; apply R].
  apply exec1_range; [assumption| |assumption]. intros x Hx. specialize (H2 x Hx). destruct x; cbn [rd]; [apply R|].
  rewrite andb_true_iff, Z.leb_le, Z.ltb_lt in H2. assumption.
Qed.
Lemma keeps_ok p ls : keeps p ls = true -> forall s l, In l ls -> exec p s l = s l.
Proof.
  unfold keeps. induction p as [|i p IH]; cbn [forallb exec]; intros H s l X; [reflexivity|].
  rewrite andb_true_iff in H. destruct H as [H1 H2]. rewrite forallb_forall in H1. rewrite IH by assumption. apply exec1_other. intros Y.
  specialize (H1 l X). rewrite negb_true_iff in H1. assert (T : existsb (Pos.eqb l) (dsts i) = true); [|congruence].
  apply existsb_exists. exists l. split; [assumption|apply Pos.eqb_refl].
Qed.
Definition off (s s' : state) : Prop := forall l, isghost l = false -> s l = s' l.
Lemma ghostfree_ok p : ghostfree p = true -> forall s s', off s s' -> off (exec p s) (exec p s') /\ forall l, isghost l = true -> exec p s l = s l.
Proof.
  unfold ghostfree. induction p as [|i p IH]; cbn [forallb exec]; intros H s s' O; [auto|].
  rewrite !andb_true_iff in H. destruct H as [[H1 H2] H3]. rewrite forallb_forall in H1, H2.
  assert (O1 : off (exec1 i s) (exec1 i s')).
  { intros l G. destruct (in_dec Pos.eq_dec l (dsts i)) as [X|X]; [|rewrite !exec1_other by assumption; auto].
    apply exec1_same; [|assumption]. intros x Hx. specialize (H1 x Hx). destruct x; cbn [rd]; [|reflexivity].
    apply O. rewrite negb_true_iff in H1. assumption. }
  destruct (IH H3 _ _ O1) as [K1 K2]. split; [assumption|]. intros l G. rewrite K2 by assumption. apply exec1_other.
  intros X. specialize (H2 l X). rewrite negb_true_iff in H2. congruence.
Qed.
Lemma wval_off s s' ls : off s s' -> forallb (fun l => negb (isghost l)) ls = true -> wval s ls = wval s' ls.
Proof.
  intros O. induction ls as [|l ls IH]; cbn [forallb wval]; [reflexivity|]. rewrite andb_true_iff, negb_true_iff. intros [A B].
  rewrite (O l A), IH by assumption. reflexivity.
Qed.
Lemma wval_same s s' ls : (forall l, In l ls -> s l = s' l) -> wval s ls = wval s' ls.
Proof. induction ls as [|l ls IH]; cbn [wval]; intros H; [reflexivity|]. rewrite H by (left; reflexivity). rewrite IH; [reflexivity|]. intros; apply H; right; assumption. Qed.
Lemma wval_range s ls : words_ok s -> 0 <= wval s ls < W ^ Z.of_nat (length ls).
Proof.
  intros R. induction ls as [|l ls IH]; cbn [wval length]; [cbn; lia|]. rewrite Nat2Z.inj_succ, Z.pow_succ_r by lia. specialize (R l).
  set (w := wval s ls) in *. set (m := W ^ _) in *. unfold W in *. nia.
Qed.
Lemma wval_app s a b : wval s (a ++ b) = wval s a + W ^ Z.of_nat (length a) * wval s b.
Proof.
  induction a as [|l a IH]; cbn [app wval length]; [change (Z.of_nat 0) with 0; rewrite Z.pow_0_r; ring|]. rewrite IH, Nat2Z.inj_succ, Z.pow_succ_r by lia. ring.
Qed.
Lemma wval_mod s ls : words_ok s -> ls <> [] -> wval s ls mod W = s (hd 1%positive ls).
Proof.
  intros R N. destruct ls as [|l ls]; [congruence|]. cbn [wval hd]. rewrite Z.mul_comm, Z.mod_add by discriminate. apply Z.mod_small, R.
Qed.
(* Numbers in two's complement *)
Definition sval (s : state) (lo : list loc) (top : loc) : Z := wval s (lo ++ [top]) - W ^ Z.of_nat (length (lo ++ [top])) * (s top / 2 ^ 63).
Lemma sval_range s lo top : words_ok s ->
  let m := W ^ Z.of_nat (length lo) in - (2 ^ 63 * m) <= sval s lo top < 2 ^ 63 * m.
Proof.
  intros R m. unfold sval. rewrite app_length, Nat2Z.inj_add, Z.pow_add_r by lia. fold m. rewrite wval_app. fold m. cbn [wval length].
  change (W ^ Z.of_nat 1) with W. rewrite Z.mul_0_r, Z.add_0_r. pose proof (wval_range s lo R) as B. fold m in B. specialize (R top).
  assert (0 <= s top / 2 ^ 63 <= 1). { split; [apply Z.div_pos; lia|]. apply Z.lt_succ_r, Z.div_lt_upper_bound; [lia|]. unfold W in R; lia. }
  pose proof (Z.div_mod (s top) (2 ^ 63)) as D. pose proof (Z.mod_pos_bound (s top) (2 ^ 63)) as E.
  set (q := s top / 2 ^ 63) in *. set (r := s top mod 2 ^ 63) in *. set (w := wval s lo) in *. change W with (2 * 2 ^ 63) in *.
  assert (s top = 2 ^ 63 * q + r) as -> by lia. clearbody w. clear D. nia.
Qed.
Lemma onlyghost p : forallb (fun i => forallb isghost (dsts i)) p = true -> forall s, off (exec p s) s.
Proof.
  induction p as [|i p IH]; cbn [forallb exec]; intros H s l G; [reflexivity|]. rewrite andb_true_iff in H. destruct H as [H1 H2].
  rewrite (IH H2) by assumption. apply exec1_other. intros X. rewrite forallb_forall in H1. specialize (H1 l X). congruence.
Qed.
