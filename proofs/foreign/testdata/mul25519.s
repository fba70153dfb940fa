# z = x*y mod 2^255 - 19, any 4 limbs in and out: MULX with two carry chains,
# rows of the product, then two folds by 38.
	.text
	.globl	mul25519
	.type	mul25519, @function
mul25519:
	endbr64
	push	%rbx
	push	%rbp
	push	%r12
	push	%r13
	push	%r14
	mov	%rdx, %rbp
	mov	(%rsi), %rdx
	xor	%eax, %eax
	mulx	(%rbp), %r8, %r9
	mulx	8(%rbp), %rax, %r10
	adcx	%rax, %r9
	mulx	16(%rbp), %rax, %r11
	adcx	%rax, %r10
	mulx	24(%rbp), %rax, %r12
	adcx	%rax, %r11
	mov	$0, %eax
	adcx	%rax, %r12
	.macro	row limb, a, b, c, d, top
	mov	8*\limb(%rsi), %rdx
	xor	\top, \top
	mulx	(%rbp), %rax, %rbx
	adcx	%rax, \a
	adox	%rbx, \b
	mulx	8(%rbp), %rax, %rbx
	adcx	%rax, \b
	adox	%rbx, \c
	mulx	16(%rbp), %rax, %rbx
	adcx	%rax, \c
	adox	%rbx, \d
	mulx	24(%rbp), %rax, %rbx
	adcx	%rax, \d
	adox	%rbx, \top
	mov	$0, %eax
	adcx	%rax, \top
	.endm
	row	1, %r9, %r10, %r11, %r12, %r13
	row	2, %r10, %r11, %r12, %r13, %r14
	mov	24(%rsi), %rdx
	xor	%ecx, %ecx
	mulx	(%rbp), %rax, %rbx
	adcx	%rax, %r11
	adox	%rbx, %r12
	mulx	8(%rbp), %rax, %rbx
	adcx	%rax, %r12
	adox	%rbx, %r13
	mulx	16(%rbp), %rax, %rbx
	adcx	%rax, %r13
	adox	%rbx, %r14
	mulx	24(%rbp), %rax, %rbx
	adcx	%rax, %r14
	adox	%rbx, %rcx
	mov	$0, %eax
	adcx	%rax, %rcx
	# 512 bits in r8..r14, rcx: fold the upper half
	mov	$38, %edx
	xor	%eax, %eax
	mulx	%r12, %rax, %rbx
	adcx	%rax, %r8
	adox	%rbx, %r9
	mulx	%r13, %rax, %rbx
	adcx	%rax, %r9
	adox	%rbx, %r10
	mulx	%r14, %rax, %rbx
	adcx	%rax, %r10
	adox	%rbx, %r11
	mulx	%rcx, %rax, %rbx
	adcx	%rax, %r11
	mov	$0, %eax
	adcx	%rax, %rbx
	adox	%rax, %rbx
	imul	$38, %rbx, %rbx
	add	%rbx, %r8
	adc	$0, %r9
	adc	$0, %r10
	adc	$0, %r11
	sbb	%rax, %rax
	and	$38, %eax
	add	%rax, %r8
	mov	%r8, (%rdi)
	mov	%r9, 8(%rdi)
	mov	%r10, 16(%rdi)
	mov	%r11, 24(%rdi)
	pop	%r14
	pop	%r13
	pop	%r12
	pop	%rbp
	pop	%rbx
	ret
	.size	mul25519, .-mul25519
