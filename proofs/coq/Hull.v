(* The number of divsteps that suffice, from a certificate: two convex sets that
   contain all states, scaled down by a factor a step. The certificate is checked
   by computation; nothing is believed of it. The idea, one pair of sets for all
   d, is that of github.com/sipa/safegcd-bounds (genproofhd.md). *)
Require Import ZArith List Lia Bool Divstep.
Import ListNotations.
Open Scope Z_scope.

(* |a x + b y| <= c; and how such a bound follows from the bounds number i and j
   of another set: D (a, b) T = l (a_i, b_i) + m (a_j, b_j). *)
Definition plane := (Z * Z * Z)%type.
Definition hint := (nat * nat * Z * Z * Z)%type. (* i, j, l, m, D *)
(* The set hullP holds the states with d = 1, hullQ those with d = -1, after n
   steps within the factor (num / den)^n. All hints together say how one set lies
   in the other after a few steps. maxG and maxF, over 4096, bound g in hullP and
   f in hullQ. *)
Record cert := {
  num : Z; den : Z; hullP : list plane; hullQ : list plane; maxG : Z; maxF : Z;
  hSwap : list hint; hHalveSwap : list hint; hWideP : list hint; hWideM : list hint; hLongE : list hint; hLongA : list hint;
  hHalve : list hint; hSum : list hint; hMaxG : list hint; hMaxF : list hint }.

Section Cert.
Variable k : cert.
Notation A := (num k).
Notation B := (den k).

(* The matrix m / q takes src into tgt, scaled by (A / B)^e. *)
Definition hint_ok (src : list plane) (m : mat) (q : Z) (e : nat) (t : plane) (h : hint) : bool :=
  let '(a, b, c) := t in let '(m0, m1, m2, m3) := m in let '(i, j, l, mu, D) := h in
  let '(a1, b1, c1) := nth i src (0, 0, 0) in let '(a2, b2, c2) := nth j src (0, 0, 0) in
  (0 <? D) && (D * (a * m0 + b * m2) =? l * a1 + mu * a2) && (D * (a * m1 + b * m3) =? l * b1 + mu * b2) &&
  ((Z.abs l * c1 + Z.abs mu * c2) * B ^ Z.of_nat e <=? D * q * c * A ^ Z.of_nat e).
Fixpoint inside (src : list plane) (m : mat) (q : Z) (e : nat) (tgt : list plane) (hs : list hint) : bool :=
  match tgt, hs with
  | [], _ => true
  | t :: tgt, h :: hs => hint_ok src m q e t h && inside src m q e tgt hs
  | _, [] => false
  end.
