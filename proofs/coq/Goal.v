(* Contracts over locations, and how a claim follows from a symbolic state. *)
Require Import ZArith List Lia FMapPositive Bool Poly Instr Claim Word Split Bits Step Derive.
Import ListNotations.
Open Scope Z_scope.
Local Opaque padd pscale pmul psub pconst pvar psimp pw main extra.

(* The number that is held in words, least significant first. *)
Fixpoint wval (s : state) (ls : list loc) : Z :=
  match ls with [] => 0 | l :: r => s l + W * wval s r end.
Definition fork (st : sst) (key : positive) (b : bit) (v : Z) : sst :=
  {| regs := PM.mapi (fun _ w => pick b v w) (regs st); cx := assume (cx st) key b v |}.
Lemma fork_ok r s st key b v : ok r (cx st) -> rel r s (regs st) -> bok r v b ->
  ok r (cx (fork st key b v)) /\ rel r s (regs (fork st key b v)).
Proof.
  intros H R B. unfold fork; cbn [cx regs]. split; [apply assume_ok; assumption|].
  intros l w. rewrite PM.gmapi. destruct (PM.find l (regs st)) as [u|] eqn:E; [|cbn; congruence].
  cbn [option_map]. intros [= <-]. apply pick_ok; [assumption|]. apply R; assumption.
Qed.
Fixpoint wwords (g : PM.t word) (ls : list loc) : option word :=
  match ls with
  | [] => Some (wcon 0)
  | l :: r => do a <- PM.find l g; do b <- wwords g r; if inW a then Some (wadd a (wscale W b)) else None
  end.
Lemma wwords_ok r s g ls : rel r s g -> forall w, wwords g ls = Some w ->
  wok r (wval s ls) w /\ (forall l, In l ls -> 0 <= s l < W).
