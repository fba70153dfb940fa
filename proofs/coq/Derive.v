(* What a certificate may derive from known ranges and equations. *)
Require Import ZArith List Lia FMapPositive Bool Poly Instr Word Split Bits Step.
Import ListNotations.
Open Scope Z_scope.
Local Opaque padd pscale pmul psub pconst pvar psimp pw main extra.

Fixpoint toC (c : ctx) (p : poly) : poly * N :=
  match p with
  | [] => ([], 0%N)
  | (m, k) :: p' =>
    let (q, e) := toC c p' in
    let (a, f) := match m with
      | [v] => match PM.find v (cdef c) with Some w => (pscale k (wC w), wE w) | None => ([(m, k)], 0%N) end
      | _ => ([(m, k)], 0%N) end in
    let g := N.max e f in
    (padd (pscale (pw (g - e)) q) (pscale (pw (g - f)) a), g)
  end.
Lemma toC_ok r c p : ok r c -> forall q e, toC c p = (q, e) -> peval r q = pw e * peval r p.
Proof.
  intros H. induction p as [|[m k] p IH]; intros q e; cbn [toC].
  - intros [= <- <-]. cbn [peval]. ring.
  - destruct (toC c p) as [q0 e0]. specialize (IH _ _ eq_refl).
    assert (K : forall a f, (match m with
      | [v] => match PM.find v (cdef c) with Some w => (pscale k (wC w), wE w) | None => ([(m, k)], 0%N) end
      | _ => ([(m, k)], 0%N) end) = (a, f) -> peval r a = pw f * (k * meval r m)).
    { assert (D : forall a f, ([(m, k)], 0%N) = (a, f) -> peval r a = pw f * (k * meval r m)).
      { intros a f [= <- <-]. cbn [peval]. change (pw 0) with 1. ring. }
      intros a f. destruct m as [|v [|v' m]]; [apply D| |apply D].
      destruct (PM.find v (cdef c)) as [w|] eqn:E; [|apply D].
      intros [= <- <-]. pose proof H as (_ & _ & H3 & _). destruct (H3 _ _ E) as (_ & C & _).
      rewrite pscale_ok, C. cbn [meval]. ring. }
    destruct (match m with [v] => _ | _ => _ end) as [a f]. specialize (K _ _ eq_refl).
    intros E. apply pair_equal_spec in E. destruct E as [<- <-]. cbn [peval].
    rewrite padd_ok, !pscale_ok, IH, K.
    assert (E1 : pw (N.max e0 f) = pw (N.max e0 f - e0) * pw e0) by (rewrite <- pw_add; f_equal; lia).
    assert (E2 : pw (N.max e0 f) = pw (N.max e0 f - f) * pw f) by (rewrite <- pw_add; f_equal; lia).
    transitivity ((pw (N.max e0 f - e0) * pw e0) * peval r p + (pw (N.max e0 f - f) * pw f) * (k * meval r m)); [ring|].
    rewrite <- E1, <- E2. ring.
Qed.

Definition single (p : poly) : option (var * Z) := match p with [([v], k)] => Some (v, k) | _ => None end.
Lemma single_ok r p v k : single p = Some (v, k) -> peval r p = k * r v.
Proof. destruct p as [|[[|u [|? ?]] c] [|? ?]]; cbn [single]; try congruence. intros [= <- <-]. cbn [peval meval]. ring. Qed.
(* p = z *)
Definition learnA (c : ctx) (key : positive) (p : poly) (z : Z) : ctx :=
  match single p with
  | Some (v, k) => if k =? 1 then setv c v (z, z) else if k =? -1 then setv c v (- z, - z) else addfact c key p (z, z)
  | None => addfact c key p (z, z)
  end.
Lemma learnA_ok r c key p z : ok r c -> peval r p = z -> ok r (learnA c key p z).
Proof.
  intros H E. assert (D : ok r (addfact c key p (z, z))) by (apply addfact_ok; [assumption|red; cbn [fst snd]; lia]).
  unfold learnA. destruct (single p) as [[v k]|] eqn:ES; [|exact D]. apply (single_ok r) in ES. rewrite E in ES.
  destruct (Z.eqb_spec k 1) as [->|]; [apply setv_ok; [assumption|red; cbn [fst snd]; lia]|].
  destruct (Z.eqb_spec k (-1)) as [->|]; [apply setv_ok; [assumption|red; cbn [fst snd]; lia]|exact D].
Qed.
Definition assume (c : ctx) (key : positive) (b : bit) (v : Z) : ctx :=
  let c1 := addfact (learnA c (xO key) (bA b) v) (xI key) (bC b) (pw (bE b) * v, pw (bE b) * v) in
  match single (bC b) with
  | Some (x, k) =>
    match PM.find x (zd c), k =? 1, N.eqb (bE b) 0 with
    | Some w, true, true =>
      if v =? 1 then learnA (addC c1 (xO (xO key)) w 0 0) (xO (xI key)) (wA w) 0
      else if 0 <=? wlo w then addC c1 (xO (xO key)) w 1 (whi w) else c1
    | _, _, _ => c1
    end
  | None => c1
  end.
Lemma assume_ok r c key b v : ok r c -> bok r v b -> ok r (assume c key b v).
Proof.
  intros H (A & C & D). unfold assume.
  assert (H1 : ok r (addfact (learnA c (xO key) (bA b) v) (xI key) (bC b) (pw (bE b) * v, pw (bE b) * v))).
  { apply addfact_ok; [apply learnA_ok; assumption|]. red; cbn [fst snd]. lia. }
  set (c1 := addfact _ _ _ _) in *. clearbody c1. cbv zeta.
  destruct (single (bC b)) as [[x k]|] eqn:ES; [|assumption]. apply (single_ok r) in ES.
  destruct (PM.find x (zd c)) as [w|] eqn:EX; [|assumption].
  destruct (Z.eqb_spec k 1) as [->|]; [|assumption]. destruct (N.eqb_spec (bE b) 0) as [E0|]; [|assumption].
  pose proof H as (_ & _ & _ & _ & H5). destruct (proj1 H5 _ _ EX) as (u & K & EU).
  rewrite C, E0 in ES. change (pw 0) with 1 in ES. assert (V : v = if u =? 0 then 1 else 0) by lia.
  pose proof K as (KA & _ & KB & _).
  destruct (Z.eqb_spec v 1) as [V1|V1].
  - destruct (Z.eqb_spec u 0) as [U|]; [|lia]. rewrite U in *. apply learnA_ok; [|assumption]. unfold addC. eapply wC_in; [assumption|exact K|lia].
  - destruct (Z.eqb_spec u 0) as [U|U]; [lia|]. destruct (Z.leb_spec 0 (wlo w)); [|assumption].
    unfold addC. eapply wC_in; [assumption|exact K|lia].
Qed.
Definition pick (b : bit) (v : Z) (w : word) : word :=
  match cst w with Some _ => w | None =>
  match fnof w with
  | Some (b', v0, v1) => if beqb b b' then wcon (if v =? 0 then v0 else v1) else w
  | None => w end end.
Lemma pick_ok r b v w x : bok r v b -> wok r x w -> wok r x (pick b v w).
Proof.
  intros B H. unfold pick. destruct (cst w); [assumption|]. pose proof (fnof_ok _ _ _ H) as F.
  destruct (fnof w) as [[[b' v0] v1]|]; [|assumption]. destruct (beqb b b') eqn:E; [|assumption].
  destruct F as (y & B' & ->). rewrite <- (beqb_ok _ _ _ _ _ E B B'). destruct B as (_ & _ & [-> | ->]).
  - change (0 =? 0) with true. cbv iota. replace (v0 + (v1 - v0) * 0) with v0 by ring. apply wcon_ok.
  - change (1 =? 0) with false. cbv iota. replace (v0 + (v1 - v0) * 1) with v1 by ring. apply wcon_ok.
Qed.
Definition learn (c : ctx) (key : positive) (p : poly) (ks : list comb) : option ctx :=
  do i0 <- ival (bnd c) p;
  let (q, e) := toC c p in
  let i := rng c q (pw e) (nocomb :: ks) i0 in
  Some (addfact (match single p with Some (v, k) => if k =? 1 then setv c v i else addfact c (xO key) p i | None => addfact c (xO key) p i end)
                (xI key) q (pw e * fst i, pw e * snd i)).
Lemma learn_ok r c key p ks c' : ok r c -> learn c key p ks = Some c' -> ok r c'.
Proof.
  intros H. unfold learn. destruct (ival (bnd c) p) as [i0|] eqn:EI; [|cbn; congruence]. cbn [bind].
  destruct (toC c p) as [q e] eqn:EC. apply (toC_ok r) in EC; [|assumption]. cbv zeta.
  apply (ival_ok r) in EI; [|apply H].
  pose proof (rng_ok r c q (pw e) (peval r p) (nocomb :: ks) H EC i0 EI) as B.
  set (i := rng c q (pw e) (nocomb :: ks) i0) in *. clearbody i.
  intros KK. assert (K2 : forall t : ctx, Some t = Some c' -> c' = t) by congruence. apply K2 in KK. rewrite KK. clear KK K2.
  apply addfact_ok.
  - assert (D : ok r (addfact c (xO key) p i)) by (apply addfact_ok; assumption).
    destruct (single p) as [[v k]|] eqn:ES; [|exact D]. apply (single_ok r) in ES.
    destruct (Z.eqb_spec k 1) as [->|]; [|exact D]. apply setv_ok; [assumption|]. rewrite Z.mul_1_l in ES. rewrite <- ES. exact B.
  - red in B. red; cbn [fst snd]. rewrite EC. pose proof (pw_pos e). nia.
Qed.
Definition hull (a b : itv) : itv :=
  if snd a <? fst a then b else if snd b <? fst b then a else (Z.min (fst a) (fst b), Z.max (snd a) (snd b)).
Lemma hull_ok x a b : within x a \/ within x b -> within x (hull a b).
Proof.
  unfold within, hull. destruct (Z.ltb_spec (snd a) (fst a)); [lia|].
  destruct (Z.ltb_spec (snd b) (fst b)); simpl; lia.
Qed.
Definition learncase (c : ctx) (key : positive) (p : poly) (b : bit) (lk : positive) (ks0 ks1 : list comb) : option ctx :=
  do i0 <- ival (bnd c) p;
  let (q, e) := toC c p in
  let i := hull (rng (assume c lk b 0) q (pw e) (nocomb :: ks0) i0) (rng (assume c lk b 1) q (pw e) (nocomb :: ks1) i0) in
  Some (addfact (addfact c (xO key) p i) (xI key) q (pw e * fst i, pw e * snd i)).
Lemma learncase_ok r c key p b y lk ks0 ks1 c' : ok r c -> bok r y b -> learncase c key p b lk ks0 ks1 = Some c' -> ok r c'.
Proof.
  intros H B. unfold learncase. destruct (ival (bnd c) p) as [i0|] eqn:EI; [|cbn; congruence]. cbn [bind].
  destruct (toC c p) as [q e] eqn:EC. apply (toC_ok r) in EC; [|assumption]. cbv zeta.
  apply (ival_ok r) in EI; [|apply H].
  assert (K : within (peval r p) (hull (rng (assume c lk b 0) q (pw e) (nocomb :: ks0) i0) (rng (assume c lk b 1) q (pw e) (nocomb :: ks1) i0))).
  { apply hull_ok. pose proof B as (_ & _ & [D|D]); rewrite D in B; pose proof (assume_ok r c lk b _ H B) as HA.
    - left. apply (rng_ok r); assumption.
    - right. apply (rng_ok r); assumption. }
  set (i := hull _ _) in *. clearbody i. intros KK. assert (K2 : forall t : ctx, Some t = Some c' -> c' = t) by congruence.
  apply K2 in KK. rewrite KK. clear KK K2. apply addfact_ok; [apply addfact_ok; assumption|].
  red in K. red; cbn [fst snd]. rewrite EC. pose proof (pw_pos e). nia.
Qed.
Definition absurd (c : ctx) (k : comb) : bool :=
  match rng1 c [] 1 k with Some (l, h) => (0 <? l) || (h <? 0) | None => false end%bool.
Lemma absurd_ok r c k : ok r c -> absurd c k = true -> False.
Proof.
  intros H. unfold absurd. destruct (rng1 c [] 1 k) as [[l h]|] eqn:E; [|congruence].
  apply (rng1_ok r c [] 1 k 0) in E; [|assumption|reflexivity]. red in E; cbn [fst snd] in E.
  rewrite orb_true_iff, !Z.ltb_lt. lia.
Qed.
Fixpoint msum (fs : PM.t (poly * itv)) (l : list (positive * Z)) : poly :=
  match l with
  | [] => []
  | (n, k) :: l' =>
    match PM.find n fs with
    | Some (q, (z, z')) => if z =? z' then padd (pscale k (psub q (pconst z))) (msum fs l') else msum fs l'
    | None => msum fs l'
    end
  end.
Lemma msum_ok r c l : ok r c -> peval r (msum (facts c) l) = 0.
Proof.
  intros H. induction l as [|[n k] l IH]; cbn [msum]; [reflexivity|].
  destruct (PM.find n (facts c)) as [[q [z z']]|] eqn:E; [|assumption].
  destruct (Z.eqb_spec z z') as [<-|]; [|assumption].
  pose proof H as (_ & H2 & _). apply H2 in E. red in E; cbn [fst snd] in E.
  rewrite padd_ok, pscale_ok, psub_ok, pconst_ok, IH. replace (peval r q) with z by lia. ring.
Qed.

(* Steps that derive facts from facts; none looks at the program. *)
Inductive dstep :=
| DLearn (key : positive) (p : poly) (ks : list comb)  (* the range of p: fact key~0 in the A-form, key~1 in the C-form, or of a variable *)
| DProd (key i j : positive)                           (* the product of two facts *)
| DXor (key : positive) (v : var) (ks : list comb).    (* an exclusive or is 0 exactly if its operands are equal *)
Definition xorstep (c : ctx) (key : positive) (v : var) (ks : list comb) : option ctx :=
  match PM.find v (xd c) with
  | Some (a, b) =>
    let d := wadd a (wscale (-1) b) in
    let i := wrange c d ks in
    if (fst i =? 0) && (snd i =? 0) then Some (setv c v (0, 0))
    else match PM.find v (bnd c) with
    | Some (lo, hi) => if (lo =? 0) && (hi =? 0) then Some (addfact (addfact c (xO key) (wA d) (0, 0)) (xI key) (wC d) (0, 0)) else None
    | None => None end
  | None => None
  end%bool.
Lemma xorstep_ok r c key v ks c' : ok r c -> xorstep c key v ks = Some c' -> ok r c'.
Proof.
  intros H. unfold xorstep. destruct (PM.find v (xd c)) as [[a b]|] eqn:EX; [|congruence].
  pose proof H as (HB & _ & _ & _ & _ & H6). destruct (H6 _ _ _ EX) as (x & y & HX & HY & EV).
  pose proof (wadd_ok _ _ _ _ _ HX (wscale_ok _ (-1) _ _ HY)) as HD.
  set (d := wadd a (wscale (-1) b)) in *. clearbody d.
  pose proof (wrange_ok r c _ d ks H HD) as RG. destruct (wrange c d ks) as [lo hi]. red in RG; cbn [fst snd] in *.
  destruct ((lo =? 0) && (hi =? 0))%bool eqn:E0.
  - rewrite andb_true_iff, !Z.eqb_eq in E0. intros KK. assert (K2 : c' = setv c v (0, 0)) by congruence. rewrite K2.
    apply setv_ok; [assumption|]. rewrite EV. replace y with x by lia. rewrite Z.lxor_nilpotent. red; cbn [fst snd]; lia.
  - destruct (PM.find v (bnd c)) as [[l h]|] eqn:EB; [|congruence].
    destruct ((l =? 0) && (h =? 0))%bool eqn:E1; [|congruence]. rewrite andb_true_iff, !Z.eqb_eq in E1.
    apply HB in EB. red in EB; cbn [fst snd] in EB. assert (X : Z.lxor x y = 0) by lia. apply Z.lxor_eq in X.
    intros KK. assert (K2 : c' = addfact (addfact c (xO key) (wA d) (0, 0)) (xI key) (wC d) (0, 0)) by congruence. rewrite K2.
    destruct HD as (A & C & _ & _). apply addfact_ok; [apply addfact_ok; [assumption|]|]; red; cbn [fst snd]; rewrite ?A, ?C, X; lia.
Qed.
Definition derive (c : ctx) (d : dstep) : option ctx :=
  match d with
  | DLearn key p ks => learn c key p ks
  | DProd key i j =>
    match PM.find i (facts c), PM.find j (facts c) with
    | Some (q1, i1), Some (q2, i2) => Some (addfact c key (pmul q1 q2) (imul i1 i2))
    | _, _ => None end
  | DXor key v ks => xorstep c key v ks
  end.
Lemma derive_ok r c d c' : ok r c -> derive c d = Some c' -> ok r c'.
Proof.
  intros H. destruct d as [key p ks|key i j|key v ks]; cbn [derive].
  - apply learn_ok; assumption.
  - destruct (PM.find i _) as [[q1 i1]|] eqn:E1; [|congruence]. destruct (PM.find j _) as [[q2 i2]|] eqn:E2; [|congruence].
    intros KK. assert (K2 : c' = addfact c key (pmul q1 q2) (imul i1 i2)) by congruence. rewrite K2.
    apply addfact_ok; [assumption|]. rewrite pmul_ok. apply imul_ok; eapply (proj1 (proj2 H)); eassumption.
  - apply xorstep_ok; assumption.
Qed.
Fixpoint derives (c : ctx) (l : list dstep) : option ctx :=
  match l with [] => Some c | d :: l' => do c' <- derive c d; derives c' l' end.
Lemma derives_ok r l : forall c c', ok r c -> derives c l = Some c' -> ok r c'.
Proof.
  induction l as [|d l IH]; intros c c' H; cbn [derives]; [congruence|].
  destruct (derive c d) as [c1|] eqn:E; [cbn [bind]|cbn; congruence]. apply IH. eapply derive_ok; eauto.
Qed.
