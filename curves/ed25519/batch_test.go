package ed25519

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed-6f9cd256/fieldproof/field25519"
)

var seeds = flag.Int("seeds", 2, "the number of random sources with which batches are verified")

// seeded returns a random source for tests.
func seeded(n int) io.Reader {
	var seed [32]byte
	seed[0], seed[1] = byte(n), byte(n>>8)
	return rand.NewChaCha8(seed)
}

// A triple is what a verification is about.
type triple struct {
	name                    string
	public, message, signed []byte
}

// honest returns n valid triples, of four keys.
func honest(n int) (list []triple) {
	for i := range n {
		key := NewKeyFromSeed(bytes.Repeat([]byte{byte(i % 4)}, SeedSize))
		message := fmt.Appendf(nil, "message %d", i)
		list = append(list, triple{"honest", key[SeedSize:], message, Sign(key, message)})
	}
	return list
}

// checkBatch verifies the triples in a batch, under each rule, and compares with
// the verdict on each alone.
func checkBatch(t *testing.T, list []triple, seed int) {
	t.Helper()
	for _, r := range rules {
		b := NewBatchVerifier(r)
		want, wantAll := []bool{}, true
		for _, v := range list {
			b.Add(v.public, v.message, v.signed)
			want = append(want, r.Verify(v.public, v.message, v.signed))
			wantAll = wantAll && want[len(want)-1]
		}
		all, each := b.Verify(seeded(seed))
		if all != wantAll || !slices.Equal(each, want) {
			t.Errorf("rule %d, seed %d: got %t, %v; want %t, %v", r, seed, all, each, wantAll, want)
		}
		if b.Len() != len(list) {
			t.Errorf("got length %d, want %d", b.Len(), len(list))
		}
	}
}

// TestBatchSizes has all valid, and one invalid at different places, around the
// sizes at which chunks end.
func TestBatchSizes(t *testing.T) {
	all := honest(2*chunkSize + 2)
	sizes := []int{0, 1, 2, 3, chunkSize, chunkSize + 1}
	if !testing.Short() {
		sizes = append(sizes, 64, chunkSize-1, chunkSize+2, 2*chunkSize, 2*chunkSize+1)
	}
	for _, n := range sizes {
		list := slices.Clone(all[:n])
		for i, v := range list {
			if !Verify(v.public, v.message, v.signed) {
				t.Fatalf("signature %d is invalid", i)
			}
		}
		b := NewBatchVerifier(ZIP215)
		for _, v := range list {
			b.Add(v.public, v.message, v.signed)
		}
		if ok, each := b.Verify(nil); !ok || len(each) != n || slices.Contains(each, false) {
			t.Errorf("%d valid signatures: got %t, %v", n, ok, each)
		}
		for _, at := range []int{0, n / 2, n - 1} {
			if n == 0 {
				continue
			}
			bad := slices.Clone(list)
			bad[at].message = []byte("another message")
			b := NewBatchVerifier(ZIP215)
			for _, v := range bad {
				b.Add(v.public, v.message, v.signed)
			}
			ok, each := b.Verify(nil)
			if ok || len(each) != n || slices.Index(each, false) != at || slices.Contains(each[at+1:], false) {
				t.Errorf("%d signatures, number %d invalid: got %t, %v", n, at, ok, each)
			}
		}
	}
}

// TestBatchUndecodable checks that what cannot be decoded spoils nothing else,
// also at the end of a chunk.
func TestBatchUndecodable(t *testing.T) {
	list := honest(chunkSize + 3)
	places := []int{0, 1, chunkSize - 1, chunkSize, chunkSize + 2}
	if testing.Short() {
		places = places[2:3]
	}
	for _, at := range places {
		for _, spoil := range []func(v *triple){
			func(v *triple) { v.public = []byte{2} },
			func(v *triple) { v.public = append([]byte{2}, make([]byte, 31)...) }, // y = 2
			func(v *triple) { v.signed = v.signed[:63] },
			func(v *triple) { v.signed = append(slices.Clone(v.signed[:32]), bytes.Repeat([]byte{255}, 32)...) },
		} {
			bad := slices.Clone(list)
			spoil(&bad[at])
			checkBatch(t, bad, 1)
		}
	}
}

