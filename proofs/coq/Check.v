(* The checker: it replays a certificate on a straight-line program and says
   whether every claim of the contract follows. check_sound says it is right. *)
Require Import ZArith List Lia FMapPositive Bool Poly Instr Claim Word Split Bits Step Derive Goal.
Import ListNotations.
Open Scope Z_scope.
Local Opaque padd pscale pmul psub pconst pvar psimp pw main extra.

(* ------------------------------------------------------------------ *)
(* Certificates                                                        *)
(* ------------------------------------------------------------------ *)
Inductive cert :=
| KRun (n : nat) (k : cert)                     (* n operations, no hints *)
| KHint (h : hint) (k : cert)                   (* one operation with a hint *)
| KDerive (d : dstep) (k : cert)
| KCase (key : positive) (p : poly) (l : loc) (lk : positive) (ks0 ks1 : list comb) (k : cert)
    (* range of p by cases on the bit at l; the rest of the routine is not split *)
| KFork (l : loc) (key : positive) (k0 k1 : cert)  (* the word at l is a function of a bit: 0, then 1 *)
| KAbsurd (k : comb)                            (* the facts are contradictory: no run takes this path *)
| KEnd (hs : list ghint).                       (* the claims, one hint for each *)

Fixpoint go (qs : list (claim words)) (g0 : PM.t word) (k : cert) (pc : positive) (p : list instr) (st : sst) : bool :=
  match k with
  | KRun n k' =>
    (fix steps n pc p st := match n with
     | O => go qs g0 k' pc p st
     | S n' => match p with [] => false | i :: p' =>
         match sstep (HComb []) pc i st with Some st' => steps n' (Pos.succ pc) p' st' | None => false end end
     end) n pc p st
  | KHint h k' =>
    match p with [] => false | i :: p' =>
      match sstep h pc i st with Some st' => go qs g0 k' (Pos.succ pc) p' st' | None => false end end
  | KDerive d k' =>
    match derive (cx st) d with Some c' => go qs g0 k' pc p {| regs := regs st; cx := c' |} | None => false end
  | KCase key q l lk ks0 ks1 k' =>
    match PM.find l (regs st) with
    | Some w => match fnof w with
      | Some (b, _, _) => match learncase (cx st) key q b lk ks0 ks1 with
        | Some c' => go qs g0 k' pc p {| regs := regs st; cx := c' |} | None => false end
      | None => false end
    | None => false end
  | KFork l key k0 k1 =>
    match PM.find l (regs st) with
    | Some w => match fnof w with
      | Some (b, _, _) => go qs g0 k0 pc p (fork st key b 0) && go qs g0 k1 pc p (fork st key b 1)
      | None => false end
    | None => false end
  | KAbsurd k => absurd (cx st) k
  | KEnd hs => match p with [] => goals g0 st qs hs | _ => false end
  end%bool.
Fixpoint trace (pc : positive) (p : list instr) (s : state) : list (Z * Z) :=
  match p with [] => [] | i :: p' => vals i s :: trace (Pos.succ pc) p' (exec1 i s) end.
Fixpoint matches (r : var -> Z) (pc : positive) (t : list (Z * Z)) : Prop :=
  match t with [] => True | v :: t' => r (main pc) = fst v /\ r (extra pc) = snd v /\ matches r (Pos.succ pc) t' end.
Fixpoint mkr (pc : positive) (t : list (Z * Z)) : var -> Z :=
  match t with
  | [] => fun _ => 0
  | v :: t' => let r := mkr (Pos.succ pc) t' in
    fun x => if Pos.eqb x (main pc) then fst v else if Pos.eqb x (extra pc) then snd v else r x
  end.
Transparent main extra.
Lemma matches_ext r r' t : forall pc,
  (forall x, (main pc <= x)%positive -> r x = r' x) -> matches r' pc t -> matches r pc t.
Proof.
  induction t as [|v t IH]; intros pc E; cbn [matches]; [auto|].
  unfold main, extra in *. intros (A & B & C). rewrite !E by lia.
  split; [assumption|]. split; [assumption|]. eapply IH; [|exact C].
  intros x Hx. apply E. unfold main in Hx. lia.
Qed.
Lemma mkr_ok t : forall pc, matches (mkr pc t) pc t.
Proof.
  induction t as [|v t IH]; intros pc; cbn [matches mkr]; [auto|].
  cbv zeta. rewrite Pos.eqb_refl.
  destruct (Pos.eqb_spec (extra pc) (main pc)) as [X|_]; [unfold main, extra in X; lia|].
  rewrite Pos.eqb_refl. split; [reflexivity|]. split; [reflexivity|].
  eapply matches_ext; [|apply IH]. intros x Hx. unfold main, extra in *. cbv beta.
  destruct (Pos.eqb_spec x (xO pc)); [lia|]. destruct (Pos.eqb_spec x (xI pc)); [lia|]. reflexivity.
Qed.
Opaque main extra.


Lemma go_ok r qs g0 s0 : rel r s0 g0 ->
  forall k pc p st s, ok r (cx st) -> rel r s (regs st) -> matches r pc (trace pc p s) ->
  go qs g0 k pc p st = true -> forall q, In q qs -> holds (wordsval s0 (exec p s)) q.
Proof.
  intros R0. induction k as [n k IH|h k IH|d k IH|key q l lk ks0 ks1 k IH|l key k0 IH0 k1 IH1|k|hs];
    intros pc p st s H R M; cbn [go].
  - revert pc p st s H R M. induction n as [|n IHn]; intros pc p st s H R M; [apply IH; assumption|].
    destruct p as [|i p]; [congruence|]. destruct (sstep (HComb []) pc i st) as [st'|] eqn:E; [|congruence].
    cbn [trace matches] in M. destruct M as (M0 & M1 & M2).
    destruct (sstep_ok r _ _ _ _ _ _ H R M0 M1 E) as [H' R']. cbn [exec]. apply IHn; assumption.
  - destruct p as [|i p]; [congruence|]. destruct (sstep h pc i st) as [st'|] eqn:E; [|congruence].
    cbn [trace matches] in M. destruct M as (M0 & M1 & M2).
    destruct (sstep_ok r _ _ _ _ _ _ H R M0 M1 E) as [H' R']. cbn [exec]. apply IH; assumption.
  - destruct (derive (cx st) d) as [c'|] eqn:E; [|congruence]. apply IH; cbn [cx regs]; try assumption. eapply derive_ok; eauto.
  - destruct (PM.find l (regs st)) as [w|] eqn:EL; [|congruence].
    pose proof (fnof_ok _ _ _ (R _ _ EL)) as F. destruct (fnof w) as [[[b v0] v1]|]; [|congruence]. destruct F as (y & B & _).
    destruct (learncase _ _ _ _ _ _ _) as [c'|] eqn:E; [|congruence]. apply IH; cbn [cx regs]; try assumption. eapply learncase_ok; eauto.
  - destruct (PM.find l (regs st)) as [w|] eqn:EL; [|congruence].
    pose proof (fnof_ok _ _ _ (R _ _ EL)) as F. destruct (fnof w) as [[[b v0] v1]|]; [|congruence].
    rewrite andb_true_iff. intros [G0 G1]. destruct F as (y & B & _).
    pose proof B as (_ & _ & [D|D]); rewrite D in B; destruct (fork_ok r s st key b _ H R B) as [H' R'].
    + eapply IH0; [| | |exact G0]; assumption.
    + eapply IH1; [| | |exact G1]; assumption.
  - intros A. destruct (absurd_ok r _ _ H A).
  - destruct p; [|congruence]. cbn [exec]. eapply goals_ok; eassumption.
Qed.

(* Input words are variables. *)
Fixpoint init (pc : positive) (l : list (loc * Z)) (st : sst) : positive * sst :=
  match l with
  | [] => (pc, st)
  | (x, m) :: l' =>
    let w := wvar (main pc) 0 m in let c := setv (cx st) (main pc) (0, m) in
    init (Pos.succ pc) l' {| regs := PM.add x w (regs st);
      cx := {| bnd := bnd c; facts := facts c; cdef := cdef c; lows := PM.add (main pc) w (lows c); zd := zd c; xd := xd c |} |}
  end.
Definition intrace (s : state) (l : list (loc * Z)) : list (Z * Z) := map (fun x => (s (fst x), 0)) l.
Lemma rel_add_same r s g l w : rel r s g -> wok r (s l) w -> rel r s (PM.add l w g).
Proof.
  intros H E l' p'. destruct (Pos.eq_dec l' l) as [->|N].
  - rewrite PM.gss. intros [= <-]; assumption.
  - rewrite PM.gso by assumption. apply H.
Qed.
Lemma init_ok r s l : forall pc st pc' st' t, init pc l st = (pc', st') ->
  ok r (cx st) -> rel r s (regs st) -> (forall x m, In (x, m) l -> 0 <= s x <= m) ->
  matches r pc (intrace s l ++ t) ->
  ok r (cx st') /\ rel r s (regs st') /\ matches r pc' t.
Proof.
  induction l as [|[x m] l IH]; intros pc st pc' st' t; cbn [init intrace map app].
  - intros [= <- <-]. auto.
  - intros E H R P. cbn [matches fst snd]. intros (M0 & M1 & M2). cbv zeta in E.
    assert (B : 0 <= s x <= m) by (apply P; left; reflexivity).
    assert (K : wok r (s x) (wvar (main pc) 0 m)) by (apply wvar_ok; [assumption|lia]).
    eapply IH; [exact E| | | |exact M2]; cbn [cx regs].
    + assert (H' : ok r (setv (cx st) (main pc) (0, m))) by (apply setv_ok; [assumption|]; rewrite M0; red; cbn [fst snd]; lia).
      destruct H' as (H1 & H2 & H3 & H4 & H5). split; [exact H1|]. split; [exact H2|]. split; [exact H3|]. split; [|exact H5]. cbn [lows].
      apply (pmadd _ (fun v w => wok r (r v) w)); [assumption|]. rewrite M0. assumption.
    + apply rel_add_same; assumption.
    + intros; eapply P; right; eassumption.
Qed.
Fixpoint prefacts (g : PM.t word) (key : positive) (l : list (list loc * Z)) (c : ctx) : option ctx :=
  match l with [] => Some c | (ls, m) :: l' => do w <- wwords g ls; prefacts g (Pos.succ key) l' (addfact c key (wA w) (0, m)) end.
Lemma prefacts_ok r s g l : rel r s g -> forall key c c', ok r c ->
  (forall ls m, In (ls, m) l -> 0 <= wval s ls <= m) -> prefacts g key l c = Some c' -> ok r c'.
Proof.
  intros R. induction l as [|[ls m] l IH]; intros key c c' H P; cbn [prefacts]; [congruence|].
  destruct (wwords g ls) as [w|] eqn:E; [cbn [bind]|cbn; congruence].
  apply IH; [|intros; eapply P; right; eassumption].
  apply (wwords_ok r s) in E; [|assumption]. destruct E as [(E & _) _].
  apply addfact_ok; [assumption|]. rewrite E. red; cbn [fst snd]. apply P; left; reflexivity.
Qed.
Definition empty : sst :=
  {| regs := PM.empty _; cx := {| bnd := PM.empty _; facts := PM.empty _; cdef := PM.empty _; lows := PM.empty _; zd := PM.empty _; xd := PM.empty _ |} |}.
Definition check (p : list instr) (c : contract) (k : cert) : bool :=
  let (pc, st0) := init 1 (cin c) empty in
  match prefacts (regs st0) 1000000 (cpre c) (cx st0) with
  | Some c0 => go (cclaims c) (regs st0) k pc p {| regs := regs st0; cx := c0 |}
  | None => false end.
Theorem check_sound p c k : check p c k = true -> correct p c.
Proof.
  unfold check, correct. destruct (init 1 (cin c) empty) as [pc st0] eqn:EI.
  intros K s [P1 P2]. set (t := intrace s (cin c) ++ trace pc p s). set (r := mkr 1 t).
  assert (M : matches r 1 t) by apply mkr_ok.
  destruct (init_ok r s _ _ _ _ _ (trace pc p s) EI) as (H0 & R0 & M0); try assumption.
  { split; [|split; [|split; [|split; [|split]]]]; cbn [empty cx bnd facts cdef lows zd xd]; intros v; [intros i|intros p0 i|intros w|intros w|intros w|intros w u]; rewrite PM.gempty; congruence. }
  { intros l q. cbn [empty regs]. rewrite PM.gempty. congruence. }
  destruct (prefacts (regs st0) 1000000 (cpre c) (cx st0)) as [c0|] eqn:E2; [|congruence].
  apply (prefacts_ok r s _ _ R0) in E2; try assumption.
  intros q. eapply go_ok; [exact R0| | |exact M0|exact K]; cbn [cx regs]; assumption.
Qed.
