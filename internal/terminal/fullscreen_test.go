package terminal_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sbinit/sbinit/internal/terminal/wire"
	"github.com/sbinit/sbinit/internal/testns"
)

const escape = "\x1b"

// TestPager: pages, a search, another size, and the shell's own screen afterwards.
func TestPager(t *testing.T) {
	testns.RequireProgram(t, "less")
	line := func(n int) string { return fmt.Sprintf("line %d grün 5 €", n) }
	var text strings.Builder
	for n := range 300 {
		fmt.Fprintln(&text, line(n+1))
	}
	testns.Each(t, func(t *testing.T, o testns.Options) {
		file := filepath.Join(testns.Dir(t), "text")
		if err := os.WriteFile(file, []byte(text.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		m := watch(t, o)
		m.types("LC_ALL=C.UTF-8 less " + file + "\r")
		m.has(map[int]string{0: line(1), 22: line(23), 23: file})
		m.types(" ")
		m.has(map[int]string{0: line(24), 22: line(46), 23: ":"})
		m.resize(100, 40)
		m.has(map[int]string{0: line(24), 38: line(62), 39: ":"})
		m.types("/line 77\r")
		m.has(map[int]string{0: line(77), 38: line(115)})
		m.types("G")
		m.has(map[int]string{0: line(262), 38: line(300), 39: "(END)"})
		m.types("q")
		m.prompts()
		m.displays("what was typed before", func(rows []string) bool { return strings.HasPrefix(rows[0], "> LC_ALL=C.UTF-8 less ") })
		m.types(ctrlD)
		m.ends(wire.ReasonExited, 0)
	})
}

// TestEditor: text with characters in pieces, another size, a stop and a return, ctrl-C,
// which is a key here, and what is in the file in the end.
func TestEditor(t *testing.T) {
	testns.RequireProgram(t, "vi")
	testns.Each(t, func(t *testing.T, o testns.Options) {
		file := filepath.Join(testns.Dir(t), "text")
		m := watch(t, o)
		m.types("LC_ALL=C.UTF-8 vi -N -u NONE -i NONE -n " + file + "\r")
		m.has(map[int]string{0: "", 1: "~", 22: "~"})
		m.types("igr\xc3")
		m.types("\xbcn 5 \xe2")
		m.types("\x82")
		m.types("\xac\rtwo" + escape)
		m.has(map[int]string{0: "grün 5 €", 1: "two", 2: "~"})
		m.resize(60, 10)
		m.has(map[int]string{0: "grün 5 €", 1: "two", 2: "~", 8: "~"})
		m.types(ctrlZ)
		m.prompts()
		m.types("fg\r")
		m.has(map[int]string{0: "grün 5 €", 1: "two", 2: "~", 8: "~"})
		m.types(ctrlC)
		m.displays("how to leave", func(rows []string) bool { return strings.HasPrefix(rows[9], "Type  :qa") })
		m.types("othree" + escape)
		m.has(map[int]string{0: "grün 5 €", 1: "two", 2: "three", 3: "~"})
		m.types(":wq\r")
		m.prompts()
		if got, err := os.ReadFile(file); err != nil || string(got) != "grün 5 €\ntwo\nthree\n" {
			t.Errorf("the file has %q, %v", got, err)
		}
		m.types(ctrlD)
		m.ends(wire.ReasonExited, 0)
	})
}

// TestTop: a program that redraws by itself, in two sizes, ended by a key and by ctrl-C.
func TestTop(t *testing.T) {
	testns.RequireProgram(t, "top")
	testns.Each(t, func(t *testing.T, o testns.Options) {
		m := watch(t, o)
		lists := func(size int) {
			t.Helper()
			m.displays("the processes", func(rows []string) bool {
				return len(rows) == size && strings.HasPrefix(rows[0], "top - ") && strings.HasPrefix(rows[1], "Tasks:") &&
					strings.HasPrefix(strings.TrimSpace(rows[6]), "PID USER") && strings.HasSuffix(rows[7], " bash") && rows[8] == ""
			})
		}
		const show = "top -d 0.3 -p $$\r"
		m.types(show)
		lists(24)
		m.resize(110, 12)
		lists(12)
		m.types("q")
		m.prompts()
		m.types(show)
		lists(12)
		m.types(ctrlC)
		m.prompts()
		m.types(ctrlD)
		m.ends(wire.ReasonExited, 0)
	})
}

// TestCharactersInPieces: one that comes in two messages is one on the screen, and one that
// is typed in two is erased by one key.
func TestCharactersInPieces(t *testing.T) {
	testns.Each(t, func(t *testing.T, o testns.Options) {
		m := watch(t, o)
		m.types(`clear; stty -echo; printf '\303'; read x; printf '\244 \342\202'; read x; printf '\254\n'; stty echo; echo go; cat` + "\r")
		m.shows("\xc3")
		m.types("\n")
		m.shows("\xa4 \xe2\x82")
		m.types("\n")
		m.has(map[int]string{0: "ä €", 1: "go"})
		m.types("a\xe2\x82")
		m.types("\xacb\x7f\x7fc\n")
		m.has(map[int]string{2: "ac", 3: "ac"})
		m.types(ctrlC)
		m.prompts()
		m.types(ctrlD)
		m.ends(wire.ReasonExited, 0)
	})
}
