package lint_test

import "testing"

// Every test here plants faults, one a routine, and sees them refused.

func TestPlantedSecrets(t *testing.T) {
	checkRoutines(t, []routine{
		{"uJump", "$0-16", load + fill + "MOVQ (SI), AX; TESTQ AX, AX; JEQ end; ADDQ $1, AX; end: RET",
			[]string{"JE | secret jump | depends on a secret"}},
		{"vValue", "$0-32", "MOVQ $0, r+24(FP); MOVQ k+16(FP), CX; SHRQ $1, CX; JCS end; ADDQ $1, CX; end: RET",
			[]string{"JB | secret jump | depends on a secret"}},
		// Through the frame, as a count of turns.
		{"vFrame", "$16-32", "MOVQ $0, r+24(FP); MOVQ k+16(FP), CX; MOVQ CX, 8(SP); loop: DECQ 8(SP); JNE loop; RET",
			[]string{"JNE | secret jump | depends on a secret"}},
		// Through a conditional move between constants.
		{"vMove", "$0-32", "MOVQ $0, r+24(FP); MOVQ k+16(FP), AX; CMPQ AX, $1; MOVL $0, AX; MOVL $1, CX; CMOVQEQ AX, CX; TESTQ CX, CX; JNE end; ADDQ $1, CX; end: RET",
			[]string{"JNE | secret jump | depends on a secret"}},
		// Through a byte of a register.
		{"vByte", "$0-32", "MOVQ $0, r+24(FP); MOVQ k+16(FP), AX; CMPQ AX, $1; MOVL $0, AX; SETEQ AL; TESTQ AX, AX; JNE end; ADDQ $1, AX; end: RET",
			[]string{"JNE | secret jump | depends on a secret"}},
		// Stored behind one pointer, read back, and left in a flag over a move.
		{"uStored", "$0-16", load + fill + "MOVQ (SI), AX; MOVQ AX, (DI); DECQ (DI); MOVQ $0, AX; JOS end; ADDQ $1, AX; end: RET",
			[]string{"JO | secret jump | depends on a secret"}},
		// Stored behind one pointer and read behind another, which may be equal:
		// the 0 that was stored there need not be there any more.
		{"wAlias", "$0-16", load + fill + "MOVQ 8(SI), CX; MOVQ CX, (SI); MOVQ (DI), CX; TESTQ CX, CX; JNE end; ADDQ $1, AX; end: RET",
			[]string{"JNE | secret jump | depends on a secret"}},
		// On one of two paths that meet.
		{"vMeet", "$0-32", "MOVQ $0, r+24(FP); MOVQ $0, AX; MOVQ n+8(FP), R8; CMPQ R8, $1; JEQ meet; MOVQ k+16(FP), AX; meet: TESTQ AX, AX; JMI end; ADDQ $1, AX; end: RET",
			[]string{"JS | secret jump | depends on a secret"}},
		// In the second turn of a loop only.
		{"vTurn", "$0-32", "MOVQ $0, r+24(FP); MOVQ k+16(FP), DX; MOVQ n+8(FP), CX; MOVQ CX, AX; loop: TESTQ AX, AX; JMI end; MOVQ DX, AX; DECQ CX; JNE loop; end: RET",
			[]string{"JS | secret jump | depends on a secret"}},
		{"uLoad", "$0-16", load + fill + "MOVQ (SI), CX; ANDQ $3, CX; MOVQ (SI)(CX*8), AX; RET",
			[]string{"MOVQ 0(SI)(CX*8), AX | secret address | reads at an address that depends on a secret"}},
		{"uStore", "$0-16", load + fill + "MOVQ (SI), CX; ANDQ $3, CX; LEAQ (DI)(CX*8), R8; MOVQ AX, 8(R8); RET",
			[]string{"MOVQ AX, 0x8(R8) | secret address | writes at an address that depends on a secret"}},
		{"uChosen", "$0-16", load + fill + "MOVQ (SI), AX; CMPQ AX, $0; CMOVQEQ SI, DI; MOVQ (DI), AX; RET",
			[]string{"MOVQ 0(DI), AX | secret address | reads at an address that depends on a secret"}},
		// Between two public words of which nothing is known: they need not be equal.
		{"vChosenWord", "$0-32", "MOVQ $0, r+24(FP); MOVQ n+8(FP), AX; LEAQ 1(AX), CX; MOVQ k+16(FP), DX; TESTQ DX, DX; CMOVQEQ AX, CX; TESTQ CX, CX; JNE end; ADDQ $1, AX; end: RET",
			[]string{"JNE | secret jump | depends on a secret"}},
		// Under a half that is public.
		{"vHalfCell", "$16-32", "MOVQ $0, r+24(FP); MOVQ k+16(FP), AX; MOVQ AX, 8(SP); MOVL $0, CX; MOVL CX, 8(SP); MOVQ 8(SP), AX; TESTQ AX, AX; JNE end; ADDQ $1, AX; end: RET",
			[]string{"JNE | secret jump | depends on a secret"}},
		{"vLowByte", "$0-32", "MOVQ $0, r+24(FP); MOVQ k+16(FP), AX; MOVQ n+8(FP), R8; CMPQ R8, $1; SETEQ AL; TESTQ AX, AX; JNE end; ADDQ $1, AX; end: RET",
			[]string{"JNE | secret jump | depends on a secret"}},
		// In the flags of a sum that is an address.
		{"uAddressFlag", "$0-16", load + fill + "MOVQ (SI), CX; ADDQ CX, DI; JCS end; ADDQ $1, AX; end: RET",
			[]string{"JB | secret jump | depends on a secret"}},
		// In one of two flags; the other is known to be 0.
		{"uEitherFlag", "$0-16", load + fill + "MOVQ (SI), CX; TESTQ CX, CX; JLS end; ADDQ $1, AX; end: RET",
			[]string{"JBE | secret jump | depends on a secret"}},
		// In a flag, and in a word, on one of two paths that go on as one from an
		// undecided jump: whichever of them gets there first.
		{"vFlagMeet", "$0-32", "MOVQ $0, r+24(FP); MOVQ k+16(FP), DX; MOVQ n+8(FP), CX; TESTQ CX, CX; JMI other; SUBQ $1, CX; DECQ DX; JMP meet; other: SUBQ $1, CX; DECQ CX; meet: JCS on; MOVQ CX, AX; on: JEQ end; MOVQ DX, AX; end: RET",
			[]string{"JE | secret jump | depends on a secret"}},
		{"vFlagMeets", "$0-32", "MOVQ $0, r+24(FP); MOVQ k+16(FP), DX; MOVQ n+8(FP), CX; TESTQ CX, CX; JMI other; SUBQ $1, CX; DECQ CX; JMP meet; other: SUBQ $1, CX; DECQ DX; meet: JCS on; MOVQ CX, AX; on: JEQ end; MOVQ DX, AX; end: RET",
			[]string{"JE | secret jump | depends on a secret"}},
		{"vWordMeet", "$0-32", "MOVQ $0, r+24(FP); MOVQ k+16(FP), DX; MOVQ n+8(FP), CX; TESTQ CX, CX; JMI other; MOVQ CX, AX; JMP meet; other: MOVQ DX, AX; meet: CMPQ CX, $7; JCS on; MOVQ CX, R8; on: TESTQ AX, AX; JPL end; MOVQ DX, AX; end: RET",
			[]string{"JNS | secret jump | depends on a secret"}},
		{"vWordMeets", "$0-32", "MOVQ $0, r+24(FP); MOVQ k+16(FP), DX; MOVQ n+8(FP), CX; TESTQ CX, CX; JMI other; MOVQ DX, AX; JMP meet; other: MOVQ CX, AX; meet: CMPQ CX, $7; JCS on; MOVQ CX, R8; on: TESTQ AX, AX; JPL end; MOVQ DX, AX; end: RET",
			[]string{"JNS | secret jump | depends on a secret"}},
		{"vCellMeet", "$16-32", "MOVQ $0, r+24(FP); MOVQ k+16(FP), DX; MOVQ n+8(FP), CX; TESTQ CX, CX; JMI other; MOVQ CX, 8(SP); JMP meet; other: MOVQ DX, 8(SP); meet: CMPQ CX, $7; JCS on; MOVQ CX, R8; on: MOVQ 8(SP), AX; TESTQ AX, AX; JPL end; MOVQ DX, AX; end: RET",
			[]string{"JNS | secret jump | depends on a secret"}},
		{"vCellMeets", "$16-32", "MOVQ $0, r+24(FP); MOVQ k+16(FP), DX; MOVQ n+8(FP), CX; TESTQ CX, CX; JMI other; MOVQ DX, 8(SP); JMP meet; other: MOVQ CX, 8(SP); meet: CMPQ CX, $7; JCS on; MOVQ CX, R8; on: MOVQ 8(SP), AX; TESTQ AX, AX; JPL end; MOVQ DX, AX; end: RET",
			[]string{"JNS | secret jump | depends on a secret"}},
		// The same, where the path with the secret is still to be followed when the
		// other one gets there.
		{"vFlagWaits", "$0-32", "MOVQ $0, r+24(FP); MOVQ k+16(FP), DX; MOVQ n+8(FP), CX; SUBQ $1, CX; DECQ DX; JCS x; y: JEQ end; MOVQ DX, AX; end: RET; x: CMPQ CX, $3; JCS y; RET",
			[]string{"JE | secret jump | depends on a secret"}},
		{"vWordWaits", "$0-32", "MOVQ $0, r+24(FP); MOVQ k+16(FP), AX; MOVQ n+8(FP), CX; CMPQ CX, $7; JCS x; y: TESTQ AX, AX; JEQ end; ADDQ $1, AX; end: RET; x: MOVQ CX, AX; CMPQ CX, $3; JCS y; RET",
			[]string{"JE | secret jump | depends on a secret"}},
		// Read at a place that cannot be told, so it may be what is secret there.
		{"vUntold", "$0-32", "MOVQ $0, r+24(FP); MOVQ x+0(FP), DI; MOVQ n+8(FP), CX; MOVQ (DI)(CX*8), AX; TESTQ AX, AX; JNE end; ADDQ $1, AX; end: RET",
			[]string{"MOVQ 0(DI)(CX*8), AX | memory | cannot be bounded", "JNE | secret jump | depends on a secret"}},
		{"pResult", "$0-24", "MOVQ k+0(FP), AX; MOVQ AX, r+16(FP); RET",
			[]string{"MOVQ AX, 0x18(SP) | secret made public | result r, which the contract calls public"}},
		{"oBuffer", "$0-24", "MOVQ z+0(FP), CX; MOVQ k+16(FP), AX; MOVQ AX, (CX); RET",
			[]string{"MOVQ AX, 0(CX) | secret made public | in z, which the contract calls public"}},
	})
}

