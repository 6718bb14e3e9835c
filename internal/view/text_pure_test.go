package view

import (
	"strings"
	"testing"
	"time"
)

func TestEscaped(t *testing.T) {
	for text, want := range map[string]string{
		"":                                 "",
		"node /x/acp --y":                  "node /x/acp --y",
		"Grüße, 世界":                        "Grüße, 世界",
		"\x1b[31mred\x1b[0m":               `\x1b[31mred\x1b[0m`,
		"a\nb\tc\rd\x00e\x7f":              `a\nb\tc\rd\x00e\x7f`,
		`back\slash`:                       `back\\slash`,
		"\xff\xc3(":                        `\xff\xc3(`,
		"\u009b31m":                        `\u009b31m`, // CSI in one character
		"\u202etxt.exe":                    `\u202etxt.exe`,
		"\U000e0041 \u00a0":                `\U000e0041 \u00a0`,
		`say "\"`:                          `say "\\"`,
		strings.Repeat("\x1b]0;x\a", 2000): strings.Repeat(`\x1b]0;x\a`, 2000),
	} {
		if got := Escaped(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func FuzzEscaped(f *testing.F) {
	f.Add("\x1b[2J\xff\\x1b\u202e", 5)
	f.Fuzz(func(t *testing.T, text string, most int) {
		got := Escaped(text)
		for _, r := range got {
			if r < ' ' || r >= 0x7f && r < 0xa0 {
				t.Fatalf("%q has %q in it", got, r)
			}
		}
		if most > 0 && most < 1000 && columns(fit(got, most)) > most {
			t.Fatalf("%q is wider than %d", fit(got, most), most)
		}
	})
}

func TestFit(t *testing.T) {
	for _, c := range []struct {
		text string
		most int
		want string
	}{
		{"abc", 3, "abc"}, {"abcd", 3, "ab+"}, {"世界", 4, "世界"}, {"世界", 3, "世+"}, {"世界", 2, "+"}, {"abc", 1, "+"}, {"", 1, ""},
	} {
		if got := fit(c.text, c.most); got != c.want {
			t.Errorf("%q in %d: %q, want %q", c.text, c.most, got, c.want)
		}
	}
}

func TestAgeAndMemory(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0s", 59*time.Second + 999*time.Millisecond: "59s", time.Minute: "1m0s", 61 * time.Minute: "1h1m", 49 * time.Hour: "2d1h",
	} {
		if got := age(d); got != want {
			t.Errorf("%v: %s, want %s", d, got, want)
		}
	}
	for n, want := range map[int64]string{
		-1: "-", 0: "0K", 1: "1K", 1024: "1K", 1<<20 - 1: "1024K", 1 << 20: "1.0M", 5<<20 + 1<<19: "5.5M", 5 << 30: "5.0G",
	} {
		if got := memory(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}
