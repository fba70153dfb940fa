(* The words that instructions compute with: locations hold integers, and each
   operation says which integer it leaves where. What x86-64 instructions do
   (X86.v) is said in terms of these operations. Part of what is trusted. *)
Require Import ZArith List.
Import ListNotations.
Open Scope Z_scope.

Definition W : Z := 18446744073709551616.
Definition loc := positive.
Bind Scope positive_scope with loc.
Definition state := loc -> Z.
Definition upd (s : state) (l : loc) (v : Z) : state := fun x => if Pos.eqb x l then v else s x.
Inductive src := L (l : loc) | I (z : Z).
Definition rd (s : state) (x : src) : Z := match x with L l => s l | I z => z end.
Inductive lop := And | Or | Xor.
Definition lopz (o : lop) : Z -> Z -> Z := match o with And => Z.land | Or => Z.lor | Xor => Z.lxor end.

Inductive instr :=
| Mov (d : loc) (a : src)
| Mul (hi lo : loc) (a b : src)
| Adc (d co : loc) (a b c : src)
| Sbb (d bo : loc) (a b c : src)
| Cmov (d : loc) (c a b : src)          (* d := c<>0 ? a : b *)
| Logic (o : lop) (d : loc) (a b : src)
| Shr (d : loc) (a : src) (n : N)
| Shl (d : loc) (a : src) (n : N)       (* low 64 bits of a*2^n, n <= 64 *)
| Isz (d : loc) (a : src)               (* d := a=0 ? 1 : 0 *)
| Bzhi (d : loc) (a b : src).           (* d := the low b mod 256 bits of a *)

Definition pw (n : N) : Z := 2 ^ Z.of_N n.
Definition exec1 (i : instr) (s : state) : state :=
  match i with
  | Mov d a => upd s d (rd s a)
  | Mul hi lo a b => let x := rd s a * rd s b in upd (upd s lo (x mod W)) hi (x / W)
  | Adc d co a b c => let x := rd s a + rd s b + rd s c in upd (upd s d (x mod W)) co (x / W)
  | Sbb d bo a b c => let x := rd s a - rd s b - rd s c in upd (upd s d (x mod W)) bo (- (x / W))
  | Cmov d c a b => upd s d (if rd s c =? 0 then rd s b else rd s a)
  | Logic o d a b => upd s d (lopz o (rd s a) (rd s b))
  | Shr d a n => upd s d (rd s a / pw n)
  | Shl d a n => upd s d (pw n * (rd s a mod pw (64 - n)))
  | Isz d a => upd s d (if rd s a =? 0 then 1 else 0)
  | Bzhi d a b => upd s d (rd s a mod 2 ^ (rd s b mod 256))
  end.
Fixpoint exec (p : list instr) (s : state) : state :=
  match p with [] => s | i :: p' => exec p' (exec1 i s) end.

