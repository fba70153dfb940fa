(* What the checker knows after each operation. Nothing is proved here: the
   checker in Go is compared with this, word by word. *)
Require Import ZArith List FMapPositive Poly Instr Word Split Step Derive Goal Check Machine Slots Sim X86 Routine Proof.
Import ListNotations.
Open Scope Z_scope.

Definition view := option (poly * poly * N * Z * Z).
Definition look (st : sst) (l : loc) : view :=
  match PM.find l (regs st) with Some w => Some (wA w, wC w, wE w, wlo w, whi w) | None => None end.
Fixpoint views (k : cert) (pc : positive) (p : list instr) (st : sst) : list view :=
  match k with
  | KRun n k' =>
    (fix steps n pc p st := match n with
     | O => views k' pc p st
     | S n' => match p with [] => [] | i :: p' =>
         match sstep (HComb []) pc i st with
         | Some st' => map (look st') (dsts i) ++ steps n' (Pos.succ pc) p' st'
         | None => [] end end
     end) n pc p st
  | KHint h k' =>
    match p with [] => [] | i :: p' =>
      match sstep h pc i st with
      | Some st' => map (look st') (dsts i) ++ views k' (Pos.succ pc) p' st'
      | None => [] end end
  | KDerive d k' =>
    match derive (cx st) d with Some c' => views k' pc p {| regs := regs st; cx := c' |} | None => [] end
  | KCase key q l lk ks0 ks1 k' =>
    match PM.find l (regs st) with
    | Some w => match fnof w with
      | Some (b, _, _) => match learncase (cx st) key q b lk ks0 ks1 with
        | Some c' => views k' pc p {| regs := regs st; cx := c' |} | None => [] end
      | None => [] end
    | None => [] end
  | KFork l key k0 k1 =>
    match PM.find l (regs st) with
    | Some w => match fnof w with
      | Some (b, _, _) => views k0 pc p (fork st key b 0) ++ views k1 pc p (fork st key b 1)
      | None => [] end
    | None => [] end
  | KAbsurd _ | KEnd _ => []
  end.
Definition trace_routine (c : routine) (code : list Z) (pat : list Z) (k : cert) : list view :=
  match decodes (machine c) code with
  | Some (Straight p) =>
    match trs (lay c pat) (mkenv (tags c pat)) p with
    | Some (is, _) =>
      let (pc, st0) := init 1 (cin (low c pat)) empty in
      match prefacts (regs st0) 1000000 (cpre (low c pat)) (cx st0) with
      | Some c0 => views k pc (ordered is) {| regs := regs st0; cx := c0 |}
      | None => [] end
    | None => [] end
  | _ => [] end.
