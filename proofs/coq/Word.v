(* Symbolic words: each word of a run has two polynomial forms and a range. *)
Require Import ZArith List Lia FMapPositive Bool Poly Instr.
Import ListNotations.
Open Scope Z_scope.

(* ------------------------------------------------------------------ *)
(* 2. Words: two forms, a range, and (for masks) a function of one bit *)
(* ------------------------------------------------------------------ *)
Record bit := { bA : poly; bC : poly; bE : N }.
Record word := { wA : poly; wC : poly; wE : N; wlo : Z; whi : Z; wf : option (bit * Z * Z) }.
Lemma pw_pos n : 0 < pw n.
Proof. apply Z.pow_pos_nonneg; lia. Qed.
Lemma pw_add a b : pw (a + b) = pw a * pw b.
Proof. unfold pw. rewrite N2Z.inj_add. apply Z.pow_add_r; lia. Qed.
Definition bok (r : var -> Z) (x : Z) (b : bit) : Prop :=
  peval r (bA b) = x /\ peval r (bC b) = pw (bE b) * x /\ (x = 0 \/ x = 1).
Definition fok (r : var -> Z) (x : Z) (f : option (bit * Z * Z)) : Prop :=
  match f with None => True | Some (b, v0, v1) => exists y, bok r y b /\ x = v0 + (v1 - v0) * y end.
Definition wok (r : var -> Z) (x : Z) (w : word) : Prop :=
  peval r (wA w) = x /\ peval r (wC w) = pw (wE w) * x /\ wlo w <= x <= whi w /\ fok r x (wf w).
Definition wcon (z : Z) : word := {| wA := pconst z; wC := pconst z; wE := 0; wlo := z; whi := z; wf := None |}.
Lemma wcon_ok r z : wok r z (wcon z).
Proof. unfold wok, wcon, fok; cbn [wA wC wE wlo whi wf]. rewrite !pconst_ok. change (pw 0) with 1. lia. Qed.
Definition cst (w : word) : option Z := if wlo w =? whi w then Some (wlo w) else None.
Lemma cst_ok r x w z : wok r x w -> cst w = Some z -> x = z.
Proof. unfold cst. intros (_ & _ & B & _). destruct (Z.eqb_spec (wlo w) (whi w)); [|congruence]. intros [= <-]. lia. Qed.
Definition fnof (w : word) : option (bit * Z * Z) :=
  match wf w with
  | Some f => Some f
  | None => if ((0 <=? wlo w) && (whi w <=? 1))%bool then Some ({| bA := wA w; bC := wC w; bE := wE w |}, 0, 1) else None
  end.
Lemma fnof_ok r x w : wok r x w -> fok r x (fnof w).
Proof.
  intros (A & C & B & F). unfold fnof. destruct (wf w) as [f|]; [exact F|].
  destruct (_ && _)%bool eqn:E; [|exact Logic.I]. rewrite andb_true_iff, !Z.leb_le in E.
  exists x. unfold bok; cbn [bA bC bE]. repeat split; try assumption; lia.
Qed.
Definition beqb (a b : bit) : bool := (N.eqb (bE a) (bE b) && peqb (bC a) (bC b))%bool.
Lemma beqb_ok r x y a b : beqb a b = true -> bok r x a -> bok r y b -> x = y.
Proof.
  unfold beqb. rewrite andb_true_iff, N.eqb_eq. intros [E P] (_ & A & _) (_ & B & _).
  apply peqb_ok in P. rewrite P, B, E in A. pose proof (pw_pos (bE b)). nia.
Qed.
Definition mkfn (b : bit) (v0 v1 : Z) : word :=
  if v0 =? v1 then wcon v0 else
  {| wA := padd (pconst v0) (pscale (v1 - v0) (bA b)); wC := padd (pconst (v0 * pw (bE b))) (pscale (v1 - v0) (bC b));
     wE := bE b; wlo := Z.min v0 v1; whi := Z.max v0 v1; wf := Some (b, v0, v1) |}.
Lemma mkfn_ok r y b v0 v1 : bok r y b -> wok r (v0 + (v1 - v0) * y) (mkfn b v0 v1).
Proof.
  intros K. unfold mkfn. destruct (Z.eqb_spec v0 v1) as [->|].
  { replace (v1 + (v1 - v1) * y) with v1 by ring. apply wcon_ok. }
  pose proof K as (A & C & D). unfold wok; cbn [wA wC wE wlo whi wf].
  rewrite !padd_ok, !pscale_ok, !pconst_ok, A, C. split; [ring|]. split; [ring|]. split.
  - destruct D as [-> | ->]; lia.
  - exists y. auto.
