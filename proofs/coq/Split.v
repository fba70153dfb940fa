(* Dividing a symbolic word by a power of two: the one rule behind additions
   with carry, products and shifts. *)
Require Import ZArith List Lia FMapPositive Bool Poly Instr Word.
Import ListNotations.
Open Scope Z_scope.

(* ------------------------------------------------------------------ *)
(* 4. Splitting a value as low + 2^k * high                             *)
(* ------------------------------------------------------------------ *)
Definition main (pc : positive) : var := xO pc.
Definition extra (pc : positive) : var := xI pc.
Inductive hint :=
| HComb (ks : list comb)        (* sharpen the range of the dividend *)
| HSame (v : var)               (* its low part is the known word v *)
| HLow (l : loc)                (* its low part is the word at l *)
| HExact                        (* it is a multiple of 2^k *)
| HFn (l : loc) (e0 e1 : Z) (ks : list comb)  (* the high part is this function of the bit at l *)
| HAlt (v : var) (ks : list comb).             (* undo an earlier reduction: divide X + 2^k v instead *)

Fixpoint pdiv (M : Z) (p : poly) : option poly :=
  match p with
  | [] => Some []
  | (m, c) :: p' => if c mod M =? 0 then match pdiv M p' with Some q => Some ((m, c / M) :: q) | None => None end else None
  end.
Lemma pdiv_ok r M p q : M <> 0 -> pdiv M p = Some q -> peval r p = M * peval r q.
Proof.
  intros HM. revert q; induction p as [|[m c] p IH]; intros q; cbn [pdiv]; [intros [= <-]; cbn; lia|].
  destruct (Z.eqb_spec (c mod M) 0) as [E|]; [|congruence]. destruct (pdiv M p) as [t|]; [|congruence].
  intros [= <-]. cbn [peval]. rewrite (IH _ eq_refl). rewrite (Z.div_mod c M HM) at 1. rewrite E. ring.
Qed.
(* (X - Y) / 2^k when all coefficients of the A-form allow it *)
Definition wquo (X Y : word) (k : N) (i : itv) : option word :=
  let d := wadd X (wscale (-1) Y) in
  match pdiv (pw k) (wA d) with
  | Some q => Some {| wA := q; wC := wC d; wE := wE d + k; wlo := fst i; whi := snd i; wf := None |}
  | None => None
  end.
Lemma wquo_ok r x y X Y k i w : wok r x X -> wok r y Y -> 0 <= y < pw k -> within (x / pw k) i ->
  wquo X Y k i = Some w -> wok r (x / pw k) w /\ x mod pw k = y.
Proof.
  intros HX HY B I. unfold wquo. pose proof (wadd_ok _ _ _ _ _ HX (wscale_ok _ (-1) _ _ HY)) as HD.
  set (d := wadd X (wscale (-1) Y)) in *. clearbody d. destruct (pdiv (pw k) (wA d)) as [q|] eqn:E; [|congruence].
  pose proof (pw_pos k) as P. apply (pdiv_ok r) in E; [|lia]. destruct HD as (A & C & _ & _).
  rewrite A in E. intros [= <-].
  assert (Q : x / pw k = peval r q) by (symmetry; apply Z.div_unique with y; lia).
  split; [|symmetry; apply Z.mod_unique with (peval r q); lia].
  unfold wok; cbn [wA wC wE wlo whi wf fok]. split; [congruence|]. split; [|split; [exact I|exact Logic.I]].
  rewrite C, pw_add, Q. replace (x + -1 * y) with (pw k * peval r q) by lia. ring.
Qed.

Definition wsimp (c : ctx) (w : word) : word :=
  {| wA := psimp (bnd c) (wA w); wC := psimp (bnd c) (wC w); wE := wE w; wlo := wlo w; whi := whi w; wf := wf w |}.
Lemma wsimp_ok r c x w : ok r c -> wok r x w -> wok r x (wsimp c w).
Proof. intros [H _] (A & C & B & F). unfold wok, wsimp; cbn [wA wC wE wlo whi wf]. rewrite !psimp_ok by assumption. auto. Qed.

