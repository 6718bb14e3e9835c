package terminal_test

import (
	"strings"
	"testing"

	"github.com/sbinit/sbinit/internal/terminal/wire"
	"github.com/sbinit/sbinit/internal/terminal/wire/wiretest"
	"github.com/sbinit/sbinit/internal/testns"
)

// TestExample replays the session of docs/terminal-protocol.md. Each line of it is good
// by the schema.
func TestExample(t *testing.T) {
	schema, example := wiretest.LoadSchema(t), wiretest.ReadExample(t)
	testns.Each(t, func(t *testing.T, o testns.Options) {
		s := begin(t, o)
		for _, step := range example.Steps {
			switch {
			case step.Caller:
				s.raw(step.Line + "\n")
			case strings.HasPrefix(step.Line, `{"type":"ready"`):
				message[wire.Ready](s)
			}
		}
		s.ends(wire.ReasonExited, 0)
		var run []string
		for line := range strings.SplitSeq(s.Stdout(), "\n") {
			if !strings.HasPrefix(line, "{") {
				continue // the yard's
			}
			run = append(run, line)
			if err := schema.Worker([]byte(line)); err != nil {
				t.Errorf("%s: %v", line, err)
			}
		}
		if diff, err := example.Diff(run); err != nil || diff != "" {
			t.Errorf("%v\n%s", err, diff)
		}
	})
}
