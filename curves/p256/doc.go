// Package p256 is key exchange (ECDH) and signatures (ECDSA) on the curve P-256,
// also known as secp256r1 and prime256v1.
//
// # Keys
//
// A [PrivateKey] is an integer d with 0 < d < n, where n is the order of the
// group, and a [PublicKey] is the point d·G (NIST SP 800-186, section 3.2.1.3).
// Both are checked when they are made and cannot be changed, so that no later
// call can meet an invalid key. One key serves for ECDH and for ECDSA, though a
// protocol should not use it for both. The package stdkeys, below this one,
// converts keys from and to those of crypto/ecdh and crypto/ecdsa.
//
// # Encoding
//
// A private key has 32 bytes: d, big-endian. A public key has 65 bytes, or 33 if
// compressed (SEC 1, version 2.0, section 2.3.3). A signature (r, s) has either
// 64 bytes, r and s, each of 32 bytes, big-endian (IEEE P1363), or is the DER of
// the type ECDSA-Sig-Value (RFC 3279, section 2.2.3), of 8 to 72 bytes.
// [SignASN1], [VerifyASN1] and the method Sign of a key have DER, [Sign] and
// [Verify] the 64 bytes, and [ToASN1] and [FromASN1] convert. Exactly one
// encoding is accepted for each signature in each form.
//
// Both (r, s) and (r, n - s) are valid if one is. This is a property of ECDSA.
//
// # Randomness
//
// With a source of random bytes, signatures are hedged: the nonce comes from the
// key, the message and 32 random bytes (RFC 6979, section 3.6), and a source
// that fails to be random does no harm beyond making signatures repeat. With a
// nil source they are those of RFC 6979, and a function of key and message.
//
// # Constant time
//
// No branch, no address and no instruction with an operand-dependent time
// depends on a private key or on a nonce, except that the time of signing shows
// whether a first nonce was refused, for which the odds are below 2^-32 and which
// says nothing about the others. Errors and public values, such as signatures, do
// show. Verification takes a time that depends on its arguments, which are
// public. The promise rests on what that of package fieldp256 rests on: the assembly
// for points is checked in the same way. Nothing is erased from memory.
//
// # What is proved
//
// The assembly of package fieldp256, as it says, and on amd64 that the assembly for
// points computes its formulas. That the formulas are right, the choice from tables and
// what is in this package are tested: against the standard library, the vectors of
// RFC 6979 and Wycheproof, and in the exceptional cases.
//
// # Who should use something else
//
// Programs that do not need its speed want crypto/ecdh and crypto/ecdsa, which
// many more people have looked at, and which have a validated FIPS 140-3 mode.
// TLS wants crypto/tls. New protocols want X25519 and Ed25519.
package p256
