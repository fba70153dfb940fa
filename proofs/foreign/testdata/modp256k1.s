# z = x mod 2^256 - 2^32 - 977, for any 4 limbs: x is not reduced only if its three
# upper limbs are all ones, which their AND and a carry show.
	.text
	.globl	modp256k1
	.type	modp256k1, @function
modp256k1:
	mov	8(%rsi), %rax
	mov	16(%rsi), %rcx
	mov	24(%rsi), %rdx
	mov	(%rsi), %r8
	movabs	$0x1000003d1, %r9
	mov	%rdx, %r10
	and	%rcx, %r10
	and	%rax, %r10
	mov	%r8, %r11
	add	%r9, %r11
	adc	$0, %r10
	cmovc	%r11, %r8
	cmovc	%r10, %rax
	cmovc	%r10, %rcx
	cmovc	%r10, %rdx
	mov	%r8, (%rdi)
	mov	%rax, 8(%rdi)
	mov	%rcx, 16(%rdi)
	mov	%rdx, 24(%rdi)
	ret
	.size	modp256k1, .-modp256k1
