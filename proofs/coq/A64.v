(* The instructions of arm64: which words they are, and which operations they
   perform. Source: Arm Architecture Reference Manual for A-profile (DDI 0487),
   C4.1 and C6.2. Part of what is trusted. *)
Require Import ZArith List Bool Instr Machine X86.
Import ListNotations.
Open Scope Z_scope.

(* Register n is location n + 1, and SP is after the others. CF is C, which after a
   subtraction is 1 where nothing was borrowed. RES stands for Z and N. *)
Definition X18 : loc := 19%positive.
Definition X28 : loc := 29%positive.
Definition X29 : loc := 30%positive.
Definition X30 : loc := 31%positive.
Definition XSP : loc := 32%positive.
Definition NONE : loc := TM.                  (* what is written to XZR *)
Definition MAXW : Z := W - 1.

Definition isimm (z : Z) (x : src) : bool := match x with I v => v =? z | L _ => false end.
Definition isloc (x : src) : bool := match x with L _ => true | I _ => false end.
Definition samereg (a b : src) : bool := match a, b with L x, L y => Pos.eqb x y | _, _ => false end.
(* operands that may be swapped, a constant second *)
Definition both (a b : src) : src * src := if isloc a then (a, b) else (b, a).
Definition xsrc (n : Z) : src := if n =? 31 then I 0 else L (gpr n).
Definition xdst (n : Z) : loc := if n =? 31 then NONE else gpr n.
Definition flags (b : bool) (d : loc) : list mop := if b then [Op (Mov RES (L d))] else [].

Definition add (sub fl carry : bool) (d : loc) (a b : src) : list mop :=
  if sub then
    let (a, b) := if samereg a b then (I 0, I 0) else (a, b) in
    (if carry then [Op (Isz T1 (L CF))] else []) ++
    Op (Sbb d (if fl then T2 else JUNK) a b (if carry then L T1 else I 0)) ::
    (if fl then [Op (Isz CF (L T2))] else []) ++ flags fl d
  else
    let (a, b) := both a b in
    Op (Adc d (if fl then CF else JUNK) a b (if carry then L CF else I 0)) :: flags fl d.
(* AND, ORR, EOR, ANDS, numbered from 0 *)
Definition lopof (op : Z) : lop := if op =? 1 then Or else if op =? 2 then Xor else And.
Definition bitwise (op : Z) (d : loc) (a b : src) : instr :=
  let isand := (op =? 0) || (op =? 3) in
  match both a b with
  | (I x, I y) => Mov d (I (lopz (lopof op) x y))
  | (a, b) =>
    let same := samereg a b in let zero := isimm 0 b in
    if (same && (op =? 2)) || (zero && isand) then Mov d (I 0)
    else if same || zero then Mov d a
    else Logic (lopof op) d a b
  end%bool.
Definition logical (op : Z) (d : loc) (a b : src) (inv : bool) : list mop :=
  let '(pre, b) := if inv then match b with L _ => ([Op (Logic Xor T2 b (I MAXW))], L T2) | I _ => ([], I MAXW) end else ([], b) in
  pre ++ Op (bitwise op d a b) :: (if op =? 3 then Op (Mov CF (I 0)) :: flags true d else []).
(* The constant of a logical instruction: an element of 2 to 64 bits, over and
   over, that is a run of ones, rotated to the right. *)
Definition pattern (n rotate ones : Z) : option Z :=
  let v := Z.lor (64 * n) (63 - ones) in
  let len := Z.log2 v in
  if len <? 1 then None else
  let size := 2 ^ len in
  let run := Z.land ones (size - 1) + 1 in
  if run =? size then None else
  Some (fold_right (fun i a => if Z.land (i + rotate) (size - 1) <? run then Z.lor a (2 ^ i) else a) 0 (map Z.of_nat (seq 0 64))).
