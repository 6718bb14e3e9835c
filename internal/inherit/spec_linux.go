package inherit

import (
	"slices"
	"strconv"
	"strings"

	"github.com/sbinit/sbinit/internal/reap"
)

// spec describes a process that has the signals and limits that sbinit was started with.
func spec(argv, env []string) reap.Spec {
	spec := reap.Spec{
		Argv:       argv,
		Env:        env,
		Mask:       SignalMask(),
		Ignored:    IgnoredSignals(),
		SigPending: sigPending,
	}
	if limit, ok := NoFile(); ok {
		spec.NoFile = &limit
	}
	return spec
}

// Program describes a program that is to have all that sbinit was started with. It is
// looked for as by execvp(3).
func Program(argv, env []string) reap.Spec {
	spec := spec(argv, env)
	spec.Close = Closed()
	path, set := Lookup(env, "PATH")
	spec.Paths = reap.Candidates(argv[0], path, set)
	return spec
}

// Self describes this very program under another argv[0]. Which descriptors it is to
// have is left open.
func Self(argv, env []string) reap.Spec {
	spec := spec(argv, env)
	spec.Paths = []string{"/proc/self/exe"}
	return spec
}

// Lookup finds a variable as getenv(3) does: the first one counts.
func Lookup(env []string, name string) (string, bool) {
	for _, e := range env {
		if value, ok := strings.CutPrefix(e, name+"="); ok {
			return value, true
		}
	}
	return "", false
}

// Without is the environment but for that variable.
func Without(env []string, name string) []string {
	return slices.DeleteFunc(slices.Clone(env), func(entry string) bool { return strings.HasPrefix(entry, name+"=") })
}

// ListensAs says whether LISTEN_PID names that process (sd_listen_fds(3)).
func ListensAs(env []string, pid int) bool {
	named, ok := Lookup(env, "LISTEN_PID")
	return ok && named == strconv.Itoa(pid)
}
