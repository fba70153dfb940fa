//go:build !purego

package flags

// callWithFlags calls the assembly function at the address pc with the carry
// and the overflow flag set. The words of args are its parameters and results,
// in the layout of ABI0: it has both as they are afterwards.
//
// The function must not keep a pointer to the stack among its parameters: the
// collector does not see them.
//
//go:noescape
func callWithFlags(pc uintptr, args *[6]uintptr)

// mulx sets the carry flag to carry and the overflow flag to overflow, each 0
// or 1, multiplies x and y with MULX, and returns the product and the flags as
// they are then.
//
//go:noescape
func mulx(x, y, carry, overflow uint64) (lo, hi, carryAfter, overflowAfter uint64)

// onEntry returns the flags as its caller left them: what a routine sees that
// callWithFlags calls.
func onEntry() (carry, overflow uint64)
