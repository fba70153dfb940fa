package kernel_test

import (
	"bytes"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/seed-6f9cd256/fieldproof/proofs/coq"
	k "github.com/seed-6f9cd256/fieldproof/proofs/kernel"
	"github.com/seed-6f9cd256/fieldproof/proofs/search"
)

// inversions are the names of the inversions that are proved.
var inversions = []string{"field25519.feInvertADX", "field25519.feInvertAMD64"}

// inversion returns a routine and its certificates, which may be changed: each
// pattern has its own.
func inversion(t *testing.T, name string) (*k.Routine, []*k.Cert) {
	t.Helper()
	tt := target(t, name)
	r := routine(t, tt)
	ks := certificates(t, tt, r)
	for i, c := range ks {
		c, v := *c, *c.Inversion
		v.F, v.G, v.U, v.V = slices.Clone(v.F), slices.Clone(v.G), slices.Clone(v.U), slices.Clone(v.V)
		c.Inversion, ks[i] = &v, &c
	}
	return r, ks
}

// shapes changes what all certificates say of where the state is.
func shapes(ks []*k.Cert, change func(v *k.Inversion)) {
	for _, c := range ks {
		change(c.Inversion)
	}
}

// TestInvertSegments replays the certificates of the parts of inversions with a
// fault in the code of each.
func TestInvertSegments(t *testing.T) {
	r, ks := inversion(t, "field25519.feInvertADX")
	ps, err := ks[0].Inversion.Segments(r, r.Patterns()[0])
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range ps {
		refused := 0
		for at := 0; at < len(p.Code); at += []int{1, 5, 1}[i] { // the middle part takes longest
			was := p.Code[at]
			switch was.Op {
			case k.Adc:
				p.Code[at].Op = k.Sbb
			case k.Shr, k.Shl:
				p.Code[at].N ^= 1
			default:
				continue
			}
			if k.Replay(p.Code, &p.Contract, ks[0].Parts[i], nil) != nil {
				refused++
			}
			p.Code[at] = was
		}
		if refused < 5 {
			t.Errorf("part %s: %d faults are refused", k.Parts[i], refused)
		}
	}
}

