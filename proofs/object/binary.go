package object

import (
	"cmp"
	"debug/buildinfo"
	"debug/elf"
	"debug/macho"
	"debug/pe"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"slices"
	"strings"
)

// A Binary is a linked Go program: ELF, Mach-O or PE.
type Binary struct {
	Format string // ELF, Mach-O or PE
	Arch   string // as GOARCH
	Info   *debug.BuildInfo

	symbols []symbol // of code, in the order of their addresses
	regions []region
	pad     []byte // what the linker puts between functions
}

// A Function is the machine code of one function, as it is when the program is
// loaded, before relocation.
type Function struct {
	Name string // without the suffix of its ABI
	Addr uint64 // where the file wants it loaded; in PE, relative to the image
	Code []byte
}

type symbol struct {
	name string
	addr uint64
	size uint64 // 0 if the file does not say
}

// A region is a part of the program that comes from the file.
type region struct {
	addr, size uint64
	io.ReaderAt
}

// pads are what linkers put between functions: breakpoints.
var pads = map[string][]byte{
	"amd64": {0xcc},
	"arm64": {0x00, 0x00, 0x3e, 0xd4},
}

// maxCode bounds the size of one function.
const maxCode = 1 << 20

// Open reads the symbols of a linked Go program. The error says what is wrong
// with a file that is none, that is stripped, or that is damaged.
func Open(name string) (b *Binary, err error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	b, err = parse(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return b, nil
}

// parse is Open on the bytes of a file.
func parse(data []byte) (b *Binary, err error) {
	defer func() { // the readers of the standard library promise no more than to try
		if r := recover(); r != nil {
			b, err = nil, fmt.Errorf("a damaged file: %v", r)
		}
	}()
	r := &file{data}
	b = &Binary{}
	switch {
	case strings.HasPrefix(string(data), "\x7fELF"):
		err = b.elf(r)
	case strings.HasPrefix(string(data), "MZ"):
		err = b.pe(r)
	case slices.Contains([]string{"\xfe\xed\xfa\xce", "\xfe\xed\xfa\xcf", "\xce\xfa\xed\xfe", "\xcf\xfa\xed\xfe"}, string(data[:min(4, len(data))])):
		err = b.macho(r)
	case strings.HasPrefix(string(data), "\xca\xfe\xba\xbe"):
		return nil, errors.New("a Mach-O file for several architectures: want one, as lipo -thin extracts it")
	default:
		return nil, errors.New("want an ELF, Mach-O or PE file")
	}
	if err != nil {
		return nil, fmt.Errorf("a damaged %s file: %w", b.Format, err)
	}
	if b.Info, err = buildinfo.Read(r); err != nil {
		return nil, fmt.Errorf("not a Go program, or a damaged one: %w", err)
	}
	if len(b.symbols) == 0 {
		return nil, errors.New("the program has no symbols: it is stripped; want one linked without -s")
	}
	b.pad = pads[b.Arch]
	slices.SortFunc(b.symbols, func(x, y symbol) int {
		return cmp.Or(cmp.Compare(x.addr, y.addr), cmp.Compare(x.name, y.name))
	})
	return b, nil
}

// A file is bytes; reading beyond their end is an error.
type file struct{ data []byte }

func (f *file) ReadAt(p []byte, off int64) (int, error) {
	if off < 0 || off > int64(len(f.data)) {
		return 0, io.ErrUnexpectedEOF
	}
	n := copy(p, f.data[off:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

func (b *Binary) elf(r io.ReaderAt) error {
	b.Format = "ELF"
	f, err := elf.NewFile(r)
	if err != nil {
		return err
	}
	b.Arch = map[elf.Machine]string{elf.EM_X86_64: "amd64", elf.EM_AARCH64: "arm64"}[f.Machine]
	if b.Arch == "" {
		b.Arch = f.Machine.String()
	}
	for _, p := range f.Progs {
		if p.Type == elf.PT_LOAD && p.Flags&elf.PF_X != 0 {
			b.regions = append(b.regions, region{p.Vaddr, p.Filesz, p.ReaderAt})
		}
	}
	symbols, err := f.Symbols()
	if err != nil && !errors.Is(err, elf.ErrNoSymbols) {
		return err
	}
	for _, s := range symbols {
		if elf.ST_TYPE(s.Info) == elf.STT_FUNC && s.Section != elf.SHN_UNDEF {
			b.symbols = append(b.symbols, symbol{s.Name, s.Value, s.Size})
		}
	}
	return nil
}

func (b *Binary) macho(r io.ReaderAt) error {
	b.Format = "Mach-O"
	f, err := macho.NewFile(r)
	if err != nil {
		return err
	}
	b.Arch = map[macho.Cpu]string{macho.CpuAmd64: "amd64", macho.CpuArm64: "arm64"}[f.Cpu]
	if b.Arch == "" {
		b.Arch = f.Cpu.String()
	}
	for _, l := range f.Loads {
		if s, ok := l.(*macho.Segment); ok {
			b.regions = append(b.regions, region{s.Addr, s.Filesz, s.ReaderAt})
		}
	}
	if f.Symtab == nil {
		return nil
	}
	const stab, kinds, inSection, instructions = 0xe0, 0x0e, 0x0e, 0x80000000
	for _, s := range f.Symtab.Syms {
		if s.Type&stab == 0 && s.Type&kinds == inSection && 0 < s.Sect && int(s.Sect) <= len(f.Sections) && f.Sections[s.Sect-1].Flags&instructions != 0 {
			b.symbols = append(b.symbols, symbol{strings.TrimPrefix(s.Name, "_"), s.Value, 0})
		}
	}
	return nil
}

func (b *Binary) pe(r io.ReaderAt) error {
	b.Format = "PE"
	f, err := pe.NewFile(r)
	if err != nil {
		return err
	}
	b.Arch = map[uint16]string{pe.IMAGE_FILE_MACHINE_AMD64: "amd64", pe.IMAGE_FILE_MACHINE_ARM64: "arm64"}[f.Machine]
	if b.Arch == "" {
		b.Arch = fmt.Sprintf("machine %#x", f.Machine)
	}
	for _, s := range f.Sections {
		b.regions = append(b.regions, region{uint64(s.VirtualAddress), uint64(min(s.Size, s.VirtualSize)), s.ReaderAt})
	}
	for _, s := range f.Symbols {
		if i := int(s.SectionNumber); 0 < i && i <= len(f.Sections) && f.Sections[i-1].Characteristics&pe.IMAGE_SCN_MEM_EXECUTE != 0 {
			b.symbols = append(b.symbols, symbol{s.Name, uint64(f.Sections[i-1].VirtualAddress) + uint64(s.Value), 0})
		}
	}
	return nil
}

// Functions returns the functions whose names match, in the order of their
// addresses. An assembly routine that Go calls through a wrapper of the same
// name is there without the wrapper.
func (b *Binary) Functions(match func(name string) bool) ([]Function, error) {
	const abi0 = ".abi0" // the linker marks what has a wrapper
	wrapped := map[string]bool{}
	for _, s := range b.symbols {
		if name, ok := strings.CutSuffix(s.name, abi0); ok {
			wrapped[name] = true
		}
	}
	var list []Function
	for i, s := range b.symbols {
		name := strings.TrimSuffix(s.name, abi0)
		if !match(name) || wrapped[s.name] {
			continue
		}
		code, err := b.code(i)
		if err != nil {
			return nil, fmt.Errorf("function %s at %#x: %w", s.name, s.addr, err)
		}
		list = append(list, Function{name, s.addr, code})
	}
	return list, nil
}

// code reads the code of a function. Where the file does not say how long it
// is, it reaches to the next one, without what the linker put between them.
func (b *Binary) code(i int) ([]byte, error) {
	s := b.symbols[i]
	for _, r := range b.regions {
		if s.addr < r.addr || s.addr-r.addr >= r.size {
			continue
		}
		size := s.size
		if size == 0 {
			size = r.size - (s.addr - r.addr)
			for _, next := range b.symbols[i+1:] {
				if next.addr > s.addr {
					size = min(size, next.addr-s.addr)
					break
				}
			}
		}
		if size > maxCode || size > r.size-(s.addr-r.addr) {
			return nil, fmt.Errorf("%d bytes long: want at most %d, inside of what is loaded from the file", size, maxCode)
		}
		code := make([]byte, size)
		if n, err := r.ReadAt(code, int64(s.addr-r.addr)); n < len(code) {
			return nil, fmt.Errorf("the file ends within its code: %w", err)
		}
		if s.size == 0 && b.pad != nil {
			for len(code) >= len(b.pad) && string(code[len(code)-len(b.pad):]) == string(b.pad) {
				code = code[:len(code)-len(b.pad)]
			}
		}
		return code, nil
	}
	return nil, errors.New("it lies outside of what is loaded from the file")
}
