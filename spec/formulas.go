package spec

import "math/big"

// The formulas are those of the Explicit-Formulas Database (EFD,
// hyperelliptic.org/EFD), by their names there, and of the papers that it cites.

var curves = []*Curve{edwards25519(), p256Curve()}

// on returns the field called name, for the routines of a package elsewhere.
func on(name, pkg string) *Field {
	for _, f := range fields {
		if f.Name == name {
			g := *f
			g.Package, g.Prefix = pkg, ""
			return &g
		}
	}
	panic("spec: no field " + name)
}

// edwards25519 is -x² + y² = 1 + d·x²·y², and its Montgomery form for the
// ladder.
func edwards25519() *Curve {
	c := &Curve{Name: "edwards25519", Title: "edwards25519 and curve25519 (RFC 7748, section 4.1)", Package: "curves/internal/edwards"}
	c.field = on("p25519", "edwards")
	b := builder{c.field}
	extended := []string{"X", "Y", "Z", "T"}
	projective := extended[:3]
	cached := []string{"YplusX", "YminusX", "Z2", "T2d"}
	affine := []string{"YplusX", "YminusX", "XY2d"}
	one, zero := big.NewInt(1), new(big.Int)

	p := vars("p", extended...)
	x, y, z, t := p[0], p[1], p[2], p[3]
	v, minus := Var, Var("minus")
	// The last products of all formulas on Edwards points.
	last := func(withT bool) []Let {
		ls := []Let{
			let("r.X", Mul(v("E"), v("F"))),
			let("r.Y", Mul(v("G"), v("H"))),
			let("r.Z", Mul(v("F"), v("G"))),
		}
		if withT {
			ls = append(ls, let("r.T", Mul(v("E"), v("H"))))
		}
		return ls
	}
	double := []Let{
		let("A", Mul(x, x)),
		let("B", Mul(y, y)),
		let("ZZ", Mul(z, z)),
		let("S", Add(x, y)),
		let("SS", Mul(v("S"), v("S"))),
		let("H", Add(v("A"), v("B"))),
		let("E", Sub(v("H"), v("SS"))),
		let("G", Sub(v("A"), v("B"))),
		let("F", Add(v("G"), Add(v("ZZ"), v("ZZ")))),
	}
	// r = p + q, or p - q if minus is 1: -q has the first two coordinates
	// exchanged and the other sign in the last.
	sum := func(q []Expr, d Expr) []Let {
		return append([]Let{
			let("YP", Choose(minus, q[1], q[0])),
			let("YM", Choose(minus, q[0], q[1])),
			let("A", Mul(Sub(y, x), v("YM"))),
			let("B", Mul(Add(y, x), v("YP"))),
			let("C", Mul(t, q[len(q)-1])),
			let("D", d),
			let("DP", Add(v("D"), v("C"))),
			let("DM", Sub(v("D"), v("C"))),
			let("E", Sub(v("B"), v("A"))),
			let("F", Choose(minus, v("DP"), v("DM"))),
			let("G", Choose(minus, v("DM"), v("DP"))),
			let("H", Add(v("B"), v("A"))),
		}, last(true)...)
	}
	q := vars("q", cached...)
	a := vars("q", affine...)

	s := vars("s", "X2", "Z2", "X3", "Z3")
	ladder := []Let{
		let("A", Add(s[0], s[1])),
		let("B", Sub(s[0], s[1])),
		let("C", Add(s[2], s[3])),
		let("D", Sub(s[2], s[3])),
		let("DA", Mul(v("D"), v("A"))),
		let("CB", Mul(v("C"), v("B"))),
		let("P", Choose(v("swap"), v("C"), v("A"))),
		let("Q", Choose(v("swap"), v("D"), v("B"))),
		let("AA", Mul(v("P"), v("P"))),
		let("BB", Mul(v("Q"), v("Q"))),
		let("E", Sub(v("AA"), v("BB"))),
		let("M", Sub(v("DA"), v("CB"))),
		let("N", Add(v("DA"), v("CB"))),
		let("MM", Mul(v("M"), v("M"))),
		let("s.Z3′", Mul(v("u.X"), v("MM"))),
		let("s.X3′", Mul(v("N"), v("N"))),
		let("s.X2′", Mul(v("AA"), v("BB"))),
		let("s.Z2′", Mul(v("E"), Add(v("AA"), small(121665, v("E"))))),
	}
	c.Formulas = []Formula{
		{Kind: "double", Source: "EFD dbl-2008-hwcd (Hisil, Wong, Carter, Dawson, Asiacrypt 2008), without T",
			Params: []Param{b.point(Out, "r", "projective", projective...), b.point(In, "p", "projective", projective...)},
			Steps:  append(double[:len(double):len(double)], last(false)...)},
		{Kind: "doubleExtended", Source: "EFD dbl-2008-hwcd (Hisil, Wong, Carter, Dawson, Asiacrypt 2008)",
			Params: []Param{b.point(Out, "r", "extended", extended...), b.point(In, "p", "projective", projective...)},
			Steps:  append(double[:len(double):len(double)], last(true)...)},
		{Kind: "addCached", Source: "EFD add-2008-hwcd-3 (Hisil, Wong, Carter, Dawson, Asiacrypt 2008), complete on this curve",
			Params: []Param{b.point(Out, "r", "extended", extended...), b.point(In, "p", "extended", extended...), b.point(In, "q", "cached", cached...), bit("minus")},
			Steps:  sum(q, Mul(z, q[2]))},
		{Kind: "addAffine", Source: "EFD madd-2008-hwcd-3 (Hisil, Wong, Carter, Dawson, Asiacrypt 2008), complete on this curve",
			Params: []Param{b.point(Out, "r", "extended", extended...), b.point(In, "p", "extended", extended...), b.point(In, "q", "affineCached", affine...), bit("minus")},
			Steps:  sum(a, Add(z, z))},
		{Kind: "ladderStep", Source: "RFC 7748, section 5: the exchange of the points if swap is 1, and one step",
			Params: []Param{b.point(InOut, "s", "ladder", "X2", "Z2", "X3", "Z3"), b.point(In, "u", "element", "X"), bit("swap")},
			Steps:  ladder},
		{Kind: "selectAffine", Source: "conditional moves of every entry",
			Params: []Param{b.point(Out, "r", "affineCached", affine...), b.table("table", "affineCached", 8, affine...), value("i", 9)},
			Select: &Select{"r", "table", "i", []*big.Int{one, one, zero}}},
	}
	return c
}

