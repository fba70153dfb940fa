package kernel

// Unslot returns the buffer and the word of a location that Slot returned.
func Unslot(l Loc) (buffer, k int, ok bool) {
	if l < Slot(0, 0) {
		return 0, 0, false
	}
	return int(l-Slot(0, 0)) / maxSlots, int(l-Slot(0, 0)) % maxSlots, true
}

// Register returns the number of a general register at a location, as packages amd64
// and arm64 number them, or the name of a location that stands for flags.
func (v Convention) Register(l Loc) (n int, flag string, ok bool) {
	switch {
	case v == GoARM64 && l == flagC:
		return 0, "C", true
	case v == GoARM64 && l == locRes:
		return 0, "Z", true
	case v == GoARM64:
		return int(l - 1), "", 1 <= l && l <= regSP64
	case 1 <= l && l <= 16:
		return int(l - 1), "", true
	case l == flagC:
		return 0, "CF", true
	case l == flagO:
		return 0, "OF", true
	case l == locRes:
		return 0, "ZF", true
	}
	return 0, "", false
}
