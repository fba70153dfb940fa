package amd64

import (
	"fmt"
	"math"

	"github.com/seed-6f9cd256/fieldproof/gen/internal/limb"
)

// live reports whether f is read after the current instruction.
func (l *lowering) live(f *limb.Flag) bool {
	if f == nil {
		return false
	}
	u := l.uses.Flag[f]
	return len(u) > 0 && u[len(u)-1] > l.pos
}

// needed reports whether f is read by the current instruction or later.
func (l *lowering) needed(f *limb.Flag) bool {
	if f == nil {
		return false
	}
	u := l.uses.Flag[f]
	return len(u) > 0 && u[len(u)-1] >= l.pos
}

// flagsDead reports whether every flag may be overwritten before the current
// instruction.
func (l *lowering) flagsDead() bool { return !l.needed(l.cf) && !l.needed(l.of) && !l.needed(l.zs) }

// setFlags records that an instruction wrote all flags: what CF, OF, and ZF and
// SF now stand for, and which word ZF and SF describe. A flag that is
// overwritten while it is still to be read is an error in the algorithm.
func (l *lowering) setFlags(cf, of, zs *limb.Flag, word *limb.Word) {
	l.setCF(cf)
	l.setOF(of)
	l.setZS(zs, word)
}

func (l *lowering) setCF(f *limb.Flag) {
	if l.live(l.cf) && l.cf != f {
		panic(fmt.Sprintf("flag %d is overwritten in CF before its last use", l.cf.ID))
	}
	l.cf = f
}

func (l *lowering) setOF(f *limb.Flag) {
	if l.live(l.of) && l.of != f {
		panic(fmt.Sprintf("flag %d is overwritten in OF before its last use", l.of.ID))
	}
	l.of = f
}

func (l *lowering) setZS(f *limb.Flag, word *limb.Word) {
	if l.live(l.zs) && l.zs != f {
		panic(fmt.Sprintf("flag %d is overwritten in ZF and SF before its last use", l.zs.ID))
	}
	l.zs, l.zsOf = f, word
}

// require checks that f stands where its kind says.
func (l *lowering) require(f *limb.Flag) {
	at := l.zs
	switch f.Kind {
	case limb.Carry:
		at = l.cf
	case limb.Carry2:
		at = l.of
	}
	if at != f {
		panic(fmt.Sprintf("flag %d was overwritten before this use", f.ID))
	}
}

// lastUse returns the index of the last read of w.
func (l *lowering) lastUse(w *limb.Word) int {
	u := l.uses.Word[w]
	if len(u) == 0 {
		return math.MinInt
	}
	return u[len(u)-1]
}
