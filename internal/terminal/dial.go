package terminal

import (
	"os"
	"slices"
	"unicode/utf8"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/config"
	"github.com/sbinit/sbinit/internal/inherit"
	"github.com/sbinit/sbinit/internal/reap"
	"github.com/sbinit/sbinit/internal/terminal/wire"
)

// shellOpen asks for a program with the working directory and the environment that we
// have, the listed part of it; the protocol knows UTF-8 alone.
func shellOpen(s ShellSetup, size wire.Resize) wire.Open {
	env := listed(s.Environ, s.Config.Terminal.Env)
	if s.Config.Terminal.User.Set {
		env.unset("HOME", "USER", "LOGNAME", "SHELL")
	}
	env = slices.DeleteFunc(env, func(entry string) bool { return !utf8.ValidString(entry) })
	dir, err := os.Getwd()
	if err != nil || !utf8.ValidString(dir) {
		dir = "" // ENOENT: it was removed; the worker has the same
	}
	return wire.Open{Cols: size.Cols, Rows: size.Rows, Cwd: dir, Argv: s.Argv, Env: env}
}

// DialOwn starts a front with a worker of our own. A person has no limits of time, more
// processes, and a line that may be down for a while.
func DialOwn(c config.Config) (Link, error) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return Link{}, os.NewSyscallError("socketpair", err)
	}
	defer unix.Close(pair[1])
	env := environ(slices.Clone(inherit.Environ()))
	for _, entry := range []string{
		"SBINIT_TERMINAL_LIFETIME=off", "SBINIT_TERMINAL_IDLE=off", "SBINIT_TERMINAL_DESCENDANTS=4096",
		"SBINIT_TERMINAL_IO_TIMEOUT=10m", "SBINIT_LOG_LEVEL=" + c.LogLevel.String(),
	} {
		env.set(entry)
	}
	spec := inherit.Self([]string{"sbinit", "terminal"}, env)
	spec.Stdio = []int{pair[1], pair[1]}
	spec.ProcessGroup = true
	host, err := reap.Start(spec)
	if err != nil {
		unix.Close(pair[0])
		return Link{}, err
	}
	return Link{FD: pair[0], Host: host}, nil
}
