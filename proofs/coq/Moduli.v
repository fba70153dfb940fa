(* The four moduli are prime. *)
Require Import ZArith List Bool Znumtheory Prime PrimeCert.
Import ListNotations.
Open Scope Z_scope.

Lemma chain_checked : chain_ok [2] chain = true.
Proof. vm_cast_no_check (eq_refl true). Qed.
Lemma listed p : existsb (fun e => fst (fst e) =? p) chain = true -> prime p.
Proof.
  intros H. apply existsb_exists in H. destruct H as (e & I & E). apply Z.eqb_eq in E. subst p.
  pose proof (chain_prime chain [2] (Forall_cons _ prime_2 (Forall_nil _)) chain_checked) as F.
  rewrite Forall_forall in F. exact (F e I).
Qed.

(* 2^255 - 19; the order of the Ed25519 base point; the P-256 prime; the P-256 order *)
Theorem prime_p25519 : prime (2 ^ 255 - 19).
Proof. apply listed. vm_compute. reflexivity. Qed.
Theorem prime_n25519 : prime (2 ^ 252 + 27742317777372353535851937790883648493).
Proof. apply listed. vm_compute. reflexivity. Qed.
Theorem prime_p256 : prime (2 ^ 256 - 2 ^ 224 + 2 ^ 192 + 2 ^ 96 - 1).
Proof. apply listed. vm_compute. reflexivity. Qed.
Theorem prime_n256 : prime 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551.
Proof. apply listed. vm_compute. reflexivity. Qed.

(* The checker refuses composite numbers, also one that divides 2^340 - 1. *)
Lemma not_9 : chain_ok [2] [(9, 2, [2; 2; 2])] = false.
Proof. reflexivity. Qed.
Lemma not_341 : chain_ok [2] [(5, 2, [2; 2]); (17, 9, [2; 2; 2])] = true /\
  chain_ok [2] [(5, 2, [2; 2]); (17, 9, [2; 2; 2]); (341, 2, [17; 5; 2; 2])] = false.
Proof. split; reflexivity. Qed.

Print Assumptions prime_p25519.
Print Assumptions prime_n25519.
Print Assumptions prime_p256.
Print Assumptions prime_n256.
