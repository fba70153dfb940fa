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
//   - [Cofactorless] is the rule of crypto/ed25519, for every input, and the one
//     that Verify, VerifyWithOptions and the zero value of BatchVerifier follow. S
//     is below the order L. The equation is [S]B = R + [k]A, one of the two that
//     RFC 8032, section 5.1.7, allows. R must have its one canonical encoding; A
//     may also have a coordinate y that is not below 2^255 - 19, or x = 0 with the
//     sign bit.
//   - [ZIP215] has the other equation of the RFC, which is also that of FIPS 186-5,
//     section 7.7: [8][S]B = [8]R + [8][k]A. S is below L, and both A and R may have
//     any encoding. Source: ZIP 215, https://zips.z.cash/zip-0215.
//
// What Cofactorless accepts, ZIP215 accepts too. Signatures by Sign, or by any
// other implementation that follows RFC 8032, are valid under both.
//
// Only the equation with the cofactor can be checked for many signatures at once in
// such a way that the verdict on each is the same as alone: without it, faults of
// low order cancel in a sum, and to exclude them costs more than is gained. So a
// [BatchVerifier] is fast under ZIP215, and under Cofactorless it verifies one
// signature after the other. A protocol that wants batches must choose ZIP215 for all
// of its verifications, or two sides may disagree on a malicious signature.
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
// The routines of package field25519 that its documentation names, and on amd64 that
// the assembly for points computes its formulas. That the formulas are right, the choice
// from tables, the tables and the rest of this package are tested only: against RFC 8032,
// Project Wycheproof, math/big, crypto/ed25519 and other libraries.
//
// # Who should use something else
//
// Programs that need FIPS 140 mode want crypto/ed25519.
package ed25519
