(* Some state satisfies what the contract of a routine asks for on entry, so that
   no theorem about it is empty: one in which all numbers are 0, and the buffers lie
   far apart. *)
Require Import ZArith List Lia Bool Instr Claim Machine Slots X86 A64 Routine.
Import ListNotations.
Open Scope Z_scope.

(* SP, and the value of a parameter: an address, or 0. *)
Definition wsp : Z := 2 ^ 20.
Definition wval_ (c : routine) (i : Z) : Z :=
  match pget (params c) i with Some p => if pointer p then 2 ^ 32 + i * 2 ^ 16 else 0 | None => 0 end.
Definition wregs (c : routine) (l : loc) : Z :=
  if Pos.eqb l (SP c) then wsp else
  match callconv c with
  | ABI0 => 0
  | SystemV => match find (fun i => match argreg i with Some m => Pos.eqb l m | None => false end) [1; 2; 3; 4; 5; 6] with
      Some i => wval_ c i | None => 0 end
  end.
Definition wmem (c : routine) (x : Z) : Z :=
  match callconv c with
  | ABI0 => let i := (x - wsp) / 8 in if (0 <? i) && (i <=? Z.of_nat (length (params c))) then wval_ c i / 256 ^ ((x - wsp) mod 8) mod 256 else 0
  | SystemV => 0 end%bool.
Definition witness (c : routine) : mstate := {| reg := wregs c; mem := wmem c |}.

Definition check_entry (c : routine) : bool :=
  ((0 <=? frame c) && (frame c <=? 1000) && (Z.of_nat (length (params c)) <=? match callconv c with ABI0 => 1000 | SystemV => 6 end) &&
   forallb (fun p => (pwords p <=? 8000) && match pmax p with Some m => 0 <=? m | None => true end) (params c) &&
   forallb (fun x => match pget (params c) (fst x), pget (params c) (snd x) with
     | Some p, Some q => pointer p && pointer q && negb (fst x =? snd x)
     | _, _ => false end) (separate c))%bool.

Section Witness.
Variable c : routine.
Hypothesis H : check_entry c = true.
Let n := Z.of_nat (length (params c)).
Lemma entry_inv : 0 <= frame c <= 1000 /\ n <= match callconv c with ABI0 => 1000 | SystemV => 6 end /\
  (forall i p, pget (params c) i = Some p -> 1 <= i <= n /\ pwords p <= 8000 /\ forall m, pmax p = Some m -> 0 <= m) /\
  forall i j, In (i, j) (separate c) -> i <> j /\ exists p q, pget (params c) i = Some p /\ pget (params c) j = Some q /\ pointer p = true /\ pointer q = true.
Proof.
  unfold check_entry in H. rewrite !andb_true_iff, !forallb_forall, !Z.leb_le in H. destruct H as [[[[H1 H2] H3] H4] H5].
  split; [lia|]. split; [exact H3|]. split.
  - unfold pget. intros i p E. destruct (Z.ltb_spec i 1); [discriminate|].
    assert (LT : (Z.to_nat (i - 1) < length (params c))%nat) by (apply nth_error_Some; congruence).
    specialize (H4 p (nth_error_In _ _ E)). rewrite andb_true_iff, Z.leb_le in H4. destruct H4 as [A B].
    split; [unfold n; lia|]. split; [exact A|]. intros m M. rewrite M in B. apply Z.leb_le. exact B.
  - intros i j I. specialize (H5 (i, j) I). cbn [fst snd] in H5. destruct (pget (params c) i) as [p|]; [|discriminate]. destruct (pget (params c) j) as [q|]; [|discriminate].
    rewrite !andb_true_iff, negb_true_iff, Z.eqb_neq in H5. destruct H5 as [[A B] D]. split; [exact D|]. exists p, q. auto.
Qed.
Lemma n_le : 0 <= n <= 1000.
Proof. destruct entry_inv as (_ & A & _). unfold n in *. destruct (callconv c); lia. Qed.
Lemma wval_range_ i : 0 <= i <= 1000 -> 0 <= wval_ c i < 2 ^ 40.
Proof. intros I. unfold wval_. destruct (pget _ _) as [p|]; [destruct (pointer p)|]; lia. Qed.
Lemma wmem_byte x : 0 <= wmem c x < 256.
Proof. unfold wmem. destruct (callconv c); [|lia]. cbv zeta. destruct (_ && _)%bool; [apply Z.mod_pos_bound|]; lia. Qed.
(* What lies above the arguments is 0. *)
Lemma wmem_zero x : 2 ^ 32 <= x -> wmem c x = 0.
Proof.
  intros X. unfold wmem. destruct (callconv c); [|reflexivity]. cbv zeta. pose proof n_le as N. fold n.
  destruct (Z.leb_spec ((x - wsp) / 8) n) as [L|L]; [exfalso|rewrite andb_false_r; reflexivity].
  assert (2 ^ 28 <= (x - wsp) / 8) by (apply Z.div_le_lower_bound; unfold wsp; lia). lia.
Qed.
Lemma loadn_zero k : forall a, 2 ^ 32 <= a -> a + Z.of_nat k <= W -> loadn k (wmem c) a = 0.
Proof.
  induction k as [|k IH]; intros a A B; cbn [loadn]; [reflexivity|]. rewrite Nat2Z.inj_succ in B. rewrite IH by lia.
  rewrite Z.mod_small by lia. rewrite wmem_zero by lia. reflexivity.
