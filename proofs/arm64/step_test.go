package arm64_test

import (
	"encoding/binary"
	"strings"
	"testing"

	"github.com/seed-6f9cd256/fieldproof/proofs/arm64"
	"github.com/seed-6f9cd256/fieldproof/proofs/emulate"
)

// TestStep executes instructions by hand: words of machine code as GNU as writes them,
// and results computed by hand from the manual's pseudocode. X1 to X4 hold the operands,
// flags are in the order of NZCV, and X0 is the result.
func TestStep(t *testing.T) {
	const (
		ones = ^uint64(0)
		top  = uint64(1) << 63
	)
	for _, tt := range []struct {
		source    string
		word      uint32
		x1, x2    uint64
		flags     string
		x0        uint64
		wantFlags string
	}{
		{"adds x0, x1, x2", 0xab020020, ones, 1, "0000", 0, "0110"},
		{"adds x0, x1, x2", 0xab020020, top - 1, 1, "0000", top - 1 + 1, "1001"},
		{"adcs x0, x1, x2", 0xba020020, ones, ones, "0010", ones, "1010"},
		{"adc x0, x1, x2", 0x9a020020, 5, 6, "1111", 12, "1111"},
		{"subs x0, x1, x2", 0xeb020020, 5, 5, "0000", 0, "0110"},
		{"subs x0, x1, x2", 0xeb020020, 5, 6, "0000", ones, "1000"},
		{"subs x0, x1, x2", 0xeb020020, top, 1, "0000", top - 1, "0011"},
		{"sbcs x0, x1, x2", 0xfa020020, 5, 5, "0000", ones, "1000"}, // no carry is a borrow
		{"sbcs x0, x1, x2", 0xfa020020, 5, 5, "0010", 0, "0110"},
		{"sbc x0, x1, x2", 0xda020020, 5, 2, "0000", 2, "0000"},
		{"add x0, x1, #256, lsl #12", 0x91440020, 1, 0, "0110", 1<<20 + 1, "0110"},
		{"ands x0, x1, x2", 0xea020020, top | 6, top | 3, "0011", top | 2, "1000"},
		{"and x0, x1, #0xffffffff00000001", 0x92608020, ones, 0, "0011", 0xffffffff00000001, "0011"},
		{"eon x0, x1, x2", 0xca220020, 6, 5, "0011", ^uint64(3), "0011"},
		{"movk x0, #0x1234, lsl #32 after x0 = x1", 0xf2c24680, ones, 0, "0000", 0xffff1234ffffffff, "0000"},
		{"movn x0, #1", 0x92800020, 0, 0, "0000", ones - 1, "0000"},
		{"asr x0, x1, #60", 0x937cfc20, top, 0, "0000", ^uint64(7), "0000"},
		{"lsr x0, x1, #60", 0xd37cfc20, top, 0, "0000", 8, "0000"},
		{"lsl x0, x1, #60", 0xd3440c20, 0x1f, 0, "0000", 0xf << 60, "0000"},
		{"extr x0, x1, x2, #4", 0x93c21020, 0x123, 0x456, "0000", 3<<60 | 0x45, "0000"},
		{"umulh x0, x1, x2", 0x9bc27c20, ones, ones, "0000", ones - 1, "0000"},
		{"madd x0, x1, x2, x1", 0x9b020420, 3, 5, "0000", 18, "0000"},
		{"umaddl x0, w1, w2, x1", 0x9ba20420, 1<<32 | 3, 1<<32 | 5, "0000", 1<<32 | 18, "0000"},
		{"csel x0, x1, x2, hi", 0x9a828020, 1, 2, "0010", 1, "0010"},
		{"csel x0, x1, x2, hi", 0x9a828020, 1, 2, "0110", 2, "0110"},
		{"csel x0, x1, x2, gt", 0x9a82c020, 1, 2, "1001", 1, "1001"},
		{"csel x0, x1, x2, le", 0x9a82d020, 1, 2, "1000", 1, "1000"},
		{"csinc x0, x1, x2, ne", 0x9a821420, 1, 2, "0100", 3, "0100"},
		{"csinv x0, x1, x2, cc", 0xda823020, 1, 2, "0010", ^uint64(2), "0010"},
		{"csneg x0, x1, x2, mi", 0xda824420, 1, 2, "0000", ^uint64(1), "0000"},
	} {
		in, err := arm64.Decode(binary.LittleEndian.AppendUint32(nil, tt.word), 0)
		if err != nil {
			t.Errorf("%s: %v", tt.source, err)
			continue
		}
		m := new(emulate.ARM64)
		m.Regs[0], m.Regs[1], m.Regs[2] = emulate.Number(tt.x1), emulate.Number(tt.x1), emulate.Number(tt.x2)
		for i, c := range tt.flags {
			m.Flags[i] = emulate.Bit(c - '0')
		}
		if _, err := m.Step(in); err != nil {
			t.Errorf("%s: %v", tt.source, err)
			continue
		}
		var flags strings.Builder
		for _, b := range m.Flags {
			flags.WriteByte(byte('0' + b))
		}
		if m.Regs[0] != emulate.Number(tt.x0) || flags.String() != tt.wantFlags {
			t.Errorf("%s with %#x and %#x: got %#x, flags %s, want %#x, flags %s", tt.source, tt.x1, tt.x2, m.Regs[0].V, &flags, tt.x0, tt.wantFlags)
		}
	}
}

// FuzzDecode checks that no word makes the decoder panic, and that what it refuses it
// names.
func FuzzDecode(f *testing.F) {
	f.Add(uint32(0xab020020))
	f.Add(uint32(0xffffffff))
	f.Add(uint32(0))
	f.Fuzz(func(t *testing.T, w uint32) {
		in, err := arm64.Decode(binary.LittleEndian.AppendUint32(nil, w), 0)
		switch {
		case err == nil && in.String() == "":
			t.Errorf("%#x: %s has no text", w, in.Op)
		case err != nil && !strings.Contains(err.Error(), "is not modelled") && !strings.Contains(err.Error(), "are no instruction"):
			t.Errorf("%#x: %v, want a name", w, err)
		}
	})
}
