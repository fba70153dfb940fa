// Package fieldp256 is constant-time arithmetic for the curve P-256 (NIST SP
// 800-186, section 3.2.1.3): an [Element] is an integer modulo the prime
// p = 2^256 - 2^224 + 2^192 + 2^96 - 1, over which the curve is defined, a
// [Scalar] is an integer modulo the prime order of its group.
//
// # Representation
//
// Both types hold four 64-bit limbs of an integer in Montgomery form, which is
// below the modulus between calls. None of this is visible to the caller.
//
// # Encoding
//
// Encodings are 32 bytes, big-endian. [Element.Bytes] and [Scalar.Bytes] return
// the integer below the modulus. The setters of 32 bytes refuse an integer that
// is not below the modulus, and SetWideBytes reduces one of 32 to 64 bytes. A
// setter that refuses its input returns nil and an error and leaves the
// receiver as it was.
//
// # Constant time
//
// No branch, no address and no instruction with an operand-dependent time
// depends on the value of an Element, a Scalar, a cond argument, the factor of
// Mult32 or the bytes given to a setter. Three things do show in the time: the
// lengths of slices, whether a setter accepts its input, and the CPU features.
// The promise assumes a CPU whose addition, logic and multiplication
// instructions take a time that does not depend on their operands. In the
// portable code it also assumes that the Go compiler keeps masks and carries as
// they are written. Nothing is erased from memory.
//
// # Aliasing
//
// The receiver and the arguments of every method may be the same pointer, in
// every combination. Values may be copied. They may be read by several
// goroutines at once, like any Go value.
//
// # Implementations
//
// On amd64, generated assembly uses the BMI2 and ADX instructions if the CPU
// has both, and otherwise only those that every amd64 CPU has. On arm64 there are
// two kinds of product, one of them for cores on which wide multiplications are
// slow, which Linux tells. Elsewhere, and everywhere with the build tag purego,
// portable Go code is used. The results are the same. To choose one, for a test or
// a comparison:
//
//	GODEBUG=cpu.adx=off                     amd64: no BMI2 and ADX
//	GODEBUG=cpu.bmi2=off                    the same
//	GODEBUG=fieldproof.mul=schoolbook       arm64: every product of words
//	GODEBUG=fieldproof.mul=karatsuba        arm64: few wide multiplications
//	go build -tags purego                   the portable code
//
// # What is proved
//
// Every routine of the amd64 assembly but Invert is proved, from its machine-code
// bytes, to satisfy its contract, and Coq checks the proof; so is the arm64 assembly,
// but for Invert and for products with few wide multiplications. The rest, the portable
// code and the Go code of this package are tested only. The machine code for both is
// checked for secret-dependent branches and addresses. For the exact claims, and what
// they rest on, see
// https://github.com/seed-6f9cd256/fieldproof/blob/main/SOUNDNESS.md.
//
// # Who should use something else
//
// Programs that need ECDH, ECDSA or TLS want crypto/ecdh, crypto/ecdsa or
// crypto/tls. Those that need points of the curve want a package of points,
// such as filippo.io/nistec. Those that need moduli chosen at run time want
// filippo.io/bigmod, or math/big if no number is secret. This package is for
// those who implement such protocols and curves.
package fieldp256
