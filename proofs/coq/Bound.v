(* How many divsteps suffice for moduli of 255 and of 256 bits. *)
Require Import ZArith Divstep Hull HullCert.
Open Scope Z_scope.

Lemma cert_ok : check divsteps_cert = true.
Proof. vm_compute. reflexivity. Qed.

Lemma steps_255 : steps_ok divsteps_cert (2 ^ 255) 590 = true.
Proof. vm_cast_no_check (eq_refl true). Qed.
Theorem enough_255 : forall p, Z.odd p = true -> p <= 2 ^ 255 -> enough p 590.
Proof. exact (check_enough divsteps_cert (2 ^ 255) 590 cert_ok steps_255). Qed.
Lemma steps_256 : steps_ok divsteps_cert (2 ^ 256) 600 = true.
Proof. vm_cast_no_check (eq_refl true). Qed.
Theorem enough_256 : forall p, Z.odd p = true -> p <= 2 ^ 256 -> enough p 600.
Proof. exact (check_enough divsteps_cert (2 ^ 256) 600 cert_ok steps_256). Qed.

(* The check can fail: this certificate gives 589 and 591, and no less. *)
Lemma not_588 : steps_ok divsteps_cert (2 ^ 255) 588 = false.
Proof. vm_cast_no_check (eq_refl false). Qed.
Lemma not_590 : steps_ok divsteps_cert (2 ^ 256) 590 = false.
Proof. vm_cast_no_check (eq_refl false). Qed.

Print Assumptions enough_255.
Print Assumptions enough_256.
