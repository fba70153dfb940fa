(* A batch of divsteps as a program on words: what the code of an inversion is
   compared with. See spec/divstep.go. *)
Require Import ZArith List Instr.
Import ListNotations.
Open Scope Z_scope.

(* Locations. 1 to 3 hold the words of f, g and n on entry, 3 also n on return,
   and 4 to 7 the matrix. *)
Definition bf : loc := 1.   Definition bg : loc := 2.   Definition bn : loc := 3.
Definition bt (i j : bool) : loc := match i, j with false, false => 4 | false, true => 5 | true, false => 6 | true, true => 7 end.
Definition bh : loc := 8.      (* (F-1)/2 *)
Definition bG : loc := 9.
Definition bb : loc := 10.     (* 1 if n is negative *)
Definition bmask : loc := 11.  (* -bb *)
Definition bhalf : loc := 12.  (* f shifted right by 1 *)
Definition b0 : loc := 13. Definition b1 : loc := 14. Definition b2 : loc := 15. Definition b3 : loc := 16.
Definition b4 : loc := 17. Definition b5 : loc := 18. Definition b6 : loc := 19. Definition bj : loc := 20.
(* the rows of the last sub-batch, and the columns of all before it *)
Definition brow (i k : bool) : loc := match i, k with false, false => 21 | false, true => 22 | true, false => 23 | true, true => 24 end.
Definition bcol (j k : bool) : loc := match j, k with false, false => 25 | false, true => 26 | true, false => 27 | true, true => 28 end.
Definition bnew (j k : bool) : loc := match j, k with false, false => 29 | false, true => 30 | true, false => 31 | true, true => 32 end.

Definition plus (d : loc) (a b : src) : instr := Adc d bj a b (I 0).
Definition minus (d : loc) (a b : src) : instr := Sbb d bj a b (I 0).
Definition sarn (d : loc) (a : loc) (n : Z) : list instr :=
  let k := Z.to_N n in [Shr b5 (L a) k; Shr b6 (L a) 63; Shl b6 (L b6) (64 - k); minus d (L b5) (L b6)].
Definition sign : list instr := [Shr bb (L bn) 63; minus bmask (I 0) (L bb)].
Definition bstep : list instr :=
  [minus b0 (I (W - 2)) (L bn); plus b1 (L bn) (I (W - 1)); Logic Xor b2 (L bh) (L bmask); Logic And b3 (L bG) (I 1)] ++
  sarn b4 bG 1 ++
  [plus b2 (L b4) (L b2); plus b2 (L b2) (I 1); Logic And b5 (L bG) (L bb); Isz b5 (L b5); Cmov bG (L b3) (L b2) (L b4);
   Cmov bn (L b5) (L b1) (L b0); Cmov bh (L b5) (L bh) (L b4)] ++ sign.
Definition pack : list instr :=
  [Logic And bG (L bg) (I (2 ^ 20 - 1)); plus bG (L bG) (I (W - 2 ^ 62));
   Logic And bh (L bhalf) (I (2 ^ 19 - 1)); plus bh (L bh) (I (W - 2 ^ 40))].
Definition unpack (i : bool) (w : loc) (at_ n : Z) : list instr :=
  let r := 2 ^ (at_ - 21) in
  plus b0 (L w) (I r) :: sarn (brow i false) b0 (at_ - n) ++
  plus b0 (L w) (I (r + 2 ^ (at_ + 20 - n))) :: sarn (brow i true) b0 (at_ + 21 - n).
(* d := x, e := y - 2^21·x *)
Definition column (d e x y : loc) : list instr := [Shl b5 (L x) 21; minus e (L y) (L b5); Mov d (L x)].
(* d := v·x + b·z *)
Definition apply (d v b x z : loc) : list instr := [Mul bj b0 (L v) (L x); Mul bj b1 (L b) (L z); plus d (L b0) (L b1)].
Definition first (d : loc) (i : bool) : list instr := [Shl b5 (L (brow i true)) 21; minus d (L (brow i false)) (L b5)].
Definition advance (n : Z) : list instr :=
  column b2 b3 bf bg ++ apply bf (brow false false) (brow false true) b2 b3 ++
  apply b4 (brow true false) (brow true true) b2 b3 ++ sarn bg b4 n ++
  [Shr bhalf (L bf) (Z.to_N (n + 1))] ++ sarn bf bf n.
Definition columns (k : nat) : list instr :=
  match k with
  | O => first b2 false ++ first b3 true ++ column (bcol false false) (bcol false true) b2 b3 ++
         column (bcol true false) (bcol true true) (brow false true) (brow true true)
  | _ => flat_map (fun j => apply b2 (brow false false) (brow false true) (bcol j false) (bcol j true) ++
           apply b3 (brow true false) (brow true true) (bcol j false) (bcol j true) ++ column (bcol j false) (bcol j true) b2 b3) [false; true]
  end.
Definition biased (n : Z) : list instr :=
  flat_map (fun i => flat_map (fun j => apply b2 (brow i false) (brow i true) (bcol j false) (bcol j true) ++
    [plus (bt i j) (L b2) (I (2 ^ n))]) [false; true]) [false; true].
Definition steps (n : Z) : list instr := concat (repeat bstep (Z.to_nat n)).
(* Three sub-batches. *)
Definition batch (n0 n1 n2 : Z) : list instr :=
  sign ++ [Shr bhalf (L bf) 1] ++
  pack ++ steps n0 ++ unpack false bh 40 n0 ++ unpack true bG 41 n0 ++ advance n0 ++
  pack ++ steps n1 ++ columns 0 ++ unpack false bh 40 n1 ++ unpack true bG 41 n1 ++ advance n1 ++
  pack ++ steps n2 ++ columns 1 ++ unpack false bh 40 n2 ++ unpack true bG 41 n2 ++ biased (n0 + n1 + n2).
