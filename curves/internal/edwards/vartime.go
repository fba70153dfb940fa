package edwards

import (
	"encoding/binary"
	"math/bits"
	"sync"
)

// A Term is a point and a number to multiply it by, below 2^255.
type Term struct {
	Point  Point
	Scalar [32]byte
}

// Widths of the non-adjacent forms: of numbers that multiply the base point,
// whose table lasts, and of those that multiply other points.
const (
	baseWidth = 8
	termWidth = 5
)

// splitBits is where the number that multiplies the base point is split, so that
// the halves share the doublings.
const splitBits = 128

// oddTable holds the odd multiples of B, and behind them those of
// 2^splitBits·B, 12 KB in all.
var oddTable = sync.OnceValue(func() []affineCached {
	var b Point
	b.Base()
	low := oddMultiples(&b.p, 1<<(baseWidth-2))
	doubleTimes(&b.p, &b.p, splitBits)
	return affine(append(low, oddMultiples(&b.p, 1<<(baseWidth-2))...))
})

// oddMultiples returns p, 3·p, 5·p and so on, n in all.
func oddMultiples(p *extended, n int) []extended {
	var twice extended
	doubleExtended(&twice, &p.projective)
	return multiples(p, &twice, n)
}

// A step adds digit times a point, from a table, before the doublings that are
// left when the loop comes to it.
type step struct {
	next  int32 // the next step at the same place, or 0
	table int32 // its first entry in the table of the terms; -1 and -2 are B and 2^128·B
	digit int8  // odd
}

// schedule holds the steps by their places.
type schedule struct {
	first [257]int32
	steps []step // without the first, which stands for none
}

// add schedules k times the points of a table, in the non-adjacent form of that
// width: every digit is odd and below 2^(width-1), and of width digits in
// sequence all but one are 0 (Hankerson, Menezes, Vanstone, "Guide to Elliptic
// Curve Cryptography", algorithm 3.35). k is below 2^255.
func (s *schedule) add(k *[32]byte, width uint, table int32) {
	var words [5]uint64
	for i := range 4 {
		words[i] = binary.LittleEndian.Uint64(k[8*i:])
	}
	carry := uint64(0)
	for at := uint(0); at < 256; {
		window := words[at/64] >> (at % 64)
		if at%64 > 64-width {
			window |= words[at/64+1] << (64 - at%64)
		}
		if carry == window&1 {
			// Digits 0, as long as the bits are all equal to the carry.
			at += uint(bits.TrailingZeros64(window ^ -carry | 1<<(64-at%64)))
			continue
		}
		window = window&(1<<width-1) + carry
		carry = window >> (width - 1)
		s.steps = append(s.steps, step{s.first[at], table, int8(int64(window) - int64(carry<<width))})
		s.first[at] = int32(len(s.steps) - 1)
		at += width
	}
}

// MultiScalarVarTime sets p = k·B + the sum of the terms, and returns p, for k
// below 2^255 (E. G. Straus, "Addition chains of vectors", 1964, with
// non-adjacent forms).
func (p *Point) MultiScalarVarTime(k *[32]byte, terms []Term) *Point {
	s := schedule{steps: make([]step, 1, 64+48*len(terms))}
	var low, high [32]byte
	copy(low[:], k[:splitBits/8])
	copy(high[:], k[splitBits/8:])
	s.add(&low, baseWidth, -1)
	s.add(&high, baseWidth, -2)

	const size = 1 << (termWidth - 2)
	tables := make([]cached, size*len(terms))
	for i := range terms {
		table := tables[size*i : size*(i+1)]
		setOddMultiples(table, &terms[i].Point.p)
		s.add(&terms[i].Scalar, termWidth, int32(size*i))
	}

	p.Identity()
	base := oddTable()
	at := len(s.first) - 1
	for at > 0 && s.first[at] == 0 {
		at--
	}
	for ; ; at-- {
		for i := s.first[at]; i != 0; i = s.steps[i].next {
			s.steps[i].addTo(&p.p, base, tables)
		}
		if at == 0 {
			return p
		}
		if s.first[at-1] != 0 || at == 1 {
			doubleExtended(&p.p, &p.p.projective)
		} else {
			double(&p.p.projective, &p.p.projective)
		}
	}
}

// addTo does the step.
func (s step) addTo(p *extended, base []affineCached, tables []cached) {
	index, minus := int32(s.digit>>1), uint64(0)
	if s.digit < 0 {
		index, minus = int32(-s.digit>>1), 1
	}
	if s.table < 0 {
		addAffine(p, p, &base[(-1-s.table)<<(baseWidth-2)+index], minus)
		return
	}
	addCached(p, p, &tables[s.table+index], minus)
}

// setOddMultiples sets the table to p, 3·p, 5·p and so on.
func setOddMultiples(table []cached, p *extended) {
	var q extended
	var twice cached
	doubleExtended(&q, &p.projective)
	twice.setExtended(&q)
	q = *p
	for i := range table {
		if i > 0 {
			addCached(&q, &q, &twice, 0)
		}
		table[i].setExtended(&q)
	}
}
