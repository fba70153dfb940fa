(* The simulation: what a program on the machine does to the words of its
   buffers is what its translation does to locations. Addresses that the
   translation cannot tell make it fail. *)
Require Import ZArith List Lia FMapPositive Bool Poly Instr Machine Slots.
Import ListNotations.
Open Scope Z_scope.

(* What is known of a location that holds no plain word: an address (offset o
   in buffer b), or nothing. *)
Inductive tag := Ptr (b o : Z) | Junk.
Definition env := PM.t tag.
(* The words of each buffer, and which of them may be written. *)
Record layout := { lsize : Z -> Z; lwrite : Z -> Z -> bool }.
Definition valid (Y : layout) (b k : Z) : bool := ((0 <=? b) && (0 <=? k) && (k <? lsize Y b) && (k <? 64))%bool.
Definition slot (b k : Z) : loc := Z.to_pos (1000 + 64 * b + k).
Definition isreg (l : loc) : bool := Pos.ltb l 1000.
Definition clean (e : env) (x : src) : bool :=
  match x with
  | L l => isreg l && match PM.find l e with None => true | _ => false end
  | I z => (0 <=? z) && (z <? W)
  end%bool.
Definition ptr (e : env) (l : loc) : option (Z * Z) :=
  if isreg l then match PM.find l e with Some (Ptr b o) => Some (b, o) | _ => None end else None.
Definition signed (z : Z) : Z := if z <? 9223372036854775808 then z else z - W.
Definition cell (Y : layout) (e : env) (b : loc) (o : Z) : option (Z * Z) :=
  match ptr e b with
  | Some (r, q) => if ((q + o) mod 8 =? 0) && valid Y r ((q + o) / 8) then Some (r, (q + o) / 8) else None
  | None => None end%bool.
Definition plain (e : env) (i : instr) : option (list instr * env) :=
  if (forallb (clean e) (srcs i) && forallb isreg (dsts i) && shift_ok i)%bool
  then Some ([i], fold_right (PM.remove (A:=tag)) e (dsts i)) else None.
(* d := the address (b, o), and the carry is lost *)
Definition move (e : env) (d c : loc) (b o : Z) : option (list instr * env) :=
  if (isreg d && isreg c && negb (Pos.eqb d c))%bool then Some ([], PM.add c Junk (PM.add d (Ptr b o) e)) else None.
(* to := from, an address or a word *)
Definition copy (e : env) (to from : loc) : list instr * env :=
  match PM.find from e with
  | Some t => ([], PM.add to t e)
  | None => ([Mov to (L from)], PM.remove to e)
  end.
Definition tr (Y : layout) (e : env) (op : mop) : option (list instr * env) :=
  match op with
  | Op i =>
    match i with
    | Mov d (L s) => if (isreg d && isreg s)%bool then Some (copy e d s) else None
    | Adc d c (L a) (I v) (I 0) => match ptr e a with Some (b, o) => if clean e (I v) then move e d c b (o + signed v) else None | None => plain e i end
    | Sbb d c (L a) (I v) (I 0) => match ptr e a with Some (b, o) => if clean e (I v) then move e d c b (o - signed v) else None | None => plain e i end
    | _ => plain e i
    end
  | Load d b o =>
    match cell Y e b o with
    | Some (r, k) => if isreg d then Some (copy e d (slot r k)) else None
    | None => None end
  | Store b o a =>
    match cell Y e b o with
    | Some (r, k) =>
      if lwrite Y r k then
        match a with
        | L s => if isreg s then Some (copy e (slot r k) s) else None
        | I _ => if clean e a then Some ([Mov (slot r k) a], PM.remove (slot r k) e) else None
        end
      else None
    | None => None end
  | Havoc d => if isreg d then Some ([], PM.add d Junk e) else None
  end.
Fixpoint trs (Y : layout) (e : env) (p : list mop) : option (list instr * env) :=
  match p with
  | [] => Some ([], e)
  | op :: p' =>
    match tr Y e op with
    | Some (is, e1) => match trs Y e1 p' with Some (js, e2) => Some (is ++ js, e2) | None => None end
    | None => None end
  end.

Definition tagval (B : Z -> Z) (t : tag) (z : Z) : Prop := match t with Ptr b o => z = (B b + o) mod W | Junk => True end.
Definition rep (B : Z -> Z) (e : env) (l : loc) (z : Z) (t : state) : Prop :=
  match PM.find l e with None => t l = z | Some g => tagval B g z end.
