package emulate

import (
	"encoding/binary"
	"fmt"
)

// A Region is a stretch of memory that code may access. Memory outside of the
// regions does not exist, and an access across the end of one is an error, even
// where another begins.
type Region struct {
	Name  string
	Addr  uint64
	Data  []byte
	Undef []byte // 0xff for each byte that is undefined, 0 for each that is defined
	Write bool   // whether it may be written

	// Stack marks the region into which SP points: it must not be accessed
	// further below SP than RedZone bytes, and what SP moves above becomes
	// undefined.
	Stack   bool
	RedZone uint64
}

// Defined returns a region of size bytes, all zero.
func Defined(name string, addr uint64, size int, write bool) *Region {
	return &Region{Name: name, Addr: addr, Data: make([]byte, size), Undef: make([]byte, size), Write: write}
}

// Poison marks size bytes at the address as undefined.
func (r *Region) Poison(addr uint64, size int) {
	for i := range size {
		r.Undef[addr-r.Addr+uint64(i)] = 0xff
	}
}

// SetLimb writes eight bytes at the given offset and defines them.
func (r *Region) SetLimb(offset int, v uint64) {
	binary.LittleEndian.PutUint64(r.Data[offset:], v)
	clear(r.Undef[offset : offset+8])
}

// Limb reads eight bytes at the given offset; ok is false if one is undefined.
func (r *Region) Limb(offset int) (v uint64, ok bool) {
	return binary.LittleEndian.Uint64(r.Data[offset:]), binary.LittleEndian.Uint64(r.Undef[offset:]) == 0
}

// Memory is a set of regions that do not overlap.
type Memory struct {
	Regions []*Region
}

// find returns the region of an access and the offset in it.
func (m *Memory) find(addr uint64, n int, verb string, sp uint64) (*Region, uint64, error) {
	for _, r := range m.Regions {
		at := addr - r.Addr
		if at >= uint64(len(r.Data)) {
			continue
		}
		if uint64(len(r.Data))-at < uint64(n) {
			return nil, 0, fmt.Errorf("%s %d bytes at offset %d of %s, which has %d bytes", verb, n, at, r.Name, len(r.Data))
		}
		if r.Stack && addr < sp-r.RedZone {
			return nil, 0, fmt.Errorf("%s %d bytes %d below SP, where %d bytes may be used", verb, n, sp-addr, r.RedZone)
		}
		return r, at, nil
	}
	return nil, 0, fmt.Errorf("%s %d bytes at %s", verb, n, m.Name(addr))
}

// Name describes an address by the region that holds or precedes it closely.
func (m *Memory) Name(addr uint64) string {
	for _, r := range m.Regions {
		if d := int64(addr - r.Addr); d >= -64 && d < int64(len(r.Data))+64 {
			if d < 0 || d >= int64(len(r.Data)) {
				return fmt.Sprintf("offset %d of %s, which has %d bytes", d, r.Name, len(r.Data))
			}
			return fmt.Sprintf("offset %d of %s", d, r.Name)
		}
	}
	return fmt.Sprintf("address %#x, where no memory is declared", addr)
}

func (m *Memory) load(addr uint64, n int, sp uint64) (Word, error) {
	r, at, err := m.find(addr, n, "reads", sp)
	if err != nil {
		return Word{}, err
	}
	return Word{V: littleEndian(r.Data[at:], n), Undef: littleEndian(r.Undef[at:], n)}, nil
}

func (m *Memory) store(addr uint64, n int, w Word, sp uint64) error {
	r, at, err := m.find(addr, n, "writes", sp)
	if err != nil {
		return err
	}
	if !r.Write {
		return fmt.Errorf("writes %d bytes at offset %d of %s, which may only be read", n, at, r.Name)
	}
	for i := range n {
		r.Data[at+uint64(i)] = byte(w.V >> (8 * i))
		r.Undef[at+uint64(i)] = 0
		if byte(w.Undef>>(8*i)) != 0 {
			r.Undef[at+uint64(i)] = 0xff
		}
	}
	return nil
}

func littleEndian(b []byte, n int) uint64 {
	if n == 8 {
		return binary.LittleEndian.Uint64(b)
	}
	var v uint64
	for i := range n {
		v |= uint64(b[i]) << (8 * i)
	}
	return v
}

// release poisons what lies in the stack below the new SP and not below the
// old one.
func (m *Memory) release(old, sp uint64) {
	for _, r := range m.Regions {
		if !r.Stack || sp <= old {
			continue
		}
		from, to := max(old-r.RedZone, r.Addr), min(sp-r.RedZone, r.Addr+uint64(len(r.Data)))
		if from < to {
			r.Poison(from, int(to-from))
		}
	}
}
