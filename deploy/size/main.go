// Size measures what sbinit costs, and holds it to its budgets:
//
//	size PATH-OF-SBINIT
//
// It runs sbinit as PID 1 of a PID namespace, with a main program that does nothing,
// alone and among 500 processes, waits until it has come to rest, and prints a table.
//
// Exit status: 0 if all is within its budget, 1 if something is not, 2 if it could
// not be measured.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"

	"github.com/sbinit/sbinit/deploy/box"
)

// crowd is how many processes a busy container has.
const crowd = 500

func main() {
	box.Enter()
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: size PATH-OF-SBINIT")
		os.Exit(2)
	}
	err := run(os.Stdout, os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, "size:", err)
	}
	os.Exit(status(err))
}

func status(err error) int {
	switch {
	case err == nil:
		return 0
	case errors.Is(err, errOverBudget):
		return 1
	}
	return 2
}

// run holds its thread, since the kernel kills the containers when the thread that
// made them ends.
func run(out io.Writer, sbinit string) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	file, err := os.Stat(sbinit)
	if err != nil {
		return err
	}
	alone, err := measure(sbinit, 0)
	if err != nil {
		return err
	}
	among, err := measure(sbinit, crowd)
	if err != nil {
		return err
	}
	figures := []figure{
		{"binary", float64(file.Size()) / mega, 3.5, "MB"},
		{"PID 1 resident, idle", alone.resident / mega, 4.0, "MB"},
		{fmt.Sprintf("PID 1 resident, %d processes", crowd), among.resident / mega, 0, "MB"},
		{"PID 1 threads, idle", float64(alone.threads), 8, ""},
		{"PID 1 open descriptors, idle", float64(alone.descriptors), 0, ""},
		{fmt.Sprintf("PID 1 open descriptors, %d processes", crowd), float64(among.descriptors), 0, ""},
	}
	if err := table(out, figures); err != nil {
		return err
	}
	return judge(figures)
}
