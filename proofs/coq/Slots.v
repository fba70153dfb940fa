(* From the machine to words: where every address is a known offset in a known
   buffer, a program on the machine is a program on locations, one for each
   word of each buffer. *)
Require Import ZArith List Lia FMapPositive Bool Poly Instr Word Bits Machine.
Import ListNotations.
Open Scope Z_scope.
Local Opaque pw.

(* Bytes of words. *)
Definition bytes (m : Z -> Z) : Prop := forall x, 0 <= m x < 256.
Lemma loadn_range n m a : bytes m -> 0 <= loadn n m a < 256 ^ Z.of_nat n.
Proof.
  intros H. revert a; induction n as [|n IH]; intros a; cbn [loadn]; [cbn; lia|].
  specialize (IH (a + 1)). pose proof (H (a mod W)). rewrite Nat2Z.inj_succ, Z.pow_succ_r by lia. lia.
Qed.
Lemma load64_range m a : bytes m -> 0 <= load64 m a < W.
Proof. intros H. apply (loadn_range 8 m a H). Qed.
Lemma loadn_ext n m m' a a' : (forall i, 0 <= i < Z.of_nat n -> m ((a + i) mod W) = m' ((a' + i) mod W)) -> loadn n m a = loadn n m' a'.
Proof.
  revert a a'; induction n as [|n IH]; intros a a' H; cbn [loadn]; [reflexivity|].
  rewrite (IH (a + 1) (a' + 1)).
  - specialize (H 0). rewrite !Z.add_0_r in H. rewrite H by lia. reflexivity.
  - intros i Hi. replace (a + 1 + i) with (a + (i + 1)) by ring. replace (a' + 1 + i) with (a' + (i + 1)) by ring. apply H. lia.
Qed.
Lemma load64_mod m a : load64 m (a mod W) = load64 m a.
Proof. apply loadn_ext. intros i _. rewrite Zplus_mod_idemp_l. reflexivity. Qed.
Lemma bytes_store m a v : bytes m -> bytes (store64 m a v).
Proof. intros H x. unfold store64. destruct (_ <? 8); [apply Z.mod_pos_bound; lia|apply H]. Qed.
Lemma offset_mod a i : 0 <= i < 8 -> ((a + i) mod W - a) mod W = i.
Proof.
  intros H. rewrite Zminus_mod_idemp_l. replace (a + i - a) with i by ring. apply Z.mod_small. unfold W. lia.
Qed.
Lemma loadn_stored n : forall a v k, (forall i, 0 <= i < Z.of_nat n -> k + i < 8) -> 0 <= k ->
  loadn n (store64 (fun _ => 0) a v) (a + k) = (v / 256 ^ k) mod 256 ^ Z.of_nat n.
Proof.
  induction n as [|n IH]; intros a v k H K; cbn [loadn].
  - change (256 ^ Z.of_nat 0) with 1. rewrite Z.mod_1_r. reflexivity.
  - replace (a + k + 1) with (a + (k + 1)) by ring. rewrite IH; [|intros i Hi; specialize (H (i + 1)); lia|lia].
    unfold store64. rewrite offset_mod by (specialize (H 0); lia).
    assert (k < 8) by (specialize (H 0); lia). destruct (Z.ltb_spec k 8); [|lia].
    rewrite Nat2Z.inj_succ, !Z.pow_succ_r, Z.pow_add_r by lia. change (256 ^ 1) with 256.
    rewrite <- Z.div_div by (try apply Z.pow_pos_nonneg; lia).
    set (q := v / 256 ^ k). rewrite (Z.rem_mul_r q 256) by (try apply Z.pow_pos_nonneg; lia). reflexivity.
Qed.
Lemma load_same m a a' v : a mod W = a' mod W -> 0 <= v < W -> load64 (store64 m a v) a' = v.
Proof.
  intros E V. rewrite <- load64_mod, <- E, load64_mod. unfold load64.
  rewrite (loadn_ext 8 _ (store64 (fun _ => 0) a v) a a).
  - pose proof (loadn_stored 8 a v 0) as K. rewrite Z.add_0_r in K. rewrite K by lia.
    change (256 ^ 0) with 1. rewrite Z.div_1_r. apply Z.mod_small. exact V.
  - intros i Hi. unfold store64. rewrite offset_mod by lia. destruct (Z.ltb_spec i 8); [reflexivity|lia].
Qed.
Definition apart (a b : Z) : Prop := forall i j, 0 <= i < 8 -> 0 <= j < 8 -> (a + i) mod W <> (b + j) mod W.
Lemma store_other m a v x : 0 <= x < W -> (forall i, 0 <= i < 8 -> x <> (a + i) mod W) -> store64 m a v x = m x.
Proof.
  intros X H. unfold store64. destruct (Z.ltb_spec ((x - a) mod W) 8) as [L|]; [|reflexivity].
  exfalso. assert (P : 0 <= (x - a) mod W) by (apply Z.mod_pos_bound; reflexivity).
  apply (H ((x - a) mod W)); [lia|]. rewrite Zplus_mod_idemp_r. replace (a + (x - a)) with x by ring.
  symmetry. apply Z.mod_small. exact X.
Qed.
Lemma load_other m a b v : apart a b -> load64 (store64 m a v) b = load64 m b.
Proof.
  intros H. apply loadn_ext. intros i Hi. apply store_other; [apply Z.mod_pos_bound; reflexivity|].
  intros j Hj E. apply (H j i); [assumption|assumption|]. congruence.
Qed.

(* What an operation reads and writes. *)
Definition slocs (x : src) : list loc := match x with L l => [l] | I _ => [] end.
Definition srcs (i : instr) : list src :=
  match i with
  | Mov _ a | Shr _ a _ | Shl _ a _ | Isz _ a => [a]
  | Mul _ _ a b | Logic _ _ a b | Bzhi _ a b => [a; b]
  | Adc _ _ a b c | Sbb _ _ a b c => [a; b; c]
  | Cmov _ c a b => [c; a; b]
  end.
Definition dsts (i : instr) : list loc :=
  match i with
  | Mov d _ | Shr d _ _ | Shl d _ _ | Isz d _ | Logic _ d _ _ | Cmov d _ _ _ | Bzhi d _ _ => [d]
  | Mul hi lo _ _ => [hi; lo]
  | Adc d c _ _ _ | Sbb d c _ _ _ => [d; c]
  end.
Lemma exec1_other i s l : ~ In l (dsts i) -> exec1 i s l = s l.
Proof.
  intros H. destruct i; cbn [dsts In exec1] in *; cbv zeta; unfold upd;
  repeat match goal with |- context [Pos.eqb ?x ?y] => destruct (Pos.eqb_spec x y); [subst; tauto|] end; reflexivity.
Qed.
Lemma exec1_same i s s' : (forall x, In x (srcs i) -> rd s x = rd s' x) -> forall l, In l (dsts i) -> exec1 i s l = exec1 i s' l.
Proof.
  intros H l K. destruct i; cbn [srcs dsts exec1] in *; cbv zeta; unfold upd;
  repeat match goal with
  | |- context [rd s ?x] => rewrite (H x) by (cbn [In]; tauto)
  end; cbn [In] in K;
  repeat match goal with |- context [Pos.eqb ?x ?y] => destruct (Pos.eqb_spec x y); [reflexivity|] end; exfalso; intuition congruence.
Qed.
Definition shift_ok (i : instr) : bool := match i with Shl _ _ n => (n <=? 64)%N | _ => true end.
Lemma exec1_range i s : shift_ok i = true -> (forall x, In x (srcs i) -> 0 <= rd s x < W) -> forall l, In l (dsts i) -> 0 <= exec1 i s l < W.
Proof.
  intros SH H l K.
  assert (MB : forall z, 0 <= z mod W < W) by (intros z; apply Z.mod_pos_bound; reflexivity).
  destruct i as [d a|hi lo a b|d co a b x|d bo a b x|d f a b|o' d a b|d a n|d a n|d a|d a b];
  cbn [srcs dsts exec1 In] in *; cbv zeta; unfold upd.
  - destruct (Pos.eqb_spec l d); [|intuition congruence]. apply H. tauto.
  - pose proof (H a). pose proof (H b). set (u := rd s a) in *. set (v := rd s b) in *. clearbody u v.
    destruct (Pos.eqb_spec l hi); [|destruct (Pos.eqb_spec l lo); [apply MB|intuition congruence]].
    assert (0 <= u < W) by tauto. assert (0 <= v < W) by tauto. split; [apply Z.div_pos; [nia|reflexivity]|].
    apply Z.div_lt_upper_bound; [reflexivity|]. nia.
  - assert (0 <= rd s a < W) by (apply H; tauto). assert (0 <= rd s b < W) by (apply H; tauto). assert (0 <= rd s x < W) by (apply H; tauto).
    destruct (Pos.eqb_spec l co); [|destruct (Pos.eqb_spec l d); [apply MB|intuition congruence]].
    split; [apply Z.div_pos; [lia|reflexivity]|]. apply Z.div_lt_upper_bound; [reflexivity|]. unfold W in *. lia.
  - assert (0 <= rd s a < W) by (apply H; tauto). assert (0 <= rd s b < W) by (apply H; tauto). assert (0 <= rd s x < W) by (apply H; tauto).
    destruct (Pos.eqb_spec l bo); [|destruct (Pos.eqb_spec l d); [apply MB|intuition congruence]].
    assert (-2 <= (rd s a - rd s b - rd s x) / W) by (apply Z.div_le_lower_bound; [reflexivity|lia]).
    assert ((rd s a - rd s b - rd s x) / W < 1) by (apply Z.div_lt_upper_bound; [reflexivity|lia]). unfold W in *. lia.
  - destruct (Pos.eqb_spec l d); [|intuition congruence]. destruct (_ =? 0); apply H; tauto.
  - destruct (Pos.eqb_spec l d); [|intuition congruence].
    assert (0 <= rd s a < W) by (apply H; tauto). assert (0 <= rd s b < W) by (apply H; tauto).
    destruct o'; cbn [lopz]; [apply land_range; assumption| |apply lxor_range; assumption].
    pose proof (lor_bounds _ _ H0 H1). lia.
  - destruct (Pos.eqb_spec l d); [|intuition congruence]. assert (0 <= rd s a < W) by (apply H; tauto). pose proof (pw_pos n).
    split; [apply Z.div_pos; lia|]. apply Z.div_lt_upper_bound; [lia|]. nia.
  - destruct (Pos.eqb_spec l d); [|intuition congruence]. cbn [shift_ok] in SH. apply N.leb_le in SH.
    pose proof (pw_pos n). pose proof (pw_pos (64 - n)). pose proof (Z.mod_pos_bound (rd s a) (pw (64 - n)) H1).
    split; [nia|]. assert (E : pw n * pw (64 - n) = W).
    { rewrite <- pw_add. replace (n + (64 - n))%N with 64%N by lia. Transparent pw. reflexivity. Opaque pw. }
    rewrite <- E. apply Z.mul_lt_mono_pos_l; lia.
  - destruct (Pos.eqb_spec l d); [|intuition congruence]. destruct (_ =? 0); unfold W; lia.
  - destruct (Pos.eqb_spec l d); [|intuition congruence]. assert (0 <= rd s a < W) by (apply H; tauto).
    pose proof (Z.mod_pos_bound (rd s b) 256). assert (0 < 2 ^ (rd s b mod 256)) by (apply Z.pow_pos_nonneg; lia).
    pose proof (Z.mod_pos_bound (rd s a) (2 ^ (rd s b mod 256))). pose proof (Z.mod_le (rd s a) (2 ^ (rd s b mod 256))). lia.
Qed.
