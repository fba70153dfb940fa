package foreign

import (
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/seed-6f9cd256/fieldproof/proofs/amd64"
)

// ReadObject returns the machine code of a function in an object file: a
// relocatable file of ELF for x86-64. A function in which the linker would
// change bytes is refused: what runs would not be what was read.
func ReadObject(file io.ReaderAt, symbol string) ([]byte, error) {
	code, err := readELF(file, symbol)
	if err != nil {
		return nil, fmt.Errorf("object: %w", err)
	}
	return code, nil
}

func readELF(file io.ReaderAt, name string) (code []byte, err error) {
	f, err := elf.NewFile(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if f.Machine != elf.EM_X86_64 || f.Class != elf.ELFCLASS64 || f.Type != elf.ET_REL {
		return nil, fmt.Errorf("%v %v %v, want a relocatable file of 64 bits for x86-64", f.Class, f.Type, f.Machine)
	}
	symbols, err := f.Symbols()
	if err != nil {
		return nil, err
	}
	var found *elf.Symbol
	var names []string
	for i := range symbols {
		s := &symbols[i]
		if !isCode(f, s) {
			continue
		}
		names = append(names, s.Name)
		if s.Name == name {
			if found != nil {
				return nil, fmt.Errorf("two symbols %s", name)
			}
			found = s
		}
	}
	if found == nil {
		return nil, fmt.Errorf("no function %q; there are: %s", name, strings.Join(names, ", "))
	}
	data, err := f.Sections[found.Section].Data()
	if err != nil {
		return nil, err
	}
	size := uint64(len(data))
	if found.Value > size || found.Size > size-found.Value {
		return nil, fmt.Errorf("%s has %d bytes at offset %#x of a section of %d bytes", name, found.Size, found.Value, size)
	}
	code = data[found.Value:]
	if found.Size > 0 {
		code = code[:found.Size]
	} else if code, err = toReturn(code); err != nil {
		return nil, fmt.Errorf("%s has no size, and: %w", name, err)
	}
	return slices.Clone(code), relocated(f, found, uint64(len(code)))
}

// isCode reports whether the symbol names a place in a section of code.
func isCode(f *elf.File, s *elf.Symbol) bool {
	if t := elf.ST_TYPE(s.Info); t != elf.STT_FUNC && t != elf.STT_NOTYPE || s.Name == "" {
		return false
	}
	i := int(s.Section)
	return i > 0 && i < len(f.Sections) && f.Sections[i].Type == elf.SHT_PROGBITS && f.Sections[i].Flags&elf.SHF_EXECINSTR != 0
}

// toReturn cuts code behind its first return.
func toReturn(code []byte) ([]byte, error) {
	for at := 0; at < len(code); {
		in, err := amd64.Decode(code, at)
		if err != nil {
			return nil, err
		}
		at += in.Len
		if in.Op == "RET" {
			return code[:at], nil
		}
	}
	return nil, errors.New("the section ends before a return")
}

// relocated is an error if the linker changes one of the n bytes of the function.
func relocated(f *elf.File, s *elf.Symbol, n uint64) error {
	for _, r := range f.Sections {
		if r.Type != elf.SHT_RELA && r.Type != elf.SHT_REL || r.Info != uint32(s.Section) {
			continue
		}
		data, err := r.Data()
		if err != nil {
			return err
		}
		size := map[elf.SectionType]int{elf.SHT_RELA: 24, elf.SHT_REL: 16}[r.Type]
		for len(data) >= size {
			var at, info uint64
			if _, err := binary.Decode(data, f.ByteOrder, &at); err != nil {
				return err
			}
			if _, err := binary.Decode(data[8:], f.ByteOrder, &info); err != nil {
				return err
			}
			width := uint64(4)
			if t := elf.R_X86_64(elf.R_TYPE64(info)); t == elf.R_X86_64_64 || t == elf.R_X86_64_PC64 || t == elf.R_X86_64_GOTOFF64 {
				width = 8
			}
			if at+width > s.Value && at < s.Value+n {
				return fmt.Errorf("%s refers to another symbol at its offset %#x, which the linker fills in", s.Name, at-s.Value)
			}
			data = data[size:]
		}
	}
	return nil
}
