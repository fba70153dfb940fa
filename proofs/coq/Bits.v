(* Facts about and, or and exclusive or of words. *)
Require Import ZArith List Lia Bool Instr Word.
Import ListNotations.
Open Scope Z_scope.
Local Opaque pw.

Lemma land_low a k : 0 <= k -> Z.land a (2 ^ k - 1) = a mod 2 ^ k.
Proof. intros H. rewrite <- Z.land_ones by assumption. f_equal. rewrite Z.ones_equiv. lia. Qed.
Lemma pwz n : 0 <= n -> pw (Z.to_N n) = 2 ^ n.
Proof. intros H. Transparent pw. unfold pw. rewrite Z2N.id by assumption. reflexivity. Opaque pw. Qed.
Lemma pwk n : pw n = 2 ^ Z.of_N n.
Proof. Transparent pw. reflexivity. Opaque pw. Qed.
Lemma land_high a k : (k < 64)%N -> 0 <= a < W -> Z.land a (W - pw k) = pw k * (a / pw k).
Proof.
  intros K B. rewrite !pwk. set (n := Z.of_N k). assert (0 <= n < 64) by lia.
  rewrite <- Z.shiftr_div_pow2, Z.mul_comm, <- Z.shiftl_mul_pow2 by lia.
  apply Z.bits_inj'. intros i Hi. rewrite Z.land_spec.
  replace (W - 2 ^ n) with (Z.shiftl (Z.ones (64 - n)) n).
  2:{ rewrite Z.shiftl_mul_pow2, Z.ones_equiv, <- Z.sub_1_r, Z.mul_sub_distr_r, <- Z.pow_add_r by lia.
      replace (64 - n + n) with 64 by lia. change (2 ^ 64) with W. lia. }
  destruct (Z.lt_ge_cases i n) as [Lt|Ge].
  - rewrite !Z.shiftl_spec_low by lia. apply andb_false_r.
  - rewrite !Z.shiftl_spec by lia. rewrite Z.shiftr_spec by lia. replace (i - n + n) with i by lia.
    destruct (Z.lt_ge_cases i 64) as [L6|G6].
    + rewrite Z.ones_spec_low by lia. apply andb_true_r.
    + rewrite Z.ones_spec_high by lia. rewrite andb_false_r. symmetry.
      assert (a mod 2 ^ 64 = a) as <- by (apply Z.mod_small; exact B).
      apply Z.mod_pow2_bits_high. lia.
Qed.
Lemma lor_disjoint n a b : 0 <= n -> a mod 2 ^ n = 0 -> 0 <= b < 2 ^ n -> Z.lor a b = a + b.
Proof.
  intros Hn Ha Hb. assert (0 < 2 ^ n) by (apply Z.pow_pos_nonneg; lia).
  apply Z.mod_divide in Ha; [|lia]. destruct Ha as [k ->].
  assert (E : Z.land (k * 2 ^ n) b = 0).
  { apply Z.bits_inj'. intros i Hi. rewrite Z.land_spec, Z.bits_0.
    destruct (Z.lt_ge_cases i n) as [L|G].
    - rewrite Z.mul_pow2_bits_low by lia. reflexivity.
    - replace b with (b mod 2 ^ n) by (apply Z.mod_small; lia).
      rewrite Z.mod_pow2_bits_high by lia. apply andb_false_r. }
  rewrite Z.add_nocarry_lxor by assumption. symmetry. apply Z.lxor_lor. assumption.
Qed.
Lemma lor_top a : 0 <= a < W -> Z.lor a (2 ^ 63) = a mod 2 ^ 63 + 2 ^ 63.
Proof.
  intros B. rewrite (Z.add_comm (a mod _)). rewrite <- (lor_disjoint 63 (2 ^ 63) (a mod 2 ^ 63)); [| lia | apply Z_mod_same_full | apply Z.mod_pos_bound; lia].
  rewrite Z.lor_comm. apply Z.bits_inj'. intros i Hi. rewrite !Z.lor_spec.
  destruct (Z.lt_ge_cases i 63) as [L|G].
  - rewrite Z.mod_pow2_bits_low by lia. reflexivity.
  - rewrite Z.mod_pow2_bits_high by lia. destruct (Z.eq_dec i 63) as [->|N].
    + rewrite Z.pow2_bits_true by lia. reflexivity.
    + rewrite Z.pow2_bits_false by lia. assert (a mod 2 ^ 64 = a) as <- by (apply Z.mod_small; exact B).
      rewrite Z.mod_pow2_bits_high by lia. reflexivity.
