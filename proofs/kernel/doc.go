// Package kernel checks certificates that the machine code of a routine keeps
// its contract. It does no search, and but for what is named below it is a literal copy of a checker in Coq
// (package coq), which is proved sound: the files here correspond to files of
// the same content there, x86.go to X86.v, a64.go to A64.v, slots.go to Sim.v, routine.go to
// Routine.v and Proof.v, word.go and context.go to Word.v, split.go to Split.v,
// step.go to Step.v, derive.go to Derive.v, check.go to Goal.v and Check.v, value.go
// to Value.v, alias.go to Alias.v, loop.go to Loop.v, batchcode.go to BatchCode.v,
// invert.go to the contracts of Segment.v, and segment.go to the rest of it and to
// InvertSound.v. Nothing in Coq corresponds to formula.go and pieces.go, which are
// about formulas on points, and to signed.go.
//
// A routine becomes a program on locations, for every way in which its pointers
// may be equal. Of each word that the program computes, the checker keeps two
// polynomials and a range; see Word. A certificate says where the rules of the
// checker do not find a range by themselves, and how it follows from others.
package kernel
