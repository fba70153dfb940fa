(* What it means that the bytes of a routine are correct, for routines that Go
   calls with arguments on the stack (ABI0, of amd64 and arm64), and for those that
   take arguments in registers (the System V ABI for AMD64). Part of what is trusted. *)
Require Import ZArith List Bool Instr Claim Machine X86 A64.
Import ListNotations.
Open Scope Z_scope.

Inductive param :=
| PIn (n max : Z)      (* pointer to n words that are read; the number in them is at most max *)
| POut (n : Z)         (* pointer to n words that are written *)
| PInOut (n max : Z)   (* pointer to n words that are read and written *)
| PVal (max : Z).      (* a word, at most max *)
Definition pointer (p : param) : bool := match p with PVal _ => false | _ => true end.
Definition pwords (p : param) : Z := match p with PIn n _ | POut n | PInOut n _ => n | PVal _ => 1 end.
Definition pwrites (p : param) : bool := match p with POut _ | PInOut _ _ => true | _ => false end.
Definition pmax (p : param) : option Z := match p with PIn _ m | PInOut _ m | PVal m => Some m | POut _ => None end.

(* Where arguments and the result are, and which registers are preserved. *)
Inductive conv := ABI0 | SystemV.
Inductive cpu := AMD64 | ARM64.
Definition saved (m : cpu) (v : conv) : list loc :=
  match m with ARM64 => [X18; X28] | AMD64 =>
  match v with
  | ABI0 => [RBP; R14]
  | SystemV => [4%positive; RBP; 13%positive; 14%positive; R14; 16%positive]   (* RBX RBP R12 R13 R14 R15 *)
  end end.
Definition RAX : loc := 1%positive.
(* RDI RSI RDX RCX R8 R9 *)
Definition argreg (i : Z) : option loc :=
  match i with
  | 1 => Some 8%positive | 2 => Some 7%positive | 3 => Some 3%positive
  | 4 => Some 2%positive | 5 => Some 9%positive | 6 => Some 10%positive
  | _ => None end.

(* Parameters are counted from 1. *)
Inductive rvar := Before (i : Z) | After (i : Z) | Result.
Record routine := {
  machine : cpu;
  callconv : conv;
  params : list param;
  separate : list (Z * Z);       (* pairs of pointers that may not be equal *)
  result : bool;                 (* whether a word is returned *)
  frame : Z;                     (* words below SP on entry that may be written *)
  rclaims : list (claim rvar) }.
Definition pget (ps : list param) (i : Z) : option param := if i <? 1 then None else nth_error ps (Z.to_nat (i - 1)).

Definition SP (c : routine) : loc := match machine c with AMD64 => RSP | ARM64 => XSP end.
(* On the stack, arguments lie above the return address, and the result above
   them. With System V the seventh argument is the first on the stack. *)
Definition arg (c : routine) (s : mstate) (i : Z) : Z :=
  match callconv c with
  | ABI0 => load64 (mem s) (reg s (SP c) + 8 * i)
  | SystemV => match argreg i with Some l => reg s l | None => load64 (mem s) (reg s (SP c) + 8 * (i - 6)) end
  end.
Fixpoint number (n : nat) (m : Z -> Z) (a : Z) : Z :=
  match n with O => 0 | S k => load64 m a + W * number k m (a + 8) end.
Definition resultslot (c : routine) (s : mstate) : Z := reg s (SP c) + 8 * (Z.of_nat (length (params c)) + 1).
(* The value of a variable, given the states on entry and on return. *)
Definition rval (c : routine) (s0 s : mstate) (v : rvar) : Z :=
  match v with
  | Before i =>
    match pget (params c) i with
    | Some (PVal _) => arg c s0 i
    | Some p => number (Z.to_nat (pwords p)) (mem s0) (arg c s0 i)
    | None => 0 end
  | After i =>
    match pget (params c) i with
    | Some (PVal _) => 0
    | Some p => number (Z.to_nat (pwords p)) (mem s) (arg c s0 i)
    | None => 0 end
  | Result => if result c then match callconv c with ABI0 => load64 (mem s) (resultslot c s0) | SystemV => reg s RAX end else 0
  end.

(* n words at a and m words at b share no byte. *)
Definition disjoint (a n b m : Z) : Prop :=
  forall i j, 0 <= i < 8 * n -> 0 <= j < 8 * m -> (a + i) mod W <> (b + j) mod W.
Definition stackwords (c : routine) : Z :=
  match callconv c with
  | ABI0 => frame c + 1 + Z.of_nat (length (params c)) + (if result c then 1 else 0)
  | SystemV => frame c + 1
  end.
