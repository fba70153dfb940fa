(* An inversion by divsteps, from its segments: the loop invariant, and the
   claims of the contract at the end. Weak form: u and v are words without a sign,
   and are not divided by anything. *)
Require Import ZArith List Lia FMapPositive Bool Poly Instr Claim Word Bits Goal Check Slots Value Loop Segment Divstep BatchCode Batch Inverse Bridge.
Import ListNotations.
Open Scope Z_scope.
Local Opaque pw.

(* A row of the product with f and g: t0 and t1 are entries of the matrix with
   T added, z is what the code leaves, and rho what it shifts out. *)
Lemma fg_row T M fw gw sf sg t0 t1 a b rho z f' : 0 < T -> 0 < M -> t0 = T + a -> t1 = T + b ->
  T * f' = a * (fw - M * sf) + b * (gw - M * sg) -> 0 <= rho < T ->
  ((T * z + rho) - (t0 * (fw - M * sf) + t1 * (gw - M * sg) - T * (fw + gw))) mod (T * M) = 0 -> (M | z - f').
Proof.
  intros HT HM -> -> F R C. apply Z.mod_divide in C; [|nia]. destruct C as [q C].
  assert (E : rho = T * (f' - sf * M - sg * M + q * M - z)).
  { replace (T * (f' - sf * M - sg * M + q * M - z)) with (T * f' - T * (sf * M + sg * M) + q * (T * M) - T * z) by ring. rewrite <- C, F. ring. }
  set (y := f' - sf * M - sg * M + q * M - z) in *. assert (y = 0) by nia. exists (q - sf - sg). unfold y in *. lia.
Qed.
Lemma uv_row T p x y t0 t1 a b z : 0 < p -> t0 = T + a -> t1 = T + b ->
  (z - (t0 * x + t1 * y - T * (x + y))) mod p = 0 -> (p | 1 * z - (a * x + b * y)).
Proof. intros P -> -> C. apply Z.mod_divide in C; [|lia]. destruct C as [q C]. exists q. lia. Qed.
Lemma pwk_63 : pw 63 = 2 ^ 63. Proof. Transparent pw. reflexivity. Opaque pw. Qed.
Lemma div_small m x : (m | x) -> - m < x < m -> x = 0.
Proof. intros [q ->] H. assert (q = 0) by nia. subst q. ring. Qed.

Lemma hd_sval t lo_ top : words_ok t -> t (hd 1%positive (lo_ ++ [top])) = sval t lo_ top mod W.
Proof.
  intros JW. transitivity (wval t (lo_ ++ [top]) mod W); [symmetry; apply wval_mod; [assumption|destruct lo_; discriminate]|].
  rewrite <- (Z.mod_add (sval t lo_ top) (W ^ Z.of_nat (length lo_) * (t top / 2 ^ 63)) W) by discriminate. f_equal. unfold sval.
  assert (E : W ^ Z.of_nat (length (lo_ ++ [top])) = W ^ Z.of_nat (length lo_) * W).
  { rewrite app_length. cbn [length]. rewrite Nat2Z.inj_add. change (Z.of_nat 1) with 1. rewrite Z.pow_add_r, Z.pow_1_r by lia. reflexivity. }
  unfold loc in *. rewrite E. ring.
Qed.

Lemma top_bit y : 0 <= y < W -> 0 <= y / 2 ^ 63 < 2.
Proof. intros H. split; [apply Z.div_pos; lia|]. apply Z.div_lt_upper_bound; [lia|]. unfold W in H. lia. Qed.
Lemma fl_pos h : 0 <= 64 * flimbs h.
Proof. unfold flimbs. lia. Qed.
Lemma M64 h : 2 ^ (64 * flimbs h) = W ^ flimbs h.
Proof. rewrite Z.pow_mul_r by (unfold flimbs; lia). reflexivity. Qed.
Lemma claim_mod n k : n = 59 \/ n = 60 -> 0 <= k -> 2 ^ (n + k) = 2 ^ n * 2 ^ k.
Proof. intros N K. apply Z.pow_add_r; lia. Qed.
(* An entry of the matrix with T = 2^n added. *)
Lemma entry_range T n a b y : T = 2 ^ n -> 0 <= n -> Z.abs a + Z.abs b <= T -> y = T + a \/ y = T + b -> 0 <= y <= 2 ^ (n + 1).
Proof. intros -> N A Y. rewrite Z.pow_add_r by lia. change (2 ^ 1) with 2. lia. Qed.
Lemma countdown R i c q : (i < R)%nat -> (R <= 1000)%nat -> 0 <= c <= W - 1 -> c - (Z.of_nat R - Z.of_nat i - 1) = q * W -> c = Z.of_nat R - Z.of_nat (S i).
Proof. intros I R1 C E. unfold W in *. lia. Qed.
Lemma ghost_rest h s g : exists q, exec (ghosts h) s (grest g) = Z.land q (2 ^ nsteps h - 1).
Proof.
  destruct g; eexists.
  - change (ghosts h) with (firstn 9 (ghosts h) ++ [Logic And (grest true) (L 1000006) (I (2 ^ nsteps h - 1))]). rewrite exec_app.
    cbn [exec exec1 rd lopz]. unfold upd. rewrite Pos.eqb_refl. reflexivity.
  - change (ghosts h) with (firstn 5 (ghosts h) ++ [Logic And (grest false) (L 1000002) (I (2 ^ nsteps h - 1))] ++ skipn 6 (ghosts h)). rewrite !exec_app.
    rewrite (keeps_ok (skipn 6 (ghosts h)) [grest false] eq_refl) by (left; reflexivity).
    cbn [exec exec1 rd lopz]. unfold upd. rewrite Pos.eqb_refl. reflexivity.
Qed.
Lemma ghost_signs h s : isghost (sGt h) = false -> exec (ghosts h) s gsF = s (sFt h) / 2 ^ 63 /\ exec (ghosts h) s gsG = s (sGt h) / 2 ^ 63.
Proof.
  intros N. change (ghosts h) with ([Shr gsF (L (sFt h)) 63; Shr gsG (L (sGt h)) 63] ++ skipn 2 (ghosts h)). rewrite exec_app, <- pwk_63.
  rewrite !(keeps_ok (skipn 2 (ghosts h)) [gsF; gsG] eq_refl) by (cbn; tauto). cbn [exec exec1 rd]. unfold upd.
  change (Pos.eqb gsF gsG) with false. change (Pos.eqb gsF gsF) with true. change (Pos.eqb gsG gsG) with true. cbv iota. split; [reflexivity|].
  destruct (Pos.eqb_spec (sGt h) gsF) as [E|]; [rewrite E in N; discriminate|reflexivity].
Qed.
Definition shape_ok (h : shape) : bool :=
  ((0 <? sP h) && Z.odd (sP h) && (sP h <? 2 ^ 63 * W ^ Z.of_nat (length (sF h))) && Nat.eqb (length (sF h)) (length (sG h)) &&
   (0 <=? sScale h) && (sScale h <=? sMax h) && negb (Nat.eqb (sRounds h) 0) && Nat.leb (sRounds h) 1000 &&
   ((sn0 h =? 20) && (sn1 h =? 20) && ((sn2 h =? 19) || (sn2 h =? 20))))%bool.
(* What is demanded of the scale: r is what the inverse is multiplied by. *)
Definition scale_ok (h : shape) (r : Z) : bool := ((sScale h * 2 ^ (nsteps h * Z.of_nat (sRounds h)) - r) mod sP h =? 0)%bool.

Section Run.
Variables (h : shape) (x : looped) (lo : contract) (xw : words) (zl : list loc) (k0 k1 k2 : cert) (t0 : state).
Hypothesis HC : check_segments h x lo xw zl k0 k1 k2 = true.
Hypothesis HS : shape_ok h = true.
Hypothesis H0 : words_ok t0.
Hypothesis HP : pre lo t0.
Let p := sP h.
Let X := wordsval t0 t0 xw mod p.
Hypothesis HX : fst xw = false.
Let m := Z.to_nat (nsteps h).
Let M := W ^ flimbs h.
Let ts := exec (lpre x) t0.

Lemma shape_inv : 0 < p /\ Z.odd p = true /\ p < 2 ^ 63 * W ^ Z.of_nat (length (sF h)) /\ length (sF h) = length (sG h) /\ 0 <= sScale h <= sMax h /\
  (sRounds h <> 0)%nat /\ (sRounds h <= 1000)%nat /\ usual (sn0 h) /\ usual (sn1 h) /\ usual (sn2 h) /\
  (nsteps h = 59 \/ nsteps h = 60) /\ [Z.to_nat (sn0 h); Z.to_nat (sn1 h); Z.to_nat (sn2 h)] = [20; 20; if (nsteps h =? 59)%Z then 19 else 20]%nat.
Proof.
  unfold shape_ok in HS. rewrite !andb_true_iff, negb_true_iff, orb_true_iff, !Z.ltb_lt, !Z.leb_le, !Z.eqb_eq, Nat.eqb_eq, Nat.eqb_neq, Nat.leb_le in HS.
  destruct HS as [[[[[[[[S1 S2] S3] S4] SA] SB] S5] S6] [[S7 S8] S9]]. unfold usual, nsteps. rewrite S7, S8.
  repeat (split; [assumption || lia || (right; reflexivity)|]). destruct S9 as [-> | ->]; cbn; auto 8.
Qed.
Lemma seg_inv : sound_ops (lpre x) = true /\ sound_ops (batch_of h x) = true /\ sound_ops (update_of h x) = true /\ ghostfree (update_of h x) = true /\ ghostfree (lpost x) = true /\
  keeps (batch_of h x) (known_words h) = true /\ keeps (update_of h x) [sN h] = true /\
  forallb (fun l => negb (isghost l)) (sN h :: known_words h ++ [sT h false false; sT h false true; sT h true false; sT h true true]) = true /\
  forallb (fun l => negb (isghost l)) zl = true /\
  same (batch_of h x) (batch (sn0 h) (sn1 h) (sn2 h)) (ins h) (outs_ h) = true /\
  check (lpre x) (start_contract h lo xw) k0 = true /\
  check (ghosts h ++ update_of h x) (update_contract h) k1 = true /\
  check (finish_ghosts h ++ lpost x) (finish_contract h zl) k2 = true.
Proof. unfold check_segments in HC. rewrite !andb_true_iff in HC. tauto. Qed.

Record J (i : nat) (t : state) : Prop := {
  j_words : words_ok t;
  j_u : wval t (sU h) <= sMax h;
  j_v : wval t (sV h) <= sMax h;
  j_count : t (sCount h) = Z.of_nat (sRounds h) - Z.of_nat i;
  j_inv : exists d, inv p X 1 (sScale h * two (i * m)) (i * m) d (sval t (sF h) (sFt h)) (sval t (sG h) (sGt h)) (wval t (sU h)) (wval t (sV h)) /\
    d = -2 * sgn (t (sN h)) - 1 /\ Z.abs (sgn (t (sN h))) <= 1 + Z.of_nat i * 100
}.
Lemma Xrange : 0 <= X < p.
Proof. apply Z.mod_pos_bound. apply shape_inv. Qed.
Lemma Mpos : 0 < M. Proof. apply Z.pow_pos_nonneg; [reflexivity|]. unfold flimbs. lia. Qed.
Lemma flen : flimbs h = Z.of_nat (length (sF h)) + 1 /\ flimbs h = Z.of_nat (length (gwords h)) /\ M = 2 * (2 ^ 63 * W ^ Z.of_nat (length (sF h))).
Proof.
  destruct shape_inv as (_ & _ & _ & L & _). unfold M, flimbs, fwords, gwords. rewrite !app_length, <- L. cbn [length].
  split; [lia|]. split; [lia|]. replace (Z.of_nat (length (sF h) + 1)) with (Z.of_nat (length (sF h)) + 1) by lia.
  rewrite Z.pow_add_r, Z.pow_1_r by lia. change W with (2 * 2 ^ 63) at 2. ring.
Qed.
Lemma two_m : two m = 2 ^ nsteps h.
Proof. destruct shape_inv as (_ & _ & _ & _ & _ & _ & _ & _ & _ & _ & [N|N] & _); unfold m; rewrite N; reflexivity. Qed.
(* a number in two's complement is known from its residue *)
Lemma sval_is t lo_ top z : words_ok t -> length lo_ = length (sF h) -> Z.abs z <= p -> (M | wval t (lo_ ++ [top]) - z) -> sval t lo_ top = z.
Proof.
  intros R L A D. destruct shape_inv as (_ & _ & PB & _). destruct flen as (FL & _ & ME).
  pose proof (sval_range t lo_ top R) as B. cbv zeta in B. rewrite L in B.
  assert (E : sval t lo_ top - z = 0); [|lia]. apply (div_small M).
  - unfold sval. rewrite app_length, L, Nat2Z.inj_add. cbn [length]. change (Z.of_nat 1) with 1. rewrite <- FL. fold M. destruct D as [q D].
    exists (q - t top / 2 ^ 63). lia.
  - rewrite ME. lia.
Qed.
Lemma start_J : J 0 ts.
Proof.
  destruct shape_inv as (P0 & PO & PB & L & SC & R0 & R1 & _). destruct seg_inv as (SO & _ & _ & _ & _ & _ & _ & _ & _ & _ & CK & _).
  pose proof (exec_range _ SO t0 H0) as RT. fold ts in RT. destruct flen as (FL & _ & ME).
  assert (PS : post (start_contract h lo xw) t0 ts) by (apply (check_sound _ _ k0 CK); exact HP).
  unfold post in PS. cbn [start_contract cclaims] in PS.
  pose proof (PS _ (or_introl eq_refl)) as C1. pose proof (PS _ (or_intror (or_introl eq_refl))) as C2.
  pose proof (PS _ (or_intror (or_intror (or_introl eq_refl)))) as C3. pose proof (PS _ (or_intror (or_intror (or_intror (or_introl eq_refl))))) as C4.
  pose proof (PS _ (or_intror (or_intror (or_intror (or_intror (or_introl eq_refl)))))) as C5.
  pose proof (PS _ (or_intror (or_intror (or_intror (or_intror (or_intror (or_introl eq_refl))))))) as C6.
  pose proof (PS _ (or_intror (or_intror (or_intror (or_intror (or_intror (or_intror (or_introl eq_refl)))))))) as C7. clear PS.
  cbn [holds eval num wordsval fst snd] in *. unfold wordsval in *. cbn [fst snd wval] in C1, C2, C3, C4, C5, C6, C7.
  rewrite Z.mul_0_r, Z.add_0_r in C6, C7.
  assert (EF : sval ts (sF h) (sFt h) = p) by (apply sval_is; [assumption|reflexivity|lia|exists 0; unfold fwords in C1; rewrite C1; fold p; ring]).
  assert (EG : sval ts (sG h) (sGt h) = X).
  { pose proof Xrange. apply sval_is; [assumption|congruence|lia|]. fold p in C2, C3. destruct C2 as [_ C2].
    assert (E : wval ts (gwords h) = X); [|exists 0; unfold gwords in E; rewrite E; ring].
    unfold X, wordsval. rewrite HX. cbn [fst] in C2. rewrite HX in C2. apply Z.mod_divide in C2; [|lia]. destruct C2 as [q C2].
    apply Z.mod_unique with (- q); lia. }
  split; rewrite ?C4, ?C5; try assumption; try lia.
  exists 1. rewrite EF, EG, C6. split; [|cbn; lia]. rewrite Nat.mul_0_l. change (two 0) with 1. rewrite Z.mul_1_r. apply inv_start.
Qed.
(* one round *)
Lemma round_J i t : (i < sRounds h)%nat -> J i t ->
  J (S i) (exec (lbody x) t) /\ exec (lbody x) t 42%positive = Z.of_nat (sRounds h) - Z.of_nat (S i).
Proof.
  intros HI [JW JU JV JC (d & JI & JD & JB)].
  destruct shape_inv as (P0 & PO & PB & L & SC & R0 & R1 & U0 & U1 & U2 & NS & SUBS).
  destruct seg_inv as (_ & SB & SU & GU & _ & KB & KU & NG & _ & VN & _ & CU & _). destruct flen as (FL & FG & ME). pose proof Mpos as MP.
  assert (EB : lbody x = batch_of h x ++ update_of h x) by (symmetry; apply firstn_skipn).
  rewrite EB, exec_app. clear EB. set (t1 := exec (batch_of h x) t).
  assert (W1 : words_ok t1) by (apply exec_range; assumption).
  assert (K1 : forall l, In l (known_words h) -> t1 l = t l) by (intros l Y; apply (keeps_ok _ _ KB); assumption).
  assert (KF : forall ls, incl ls (known_words h) -> wval t1 ls = wval t ls) by (intros ls Y; apply wval_same; intros l Z; apply K1, Y, Z).
  assert (INF : incl (fwords h) (known_words h)) by (intros l Y; right; apply in_or_app; left; exact Y).
  assert (ING : incl (gwords h) (known_words h)) by (intros l Y; right; apply in_or_app; right; apply in_or_app; left; exact Y).
  assert (INU : incl (sU h) (known_words h)) by (intros l Y; right; apply in_or_app; right; apply in_or_app; right; apply in_or_app; left; exact Y).
  assert (INV : incl (sV h) (known_words h)) by (intros l Y; right; apply in_or_app; right; apply in_or_app; right; apply in_or_app; right; exact Y).
  (* the batch *)
  set (s' := fun l => if Pos.eqb l bf then t (hd 1%positive (fwords h)) else if Pos.eqb l bg then t (hd 1%positive (gwords h)) else t (sN h)).
  assert (VE : forall a b, In (a, b) (outs_ h) -> t1 a = exec (batch (sn0 h) (sn1 h) (sn2 h)) s' b).
  { intros a b Y. apply (same_ok _ _ _ _ VN t s'); [|exact Y]. intros u v. unfold ins. cbn [In]. intros [E|[E|[E|[]]]]; injection E as <- <-; (split; [reflexivity|apply JW]). }
  pose proof (batch_words (sn0 h) (sn1 h) (sn2 h) s' U0 U1 U2 NS) as BW. cbv zeta in BW. unfold tvals in BW.
  rewrite <- (VE (sT h false false) (bt false false)), <- (VE (sT h false true) (bt false true)), <- (VE (sT h true false) (bt true false)),
    <- (VE (sT h true true) (bt true true)), <- (VE (sN h) bn) in BW by (cbn; tauto).
  change (s' bf) with (t (hd 1%positive (fwords h))) in BW. change (s' bg) with (t (hd 1%positive (gwords h))) in BW. change (s' bn) with (t (sN h)) in BW.
  symmetry in BW. pose proof (inv_bounds p X PO Xrange _ _ _ _ _ _ _ _ JI) as (FO & FA & GA).
  assert (MOD : forall lo_ top, t (hd 1%positive (lo_ ++ [top])) = sval t lo_ top mod W).
  { intros. apply hd_sval. assumption. }
  assert (SG : sum [Z.to_nat (sn0 h); Z.to_nat (sn1 h); Z.to_nat (sn2 h)] = m).
  { rewrite SUBS. unfold m. destruct NS as [E|E]; rewrite E; reflexivity. }
  assert (SK : subs_ok [Z.to_nat (sn0 h); Z.to_nat (sn1 h); Z.to_nat (sn2 h)] = true) by (rewrite SUBS; destruct (nsteps h =? 59); reflexivity).
  assert (B60 : Z.abs (sgn (t (sN h))) <= 2 ^ 60) by (clear - JB HI R1; change (2 ^ 60) with 1152921504606846976; lia).
  destruct (wbatch_ok _ _ _ d _ _ _ _ _ _ _ _ SK FO (MOD (sF h) (sFt h)) (MOD (sG h) (sGt h)) (JW (sN h)) JD B60 BW)
    as (a & b & c & e & d' & f' & g' & IB & T00 & T01 & T10 & T11 & NW & ND & NB).
  rewrite SG in *. clear BW VE SG SK MOD.
  pose proof two_m as TM. assert (MB : Z.of_nat m <= 60) by (unfold m; destruct NS as [-> | ->]; discriminate).
  pose proof (two_pos m) as TP. pose proof (batch_row0 _ _ _ _ _ _ _ _ _ _ _ _ IB) as ROW0. pose proof (batch_row1 _ _ _ _ _ _ _ _ _ _ _ _ IB) as ROW1.
  (* the updates *)
  set (tg := exec (ghosts h) t1). assert (OG : off tg t1) by (apply onlyghost; reflexivity).
  destruct (ghostfree_ok _ GU tg t1 OG) as [OU GK]. set (t3 := exec (update_of h x) tg) in *. set (t2 := exec (update_of h x) t1) in *.
  assert (W2 : words_ok t2) by (apply exec_range; assumption).
  assert (NG' : forall l, In l (sN h :: known_words h) -> isghost l = false).
  { intros l Y. rewrite forallb_forall in NG. rewrite <- negb_true_iff. apply NG. destruct Y as [<-|Y]; [left; reflexivity|right; apply in_or_app; left; exact Y]. }
  assert (V3 : forall ls, incl ls (known_words h) -> wval t3 ls = wval t2 ls).
  { intros ls Y. apply wval_same. intros l Z. apply OU, NG'. right. apply Y, Z. }
  assert (PR : pre (update_contract h) t1).
  { assert (WR : forall l, 0 <= t1 l <= W - 1) by (intros l; specialize (W1 l); clear - W1; lia).
    assert (NP : 0 <= nsteps h) by (destruct NS as [-> | ->]; discriminate).
    split; cbn [update_contract cin cpre].
    - intros l w Y. apply in_app_or in Y. destruct Y as [Y|Y].
      + unfold words_in in Y. apply in_map_iff in Y. destruct Y as (y & E & _). injection E as <- <-. apply WR.
      + cbn [flat_map words_in map app In] in Y. destruct Y as [E|[E|[E|[E|[]]]]]; injection E as <- <-; [eapply (entry_range _ _ _ _ _ TM NP ROW0); left; exact T00|eapply (entry_range _ _ _ _ _ TM NP ROW0); right; exact T01|eapply (entry_range _ _ _ _ _ TM NP ROW1); left; exact T10|eapply (entry_range _ _ _ _ _ TM NP ROW1); right; exact T11].
    - intros ls w [E|[E|[]]]; injection E as <- <-; (split; [apply wval_range; assumption|rewrite KF by assumption; assumption]). }
  pose proof (check_sound _ _ k1 CU t1 PR) as PS. rewrite exec_app in PS. fold tg in PS. fold t3 in PS.
  unfold post in PS. cbn [update_contract cclaims flat_map app] in PS.
  pose proof (PS _ (or_introl eq_refl)) as C1. pose proof (PS _ (or_intror (or_introl eq_refl))) as C2.
  pose proof (PS _ (or_intror (or_intror (or_introl eq_refl)))) as C3. pose proof (PS _ (or_intror (or_intror (or_intror (or_introl eq_refl))))) as C4.
  pose proof (PS _ (or_intror (or_intror (or_intror (or_intror (or_introl eq_refl)))))) as C5.
  pose proof (PS _ (or_intror (or_intror (or_intror (or_intror (or_intror (or_introl eq_refl))))))) as C6.
  pose proof (PS _ (or_intror (or_intror (or_intror (or_intror (or_intror (or_intror (or_introl eq_refl)))))))) as C7.
  pose proof (PS _ (or_intror (or_intror (or_intror (or_intror (or_intror (or_intror (or_intror (or_introl eq_refl))))))))) as C8.
  pose proof (PS _ (or_intror (or_intror (or_intror (or_intror (or_intror (or_intror (or_intror (or_intror (or_introl eq_refl)))))))))) as C9. clear PS.
  cbn [holds eval num signednum to uto] in C1, C2, C3, C4, C5, C6, C7, C8, C9. unfold wordsval in *. cbn [fst snd wval] in C1, C2, C3, C4, C5, C6, C7, C8, C9.
  rewrite !Z.mul_0_r, !Z.add_0_r in *. rewrite !V3 in C1, C2, C3, C4, C5, C6 by assumption. rewrite !KF in C1, C2, C4, C5 by assumption.
  (* the ghosts *)
  assert (GR : forall i, 0 <= t3 (grest i) < two m).
  { intros g. rewrite GK by (destruct g; reflexivity). unfold tg. rewrite TM.
    destruct (ghost_rest h t1 g) as [q ->].
    rewrite land_low by (destruct NS as [-> | ->]; discriminate). apply Z.mod_pos_bound. rewrite <- TM. exact TP. }
  assert (GS : t3 gsF = t (sFt h) / 2 ^ 63 /\ t3 gsG = t (sGt h) / 2 ^ 63).
  { rewrite !GK by reflexivity. unfold tg.
    assert (NGG : isghost (sGt h) = false) by (apply NG'; right; apply ING; unfold gwords; apply in_or_app; right; left; reflexivity).
    rewrite <- (K1 (sFt h)) by (apply INF; unfold fwords; apply in_or_app; right; left; reflexivity).
    rewrite <- (K1 (sGt h)) by (apply ING; unfold gwords; apply in_or_app; right; left; reflexivity).
    apply ghost_signs, NGG. }
  destruct GS as [GS1 GS2]. rewrite GS1, GS2 in C1, C4. 
  rewrite (claim_mod (nsteps h)) in C1, C4 by (exact NS || apply fl_pos). rewrite M64 in C1, C4. fold M in C1, C4. rewrite <- TM in *.
  fold p in C2, C3, C5, C6.
  pose proof (batch_f _ _ _ _ _ _ _ _ _ _ _ _ IB) as BF. pose proof (batch_g _ _ _ _ _ _ _ _ _ _ _ _ IB) as BG.
  assert (SVF : sval t (sF h) (sFt h) = wval t (fwords h) - M * (t (sFt h) / 2 ^ 63)) by (unfold sval, M, flimbs; reflexivity).
  assert (SVG : sval t (sG h) (sGt h) = wval t (gwords h) - M * (t (sGt h) / 2 ^ 63)) by (unfold sval, M; rewrite FG; reflexivity).
  rewrite SVF, SVG in BF, BG.
  pose proof (fg_row _ _ _ _ _ _ _ _ _ _ _ _ _ TP MP T00 T01 BF (GR false) (proj2 C1)) as F2.
  pose proof (fg_row _ _ _ _ _ _ _ _ _ _ _ _ _ TP MP T10 T11 BG (GR true) (proj2 C4)) as G2.
  pose proof (uv_row _ _ _ _ _ _ _ _ _ P0 T00 T01 (proj2 C2)) as UU. pose proof (uv_row _ _ _ _ _ _ _ _ _ P0 T10 T11 (proj2 C5)) as VV.
  assert (JI' : inv p X (1 * 1) (sScale h * two (i * m) * two m) (i * m + m) d' f' g' (wval t2 (sU h)) (wval t2 (sV h))).
  { exact (inv_batch p X PO Xrange _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ JI IB (Z.gcd_1_l p) UU VV). }
  pose proof (inv_bounds p X PO Xrange _ _ _ _ _ _ _ _ JI') as (_ & FA' & GA').
  assert (EF : sval t2 (sF h) (sFt h) = f') by (apply sval_is; [assumption|reflexivity|assumption|exact F2]).
  assert (EG : sval t2 (sG h) (sGt h) = g') by (apply sval_is; [assumption|congruence|assumption|exact G2]).
  assert (EC : t2 (sCount h) = Z.of_nat (sRounds h) - Z.of_nat (Datatypes.S i)).
  { assert (NC : t3 (sCount h) = t2 (sCount h)) by (apply OU, NG'; right; left; reflexivity). rewrite NC in C7, C8.
    rewrite (K1 (sCount h)) in C7 by (left; reflexivity). rewrite JC in C7. destruct C7 as [_ C7]. apply Z.mod_divide in C7; [|discriminate]. destruct C7 as [q C7].
    exact (countdown _ _ _ q HI R1 C8 C7). }
  assert (EN : t2 (sN h) = t1 (sN h)) by (apply (keeps_ok _ _ KU); left; reflexivity).
  split.
  - split; [assumption|exact (proj2 C3)|exact (proj2 C6)|exact EC|]. exists d'. rewrite EF, EG, EN. split; [|split; [exact ND|]].
    2:{ clear - NB JB MB. lia. }
    replace (Datatypes.S i * m)%nat with (i * m + m)%nat by (rewrite Nat.mul_succ_l; reflexivity). rewrite two_add, Z.mul_assoc. exact JI'.
  - assert (NR : t3 42%positive = t2 42%positive) by (apply OU; reflexivity). rewrite <- NR, C9. rewrite <- EC. apply OU, NG'. right. left. reflexivity.
Qed.
(* the end *)
Lemma rounds_J i : (i <= sRounds h)%nat -> J i (iters i (lbody x) ts) /\ (i <> 0%nat -> iters i (lbody x) ts 42%positive = Z.of_nat (sRounds h) - Z.of_nat i).
Proof.
  induction i as [|i IH]; intros HI.
  - split; [exact start_J|congruence].
  - destruct IH as [IH _]; [lia|]. rewrite iters_S. destruct (round_J i _ HI IH) as [A B]. split; [exact A|]. intros _. exact B.
Qed.
Lemma sign_of t (lo_ : list loc) (top : loc) : words_ok t -> length lo_ = length (sF h) -> t top / 2 ^ 63 = if sval t lo_ top <? 0 then 1 else 0.
Proof.
  intros R L. pose proof (wval_range t (lo_ ++ [top]) R) as B. unfold sval. set (w := wval t (lo_ ++ [top])) in *. set (k := W ^ Z.of_nat (length (lo_ ++ [top]))) in *. clearbody w k.
  assert (H1 : 0 <= t top / 2 ^ 63 < 2) by (apply top_bit, R).
  set (q := t top / 2 ^ 63) in *. clearbody q. clear - B H1. assert (Q : q = 0 \/ q = 1) by lia. destruct Q as [-> | ->]; [rewrite Z.mul_0_r, Z.sub_0_r; destruct (Z.ltb_spec w 0)|rewrite Z.mul_1_r; destruct (Z.ltb_spec (w - k) 0)]; lia.
Qed.
Variable r : Z.
Hypothesis HR : scale_ok h r = true.
Hypothesis HN : enough p (sRounds h * m).
Definition ended (t : state) : Prop :=
  let z := wval t zl in let a := wordsval t0 t0 xw in
  0 <= z <= p - 1 /\ (Z.gcd a p = 1 -> (z * a - r) mod p = 0) /\ (a mod p = 0 -> z mod p = 0).
Lemma finish_ok t : J (sRounds h) t -> ended (exec (lpost x) t).
Proof.
  intros [JW JU JV JC (d & JI & JD & JB)]. destruct shape_inv as (P0 & PO & PB & L & _ & _ & _ & _ & _ & _ & NS & _).
  destruct seg_inv as (_ & _ & _ & _ & GP & _ & _ & NG & NZ & _ & _ & _ & CF). pose proof Xrange as XR.
  set (tg := exec (finish_ghosts h) t). assert (OG : off tg t) by (apply onlyghost; reflexivity).
  destruct (ghostfree_ok _ GP tg t OG) as [OU GK]. set (t3 := exec (lpost x) tg) in *. set (t2 := exec (lpost x) t) in *.
  assert (PR : pre (finish_contract h zl) t).
  { split; cbn [finish_contract cin cpre].
    - intros l w Y. unfold words_in in Y. apply in_map_iff in Y. destruct Y as (y & E & _). injection E as <- <-. specialize (JW y). clear - JW. change (0 <= t y <= W - 1). lia.
    - intros ls w [E|[]]. injection E as <- <-. split; [apply wval_range; assumption|assumption]. }
  pose proof (check_sound _ _ k2 CF t PR) as PS. rewrite exec_app in PS. fold tg in PS. fold t3 in PS.
  unfold post in PS. cbn [finish_contract cclaims] in PS.
  pose proof (PS _ (or_introl eq_refl)) as C1. pose proof (PS _ (or_intror (or_introl eq_refl))) as C2. clear PS.
  cbn [holds eval num] in C1, C2. unfold wordsval in C1, C2. cbn [fst snd wval] in C1, C2. rewrite Z.mul_0_r, Z.add_0_r in C1.
  assert (Z3 : wval t3 zl = wval t2 zl) by (apply wval_off; assumption). rewrite Z3 in C1, C2.
  assert (GS : t3 gsF = t (sFt h) / 2 ^ 63).
  { rewrite GK by reflexivity. unfold tg. rewrite <- pwk_63. reflexivity. }
  rewrite GS, (sign_of t (sF h) (sFt h) JW eq_refl) in C1. fold p in C1, C2. destruct C1 as [_ C1]. apply Z.mod_divide in C1; [|lia].
  assert (SC : (p | sScale h * two (sRounds h * m) - 1 * r)).
  { unfold scale_ok in HR. rewrite Z.eqb_eq in HR. fold p in HR. apply Z.mod_divide in HR; [|lia]. rewrite Z.mul_1_l.
    replace (two (sRounds h * m)) with (2 ^ (nsteps h * Z.of_nat (sRounds h))); [exact HR|]. unfold two, m. f_equal. rewrite Nat2Z.inj_mul, Z2Nat.id by (destruct NS as [-> | ->]; discriminate). apply Z.mul_comm. }
  destruct (inv_end p X PO XR _ _ _ _ _ _ _ _ r JI HN ltac:(rewrite Z.gcd_1_l; reflexivity) SC) as (_ & E1 & E2).
  unfold ended. set (a := wordsval t0 t0 xw) in *. set (z := wval t2 zl) in *. set (u := wval t (sU h)) in *. set (f := sval t (sF h) (sFt h)) in *.
  assert (AX : exists q, a = p * q + X) by (exists (a / p); apply Z.div_mod; lia). destruct AX as [qa AX].
  split; [exact C2|]. split.
  - intros G. assert (GX : Z.gcd X p = 1) by (change X with (a mod p); rewrite Z.gcd_mod by (clear - P0; lia); rewrite Z.gcd_comm; exact G).
    destruct (E1 GX) as [E1a [q1 E1']].
    destruct C1 as [q C1]. apply Z.mod_divide; [lia|]. rewrite AX.
    assert (ZF : z = q * p + f * u) by (clear - C1 E1a; clearbody f u z; destruct E1a; subst f; [change (1 <? 0) with false in C1|change (-1 <? 0) with true in C1]; cbv iota in C1; lia).
    exists (z * qa + q * X + q1). rewrite ZF. replace ((q * p + f * u) * (p * qa + X) - r) with ((q * p + f * u) * qa * p + q * X * p + (f * u * X - r)) by ring. rewrite E1'. ring.
  - intros A0. destruct (E2 A0) as [_ [q1 E2']]. destruct C1 as [q C1]. apply Z.mod_divide; [lia|].
    exists (q + (1 - 2 * (if f <? 0 then 1 else 0)) * q1). rewrite Z.mul_add_distr_r, <- Z.mul_assoc, <- E2'. lia.
Qed.
(* The loop takes as many rounds as the shape says. *)
Theorem run_ok : let n := pred (sRounds h) in
  (forall i, (0 < i <= n)%nat -> iters i (lbody x) ts 42%positive <> 0) /\ iters (Datatypes.S n) (lbody x) ts 42%positive = 0 /\
  ended (exec (lpost x) (iters (Datatypes.S n) (lbody x) ts)).
Proof.
  cbv zeta. destruct shape_inv as (_ & _ & _ & _ & _ & R0 & _). replace (Datatypes.S (pred (sRounds h))) with (sRounds h) by lia. split; [|split].
  - intros i Hi. destruct (rounds_J i) as [_ E]; [lia|]. rewrite E by lia. lia.
  - destruct (rounds_J (sRounds h) (le_n _)) as [_ E]. rewrite E by assumption. lia.
  - apply finish_ok, rounds_J, le_n.
Qed.
End Run.
