# z = x*y/2^256 mod p256, below p, by MULQ: every register that is preserved is
# used, and partial products in turn with reductions by a word.
	.text
	.globl	montmulp256
	.type	montmulp256, @function
	.macro	mulrow limb, a, b, c, d, e
	mov	8*\limb(%rsi), %rbp
	mov	(%rcx), %rax
	mulq	%rbp
	add	%rax, \a
	adc	$0, %rdx
	mov	%rdx, %rbx
	mov	8(%rcx), %rax
	mulq	%rbp
	add	%rbx, \b
	adc	$0, %rdx
	add	%rax, \b
	adc	$0, %rdx
	mov	%rdx, %rbx
	mov	16(%rcx), %rax
	mulq	%rbp
	add	%rbx, \c
	adc	$0, %rdx
	add	%rax, \c
	adc	$0, %rdx
	mov	%rdx, %rbx
	mov	24(%rcx), %rax
	mulq	%rbp
	add	%rbx, \d
	adc	$0, %rdx
	add	%rax, \d
	adc	%rdx, \e
	.endm
	# add a*p, which clears a: the word a*2^96, and a times the top word of p
	.macro	reduce a, b, c, d, e, f
	mov	\a, %rbx
	shl	$32, %rbx
	mov	\a, %rbp
	shr	$32, %rbp
	movabs	$0xffffffff00000001, %rax
	mulq	\a
	add	%rbx, \b
	adc	%rbp, \c
	adc	%rax, \d
	adc	%rdx, \e
	mov	$0, \f
	adc	$0, \f
	.endm
montmulp256:
	push	%rbx
	push	%rbp
	push	%r12
	push	%r13
	push	%r14
	push	%r15
	mov	%rdx, %rcx
	xor	%r8d, %r8d
	xor	%r9d, %r9d
	xor	%r10d, %r10d
	xor	%r11d, %r11d
	xor	%r12d, %r12d
	mulrow	0, %r8, %r9, %r10, %r11, %r12
	reduce	%r8, %r9, %r10, %r11, %r12, %r13
	mulrow	1, %r9, %r10, %r11, %r12, %r13
	mov	$0, %r8d
	adc	$0, %r8
	reduce	%r9, %r10, %r11, %r12, %r13, %r14
	add	%r8, %r14
	mulrow	2, %r10, %r11, %r12, %r13, %r14
	mov	$0, %r8d
	adc	$0, %r8
	reduce	%r10, %r11, %r12, %r13, %r14, %r15
	add	%r8, %r15
	mulrow	3, %r11, %r12, %r13, %r14, %r15
	mov	$0, %r8d
	adc	$0, %r8
	reduce	%r11, %r12, %r13, %r14, %r15, %r9
	add	%r8, %r9
	mov	%r12, %rax
	mov	%r13, %rbx
	mov	%r14, %rcx
	mov	%r15, %rdx
	mov	$0xffffffff, %r10d
	movabs	$0xffffffff00000001, %r11
	sub	$-1, %rax
	sbb	%r10, %rbx
	sbb	$0, %rcx
	sbb	%r11, %rdx
	sbb	$0, %r9
	cmovnc	%rax, %r12
	cmovnc	%rbx, %r13
	cmovnc	%rcx, %r14
	cmovnc	%rdx, %r15
	mov	%r12, (%rdi)
	mov	%r13, 8(%rdi)
	mov	%r14, 16(%rdi)
	mov	%r15, 24(%rdi)
	pop	%r15
	pop	%r14
	pop	%r13
	pop	%r12
	pop	%rbp
	pop	%rbx
	ret
	.size	montmulp256, .-montmulp256