Definition addr (B : Z -> Z) (b k : Z) : Z := B b + 8 * k.
Definition sim (B : Z -> Z) (Y : layout) (e : env) (s : mstate) (t : state) : Prop :=
  (forall l, isreg l = true -> rep B e l (reg s l) t) /\
  (forall b k, valid Y b k = true -> rep B e (slot b k) (load64 (mem s) (addr B b k)) t) /\
  (forall l, isreg l = true -> 0 <= reg s l < W) /\
  bytes (mem s).
(* Different words of buffers do not overlap. *)
Definition good (B : Z -> Z) (Y : layout) : Prop := forall b k b' k',
  valid Y b k = true -> valid Y b' k' = true -> (b, k) <> (b', k') -> apart (addr B b k) (addr B b' k').

Lemma valid_inv Y b k : valid Y b k = true -> 0 <= b /\ 0 <= k < 64 /\ k < lsize Y b.
Proof. unfold valid. rewrite !andb_true_iff, !Z.leb_le, !Z.ltb_lt. lia. Qed.
Lemma slot_noreg Y b k l : valid Y b k = true -> isreg l = true -> slot b k <> l.
Proof. intros V H. apply valid_inv in V. unfold isreg, slot in *. apply Pos.ltb_lt in H. lia. Qed.
Lemma slot_inj Y b k b' k' : valid Y b k = true -> valid Y b' k' = true -> slot b k = slot b' k' -> (b, k) = (b', k').
Proof. intros V V' E. apply valid_inv in V, V'. unfold slot in E. f_equal; lia. Qed.

Lemma rep_same B e e' l z t t' : PM.find l e' = PM.find l e -> t' l = t l -> rep B e l z t -> rep B e' l z t'.
Proof. unfold rep. intros -> E. destruct (PM.find l e); congruence. Qed.
Lemma sim_regs B Y e e' s g t t' ds : sim B Y e s t ->
  (forall l, In l ds -> isreg l = true /\ 0 <= g l < W /\ rep B e' l (g l) t') ->
  (forall l, ~ In l ds -> PM.find l e' = PM.find l e /\ t' l = t l /\ g l = reg s l) ->
  sim B Y e' {| reg := g; mem := mem s |} t'.
Proof.
  intros (S1 & S2 & S3 & S4) D O. split; [|split; [|split]]; cbn [reg mem]; [| | |exact S4].
  - intros l H. destruct (in_dec Pos.eq_dec l ds) as [X|X]; [apply D; assumption|].
    destruct (O l X) as (E1 & E2 & ->). eapply rep_same; [exact E1|exact E2|apply S1; assumption].
  - intros b k V. destruct (in_dec Pos.eq_dec (slot b k) ds) as [X|X].
    + exfalso. apply D in X. destruct X as (X & _). eapply slot_noreg; [exact V|exact X|reflexivity].
    + destruct (O _ X) as (E1 & E2 & _). eapply rep_same; [exact E1|exact E2|apply S2; assumption].
  - intros l H. destruct (in_dec Pos.eq_dec l ds) as [X|X]; [apply D; assumption|]. destruct (O l X) as (_ & _ & ->). apply S3; assumption.
Qed.
Lemma sim_store B Y e e' s t t' a v b k : good B Y -> sim B Y e s t -> valid Y b k = true -> 0 <= v < W ->
  a mod W = addr B b k mod W ->
  rep B e' (slot b k) v t' ->
  (forall l, l <> slot b k -> PM.find l e' = PM.find l e /\ t' l = t l) ->
  sim B Y e' {| reg := reg s; mem := store64 (mem s) a v |} t'.
