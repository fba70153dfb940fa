(* Programs with a loop, on the words of their buffers. *)
Require Import ZArith List Lia FMapPositive Bool Poly Instr Machine Slots Sim.
Import ListNotations.
Open Scope Z_scope.

(* What is known at the head of a loop: what holds both before the first round and after one. *)
Definition tag_eqb (a b : tag) : bool :=
  match a, b with Ptr r o, Ptr r' o' => (r =? r') && (o =? o') | Junk, Junk => true | _, _ => false end%bool.
Definition meet (e e1 : env) : env :=
  PM.fold (fun l g (a : env) => match PM.find l e with Some h => if tag_eqb g h then a else PM.add l Junk a | None => PM.add l Junk a end) e1
    (PM.mapi (fun l g => match PM.find l e1 with Some h => if tag_eqb g h then g else Junk | None => Junk end) e).
(* e1 tells at least what e does *)
Definition leq (e1 e : env) : bool :=
  (forallb (fun x => match PM.find (fst x) e with Some Junk => true | Some h => tag_eqb (snd x) h | None => false end) (PM.elements e1) &&
   forallb (fun x => match snd x with Junk => true | g => match PM.find (fst x) e1 with Some h => tag_eqb g h | None => false end end) (PM.elements e))%bool.
Lemma tag_eqb_ok a b : tag_eqb a b = true -> a = b.
Proof. destruct a, b; cbn [tag_eqb]; try discriminate; [|reflexivity]. rewrite andb_true_iff, !Z.eqb_eq. intros [-> ->]. reflexivity. Qed.
Lemma leq_rep B e1 e l z t : leq e1 e = true -> rep B e1 l z t -> rep B e l z t.
Proof.
  unfold leq. rewrite andb_true_iff, !forallb_forall. intros [H1 H2]. unfold rep.
  assert (E1 : forall g, PM.find l e1 = Some g -> match PM.find l e with Some Junk => true | Some h => tag_eqb g h | None => false end = true).
  { intros g F. apply PM.elements_correct in F. exact (H1 (l, g) F). }
  assert (E2 : forall g, PM.find l e = Some g -> match g with Junk => true | _ => match PM.find l e1 with Some h => tag_eqb g h | None => false end end = true).
  { intros g F. apply PM.elements_correct in F. specialize (H2 (l, g) F). cbn [fst snd] in H2. destruct g; exact H2. }
  destruct (PM.find l e1) as [g|].
  - specialize (E1 g eq_refl). destruct (PM.find l e) as [[b o|]|]; [|intros _; exact Logic.I|discriminate].
    apply tag_eqb_ok in E1. subst g. auto.
  - destruct (PM.find l e) as [[b o|]|]; [|intros _; exact Logic.I|auto]. specialize (E2 _ eq_refl). discriminate.
Qed.
Lemma leq_sim B Y e1 e s t : leq e1 e = true -> sim B Y e1 s t -> sim B Y e s t.
Proof.
  intros L (S1 & S2 & S3 & S4). split; [|split; [|split; assumption]].
  - intros l H. eapply leq_rep; [exact L|apply S1; exact H].
  - intros b k V. eapply leq_rep; [exact L|apply S2; exact V].
Qed.

Fixpoint iters (n : nat) (is : list instr) (t : state) : state := match n with O => t | S m => iters m is (exec is t) end.
Lemma iters_S n is t : iters (S n) is t = exec is (iters n is t).
Proof. revert t. induction n as [|n IH]; intros t; [reflexivity|]. cbn [iters] in *. rewrite <- IH. reflexivity. Qed.

Record looped := { lpre : list instr; lbody : list instr; lpost : list instr; lend : env }.
(* A program with a loop, in words. *)
Definition trloop (Y : layout) (e : env) (res : loc) (pre body post : list mop) : option looped :=
  match trs Y e pre with
  | Some (p, e0) =>
    match trs Y e0 body with
    | Some (_, e1) =>
      let h := meet e0 e1 in
      match trs Y h body with
      | Some (b, e2) =>
        match trs Y e2 post with
        | Some (q, e3) =>
          if leq e0 h && leq e2 h && isreg res && match PM.find res e2 with None => true | _ => false end
          then Some {| lpre := p; lbody := b; lpost := q; lend := e3 |} else None
        | None => None end
      | None => None end
    | None => None end
  | None => None end%bool.