Definition hcombs (h : hint) : list comb := match h with HComb ks => ks | _ => [] end.
Definition split (look : loc -> option word) (c : ctx) (pc : positive) (k : N) (X0 : word) (h : hint) : option (ctx * word * word) :=
  let M := pw k in
  let X := wsimp c X0 in
  match wf X with
  | Some (b, v0, v1) => Some (c, mkfn b (v0 mod M) (v1 mod M), mkfn b (v0 / M) (v1 / M))
  | None =>
  let (lo, hi) := wrange c X (hcombs h) in
  let q0 := lo / M in let q1 := hi / M in
  if (q0 =? q1) then
    let w := wadd X (wcon (- (q0 * M))) in
    Some (c, {| wA := wA w; wC := wC w; wE := wE w; wlo := lo - q0 * M; whi := hi - q0 * M; wf := None |}, wcon q0)
  else if (hi - lo =? 1) then
    let w := wadd X (wcon (- lo)) in
    let b := {| bA := wA w; bC := wC w; bE := wE w |} in
    Some (c, mkfn b (lo mod M) (hi mod M), mkfn b q0 q1)
  else match h with
  | HExact => match wquo X (wcon 0) k (q0, q1) with Some w => Some (c, wcon 0, w) | None => None end
  | HSame v =>
    match PM.find v (lows c) with
    | Some y => if ((0 <=? wlo y) && (whi y <? M))%bool then
        match wquo X y k (q0, q1) with Some w => Some (c, y, w) | None => None end else None
    | None => None end
  | HLow l =>
    match look l with
    | Some y => if ((0 <=? wlo y) && (whi y <? M))%bool then
        match wquo X y k (q0, q1) with Some w => Some (c, y, w) | None => None end else None
    | None => None end
  | HAlt v ks =>
    match PM.find v (cdef c) with
    | Some y =>
      let t := wsimp c (wadd X (wscale M y)) in
      let (lo, hi) := wrange c t ks in
      if lo / M =? hi / M then
        let w := wadd t (wcon (- (lo / M * M))) in
        Some (c, {| wA := wA w; wC := wC w; wE := wE w; wlo := lo - lo / M * M; whi := hi - lo / M * M; wf := None |}, wadd (wcon (lo / M)) (wscale (-1) y))
      else if hi - lo =? 1 then
        let w := wadd t (wcon (- lo)) in
        let b := {| bA := wA w; bC := wC w; bE := wE w |} in
        Some (c, mkfn b (lo mod M) (hi mod M), wadd (mkfn b (lo / M) (hi / M)) (wscale (-1) y))
      else None
    | None => None end
  | HFn l e0 e1 ks =>
    match look l with
    | Some y => match fnof y with
      | Some (b, _, _) =>
        let q := mkfn b e0 e1 in let t := wadd X (wscale (- M) q) in
        let (lo, hi) := wrange c t ks in
        if ((0 <=? lo) && (hi <? M))%bool then
          Some (c, {| wA := wA t; wC := wC t; wE := wE t; wlo := lo; whi := hi; wf := wf t |}, q) else None
      | None => None end
    | None => None end
  | HComb _ =>
    if (0 <? M) then
    let m := main pc in let e := extra pc in
    let low := {| wA := padd (wA X) (pscale (- M) (pvar e)); wC := pvar m; wE := 0; wlo := 0; whi := M - 1; wf := None |} in
    let hiC := psub (wC X) (pscale (pw (wE X)) (pvar m)) in
    let high := {| wA := pvar e; wC := hiC; wE := wE X + k; wlo := q0; whi := q1; wf := None |} in
    let d := pw (wE X + k) in
    Some ({| bnd := PM.add m (0, M - 1) (PM.add e (q0, q1) (bnd c));
             facts := PM.add e (hiC, (q0 * d, q1 * d)) (facts c);
             cdef := PM.add e high (cdef c);
             lows := PM.add m low (lows c); zd := zd c; xd := xd c |}, low, high)
    else None
  end end.
Lemma pmadd (A : Type) (P : positive -> A -> Prop) m k v : (forall j w, PM.find j m = Some w -> P j w) -> P k v ->
  forall j w, PM.find j (PM.add k v m) = Some w -> P j w.
Proof.
  intros H K j w. destruct (Pos.eq_dec j k) as [->|N].
  - rewrite PM.gss. intros [= <-]; assumption.
  - rewrite PM.gso by assumption. apply H.
