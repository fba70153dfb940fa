(* Value numbering: two programs compute the same words if, with equal inputs,
   they apply equal operations to equal words. Moves, registers and the order of
   independent operations do not matter. *)
Require Import ZArith List Lia FMapPositive Bool Poly Instr Word Bits Slots.
Import ListNotations.
Open Scope Z_scope.
Local Opaque pw.

(* Words have numbers; an operand is a number, written L, or a constant. An
   operation on operands leaves its results at 1 and 2; next to it stands the
   number of the first one. *)
Record vst := { nxt : positive; tbl : PM.t (instr * positive); defs : PM.t instr; venv : PM.t src }.
Definition operand (st : vst) (x : src) : option src :=
  match x with
  | L l => PM.find l (venv st)
  | I z => if (0 <=? z) && (z <? W) then Some x else None
  end%bool.
Definition obind {A B} (x : option A) (f : A -> option B) : option B := match x with Some a => f a | None => None end.
Notation "'let?' x := e 'in' f" := (obind e (fun x => f)) (at level 200, x name, e at level 100, f at level 200).
Definition canon (st : vst) (i : instr) : option instr :=
  let o := operand st in
  match i with
  | Mov _ a => let? a := o a in Some (Mov 1 a)
  | Mul _ _ a b => let? a := o a in let? b := o b in Some (Mul 2 1 a b)
  | Adc _ _ a b c => let? a := o a in let? b := o b in let? c := o c in Some (Adc 1 2 a b c)
  | Sbb _ _ a b c => let? a := o a in let? b := o b in let? c := o c in Some (Sbb 1 2 a b c)
  | Cmov _ c a b => let? c := o c in let? a := o a in let? b := o b in Some (Cmov 1 c a b)
  | Logic p _ a b => let? a := o a in let? b := o b in Some (Logic p 1 a b)
  | Shr _ a n => let? a := o a in Some (Shr 1 a n)
  | Shl _ a n => if (n <=? 64)%N then let? a := o a in Some (Shl 1 a n) else None
  | Isz _ a => let? a := o a in Some (Isz 1 a)
  | Bzhi _ a b => let? a := o a in let? b := o b in Some (Bzhi 1 a b)
  end.
(* Where the results go, in the order in which they are written. *)
Definition outs (i : instr) : list (loc * loc) :=
  match i with
  | Mul hi lo _ _ => [(lo, 1%positive); (hi, 2%positive)]
  | Adc d c _ _ _ | Sbb d c _ _ _ => [(d, 1%positive); (c, 2%positive)]
  | Mov d _ | Shr d _ _ | Shl d _ _ | Isz d _ | Logic _ d _ _ | Cmov d _ _ _ | Bzhi d _ _ => [(d, 1%positive)]
  end.
Definition before (a b : src) : bool :=
  match a, b with L x, L y => Pos.leb x y | I _, L _ => false | _, _ => true end.
Definition isbit (st : vst) (x : src) : bool :=
  match x with
  | L l => match PM.find l (defs st) with Some (Shr _ _ n) => (n =? 63)%N | _ => false end
  | I _ => false end.
(* A normal form of equal operations. *)
Definition norm (st : vst) (j : instr) : instr :=
  let j := match j with Bzhi d a b => if isbit st b then Logic And d a b else j | _ => j end in
  match j with
  | Mul h l a b => if before a b then j else Mul h l b a
  | Adc d c a b x => if before a b then j else Adc d c b a x
  | Logic o d a b => if before a b then j else Logic o d b a
  | _ => j end.
(* Results that need no operation. *)
Definition simple (j : instr) : option (src * src) :=
  match j with
  | Mov _ a | Shr _ a 0 | Shl _ a 0 | Adc _ _ a (I 0) (I 0) => Some (a, I 0)
  | _ => None end.
Definition instr_dec (i j : instr) : {i = j} + {i <> j}.
Proof. repeat decide equality. Defined.
Definition code (x : src) : Z := match x with L l => 2 * Z.pos l | I z => 2 * z + 1 end.
Definition key (j : instr) : positive :=
  let mix := fold_left (fun h x => h * 1048583 + x) in
  let h := match j with
    | Mov _ a => mix [code a] 1
    | Mul _ _ a b => mix [code a; code b] 2
    | Adc _ _ a b c => mix [code a; code b; code c] 3
    | Sbb _ _ a b c => mix [code a; code b; code c] 4
    | Cmov _ c a b => mix [code c; code a; code b] 5
    | Logic And _ a b => mix [code a; code b] 6
    | Logic Or _ a b => mix [code a; code b] 7
    | Logic Xor _ a b => mix [code a; code b] 8
    | Shr _ a n => mix [code a; Z.of_N n] 9
    | Shl _ a n => mix [code a; Z.of_N n] 10
    | Isz _ a => mix [code a] 11
    | Bzhi _ a b => mix [code a; code b] 12
    end in Z.to_pos h.
