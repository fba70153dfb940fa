(* The machine: registers and flags that hold integers, and a memory of bytes.
   Part of what is trusted. *)
Require Import ZArith List Instr.
Import ListNotations.
Open Scope Z_scope.

(* mem is read at addresses from 0 to 2^64 - 1 only; address arithmetic wraps. *)
Record mstate := { reg : loc -> Z; mem : Z -> Z }.

Fixpoint loadn (n : nat) (m : Z -> Z) (a : Z) : Z :=
  match n with O => 0 | S k => m (a mod W) + 256 * loadn k m (a + 1) end.
(* The 64-bit word at address a, least significant byte first. *)
Definition load64 (m : Z -> Z) (a : Z) : Z := loadn 8 m a.
Definition store64 (m : Z -> Z) (a v : Z) : Z -> Z :=
  fun x => let i := (x - a) mod W in if i <? 8 then (v / 256 ^ i) mod 256 else m x.

Inductive mop :=
| Op (i : instr)                          (* on registers and flags *)
| Load (d b : loc) (o : Z)                (* d := the word at address b + o *)
| Store (b : loc) (o : Z) (a : src)       (* the word at address b + o := a *)
| Havoc (d : loc).                        (* d := anything: a flag that is left undefined *)

(* u chooses the n-th undefined value. *)
Definition mexec1 (u : nat -> Z) (n : nat) (op : mop) (s : mstate) : mstate :=
  match op with
  | Op i => {| reg := exec1 i (reg s); mem := mem s |}
  | Load d b o => {| reg := upd (reg s) d (load64 (mem s) (reg s b + o)); mem := mem s |}
  | Store b o a => {| reg := reg s; mem := store64 (mem s) (reg s b + o) (rd (reg s) a) |}
  | Havoc d => {| reg := upd (reg s) d (u n mod W); mem := mem s |}
  end.
Fixpoint mexec (u : nat -> Z) (n : nat) (p : list mop) (s : mstate) : mstate :=
  match p with [] => s | op :: p' => mexec u (S n) p' (mexec1 u n op s) end.

(* The accesses of a run, each of 8 bytes: whether it writes, and where. *)
Fixpoint accesses (u : nat -> Z) (n : nat) (p : list mop) (s : mstate) : list (bool * Z) :=
  match p with
  | [] => []
  | op :: p' =>
    match op with
    | Load _ b o => [(false, (reg s b + o) mod W)]
    | Store b o _ => [(true, (reg s b + o) mod W)]
    | _ => []
    end ++ accesses u (S n) p' (mexec1 u n op s)
  end.

(* A routine is straight-line code, or has one loop: its body is run until the
   word RES that ZF speaks of is 0 at its end. *)
Inductive program := Straight (p : list mop) | Loop (pre body post : list mop).
Definition done := (nat * mstate * list (bool * Z))%type.   (* the number of operations, the state, the accesses *)
Definition straight (u : nat -> Z) (p : list mop) (d : done) : done :=
  let '(n, s, a) := d in ((n + length p)%nat, mexec u n p s, a ++ accesses u n p s).
(* at most k times *)
Fixpoint rounds (u : nat -> Z) (res : loc) (body : list mop) (k : nat) (d : done) : option done :=
  match k with
  | O => None
  | S k' => let d1 := straight u body d in
    if reg (snd (fst d1)) res =? 0 then Some d1 else rounds u res body k' d1
  end.
Definition run (u : nat -> Z) (res : loc) (k : nat) (p : program) (s : mstate) : option done :=
  match p with
  | Straight p => Some (straight u p (O, s, []))
  | Loop pre body post =>
    match rounds u res body k (straight u pre (O, s, [])) with
    | Some d => Some (straight u post d)
    | None => None end
  end.
