package proc

import (
	"bytes"
	"path"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// execTries times execPause is more than an execve takes to show what it was
// given, on a machine that is not short of everything.
const (
	execTries = 20
	execPause = time.Millisecond
)

// Names are what a process may be called by.
type Names struct {
	Exe    string // base name of the program file; empty if unreadable
	Arg0   string // base name of argv[0]
	Script string // base name of the first non-option argument of an interpreter
	Comm   string
}

// interpreters run a program that their argument names.
var interpreters = []string{"node", "nodejs", "bun", "deno", "python*", "pypy*", "ruby*", "perl*", "php*",
	"lua*", "sh", "bash", "dash", "ash", "zsh", "ksh", "busybox", "tclsh*", "java"}

// shells are those interpreters that take options in clusters.
var shells = []string{"sh", "bash", "dash", "ash", "zsh", "ksh"}

// codeOptions are followed by code, not by a file, except in a shell.
var codeOptions = []string{"-c", "-e", "-p", "-pe", "-ne", "--eval", "--print"}

// takesCode says whether code follows that option: in a shell, to which -e and
// -p mean something else, a cluster with c in it, such as -lc.
func takesCode(option string, shell bool) bool {
	if !shell {
		return slices.Contains(codeOptions, option)
	}
	return len(option) > 1 && option[0] == '-' && option[1] != '-' && strings.Contains(option, "c")
}

// Names reads the names of a process. It reads /proc/PID/cmdline, which waits
// for the process's memory map and can stall: never call it from PID 1's loop.
func (fs *FS) Names(pid int) (Names, error) {
	s, err := fs.Stat(pid)
	if err != nil {
		return Names{}, err
	}
	n := Names{Comm: s.Comm(), Exe: fs.exe(pid)}
	line, err := fs.readMemory(pid, "cmdline")
	if err != nil {
		return n, err
	}
	n.setArgs(bytes.Split(bytes.TrimRight(line, "\x00"), []byte{0}))
	return n, nil
}

func (n *Names) setArgs(args [][]byte) {
	n.Arg0 = base(string(args[0]))
	if !n.interprets() {
		return
	}
	shell := matchAny(shells, n.Exe) || matchAny(shells, n.Arg0)
	for _, arg := range args[1:] {
		switch {
		case takesCode(string(arg), shell):
			return
		case len(arg) > 0 && arg[0] != '-':
			n.Script = base(string(arg))
			return
		}
	}
}

// interprets goes by both names of a program, save that busybox called by an
// applet's name is that applet.
func (n *Names) interprets() bool {
	return matchAny(interpreters, n.Arg0) || n.Exe != "busybox" && matchAny(interpreters, n.Exe)
}

func (fs *FS) exe(pid int) string {
	var link [4096]byte
	p := fs.in(pid, "exe")
	n, err := unix.Readlinkat(fs.dir, string(p[:len(p)-1]), link[:])
	if err != nil {
		return ""
	}
	return base(strings.TrimSuffix(string(link[:n]), " (deleted)"))
}

// Match says whether one of the globs (path.Match) fits one of the names.
func (n Names) Match(globs []string) bool {
	return matchAny(globs, n.Exe) || matchAny(globs, n.Arg0) || matchAny(globs, n.Script) || matchAny(globs, n.Comm)
}

// String is the name that tells most: the script's, else the program's as it was
// called (the file of many programs is busybox).
func (n Names) String() string {
	for _, name := range []string{n.Script, n.Arg0, n.Exe} {
		if name != "" {
			return name
		}
	}
	return n.Comm
}

func matchAny(globs []string, name string) bool {
	if name == "" {
		return false
	}
	for _, glob := range globs {
		if ok, _ := path.Match(glob, name); ok {
			return true
		}
	}
	return false
}

// base is path.Base, but empty for empty; a login shell's "-bash" is bash.
func base(name string) string {
	if name == "" {
		return ""
	}
	return strings.TrimPrefix(path.Base(name), "-")
}

// HasEnv says whether the process was started with that "NAME=value" in its
// environment. It can stall as Names can.
func (fs *FS) HasEnv(pid int, entry string) (has bool, err error) {
	err = fs.Environ(pid, func(e string) { has = has || e == entry })
	return has, err
}

// Environ calls fn for each entry of the environment that the process was
// started with. It can stall as Names can.
func (fs *FS) Environ(pid int, fn func(entry string)) error {
	env, err := fs.readMemory(pid, "environ")
	if err != nil {
		return err
	}
	for entry := range bytes.SplitSeq(env, []byte{0}) {
		if len(entry) > 0 {
			fn(string(entry))
		}
	}
	return nil
}

// readMemory reads arguments or environment. In the middle of an execve(2)
// both are empty, until the kernel has copied them (fs/binfmt_elf.c,
// create_elf_tables): a process that lives and has nothing to show gets a
// little time.
func (fs *FS) readMemory(pid int, name string) ([]byte, error) {
	for try := 1; ; try++ {
		content, err := fs.read(fs.in(pid, name))
		if err != nil || len(content) > 0 || try == execTries {
			return content, err
		}
		if s, err := fs.Stat(pid); err != nil || !s.Alive() {
			return nil, err
		}
		time.Sleep(execPause)
	}
}
