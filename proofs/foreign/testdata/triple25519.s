# z = 3*x mod 2^255 - 19, any 4 limbs in and out: LEA, 32-bit moves, a fold by 38.
	.text
	.globl	triple25519
triple25519:
	mov	$3, %edx
	mulx	(%rsi), %rax, %r8
	mulx	8(%rsi), %r9, %r10
	mulx	16(%rsi), %r11, %rcx
	mulx	24(%rsi), %rdx, %rsi
	add	%r9, %r8
	adc	%r11, %r10
	adc	%rdx, %rcx
	adc	$0, %esi
	lea	(%rsi,%rsi,8), %rdx
	lea	(%rsi,%rdx,2), %rdx
	lea	(,%rdx,2), %rdx
	add	%rdx, %rax
	adc	$0, %r8
	adc	$0, %r10
	adc	$0, %rcx
	mov	$0, %edx
	mov	$38, %esi
	cmovc	%esi, %edx
	lea	(%rax,%rdx), %rax
	mov	%rax, (%rdi)
	mov	%r8, 8(%rdi)
	mov	%r10, 16(%rdi)
	mov	%rcx, 24(%rdi)
	ret