func TestPlantedInstructions(t *testing.T) {
	checkRoutines(t, []routine{
		{"uDivide", "$0-16", load + fill + "MOVQ $0, DX; MOVQ (SI), CX; DIVQ CX; RET",
			[]string{"DIVQ CX | instruction | DIV is not on the allow-list"}},
		{"uFloat", "$0-16", load + fill + "CVTSQ2SD AX, X1; RET",
			[]string{"CVTSI2SDQ AX, X1 | instruction | CVTSI2SD is not on the allow-list"}},
		{"uVector", "$0-16", load + fill + "MOVOU (SI), X0; RET",
			[]string{"MOVDQU 0(SI), X0 | instruction | MOVDQU is not on the allow-list"}},
		{"uShiftCL", "$0-16", load + fill + "MOVQ (SI), CX; SHLQ CX, AX; RET",
			[]string{"SHLQ CL, AX | instruction | SHL with operands \"rr\""}},
		{"uExchange", "$0-16", load + fill + "XCHGQ AX, (DI); RET",
			[]string{"XCHGQ AX, 0(DI) | instruction | XCHG is not on the allow-list"}},
		{"uLocked", "$0-16", load + fill + "LOCK; ADDQ AX, (DI); RET",
			[]string{"LOCK ADDQ AX, 0(DI) | instruction | LOCK ADD is not on the allow-list"}},
		{"uStatic", "$0-16", load + fill + "MOVQ ·uDivide+0(SB), AX; RET",
			[]string{"MOVQ - | instruction | MOV with operand static data is not on the allow-list"}},
		{"uIndirect", "$0-16", load + fill + "JMP AX",
			[]string{"JMP AX | instruction | JMP with operands \"r\""}},
		{"uIndirectMemory", "$0-16", load + fill + "JMP (SI)",
			[]string{"JMP 0(SI) | instruction | JMP with operands \"m\""}},
		{"uCall", "$0-16", load + fill + "CALL ·uDivide(SB); RET",
			[]string{"CALL | instruction | CALL is not on the allow-list"}},
		// Not reached by any path, and still refused.
		{"uDead", "$0-16", load + fill + "RET; CPUID; RET",
			[]string{"CPUID | instruction | CPUID is not on the allow-list", "CPUID | flow of control | is never reached"}},
	})
}

