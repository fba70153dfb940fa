(* A batch of divsteps on words, as gen/internal/algo/divstep_batch.go has it,
   and that its result is the matrix of the steps. Sections 4 and 5 of
   spec/divstep.go explain it. *)
Require Import ZArith List Lia Bool Instr Divstep.
Import ListNotations.
Open Scope Z_scope.

Definition sgn (x : Z) : Z := if x <? 2 ^ 63 then x else x - W.
Definition sarw (n x : Z) : Z := (x / 2 ^ n - 2 ^ (64 - n) * (x / 2 ^ 63)) mod W.
Definition wadd (x y : Z) : Z := (x + y) mod W.
Definition wsub2 (x y : Z) : Z := (x - y) mod W.
Definition wmul (x y : Z) : Z := (x * y) mod W.
Definition wshl (k x : Z) : Z := (2 ^ k * x) mod W.

(* One step on h = (F - 1) / 2, G and n = -(d + 1) / 2. *)
Definition wstep (s : Z * Z * Z) : Z * Z * Z :=
  let '(h, G, n) := s in
  let b := n / 2 ^ 63 in let mask := (0 - b) mod W in
  let swapped := (W - 2 - n) mod W in let counted := (n + (W - 1)) mod W in
  let t := Z.lxor h mask in let half := sarw 1 G in let sum := ((half + t) mod W + 1) mod W in
  let next := if G mod 2 =? 0 then half else sum in
  let swap := Z.land G b in
  (if swap =? 0 then h else half, next, if swap =? 0 then counted else swapped).
Fixpoint wsteps (k : nat) (s : Z * Z * Z) : Z * Z * Z := match k with O => s | S k => wsteps k (wstep s) end.

(* The row (a, b) of a matrix as (a + 2^21 b, b), and the column (x, y) as (x, y - 2^21 x). *)
Definition unpack (at_ i w : Z) : Z * Z :=
  let round := 2 ^ (at_ - 21) in
  (sarw (at_ - i) (wadd w round), sarw (at_ + 21 - i) (wadd w (round + 2 ^ (at_ + 20 - i)))).
Definition column (x y : Z) : Z * Z := (x, wsub2 y (wshl 21 x)).
Definition apply (r c : Z * Z) : Z := let '(v, b) := r in let '(x, z) := c in wadd (wmul v x) (wmul b z).
Definition first (r : Z * Z) : Z := let '(v, b) := r in wsub2 v (wshl 21 b).

(* k steps on the low bits of f = 2 fs + 1 and g. *)
Definition wsub (k : nat) (fs g n : Z) : (Z * Z) * (Z * Z) * Z :=
  let G := wadd (Z.land g (2 ^ 20 - 1)) (W - 2 ^ 62) in
  let h := wadd (Z.land fs (2 ^ 19 - 1)) (W - 2 ^ 40) in
  let '(h, G, n) := wsteps k (h, G, n) in (unpack 40 (Z.of_nat k) h, unpack 41 (Z.of_nat k) G, n).

Definition cols := option ((Z * Z) * (Z * Z)).
Definition columns (r0 r1 : Z * Z) (c : cols) : cols :=
  match c with
  | None => Some (column (first r0) (first r1), column (snd r0) (snd r1))
  | Some (c0, c1) => Some (column (apply r0 c0) (apply r1 c0), column (apply r0 c1) (apply r1 c1))
  end.
Definition biased (bias : Z) (r0 r1 : Z * Z) (c : cols) : Z * Z * Z * Z :=
  match c with
  | None => (wadd (first r0) bias, wadd (snd r0) bias, wadd (first r1) bias, wadd (snd r1) bias)
  | Some (c0, c1) => (wadd (apply r0 c0) bias, wadd (apply r0 c1) bias, wadd (apply r1 c0) bias, wadd (apply r1 c1) bias)
  end.
Fixpoint wloop (subs : list nat) (bias fs f g n : Z) (c : cols) : Z * Z * Z * Z * Z :=
  match subs with
  | [] => (0, 0, 0, 0, n)
  | k :: rest =>
    let '(r0, r1, n) := wsub k fs g n in
    match rest with
    | [] => (biased bias r0 r1 c, n)
    | _ =>
      let fg := column f g in let f0 := apply r0 fg in
      wloop rest bias (f0 / 2 ^ Z.of_nat (k + 1)) (sarw (Z.of_nat k) f0) (sarw (Z.of_nat k) (apply r1 fg)) n (columns r0 r1 c)
    end
  end.
Definition sum (subs : list nat) : nat := fold_right Nat.add 0%nat subs.
Definition wbatch (subs : list nat) (f g n : Z) : Z * Z * Z * Z * Z := wloop subs (two (sum subs)) (f / 2) f g n None.

(* Sub-batches of 1 to 20 steps, 60 in all. *)
Definition subs_ok (subs : list nat) : bool :=
  negb (Nat.eqb (length subs) 0) && forallb (fun k => Nat.leb 1 k && Nat.leb k 20) subs && Nat.leb (sum subs) 60.
Definition sign (subs : list nat) : Z := if Nat.even (length subs) then 1 else -1.

(* Words that stand for integers. *)
Lemma W64 : W = 2 ^ 64. Proof. reflexivity. Qed.
Lemma sgn_mod v : - 2 ^ 63 <= v < 2 ^ 63 -> sgn (v mod W) = v.
Proof.
  intros B. unfold sgn. rewrite W64. change (2 ^ 64) with (2 * 2 ^ 63). set (H := 2 ^ 63) in *. clearbody H.
  destruct (Z_lt_le_dec v 0).
  - replace (v mod (2 * H)) with (v + 2 * H) by (rewrite <- (Z.mod_add v 1), Z.mul_1_l, Z.mod_small; lia).
    destruct (Z.ltb_spec (v + 2 * H) H); lia.
  - rewrite Z.mod_small by lia. destruct (Z.ltb_spec v H); lia.