Definition boundG : list plane := [(0, 4096, maxG k)].
Definition boundF : list plane := [(4096, 0, maxF k)].
Definition check : bool :=
  inside (hullP k) (0, 2, -1, 1) 2 1 (hullP k) (hSwap k) && inside (hullP k) (0, 2, -2, 1) 4 2 (hullQ k) (hHalveSwap k) &&
  inside (hullP k) (8, 1, 0, 8) 16 2 (hullP k) (hWideP k) && inside (hullP k) (8, -1, 0, 8) 16 2 (hullP k) (hWideM k) &&
  inside (hullP k) (0, 4, -4, 1) 16 4 (hullQ k) (hLongE k) && inside (hullP k) (0, 4, -4, 3) 16 4 (hullQ k) (hLongA k) &&
  inside (hullQ k) (2, 0, 0, 1) 2 1 (hullP k) (hHalve k) && inside (hullQ k) (2, 0, 1, 1) 2 1 (hullP k) (hSum k) &&
  inside (hullP k) (1, 0, 0, 1) 1 0 boundG (hMaxG k) && inside (hullQ k) (1, 0, 0, 1) 1 0 boundF (hMaxF k) &&
  forallb (fun '(a, b, c) => (Z.abs a <=? c) && (Z.abs (a + b) <=? c)) (hullP k) &&
  (B <=? 2 * A) && (2 * B ^ 3 <=? (2 * A) ^ 3) && (0 <? B) && (0 <? A).
(* n steps suffice for moduli up to m *)
Definition steps_ok (m : Z) (n : nat) : bool :=
  let x := m * A ^ Z.of_nat n in let y := 4096 * B ^ Z.of_nat n in (maxG k * x <? y) && (maxF k * x <? y).

Lemma farkas lam mu ci cj u v bj aj D q w be ae c :
  0 < D -> 0 <= be -> Z.abs u * bj <= ci * aj -> Z.abs v * bj <= cj * aj -> 0 <= bj -> 0 <= aj ->
  D * w = lam * u + mu * v -> (Z.abs lam * ci + Z.abs mu * cj) * be <= D * q * c * ae ->
  Z.abs w * (bj * be) <= q * (c * (aj * ae)).
Proof.
  intros HD Hbe Hu Hv Hbj Haj E C.
  assert (E1 : D * Z.abs w <= Z.abs lam * Z.abs u + Z.abs mu * Z.abs v).
  { rewrite <- (Z.abs_eq D) at 1 by lia. rewrite <- Z.abs_mul, E.
    etransitivity; [apply Z.abs_triangle|]. rewrite !Z.abs_mul. lia. }
  assert (E2 : D * Z.abs w * bj <= (Z.abs lam * ci + Z.abs mu * cj) * aj).
  { etransitivity; [apply Z.mul_le_mono_nonneg_r; [lia|exact E1]|].
    pose proof (Z.mul_le_mono_nonneg_l _ _ (Z.abs lam) (Z.abs_nonneg _) Hu).
    pose proof (Z.mul_le_mono_nonneg_l _ _ (Z.abs mu) (Z.abs_nonneg _) Hv). lia. }
  apply (Z.mul_le_mono_pos_l _ _ D); [lia|].
  pose proof (Z.mul_le_mono_nonneg_r _ _ be Hbe E2). pose proof (Z.mul_le_mono_nonneg_r _ _ aj Haj C). lia.
Qed.

Variable M : Z.
Hypothesis M0 : 0 <= M.
Hypothesis CK : check = true.

(* (x, y) / q lies in the set, scaled by M (A / B)^j *)
Definition within (q : Z) (L : list plane) (x y : Z) (j : nat) : Prop :=
  forall a b c, In (a, b, c) L -> Z.abs (a * x + b * y) * B ^ Z.of_nat j <= q * (c * (M * A ^ Z.of_nat j)).

Lemma parts :
  (inside (hullP k) (0, 2, -1, 1) 2 1 (hullP k) (hSwap k) = true /\ inside (hullP k) (0, 2, -2, 1) 4 2 (hullQ k) (hHalveSwap k) = true /\
   inside (hullP k) (8, 1, 0, 8) 16 2 (hullP k) (hWideP k) = true /\ inside (hullP k) (8, -1, 0, 8) 16 2 (hullP k) (hWideM k) = true /\
   inside (hullP k) (0, 4, -4, 1) 16 4 (hullQ k) (hLongE k) = true /\ inside (hullP k) (0, 4, -4, 3) 16 4 (hullQ k) (hLongA k) = true /\
   inside (hullQ k) (2, 0, 0, 1) 2 1 (hullP k) (hHalve k) = true /\ inside (hullQ k) (2, 0, 1, 1) 2 1 (hullP k) (hSum k) = true /\
   inside (hullP k) (1, 0, 0, 1) 1 0 boundG (hMaxG k) = true /\ inside (hullQ k) (1, 0, 0, 1) 1 0 boundF (hMaxF k) = true) /\
  (forall a b c, In (a, b, c) (hullP k) -> Z.abs a <= c /\ Z.abs (a + b) <= c) /\
  B <= 2 * A /\ 2 * B ^ 3 <= (2 * A) ^ 3 /\ 0 < B /\ 0 < A.
Proof.
  pose proof CK as C. unfold check in C. rewrite !andb_true_iff in C.
  destruct C as [[[[[[[[[[[[[[C1 C2] C3] C4] C5] C6] C7] C8] C9] C10] C11] C12] C13] C14] C15].
  split; [repeat (split; [assumption|]); assumption|]. rewrite !Z.leb_le, !Z.ltb_lt in *. split; [|auto].
  intros a b c I. rewrite forallb_forall in C11. specialize (C11 _ I). cbn in C11.
  rewrite andb_true_iff, !Z.leb_le in C11. assumption.
Qed.
Lemma pB (j : nat) : 0 < B ^ Z.of_nat j. Proof. apply Z.pow_pos_nonneg; [apply parts | lia]. Qed.
Lemma pA (j : nat) : 0 < A ^ Z.of_nat j. Proof. apply Z.pow_pos_nonneg; [apply parts | lia]. Qed.

Lemma within_nth L x y j i : within 1 L x y j ->
  let '(a, b, c) := nth i L (0, 0, 0) in Z.abs (a * x + b * y) * B ^ Z.of_nat j <= c * (M * A ^ Z.of_nat j).
Proof.
  intros H. destruct (nth i L (0, 0, 0)) as [[a b] c] eqn:E.
  destruct (nth_in_or_default i L (0, 0, 0)) as [I | I]; rewrite E in I.
  - specialize (H a b c I). lia.
  - injection I as -> -> ->. cbn. lia.
Qed.
Lemma moves src m0 m1 m2 m3 q e tgt hs : inside src (m0, m1, m2, m3) q e tgt hs = true ->
  forall x y j, within 1 src x y j -> within q tgt (m0 * x + m1 * y) (m2 * x + m3 * y) (j + e).
Proof.
  revert hs. induction tgt as [|t tgt IH]; intros hs OK x y j H a b c I; [destruct I|].
  destruct hs as [|h hs]; [discriminate|]. cbn [inside] in OK. apply andb_prop in OK. destruct OK as [O1 O2].
  destruct I as [-> | I]; [|eapply IH; eauto].
  unfold hint_ok in O1. destruct h as [[[[i1 i2] l] mu] D].
  pose proof (within_nth src x y j i1 H) as N1. pose proof (within_nth src x y j i2 H) as N2.
  destruct (nth i1 src (0, 0, 0)) as [[a1 b1] c1]. destruct (nth i2 src (0, 0, 0)) as [[a2 b2] c2].
  rewrite !andb_true_iff, !Z.eqb_eq, Z.ltb_lt, Z.leb_le in O1. destruct O1 as [[[P1 P2] P3] P4].
  rewrite Nat2Z.inj_add, !Z.pow_add_r, (Z.mul_assoc M) by lia.
  apply (farkas l mu c1 c2 (a1 * x + b1 * y) (a2 * x + b2 * y) _ _ D); try assumption.
  - apply Z.lt_le_incl, pB.
  - apply Z.lt_le_incl, pB.
  - apply Z.mul_nonneg_nonneg; [assumption | apply Z.lt_le_incl, pA].
  - transitivity (x * (D * (a * m0 + b * m2)) + y * (D * (a * m1 + b * m3))); [ring|]. rewrite P2, P3. ring.
Qed.
Lemma moves_to src m0 m1 m2 m3 q e tgt hs : inside src (m0, m1, m2, m3) q e tgt hs = true -> 0 < q ->
  forall x y x' y' j, within 1 src x y j -> q * x' = m0 * x + m1 * y -> q * y' = m2 * x + m3 * y -> within 1 tgt x' y' (j + e).
Proof.
  intros OK Q x y x' y' j H E1 E2 a b c I. pose proof (moves _ _ _ _ _ _ _ _ _ OK _ _ _ H a b c I) as R.
  rewrite <- E1, <- E2 in R. replace (a * (q * x') + b * (q * y')) with (q * (a * x' + b * y')) in R by ring.
  rewrite Z.abs_mul, (Z.abs_eq q) in R by lia. apply (Z.mul_le_mono_pos_l _ _ q); lia.
Qed.

(* The states after n steps, for d > 0, d = -1 and d < -1. *)
Inductive state (n : nat) (d f g : Z) : Prop :=
| Pos i j : d = 1 + 2 * Z.of_nat i -> n = (j + i)%nat -> within 1 (hullP k) f (two i * g) j -> state n d f g
| Minus : d = -1 -> within 1 (hullQ k) f g n -> state n d f g
| Neg i j : d = -3 - 2 * Z.of_nat i -> n = (j + i + 3)%nat -> within 1 (hullP k) (f - 2 * g) (4 * two i * f) j -> state n d f g.

(* On the way to d = -3, f - 2 g changes by little: it is a mean of two images. *)
Lemma wide f g g' i j s : (s = 1 \/ s = -1) -> 2 * (f - 2 * g') = 2 * f - 2 * g + (s - 1) * f ->
  within 1 (hullP k) (f - 2 * g) (8 * two i * f) j -> within 1 (hullP k) (f - 2 * g') (4 * two i * f) (j + 2).
Proof.
  intros Hs Hg H a b c I. destruct parts as [(_ & _ & W1 & W2 & _) _].
  pose proof (moves _ _ _ _ _ _ _ _ _ W1 _ _ _ H a b c I) as R1. pose proof (moves _ _ _ _ _ _ _ _ _ W2 _ _ _ H a b c I) as R2.
  set (bj := B ^ Z.of_nat (j + 2)) in *. set (tj := c * (M * A ^ Z.of_nat (j + 2))) in *.
  assert (Hb : 0 < bj) by apply pB. set (x := f - 2 * g) in *. pose proof (two_pos i) as Hq. set (q := two i) in *. clearbody q.
  set (pp := a * (8 * x + 1 * (8 * q * f)) + b * (0 * x + 8 * (8 * q * f))) in *.
  set (pm := a * (8 * x + -1 * (8 * q * f)) + b * (0 * x + 8 * (8 * q * f))) in *.
  set (w := a * (f - 2 * g') + b * (4 * q * f)).
  assert (Ew : 32 * q * w = (q + s) * pp + (q - s) * pm).
  { unfold w, pp, pm. transitivity (16 * q * (a * (2 * (f - 2 * g')) + b * (8 * q * f))); [ring|]. rewrite Hg. unfold x. ring. }
  assert (Ea : 32 * q * Z.abs w <= (q + s) * Z.abs pp + (q - s) * Z.abs pm).
  { replace (32 * q * Z.abs w) with (Z.abs (32 * q * w)) by (rewrite Z.abs_mul, (Z.abs_eq (32 * q)); lia).
    rewrite Ew. etransitivity; [apply Z.abs_triangle|]. rewrite !Z.abs_mul, (Z.abs_eq (q + s)), (Z.abs_eq (q - s)) by lia. lia. }
  clearbody w pp pm bj tj. clear - Ea Hb R1 R2 Hs Hq.
  apply (Z.mul_le_mono_pos_l _ _ (32 * q)); [lia|].
  pose proof (Z.mul_le_mono_nonneg_r _ _ bj (Z.lt_le_incl _ _ Hb) Ea).
  pose proof (Z.mul_le_mono_nonneg_l _ _ (q + s) ltac:(lia) R1). pose proof (Z.mul_le_mono_nonneg_l _ _ (q - s) ltac:(lia) R2). lia.
Qed.

Lemma two_SS i : two (S (S i)) = 4 * two i. Proof. rewrite !two_S. lia. Qed.
Lemma state_step n d f g : Z.odd f = true -> state n d f g ->
  let '(d', f', g') := divstep (d, f, g) in state (S n) d' f' g' /\ Z.odd f' = true.
Proof.
  intros F H. destruct parts as [(CS & CHS & _ & _ & CE4 & CA4 & CE & CA & _) _].
  step_on d f g F. split; [|assumption]. destruct C as [G D -> -> Hm | G D -> -> Hp | G -> -> He].
  - destruct H as [i j Hd Hn H | Hd H | i j Hd Hn H]; try lia. destruct i as [|[|i]].
    + apply Pos with (i := 0%nat) (j := (j + 1)%nat); [lia|lia|].
      eapply moves_to; [exact CS|lia|exact H| |]; change (two 0) with 1; lia.
    + apply Minus; [lia|]. replace (S n) with (j + 2)%nat by lia.
      eapply moves_to; [exact CHS|lia|exact H| |]; change (two 1) with 2; lia.
    + apply Neg with (i := i) (j := j); [lia|lia|].
      replace (g - 2 * g1) with f by lia. rewrite <- two_SS. exact H.
  - destruct H as [i j Hd Hn H | Hd H | i j Hd Hn H]; [lia| |].
    + apply Pos with (i := 0%nat) (j := (n + 1)%nat); [lia|lia|].
      eapply moves_to; [exact CA|lia|exact H| |]; change (two 0) with 1; lia.
    + destruct i as [|i].
      * apply Minus; [lia|]. replace (S n) with (j + 4)%nat by lia.
        eapply moves_to; [exact CA4|lia|exact H| |]; change (two 0) with 1; lia.
      * apply Neg with (i := i) (j := (j + 2)%nat); [lia|lia|].
        apply wide with (g := g) (s := -1); [auto|lia|]. rewrite two_S in H. replace (8 * two i) with (4 * (2 * two i)) by ring. exact H.
  - destruct H as [i j Hd Hn H | Hd H | i j Hd Hn H].
    + apply Pos with (i := S i) (j := j); [lia|lia|]. rewrite two_S. replace (2 * two i * g1) with (two i * g); [exact H|]. rewrite <- He. ring.
    + apply Pos with (i := 0%nat) (j := (n + 1)%nat); [lia|lia|].
      eapply moves_to; [exact CE|lia|exact H| |]; change (two 0) with 1; lia.
    + destruct i as [|i].
      * apply Minus; [lia|]. replace (S n) with (j + 4)%nat by lia.
        eapply moves_to; [exact CE4|lia|exact H| |]; change (two 0) with 1; lia.
      * apply Neg with (i := i) (j := (j + 2)%nat); [lia|lia|].
        apply wide with (g := g) (s := 1); [auto|lia|]. rewrite two_S in H. replace (8 * two i) with (4 * (2 * two i)) by ring. exact H.
Qed.

Lemma state_after f g : Z.odd f = true -> 0 <= g <= f -> f <= M ->
  forall n, let '(d', f', g') := divsteps n (1, f, g) in state n d' f' g' /\ Z.odd f' = true.
Proof.
  intros F G HM n. induction n.
  - cbn [divsteps]. split; [|assumption]. apply Pos with (i := 0%nat) (j := 0%nat); [lia|lia|].
    destruct parts as [_ [CI _]]. intros a b c I. destruct (CI a b c I) as [I1 I2].
    change (two 0) with 1. rewrite !Z.pow_0_r, !Z.mul_1_r, !Z.mul_1_l.
    assert (E : Z.abs (a * f + b * g) <= (f - g) * Z.abs a + g * Z.abs (a + b)).
    { replace (a * f + b * g) with ((f - g) * a + g * (a + b)) by ring. etransitivity; [apply Z.abs_triangle|].
      rewrite !Z.abs_mul, (Z.abs_eq (f - g)), (Z.abs_eq g) by lia. lia. }
    assert ((f - g) * Z.abs a <= (f - g) * c) by (apply Z.mul_le_mono_nonneg_l; lia).
    assert (g * Z.abs (a + b) <= g * c) by (apply Z.mul_le_mono_nonneg_l; lia).
    assert (f * c <= M * c) by (apply Z.mul_le_mono_nonneg_r; lia). lia.
  - rewrite divsteps_S. destruct (divsteps n (1, f, g)) as [[d' f'] g']. destruct IHn. apply state_step; assumption.
Qed.

Lemma end_arith kk bj bk aj ak c x : 1 <= Z.abs x -> 0 < kk -> 0 < bj -> 0 < ak ->
  Z.abs (4096 * (kk * x)) * bj <= c * (M * aj) -> bk <= kk * ak -> c * (M * (aj * ak)) < 4096 * (bj * bk) -> False.
Proof.
  intros X K Bj Ak H1 H2 H3. rewrite !Z.abs_mul, (Z.abs_eq kk) in H1 by lia. change (Z.abs 4096) with 4096 in H1.
  assert (H4 : 4096 * kk * bj <= c * (M * aj)).
  { etransitivity; [|exact H1]. apply Z.mul_le_mono_nonneg_r; [lia|].
    pose proof (Z.mul_le_mono_nonneg_l 1 (Z.abs x) kk ltac:(lia) X). lia. }
  pose proof (Z.mul_le_mono_nonneg_r _ _ ak (Z.lt_le_incl _ _ Ak) H4).
  pose proof (Z.mul_le_mono_nonneg_l _ _ (4096 * bj) ltac:(lia) H2). lia.
Qed.
Lemma den_two (i : nat) : B ^ Z.of_nat i <= two i * A ^ Z.of_nat i.
Proof. destruct parts as [_ [_ [CB [_ [P0 _]]]]]. unfold two. rewrite <- Z.pow_mul_l. apply Z.pow_le_mono_l. lia. Qed.

Lemma pow_sum b (i j : nat) : b ^ Z.of_nat (j + i) = b ^ Z.of_nat j * b ^ Z.of_nat i.
Proof. rewrite Nat2Z.inj_add. apply Z.pow_add_r; apply Nat2Z.is_nonneg. Qed.
Lemma pow_sum3 b (i j : nat) : b ^ Z.of_nat (j + i + 3) = b ^ Z.of_nat j * (b ^ Z.of_nat i * b ^ Z.of_nat 3).
Proof. rewrite !pow_sum. symmetry. apply Z.mul_assoc. Qed.

Theorem no_rest n : steps_ok M n = true -> forall f g, Z.odd f = true -> 0 <= g <= f -> f <= M -> snd (divsteps n (1, f, g)) = 0.
Proof.
  unfold steps_ok. cbv zeta. rewrite andb_true_iff, !Z.ltb_lt. intros [HG HF] f g F G HM. pose proof (state_after f g F G HM n) as H.
  destruct (divsteps n (1, f, g)) as [[d' f'] g']. cbn [snd]. destruct H as [H O].
  destruct parts as [(_ & _ & _ & _ & _ & _ & _ & _ & CG & CF) [_ [_ [CB3 _]]]].
  destruct (Z.eq_dec g' 0) as [|N]; [assumption|exfalso]. assert (G1 : 1 <= Z.abs g') by lia.
  assert (F1 : 1 <= Z.abs f') by (clear - O; destruct (Z.eq_dec f' 0) as [-> |]; [discriminate|lia]).
  destruct H as [i j _ Hj H | _ H | i j _ Hj H].
  - pose proof (moves_to _ _ _ _ _ _ _ _ _ CG eq_refl _ _ f' (two i * g') j H ltac:(ring) ltac:(ring)) as R.
    specialize (R 0 4096 (maxG k) (or_introl eq_refl)). rewrite Nat.add_0_r, Z.mul_1_l in R.
    replace (0 * f' + 4096 * (two i * g')) with (4096 * (two i * g')) in R by ring.
    rewrite Hj, !pow_sum in HG.
    exact (end_arith _ _ _ _ _ _ _ G1 (two_pos i) (pB j) (pA i) R (den_two i) HG).
  - pose proof (moves_to _ _ _ _ _ _ _ _ _ CF eq_refl _ _ f' g' n H ltac:(ring) ltac:(ring)) as R.
    specialize (R 4096 0 (maxF k) (or_introl eq_refl)). rewrite Nat.add_0_r, Z.mul_1_l in R.
    replace (4096 * f' + 0 * g') with (4096 * (1 * f')) in R by ring.
    apply (end_arith 1 (B ^ Z.of_nat n) 1 (A ^ Z.of_nat n) 1 (maxF k) f' F1 eq_refl (pB n) eq_refl R (Z.le_refl _)).
    rewrite !Z.mul_1_r. exact HF.
  - pose proof (moves_to _ _ _ _ _ _ _ _ _ CG eq_refl _ _ (f' - 2 * g') (4 * two i * f') j H ltac:(ring) ltac:(ring)) as R.
    specialize (R 0 4096 (maxG k) (or_introl eq_refl)). rewrite Nat.add_0_r, Z.mul_1_l in R.
    replace (0 * (f' - 2 * g') + 4096 * (4 * two i * f')) with (4096 * (4 * two i * f')) in R by ring.
    rewrite Hj, !pow_sum3 in HG.
    refine (end_arith (4 * two i) (B ^ Z.of_nat j) (B ^ Z.of_nat i * B ^ Z.of_nat 3) (A ^ Z.of_nat j) (A ^ Z.of_nat i * A ^ Z.of_nat 3) _ _ F1 _ (pB j) _ R _ HG).
    + apply Z.mul_pos_pos; [reflexivity | apply two_pos].
    + apply Z.mul_pos_pos; apply pA.
    + replace (4 * two i * (A ^ Z.of_nat i * A ^ Z.of_nat 3)) with ((two i * A ^ Z.of_nat i) * (4 * A ^ Z.of_nat 3)) by ring.
      apply Z.mul_le_mono_nonneg; [apply Z.lt_le_incl, pB | apply den_two | apply Z.lt_le_incl, pB |].
      change (Z.of_nat 3) with 3. clear - CB3. replace ((2 * A) ^ 3) with (8 * A ^ 3) in CB3 by ring. lia.
Qed.
End Cert.

Theorem check_enough k m n : check k = true -> steps_ok k m n = true ->
  forall p, Z.odd p = true -> p <= m -> enough p n.
Proof.
  intros CK S p P Hp x X. apply (no_rest k m ltac:(lia) CK n S); try assumption; lia.
Qed.