(* a signed word: w stands for w - 2^64·s, where s is its highest bit *)
Definition asr (d : loc) (a : src) (n : Z) : list mop :=
  Op (Mov d a) :: ops (if n =? 63 then [Shr T1 (L d) 63; Sbb d JUNK (I 0) (L T1) (I 0)]
    else [Shr T1 (L d) (Z.to_N n); Shr T2 (L d) 63; Shl T2 (L T2) (Z.to_N (64 - n)); Sbb d JUNK (L T1) (L T2) (I 0)]).
Definition shift64 (arith : bool) (d : loc) (a : src) (rot top : Z) : option (list mop) :=
  if negb (isloc a) then None
  else if (top =? 63) && (rot =? 0) then Some [Op (Mov d a)]
  else if (top =? 63) && arith then Some (asr d a rot)
  else if top =? 63 then Some [Op (Shr d a (Z.to_N rot))]
  else if negb arith && (top + 1 =? rot) then Some [Op (Shl d a (Z.to_N (63 - top)))]
  else None.
Definition madd (d : loc) (a b c : src) : list mop :=
  if isloc c then ops [Mul JUNK T1 a b; Adc d JUNK c (L T1) (I 0)] else [Op (Mul JUNK d a b)].
(* The bit of a condition, and whether the condition is its negation. *)
Definition xcond (cc : Z) : option (list mop * loc * bool) :=
  let n := Z.odd cc in
  match cc / 2 with
  | 0 => Some ([Op (Isz T1 (L RES))], T1, n)
  | 1 => Some ([], CF, n)
  | 2 => Some ([Op (Shr T1 (L RES) 63)], T1, n)
  | _ => None end.
Definition choose (cc : Z) (d : loc) (a b : src) (inv inc : bool) : option (list mop) :=
  match xcond cc with
  | None => None
  | Some (u, f, n) =>
    if negb (isloc a) && negb (isloc b) && negb (Bool.eqb inv inc) then   (* a condition as a number, or as a mask *)
      let '(v, f) := if n then ([], f) else ([Op (Isz T1 (L f))], T1) in
      Some (u ++ v ++ [Op (if inc then Mov d (L f) else Sbb d JUNK (I 0) (L f) (I 0))])
    else
      let v := match inv, inc with
        | true, true => [Op (Sbb T2 JUNK (I 0) b (I 0))]
        | true, false => [Op (Sbb T2 JUNK (I MAXW) b (I 0))]
        | false, true => [Op (Adc T2 JUNK b (I 1) (I 0))]
        | false, false => [] end in
      let b := if inv || inc then L T2 else b in
      Some (v ++ u ++ [Op (if n then Cmov d (L f) b a else Cmov d (L f) a b)])
  end%bool.

