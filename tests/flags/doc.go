// Package flags tests routines and instructions under states of the processor's
// flags that no Go code produces on purpose: a routine may assume nothing about
// the flags that its caller left. It has assembly for amd64 only and is not
// imported.
package flags