func TestPlantedFlow(t *testing.T) {
	checkRoutines(t, []routine{
		{"uTail", "$0-16", load + fill + "JMP ·uFallsOff(SB)",
			[]string{"JMP | flow of control | where no instruction of the routine starts"}},
		{"uFallsOff", "$0-16", load + fill + "ADDQ $1, AX",
			[]string{"ADDQ $0x1, AX | flow of control | where no instruction of the routine starts"}},
		// EB FF jumps to its own second byte.
		{"uInside", "$0-16", load + fill + "BYTE $0xeb; BYTE $0xff; ADDQ $1, AX; RET",
			[]string{"JMP | flow of control | where no instruction of the routine starts"}},
		{"uForever", "$0-16", load + fill + "loop: JMP loop",
			[]string{"JMP | flow of control | no return within"}},
		{"uUnreached", "$0-16", load + fill + "MOVQ $1, CX; DECQ CX; JEQ end; ADDQ $1, AX; ADDQ $2, AX; end: RET",
			[]string{"ADDQ $0x1, AX | flow of control | is never reached"}},
		// Without NOSPLIT the assembler would compare SP with the limit in g.
		{"uSplit", "$0-16", load + fill + "CMPQ SP, 16(R14); JLS end; ADDQ $1, AX; end: RET",
			[]string{"CMPQ SP, 0x10(R14) | register | uses R14, which holds the current goroutine (g)",
				"CMPQ SP, 0x10(R14) | undefined value | holds no defined value",
				"CMPQ SP, 0x10(R14) | memory | not in a buffer"}},
	})
}

