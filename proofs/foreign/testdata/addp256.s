# z = x + y mod p256, below p: a conditional subtraction by CMOVC.
	.text
	.globl	addp256
	.type	addp256, @function
addp256:
	mov	(%rsi), %rax
	mov	8(%rsi), %rcx
	mov	16(%rsi), %r8
	mov	24(%rsi), %r9
	xor	%r10d, %r10d
	add	(%rdx), %rax
	adc	8(%rdx), %rcx
	adc	16(%rdx), %r8
	adc	24(%rdx), %r9
	adc	%r10, %r10
	push	%rbx
	push	%r12
	mov	%rax, %rsi
	mov	%rcx, %rdx
	mov	%r8, %r11
	mov	%r9, %rbx
	mov	$0xffffffff, %r12d
	sub	$-1, %rsi
	sbb	%r12, %rdx
	sbb	$0, %r11
	movabs	$0xffffffff00000001, %r12
	sbb	%r12, %rbx
	sbb	$0, %r10
	cmovc	%rax, %rsi
	cmovc	%rcx, %rdx
	cmovc	%r8, %r11
	cmovc	%r9, %rbx
	mov	%rsi, (%rdi)
	mov	%rdx, 8(%rdi)
	mov	%r11, 16(%rdi)
	mov	%rbx, 24(%rdi)
	pop	%r12
	pop	%rbx
	ret
	.size	addp256, .-addp256
