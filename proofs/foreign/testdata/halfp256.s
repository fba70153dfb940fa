# z = x/2 mod p256, below p: adds p where x is odd, and shifts by SHRD.
	.text
	.globl	halfp256
	.type	halfp256, @function
halfp256:
	mov	(%rsi), %rax
	mov	8(%rsi), %rcx
	mov	16(%rsi), %r8
	mov	24(%rsi), %r9
	mov	%eax, %edx
	and	$1, %edx
	neg	%rdx
	mov	%edx, %r10d
	movabs	$0xffffffff00000001, %r11
	and	%rdx, %r11
	add	%rdx, %rax
	adc	%r10, %rcx
	adc	$0, %r8
	adc	%r11, %r9
	sbb	%rdx, %rdx
	shrd	$1, %rcx, %rax
	shrd	$1, %r8, %rcx
	shrd	$1, %r9, %r8
	shrd	$1, %rdx, %r9
	mov	%rax, (%rdi)
	mov	%rcx, 8(%rdi)
	mov	%r8, 16(%rdi)
	mov	%r9, 24(%rdi)
	ret
	.size	halfp256, .-halfp256
