package peers

import "testing"

// A call is one operation of a protocol, as an implementation offers it.
type call struct {
	impl string
	// prepare returns what is timed. It returns what the operation returns, or a
	// fixed value where that is random or only a verdict, so that all calls of an
	// operation return the same.
	prepare func() func() (any, error)
}

// A protocol has operations. The benchmarks are named Protocol/Operation/impl=name.
type protocol struct {
	name       string
	operations []protocolOperation
}

type protocolOperation struct {
	name  string
	calls []call // ours first
}

func (p protocol) benchmark(b *testing.B) {
	for _, op := range p.operations {
		for _, c := range op.calls {
			b.Run(op.name+"/impl="+c.impl, func(b *testing.B) {
				f := c.prepare()
				if _, err := f(); err != nil { // the first call may make tables
					b.Fatal(err)
				}
				b.ResetTimer()
				for range b.N {
					if _, err := f(); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// test checks that all calls of an operation return the same, twice.
func (p protocol) test(t *testing.T) {
	for _, op := range p.operations {
		var want any
		for i, c := range op.calls {
			f := c.prepare()
			for range 2 {
				got, err := f()
				if i == 0 && want == nil {
					want = got
				}
				if err != nil || got != want {
					t.Errorf("%s/%s/impl=%s: got %v, %v, want %v", p.name, op.name, c.impl, got, err, want)
				}
			}
		}
	}
}
