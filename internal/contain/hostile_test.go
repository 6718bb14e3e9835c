package contain

import (
	"testing"
	"time"

	"github.com/sbinit/sbinit/internal/testns"
)

// TestHostile: programs that resist are ended, politely asked or not, and no stranger
// is harmed.
func TestHostile(t *testing.T) {
	testns.Each(t, func(t *testing.T, o testns.Options) {
		for _, program := range testns.HostilePrograms(t) {
			t.Run(program.Name, func(t *testing.T) {
				f := startForest(t, o)
				for _, polite := range []time.Duration{0, 30 * time.Millisecond} {
					outcome, err := f.ends(fate{Argv: program.Argv, Polite: polite})
					if err != nil {
						t.Fatal(err)
					}
					if what := outcome.wrong(); what != "" {
						t.Error(what)
					}
					if took := outcome.Report.Took; took > polite+8*time.Second {
						t.Errorf("took %v", took)
					}
					t.Logf("%v, %d passes", outcome.Report.Took, outcome.Report.Passes)
				}
				f.StrangersUnharmed(t)
			})
		}
	})
}

// TestHostileFewNumbers: the number of who has ended is another's soon.
func TestHostileFewNumbers(t *testing.T) {
	testns.RequirePidMax(t)
	tool, hostile := testns.Tool(t), testns.Hostile(t)
	f := startForest(t, testns.Options{PidMax: 500})
	for range 10 {
		for _, argv := range [][]string{
			{tool, "comets", "8", "20000"}, {tool, "respawn", "100000"}, {tool, "watchdogs", "100000"}, {hostile, "conts", "60"},
		} {
			outcome, err := f.ends(fate{Argv: argv})
			if err != nil {
				t.Fatal(err)
			}
			if what := outcome.wrong(); what != "" {
				t.Errorf("%v: %s", argv[1:], what)
			}
		}
	}
	f.StrangersUnharmed(t)
}

// TestForkBomb: nobody can start anything any more.
func TestForkBomb(t *testing.T) {
	testns.RequirePidsLimit(t)
	f := startForest(t, testns.Options{PidsMax: 150})
	for range 5 {
		outcome, err := f.ends(fate{Argv: []string{testns.Hostile(t), "bomb", "100000"}})
		if err != nil {
			t.Fatal(err)
		}
		if what := outcome.wrong(); what != "" {
			t.Error(what)
		}
	}
	f.StrangersUnharmed(t)
}