(* Is the word w, under the mask m, the word v? *)
Definition has (w m v : Z) : bool := Z.land w m =? v.
Definition dec64 (w : Z) : option (list mop) :=
  let fd := bits w 0 5 in let fn := bits w 5 5 in let fm := bits w 16 5 in let fa := bits w 10 5 in
  let d := xdst fd in let n := xsrc fn in let m := xsrc fm in let a := xsrc fa in
  let base := gpr fn in
  let op2 := bits w 29 2 in
  let sub := bits w 30 1 =? 1 in let fl := bits w 29 1 =? 1 in
  if has w 0x9fe0fc00 0x8b000000 then Some (add sub fl false d n m)
  else if has w 0x9fe0fc00 0x9a000000 then Some (add sub fl true d n m)
  else if has w 0x9f800000 0x91000000 then
    let v := I (bits w 10 12 * (if bits w 22 1 =? 1 then 4096 else 1)) in
    if fl then Some (add sub true false d (L base) v)
    else Some [Op (if sub then Sbb (gpr fd) JUNK (L base) v (I 0) else Adc (gpr fd) JUNK (L base) v (I 0))]
  else if has w 0x9fe0fc00 0x8a000000 then Some (logical op2 d n m false)
  else if has w 0xffe0fc00 0xca200000 then Some (logical 2 d n m true)
  else if has w 0x9f800000 0x92000000 then
    match pattern (bits w 22 1) (bits w 16 6) (bits w 10 6) with
    | Some v => if (op2 =? 2) || (negb (op2 =? 3) && (fd =? 31)) then None else Some (logical op2 d n (I v) false)
    | None => None end
  else if has w 0x9f800000 0x92800000 then
    let s := 16 * bits w 21 2 in let v := bits w 5 16 * 2 ^ s in
    if op2 =? 0 then Some [Op (Mov d (I (MAXW - v)))]
    else if op2 =? 2 then Some [Op (Mov d (I v))]
    else if (op2 =? 3) && negb (fd =? 31) then
      Some (ops [Logic And T1 (L d) (I (MAXW - 65535 * 2 ^ s)); Logic Or d (L T1) (I v)])
    else None
  else if has w 0xffc00000 0x93400000 then shift64 true d n (bits w 16 6) (bits w 10 6)
  else if has w 0xffc00000 0xd3400000 then shift64 false d n (bits w 16 6) (bits w 10 6)
  else if has w 0xffe00000 0x93c00000 then
    let k := bits w 10 6 in
    if negb (isloc n && isloc m) then None
    else if k =? 0 then Some [Op (Mov d m)]
    else Some (ops [Shl T1 n (Z.to_N (64 - k)); Shr T2 m (Z.to_N k); Logic Or d (L T1) (L T2)])
  else if has w 0xffe08000 0x9b000000 then Some (madd d n m a)
  else if has w 0xffe08000 0x9ba00000 then
    let low t x := let (p, q) := both x (I M32) in Op (Logic And t p q) in
    Some (low T1 n :: low T2 m :: madd d (L T1) (L T2) a)
  else if has w 0xffe0fc00 0x9bc07c00 then Some [Op (Mul d JUNK n m)]
  else if has w 0xbfe00800 0x9a800000 then choose (bits w 12 4) d n m sub (bits w 10 1 =? 1)
  else if has w 0xffc00000 0xf9400000 then Some [Load d base (8 * bits w 10 12)]
  else if has w 0xffc00000 0xf9000000 then Some [Store base (8 * bits w 10 12) (xsrc fd)]
  else if has w 0xffe00c00 0xf8000000 then Some [Store base (sx 9 (bits w 12 9)) (xsrc fd)]
  else if has w 0xffe00c00 0xf8000c00 then       (* the base becomes the address *)
    if (fd =? fn) && negb (fn =? 31) then None
    else Some [Op (Adc base JUNK (L base) (I (sx 9 (bits w 12 9) mod W)) (I 0)); Store base 0 (xsrc fd)]
  else if has w 0xffc00000 0xa9400000 then
    let o := 8 * sx 7 (bits w 15 7) in
    if fd =? fa then None
    else if fd =? fn then Some [Load (xdst fa) base (o + 8); Load d base o]   (* the base is lost last *)
    else Some [Load d base o; Load (xdst fa) base (o + 8)]
  else if has w 0xffc00000 0xa9000000 then
    let o := 8 * sx 7 (bits w 15 7) in Some [Store base o (xsrc fd); Store base (o + 8) a]
  else None%bool.
(* The whole routine, up to its only return, behind which are only zeros. *)
Fixpoint decs (fuel : nat) (bs : list Z) : option (list mop) :=
  match fuel with
  | O => None
  | S f =>
    match le 4 bs with
    | Some (w, r) =>
      if w =? 0xd65f03c0 then if forallb (Z.eqb 0) r then Some [Op (Mov RIP (L X30))] else None
      else match dec64 w, decs f r with Some l, Some t => Some (l ++ t) | _, _ => None end
    | None => None end
  end.
Definition decode64 (bs : list Z) : option program :=
  if Z.of_nat (length bs) mod 4 =? 0 then match decs (length bs) bs with Some p => Some (Straight p) | None => None end else None.
