package peers

import (
	"math/big"
	"math/rand/v2"
)

// width is how many independent chains of operations a throughput benchmark
// interleaves: enough to fill the reorder window of a large core, and few
// enough to stay in L1.
const width = 8

// A mode says how the steps of a benchmark depend on each other.
type mode string

const (
	chained     mode = "chained"     // each step waits for the last: latency
	independent mode = "independent" // width chains in turn: throughput
)

// chains holds the operands of width chains of an operation on elements of
// type T. Each step replaces one z by a function of itself and its y, so that
// the inputs change all the time and no result can be thrown away.
type chains[T any] struct {
	chained bool
	rounds  int // of one step if chained, else of width steps
	z, y    [width]T
}

// each takes the steps. The compiler inlines it, and then step, which is a
// function literal; so the timed loop calls the implementation directly, as a
// user's program does, and not through a function value, which would add to
// every step. TestStepsAreInlined checks it: each is as large as the inliner
// admits.
func (c *chains[T]) each(step func(z, y *T)) {
	if c.chained {
		for range c.rounds {
			step(&c.z[0], &c.y[0])
		}
		return
	}
	for range c.rounds {
		for k := range c.z {
			step(&c.z[k], &c.y[k])
		}
	}
}

// A codec converts between integers below the modulus and elements of type T.
type codec[T any] struct {
	set   func(z *T, v *big.Int)
	value func(z *T) *big.Int
}

// A kernel is one operation of one implementation, with its operands.
type kernel interface {
	load(z, y []*big.Int)     // width integers below the modulus each
	run(m mode, n int)        // takes n steps, rounded up to whole rounds
	value(chain int) *big.Int // the z of a chain, reduced
}

// A body runs one operation over all steps of its argument: it calls each.
type body[T any] func(c *chains[T])

type typedKernel[T any] struct {
	codec codec[T]
	body  body[T]
	c     chains[T]
}

func (k *typedKernel[T]) load(z, y []*big.Int) {
	for i := range width {
		k.codec.set(&k.c.z[i], z[i])
		k.codec.set(&k.c.y[i], y[i])
	}
}

func (k *typedKernel[T]) run(m mode, n int) {
	k.c.chained, k.c.rounds = m == chained, n
	if m == independent {
		k.c.rounds = (n + width - 1) / width
	}
	k.body(&k.c)
}

func (k *typedKernel[T]) value(chain int) *big.Int { return k.codec.value(&k.c.z[chain]) }

// An impl is one implementation of a field: its name in the names of
// benchmarks, and its operations by name.
type impl struct {
	name    string
	kernels map[string]func() kernel
}

func newImpl[T any](name string, c codec[T], bodies map[string]body[T]) impl {
	kernels := make(map[string]func() kernel)
	for op, b := range bodies {
		kernels[op] = func() kernel { return &typedKernel[T]{codec: c, body: b} }
	}
	return impl{name, kernels}
}

// A suite is one field, as every implementation of it computes.
type suite struct {
	name    string // as in the names of benchmarks: Field25519
	modulus *big.Int
	impls   []impl
}

// operands draws the operands of a kernel. All are squares, so that square
// roots exist in the first step; other operations do not care.
func operands(rng *rand.Rand, p *big.Int) []*big.Int {
	v := make([]*big.Int, width)
	for i := range v {
		x := new(big.Int)
		for range 5 { // 320 bits, so that the residue is close to uniform
			x.Lsh(x, 64).Or(x, new(big.Int).SetUint64(rng.Uint64()))
		}
		v[i] = x.Mul(x, x).Mod(x, p)
	}
	return v
}
