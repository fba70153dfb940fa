# z = x + y of four limbs, and returns the carry: SETC and MOVZX.
	.text
	.globl	addcarry
	.type	addcarry, @function
addcarry:
	mov	(%rsi), %r8
	add	(%rdx), %r8
	mov	%r8, (%rdi)
	mov	8(%rsi), %r8
	adc	8(%rdx), %r8
	mov	%r8, 8(%rdi)
	mov	16(%rsi), %r8
	adc	16(%rdx), %r8
	mov	%r8, 16(%rdi)
	mov	24(%rsi), %r8
	adc	24(%rdx), %r8
	mov	%r8, 24(%rdi)
	setc	%al
	movzbl	%al, %eax
	ret
	.size	addcarry, .-addcarry