Definition put (st : vst) (i : instr) (x y : src) : PM.t src :=
  fold_left (fun e p => PM.add (fst p) (if Pos.eqb (snd p) 1 then x else y) e) (outs i) (venv st).
Definition vstep (st : vst) (i : instr) : option vst :=
  let? j := canon st i in
  match simple j with
  | Some (x, y) => Some {| nxt := nxt st; tbl := tbl st; defs := defs st; venv := put st i x y |}
  | None =>
    let j := norm st j in
    let fresh := let n := nxt st in
      Some {| nxt := Pos.succ (Pos.succ n); tbl := PM.add (key j) (j, n) (tbl st); defs := PM.add n j (defs st);
              venv := put st i (L n) (L (Pos.succ n)) |} in
    match PM.find (key j) (tbl st) with
    | Some (k, n) => if instr_dec j k then Some {| nxt := nxt st; tbl := tbl st; defs := defs st; venv := put st i (L n) (L (Pos.succ n)) |} else fresh
    | None => fresh end
  end.
Fixpoint vrun (st : vst) (p : list instr) : option vst :=
  match p with [] => Some st | i :: p' => let? st' := vstep st i in vrun st' p' end.

(* r gives each number its word. *)
Definition below (n : positive) (x : src) : Prop := match x with L l => (l < n)%positive | I _ => True end.
Definition res (n : positive) (l : loc) : positive := if Pos.eqb l 1 then n else Pos.succ n.
Definition known (r : state) (n m : positive) (j : instr) : Prop :=
  (Pos.succ n < m)%positive /\ (forall x, In x (srcs j) -> below n x /\ 0 <= rd r x < W) /\
  (forall l, In l (map snd (outs j)) -> exec1 j r l = r (res n l)) /\ outs j <> [] /\ map fst (outs j) = map snd (outs j).
Definition vok (r : state) (st : vst) (s : state) : Prop :=
  (forall l, 0 <= r l < W) /\
  (forall k j n, PM.find k (tbl st) = Some (j, n) -> known r n (nxt st) j) /\
  (forall n j, PM.find n (defs st) = Some j -> known r n (nxt st) j) /\
  (forall l x, PM.find l (venv st) = Some x -> below (nxt st) x /\ 0 <= rd r x < W /\ rd r x = s l).
