# z = -x mod 2^255 - 19, below p: p - x, or 0 where all bits of x are 0.
	.text
	.globl	negp25519
	.type	negp25519, @function
negp25519:
	mov	(%rsi), %rax
	mov	8(%rsi), %rcx
	mov	16(%rsi), %rdx
	mov	24(%rsi), %r8
	mov	%rax, %r9
	or	%rcx, %r9
	or	%rdx, %r9
	or	%r8, %r9
	neg	%r9
	sbb	%r9, %r9
	mov	%r9, %r10
	mov	%r9, %r11
	and	$-19, %r10
	shr	$1, %r11
	sub	%rax, %r10
	mov	%r9, %rax
	sbb	%rcx, %rax
	sbb	%rdx, %r9
	sbb	%r8, %r11
	mov	%r10, (%rdi)
	mov	%rax, 8(%rdi)
	mov	%r9, 16(%rdi)
	mov	%r11, 24(%rdi)
	ret
	.size	negp25519, .-negp25519
