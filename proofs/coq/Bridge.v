(* The batch as a program on locations is the batch as a function on words. *)
Require Import ZArith List Lia FMapPositive Bool Poly Instr Word Bits Slots Segment Divstep BatchCode Batch.
Import ListNotations.
Open Scope Z_scope.
Local Opaque pw.

(* a shift to the left within 64 bits *)
Lemma shl_ok n x : (n <= 64)%N -> pw n * (x mod pw (64 - n)) = (pw n * x) mod W.
Proof.
  intros H. assert (E : W = pw n * pw (64 - n)).
  { rewrite <- pw_add. replace (n + (64 - n))%N with 64%N by lia. Transparent pw. reflexivity. Opaque pw. }
  rewrite E. pose proof (pw_pos n). pose proof (pw_pos (64 - n)). symmetry. apply Z.mul_mod_distr_l; lia.
Qed.
Lemma shl21 x : pw 21 * (x mod pw (64 - 21)) = wshl 21 x.
Proof. rewrite shl_ok by lia. reflexivity. Qed.
Lemma sar_raw k j x : (k + j = 64)%N -> (x / pw k - pw j * ((x / pw 63) mod pw (64 - j)) - 0) mod W = sarw (Z.of_N k) x.
Proof.
  intros H. rewrite shl_ok by lia. rewrite Z.sub_0_r, Zminus_mod_idemp_r. unfold sarw.
  replace (64 - Z.of_N k) with (Z.of_N j) by lia. Transparent pw. unfold pw. Opaque pw. reflexivity.
Qed.
Lemma sar1_raw x : (x / pw 1 - pw 63 * ((x / pw 63) mod pw 1) - 0) mod W = sarw 1 x.
Proof. exact (sar_raw 1 63 x eq_refl). Qed.
Lemma plus0 a b : (a + b + 0) mod W = (a + b) mod W.
Proof. rewrite Z.add_0_r. reflexivity. Qed.
Lemma minus0 a b : (a - b - 0) mod W = (a - b) mod W.
Proof. rewrite Z.sub_0_r. reflexivity. Qed.
Lemma isz_if (c : bool) (a b : Z) : (if (if c then 1 else 0) =? 0 then b else a) = if c then a else b.
Proof. destruct c; reflexivity. Qed.
(* What a list of operations leaves at a location, as an expression over what was
   there before. *)
Inductive ex := XL (l : loc) | XI (z : Z) | XAdd (a b c : ex) | XSub (a b c : ex) | XMul (a b : ex) | XIte (c a b : ex)
  | XLog (o : lop) (a b : ex) | XShr (a : ex) (n : N) | XShl (a : ex) (n : N) | XIsz (a : ex).
Fixpoint xeval (s : state) (e : ex) : Z :=
  match e with
  | XL l => s l
  | XI z => z
  | XAdd a b c => (xeval s a + xeval s b + xeval s c) mod W
  | XSub a b c => (xeval s a - xeval s b - xeval s c) mod W
  | XMul a b => (xeval s a * xeval s b) mod W
  | XIte c a b => if xeval s c =? 0 then xeval s b else xeval s a
  | XLog o a b => lopz o (xeval s a) (xeval s b)
  | XShr a n => xeval s a / pw n
  | XShl a n => pw n * (xeval s a mod pw (64 - n))
  | XIsz a => if xeval s a =? 0 then 1 else 0
  end.
Definition xget (m : PM.t (option ex)) (x : src) : option ex :=
  match x with I z => Some (XI z) | L l => match PM.find l m with Some o => o | None => Some (XL l) end end.
