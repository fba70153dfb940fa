package algo

import "github.com/seed-6f9cd256/fieldproof/spec"

// Source says in a few words how a routine works, and where that is from.
func Source(r *spec.Routine) string {
	if r.Formula != nil {
		return r.Formula.Source + "."
	}
	weak := r.Field.Form == spec.Weak
	product := "schoolbook product"
	if r.Kind == spec.KindSquare {
		product = "schoolbook square"
	}
	reduced := product + ", Montgomery reduction by words (Math. Comp. 44, 1985)."
	if weak {
		reduced = product + ", folded by R mod p (HAC, algorithm 14.47)."
	}
	switch r.Kind {
	case spec.KindAdd, spec.KindDouble:
		if weak {
			return "sum, less p times a quotient taken from the top words."
		}
		return "sum, less p unless that borrows."
	case spec.KindSubtract, spec.KindNegate:
		if weak {
			return "difference, with each borrow folded by R mod p."
		}
		return "difference, plus p after a borrow."
	case spec.KindMultiply, spec.KindSquare:
		return reduced
	case spec.KindMulAdd:
		return reduced[:len(reduced)-1] + "; then a modular sum."
	case spec.KindMult32:
		if weak {
			return "product by a word, folded by R mod p."
		}
		return "product by a word, one-word Barrett quotient (CRYPTO '86)."
	case spec.KindCanon:
		return "top bits folded, then p taken off unless that borrows."
	case spec.KindReduceWide:
		if weak {
			return "upper half folded by R mod p."
		}
		return "Montgomery products of the halves with R² and R³."
	case spec.KindToMont:
		return "Montgomery product with R²."
	case spec.KindFromMont:
		return "Montgomery reduction by words (Math. Comp. 44, 1985)."
	case spec.KindInvert:
		return "divsteps (Bernstein and Yang, TCHES 2019(3)), a constant number of them in batches."
	case spec.KindEqual, spec.KindIsZero:
		return "all bits of a reduced difference, combined."
	}
	return "conditional moves."
}