// TestInvertRefused plants faults in what the certificates of an inversion say,
// in its contract and in its code.
func TestInvertRefused(t *testing.T) {
	name := "field25519.feInvertADX"
	for _, tt := range []struct {
		fault, want string
		plant       func(r *k.Routine, ks []*k.Cert)
	}{
		{"none", "", func(*k.Routine, []*k.Cert) {}},
		{"another number of rounds", "531 divsteps: there is no theorem", func(r *k.Routine, ks []*k.Cert) {
			shapes(ks, func(v *k.Inversion) { v.Rounds = 9 })
		}},
		{"more steps than the batch has", "leads to another multiple", func(r *k.Routine, ks []*k.Cert) {
			shapes(ks, func(v *k.Inversion) { v.Steps = []int{20, 20, 20} })
		}},
		{"more steps, and a start for them", "are not shown to be equal", func(r *k.Routine, ks []*k.Cert) {
			shapes(ks, func(v *k.Inversion) {
				v.Steps = []int{20, 20, 20}
				p := v.Modulus
				v.Scale = new(big.Int).ModInverse(new(big.Int).Exp(big.NewInt(2), big.NewInt(600), p), p)
			})
		}},
		{"sub-batches in another order", "want 20, 20, and 19 or 20", func(r *k.Routine, ks []*k.Cert) {
			shapes(ks, func(v *k.Inversion) { v.Steps = []int{19, 20, 20} })
		}},
		{"a larger modulus", "does not claim that its first parameter is the inverse", func(r *k.Routine, ks []*k.Cert) {
			shapes(ks, func(v *k.Inversion) { v.Modulus = new(big.Int).Add(v.Modulus, big.NewInt(2)) })
		}},
		{"a modulus too long for the steps", "are enough for 255 bits", func(r *k.Routine, ks []*k.Cert) {
			shapes(ks, func(v *k.Inversion) {
				v.Modulus = new(big.Int).Lsh(big.NewInt(1), 300)
				v.Modulus.Add(v.Modulus, big.NewInt(1))
				v.F, v.G = append(v.F, v.F[0]+90), append(v.G, v.G[0]+90)
				r.Claims[0].Mod = v.Modulus
			})
		}},
		{"an even modulus", "is not odd", func(r *k.Routine, ks []*k.Cert) {
			shapes(ks, func(v *k.Inversion) { v.Modulus = new(big.Int).Add(v.Modulus, big.NewInt(1)) })
			r.Claims[0].Mod = ks[0].Inversion.Modulus
		}},
		{"a smaller bound of u and v", "update", func(r *k.Routine, ks []*k.Cert) {
			shapes(ks, func(v *k.Inversion) { v.Max = new(big.Int).Sub(v.Modulus, big.NewInt(1)) })
		}},
		{"f and g exchanged", "are not shown to be equal", func(r *k.Routine, ks []*k.Cert) {
			shapes(ks, func(v *k.Inversion) { v.F, v.G = v.G, v.F })
		}},
		{"the matrix transposed", "are not shown to be equal", func(r *k.Routine, ks []*k.Cert) {
			shapes(ks, func(v *k.Inversion) { v.T[0][1], v.T[1][0] = v.T[1][0], v.T[0][1] })
		}},
		{"the count for n", "must stay as it is", func(r *k.Routine, ks []*k.Cert) {
			shapes(ks, func(v *k.Inversion) { v.N = v.Count })
		}},
		{"a longer batch", "is not known", func(r *k.Routine, ks []*k.Cert) {
			shapes(ks, func(v *k.Inversion) { v.Cut += 100 })
		}},
		{"a batch longer than the body", "want at least the 1000000 of a batch", func(r *k.Routine, ks []*k.Cert) {
			shapes(ks, func(v *k.Inversion) { v.Cut = 1000000 })
		}},
		{"a shorter batch", "are not shown to be equal", func(r *k.Routine, ks []*k.Cert) {
			shapes(ks, func(v *k.Inversion) { v.Cut -= 5 })
		}},
		{"a location that the code does not have", "is none of the routine's", func(r *k.Routine, ks []*k.Cert) {
			shapes(ks, func(v *k.Inversion) { v.U[0] = 1000000 })
		}},
		{"no words of f and g", "want as many, and at least 1", func(r *k.Routine, ks []*k.Cert) {
			shapes(ks, func(v *k.Inversion) { v.F, v.G = nil, nil })
		}},
		{"patterns that differ", "differ in where the state is", func(r *k.Routine, ks []*k.Cert) {
			ks[0].Inversion.Cut++
		}},
		{"no certificate of a pattern", "certificate 1 is not that of an inversion", func(r *k.Routine, ks []*k.Cert) { ks[0] = nil }},
		{"the certificate of straight-line code", "certificate 2 is not that of an inversion", func(r *k.Routine, ks []*k.Cert) { ks[1] = ks[1].Parts[0] }},
		{"an inversion in a part", "unknown node", func(r *k.Routine, ks []*k.Cert) { ks[0].Parts[1] = ks[0] }},
		{"a part left out", "finish: the certificate stops", func(r *k.Routine, ks []*k.Cert) { ks[0].Parts[2] = nil }},
		{"the inverse of another multiple", "leads to another multiple", func(r *k.Routine, ks []*k.Cert) { r.Claims[0].Factor = big.NewInt(2) }},
		{"the inverse of 0 times the number", "leads to another multiple", func(r *k.Routine, ks []*k.Cert) { r.Claims[0].Factor = new(big.Int) }},
		{"a smaller result", "does not claim that the inverse is below", func(r *k.Routine, ks []*k.Cert) { r.Claims[1].Hi = big.NewInt(1) }},
		{"one claim more", "has 3 claims", func(r *k.Routine, ks []*k.Cert) { r.Claims = append(r.Claims, r.Claims[1]) }},
		{"the inverse of the result", "does not claim that its first parameter", func(r *k.Routine, ks []*k.Cert) { r.Claims[0].Arg = r.Claims[0].Var }},
	} {
		r, ks := inversion(t, name)
		tt.plant(r, ks)
		switch err := r.Check(ks); {
		case tt.fault == "none" && err != nil:
			t.Fatal(err)
		case tt.fault != "none" && (err == nil || !strings.Contains(err.Error(), tt.want)):
			t.Errorf("%s: got %v, want an error with %q", tt.fault, err, tt.want)
		}
	}
}