Definition x1 (m : PM.t (option ex)) (f : ex -> ex) (a : src) : option ex := match xget m a with Some a => Some (f a) | None => None end.
Definition x2 m (f : ex -> ex -> ex) (a b : src) : option ex := match xget m b with Some b => x1 m (fun a => f a b) a | None => None end.
Definition x3 m (f : ex -> ex -> ex -> ex) (a b c : src) : option ex := match xget m c with Some c => x2 m (fun a b => f a b c) a b | None => None end.
Definition xstep (m : PM.t (option ex)) (i : instr) : PM.t (option ex) :=
  match i with
  | Mov d a => PM.add d (xget m a) m
  | Mul h l a b => PM.add h None (PM.add l (x2 m XMul a b) m)
  | Adc d c a b x => PM.add c None (PM.add d (x3 m XAdd a b x) m)
  | Sbb d c a b x => PM.add c None (PM.add d (x3 m XSub a b x) m)
  | Cmov d c a b => PM.add d (x3 m XIte c a b) m
  | Logic o d a b => PM.add d (x2 m (XLog o) a b) m
  | Shr d a n => PM.add d (x1 m (fun a => XShr a n) a) m
  | Shl d a n => PM.add d (x1 m (fun a => XShl a n) a) m
  | Isz d a => PM.add d (x1 m XIsz a) m
  | Bzhi d _ _ => PM.add d None m
  end.
Definition xok (s0 s : state) (m : PM.t (option ex)) : Prop := forall x e, xget m x = Some e -> xeval s0 e = rd s x.
Lemma xadd_ok s0 s m d o v : xok s0 s m -> (forall e, o = Some e -> xeval s0 e = v) -> xok s0 (upd s d v) (PM.add d o m).
Proof.
  intros H V [l|z] e; cbn [xget rd]; [|intros [= <-]; reflexivity]. unfold upd. destruct (Pos.eqb_spec l d) as [->|N].
  - rewrite PM.gss. apply V.
  - rewrite PM.gso by assumption. apply (H (L l)).
