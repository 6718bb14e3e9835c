package terminal

import "testing"

func TestModes(t *testing.T) {
	for shown, want := range map[string]string{
		"":                                                "",
		"plain\r\n\x1b[31mred\x1b[m":                      "",
		"\x1b[?1049h\x1b[1;24r\x1b[?25l":                  "\x1b7\x1b[r\x1b8\x1b[?1049l\x1b[?25h\x1b[m",
		"\x1b[?1049h\x1b[?1049l":                          "",
		"\x1b[?1;2004h\x1b=":                              "\x1b[?2004l\x1b[?1l\x1b>\x1b[m",
		"\x1b[?1000h\x1b[?1006h\x1b[?1000l":               "\x1b[?1006l\x1b[m",
		"\x1b[?2004h\x1bc":                                "",
		"\x1b[?7l\x1b[?12h\x1b[4h\x1b[1049h":              "",
		"\x1b[?25l\x1b[?25h\x1b=\x1b>":                    "",
		"\x1b[5;10r\x1b[r":                                "",
		"\x1b[?2004h\x1b[?10":                             "\x18\x1b[?2004l\x1b[m",
		"\x1b[?99999999999999999999h":                     "",
		"\x1b[?0;0;0;0;0;0;0;0;0;0;0;0;0;0;0;0;0;0;2004h": "",
	} {
		for size := 1; size <= len(shown)+1; size++ {
			var m modes
			for rest := shown; rest != ""; {
				n := min(size, len(rest))
				m.see([]byte(rest[:n]))
				rest = rest[n:]
			}
			if got := string(m.reset()); got != want {
				t.Errorf("%q in pieces of %d: %q, want %q", shown, size, got, want)
			}
		}
	}
}