Qed.
Lemma mod_sgn x : 0 <= x < W -> sgn x mod W = x /\ - 2 ^ 63 <= sgn x < 2 ^ 63.
Proof.
  intros B. unfold sgn. rewrite W64 in *. change (2 ^ 64) with (2 * 2 ^ 63) in *. set (H := 2 ^ 63) in *. clearbody H.
  destruct (Z.ltb_spec x H); (split; [|lia]); [apply Z.mod_small; lia|].
  rewrite <- (Z.mod_add _ 1), Z.mul_1_l, Z.mod_small; lia.
Qed.
Lemma sign_bit v : - 2 ^ 63 <= v < 2 ^ 63 -> (v mod W) / 2 ^ 63 = if v <? 0 then 1 else 0.
Proof.
  intros B. rewrite W64. change (2 ^ 64) with (2 * 2 ^ 63). set (H := 2 ^ 63) in *. clearbody H.
  destruct (Z.ltb_spec v 0).
  - replace (v mod (2 * H)) with (v + 2 * H) by (rewrite <- (Z.mod_add v 1), Z.mul_1_l, Z.mod_small; lia).
    symmetry. apply Z.div_unique with (v + H); lia.
  - rewrite Z.mod_small by lia. apply Z.div_small. lia.
Qed.
Lemma sarw_ok n v : 0 <= n < 64 -> - 2 ^ 63 <= v < 2 ^ 63 -> sarw n (v mod W) = (v / 2 ^ n) mod W.
Proof.
  intros N B. unfold sarw. rewrite sign_bit by assumption.
  assert (E : W = 2 ^ (64 - n) * 2 ^ n) by (rewrite <- Z.pow_add_r, W64 by lia; f_equal; lia).
  assert (0 < 2 ^ n) by (apply Z.pow_pos_nonneg; lia).
  assert (HW : 2 ^ 63 < W) by reflexivity. set (T := 2 ^ 63) in *. clearbody T.
  destruct (Z.ltb_spec v 0).
  - replace (v mod W) with (v + 2 ^ (64 - n) * 2 ^ n).
    2:{ rewrite <- E. symmetry. rewrite <- (Z.mod_add v 1), Z.mul_1_l by lia. apply Z.mod_small. lia. }
    rewrite Z.div_add by lia. f_equal. lia.
  - rewrite (Z.mod_small v) by lia. f_equal. lia.
Qed.
Lemma flip h : 0 <= h < W -> Z.lxor h (W - 1) = W - 1 - h.
Proof.
  intros B. replace (W - 1) with (Z.ones 64) by reflexivity. enough (h + Z.lxor h (Z.ones 64) = Z.ones 64) by lia.
  rewrite Z.add_nocarry_lxor.
  - rewrite <- Z.lxor_assoc, Z.lxor_nilpotent. apply Z.lxor_0_l.
  - apply Z.bits_inj'. intros i I. rewrite Z.land_spec, Z.lxor_spec, Z.bits_0. destruct (Z_lt_le_dec i 64).
    + rewrite Z.ones_spec_low by lia. destruct (Z.testbit h i); reflexivity.
    + replace (Z.testbit h i) with false; [reflexivity|]. symmetry. rewrite <- (Z.mod_small h (2 ^ 64)) by (rewrite <- W64; lia).
      apply Z.mod_pow2_bits_high. lia.
Qed.
Lemma odd_mod v : (v mod W) mod 2 = if Z.odd v then 1 else 0.
Proof.
  rewrite <- Znumtheory.Zmod_div_mod; [|lia|reflexivity|exists (2 ^ 63); reflexivity].
  rewrite Zmod_odd. reflexivity.
Qed.

(* One step, k steps. *)
Lemma wstep_ok h g n : Z.abs h <= 2 ^ 61 -> Z.abs g <= 2 ^ 62 -> Z.abs n <= 2 ^ 62 ->
  exists h1 g1 n1, wstep (h mod W, g mod W, n mod W) = (h1 mod W, g1 mod W, n1 mod W) /\
    divstep (-2 * n - 1, 2 * h + 1, g) = (-2 * n1 - 1, 2 * h1 + 1, g1) /\ Z.abs n1 <= Z.abs n + 1.