// TestInvertText refuses certificates of inversions that were edited, truncated
// or exchanged.
func TestInvertText(t *testing.T) {
	tt := target(t, "field25519.feInvertADX")
	r := routine(t, tt)
	good := text(t, tt)
	check := func(text string) error {
		ks, err := r.ParseText(tt.Name, text)
		if err != nil {
			return err
		}
		return r.Check(ks)
	}
	if err := check(good); err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(good, "\n")
	for n := range len(lines) - 1 {
		if check(strings.Join(lines[:n], "")) == nil {
			t.Errorf("the first %d of %d lines are accepted", n, len(lines)-1)
		}
		if strings.HasPrefix(lines[n], "learn ") || strings.HasPrefix(lines[n], "prod ") || n > 25 && n%4 != 0 {
			continue // the search derives facts that are not used afterwards; and this takes long
		}
		if check(strings.Join(lines[:n], "")+strings.Join(lines[n+1:], "")) == nil {
			t.Errorf("without line %d, %q, it is accepted", n+1, lines[n])
		}
	}
	for n := 0; n < len(good); n += 41 {
		if check(good[:n]) == nil {
			t.Errorf("the first %d bytes are accepted", n)
		}
	}
	other := text(t, target(t, "field25519.feInvertAMD64"))
	if err := check(other); err == nil || !strings.Contains(err.Error(), "want \"routine field25519.feInvertADX\"") {
		t.Errorf("the certificate for another instruction set: got %v", err)
	}
	adopted := strings.Replace(k.Rehash(other, tt.Code), "feInvertAMD64", "feInvertADX", 1)
	if err := check(adopted); err == nil || !strings.Contains(err.Error(), "pointers x=z") {
		t.Errorf("the same with the name and the hash of this one: got %v", err)
	}
	sum := text(t, target(t, "field25519.feAddAMD64"))
	_, straight, _ := strings.Cut(sum, "pointers disjoint\n")
	straight, _, _ = strings.Cut(straight, "pointers ")
	head, _, _ := strings.Cut(good, "inversion ")
	if err := check(head + straight); err == nil || !strings.Contains(err.Error(), "is not that of an inversion") {
		t.Errorf("the certificate of straight-line code: got %v", err)
	}
	_, node, _ := strings.Cut(good, "inversion ")
	for _, edit := range [][2]string{
		{"inversion 10 rounds", "inversion 11 rounds"}, {"20 20 19", "20 20 20"}, {"20 20 19", "20 20 19 "}, {"20 20 19", "20 39"},
		{"f 1000 1001", "f 1001 1000"}, {"f 1000 ", "f "}, {"f 1000", "f 0"}, {"u 1008", "u 1000000"}, {"u 1008", "u 1012"}, {"n 1016", "n 1017"}, {"count 1017", "count 1016"},
		{"\nmatrix ", "\nmatrix 0 "}, {"\nmatrix ", "\nmatrix 13 "}, {"\nbatch ", "\nbatch 1"}, {"\nbatch ", "\nbatch 10000"}, {"\nbatch ", "\nbatch 20000000000"}, {"\nbatch ", "\nbatch -"},
		{"most 5", "most 4"}, {"most 5", "most -5"}, {"scale 1", "scale 2"}, {"modulus 5", "modulus 7"}, {"modulus 5", "modulus x"},
		{"part update", "part finish"}, {"part start\n", ""}, {"part start\n", "part start\ninversion " + node}, {"goal range -", "goal eqs -"},
	} {
		if bad := strings.Replace(good, edit[0], edit[1], 1); bad == good || check(bad) == nil {
			t.Errorf("with %q in place of %q it is accepted, or the same", edit[1], edit[0])
		}
	}
}

// TestInvertMutants changes single instructions of an inversion, in each part
// and in the batch, and demands that the certificate is refused.
func TestInvertMutants(t *testing.T) {
	tt := target(t, "field25519.feInvertADX")
	_, ks := inversion(t, tt.Name)
	rnd := rand.New(rand.NewPCG(31, 32))
	decoded, accepted := 0, 0
	for range 150 {
		code := bytes.Clone(tt.Code)
		at := rnd.IntN(len(code))
		code[at] ^= 1 << rnd.IntN(8)
		r, err := k.NewRoutine(tt.Contract, k.ABI0, code)
		if err != nil {
			continue
		}
		decoded++
		if r.Check(ks) == nil {
			accepted++
			if err := inverts(r, ks, 20, rnd); err != nil {
				t.Errorf("with byte %#x changed to %#x it is accepted, but wrong: %v", at, code[at], err)
			}
		}
	}
	t.Logf("%d mutants decode, %d of them are accepted", decoded, accepted)
	if decoded < 50 || accepted*5 > decoded {
		t.Errorf("%d mutants decode, %d are accepted: want 50 or more, and few of them", decoded, accepted)
	}
}

