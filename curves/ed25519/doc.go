// Package ed25519 is the signature scheme Ed25519 of RFC 8032, with the variants
// Ed25519ctx and Ed25519ph, the functions and key types of crypto/ed25519, and
// the verification of many signatures at once.
//
// # Which signatures are valid
//
// Standards and implementations differ on signatures that only the owner of a
// key can make, with points outside of the subgroup of prime order, or with
// points that are encoded in an unusual way. A [Rule] says what holds here, for
// every input: the encodings A, R of points and S are those of the public key
// and of the two halves of the signature, and k is the hash.
//
//   - [ZIP215] is the rule of this package: Verify, VerifyWithOptions and a
//     BatchVerifier without another choice follow it. S is below the order L. A
//     and R are accepted even if their coordinate y is not below 2^255 - 19, or if
//     x = 0 has the sign bit. The equation is [8][S]B = [8]R + [8][k]A, the one of
//     RFC 8032, section 5.1.7, and FIPS 186-5, section 7.7. Source: ZIP 215,
//     https://zips.z.cash/zip-0215.
//   - [Cofactorless] is the rule of crypto/ed25519, bit for bit: the equation is
//     [S]B = R + [k]A, which RFC 8032 allows instead, R must have its one canonical
//     encoding, and A may have any.
//
// What Cofactorless accepts, ZIP215 accepts too. Signatures by Sign, or by any
// other implementation that follows RFC 8032, are valid under both.
//
// Only the first of the two equations can be checked for many signatures at once
// in such a way that the verdict on each is the same as alone: a sum of faults of
// low order may cancel. So the rule here is ZIP215, and a BatchVerifier that
// follows Cofactorless verifies one signature after the other.
//
// # Constant time
//
// In NewKeyFromSeed, GenerateKey, Sign and SignWithOptions, no branch and no
// address depends on the private key, but for its public half and the lengths of
// the message and the context. The arithmetic is that of package field25519 and
// the hash is that of crypto/sha512; see there for what the promise rests on.
// Nothing is erased from memory. Verification takes a time that depends on all
// its inputs.
//
// # What is proved
//
// The routines of package field25519 that its documentation names. The formulas
// of points, the tables of the base point and the rest of this package are tested
// only: against RFC 8032, Project Wycheproof, math/big, crypto/ed25519 and other
// libraries.
//
// # Who should use something else
//
// Programs that need FIPS 140 mode want crypto/ed25519. Programs whose peers use
// crypto/ed25519 and that must agree with them on every signature, the malicious
// ones included, want [Cofactorless].
package ed25519
