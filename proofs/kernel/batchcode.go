package kernel

import (
	"math/big"
	"slices"
)

// The batch of divsteps as a program on words, which the code of an inversion is
// compared with: a copy of BatchCode.v, with the same locations. See
// spec/divstep.go for what it computes.

const (
	batchF Loc = 1 // the lowest words of f and g, and n, on entry
	batchG Loc = 2
	batchN Loc = 3 // also n on return

	batchH      Loc = 8  // h of the packed state, (F-1)/2
	batchPacked Loc = 9  // G of the packed state
	batchNeg    Loc = 10 // 1 if n is negative
	batchMask   Loc = 11 // and that negated
	batchHalf   Loc = 12 // f shifted right by 1
	batchTemp   Loc = 13 // seven words
	batchJunk   Loc = 20
)

// batchT returns where the batch leaves an entry of its matrix.
func batchT(i, j int) Loc { return Loc(4 + 2*i + j) }

// batchRow returns where the rows of the last sub-batch are, and batchCol where
// the columns of the product of all before it are.
func batchRow(i, k int) Loc { return Loc(21 + 2*i + k) }
func batchCol(j, k int) Loc { return Loc(25 + 2*j + k) }

func plus(d Loc, a, b Src) Instr {
	return Instr{Op: Adc, D: d, D2: batchJunk, A: a, B: b, C: imm(zero)}
}
func minus(d Loc, a, b Src) Instr {
	return Instr{Op: Sbb, D: d, D2: batchJunk, A: a, B: b, C: imm(zero)}
}
func times(d Loc, a, b Loc) Instr { return Instr{Op: Mul, D: d, D2: batchJunk, A: at(a), B: at(b)} }
func shr(d, a Loc, n uint) Instr  { return Instr{Op: Shr, D: d, A: at(a), N: n} }
func shl(d, a Loc, n uint) Instr  { return Instr{Op: Shl, D: d, A: at(a), N: n} }
func cmov(d, c, a, b Loc) Instr   { return Instr{Op: Cmov, D: d, A: at(c), B: at(a), C: at(b)} }
func logic(op Op, d, a Loc, b Src) Instr {
	return Instr{Op: op, D: d, A: at(a), B: b}
}

func lowBits(n uint) Src   { return imm(sub(pow2(n), one)) }   // a mask
func minusPow2(n uint) Src { return imm(sub(Radix, pow2(n))) } // -2^n in two's complement

// sar is an arithmetic shift to the right by n.
func sar(d, a Loc, n uint) []Instr {
	b5, b6 := batchTemp+5, batchTemp+6
	return []Instr{shr(b5, a, n), shr(b6, a, 63), shl(b6, b6, 64-n), minus(d, at(b5), at(b6))}
}

func batchSign() []Instr {
	return []Instr{shr(batchNeg, batchN, 63), minus(batchMask, imm(zero), at(batchNeg))}
}

func batchStep() []Instr {
	b := func(i Loc) Loc { return batchTemp + i }
	return slices.Concat([]Instr{
		minus(b(0), imm(sub(Radix, big.NewInt(2))), at(batchN)),
		plus(b(1), at(batchN), imm(WordMax)),
		logic(Xor, b(2), batchH, at(batchMask)),
		logic(And, b(3), batchPacked, imm(one)),
	}, sar(b(4), batchPacked, 1), []Instr{
		plus(b(2), at(b(4)), at(b(2))),
		plus(b(2), at(b(2)), imm(one)),
		logic(And, b(5), batchPacked, at(batchNeg)),
		{Op: IsZero, D: b(5), A: at(b(5))},
		cmov(batchPacked, b(3), b(2), b(4)),
		cmov(batchN, b(5), b(1), b(0)),
		cmov(batchH, b(5), batchH, b(4)),
	}, batchSign())
}

func batchPack() []Instr {
	return []Instr{
		logic(And, batchPacked, batchG, lowBits(20)), plus(batchPacked, at(batchPacked), minusPow2(62)),
		logic(And, batchH, batchHalf, lowBits(19)), plus(batchH, at(batchH), minusPow2(40)),
	}
}

