package encode_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/seed-6f9cd256/fieldproof/proofs/amd64"
	"github.com/seed-6f9cd256/fieldproof/proofs/encode"
	"github.com/seed-6f9cd256/fieldproof/proofs/object"
)

// same reports how a decoded instruction differs from the one that was encoded.
func same(got, want amd64.Inst) error {
	if got.Op != want.Op || got.Cond != want.Cond || !reflect.DeepEqual(got.Args, want.Args) {
		return fmt.Errorf("got %s %v %+v, want %s %v %+v", got.Op, got.Cond, got.Args, want.Op, want.Cond, want.Args)
	}
	return nil
}

// TestDecode is the comparison of the decoder with this package: whatever is
// encoded, in every way there is, must be decoded to the same instruction.
func TestDecode(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	shapes := encode.Shapes()
	encodings := 0
	for _, s := range shapes {
		for range 200 {
			in := s.Sample(rng, rng.IntN(2000)-1000)
			in.Offset = 8
			list, err := encode.All(in)
			if err != nil {
				t.Fatalf("%+v: %v", s, err)
			}
			for _, code := range list {
				encodings++
				got, err := amd64.Decode(append(make([]byte, 8), code...), 8)
				if err == nil && got.Len != len(code) {
					err = fmt.Errorf("decoded %d bytes, want %d", got.Len, len(code))
				}
				if err == nil {
					err = same(got, in)
				}
				if err != nil {
					t.Fatalf("%+v, bytes % x: %v", s, code, err)
				}
			}
		}
	}
	t.Logf("%d shapes, %d encodings", len(shapes), encodings)
}

// TestRoutines decodes and encodes every instruction of the field packages:
// one of the encodings must be the bytes that the assembler wrote.
func TestRoutines(t *testing.T) {
	const module = "github.com/seed-6f9cd256/fieldproof/"
	pkgs, err := object.Load(".", module+"field25519", module+"fieldp256")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, p := range pkgs {
		for _, r := range p.Routines {
			insts, err := amd64.DecodeAll(r.Code)
			if err != nil {
				t.Fatal(err)
			}
			for _, in := range insts {
				n++
				list, err := encode.All(in)
				if err != nil {
					t.Fatalf("%s.%s+%#x: %v: %v", p.Name, r.Name, in.Offset, in, err)
				}
				want := r.Code[in.Offset : in.Offset+in.Len]
				found := in.Op == "NOP" || in.Op == "Jcc" || in.Op == "JMP" // of several lengths
				for _, code := range list {
					found = found || bytes.Equal(code, want)
				}
				if !found {
					t.Errorf("%s.%s+%#x: %v is encoded as % x, want % x among them", p.Name, r.Name, in.Offset, in, list, want)
				}
			}
		}
	}
	if n < 10000 {
		t.Errorf("%d instructions, want more", n)
	}
	t.Logf("%d instructions", n)
}

