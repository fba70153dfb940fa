(* Primality from certificates, after Pocklington (1914). If b has the order F modulo
   every divisor of n that is not 1, all these divisors are above F, so that n is
   prime if it is below (F + 1)^2. *)
Require Import ZArith List Lia Bool Znumtheory Zpow_facts.
Import ListNotations.
Open Scope Z_scope.

Fixpoint powm (n a : Z) (e : positive) : Z :=
  match e with
  | xH => a mod n
  | xO e => let y := powm n a e in (y * y) mod n
  | xI e => let y := powm n a e in (a * ((y * y) mod n)) mod n
  end.
Lemma powm_ok n a e : powm n a e = a ^ Z.pos e mod n.
Proof.
  induction e; cbn [powm]; cbv zeta.
  - rewrite IHe, <- Zmult_mod, Zmult_mod_idemp_r, Pos2Z.inj_xI, Z.pow_add_r, Z.mul_comm, Z.pow_1_r by lia.
    f_equal. f_equal. replace (2 * Z.pos e) with (Z.pos e + Z.pos e) by ring. rewrite Z.pow_add_r by lia. reflexivity.
  - rewrite IHe, <- Zmult_mod, Pos2Z.inj_xO. f_equal. replace (2 * Z.pos e) with (Z.pos e + Z.pos e) by ring.
    rewrite Z.pow_add_r by lia. reflexivity.
  - rewrite Z.pow_1_r. reflexivity.
Qed.

Definition product (l : list Z) : Z := fold_right Z.mul 1 l.
(* A factor of a product of primes that is not 1 has one of them. *)
Lemma some_prime l : Forall prime l -> forall m g, 1 < m -> m * g = product l -> exists q, In q l /\ (q | m).
Proof.
  induction 1 as [|q l Q L IH]; intros m g M E.
  - cbn in E. assert (m = 1 \/ m = -1) by (apply Z.mul_eq_1 with g; assumption). lia.
  - destruct (Zdivide_dec q m) as [D | D]; [exists q; split; [left; reflexivity | assumption]|].
    assert (G : (q | g)).
    { apply Gauss with m; [rewrite E; apply Z.divide_factor_l | apply prime_rel_prime; assumption]. }
    destruct G as [h ->]. destruct (IH m h M) as (r & R & D2).
    + apply (Z.mul_reg_l _ _ q); [destruct Q; lia|]. change (product (q :: l)) with (q * product l) in E. rewrite <- E. ring.
    + exists r. split; [right; assumption | assumption].
Qed.

Section Order.
Variables p b F : Z.
Hypothesis P : 1 < p.
Hypothesis F0 : 0 < F.
Hypothesis B1 : b ^ F mod p = 1.
Variable l : list Z.
Hypothesis L : Forall prime l.
Hypothesis E : F = product l.
Hypothesis Bq : forall q, In q l -> b ^ (F / q) mod p <> 1.

Lemma pow_mul_1 x y : 0 <= x -> 0 <= y -> b ^ x mod p = 1 -> b ^ (x * y) mod p = 1.
Proof.
  intros X Y H. rewrite Z.pow_mul_r, Zpower_mod, H, Z.pow_1_l by lia. apply Z.mod_1_l. lia.
Qed.
Lemma unit_pow i : 0 <= i -> rel_prime (b ^ i) p.
Proof.
  intros I. apply rel_prime_sym, rel_prime_Zpower_r; [assumption|]. apply rel_prime_sym.
  apply bezout_rel_prime. apply Bezout_intro with (b ^ (F - 1)) (- (b ^ F / p)).
  replace (b ^ (F - 1) * b) with (b ^ F).
  - pose proof (Z.div_mod (b ^ F) p ltac:(lia)) as D. rewrite B1 in D. lia.
  - replace F with (F - 1 + 1) at 1 by ring. rewrite Z.pow_add_r, Z.pow_1_r by lia. reflexivity.
Qed.
Lemma cancel_pow i x y : 0 <= i -> (b ^ i * x) mod p = (b ^ i * y) mod p -> x mod p = y mod p.
Proof.
  intros I H. assert (D : (p | b ^ i * (x - y))).
  { apply Z.mod_divide; [lia|]. rewrite Z.mul_sub_distr_l, Zminus_mod, H, Z.sub_diag. apply Z.mod_0_l. lia. }
  apply Gauss in D; [|apply rel_prime_sym, unit_pow; assumption].
  destruct D as [k K]. replace x with (y + k * p) by lia. apply Z.mod_add. lia.