Qed.
Lemma lor_bounds a b : 0 <= a < W -> 0 <= b < W -> a <= Z.lor a b /\ b <= Z.lor a b /\ Z.lor a b <= a + b /\ Z.lor a b < W.
Proof.
  intros A B.
  assert (K : forall x y, 0 <= x -> 0 <= y -> exists d, Z.lor x y = x + d /\ 0 <= d <= y).
  { intros x y Hx Hy. exists (Z.ldiff y x).
    assert (N1 : Z.land x (Z.ldiff y x) = 0).
    { apply Z.bits_inj'. intros i _. rewrite Z.land_spec, Z.ldiff_spec, Z.bits_0.
      destruct (Z.testbit x i), (Z.testbit y i); reflexivity. }
    assert (N2 : Z.land (Z.land y x) (Z.ldiff y x) = 0).
    { apply Z.bits_inj'. intros i _. rewrite !Z.land_spec, Z.ldiff_spec, Z.bits_0.
      destruct (Z.testbit x i), (Z.testbit y i); reflexivity. }
    assert (E1 : Z.lor x (Z.ldiff y x) = Z.lor x y).
    { apply Z.bits_inj'. intros i _. rewrite !Z.lor_spec, Z.ldiff_spec.
      destruct (Z.testbit x i), (Z.testbit y i); reflexivity. }
    assert (E2 : Z.lor (Z.land y x) (Z.ldiff y x) = y).
    { apply Z.bits_inj'. intros i _. rewrite Z.lor_spec, Z.land_spec, Z.ldiff_spec.
      destruct (Z.testbit x i), (Z.testbit y i); reflexivity. }
    assert (F1 : x + Z.ldiff y x = Z.lor x y) by (rewrite Z.add_nocarry_lxor by assumption; rewrite Z.lxor_lor by assumption; exact E1).
    assert (F2 : Z.land y x + Z.ldiff y x = y) by (rewrite Z.add_nocarry_lxor by assumption; rewrite Z.lxor_lor by assumption; exact E2).
    assert (0 <= Z.land y x) by (apply Z.land_nonneg; lia).
    assert (0 <= Z.ldiff y x) by (apply Z.ldiff_nonneg; lia). lia. }
  destruct (K a b) as (d & D1 & D2); try lia. destruct (K b a) as (e & E1 & E2); try lia. rewrite Z.lor_comm in E1.
  repeat split; try lia.
  assert (P : Z.lor a b mod W = Z.lor a b).
  { apply Z.bits_inj'. intros i Hi. change W with (2 ^ 64). destruct (Z.lt_ge_cases i 64).
    - rewrite Z.mod_pow2_bits_low by lia. reflexivity.
    - rewrite Z.mod_pow2_bits_high by lia. rewrite Z.lor_spec.
      assert (a mod 2 ^ 64 = a) as <- by (apply Z.mod_small; exact A).
      assert (b mod 2 ^ 64 = b) as <- by (apply Z.mod_small; exact B).
      rewrite !Z.mod_pow2_bits_high by lia. reflexivity. }
  rewrite <- P. apply Z.mod_pos_bound. reflexivity.
Qed.
Lemma land_range a b : 0 <= a < W -> 0 <= b < W -> 0 <= Z.land a b < W.
Proof.
  intros A B. assert (0 <= Z.land a b) by (apply Z.land_nonneg; lia). split; [assumption|].
  assert (P : Z.land a b mod W = Z.land a b).
  { apply Z.bits_inj'. intros i Hi. change W with (2 ^ 64). destruct (Z.lt_ge_cases i 64).
    - rewrite Z.mod_pow2_bits_low by lia. reflexivity.
    - rewrite Z.mod_pow2_bits_high by lia. rewrite Z.land_spec.
      assert (a mod 2 ^ 64 = a) as <- by (apply Z.mod_small; exact A).
      rewrite !Z.mod_pow2_bits_high by lia. reflexivity. }
  rewrite <- P. apply Z.mod_pos_bound. reflexivity.