func TestPlantedMemory(t *testing.T) {
	checkRoutines(t, []routine{
		{"uReadBefore", "$0-16", load + fill + "MOVQ -8(SI), AX; RET",
			[]string{"MOVQ -0x8(SI), AX | memory | reads 8 bytes at offset -8 of x: it has 32 bytes"}},
		{"uReadAfter", "$0-16", load + fill + "ADDQ 32(SI), AX; RET",
			[]string{"ADDQ 0x20(SI), AX | memory | reads 8 bytes at offset 32 of x: it has 32 bytes"}},
		{"uReadPartlyAfter", "$0-16", load + fill + "MOVQ 28(SI), AX; RET",
			[]string{"MOVQ 0x1c(SI), AX | memory | reads 8 bytes at offset 28 of x: it has 32 bytes"}},
		{"uAcross", "$0-16", load + fill + "MOVQ 4(SI), AX; RET",
			[]string{"MOVQ 0x4(SI), AX | memory | across two limbs"}},
		{"uWriteBefore", "$0-16", load + fill + "MOVL AX, -4(DI); RET",
			[]string{"MOVL AX, -0x4(DI) | memory | writes 4 bytes at offset -4 of z: it has 32 bytes"}},
		{"uWriteAfter", "$0-16", load + fill + "ADDQ $32, DI; MOVQ AX, (DI); RET",
			[]string{"MOVQ AX, 0(DI) | memory | writes 8 bytes at offset 32 of z: it has 32 bytes"}},
		{"uWriteInput", "$0-16", load + fill + "MOVQ AX, 8(SI); RET",
			[]string{"MOVQ AX, 0x8(SI) | memory | writes 8 bytes at offset 8 of x: the contract only lets it be read"}},
		{"uLoopTooFar", "$0-16", load + fill + "XORL CX, CX; loop: MOVQ (SI)(CX*8), AX; ADDQ $1, CX; CMPQ CX, $5; JNE loop; RET",
			[]string{"MOVQ 0(SI)(CX*8), AX | memory | reads 8 bytes at offset 32 of x: it has 32 bytes"}},
		{"vUnbounded", "$0-32", "MOVQ x+0(FP), DI; MOVQ n+8(FP), CX; ANDQ $3, CX; MOVQ (DI)(CX*8), AX; MOVQ AX, r+24(FP); RET",
			[]string{"MOVQ 0(DI)(CX*8), AX | memory | reads at an offset of x that cannot be bounded"}},
		{"vNoPointer", "$0-32", "MOVQ n+8(FP), CX; MOVQ (CX), AX; MOVQ AX, r+24(FP); RET",
			[]string{"MOVQ 0(CX), AX | memory | not in a buffer"}},
		{"uHalfPointer", "$0-16", load + fill + "MOVL SI, SI; MOVQ (SI), AX; RET",
			[]string{"MOVQ 0(SI), AX | memory | not in a buffer"}},
		{"uWriteArgument", "$0-16", load + fill + "MOVQ AX, x+8(FP); RET",
			[]string{"MOVQ AX, 0x10(SP) | memory | writes 8 bytes at offset 16 of the stack (0 is SP on entry): an argument"}},
		{"uAboveArguments", "$0-16", load + fill + "MOVQ x+16(FP), AX; RET",
			[]string{"MOVQ 0x18(SP), AX | memory | reads 8 bytes at offset 24 of the stack (0 is SP on entry): above the arguments"}},
		{"vAboveResult", "$0-32", "MOVQ $0, AX; MOVQ AX, r+24(FP); MOVQ AX, r+32(FP); RET",
			[]string{"MOVQ AX, 0x28(SP) | memory | writes 8 bytes at offset 40 of the stack (0 is SP on entry): above the arguments and the result"}},
		{"uBelowSP", "$0-16", load + fill + "MOVQ AX, x-16(SP); RET",
			[]string{"MOVQ AX, -0x10(SP) | memory | writes 8 bytes at offset -16 of the stack (0 is SP on entry): below SP, which is 0"}},
		{"uBelowFrame", "$16-16", load + fill + "LEAQ 8(SP), R8; MOVQ AX, -16(R8); RET",
			[]string{"MOVQ AX, -0x10(R8) | memory | writes 8 bytes at offset -32 of the stack (0 is SP on entry): below SP, which is -24"}},
		{"uAboveFrame", "$16-16", load + fill + "MOVQ AX, 24(SP); RET",
			[]string{"MOVQ AX, 0x18(SP) | memory | writes 8 bytes at offset 0 of the stack (0 is SP on entry): the return address"}},
	})
}

