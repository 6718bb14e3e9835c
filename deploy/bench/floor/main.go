// Floor is the least that a Go program does as an init: it starts a program, passes
// signals on, reaps, and ends with its status. Its figures beside sbinit's tell what the
// Go runtime costs from what sbinit does. It knows no orphans, writes no log, and is no
// init for use.
package main

import (
	"fmt"
	"math"
	"os"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/inherit"
	"github.com/sbinit/sbinit/internal/reap"
	"github.com/sbinit/sbinit/internal/signals"
)

func main() {
	inherit.ResetRuntime()
	status, err := run(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "floor:", err)
	}
	os.Exit(status)
}

func run(argv []string) (status int, err error) {
	const failed = 125
	if len(argv) < 2 || argv[0] != "--" {
		return failed, fmt.Errorf("usage: floor -- PROGRAM [ARGUMENT...]")
	}
	source, err := signals.Open(inherit.Blocked())
	if err != nil {
		return failed, err
	}
	main, err := reap.Start(inherit.Program(argv[1:], inherit.Environ()))
	if err != nil {
		return reap.ExitCode(err), err
	}
	queue := source.Descriptors()[0] // the others are for faults
	conn, err := os.NewFile(uintptr(queue), "signals").SyscallConn()
	if err != nil {
		return failed, err
	}
	pass := func(info signals.Info) {
		if info.Signal != unix.SIGCHLD {
			_ = unix.Kill(main, info.Signal) // ESRCH: it has ended
		}
	}
	ended := false
	err = conn.Read(func(uintptr) bool {
		err = source.Read(queue, pass)
		for err == nil && source.Rest() {
			err = source.ReadRest(pass)
		}
		_, _, _ = reap.Drain(math.MaxInt, func(e reap.Exit) {
			if e.PID == main && !e.Status.Stopped() {
				ended, status = true, reap.Code(e.Status)
			}
		})
		return ended || err != nil
	})
	return status, err
}
