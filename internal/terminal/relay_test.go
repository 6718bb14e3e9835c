package terminal_test

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync/atomic"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/testns"
)

func init() { testns.Register("relay", relay) }

// relay HOW ARGV... is a caller with a socket: argv has one end of it as standard input
// and output, and relay passes on what the test says and hears. At the end of the test's
// input it does HOW: "half" shuts down its half of the socket, "stall" stops reading.
func relay(args []string) int {
	own, theirs, err := socketPair()
	if err != nil {
		fmt.Fprintln(os.Stderr, "relay:", err)
		return 125
	}
	cmd := exec.Command(args[1], args[2:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = theirs, theirs, os.Stderr
	if err := cmd.Start(); err != nil {
		fmt.Fprintln(os.Stderr, "relay:", err)
		return 125
	}
	theirs.Close()
	var stalled atomic.Bool
	heard := make(chan struct{})
	go func() {
		defer close(heard)
		for buf := make([]byte, 1<<16); !stalled.Load(); {
			n, err := own.Read(buf)
			os.Stdout.Write(buf[:n])
			if err != nil {
				return
			}
		}
	}()
	go func() {
		io.Copy(own, os.Stdin)
		if args[0] == "stall" {
			stalled.Store(true)
			return
		}
		unix.Shutdown(int(own.Fd()), unix.SHUT_WR)
	}()
	cmd.Wait()
	<-heard
	return cmd.ProcessState.ExitCode()
}

func socketPair() (own, theirs *os.File, err error) {
	fd, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, os.NewSyscallError("socketpair", err)
	}
	return os.NewFile(uintptr(fd[0]), "own"), os.NewFile(uintptr(fd[1]), "theirs"), nil
}
