package pid1

import (
	"strings"
	"testing"

	"github.com/sbinit/sbinit/internal/control"
)

func TestWishOf(t *testing.T) {
	for sent, want := range map[string]wish{
		"":                              undecided,
		"{":                             undecided,
		`{"type":"status"}`:             undecided,
		control.Request:                 wantsStatus,
		`{"type":"status"} `:            wantsSession,
		`{"type":"status"}` + "\r":      wantsSession,
		` {"type":"status"}`:            wantsSession,
		`{"type": "status"}`:            wantsSession,
		`{"type":"Status"}` + "\n":      wantsSession,
		`{"type":"open"`:                wantsSession,
		"\n":                            wantsSession,
		"\x00":                          wantsSession,
		strings.Repeat("{", 18):         wantsSession,
		control.Request[:17] + "\x00":   wantsSession,
		control.Request[:16] + "\xff\n": wantsSession,
	} {
		if got := wishOf([]byte(sent)); got != want {
			t.Errorf("%q: %d, want %d", sent, got, want)
		}
	}
}

// FuzzWishOf: however a stream comes in pieces, what is decided goes by its first bytes
// alone, and is decided once.
func FuzzWishOf(f *testing.F) {
	f.Add(control.Request, uint8(3))
	f.Add(control.Request+`{"type":"open"}`, uint8(18))
	f.Add(`{"type":"statue"}`, uint8(1))
	f.Add("", uint8(0))
	f.Fuzz(func(t *testing.T, stream string, piece uint8) {
		decided := undecided
		for end := 0; ; end = min(end+int(piece)+1, len(stream)) {
			got := wishOf([]byte(stream[:min(end, len(control.Request))]))
			if decided != undecided && got != decided {
				t.Fatalf("%q was %d, and is %d after %d bytes", stream, decided, got, end)
			}
			decided = got
			if end == len(stream) {
				break
			}
		}
		want := undecided
		switch {
		case strings.HasPrefix(stream, control.Request):
			want = wantsStatus
		case !strings.HasPrefix(control.Request, stream):
			want = wantsSession
		}
		if decided != want {
			t.Errorf("%q: %d, want %d", stream, decided, want)
		}
	})
}