Qed.
Lemma xjunk_ok s0 s m d v : xok s0 s m -> xok s0 (upd s d v) (PM.add d None m).
Proof. intros H. apply xadd_ok; [assumption|discriminate]. Qed.
Lemma x1_ok s0 s m f g a : xok s0 s m -> (forall e, xeval s0 (f e) = g (xeval s0 e)) -> forall e, x1 m f a = Some e -> xeval s0 e = g (rd s a).
Proof. intros H F e. unfold x1. destruct (xget m a) as [b|] eqn:E; [|discriminate]. intros [= <-]. rewrite F, (H _ _ E). reflexivity. Qed.
Lemma x2_ok s0 s m f g a b : xok s0 s m -> (forall e e', xeval s0 (f e e') = g (xeval s0 e) (xeval s0 e')) -> forall e, x2 m f a b = Some e -> xeval s0 e = g (rd s a) (rd s b).
Proof. intros H F e. unfold x2. destruct (xget m b) as [c|] eqn:E; [|discriminate]. rewrite <- (H _ _ E). apply (x1_ok s0 s m _ (fun x => g x (xeval s0 c))); auto. Qed.
Lemma x3_ok s0 s m f g a b c : xok s0 s m -> (forall e e' e'', xeval s0 (f e e' e'') = g (xeval s0 e) (xeval s0 e') (xeval s0 e'')) -> forall e, x3 m f a b c = Some e -> xeval s0 e = g (rd s a) (rd s b) (rd s c).
Proof. intros H F e. unfold x3. destruct (xget m c) as [d|] eqn:E; [|discriminate]. rewrite <- (H _ _ E). apply (x2_ok s0 s m _ (fun x y => g x y (xeval s0 d))); auto. Qed.
Lemma xstep_ok s0 s m i : xok s0 s m -> xok s0 (exec1 i s) (xstep m i).
Proof.
  intros H. destruct i; cbn [exec1 xstep]; cbv zeta; repeat apply xjunk_ok; try exact H; apply xadd_ok; try assumption; try discriminate.
  - apply H.
  - apply (x2_ok s0 s m _ (fun a b => (a * b) mod W)); auto.
  - apply (x3_ok s0 s m _ (fun a b c => (a + b + c) mod W)); auto.
  - apply (x3_ok s0 s m _ (fun a b c => (a - b - c) mod W)); auto.
  - apply (x3_ok s0 s m _ (fun c a b => if c =? 0 then b else a)); auto.
  - apply (x2_ok s0 s m _ (lopz o)); auto.
  - apply (x1_ok s0 s m _ (fun a => a / pw n)); auto.
  - apply (x1_ok s0 s m _ (fun a => pw n * (a mod pw (64 - n)))); auto.
  - apply (x1_ok s0 s m _ (fun a => if a =? 0 then 1 else 0)); auto.
Qed.
Fixpoint xrun (m : PM.t (option ex)) (p : list instr) := match p with [] => m | i :: p' => xrun (xstep m i) p' end.
Lemma xrun_ok p : forall s0 s m, xok s0 s m -> xok s0 (exec p s) (xrun m p).
Proof. induction p as [|i p IH]; intros s0 s m H; cbn [xrun exec]; [assumption|]. apply IH, xstep_ok, H. Qed.
Lemma leaves p l e : xget (xrun (PM.empty _) p) (L l) = Some e -> forall s, exec p s l = xeval s e.
Proof.
  intros E s. symmetry. apply (xrun_ok p s s (PM.empty _)) with (x := L l); [|exact E]. intros [x|z] y; cbn [xget rd]; [rewrite PM.gempty|]; intros [= <-]; reflexivity.
Qed.
Ltac names := cbv [bf bg bn bt bh bG bb bmask bhalf b0 b1 b2 b3 b4 b5 b6 bj brow bcol bnew] in *.
Ltac ex := repeat match goal with |- context [exec ?p ?s ?l] =>
    let e := eval vm_compute in (xget (xrun (PM.empty _) p) (L l)) in
    match e with Some ?e => rewrite (leaves p l e ltac:(vm_cast_no_check (eq_refl (Some e))) s) end end;
  names; cbn [xeval lopz].

(* The sign of n. *)
Definition signed_ (s : state) : Prop := s bb = s bn / 2 ^ 63 /\ s bmask = (0 - s bn / 2 ^ 63) mod W.
Lemma pw63 : pw 63 = 2 ^ 63. Proof. Transparent pw. reflexivity. Opaque pw. Qed.
Lemma sign_ok s : signed_ (exec BatchCode.sign s) /\ (exec BatchCode.sign s) bn = s bn.
Proof. unfold BatchCode.sign, signed_. ex. rewrite pw63, !minus0. auto. Qed.
Lemma bstep_ok s : signed_ s ->
  let t := exec bstep s in signed_ t /\ (t bh, t bG, t bn) = wstep (s bh, s bG, s bn).
Proof.
  intros [S1 S2]. unfold bstep, BatchCode.sign, signed_, wstep. ex. names.
  change (Z.to_N 1) with 1%N. change (64 - 1)%N with 63%N. change (64 - 63)%N with 1%N. rewrite !sar1_raw, !plus0, !minus0, S1, S2, pw63.
  rewrite !isz_if. change 1 with (Z.ones 1) at 1 2 3 4 5 6. rewrite !Z.land_ones by lia. auto.
Qed.
Definition lower : list loc := [bf; bg; bhalf; brow false false; brow false true; brow true false; brow true true;
  bcol false false; bcol false true; bcol true false; bcol true true].
Lemma bsteps_ok k : forall s, signed_ s ->
  let t := exec (concat (repeat bstep k)) s in signed_ t /\ (t bh, t bG, t bn) = wsteps k (s bh, s bG, s bn) /\ forall l, In l lower -> t l = s l.
Proof.
  induction k as [|k IH]; intros s S; cbn [repeat concat]; cbv zeta.
  - cbn [exec wsteps]. auto.
  - rewrite exec_app. destruct (bstep_ok s S) as [S1 E]. destruct (IH _ S1) as (S2 & E2 & K). split; [exact S2|]. cbn [wsteps]. rewrite <- E.
    split; [exact E2|]. intros l X. rewrite K by assumption. apply (keeps_ok bstep lower); [reflexivity|assumption].
Qed.
Lemma pack_ok s : let t := exec pack s in
  t bG = wadd (Z.land (s bg) (2 ^ 20 - 1)) (W - 2 ^ 62) /\ t bh = wadd (Z.land (s bhalf) (2 ^ 19 - 1)) (W - 2 ^ 40).
Proof. cbv zeta. ex. rewrite !plus0. split; reflexivity. Qed.
(* The numbers of steps that sub-batches have. *)
Definition usual (n : Z) : Prop := n = 19 \/ n = 20.
Definition unpacks (n : Z) : list instr := BatchCode.unpack false bh 40 n ++ BatchCode.unpack true bG 41 n.
Lemma unpack_ok s n : usual n -> let t := exec (unpacks n) s in
  (t (brow false false), t (brow false true)) = unpack 40 n (s bh) /\ (t (brow true false), t (brow true true)) = unpack 41 n (s bG).
Proof.
  intros [-> | ->]; cbv zeta; ex; rewrite !sar_raw, !plus0 by reflexivity; split; reflexivity.
Qed.
Definition rows (s : state) : (Z * Z) * (Z * Z) := ((s (brow false false), s (brow false true)), (s (brow true false), s (brow true true))).
Definition colsv (s : state) : (Z * Z) * (Z * Z) := ((s (bcol false false), s (bcol false true)), (s (bcol true false), s (bcol true true))).
Lemma advance_ok s n : usual n -> let t := exec (BatchCode.advance n) s in
  let f0 := apply (fst (rows s)) (column (s bf) (s bg)) in
  t bhalf = f0 / 2 ^ (n + 1) /\ t bf = sarw n f0 /\ t bg = sarw n (apply (snd (rows s)) (column (s bf) (s bg))).
Proof.
  intros [-> | ->]; cbv zeta; cbn [rows fst snd apply column]; ex; rewrite !sar_raw by reflexivity; rewrite !shl21, !plus0, !minus0;
  (split; [rewrite pwk; reflexivity|split; reflexivity]).
Qed.
Lemma columns0_ok s : colsv (exec (BatchCode.columns 0) s) =
  (column (first (fst (rows s))) (first (snd (rows s))), column (snd (fst (rows s))) (snd (snd (rows s)))).
Proof.
  cbv [colsv rows first column]. cbn [fst snd]. ex. rewrite !shl21, !minus0. reflexivity.
Qed.
Lemma columns1_ok s : colsv (exec (BatchCode.columns 1) s) =
  (let '(c0, c1) := colsv s in (column (apply (fst (rows s)) c0) (apply (snd (rows s)) c0), column (apply (fst (rows s)) c1) (apply (snd (rows s)) c1))).
Proof.
  cbv [colsv rows apply column]. cbn [fst snd]. ex. rewrite !shl21, !minus0, !plus0. reflexivity.
Qed.
Definition tvals (s : state) : Z * Z * Z * Z := (s (bt false false), s (bt false true), s (bt true false), s (bt true true)).
Lemma biased_ok s n : n = 59 \/ n = 60 -> tvals (exec (BatchCode.biased n) s) = biased (2 ^ n) (fst (rows s)) (snd (rows s)) (Some (colsv s)).
Proof.
  intros [-> | ->]; cbv [tvals biased colsv rows apply]; cbn [fst snd]; ex; rewrite !plus0; reflexivity.
Qed.
Definition inner (n : Z) (mid : list instr) : list instr := pack ++ steps n ++ mid ++ unpacks n.
(* mid forms products of what is there before the rows change *)
Lemma inner_ok n mid s : usual n -> signed_ s -> keeps mid [bh; bG; bn; bb; bmask; bf; bg; bhalf] = true ->
  let t := exec (inner n mid) s in
  signed_ t /\ (rows t, t bn) = wsub (Z.to_nat n) (s bhalf) (s bg) (s bn) /\
  t bf = s bf /\ t bg = s bg /\
  exists s', (forall l, In l lower -> s' l = s l) /\ colsv t = colsv (exec mid s').
Proof.
  intros N S K. unfold inner. cbv zeta. rewrite !exec_app. set (s1 := exec pack s).
  assert (P1 : forall l, In l ([bn; bb; bmask] ++ lower) -> s1 l = s l) by (intros l X; apply (keeps_ok pack ([bn; bb; bmask] ++ lower)); [reflexivity|exact X]).
  assert (S1 : signed_ s1) by (unfold signed_ in *; rewrite !P1 by (cbn; tauto); exact S).
  destruct (pack_ok s) as [PG PH]. fold s1 in PG, PH.
  destruct (bsteps_ok (Z.to_nat n) s1 S1) as (S2 & E2 & K2). fold (steps n) in S2, E2, K2. set (s2 := exec (steps n) s1) in *.
  assert (K3 : forall l, In l [bh; bG; bn; bb; bmask; bf; bg; bhalf] -> exec mid s2 l = s2 l) by (intros l X; apply (keeps_ok _ _ K); exact X).
  set (s3 := exec mid s2) in *. destruct (unpack_ok s3 n N) as [U0 U1]. set (s4 := exec (unpacks n) s3) in *.
  assert (K4 : forall l, In l [bn; bb; bmask; bf; bg; bhalf; bcol false false; bcol false true; bcol true false; bcol true true] -> s4 l = s3 l).
  { intros l X. apply (keeps_ok (unpacks n) [bn; bb; bmask; bf; bg; bhalf; bcol false false; bcol false true; bcol true false; bcol true true]); [destruct N as [-> | ->]; reflexivity|exact X]. }
  split; [|split; [|split; [|split]]].
  - unfold signed_ in *. rewrite !K4, !K3 by (cbn; tauto). exact S2.
  - unfold rows. rewrite U0, U1, K4, !K3 by (cbn; tauto). unfold wsub. rewrite !Z2Nat.id by (destruct N; lia).
    rewrite PG, PH, (P1 bn) in E2 by (cbn; tauto). cbv zeta. destruct (wsteps _ _) as [[h G] m]. injection E2 as -> -> ->. reflexivity.
  - rewrite K4, K3, K2, P1 by (cbn; tauto). reflexivity.
  - rewrite K4, K3, K2, P1 by (cbn; tauto). reflexivity.
  - exists s2. split; [intros l X; rewrite K2, P1 by (cbn; tauto); reflexivity|]. unfold colsv. rewrite !K4 by (cbn; tauto). reflexivity.
Qed.
Theorem batch_words n0 n1 n2 s : usual n0 -> usual n1 -> usual n2 -> n0 + n1 + n2 = 59 \/ n0 + n1 + n2 = 60 ->
  let t := exec (batch n0 n1 n2) s in
  (tvals t, t bn) = wbatch [Z.to_nat n0; Z.to_nat n1; Z.to_nat n2] (s bf) (s bg) (s bn).
Proof.
  intros U0 U1 U2 N.
  assert (E : batch n0 n1 n2 = BatchCode.sign ++ [Shr bhalf (L bf) 1] ++ inner n0 [] ++ BatchCode.advance n0 ++ inner n1 (BatchCode.columns 0) ++ BatchCode.advance n1 ++
    inner n2 (BatchCode.columns 1) ++ BatchCode.biased (n0 + n1 + n2)).
  { unfold batch, inner, unpacks. cbn [app]. rewrite <- ?app_assoc. cbn [app]. rewrite <- ?app_assoc. reflexivity. }
  rewrite E. clear E. cbv zeta. rewrite !exec_app. destruct (sign_ok s) as [SA NA].
  assert (KA : forall l, In l [bf; bg] -> exec BatchCode.sign s l = s l) by (intros l X; apply (keeps_ok BatchCode.sign [bf; bg]); [reflexivity|exact X]).
  set (sA := exec BatchCode.sign s) in *.
  assert (KB : forall l, In l [bf; bg; bn; bb; bmask] -> exec [Shr bhalf (L bf) 1] sA l = sA l) by (intros l X; apply (keeps_ok [Shr bhalf (L bf) 1] [bf; bg; bn; bb; bmask]); [reflexivity|exact X]).
  assert (HB : exec [Shr bhalf (L bf) 1] sA bhalf = s bf / 2) by (ex; rewrite pwk; change (s 1%positive) with (s bf); rewrite <- (KA bf) by (cbn; tauto); reflexivity).
  set (sB := exec [Shr bhalf (L bf) 1] sA) in *.
  assert (SB : signed_ sB) by (unfold signed_ in *; rewrite !KB by (cbn; tauto); exact SA).
  assert (KV : forall n v l, usual n -> In l [bn; bb; bmask; brow false false; brow false true; brow true false; brow true true; bcol false false; bcol false true; bcol true false; bcol true true] ->
    exec (BatchCode.advance n) v l = v l).
  { intros n v l Hn X. apply (keeps_ok (BatchCode.advance n) [bn; bb; bmask; brow false false; brow false true; brow true false; brow true true; bcol false false; bcol false true; bcol true false; bcol true true]); [|exact X].
    destruct Hn as [-> | ->]; reflexivity. }
  destruct (inner_ok n0 [] sB U0 SB eq_refl) as (S1 & R1 & F1 & G1 & _). set (s1 := exec (inner n0 []) sB) in *.
  destruct (advance_ok s1 n0 U0) as (A1 & A2 & A3). pose proof (KV n0 s1) as K1. set (s2 := exec (BatchCode.advance n0) s1) in *.
  assert (S2 : signed_ s2) by (unfold signed_ in *; rewrite !K1 by (assumption || (cbn; tauto)); exact S1).
  destruct (inner_ok n1 (BatchCode.columns 0) s2 U1 S2 eq_refl) as (S3 & R3 & F3 & G3 & (c3 & L3 & C3)). set (s3 := exec (inner n1 (BatchCode.columns 0)) s2) in *.
  destruct (advance_ok s3 n1 U1) as (B1 & B2 & B3). pose proof (KV n1 s3) as K3. set (s4 := exec (BatchCode.advance n1) s3) in *.
  assert (S4 : signed_ s4) by (unfold signed_ in *; rewrite !K3 by (assumption || (cbn; tauto)); exact S3).
  destruct (inner_ok n2 (BatchCode.columns 1) s4 U2 S4 eq_refl) as (S5 & R5 & F5 & G5 & (c5 & L5 & C5)). set (s5 := exec (inner n2 (BatchCode.columns 1)) s4) in *.
  rewrite biased_ok by assumption.
  assert (KT : exec (BatchCode.biased (n0 + n1 + n2)) s5 bn = s5 bn).
  { apply (keeps_ok (BatchCode.biased (n0 + n1 + n2)) [bn]); [destruct N as [-> | ->]; reflexivity|cbn; tauto]. }
  rewrite KT. clear KT. rewrite columns0_ok in C3. rewrite columns1_ok in C5.
  assert (R3' : rows c3 = rows s1) by (unfold rows; rewrite !L3, !K1 by (assumption || (cbn; tauto)); reflexivity).
  assert (R5' : rows c5 = rows s3) by (unfold rows; rewrite !L5, !K3 by (assumption || (cbn; tauto)); reflexivity).
  assert (C5' : colsv c5 = colsv s3) by (unfold colsv; rewrite !L5, !K3 by (assumption || (cbn; tauto)); reflexivity).
  rewrite R3' in C3. rewrite R5', C5' in C5. clear R3' R5' C5' L3 L5 KV.
  rewrite F1, G1, !KB, !KA in A1, A2, A3 by (cbn; tauto). rewrite F3, G3, A2, A3 in B1, B2, B3.
  rewrite HB, !KB, NA, !KA in R1 by (cbn; tauto). rewrite A1, A3, K1 in R3 by (assumption || (cbn; tauto)). rewrite B1, B3, K3 in R5 by (assumption || (cbn; tauto)).
  replace (2 ^ (n0 + n1 + n2)) with (two (sum [Z.to_nat n0; Z.to_nat n1; Z.to_nat n2])).
  2:{ unfold two. f_equal. cbn [sum fold_right]. destruct U0, U1, U2; lia. }
  unfold wbatch. set (bias := two _). clearbody bias. cbn [wloop].
  destruct (wsub (Z.to_nat n0) _ _ _) as [[r0 r1] m1]. assert (E1 : rows s1 = (r0, r1) /\ s1 bn = m1) by (split; congruence). destruct E1 as [E1 E1n].
  assert (T0 : Z.of_nat (Z.to_nat n0) = n0) by (destruct U0; lia). assert (T1 : Z.of_nat (Z.to_nat n1) = n1) by (destruct U1; lia).
  rewrite !Nat2Z.inj_add, T0, T1. change (Z.of_nat 1) with 1.
  rewrite E1 in *. cbn [fst snd] in *. rewrite E1n in R3.
  destruct (wsub (Z.to_nat n1) _ _ _) as [[q0 q1] m3]. assert (E3 : rows s3 = (q0, q1) /\ s3 bn = m3) by (split; congruence). destruct E3 as [E3 E3n].
  rewrite E3 in *. cbn [fst snd] in *. rewrite E3n in R5.
  destruct (wsub (Z.to_nat n2) _ _ _) as [[p0 p1] m5]. assert (E5 : rows s5 = (p0, p1) /\ s5 bn = m5) by (split; congruence). destruct E5 as [E5 E5n].
  rewrite E5, E5n. cbn [fst snd columns]. rewrite C5, C3. reflexivity.
Qed.
