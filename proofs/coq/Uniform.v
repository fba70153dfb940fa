(* check_routine_uniform: the accesses of what check_routine accepts depend on the
   pointers and on SP only; check_routine_proved adds that it is correct. *)
Require Import ZArith List Lia FMapPositive Bool Poly Instr Claim Word Goal Check Value Machine Slots Sim X86 A64 Routine Proof Alias Sound.
Import ListNotations.
Open Scope Z_scope.

(* The accesses of a program, as words of buffers: the translation finds them
   without a state. *)
Fixpoint cells (Y : layout) (e : env) (p : list mop) : list (bool * (Z * Z)) :=
  match p with
  | [] => []
  | op :: p' =>
    match op with
    | Load _ b o => match cell Y e b o with Some x => [(false, x)] | None => [] end
    | Store b o _ => match cell Y e b o with Some x => [(true, x)] | None => [] end
    | _ => []
    end ++ match tr Y e op with Some (_, e1) => cells Y e1 p' | None => [] end
  end.
Definition where_to (B : Z -> Z) (x : bool * (Z * Z)) : bool * Z := (fst x, addr B (fst (snd x)) (snd (snd x)) mod W).
Lemma cells_ok B Y u p : good B Y -> forall n e s t is e', sim B Y e s t -> trs Y e p = Some (is, e') ->
  accesses u n p s = map (where_to B) (cells Y e p) /\
  (forall x, In x (cells Y e p) -> valid Y (fst (snd x)) (snd (snd x)) = true).
Proof.
  intros G. induction p as [|op p IH]; intros n e s t is e' S; cbn [trs accesses cells map]; [intros _; split; [reflexivity|intros ? []]|].
  destruct (tr Y e op) as [[js e1]|] eqn:T; [|congruence]. destruct (trs Y e1 p) as [[ks e2]|] eqn:T2; [|congruence]. intros _.
  destruct (tr_ok B Y u n e s t op js e1 G S T) as [S' _]. destruct (IH (Datatypes.S n) e1 _ _ _ _ S' T2) as [K1 K2].
  rewrite map_app, <- K1. clear IH K1.
  assert (H : forall b o, cell Y e b o <> None -> exists r k, cell Y e b o = Some (r, k) /\ valid Y r k = true /\ (reg s b + o) mod W = addr B r k mod W).
  { intros b o N. destruct (cell Y e b o) as [[r k]|] eqn:C; [|contradiction]. exists r, k. split; [reflexivity|]. apply (cell_ok B Y e s t); assumption. }
  destruct op as [i|d b o|b o v|d]; cbn [app map]; try (split; [reflexivity|exact K2]);
    cbn [tr] in T; (destruct (H b o) as (r & k & C & V & E); [intros C; rewrite C in T; discriminate|]); rewrite C; cbn [app map];
    (split; [unfold where_to at 1; cbn [fst snd]; rewrite E; reflexivity|intros x [<-|X]; [exact V|apply K2; exact X]]).
Qed.
Lemma fits_ext f g ps : forall i seen pat, fits f i seen ps pat -> (forall x, In x seen -> f x = g x) ->
  (forall n p, nth_error ps n = Some p -> pointer p = true -> f (i + Z.of_nat n) = g (i + Z.of_nat n)) -> fits g i seen ps pat.
Proof.
  induction ps as [|p ps IH]; intros i seen [|b pat]; cbn [fits]; try tauto. intros F S N.
  assert (N0 : pointer p = true -> f i = g i) by (intros P; specialize (N O p eq_refl P); rewrite Z.add_0_r in N; exact N).
  assert (N1 : forall n q, nth_error ps n = Some q -> pointer q = true -> f (i + 1 + Z.of_nat n) = g (i + 1 + Z.of_nat n)).
  { intros n q E P. specialize (N (Datatypes.S n) q E P). rewrite Nat2Z.inj_succ in N. replace (i + 1 + Z.of_nat n) with (i + Z.succ (Z.of_nat n)) by lia. exact N. }
  destruct (pointer p).
  - specialize (N0 eq_refl). destruct F as [(F1 & F2 & F)|(F1 & F2 & F)].
    + left. split; [assumption|]. split; [rewrite <- (S b F1); congruence|]. apply IH; assumption.
    + right. split; [assumption|]. split; [intros x X; rewrite <- (S x X), <- N0; apply F2; assumption|]. apply IH; [assumption| |assumption].
      intros x. rewrite in_app_iff. intros [X|[<-|[]]]; auto.
  - destruct F as [F1 F]. split; [assumption|]. apply IH; assumption.
