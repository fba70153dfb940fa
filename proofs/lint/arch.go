package lint

import (
	"fmt"

	"github.com/seed-6f9cd256/fieldproof/proofs/amd64"
	"github.com/seed-6f9cd256/fieldproof/proofs/arm64"
	"github.com/seed-6f9cd256/fieldproof/proofs/machine"
)

// The most that an architecture has.
const (
	maxRegs  = arm64.NumRegs
	maxFlags = amd64.NumFlags
)

// An arch is what the analysis knows of an architecture. Registers and flags go by
// their numbers.
type arch struct {
	sp    int
	kept  []int  // registers that hold on return what they held on entry
	align int64  // of SP
	atSP  string // what is at 0(SP) on entry

	reg     func(r int) string
	decode  func(code []byte) ([]machine.Inst, error)
	allow   func(in machine.Inst) error
	padding func(in machine.Inst) bool // whether it may stand where no path leads
	movesSP func(in machine.Inst) bool // whether it may set SP
	step    func(a *analysis, in machine.Inst) (machine.Exit[bit], error)

	rules    func(a *analysis, in machine.Inst)
	writes   func(a *analysis, r int, v value)     // before v is written to r, which is not SP
	stores   func(a *analysis, addr, v value) bool // before v is stored; whether that is all
	restored func(a *analysis, r int) bool         // of a kept register, at a return
}

var arches = map[string]*arch{"amd64": amd64Arch, "arm64": arm64Arch}

// decoded returns instructions as those of any architecture.
func decoded[I machine.Inst](list []I, err error) ([]machine.Inst, error) {
	all := make([]machine.Inst, len(list))
	for i, in := range list {
		all[i] = in
	}
	return all, err
}

// A view is the analysis as a machine with the types of an architecture.
type view[R interface {
	~uint8
	fmt.Stringer
}, F interface {
	~uint8
	fmt.Stringer
}] struct {
	*analysis
}

var (
	_ amd64.Machine[value, bit] = view[amd64.Reg, amd64.Flag]{}
	_ arm64.Machine[value, bit] = view[arm64.Reg, arm64.Flag]{}
)

// Reg returns the register as it is; Low reports it where it is undefined.
func (v view[R, F]) Reg(r R) value { return v.s.regs[r] }

// SetReg guards SP and the registers that the architecture reserves.
func (v view[R, F]) SetReg(r R, w value) {
	if int(r) == v.arch.sp {
		v.setSP(w)
	} else {
		v.arch.writes(v.analysis, int(r), w)
	}
	v.s.regs[r] = w
}

// Flag reports a flag that is undefined.
func (v view[R, F]) Flag(f F) bit {
	b := v.s.flags[f]
	if b.undefined {
		v.report(Undefined, "uses %v, which is undefined here", f)
		return bit{secret: b.secret}
	}
	return b
}

// SetFlag sets a flag.
func (v view[R, F]) SetFlag(f F, b bit) { v.s.flags[f] = b }

// sp returns the offset of SP from its value on entry, where that is known.
func (a *analysis) sp() int64 { return int64(a.s.regs[a.arch.sp].v) }

// asOnEntry is what a register held on entry.
func asOnEntry(r int) value { return value{shape: onEntry, obj: r, defined: 64} }

func (v value) isOnEntry(r int) bool { return v.shape == onEntry && v.obj == r }
