package pid1

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/sbinit/sbinit/internal/config"
	"github.com/sbinit/sbinit/internal/log"
)

// TestRandomLives: whatever starts and ends in whatever order, nothing is signalled
// that is not below an orphan, nothing kept is, and after a while no orphan is left
// that the policy does not want.
func TestRandomLives(t *testing.T) {
	logger := log.New(config.Config{LogLevel: config.LevelError}, -1)
	defer logger.Close()
	rapid.Check(t, func(r *rapid.T) {
		w := worldWith(t, logger, func(cfg *config.Config) {
			cfg.Orphans = rapid.SampledFrom([]config.Orphans{config.OrphansTerminate, config.OrphansAbandoned}).Draw(r, "policy")
		})
		// Who is kept is looked into once, before an ending begins: what is started by a
		// member after that belongs to the ending, marked or not.
		marked, kept, orphaned := map[int]bool{}, map[int]bool{}, map[int]bool{}
		w.verdict = func(q inquiry) *verdict {
			v := always(lost)(q)
			if marked[q.subject.PID] {
				v.keep, kept[q.subject.PID] = "SBINIT_KEEP=1", true
			}
			for _, id := range q.others {
				if marked[id.PID] {
					v.exempt, kept[id.PID] = withID(v.exempt, id), true
				}
			}
			return v
		}
		next := 100
		// Every process inherits the mark from its parent, as it does an environment.
		begin := func(r *rapid.T, parent int) {
			w.start(next, parent)
			w.stubborn[next] = rapid.Bool().Draw(r, "stubborn")
			marked[next] = marked[parent] || rapid.IntRange(0, 9).Draw(r, "marked") == 0
			kept[next] = kept[parent]
			if rapid.IntRange(0, 3).Draw(r, "setsid") == 0 {
				w.setsid(next, next)
			} else {
				w.setsid(next, w.procs[parent].SID)
			}
			next++
		}
		pick := func(r *rapid.T) int {
			pids := append(w.alive(), runner)
			return rapid.SampledFrom(pids).Draw(r, "process")
		}
		mark := func() {
			for pid, p := range w.procs {
				if p.PPID == self && pid != mainPID || orphaned[p.PPID] {
					orphaned[pid] = true
				}
			}
		}
		r.Repeat(map[string]func(*rapid.T){
			"start": func(r *rapid.T) { begin(r, pick(r)) },
			"end": func(r *rapid.T) {
				if pid := pick(r); pid != runner {
					w.die(pid)
				}
			},
			"pass": func(r *rapid.T) {
				w.pass(time.Duration(rapid.IntRange(0, 4000).Draw(r, "ms")) * time.Millisecond)
			},
			"": func(r *rapid.T) {
				for range len(w.procs) {
					mark()
				}
				checkSent(r, w, kept, orphaned)
			},
		})
		w.pass(time.Minute)
		for range len(w.procs) {
			mark()
		}
		checkSent(r, w, kept, orphaned)
		for pid, p := range w.procs {
			if p.PPID == self && pid != mainPID && !marked[pid] {
				r.Fatalf("orphan %d is left: %+v", pid, w.ledger.orphans[pid])
			}
		}
	})
}

// checkSent looks at who was signalled since it last did.
func checkSent(r *rapid.T, w *world, kept, orphaned map[int]bool) {
	for _, id := range w.signalled {
		if kept[id.PID] {
			r.Fatalf("%d was signalled although it is kept", id.PID)
		}
		if id.PID <= runner || !orphaned[id.PID] {
			r.Fatalf("%d was signalled and is below no orphan", id.PID)
		}
	}
	w.signalled = slices.Delete(w.signalled, 0, len(w.signalled))
}
