package testns

import (
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// RandomTree draws a tree of processes, in the words of the mode "tree" of
// tool/hostile.c.
func RandomTree(t *rapid.T) string {
	left := rapid.IntRange(1, 40).Draw(t, "size")
	var b strings.Builder
	for left > 0 {
		drawNode(t, &b, &left, 0)
	}
	return b.String()
}

// odds are how many in a hundred processes are or do what a letter says. Of what a
// process does in the end it does one thing.
var (
	odds     = []letter{{'s', 25}, {'d', 25}, {'p', 10}, {'b', 10}, {'i', 30}, {'n', 5}, {'z', 8}}
	finally  = []letter{{'e', 25}, {'t', 10}, {'r', 8}, {'c', 5}, {'f', 8}}
	maxDepth = 8
)

type letter struct {
	flag    byte
	percent int
}

func drawNode(t *rapid.T, b *strings.Builder, left *int, depth int) {
	*left--
	b.WriteByte('(')
	percent := rapid.IntRange(0, 99)
	for _, l := range odds {
		if percent.Draw(t, string(l.flag)) < l.percent {
			b.WriteByte(l.flag)
		}
	}
	last := percent.Draw(t, "finally")
	for _, l := range finally {
		if last < l.percent {
			b.WriteByte(l.flag)
			break
		}
		last -= l.percent
	}
	for children := rapid.IntRange(0, 4).Draw(t, "children"); children > 0 && *left > 0 && depth < maxDepth; children-- {
		drawNode(t, b, left, depth+1)
	}
	b.WriteByte(')')
}

// RandomTrees is how many trees are drawn, at least, by tests that do so.
func RandomTrees(t testing.TB, n int) {
	t.Helper()
	checks := flagValue("rapid.checks")
	if given, err := strconv.Atoi(checks.String()); err != nil || given < n {
		checks.Set(strconv.Itoa(n))
	}
	flagValue("rapid.nofailfile").Set("true") // the seed is printed, and is enough
}

// InYard is [Container.InYard] for a program inside, which a [Yard] has started: it
// returns the stat lines (proc_pid_stat(5)) of who is none of its own, and how many
// of the strangers are unharmed. It goes by no code of what is tested.
func InYard() (others []string, strangers int, err error) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil, 0, err
	}
	self, yard := os.Getpid(), os.Getppid()
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == 1 || pid == self || pid == yard {
			continue
		}
		line, state, parent := readStat(pid)
		_, _, grandparent := readStat(parent)
		switch {
		case line == "" || state == 'X': // who was waited for has no parent any more
		case grandparent == yard && parent != self:
		case parent != yard:
			others = append(others, line)
		case !strings.ContainsRune("ZXT", state):
			strangers++
		}
	}
	return others, strangers, nil
}

// readStat returns nothing of a process that has gone.
func readStat(pid int) (line string, state rune, parent int) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return "", 0, 0
	}
	line = strings.TrimSpace(string(data))
	_, err = fmt.Sscanf(line[strings.LastIndexByte(line, ')')+1:], " %c %d", &state, &parent)
	if err != nil {
		return "", 0, 0
	}
	return line, state, parent
}

func flagValue(name string) flag.Value { return flag.Lookup(name).Value }
