(* check_routine_sound: what check_routine accepts is correct. *)
Require Import ZArith List Lia FMapPositive Bool Poly Instr Claim Word Goal Check Machine Slots Sim X86 A64 Routine Proof Alias.
Import ListNotations.
Open Scope Z_scope.

Section Sound.
Variable c : routine.
Variable s : mstate.
Variable pat : list Z.
Hypothesis HE : entry c s.
Hypothesis HF : fits (arg c s) 1 [] (params c) pat.
Hypothesis HW : entrywords c pat (mkenv (tags c pat)) = true.
Let Y := lay c pat.
Let e0 := mkenv (tags c pat).
Definition base (b : Z) : Z :=
  if b =? 0 then stackbase c s else if b =? -1 then returnto c s else
  if b <? 0 then reg s (Z.to_pos (- 1 - b)) else arg c s b.
Definition start : state := fun l =>
  if isreg l then reg s l else load64 (mem s) (addr base ((Z.pos l - 1000) / 64) ((Z.pos l - 1000) mod 64)).

Lemma memb : bytes (mem s). Proof. exact (proj1 HE). Qed.
Lemma regr l : 0 <= reg s l < W. Proof. exact (proj1 (proj2 HE) l). Qed.
Lemma start_range l : 0 <= start l < W.
Proof. unfold start. destruct (isreg l); [apply regr|apply load64_range, memb]. Qed.
Lemma start_slot b k : valid Y b k = true -> start (slot b k) = load64 (mem s) (addr base b k).
Proof.
  intros V. unfold start. destruct (isreg (slot b k)) eqn:E; [exfalso; eapply slot_noreg; [exact V|exact E|reflexivity]|].
  apply valid_inv in V. unfold slot. rewrite Z2Pos.id by lia.
  replace (1000 + 64 * b + k - 1000) with (k + b * 64) by ring. rewrite Z.div_add, Z.mod_add by lia.
  rewrite Z.div_small, Z.mod_small by lia. reflexivity.
Qed.
Lemma frame_nonneg : 0 <= frame c.
Proof. unfold entrywords in HW. rewrite !andb_true_iff, !Z.leb_le in HW. tauto. Qed.
Lemma stack_small : stackwords c <= 64.
Proof. unfold entrywords in HW. rewrite !andb_true_iff, !Z.leb_le in HW. tauto. Qed.
Lemma few : callconv c = SystemV -> Z.of_nat (length (params c)) <= 6.
Proof. intros E. unfold entrywords in HW. rewrite E in HW. rewrite !andb_true_iff, !Z.leb_le in HW. tauto. Qed.
Lemma stack_valid k : 0 <= k < stackwords c -> valid Y 0 k = true.
Proof.
  intros K. pose proof stack_small. unfold valid, Y, lay; cbn [lsize]. change (0 =? 0) with true. cbv iota.
  rewrite !andb_true_iff, !Z.leb_le, !Z.ltb_lt. lia.
Qed.
Lemma pget_range i p : pget (params c) i = Some p -> 1 <= i <= Z.of_nat (length (params c)) /\ nth_error (params c) (Z.to_nat (i - 1)) = Some p.
Proof.
  unfold pget. destruct (Z.ltb_spec i 1); [congruence|]. intros N. split; [|assumption].
  assert (X : nth_error (params c) (Z.to_nat (i - 1)) <> None) by congruence. apply nth_error_Some in X. lia.
Qed.
Lemma ret_valid : valid Y 0 (frame c) = true.
Proof. apply stack_valid. pose proof frame_nonneg. unfold stackwords. destruct (callconv c), (result c); lia. Qed.
Lemma arg_valid i : callconv c = ABI0 -> 0 <= i <= Z.of_nat (length (params c)) -> valid Y 0 (frame c + i) = true.
Proof. intros E I. apply stack_valid. pose proof frame_nonneg. unfold stackwords. rewrite E. destruct (result c); lia. Qed.
(* an argument in a register *)
Lemma argreg_ok i : callconv c = SystemV -> 1 <= i <= Z.of_nat (length (params c)) ->
  isreg (argloc c i) = true /\ arg c s i = reg s (argloc c i).
Proof.
  intros E I. pose proof (few E). unfold arg, argloc. rewrite E.
  assert (K : i = 1 \/ i = 2 \/ i = 3 \/ i = 4 \/ i = 5 \/ i = 6) by lia.
  destruct K as [-> | [-> | [-> | [-> | [-> | ->]]]]]; split; reflexivity.
