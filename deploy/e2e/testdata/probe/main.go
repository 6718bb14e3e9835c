// Command probe plays the programs that a shell cannot: a daemon with a child on pipes, a fork bomb, a PID 1 that does
// not reap, a recorder of signals, a question about pidfds, a terminal session.
package main

import (
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"syscall"
)

var roles = map[string]func(args []string) error{
	"daemon":   runDaemon,
	"child":    runChild,
	"forkbomb": runForkBomb,
	"hold":     runHold,
	"pidfd":    runPidfd,
	"session":  runSession,
	"signals":  runSignals,
}

func main() {
	if len(os.Args) < 2 || roles[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, "probe: unknown role")
		os.Exit(64)
	}
	if err := roles[os.Args[1]](os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, "probe:", err)
		os.Exit(1)
	}
}

// runSignals prints the number of each of the signals that it is told to catch, and of no other.
func runSignals(numbers []string) error {
	caught := make(chan os.Signal, 64)
	for _, number := range numbers {
		n, err := strconv.Atoi(number)
		if err != nil {
			return err
		}
		signal.Notify(caught, syscall.Signal(n))
	}
	fmt.Println("ready")
	for s := range caught {
		fmt.Printf("signal %d\n", s)
	}
	return nil
}

// runHold waits for SIGTERM and for nothing else: as PID 1 it leaves every zombie where it is.
func runHold([]string) error {
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM)
	fmt.Println("ready")
	<-stop
	return nil
}
