//go:build e2e

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// What `docker exec` runs has ppid 0 in the container. What that leaves behind is PID 1's.

// leftoverJob is a background job with a cleanup handler that takes a second. Its standard descriptors are /dev/null and
// a file, like those of a dev server that was put in the background on purpose.
const leftoverJob = `
sh -c 'trap "sleep 1; echo done >/out/cleanup; exit 0" TERM
echo started >/out/started
while :; do sleep 60 & wait $!; done' leftover-job </dev/null >/tmp/job.log 2>&1 &`

// leftover runs a container with a leftover job in it, and gives the folder that the job writes to.
func leftover(t *testing.T, options ...string) (*container, string) {
	t.Helper()
	out := t.TempDir()
	if err := os.Chmod(out, 0o777); err != nil {
		t.Fatal(err)
	}
	c := startReady(t, append([]string{"-v", out + ":/out"}, options...), "sh", "-c", endsOnTerm)
	c.exec("sh", "-c", leftoverJob)
	awaitFile(t, filepath.Join(out, "started"))
	return c, out
}

func awaitFile(t *testing.T, name string) {
	t.Helper()
	eventually(t, settleLimit, name, func() bool { return exists(name) })
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

func (c *container) awaitAdopted(name string) process {
	c.t.Helper()
	var found processes
	eventually(c.t, settleLimit, name+" adopted by PID 1", func() bool {
		found = c.processes().orphans(name)
		return len(found) == 1
	})
	return found[0]
}

// expectLogged wants one line of the log that names both the process and the variable.
func (c *container) expectLogged(pid int, variable string) {
	c.t.Helper()
	log := c.log()
	said := 0
	for line := range strings.Lines(log) {
		if strings.Contains(line, variable) && regexp.MustCompile(fmt.Sprintf(`"pid": %d\b`, pid)).MatchString(line) {
			said++
		}
	}
	if said != 1 {
		c.t.Errorf("%d lines of the log name process %d and %s, want 1: %q", said, pid, variable, log)
	}
}

// With each policy that lets it live it lives as long as the container, and its cleanup handler then runs to its end.
func TestExecLeftoverLivesAsLongAsTheContainer(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		options []string
		log     string
	}{
		{"default", nil, ""},
		{"abandoned", []string{"-e", "SBINIT_ORPHANS=abandoned"}, ""},
		{"keep", []string{"-e", "SBINIT_ORPHANS=keep"}, ""},
		{"report", []string{"-e", "SBINIT_ORPHANS=report"}, "SBINIT_ORPHANS=terminate"},
		{"SBINIT_KEEP", []string{"-e", "SBINIT_ORPHANS=terminate", "-e", "SBINIT_KEEP=1"}, ""},
		{"keep list", []string{"-e", "SBINIT_ORPHANS=terminate", "-e", "SBINIT_ORPHAN_KEEP=+sh,sleep"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.options = append(c.options, "-e", "SBINIT_ORPHAN_GRACE=0", "-e", "SBINIT_SCAN_INTERVAL=100ms")
			box, out := leftover(t, c.options...)
			job := box.awaitAdopted("leftover-job")
			box.settle()
			if c.log != "" {
				box.expectLogged(job.pid, c.log)
			}
			if len(box.processes().orphans("leftover-job")) != 1 || exists(filepath.Join(out, "cleanup")) {
				t.Fatalf("the job was ended: %+v", box.processes())
			}
			box.stop(30)
			box.expectExit(7)
			if !exists(filepath.Join(out, "cleanup")) {
				t.Error("the container ended before the job's cleanup handler did")
			}
		})
	}
}

// settle makes sbinit look at its children several times over: each orphan that it reaps makes it look.
func (c *container) settle() {
	c.t.Helper()
	before := len(c.adopted())
	for range 3 {
		c.exec("sh", "-c", "(sleep 0.2 </dev/null >/tmp/short.log 2>&1 &)")
		eventually(c.t, settleLimit, "the short orphan reaped", func() bool { return len(c.adopted()) <= before })
	}
}

// adopted are the children of PID 1, dead or alive.
func (c *container) adopted() processes {
	c.t.Helper()
	return c.processes().filter(func(p process) bool { return p.ppid == 1 })
}

func TestExecLeftoverIsEndedWhereThePolicySaysSo(t *testing.T) {
	t.Parallel()
	box, out := leftover(t, "-e", "SBINIT_ORPHANS=terminate", "-e", "SBINIT_ORPHAN_GRACE=2s")
	job := box.awaitAdopted("leftover-job")
	awaitFile(t, filepath.Join(out, "cleanup"))
	eventually(t, settleLimit, "the job's end", func() bool { return len(box.processes().named("leftover-job")) == 0 })
	box.expectLogged(job.pid, "SBINIT_")
	if !box.running() {
		t.Fatal("the container ended with the job")
	}
	box.stop(30)
	box.expectExit(7)
}

// A leftover that speaks a protocol on the pipes of a docker exec that is over is abandoned: the engine closed them.
func TestExecLeftoverOnClosedPipesIsAbandoned(t *testing.T) {
	t.Parallel()
	box := startReady(t, []string{"-e", "SBINIT_ORPHAN_GRACE=0"}, "sh", "-c", endsOnTerm)
	must(t, "exec", "--interactive", box.id, "sh", "-c", "exec 3<&0; probe child protocol <&3 3<&- &")
	box.awaitNo(protocolChild, settleLimit)
	box.stop(30)
	box.expectExit(7)
}

// The grace ends, too: a leftover that ignores SIGTERM is killed after SBINIT_EXIT_GRACE.
func TestExecLeftoverThatIgnoresTermIsKilledAfterTheGrace(t *testing.T) {
	t.Parallel()
	box := startReady(t, []string{"-e", "SBINIT_EXIT_GRACE=1s"}, "sh", "-c", endsOnTerm)
	box.exec("sh", "-c", `sh -c 'trap "" TERM; sleep 1000; :' deaf-job </dev/null >/tmp/job.log 2>&1 &`)
	box.awaitAdopted("deaf-job")
	if took := box.stop(60); took < time.Second || took > 20*time.Second {
		t.Errorf("docker stop took %v, want a bit more than the grace of 1 s", took)
	}
	box.expectExit(7)
}

// What docker exec still runs has ppid 0 and is no child of PID 1, but it is part of the container's end.
func TestRunningExecIsPartOfTheEnd(t *testing.T) {
	t.Parallel()
	out := t.TempDir()
	box := startReady(t, []string{"-v", out + ":/out"}, "sh", "-c", endsOnTerm)
	must(t, "exec", "--detach", box.id, "sh", "-c",
		`trap "sleep 1; echo done >/out/cleanup; exit 0" TERM; echo started >/out/started; while :; do sleep 60 & wait $!; done`)
	awaitFile(t, filepath.Join(out, "started"))
	box.stop(30)
	box.expectExit(7)
	if !exists(filepath.Join(out, "cleanup")) {
		t.Error("the container ended before the cleanup handler of what docker exec ran")
	}
}

// The contrast: under tini the same job is killed in the middle of its handler, or before it.
func TestExecLeftoverUnderTini(t *testing.T) {
	t.Parallel()
	box, out := leftover(t, underTini...)
	box.stop(30)
	if exists(filepath.Join(out, "cleanup")) {
		t.Error("the job had its cleanup under tini as well: this test shows no difference")
	}
}
