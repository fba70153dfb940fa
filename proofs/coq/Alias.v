(* Pointers that are equal: where a routine computes the same words from equal
   words, whether or not its pointers are equal, what is proved for disjoint
   pointers holds for equal ones. *)
Require Import ZArith List Lia FMapPositive Bool Instr Claim Word Goal Check Value Machine Slots Sim X86 Routine Proof.
Import ListNotations.
Open Scope Z_scope.

Fixpoint evars {V} (e : expr V) : list V :=
  match e with EV v => [v] | EC _ => [] | EAdd a b | ESub a b | EMul a b => evars a ++ evars b end.
Definition cvars {V} (q : claim V) : list V :=
  match q with
  | CCong a b _ | CEq a b => evars a ++ evars b
  | CRange v _ _ => [v]
  | CIs v a b _ => v :: evars a ++ evars b
  | CInv v a _ _ => [v; a]
  end.
Lemma eval_on V (f h : V -> Z) e : (forall v, In v (evars e) -> f v = h v) -> eval f e = eval h e.
Proof.
  induction e as [v|z|a IHa b IHb|a IHa b IHb|a IHa b IHb]; cbn [evars eval In]; auto;
    intros H; rewrite IHa, IHb by (intros v X; apply H; rewrite in_app_iff; auto); reflexivity.
Qed.
Lemma holds_on V (f h : V -> Z) q : (forall v, In v (cvars q) -> f v = h v) -> holds f q -> holds h q.
Proof.
  destruct q as [a b m|v lo hi|a b|v a b m|v a k m]; cbn [cvars holds In]; intros H;
    rewrite ?(eval_on V f h a), ?(eval_on V f h b) by (intros x X; apply H; rewrite ?in_app_iff; auto); rewrite ?(H v), ?(H a) by auto; auto.
Qed.
Lemma holds_comp V U (g : V -> U) f q : holds f (cmap g q) <-> holds (fun v => f (g v)) q.
Proof.
  assert (E : forall e, eval f (emap g e) = eval (fun v => f (g v)) e) by (intros e; apply eval_emap; reflexivity).
  destruct q; cbn [cmap holds]; rewrite ?E; tauto.
Qed.

(* The place of a word under the pattern, from its place under disjoint pointers. *)
Definition place (pat : list Z) (l : loc) : loc :=
  let b := (Z.pos l - 1000) / 64 in
  if isreg l || (b =? 0) then l else slot (class pat b) ((Z.pos l - 1000) mod 64).
Fixpoint locs_eqb (a b : list loc) : bool :=
  match a, b with [], [] => true | x :: a', y :: b' => Pos.eqb x y && locs_eqb a' b' | _, _ => false end.
Lemma locs_eqb_ok a : forall b, locs_eqb a b = true -> a = b.
Proof.
  induction a as [|x a IH]; intros [|y b]; cbn [locs_eqb]; try congruence.
  rewrite andb_true_iff, Pos.eqb_eq. intros [-> H]. f_equal. auto.
Qed.
(* A claim speaks of corresponding words. *)
Definition corresponds (pat : list Z) (d q : words) : bool :=
  (Bool.eqb (fst d) (fst q) &&
   if fst d then Nat.eqb (length (snd d)) (length (snd q)) else locs_eqb (map (place pat) (snd d)) (snd q))%bool.
(* d is the program for disjoint pointers, q that for the pattern. *)
Definition check_alias (c : routine) (d q : list instr) (pat : list Z) : bool :=
  let cd := low c (indices c) in let cq := low c pat in
  let vars := flat_map cvars (rclaims c) in
  let wd := where_ c (indices c) in let wq := where_ c pat in
  (forallb (fun x => existsb (fun y => Pos.eqb (place pat (fst x)) (fst y) && (snd x =? snd y)) (cin cq)) (cin cd) &&
   forallb (fun x => existsb (fun y => locs_eqb (map (place pat) (fst x)) (fst y) && (snd x =? snd y)) (cpre cq)) (cpre cd) &&
   forallb (fun v => corresponds pat (wd v) (wq v)) vars &&
   same d q (map (fun x => (fst x, place pat (fst x))) (cin cd))
     (flat_map (fun v => if fst (wd v) then combine (snd (wd v)) (snd (wq v)) else []) vars))%bool.
Lemma wval_map s g ls : wval (fun l => s (g l)) ls = wval s (map g ls).
Proof. induction ls as [|l ls IH]; cbn [wval map]; congruence. Qed.
Lemma wval_combine t t' : forall a b, length a = length b -> (forall x y, In (x, y) (combine a b) -> t x = t' y) -> wval t a = wval t' b.
Proof.
  induction a as [|x a IH]; intros [|y b]; cbn [length combine wval]; try discriminate; [reflexivity|].
  intros E H. rewrite (H x y) by (left; reflexivity). rewrite (IH b); [reflexivity|congruence|]. intros u v X. apply H. right. assumption.
