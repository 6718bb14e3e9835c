package differential

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sbinit/sbinit/internal/testns"
)

// A scenario is one row of the table.
type scenario struct {
	name    string
	of      []*peer  // on which inits it is run; nil: all
	options []string // of the init
	program []string // $TOOL, as its first word, is the C program of testns
	env     []string
	setup   testns.Options
	play    func(r *run)

	// shell has the words of a script that starts the init as `"$INIT" OPTIONS PROGRAM`,
	// instead of the init itself.
	shell string

	differs []difference
}

func (s scenario) isOf(p *peer) bool {
	if s.of == nil {
		return true
	}
	for _, one := range s.of {
		if one == p {
			return true
		}
	}
	return false
}

// mark sets whose rows these are.
func mark(p *peer, rows []scenario) []scenario {
	for i := range rows {
		rows[i].of = []*peer{p}
	}
	return rows
}

// A difference is a fact in which sbinit deviates on purpose.
type difference struct {
	of     *peer // nil: each of the scenario's
	fact   string
	theirs string
	ours   string
	why    *deviation
}

// difference finds what the row says about a fact.
func (s scenario) difference(p *peer, fact string) *difference {
	for i := range s.differs {
		if d := &s.differs[i]; d.fact == fact && (d.of == nil || d.of == p) {
			return d
		}
	}
	return nil
}

// A run is a scenario on one subject.
type run struct {
	*testns.Container
	t       *testing.T
	subject subject
	facts   map[string]string
}

// note enters a fact.
func (r *run) note(fact string, value any) {
	r.t.Helper()
	if _, ok := r.facts[fact]; ok {
		r.t.Fatalf("%s is noted twice", fact)
	}
	r.facts[fact] = fmt.Sprint(value)
}

// run starts a subject, plays, and returns what was noted.
func (s scenario) run(t *testing.T, on subject) map[string]string {
	t.Helper()
	argv := append([]string{on.path}, s.options...)
	for _, word := range s.program {
		argv = append(argv, strings.ReplaceAll(word, "$TOOL", testns.Tool(t)))
	}
	if s.shell != "" {
		argv = append([]string{"sh", "-c", s.shell, on.name}, argv...)
	}
	o := s.setup
	stdio := testns.Self("stdio", "--", testns.Tool(t), "ignore", fmt.Sprint(int(marker)), "10")
	o.Env = testns.Environ(append([]string{"TOOL=" + testns.Tool(t), "STDIO=" + strings.Join(stdio, " "), "PS1=> ", "TERM=dumb"}, s.env...)...)
	r := &run{Container: testns.Start(t, o, argv...), t: t, subject: on, facts: map[string]string{}}
	s.play(r)
	return r.facts
}
