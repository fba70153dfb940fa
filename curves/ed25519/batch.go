package ed25519

import (
	"crypto/rand"
	"crypto/sha512"
	"encoding/binary"
	"io"

	"github.com/seed-6f9cd256/fieldproof/curves/internal/edwards"
	"github.com/seed-6f9cd256/fieldproof/field25519"
)

// chunkSize is the number of signatures that are verified by one equation. Its
// tables, of 2 KB a signature, stay in a cache of 256 KB and more.
const chunkSize = 128

// A BatchVerifier verifies many signatures. Its verdict on each is that of the same
// rule on this signature alone. Under ZIP215 it takes less time than verifying one
// after the other, and there is a chance of 2^-128 that invalid ones pass. The zero
// value follows Cofactorless and is ready for use. It must not be used by several
// goroutines at once.
type BatchVerifier struct {
	rule   Rule
	claims []claim
	valid  []bool // by claim, whether it can hold: it could be decoded
}

// NewBatchVerifier returns a BatchVerifier that follows the rule. ZIP215 is the one
// that makes it fast: with Cofactorless it takes the time of verifying one signature
// after the other, for the reason that the package documentation gives.
func NewBatchVerifier(r Rule) *BatchVerifier { return &BatchVerifier{rule: r} }

// Add adds a signature of the message by the public key, which Verify of the same
// rule would be asked about. Keys and signatures of any length may be given.
// Nothing is kept of the arguments.
func (b *BatchVerifier) Add(publicKey PublicKey, message, sig []byte) {
	b.AddWithOptions(publicKey, message, sig, nil)
}

// AddWithOptions adds a signature that VerifyWithOptions of the same rule would be
// asked about.
func (b *BatchVerifier) AddWithOptions(publicKey PublicKey, message, sig []byte, opts *Options) {
	b.claims = append(b.claims, claim{})
	err := b.claims[len(b.claims)-1].set(b.rule, publicKey, message, sig, opts)
	b.valid = append(b.valid, err == nil)
}

// Len returns the number of signatures.
func (b *BatchVerifier) Len() int { return len(b.claims) }

// Verify reports whether all the signatures that were added are valid, and which
// are, in the order in which they were added. Of none, all are valid. More
// signatures may be added afterwards.
//
// It reads 32 bytes from random, or from crypto/rand if random is nil. The factors
// of the equation are a hash of these and of all the signatures. If reading fails,
// it verifies one signature after the other. It does that too with those that go
// into one equation, 128 at most, if one of them is invalid: many invalid
// signatures make it slower than no batch at all.
func (b *BatchVerifier) Verify(random io.Reader) (all bool, each []bool) {
	if random == nil {
		random = rand.Reader
	}
	each = append([]bool{}, b.valid...)
	var seed [32]byte
	together := b.rule == ZIP215
	if together {
		_, err := io.ReadFull(random, seed[:])
		together = err == nil
	}
	var indices []int // of a chunk
	all = true
	for i := range b.claims {
		all = all && b.valid[i]
		if b.valid[i] {
			indices = append(indices, i)
		}
		if len(indices) < chunkSize && i < len(b.claims)-1 {
			continue
		}
		if !(together && len(indices) > 1 && b.allHold(&seed, indices)) {
			for _, j := range indices {
				each[j] = b.claims[j].holds(b.rule)
				all = all && each[j]
			}
		}
		indices = indices[:0]
	}
	return all, each
}

// allHold reports whether the claims with these indices hold, under ZIP215, but
// for a small chance that it is wrong in saying yes: with random factors z of 128
// bits, the sum of z times the differences has an order that divides 8 (D. J.
// Bernstein, N. Duif, T. Lange, P. Schwabe, B.-Y. Yang, "High-speed high-security
// signatures", 2011, section 5).
func (b *BatchVerifier) allHold(seed *[32]byte, indices []int) bool {
	var sum field25519.Scalar
	terms := make([]edwards.Term, 0, 2*len(indices))
	factors := b.factors(seed, indices)
	for i, j := range indices {
		c := &b.claims[j]
		var z, zk field25519.Scalar
		z.SetWideBytes(factors[i][:]) // no error: the length is right
		sum.MultiplyAdd(&z, &c.s, &sum)
		zk.Multiply(&z, &c.k)
		terms = append(terms,
			edwards.Term{Point: c.minusA, Scalar: [32]byte(zk.Bytes())},
			edwards.Term{Point: c.minusR, Scalar: factors[i]})
	}
	var d edwards.Point
	d.MultiScalarVarTime((*[32]byte)(sum.Bytes()), terms)
	return isNeutral(ZIP215, &d)
}

// factors returns a number below 2^128 for each of the claims. It is hashed from
// the claims as well as from the seed: so a seed that somebody knows, or that
// comes twice, does no harm. A claim is S and k, which is itself a hash of R, A and
// the message.
func (b *BatchVerifier) factors(seed *[32]byte, indices []int) [][32]byte {
	h := sha512.New()
	h.Write([]byte("fieldproof ed25519 batch"))
	h.Write(seed[:])
	for _, j := range indices {
		c := &b.claims[j]
		h.Write(c.s.Bytes())
		h.Write(c.k.Bytes())
	}
	var block [sha512.Size + 8]byte
	h.Sum(block[:0])
	factors := make([][32]byte, len(indices))
	var digest [sha512.Size]byte
	for i := range factors {
		if i%4 == 0 {
			binary.LittleEndian.PutUint64(block[sha512.Size:], uint64(i))
			digest = sha512.Sum512(block[:])
		}
		copy(factors[i][:16], digest[16*(i%4):])
	}
	return factors
}