Proof.
  intros G (S1 & S2 & S3 & S4) V RV EA RP O. split; [|split; [|split]]; cbn [reg mem]; [| |exact S3|apply bytes_store; exact S4].
  - intros l H. destruct (O l) as (E1 & E2); [intros ->; eapply slot_noreg; [exact V|exact H|reflexivity]|].
    eapply rep_same; [exact E1|exact E2|apply S1; assumption].
  - intros b' k' V'. destruct (Pos.eq_dec (slot b' k') (slot b k)) as [E|N].
    + pose proof (slot_inj Y _ _ _ _ V' V E) as X. injection X as -> ->. rewrite load_same; assumption.
    + destruct (O _ N) as (E1 & E2). rewrite load_other.
      * eapply rep_same; [exact E1|exact E2|apply S2; assumption].
      * assert (AP : apart (addr B b k) (addr B b' k')) by (apply G; try assumption; intros X; injection X as -> ->; congruence).
        intros i j Hi Hj. specialize (AP i j Hi Hj). rewrite <- Zplus_mod_idemp_l, EA, Zplus_mod_idemp_l. exact AP.
Qed.
Lemma clean_ok B Y e s t x : sim B Y e s t -> clean e x = true -> rd (reg s) x = rd t x /\ 0 <= rd (reg s) x < W.
Proof.
  intros (S1 & _ & S3 & _). destruct x as [l|z]; cbn [clean rd].
  - rewrite andb_true_iff. intros [H E]. specialize (S1 l H). unfold rep in S1. destruct (PM.find l e); [congruence|]. split; [congruence|auto].
  - rewrite andb_true_iff, Z.leb_le, Z.ltb_lt. auto.
Qed.
Lemma ptr_ok B Y e s t l b o : sim B Y e s t -> ptr e l = Some (b, o) -> isreg l = true /\ reg s l = (B b + o) mod W.
Proof.
  intros (S1 & _). unfold ptr. destruct (isreg l) eqn:E; [|congruence]. specialize (S1 l E). unfold rep in S1.
  destruct (PM.find l e) as [[b' o'|]|]; try congruence. intros [= <- <-]. split; [reflexivity|exact S1].
Qed.
Lemma cell_ok B Y e s t l o b k : sim B Y e s t -> cell Y e l o = Some (b, k) ->
  valid Y b k = true /\ (reg s l + o) mod W = addr B b k mod W.
Proof.
  intros S. unfold cell. destruct (ptr e l) as [[r q]|] eqn:E; [|congruence]. apply (ptr_ok B Y e s t) in E; [|assumption].
  destruct E as [_ E]. destruct (((q + o) mod 8 =? 0) && valid Y r ((q + o) / 8))%bool eqn:C; [|congruence].
  rewrite andb_true_iff, Z.eqb_eq in C. destruct C as [C1 C2]. intros [= <- <-]. split; [assumption|].
  rewrite E, Zplus_mod_idemp_l. unfold addr. f_equal. pose proof (Z.div_mod (q + o) 8). lia.
Qed.
Lemma find_removes l ds : forall e : env, PM.find l (fold_right (PM.remove (A:=tag)) e ds) = if in_dec Pos.eq_dec l ds then None else PM.find l e.
Proof.
  intros e. induction ds as [|d ds IH]; cbn [fold_right]; [reflexivity|].
  destruct (Pos.eq_dec l d) as [->|N].
  - rewrite PM.grs. destruct (in_dec Pos.eq_dec d (d :: ds)) as [|X]; [reflexivity|]. exfalso; apply X; left; reflexivity.
  - rewrite PM.gro, IH by assumption. destruct (in_dec Pos.eq_dec l ds), (in_dec Pos.eq_dec l (d :: ds)); try reflexivity; cbn [In] in *; intuition congruence.
Qed.
Lemma plain_ok B Y e s t i is e' : sim B Y e s t -> plain e i = Some (is, e') ->
  sim B Y e' {| reg := exec1 i (reg s); mem := mem s |} (exec is t).
Proof.
  intros S. unfold plain. destruct (_ && _ && _)%bool eqn:C; [|congruence]. rewrite !andb_true_iff, !forallb_forall in C.
  destruct C as [[C1 C2] C3]. intros [= <- <-]. cbn [exec].
  assert (K : forall x, In x (srcs i) -> rd (reg s) x = rd t x) by (intros x H; apply (clean_ok B Y e s t); auto).
  apply (sim_regs B Y e _ s _ t _ (dsts i)); [assumption| |].
  - intros l H. split; [auto|]. split.
    + apply exec1_range; try assumption. intros x X. apply (clean_ok B Y e s t); auto.
    + unfold rep. rewrite find_removes. destruct (in_dec Pos.eq_dec l (dsts i)); [|contradiction]. symmetry. apply exec1_same; assumption.
  - intros l H. rewrite find_removes. destruct (in_dec Pos.eq_dec l (dsts i)); [contradiction|].
    rewrite !exec1_other by assumption. auto.