Qed.
Lemma lxor_range a b : 0 <= a < W -> 0 <= b < W -> 0 <= Z.lxor a b < W.
Proof.
  intros A B. assert (0 <= Z.lxor a b) by (apply Z.lxor_nonneg; lia). split; [assumption|].
  assert (P : Z.lxor a b mod W = Z.lxor a b).
  { apply Z.bits_inj'. intros i Hi. change W with (2 ^ 64). destruct (Z.lt_ge_cases i 64).
    - rewrite Z.mod_pow2_bits_low by lia. reflexivity.
    - rewrite Z.mod_pow2_bits_high by lia. rewrite Z.lxor_spec.
      assert (a mod 2 ^ 64 = a) as <- by (apply Z.mod_small; exact A).
      assert (b mod 2 ^ 64 = b) as <- by (apply Z.mod_small; exact B).
      rewrite !Z.mod_pow2_bits_high by lia. reflexivity. }
  rewrite <- P. apply Z.mod_pos_bound. reflexivity.
Qed.
Lemma ldiff_split a b : 0 <= a -> 0 <= b -> a = Z.ldiff a b + Z.land a b /\ Z.lor a b = b + Z.ldiff a b.
Proof.
  intros Ha Hb. split.
  - assert (N : Z.land (Z.ldiff a b) (Z.land a b) = 0).
    { apply Z.bits_inj'. intros i _. rewrite !Z.land_spec, Z.ldiff_spec, Z.bits_0.
      destruct (Z.testbit a i), (Z.testbit b i); reflexivity. }
    rewrite Z.add_nocarry_lxor by assumption. rewrite Z.lxor_lor by assumption.
    apply Z.bits_inj'. intros i _. rewrite Z.lor_spec, Z.land_spec, Z.ldiff_spec.
    destruct (Z.testbit a i), (Z.testbit b i); reflexivity.
  - assert (N : Z.land b (Z.ldiff a b) = 0).
    { apply Z.bits_inj'. intros i _. rewrite Z.land_spec, Z.ldiff_spec, Z.bits_0.
      destruct (Z.testbit a i), (Z.testbit b i); reflexivity. }
    rewrite Z.add_nocarry_lxor by assumption. rewrite Z.lxor_lor by assumption.
    apply Z.bits_inj'. intros i _. rewrite !Z.lor_spec, Z.ldiff_spec.
    destruct (Z.testbit a i), (Z.testbit b i); reflexivity.
Qed.
Lemma land_bounds a b : 0 <= a < W -> 0 <= b < W -> Z.land a b <= a /\ Z.land a b <= b /\ a + b - (W - 1) <= Z.land a b.
Proof.
  intros A B. destruct (ldiff_split a b) as [E1 E2]; try lia. destruct (ldiff_split b a) as [E3 _]; try lia. rewrite Z.land_comm in E3.
  assert (0 <= Z.ldiff a b) by (apply Z.ldiff_nonneg; lia). assert (0 <= Z.ldiff b a) by (apply Z.ldiff_nonneg; lia).
  destruct (lor_bounds a b A B) as (_ & _ & _ & L). lia.
Qed.
Lemma lor_high a k : 0 <= a < W -> (k < 64)%N -> Z.lor a (W - pw k) = a mod pw k + (W - pw k).
Proof.
  intros A K. assert (P : 0 < pw k) by apply pw_pos. assert (pw k <= W) by (rewrite pwk; change W with (2 ^ 64); apply Z.pow_le_mono_r; lia).
  destruct (ldiff_split a (W - pw k)) as [E1 E2]; try lia. rewrite E2. rewrite land_high in E1 by assumption.
  pose proof (Z.div_mod a (pw k)). lia.
Qed.
