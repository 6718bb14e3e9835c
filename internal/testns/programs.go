package testns

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"golang.org/x/sys/unix"
)

func init() {
	Register("runner", runner)
	Register("stdio", stdio)
	Register("holder", holder)
}

func forever() int {
	for {
		unix.Pause()
	}
}

func holder([]string) int { return forever() }

// runner ARGV... starts a program, waits for it, says "gone", and stays: the main
// program of a container, which starts daemons and tears them down.
func runner(argv []string) int {
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if err := cmd.Start(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 125
	}
	cmd.Wait()
	fmt.Println("gone")
	return forever()
}

// stdio [FLAGS] -- ARGV... is a daemon which talks to a child by its standard
// descriptors, as an agent's daemon does with its ACP child. It starts the child,
// says "ready", holds the other ends, and does nothing until it is killed.
//
//	-stdin -stdout -stderr KIND   null, inherit, pipe, socket, packet or file:PATH
//	-hold NAME,...                a second process holds these other ends as well,
//	                              and outlives the daemon; it never reads or writes
//	-shut NAME=HOW,...            how (rd, wr, rdwr) the other end of a socket is shut
//	                              down once the child has been started
func stdio(args []string) int {
	if err := startStdio(args); err != nil {
		fmt.Fprintln(os.Stderr, "stdio:", err)
		return 125
	}
	fmt.Println("ready")
	return forever()
}

var stdioNames = [3]string{"stdin", "stdout", "stderr"}

func startStdio(args []string) error {
	flags := flag.NewFlagSet("stdio", flag.ContinueOnError)
	var kinds [3]*string
	for fd, name := range stdioNames {
		kinds[fd] = flags.String(name, "pipe", "")
	}
	hold, shut := flags.String("hold", "", ""), flags.String("shut", "", "")
	if err := flags.Parse(args); err != nil {
		return err
	}
	var own, child [3]*os.File
	for fd := range kinds {
		var err error
		if own[fd], child[fd], err = openKind(fd, *kinds[fd]); err != nil {
			return fmt.Errorf("%s: %w", stdioNames[fd], err)
		}
	}
	cmd := exec.Command(flags.Arg(0), flags.Args()[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = child[0], child[1], child[2]
	if err := cmd.Start(); err != nil {
		return err
	}
	for fd, f := range child {
		if own[fd] != nil {
			f.Close()
		}
	}
	if err := startHolder(own, *hold); err != nil {
		return err
	}
	return shutDown(own, *shut)
}

// openKind makes a child's descriptor, and the other end if that is the daemon's.
func openKind(fd int, kind string) (own, child *os.File, err error) {
	if path, ok := strings.CutPrefix(kind, "file:"); ok {
		child, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o666)
		return nil, child, err
	}
	switch kind {
	case "null":
		child, err = os.OpenFile(os.DevNull, os.O_RDWR, 0)
		return nil, child, err
	case "inherit":
		return nil, []*os.File{os.Stdin, os.Stdout, os.Stderr}[fd], nil
	case "pipe":
		r, w, err := pipe()
		if fd == 0 {
			return w, r, err
		}
		return r, w, err
	case "socket":
		return socketpair(unix.SOCK_STREAM)
	case "packet":
		return socketpair(unix.SOCK_SEQPACKET)
	}
	return nil, nil, fmt.Errorf("unknown kind %q", kind)
}

func socketpair(kind int) (own, child *os.File, err error) {
	fd, err := unix.Socketpair(unix.AF_UNIX, kind|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, os.NewSyscallError("socketpair", err)
	}
	return os.NewFile(uintptr(fd[0]), "socket"), os.NewFile(uintptr(fd[1]), "socket"), nil
}

func startHolder(own [3]*os.File, names string) error {
	if names == "" {
		return nil
	}
	argv := Self("holder")
	cmd := exec.Command(argv[0], argv[1:]...)
	for name := range strings.SplitSeq(names, ",") {
		f, err := ownEnd(own, name)
		if err != nil {
			return err
		}
		cmd.ExtraFiles = append(cmd.ExtraFiles, f)
	}
	return cmd.Start()
}

func shutDown(own [3]*os.File, list string) error {
	if list == "" {
		return nil
	}
	how := map[string]int{"rd": unix.SHUT_RD, "wr": unix.SHUT_WR, "rdwr": unix.SHUT_RDWR}
	for one := range strings.SplitSeq(list, ",") {
		name, side, _ := strings.Cut(one, "=")
		f, err := ownEnd(own, name)
		if err != nil {
			return err
		}
		if err := unix.Shutdown(int(f.Fd()), how[side]); err != nil {
			return os.NewSyscallError("shutdown", err)
		}
	}
	return nil
}

func ownEnd(own [3]*os.File, name string) (*os.File, error) {
	for fd := range own {
		if stdioNames[fd] == name && own[fd] != nil {
			return own[fd], nil
		}
	}
	return nil, errors.New("there is no other end of " + name)
}