Qed.
Lemma fits_same c pat s s' : fits (arg c s) 1 [] (params c) pat ->
  (forall i q, pget (params c) i = Some q -> pointer q = true -> arg c s i = arg c s' i) -> fits (arg c s') 1 [] (params c) pat.
Proof.
  intros F A. apply (fits_ext (arg c s)); [exact F|intros ? []|]. intros n q E P. apply (A _ q); [|exact P].
  unfold pget. destruct (Z.ltb_spec (1 + Z.of_nat n) 1); [lia|]. replace (Z.to_nat (1 + Z.of_nat n - 1)) with n by lia. exact E.
Qed.
Lemma base_same c pat s s' : entry c s -> fits (arg c s) 1 [] (params c) pat -> fits (arg c s') 1 [] (params c) pat ->
  reg s (SP c) = reg s' (SP c) -> (forall i q, pget (params c) i = Some q -> pointer q = true -> arg c s i = arg c s' i) ->
  forall b k, valid (lay c pat) b k = true -> base c s b = base c s' b.
Proof.
  intros E F F' R A b k V. destruct (Z.eq_dec b 0) as [->|N].
  - unfold base. cbn. unfold stackbase. rewrite R. reflexivity.
  - destruct (valid_member c pat b k V N) as (i & q & Q1 & Q2 & <- & _).
    rewrite (class_base c s pat F i q Q1 Q2), (class_base c s' pat F' i q Q1 Q2). eapply A; eassumption.
Qed.
Theorem check_routine_uniform c code k ks : check_routine c code k ks = true -> routine_uniform c code.
Proof.
  unfold check_routine, routine_uniform. destruct (decodes (machine c) code) as [[p|]|]; [|congruence|congruence].
  destruct (trs (lay c (indices c)) (mkenv (tags c (indices c))) p) as [[d ed]|]; [|congruence]. rewrite andb_true_iff. intros [_ CP].
  exists (Straight p), O. split; [reflexivity|].
  intros u u' s s' HE HE' R A. destruct (patterns_ok (arg c s) (params c) 1 []) as (pat & I0 & I2).
  assert (I1 : In pat (filter (fun pat => negb (excluded c pat)) (patterns 1 [] (params c)))).
  { apply filter_In. split; [exact I0|]. apply not_excluded with (s := s); assumption. }
  destruct (check_patterns_in c p (ordered d) pat _ _ CP I1) as (k1 & K). unfold check_pattern in K.
  destruct (trs (lay c pat) (mkenv (tags c pat)) p) as [[is e]|] eqn:T; [|congruence].
  rewrite !andb_true_iff in K. destruct K as [[K1 _] _].
  assert (F' : fits (arg c s') 1 [] (params c) pat) by (eapply fits_same; eassumption).
  exists (length p), (mexec u 0 p s), (mexec u' 0 p s'), (accesses u 0 p s). split; [reflexivity|].
  cbn [run straight app]. do 2 f_equal.
  assert (C : forall u s, entry c s -> fits (arg c s) 1 [] (params c) pat ->
    accesses u 0 p s = map (where_to (base c s)) (cells (lay c pat) (mkenv (tags c pat)) p) /\
    (forall x, In x (cells (lay c pat) (mkenv (tags c pat)) p) -> valid (lay c pat) (fst (snd x)) (snd (snd x)) = true)).
  { intros v r ER FR. eapply cells_ok; [eapply good_layout|eapply sim_start|]; eassumption. }
  destruct (C u s HE I2) as [C1 C2]. destruct (C u' s' HE' F') as [C3 _]. rewrite C1, C3. symmetry. apply map_ext_in. intros x X.
  unfold where_to, addr. rewrite (base_same c pat s s' HE I2 F' R A _ _ (C2 x X)). reflexivity.
Qed.
Theorem check_routine_proved c code k ks : check_routine c code k ks = true -> routine_proved c code.
Proof. intros H. split; [exact (check_routine_sound c code k ks H)|exact (check_routine_uniform c code k ks H)]. Qed.
Print Assumptions check_routine_proved.