Definition stackbase (c : routine) (s : mstate) : Z := reg s (SP c) - 8 * frame c.
Definition entry (c : routine) (s : mstate) : Prop :=
  (forall x, 0 <= mem s x < 256) /\ (forall l, 0 <= reg s l < W) /\
  (forall i p m, pget (params c) i = Some p -> pmax p = Some m -> rval c s s (Before i) <= m) /\
  (* two pointers are equal, or what they point to is disjoint *)
  (forall i j p q, pget (params c) i = Some p -> pget (params c) j = Some q -> pointer p = true -> pointer q = true ->
    arg c s i = arg c s j \/ disjoint (arg c s i) (pwords p) (arg c s j) (pwords q)) /\
  (forall i j, In (i, j) (separate c) -> arg c s i <> arg c s j) /\
  (* and none points into the frame, the return address, the arguments or the result *)
  (forall i p, pget (params c) i = Some p -> pointer p = true ->
    disjoint (stackbase c s) (stackwords c) (arg c s i) (pwords p)).
(* The word numbered k of the stack may be written. *)
Definition stackwrite (c : routine) (k : Z) : bool :=
  ((k <? frame c) ||
   match callconv c with ABI0 => result c && (k =? frame c + 1 + Z.of_nat (length (params c))) | SystemV => false end)%bool.
(* x is a byte that the routine may not change. *)
Definition kept (c : routine) (s : mstate) (x : Z) : Prop :=
  0 <= x < W /\
  (forall i p j, pget (params c) i = Some p -> pwrites p = true -> 0 <= j < 8 * pwords p -> x <> (arg c s i + j) mod W) /\
  (forall k j, 0 <= k < stackwords c -> stackwrite c k = true -> 0 <= j < 8 -> x <> (stackbase c s + 8 * k + j) mod W).
(* An access (whether it writes, and where) to a whole word of a buffer or of the stack. *)
Definition permitted (c : routine) (s : mstate) (a : bool * Z) : Prop :=
  (exists i p k, pget (params c) i = Some p /\ pointer p = true /\ 0 <= k < pwords p /\ snd a = (arg c s i + 8 * k) mod W /\
     (fst a = true -> pwrites p = true)) \/
  (exists k, 0 <= k < stackwords c /\ snd a = (stackbase c s + 8 * k) mod W /\ (fst a = true -> stackwrite c k = true)).
(* Where a routine returns to, by the state on entry, and what it takes off the stack.
   On arm64, the frame pointer X29 is on return what it was, or points to the word
   below SP, as it does in Go's code around a call. *)
Definition returnto (c : routine) (s : mstate) : Z :=
  match machine c with AMD64 => load64 (mem s) (reg s RSP) | ARM64 => reg s X30 end.
Definition popped (c : routine) : Z := match machine c with AMD64 => 8 | ARM64 => 0 end.
Definition framepointer (c : routine) : list loc := match machine c with AMD64 => [] | ARM64 => [X29] end.
Definition exit (c : routine) (s0 s : mstate) : Prop :=
  (forall q, In q (rclaims c) -> holds (rval c s0 s) q) /\
  (forall x, kept c s0 x -> mem s x = mem s0 x) /\
  reg s RIP = returnto c s0 /\ reg s (SP c) = (reg s0 (SP c) + popped c) mod W /\
  (forall l, In l (saved (machine c) (callconv c)) -> reg s l = reg s0 l) /\
  (forall l, In l (framepointer c) -> reg s l = reg s0 l \/ reg s l = (reg s0 (SP c) - 8) mod W).
Definition decodes (m : cpu) (code : list Z) : option program := match m with AMD64 => decode code | ARM64 => decode64 code end.
(* The bytes decode, to a program that ends in a return, and every run from a
   state that the contract allows ends, after at most k rounds of its loop if it
   has one, and keeps the contract. *)
Definition routine_correct (c : routine) (code : list Z) : Prop :=
  exists p k, decodes (machine c) code = Some p /\
  forall u s, entry c s -> exists n s' acc, run u RES k p s = Some (n, s', acc) /\
    exit c s s' /\ forall a, In a acc -> permitted c s a.
(* Two runs from states with equal pointers and SP, whatever else the states hold
   and the undefined flags are, perform as many operations, and the same accesses
   to memory in the same order. *)
Definition routine_uniform (c : routine) (code : list Z) : Prop :=
  exists p k, decodes (machine c) code = Some p /\
  forall u u' s s', entry c s -> entry c s' -> reg s (SP c) = reg s' (SP c) ->
    (forall i q, pget (params c) i = Some q -> pointer q = true -> arg c s i = arg c s' i) ->
    exists n t t' acc, run u RES k p s = Some (n, t, acc) /\ run u' RES k p s' = Some (n, t', acc).
(* What is proved of a routine. *)
Definition routine_proved (c : routine) (code : list Z) : Prop := routine_correct c code /\ routine_uniform c code.
