# Whether two numbers of 256 bits are equal: XOR, OR and SETE.
	.text
	.globl	equal256
	.type	equal256, @function
equal256:
	mov	(%rdi), %rax
	mov	8(%rdi), %rcx
	mov	16(%rdi), %rdx
	mov	24(%rdi), %r8
	xor	(%rsi), %rax
	xor	8(%rsi), %rcx
	xor	16(%rsi), %rdx
	xor	24(%rsi), %r8
	or	%rcx, %rax
	or	%r8, %rdx
	xor	%ecx, %ecx
	or	%rdx, %rax
	sete	%cl
	mov	%ecx, %eax
	ret
	.size	equal256, .-equal256