Qed.
Lemma no_less : forall d, 0 <= d -> 0 < d < F -> b ^ d mod p <> 1.
Proof.
  apply (Zlt_0_ind (fun d => 0 < d < F -> b ^ d mod p <> 1)). intros d IH _ D H.
  pose proof (Z.div_mod F d ltac:(lia)) as Q. pose proof (Z.mod_pos_bound F d ltac:(lia)) as R.
  set (q := F / d) in *. set (r := F mod d) in *. clearbody q r.
  assert (Q0 : 1 <= q) by nia.
  destruct (Z.eq_dec r 0) as [-> | R0].
  - destruct (some_prime l L q d) as (r0 & R1 & [k K]); [nia | rewrite <- E; lia |].
    apply (Bq r0 R1). assert (P0 : 1 < r0) by (rewrite Forall_forall in L; destruct (L r0 R1); assumption).
    replace (F / r0) with (d * k).
    + apply pow_mul_1; [lia | nia | assumption].
    + rewrite Q, K. replace (d * (k * r0) + 0) with (d * k * r0) by ring. symmetry. apply Z.div_mul. lia.
  - apply (IH r); [lia | lia |]. rewrite <- B1, Q. rewrite Z.pow_add_r by nia.
    rewrite Zmult_mod, (pow_mul_1 d q), Z.mul_1_l, Z.mod_mod by lia. reflexivity.
Qed.
Lemma distinct i j : 0 <= i < j -> j < F -> b ^ i mod p <> b ^ j mod p.
Proof.
  intros I J H. apply (no_less (j - i)); [lia | lia |]. rewrite <- (Z.mod_1_l p) by assumption. symmetry.
  apply (cancel_pow i); [lia|]. rewrite Z.mul_1_r, <- Z.pow_add_r, H by lia. f_equal. f_equal. lia.
Qed.
Lemma NoDup_map_on (f : nat -> Z) s : (forall x y, In x s -> In y s -> f x = f y -> x = y) -> NoDup s -> NoDup (map f s).
Proof.
  intros J D. induction D as [|x s X D IH]; cbn; constructor.
  - rewrite in_map_iff. intros (y & H & Y). apply X. rewrite (J x y); [assumption | left; reflexivity | right; assumption | auto].
  - apply IH. intros u v U V. apply J; right; assumption.
Qed.
Theorem order_le : F <= p - 1.
Proof.
  assert (I : incl (map (fun i => b ^ Z.of_nat i mod p) (seq 0 (Z.to_nat F))) (map Z.of_nat (seq 1 (Z.to_nat (p - 1))))).
  { intros z Z. rewrite in_map_iff in Z. destruct Z as (i & <- & IS). rewrite in_seq in IS.
    pose proof (Z.mod_pos_bound (b ^ Z.of_nat i) p ltac:(lia)) as B.
    assert (b ^ Z.of_nat i mod p <> 0).
    { intros Z0. assert (rel_prime 0 p) as X by (rewrite <- Z0; apply rel_prime_mod; [lia | apply unit_pow; lia]).
      apply Zgcd_1_rel_prime in X. cbn in X. lia. }
    apply in_map_iff. exists (Z.to_nat (b ^ Z.of_nat i mod p)). rewrite in_seq. lia. }
  apply NoDup_incl_length in I; [rewrite !map_length, !seq_length in I; lia|].
  apply NoDup_map_on; [|apply seq_NoDup]. intros u v U V H. rewrite in_seq in U, V.
  destruct (Nat.lt_trichotomy u v) as [C | [C | C]]; [exfalso | assumption | exfalso].
  - apply (distinct (Z.of_nat u) (Z.of_nat v)); [lia | lia | assumption].
  - apply (distinct (Z.of_nat v) (Z.of_nat u)); [lia | lia | auto].
Qed.
End Order.

