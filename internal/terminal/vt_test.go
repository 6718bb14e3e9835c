package terminal_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/hinshun/vt10x"

	"github.com/sbinit/sbinit/internal/terminal/wire"
	"github.com/sbinit/sbinit/internal/testns"
)

// A monitor is a session with a model of a terminal behind it, which says what a person
// would see.
type monitor struct {
	*session
	model vt10x.Terminal
	fed   int // bytes of output that the model has got
}

// watch starts a shell as a person has it: with job control, and lines that are edited.
func watch(t *testing.T, o testns.Options) *monitor {
	t.Helper()
	m := &monitor{
		session: open(t, o, nil, "bash", "--norc", "--noprofile", "-i"),
		model:   vt10x.New(vt10x.WithSize(80, 24)),
	}
	m.prompts()
	return m
}

// rows are the lines of the screen, without the spaces behind them. The model takes whole
// characters alone: where output ends within one, it waits for the rest.
func (m *monitor) rows() []string {
	m.t.Helper()
	m.read()
	text := m.shown.String()[m.fed:]
	text = text[:whole(text)]
	if _, err := m.model.Write([]byte(text)); err != nil {
		m.t.Fatal(err)
	}
	m.fed += len(text)
	rows := strings.Split(strings.TrimSuffix(m.model.String(), "\n"), "\n")
	for i := range rows {
		rows[i] = strings.TrimRight(rows[i], " \x00")
	}
	return rows
}

// whole is how many bytes of a text are whole characters, or can become none.
func whole(text string) int {
	for cut := 1; cut < utf8.UTFMax && cut <= len(text); cut++ {
		if at := len(text) - cut; utf8.RuneStart(text[at]) {
			if !utf8.FullRuneInString(text[at:]) {
				return at
			}
			break
		}
	}
	return len(text)
}

// displays waits until the screen is as it should be.
func (m *monitor) displays(what string, right func(rows []string) bool) {
	m.t.Helper()
	defer func() {
		if m.t.Failed() {
			m.t.Logf("the screen:\n%s", strings.Join(m.rows(), "\n"))
		}
	}()
	m.WaitFor(m.t, "the screen to show "+what, func() bool { return right(m.rows()) })
}

// has waits for rows that are as given, by number.
func (m *monitor) has(want map[int]string) {
	m.t.Helper()
	m.displays(fmt.Sprint(want), func(rows []string) bool {
		for n, text := range want {
			if rows[n] != text {
				return false
			}
		}
		return true
	})
}

// prompts waits until the shell has its cursor behind an empty prompt, on the screen that
// is no program's own.
func (m *monitor) prompts() {
	m.t.Helper()
	m.displays("the prompt", func(rows []string) bool {
		at := m.model.Cursor()
		return at.X == 2 && rows[at.Y] == ">" && m.model.Mode()&vt10x.ModeAltScreen == 0
	})
}

func (m *monitor) resize(cols, rows int) {
	m.t.Helper()
	m.rows() // what was written for the old size
	m.model.Resize(cols, rows)
	m.send(wire.Resize{Cols: cols, Rows: rows})
}
