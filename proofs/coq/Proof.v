(* The ways in which pointers may be equal, and what each makes of a routine: a
   program on locations with a contract. *)
Require Import ZArith List Lia FMapPositive Bool Poly Instr Claim Word Goal Check Machine Slots Sim X86 A64 Routine.
Import ListNotations.
Open Scope Z_scope.

(* A pattern gives each parameter the number of the first pointer that is equal
   to it. *)
Fixpoint patterns (i : Z) (seen : list Z) (ps : list param) : list (list Z) :=
  match ps with
  | [] => [[]]
  | p :: ps' =>
    if pointer p then
      flat_map (fun b => map (cons b) (patterns (i + 1) seen ps')) seen ++
      map (cons i) (patterns (i + 1) (seen ++ [i]) ps')
    else map (cons i) (patterns (i + 1) seen ps')
  end.
Fixpoint fits (f : Z -> Z) (i : Z) (seen : list Z) (ps : list param) (pat : list Z) : Prop :=
  match ps, pat with
  | [], [] => True
  | p :: ps', b :: pat' =>
    if pointer p then
      (In b seen /\ f b = f i /\ fits f (i + 1) seen ps' pat') \/
      (b = i /\ (forall x, In x seen -> f x <> f i) /\ fits f (i + 1) (seen ++ [i]) ps' pat')
    else b = i /\ fits f (i + 1) seen ps' pat'
  | _, _ => False
  end.
Lemma patterns_ok f ps : forall i seen, exists pat, In pat (patterns i seen ps) /\ fits f i seen ps pat.
Proof.
  induction ps as [|p ps IH]; intros i seen; cbn [patterns].
  - exists []. cbn. auto.
  - destruct (pointer p) eqn:P.
    + destruct (Exists_dec (fun x => f x = f i) seen (fun x => Z.eq_dec (f x) (f i))) as [X|X].
      * apply Exists_exists in X. destruct X as (b & B1 & B2). destruct (IH (i + 1) seen) as (pat & I1 & I2).
        exists (b :: pat). split.
        -- apply in_or_app. left. apply in_flat_map. exists b. split; [assumption|]. apply in_map. assumption.
        -- cbn [fits]. rewrite P. left. auto.
      * destruct (IH (i + 1) (seen ++ [i])) as (pat & I1 & I2). exists (i :: pat). split.
        -- apply in_or_app. right. apply in_map. assumption.
        -- cbn [fits]. rewrite P. right. split; [reflexivity|]. split; [|assumption].
           intros x H E. apply X. apply Exists_exists. exists x. auto.
    + destruct (IH (i + 1) seen) as (pat & I1 & I2). exists (i :: pat). split; [apply in_map; assumption|].
      cbn [fits]. rewrite P. auto.
Qed.
(* the entries of a list and their numbers, counted from i *)
Lemma fits_class f ps : forall i seen pat, fits f i seen ps pat -> forall n p, nth_error ps n = Some p ->
  exists b, nth_error pat n = Some b /\ (pointer p = true -> f b = f (i + Z.of_nat n)) /\
    (0 < i -> (forall x, In x seen -> 0 < x) -> 0 < b).
Proof.
  induction ps as [|p ps IH]; intros i seen [|b pat]; cbn [fits]; try tauto.
  - intros _ [|n] p; cbn; congruence.
  - intros F n q. destruct n as [|n]; cbn [nth_error].
    + intros [= <-]. exists b. split; [reflexivity|]. rewrite Z.add_0_r. destruct (pointer p).
      * destruct F as [(F1 & F2 & _)|(-> & _ & _)]; split; auto.
      * destruct F as [-> _]. split; auto.
    + intros N. rewrite Nat2Z.inj_succ. replace (i + Z.succ (Z.of_nat n)) with (i + 1 + Z.of_nat n) by lia.
      assert (K : exists seen', fits f (i + 1) seen' ps pat /\ (0 < i -> (forall x, In x seen -> 0 < x) -> forall x, In x seen' -> 0 < x)).
      { destruct (pointer p); [destruct F as [(_ & _ & F)|(_ & _ & F)]|destruct F as [_ F]]; eexists; (split; [exact F|]); auto.
        intros I0 S x. rewrite in_app_iff. cbn [In]. intros [X|[<-|[]]]; auto. }
      destruct K as (seen' & F' & S). destruct (IH _ _ _ F' n q N) as (c & C1 & C2 & C3). exists c. split; [assumption|]. split; [assumption|].
      intros I0 SS. apply C3; [lia|auto].
Qed.
(* classes of pointers: distinct numbers have distinct addresses *)
Lemma fits_distinct f ps : forall i seen pat, fits f i seen ps pat ->
  (forall x y, In x seen -> In y seen -> f x = f y -> x = y) ->
  exists all, incl seen all /\ (forall x y, In x all -> In y all -> f x = f y -> x = y) /\
    (forall n p b, nth_error ps n = Some p -> nth_error pat n = Some b -> pointer p = true -> In b all).
Proof.
  induction ps as [|p ps IH]; intros i seen [|b pat]; cbn [fits]; try tauto.
  - intros _ D. exists seen. split; [apply incl_refl|]. split; [assumption|]. intros [|n]; cbn; congruence.
  - intros F D. destruct (pointer p) eqn:P; [destruct F as [(F1 & F2 & F)|(-> & F2 & F)]|destruct F as [-> F]].
    + destruct (IH _ _ _ F D) as (all & A1 & A2 & A3). exists all. split; [assumption|]. split; [assumption|].
      intros [|n] q c; cbn [nth_error]; [|apply A3]. intros _ [= <-] _. apply A1; assumption.
    + destruct (IH _ _ _ F) as (all & A1 & A2 & A3).
      { intros x y. rewrite !in_app_iff. cbn [In]. intros [X|[<-|[]]] [Y|[<-|[]]] E; auto; exfalso; [eapply F2; eauto|eapply F2; [exact Y|congruence]]. }
      exists all. split; [intros x X; apply A1, in_or_app; auto|]. split; [assumption|].
      intros [|n] q c; cbn [nth_error]; [|apply A3]. intros _ [= <-] _. apply A1, in_or_app. right. left. reflexivity.
    + destruct (IH _ _ _ F D) as (all & A1 & A2 & A3). exists all. split; [assumption|]. split; [assumption|].
      intros [|n] q c; cbn [nth_error]; [|apply A3]. intros [= <-] _. congruence.
Qed.

(* Buffer 0 is the stack; buffer b > 0 is what the pointers of class b point to.
   The values that must be preserved look like addresses in buffers that have no
   words, so that they can be copied but not computed with. *)
Definition members (c : routine) (pat : list Z) : list (param * Z) := combine (params c) pat.
Definition isin (b k : Z) (m : param * Z) : bool := (pointer (fst m) && (snd m =? b) && (k <? pwords (fst m)))%bool.
Definition zmax (l : list Z) : Z := fold_right Z.max 0 l.
Definition lay (c : routine) (pat : list Z) : layout :=
  {| lsize := fun b => if b =? 0 then stackwords c else
       zmax (map (fun m => if pointer (fst m) && (snd m =? b) then pwords (fst m) else 0) (members c pat));
     lwrite := fun b k => if b =? 0 then stackwrite c k else
       existsb (fun m => pwrites (fst m) && isin b k m) (members c pat) |}%bool.
(* the location of an argument *)
Definition argloc (c : routine) (i : Z) : loc :=
  match callconv c with ABI0 => slot 0 (frame c + i) | SystemV => match argreg i with Some l => l | None => JUNK end end.
Definition savedbuf (l : loc) : Z := - 1 - Z.pos l.
Definition savedtag (l : loc) : loc * tag := (l, Ptr (savedbuf l) 0).
Fixpoint argtags (c : routine) (i : Z) (l : list (param * Z)) : list (loc * tag) :=
  match l with
  | [] => []
  | (p, b) :: l' => (if pointer p then [(argloc c i, Ptr b 0)] else []) ++ argtags c (i + 1) l'
  end.
Definition opaque (c : routine) : list loc := saved (machine c) (callconv c) ++ framepointer c.
Definition retloc (c : routine) : loc := match machine c with AMD64 => slot 0 (frame c) | ARM64 => X30 end.
Definition tags (c : routine) (pat : list Z) : list (loc * tag) :=
  (SP c, Ptr 0 (8 * frame c)) :: (retloc c, Ptr (-1) 0) :: argtags c 1 (members c pat) ++ map savedtag (opaque c).
Definition mkenv (l : list (loc * tag)) : env := fold_right (fun x e => PM.add (fst x) (snd x) e) (PM.empty _) l.
Definition ends (c : routine) : list (loc * (Z * Z)) :=
  (SP c, (0, 8 * frame c + popped c)) :: (RIP, (-1, 0)) :: map (fun l => (l, (savedbuf l, 0))) (saved (machine c) (callconv c)).

Definition resultloc (c : routine) : loc :=
  match callconv c with ABI0 => slot 0 (frame c + 1 + Z.of_nat (length (params c))) | SystemV => RAX end.

(* The locations of a number. *)
Fixpoint slots (b k : Z) (n : nat) : list loc := match n with O => [] | S m => slot b k :: slots b (k + 1) m end.
Definition class (pat : list Z) (i : Z) : Z := nth (Z.to_nat (i - 1)) pat 0.
Definition where_ (c : routine) (pat : list Z) (v : rvar) : words :=
  match v with
  | Before i =>
    (false, match pget (params c) i with
     | Some (PVal _) => [argloc c i]
     | Some p => slots (class pat i) 0 (Z.to_nat (pwords p))
     | None => [] end)
  | After i =>
    (true, match pget (params c) i with
     | Some (PVal _) => []
     | Some p => slots (class pat i) 0 (Z.to_nat (pwords p))
     | None => [] end)
  | Result => (true, if result c then [resultloc c] else [])
  end.
Fixpoint upto (i : Z) (n : nat) : list Z := match n with O => [] | S m => i :: upto (i + 1) m end.
Definition indices (c : routine) : list Z := upto 1 (length (params c)).
(* As many words are listed for each pointer, though nothing reads some of them,
   so that all patterns number their variables alike. Registers that need not be
   preserved hold anything, but do hold something. *)
Definition scratch (v : conv) : list loc :=
  match v with ABI0 => [] | SystemV => [1; 2; 3; 7; 8; 9; 10; 11; 12]%positive end.
Definition inputs (c : routine) (pat : list Z) : list (loc * Z) :=
  map (fun l => (l, W - 1)) (scratch (callconv c)) ++
  flat_map (fun i =>
    match pget (params c) i with
    | Some (PVal m) => [(argloc c i, m)]
    | Some _ => map (fun l => (l, W - 1)) (slots i 0 (Z.to_nat (zmax (map pwords (params c)))))
    | None => [] end) (indices c).
Definition bounds (c : routine) (pat : list Z) : list (list loc * Z) :=
  flat_map (fun i =>
    match pget (params c) i with
    | Some (PVal _) | None => []
    | Some p => match pmax p with Some m => [(snd (where_ c pat (Before i)), m)] | None => [] end
    end) (indices c).
Definition low (c : routine) (pat : list Z) : contract :=
  {| cin := inputs c pat; cpre := bounds c pat; cclaims := map (cmap (where_ c pat)) (rclaims c) |}.

(* On return, nothing that a claim may read is an address, and what must be
   preserved is. *)
Definition readable (Y : layout) (e : env) (b k : Z) : bool :=
  (valid Y b k && match PM.find (slot b k) e with None => true | Some _ => false end)%bool.
(* the same of an argument, and of the result *)
Definition plainreg (e : env) (l : loc) : bool := (isreg l && match PM.find l e with None => true | Some _ => false end)%bool.
Definition argread (c : routine) (Y : layout) (e : env) (i : Z) : bool :=
  match callconv c with ABI0 => readable Y e 0 (frame c + i) | SystemV => plainreg e (argloc c i) end.
Definition resultread (c : routine) (Y : layout) (e : env) : bool :=
  match callconv c with
  | ABI0 => readable Y e 0 (frame c + 1 + Z.of_nat (length (params c)))
  | SystemV => plainreg e RAX end.
Definition returns (c : routine) (pat : list Z) (e : env) : bool :=
  (forallb (fun x => match PM.find (fst x) e with Some (Ptr b o) => (b =? fst (snd x)) && (o =? snd (snd x)) | _ => false end) (ends c) &&
   forallb (fun i => match pget (params c) i with
     | Some (PVal _) | None => true
     | Some p => forallb (readable (lay c pat) e (class pat i)) (upto 0 (Z.to_nat (pwords p))) end) (indices c) &&
   (negb (result c) || resultread c (lay c pat) e) &&
   forallb (fun l => match PM.find l e with
     | Some (Ptr b o) => (b =? savedbuf l) && (o =? 0) || (b =? 0) && (o =? 8 * frame c - 8)
     | _ => false end) (framepointer c))%bool.
Definition entrywords (c : routine) (pat : list Z) (e : env) : bool :=
  ((0 <=? frame c) && (stackwords c <=? 64) &&
   match callconv c with ABI0 => true | SystemV => Z.of_nat (length (params c)) <=? 6 end && forallb (fun i => match pget (params c) i with
     | Some (PVal m) => argread c (lay c pat) e i
     | None => true
     | Some p => forallb (readable (lay c pat) e (class pat i)) (upto 0 (Z.to_nat (lsize (lay c pat) (class pat i)))) &&
         (pwords p <=? lsize (lay c pat) (class pat i)) end) (indices c))%bool.
(* A logical operation with its constant second: the same, and what the checker
   has rules for. e says which registers hold constants; nothing depends on it
   being right. *)
Definition order1 (e : PM.t unit) (i : instr) : instr :=
  match i with
  | Logic o d (L a) (L b) => match PM.find a e, PM.find b e with Some _, None => Logic o d (L b) (L a) | _, _ => i end
  | _ => i end.
Definition constants (e : PM.t unit) (i : instr) : PM.t unit :=
  match i with
  | Mov d (I _) => PM.add d tt e
  | Mov d (L s) => match PM.find s e with Some _ => PM.add d tt e | None => PM.remove d e end
  | _ => fold_right (PM.remove (A:=unit)) e (dsts i) end.
Fixpoint order (e : PM.t unit) (p : list instr) : list instr :=
  match p with [] => [] | i :: p' => order1 e i :: order (constants e i) p' end.
Lemma lopz_comm o a b : lopz o a b = lopz o b a.
Proof. destruct o; cbn [lopz]; [apply Z.land_comm|apply Z.lor_comm|apply Z.lxor_comm]. Qed.
Lemma exec_order p : forall e s, exec (order e p) s = exec p s.
Proof.
  induction p as [|i p IH]; intros e s; cbn [order exec]; [reflexivity|]. rewrite IH. f_equal.
  destruct i; cbn [order1]; try reflexivity. destruct a as [a|]; [|reflexivity]. destruct b as [b|]; [|reflexivity].
  destruct (PM.find a e); [|reflexivity]. destruct (PM.find b e); [reflexivity|].
  cbn [exec1 rd]. rewrite lopz_comm. reflexivity.
Qed.
Definition ordered (p : list instr) : list instr := order (PM.empty _) p.
(* a pattern that the contract does not allow *)
Definition isptr (c : routine) (i : Z) : bool := match pget (params c) i with Some p => pointer p | None => false end.
Definition excluded (c : routine) (pat : list Z) : bool :=
  existsb (fun x => isptr c (fst x) && isptr c (snd x) && (class pat (fst x) =? class pat (snd x)))%bool (separate c).
