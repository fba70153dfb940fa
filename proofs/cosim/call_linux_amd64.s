//go:build !purego

#include "textflag.h"
#include "funcdata.h"

// func call(entry uintptr)
//
// The frame leaves room on the stack for what the code pushes: the assembler
// saves BP, and no other register needs to be kept.
TEXT ·call(SB), 0, $64-8
	NO_LOCAL_POINTERS
	MOVQ entry+0(FP), AX
	CALL AX
	RET
