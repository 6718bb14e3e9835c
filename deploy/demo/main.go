// Demo shows the point of sbinit in about ten seconds, with nothing but the kernel:
//
//	demo PATH-OF-SBINIT
//
// In PID namespaces of their own, side by side, a runner starts daemons under no
// init, under tini if that is installed, and under sbinit with its default settings.
// A daemon starts an ACP child, which ignores end of input and has a CLI of its own;
// one CLI puts a dev server in the background, on purpose. Then the daemons are
// killed, and the demo prints who is left.
//
// Exit status: 0 if sbinit did what it claims, 1 if not, 2 if it could not be tried.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"
)

const (
	// daemons is how many of them a runner starts: enough for a picture.
	daemons = 3
	// work is how long the daemons do it before they are killed.
	work = 2 * time.Second
	// patience is how long sbinit may take: its default graces (5s to SIGTERM, 5s
	// to SIGKILL) and a slow machine.
	patience = 13 * time.Second
	// settle is how long the others get to do as well.
	settle = 6 * time.Second
)

func main() {
	if role, ok := roles[filepath.Base(os.Args[0])]; ok {
		os.Exit(role(os.Args[1:]))
	}
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: demo PATH-OF-SBINIT")
		os.Exit(2)
	}
	os.Exit(report(run(os.Stdout, os.Args[1])))
}

// errBroken says that sbinit was tried, and did not do what it claims.
var errBroken = errors.New("sbinit did not do what it claims")

func report(err error) int {
	if err == nil {
		return 0
	}
	fmt.Fprintln(os.Stderr, "demo:", err)
	if errors.Is(err, errBroken) {
		return 1
	}
	return 2
}

// run is the whole demo. It holds its thread, since the containers are killed when
// the thread that made them ends.
func run(out io.Writer, sbinit string) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	stage, err := newStage()
	if err != nil {
		return err
	}
	defer stage.remove()
	all, err := startAll(stage, sbinit)
	defer func() {
		for _, c := range all {
			c.kill()
		}
	}()
	if err != nil {
		return err
	}
	fmt.Fprint(out, intro(all))
	if err := waitFor(ctx, patience, all, complete); err != nil {
		return fmt.Errorf("the programs did not come up: %w", err)
	}
	under := all[len(all)-1]
	fmt.Fprintf(out, "BEFORE, under %s (and the same under the others)\n\n%s\n", under.name, under.processes())
	if err := pause(ctx, work); err != nil {
		return err
	}
	killed := killDaemons(all)
	if err := watch(ctx, out, under, killed); err != nil {
		return err
	}
	fmt.Fprint(out, outcome(all, under, killed))
	return under.judge()
}

// contender is an init, by the arguments before those of its main program.
type contender struct {
	name string
	argv []string
}

// startAll starts the contenders, sbinit last.
func startAll(stage *stage, sbinit string) ([]*container, error) {
	path, err := filepath.Abs(sbinit)
	if err != nil {
		return nil, err
	}
	if _, err := exec.LookPath(path); err != nil {
		return nil, fmt.Errorf("sbinit cannot be run: %w", err)
	}
	contenders := []contender{{"no init", nil}, {"sbinit", []string{path, "--"}}}
	if tini, err := exec.LookPath("tini"); err == nil {
		contenders = slices.Insert(contenders, 1, contender{"tini", []string{tini, "--"}})
	}
	var all []*container
	for _, c := range contenders {
		started, err := stage.start(c.name, c.argv)
		if err != nil {
			return all, err
		}
		all = append(all, started)
	}
	return all, nil
}

// complete reports whether everything that a runner starts is there.
func complete(c *container) bool {
	ps := c.processes()
	return ps.count(roleDaemon) == daemons && ps.count(roleChild) == daemons &&
		ps.count(roleCLI) == daemons && ps.count(roleServer) == 1 && ps.count(roleShell) == 0
}

func killDaemons(all []*container) time.Time {
	for _, c := range all {
		for _, p := range c.processes() {
			if p.name == roleDaemon {
				syscall.Kill(p.host, syscall.SIGKILL)
			}
		}
	}
	return time.Now()
}

// watch waits until sbinit is done, and the others have had their time.
func watch(ctx context.Context, out io.Writer, under *container, killed time.Time) error {
	fmt.Fprintf(out, "The daemons are killed (SIGKILL). Seconds:")
	defer fmt.Fprint(out, "\n\n")
	for second := time.Second; second <= patience; second += time.Second {
		passed := func(c *container) bool {
			if c.cleanAfter == 0 && c.leaked() == nil {
				c.cleanAfter = time.Since(killed)
			}
			return time.Since(killed) >= second
		}
		if err := waitFor(ctx, patience, []*container{under}, passed); err != nil {
			return err
		}
		fmt.Fprintf(out, " %d", second/time.Second)
		if second >= settle && under.cleanAfter != 0 {
			return nil
		}
	}
	return nil
}

// waitFor polls until the condition is true for all.
func waitFor(ctx context.Context, limit time.Duration, all []*container, condition func(*container) bool) error {
	deadline := time.Now().Add(limit)
	for _, c := range all {
		for !condition(c) {
			if len(c.processes()) == 0 {
				return fmt.Errorf("%s: PID 1 has ended: %s\n%s", c.name, strings.Join(c.said(), "\n"), advice)
			}
			if time.Now().After(deadline) {
				return fmt.Errorf("%s: not after %v\n%s", c.name, limit, c.processes())
			}
			if err := pause(ctx, 20*time.Millisecond); err != nil {
				return err
			}
		}
	}
	return nil
}

// pause waits, unless the user interrupts.
func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return errors.New("interrupted")
	case <-time.After(d):
		return nil
	}
}
