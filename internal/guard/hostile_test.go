package guard_test

import (
	"strings"
	"testing"
	"time"

	"github.com/sbinit/sbinit/internal/testns"
)

// TestHostile: nobody is left of programs that resist, and no stranger is harmed. Without
// privilege little is different: there one cause for each has to do.
func TestHostile(t *testing.T) {
	testns.Each(t, func(t *testing.T, o testns.Options) {
		o.NotPID1 = true
		for i, program := range testns.HostilePrograms(t) {
			causes := kills
			if o.AsNobody {
				causes = kills[i%len(kills):][:1]
			}
			for _, cause := range causes {
				t.Run(program.Name+", "+cause.name, func(t *testing.T) {
					g := host{o: o}.inYard(t, atOnce, program.Argv...)
					g.ready(t)
					g.endsHostile(t, cause)
				})
			}
		}
	})
}

func (g *guarded) endsHostile(t *testing.T, cause cause) {
	t.Helper()
	begin := time.Now()
	g.now(cause)
	g.contained(t)
	if took := time.Since(begin); took > endLimit {
		t.Errorf("took %v", took)
	}
	if strings.Contains(g.Stderr(), "error") {
		t.Errorf("said: %s", g.Stderr())
	}
	t.Logf("%v", time.Since(begin))
}
