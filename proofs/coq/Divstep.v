(* Divsteps over the integers: the matrix of n steps, what it depends on, its
   size, and what n steps keep. spec/divstep.go explains them; d is twice the
   delta of Bernstein and Yang. *)
Require Import ZArith List Lia Bool Znumtheory.
Open Scope Z_scope.

Definition dstate := (Z * Z * Z)%type. (* d, f, g *)
Definition divstep (s : dstate) : dstate :=
  let '(d, f, g) := s in
  if Z.odd g then if 0 <? d then (2 - d, g, (g - f) / 2) else (d + 2, f, (g + f) / 2) else (d + 2, f, g / 2).
Fixpoint divsteps (n : nat) (s : dstate) : dstate := match n with O => s | S n => divsteps n (divstep s) end.

(* A matrix (a, b; c, e), by rows. *)
Definition mat := (Z * Z * Z * Z)%type.
Definition mmul (x y : mat) : mat :=
  let '(a, b, c, e) := x in let '(p, q, r, t) := y in (a * p + b * r, a * q + b * t, c * p + e * r, c * q + e * t).
Definition mat1 (s : dstate) : mat :=
  let '(d, _, g) := s in if Z.odd g then if 0 <? d then (0, 2, -1, 1) else (2, 0, 1, 1) else (2, 0, 0, 1).
Fixpoint matn (n : nat) (s : dstate) : mat :=
  match n with O => (1, 0, 0, 1) | S n => mmul (matn n (divstep s)) (mat1 s) end.

(* 2^n, for a number n of steps *)
Definition two (n : nat) : Z := 2 ^ Z.of_nat n.
Lemma two_S n : two (S n) = 2 * two n.
Proof. unfold two. rewrite Nat2Z.inj_succ. apply Z.pow_succ_r. lia. Qed.
Lemma two_pos n : 0 < two n.
Proof. apply Z.pow_pos_nonneg; lia. Qed.
Lemma two_add m n : two (m + n) = two m * two n.
Proof. unfold two. rewrite Nat2Z.inj_add. apply Z.pow_add_r; lia. Qed.
Lemma two_split k n : Z.of_nat n <= k -> 2 ^ k = two n * 2 ^ (k - Z.of_nat n).
Proof. intros H. unfold two. rewrite <- Z.pow_add_r by lia. f_equal. lia. Qed.

Lemma half_even g : Z.odd g = false -> 2 * (g / 2) = g.
Proof. intros H. pose proof (Zdiv2_odd_eqn g) as E. rewrite H, Z.div2_div in E. lia. Qed.
Lemma divsteps_S n s : divsteps (S n) s = divstep (divsteps n s).
Proof. revert s. induction n; intros s; [reflexivity|]. cbn [divsteps] in *. apply IHn. Qed.
Lemma divsteps_add m n s : divsteps (m + n) s = divsteps n (divsteps m s).
Proof. revert s. induction m; intros s; [reflexivity|]. cbn [divsteps Nat.add]. apply IHm. Qed.

(* The three cases of a step. *)
Variant case (d f g d1 f1 g1 : Z) : mat -> Prop :=
| Swap : Z.odd g = true -> 0 < d -> d1 = 2 - d -> f1 = g -> 2 * g1 = g - f -> case d f g d1 f1 g1 (0, 2, -1, 1)
| Sum : Z.odd g = true -> d <= 0 -> d1 = d + 2 -> f1 = f -> 2 * g1 = g + f -> case d f g d1 f1 g1 (2, 0, 1, 1)
| Halve : Z.odd g = false -> d1 = d + 2 -> f1 = f -> 2 * g1 = g -> case d f g d1 f1 g1 (2, 0, 0, 1).
Lemma step_cases d f g : Z.odd f = true -> exists d1 f1 g1 m,
  divstep (d, f, g) = (d1, f1, g1) /\ mat1 (d, f, g) = m /\ Z.odd f1 = true /\ case d f g d1 f1 g1 m.
Proof.
  intros F. unfold divstep, mat1. destruct (Z.odd g) eqn:G.
  - destruct (0 <? d) eqn:D; [apply Z.ltb_lt in D | apply Z.ltb_ge in D];
    do 4 eexists; (split; [reflexivity|]); (split; [reflexivity|]); (split; [assumption|]).
    + apply Swap; auto. apply half_even. rewrite Z.odd_sub, F, G. reflexivity.
    + apply Sum; auto. apply half_even. rewrite Z.odd_add, F, G. reflexivity.
  - do 4 eexists; (split; [reflexivity|]); (split; [reflexivity|]); (split; [assumption|]).
    apply Halve; auto. apply half_even. assumption.
