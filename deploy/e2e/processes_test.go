//go:build e2e

package e2e

import (
	"strconv"
	"strings"
	"testing"
)

// process is one line of the container's `ps -o pid,ppid,stat,args`.
type process struct {
	pid, ppid int
	state     byte // R, S, D, T, Z
	args      string
}

type processes []process

// processes lists the container with its own ps, as people count orphans; the ps itself is left out.
func (c *container) processes() processes {
	c.t.Helper()
	return parseProcesses(c.t, c.exec("ps", "-o", "pid,ppid,stat,args")).without("ps -o pid,ppid,stat,args")
}

// top lists the container from outside, which needs no new process in it. The PIDs are not those of the container.
func (c *container) top() processes {
	c.t.Helper()
	return parseProcesses(c.t, must(c.t, "top", c.id, "-o", "pid,ppid,stat,args"))
}

func parseProcesses(t *testing.T, listing string) processes {
	t.Helper()
	var all processes
	for _, line := range strings.Split(listing, "\n")[1:] {
		fields := strings.Fields(line)
		if len(fields) < 4 {
			t.Fatalf("ps printed %q", line)
		}
		pid, pidErr := strconv.Atoi(fields[0])
		ppid, ppidErr := strconv.Atoi(fields[1])
		if pidErr != nil || ppidErr != nil {
			t.Fatalf("ps printed %q", line)
		}
		all = append(all, process{pid, ppid, fields[2][0], strings.Join(fields[3:], " ")})
	}
	return all
}

func (all processes) filter(keep func(process) bool) processes {
	var kept processes
	for _, p := range all {
		if keep(p) {
			kept = append(kept, p)
		}
	}
	return kept
}

// named are the live processes whose command line contains text.
func (all processes) named(text string) processes {
	return all.filter(func(p process) bool { return p.state != 'Z' && strings.Contains(p.args, text) })
}

// running are the live processes whose command line begins with text.
func (all processes) running(text string) processes {
	return all.filter(func(p process) bool { return p.state != 'Z' && strings.HasPrefix(p.args, text) })
}

// orphans are those named that PID 1 adopted.
func (all processes) orphans(text string) processes {
	return all.named(text).filter(func(p process) bool { return p.ppid == 1 })
}

func (all processes) zombies() processes {
	return all.filter(func(p process) bool { return p.state == 'Z' })
}

func (all processes) without(args string) processes {
	return all.filter(func(p process) bool { return p.args != args })
}

// pid is the process of that number, or an empty one.
func (all processes) pid(n int) process {
	for _, p := range all {
		if p.pid == n {
			return p
		}
	}
	return process{}
}

// inCommon counts the processes that are in both lists.
func (all processes) inCommon(others processes) int {
	return len(all.filter(func(p process) bool { return others.pid(p.pid) != process{} }))
}