Qed.
(* functions of at most one common bit *)
Definition fn1 (f : Z -> Z) (a : word) : option word :=
  match cst a with Some x => Some (wcon (f x)) | None =>
  match fnof a with Some (b, v0, v1) => Some (mkfn b (f v0) (f v1)) | None => None end end.
Lemma fn1_ok r f x a w : wok r x a -> fn1 f a = Some w -> wok r (f x) w.
Proof.
  intros H. unfold fn1. destruct (cst a) as [z|] eqn:E.
  { intros [= <-]. rewrite (cst_ok _ _ _ _ H E). apply wcon_ok. }
  pose proof (fnof_ok _ _ _ H) as F. destruct (fnof a) as [[[b v0] v1]|]; [|congruence].
  intros [= <-]. destruct F as (y & B & ->). pose proof B as (_ & _ & D).
  replace (f (v0 + (v1 - v0) * y)) with (f v0 + (f v1 - f v0) * y); [apply mkfn_ok; assumption|].
  destruct D as [-> | ->]; [replace (v0 + (v1 - v0) * 0) with v0 by ring|replace (v0 + (v1 - v0) * 1) with v1 by ring]; ring.
Qed.
Definition fn2 (f : Z -> Z -> Z) (a b : word) : option word :=
  match cst a, cst b with
  | Some x, _ => fn1 (f x) b
  | None, Some y => fn1 (fun x => f x y) a
  | None, None =>
    match fnof a, fnof b with
    | Some (p, v0, v1), Some (q, u0, u1) => if beqb p q then Some (mkfn p (f v0 u0) (f v1 u1)) else None
    | _, _ => None
    end
  end.
