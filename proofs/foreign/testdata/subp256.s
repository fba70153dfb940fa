# z = x - y mod p256, below p: the borrow as a mask, which selects limbs of p.
	.text
	.globl	subp256
	.type	subp256, @function
subp256:
	mov	(%rsi), %rax
	mov	8(%rsi), %rcx
	mov	16(%rsi), %r8
	mov	24(%rsi), %r9
	sub	(%rdx), %rax
	sbb	8(%rdx), %rcx
	sbb	16(%rdx), %r8
	sbb	24(%rdx), %r9
	sbb	%rdx, %rdx
	mov	$0xffffffff, %esi
	and	%rdx, %rsi
	movabs	$0xffffffff00000001, %r10
	and	%rdx, %r10
	add	%rdx, %rax
	adc	%rsi, %rcx
	adc	$0, %r8
	adc	%r10, %r9
	mov	%rax, (%rdi)
	mov	%rcx, 8(%rdi)
	mov	%r8, 16(%rdi)
	mov	%r9, 24(%rdi)
	ret
	.size	subp256, .-subp256
