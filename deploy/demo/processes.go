package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// process is what this system's /proc says of one in a container.
type process struct {
	pid, parent int // the namespace's numbers
	host        int // this system's number
	name        string
	state       string
	rss         int // kB
}

type processes []process

// processes lists what lives in the container: PID 1 and all below it, zombies aside.
func (c *container) processes() processes {
	all := readWhole()
	root := c.cmd.Process.Pid
	var found processes
	for host, p := range all {
		if p.state != "Z" && below(all, host, root) {
			p.parent = all[p.parent].pid
			found = append(found, p)
		}
	}
	slices.SortFunc(found, func(a, b process) int { return a.pid - b.pid })
	if len(found) > 0 {
		found[0].parent = 0
	}
	return found
}

func below(all map[int]process, pid, root int) bool {
	for range len(all) {
		if pid == root {
			return true
		}
		p, ok := all[pid]
		if !ok {
			return false
		}
		pid = p.parent
	}
	return false
}

// readWhole reads until nobody has lost a parent meanwhile: who has is below nobody then,
// and would seem to have gone.
func readWhole() map[int]process {
	const tries = 100
	all := readAll()
	for range tries {
		if whole(all) {
			break
		}
		all = readAll()
	}
	return all
}

func whole(all map[int]process) bool {
	for p := range maps.Values(all) {
		if _, ok := all[p.parent]; p.parent != 0 && !ok {
			return false
		}
	}
	return true
}

// readAll reads /proc. Parents are by this system's numbers still.
func readAll() map[int]process {
	all := map[int]process{}
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range dirs {
		status, err := os.ReadFile(dir + "/status")
		if err != nil {
			continue // it has gone meanwhile
		}
		host, _ := strconv.Atoi(filepath.Base(dir))
		all[host] = parseStatus(host, string(status))
	}
	return all
}

// parseStatus reads the fields of /proc/PID/status (proc_pid_status(5)) that are of
// use. The last number of NSpid is the one in the innermost namespace.
func parseStatus(host int, status string) process {
	p := process{host: host}
	for line := range strings.Lines(status) {
		key, value, _ := strings.Cut(line, ":")
		fields := strings.Fields(value)
		if len(fields) == 0 {
			continue
		}
		switch key {
		case "Name":
			p.name = strings.Join(fields, " ")
		case "State":
			p.state = fields[0]
		case "PPid":
			p.parent, _ = strconv.Atoi(fields[0])
		case "NSpid":
			p.pid, _ = strconv.Atoi(fields[len(fields)-1])
		case "VmRSS":
			p.rss, _ = strconv.Atoi(fields[0])
		}
	}
	return p
}

func (ps processes) count(name string) (n int) {
	for _, p := range ps {
		if p.name == name {
			n++
		}
	}
	return n
}

// rss is the resident memory of all in MB.
func (ps processes) rss() float64 {
	sum := 0
	for _, p := range ps {
		sum += p.rss
	}
	return float64(sum) / 1024
}

// String draws a tree.
func (ps processes) String() string {
	return strings.Join(ps.tree(0, ""), "\n") + "\n"
}

func (ps processes) tree(parent int, indent string) (lines []string) {
	var own processes
	for _, p := range ps {
		if p.parent == parent {
			own = append(own, p)
		}
	}
	for i, p := range own {
		branch, below := "├─ ", "│  "
		if i == len(own)-1 {
			branch, below = "└─ ", "   "
		}
		if parent == 0 {
			branch, below = "  ", "  "
		}
		lines = append(lines, fmt.Sprintf("%s%s%d %s", indent, branch, p.pid, p.name))
		lines = append(lines, ps.tree(p.pid, indent+below)...)
	}
	return lines
}