Definition agree (n : positive) (r r' : state) : Prop := forall l, (l < n)%positive -> r' l = r l.

Lemma operand_ok r st s x y : vok r st s -> operand st x = Some y -> below (nxt st) y /\ 0 <= rd r y < W /\ rd r y = rd s x.
Proof.
  intros (_ & _ & _ & H). destruct x as [l|z]; cbn [operand].
  - apply H.
  - destruct (_ && _)%bool eqn:E; [|congruence]. rewrite andb_true_iff, Z.leb_le, Z.ltb_lt in E. intros [= <-]. cbn. auto.
Qed.
(* What an instruction does, in terms of its operation. *)
Definition written (i j : instr) (r s : state) : state :=
  fold_left (fun t p => upd t (fst p) (exec1 j r (snd p))) (outs i) s.
Definition normal (j : instr) : Prop := map fst (outs j) = map snd (outs j) /\ outs j <> [] /\ forall l, In l (map snd (outs j)) -> l = 1%positive \/ l = 2%positive.
Lemma canon_ok r st s i j : vok r st s -> canon st i = Some j ->
  (forall l, exec1 i s l = written i j r s l) /\ map snd (outs i) = map snd (outs j) /\ normal j /\
  (forall x, In x (srcs j) -> below (nxt st) x /\ 0 <= rd r x < W) /\ shift_ok j = true.
Proof.
  intros H. pose proof (fun x y => operand_ok r st s x y H) as O.
  destruct i; cbn [canon]; try destruct (n <=? 64)%N eqn:EN; try discriminate;
  repeat match goal with |- context [operand st ?a] =>
    let E := fresh "E" in let v := fresh "v" in destruct (operand st a) as [v|] eqn:E; cbn [obind]; [|discriminate]; apply O in E; destruct E as (? & ? & ?) end;
  intros [= <-]; unfold normal; cbn [outs map fst snd srcs In shift_ok]; (split; [|split; [reflexivity|split; [split; [reflexivity|split; [discriminate|intuition congruence]]|split; [|assumption || reflexivity]]]]);
  try (intros x X; repeat destruct X as [<-|X]; try contradiction; auto; fail);
  intros l; unfold written; cbn [outs fold_left fst snd exec1]; cbv zeta; unfold upd; cbn [Pos.eqb];
  repeat match goal with E : rd r _ = rd s _ |- _ => rewrite E; clear E end; reflexivity.
Qed.
Lemma isbit_ok r st s x : vok r st s -> isbit st x = true -> rd r x = 0 \/ rd r x = 1.
Proof.
  intros (H1 & _ & H3 & _). destruct x as [l|z]; cbn [isbit]; [|congruence].
  destruct (PM.find l (defs st)) as [j|] eqn:E; [|congruence]. destruct j as [| | | | | |d a n| | |]; try congruence. intros N. apply N.eqb_eq in N. subst n.
  destruct (H3 _ _ E) as (_ & K2 & K3 & _ & K4). cbn [outs map fst snd In srcs] in *. injection K4 as ->. specialize (K3 1%positive (or_introl eq_refl)).
  change (res l 1) with l in K3. cbn [rd exec1] in *. unfold upd in K3. rewrite Pos.eqb_refl in K3. rewrite <- K3.
  destruct (K2 a (or_introl eq_refl)) as [_ B]. Transparent pw. change (pw 63) with (2 ^ 63). Opaque pw. unfold W in B.
  assert (0 <= rd r a / 2 ^ 63) by (apply Z.div_pos; lia). assert (rd r a / 2 ^ 63 < 2) by (apply Z.div_lt_upper_bound; lia). lia.
Qed.
Lemma norm_ok r st s j : vok r st s -> normal j -> (forall x, In x (srcs j) -> below (nxt st) x /\ 0 <= rd r x < W) -> shift_ok j = true ->
  (forall l, exec1 (norm st j) r l = exec1 j r l) /\ outs (norm st j) = outs j /\
  (forall x, In x (srcs (norm st j)) -> below (nxt st) x /\ 0 <= rd r x < W) /\ shift_ok (norm st j) = true.
Proof.
  intros H N B SO. destruct j as [d a|h l a b|d c a b x|d c a b x|d c a b|o d a b|d a n|d a n|d a|d a b]; cbn [norm]; auto 10.
  - destruct (before a b); auto 10. cbn [srcs In outs exec1 shift_ok] in *. cbv zeta. rewrite (Z.mul_comm (rd r b)). (split; [reflexivity|split; [reflexivity|split; [|assumption]]]); intros y Y; apply B; tauto.
  - destruct (before a b); auto 10. cbn [srcs In outs exec1 shift_ok] in *. cbv zeta. rewrite (Z.add_comm (rd r b)). (split; [reflexivity|split; [reflexivity|split; [|assumption]]]); intros y Y; apply B; tauto.
  - destruct (before a b); auto 10. cbn [srcs In outs exec1 shift_ok] in *.
    assert (E : lopz o (rd r b) (rd r a) = lopz o (rd r a) (rd r b)) by (destruct o; cbn [lopz]; [apply Z.land_comm|apply Z.lor_comm|apply Z.lxor_comm]).
    rewrite E. (split; [reflexivity|split; [reflexivity|split; [|assumption]]]); intros y Y; apply B; tauto.
  - destruct (isbit st b) eqn:EB; [|unfold norm; rewrite EB; auto 10].
    assert (NE : norm st (Bzhi d a b) = if before a b then Logic And d a b else Logic And d b a) by (unfold norm; rewrite EB; reflexivity).
    rewrite NE. clear NE. apply (isbit_ok r st s) in EB; [|assumption].
    assert (E : forall l, exec1 (Logic And d a b) r l = exec1 (Bzhi d a b) r l).
    { intros l. cbn [exec1 lopz]. f_equal. destruct EB as [-> | ->].
      - change (2 ^ (0 mod 256)) with 1. rewrite Z.land_0_r, Z.mod_1_r. reflexivity.
      - change (2 ^ (1 mod 256)) with (2 ^ 1). rewrite <- Z.land_ones by lia. reflexivity. }
    destruct (before a b).
    + split; [exact E|split; [reflexivity|split; [exact B|reflexivity]]].
    + split; [|split; [reflexivity|split; [|reflexivity]]]; [|intros y Y; apply B; cbn [srcs In] in *; tauto].
      intros l. rewrite <- E. cbn [exec1 lopz]. rewrite Z.land_comm. reflexivity.
Qed.
Lemma simple_ok r j x y : (forall x, In x (srcs j) -> 0 <= rd r x < W) -> normal j -> simple j = Some (x, y) ->
  (forall l, In l (map snd (outs j)) -> exec1 j r l = rd r (if Pos.eqb l 1 then x else y)) /\ In x (srcs j) /\ y = I 0.
Proof.
  intros B (N1 & _ & N2). destruct j as [d a|h l a b|d c a b e|d c a b e|d c a b|o d a b|d a n|d a n|d a|d a b]; cbn [simple]; try discriminate.
  - intros [= <- <-]. cbn [outs map fst snd srcs In exec1] in *. injection N1 as ->. split; [|auto]. intros l [<-|[]]. reflexivity.
  - destruct b as [|z]; [discriminate|]. destruct z; try discriminate. destruct e as [|z]; [discriminate|]. destruct z; try discriminate.
    intros [= <- <-]. cbn [outs map fst snd srcs In exec1 rd] in *. injection N1 as -> ->. split; [|auto].
    specialize (B a (or_introl eq_refl)). intros l X. cbv zeta. rewrite !Z.add_0_r. unfold upd.
    destruct X as [<-|[<-|[]]]; cbn [Pos.eqb]; [apply Z.mod_small; exact B|apply Z.div_small; exact B].
  - destruct n; [|discriminate]. intros [= <- <-]. cbn [outs map fst snd srcs In exec1] in *. injection N1 as ->. split; [|auto]. intros l [<-|[]].
    unfold upd. rewrite Pos.eqb_refl. apply Z.div_1_r.
  - destruct n; [|discriminate]. intros [= <- <-]. cbn [outs map fst snd srcs In exec1] in *. injection N1 as ->. split; [|auto]. intros l [<-|[]].
    unfold upd. rewrite Pos.eqb_refl. specialize (B a (or_introl eq_refl)). change (64 - 0)%N with 64%N.
    Transparent pw. change (pw 0) with 1. change (pw 64) with W. Opaque pw. rewrite Z.mul_1_l. apply Z.mod_small. exact B.
Qed.
Lemma put_ok r r' st s i j x y : vok r st s -> agree (nxt st) r r' -> (forall l, 0 <= r' l < W) ->
  map snd (outs i) = map snd (outs j) -> normal j -> (forall l, exec1 i s l = written i j r s l) ->
  forall m, (nxt st <= m)%positive -> below m x /\ 0 <= rd r' x < W -> below m y /\ 0 <= rd r' y < W ->
  (forall l, In l (map snd (outs j)) -> exec1 j r l = rd r' (if Pos.eqb l 1 then x else y)) ->
  forall l z, PM.find l (put st i x y) = Some z -> below m z /\ 0 <= rd r' z < W /\ rd r' z = exec1 i s l.
Proof.
  intros H A R' E N W' m M X Y V l z. rewrite W'. unfold put, written. rewrite <- E in V. clear W' E.
  assert (G : forall l z, PM.find l (venv st) = Some z -> below m z /\ 0 <= rd r' z < W /\ rd r' z = s l).
  { intros l' z' F. destruct H as (_ & _ & _ & H). destruct (H _ _ F) as (H1 & H2 & H3). destruct z' as [n|c]; cbn [below rd] in *; [|auto].
    rewrite A by assumption. split; [lia|auto]. }
  revert G V. generalize (venv st), s. generalize (outs i). clear - X Y.
  induction l0 as [|[d k] os IH]; intros e t G V; cbn [fold_left fst snd map In] in *; [apply G|].
  apply IH; [|auto]. intros l' z' F. unfold upd. destruct (Pos.eqb_spec l' d) as [->|Nd].
  - rewrite PM.gss in F. assert (E : z' = if Pos.eqb k 1 then x else y) by congruence. rewrite E, (V k (or_introl eq_refl)).
    destruct (Pos.eqb k 1); [destruct X|destruct Y]; auto.
  - rewrite PM.gso in F by assumption. apply G. assumption.
Qed.
Lemma rd_agree n r r' x : agree n r r' -> below n x -> rd r' x = rd r x.
Proof. intros A. destruct x; cbn [rd below]; auto. Qed.
Lemma exec1_rd j r r' : (forall x, In x (srcs j) -> rd r' x = rd r x) -> normal j -> forall l, In l (map snd (outs j)) -> exec1 j r' l = exec1 j r l.
Proof.
  intros H (N & _ & _) l X. apply exec1_same; [exact H|]. rewrite <- N in X.
  destruct j; cbn [outs map fst snd In dsts] in *; intuition.
Qed.
Lemma known_agree r r' n m m' j : agree m r r' -> (m <= m')%positive -> known r n m j -> (forall l, In l (map snd (outs j)) -> l = 1%positive \/ l = 2%positive) -> known r' n m' j.
Proof.
  intros A M (K1 & K2 & K3 & K4 & K5) N.
  assert (B : forall x, In x (srcs j) -> rd r' x = rd r x).
  { intros x X. apply (rd_agree m); [assumption|]. destruct (K2 x X) as [K _]. destruct x; cbn [below] in *; [lia|exact Logic.I]. }
  split; [lia|]. split; [|split; [|split; assumption]].
  - intros x X. rewrite B by assumption. apply K2. assumption.
  - intros l X. rewrite (exec1_rd j r r' B) by (repeat split; assumption). rewrite K3 by assumption. symmetry. apply A. unfold res. destruct (Pos.eqb l 1); lia.
Qed.
Lemma vstep_ok r st s i st' : vok r st s -> vstep st i = Some st' ->
  exists r', vok r' st' (exec1 i s) /\ agree (nxt st) r r' /\ (nxt st <= nxt st')%positive.
Proof.
  intros H. unfold vstep. destruct (canon st i) as [j|] eqn:EC; cbn [obind]; [|discriminate].
  destruct (canon_ok r st s i j H EC) as (C1 & C2 & C3 & C4 & C5). pose proof H as (H1 & H2 & H3 & H4).
  destruct (simple j) as [[x y]|] eqn:ES.
  { intros [= <-]. exists r. cbn [nxt]. split; [|split; [intros l _; reflexivity|lia]].
    destruct (simple_ok r j x y (fun x X => proj2 (C4 x X)) C3 ES) as (S1 & S2 & ->).
    split; [assumption|]. cbn [tbl defs nxt venv]. split; [assumption|]. split; [assumption|].
    apply (put_ok r r st s i j x (I 0) H); auto; [intros l _; reflexivity|lia|]. cbn [below rd]. split; [exact Logic.I|]. unfold W. lia. }
  destruct (norm_ok r st s j H C3 C4 C5) as (N1 & N2 & N3 & N4). set (k := norm st j) in *. clearbody k.
  assert (NK : normal k) by (unfold normal in *; rewrite N2; exact C3).
  assert (FR : forall st', st' = {| nxt := Pos.succ (Pos.succ (nxt st)); tbl := PM.add (key k) (k, nxt st) (tbl st); defs := PM.add (nxt st) k (defs st);
              venv := put st i (L (nxt st)) (L (Pos.succ (nxt st))) |} ->
    exists r', vok r' st' (exec1 i s) /\ agree (nxt st) r r' /\ (nxt st <= nxt st')%positive).
  { clear st'. intros st' ->. set (n := nxt st) in *.
    set (v l := if existsb (Pos.eqb l) (map snd (outs k)) then exec1 k r l else 0).
    set (r' := upd (upd r n (v 1%positive)) (Pos.succ n) (v 2%positive)). exists r'. cbn [nxt].
    assert (A : agree n r r').
    { intros l X. unfold r', upd. destruct (Pos.eqb_spec l (Pos.succ n)); [lia|]. destruct (Pos.eqb_spec l n); [lia|reflexivity]. }
    assert (VR : forall l, 0 <= v l < W).
    { intros l. unfold v. destruct (existsb _ _) eqn:EX; [|unfold W; lia]. apply existsb_exists in EX. destruct EX as (y & Y1 & Y2). apply Pos.eqb_eq in Y2. subst y.
      apply exec1_range; [assumption|intros x X; apply N3; exact X|]. destruct NK as (NK & _). rewrite <- NK in Y1.
      clear - Y1. destruct k; cbn [outs map fst In dsts] in *; tauto. }
    assert (R' : forall l, 0 <= r' l < W).
    { intros l. unfold r', upd. destruct (Pos.eqb l _); [apply VR|]. destruct (Pos.eqb l _); [apply VR|apply H1]. }
    assert (RV : forall l, In l (map snd (outs k)) -> exec1 k r l = r' (res n l)).
    { intros l X. assert (V : v l = exec1 k r l).
      { unfold v. replace (existsb _ _) with true; [reflexivity|]. symmetry. apply existsb_exists. exists l. split; [assumption|apply Pos.eqb_refl]. }
      rewrite <- V. destruct NK as (_ & _ & NK). unfold res, r', upd. destruct (NK l X) as [-> | ->]; cbn [Pos.eqb].
      - destruct (Pos.eqb_spec n (Pos.succ n)); [lia|]. rewrite Pos.eqb_refl. reflexivity.
      - rewrite Pos.eqb_refl. reflexivity. }
    assert (KN : known r' n (Pos.succ (Pos.succ n)) k).
    { assert (B : forall x, In x (srcs k) -> rd r' x = rd r x) by (intros x X; apply (rd_agree n); [assumption|apply N3; assumption]).
      split; [lia|]. split; [intros x X; rewrite B by assumption; apply N3; assumption|]. split; [|split; apply NK].
      intros l X. rewrite (exec1_rd k r r' B NK l X). apply RV. assumption. }
    assert (OLD : forall m j0, known r m (nxt st) j0 -> known r' m (Pos.succ (Pos.succ n)) j0).
    { intros m j0 KK. eapply known_agree; [exact A|lia|exact KK|]. destruct KK as (_ & _ & _ & _ & KK). intros l X. clear - X KK.
      destruct j0; cbn [outs map fst snd In] in *; intuition (subst; auto). }
    split; [|split; [exact A|lia]]. split; [assumption|]. cbn [tbl defs nxt venv]. split; [|split].
    - intros q j0 m F. destruct (Pos.eq_dec q (key k)) as [->|NE].
      + rewrite PM.gss in F. injection F as <- <-. exact KN.
      + rewrite PM.gso in F by assumption. apply OLD. eapply H2; eassumption.
    - intros q j0 F. destruct (Pos.eq_dec q n) as [->|NE].
      + rewrite PM.gss in F. injection F as <-. exact KN.
      + rewrite PM.gso in F by assumption. apply OLD. apply H3. assumption.
    - apply (put_ok r r' st s i j _ _ H A R' C2 C3 C1); cbn [below rd]; [lia|split; [lia|apply R']|split; [lia|apply R']|].
      intros l X. rewrite <- N1. rewrite <- N2 in X. rewrite (RV l X). unfold res. destruct (Pos.eqb l 1); reflexivity. }
  cbv zeta. destruct (PM.find (key k) (tbl st)) as [[k' n]|] eqn:EF; [|intros [= <-]; apply FR; reflexivity].
  destruct (instr_dec k k') as [<-|NE]; [|intros [= <-]; apply FR; reflexivity].
  intros [= <-]. exists r. cbn [nxt]. split; [|split; [intros l _; reflexivity|lia]].
  destruct (H2 _ _ _ EF) as (K1 & K2 & K3 & _). split; [assumption|]. cbn [tbl defs nxt venv]. split; [assumption|]. split; [assumption|].
  apply (put_ok r r st s i j _ _ H); auto; cbn [below rd]; [intros l _; reflexivity|lia|split; [lia|apply H1]|split; [lia|apply H1]|].
  intros l X. rewrite <- N1. rewrite <- N2 in X. rewrite (K3 l X). unfold res. destruct (Pos.eqb l 1); reflexivity.
Qed.
Lemma vrun_ok p : forall r st s st', vok r st s -> vrun st p = Some st' ->
  exists r', vok r' st' (exec p s) /\ agree (nxt st) r r' /\ (nxt st <= nxt st')%positive.
Proof.
  induction p as [|i p IH]; intros r st s st' H; cbn [vrun exec].
  - intros [= <-]. exists r. split; [assumption|]. split; [intros l _; reflexivity|lia].
  - destruct (vstep st i) as [st1|] eqn:E; cbn [obind]; [|discriminate]. intros R.
    destruct (vstep_ok r st s i st1 H E) as (r1 & V1 & A1 & L1). destruct (IH _ _ _ _ V1 R) as (r2 & V2 & A2 & L2).
    exists r2. split; [assumption|]. split; [|lia]. intros l X. rewrite A2 by lia. apply A1. assumption.
Qed.

(* Both programs start with equal words at the locations of ins, and must end
   with equal words at those of outs. Where two places of the first program start
   with the word of one place of the second, their words are known to be equal. *)
Fixpoint vinit (n : positive) (l : list loc) : PM.t src :=
  match l with [] => PM.empty _ | x :: l' => PM.add x (L n) (vinit (Pos.succ n) l') end.
Fixpoint vlike (e : PM.t src) (l : list (loc * loc)) : PM.t src :=
  match l with
  | [] => PM.empty _
  | (a, b) :: l' => match PM.find b e with Some x => PM.add a x (vlike e l') | None => vlike e l' end
  end.
Definition src_eqb (x y : src) : bool := match x, y with L a, L b => Pos.eqb a b | I a, I b => Z.eqb a b | _, _ => false end.
Definition same (p q : list instr) (ins outs : list (loc * loc)) : bool :=
  let e := vinit 1 (map snd ins) in
  match vrun {| nxt := Pos.of_succ_nat (length ins); tbl := PM.empty _; defs := PM.empty _; venv := vlike e ins |} p with
  | Some s1 =>
    match vrun {| nxt := nxt s1; tbl := tbl s1; defs := defs s1; venv := e |} q with
    | Some s2 => forallb (fun o => match PM.find (fst o) (venv s1), PM.find (snd o) (venv s2) with Some x, Some y => src_eqb x y | _, _ => false end) outs
    | None => false end
  | None => false end.
Lemma vinit_ok r (s : state) l x : forall n m, PM.find x (vinit n l) = Some m -> (forall i, (i < length l)%nat -> r (Pos.of_nat (Pos.to_nat n + i)) = s (nth i l 1%positive)) ->
  exists i, m = L (Pos.of_nat (Pos.to_nat n + i)) /\ (i < length l)%nat /\ rd r m = s x.
Proof.
  induction l as [|y l IH]; intros n m; cbn [vinit]; [rewrite PM.gempty; discriminate|]. intros F R.
  destruct (Pos.eq_dec x y) as [->|N].
  - rewrite PM.gss in F. injection F as <-. exists O. specialize (R O). cbn [length nth] in *. rewrite Nat.add_0_r, Pos2Nat.id in *. cbn [rd]. split; [reflexivity|]. split; [lia|apply R; lia].
  - rewrite PM.gso in F by assumption. destruct (IH _ _ F) as (i & I1 & I2 & I3).
    + intros i Hi. specialize (R (S i)). cbn [length nth] in R. rewrite Pos2Nat.inj_succ. replace (S (Pos.to_nat n) + i)%nat with (Pos.to_nat n + S i)%nat by lia. apply R. lia.
    + exists (S i). rewrite I1, Pos2Nat.inj_succ. cbn [length]. split; [do 2 f_equal; lia|]. split; [lia|]. rewrite I1, Pos2Nat.inj_succ in I3. exact I3.
Qed.
Lemma vlike_ok e l a x : PM.find a (vlike e l) = Some x -> exists b, In (a, b) l /\ PM.find b e = Some x.
Proof.
  induction l as [|[u v] l IH]; cbn [vlike]; [rewrite PM.gempty; discriminate|]. intros F.
  assert (R : PM.find a (vlike e l) = Some x -> exists b, In (a, b) ((u, v) :: l) /\ PM.find b e = Some x).
  { intros F'. destruct (IH F') as (b & B1 & B2). exists b. split; [right; assumption|assumption]. }
  destruct (PM.find v e) as [y|] eqn:E; [|auto]. destruct (Pos.eq_dec a u) as [->|N].
  - rewrite PM.gss in F. exists v. split; [left; reflexivity|congruence].
  - rewrite PM.gso in F by assumption. auto.
Qed.
Theorem same_ok p q ins outs : same p q ins outs = true -> forall s s',
  (forall a b, In (a, b) ins -> s a = s' b /\ 0 <= s a < W) ->
  forall a b, In (a, b) outs -> exec p s a = exec q s' b.
Proof.
  unfold same. cbv zeta. intros K s s' HI. set (e := vinit 1 (map snd ins)) in *.
  set (st0 := {| nxt := Pos.of_succ_nat (length ins); tbl := PM.empty _; defs := PM.empty _; venv := vlike e ins |}) in *.
  set (r := fun l => if (Nat.leb (Pos.to_nat l) (length ins)) then s' (snd (nth (Pos.to_nat l - 1) ins (1, 1)%positive)) else 0).
  assert (RI : forall i, (i < length ins)%nat -> r (Pos.of_nat (Pos.to_nat 1 + i)) = s' (snd (nth i ins (1, 1)%positive))).
  { intros i Hi. unfold r. rewrite Nat2Pos.id by lia. change (Pos.to_nat 1) with 1%nat. destruct (Nat.leb_spec (1 + i) (length ins)); [|lia]. do 3 f_equal. lia. }
  assert (RR : forall l, 0 <= r l < W).
  { intros l. unfold r. destruct (Nat.leb_spec (Pos.to_nat l) (length ins)); [|unfold W; lia].
    destruct (nth (Pos.to_nat l - 1) ins (1, 1)%positive) as [a b] eqn:E. cbn [snd]. destruct (HI a b) as [<- X]; [|exact X]. rewrite <- E. apply nth_In. pose proof (Pos2Nat.is_pos l). lia. }
  assert (VE : forall l x, PM.find l e = Some x -> below (nxt st0) x /\ 0 <= rd r x < W /\ rd r x = s' l).
  { intros l x F. destruct (vinit_ok r s' _ _ _ _ F) as (i & -> & I2 & I3).
    { intros i Hi. rewrite map_length in Hi. rewrite RI by assumption. pose proof (map_nth snd ins (1, 1)%positive i) as M. cbn [snd] in M. rewrite M. reflexivity. }
    rewrite map_length in I2. cbn [st0 nxt]. split; [cbn [below]; lia|]. split; [apply RR|assumption]. }
  assert (V0 : vok r st0 s).
  { split; [assumption|]. cbn [st0 tbl defs nxt venv]. split; [intros ? ? ?; rewrite PM.gempty; discriminate|]. split; [intros ? ?; rewrite PM.gempty; discriminate|].
    intros l x F. apply vlike_ok in F. destruct F as (b & B1 & B2). apply VE in B2. destruct (HI _ _ B1) as [-> _]. exact B2. }
  destruct (vrun st0 p) as [s1|] eqn:E1; [|discriminate]. destruct (vrun_ok p r st0 s s1 V0 E1) as (r1 & (P1 & P2 & P3 & P4) & A1 & L1).
  set (st1 := {| nxt := nxt s1; tbl := tbl s1; defs := defs s1; venv := e |}) in *.
  assert (V1 : vok r1 st1 s').
  { split; [assumption|]. cbn [st1 tbl defs nxt venv]. split; [assumption|]. split; [assumption|].
    intros l x F. apply VE in F. destruct F as (F1 & F2 & F3). rewrite (rd_agree (nxt st0) r r1 x A1 F1).
    split; [|auto]. destruct x; cbn [below] in *; [lia|exact Logic.I]. }
  destruct (vrun st1 q) as [s2|] eqn:E2; [|discriminate]. destruct (vrun_ok q r1 st1 s' s2 V1 E2) as (r2 & (Q1 & Q2 & Q3 & Q4) & A2 & L2).
  intros a b IO. rewrite forallb_forall in K. specialize (K _ IO). cbn [fst snd] in K.
  destruct (PM.find a (venv s1)) as [x|] eqn:FA; [|discriminate]. destruct (PM.find b (venv s2)) as [y|] eqn:FB; [|discriminate].
  destruct (P4 _ _ FA) as (X1 & _ & X2). destruct (Q4 _ _ FB) as (_ & _ & Y2). rewrite <- X2, <- Y2.
  assert (EX : x = y).
  { destruct x as [c|c], y as [d|d]; cbn [src_eqb] in K; try discriminate; f_equal; [apply Pos.eqb_eq; assumption|apply Z.eqb_eq; assumption]. }
  rewrite <- EX. symmetry. apply (rd_agree (nxt s1)); assumption.
Qed.