Proof.
  intros R. induction ls as [|l ls IH]; intros w; cbn [wwords wval].
  - intros [= <-]. split; [apply wcon_ok|intros ? []].
  - destruct (PM.find l g) as [a|] eqn:E; [cbn [bind]|cbn; congruence].
    destruct (wwords g ls) as [b|]; [cbn [bind]|cbn; congruence].
    destruct (inW a) eqn:EW; [|congruence]. intros KK. assert (KK' : w = wadd a (wscale W b)) by congruence. subst w.
    destruct (IH _ eq_refl) as [K1 K2]. split.
    + apply wadd_ok; [apply R; assumption|]. apply wscale_ok. assumption.
    + intros x [<-|X]; [eapply inW_ok; [apply R; eassumption|assumption]|auto].
Qed.

(* The number in some words, on entry (false) or on return (true). *)
Definition words := (bool * list loc)%type.
Definition wordsval (s0 s : state) (v : words) : Z := wval (if fst v then s else s0) (snd v).
Record contract := {
  cin : list (loc * Z);         (* input words, each with its largest value *)
  cpre : list (list loc * Z);   (* numbers on entry, each with its largest value *)
  cclaims : list (claim words) }.
Definition pre (c : contract) (s : state) : Prop :=
  (forall l m, In (l, m) (cin c) -> 0 <= s l <= m) /\ (forall ls m, In (ls, m) (cpre c) -> 0 <= wval s ls <= m).
Definition post (c : contract) (s0 s : state) : Prop := forall q, In q (cclaims c) -> holds (wordsval s0 s) q.
Definition correct (p : list instr) (c : contract) : Prop := forall s, pre c s -> post c s (exec p s).

Definition vword (g0 g : PM.t word) (v : words) : option word := wwords (if fst v then g else g0) (snd v).
Lemma vword_ok r s0 s g0 g v w : rel r s0 g0 -> rel r s g -> vword g0 g v = Some w -> wok r (wordsval s0 s v) w.
Proof.
  intros R0 R. unfold vword, wordsval. destruct (fst v); intros E.
  - apply (wwords_ok r s) in E; [apply E|assumption].
  - apply (wwords_ok r s0) in E; [apply E|assumption].
Qed.
Fixpoint epoly (g0 g : PM.t word) (e : expr words) : option poly :=
  match e with
  | EV v => do w <- vword g0 g v; Some (wA w)
  | EC z => Some (pconst z)
  | EAdd a b => do x <- epoly g0 g a; do y <- epoly g0 g b; Some (padd x y)
  | ESub a b => do x <- epoly g0 g a; do y <- epoly g0 g b; Some (psub x y)
  | EMul a b => do x <- epoly g0 g a; do y <- epoly g0 g b; Some (pmul x y)
  end.
Lemma epoly_ok r s0 s g0 g e : rel r s0 g0 -> rel r s g -> forall p, epoly g0 g e = Some p -> peval r p = eval (wordsval s0 s) e.
Proof.
  intros R0 R. induction e as [v|z|a IHa b IHb|a IHa b IHb|a IHa b IHb]; intros p; cbn [epoly eval].
  - destruct (vword g0 g v) as [w|] eqn:E; [cbn [bind]|cbn; congruence]. intros [= <-].
    apply (vword_ok r s0 s) in E; try assumption. destruct E as (E & _). exact E.
  - intros [= <-]. apply pconst_ok.
  - destruct (epoly g0 g a) as [x|]; [cbn [bind]|cbn; congruence]. destruct (epoly g0 g b) as [y|]; [cbn [bind]|cbn; congruence].
    intros [= <-]. rewrite padd_ok, (IHa _ eq_refl), (IHb _ eq_refl). reflexivity.
  - destruct (epoly g0 g a) as [x|]; [cbn [bind]|cbn; congruence]. destruct (epoly g0 g b) as [y|]; [cbn [bind]|cbn; congruence].
    intros [= <-]. rewrite psub_ok, (IHa _ eq_refl), (IHb _ eq_refl). reflexivity.
  - destruct (epoly g0 g a) as [x|]; [cbn [bind]|cbn; congruence]. destruct (epoly g0 g b) as [y|]; [cbn [bind]|cbn; congruence].
    intros [= <-]. rewrite pmul_ok, (IHa _ eq_refl), (IHb _ eq_refl). reflexivity.
Qed.

(* How one claim follows at the end of a path. *)
Inductive ghint :=
| GEqs (eqs : list (positive * Z))      (* congruence or equality, by adding these multiples of known equations *)
| GRange (ks : list comb)
| GNot (eqs : list (positive * Z)) (q : poly) (ks : list comb) (key : positive) (ds : list dstep) (k : comb).
    (* no congruence: the difference is q (mod m), |q| < m, and q = 0 is absurd *)
Definition vanishes (c : ctx) (m : Z) (p : poly) (eqs : list (positive * Z)) : bool :=
  ((0 <? m) && forallb (fun t => snd t mod m =? 0) (psimp (bnd c) (padd p (msum (facts c) eqs))))%bool.
Lemma vanishes_ok r c m p eqs : ok r c -> vanishes c m p eqs = true -> 0 < m /\ peval r p mod m = 0.
Proof.
  intros H. unfold vanishes. rewrite andb_true_iff, Z.ltb_lt. intros [P G]. split; [assumption|].
  apply (alldiv r) in G; [|assumption]. rewrite psimp_ok, padd_ok, msum_ok, Z.add_0_r in G by (assumption || apply H). exact G.
Qed.
Definition refutes (c : ctx) (m : Z) (q : poly) (ks : list comb) (key : positive) (ds : list dstep) (k : comb) : bool :=
  match ival (bnd c) q with
  | Some i0 =>
    let (qc, e) := toC c q in
    let i := rng c qc (pw e) (nocomb :: ks) i0 in
    (- m <? fst i) && (snd i <? m) &&
    match derives (addfact (addfact c (xO key) q (0, 0)) (xI key) qc (0, 0)) ds with
    | Some c' => absurd c' k
    | None => false end
  | None => false
  end%bool.
Lemma refutes_ok r c m q ks key ds k : ok r c -> refutes c m q ks key ds k = true -> peval r q mod m = 0 -> False.
Proof.
  intros H. unfold refutes. destruct (ival (bnd c) q) as [i0|] eqn:EI; [|congruence].
  destruct (toC c q) as [qc e] eqn:EC. apply (toC_ok r) in EC; [|assumption]. cbv zeta.
  apply (ival_ok r) in EI; [|apply H].
  pose proof (rng_ok r c qc (pw e) (peval r q) (nocomb :: ks) H EC i0 EI) as B.
  set (i := rng c qc (pw e) (nocomb :: ks) i0) in *. clearbody i. red in B.
  rewrite !andb_true_iff, !Z.ltb_lt. intros [[L U] A] Z0.
  assert (M0 : m <> 0) by lia. apply Z.mod_divide in Z0; [|assumption]. destruct Z0 as [t Ht].
  assert (QL : - m < t * m < m) by lia. assert (t = 0) by nia. assert (Q : peval r q = 0) by (rewrite Ht; subst t; ring).
  destruct (derives _ ds) as [c'|] eqn:ED; [|congruence].
  apply (derives_ok r) in ED; [eapply absurd_ok; eassumption|].
  apply addfact_ok; [apply addfact_ok; [assumption|]|]; red; cbn [fst snd]; rewrite ?EC, ?Q; lia.
Qed.
Definition proves (g0 : PM.t word) (st : sst) (q : claim words) (h : ghint) : bool :=
  let c := cx st in let g := regs st in
  match q, h with
  | CCong a b m, GEqs eqs =>
    match epoly g0 g a, epoly g0 g b with
    | Some x, Some y => vanishes c m (psub x y) eqs
    | _, _ => false end
  | CRange v lo hi, GRange ks =>
    match vword g0 g v with
    | Some w => let i := wrange c w ks in (lo <=? fst i) && (snd i <=? hi)
    | None => false end
  | CEq a b, GEqs eqs =>
    match epoly g0 g a, epoly g0 g b with
    | Some x, Some y => peqb (psimp (bnd c) (padd (psub x y) (msum (facts c) eqs))) []
    | _, _ => false end
  | CIs v a b m, GEqs eqs =>
    match vword g0 g v, epoly g0 g a, epoly g0 g b with
    | Some w, Some x, Some y =>
      match cst w with Some z => (z =? 1) && vanishes c m (psub x y) eqs | None => false end
    | _, _, _ => false end
  | CIs v a b m, GNot eqs d ks key ds k =>
    match vword g0 g v, epoly g0 g a, epoly g0 g b with
    | Some w, Some x, Some y =>
      match cst w with
      | Some z => (z =? 0) && vanishes c m (psub (psub x y) d) eqs && refutes c m d ks key ds k
      | None => false end
    | _, _, _ => false end
  | _, _ => false
  end%bool.
Lemma proves_ok r g0 s0 s st q h : ok r (cx st) -> rel r s0 g0 -> rel r s (regs st) ->
  proves g0 st q h = true -> holds (wordsval s0 s) q.
Proof.
  intros H R0 R. destruct q as [a b m|v lo hi|a b|v a b m|v a z m], h as [eqs|ks|eqs d ks key ds k];
    cbn [proves holds]; try congruence.
  - destruct (epoly _ _ a) as [x|] eqn:EA; [|congruence]. destruct (epoly _ _ b) as [y|] eqn:EB; [|congruence].
    apply (epoly_ok r s0 s) in EA, EB; try assumption. intros V. apply (vanishes_ok r) in V; [|assumption].
    rewrite psub_ok, EA, EB in V. exact V.
  - destruct (vword _ _ v) as [w|] eqn:EW; [|congruence]. apply (vword_ok r s0 s) in EW; try assumption.
    pose proof (wrange_ok r _ _ _ ks H EW) as B. red in B. rewrite andb_true_iff, !Z.leb_le. lia.
  - destruct (epoly _ _ a) as [x|] eqn:EA; [|congruence]. destruct (epoly _ _ b) as [y|] eqn:EB; [|congruence].
    apply (epoly_ok r s0 s) in EA, EB; try assumption. intros V. apply peqb_ok in V. pose proof H as (HB & _).
    apply (f_equal (peval r)) in V. rewrite psimp_ok, padd_ok, psub_ok, msum_ok, EA, EB in V by assumption. cbn [peval] in V. lia.
  - destruct (vword _ _ v) as [w|] eqn:EW; [|congruence]. apply (vword_ok r s0 s) in EW; try assumption.
    destruct (epoly _ _ a) as [x|] eqn:EA; [|congruence]. destruct (epoly _ _ b) as [y|] eqn:EB; [|congruence].
    apply (epoly_ok r s0 s) in EA, EB; try assumption. destruct (cst w) as [z|] eqn:EZ; [|congruence].
    rewrite (cst_ok _ _ _ _ EW EZ), andb_true_iff, Z.eqb_eq. intros [-> V]. apply (vanishes_ok r) in V; [|assumption].
    rewrite psub_ok, EA, EB in V. destruct V as [P V]. split; [assumption|]. rewrite V. reflexivity.
  - destruct (vword _ _ v) as [w|] eqn:EW; [|congruence]. apply (vword_ok r s0 s) in EW; try assumption.
    destruct (epoly _ _ a) as [x|] eqn:EA; [|congruence]. destruct (epoly _ _ b) as [y|] eqn:EB; [|congruence].
    apply (epoly_ok r s0 s) in EA, EB; try assumption. destruct (cst w) as [z|] eqn:EZ; [|congruence].
    rewrite (cst_ok _ _ _ _ EW EZ), !andb_true_iff, Z.eqb_eq. intros [[-> V] F]. apply (vanishes_ok r) in V; [|assumption].
    rewrite !psub_ok, EA, EB in V. destruct V as [P V]. split; [assumption|].
    destruct (Z.eqb_spec ((eval (wordsval s0 s) a - eval (wordsval s0 s) b) mod m) 0) as [E|]; [|reflexivity].
    exfalso. eapply refutes_ok; [exact H|exact F|].
    apply Z.mod_divide in V; [|lia]. apply Z.mod_divide in E; [|lia]. apply Z.mod_divide; [lia|].
    replace (peval r d) with ((eval (wordsval s0 s) a - eval (wordsval s0 s) b) - (eval (wordsval s0 s) a - eval (wordsval s0 s) b - peval r d)) by ring.
    apply Z.divide_sub_r; assumption.
Qed.
Fixpoint goals (g0 : PM.t word) (st : sst) (qs : list (claim words)) (hs : list ghint) : bool :=
  match qs, hs with
  | [], [] => true
  | q :: qs', h :: hs' => proves g0 st q h && goals g0 st qs' hs'
  | _, _ => false
  end%bool.
Lemma goals_ok r g0 s0 s st : ok r (cx st) -> rel r s0 g0 -> rel r s (regs st) ->
  forall qs hs, goals g0 st qs hs = true -> forall q, In q qs -> holds (wordsval s0 s) q.
Proof.
  intros H R0 R. induction qs as [|q qs IH]; intros [|h hs]; cbn [goals]; try congruence; [intros _ ? []|].
  rewrite andb_true_iff. intros [A B] x [<-|X]; [eapply proves_ok; eassumption|eapply IH; eassumption].
Qed.