Proof.
  intros Bh Bg Bn. assert (P3 : 2 ^ 63 = 2 * 2 ^ 62) by reflexivity. assert (P2 : 2 ^ 62 = 2 * 2 ^ 61) by reflexivity.
  assert (F : Z.odd (2 * h + 1) = true) by (rewrite Z.odd_add_mul_2 || (rewrite Z.add_comm, Z.odd_add_mul_2); reflexivity).
  assert (HW : W <> 0) by discriminate.
  assert (Hl : Z.land (g mod W) 1 = if Z.odd g then 1 else 0).
  { change 1 with (Z.ones 1) at 1. rewrite Z.land_ones by lia. apply odd_mod. }
  unfold wstep. cbv zeta. rewrite sign_bit by lia. rewrite sarw_ok by lia. rewrite odd_mod. change (2 ^ 1) with 2.
  unfold divstep.
  assert (Hodd : g = 2 * (g / 2) + (if Z.odd g then 1 else 0)) by (rewrite <- Zmod_odd; apply Z.div_mod; lia).
  assert (EC : (n mod W + (W - 1)) mod W = (n - 1) mod W).
  { rewrite Zplus_mod_idemp_l. replace (n + (W - 1)) with (n - 1 + 1 * W) by ring. apply Z.mod_add. assumption. }
  assert (ES : (W - 2 - n mod W) mod W = (-2 - n) mod W).
  { rewrite Zminus_mod_idemp_r. replace (W - 2 - n) with (-2 - n + 1 * W) by ring. apply Z.mod_add. assumption. }
  assert (ESum : forall x y, ((x mod W + y mod W) mod W + 1) mod W = (x + y + 1) mod W).
  { intros. rewrite <- Zplus_mod. apply Zplus_mod_idemp_l. }
  destruct (Z.ltb_spec n 0) as [L|L].
  - assert (EF : Z.lxor (h mod W) ((0 - 1) mod W) = (- h - 1) mod W).
    { change ((0 - 1) mod W) with (W - 1). rewrite flip by (apply Z.mod_pos_bound; reflexivity).
      symmetry. rewrite <- (Z.mod_small (W - 1 - h mod W) W) by (pose proof (Z.mod_pos_bound h W eq_refl); lia).
      rewrite Zminus_mod_idemp_r. replace (W - 1 - h) with (- h - 1 + 1 * W) by ring. symmetry. apply Z.mod_add. assumption. }
    rewrite EF, Hl, EC, ES, ESum. destruct (Z.odd g) eqn:G; cbn [Z.eqb].
    + replace (0 <? -2 * n - 1) with true by (symmetry; apply Z.ltb_lt; lia).
      exists (g / 2), (g / 2 + (- h - 1) + 1), (-2 - n). split; [reflexivity|]. split; [|lia].
      f_equal; [f_equal; lia|]. symmetry. apply Z.div_unique with 0; lia.
    + exists h, (g / 2), (n - 1). split; [reflexivity|]. split; [|lia]. f_equal. f_equal. lia.
  - rewrite Z.land_0_r, EC. change ((0 - 0) mod W) with 0. rewrite Z.lxor_0_r, ESum. cbn [Z.eqb].
    destruct (Z.odd g) eqn:G; cbn [Z.eqb].
    + replace (0 <? -2 * n - 1) with false by (symmetry; apply Z.ltb_ge; lia).
      exists h, (g / 2 + h + 1), (n - 1). split; [reflexivity|]. split; [|lia].
      f_equal; [f_equal; lia|]. symmetry. apply Z.div_unique with 0; lia.
    + exists h, (g / 2), (n - 1). split; [reflexivity|]. split; [|lia]. f_equal. f_equal. lia.
Qed.
Lemma wsteps_ok k : forall h g n, Z.abs (2 * h + 1) <= 2 ^ 62 -> Z.abs g <= 2 ^ 62 -> Z.abs n + Z.of_nat k <= 2 ^ 62 ->
  exists h1 g1 n1, wsteps k (h mod W, g mod W, n mod W) = (h1 mod W, g1 mod W, n1 mod W) /\
    divsteps k (-2 * n - 1, 2 * h + 1, g) = (-2 * n1 - 1, 2 * h1 + 1, g1) /\ Z.abs n1 <= Z.abs n + Z.of_nat k.
Proof.
  induction k; intros h g n Bh Bg Bn; [exists h, g, n; cbn; repeat split; lia|].
  assert (P2 : 2 ^ 62 = 2 * 2 ^ 61) by reflexivity.
  destruct (wstep_ok h g n) as (h1 & g1 & n1 & E & S & B); [lia|lia|lia|].
  cbn [wsteps divsteps]. rewrite E, S. rewrite Nat2Z.inj_succ in *.
  assert (F : Z.odd (2 * h + 1) = true) by (rewrite Z.add_comm, Z.odd_add_mul_2; reflexivity).
  pose proof (no_growth 1 (-2 * n - 1) (2 * h + 1) g (2 ^ 62) F Bh Bg) as N. cbn [divsteps] in N. rewrite S in N. destruct N as [N1 N2].
  destruct (IHk h1 g1 n1) as (h2 & g2 & n2 & E2 & S2 & B2); [assumption|assumption|lia|].
  exists h2, g2, n2. split; [assumption|]. split; [assumption|lia].
Qed.

(* Rows and columns of integers in words. *)
Definition rrow (a b : Z) : Z * Z := ((a + 2 ^ 21 * b) mod W, b mod W).
Lemma wsub2_shl x y : wsub2 (y mod W) (wshl 21 (x mod W)) = (y - 2 ^ 21 * x) mod W.
Proof. unfold wsub2, wshl. rewrite Zmult_mod_idemp_r, <- Zminus_mod. reflexivity. Qed.
Lemma first_ok a b : first (rrow a b) = a mod W.
Proof. unfold first, rrow. rewrite wsub2_shl. f_equal. ring. Qed.
Lemma apply_ok a b x y : apply (rrow a b) (column x y) = (a * x + b * y) mod W.
Proof.
  unfold apply, rrow, column, wmul, wsub2, wshl, wadd.
  rewrite Zminus_mod_idemp_r, <- Zmult_mod, Zmult_mod_idemp_l, <- Zplus_mod. f_equal. ring.
Qed.
Lemma apply_mod a b x y : apply (rrow a b) (column (x mod W) (y mod W)) = (a * x + b * y) mod W.
Proof.
  rewrite apply_ok. rewrite Zplus_mod, !Zmult_mod_idemp_r, <- Zplus_mod. reflexivity.
Qed.

Lemma floor_ok w q m r : 0 <= r < m -> w = m * q + r -> w / m = q.
Proof. intros B ->. symmetry. apply Z.div_unique with r; [left; lia | reflexivity]. Qed.
(* R is the range of the rest, t = 2^k, p = 2^(at-k) and c = 2^21. *)
Lemma unpack_arith R t p r a b w : 0 <= r + R < 2 * R -> 0 < t <= 2 ^ 20 -> 2 * R <= p -> p * t = 2 ^ 21 * R ->
  - t < a <= t -> w = r - p * a - p * 2 ^ 21 * b ->
  (w + R) / p = - a - 2 ^ 21 * b /\ (w + (R + p * 2 ^ 20)) / (p * 2 ^ 21) = - b.
