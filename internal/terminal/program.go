package terminal

import (
	"errors"
	"os"

	"github.com/sbinit/sbinit/internal/inherit"
	"github.com/sbinit/sbinit/internal/reap"
	"github.com/sbinit/sbinit/internal/terminal/wire"
)

// fallbackShell is for a user without a shell.
const fallbackShell = "/bin/sh"

// A recipe is what all programs of a worker are started with.
type recipe struct {
	environ []string // of the worker
	more    []string // names that pass beside the usual ones
	user    *user    // nil: the worker's own
}

// environment is the program's: the listed part of the worker's, and what the caller
// adds, which wins.
func (r recipe) environment(add []string) environ {
	env := listed(r.environ, r.more)
	if r.user != nil {
		r.user.personal(&env)
	}
	if term, ok := env.lookup("TERM"); !ok || term == "" || term == "dumb" {
		env.set("TERM=" + standardTerm)
	}
	for _, entry := range add {
		env.set(entry)
	}
	return env
}

// spec starts the program in a session of its own that the terminal controls. Signals
// have their default actions, as after a login: what the worker was started with is
// not for people.
func (r recipe) spec(open wire.Open, slave int) reap.Spec {
	env := r.environment(open.Env)
	argv := open.Argv
	if len(argv) == 0 {
		argv = []string{r.shell(env)}
	}
	path, set := env.lookup("PATH")
	spec := reap.Spec{
		Paths:      reap.Candidates(argv[0], path, set),
		Argv:       argv,
		Env:        env,
		Dir:        open.Cwd,
		Stdio:      []int{slave, slave, slave},
		Session:    true,
		Foreground: true,
	}
	if r.user != nil {
		spec.User = &reap.User{UID: r.user.uid, GID: r.user.gid}
	}
	if limit, ok := inherit.NoFile(); ok {
		spec.NoFile = &limit
	}
	return spec
}

// shell is the user's: as the environment has it, or the user database. It is not
// started as a login shell: /etc/profile would set another PATH than the container's.
func (r recipe) shell(env environ) string {
	if shell, _ := env.lookup("SHELL"); shell != "" {
		return shell
	}
	uid := uint32(os.Getuid())
	if r.user != nil {
		uid = r.user.uid
	}
	if a, ok := accountOf(uid); ok && a.shell != "" {
		return a.shell
	}
	return fallbackShell
}

// startError is the error of reap.Start as the caller is told.
func startError(err error) *wire.Error {
	var failed *reap.StartError
	code := wire.CodeStartFailed
	switch status := reap.ExitCode(err); {
	case errors.As(err, &failed) && failed.Op == "chdir":
		code = wire.CodeBadCwd
	case status == 127:
		code = wire.CodeNotFound
	case status == 126:
		code = wire.CodeNotRunnable
	}
	return &wire.Error{Code: code, Message: err.Error()}
}
