package peers

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// The benchmarks are named Field/Operation/mode/impl=name, which benchstat
// groups with -col /impl and which ./ratio reads.

func BenchmarkField25519(b *testing.B)  { benchmark(b, "Field25519") }
func BenchmarkScalar25519(b *testing.B) { benchmark(b, "Scalar25519") }
func BenchmarkFieldP256(b *testing.B)   { benchmark(b, "FieldP256") }
func BenchmarkScalarP256(b *testing.B)  { benchmark(b, "ScalarP256") }

func benchmark(b *testing.B, name string) {
	s := suiteByName(b, name)
	for _, op := range operations {
		if s.impls[0].kernels[op.name] == nil {
			continue // not an operation of ours
		}
		for _, m := range []mode{chained, independent} {
			for _, im := range s.impls {
				newKernel := im.kernels[op.name]
				if newKernel == nil {
					continue
				}
				b.Run(fmt.Sprintf("%s/%s/impl=%s", op.name, m, im.name), func(b *testing.B) {
					rng := fixedRand()
					k := newKernel()
					k.load(operands(rng, s.modulus), operands(rng, s.modulus))
					b.ResetTimer()
					k.run(m, b.N)
				})
			}
		}
	}
}

func suiteByName(tb testing.TB, name string) suite {
	tb.Helper()
	for _, s := range suites {
		if s.name == name {
			return s
		}
	}
	tb.Fatalf("no suite called %q", name)
	return suite{}
}

// fixedRand gives every implementation the same operands.
func fixedRand() *rand.Rand { return rand.New(rand.NewPCG(1, 2)) }