Qed.
Lemma class_ok i p : pget (params c) i = Some p -> nth_error pat (Z.to_nat (i - 1)) = Some (class pat i) /\
  0 < class pat i /\ (pointer p = true -> arg c s (class pat i) = arg c s i).
Proof.
  intros P. apply pget_range in P. destruct P as [I N].
  destruct (fits_class _ _ _ _ _ HF _ _ N) as (b & B1 & B2 & B3). unfold class.
  rewrite (nth_error_nth _ _ 0 B1). split; [assumption|]. split; [apply B3; [lia|intros ? []]|].
  intros PP. rewrite (B2 PP). f_equal. lia.
Qed.
Lemma class_base i p : pget (params c) i = Some p -> pointer p = true -> base (class pat i) = arg c s i.
Proof.
  intros P PP. destruct (class_ok i p P) as (_ & C1 & C2). rewrite <- (C2 PP). unfold base.
  destruct (Z.eqb_spec (class pat i) 0); [lia|]. destruct (Z.eqb_spec (class pat i) (-1)); [lia|].
  destruct (Z.ltb_spec (class pat i) 0); [lia|]. reflexivity.
Qed.
Lemma saved_base l : base (savedbuf l) = reg s l.
Proof.
  unfold base, savedbuf. destruct (Z.eqb_spec (- 1 - Z.pos l) 0); [lia|]. destruct (Z.eqb_spec (- 1 - Z.pos l) (-1)); [lia|].
  destruct (Z.ltb_spec (- 1 - Z.pos l) 0); [|lia]. replace (- 1 - (- 1 - Z.pos l)) with (Z.pos l) by ring. reflexivity.
Qed.
(* members of buffers are parameters *)
Lemma combine_nth A B (l : list A) : forall (m : list B) x y, In (x, y) (combine l m) ->
  exists n, nth_error l n = Some x /\ nth_error m n = Some y.
Proof.
  induction l as [|a l IH]; intros [|b m] x y; cbn [combine In]; try tauto.
  intros [[= <- <-]|H]; [exists O; auto|]. destruct (IH m x y H) as (n & N1 & N2). exists (S n). auto.
Qed.
Lemma member_param p b : In (p, b) (members c pat) -> exists i, pget (params c) i = Some p /\ class pat i = b.
Proof.
  intros H. apply combine_nth in H. destruct H as (n & N1 & N2). exists (Z.of_nat n + 1).
  assert (E : Z.to_nat (Z.of_nat n + 1 - 1) = n) by lia.
  unfold pget, class. destruct (Z.ltb_spec (Z.of_nat n + 1) 1); [lia|]. rewrite E. split; [assumption|].
  apply nth_error_nth. assumption.
Qed.
Lemma zmax_in k l : 0 <= k < zmax l -> exists x, In x l /\ k < x.
Proof.
  induction l as [|a l IH]; cbn [zmax fold_right]; [lia|]. fold (zmax l). intros H.
  destruct (Z.lt_ge_cases k a); [exists a; cbn; auto|]. destruct IH as (x & X1 & X2); [lia|]. exists x. cbn; auto.
Qed.
Lemma valid_member b k : valid Y b k = true -> b <> 0 -> exists i p, pget (params c) i = Some p /\ pointer p = true /\
  class pat i = b /\ 0 <= k < pwords p.
Proof.
  intros V N. apply valid_inv in V. destruct V as (V1 & V2 & V3). unfold Y, lay in V3; cbn [lsize] in V3.
  destruct (Z.eqb_spec b 0); [contradiction|]. destruct (zmax_in k _ (conj (proj1 V2) V3)) as (x & X1 & X2).
  apply in_map_iff in X1. destruct X1 as ([p d] & X3 & X4). cbn [fst snd] in X3.
  destruct (pointer p && (d =? b))%bool eqn:E; [|lia]. rewrite andb_true_iff, Z.eqb_eq in E. destruct E as [E1 ->].
  destruct (member_param p b X4) as (i & I1 & I2). exists i, p. subst x. auto with zarith.
