(* Claims about integers, the same for the contract of a routine (over its
   parameters) and for the checker (over locations). Part of what is trusted. *)
Require Import ZArith.
Open Scope Z_scope.

Inductive expr (V : Type) :=
| EV (v : V) | EC (z : Z) | EAdd (a b : expr V) | ESub (a b : expr V) | EMul (a b : expr V).
Inductive claim (V : Type) :=
| CCong (a b : expr V) (m : Z)         (* a = b (mod m) *)
| CRange (v : V) (lo hi : Z)           (* lo <= v <= hi *)
| CEq (a b : expr V)                   (* a = b *)
| CIs (v : V) (a b : expr V) (m : Z)   (* v is 1 if a = b (mod m), else 0 *)
| CInv (v a : V) (k m : Z).            (* v·a = k (mod m) if a and m have no common factor; v = 0 if a = 0 (mod m) *)
Arguments EV {V}. Arguments EC {V}. Arguments EAdd {V}. Arguments ESub {V}. Arguments EMul {V}.
Arguments CCong {V}. Arguments CRange {V}. Arguments CEq {V}. Arguments CIs {V}. Arguments CInv {V}.

Fixpoint eval {V} (f : V -> Z) (e : expr V) : Z :=
  match e with
  | EV v => f v
  | EC z => z
  | EAdd a b => eval f a + eval f b
  | ESub a b => eval f a - eval f b
  | EMul a b => eval f a * eval f b
  end.
Definition holds {V} (f : V -> Z) (c : claim V) : Prop :=
  match c with
  | CCong a b m => 0 < m /\ (eval f a - eval f b) mod m = 0
  | CRange v lo hi => lo <= f v <= hi
  | CEq a b => eval f a = eval f b
  | CIs v a b m => 0 < m /\ f v = if (eval f a - eval f b) mod m =? 0 then 1 else 0
  | CInv v a k m => 0 < m /\ (Z.gcd (f a) m = 1 -> (f v * f a - k) mod m = 0) /\ (f a mod m = 0 -> f v mod m = 0)
  end.

(* Renaming the things that a claim speaks of. *)
Fixpoint emap {V U} (g : V -> U) (e : expr V) : expr U :=
  match e with
  | EV v => EV (g v)
  | EC z => EC z
  | EAdd a b => EAdd (emap g a) (emap g b)
  | ESub a b => ESub (emap g a) (emap g b)
  | EMul a b => EMul (emap g a) (emap g b)
  end.
Definition cmap {V U} (g : V -> U) (c : claim V) : claim U :=
  match c with
  | CCong a b m => CCong (emap g a) (emap g b) m
  | CRange v lo hi => CRange (g v) lo hi
  | CEq a b => CEq (emap g a) (emap g b)
  | CIs v a b m => CIs (g v) (emap g a) (emap g b) m
  | CInv v a k m => CInv (g v) (g a) k m
  end.
Lemma eval_emap V U (g : V -> U) f h e : (forall v, f (g v) = h v) -> eval f (emap g e) = eval h e.
Proof. intros H. induction e; cbn [emap eval]; congruence. Qed.
Lemma holds_cmap V U (g : V -> U) f h c : (forall v, f (g v) = h v) -> holds f (cmap g c) -> holds h c.
Proof.
  intros H. destruct c; cbn [cmap holds]; rewrite ?(eval_emap _ _ g f h) by assumption; rewrite ?H; auto.
Qed.