// p256Curve is y² = x³ - 3x + b over the P-256 prime, in Jacobian coordinates.
func p256Curve() *Curve {
	c := &Curve{Name: "nistp256", Title: "P-256 (NIST SP 800-186, section 3.2.1.3)", Package: "curves/internal/nist"}
	c.field = on("p256", "nist")
	b := builder{c.field}
	jacobian, affine := []string{"X", "Y", "Z"}, []string{"X", "Y"}
	p, q := vars("p", jacobian...), vars("q", affine...)
	s := vars("s", "PX", "PY", "DX", "DY", "Z", "Ratio")
	v := Var
	choose := func(kind Kind, n int64) Formula {
		return Formula{Kind: kind, Source: "conditional moves of every entry",
			Params: []Param{b.point(Out, "r", "affine", affine...), b.table("table", "affine", int(n), affine...), value("i", n)},
			Select: &Select{Out: "r", Table: "table", Index: "i"}}
	}
	c.Formulas = []Formula{
		{Kind: "double", Source: "EFD dbl-2001-b (Bernstein, 2001)",
			Params: []Param{b.point(Out, "r", "jacobian", jacobian...), b.point(In, "p", "jacobian", jacobian...)},
			Steps: []Let{
				let("D", Mul(p[2], p[2])),
				let("G", Mul(p[1], p[1])),
				let("B", Mul(p[0], v("G"))),
				let("L", Mul(Sub(p[0], v("D")), Add(p[0], v("D")))),
				let("A", Add(v("L"), Add(v("L"), v("L")))),
				let("YZ", Mul(p[1], p[2])),
				let("r.Z", Add(v("YZ"), v("YZ"))),
				let("B2", Add(v("B"), v("B"))),
				let("B4", Add(v("B2"), v("B2"))),
				let("AA", Mul(v("A"), v("A"))),
				let("r.X", Sub(v("AA"), Add(v("B4"), v("B4")))),
				let("G2", Add(v("G"), v("G"))),
				let("GG", Mul(v("G2"), v("G2"))),
				let("r.Y", Sub(Mul(v("A"), Sub(v("B4"), v("r.X"))), Add(v("GG"), v("GG")))),
			}},
		{Kind: "addAffine", Source: "EFD add-1998-cmo-2 with Z2 = 1 (Cohen, Miyaji, Ono, Asiacrypt 1998), for points with different x, neither of them at infinity",
			Params: []Param{b.point(Out, "r", "jacobian", jacobian...), b.point(In, "p", "jacobian", jacobian...), b.point(In, "q", "affine", affine...), bit("minus")},
			// r = p + q, or p - q if minus is 1.
			Steps: []Let{
				let("Q", Choose(v("minus"), Sub(Const(new(big.Int)), q[1]), q[1])),
				let("ZZ", Mul(p[2], p[2])),
				let("U", Mul(q[0], v("ZZ"))),
				let("S", Mul(v("Q"), Mul(p[2], v("ZZ")))),
				let("H", Sub(v("U"), p[0])),
				let("R", Sub(v("S"), p[1])),
				let("r.Z", Mul(p[2], v("H"))),
				let("HH", Mul(v("H"), v("H"))),
				let("HHH", Mul(v("H"), v("HH"))),
				let("V", Mul(p[0], v("HH"))),
				let("N", Mul(p[1], v("HHH"))),
				let("RR", Mul(v("R"), v("R"))),
				let("r.X", Sub(Sub(v("RR"), v("HHH")), Add(v("V"), v("V")))),
				let("r.Y", Sub(Mul(v("R"), Sub(v("V"), v("r.X"))), v("N"))),
			}},
		{Kind: "addCoZ", Source: "ZADDU (Goundar, Joye, Miyaji, CHES 2010, algorithm 1): p = p + d, and d with the new Z that both have, and its ratio to the old one; for points with different x",
			Params: []Param{b.point(InOut, "s", "coZ", "PX", "PY", "DX", "DY", "Z", "Ratio")},
			Steps: []Let{
				let("s.Ratio′", Sub(s[2], s[0])),
				let("C", Mul(v("s.Ratio′"), v("s.Ratio′"))),
				let("W", Mul(s[0], v("C"))),
				let("s.DX′", Mul(s[2], v("C"))),
				let("E", Sub(s[3], s[1])),
				let("s.DY′", Mul(s[3], Sub(v("s.DX′"), v("W")))),
				let("EE", Mul(v("E"), v("E"))),
				let("s.PX′", Sub(Sub(v("EE"), v("W")), v("s.DX′"))),
				let("s.PY′", Sub(Mul(v("E"), Sub(v("s.DX′"), v("s.PX′"))), v("s.DY′"))),
				let("s.Z′", Mul(s[4], v("s.Ratio′"))),
			}},
		{Kind: "scale", Source: "the change of Jacobian coordinates to those with Z = 1, from p.X, p.Y and z = 1/Z",
			Params: []Param{b.point(InOut, "p", "affine", affine...), b.point(In, "z", "element", "X")},
			Steps: []Let{
				let("ZZ", Mul(v("z.X"), v("z.X"))),
				let("p.X′", Mul(p[0], v("ZZ"))),
				let("p.Y′", Mul(p[1], Mul(v("z.X"), v("ZZ")))),
			}},
		choose("select16", 16),
		choose("select32", 32),
	}
	return c
}
