//go:build !purego

#include "textflag.h"
#include "funcdata.h"

// func call(entry, data uintptr)
//
// The code at entry finds the address of the data in R0, and returns with all
// registers changed but RSP, R28 (g) and R29, which it keeps in the data.
TEXT ·call(SB), 0, $16-16
	NO_LOCAL_POINTERS
	MOVD entry+0(FP), R1
	MOVD data+8(FP), R0
	CALL (R1)
	RET

// func flush(from, to uintptr)
//
// It makes the CPU fetch instructions anew that were written as data. The smallest
// line of a cache has 16 bytes or more.
TEXT ·flush(SB), NOSPLIT, $0-16
	MOVD from+0(FP), R0
	MOVD to+8(FP), R1
	MOVD R0, R2
clean:
	WORD $0xd50b7b22 // DC CVAU, R2
	ADD  $16, R2
	CMP  R1, R2
	BLO  clean
	WORD $0xd5033b9f // DSB ISH
	MOVD R0, R2
invalidate:
	WORD $0xd50b7522 // IC IVAU, R2
	ADD  $16, R2
	CMP  R1, R2
	BLO  invalidate
	WORD $0xd5033b9f // DSB ISH
	WORD $0xd5033fdf // ISB
	RET
