(* The instructions: which bytes they are, and which operations they perform.
   Source: Intel 64 Software Developer's Manual, volume 2. Part of what is
   trusted. *)
Require Import ZArith List Bool Instr Machine.
Import ListNotations.
Open Scope Z_scope.

Definition bits (w lo n : Z) : Z := Z.land (Z.shiftr w lo) (2 ^ n - 1).
(* Locations: general register n of the encoding is location n + 1. *)
Definition gpr (n : Z) : loc := Z.to_pos (n + 1).
Definition RSP : loc := 5%positive.
Definition RBP : loc := 6%positive.
Definition R14 : loc := 15%positive.
Definition CF : loc := 40%positive.
Definition OF : loc := 41%positive.
Definition RES : loc := 42%positive.   (* a word that is 0 if ZF is set, and whose highest bit is SF *)
Definition RIP : loc := 43%positive.   (* where a return goes *)
Definition JUNK : loc := 90%positive.  (* 90 to 93 hold what no later instruction reads *)
Definition T1 : loc := 91%positive.
Definition T2 : loc := 92%positive.
Definition TM : loc := 93%positive.

Definition sx (n x : Z) : Z := if 2 ^ (n - 1) <=? x then x - 2 ^ n else x.
Fixpoint le (n : nat) (bs : list Z) : option (Z * list Z) :=
  match n, bs with
  | O, _ => Some (0, bs)
  | S k, b :: r => match le k r with Some (v, r') => Some (b + 256 * v, r') | None => None end
  | _, _ => None
  end.
Definition imm (n : nat) (w : Z) (bs : list Z) : option (Z * list Z) :=   (* sign-extended to 64 bits *)
  match le n bs with Some (v, r) => Some (sx w v mod W, r) | None => None end.

(* ModRM: register field, and a register or memory at base + index·2^s + disp,
   or without a base, which only LEA takes. *)