Qed.
Lemma copy_rep B e to from z t is e' : copy e to from = (is, e') -> rep B e from z t -> rep B e' to z (exec is t) /\
  (forall l, l <> to -> PM.find l e' = PM.find l e /\ exec is t l = t l).
Proof.
  unfold copy, rep. destruct (PM.find from e) as [g|] eqn:E; intros [= <- <-] H; cbn [exec exec1 rd].
  - rewrite PM.gss. split; [assumption|]. intros l N. rewrite PM.gso by assumption. auto.
  - rewrite PM.grs. unfold upd. rewrite Pos.eqb_refl. split; [assumption|]. intros l N. rewrite PM.gro by assumption.
    destruct (Pos.eqb_spec l to); [contradiction|]. auto.
Qed.
Lemma signed_mod a v : (a + signed v) mod W = (a + v) mod W.
Proof.
  unfold signed. destruct (v <? _); [reflexivity|]. replace (a + (v - W)) with (a + v + -1 * W) by ring. apply Z.mod_add. discriminate.
Qed.
Lemma signed_mod' a v : (a - signed v) mod W = (a - v) mod W.
Proof.
  unfold signed. destruct (v <? _); [reflexivity|]. replace (a - (v - W)) with (a - v + 1 * W) by ring. apply Z.mod_add. discriminate.
Qed.
Lemma upd_same s l v : upd s l v l = v.
Proof. unfold upd. rewrite Pos.eqb_refl. reflexivity. Qed.
Lemma upd_other s l v x : x <> l -> upd s l v x = s x.
Proof. intros H. unfold upd. destruct (Pos.eqb_spec x l); [contradiction|reflexivity]. Qed.
Lemma move_ok B Y e s t d c b o v w is e' : sim B Y e s t -> move e d c b o = Some (is, e') ->
  v = (B b + o) mod W -> 0 <= w < W ->
  sim B Y e' {| reg := upd (upd (reg s) d v) c w; mem := mem s |} (exec is t).
Proof.
  intros S. unfold move. destruct (isreg d && isreg c && negb (Pos.eqb d c))%bool eqn:C; [|congruence].
  rewrite !andb_true_iff, negb_true_iff, Pos.eqb_neq in C. destruct C as [[C1 C2] C3]. intros [= <- <-] V RW. cbn [exec].
  apply (sim_regs B Y e _ s _ t _ [d; c]); [assumption| |].
  - intros l [<-|[<-|[]]].
    + rewrite upd_other, upd_same by assumption. split; [assumption|]. split; [rewrite V; apply Z.mod_pos_bound; reflexivity|].
      unfold rep. rewrite PM.gso, PM.gss by assumption. exact V.
    + rewrite upd_same. split; [assumption|]. split; [assumption|]. unfold rep. rewrite PM.gss. exact Logic.I.
  - intros l H. cbn [In] in H. rewrite !upd_other, !PM.gso by intuition congruence. auto.
Qed.
(* The access of one operation is to a word of a buffer that allows it. *)
Definition allowed (B : Z -> Z) (Y : layout) (a : bool * Z) : Prop :=
  exists b k, valid Y b k = true /\ snd a = addr B b k mod W /\ (fst a = true -> lwrite Y b k = true).
(* x lies in no word that may be written. *)
Definition outside (B : Z -> Z) (Y : layout) (x : Z) : Prop :=
  0 <= x < W /\ forall b k i, valid Y b k = true -> lwrite Y b k = true -> 0 <= i < 8 -> x <> (addr B b k + i) mod W.

Theorem tr_ok B Y u n e s t op is e' : good B Y -> sim B Y e s t -> tr Y e op = Some (is, e') ->
  sim B Y e' (mexec1 u n op s) (exec is t) /\
  (forall x, outside B Y x -> mem (mexec1 u n op s) x = mem s x).