// batchUnpack reads row i of the matrix of n steps off a word.
func batchUnpack(i int, w Loc, bit, n uint) []Instr {
	b0 := batchTemp
	return slices.Concat(
		[]Instr{plus(b0, at(w), imm(pow2(bit-21)))}, sar(batchRow(i, 0), b0, bit-n),
		[]Instr{plus(b0, at(w), imm(add(pow2(bit-21), pow2(bit+20-n))))}, sar(batchRow(i, 1), b0, bit+21-n))
}

// batchColumn is d, e := x, y - 2^21·x.
func batchColumn(d, e, x, y Loc) []Instr {
	b5 := batchTemp + 5
	return []Instr{shl(b5, x, 21), minus(e, at(y), at(b5)), {Op: Mov, D: d, A: at(x)}}
}

// batchApply is d := v·x + b·z.
func batchApply(d, v, b, x, z Loc) []Instr {
	b0, b1 := batchTemp, batchTemp+1
	return []Instr{times(b0, v, x), times(b1, b, z), plus(d, at(b0), at(b1))}
}

func batchFirst(d Loc, i int) []Instr {
	b5 := batchTemp + 5
	return []Instr{shl(b5, batchRow(i, 1), 21), minus(d, at(batchRow(i, 0)), at(b5))}
}

// batchAdvance makes the words of f and g those after n steps.
func batchAdvance(n uint) []Instr {
	b2, b3, b4 := batchTemp+2, batchTemp+3, batchTemp+4
	return slices.Concat(batchColumn(b2, b3, batchF, batchG),
		batchApply(batchF, batchRow(0, 0), batchRow(0, 1), b2, b3),
		batchApply(b4, batchRow(1, 0), batchRow(1, 1), b2, b3), sar(batchG, b4, n),
		[]Instr{shr(batchHalf, batchF, n+1)}, sar(batchF, batchF, n))
}

// batchColumns multiplies the last rows by what was before them, if anything was.
func batchColumns(first bool) []Instr {
	b2, b3 := batchTemp+2, batchTemp+3
	if first {
		return slices.Concat(batchFirst(b2, 0), batchFirst(b3, 1), batchColumn(batchCol(0, 0), batchCol(0, 1), b2, b3),
			batchColumn(batchCol(1, 0), batchCol(1, 1), batchRow(0, 1), batchRow(1, 1)))
	}
	var code []Instr
	for j := range 2 {
		code = slices.Concat(code,
			batchApply(b2, batchRow(0, 0), batchRow(0, 1), batchCol(j, 0), batchCol(j, 1)),
			batchApply(b3, batchRow(1, 0), batchRow(1, 1), batchCol(j, 0), batchCol(j, 1)),
			batchColumn(batchCol(j, 0), batchCol(j, 1), b2, b3))
	}
	return code
}

// batchBiased leaves the product of all rows, with 2^n added to each entry.
func batchBiased(n uint) []Instr {
	var code []Instr
	b2 := batchTemp + 2
	for i := range 2 {
		for j := range 2 {
			code = append(code, batchApply(b2, batchRow(i, 0), batchRow(i, 1), batchCol(j, 0), batchCol(j, 1))...)
			code = append(code, plus(batchT(i, j), at(b2), imm(pow2(n))))
		}
	}
	return code
}

// batchCode is a batch of three sub-batches.
func batchCode(steps [3]uint) []Instr {
	code := append(batchSign(), shr(batchHalf, batchF, 1))
	for i, n := range steps {
		code = append(code, batchPack()...)
		for range n {
			code = append(code, batchStep()...)
		}
		if i > 0 {
			code = append(code, batchColumns(i == 1)...)
		}
		code = append(code, batchUnpack(0, batchH, 40, n)...)
		code = append(code, batchUnpack(1, batchPacked, 41, n)...)
		if i < 2 {
			code = append(code, batchAdvance(n)...)
		}
	}
	return append(code, batchBiased(steps[0]+steps[1]+steps[2])...)
}
