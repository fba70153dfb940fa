(* check_invert_uniform: the accesses of an inversion, and the number of rounds of
   its loop, depend on the pointers and on SP only. *)
Require Import ZArith List Lia FMapPositive Bool Poly Instr Claim Word Goal Check Machine Slots Sim Loop X86 A64 Routine Proof Sound Uniform Segment Divstep Inverse Invert InvertSound.
Import ListNotations.
Open Scope Z_scope.

Section Cells.
Variables (Y : layout) (res : loc).
Definition within (cs : list (bool * (Z * Z))) : Prop := forall x, In x cs -> valid Y (fst (snd x)) (snd (snd x)) = true.
Lemma within_app a b : within a -> within b -> within (a ++ b).
Proof. intros A B x. rewrite in_app_iff. intros [X|X]; auto. Qed.
Lemma straight_cells B u p n s acc e t is e' : good B Y -> sim B Y e s t -> trs Y e p = Some (is, e') ->
  exists s', straight u p (n, s, acc) = ((n + length p)%nat, s', acc ++ map (where_to B) (cells Y e p)) /\
    sim B Y e' s' (exec is t) /\ within (cells Y e p).
Proof.
  intros G S T. destruct (trs_ok B Y u p G n e s t is e' S T) as (K & _). destruct (cells_ok B Y u p G n e s t is e' S T) as [A V].
  eexists. cbn [straight]. rewrite A. auto.
Qed.
Lemma rounds_cells B u body h b e2 : good B Y -> trs Y h body = Some (b, e2) -> leq e2 h = true -> isreg res = true -> PM.find res e2 = None ->
  forall k n s acc t, sim B Y h s t -> (forall i, (0 < i <= k)%nat -> iters i b t res <> 0) -> iters (S k) b t res = 0 ->
  exists s', rounds u res body (S k) (n, s, acc) =
      Some ((n + S k * length body)%nat, s', acc ++ map (where_to B) (concat (repeat (cells Y h body) (S k)))) /\
    sim B Y e2 s' (iters (S k) b t) /\ within (cells Y h body).
Proof.
  intros G T L R C. induction k as [|k IH]; intros n s acc t S NZ Z0; cbn [rounds];
    destruct (straight_cells B u body n s acc h t b e2 G S T) as (s1 & E & S1 & V); rewrite E; cbn [fst snd];
    pose proof S1 as (K & _); specialize (K res R); unfold rep in K; rewrite C in K; rewrite <- K.
  - cbn [iters] in Z0. rewrite Z0. change (0 =? 0) with true. cbv iota. exists s1. cbn [repeat concat]. rewrite app_nil_r, Nat.mul_1_l. auto.
  - pose proof (NZ 1%nat ltac:(lia)) as N1. cbn [iters] in N1. destruct (Z.eqb_spec (exec b t res) 0); [contradiction|].
    destruct (IH (n + length body)%nat s1 (acc ++ map (where_to B) (cells Y h body)) (exec b t)) as (s2 & E2 & S2 & _).
    + eapply leq_sim; eassumption.
    + intros i Hi. apply (NZ (Datatypes.S i)). lia.
    + exact Z0.
    + exists s2. split; [|split; [exact S2|exact V]]. etransitivity; [exact E2|]. do 2 f_equal; [f_equal; lia|].
      change (repeat (cells Y h body) (Datatypes.S (Datatypes.S k))) with (cells Y h body :: repeat (cells Y h body) (Datatypes.S k)).
      cbn [concat]. rewrite map_app, app_assoc. reflexivity.
Qed.
Theorem loop_cells e pre body post x k : trloop Y e res pre body post = Some x -> exists n cs, forall B u s t, good B Y -> sim B Y e s t ->
  let t1 := exec (lpre x) t in
  (forall i, (0 < i <= k)%nat -> iters i (lbody x) t1 res <> 0) -> iters (S k) (lbody x) t1 res = 0 ->
  within cs /\ exists s', run u res (S k) (Loop pre body post) s = Some (n, s', map (where_to B) cs).