Proof.
  intros G S. destruct op as [i|d b o|b o a|d]; cbn [tr mexec1].
  - intros T. split; [|reflexivity]. pose proof S as (_ & _ & S3 & _).
    assert (P : plain e i = Some (is, e') -> sim B Y e' {| reg := exec1 i (reg s); mem := mem s |} (exec is t)) by (apply plain_ok; assumption).
    destruct i as [d a|hi lo a b|d co a b x|d bo a b x|d f a b|o' d a b|d a m|d a m|d a|d a b]; try (apply P; exact T).
    + destruct a as [l|z]; [|apply P; exact T]. destruct (isreg d && isreg l)%bool eqn:C; [|congruence].
      rewrite andb_true_iff in C. destruct C as [C1 C2]. pose proof S as (S1 & _).
      assert (T' : copy e d l = (is, e')) by congruence.
      apply (copy_rep B e d l (reg s l) t) in T'; [|apply S1; assumption]. destruct T' as [T1 T2]. cbn [exec1 rd].
      apply (sim_regs B Y e _ s _ t _ [d]); [assumption| |].
      * intros x [<-|[]]. rewrite upd_same. split; [assumption|]. split; [apply S3; assumption|exact T1].
      * intros x H. cbn [In] in H. rewrite upd_other by intuition congruence. destruct (T2 x); [intuition congruence|]. auto.
    + destruct a as [l|z]; [|apply P; exact T]. destruct b as [|v]; [apply P; exact T|]. destruct x as [|z]; [apply P; exact T|].
      destruct z; try (apply P; exact T). destruct (ptr e l) as [[r q]|] eqn:E; [|apply P; exact T].
      destruct (clean e (I v)) eqn:CV; [|congruence]. cbn [clean] in CV. rewrite andb_true_iff, Z.leb_le, Z.ltb_lt in CV.
      apply (ptr_ok B Y e s t) in E; [|assumption]. destruct E as [E1 E2]. specialize (S3 l E1). cbn [exec1 rd]. cbv zeta. rewrite Z.add_0_r.
      eapply move_ok; [exact S|exact T| |].
      * rewrite E2, Z.add_assoc, signed_mod, Zplus_mod_idemp_l. reflexivity.
      * split; [apply Z.div_pos; [lia|reflexivity]|]. apply Z.div_lt_upper_bound; [reflexivity|]. unfold W in *. lia.
    + destruct a as [l|z]; [|apply P; exact T]. destruct b as [|v]; [apply P; exact T|]. destruct x as [|z]; [apply P; exact T|].
      destruct z; try (apply P; exact T). destruct (ptr e l) as [[r q]|] eqn:E; [|apply P; exact T].
      destruct (clean e (I v)) eqn:CV; [|congruence]. cbn [clean] in CV. rewrite andb_true_iff, Z.leb_le, Z.ltb_lt in CV.
      apply (ptr_ok B Y e s t) in E; [|assumption]. destruct E as [E1 E2]. specialize (S3 l E1). cbn [exec1 rd]. cbv zeta. rewrite Z.sub_0_r.
      eapply move_ok; [exact S|exact T| |].
      * rewrite E2. replace (B r + (q - signed v)) with (B r + q - signed v) by ring. rewrite signed_mod', Zminus_mod_idemp_l. reflexivity.
      * assert (-1 <= (reg s l - v) / W) by (apply Z.div_le_lower_bound; [reflexivity|lia]).
        assert ((reg s l - v) / W < 1) by (apply Z.div_lt_upper_bound; [reflexivity|lia]). unfold W in *. lia.
  - destruct (cell Y e b o) as [[r k]|] eqn:C; [|congruence]. destruct (isreg d) eqn:D; [|congruence]. intros T.
    split; [|reflexivity]. apply (cell_ok B Y e s t) in C; [|assumption]. destruct C as [C1 C2].
    pose proof S as (_ & S2 & _ & S4). specialize (S2 r k C1). rewrite <- load64_mod, <- C2, load64_mod in S2.
    assert (T' : copy e d (slot r k) = (is, e')) by congruence.
    apply (copy_rep B e d (slot r k) _ t _ _ T') in S2. destruct S2 as [T1 T2].
    apply (sim_regs B Y e _ s _ t _ [d]); [assumption| |].
    + intros x [<-|[]]. rewrite upd_same. split; [assumption|]. split; [apply load64_range; assumption|exact T1].
    + intros x H. cbn [In] in H. rewrite upd_other by intuition congruence. destruct (T2 x); [intuition congruence|]. auto.
  - destruct (cell Y e b o) as [[r k]|] eqn:C; [|congruence]. destruct (lwrite Y r k) eqn:LW; [|congruence]. intros T.
    apply (cell_ok B Y e s t) in C; [|assumption]. destruct C as [C1 C2]. pose proof S as (S1 & _ & S3 & _). split.
    + destruct a as [l|z].
      * destruct (isreg l) eqn:D; [|congruence]. assert (T' : copy e (slot r k) l = (is, e')) by congruence.
        apply (copy_rep B e (slot r k) l (reg s l) t) in T'; [|apply S1; assumption]. destruct T' as [T1 T2].
        eapply sim_store; [exact G|exact S|exact C1|apply S3; exact D|exact C2|exact T1|exact T2].
      * destruct (clean e (I z)) eqn:D; [|congruence]. apply (clean_ok B Y e s t) in D; [|assumption]. destruct D as [_ D].
        assert (E : is = [Mov (slot r k) (I z)] /\ e' = PM.remove (slot r k) e) by (split; congruence). destruct E as [-> ->].
        eapply sim_store; [exact G|exact S|exact C1|exact D|exact C2| |].
        -- unfold rep. rewrite PM.grs. cbn [exec exec1]. apply upd_same.
        -- intros l N. rewrite PM.gro by assumption. cbn [exec exec1]. rewrite upd_other by assumption. auto.
    + intros x (X1 & X2). cbn [mem]. apply store_other; [assumption|]. intros i Hi E. apply (X2 r k i); try assumption.
      rewrite E, <- Zplus_mod_idemp_l, C2, Zplus_mod_idemp_l. reflexivity.
  - destruct (isreg d) eqn:D; [|congruence]. intros [= <- <-]. split; [|reflexivity]. cbn [exec].
    apply (sim_regs B Y e _ s _ t _ [d]); [assumption| |].
    + intros x [<-|[]]. rewrite upd_same. split; [assumption|]. split; [apply Z.mod_pos_bound; reflexivity|].
      unfold rep. rewrite PM.gss. exact Logic.I.
    + intros x H. cbn [In] in H. rewrite upd_other, PM.gso by intuition congruence. auto.
Qed.
Lemma exec_app p q t : exec (p ++ q) t = exec q (exec p t).
Proof. revert t; induction p as [|i p IH]; intros t; cbn [app exec]; auto. Qed.
Theorem trs_ok B Y u p : good B Y -> forall n e s t is e', sim B Y e s t -> trs Y e p = Some (is, e') ->
  sim B Y e' (mexec u n p s) (exec is t) /\
  (forall x, outside B Y x -> mem (mexec u n p s) x = mem s x) /\
  (forall a, In a (accesses u n p s) -> allowed B Y a).
