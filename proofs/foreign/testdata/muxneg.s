# Selects x where the lowest bit of c is set, else y: BT, and moves on the carry.
	.text
	.globl	muxneg
	.type	muxneg, @function
muxneg:
	bt	$0, %rdx
	mov	(%rsi), %rax
	mov	8(%rsi), %r8
	cmovae	(%rcx), %rax
	cmovae	8(%rcx), %r8
	xchg	%rax, %r8
	mov	%r8, (%rdi)
	mov	%rax, 8(%rdi)
	ret
	.size	muxneg, .-muxneg