// inverts runs an inversion on random inputs, under every pattern, and compares
// the results with its contract.
func inverts(r *k.Routine, ks []*k.Cert, runs int, rnd *rand.Rand) error {
	v := ks[0].Inversion
	for _, pat := range r.Patterns() {
		l, err := r.Loop(pat)
		if err != nil {
			return err
		}
		ps, err := v.Segments(r, pat)
		if err != nil {
			return err
		}
		for range runs {
			s, env := start(r, pat, ps[0], rnd)
			s.run(l.Parts[0])
			for range v.Rounds {
				s.run(l.Parts[1])
			}
			s.run(l.Parts[2])
			end(r, pat, s, env)
			if err := r.Spec.Check(env); err != nil {
				return err
			}
		}
	}
	return nil
}

func (v values) run(code []k.Instr) {
	for i := range code {
		v.exec(&code[i])
	}
}

// TestInvertConcrete runs inversions on random inputs: the results are compared
// with the contract, the state at the head of the loop and after every batch
// with divsteps on integers, and the certificates of the parts are followed.
func TestInvertConcrete(t *testing.T) {
	rnd := rand.New(rand.NewPCG(33, 34))
	for _, name := range inversions {
		r, ks := inversion(t, name)
		if err := inverts(r, ks, 10, rnd); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		v := ks[0].Inversion
		pat := r.Patterns()[len(ks)-1]
		l, err := r.Loop(pat)
		if err != nil {
			t.Fatal(err)
		}
		ps, err := v.Segments(r, pat)
		if err != nil {
			t.Fatal(err)
		}
		words := 0
		part := func(s values, i int) {
			f := &follower{program: ps[i], v: s, vars: map[k.Var]*big.Int{}}
			f.state, _ = ps[i].Entry()
			for j, in := range ps[i].Inputs {
				f.vars[k.Var(2*(j+1))] = s[in.Loc]
			}
			if err := k.Try(func() { f.follow(ks[len(ks)-1].Parts[i]) }); err != nil {
				f.fault = err
			}
			if f.fault != nil {
				t.Fatalf("%s, part %s: %v", name, k.Parts[i], f.fault)
			}
			words += f.words
		}
		for range 5 {
			s, _ := start(r, pat, ps[0], rnd)
			part(s, 0)
			for range v.Rounds {
				d, f, g := state(v, s)
				s.run(l.Parts[1][:v.Cut])
				compareBatch(t, v, s, d, f, g)
				part(s, 1)
			}
			if count := s[v.Count]; count.Sign() != 0 {
				t.Fatalf("%s: the count is %v after the last round", name, count)
			}
			if _, _, g := state(v, s); g.Sign() != 0 {
				t.Fatalf("%s: g is %v after the last round", name, g)
			}
			part(s, 2)
		}
		t.Logf("%s: %d words compared", name, words)
	}
}

// state reads d, f and g.
func state(v *k.Inversion, s values) (d int64, f, g *big.Int) {
	signed := func(ls []k.Loc) *big.Int {
		z := new(big.Int)
		for i, l := range ls {
			z.Or(z, new(big.Int).Lsh(s[l], uint(64*i)))
		}
		if n := uint(64 * len(ls)); z.Bit(int(n)-1) == 1 {
			z.Sub(z, new(big.Int).Lsh(big.NewInt(1), n))
		}
		return z
	}
	return -2*signed([]k.Loc{v.N}).Int64() - 1, signed(v.F), signed(v.G)
}

// compareBatch compares what a batch left with the matrix of as many divsteps
// (section 1 of spec/divstep.go), up to the sign that three sub-batches give it.
func compareBatch(t *testing.T, v *k.Inversion, s values, d int64, f, g *big.Int) {
	t.Helper()
	m := [2][2]*big.Int{{big.NewInt(1), big.NewInt(0)}, {big.NewInt(0), big.NewInt(1)}}
	row := func(a, b [2]*big.Int, c int64) [2]*big.Int { // a + c·b
		for i := range 2 {
			a[i] = new(big.Int).Add(a[i], new(big.Int).Mul(big.NewInt(c), b[i]))
		}
		return a
	}
	double := func(a [2]*big.Int) [2]*big.Int { return row(a, a, 1) }
	half := func(z *big.Int) *big.Int { return new(big.Int).Rsh(z, 1) }
	n := 0
	for _, steps := range v.Steps {
		n += steps
		for range steps {
			switch {
			case g.Bit(0) == 0:
				d, g = d+2, half(g)
				m[0] = double(m[0])
			case d > 0:
				d, f, g = 2-d, g, half(new(big.Int).Sub(g, f))
				m[0], m[1] = double(m[1]), row(m[1], m[0], -1)
			default:
				d, g = d+2, half(new(big.Int).Add(g, f))
				m[0], m[1] = double(m[0]), row(m[1], m[0], 1)
			}
		}
	}
	bias := new(big.Int).Lsh(big.NewInt(1), uint(n))
	for i := range 2 {
		for j := range 2 {
			if want := new(big.Int).Sub(bias, m[i][j]); s[v.T[i][j]].Cmp(want) != 0 {
				t.Fatalf("entry %d, %d of the matrix: got %v, want 2^%d - %v", i, j, s[v.T[i][j]], n, m[i][j])
			}
		}
	}
	if got, _, _ := state(v, s); got != d {
		t.Fatalf("d after a batch: got %d, want %d", got, d)
	}
}

