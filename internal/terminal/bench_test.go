package terminal_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sbinit/sbinit/internal/terminal/wire"
	"github.com/sbinit/sbinit/internal/testns"
)

// The benchmarks measure one run each, and have figures of their own:
// go test -run '^$' -bench . -benchtime 1x ./internal/terminal

// report gives a benchmark figures in place of its time.
func report(b *testing.B, figures map[string]float64) {
	for unit, value := range figures {
		b.ReportMetric(value, unit)
	}
	b.ReportMetric(0, "ns/op")
}

func milliseconds(d time.Duration) float64 { return d.Seconds() * 1000 }

// percentile is of a list of times, in a unit of time.
func percentile(times []time.Duration, percent int, unit time.Duration) float64 {
	times = slices.Sorted(slices.Values(times))
	return float64(times[(len(times)-1)*percent/100]) / float64(unit)
}

// BenchmarkOutput: a program writes lines as fast as they are taken. The best of some
// runs counts, in which the three take turns: others use the machine too.
func BenchmarkOutput(b *testing.B) {
	const size, rounds = 64 << 20, 5
	file := filepath.Join(testns.Dir(b), "text")
	line := strings.Repeat("x", 79) + "\n"
	if err := os.WriteFile(file, []byte(strings.Repeat(line, size/len(line))), 0o644); err != nil {
		b.Fatal(err)
	}
	want := int64(size / len(line) * (len(line) + 1)) // the terminal adds a carriage return
	measure := func(take func(testing.TB, string) int64) float64 {
		begun := time.Now()
		if got := take(b, file); got != want {
			b.Fatalf("%d bytes came, want %d", got, want)
		}
		return float64(want) / 1e6 / time.Since(begun).Seconds()
	}
	var bare, script, ours float64
	for range rounds {
		bare = max(bare, measure(bareOutput))
		script = max(script, measure(scriptOutput))
		ours = max(ours, measure(sessionOutput))
	}
	report(b, map[string]float64{"MB/s": ours, "bare-MB/s": bare, "script-MB/s": script, "of-bare": ours / bare})
}

// BenchmarkEcho: a key is typed, and what a program in raw mode writes back is awaited.
func BenchmarkEcho(b *testing.B) {
	const rounds, keys = 10, 100
	bare, session := startBare(b, echoer...), startCaller(b, echoer...)
	defer bare.stop()
	defer session.close(b)
	bare.await(b, "ready")
	session.await(b, "ready")
	var theirs, ours []time.Duration
	timed := func(key func()) time.Duration {
		begun := time.Now()
		key()
		return time.Since(begun)
	}
	for range rounds {
		for range keys {
			theirs = append(theirs, timed(func() { bare.key(b) }))
		}
		for range keys {
			ours = append(ours, timed(func() { session.key(b) }))
		}
	}
	report(b, map[string]float64{
		"p50-us": percentile(ours, 50, time.Microsecond), "p99-us": percentile(ours, 99, time.Microsecond),
		"bare-p50-us": percentile(theirs, 50, time.Microsecond), "bare-p99-us": percentile(theirs, 99, time.Microsecond),
	})
}

var echoer = []string{"sh", "-c", "stty raw -echo; echo ready; exec cat"}

// BenchmarkOpen: from the start of `sbinit terminal`, with `open` in its pipe, to `ready`,
// and to the exit of all when the program is true(1), beside script(1)'s.
func BenchmarkOpen(b *testing.B) {
	var ready, whole, script []time.Duration
	for range 30 {
		begun := time.Now()
		c := startCaller(b, "true")
		ready = append(ready, time.Since(begun))
		c.finish(b)
		whole = append(whole, time.Since(begun))
		begun = time.Now()
		runScript(b, "true")
		script = append(script, time.Since(begun))
	}
	report(b, map[string]float64{
		"ready-p50-ms": percentile(ready, 50, time.Millisecond), "ready-p99-ms": percentile(ready, 99, time.Millisecond),
		"whole-p50-ms": percentile(whole, 50, time.Millisecond), "script-p50-ms": percentile(script, 50, time.Millisecond),
	})
}

// BenchmarkMemory: what each further session takes, its program aside.
func BenchmarkMemory(b *testing.B) {
	const first, more = 10, 20
	used := func(sessions []*caller) (front, worker float64) {
		for _, c := range sessions {
			front += pss(b, c.cmd.Process.Pid)
			worker += pss(b, parent(b, c.pid))
		}
		return front, worker
	}
	sessions := crowdOf(b, first)
	front, worker := used(sessions)
	sessions = append(sessions, crowdOf(b, more)...)
	moreFront, moreWorker := used(sessions)
	for _, c := range sessions {
		c.close(b)
	}
	report(b, map[string]float64{"worker-MB": (moreWorker - worker) / more / 1e6, "front-MB": (moreFront - front) / more / 1e6})
}

// crowdOf is so many sessions, each of which has answered.
func crowdOf(b *testing.B, n int) (sessions []*caller) {
	for range n {
		sessions = append(sessions, startCaller(b, echoer...))
	}
	for _, c := range sessions {
		c.await(b, "ready")
		c.key(b)
	}
	return sessions
}

// BenchmarkSessions: 200 at once, from the first one's start to the last one's answer, and
// their ends.
func BenchmarkSessions(b *testing.B) {
	begun := time.Now()
	sessions := crowdOf(b, 200)
	opened := time.Now()
	for _, c := range sessions {
		c.send(b, wire.Close{})
	}
	for _, c := range sessions {
		c.finish(b)
	}
	report(b, map[string]float64{"open-s": opened.Sub(begun).Seconds(), "close-s": time.Since(opened).Seconds()})
}

// BenchmarkCleanup: from `close` to `end` with 250 descendants which have forked twice
// and left the session, when they do as they are told, and when they ignore it and get
// no time.
func BenchmarkCleanup(b *testing.B) {
	for name, c := range map[string]struct{ env, daemon string }{
		"obedient": {"SBINIT_KILL_GRACE=5s", "sleep 1000"},
		"stubborn": {"SBINIT_KILL_GRACE=0", "$TOOL ignore 1 2 15"},
	} {
		b.Run(name, func(b *testing.B) {
			var times []time.Duration
			for range 5 {
				s := open(b, testns.Options{}, []string{c.env, "SBINIT_TERMINAL_DESCENDANTS=300"},
					"sh", "-c", fmt.Sprintf("for i in $(seq 250); do $TOOL daemon %s; done >/dev/null; echo started; exec sleep 1000", c.daemon))
				s.shows("started")
				s.WaitFor(b, "all to run", func() bool { return len(s.InYard()) >= 250+3 })
				begun := time.Now()
				s.send(wire.Close{})
				for len(s.seen) == 0 || !isEnd(s.seen[len(s.seen)-1]) {
					time.Sleep(time.Millisecond)
					s.read()
				}
				times = append(times, time.Since(begun))
				s.ends(wire.ReasonClosed, 0)
			}
			report(b, map[string]float64{"p50-ms": percentile(times, 50, time.Millisecond), "max-ms": milliseconds(slices.Max(times))})
		})
	}
}

func isEnd(m wire.WorkerMessage) bool {
	_, ok := m.(wire.End)
	return ok
}
