package testns

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Process is what the host's /proc says of a process in the namespace. PID, PPID,
// PGID and SID are the namespace's numbers; a PPID of 0 is a parent outside.
type Process struct {
	PID, PPID, PGID, SID int
	HostPID, hostPPID    int
	UID                  int
	State                byte // as in proc_pid_stat(5): R, S, D, T, Z, ...
	Threads              int
	Comm                 string
	Args                 []string // empty for a zombie
}

// Alive reports whether the process is no zombie.
func (p Process) Alive() bool { return p.State != 'Z' && p.State != 'X' }

func (p Process) String() string {
	what := strings.Join(p.Args, " ")
	if what == "" {
		what = "[" + p.Comm + "]"
	}
	return fmt.Sprintf("%d ppid=%d pgid=%d sid=%d uid=%d %c %s", p.PID, p.PPID, p.PGID, p.SID, p.UID, p.State, what)
}

// Is reports whether the process runs the program called name: a registered one, a
// mode of the tool, or the base name of the program file.
func (p Process) Is(name string) bool {
	if len(p.Args) == 0 {
		return false
	}
	if filepath.Base(p.Args[0]) == name {
		return true
	}
	return len(p.Args) > 1 && (p.Args[1] == selfPrefix+name || p.Args[1] == name)
}

// Processes lists the processes of the namespace by number. It reads the host's
// /proc, whatever the namespace's own shows.
func (c *Container) Processes() []Process {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		c.t.Errorf("testns: %v", err)
		return nil
	}
	var found []Process
	inner := map[int]int{}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || !c.holds(pid) {
			continue
		}
		if p, ok := readProcess(pid); ok {
			found = append(found, p)
			inner[pid] = p.PID
		}
	}
	for i := range found {
		found[i].PPID = inner[found[i].hostPPID]
	}
	slices.SortFunc(found, func(a, b Process) int { return a.PID - b.PID })
	return found
}

func (c *Container) holds(pid int) bool {
	ns, err := os.Readlink("/proc/" + strconv.Itoa(pid) + "/ns/pid")
	return err == nil && ns == c.ns
}

// Find lists the living processes that run the program called name (see
// [Process.Is]), the program under test aside.
func (c *Container) Find(name string) []Process {
	return slices.DeleteFunc(c.Processes(), func(p Process) bool {
		return p.HostPID == c.pid || !p.Alive() || !p.Is(name)
	})
}

// One waits for exactly one living process that runs the program called name.
func (c *Container) One(name string) Process {
	c.t.Helper()
	var found []Process
	c.WaitFor(c.t, "one process "+name, func() bool {
		found = c.Find(name)
		return len(found) == 1
	})
	return found[0]
}

// readProcess fails if the process has gone meanwhile.
func readProcess(pid int) (Process, bool) {
	dir := "/proc/" + strconv.Itoa(pid)
	status, err := os.ReadFile(dir + "/status")
	if err != nil {
		return Process{}, false
	}
	p := Process{HostPID: pid}
	for line := range strings.Lines(string(status)) {
		key, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ":\t")
		p.set(key, value)
	}
	if cmdline, _ := os.ReadFile(dir + "/cmdline"); len(cmdline) > 0 {
		p.Args = strings.Split(string(bytes.TrimSuffix(cmdline, []byte{0})), "\x00")
	}
	return p, p.PID != 0
}

func (p *Process) set(key, value string) {
	fields := strings.Fields(value)
	if len(fields) == 0 {
		return
	}
	number := func(i int) int { n, _ := strconv.Atoi(fields[i]); return n }
	last := len(fields) - 1
	switch key {
	case "Name":
		p.Comm = value
	case "State":
		p.State = fields[0][0]
	case "PPid":
		p.hostPPID = number(0)
	case "Uid":
		p.UID = number(0)
	case "Threads":
		p.Threads = number(0)
	case "NSpid":
		p.PID = number(last)
	case "NSpgid":
		p.PGID = number(last)
	case "NSsid":
		p.SID = number(last)
	}
}

// Tree draws processes below their parents.
func Tree(all []Process) string {
	children := map[int][]Process{}
	present := map[int]bool{}
	for _, p := range all {
		present[p.PID] = true
		children[p.PPID] = append(children[p.PPID], p)
	}
	var b strings.Builder
	var draw func(p Process, indent string)
	draw = func(p Process, indent string) {
		fmt.Fprintf(&b, "%s%v\n", indent, p)
		for _, child := range children[p.PID] {
			draw(child, indent+"  ")
		}
	}
	for _, p := range all {
		if !present[p.PPID] {
			draw(p, "")
		}
	}
	return b.String()
}