Section Rounds.
Variables (B : Z -> Z) (Y : layout) (u : nat -> Z) (res : loc).
Hypothesis G : good B Y.
Definition fine (s s' : mstate) (acc : list (bool * Z)) : Prop :=
  (forall x, outside B Y x -> mem s' x = mem s x) /\ forall a, In a acc -> allowed B Y a.
Lemma straight_ok p n s acc e t is e' s0 : sim B Y e s t -> trs Y e p = Some (is, e') -> fine s0 s acc ->
  exists n' s' acc', straight u p (n, s, acc) = (n', s', acc') /\ sim B Y e' s' (exec is t) /\ fine s0 s' acc'.
Proof.
  intros S T [F1 F2]. destruct (trs_ok B Y u p G n e s t is e' S T) as (K1 & K2 & K3). cbn [straight].
  eexists _, _, _. split; [reflexivity|]. split; [exact K1|]. split.
  - intros x X. rewrite K2, F1 by assumption. reflexivity.
  - intros a. rewrite in_app_iff. intros [X|X]; auto.
Qed.
Lemma rounds_ok body h b e2 s0 : trs Y h body = Some (b, e2) -> leq e2 h = true -> isreg res = true -> PM.find res e2 = None ->
  forall k n s acc t, sim B Y h s t -> fine s0 s acc ->
  (forall i, (0 < i <= k)%nat -> iters i b t res <> 0) -> iters (S k) b t res = 0 ->
  exists n' s' acc', rounds u res body (S k) (n, s, acc) = Some (n', s', acc') /\ sim B Y e2 s' (iters (S k) b t) /\ fine s0 s' acc'.
Proof.
  intros T L R C. induction k as [|k IH]; intros n s acc t S F NZ Z0; cbn [rounds];
    destruct (straight_ok body n s acc h t b e2 s0 S T F) as (n1 & s1 & a1 & E & S1 & F1); rewrite E; cbn [fst snd];
    pose proof S1 as (K & _); specialize (K res R); unfold rep in K; rewrite C in K; rewrite <- K.
  - cbn [iters] in Z0. rewrite Z0. change (0 =? 0) with true. cbv iota. eexists _, _, _. split; [reflexivity|]. split; assumption.
  - pose proof (NZ 1%nat ltac:(lia)) as N1. cbn [iters] in N1. destruct (Z.eqb_spec (exec b t res) 0); [contradiction|].
    destruct (IH n1 s1 a1 (exec b t)) as (n2 & s2 & a2 & E2 & S2 & F2).
    + eapply leq_sim; eassumption.
    + assumption.
    + intros i Hi. apply (NZ (Datatypes.S i)). lia.
    + exact Z0.
    + exists n2, s2, a2. split; [exact E2|]. split; assumption.
Qed.
Theorem loop_ok e pre body post x s t k : sim B Y e s t -> trloop Y e res pre body post = Some x ->
  let t1 := exec (lpre x) t in
  (forall i, (0 < i <= k)%nat -> iters i (lbody x) t1 res <> 0) -> iters (S k) (lbody x) t1 res = 0 ->
  exists n s' acc, run u res (S k) (Loop pre body post) s = Some (n, s', acc) /\
    sim B Y (lend x) s' (exec (lpost x) (iters (S k) (lbody x) t1)) /\ fine s s' acc.
Proof.
  intros S. unfold trloop. destruct (trs Y e pre) as [[p e0]|] eqn:T0; [|discriminate].
  destruct (trs Y e0 body) as [[b' e1]|]; [|discriminate]. cbv zeta. set (h := meet e0 e1). clearbody h.
  destruct (trs Y h body) as [[b e2]|] eqn:T1; [|discriminate]. destruct (trs Y e2 post) as [[q e3]|] eqn:T2; [|discriminate].
  destruct (_ && _)%bool eqn:C; [|discriminate]. rewrite !andb_true_iff in C. destruct C as [[[C1 C2] C3] C4].
  intros [= <-]. cbn [lpre lbody lpost lend]. intros NZ Z0. cbn [run].
  destruct (straight_ok pre 0%nat s [] e t p e0 s S T0) as (n1 & s1 & a1 & E1 & S1 & F1); [split; [reflexivity|intros ? []]|].
  rewrite E1. destruct (rounds_ok body h b e2 s T1 C2 C3 ltac:(destruct (PM.find res e2); [discriminate|reflexivity]) k n1 s1 a1 _ (leq_sim _ _ _ _ _ _ C1 S1) F1 NZ Z0)
    as (n2 & s2 & a2 & E2 & S2 & F2).
  rewrite E2. destruct (straight_ok post n2 s2 a2 e2 _ q e3 s S2 T2 F2) as (n3 & s3 & a3 & E3 & S3 & F3). rewrite E3.
  eexists _, _, _. split; [reflexivity|]. split; assumption.
Qed.
End Rounds.