// TestBatch looks for a batch where there is none, and where only its last
// instruction is missing.
func TestBatch(t *testing.T) {
	r, ks := inversion(t, "field25519.feInvertADX")
	v := *ks[0].Inversion
	l, err := r.Loop(r.Patterns()[0])
	if err != nil {
		t.Fatal(err)
	}
	cut, places := v.Cut, v.T
	v.Cut, v.T = 0, [2][2]k.Loc{}
	if err := search.Batch(&v, l); err != nil || v.Cut != cut || v.T != places {
		t.Errorf("got %d, %v, %v, want %d, %v", v.Cut, v.T, err, cut, places)
	}
	last := slices.Index(l.Offsets[1], l.Offsets[1][cut-1])
	l.Parts[1] = l.Parts[1][:last]
	if err := search.Batch(&v, l); err == nil {
		t.Error("a batch is found although its last instruction is missing")
	}
	v.Steps = []int{20, 20, 20}
	if l, err = r.Loop(r.Patterns()[0]); err != nil {
		t.Fatal(err)
	}
	if err := search.Batch(&v, l); err == nil {
		t.Error("a batch of other steps is found")
	}
}

// TestCoqBatch compares the batch in Go and in Coq.
func TestCoqBatch(t *testing.T) {
	var b strings.Builder
	b.WriteString(k.CoqHeader + "Require Import BatchCode.\n")
	_, ks := inversion(t, "field25519.feInvertADX")
	v := *ks[0].Inversion
	for _, last := range []string{"19", "20"} {
		v.Steps = []int{20, 20, map[string]int{"19": 19, "20": 20}[last]}
		code, _, _ := v.Batch()
		b.WriteString("Definition b" + last + " : list instr := " + list(code, coqInstr) + ".\n" +
			"Example same" + last + " : batch 20 20 " + last + " = b" + last + ".\nProof. vm_cast_no_check (eq_refl b" + last + "). Qed.\n")
	}
	if out, err := compile(t, "BatchGo.v", b.String()); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestCoqInvert lets Coq check the theorem that an inversion is correct, and
// refuse it for changed bytes, a false contract and a false shape.
func TestCoqInvert(t *testing.T) {
	theorem := func(change func(r *k.Routine, ks []*k.Cert)) string {
		r, ks := inversion(t, "field25519.feInvertADX")
		change(r, ks)
		var b strings.Builder
		b.WriteString(k.CoqHeader)
		if err := r.WriteCoq(&b, "it", ks); err != nil {
			t.Fatal(err)
		}
		return b.String() + "Print Assumptions correct_it.\n"
	}
	out, err := compile(t, "Invert_it.v", theorem(func(*k.Routine, []*k.Cert) {}))
	if err != nil || !coq.Closed(out, 1) {
		t.Fatalf("the proof is not accepted: %v\n%s", err, out)
	}
	for name, change := range map[string]func(r *k.Routine, ks []*k.Cert){
		"Batch": func(r *k.Routine, _ []*k.Cert) {
			// LEAQ -1(BX), BX, a part of a divstep
			r.Code = bytes.Replace(r.Code, []byte{0x48, 0x8d, 0x5b, 0xff}, []byte{0x48, 0x8d, 0x5b, 0xfe}, 1)
		},
		"Steps": func(_ *k.Routine, ks []*k.Cert) { shapes(ks, func(v *k.Inversion) { v.Steps = []int{20, 20, 20} }) },
		"Claim": func(r *k.Routine, _ []*k.Cert) { r.Claims[1].Hi = r.Claims[0].Factor },
	} {
		if out, err := compile(t, "Invert"+name+".v", theorem(change)); err == nil {
			t.Errorf("%s: a false theorem is accepted:\n%s", name, out)
		}
	}
}