func TestPlantedUndefined(t *testing.T) {
	checkRoutines(t, []routine{
		{"uUnwritten", "$0-16", load + "MOVQ $0, AX; MOVQ AX, (DI); MOVQ AX, 16(DI); MOVQ AX, 24(DI); RET",
			[]string{"RET | undefined value | returns before bytes 8 to 15 of z are written"}},
		{"uReadOutput", "$0-16", load + "MOVQ 8(DI), AX;" + fill + "RET",
			[]string{"MOVQ 0x8(DI), AX | undefined value | reads 8 bytes at offset 8 of z before they are written"}},
		{"uReadFrame", "$16-16", load + fill + "MOVQ 8(SP), AX; RET",
			[]string{"MOVQ 0x8(SP), AX | undefined value | reads 8 bytes at offset -16 of the stack (0 is SP on entry) before they are written"}},
		// SP has been above it, where a signal overwrites what is below.
		{"uReadReleased", "$0-16", load + fill + "SUBQ $16, SP; MOVQ AX, (SP); ADDQ $16, SP; SUBQ $16, SP; MOVQ (SP), AX; ADDQ $16, SP; RET",
			[]string{"MOVQ 0(SP), AX | undefined value | reads 8 bytes at offset -16 of the stack (0 is SP on entry) before they are written"}},
		// Half of a cell, over and under a half that is not written; it may be secret.
		{"vHalfWritten", "$16-32", "MOVQ $0, r+24(FP); MOVQ k+16(FP), AX; MOVL AX, 12(SP); MOVL $0, CX; MOVL CX, 12(SP); MOVQ 8(SP), AX; TESTQ AX, AX; JNE end; ADDQ $1, AX; end: RET",
			[]string{"MOVQ 0x8(SP), AX | undefined value | reads 8 bytes", "JNE | secret jump | depends on a secret"}},
		{"vNoResult", "$0-32", "RET",
			[]string{"RET | undefined value | returns before the result r is written"}},
		// Written on one of two paths.
		{"vOneWay", "$0-32", "MOVQ n+8(FP), R8; CMPQ R8, $1; JEQ end; MOVQ $0, r+24(FP); end: RET",
			[]string{"RET | undefined value | returns before the result r is written"}},
		{"uRegister", "$0-16", load + fill + "ADDQ CX, AX; RET",
			[]string{"ADDQ CX, AX | undefined value | holds no defined value"}},
		{"uUpperHalf", "$0-16", load + fill + "TESTQ AX, AX; SETEQ CL; ADDQ CX, AX; RET",
			[]string{"ADDQ CX, AX | undefined value | of which only 8 are defined"}},
		{"uFlagAtEntry", "$0-16", load + fill + "ADCQ AX, AX; RET",
			[]string{"ADCQ AX, AX | undefined value | uses CF, which is undefined here"}},
		{"uZeroAfterMultiply", "$0-16", load + fill + "MULQ AX; CMOVQEQ AX, DX; RET",
			[]string{"CMOVE AX, DX | undefined value | uses ZF, which is undefined here"}},
		{"uOverflowAfterShift", "$0-16", load + fill + "SHLQ $2, AX; XORL CX, CX; SHLQ $2, AX; ADOXQ AX, CX; RET",
			[]string{"ADOXQ AX, CX | undefined value | uses OF, which is undefined here"}},
		{"uSignAfterMultiply", "$0-16", load + fill + "IMULQ AX, AX; SETMI AL; RET",
			[]string{"SETS AL | undefined value | uses SF, which is undefined here"}},
		{"uParityAfterZeroHigh", "$0-16", load + fill + "BZHIQ AX, AX, CX; SETPS AL; RET",
			[]string{"SETP AL | undefined value | uses PF, which is undefined here"}},
		// DEC leaves CF as it was, which here is undefined.
		{"uCarryOverDecrement", "$0-16", load + fill + "DECQ AX; SBBQ AX, AX; RET",
			[]string{"SBBQ AX, AX | undefined value | uses CF, which is undefined here"}},
	})
}