Qed.
Opaque padd pscale pmul psub pconst pvar psimp pw main extra.
Lemma split_ok r look c pc k X h x c' lo hi : (forall l w, look l = Some w -> exists y, wok r y w) ->
  ok r c -> wok r x X ->
  r (main pc) = x mod pw k -> r (extra pc) = x / pw k ->
  split look c pc k X h = Some (c', lo, hi) -> ok r c' /\ wok r (x mod pw k) lo /\ wok r (x / pw k) hi.
Proof.
  intros LK H HX0 E0 E1. unfold split. apply (wsimp_ok r c) in HX0; [|assumption]. rename HX0 into HX.
  set (Y := wsimp c X) in *. clearbody Y. pose proof (pw_pos k) as PM.
  destruct (wf Y) as [[[b v0] v1]|] eqn:EF.
  { intros [= <- <- <-]. split; [assumption|]. destruct HX as (_ & _ & _ & F). rewrite EF in F.
    destruct F as (y & B & ->). pose proof B as (_ & _ & D).
    pose proof (mkfn_ok r y b (v0 mod pw k) (v1 mod pw k) B). pose proof (mkfn_ok r y b (v0 / pw k) (v1 / pw k) B).
    destruct D as [D|D]; rewrite D in *; rewrite ?Z.mul_0_r, ?Z.mul_1_r, ?Z.add_0_r, ?Zplus_minus in *; auto. }
  pose proof (wrange_ok r c x Y (hcombs h) H HX) as RG.
  destruct (wrange c Y (hcombs h)) as [l u]. red in RG; cbn [fst snd] in RG. cbv zeta.
  assert (Q : l / pw k <= x / pw k <= u / pw k) by (split; apply Z.div_le_mono; lia).
  assert (DM : x = pw k * (x / pw k) + x mod pw k) by (apply Z.div_mod; lia).
  assert (RB : 0 <= x mod pw k < pw k) by (apply Z.mod_pos_bound; lia).
  destruct (l / pw k =? u / pw k) eqn:EQQ.
  { rewrite Z.eqb_eq in EQQ. rename EQQ into EQ. pose proof (wadd_ok r _ _ _ _ HX (wcon_ok r (- (l / pw k * pw k)))) as (A & C & _ & _).
    set (w := wadd Y (wcon (- (l / pw k * pw k)))) in *. clearbody w.
    intros [= <- <- <-]. split; [assumption|].
    assert (X1 : x / pw k = l / pw k) by lia. rewrite X1 in *. split; [|apply wcon_ok].
    unfold wok; cbn [wA wC wE wlo whi wf fok]. rewrite A, C. replace (x + - (l / pw k * pw k)) with (x mod pw k) by lia.
    repeat split; lia. }
  destruct (u - l =? 1) eqn:EUU.
  { rewrite Z.eqb_eq in EUU. rename EUU into EU. pose proof (wadd_ok r _ _ _ _ HX (wcon_ok r (- l))) as (A & C & _ & _).
    set (w := wadd Y (wcon (- l))) in *. clearbody w.
    intros [= <- <- <-]. split; [assumption|].
    assert (B : bok r (x - l) {| bA := wA w; bC := wC w; bE := wE w |}).
    { unfold bok; cbn [bA bC bE]. rewrite A, C. split; [ring|]. split; [f_equal; ring|lia]. }
    pose proof (mkfn_ok r _ _ (l mod pw k) (u mod pw k) B) as K1.
    pose proof (mkfn_ok r _ _ (l / pw k) (u / pw k) B) as K2.
    assert (D : x = l \/ x = u) by lia.
    destruct D as [D|D]; rewrite D in *; replace (l - l) with 0 in * by lia; try rewrite EU in *;
      rewrite ?Z.mul_0_r, ?Z.mul_1_r, ?Z.add_0_r, ?Zplus_minus in *; auto. }
  destruct h as [ks|v|l'| |l' e0 e1 ks|v ks].
  - destruct (0 <? pw k) eqn:EP; [|congruence]. intros [= <- <- <-].
    assert (HL : wok r (x mod pw k) {| wA := padd (wA Y) (pscale (- pw k) (pvar (extra pc))); wC := pvar (main pc); wE := 0; wlo := 0; whi := pw k - 1; wf := None |}).
    { unfold wok; cbn [wA wC wE wlo whi wf fok]. rewrite padd_ok, pscale_ok, !pvar_ok, E0, E1.
      change (pw 0) with 1. destruct HX as (-> & _). repeat split; lia. }
    assert (HC : peval r (psub (wC Y) (pscale (pw (wE Y)) (pvar (main pc)))) = pw (wE Y + k) * (x / pw k)).
    { rewrite psub_ok, pscale_ok, pvar_ok, E0. destruct HX as (_ & -> & _). rewrite pw_add. rewrite DM at 1. ring. }
    assert (HH : wok r (x / pw k) {| wA := pvar (extra pc); wC := psub (wC Y) (pscale (pw (wE Y)) (pvar (main pc))); wE := wE Y + k; wlo := l / pw k; whi := u / pw k; wf := None |}).
    { unfold wok; cbn [wA wC wE wlo whi wf fok]. rewrite pvar_ok, E1. repeat split; (exact HC || lia). }
    split; [|split; assumption]. destruct H as (H1 & H2 & H3 & H4 & H5).
    split; [|split; [|split; [|split]]]; cbn [bnd facts cdef lows zd].
    + apply bnd_add; [apply bnd_add; [assumption|]|]; red; cbn [fst snd]; lia.
    + intros j p i Ej. refine (pmadd _ (fun _ pi => within (peval r (fst pi)) (snd pi)) _ _ _ _ _ j (p, i) Ej).
      * intros j' [p' i']; apply H2.
      * cbn [fst snd]. red; cbn [fst snd]. rewrite HC. pose proof (pw_pos (wE Y + k)). nia.
    + intros v w. apply (pmadd _ (fun v w => wok r (r v) w)); [assumption|]. rewrite E1. exact HH.
    + intros v w. apply (pmadd _ (fun v w => wok r (r v) w)); [assumption|]. rewrite E0. exact HL.
    + assumption.
  - destruct (PM.find v (lows c)) as [y|] eqn:EV; [|congruence].
    destruct ((0 <=? wlo y) && (whi y <? pw k))%bool eqn:EB; [|congruence]. rewrite andb_true_iff, Z.leb_le, Z.ltb_lt in EB.
    destruct (wquo Y y k (l / pw k, u / pw k)) as [w|] eqn:EW; [|congruence].
    intros [= <- <- <-]. pose proof H as (_ & _ & _ & H4 & _). pose proof (H4 _ _ EV) as K2. pose proof K2 as (_ & _ & K1 & _).
    apply (wquo_ok r x (r v)) in EW; try assumption; [|lia].
    destruct EW as [EW ->]. split; [assumption|]. split; assumption.
  - destruct (look l') as [y|] eqn:EL; [|congruence]. destruct (LK _ _ EL) as [yv HY].
    destruct ((0 <=? wlo y) && (whi y <? pw k))%bool eqn:EB; [|congruence]. rewrite andb_true_iff, Z.leb_le, Z.ltb_lt in EB.
    destruct (wquo Y y k (l / pw k, u / pw k)) as [w|] eqn:EW; [|congruence].
    intros [= <- <- <-]. pose proof HY as (_ & _ & K1 & _).
    apply (wquo_ok r x yv) in EW; try assumption; [|lia].
    destruct EW as [EW ->]. split; [assumption|]. split; assumption.
  - destruct (wquo Y (wcon 0) k (l / pw k, u / pw k)) as [w|] eqn:EW; [|congruence].
    intros [= <- <- <-]. apply (wquo_ok r x 0) in EW; try assumption.
    + destruct EW as [EW ->]. split; [assumption|]. split; [apply wcon_ok|assumption].
    + apply wcon_ok.
    + lia.
  - destruct (look l') as [y|] eqn:EL; [|congruence]. destruct (LK _ _ EL) as [yv HY].
    pose proof (fnof_ok _ _ _ HY) as F. destruct (fnof y) as [[[b v0] v1]|]; [|congruence].
    destruct F as (z & B & _). pose proof (mkfn_ok r z b e0 e1 B) as HQ.
    set (q := mkfn b e0 e1) in *. clearbody q. set (qv := e0 + (e1 - e0) * z) in *. clearbody qv.
    pose proof (wadd_ok _ _ _ _ _ HX (wscale_ok _ (- pw k) _ _ HQ)) as HT.
    set (t := wadd Y (wscale (- pw k) q)) in *. clearbody t.
    pose proof (wrange_ok r c _ t ks H HT) as RT. destruct (wrange c t ks) as [a1 a2].
    destruct ((0 <=? a1) && (a2 <? pw k))%bool eqn:EB; [|congruence]. rewrite andb_true_iff, Z.leb_le, Z.ltb_lt in EB.
    red in RT; cbn [fst snd] in RT. intros [= <- <- <-]. split; [assumption|].
    assert (Q1 : qv = x / pw k) by (apply Z.div_unique with (x + - pw k * qv); lia).
    assert (Q2 : x + - pw k * qv = x mod pw k) by (apply Z.mod_unique with qv; lia).
    rewrite <- Q1, <- Q2. split; [|assumption].
    destruct HT as (A & C & _ & F). unfold wok; cbn [wA wC wE wlo whi wf]. auto.
  - destruct (PM.find v (cdef c)) as [y|] eqn:EV; [|congruence].
    pose proof H as (_ & _ & H3 & _ & _). pose proof (H3 _ _ EV) as HY. set (yv := r v) in *. clearbody yv.
    pose proof (wsimp_ok r c _ _ H (wadd_ok _ _ _ _ _ HX (wscale_ok _ (pw k) _ _ HY))) as HT.
    set (t := wsimp c (wadd Y (wscale (pw k) y))) in *. clearbody t.
    pose proof (wrange_ok r c _ t ks H HT) as RT. destruct (wrange c t ks) as [a1 a2]. red in RT; cbn [fst snd] in RT.
    assert (D1 : (x + pw k * yv) / pw k = x / pw k + yv) by (rewrite Z.mul_comm, Z.div_add by lia; reflexivity).
    assert (D2 : (x + pw k * yv) mod pw k = x mod pw k) by (rewrite Z.mul_comm, Z.mod_add by lia; reflexivity).
    assert (D3 : x / pw k = (x + pw k * yv) / pw k + -1 * yv) by lia.
    rewrite D3, <- D2. set (z := x + pw k * yv) in *. clearbody z.
    assert (QZ : a1 / pw k <= z / pw k <= a2 / pw k) by (split; apply Z.div_le_mono; lia).
    assert (DZ : z = pw k * (z / pw k) + z mod pw k) by (apply Z.div_mod; lia).
    destruct (Z.eqb_spec (a1 / pw k) (a2 / pw k)) as [EQ|NE].
    + pose proof (wadd_ok r _ _ _ _ HT (wcon_ok r (- (a1 / pw k * pw k)))) as (A & C & _ & _).
      set (w := wadd t (wcon (- (a1 / pw k * pw k)))) in *. clearbody w.
      assert (Z1 : z / pw k = a1 / pw k) by lia.
      pose proof (wadd_ok r _ _ _ _ (wcon_ok r (a1 / pw k)) (wscale_ok _ (-1) _ _ HY)) as HH.
      set (hw := wadd (wcon (a1 / pw k)) (wscale (-1) y)) in *. clearbody hw.
      intros [= <- <- <-]. split; [assumption|]. rewrite Z1. split; [|assumption].
      unfold wok; cbn [wA wC wE wlo whi wf fok]. rewrite A, C. replace (z + - (a1 / pw k * pw k)) with (z mod pw k) by lia.
      repeat split; lia.
    + destruct (Z.eqb_spec (a2 - a1) 1) as [EU|NU']; [|congruence].
      pose proof (wadd_ok r _ _ _ _ HT (wcon_ok r (- a1))) as (A & C & _ & _).
      set (w := wadd t (wcon (- a1))) in *. clearbody w.
      assert (B : bok r (z - a1) {| bA := wA w; bC := wC w; bE := wE w |}).
      { unfold bok; cbn [bA bC bE]. rewrite A, C. split; [ring|]. split; [f_equal; ring|lia]. }
      set (b := {| bA := wA w; bC := wC w; bE := wE w |}) in *. clearbody b.
      pose proof (mkfn_ok r _ _ (a1 mod pw k) (a2 mod pw k) B) as K1.
      pose proof (mkfn_ok r _ _ (a1 / pw k) (a2 / pw k) B) as K2.
      pose proof (wadd_ok r _ _ _ _ K2 (wscale_ok _ (-1) _ _ HY)) as HH.
      set (lw := mkfn b (a1 mod pw k) (a2 mod pw k)) in *. clearbody lw.
      set (hw := wadd (mkfn b (a1 / pw k) (a2 / pw k)) (wscale (-1) y)) in *. clearbody hw.
      intros [= <- <- <-]. split; [assumption|].
      assert (D : z = a1 \/ z = a2) by lia.
      destruct D as [D|D]; rewrite D in *; replace (a1 - a1) with 0 in * by lia; try rewrite EU in *;
        rewrite ?Z.mul_0_r, ?Z.mul_1_r, ?Z.add_0_r, ?Zplus_minus in *; auto.
Qed.
