package pid1_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/sbinit/sbinit/internal/testns"
)

// The benchmarks measure one run each, and have figures of their own:
// go test -run '^$' -bench . -benchtime 1x ./internal/init

// load builds testdata/load.c.
func load(b *testing.B) string {
	b.Helper()
	path := filepath.Join(testns.Dir(b), "load")
	if out, err := exec.Command("gcc", "-O2", "-Wall", "-o", path, "testdata/load.c").CombinedOutput(); err != nil {
		b.Fatalf("gcc: %v\n%s", err, out)
	}
	return path
}

// cpuTime is the time that all threads of a process have run, from schedstat.
func cpuTime(b *testing.B, pid int) time.Duration {
	b.Helper()
	files, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
	if err != nil || len(files) == 0 {
		b.Fatalf("no threads of %d", pid)
	}
	var sum time.Duration
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			b.Fatal(err)
		}
		ran, _, _ := strings.Cut(string(text), " ")
		n, err := strconv.ParseInt(ran, 10, 64)
		if err != nil {
			b.Fatal(err)
		}
		sum += time.Duration(n)
	}
	return sum
}

// during reports what PID 1 uses while time passes.
func during(b *testing.B, c *testns.Container, span time.Duration) time.Duration {
	b.Helper()
	before := cpuTime(b, c.PID())
	time.Sleep(span)
	return cpuTime(b, c.PID()) - before
}

func startLoad(b *testing.B, env []string, argv ...string) *testns.Container {
	b.Helper()
	return testns.Start(b, testns.Options{Env: testns.Environ(env...)}, argv...)
}

// guards are the settings of a benchmark: without SBINIT_GUARD, with a name that
// nobody bears, and with all below a guard.
var guards = []struct {
	name string
	env  []string
}{
	{"500", nil},
	{"500,guard=none", []string{"SBINIT_GUARD=agent"}},
	{"500,guard=all", []string{"SBINIT_GUARD=sh"}},
}

// below is a command line of sbinit's by which the guard, if there is one, starts argv.
func below(b *testing.B, argv ...string) []string {
	b.Helper()
	return append([]string{testns.Build(b), "--", "sh", "-c", `"$@" & wait`, "sh"}, argv...)
}

// BenchmarkIdle: 500 quiet processes, in the first minute, when the tick is a
// second, without and with SBINIT_GUARD.
func BenchmarkIdle(b *testing.B) {
	for _, g := range guards {
		b.Run(g.name, func(b *testing.B) {
			c := startLoad(b, g.env, below(b, load(b), "crowd", "500", "sleep", "1000")...)
			c.WaitFor(b, "the crowd", func() bool { return len(c.Processes()) > 500 })
			time.Sleep(8 * time.Second) // until no process is young
			const span = 20 * time.Second
			b.ReportMetric(float64(during(b, c, span).Microseconds())/1000/span.Seconds(), "cpu-ms/s")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// BenchmarkForking: 50 processes a second beside 500 quiet ones.
func BenchmarkForking(b *testing.B) {
	for _, g := range guards {
		b.Run(g.name, func(b *testing.B) {
			bin := load(b)
			c := startLoad(b, g.env, below(b, bin, "crowd", "500", bin, "fork", "50", "60")...)
			c.WaitFor(b, "the crowd", func() bool { return len(c.Processes()) > 500 })
			time.Sleep(8 * time.Second)
			const span = 20 * time.Second
			b.ReportMetric(100*during(b, c, span).Seconds()/span.Seconds(), "%core")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// BenchmarkOrphanDeath: from a long-lived daemon's death to that of the child
// which it abandoned, with grace 0, in an empty and in a full container.
func BenchmarkOrphanDeath(b *testing.B) {
	for _, crowd := range []string{"2", "500"} {
		b.Run(crowd, func(b *testing.B) {
			bin := load(b)
			env := []string{"SBINIT_ORPHAN_GRACE=0", "SBINIT_LOG_LEVEL=error"}
			c := startLoad(b, env, testns.Build(b), "--", bin, "crowd", crowd, bin, "deaths", "25")
			c.Wait(b)
			took := sorted(b, c.Stdout())
			b.ReportMetric(took[len(took)/2]/1000, "p50-ms")
			b.ReportMetric(took[len(took)*99/100]/1000, "p99-ms")
			b.ReportMetric(0, "ns/op")
		})
	}
}

func sorted(b *testing.B, lines string) []float64 {
	b.Helper()
	var list []float64
	for _, word := range strings.Fields(lines) {
		n, err := strconv.ParseFloat(word, 64)
		if err != nil {
			b.Fatal(err)
		}
		list = append(list, n)
	}
	if len(list) == 0 {
		b.Fatal("no figures")
	}
	slices.Sort(list)
	return list
}

// BenchmarkReap: CPU of PID 1 for each orphan that it reaps, beside tini's in
// the same run.
func BenchmarkReap(b *testing.B) {
	tini, err := exec.LookPath("tini")
	if err != nil {
		b.Fatal("tini is not installed: ", err)
	}
	for _, batch := range []string{"1", "100"} {
		b.Run("batch="+batch, func(b *testing.B) {
			ours := perOrphan(b, batch, testns.Build(b))
			theirs := perOrphan(b, batch, tini)
			b.ReportMetric(ours, "us/orphan")
			b.ReportMetric(theirs, "tini-us/orphan")
			b.ReportMetric(ours/theirs, "ratio")
			b.ReportMetric(0, "ns/op")
		})
	}
}

func perOrphan(b *testing.B, batch, init string) float64 {
	b.Helper()
	const n = 2000
	bin := load(b)
	c := startLoad(b, nil, init, "--", "sh", "-c",
		fmt.Sprintf("%s orphans %d %s; echo ready; exec sleep 1000", bin, n, batch))
	before := cpuTime(b, c.PID())
	c.WaitFor(b, "the orphans", func() bool { return strings.Contains(c.Stdout(), "ready") })
	return float64((cpuTime(b, c.PID()) - before).Microseconds()) / n
}