Proof.
  intros HR T P E A Hw. change (2 ^ 21) with (2 * 2 ^ 20) in *. set (c := 2 ^ 20) in *.
  assert (0 < c) by reflexivity. clearbody c. split.
  - apply floor_ok with (r := r + R); [lia|]. rewrite Hw. ring.
  - apply floor_ok with (r := r + R + p * c - p * a).
    + assert (p * a <= p * t) by (apply Z.mul_le_mono_nonneg_l; lia).
      assert (p * (- t + 1) <= p * a) by (apply Z.mul_le_mono_nonneg_l; lia).
      assert (p * t <= p * c) by (apply Z.mul_le_mono_nonneg_l; lia). lia.
    + rewrite Hw. ring.
Qed.
Lemma unpack_ok at_ k w r a b : 40 <= at_ <= 41 -> (1 <= k <= 20)%nat -> 0 <= r + 2 ^ (at_ - 21) < 2 ^ (at_ - 20) ->
  - two k < a <= two k -> Z.abs w <= 2 ^ 62 ->
  w = r - 2 ^ (at_ - Z.of_nat k) * a - 2 ^ (at_ + 21 - Z.of_nat k) * b ->
  unpack at_ (Z.of_nat k) (w mod W) = rrow (- a) (- b).
Proof.
  intros HA HK HR A B Hw. unfold unpack, rrow, wadd. cbv zeta. rewrite !Zplus_mod_idemp_l.
  set (i := Z.of_nat k) in *. assert (1 <= i <= 20) by lia.
  assert (B1 : 2 ^ (at_ - 21) <= 2 ^ 20) by (apply Z.pow_le_mono_r; lia).
  assert (B2 : 2 ^ (at_ + 20 - i) <= 2 ^ 60) by (apply Z.pow_le_mono_r; lia).
  assert (0 < 2 ^ (at_ - 21)) by (apply Z.pow_pos_nonneg; lia).
  assert (0 < 2 ^ (at_ + 20 - i)) by (apply Z.pow_pos_nonneg; lia).
  assert (P3 : 2 ^ 63 = 8 * 2 ^ 60) by reflexivity. assert (P2 : 2 ^ 62 = 4 * 2 ^ 60) by reflexivity.
  assert (P0 : 2 ^ 20 < 2 ^ 60) by reflexivity.
  rewrite !sarw_ok by lia.
  assert (E1 : 2 ^ (at_ + 21 - i) = 2 ^ (at_ - i) * 2 ^ 21) by (rewrite <- Z.pow_add_r by lia; f_equal; lia).
  assert (E2 : 2 ^ (at_ + 20 - i) = 2 ^ (at_ - i) * 2 ^ 20) by (rewrite <- Z.pow_add_r by lia; f_equal; lia).
  assert (E3 : 2 ^ (at_ - 20) = 2 * 2 ^ (at_ - 21)) by (rewrite <- Z.pow_succ_r by lia; f_equal; lia).
  assert (E4 : 2 ^ (at_ - i) * two k = 2 ^ 21 * 2 ^ (at_ - 21)).
  { unfold two. fold i. rewrite <- !Z.pow_add_r by lia. f_equal. lia. }
  assert (E5 : 2 ^ (at_ - 20) <= 2 ^ (at_ - i)) by (apply Z.pow_le_mono_r; lia).
  assert (E6 : two k <= 2 ^ 20) by (apply Z.pow_le_mono_r; lia). pose proof (two_pos k).
  rewrite E1, E2, E3 in *.
  destruct (unpack_arith (2 ^ (at_ - 21)) (two k) (2 ^ (at_ - i)) r a b w) as [-> ->]; try assumption; try lia.
  f_equal. f_equal. ring.
Qed.

(* A sub-batch. *)
Lemma low_bounds x y : 0 <= x < 2 ^ 19 -> 0 <= y < 2 ^ 20 ->
  Z.abs (2 * x + 1) <= 2 ^ 20 - 1 /\ Z.abs y <= 2 ^ 20 - 1 /\ Z.abs (2 * x + 1 - 2 ^ 41) <= 2 ^ 62 /\
  Z.abs (2 * (x - 2 ^ 40) + 1) <= 2 ^ 62 /\ Z.abs (y - 2 ^ 62) <= 2 ^ 62.
Proof.
  assert (E : 2 ^ 62 = 8796093022208 * 2 ^ 19 /\ 2 ^ 41 = 4194304 * 2 ^ 19 /\ 2 ^ 40 = 2097152 * 2 ^ 19 /\ 2 ^ 20 = 2 * 2 ^ 19) by (repeat split; reflexivity).
  destruct E as (-> & -> & -> & ->). lia.
Qed.
Lemma h_form h1 A a b k : (k <= 20)%nat -> Z.odd A = true -> Z.abs A <= 2 ^ 20 - 1 ->
  2 * h1 + 1 = A - 2 ^ (41 - Z.of_nat k) * a - 2 ^ (62 - Z.of_nat k) * b ->
  h1 = A / 2 - 2 ^ (40 - Z.of_nat k) * a - 2 ^ (61 - Z.of_nat k) * b /\ 0 <= A / 2 + 2 ^ 19 < 2 ^ 20.
Proof.
  intros K O B E.
  assert (HA : A = 2 * (A / 2) + 1) by (pose proof (Z.div_mod A 2 ltac:(lia)) as X; rewrite Zmod_odd, O in X; exact X).
  replace (2 ^ (41 - Z.of_nat k)) with (2 * 2 ^ (40 - Z.of_nat k)) in E by (rewrite <- Z.pow_succ_r by lia; f_equal; lia).
  replace (2 ^ (62 - Z.of_nat k)) with (2 * 2 ^ (61 - Z.of_nat k)) in E by (rewrite <- Z.pow_succ_r by lia; f_equal; lia).
  set (x := 2 ^ (40 - Z.of_nat k)) in *. set (y := 2 ^ (61 - Z.of_nat k)) in *. set (q := A / 2) in *. clearbody x y q.
  split; [lia|]. change (2 ^ 20) with (2 * 2 ^ 19) in *. lia.