Qed.
Lemma number_zero k : forall a, 2 ^ 32 <= a -> a + 8 * Z.of_nat k <= W -> number k (wmem c) a = 0.
Proof.
  induction k as [|k IH]; intros a A B; cbn [number]; [reflexivity|]. rewrite Nat2Z.inj_succ in B. rewrite IH by lia.
  unfold load64. rewrite loadn_zero by (change (Z.of_nat 8) with 8; lia). reflexivity.
Qed.
Lemma wregs_sp : wregs c (SP c) = wsp.
Proof. unfold wregs. rewrite Pos.eqb_refl. reflexivity. Qed.
Lemma warg i : 1 <= i <= n -> arg c (witness c) i = wval_ c i.
Proof.
  intros I. pose proof n_le as N. assert (V := wval_range_ i ltac:(lia)). unfold arg, witness. cbn [reg mem].
  rewrite wregs_sp. destruct entry_inv as (_ & L & _). destruct (callconv c) eqn:CC.
  - transitivity (load64 (store64 (fun _ => 0) (wsp + 8 * i) (wval_ c i)) (wsp + 8 * i)); [|apply load_same; [reflexivity|unfold W; lia]].
    apply loadn_ext. intros j J. rewrite Z.mod_small by (unfold W, wsp; lia). unfold store64, wmem. rewrite CC. cbv zeta.
    rewrite (Z.mod_small (wsp + 8 * i + j - (wsp + 8 * i)) W) by (unfold W; lia). destruct (Z.ltb_spec (wsp + 8 * i + j - (wsp + 8 * i)) 8); [|lia].
    replace (wsp + 8 * i + j - wsp) with (i * 8 + j) by ring. replace (wsp + 8 * i + j - (wsp + 8 * i)) with j by ring.
    rewrite Z.div_add_l, (Z.div_small j), Z.add_0_r by lia. rewrite Z.add_comm, Z.mod_add, (Z.mod_small j) by lia. fold n.
    destruct (Z.ltb_spec 0 i); [|lia]. destruct (Z.leb_spec i n); [|lia]. reflexivity.
  - assert (D : i = 1 \/ i = 2 \/ i = 3 \/ i = 4 \/ i = 5 \/ i = 6) by lia. unfold wregs, SP. rewrite CC.
    destruct (machine c), D as [->|[->|[->|[->|[->| ->]]]]]; reflexivity.
Qed.
Lemma ptr i p : pget (params c) i = Some p -> pointer p = true -> arg c (witness c) i = 2 ^ 32 + i * 2 ^ 16 /\ 1 <= i <= n.
Proof.
  intros G P. destruct entry_inv as (_ & _ & E & _). destruct (E i p G) as [I _]. split; [|exact I]. rewrite warg by exact I. unfold wval_. rewrite G, P. reflexivity.
Qed.
Lemma far a k b m : 0 <= a -> 0 <= b -> a + 8 * k <= W -> b + 8 * m <= W -> a + 8 * k <= b \/ b + 8 * m <= a -> disjoint a k b m.
Proof. intros A B L U D i j I J. rewrite !Z.mod_small by lia. lia. Qed.
Theorem witness_ok : entry c (witness c).
Proof.
  destruct entry_inv as (F & _ & E & S). pose proof n_le as N. split; [exact wmem_byte|]. split; [|split; [|split; [|split]]].
  - intros l. cbn [witness reg]. unfold wregs. destruct (Pos.eqb l (SP c)); [unfold wsp, W; lia|]. destruct (callconv c); [unfold W; lia|].
    destruct (find _ _) as [i|] eqn:FI; [|unfold W; lia]. apply find_some in FI. destruct FI as [FI _].
    cbn [In] in FI. assert (V := wval_range_ i ltac:(lia)). unfold W. lia.
  - intros i p m G M. destruct (E i p G) as (I & P & K). unfold rval. rewrite G. specialize (K m M).
    destruct (pointer p) eqn:PP.
    + destruct (ptr i p G PP) as [A _].
      assert (Z0 : number (Z.to_nat (pwords p)) (mem (witness c)) (arg c (witness c) i) = 0).
      { rewrite A. apply number_zero; [lia|]. unfold W. lia. }
      destruct p; try discriminate PP; rewrite Z0; exact K.
    + destruct p; try discriminate PP. rewrite warg by exact I. unfold wval_. rewrite G. exact K.
  - intros i j p q GI GJ PI PJ. destruct (ptr i p GI PI) as [-> I]. destruct (ptr j q GJ PJ) as [-> J].
    destruct (E i p GI) as (_ & WI & _). destruct (E j q GJ) as (_ & WJ & _).
    destruct (Z.lt_total i j) as [L|[->|L]]; [right|left; reflexivity|right]; apply far; unfold W; lia.
  - intros i j I. destruct (S i j I) as (D & p & q & GI & GJ & PI & PJ). destruct (ptr i p GI PI) as [-> _]. destruct (ptr j q GJ PJ) as [-> _]. lia.
  - intros i p G P. destruct (ptr i p G P) as [-> I]. destruct (E i p G) as (_ & WI & _). unfold stackbase. cbn [witness reg]. rewrite wregs_sp.
    apply far; unfold stackwords, wsp, W; fold n; destruct (callconv c), (result c); lia.
Qed.
End Witness.
Theorem check_entry_ok c : check_entry c = true -> exists s, entry c s.
Proof. intros H. exists (witness c). apply witness_ok, H. Qed.
Print Assumptions check_entry_ok.