Lemma fn2_ok r f x y a b w : wok r x a -> wok r y b -> fn2 f a b = Some w -> wok r (f x y) w.
Proof.
  intros H K. unfold fn2. destruct (cst a) as [z|] eqn:E.
  { rewrite (cst_ok _ _ _ _ H E). apply fn1_ok; assumption. }
  destruct (cst b) as [z|] eqn:E'.
  { rewrite (cst_ok _ _ _ _ K E'). apply (fn1_ok r (fun x => f x z)); assumption. }
  pose proof (fnof_ok _ _ _ H) as F. pose proof (fnof_ok _ _ _ K) as G.
  destruct (fnof a) as [[[p v0] v1]|]; [|congruence]. destruct (fnof b) as [[[q u0] u1]|]; [|congruence].
  destruct (beqb p q) eqn:EB; [|congruence]. intros [= <-].
  destruct F as (i & B & ->). destruct G as (j & B' & ->).
  rewrite <- (beqb_ok _ _ _ _ _ EB B B'). pose proof B as (_ & _ & D).
  replace (f _ _) with (f v0 u0 + (f v1 u1 - f v0 u0) * i); [apply mkfn_ok; assumption|].
  destruct D as [-> | ->];
   [replace (v0 + (v1 - v0) * 0) with v0 by ring; replace (u0 + (u1 - u0) * 0) with u0 by ring
   |replace (v0 + (v1 - v0) * 1) with v1 by ring; replace (u0 + (u1 - u0) * 1) with u1 by ring]; ring.
Qed.
Definition clift (a : word) (e : N) : poly := pscale (pw (e - wE a)) (wC a).
Definition wadd (a b : word) : word :=   (* integer sum, not reduced *)
  let e := N.max (wE a) (wE b) in
  {| wA := padd (wA a) (wA b); wC := padd (clift a e) (clift b e); wE := e;
     wlo := wlo a + wlo b; whi := whi a + whi b;
     wf := match fn2 Z.add a b with Some w => wf w | None => None end |}.
Lemma clift_ok r x a e : wok r x a -> (wE a <= e)%N -> peval r (clift a e) = pw e * x.
Proof.
  intros (_ & C & _) L. unfold clift. rewrite pscale_ok, C.
  replace (pw e) with (pw (e - wE a) * pw (wE a)) by (rewrite <- pw_add; f_equal; lia). ring.
Qed.
Lemma wadd_ok r x y a b : wok r x a -> wok r y b -> wok r (x + y) (wadd a b).
Proof.
  intros H K. unfold wadd. unfold wok at 1; cbn [wA wC wE wlo whi wf]. rewrite !padd_ok.
  rewrite (clift_ok r x), (clift_ok r y) by (assumption || lia).
  destruct (fn2 Z.add a b) as [w|] eqn:E.
  - apply (fn2_ok r _ x y) in E; try assumption.
    destruct H as (HA & _ & HB & _), K as (KA & _ & KB & _), E as (_ & _ & _ & EF). rewrite HA, KA.
    repeat split; try lia. exact EF.
  - destruct H as (HA & _ & HB & _), K as (KA & _ & KB & _). rewrite HA, KA. repeat split; cbn [fok]; try lia.
Qed.
Definition wscale (k : Z) (a : word) : word :=
  {| wA := pscale k (wA a); wC := pscale k (wC a); wE := wE a;
     wlo := Z.min (k * wlo a) (k * whi a); whi := Z.max (k * wlo a) (k * whi a);
     wf := match fnof a with Some (b, v0, v1) => Some (b, k * v0, k * v1) | None => None end |}.
Lemma wscale_ok r k x a : wok r x a -> wok r (k * x) (wscale k a).
Proof.
  intros H. pose proof (fnof_ok _ _ _ H) as F. destruct H as (A & C & B & _).
  unfold wok, wscale; cbn [wA wC wE wlo whi wf]. rewrite !pscale_ok, A, C. split; [ring|]. split; [ring|]. split.
  - destruct (Z.le_gt_cases 0 k).
    + assert (k * wlo a <= k * x) by (apply Z.mul_le_mono_nonneg_l; lia).
      assert (k * x <= k * whi a) by (apply Z.mul_le_mono_nonneg_l; lia). lia.
    + assert (k * x <= k * wlo a) by (apply Z.mul_le_mono_nonpos_l; lia).
      assert (k * whi a <= k * x) by (apply Z.mul_le_mono_nonpos_l; lia). lia.
  - destruct (fnof a) as [[[b v0] v1]|]; [|exact Logic.I]. destruct F as (y & K & ->). exists y. split; [assumption|ring].
Qed.
Definition wmul (a b : word) : word :=
  let i := imul (wlo a, whi a) (wlo b, whi b) in
  {| wA := pmul (wA a) (wA b); wC := pmul (wC a) (wC b); wE := wE a + wE b; wlo := fst i; whi := snd i;
     wf := match fn2 Z.mul a b with Some w => wf w | None => None end |}.
Lemma wmul_ok r x y a b : wok r x a -> wok r y b -> wok r (x * y) (wmul a b).
Proof.
  intros H K. unfold wmul. unfold wok at 1; cbn [wA wC wE wlo whi wf]. rewrite !pmul_ok.
  assert (I : within (x * y) (imul (wlo a, whi a) (wlo b, whi b))).
  { apply imul_ok; [apply H|apply K]. }
  destruct (fn2 Z.mul a b) as [w|] eqn:E.
  - apply (fn2_ok r _ x y) in E; try assumption.
    destruct H as (-> & -> & _), K as (-> & -> & _), E as (_ & _ & _ & EF). rewrite pw_add.
    split; [reflexivity|]. split; [ring|]. split; [exact I|exact EF].
  - destruct H as (-> & -> & _), K as (-> & -> & _). rewrite pw_add.
    split; [reflexivity|]. split; [ring|]. split; [exact I|exact Logic.I].
Qed.

(* ------------------------------------------------------------------ *)
(* 3. Context and ranges                                               *)
(* ------------------------------------------------------------------ *)
Record ctx := { bnd : bnds; facts : PM.t (poly * itv); cdef : PM.t word; lows : PM.t word; zd : PM.t word; xd : PM.t (word * word) }.
Definition ok (r : var -> Z) (c : ctx) : Prop :=
  bnd_ok r (bnd c) /\
  (forall k p i, PM.find k (facts c) = Some (p, i) -> within (peval r p) i) /\
  (forall v w, PM.find v (cdef c) = Some w -> wok r (r v) w) /\
  (forall v w, PM.find v (lows c) = Some w -> wok r (r v) w) /\
  ((forall v w, PM.find v (zd c) = Some w -> exists x, wok r x w /\ r v = if x =? 0 then 1 else 0) /\
   (forall v w u, PM.find v (xd c) = Some (w, u) -> exists x y, wok r x w /\ wok r y u /\ r v = Z.lxor x y)).

(* a*p = (a*p - sum k_i f_i) + sum k_i f_i : combination of facts, then intervals, then rounding *)
Definition comb := (Z * list (positive * Z))%type.
Fixpoint csum (fs : PM.t (poly * itv)) (l : list (positive * Z)) : poly * itv :=
  match l with
  | [] => ([], (0, 0))
  | (n, k) :: l' =>
    let (p, i) := csum fs l' in
    match PM.find n fs with
    | Some (q, j) => (padd (pscale k q) p, iadd (iscale k j) i)
    | None => (p, i)
    end
  end.
Lemma csum_ok r c l : ok r c -> within (peval r (fst (csum (facts c) l))) (snd (csum (facts c) l)).
Proof.
  intros (_ & H & _); induction l as [|[n k] l IH]; cbn [csum].
  - unfold within; simpl; lia.
  - destruct (csum (facts c) l) as [p i]; cbn [fst snd] in IH.
    destruct (PM.find n (facts c)) as [[q j]|] eqn:E; cbn [fst snd]; [|exact IH].
    rewrite padd_ok, pscale_ok. apply iadd_ok; [|exact IH]. apply iscale_ok. eapply H; eauto.
Qed.
Definition rng1 (c : ctx) (p : poly) (d : Z) (k : comb) : option itv :=
  let (a, l) := k in
  if 0 <? a * d then
    let (f, i) := csum (facts c) l in
    match ival (bnd c) (psimp (bnd c) (psub (pscale a p) f)) with
    | Some j => let t := iadd j i in Some (- ((- fst t) / (a * d)), snd t / (a * d))
    | None => None end
  else None.
Lemma rng1_ok r c p d k x i : ok r c -> peval r p = d * x -> rng1 c p d k = Some i -> within x i.
Proof.
  intros H E. unfold rng1. destruct k as [a l]. destruct (Z.ltb_spec 0 (a * d)) as [P|]; [|congruence].
  pose proof (csum_ok r c l H) as K. destruct (csum (facts c) l) as [f fi]; cbn [fst snd] in K.
  destruct (ival _ _) as [j|] eqn:EI; [|congruence]. cbv zeta. intros [= <-].
  apply (ival_ok r) in EI; [|apply H]. rewrite psimp_ok in EI by apply H.
  rewrite psub_ok, pscale_ok, E in EI. change (within x (- ((- fst (iadd j fi)) / (a * d)), snd (iadd j fi) / (a * d))).
  apply div_within; [assumption|].
  replace (a * d * x) with ((a * (d * x) - peval r f) + peval r f) by ring. apply iadd_ok; assumption.
Qed.
Fixpoint rng (c : ctx) (p : poly) (d : Z) (ks : list comb) (i : itv) : itv :=
  match ks with
  | [] => i
  | k :: ks' => rng c p d ks' (match rng1 c p d k with Some j => isect i j | None => i end)
  end.
Lemma rng_ok r c p d x ks : ok r c -> peval r p = d * x -> forall i, within x i -> within x (rng c p d ks i).
Proof.
  intros H E. induction ks as [|k ks IH]; intros i B; cbn [rng]; [assumption|].
  apply IH. destruct (rng1 c p d k) as [j|] eqn:EJ; [|assumption].
  apply isect_ok; [assumption|]. eapply rng1_ok; eauto.
Qed.
Definition nocomb : comb := (1, []).
(* both forms, the recorded range, and the combinations *)
Definition wrange (c : ctx) (w : word) (ks : list comb) : itv :=
  rng c (wC w) (pw (wE w)) (nocomb :: ks)
    (match ival (bnd c) (wA w) with Some j => isect j (wlo w, whi w) | None => (wlo w, whi w) end).
Lemma wrange_ok r c x w ks : ok r c -> wok r x w -> within x (wrange c w ks).
Proof.
  intros H (A & C & B & _). apply (rng_ok r); try assumption.
  destruct (ival (bnd c) (wA w)) as [j|] eqn:E; [|assumption].
  apply (ival_ok r) in E; [|apply H]. rewrite A in E. apply isect_ok; assumption.
Qed.

