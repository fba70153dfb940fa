# z = x mod the order of P-256, for any 4 limbs: one subtraction, taken back by
# a mask.
	.text
	.globl	modn256
	.type	modn256, @function
modn256:
	movabs	$0xf3b9cac2fc632551, %rcx
	movabs	$0xbce6faada7179e84, %rdx
	movabs	$0xffffffff00000000, %r8
	mov	(%rsi), %rax
	mov	8(%rsi), %r9
	mov	16(%rsi), %r10
	mov	24(%rsi), %r11
	sub	%rcx, %rax
	sbb	%rdx, %r9
	sbb	$-1, %r10
	sbb	%r8, %r11
	sbb	%rsi, %rsi
	and	%rsi, %rcx
	and	%rsi, %rdx
	and	%rsi, %r8
	add	%rcx, %rax
	adc	%rdx, %r9
	adc	%rsi, %r10
	adc	%r8, %r11
	mov	%rax, (%rdi)
	mov	%r9, 8(%rdi)
	mov	%r10, 16(%rdi)
	mov	%r11, 24(%rdi)
	ret
	.size	modn256, .-modn256