// TestBytes holds encodings worked out by hand, of every layout.
func TestBytes(t *testing.T) {
	reg := func(r amd64.Reg, bits int) amd64.Operand {
		return amd64.Operand{Kind: amd64.RegKind, Reg: r, Bits: bits}
	}
	mem := func(base, index amd64.Reg, scale, disp int64, bits int) amd64.Operand {
		return amd64.Operand{Kind: amd64.MemKind, Base: base, Index: index, Scale: scale, Disp: disp, Bits: bits}
	}
	imm := func(v int64) amd64.Operand { return amd64.Operand{Kind: amd64.ImmKind, Imm: v} }
	for _, tt := range []struct {
		op   string
		args []amd64.Operand
		want string
	}{
		{"ADD", []amd64.Operand{reg(amd64.AX, 64), reg(amd64.R9, 64)}, "4c01c8"},
		{"ADD", []amd64.Operand{reg(amd64.AX, 32), imm(-1)}, "83c0ff"},
		{"ADC", []amd64.Operand{mem(amd64.SP, amd64.NoReg, 1, 8, 64), imm(0x1234)}, "4881542408" + "34120000"},
		{"MOV", []amd64.Operand{reg(amd64.SI, 8), reg(amd64.CX, 8)}, "4088ce"},
		{"MOV", []amd64.Operand{reg(amd64.R8, 64), mem(amd64.R13, amd64.R12, 8, 0, 64)}, "4f8b44e500"},
		{"MOV", []amd64.Operand{reg(amd64.DX, 64), imm(0x1122334455667788)}, "48ba8877665544332211"},
		{"LEA", []amd64.Operand{reg(amd64.AX, 64), mem(amd64.NoReg, amd64.CX, 2, 4, 0)}, "488d044d04000000"},
		{"ADCX", []amd64.Operand{reg(amd64.AX, 64), reg(amd64.R9, 64)}, "66490f38f6c1"},
		{"ADOX", []amd64.Operand{reg(amd64.R9, 64), mem(amd64.SI, amd64.NoReg, 1, 8, 64)}, "f34c0f38f64e08"},
		{"MULX", []amd64.Operand{reg(amd64.R9, 64), reg(amd64.R10, 64), reg(amd64.AX, 64)}, "c462abf6c8"},
		{"SARX", []amd64.Operand{reg(amd64.AX, 32), mem(amd64.R12, amd64.NoReg, 1, 0, 32), reg(amd64.DX, 32)}, "c4c26af70424"},
		{"RORX", []amd64.Operand{reg(amd64.AX, 64), reg(amd64.CX, 64), imm(7)}, "c4e3fbf0c107"},
		{"SHLD", []amd64.Operand{reg(amd64.AX, 64), reg(amd64.CX, 64), reg(amd64.CX, 8)}, "480fa5c8"},
	} {
		got, err := encode.Inst(amd64.Inst{Op: tt.op, Args: tt.args})
		if err != nil || fmt.Sprintf("%x", got) != tt.want {
			t.Errorf("%s: got %x, %v, want %s", tt.op, got, err, tt.want)
		}
	}
	for _, tt := range []struct {
		op   string
		args []amd64.Operand
		want string
	}{
		{"DIV", []amd64.Operand{reg(amd64.AX, 64)}, "DIV is not modelled"},
		{"ADD", []amd64.Operand{reg(amd64.AX, 64), imm(1 << 40)}, "no encoding of ADD"},
		{"MOV", []amd64.Operand{reg(amd64.AX, 64), mem(amd64.AX, amd64.SP, 1, 0, 64)}, "SP cannot be an index"},
		{"MOV", []amd64.Operand{reg(amd64.AX, 64), mem(amd64.AX, amd64.NoReg, 1, 1<<31, 64)}, "displacement 0x80000000 is wider"},
		{"MOV", []amd64.Operand{reg(amd64.AX, 64), mem(amd64.NoReg, amd64.NoReg, 1, 0, 64)}, "no base and no index"},
	} {
		if _, err := encode.All(amd64.Inst{Op: tt.op, Args: tt.args}); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got error %v, want %q", tt.op, err, tt.want)
		}
	}
}

// TestSame checks that the comparison of TestDecode sees each kind of
// difference.
func TestSame(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	draw := func() amd64.Inst { return encode.Shape{Op: "CMOVcc", Bits: 64, Form: "rm"}.Sample(rng, 0) }
	in := draw()
	if err := same(in, in); err != nil {
		t.Error(err)
	}
	for name, change := range map[string]func(in *amd64.Inst){
		"operation":    func(in *amd64.Inst) { in.Op = "SETcc" },
		"condition":    func(in *amd64.Inst) { in.Cond ^= 1 },
		"register":     func(in *amd64.Inst) { in.Args[0].Reg ^= 8 },
		"width":        func(in *amd64.Inst) { in.Args[1].Bits = 32 },
		"displacement": func(in *amd64.Inst) { in.Args[1].Disp++ },
		"operands":     func(in *amd64.Inst) { in.Args = in.Args[:1] },
	} {
		other := in
		other.Args = append([]amd64.Operand(nil), in.Args...)
		change(&other)
		if err := same(other, in); err == nil {
			t.Errorf("another %s is not noticed", name)
		}
	}
}
