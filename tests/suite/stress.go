package suite

import (
	"io"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"runtime/trace"
	"sync"
	"testing"
	"time"
)

// Stress calls every implementation for the given time from several goroutines,
// on stacks of changing depth, while the CPU profiler, the tracer, the block
// and mutex profilers and the garbage collector look at the stacks all the
// time. Assembly that leaves the stack pointer wrong, or keeps something where the
// runtime does not expect it, crashes here, and so does a frame pointer left
// wrong if the goroutine is switched off before its caller restores it.
func Stress(t *testing.T, table []Impl, duration time.Duration) {
	t.Helper()
	gs, err := groups(table, architecture())
	if err != nil {
		t.Fatal(err)
	}
	defer watchStacks(t)()

	stop := make(chan struct{})
	time.AfterFunc(duration, func() { close(stop) })
	var wg sync.WaitGroup
	for worker := range 4 {
		// Every checker has buffers of its own.
		var cs []*checker
		for _, g := range gs {
			cs = append(cs, newChecker(g))
		}
		wg.Go(func() {
			s := plainSource{rand.New(rand.NewPCG(uint64(worker), 11))}
			for {
				select {
				case <-stop:
					return
				default:
				}
				c := cs[s.pick(len(cs))]
				in := c.draw(s)
				if err := onFreshStack(s.pick(40), func() error { return c.check(in) }); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	// The collector scans all stacks, and Stack walks them.
	wg.Go(func() {
		buf := make([]byte, 1<<16)
		for {
			select {
			case <-stop:
				return
			default:
				runtime.GC()
				runtime.Stack(buf, true)
			}
		}
	})
	wg.Wait()
}

// watchStacks starts everything that walks stacks, and returns what stops it.
func watchStacks(t *testing.T) (stop func()) {
	t.Helper()
	percent := debug.SetGCPercent(5)
	mutexes := runtime.SetMutexProfileFraction(1)
	runtime.SetBlockProfileRate(1)
	// Flags of go test may have started one of these already.
	profiling, tracing := pprof.StartCPUProfile(io.Discard), trace.Start(io.Discard)
	for _, err := range []error{profiling, tracing} {
		if err != nil {
			t.Logf("already running: %v", err)
		}
	}
	return func() {
		if profiling == nil {
			pprof.StopCPUProfile()
		}
		if tracing == nil {
			trace.Stop()
		}
		runtime.SetBlockProfileRate(0)
		runtime.SetMutexProfileFraction(mutexes)
		debug.SetGCPercent(percent)
	}
}

// onFreshStack runs f in a goroutine of its own below a number of frames, so
// that the stack has to grow in another place each time.
func onFreshStack(depth int, f func() error) error {
	done := make(chan error)
	go func() { done <- deep(depth, f) }()
	return <-done
}

func deep(depth int, f func() error) error {
	if depth == 0 {
		return f()
	}
	var frame [128]byte
	err := deep(depth-1, f)
	runtime.KeepAlive(&frame)
	return err
}
