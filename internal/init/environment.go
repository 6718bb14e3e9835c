package pid1

import (
	"slices"
	"strings"

	"github.com/sbinit/sbinit/internal/proc"
)

// passing are variables that say where, by which user and in which surroundings a
// process was started, not who started it.
var passing = []string{
	"PWD", "OLDPWD", "SHLVL", "_", "HOME", "USER", "LOGNAME", "SHELL", "PATH", "TERM", "TZ", "LANG", "LC_ALL", "HOSTNAME", "TMPDIR",
}

// ownerByEnvironment finds the guard that an orphan has a variable in common
// with, of the same value, which neither the main program nor a guard of
// another line has. Of several such guards in one line it is the innermost; of
// several lines, none.
func (in *inspector) ownerByEnvironment(q inquiry) proc.ID {
	orphan := in.environment(q.subject.PID)
	for entry := range in.environment(in.main) {
		delete(orphan, entry)
	}
	envs := make([]map[string]bool, len(q.others))
	for i, guard := range q.others {
		envs[i] = in.environment(guard.PID)
	}
	var owner proc.ID
	for i, guard := range q.others {
		switch {
		case !in.peculiar(q, orphan, envs, i):
		case owner == proc.ID{} || q.related[[2]proc.ID{guard, owner}]:
			owner = guard
		case !q.related[[2]proc.ID{owner, guard}]:
			return proc.ID{}
		}
	}
	return owner
}

// peculiar says whether the orphan and the guard have a variable in common that
// no guard of another line has.
func (in *inspector) peculiar(q inquiry, orphan map[string]bool, envs []map[string]bool, i int) bool {
	for entry := range envs[i] {
		if !orphan[entry] {
			continue
		}
		shared := false
		for j, other := range q.others {
			pair := [2]proc.ID{q.others[i], other}
			sameLine := i == j || q.related[pair] || q.related[[2]proc.ID{pair[1], pair[0]}]
			shared = shared || !sameLine && envs[j][entry]
		}
		if !shared {
			return true
		}
	}
	return false
}

// environment reads what a process was started with; an unreadable one is empty.
func (in *inspector) environment(pid int) map[string]bool {
	set := map[string]bool{}
	_ = in.fs.AsOwner(pid, func() error {
		return in.fs.Environ(pid, func(entry string) {
			if name, _, _ := strings.Cut(entry, "="); !slices.Contains(passing, name) {
				set[entry] = true
			}
		})
	})
	return set
}
