package mutate

import (
	"fmt"
	"slices"

	"github.com/seed-6f9cd256/fieldproof/proofs/amd64"
	"github.com/seed-6f9cd256/fieldproof/proofs/arm64"
	"github.com/seed-6f9cd256/fieldproof/proofs/encode"
)

// A piece is the code of one instruction of the mutant.
type piece struct {
	was   int // offset in the original
	code  []byte
	jump  *amd64.Inst // if it is one, its target being an offset in the original
	short bool        // whether the jump has a displacement of one byte
}

// Apply returns the code of the mutant of the routine with the given code.
func (m Mutant) Apply(code []byte) ([]byte, error) {
	if was, ok := m.Was.(arm64.Inst); ok {
		return m.applyARM64(code, was)
	}
	was := m.Was.(amd64.Inst)
	insts, err := amd64.DecodeAll(code)
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(insts, func(in amd64.Inst) bool { return in.Offset == was.Offset && in.String() == was.String() }) {
		return nil, fmt.Errorf("the code has no %v at offset %#x", was, was.Offset)
	}
	var pieces []piece
	for _, in := range insts {
		p := piece{was: in.Offset, code: code[in.Offset : in.Offset+in.Len]}
		if in.Offset == was.Offset {
			if m.now == nil {
				p.code, in = nil, amd64.Inst{}
			} else {
				in = m.now.(amd64.Inst)
				if p.code, err = encode.Inst(in); err != nil {
					return nil, err
				}
			}
		}
		if in.Op == "JMP" || in.Op == "Jcc" {
			p.jump, p.short = &in, true
		}
		pieces = append(pieces, p)
	}
	return join(pieces, len(code))
}

// join lays the pieces out and encodes the jumps. A jump starts short and is
// made long when its target is too far away, which may push others apart.
func join(pieces []piece, end int) ([]byte, error) {
	for {
		places := make(map[int]int) // from offset in the original to offset here
		at := 0
		for _, p := range pieces {
			places[p.was] = at
			at += p.size()
		}
		places[end] = at
		var code []byte
		grown := false
		for i, p := range pieces {
			if p.jump == nil {
				code = append(code, p.code...)
				continue
			}
			target, ok := places[p.jump.Args[0].Target]
			if !ok {
				return nil, fmt.Errorf("jump at offset %#x goes to offset %#x, where no instruction starts", p.was, p.jump.Args[0].Target)
			}
			j := *p.jump
			j.Offset = len(code)
			j.Args = slices.Clone(j.Args)
			j.Args[0].Target = target
			if p.short {
				d := target - len(code) - 2
				if d != int(int8(d)) {
					pieces[i].short, grown = false, true
				}
				op := byte(0xeb)
				if j.Op == "Jcc" {
					op = 0x70 + byte(j.Cond)
				}
				code = append(code, op, byte(d))
				continue
			}
			b, err := encode.Inst(j)
			if err != nil {
				return nil, err
			}
			code = append(code, b...)
		}
		if !grown {
			return code, nil
		}
	}
}

// size returns the number of bytes of the piece.
func (p piece) size() int {
	switch {
	case p.jump == nil:
		return len(p.code)
	case p.short:
		return 2
	case p.jump.Op == "Jcc":
		return 6
	}
	return 5
}
