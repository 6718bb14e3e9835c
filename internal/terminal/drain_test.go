package terminal_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/terminal/wire"
	"github.com/sbinit/sbinit/internal/testns"
)

func init() { testns.Register("fill", fill) }

// fill FILE writes to its terminal as much as that takes, and leaves a file that says
// how much.
func fill(args []string) int {
	text, n := countable(1<<20), 0
	if err := unix.SetNonblock(1, true); err != nil {
		return 125
	}
	for still := 0; still < 30 && n < len(text); still++ {
		wrote, err := unix.Write(1, []byte(text[n:]))
		if err == nil {
			n, still = n+wrote, 0
			continue
		}
		time.Sleep(10 * time.Millisecond)
	}
	if err := os.WriteFile(args[0], []byte(strconv.Itoa(n)), 0o644); err != nil {
		return 125
	}
	return 0
}

// countable is a text of which each piece tells where it is from.
func countable(size int) string {
	var b strings.Builder
	for b.Len() < size {
		fmt.Fprintln(&b, b.Len())
	}
	return b.String()
}

// TestOutputAwaitsItsReader: a caller takes nothing before all processes have ended. What
// waits in the terminal by then still comes.
func TestOutputAwaitsItsReader(t *testing.T) {
	testns.Each(t, func(t *testing.T, o testns.Options) {
		o.Stdout = testns.Full
		s := begin(t, o, "SBINIT_TERMINAL_IO_TIMEOUT=60s")
		file := filepath.Join(testns.Dir(t), "written")
		s.send(wire.Open{Cols: 80, Rows: 24, Argv: append([]string{"sh", "-c", `stty raw; exec "$0" "$@"`}, testns.Self("fill", file)...)})
		written := 0
		s.WaitFor(t, "the program's end", func() bool {
			text, _ := os.ReadFile(file)
			written, _ = strconv.Atoi(string(text))
			return written > 0 && len(s.Find("fill")) == 0
		})
		s.Unstick(1)
		s.ends(wire.ReasonExited, 0)
		if s.shown.String() != countable(written)[:written] {
			t.Errorf("%d bytes came, or others, want %d", s.shown.Len(), written)
		}
		t.Logf("%d bytes", written)
	})
}
