package object_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/seed-6f9cd256/fieldproof/proofs/asmtest"
	"github.com/seed-6f9cd256/fieldproof/proofs/object"
)

// TestLoad compares what is loaded with the encoding of each routine by hand.
func TestLoad(t *testing.T) {
	asm := asmtest.Routine("feOne", "$0-8", "MOVQ z+0(FP), DI; RET") +
		asmtest.Routine("feFramed", "$16-0", "RET") +
		asmtest.Routine("feTail", "$0-0", "JMP ·feOnlyHere(SB)") +
		asmtest.Routine("feOnlyHere", "$0-0", "RET") +
		asmtest.Routine("feDropped", "$0-0", "RET") +
		"TEXT local<>(SB), NOSPLIT, $0-0\n\tRET\n"
	// The name of the object file, longername_amd64.o, is cut in archives.
	p := asmtest.Load(t, asmtest.Module(t, "longername", asm, "feOnlyHere", "feDropped"))
	if p.ImportPath != "example.com/longername.v0" || p.Name != "longername" {
		t.Errorf("loaded package %q named %q, want example.com/longername.v0 named longername", p.ImportPath, p.Name)
	}
	want := map[string][]byte{
		"feOne":      {0x48, 0x8b, 0x7c, 0x24, 0x08, 0xc3},
		"feFramed":   {0x55, 0x48, 0x89, 0xe5, 0x48, 0x83, 0xec, 0x10, 0x48, 0x83, 0xc4, 0x10, 0x5d, 0xc3},
		"feOnlyHere": {0xc3},
		"feDropped":  nil,
		"feTail":     nil, // the distance to feOnlyHere is the linker's choice
		"local":      nil,
	}
	for _, r := range p.Routines {
		name := strings.TrimSuffix(r.Name, "<1>")
		code, ok := want[name]
		if !ok {
			t.Errorf("loaded unexpected routine %s", r.Name)
		}
		delete(want, name)
		if r.File != "longername_amd64.s" {
			t.Errorf("%s is from %s, want longername_amd64.s", r.Name, r.File)
		}
		if name != "feTail" && !bytes.Equal(r.Code, code) {
			t.Errorf("%s has the code % x, want % x", r.Name, r.Code, code)
		}
	}
	for name := range want {
		t.Errorf("routine %s is missing", name)
	}
}

func TestLoadErrors(t *testing.T) {
	t.Setenv("GOWORK", "off")
	broken := asmtest.Module(t, "broken", asmtest.Routine("f", "$0-0", "NONSENSE AX"))
	for _, tt := range []struct{ name, dir, pattern, want string }{
		{"assembly does not assemble", broken, ".", "NONSENSE"},
		{"no such package", broken, "./missing", "missing"},
		{"a flag instead of a package", broken, "-toolexec=true", "toolexec"},
		{"pattern without a match", broken, "./...x", "no packages"},
	} {
		_, err := object.Load(tt.dir, tt.pattern)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got error %v, want one about %q", tt.name, err, tt.want)
		}
	}
}