Qed.
Theorem check_alias_ok c d q pat : check_alias c d q pat = true -> correct d (low c (indices c)) ->
  forall s, (forall l, 0 <= s l < W) -> pre (low c pat) s -> post (low c pat) s (exec q s).
Proof.
  unfold check_alias. cbv zeta. rewrite !andb_true_iff, !forallb_forall. intros (((K1 & K2) & K3) & K4) D s R [P1 P2].
  set (s0 := fun l => s (place pat l)).
  assert (P : post (low c (indices c)) s0 (exec d s0)).
  { apply D. split.
    - intros l m X. specialize (K1 _ X). apply existsb_exists in K1. destruct K1 as ([l' m'] & Y1 & Y2). cbn [fst snd] in Y2.
      rewrite andb_true_iff, Pos.eqb_eq, Z.eqb_eq in Y2. destruct Y2 as [<- <-]. apply (P1 _ _ Y1).
    - intros ls m X. specialize (K2 _ X). apply existsb_exists in K2. destruct K2 as ([ls' m'] & Y1 & Y2). cbn [fst snd] in Y2.
      rewrite andb_true_iff, Z.eqb_eq in Y2. destruct Y2 as [E <-]. apply locs_eqb_ok in E. subst ls'. unfold s0. rewrite wval_map. apply (P2 _ _ Y1). }
  assert (SM : forall a b, In (a, b) (flat_map (fun v => if fst (where_ c (indices c) v) then combine (snd (where_ c (indices c) v)) (snd (where_ c pat v)) else [])
      (flat_map cvars (rclaims c))) -> exec d s0 a = exec q s b).
  { apply (same_ok _ _ _ _ K4). intros a b X. apply in_map_iff in X. destruct X as (x & [= <- <-] & _). split; [reflexivity|apply R]. }
  intros k Hk. cbn [low cclaims] in Hk. apply in_map_iff in Hk. destruct Hk as (k0 & <- & I0). apply (holds_comp _ _ (where_ c pat)).
  specialize (P (cmap (where_ c (indices c)) k0)). cbn [low cclaims] in P. specialize (P (in_map _ _ _ I0)). apply (holds_comp _ _ (where_ c (indices c))) in P.
  revert P. apply holds_on. intros v Iv. assert (IV : In v (flat_map cvars (rclaims c))) by (apply in_flat_map; eauto).
  specialize (K3 v IV). unfold corresponds in K3. rewrite andb_true_iff in K3. destruct K3 as [E1 E2]. apply Bool.eqb_prop in E1.
  unfold wordsval. rewrite <- E1. destruct (fst (where_ c (indices c) v)) eqn:F.
  - apply Nat.eqb_eq in E2. apply wval_combine; [assumption|]. intros a b X. apply SM. apply in_flat_map. exists v. split; [assumption|]. rewrite F. assumption.
  - apply locs_eqb_ok in E2. rewrite <- E2. apply (wval_map s (place pat)).
Qed.

(* From certificates to theorems about bytes: k is the certificate for disjoint
   pointers; ks are those of all patterns, None where the same words are computed. *)
Definition check_pattern (c : routine) (p : list mop) (d : list instr) (pat : list Z) (k : option cert) : bool :=
  match trs (lay c pat) (mkenv (tags c pat)) p with
  | Some (is, e) => entrywords c pat (mkenv (tags c pat)) && returns c pat e &&
      match k with Some k => check (ordered is) (low c pat) k | None => check_alias c d (ordered is) pat end
  | None => false
  end%bool.
Fixpoint check_patterns (c : routine) (p : list mop) (d : list instr) (pats : list (list Z)) (ks : list (option cert)) : bool :=
  match pats, ks with
  | [], [] => true
  | pat :: pats', k :: ks' => check_pattern c p d pat k && check_patterns c p d pats' ks'
  | _, _ => false
  end%bool.
Definition check_routine (c : routine) (code : list Z) (k : cert) (ks : list (option cert)) : bool :=
  match decodes (machine c) code with
  | Some (Straight p) =>
    match trs (lay c (indices c)) (mkenv (tags c (indices c))) p with
    | Some (d, _) => check (ordered d) (low c (indices c)) k &&
        check_patterns c p (ordered d) (filter (fun pat => negb (excluded c pat)) (patterns 1 [] (params c))) ks
    | None => false end
  | _ => false end%bool.