Inductive rm := RReg (l : loc) | RMem (base : Z) (idx : option (Z * Z)) (disp : Z) | RIndex (idx s disp : Z).
Definition modrm (xr xx xb : Z) (bs : list Z) : option (Z * rm * list Z) :=
  match bs with
  | m :: r =>
    let md := bits m 6 2 in let rg := bits m 3 3 + 8 * xr in let b := bits m 0 3 in
    if md =? 3 then Some (rg, RReg (gpr (b + 8 * xb)), r) else
    let n : nat := if md =? 0 then 0%nat else if md =? 1 then 1%nat else 4%nat in
    match (if b =? 4 then
       match r with
       | s :: r' => let i := bits s 3 3 + 8 * xx in
         Some (bits s 0 3, (if i =? 4 then None else Some (i, bits s 6 2)), r')
       | [] => None end
      else Some (b, None, r)) with
    | Some (b, ix, r) =>
      if (md =? 0) && (b =? 5) then              (* relative to RIP, or no base *)
        match ix, le 4 r with Some (i, s), Some (d, r') => Some (rg, RIndex i s (sx 32 d), r') | _, _ => None end else
      match le n r with
      | Some (d, r') => Some (rg, RMem (b + 8 * xb) ix (match n with 1%nat => sx 8 d | 4%nat => sx 32 d | _ => 0 end), r')
      | None => None end
    | None => None end
  | [] => None
  end%bool.
(* The operand as a location that can be read. *)
Definition source (x : rm) : option (list mop * loc) :=
  match x with
  | RReg l => Some ([], l)
  | RMem b None d => Some ([Load TM (gpr b) d], TM)
  | _ => None end.

Definition ops (l : list instr) : list mop := map Op l.
Definition res (d : loc) : list mop := [Op (Mov RES (L d)); Havoc OF].
Definition nof : list mop := [Havoc CF; Havoc OF; Havoc RES].
Definition M32 : Z := 2 ^ 32 - 1.
Definition zf (d : loc) : list mop := ops [Mov CF (I 0); Mov OF (I 0); Mov RES (L d)].
(* 0 add, 1 or, 2 adc, 3 sbb, 4 and, 5 sub, 6 xor, 7 cmp *)
Definition alu (op : Z) (d : loc) (b : src) : list mop :=
  let a := L d in
  let same := match b with L x => Pos.eqb x d | I _ => false end in
  match op with
  | 0 => Op (Adc d CF a b (I 0)) :: res d
  | 1 => if same then zf d else Op (Logic Or d a b) :: zf d
  | 2 => Op (Adc d CF a b (L CF)) :: res d
  | 3 => (if same then Op (Sbb d CF (I 0) (I 0) (L CF)) else Op (Sbb d CF a b (L CF))) :: res d
  | 4 => if same then zf d else Op (Logic And d a b) :: zf d
  | 5 => Op (Sbb d CF a b (I 0)) :: res d
  | 6 => if same then Op (Mov d (I 0)) :: zf d else Op (Logic Xor d a b) :: zf d
  | _ => Op (Sbb T1 CF a b (I 0)) :: res T1
  end.
(* The same of 32 bits: words that are shifted up by 32 bits have the same carry,
   and the same sign. A constant is below 2^32. *)
Definition zf32 (d : loc) : list mop := ops [Mov CF (I 0); Mov OF (I 0); Shl T1 (L d) 32; Mov RES (L T1)].
Definition up32 (t : loc) (b : src) : list mop * src :=
  match b with L x => ([Op (Shl t (L x) 32)], L t) | I v => ([], I (v * 2 ^ 32)) end.
Definition alu32 (op : Z) (d : loc) (b : src) : list mop :=
  let same := match b with L x => Pos.eqb x d | I _ => false end in
  let logic o := match b with
    | L x => ops [Logic And T1 (L d) (I M32); Logic And T2 (L x) (I M32); Logic o d (L T1) (L T2)] ++ zf32 d
    | I v => ops [Logic And T1 (L d) (I M32); Logic o d (L T1) (I v)] ++ zf32 d
    end in
  let arith f (c : bool) := let (u, v) := up32 T2 b in
    Op (Shl T1 (L d) 32) :: u ++ (if c then [Op (Shl TM (L CF) 32)] else []) ++
    Op (f T1 CF (L T1) v (if c then L TM else I 0)) :: Op (Shr d (L T1) 32) :: res T1 in
  match op with
  | 0 => arith Adc false
  | 1 => logic Or
  | 2 => arith Adc true
  | 3 => if same then ops [Shl TM (L CF) 32; Sbb T1 CF (I 0) (I 0) (L TM); Shr d (L T1) 32] ++ res T1 else arith Sbb true
  | 4 => match b with
    | L x => if same then Op (Logic And d (L d) (I M32)) :: zf32 d else logic And
    | I v => Op (Logic And d (L d) (I v)) :: zf32 d end
  | 5 => arith Sbb false
  | 6 => if same then Op (Mov d (I 0)) :: zf d else logic Xor
  | _ => let (u, v) := up32 T2 b in Op (Shl T1 (L d) 32) :: u ++ Op (Sbb T1 CF (L T1) v (I 0)) :: res T1
  end.
(* conditions: the bit, and whether the condition is its negation *)
Definition cond (cc : Z) : option (list mop * loc * bool) :=
  match cc with
  | 0 => Some ([], OF, false) | 1 => Some ([], OF, true)
  | 2 => Some ([], CF, false) | 3 => Some ([], CF, true)
  | 4 => Some ([Op (Isz T1 (L RES))], T1, false) | 5 => Some ([Op (Isz T1 (L RES))], T1, true)
  | 6 => Some (ops [Isz T1 (L RES); Cmov T1 (L CF) (I 1) (L T1)], T1, false)
  | 7 => Some (ops [Isz T1 (L RES); Cmov T1 (L CF) (I 1) (L T1)], T1, true)
  | 8 => Some ([Op (Shr T1 (L RES) 63)], T1, false) | 9 => Some ([Op (Shr T1 (L RES) 63)], T1, true)
  | _ => None
  end.
(* A word w stands for w - 2^64·s, where s is its highest bit. *)
Definition sar (l : loc) (n : N) : list mop :=
  if (n =? 63)%N then ops [Shr T1 (L l) 63; Sbb l JUNK (I 0) (L T1) (I 0)]
  else ops [Shr T1 (L l) n; Shr T2 (L l) 63; Shl T2 (L T2) (64 - n); Sbb l JUNK (L T1) (L T2) (I 0)].
(* the carry is the last bit shifted out: here only after right shifts by 1 *)
Definition out1 (l : loc) (n : Z) : mop := if n =? 1 then Op (Logic And CF (L l) (I 1)) else Havoc CF.
Definition shift32 (g : Z) (l : loc) (n : Z) : option (list mop) :=
  let flags := Op (Shl T1 (L l) 32) :: res T1 in
  if (0 <? n) && (n <? 32) then
    if g =? 4 then Some (Op (Shl T1 (L l) (Z.to_N (32 + n))) :: Havoc CF :: Op (Shr l (L T1) 32) :: flags)
    else if g =? 5 then Some (out1 l n :: ops [Logic And T1 (L l) (I M32); Shr l (L T1) (Z.to_N n)] ++ flags)
    else if g =? 7 then Some (out1 l n :: Op (Shl TM (L l) 32) :: sar TM (Z.to_N n) ++ Op (Shr l (L TM) 32) :: flags) else None
  else None%bool.
(* BT, BTS, BTR, BTC of bit n: what the others add is a multiple of 2^n *)
Definition bit (g : Z) (l : loc) (n : N) : option (list mop) :=
  let b := if (n =? 63)%N then ops [Shr CF (L l) 63] else ops [Shr T1 (L l) n; Logic And CF (L T1) (I 1)] in
  let rest := [Havoc OF; Havoc RES] in
  if g =? 4 then Some (b ++ rest)
  else if g =? 5 then Some (b ++ (if (n =? 63)%N then ops [Logic Or l (L l) (I (2 ^ 63))]
    else ops [Sbb T1 JUNK (I 1) (L CF) (I 0); Shl T1 (L T1) n; Adc l JUNK (L l) (L T1) (I 0)]) ++ rest)
  else if g =? 6 then Some (b ++ (if (n =? 63)%N then ops [Logic And l (L l) (I (2 ^ 63 - 1))]
    else ops [Shl T1 (L CF) n; Sbb l JUNK (L l) (L T1) (I 0)]) ++ rest)
  else if g =? 7 then Some (b ++ (if (n =? 63)%N then ops [Adc l JUNK (L l) (I (2 ^ 63)) (I 0)]
    else ops [Isz T1 (L CF); Sbb T1 JUNK (L T1) (L CF) (I 0); Shl T1 (L T1) n; Adc l JUNK (L l) (L T1) (I 0)]) ++ rest)
  else None.
(* The low byte of a register, where no REX prefix means AH to BH. *)
Definition low8 (rex : Z) (l : loc) : bool := negb (rex =? 0) || Pos.ltb l 5.
Definition setcc (cc : Z) (l : loc) : option (list mop) :=
  match cond cc with
  | Some (u, f, n) =>
    Some (u ++ (if n then [Op (Isz T1 (L f))] else [Op (Mov T1 (L f))]) ++ ops [Logic And T2 (L l) (I (W - 256)); Logic Or l (L T2) (L T1)])
  | None => None end.
Definition shift (g : Z) (l : loc) (n : Z) : option (list mop) :=
  if (0 <? n) && (n <? 64) then
    if g =? 4 then Some (Op (Shl l (L l) (Z.to_N n)) :: Havoc CF :: res l)
    else if g =? 5 then Some (out1 l n :: Op (Shr l (L l) (Z.to_N n)) :: res l)
    else if g =? 7 then Some (out1 l n :: sar l (Z.to_N n) ++ res l) else None
  else None%bool.
(* TEST of a byte register with a constant: SF is bit 7 *)
Definition test8 (l : loc) (v : Z) : list mop := Op (Logic And T1 (L l) (I v)) :: Op (Shl T1 (L T1) 56) :: zf T1.

Definition dec_t := option (list mop * list Z).
Definition vex (r : list Z) : dec_t :=    (* MULX, BZHI *)
  match r with
  | b1 :: b2 :: o :: r =>
    if (o =? 0xF6) && (bits b1 0 5 =? 2) && (bits b2 0 3 =? 3) && (bits b2 7 1 =? 1) then
      match modrm (1 - bits b1 7 1) (1 - bits b1 6 1) (1 - bits b1 5 1) r with
      | Some (rg, x, r') => match source x with
        | Some (ld, l) => Some (ld ++ [Op (Mul (gpr rg) (gpr (15 - bits b2 3 4)) (L (gpr 2)) (L l))], r')
        | None => None end
      | None => None end
    else if (o =? 0xF5) && (bits b1 0 5 =? 2) && (bits b2 0 3 =? 0) && (bits b2 7 1 =? 1) then
      match modrm (1 - bits b1 7 1) (1 - bits b1 6 1) (1 - bits b1 5 1) r with
      | Some (rg, x, r') => match source x with
        | Some (ld, l) => let d := gpr rg in
          Some (ld ++ [Op (Bzhi d (L l) (L (gpr (15 - bits b2 3 4)))); Havoc CF; Op (Mov OF (I 0)); Op (Mov RES (L d))], r')
        | None => None end
      | None => None end
    else None
  | _ => None end%bool.
Definition adx (f : loc) (r : list Z) : dec_t :=   (* ADCX, ADOX *)
  match r with
  | x :: o1 :: o2 :: o3 :: r =>
    if (bits x 3 5 =? 9) && (o1 =? 0x0F) && (o2 =? 0x38) && (o3 =? 0xF6) then
      match modrm (bits x 2 1) (bits x 1 1) (bits x 0 1) r with
      | Some (rg, x, r') => match source x with
        | Some (ld, l) => Some (ld ++ [Op (Adc (gpr rg) f (L (gpr rg)) (L l) (L f))], r')
        | None => None end
      | None => None end
    else None
  | _ => None end%bool.
Definition twobyte (xr xx xb : Z) (r : list Z) : dec_t :=   (* 0F xx, 64 bits *)
  match r with
  | op :: r =>
    match modrm xr xx xb r with
    | Some (rg, x, r') =>
      match source x with
      | Some (ld, l) => let d := gpr rg in
        if op =? 0xAF then Some (ld ++ Op (Mul JUNK d (L d) (L l)) :: nof, r')
        else if bits op 4 4 =? 4 then
          match cond (bits op 0 4) with
          | Some (u, f, n) => Some (ld ++ u ++ [Op (if n then Cmov d (L f) (L d) (L l) else Cmov d (L f) (L l) (L d))], r')
          | None => None end
        else if op =? 0xBA then                         (* BT, BTS, BTR, BTC *)
          match x, r' with
          | RReg _, n :: r'' => if n <? 64 then match bit (bits rg 0 3) l (Z.to_N n) with Some c => Some (c, r'') | None => None end else None
          | _, _ => None end
        else if (op =? 0xA4) || (op =? 0xAC) then       (* SHLD, SHRD *)
          match x, r' with
          | RReg _, n :: r'' => if (0 <? n) && (n <? 64) then
              let k := Z.to_N n in
              Some (ops (if op =? 0xA4 then [Shl T1 (L l) k; Shr T2 (L d) (64 - k)] else [Shl T1 (L d) (64 - k); Shr T2 (L l) k])
                    ++ Op (Logic Or l (L T1) (L T2)) :: nof, r'') else None
          | _, _ => None end
        else None
      | None => None end
    | None => None end
  | [] => None end%bool.
Definition lea (d : loc) (x : rm) : option (list mop) :=
  match x with
  | RMem b None disp => Some [Op (Adc d JUNK (L (gpr b)) (I (disp mod W)) (I 0))]
  | RMem b (Some (i, s)) disp =>
    Some (ops [Shl T1 (L (gpr i)) (Z.to_N s); Adc T1 JUNK (L (gpr b)) (L T1) (I 0); Adc d JUNK (L T1) (I (disp mod W)) (I 0)])
  | RIndex i s disp => Some (ops [Shl T1 (L (gpr i)) (Z.to_N s); Adc d JUNK (L T1) (I (disp mod W)) (I 0)])
  | RReg _ => None end.
(* the word at l back to memory, if it came from there *)
Definition stored (x : rm) (l : loc) : list mop := match x with RMem b None o => [Store (gpr b) o (L l)] | _ => [] end.
Definition onebyte (op rg : Z) (x : rm) (r : list Z) : dec_t :=   (* with ModRM, 64 bits *)
  let d := gpr rg in
  let g := bits rg 0 3 in
  if op =? 0x8D then match lea d x with Some l => Some (l, r) | None => None end
  else if op =? 0x8B then
    match x with
    | RReg l => Some ([Op (Mov d (L l))], r)
    | RMem b None o => Some ([Load d (gpr b) o], r)
    | _ => None end
  else if op =? 0x89 then
    match x with
    | RReg l => Some ([Op (Mov l (L d))], r)
    | RMem b None o => Some ([Store (gpr b) o (L d)], r)
    | _ => None end
  else if (op =? 0xC7) && (g =? 0) then
    match x, imm 4 32 r with
    | RReg l, Some (v, r') => Some ([Op (Mov l (I v))], r')
    | RMem b None o, Some (v, r') => Some ([Store (gpr b) o (I v)], r')
    | _, _ => None end
  else match source x with
  | Some (ld, l) =>
    let here := match x with RReg _ => true | _ => false end in
    if (bits op 6 2 =? 0) && (bits op 0 3 =? 3) then Some (ld ++ alu (bits op 3 3) d (L l), r)
    else if (op =? 0x6B) || (op =? 0x69) then
      match (if op =? 0x6B then imm 1 8 r else imm 4 32 r) with
      | Some (v, r') => Some (ld ++ Op (Mul JUNK d (L l) (I v)) :: nof, r') | None => None end
    else if (op =? 0xF7) && (g =? 4) then Some (ld ++ Op (Mul (gpr 2) (gpr 0) (L (gpr 0)) (L l)) :: nof, r)
    else if (op =? 0xFF) && (g =? 1) then                (* DEC *)
      Some (ld ++ Op (Sbb l JUNK (L l) (I 1) (I 0)) :: stored x l ++ res l, r)
    else if (op =? 0xFF) && (g =? 0) then                (* INC *)
      Some (ld ++ Op (Adc l JUNK (L l) (I 1) (I 0)) :: stored x l ++ res l, r)
    else if (bits op 6 2 =? 0) && (bits op 0 3 =? 1) then
      Some (ld ++ alu (bits op 3 3) l (L d) ++ (if bits op 3 3 =? 7 then [] else stored x l), r)
    else if (op =? 0x83) || (op =? 0x81) then
      match (if op =? 0x83 then imm 1 8 r else imm 4 32 r) with
      | Some (v, r') => Some (ld ++ alu g l (I v) ++ (if g =? 7 then [] else stored x l), r') | None => None end
    else if negb here then None
    else if op =? 0x87 then Some (ops [Mov T1 (L l); Mov l (L d); Mov d (L T1)], r)
    else if (op =? 0xF7) && (g =? 0) then                (* TEST r, imm32 *)
      match imm 4 32 r with Some (v, r') => Some (Op (Logic And T1 (L l) (I v)) :: zf T1, r') | None => None end
    else if op =? 0x85 then Some (if Pos.eqb l d then zf d else Op (Logic And T1 (L l) (L d)) :: zf T1, r)
    else if op =? 0xC1 then
      match r with n :: r' => match shift g l n with Some c => Some (c, r') | None => None end | [] => None end
    else if op =? 0xD1 then match shift g l 1 with Some c => Some (c, r) | None => None end
    else if (op =? 0xF7) && (g =? 2) then Some ([Op (Logic Xor l (L l) (I (W - 1)))], r)
    else if (op =? 0xF7) && (g =? 3) then Some (Op (Sbb l CF (I 0) (L l) (I 0)) :: res l, r)
    else None
  | None => None end%bool.
(* 32 bits, of registers only. The upper half of what is written becomes 0. *)
Definition imm32 (n : nat) (w : Z) (bs : list Z) : option (Z * list Z) :=
  match imm n w bs with Some (v, r) => Some (Z.land v M32, r) | None => None end.
Definition onebyte32 (op rg : Z) (x : rm) (r : list Z) : dec_t :=
  let d := gpr rg in
  let g := bits rg 0 3 in
  if op =? 0x8D then match lea d x with Some l => Some (l ++ [Op (Logic And d (L d) (I M32))], r) | None => None end
  else match x with
  | RReg l =>
    if op =? 0x8B then Some ([Op (Logic And d (L l) (I M32))], r)
    else if op =? 0x89 then Some ([Op (Logic And l (L d) (I M32))], r)
    else if (op =? 0xC7) && (g =? 0) then match le 4 r with Some (v, r') => Some ([Op (Mov l (I v))], r') | None => None end
    else if (bits op 6 2 =? 0) && (bits op 0 3 =? 3) then Some (alu32 (bits op 3 3) d (L l), r)
    else if (bits op 6 2 =? 0) && (bits op 0 3 =? 1) then Some (alu32 (bits op 3 3) l (L d), r)
    else if (op =? 0x83) || (op =? 0x81) then
      match (if op =? 0x83 then imm32 1 8 r else imm32 4 32 r) with
      | Some (v, r') => Some (alu32 g l (I v), r') | None => None end
    else if (op =? 0x6B) || (op =? 0x69) then
      match (if op =? 0x6B then imm32 1 8 r else imm32 4 32 r) with
      | Some (v, r') => Some (ops [Logic And T1 (L l) (I M32); Mul JUNK T1 (L T1) (I v); Logic And d (L T1) (I M32)] ++ nof, r')
      | None => None end
    else if op =? 0x85 then
      Some ((if Pos.eqb l d then ops [Logic And T1 (L l) (I M32)] else ops [Logic And T1 (L d) (I M32); Logic And T1 (L T1) (L l)]) ++ zf32 T1, r)
    else if op =? 0x87 then
      Some (ops [Logic And T1 (L l) (I M32); Logic And l (L d) (I M32); Mov d (L T1)], r)
    else if op =? 0xC1 then
      match r with n :: r' => match shift32 g l n with Some c => Some (c, r') | None => None end | [] => None end
    else if op =? 0xD1 then match shift32 g l 1 with Some c => Some (c, r) | None => None end
    else if (op =? 0xF7) && (g =? 0) then
      match le 4 r with Some (v, r') => Some (Op (Logic And T1 (L l) (I v)) :: zf32 T1, r') | None => None end
    else if (op =? 0xF7) && (g =? 2) then Some (ops [Logic And T1 (L l) (I M32); Sbb l JUNK (I M32) (L T1) (I 0)], r)
    else if (op =? 0xF7) && (g =? 3) then
      Some (ops [Shl T1 (L l) 32; Sbb T1 CF (I 0) (L T1) (I 0); Shr l (L T1) 32] ++ res T1, r)
    else if (op =? 0xF7) && (g =? 4) then                (* MUL *)
      Some (ops [Logic And T1 (L (gpr 0)) (I M32); Logic And T2 (L l) (I M32); Mul JUNK T1 (L T1) (L T2);
                 Logic And (gpr 0) (L T1) (I M32); Shr (gpr 2) (L T1) 32] ++ nof, r)
    else if (op =? 0xFF) && (g =? 0) then
      Some (ops [Shl T1 (L l) 32; Adc T1 JUNK (L T1) (I (2 ^ 32)) (I 0); Shr l (L T1) 32] ++ res T1, r)
    else if (op =? 0xFF) && (g =? 1) then
      Some (ops [Shl T1 (L l) 32; Sbb T1 JUNK (L T1) (I (2 ^ 32)) (I 0); Shr l (L T1) 32] ++ res T1, r)
    else None
  | _ => None end%bool.
(* 0F xx, 32 bits, of registers only: CMOV, IMUL *)
Definition twobyte32 (op : Z) (d l : loc) : option (list mop) :=
  if op =? 0xAF then Some (ops [Logic And T1 (L d) (I M32); Logic And T2 (L l) (I M32); Mul JUNK T1 (L T1) (L T2); Logic And d (L T1) (I M32)] ++ nof)
  else if bits op 4 4 =? 4 then
    match cond (bits op 0 4) with
    | Some (u, f, n) => Some (u ++ ops [if n then Cmov d (L f) (L d) (L l) else Cmov d (L f) (L l) (L d); Logic And d (L d) (I M32)])
    | None => None end
  else None.
(* 0F xx that do the same with and without REX.W *)
Definition twobyte0 (rex op : Z) (r : list Z) : option dec_t :=
  let xr := bits rex 2 1 in let xb := bits rex 0 1 in
  if op =? 0xB6 then                                   (* MOVZX r, r8 *)
    Some match modrm xr (bits rex 1 1) xb r with
    | Some (rg, RReg l, r') => if low8 rex l then Some ([Op (Logic And (gpr rg) (L l) (I 255))], r') else None
    | _ => None end
  else if op =? 0xB7 then                              (* MOVZX r, r16 *)
    Some match modrm xr (bits rex 1 1) xb r with
    | Some (rg, RReg l, r') => Some ([Op (Logic And (gpr rg) (L l) (I 65535))], r')
    | _ => None end
  else if bits op 4 4 =? 9 then                        (* SETcc r8 *)
    Some match modrm xr (bits rex 1 1) xb r with
    | Some (rg, RReg l, r') => if low8 rex l then match setcc (bits op 0 4) l with Some c => Some (c, r') | None => None end else None
    | _ => None end
  else if op =? 0x1F then                              (* NOP *)
    Some match modrm xr (bits rex 1 1) xb r with
    | Some (_, RMem _ _ _, r') | Some (_, RIndex _ _ _, r') => Some ([], r')
    | _ => None end
  else None.
Definition dec1 (bs : list Z) : dec_t :=
  match bs with
  | [] => None
  | p0 :: t0 =>
  if p0 =? 0xC4 then vex t0
  else if p0 =? 0x66 then adx CF t0
  else if p0 =? 0xF3 then match t0 with 0x0F :: 0x1E :: 0xFA :: r => Some ([], r) | _ => adx OF t0 end    (* ENDBR64 *)
  else if p0 =? 0x90 then Some ([], t0)                              (* NOP *)
  else if p0 =? 0xF5 then Some ([Op (Isz CF (L CF))], t0)            (* CMC, CLC, STC *)
  else if p0 =? 0xF8 then Some ([Op (Mov CF (I 0))], t0)
  else if p0 =? 0xF9 then Some ([Op (Mov CF (I 1))], t0)
  else
  let '(rex, op, r) := if bits p0 4 4 =? 4 then match t0 with o :: r => (p0, o, r) | [] => (0, 0, []) end else (0, p0, t0) in
  let xw := bits rex 3 1 in let xr := bits rex 2 1 in let xx := bits rex 1 1 in let xb := bits rex 0 1 in
  if bits op 3 5 =? 10 then                                          (* PUSH *)
    let d := gpr (bits op 0 3 + 8 * xb) in
    if Pos.eqb d RSP then None else Some ([Store RSP (-8) (L d); Op (Sbb RSP JUNK (L RSP) (I 8) (I 0))], r)
  else if bits op 3 5 =? 11 then                                     (* POP *)
    let d := gpr (bits op 0 3 + 8 * xb) in
    if Pos.eqb d RSP then None else Some ([Load d RSP 0; Op (Adc RSP JUNK (L RSP) (I 8) (I 0))], r)
  else if (op =? 0xA8) && (rex =? 0) then                            (* TEST AL, imm8 *)
    match r with v :: r' => Some (test8 (gpr 0) v, r') | [] => None end
  else if op =? 0xF6 then                                            (* TEST r8, imm8 *)
    match modrm xr xx xb r with
    | Some (rg, RReg l, v :: r') =>
      if (bits rg 0 3 =? 0) && (negb (rex =? 0) || Pos.ltb l 5) then Some (test8 l v, r') else None
    | _ => None end
  else if (op =? 0x84) then                                          (* TEST r8, r8, of one register *)
    match modrm xr xx xb r with
    | Some (rg, RReg l, r') => if Pos.eqb l (gpr rg) && low8 rex l then Some (test8 l 255, r') else None
    | _ => None end
  else if bits op 3 5 =? 0x17 then                                   (* MOV r, imm *)
    match le (if xw =? 1 then 8%nat else 4%nat) r with
    | Some (v, r') => Some ([Op (Mov (gpr (bits op 0 3 + 8 * xb)) (I v))], r') | None => None end
  else if op =? 0x0F then
    match r with
    | o :: r' => match twobyte0 rex o r' with
      | Some x => x
      | None => if xw =? 1 then twobyte xr xx xb r else
        match modrm xr xx xb r' with
        | Some (rg, RReg l, r'') => match twobyte32 o (gpr rg) l with Some c => Some (c, r'') | None => None end
        | _ => None end
      end
    | [] => None end
  else if (bits op 3 5 =? 0x12) && negb (xb =? 0) && (bits op 0 3 =? 0) || (bits op 3 5 =? 0x12) && negb (bits op 0 3 =? 0) then
    let d := gpr (bits op 0 3 + 8 * xb) in                           (* XCHG with RAX *)
    if xw =? 1 then Some (ops [Mov T1 (L d); Mov d (L (gpr 0)); Mov (gpr 0) (L T1)], r)
    else Some (ops [Logic And T1 (L d) (I M32); Logic And d (L (gpr 0)) (I M32); Mov (gpr 0) (L T1)], r)
  else if (bits op 6 2 =? 0) && (bits op 0 3 =? 5) then              (* RAX, imm32 *)
    if xw =? 1 then match imm 4 32 r with Some (v, r') => Some (alu (bits op 3 3) (gpr 0) (I v), r') | None => None end
    else match le 4 r with Some (v, r') => Some (alu32 (bits op 3 3) (gpr 0) (I v), r') | None => None end
  else if op =? 0xA9 then                                            (* TEST RAX, imm32 *)
    if xw =? 1 then match imm 4 32 r with Some (v, r') => Some (Op (Logic And T1 (L (gpr 0)) (I v)) :: zf T1, r') | None => None end
    else match le 4 r with Some (v, r') => Some (Op (Logic And T1 (L (gpr 0)) (I v)) :: zf32 T1, r') | None => None end
  else if xw =? 0 then
    match modrm xr xx xb r with
    | Some (rg, x, r') => onebyte32 op rg x r'
    | None => None end
  else match modrm xr xx xb r with
  | Some (rg, x, r') => onebyte op rg x r'
  | None => None end
  end%bool.
(* The whole routine, up to a return that is its last byte. *)
Definition ret : list mop := [Load RIP RSP 0; Op (Adc RSP JUNK (L RSP) (I 8) (I 0))].
Fixpoint dec (fuel : nat) (bs : list Z) : option (list mop) :=
  match fuel, bs with
  | O, _ => None
  | S f, [b] => if b =? 0xC3 then Some ret else None
  | S f, _ => match dec1 bs with
    | Some (l, r) => match dec f r with Some t => Some (l ++ t) | None => None end
    | None => None end
  end.
(* JNE: how far its target is from its end, and what follows it. *)
Definition jne (bs : list Z) : option (Z * list Z) :=
  match bs with
  | 0x75 :: r => match le 1 r with Some (d, r') => Some (sx 8 d, r') | None => None end
  | 0x0F :: 0x85 :: r => match le 4 r with Some (d, r') => Some (sx 32 d, r') | None => None end
  | _ => None end.
(* The instructions up to a JNE, each with the number of bytes from its start to
   the end of the routine; the same number for the target; and what follows. *)
Fixpoint upto_jne (fuel : nat) (bs : list Z) : option (list (Z * list mop) * Z * list Z) :=
  match fuel with
  | O => None
  | S f =>
    match jne bs with
    | Some (d, r) => Some ([], Z.of_nat (length r) - d, r)
    | None =>
      match dec1 bs with
      | Some (l, r) => match upto_jne f r with
        | Some (is, k, r') => Some ((Z.of_nat (length bs), l) :: is, k, r')
        | None => None end
      | None => None end
    end
  end.
Definition decode_loop (bs : list Z) : option program :=
  match upto_jne (length bs) bs with
  | Some (is, k, r) =>
    let part f := flat_map snd (filter (fun x => f (fst x)) is) in
    if existsb (fun x => fst x =? k) is then
      match dec (length r) r with Some post => Some (Loop (part (Z.ltb k)) (part (Z.geb k)) post) | None => None end
    else None
  | None => None end.
Definition decode (bs : list Z) : option program :=
  match dec (length bs) bs with Some p => Some (Straight p) | None => decode_loop bs end.