Qed.
Lemma half_bound h : Z.abs (2 * h + 1) <= 2 ^ 62 -> Z.abs h <= 2 ^ 62.
Proof. lia. Qed.
Lemma g_rest B : Z.abs B <= 2 ^ 20 - 1 -> 0 <= B + 2 ^ 20 < 2 ^ 21.
Proof. change (2 ^ 21) with (2 * 2 ^ 20). lia. Qed.
Lemma wsub_ok k d f g fs gw n : (1 <= k <= 20)%nat -> Z.odd f = true -> (two k | 2 * fs + 1 - f) -> (two k | gw - g) ->
  d = -2 * n - 1 -> Z.abs n + Z.of_nat k <= 2 ^ 62 ->
  exists n1, let '(a, b, c, e) := matn k (d, f, g) in
    wsub k fs gw (n mod W) = (rrow (- a) (- b), rrow (- c) (- e), n1 mod W) /\
    fst (fst (divsteps k (d, f, g))) = -2 * n1 - 1 /\ Z.abs n1 <= Z.abs n + Z.of_nat k.
Proof.
  intros K F DF DG D Bn. assert (K0 : (k <= 20)%nat) by lia.
  assert (D20 : (two k | 2 ^ 20)) by (rewrite (two_split 20 k) by lia; exists (2 ^ (20 - Z.of_nat k)); ring).
  pose proof (Z.mod_pos_bound fs (2 ^ 19) eq_refl) as Rf. pose proof (Z.mod_pos_bound gw (2 ^ 20) eq_refl) as Rg.
  destruct (low_bounds _ _ Rf Rg) as (BF & BG & BF41 & BH & BG62). clear Rf Rg.
  assert (DF' : (two k | 2 * (fs mod 2 ^ 19) + 1 - f)).
  { replace (2 * (fs mod 2 ^ 19) + 1 - f) with (2 * fs + 1 - f - fs / 2 ^ 19 * 2 ^ 20).
    - apply Z.divide_sub_r; [assumption|apply Z.divide_mul_r; assumption].
    - rewrite (Z.mod_eq fs) by discriminate. change (2 ^ 20) with (2 * 2 ^ 19). ring. }
  assert (DG' : (two k | gw mod 2 ^ 20 - g)).
  { replace (gw mod 2 ^ 20 - g) with (gw - g - gw / 2 ^ 20 * 2 ^ 20).
    - apply Z.divide_sub_r; [assumption|apply Z.divide_mul_r; assumption].
    - rewrite (Z.mod_eq gw) by discriminate. ring. }
  unfold wsub. cbv zeta.
  replace (Z.land gw (2 ^ 20 - 1)) with (gw mod 2 ^ 20) by (symmetry; exact (Z.land_ones gw 20 ltac:(discriminate))).
  replace (Z.land fs (2 ^ 19 - 1)) with (fs mod 2 ^ 19) by (symmetry; exact (Z.land_ones fs 19 ltac:(discriminate))).
  set (x := fs mod 2 ^ 19) in *. set (gl := gw mod 2 ^ 20) in *. clearbody x gl. clear DF DG.
  unfold wadd.
  replace (gl + (W - 2 ^ 62)) with (gl - 2 ^ 62 + 1 * W) by ring.
  replace (x + (W - 2 ^ 40)) with (x - 2 ^ 40 + 1 * W) by ring. rewrite !Z.mod_add by discriminate.
  destruct (wsteps_ok k (x - 2 ^ 40) (gl - 2 ^ 62) n BH BG62 Bn) as (h1 & g1 & n1 & E & S & B). rewrite E. exists n1. clear E.
  replace (2 * (x - 2 ^ 40) + 1) with (2 * x + 1 - 2 ^ 41) in S by (change (2 ^ 41) with (2 * 2 ^ 40); ring). rewrite <- D in S.
  assert (FL : Z.odd (2 * x + 1) = true) by (rewrite Z.add_comm; apply Z.odd_add_mul_2).
  assert (FP : Z.odd (2 * x + 1 - 2 ^ 41) = true) by (rewrite Z.odd_sub, FL; reflexivity).
  set (fl := 2 * x + 1) in *. clearbody fl.
  pose proof (packed k d f g fl gl 41 62 ltac:(lia) ltac:(lia) F DF' DG' FL) as PK.
  pose proof (entries k d f g F) as EN. pose proof (linear k d fl gl FL) as LA.
  pose proof (no_growth k d fl gl (2 ^ 20 - 1) FL BF BG) as NA.
  pose proof (no_growth k d (fl - 2 ^ 41) (gl - 2 ^ 62) (2 ^ 62) FP BF41 BG62) as NF.
  rewrite S in PK, NF. destruct (matn k (d, f, g)) as [[[a b] c] e]. destruct (matn k (d, fl, gl)) as [[[a' b'] c'] e'].
  destruct (divsteps k (d, fl, gl)) as [[dl A] Bg]. destruct PK as (PF & PG & PD). destruct LA as (OA & _).
  destruct NA as [NA1 NA2]. destruct NF as [NF1 NF2]. destruct EN as [(A1 & A2 & _) (C1 & C2 & _)].
  split; [|split; [symmetry; assumption|assumption]].
  destruct (h_form h1 A a b k K0 OA NA1 PF) as [HF HR].
  rewrite (unpack_ok 40 k h1 (A / 2) a b), (unpack_ok 41 k g1 Bg c e); try reflexivity; try assumption.
  - split; discriminate.
  - exact (g_rest _ NA2).
  - clear - C1 C2. lia.
  - split; discriminate.
  - clear - A1 A2. lia.
  - exact (half_bound _ NF1).
Qed.

(* Batches one after the other. *)
Lemma row_product a b p q r t T K : Z.abs a + Z.abs b <= K -> Z.abs p + Z.abs q <= T -> Z.abs r + Z.abs t <= T ->
  0 <= T -> Z.abs (a * p + b * r) + Z.abs (a * q + b * t) <= T * K.
Proof.
  intros A P R T0.
  assert (Z.abs (a * p + b * r) <= Z.abs a * Z.abs p + Z.abs b * Z.abs r) by (rewrite <- !Z.abs_mul; apply Z.abs_triangle).
  assert (Z.abs (a * q + b * t) <= Z.abs a * Z.abs q + Z.abs b * Z.abs t) by (rewrite <- !Z.abs_mul; apply Z.abs_triangle).
  assert (Z.abs a * (Z.abs p + Z.abs q) <= Z.abs a * T) by (apply Z.mul_le_mono_nonneg_l; lia).
  assert (Z.abs b * (Z.abs r + Z.abs t) <= Z.abs b * T) by (apply Z.mul_le_mono_nonneg_l; lia).
  assert (T * (Z.abs a + Z.abs b) <= T * K) by (apply Z.mul_le_mono_nonneg_l; lia). lia.
Qed.
Lemma batch_then T s d0 f0 g0 p q r t d f g k s1 a b c e d' f' g' : Z.odd f0 = true ->
  is_batch T s d0 f0 g0 p q r t d f g -> is_batch k s1 d f g a b c e d' f' g' ->
  is_batch (T + k) (s * s1) d0 f0 g0 (a * p + b * r) (a * q + b * t) (c * p + e * r) (c * q + e * t) d' f' g'.
Proof.
  intros F0 [S0 R0 E0 E1 M0 M1 O Z0] [S1 R1 E2 E3 M2 M3 O1 Z1]. pose proof (two_pos T).
  split; try assumption; rewrite ?two_add.
  - destruct S0 as [-> | ->], S1 as [-> | ->]; auto.
  - rewrite divsteps_add, R0, (negate_s k d f g s S0 O), R1. f_equal; [f_equal|]; ring.
  - replace (two T * two k * f') with (two T * (two k * f')) by ring. rewrite E2.
    replace (two T * (a * f + b * g)) with (a * (two T * f) + b * (two T * g)) by ring. rewrite E0, E1. ring.
  - replace (two T * two k * g') with (two T * (two k * g')) by ring. rewrite E3.
    replace (two T * (c * f + e * g)) with (c * (two T * f) + e * (two T * g)) by ring. rewrite E0, E1. ring.
  - apply row_product; try assumption. lia.
  - apply row_product; try assumption. lia.
  - intros G0. rewrite (Z0 G0). rewrite Z1; [ring|]. subst g0. destruct (at_zero T d0 f0) as [_ X]. rewrite R0 in X.
    injection X as _ _ X. destruct S0 as [-> | ->]; lia.
Qed.
Lemma no_steps d f g : Z.odd f = true -> is_batch 0 1 d f g 1 0 0 1 d f g.
Proof.
  intros O. split; auto; try (change (two 0) with 1; lia). cbn [divsteps]. rewrite !Z.mul_1_l. reflexivity.
Qed.
(* The matrix of a sub-batch comes with the sign -1. *)
Lemma one_sub k d f g d1 : Z.odd f = true -> fst (fst (divsteps k (d, f, g))) = d1 ->
  let '(a, b, c, e) := matn k (d, f, g) in exists f1 g1, is_batch k (-1) d f g (- a) (- b) (- c) (- e) d1 f1 g1.
Proof.
  intros F D. pose proof (linear k d f g F) as L. pose proof (entries k d f g F) as E.
  assert (Z0 : g = 0 -> let '(_, b, _, _) := matn k (d, f, g) in b = 0).
  { intros ->. destruct (at_zero k d f) as [-> _]. reflexivity. }
  destruct (matn k (d, f, g)) as [[[a b] c] e]. destruct (divsteps k (d, f, g)) as [[d' f'] g'] eqn:R. cbn [fst] in D. subst d'.
  destruct L as (O & L1 & L2). destruct E as [(E1 & _) (E2 & _)]. exists (- f'), (- g').
  split; auto; try lia.
  - rewrite R. f_equal; [f_equal|]; ring.
  - rewrite Z.odd_opp. assumption.
Qed.

(* The columns of a matrix; none stand for the identity. *)
Definition holds_cols (cs : cols) (p q r t : Z) : Prop :=
  match cs with
  | None => p = 1 /\ q = 0 /\ r = 0 /\ t = 1
  | Some (c0, c1) => c0 = column (p mod W) (r mod W) /\ c1 = column (q mod W) (t mod W)
  end.
Lemma columns_ok cs p q r t a b c e : holds_cols cs p q r t ->
  holds_cols (columns (rrow a b) (rrow c e) cs) (a * p + b * r) (a * q + b * t) (c * p + e * r) (c * q + e * t).
Proof.
  destruct cs as [[c0 c1]|]; cbn [holds_cols columns].
  - intros [-> ->]. rewrite !apply_mod. auto.
  - intros (-> & -> & -> & ->). rewrite !first_ok. unfold rrow; cbn [snd]. split; f_equal; f_equal; ring.
Qed.
Lemma wadd_mod x y : wadd (x mod W) y = (x + y) mod W.
Proof. apply Zplus_mod_idemp_l. Qed.
Lemma biased_ok z cs p q r t a b c e : holds_cols cs p q r t ->
  biased z (rrow a b) (rrow c e) cs =
    ((a * p + b * r + z) mod W, (a * q + b * t + z) mod W, (c * p + e * r + z) mod W, (c * q + e * t + z) mod W).
Proof.
  destruct cs as [[c0 c1]|]; cbn [holds_cols biased].
  - intros [-> ->]. rewrite !apply_mod, !wadd_mod. reflexivity.
  - intros (-> & -> & -> & ->). rewrite !first_ok. unfold rrow; cbn [snd]. rewrite !wadd_mod. repeat f_equal; ring.
Qed.

(* The low words between two sub-batches. *)
Lemma advance k q a b f g fw gw f1 : (k <= q)%nat -> (q <= 64)%nat -> (two q | fw - f) -> (two q | gw - g) -> two k * f1 = a * f + b * g ->
  (two (q - k) | (a * fw + b * gw) mod W / two k - f1).
Proof.
  intros K Q [x X] [y Y] E. pose proof (two_pos k).
  assert (HW : W = two (64 - q) * (two (q - k) * two k)).
  { rewrite <- !two_add. replace (64 - q + (q - k + k))%nat with 64%nat by lia. reflexivity. }
  assert (HQ : two q = two (q - k) * two k) by (rewrite <- two_add; f_equal; lia).
  rewrite Z.mod_eq by discriminate. set (z := (a * fw + b * gw) / W). clearbody z. rewrite HW.
  exists (a * x + b * y - two (64 - q) * z). apply Z.add_cancel_r with f1. rewrite Z.sub_add.
  apply floor_ok with 0; [lia|]. rewrite HQ in X, Y. rewrite Z.mul_add_distr_l, E.
  replace fw with (f + x * (two (q - k) * two k)) by lia. replace gw with (g + y * (two (q - k) * two k)) by lia. ring.
Qed.
Lemma sarw_low k q x f : (k <= q)%nat -> (q <= 64)%nat -> (two (q - k) | x / two k - f) -> (two (q - k) | sarw (Z.of_nat k) x - f).
Proof.
  intros K Q D. unfold sarw. fold (two k). rewrite Z.mod_eq by discriminate. set (z := _ / W). clearbody z.
  assert (HW : W = two (64 - q + k) * two (q - k)) by (rewrite <- two_add; replace (64 - q + k + (q - k))%nat with 64%nat by lia; reflexivity).
  assert (HK : 2 ^ (64 - Z.of_nat k) = two (64 - q) * two (q - k)).
  { rewrite <- two_add. unfold two. f_equal. lia. }
  rewrite HW, HK. destruct D as [w D]. exists (w - two (64 - q) * (x / 2 ^ 63) - two (64 - q + k) * z). lia.
Qed.
Lemma shifted_low k q x f : (q > 0)%nat -> Z.odd f = true -> (two q | x / two k - f) -> (two q | 2 * (x / 2 ^ Z.of_nat (k + 1)) + 1 - f).
Proof.
  intros Q F D. replace (2 ^ Z.of_nat (k + 1)) with (two k * 2) by (change 2 with (two 1) at 1; rewrite <- two_add; reflexivity).
  rewrite <- Z.div_div by (pose proof (two_pos k); lia). set (y := x / two k) in *. clearbody y.
  assert (O : Z.odd y = true).
  { destruct D as [w D]. destruct q; [lia|]. rewrite two_S in D. replace y with (f + 2 * (two q * w)) by lia. rewrite Z.odd_add_mul_2. assumption. }
  replace (2 * (y / 2) + 1) with y; [assumption|]. pose proof (Z.div_mod y 2 ltac:(lia)) as E. rewrite Zmod_odd, O in E. assumption.
Qed.
Lemma weaken k q x : (k <= q)%nat -> (two q | x) -> (two k | x).
Proof. intros K [w ->]. exists (w * two (q - k)). replace q with (k + (q - k))%nat at 1 by lia. rewrite two_add. ring. Qed.

Lemma bias_range n x y : (n <= 60)%nat -> Z.abs x + Z.abs y <= two n ->
  (x + two n) mod W = two n + x /\ (y + two n) mod W = two n + y.
Proof.
  intros N B. assert (two n <= 2 ^ 60) by (apply Z.pow_le_mono_r; lia). assert (2 * 2 ^ 60 < W) by reflexivity.
  set (c := 2 ^ 60) in *. clearbody c. split; rewrite Z.mod_small; lia.
Qed.

Lemma sign_cons k subs : sign (k :: subs) = -1 * sign subs.
Proof. unfold sign. cbn [length]. rewrite Nat.even_succ, <- Nat.negb_even. destruct (Nat.even (length subs)); reflexivity. Qed.

Lemma wloop_ok N (HN : (N <= 60)%nat) subs : forall T s d0 f0 g0 p q r t d f g fs fw gw n cs,
  subs <> [] -> Forall (fun k => (1 <= k <= 20)%nat) subs -> (T + sum subs = N)%nat -> Z.odd f0 = true ->
  is_batch T s d0 f0 g0 p q r t d f g -> d = -2 * n - 1 -> Z.abs n + Z.of_nat (sum subs) <= 2 ^ 62 ->
  (two (64 - T) | 2 * fs + 1 - f) -> (two (64 - T) | fw - f) -> (two (64 - T) | gw - g) -> holds_cols cs p q r t ->
  exists a b c e d' f' g' n', wloop subs (two N) fs fw gw (n mod W) cs = (two N + a, two N + b, two N + c, two N + e, n' mod W) /\
    is_batch N (s * sign subs) d0 f0 g0 a b c e d' f' g' /\ d' = -2 * n' - 1 /\ Z.abs n' <= Z.abs n + Z.of_nat (sum subs).
Proof.
  induction subs as [|k subs IH]; intros T s d0 f0 g0 p q r t d f g fs fw gw n cs NE FA SUM F0 HB D Bn Ds Df Dg HC; [congruence|].
  pose proof (Forall_inv FA) as K. pose proof (Forall_inv_tail FA) as FA'. subst d. cbn beta in K.
  change (sum (k :: subs)) with (k + sum subs)%nat in *.
  pose proof (batch_odd _ _ _ _ _ _ _ _ _ _ _ _ HB) as F.
  cbn [wloop]. rewrite sign_cons.
  destruct (wsub_ok k (-2 * n - 1) f g fs gw n K F) as [n1 X]; [apply (weaken k (64 - T)); [lia|assumption] | apply (weaken k (64 - T)); [lia|assumption] | reflexivity | lia |].
  pose proof (one_sub k (-2 * n - 1) f g (-2 * n1 - 1) F) as OS.
  destruct (matn k (-2 * n - 1, f, g)) as [[[a b] c] e]. destruct X as (-> & DX & B1). destruct (OS DX) as (f1 & g1 & B). clear OS DX.
  pose proof (batch_then _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ F0 HB B) as HT.
  destruct subs as [|k2 subs].
  - change (sum []) with 0%nat in *. rewrite Nat.add_0_r in *. rewrite SUM in HT. rewrite (biased_ok _ _ _ _ _ _ _ _ _ _ HC).
    destruct (bias_range N _ _ HN (batch_row0 _ _ _ _ _ _ _ _ _ _ _ _ HT)) as [-> ->].
    destruct (bias_range N _ _ HN (batch_row1 _ _ _ _ _ _ _ _ _ _ _ _ HT)) as [-> ->].
    do 7 eexists. exists n1. split; [reflexivity|]. split; [|split; [reflexivity | lia]].
    change (sign []) with 1. rewrite Z.mul_1_r. exact HT.
  - rewrite !apply_ok. set (more := k2 :: subs) in *.
    pose proof (batch_odd _ _ _ _ _ _ _ _ _ _ _ _ B) as F1.
    pose proof (advance k (64 - T) _ _ f g fw gw f1 ltac:(lia) ltac:(lia) Df Dg (batch_f _ _ _ _ _ _ _ _ _ _ _ _ B)) as AF.
    pose proof (advance k (64 - T) _ _ f g fw gw g1 ltac:(lia) ltac:(lia) Df Dg (batch_g _ _ _ _ _ _ _ _ _ _ _ _ B)) as AG.
    destruct (IH (T + k)%nat (s * -1) d0 f0 g0 (- a * p + - b * r) (- a * q + - b * t) (- c * p + - e * r) (- c * q + - e * t) (-2 * n1 - 1) f1 g1
      ((- a * fw + - b * gw) mod W / 2 ^ Z.of_nat (k + 1)) (sarw (Z.of_nat k) ((- a * fw + - b * gw) mod W))
      (sarw (Z.of_nat k) ((- c * fw + - e * gw) mod W)) n1 (columns (rrow (- a) (- b)) (rrow (- c) (- e)) cs))
      as (a2 & b2 & c2 & e2 & d2 & f2 & g2 & n2 & E2 & HB2 & D2 & B2).
    + discriminate. + assumption. + lia. + assumption. + exact HT. + reflexivity. + lia.
    + replace (64 - (T + k))%nat with (64 - T - k)%nat by lia. apply shifted_low; [lia|assumption|assumption].
    + replace (64 - (T + k))%nat with (64 - T - k)%nat by lia. apply sarw_low; [lia|lia|assumption].
    + replace (64 - (T + k))%nat with (64 - T - k)%nat by lia. apply sarw_low; [lia|lia|assumption].
    + apply columns_ok. assumption.
    + exists a2, b2, c2, e2, d2, f2, g2, n2. rewrite E2. split; [reflexivity|].
      split; [|split; [assumption|lia]]. rewrite Z.mul_assoc. assumption.
Qed.

Theorem wbatch_ok : forall subs f g d fw gw nw t00 t01 t10 t11 nw', subs_ok subs = true ->
  Z.odd f = true -> fw = f mod W -> gw = g mod W -> 0 <= nw < W -> d = -2 * sgn nw - 1 -> Z.abs (sgn nw) <= 2 ^ 60 ->
  wbatch subs fw gw nw = (t00, t01, t10, t11, nw') ->
  exists a b c e d' f' g', is_batch (sum subs) (sign subs) d f g a b c e d' f' g' /\
    t00 = two (sum subs) + a /\ t01 = two (sum subs) + b /\ t10 = two (sum subs) + c /\ t11 = two (sum subs) + e /\
    0 <= nw' < W /\ d' = -2 * sgn nw' - 1 /\ Z.abs (sgn nw') <= Z.abs (sgn nw) + Z.of_nat (sum subs).
Proof.
  intros subs f g d fw gw nw t00 t01 t10 t11 nw' OK F -> -> RN D BN E.
  unfold subs_ok in OK. rewrite !andb_true_iff, forallb_forall in OK. destruct OK as [[O1 O2] O3].
  apply Nat.leb_le in O3. assert (NE : subs <> []) by (intros ->; discriminate O1).
  assert (FA : Forall (fun k => (1 <= k <= 20)%nat) subs).
  { apply Forall_forall. intros k I. apply O2 in I. rewrite andb_true_iff, !Nat.leb_le in I. lia. }
  destruct (mod_sgn nw RN) as [MS _]. unfold wbatch in E. rewrite <- MS in E.
  assert (DW : forall x, (two (64 - 0) | x mod W - x)).
  { intros x. exists (- (x / W)). rewrite Z.mod_eq by discriminate. change (two (64 - 0)) with W. ring. }
  assert (P60 : 2 ^ 62 = 4 * 2 ^ 60) by reflexivity. assert (P63 : 2 ^ 63 = 8 * 2 ^ 60) by reflexivity. assert (60 < 2 ^ 60) by reflexivity.
  destruct (wloop_ok (sum subs) O3 subs 0 1 d f g 1 0 0 1 d f g (f mod W / 2) (f mod W) (g mod W) (sgn nw) None)
    as (a & b & c & e & d' & f' & g' & n' & EW & HB & D' & B'); try assumption; try reflexivity; auto.
  - apply no_steps. assumption.
  - lia.
  - replace (2 * (f mod W / 2) + 1) with (f mod W); [apply DW|].
    pose proof (Z.div_mod (f mod W) 2 ltac:(lia)) as X. rewrite odd_mod, F in X. exact X.
  - repeat split.
  - rewrite EW in E. injection E as <- <- <- <- <-. exists a, b, c, e, d', f', g'. rewrite Z.mul_1_l in HB.
    rewrite sgn_mod by lia. repeat (split; [auto; fail|]). split; [apply Z.mod_pos_bound; reflexivity|]. auto.
Qed.

Print Assumptions wbatch_ok.