// TestBatchCancelling has pairs of invalid signatures whose faults cancel in a
// plain sum: of S, and of points of low order.
func TestBatchCancelling(t *testing.T) {
	list := honest(4)
	var one, s field25519.Scalar
	one.One()
	for i, v := range list[:2] {
		if _, err := s.SetCanonicalBytes(v.signed[32:]); err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			s.Add(&s, &one)
		} else {
			s.Subtract(&s, &one)
		}
		list[i].signed = append(slices.Clone(v.signed[:32]), s.Bytes()...)
	}
	for seed := range 20 {
		checkBatch(t, list, seed)
	}
	// Two signatures that differ by the point of order 2 from honest ones.
	var low []triple
	for _, v := range mixed(t) {
		if v.name == "A + 0·T, R + 4·T" {
			low = append(low, v)
		}
	}
	if len(low) < 2 {
		t.Fatal("too few signatures")
	}
	for seed := range 20 {
		checkBatch(t, append(low[:2:2], list[2:]...), seed)
	}
}

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, errors.New("broken") }

// countingReader counts what is read.
type countingReader struct{ n int }

func (r *countingReader) Read(b []byte) (int, error) { r.n += len(b); return len(b), nil }

// TestBatchRandom checks what is read from the random source, that verdicts hold
// without one, and that more can be added.
func TestBatchRandom(t *testing.T) {
	list := honest(3)
	b := NewBatchVerifier(ZIP215)
	for _, v := range list[:2] {
		b.Add(v.public, v.message, v.signed)
	}
	counting := new(countingReader)
	for _, random := range []io.Reader{nil, brokenReader{}, counting, bytes.NewReader(make([]byte, 31))} {
		if all, each := b.Verify(random); !all || len(each) != 2 {
			t.Errorf("random source %T: got %t, %v", random, all, each)
		}
	}
	if counting.n != 32 {
		t.Errorf("%d bytes were read, want 32", counting.n)
	}
	b.Add(list[2].public, list[1].message, list[2].signed)
	for _, random := range []io.Reader{nil, brokenReader{}} {
		if all, each := b.Verify(random); all || !slices.Equal(each, []bool{true, true, false}) {
			t.Errorf("random source %T: got %t, %v; want the third invalid", random, all, each)
		}
	}
}

// TestBatchKeepsNothing changes the arguments after they were added.
func TestBatchKeepsNothing(t *testing.T) {
	b := NewBatchVerifier(ZIP215)
	for _, v := range honest(2) {
		b.Add(v.public, v.message, v.signed)
		clear(v.public)
		clear(v.message)
		clear(v.signed)
	}
	if all, each := b.Verify(nil); !all {
		t.Errorf("got %v", each)
	}
}

// TestBatchFactors checks that the factors of the equation depend on every part of
// every claim and on the seed, and that they are short and differ.
func TestBatchFactors(t *testing.T) {
	b := NewBatchVerifier(ZIP215)
	for _, v := range honest(6) {
		b.Add(v.public, v.message, v.signed)
	}
	indices := []int{0, 1, 2, 3, 4, 5}
	var seed [32]byte
	was := b.factors(&seed, indices)
	for i, f := range was {
		if !bytes.Equal(f[16:], make([]byte, 16)) || slices.Index(was, f) != i {
			t.Errorf("factor %d is %x", i, f)
		}
	}
	var used [32]byte
	for _, f := range was {
		for i := range f {
			used[i] |= f[i]
		}
	}
	if i := bytes.IndexByte(used[:16], 0); i >= 0 {
		t.Errorf("byte %d is 0 in all factors, which must have 128 bits", i)
	}
	seed[31] ^= 1
	if b.factors(&seed, indices)[0] == was[0] {
		t.Error("the factors do not depend on the seed")
	}
	seed[31] ^= 1
	for i := range b.claims {
		for name, part := range map[string]*field25519.Scalar{"S": &b.claims[i].s, "k": &b.claims[i].k} {
			var old field25519.Scalar
			old.Set(part)
			part.Double(part)
			if b.factors(&seed, indices)[0] == was[0] {
				t.Errorf("the factors do not depend on %s of claim %d", name, i)
			}
			part.Set(&old)
		}
	}
}
