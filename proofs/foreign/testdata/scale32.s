# z = c*x mod 2^255 - 19 for c of 32 bits, in place, with a frame of RBP, a
# spill to the red zone and 32-bit arithmetic.
	.text
	.globl	scale32
	.type	scale32, @function
scale32:
	push	%rbp
	mov	%rsp, %rbp
	mov	%rbx, -8(%rbp)
	mov	%esi, %ebx
	mov	(%rdi), %rax
	mul	%rbx
	mov	%rax, %r8
	mov	%rdx, %r9
	mov	8(%rdi), %rax
	mul	%rbx
	add	%rax, %r9
	adc	$0, %rdx
	mov	%rdx, %r10
	mov	16(%rdi), %rax
	mul	%rbx
	add	%rax, %r10
	adc	$0, %rdx
	mov	%rdx, %r11
	mov	24(%rdi), %rax
	mul	%rbx
	add	%rax, %r11
	adc	$0, %edx
	shld	$1, %r11, %rdx
	btr	$63, %r11
	imul	$19, %rdx, %rdx
	add	%rdx, %r8
	adc	$0, %r9
	adc	$0, %r10
	adc	$0, %r11
	mov	%r8, (%rdi)
	mov	%r9, 8(%rdi)
	mov	%r10, 16(%rdi)
	mov	%r11, 24(%rdi)
	mov	-8(%rbp), %rbx
	pop	%rbp
	ret
	.size	scale32, .-scale32