func TestPlantedRegisters(t *testing.T) {
	checkRoutines(t, []routine{
		{"uR14", "$0-16", load + fill + "MOVQ AX, R14; RET",
			[]string{"MOVQ AX, R14 | register | uses R14, which holds the current goroutine (g)"}},
		{"uR14Low", "$0-16", load + fill + "TESTQ AX, AX; SETEQ R14; RET",
			[]string{"SETE R14 | register | uses R14, which holds the current goroutine (g)"}},
		{"uX15", "$0-16", load + fill + "XORPS X15, X15; RET",
			[]string{"XORPS X15, X15 | instruction | XORPS is not on the allow-list", "XORPS X15, X15 | register | uses X15, which Go keeps zero"}},
		{"uBP", "$0-16", load + fill + "MOVQ AX, BP; RET",
			[]string{"MOVQ AX, BP | register | writes BP before it is saved", "RET | register | returns without the caller's BP"}},
		// In a register, where a profiler does not find it.
		{"uBPElsewhere", "$0-16", load + fill + "MOVQ BP, R8; MOVQ AX, BP; MOVQ R8, BP; RET",
			[]string{"MOVQ AX, BP | register | writes BP before it is saved"}},
		{"uBPByHand", "$0-16", load + fill + "SUBQ $16, SP; MOVQ BP, (SP); MOVQ AX, BP; MOVQ (SP), BP; ADDQ $16, SP; RET",
			[]string{"MOVQ AX, BP | register | writes BP before it is saved"}},
		{"uBPOverwritten", "$16-16", load + fill + "MOVQ AX, 16(SP); RET",
			[]string{"POPQ BP | register | writes BP before it is saved", "RET | register | returns without the caller's BP"}},
		{"uBPAsNumber", "$0-16", load + fill + "ADDQ BP, AX; RET",
			[]string{"ADDQ BP, AX | register | computes with the caller's BP"}},
		{"uSPUnbalanced", "$0-16", load + fill + "SUBQ $24, SP; RET",
			[]string{"RET | stack | returns with SP 24 bytes below its value on entry"}},
		{"uSPAbove", "$0-16", load + fill + "ADDQ $8, SP; RET",
			[]string{"ADDQ $0x8, SP | stack | moves SP 8 bytes above its value on entry"}},
		{"uSPMasked", "$0-16", load + fill + "MOVQ SP, R8; SUBQ $64, SP; ANDQ $-32, SP; MOVQ R8, SP; RET",
			[]string{"ANDQ $-0x20, SP | stack | moves SP other than by a constant"}},
		{"uSPRestored", "$0-16", load + fill + "MOVQ SP, R8; SUBQ $64, SP; MOVQ R8, SP; RET",
			[]string{"MOVQ R8, SP | stack | moves SP other than by a constant"}},
		{"vSPByValue", "$0-32", "MOVQ $0, r+24(FP); MOVQ n+8(FP), CX; SUBQ CX, SP; ADDQ CX, SP; RET",
			[]string{"SUBQ CX, SP | stack | moves SP other than by a constant"}},
		{"uSPUnaligned", "$0-16", load + fill + "SUBQ $4, SP; ADDQ $4, SP; RET",
			[]string{"SUBQ $0x4, SP | stack | moves SP off 8-byte alignment"}},
		{"vSPByPath", "$0-32", "MOVQ $0, r+24(FP); MOVQ n+8(FP), CX; loop: BYTE $0x55; DECQ CX; JNE loop; RET",
			[]string{"PUSHQ BP | stack | SP depends on the path", "RET | stack | SP depends on the path"}},
		{"uPush", "$0-16", load + fill + "PUSHQ AX; POPQ AX; RET",
			[]string{"PUSHQ AX | stack | pushes or pops something other than BP", "POPQ AX | stack | pushes or pops something other than BP"}},
		{"uPushTwice", "$0-16", load + fill + "BYTE $0x55; PUSHQ BP; POPQ BP; RET",
			[]string{"RET | stack | returns with SP 8 bytes below its value on entry"}},
	})
}