Proof.
  unfold trloop. destruct (trs Y e pre) as [[p e0]|] eqn:T0; [|discriminate].
  destruct (trs Y e0 body) as [[b' e1]|]; [|discriminate]. cbv zeta. set (h := meet e0 e1). clearbody h.
  destruct (trs Y h body) as [[b e2]|] eqn:T1; [|discriminate]. destruct (trs Y e2 post) as [[q e3]|] eqn:T2; [|discriminate].
  destruct (_ && _)%bool eqn:C; [|discriminate]. rewrite !andb_true_iff in C. destruct C as [[[C1 C2] C3] C4].
  intros [= <-]. cbn [lpre lbody lpost lend].
  assert (C5 : PM.find res e2 = None) by (destruct (PM.find res e2); [discriminate|reflexivity]).
  exists (length pre + S k * length body + length post)%nat, (cells Y e pre ++ concat (repeat (cells Y h body) (S k)) ++ cells Y e2 post).
  intros B u s t G S NZ Z0. cbn [run].
  destruct (straight_cells B u pre 0%nat s [] e t p e0 G S T0) as (s1 & E1 & S1 & V1). rewrite E1.
  destruct (rounds_cells B u body h b e2 G T1 C2 C3 C5 k (0 + length pre)%nat s1 ([] ++ map (where_to B) (cells Y e pre)) _ (leq_sim _ _ _ _ _ _ C1 S1) NZ Z0)
    as (s2 & E2 & S2 & V2). rewrite E2.
  match goal with |- context [straight u post (?n, s2, ?a)] => destruct (straight_cells B u post n s2 a e2 _ q e3 G S2 T2) as (s3 & E3 & _ & V3) end.
  rewrite E3. split.
  - apply within_app; [exact V1|]. apply within_app; [|exact V3]. intros x X. apply in_concat in X. destruct X as (l & L & X).
    apply repeat_spec in L. subst l. apply V2, X.
  - exists s3. rewrite !map_app. cbn [app Nat.add]. rewrite app_assoc. reflexivity.
Qed.
End Cells.

Theorem check_invert_uniform c h r code ks : check_invert c h r code ks = true ->
  enough (sP h) (sRounds h * Z.to_nat (nsteps h)) -> routine_uniform c code.
Proof.
  unfold check_invert, routine_uniform. rewrite !andb_true_iff. intros [[[[HS HR] HQ] _] CP] HN.
  destruct (decodes (machine c) code) as [[p|mp mb mq]|]; [discriminate| |discriminate].
  exists (Loop mp mb mq), (Datatypes.S (pred (sRounds h))). split; [reflexivity|].
  intros u u' s s' HE HE' R A. destruct (patterns_ok (arg c s) (params c) 1 []) as (pat & I1 & I2).
  assert (F' : fits (arg c s') 1 [] (params c) pat) by (eapply fits_same; eassumption).
  destruct (invert_patterns_in _ _ _ _ _ pat _ _ CP I1) as ([[k0 k1] k2] & K). unfold invert_pattern in K.
  destruct (trloop _ _ _ _ _ _) as [x|] eqn:T; [|discriminate]. rewrite !andb_true_iff, negb_true_iff in K.
  destruct K as [[[[E1 E2] E3] E4] E5].
  destruct (loop_cells _ _ _ _ _ _ _ (pred (sRounds h)) T) as (n & cs & K).
  assert (RUN : forall v r1, entry c r1 -> fits (arg c r1) 1 [] (params c) pat ->
    within (lay c pat) cs /\ exists t, run v RES (Datatypes.S (pred (sRounds h))) (Loop mp mb mq) r1 = Some (n, t, map (where_to (base c r1)) cs)).
  { intros v r1 ER FR.
    destruct (run_ok h x (low c pat) (where_ c pat (Before 2)) (snd (where_ c pat (After 1))) k0 k1 k2 (start c r1) E5 HS
      ltac:(intros l; eapply start_range; eassumption) ltac:(eapply pre_low; eassumption) E3 r HR HN) as (R1 & R2 & _).
    eapply K; [eapply good_layout|eapply sim_start| |]; eassumption. }
  destruct (RUN u s HE I2) as (V & t & RS). destruct (RUN u' s' HE' F') as (_ & t' & RS'). exists n, t, t', (map (where_to (base c s)) cs).
  split; [exact RS|]. rewrite RS'. do 2 f_equal. symmetry. apply map_ext_in. intros y X.
  unfold where_to, addr. rewrite (base_same c pat s s' HE I2 F' R A _ _ (V y X)). reflexivity.
Qed.
Theorem check_invert_proved c h r code ks : check_invert c h r code ks = true ->
  enough (sP h) (sRounds h * Z.to_nat (nsteps h)) -> routine_proved c code.
Proof. intros H N. split; [eapply check_invert_sound; eassumption|eapply check_invert_uniform; eassumption]. Qed.
Print Assumptions check_invert_proved.