Qed.
Lemma stack_apart k k' : 0 <= k < 64 -> 0 <= k' < 64 -> k <> k' -> apart (addr base 0 k) (addr base 0 k').
Proof.
  intros K K' N i j Hi Hj E. unfold addr in E. set (a := base 0) in *. clearbody a.
  assert (D : (8 * k + i - (8 * k' + j)) mod W = 0).
  { replace (8 * k + i - (8 * k' + j)) with (a + 8 * k + i - (a + 8 * k' + j)) by ring.
    rewrite Zminus_mod, E, Z.sub_diag. reflexivity. }
  apply Z.mod_divide in D; [|discriminate]. destruct D as [q Q]. unfold W in Q. lia.
Qed.
Lemma base0 : base 0 = stackbase c s. Proof. reflexivity. Qed.
Lemma good_layout : good base Y.
Proof.
  intros b k b' k' V V' N. pose proof HE as (_ & _ & _ & H4 & _ & H5).
  assert (ST : forall b k k', valid Y b k = true -> b <> 0 -> valid Y 0 k' = true -> apart (addr base 0 k') (addr base b k)).
  { intros d m m' V1 N1 V2. destruct (valid_member d m V1 N1) as (i & p & P1 & P2 & P3 & P4).
    pose proof (class_base i p P1 P2) as CB. rewrite P3 in CB. apply valid_inv in V2. destruct V2 as (_ & V2 & V3).
    unfold Y, lay in V3; cbn [lsize] in V3. change (0 =? 0) with true in V3. cbv iota in V3.
    intros x y Hx Hy. unfold addr. rewrite CB, base0, <- !Z.add_assoc. apply (H5 i p P1 P2); lia. }
  destruct (Z.eq_dec b 0) as [->|B0]; destruct (Z.eq_dec b' 0) as [->|B0'].
  - apply valid_inv in V, V'. apply stack_apart; try lia. intros ->. congruence.
  - apply (ST b' k' k); assumption.
  - intros x y Hx Hy E. apply (ST b k k' V B0 V' y x Hy Hx). congruence.
  - destruct (valid_member b k V B0) as (i & p & P1 & P2 & P3 & P4). destruct (valid_member b' k' V' B0') as (j & q & Q1 & Q2 & Q3 & Q4).
    pose proof (class_base i p P1 P2) as CB. rewrite P3 in CB. pose proof (class_base j q Q1 Q2) as CB'. rewrite Q3 in CB'.
    destruct (Z.eq_dec b b') as [<-|NB].
    + apply valid_inv in V, V'. intros x y Hx Hy E. unfold addr in E. set (a := base b) in *. clearbody a.
      assert (D : (8 * k + x - (8 * k' + y)) mod W = 0).
      { replace (8 * k + x - (8 * k' + y)) with (a + 8 * k + x - (a + 8 * k' + y)) by ring. rewrite Zminus_mod, E, Z.sub_diag. reflexivity. }
      apply Z.mod_divide in D; [|discriminate]. destruct D as [z Q]. assert (k <> k') by congruence. unfold W in Q. lia.
    + assert (NA : arg c s i <> arg c s j).
      { destruct (fits_distinct _ _ _ _ _ HF) as (all & _ & A2 & A3); [intros ? ? []|].
        destruct (class_ok i p P1) as (C1 & C2 & C3). destruct (class_ok j q Q1) as (D1 & D2 & D3).
        apply pget_range in P1, Q1. intros E. apply NB. rewrite <- P3, <- Q3. apply A2.
        - eapply A3; [apply P1|exact C1|exact P2].
        - eapply A3; [apply Q1|exact D1|exact Q2].
        - rewrite (C3 P2), (D3 Q2). exact E. }
      destruct (H4 i j p q P1 Q1 P2 Q2) as [E|D]; [contradiction|].
      intros x y Hx Hy. unfold addr. rewrite CB, CB', <- !Z.add_assoc. apply D; lia.
Qed.
Lemma mkenv_in l t L : PM.find l (mkenv L) = Some t -> In (l, t) L.
Proof.
  induction L as [|[a b] L IH]; cbn [mkenv fold_right fst snd]; [rewrite PM.gempty; congruence|]. fold (mkenv L).
  destruct (Pos.eq_dec l a) as [->|N]; [rewrite PM.gss; intros [= <-]; left; reflexivity|].
  rewrite PM.gso by assumption. right. auto.
Qed.
Lemma argtags_in l t : forall ms i, In (l, t) (argtags c i ms) ->
  exists n p b, nth_error ms n = Some (p, b) /\ pointer p = true /\ l = argloc c (i + Z.of_nat n) /\ t = Ptr b 0.
Proof.
  induction ms as [|[p b] ms IH]; intros i; cbn [argtags In]; [tauto|]. rewrite in_app_iff. intros [H|H].
  - destruct (pointer p) eqn:P; [|destruct H]. destruct H as [[= <- <-]|[]]. exists O, p, b. rewrite Z.add_0_r. auto.
  - destruct (IH _ H) as (n & q & d & N1 & N2 & N3 & N4). exists (S n), q, d. split; [assumption|]. split; [assumption|].
    split; [|assumption]. rewrite N3. f_equal. lia.
Qed.
Lemma nth_combine A B (l : list A) : forall (m : list B) n x y, nth_error (combine l m) n = Some (x, y) -> nth_error l n = Some x /\ nth_error m n = Some y.
Proof. induction l as [|a l IH]; intros [|b m] [|n] x y; cbn; try congruence; [intros [= -> ->]; auto|apply IH]. Qed.
Lemma stack_addr k : addr base 0 (frame c + k) = reg s (SP c) + 8 * k.
Proof. unfold addr, base. change (0 =? 0) with true. cbv iota. unfold stackbase. ring. Qed.
(* a tag tells what its location holds *)
Lemma tag_true l t : In (l, t) (tags c pat) ->
  (isreg l = true /\ tagval base t (reg s l)) \/
  (exists k, valid Y 0 k = true /\ l = slot 0 k /\ tagval base t (load64 (mem s) (addr base 0 k))).
Proof.
  assert (MR : forall z, 0 <= z < W -> z = (z + 0) mod W) by (intros z H; rewrite Z.add_0_r, Z.mod_small; auto).
  pose proof frame_nonneg. unfold tags. cbn [In]. intros [E|[E|H']]; try (apply pair_equal_spec in E; destruct E as [<- <-]).
  - left. split; [unfold SP; destruct (machine c); reflexivity|]. cbn [tagval]. unfold base. change (0 =? 0) with true. cbv iota. unfold stackbase.
    replace (reg s (SP c) - 8 * frame c + 8 * frame c) with (reg s (SP c)) by ring. symmetry. apply Z.mod_small, regr.
  - unfold retloc. destruct (machine c) eqn:EM.
    + right. exists (frame c). split; [apply ret_valid|]. split; [reflexivity|].
      replace (frame c) with (frame c + 0) by ring. rewrite stack_addr, Z.mul_0_r, Z.add_0_r.
      cbn [tagval]. unfold base; cbn [Z.eqb]. unfold SP, returnto. rewrite EM. apply MR. apply load64_range, memb.
    + left. split; [reflexivity|]. cbn [tagval]. unfold base, returnto; cbn [Z.eqb]. rewrite EM. apply MR, regr.
  - apply in_app_or in H'. destruct H' as [H'|H'].
    2:{ left. apply in_map_iff in H'. destruct H' as (x & X & I). unfold savedtag in X. injection X as <- <-.
        split; [unfold opaque, saved, framepointer in I; destruct (machine c), (callconv c); cbn [app In] in I; intuition (subst x; reflexivity)|].
        cbn [tagval]. rewrite saved_base. apply MR, regr. }
    apply argtags_in in H'. destruct H' as (n & p & b & N1 & N2 & -> & ->). apply nth_combine in N1. destruct N1 as [N1 N3].
    set (i := 1 + Z.of_nat n).
    assert (P : pget (params c) i = Some p).
    { unfold pget, i. destruct (Z.ltb_spec (1 + Z.of_nat n) 1); [lia|]. replace (Z.to_nat (1 + Z.of_nat n - 1)) with n by lia. assumption. }
    assert (CL : class pat i = b).
    { unfold class, i. replace (Z.to_nat (1 + Z.of_nat n - 1)) with n by lia. apply nth_error_nth. assumption. }
    cbn [tagval]. rewrite <- CL, (class_base i p P N2). destruct (callconv c) eqn:EC.
    + right. exists (frame c + i). split; [apply arg_valid; [assumption|apply pget_range in P; lia]|].
      split; [unfold argloc; rewrite EC; reflexivity|].
      rewrite stack_addr. unfold arg. rewrite EC. apply MR. apply load64_range, memb.
    + left. destruct (argreg_ok i EC) as [R1 R2]; [apply pget_range in P; lia|]. split; [exact R1|]. rewrite R2. apply MR, regr.
Qed.
Lemma sim_start : sim base Y e0 s start.
Proof.
  pose proof frame_nonneg. split; [|split; [|split]].
  - intros l L. unfold rep. destruct (PM.find l e0) as [t|] eqn:E.
    + apply mkenv_in, tag_true in E. destruct E as [[_ E]|(k & V & -> & _)]; [assumption|].
      exfalso. eapply slot_noreg; [exact V|exact L|reflexivity].
    + unfold start. rewrite L. reflexivity.
  - intros b k V. unfold rep. destruct (PM.find (slot b k) e0) as [t|] eqn:E.
    + apply mkenv_in, tag_true in E. destruct E as [[L _]|(k' & V' & E & T)].
      * exfalso. eapply slot_noreg; [exact V|exact L|reflexivity].
      * pose proof (slot_inj Y _ _ _ _ V V' E) as X. injection X as -> ->. assumption.
    + apply start_slot. assumption.
  - intros l _. apply regr.
  - apply memb.
Qed.

(* numbers *)
Lemma upto_in i : forall n k, In i (upto k n) <-> k <= i < k + Z.of_nat n.
Proof.
  induction n as [|n IH]; intros k; cbn [upto In]; [lia|]. rewrite IH. lia.
Qed.
Lemma wval_slots t m b : forall n k, (forall j, k <= j < k + Z.of_nat n -> t (slot b j) = load64 m (addr base b j)) ->
  wval t (slots b k n) = number n m (base b + 8 * k).
Proof.
  induction n as [|n IH]; intros k H; cbn [slots wval number]; [reflexivity|].
  rewrite H by lia. rewrite IH by (intros j Hj; apply H; lia). unfold addr.
  replace (base b + 8 * (k + 1)) with (base b + 8 * k + 8) by ring. reflexivity.
Qed.
Lemma wval_start b n : (forall k, In k (upto 0 n) -> valid Y b k = true) -> wval start (slots b 0 n) = number n (mem s) (base b).
Proof.
  intros H. rewrite (wval_slots _ (mem s)); [rewrite Z.mul_0_r, Z.add_0_r; reflexivity|].
  intros j Hj. apply start_slot, H, upto_in. lia.
Qed.
Lemma readable_valid e b k : readable Y e b k = true -> valid Y b k = true.
Proof. unfold readable. rewrite andb_true_iff. tauto. Qed.
Lemma argread_start i : 1 <= i <= Z.of_nat (length (params c)) -> argread c Y e0 i = true -> start (argloc c i) = arg c s i.
Proof.
  intros I R. unfold argread in R. destruct (callconv c) eqn:E.
  - unfold arg, argloc. rewrite E. rewrite start_slot, stack_addr; [reflexivity|]. apply (readable_valid e0). exact R.
  - destruct (argreg_ok i E I) as [R1 R2]. rewrite R2. unfold start. rewrite R1. reflexivity.
Qed.
Lemma index_in i p : pget (params c) i = Some p -> In i (indices c).
Proof. intros P. apply pget_range in P. unfold indices. apply upto_in. lia. Qed.
Lemma before_ok i : wordsval start start (fst (where_ c pat (Before i)), snd (where_ c pat (Before i))) = rval c s s (Before i).
Proof.
  unfold wordsval; cbn [where_ fst snd rval]. destruct (pget (params c) i) as [p|] eqn:P; [|reflexivity].
  pose proof HW as HW'. unfold entrywords in HW'. rewrite !andb_true_iff, forallb_forall in HW'. destruct HW' as [_ HW'].
  specialize (HW' i (index_in i p P)). rewrite P in HW'.
  assert (K : pointer p = true -> wval start (slots (class pat i) 0 (Z.to_nat (pwords p))) = number (Z.to_nat (pwords p)) (mem s) (arg c s i)).
  { intros PP. rewrite <- (class_base i p P PP). apply wval_start. intros k Hk.
    destruct p; try discriminate PP; rewrite andb_true_iff, forallb_forall, Z.leb_le in HW'; destruct HW' as [R1 R2];
      apply (readable_valid e0), R1; apply upto_in; apply upto_in in Hk; cbn [pwords] in *; lia. }
  destruct p; try (apply K; reflexivity). cbn [wval]. rewrite Z.mul_0_r, Z.add_0_r. apply argread_start; [apply pget_range in P; lia|exact HW'].
Qed.
Lemma wval_nonneg ls : 0 <= wval start ls.
Proof. induction ls as [|l ls IH]; cbn [wval]; [lia|]. pose proof (start_range l). unfold W in *. lia. Qed.
Lemma pre_low : pre (low c pat) start.
Proof.
  pose proof HE as (_ & _ & H3 & _). split.
  - intros l m. cbn [low cin]. unfold inputs. rewrite in_app_iff. intros [H|H]; pose proof (start_range l).
    { apply in_map_iff in H. destruct H as (x & [= -> <-] & _). unfold W in *; lia. }
    apply in_flat_map in H. destruct H as (i & I & H).
    destruct (pget (params c) i) as [p|] eqn:P; [|destruct H].
    assert (K : forall ls, In (l, m) (map (fun l => (l, W - 1)) ls) -> 0 <= start l <= m).
    { intros ls X. apply in_map_iff in X. destruct X as (x & [= -> <-] & _). unfold W in *; lia. }
    destruct p as [n x|n|n x|x]; try (eapply K; exact H).
    destruct H as [[= <- <-]|[]]. pose proof (H3 i _ x P eq_refl) as R. rewrite <- before_ok in R. cbn [where_ fst snd wordsval] in R.
    unfold wordsval in R; cbn [fst snd] in R. rewrite P in R. cbn [wval] in R. rewrite Z.mul_0_r, Z.add_0_r in R. lia.
  - intros ls m. cbn [low cpre]. unfold bounds. rewrite in_flat_map. intros (i & I & H).
    destruct (pget (params c) i) as [p|] eqn:P; [|destruct H].
    assert (K : pmax p = Some m -> ls = snd (where_ c pat (Before i)) -> 0 <= wval start ls <= m).
    { intros M ->. split; [apply wval_nonneg|]. pose proof (H3 i p m P M) as R. rewrite <- before_ok in R.
      unfold wordsval in R; cbn [fst] in R. exact R. }
    destruct p as [n x|n|n x|x]; cbn [pmax] in *; try destruct H; try (injection H as <- <-; apply K; reflexivity); try contradiction.
Qed.

(* the end *)
Variables (s1 : mstate) (acc : list (bool * Z)) (t1 : state) (e : env).
Hypothesis finish : sim base Y e s1 t1 /\ (forall x, outside base Y x -> mem s1 x = mem s x) /\
  (forall a, In a acc -> allowed base Y a).
Hypothesis HR : returns c pat e = true.
Hypothesis HK : post (low c pat) start t1.
Lemma readable_end b j : readable Y e b j = true -> t1 (slot b j) = load64 (mem s1) (addr base b j).
Proof.
  unfold readable. rewrite andb_true_iff. intros [V N]. destruct finish as ((_ & S2 & _) & _). specialize (S2 b j V).
  unfold rep in S2. destruct (PM.find (slot b j) e); [discriminate|assumption].
Qed.
Lemma where_ok v : wordsval start t1 (where_ c pat v) = rval c s s1 v.
Proof.
  pose proof HR as R. unfold returns in R. rewrite !andb_true_iff in R. destruct R as [[[_ R2] R3] _]. rewrite forallb_forall in R2.
  destruct v as [i|i|].
  - transitivity (rval c s s (Before i)); [|reflexivity]. rewrite <- before_ok. reflexivity.
  - unfold wordsval; cbn [where_ fst snd rval]. destruct (pget (params c) i) as [q|] eqn:P; [|reflexivity].
    specialize (R2 i (index_in i q P)). rewrite P in R2.
    assert (K : pointer q = true -> forallb (readable (lay c pat) e (class pat i)) (upto 0 (Z.to_nat (pwords q))) = true ->
      wval t1 (slots (class pat i) 0 (Z.to_nat (pwords q))) = number (Z.to_nat (pwords q)) (mem s1) (arg c s i)).
    { intros PP F. rewrite forallb_forall in F. rewrite (wval_slots _ (mem s1)).
      - rewrite Z.mul_0_r, Z.add_0_r, (class_base i q P PP). reflexivity.
      - intros j Hj. apply readable_end, F, upto_in. lia. }
    destruct q; try (apply K; [reflexivity|exact R2]). reflexivity.
  - unfold wordsval; cbn [where_ fst snd rval]. destruct (result c) eqn:RS; [|reflexivity]. cbn [negb orb] in R3.
    cbn [wval]. rewrite Z.mul_0_r, Z.add_0_r. unfold resultread in R3. unfold resultloc. destruct (callconv c).
    + rewrite (readable_end _ _ R3). unfold resultslot. rewrite <- Z.add_assoc, stack_addr. do 2 f_equal. lia.
    + unfold plainreg in R3. rewrite andb_true_iff in R3. destruct R3 as [R3 R4]. destruct finish as ((S1 & _) & _).
      specialize (S1 RAX R3). unfold rep in S1. destruct (PM.find RAX e); [discriminate|assumption].
Qed.
Lemma exit_ok : exit c s s1 /\ forall a, In a acc -> permitted c s a.
Proof.
  destruct finish as ((S1 & _ & _ & _) & K2 & K3). pose proof frame_nonneg as FN.
  assert (RG : forall l b o, In (l, (b, o)) (ends c) -> isreg l = true -> reg s1 l = (base b + o) mod W).
  { intros l b o I L. pose proof HR as R. unfold returns in R. rewrite !andb_true_iff in R. destruct R as [[[R _] _] _].
    rewrite forallb_forall in R. specialize (R _ I). cbn [fst snd] in R. specialize (S1 l L). unfold rep in S1.
    destruct (PM.find l e) as [[b' o'|]|]; try discriminate R. rewrite andb_true_iff, !Z.eqb_eq in R. destruct R as [-> ->]. exact S1. }
  assert (WR : forall b j, valid Y b j = true -> lwrite Y b j = true -> b <> 0 -> exists i q, pget (params c) i = Some q /\ pwrites q = true /\ class pat i = b /\ 0 <= j < pwords q).
  { intros b j V L N. unfold Y, lay in L; cbn [lwrite] in L. destruct (Z.eqb_spec b 0); [contradiction|].
    apply existsb_exists in L. destruct L as ([q d] & L1 & L2). unfold isin in L2; cbn [fst snd] in L2.
    rewrite !andb_true_iff, Z.eqb_eq, Z.ltb_lt in L2. destruct L2 as (W1 & (_ & ->) & W2).
    destruct (member_param q b L1) as (i & I1 & I2). exists i, q. apply valid_inv in V. auto with zarith. }
  assert (WP : forall q, pwrites q = true -> pointer q = true) by (intros [| | |]; cbn; congruence).
  split; [split; [|split; [|split; [|split; [|split]]]]|].
  - intros q Q. apply (holds_cmap _ _ (where_ c pat) (wordsval start t1)); [exact where_ok|].
    apply HK. cbn [low cclaims]. apply in_map. assumption.
  - intros x (X1 & X2 & X3). apply K2. split; [assumption|]. intros b j i V L Hi.
    destruct (Z.eq_dec b 0) as [->|N].
    + unfold addr. rewrite base0. apply X3; [|exact L|assumption]. apply valid_inv in V.
      unfold Y, lay in V; cbn [lsize] in V. change (0 =? 0) with true in V. cbv iota in V. lia.
    + destruct (WR b j V L N) as (i' & q & Q1 & Q2 & Q3 & Q4). unfold addr. rewrite <- Q3, (class_base i' q Q1 (WP q Q2)), <- Z.add_assoc.
      apply (X2 i' q); try assumption. lia.
  - rewrite (RG RIP (-1) 0); [|cbn; auto|reflexivity]. rewrite Z.add_0_r. apply Z.mod_small. unfold base, returnto; cbn [Z.eqb].
    destruct (machine c); [apply load64_range, memb|apply regr].
  - rewrite (RG (SP c) 0 (8 * frame c + popped c)); [|cbn; auto|unfold SP; destruct (machine c); reflexivity]. rewrite base0. unfold stackbase. f_equal. ring.
  - intros l I. rewrite (RG l (savedbuf l) 0).
    + rewrite Z.add_0_r, saved_base. apply Z.mod_small, regr.
    + right. right. apply in_map_iff. exists l. auto.
    + unfold saved in I. destruct (machine c), (callconv c); cbn [In] in I; intuition (subst l; reflexivity).
  - intros l I. assert (L : isreg l = true) by (unfold framepointer in I; destruct (machine c); cbn [In] in I; intuition (subst l; reflexivity)).
    pose proof HR as R. unfold returns in R. rewrite !andb_true_iff in R. destruct R as [_ R].
    rewrite forallb_forall in R. specialize (R l I). specialize (S1 l L). unfold rep in S1.
    destruct (PM.find l e) as [[b o|]|]; try discriminate R. rewrite orb_true_iff, !andb_true_iff, !Z.eqb_eq in R. cbn [tagval] in S1.
    destruct R as [[-> ->] | [-> ->]].
    + left. rewrite S1, Z.add_0_r, saved_base. apply Z.mod_small, regr.
    + right. rewrite S1, base0. unfold stackbase. f_equal. ring.
  - intros a A. destruct (K3 a A) as (b & j & V & E & L). destruct (Z.eq_dec b 0) as [->|N].
    + right. exists j. pose proof V as V'. apply valid_inv in V'. unfold Y, lay in V'; cbn [lsize] in V'. change (0 =? 0) with true in V'. cbv iota in V'.
      split; [lia|]. split; [exact E|exact L].
    + left. destruct (fst a) eqn:FA.
      * destruct (WR b j V (L eq_refl) N) as (i & q & Q1 & Q2 & Q3 & Q4). exists i, q, j.
        split; [assumption|]. split; [auto|]. split; [assumption|]. split; [|auto].
        rewrite E. unfold addr. rewrite <- Q3, (class_base i q Q1 (WP q Q2)). reflexivity.
      * destruct (valid_member b j V N) as (i & q & Q1 & Q2 & Q3 & Q4). exists i, q, j.
        split; [assumption|]. split; [assumption|]. split; [assumption|]. split; [|congruence].
        rewrite E. unfold addr. rewrite <- Q3, (class_base i q Q1 Q2). reflexivity.
Qed.
End Sound.

Lemma not_excluded c s pat : entry c s -> fits (arg c s) 1 [] (params c) pat -> negb (excluded c pat) = true.
Proof.
  intros HE HF. destruct (excluded c pat) eqn:E; [|reflexivity]. exfalso. apply existsb_exists in E. destruct E as ([i j] & I & E).
  cbn [fst snd] in E. rewrite !andb_true_iff, Z.eqb_eq in E. destruct E as ((P & Q) & E). unfold isptr in P, Q.
  destruct (pget (params c) i) as [p|] eqn:GI; [|discriminate]. destruct (pget (params c) j) as [q|] eqn:GJ; [|discriminate].
  destruct (class_ok c s pat HF i p GI) as (_ & _ & A). destruct (class_ok c s pat HF j q GJ) as (_ & _ & B).
  destruct HE as (_ & _ & _ & _ & S & _). apply (S i j I). rewrite <- (A P), <- (B Q), E. reflexivity.
Qed.
Lemma check_patterns_in c p d pat : forall pats ks, check_patterns c p d pats ks = true -> In pat pats -> exists k, check_pattern c p d pat k = true.
Proof.
  induction pats as [|q pats IH]; intros [|k ks]; cbn [check_patterns In]; try congruence; try tauto.
  rewrite andb_true_iff. intros [A B] [<-|H]; [exists k; assumption|eauto].
Qed.
Theorem check_routine_sound c code k ks : check_routine c code k ks = true -> routine_correct c code.
Proof.
  unfold check_routine, routine_correct. destruct (decodes (machine c) code) as [[p|]|]; [|congruence|congruence].
  destruct (trs (lay c (indices c)) (mkenv (tags c (indices c))) p) as [[d ed]|]; [|congruence]. rewrite andb_true_iff. intros [CD CP].
  exists (Straight p), O. split; [reflexivity|].
  intros u s HE. destruct (patterns_ok (arg c s) (params c) 1 []) as (pat & I0 & I2).
  assert (I1 : In pat (filter (fun pat => negb (excluded c pat)) (patterns 1 [] (params c)))).
  { apply filter_In. split; [exact I0|]. apply not_excluded with (s := s); assumption. }
  destruct (check_patterns_in c p (ordered d) pat _ _ CP I1) as (k1 & K). unfold check_pattern in K.
  destruct (trs (lay c pat) (mkenv (tags c pat)) p) as [[is e]|] eqn:T; [|congruence].
  rewrite !andb_true_iff in K. destruct K as [[K1 K2] K3].
  exists (length p), (mexec u 0 p s), (accesses u 0 p s). split; [reflexivity|].
  eapply exit_ok; try eassumption; [eapply trs_ok; [eapply good_layout|eapply sim_start|]; eassumption|].
  assert (P : pre (low c pat) (start c s)) by (eapply pre_low; eassumption).
  rewrite <- (exec_order is (PM.empty _)). fold (ordered is). destruct k1 as [k1|].
  - apply (check_sound _ _ k1 K3). assumption.
  - apply (check_alias_ok c (ordered d) (ordered is) pat K3 (check_sound _ _ k CD)); [|assumption]. intros l. eapply start_range. eassumption.
Qed.
Print Assumptions check_routine_sound.
