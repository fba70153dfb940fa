// Package edwards is the group of points that X25519 and Ed25519 share: the
// twisted Edwards curve -x² + y² = 1 + d·x²·y² modulo p = 2^255 - 19 with
// d = -121665/121666 (RFC 8032, section 5.1), and the ladder on the Montgomery
// curve v² = u³ + 486662·u² + u (RFC 7748, section 4.1), which is birationally
// equivalent to it.
//
// Scalars are little-endian integers of 32 bytes. Functions whose names end in
// VarTime take a time that depends on all their arguments. The others take one
// that depends on none.
package edwards
