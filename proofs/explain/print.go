package explain

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// Write prints the listing.
func (l *Listing) Write(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "pointers: %s\n", l.Pointers)
	for _, in := range l.Instructions {
		for _, f := range in.Facts {
			line(&b, "    # ", f)
		}
		fmt.Fprintf(&b, "0x%04x  %s\n", in.Offset, in.Text)
		if len(in.Values)+len(in.Dropped) == 0 && in.Text != "RET" {
			b.WriteString("        an address, or what nothing reads\n")
		}
		for _, n := range in.Values {
			line(&b, "        ", n)
		}
		for _, n := range in.Dropped {
			line(&b, "        dropped: ", n)
		}
	}
	b.WriteString("claims:\n")
	for _, n := range l.Claims {
		line(&b, "    ", n)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func line(b *strings.Builder, indent string, n Note) {
	b.WriteString(indent)
	if n.Cases != nil && !slices.Equal(n.Cases, []string{""}) {
		fmt.Fprintf(b, "{%s} ", strings.Join(n.Cases, " | "))
	}
	b.WriteString(n.Text)
	b.WriteByte('\n')
}