Proof.
  intros G. induction p as [|op p IH]; intros n e s t is e' S; cbn [trs mexec accesses].
  - intros [= <- <-]. cbn [exec]. split; [assumption|]. split; [reflexivity|intros ? []].
  - destruct (tr Y e op) as [[js e1]|] eqn:T; [|congruence]. destruct (trs Y e1 p) as [[ks e2]|] eqn:T2; [|congruence].
    intros [= <- <-]. rewrite exec_app. destruct (tr_ok B Y u n e s t op js e1 G S T) as [S' M].
    destruct (IH (Datatypes.S n) e1 _ _ _ _ S' T2) as (K1 & K2 & K3). split; [assumption|]. split.
    + intros x X. rewrite K2, M by assumption. reflexivity.
    + intros a. rewrite in_app_iff. intros [X|X]; [|apply K3; exact X]. clear - S T X.
      destruct op as [i|d b o|b o v|d]; cbn [tr In] in *; try contradiction.
      * destruct (cell Y e b o) as [[r k]|] eqn:C; [|congruence]. apply (cell_ok B Y e s t) in C; [|assumption].
        destruct C as [C1 C2]. destruct X as [<-|[]]. exists r, k. cbn [fst snd]. split; [assumption|]. split; [assumption|congruence].
      * destruct (cell Y e b o) as [[r k]|] eqn:C; [|congruence]. destruct (lwrite Y r k) eqn:LW; [|congruence].
        apply (cell_ok B Y e s t) in C; [|assumption].
        destruct C as [C1 C2]. destruct X as [<-|[]]. exists r, k. cbn [fst snd]. auto.
Qed.
