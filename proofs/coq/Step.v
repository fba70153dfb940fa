(* One operation on symbolic words. *)
Require Import ZArith List Lia FMapPositive Bool Poly Instr Word Split Bits.
Import ListNotations.
Open Scope Z_scope.
Local Opaque padd pscale pmul psub pconst pvar psimp pw main extra.

Record sst := { regs : PM.t word; cx : ctx }.
Definition rel (r : var -> Z) (s : state) (g : PM.t word) : Prop :=
  forall l w, PM.find l g = Some w -> wok r (s l) w.
Lemma rel_add r s g l w v : rel r s g -> wok r v w -> rel r (upd s l v) (PM.add l w g).
Proof.
  intros H E l' w'. unfold upd. destruct (Pos.eqb_spec l' l) as [->|N].
  - rewrite PM.gss. intros [= <-]; assumption.
  - rewrite PM.gso by assumption. apply H.
Qed.
Lemma rel_remove r s g l v : rel r s g -> rel r (upd s l v) (PM.remove l g).
Proof.
  intros H l' p'. unfold upd. destruct (Pos.eqb_spec l' l) as [->|N].
  - rewrite PM.grs. congruence.
  - rewrite PM.gro by assumption. apply H.
Qed.
Definition sget (g : PM.t word) (x : src) : option word := match x with L l => PM.find l g | I z => Some (wcon z) end.
Lemma sget_ok r s g x w : rel r s g -> sget g x = Some w -> wok r (rd s x) w.
Proof. intros H. destruct x; cbn [sget rd]; [apply H|]. intros [= <-]. apply wcon_ok. Qed.

Definition dm (M x : Z) : Z * Z := (x mod M, x / M).
Definition lmask (z : Z) : bool := z =? 2 ^ Z.log2 (z + 1) - 1.
Definition kof (o : lop) (z : Z) : N :=
  match o with And => Z.to_N (if lmask z then Z.log2 (z + 1) else Z.log2 (W - z)) | _ => Z.to_N (Z.log2 (W - z)) end.
(* the values that the variables of an instruction stand for *)
Definition vals (i : instr) (s : state) : Z * Z :=
  match i with
  | Mul hi lo a b => dm W (rd s a * rd s b)
  | Adc d co a b c => dm W (rd s a + rd s b + rd s c)
  | Sbb d bo a b c => dm W (rd s a - rd s b - rd s c)
  | Logic And d a (L l) => (Z.land (rd s a) (s l), rd s a / pw (kof And (s l)))
  | Logic o d a (I z) => dm (pw (kof o z)) (rd s a)
  | Logic o d a b => (lopz o (rd s a) (rd s b), 0)
  | Shr d a n => dm (pw n) (rd s a)
  | Shl d a n => dm (pw (64 - n)) (rd s a)
  | Isz d a => (if rd s a =? 0 then 1 else 0, 0)
  | _ => (0, 0)
  end.

Definition bind {A B} (x : option A) (f : A -> option B) : option B := match x with Some a => f a | None => None end.
Notation "'do' x <- e ; f" := (bind e (fun x => f)) (at level 200, x pattern, e at level 100, f at level 200).

Definition inW (w : word) : bool := ((0 <=? wlo w) && (whi w <? W))%bool.
Lemma inW_ok r x w : wok r x w -> inW w = true -> 0 <= x < W.
Proof. unfold inW. rewrite andb_true_iff, Z.leb_le, Z.ltb_lt. intros (_ & _ & B & _). lia. Qed.
Definition addfact (c : ctx) (k : positive) (p : poly) (i : itv) : ctx :=
  {| bnd := bnd c; facts := PM.add k (p, i) (facts c); cdef := cdef c; lows := lows c; zd := zd c; xd := xd c |}.
Definition setv (c : ctx) (v : var) (i : itv) : ctx :=
  {| bnd := PM.add v (match PM.find v (bnd c) with Some j => isect j i | None => i end) (bnd c);
     facts := facts c; cdef := cdef c; lows := lows c; zd := zd c; xd := xd c |}.
Lemma addfact_ok r c k p i : ok r c -> within (peval r p) i -> ok r (addfact c k p i).
Proof.
  intros (H1 & H2 & H3 & H4 & H5) B. split; [assumption|]. split; [|auto]. cbn [addfact facts].
  intros j q t E. refine (pmadd _ (fun _ pi => within (peval r (fst pi)) (snd pi)) _ _ _ _ _ j (q, t) E).
  - intros j' [p' i']; apply H2.
  - exact B.
Qed.
Lemma setv_ok r c v i : ok r c -> within (r v) i -> ok r (setv c v i).
Proof.
  intros (H1 & H2 & H3 & H4 & H5) B. split; [|auto]. cbn [setv bnd]. apply bnd_add; [assumption|].
  destruct (PM.find v (bnd c)) eqn:E; [|assumption]. apply isect_ok; [|assumption]. eapply H1; eauto.
Qed.
(* a word whose value is the fresh variable v *)
Definition wvar (v : var) (lo hi : Z) : word := {| wA := pvar v; wC := pvar v; wE := 0; wlo := lo; whi := hi; wf := None |}.
Lemma wvar_ok r v x lo hi : r v = x -> lo <= x <= hi -> wok r x (wvar v lo hi).
Proof. intros E B. unfold wok, wvar; cbn [wA wC wE wlo whi wf fok]. rewrite !pvar_ok. change (pw 0) with 1. repeat split; lia. Qed.


Lemma wC_in r c k x w lo hi : ok r c -> wok r x w -> lo <= x <= hi ->
  ok r (addfact c k (wC w) (pw (wE w) * lo, pw (wE w) * hi)).
Proof.
  intros H (_ & C & _) B. apply addfact_ok; [assumption|]. red; cbn [fst snd]. rewrite C.
  pose proof (pw_pos (wE w)). nia.
Qed.
(* o >= b, o >= a, o <= a + b for o = a|b *)
Definition addC (c : ctx) (k : positive) (w : word) (lo hi : Z) : ctx := addfact c k (wC w) (pw (wE w) * lo, pw (wE w) * hi).
Definition orfacts (c : ctx) (v : var) (d e f : word) : ctx :=
  addC (addC (addC (setv c v (0, W - 1)) (xO (xO v)) d 0 W) (xO (xI v)) e (- W) 0) (xO (xO (xI v))) f 0 W.
Lemma orfacts_ok r c v d e f x y z : ok r c -> 0 <= r v <= W - 1 -> wok r x d -> wok r y e -> wok r z f ->
  0 <= x <= W -> - W <= y <= 0 -> 0 <= z <= W -> ok r (orfacts c v d e f).
Proof.
  intros. unfold orfacts, addC. eapply wC_in; [|eassumption|lia]. eapply wC_in; [|eassumption|lia]. eapply wC_in; [|eassumption|lia].
  apply setv_ok; [assumption|]. red; cbn [fst snd]. lia.
Qed.
Opaque orfacts wvar.

Lemma some_pair (A B : Type) (a c : A) (b d : B) : Some (a, b) = Some (c, d) -> c = a /\ d = b.
Proof. intros E. injection E as <- <-. auto. Qed.
Definition isimm (x : src) : bool := match x with I _ => true | L _ => false end.
Definition logic (look : loc -> option word) (c : ctx) (pc : positive) (o : lop) (a : word) (y : src) (b : word) (h : hint) : option (ctx * word) :=
  match fn2 (lopz o) a b with
  | Some w => Some (c, w)
  | None =>
  if negb (inW a && inW b) then None else
  match o with
  | And =>
    match cst b with
    | Some z =>
      if z =? 0 then Some (c, wcon 0) else if z =? W - 1 then Some (c, a) else
      if lmask z && (0 <? z) && (kof And z <? 64)%N then do (c', l, q) <- split look c pc (kof And z) a h; Some (c', l)
      else if negb (lmask z) && isimm y && (z =? W - pw (kof And z)) && (kof And z <? 64)%N then do (c', l, q) <- split look c pc (kof And z) a h; Some (c', wscale (pw (kof And z)) q)
      else None
    | None =>
      match y with
      | I _ => None
      | L _ =>      (* o <= b, o <= a, o >= a + b - (W - 1) for o = a&b *)
        let v := main pc in let V := wvar v 0 (W - 1) in
        let d := wadd b (wscale (-1) V) in
        let e := wadd V (wscale (-1) a) in
        let f := wadd (wadd (wcon (W - 1)) e) (wscale (-1) b) in
        Some (orfacts c v d e f, V)
      end
    end
  | Xor =>
    match cst b with
    | Some z => if z =? W - 1 then Some (c, wadd (wcon z) (wscale (-1) a)) else if z =? 0 then Some (c, a) else None
    | None =>
      match y with
      | I _ => None
      | L _ => let v := main pc in let c1 := setv c v (0, W - 1) in
        Some ({| bnd := bnd c1; facts := facts c1; cdef := cdef c1; lows := lows c1; zd := zd c1;
                 xd := PM.add v (a, b) (xd c1) |}, wvar v 0 (W - 1))
      end
    end
  | Or =>
    match y with
    | I z =>
      if (z =? W - pw (kof Or z)) && (kof Or z <? 64)%N then do (c', l, q) <- split look c pc (kof Or z) a h; Some (c', wadd l (wcon z)) else None
    | L _ =>
      let v := main pc in
      let n := Z.log2_up (whi b + 1) in
      if forallb (fun t => snd t mod 2 ^ n =? 0) (wA a) then Some (c, wadd a b) else
      let d := wadd (wvar v 0 (W - 1)) (wscale (-1) b) in
      let e := wadd a (wscale (-1) (wvar v 0 (W - 1))) in
      let f := wadd b e in
      Some (orfacts c v d e f, wvar v 0 (W - 1))
    end
  end
  end%bool.
Lemma logic_ok r look c pc o a y b h s c' w : (forall l w, look l = Some w -> exists y, wok r y w) -> ok r c -> wok r (rd s a) w -> forall wb, wok r (rd s y) wb ->
  r (main pc) = fst (vals (Logic o b a y) s) -> r (extra pc) = snd (vals (Logic o b a y) s) ->
  forall w', logic look c pc o w y wb h = Some (c', w') -> ok r c' /\ wok r (lopz o (rd s a) (rd s y)) w'.
Proof.
  intros LK H HA wb HB V0 V1 w'. unfold logic.
  destruct (fn2 (lopz o) w wb) as [t|] eqn:EF.
  { intros [= <- <-]. split; [assumption|]. eapply fn2_ok; eauto. }
  destruct (inW w && inW wb)%bool eqn:EW; cbn [negb]; [|congruence]. rewrite andb_true_iff in EW. destruct EW as [W1 W2].
  apply (inW_ok r _ _ HA) in W1. apply (inW_ok r _ _ HB) in W2.
  destruct o.
  - destruct (cst wb) as [z|] eqn:EZ.
    2:{ destruct y as [l|z]; [|congruence]. cbv zeta. cbn [vals fst snd] in V0, V1. intros KK. apply some_pair in KK. destruct KK as [-> ->].
      cbn [lopz rd] in *. destruct (land_bounds _ _ W1 W2) as (B1 & B2 & B3). pose proof (land_range _ _ W1 W2) as B4.
      set (x := rd s a) in *. set (u := s l) in *.
      assert (HV : wok r (Z.land x u) (wvar (main pc) 0 (W - 1))) by (apply wvar_ok; [exact V0|lia]).
      set (V := wvar (main pc) 0 (W - 1)) in *.
      pose proof (wadd_ok _ _ _ _ _ HB (wscale_ok _ (-1) _ _ HV)) as HD.
      pose proof (wadd_ok _ _ _ _ _ HV (wscale_ok _ (-1) _ _ HA)) as HE.
      pose proof (wadd_ok _ _ _ _ _ (wadd_ok _ _ _ _ _ (wcon_ok r (W - 1)) HE) (wscale_ok _ (-1) _ _ HB)) as HF.
      set (d := wadd wb (wscale (-1) V)) in *. set (e := wadd V (wscale (-1) w)) in *.
      set (f := wadd (wadd (wcon (W - 1)) e) (wscale (-1) wb)) in *.
      clearbody d e f. split; [|exact HV].
      apply (orfacts_ok r c (main pc) d e f _ _ _ H) with (2 := HD) (3 := HE) (4 := HF); try rewrite V0; clear -W1 W2 B1 B2 B3 B4; lia. }
    apply (cst_ok r (rd s y)) in EZ; [|assumption]. cbn [lopz].
    destruct (Z.eqb_spec z 0) as [Z0|_].
    { intros [= <- <-]. split; [assumption|]. rewrite EZ, Z0, Z.land_0_r. apply wcon_ok. }
    destruct (Z.eqb_spec z (W - 1)) as [Z1|_].
    { intros [= <- <-]. split; [assumption|]. rewrite EZ, Z1.
      replace (Z.land (rd s a) (W - 1)) with (rd s a); [assumption|].
      change (W - 1) with (Z.ones 64). rewrite Z.land_ones by lia. symmetry. apply Z.mod_small. exact W1. }
    destruct (lmask z && (0 <? z) && (_ <? 64)%N)%bool eqn:EM.
      * rewrite !andb_true_iff, Z.ltb_lt in EM. destruct EM as [[E1 E2] E3].
        assert (LM : Z.land (rd s a) z = rd s a mod pw (kof And z)).
        { cbn [kof]. rewrite E1, pwz by apply Z.log2_nonneg. unfold lmask in E1. apply Z.eqb_eq in E1.
          rewrite E1 at 1. apply land_low. apply Z.log2_nonneg. }
        assert (V : r (main pc) = rd s a mod pw (kof And z) /\ r (extra pc) = rd s a / pw (kof And z)).
        { destruct y as [l|y0]; cbn [vals dm fst snd rd] in V0, V1; cbn [rd] in EZ; rewrite EZ in V0, V1; [|auto].
          split; [rewrite V0; exact LM|exact V1]. }
        destruct V as [V0' V1'].
        destruct (split _ _ _ _ _ _) as [[[c1 lw] q]|] eqn:ES; [|cbn; congruence]. cbn [bind]. intros [= <- <-].
        apply (split_ok r _ _ _ _ _ _ (rd s a)) in ES; try assumption.
        destruct ES as (K0 & K1 & _). split; [assumption|]. rewrite EZ, LM. exact K1.
      * clear EM. destruct (negb (lmask z) && isimm y && (z =? _) && (_ <? 64)%N)%bool eqn:EM; [|congruence].
        destruct y as [l|y0]; [rewrite !andb_true_iff in EM; destruct EM as [[[_ X] _] _]; discriminate X|].
        cbn [vals dm fst snd rd] in *. rewrite EZ in *. clear EZ.
        rewrite !andb_true_iff, negb_true_iff, Z.eqb_eq, N.ltb_lt in EM. destruct EM as [[[E1 _] E2] E3].
        cbn [kof] in *. rewrite E1 in *. set (k := Z.to_N (Z.log2 (W - z))) in *.
        destruct (split _ _ _ _ _ _) as [[[c1 lw] q]|] eqn:ES; [|cbn; congruence]. cbn [bind]. intros [= <- <-].
        apply (split_ok r _ _ _ _ _ _ (rd s a)) in ES; try assumption.
        destruct ES as (K0 & _ & K1). split; [assumption|].
        rewrite E2 at 1. rewrite land_high by assumption. apply wscale_ok. exact K1.
  - destruct y as [l|z]; cbn [vals fst snd] in V0, V1; cbv zeta.
    { destruct (forallb _ _) eqn:ED.
    + intros [= <- <-]. split; [assumption|]. cbn [lopz].
      apply (alldiv r) in ED; [|apply Z.pow_pos_nonneg; [lia|apply Z.log2_up_nonneg]].
      pose proof HA as (EA & _). rewrite EA in ED.
      rewrite (lor_disjoint (Z.log2_up (whi wb + 1))); [apply wadd_ok; assumption | apply Z.log2_up_nonneg | assumption|].
      pose proof HB as (_ & _ & B & _). split; [lia|].
      assert (whi wb + 1 <= 2 ^ Z.log2_up (whi wb + 1)); [|lia].
      destruct (Z.eq_dec (whi wb) 0) as [->|]; [reflexivity|]. apply Z.log2_up_spec; lia.
    + intros KK. apply some_pair in KK. destruct KK as [-> ->]. cbn [lopz] in *. destruct (lor_bounds _ _ W1 W2) as (B1 & B2 & B3 & B4).
      set (x := rd s a) in *. set (u := rd s (L l)) in *.
      assert (HV : wok r (Z.lor x u) (wvar (main pc) 0 (W - 1))) by (apply wvar_ok; [exact V0|lia]).
      set (V := wvar (main pc) 0 (W - 1)) in *.
      pose proof (wadd_ok _ _ _ _ _ HV (wscale_ok _ (-1) _ _ HB)) as HD.
      pose proof (wadd_ok _ _ _ _ _ HA (wscale_ok _ (-1) _ _ HV)) as HE.
      pose proof (wadd_ok _ _ _ _ _ HB HE) as HF.
      set (d := wadd V (wscale (-1) wb)) in *. set (e := wadd w (wscale (-1) V)) in *. set (f := wadd wb e) in *.
      clearbody d e f. split; [|exact HV].
      apply (orfacts_ok r c (main pc) d e f _ _ _ H) with (2 := HD) (3 := HE) (4 := HF); try rewrite V0; clear -W1 W2 B1 B2 B3 B4; lia.
    }
    { cbn [rd] in *. cbn [kof lopz dm fst snd] in *. set (k := Z.to_N (Z.log2 (W - z))) in *.
      destruct ((z =? W - pw k) && (k <? 64)%N)%bool eqn:EM; [|congruence].
      rewrite andb_true_iff, Z.eqb_eq, N.ltb_lt in EM. destruct EM as [E1 E2].
      destruct (split _ _ _ _ _ _) as [[[c1 lw] q]|] eqn:ES; [|cbn; congruence]. cbn [bind]. intros [= <- <-].
      apply (split_ok r _ _ _ _ _ _ (rd s a)) in ES; try assumption.
      destruct ES as (K0 & K1 & _). split; [assumption|].
      rewrite E1 at 1. rewrite lor_high by assumption. apply wadd_ok; [assumption|]. rewrite <- E1. apply wcon_ok.
    }
  - destruct (cst wb) as [z|] eqn:EZ.
    2:{ destruct y as [l|z]; [|congruence]. cbn [vals fst snd lopz] in *. intros KK. apply some_pair in KK. destruct KK as [-> ->].
      pose proof (lxor_range _ _ W1 W2) as BX.
      assert (H' : ok r (setv c (main pc) (0, W - 1))) by (apply setv_ok; [assumption|]; red; cbn [fst snd]; lia).
      split; [|apply wvar_ok; [assumption|lia]].
      destruct H' as (H1 & H2 & H3 & H4 & H5 & H6). split; [exact H1|]. do 4 (split; [assumption|]). cbn [xd].
      intros v p q. destruct (Pos.eq_dec v (main pc)) as [->|N].
      - rewrite PM.gss. intros KK. assert (K2 : p = w /\ q = wb) by (split; congruence). destruct K2 as [-> ->].
        exists (rd s a), (rd s (L l)). auto.
      - rewrite PM.gso by assumption. apply H6. }
    apply (cst_ok r (rd s y)) in EZ; [|assumption].
    rewrite EZ in *. clear EZ V0 V1. cbn [lopz] in *.
    destruct (Z.eqb_spec z (W - 1)) as [->|].
    2:{ destruct (Z.eqb_spec z 0) as [->|]; [|congruence]. intros [= <- <-]. rewrite Z.lxor_0_r. auto. }
    intros [= <- <-]. split; [assumption|].
      replace (Z.lxor (rd s a) (W - 1)) with (W - 1 + -1 * rd s a).
      * apply wadd_ok; [apply wcon_ok|]. apply wscale_ok. assumption.
      * assert (E : Z.lxor (rd s a) (W - 1) = Z.lnot (rd s a) mod 2 ^ 64).
        { change (W - 1) with (Z.ones 64). apply Z.bits_inj'. intros i Hi. rewrite Z.lxor_spec.
          destruct (Z.lt_ge_cases i 64).
          - rewrite Z.mod_pow2_bits_low, Z.lnot_spec, Z.ones_spec_low by lia. apply xorb_true_r.
          - rewrite Z.mod_pow2_bits_high, Z.ones_spec_high by lia. rewrite xorb_false_r.
            assert (rd s a mod 2 ^ 64 = rd s a) as <- by (apply Z.mod_small; exact W1).
            apply Z.mod_pow2_bits_high. lia. }
        rewrite E. unfold Z.lnot. rewrite <- Z.sub_1_r. apply Z.mod_unique with (-1); change (2 ^ 64) with W; lia.
Qed.

Definition sstep (h : hint) (pc : positive) (i : instr) (st : sst) : option sst :=
  let g := regs st in let c := cx st in
  match i with
  | Mov d a => Some {| regs := match sget g a with Some va => PM.add d va g | None => PM.remove d g end; cx := c |}
  | Mul hi lo a b =>
    do va <- sget g a; do vb <- sget g b;
    do (c', l, q) <- split (fun l => PM.find l g) c pc 64 (wmul va vb) h; Some {| regs := PM.add hi q (PM.add lo l g); cx := c' |}
  | Adc d co a b x =>
    do va <- sget g a; do vb <- sget g b; do vx <- sget g x;
    do (c', l, q) <- split (fun l => PM.find l g) c pc 64 (wadd (wadd va vb) vx) h; Some {| regs := PM.add co q (PM.add d l g); cx := c' |}
  | Sbb d bo a b x =>
    do va <- sget g a; do vb <- sget g b; do vx <- sget g x;
    do (c', l, q) <- split (fun l => PM.find l g) c pc 64 (wadd (wadd va (wscale (-1) vb)) (wscale (-1) vx)) h;
    Some {| regs := PM.add bo (wscale (-1) q) (PM.add d l g); cx := c' |}
  | Cmov d f a b =>
    do vf <- sget g f; do va <- sget g a; do vb <- sget g b;
    do z <- cst vf; Some {| regs := PM.add d (if z =? 0 then vb else va) g; cx := c |}
  | Logic o d a b =>
    do va <- sget g a; do vb <- sget g b;
    do (c', w) <- logic (fun l => PM.find l g) c pc o va b vb h; Some {| regs := PM.add d w g; cx := c' |}
  | Shr d a n => do va <- sget g a; do (c', l, q) <- split (fun l => PM.find l g) c pc n va h; Some {| regs := PM.add d q g; cx := c' |}
  | Shl d a n =>
    do va <- sget g a; do (c', l, q) <- split (fun l => PM.find l g) c pc (64 - n) va h; Some {| regs := PM.add d (wscale (pw n) l) g; cx := c' |}
  | Isz d a =>
    do va <- sget g a;
    match fn1 (fun x => if x =? 0 then 1 else 0) va with
    | Some w => Some {| regs := PM.add d w g; cx := c |}
    | None =>
      let v := main pc in
      Some {| regs := PM.add d (wvar v 0 1) g;
              cx := let c1 := setv c v (0, 1) in {| bnd := bnd c1; facts := facts c1; cdef := cdef c1; lows := lows c1; zd := PM.add v va (zd c1); xd := xd c1 |} |}
    end
  | Bzhi _ _ _ => None
  end.
Lemma pw64 : pw 64 = W.
Proof. Transparent pw. reflexivity. Opaque pw. Qed.
Lemma sstep_ok r h pc i s st st' : ok r (cx st) -> rel r s (regs st) ->
  r (main pc) = fst (vals i s) -> r (extra pc) = snd (vals i s) ->
  sstep h pc i st = Some st' -> ok r (cx st') /\ rel r (exec1 i s) (regs st').
Proof.
  intros H R. assert (LK : forall l w, PM.find l (regs st) = Some w -> exists y, wok r y w) by (intros l w E; exists (s l); apply R; exact E).
  destruct i as [d a|hi lo a b|d co a b x|d bo a b x|d f a b|o' d a b|d a n|d a n|d a|d a b];
    intros V0 V1; cbn [sstep]; intros S; cbn [exec1]; unfold dm in *;
    repeat match type of S with
    | bind (sget ?g ?a) _ = Some _ => let E := fresh "E" in let v := fresh "v" in
        destruct (sget g a) as [v|] eqn:E; [cbn [bind] in S|discriminate S]; apply (sget_ok r s _ _ _ R) in E
    end;
    try match type of S with
    | bind (split ?lk ?c ?p ?k ?X ?h) _ = Some _ => let E := fresh "ES" in
        destruct (split lk c p k X h) as [[[c' lw] qw]|] eqn:E; [cbn [bind] in S|discriminate S]; injection S as <-; cbn [cx regs]
    end; cbn [vals fst snd dm] in V0, V1; unfold dm in V0, V1; cbn [fst snd] in V0, V1; cbv zeta; try rewrite <- pw64 in *.
  - injection S as <-. cbn [cx regs]. split; [assumption|]. destruct (sget (regs st) a) as [va|] eqn:E.
    + apply rel_add; [assumption|]. eapply sget_ok; eassumption.
    + apply rel_remove; assumption.
  - apply (split_ok r _ _ _ _ _ _ (rd s a * rd s b)) in ES; try assumption; [|apply wmul_ok; assumption].
    destruct ES as (K0 & K1 & K2). split; [assumption|]. repeat apply rel_add; assumption.
  - apply (split_ok r _ _ _ _ _ _ (rd s a + rd s b + rd s x)) in ES; try assumption; [|repeat apply wadd_ok; assumption].
    destruct ES as (K0 & K1 & K2). split; [assumption|]. repeat apply rel_add; assumption.
  - apply (split_ok r _ _ _ _ _ _ (rd s a - rd s b - rd s x)) in ES; try assumption.
    2:{ replace (rd s a - rd s b - rd s x) with (rd s a + -1 * rd s b + -1 * rd s x) by ring. repeat apply wadd_ok; try apply wscale_ok; assumption. }
    destruct ES as (K0 & K1 & K2). split; [assumption|]. repeat apply rel_add; try assumption.
    replace (- ((rd s a - rd s b - rd s x) / pw 64)) with (-1 * ((rd s a - rd s b - rd s x) / pw 64)) by ring. apply wscale_ok; assumption.
  - destruct (cst v) as [z|] eqn:EZ; [cbn [bind] in S|discriminate S]. injection S as <-. cbn [cx regs].
    split; [assumption|]. apply rel_add; [assumption|]. rewrite (cst_ok _ _ _ _ E EZ). destruct (z =? 0); assumption.
  - destruct (logic _ _ _ _ _ _ _ _) as [[c' w]|] eqn:EL; [cbn [bind] in S|discriminate S]. injection S as <-. cbn [cx regs].
    apply (logic_ok r _ _ _ o' a b d h s) with (wb := v0) in EL; try assumption.
    destruct EL as [K0 K1]. split; [assumption|]. apply rel_add; assumption.
  - apply (split_ok r _ _ _ _ _ _ (rd s a)) in ES; try assumption.
    destruct ES as (K0 & K1 & K2). split; [assumption|]. apply rel_add; assumption.
  - apply (split_ok r _ _ _ _ _ _ (rd s a)) in ES; try assumption.
    destruct ES as (K0 & K1 & K2). split; [assumption|]. apply rel_add; [assumption|]. apply wscale_ok; assumption.
  - destruct (fn1 _ v) as [w|] eqn:EF.
    + injection S as <-. cbn [cx regs]. split; [assumption|]. apply rel_add; [assumption|].
      apply (fn1_ok r (fun x => if x =? 0 then 1 else 0) (rd s a)) in EF; assumption.
    + injection S as <-. cbn [cx regs]. split.
      * assert (H' : ok r (setv (cx st) (main pc) (0, 1))).
        { apply setv_ok; [assumption|]. rewrite V0. red; cbn [fst snd]. destruct (rd s a =? 0); lia. }
        destruct H' as (H1 & H2 & H3 & H4 & H5 & H6). split; [exact H1|]. do 3 (split; [assumption|]). split; [|exact H6]. cbn [zd].
        apply (pmadd _ (fun v w => exists x, wok r x w /\ r v = if x =? 0 then 1 else 0)); [assumption|].
        exists (rd s a). split; assumption.
      * apply rel_add; [assumption|]. apply wvar_ok; [assumption|]. destruct (rd s a =? 0); lia.
  - discriminate S.
Qed.