Qed.
Ltac step_on d f g H :=
  let E := fresh "E" in let M := fresh "M" in let O := fresh "O" in let C := fresh "C" in
  destruct (step_cases d f g H) as (?d1 & ?f1 & ?g1 & ?m & E & M & O & C); rewrite ?E, ?M in *.

(* 2^n (f', g') = M (f, g) *)
Theorem linear n : forall d f g, Z.odd f = true ->
  let '(_, f', g') := divsteps n (d, f, g) in let '(a, b, c, e) := matn n (d, f, g) in
  Z.odd f' = true /\ two n * f' = a * f + b * g /\ two n * g' = c * f + e * g.
Proof.
  induction n; intros d f g F.
  - cbn [divsteps matn]. change (two 0) with 1. split; [assumption|]. lia.
  - cbn [divsteps matn]. step_on d f g F. specialize (IHn d1 f1 g1 O).
    destruct (divsteps n (d1, f1, g1)) as [[d' f'] g']. destruct (matn n (d1, f1, g1)) as [[[p q] r] t].
    destruct IHn as (I0 & I1 & I2).
    assert (X : forall x y z, two n * z = x * f1 + y * g1 -> two (S n) * z = x * (2 * f1) + y * (2 * g1)).
    { intros x y z H. rewrite two_S, <- Z.mul_assoc, H. ring. }
    apply X in I1, I2. destruct C as [_ _ _ -> G|_ _ _ -> G|_ _ -> G]; cbn [mmul];
    (split; [assumption|]); rewrite I1, I2, G; split; ring.
Qed.

(* In a row the magnitudes sum to at most 2^n, and no entry is -2^n. *)
Definition row_small (n : nat) (a b : Z) : Prop := Z.abs a + Z.abs b <= two n /\ - two n < a /\ - two n < b.
Theorem entries n : forall d f g, Z.odd f = true ->
  let '(a, b, c, e) := matn n (d, f, g) in row_small n a b /\ row_small n c e.
Proof.
  induction n; intros d f g F; [cbn; unfold row_small; change (two 0) with 1; lia|].
  cbn [matn]. step_on d f g F. specialize (IHn d1 f1 g1 O). destruct (matn n (d1, f1, g1)) as [[[p q] r] t].
  unfold row_small in *. destruct C; cbn [mmul]; rewrite two_S; lia.
Qed.

(* The matrix and d depend on d and the low n bits of f and g only. *)
Theorem low_bits n : forall d f g f2 g2, Z.odd f = true -> (two n | f2 - f) -> (two n | g2 - g) ->
  matn n (d, f, g) = matn n (d, f2, g2) /\ fst (fst (divsteps n (d, f, g))) = fst (fst (divsteps n (d, f2, g2))).
Proof.
  induction n; intros d f g f2 g2 F [x X] [y Y]; [split; reflexivity|]. rewrite two_S in X, Y.
  assert (F2 : Z.odd f2 = true).
  { replace f2 with (f + 2 * (two n * x)) by lia. rewrite Z.odd_add_mul_2. assumption. }
  assert (G2 : Z.odd g2 = Z.odd g).
  { replace g2 with (g + 2 * (two n * y)) by lia. apply Z.odd_add_mul_2. }
  cbn [divsteps matn]. step_on d f g F. step_on d f2 g2 F2.
  assert (m0 = m /\ d0 = d1 /\ (two n | f0 - f1) /\ (two n | g0 - g1)) as (-> & -> & DF & DG).
  { destruct C; destruct C0; try congruence; try lia; subst; (split; [reflexivity|]); (split; [reflexivity|]); split.
    - exists (2 * y). lia. - exists (y - x). lia. - exists (2 * x). lia. - exists (y + x). lia.
    - exists (2 * x). lia. - exists y. lia. }
  destruct (IHn d1 f1 g1 f0 g0 O DF DG) as [-> ->]. split; reflexivity.
Qed.

(* Magnitudes do not grow. *)
Theorem no_growth n : forall d f g b, Z.odd f = true -> Z.abs f <= b -> Z.abs g <= b ->
  let '(_, f', g') := divsteps n (d, f, g) in Z.abs f' <= b /\ Z.abs g' <= b.
Proof.
  induction n; intros d f g b F H1 H2; [cbn; auto|]. cbn [divsteps]. step_on d f g F.
  apply IHn; [assumption| |]; destruct C; subst; lia.
Qed.
Lemma d_moves n : forall d f g, Z.odd f = true ->
  Z.abs (fst (fst (divsteps n (d, f, g)))) <= Z.abs d + 2 * Z.of_nat n.
Proof.
  induction n; intros d f g F; [cbn; lia|]. cbn [divsteps]. step_on d f g F. specialize (IHn d1 f1 g1 O).
  enough (Z.abs d1 <= Z.abs d + 2) by lia. destruct C; lia.
Qed.

(* (-f, -g) takes the same steps. *)
Theorem negate n : forall d f g, Z.odd f = true ->
  matn n (d, - f, - g) = matn n (d, f, g) /\
  divsteps n (d, - f, - g) = (let '(d', f', g') := divsteps n (d, f, g) in (d', - f', - g')).
Proof.
  induction n; intros d f g F; [split; reflexivity|]. cbn [divsteps matn].
  assert (F2 : Z.odd (- f) = true) by (rewrite Z.odd_opp; assumption). pose proof (Z.odd_opp g).
  step_on d f g F. step_on d (- f) (- g) F2.
  assert (m0 = m /\ d0 = d1 /\ f0 = - f1 /\ g0 = - g1) as (-> & -> & -> & ->).
  { destruct C; destruct C0; try congruence; try lia; repeat split; lia. }
  destruct (IHn d1 f1 g1 O) as [-> ->]. split; reflexivity.
Qed.
Lemma negate_s n d f g s : s = 1 \/ s = -1 -> Z.odd f = true ->
  divsteps n (d, s * f, s * g) = (let '(d', f', g') := divsteps n (d, f, g) in (d', s * f', s * g')).
Proof.
  intros [-> | ->] F.
  - rewrite !Z.mul_1_l. destruct (divsteps n (d, f, g)) as [[d' f'] g']. rewrite !Z.mul_1_l. reflexivity.
  - destruct (negate n d f g F) as [_ E]. replace (-1 * f) with (- f) by ring. replace (-1 * g) with (- g) by ring.
    rewrite E. destruct (divsteps n (d, f, g)) as [[d' f'] g']. reflexivity.
Qed.

(* The greatest common divisor is kept. *)
Lemma odd_gauss k x : Z.odd k = true -> (k | 2 * x) -> (k | x).
Proof.
  intros K H. apply Gauss with 2; [assumption|]. apply rel_prime_sym, prime_rel_prime; [exact prime_2|].
  intros [y ->]. rewrite Z.mul_comm, Z.odd_mul in K. discriminate.
Qed.
Lemma odd_divisor k f : Z.odd f = true -> (k | f) -> Z.odd k = true.
Proof. intros H [x ->]. rewrite Z.odd_mul in H. apply andb_prop in H. tauto. Qed.
Lemma gcd_step d f g : Z.odd f = true -> let '(_, f', g') := divstep (d, f, g) in Z.gcd f' g' = Z.gcd f g.
Proof.
  intros F. step_on d f g F. set (k := Z.gcd f g).
  assert (K : Z.odd k = true) by (apply (odd_divisor _ f F), Z.gcd_divide_l).
  destruct (Z.gcd_divide_l f g) as [x X]. destruct (Z.gcd_divide_r f g) as [y Y]. fold k in X, Y.
  apply Z.gcd_unique; [apply Z.gcd_nonneg | | |].
  - destruct C; subst f1; [exists y | exists x | exists x]; assumption.
  - apply odd_gauss; [assumption|]. destruct C; [exists (y - x) | exists (y + x) | exists y]; lia.
  - intros q [u U] [v V]. destruct C; apply Z.gcd_greatest.
    + exists (u - 2 * v). lia. + exists u. lia. + exists u. lia. + exists (2 * v - u). lia. + exists u. lia. + exists (2 * v). lia.
Qed.
Theorem gcd_kept n : forall d f g, Z.odd f = true -> let '(_, f', g') := divsteps n (d, f, g) in Z.gcd f' g' = Z.gcd f g.
Proof.
  induction n; intros d f g F; [reflexivity|]. cbn [divsteps]. pose proof (gcd_step d f g F) as G. step_on d f g F.
  specialize (IHn d1 f1 g1 O). destruct (divsteps n (d1, f1, g1)) as [[d' f'] g']. congruence.
Qed.

(* Once g is 0 it stays 0, and f stays. *)
Theorem at_zero n : forall d f, matn n (d, f, 0) = (two n, 0, 0, 1) /\ divsteps n (d, f, 0) = (d + 2 * Z.of_nat n, f, 0).
Proof.
  induction n; intros d f; [split; cbn [divsteps matn]; [reflexivity | f_equal; f_equal; lia]|].
  cbn [divsteps matn]. change (divstep (d, f, 0)) with (d + 2, f, 0). change (mat1 (d, f, 0)) with (2, 0, 0, 1).
  destruct (IHn (d + 2) f) as [-> ->]. rewrite two_S. cbn [mmul].
  split; [repeat (f_equal; try ring) | f_equal; f_equal; lia].
Qed.

(* A packed state takes the same steps, and shows the matrix: at most k steps on
   (d, f - 2^k, g - 2^l), where f and g have the right low bits, end in
   A - 2^(k-n) a - 2^(l-n) b for the first row (a, b), and A from f and g alone. *)
Theorem packed n d f g fl gl k l : Z.of_nat n < k -> Z.of_nat n <= l -> Z.odd f = true ->
  (two n | fl - f) -> (two n | gl - g) -> Z.odd fl = true ->
  let '(a, b, c, e) := matn n (d, f, g) in
  let '(dp, F, G) := divsteps n (d, fl - 2 ^ k, gl - 2 ^ l) in let '(_, A, B) := divsteps n (d, fl, gl) in
  F = A - 2 ^ (k - Z.of_nat n) * a - 2 ^ (l - Z.of_nat n) * b /\
  G = B - 2 ^ (k - Z.of_nat n) * c - 2 ^ (l - Z.of_nat n) * e /\ dp = fst (fst (divsteps n (d, f, g))).
Proof.
  intros K L F Df Dg Fl.
  pose proof (two_split k n ltac:(lia)) as Ek. pose proof (two_split l n L) as El.
  assert (FP : Z.odd (fl - 2 ^ k) = true).
  { replace (2 ^ k) with (2 * 2 ^ (k - 1)) by (rewrite <- Z.pow_succ_r by lia; f_equal; lia).
    rewrite Z.odd_sub, Fl, Z.odd_mul. reflexivity. }
  destruct (low_bits n d f g fl gl F Df Dg) as [T1 _].
  destruct (low_bits n d f g (fl - 2 ^ k) (gl - 2 ^ l) F) as [T3 T4].
  { destruct Df as [x X]. exists (x - 2 ^ (k - Z.of_nat n)). rewrite Ek. lia. }
  { destruct Dg as [x X]. exists (x - 2 ^ (l - Z.of_nat n)). rewrite El. lia. }
  pose proof (linear n d fl gl Fl) as L1. pose proof (linear n d _ (gl - 2 ^ l) FP) as L2.
  rewrite <- T1 in L1. rewrite <- T3 in L2. rewrite T4. clear T1 T3 T4.
  destruct (matn n (d, f, g)) as [[[a b] c] e].
  destruct (divsteps n (d, fl - 2 ^ k, gl - 2 ^ l)) as [[dp P] Q]. destruct (divsteps n (d, fl, gl)) as [[dl A] B].
  destruct L1 as (_ & P1 & P2). destruct L2 as (_ & P3 & P4). rewrite Ek, El in P3, P4.
  pose proof (two_pos n) as HP. set (q := 2 ^ (k - Z.of_nat n)) in *. set (r := 2 ^ (l - Z.of_nat n)) in *.
  set (t := two n) in *. clearbody t q r. clear Ek El.
  split; [|split; [|reflexivity]]; apply (Z.mul_reg_l _ _ t); lia.
Qed.

(* What one batch does: n steps lead from (d, f, g) to (d', s f', s g'), with the
   matrix s M for the sign s. *)
Record is_batch (n : nat) (s d f g a b c e d' f' g' : Z) : Prop := {
  batch_sign : s = 1 \/ s = -1;
  batch_run : divsteps n (d, f, g) = (d', s * f', s * g');
  batch_f : two n * f' = a * f + b * g;
  batch_g : two n * g' = c * f + e * g;
  batch_row0 : Z.abs a + Z.abs b <= two n;
  batch_row1 : Z.abs c + Z.abs e <= two n;
  batch_odd : Z.odd f' = true;
  batch_zero : g = 0 -> b = 0
}.

(* n steps suffice for the modulus p. *)
Definition enough (p : Z) (n : nat) : Prop := forall x, 0 <= x < p -> snd (divsteps n (1, p, x)) = 0.
