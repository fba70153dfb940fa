//go:build !purego

#include "textflag.h"
#include "funcdata.h"

// func callWithFlags(pc uintptr, args *[6]uintptr)
TEXT ·callWithFlags(SB), 0, $48-16
	NO_LOCAL_POINTERS
	MOVQ args+8(FP), SI
	MOVQ 0(SI), AX
	MOVQ AX, 0(SP)
	MOVQ 8(SI), AX
	MOVQ AX, 8(SP)
	MOVQ 16(SI), AX
	MOVQ AX, 16(SP)
	MOVQ 24(SI), AX
	MOVQ AX, 24(SP)
	MOVQ 32(SI), AX
	MOVQ AX, 32(SP)
	MOVQ 40(SI), AX
	MOVQ AX, 40(SP)
	MOVQ pc+0(FP), DX

	// -2^63 - 2^63 carries and overflows.
	MOVQ $(1<<63), AX
	ADDQ AX, AX
	CALL DX

	MOVQ args+8(FP), SI
	MOVQ 0(SP), AX
	MOVQ AX, 0(SI)
	MOVQ 8(SP), AX
	MOVQ AX, 8(SI)
	MOVQ 16(SP), AX
	MOVQ AX, 16(SI)
	MOVQ 24(SP), AX
	MOVQ AX, 24(SI)
	MOVQ 32(SP), AX
	MOVQ AX, 32(SI)
	MOVQ 40(SP), AX
	MOVQ AX, 40(SI)
	RET

// func mulx(x, y, carry, overflow uint64) (lo, hi, carryAfter, overflowAfter uint64)
TEXT ·mulx(SB), NOSPLIT, $0-64
	MOVQ x+0(FP), DX
	MOVQ y+8(FP), BX
	MOVQ carry+16(FP), CX
	MOVQ overflow+24(FP), SI

	// 2^63-1 + overflow sets OF where overflow is 1; BT then sets CF alone.
	MOVQ $0x7fffffffffffffff, AX
	ADDQ SI, AX
	BTQ  $0, CX

	MULXQ BX, R8, R9
	SETCS R10
	SETOS R11

	MOVBQZX R10, R10
	MOVBQZX R11, R11
	MOVQ R8, lo+32(FP)
	MOVQ R9, hi+40(FP)
	MOVQ R10, carryAfter+48(FP)
	MOVQ R11, overflowAfter+56(FP)
	RET

// func onEntry() (carry, overflow uint64)
TEXT ·onEntry(SB), NOSPLIT, $0-16
	SETCS AX
	SETOS BX
	MOVBQZX AX, AX
	MOVBQZX BX, BX
	MOVQ AX, carry+0(FP)
	MOVQ BX, overflow+8(FP)
	RET