Lemma product_pos l : Forall prime l -> 0 < product l.
Proof. induction 1 as [|q l [Q _] _ IH]; [reflexivity|]. change (product (q :: l)) with (q * product l). nia. Qed.
Theorem pocklington n b l : 1 < n -> Forall prime l -> b ^ product l mod n = 1 ->
  (forall q, In q l -> Z.gcd (b ^ (product l / q) mod n - 1) n = 1) -> n < (product l + 1) * (product l + 1) -> prime n.
Proof.
  intros N L B1 Bq S. set (F := product l) in *. assert (F0 : 0 < F) by (apply product_pos; assumption).
  assert (D : forall p, 1 < p -> (p | n) -> F <= p - 1).
  { intros p P [k K]. apply (order_le p b F P F0) with (l := l); [| assumption | reflexivity |].
    - pose proof (Z.div_mod (b ^ F) n ltac:(lia)) as E. rewrite B1 in E. rewrite E, K.
      replace (k * p * (b ^ F / (k * p)) + 1) with (1 + k * (b ^ F / (k * p)) * p) by ring.
      rewrite Z.mod_add by lia. apply Z.mod_1_l. assumption.
    - intros q Q H. specialize (Bq q Q). pose proof (Z.div_mod (b ^ (F / q)) n ltac:(lia)) as E.
      pose proof (Z.div_mod (b ^ (F / q)) p ltac:(lia)) as E2. rewrite H in E2.
      assert (X : (p | 1)).
      { rewrite <- Bq. apply Z.gcd_greatest; [|exists k; assumption].
        exists (b ^ (F / q) / p - k * (b ^ (F / q) / n)). rewrite E2 in E at 1. nia. }
      apply Z.divide_1_r_nonneg in X; lia. }
  destruct (prime_dec n) as [H | H]; [assumption | exfalso].
  destruct (not_prime_divide n N H) as (p & [P1 P2] & [k K]).
  assert (K1 : 1 < k) by nia.
  pose proof (D p P1 (ex_intro _ k K)). pose proof (D k K1 ltac:(exists p; lia)). nia.
Qed.

(* A chain of certificates: n, b and the primes of F, each 2 or earlier in the chain. *)
Definition entry := (Z * Z * list Z)%type.
Definition entry_ok (known : list Z) (e : entry) : bool :=
  let '(n, b, l) := e in let F := product l in
  match F with
  | Zpos m => (powm n b m =? 1) && (1 <? n) && (n <? (F + 1) * (F + 1)) &&
    forallb (fun q => existsb (Z.eqb q) known && match F / q with Zpos m => Z.gcd (powm n b m - 1) n =? 1 | _ => false end) l
  | _ => false
  end.
Fixpoint chain_ok (known : list Z) (c : list entry) : bool :=
  match c with [] => true | e :: c => entry_ok known e && chain_ok (fst (fst e) :: known) c end.
Lemma entry_prime known n b l : Forall prime known -> entry_ok known (n, b, l) = true -> prime n.
Proof.
  intros K. unfold entry_ok. cbv zeta. destruct (product l) as [|m|m] eqn:M; try discriminate.
  rewrite !andb_true_iff, forallb_forall, Z.eqb_eq, !Z.ltb_lt. intros [[[H1 H2] H3] H4].
  apply (pocklington n b l H2); rewrite ?M.
  - apply Forall_forall. intros q Q. apply H4 in Q. apply andb_prop in Q. destruct Q as [Q _].
    apply existsb_exists in Q. destruct Q as (r & R & Q). apply Z.eqb_eq in Q. subst r. rewrite Forall_forall in K. auto.
  - rewrite <- powm_ok. assumption.
  - intros q Q. apply H4 in Q. apply andb_prop in Q. destruct Q as [_ Q]. destruct (Z.pos m / q) as [|k|k]; try discriminate.
    rewrite <- powm_ok. apply Z.eqb_eq. assumption.
  - assumption.
Qed.
Theorem chain_prime c : forall known, Forall prime known -> chain_ok known c = true -> Forall (fun e => prime (fst (fst e))) c.
Proof.
  induction c as [|[[n b] l] c IH]; intros known K H; [constructor|]. cbn [chain_ok fst] in H. apply andb_prop in H. destruct H as [H1 H2].
  assert (P : prime n) by (apply (entry_prime known n b l); assumption).
  constructor; [assumption|]. apply (IH (n :: known)); [constructor; assumption | assumption].
Qed.
