(* Inversion: what holds of f, g, u and v between two batches, and what follows
   at the end. spec/divstep.go, section 6, explains it. *)
Require Import ZArith List Lia Bool Znumtheory Zpow_facts Divstep.
Open Scope Z_scope.

(* After n steps: f and g are those of the steps, up to a common sign, and
   k u x = c f, k v x = c g (mod p). *)
Record inv (p x k c : Z) (n : nat) (d f g u v : Z) : Prop := {
  inv_run : exists s, (s = 1 \/ s = -1) /\ divsteps n (1, p, x) = (d, s * f, s * g);
  inv_u : (p | k * u * x - c * f);
  inv_v : (p | k * v * x - c * g);
  inv_zero : x = 0 -> (p | u)
}.

Lemma odd_sign s f : s = 1 \/ s = -1 -> Z.odd (s * f) = Z.odd f.
Proof. intros [-> | ->]; rewrite Z.odd_mul; reflexivity. Qed.
Lemma two_coprime p n : Z.odd p = true -> Z.gcd (two n) p = 1.
Proof.
  intros O. apply Zgcd_1_rel_prime, rel_prime_sym. unfold two. apply rel_prime_Zpower_r; [lia|].
  apply rel_prime_sym, prime_rel_prime; [exact prime_2|]. intros [y ->]. rewrite Z.mul_comm, Z.odd_mul in O. discriminate.
Qed.
Lemma cancel k p x : Z.gcd k p = 1 -> (p | k * x) -> (p | x).
Proof. intros G H. apply Gauss with k; [assumption|]. apply rel_prime_sym, Zgcd_1_rel_prime, G. Qed.

Section Inverse.
Variables p x : Z.
Hypothesis P : Z.odd p = true.
Hypothesis X : 0 <= x < p.

Theorem inv_start c : inv p x 1 c 0 1 p x 0 c.
Proof.
  split; try (intros; exists 0; ring).
  - exists 1. split; [auto|]. rewrite !Z.mul_1_l. reflexivity.
  - exists (- c). ring.
Qed.

Theorem inv_bounds k c n d f g u v : inv p x k c n d f g u v -> Z.odd f = true /\ Z.abs f <= p /\ Z.abs g <= p.
Proof.
  intros [(s & S & R) _ _ _]. pose proof (linear n 1 p x P) as L. pose proof (no_growth n 1 p x p P) as B.
  rewrite R in L, B. destruct (matn n (1, p, x)) as [[[a b] c0] e]. destruct L as (L & _).
  specialize (B ltac:(lia) ltac:(lia)). rewrite (odd_sign s f S) in L. split; [assumption|]. destruct S as [-> | ->]; lia.
Qed.

(* One batch; e is 1, or the radix that Montgomery's division divides by. *)
Theorem inv_batch k c n d f g u v m s a b a' b' d' f' g' e u' v' :
  inv p x k c n d f g u v -> is_batch m s d f g a b a' b' d' f' g' -> Z.gcd e p = 1 ->
  (p | e * u' - (a * u + b * v)) -> (p | e * v' - (a' * u + b' * v)) ->
  inv p x (k * e) (c * two m) (n + m) d' f' g' u' v'.
Proof.
  intros I B E HU HV. pose proof (inv_bounds _ _ _ _ _ _ _ _ I) as (F & _ & _). destruct I as [(s0 & S0 & R) U V Z].
  assert (M : forall r a1 b1 w, two m * r = a1 * f + b1 * g -> (p | e * w - (a1 * u + b1 * v)) ->
    (p | k * e * w * x - c * two m * r)).
  { intros r a1 b1 w Hr [q Hq]. destruct U as [q1 H1], V as [q2 H2]. exists (q * k * x + a1 * q1 + b1 * q2).
    replace (k * e * w * x - c * two m * r) with (k * x * (e * w - (a1 * u + b1 * v)) + a1 * (k * u * x - c * f)
      + b1 * (k * v * x - c * g) + c * (a1 * f + b1 * g - two m * r)) by ring.
    rewrite Hq, H1, H2, Hr. ring. }
  split.
  - exists (s0 * s). split; [destruct S0 as [-> | ->]; destruct (batch_sign _ _ _ _ _ _ _ _ _ _ _ _ B) as [-> | ->]; lia|].
    rewrite divsteps_add, R, (negate_s m d f g s0 S0 F), (batch_run _ _ _ _ _ _ _ _ _ _ _ _ B).
    f_equal; [f_equal|]; ring.
  - exact (M f' a b u' (batch_f _ _ _ _ _ _ _ _ _ _ _ _ B) HU).
  - exact (M g' a' b' v' (batch_g _ _ _ _ _ _ _ _ _ _ _ _ B) HV).
  - intros X0. assert (g = 0) as G.
    { subst x. destruct (at_zero n 1 p) as [_ E0]. rewrite R in E0. injection E0 as _ _ E0. destruct S0 as [-> | ->]; lia. }
    rewrite (batch_zero _ _ _ _ _ _ _ _ _ _ _ _ B G) in HU. destruct (Z X0) as [q Hq], HU as [q1 H1].
    apply (cancel e); [assumption|]. exists (q1 + a * q). lia.
Qed.

(* The end: r is what the inverse is multiplied by, with k r = c (mod p). *)
Theorem inv_end k c n d f g u v r : inv p x k c n d f g u v -> enough p n -> Z.gcd k p = 1 -> (p | c - k * r) ->
  g = 0 /\ (Z.gcd x p = 1 -> (f = 1 \/ f = -1) /\ (p | f * u * x - r)) /\ (x = 0 -> (f = p \/ f = - p) /\ (p | u)).
Proof.
  intros [(s & S & R) U V Z] N K C. specialize (N x X). pose proof (gcd_kept n 1 p x P) as G. rewrite R in N, G. cbn [snd] in N.
  assert (g = 0) as -> by (destruct S as [-> | ->]; lia). rewrite Z.mul_0_r, Z.gcd_0_r in G.
  assert (A : Z.abs f = Z.gcd p x) by (rewrite <- G, Z.abs_mul; destruct S as [-> | ->]; lia).
  split; [reflexivity|]. split.
  - intros G1. rewrite Z.gcd_comm, G1 in A. split; [lia|]. apply (cancel k); [assumption|].
    destruct U as [q1 H1], C as [q2 H2]. exists (f * q1 + q2).
    assert (FF : f * f = 1) by (assert (f = 1 \/ f = -1) as [-> | ->] by lia; reflexivity).
    replace (k * (f * u * x - r)) with (f * (k * u * x - c * f) + c * (f * f) - k * r) by ring.
    rewrite H1, FF. replace (f * (q1 * p) + c * 1 - k * r) with (f * (q1 * p) + (c - k * r)) by ring. rewrite H2. ring.
  - intros X0. split; [|auto]. rewrite X0, Z.gcd_0_r in A. lia.
Qed.
End Inverse.

Print Assumptions inv_start.
Print Assumptions inv_batch.
Print Assumptions inv_end.
