package main

import (
	"bufio"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/sbinit/sbinit/deploy/box"
)

// guardStart measures `true` below a guard, and without.
func (b *bench) guardStart() error {
	took := b.figure(figure{name: "`true` below a guard", unit: "ms"})
	for range b.guards {
		for column, argv := range map[string][]string{sbinit: b.guard("/bin/true"), bare: {"/bin/true"}} {
			cmd := exec.Command(argv[0], argv[1:]...)
			cmd.Env = box.Environ()
			begun := time.Now()
			if err := cmd.Run(); err != nil {
				return err
			}
			took.add(column, milliseconds(time.Since(begun)))
		}
	}
	return nil
}

func (b *bench) guard(argv ...string) []string {
	return append([]string{b.sbinit(), "guard", "--"}, argv...)
}

// guarded is a daemon with its tree, below a guard.
type guarded struct {
	cmd                   *exec.Cmd
	out                   *bufio.Reader
	front, keeper, daemon int
}

// startGuarded returns when the whole tree runs.
func (b *bench) startGuarded() (*guarded, error) {
	argv := b.guard(b.load, "tree", fmt.Sprint(tree))
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env = box.Environ("SBINIT_KILL_GRACE=0", "SBINIT_LOG_LEVEL=error")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	g := &guarded{cmd: cmd, out: bufio.NewReader(out), front: cmd.Process.Pid}
	if err := g.find(); err != nil {
		g.end()
		return nil, err
	}
	return g, nil
}

func (g *guarded) find() error {
	line, err := g.out.ReadString('\n')
	if err != nil {
		return err
	}
	if g.daemon, err = strconv.Atoi(strings.TrimSpace(line)); err != nil {
		return err
	}
	if g.keeper, err = parent(g.daemon); err != nil {
		return err
	}
	above, err := parent(g.keeper)
	if err == nil && above != g.front {
		err = fmt.Errorf("the keeper's parent is %d, not %d", above, g.front)
	}
	return err
}

// end kills the front, which is the end of all.
func (g *guarded) end() {
	g.cmd.Process.Kill()
	g.cmd.Wait()
}

// guardMemory measures both processes of the pair.
func (b *bench) guardMemory() error {
	memory := b.figure(figure{name: "memory of a guard's pair (PSS)", unit: "MB"})
	g, err := b.startGuarded()
	if err != nil {
		return err
	}
	defer g.end()
	front, err := pss(g.front)
	if err != nil {
		return err
	}
	keeper, err := pss(g.keeper)
	memory.add(sbinit, front+keeper)
	return err
}

// guardDeaths measures from the SIGKILL of the daemon, the front and the keeper to the
// death of the last one of the tree.
func (b *bench) guardDeaths() error {
	for _, victim := range []struct {
		name string
		pid  func(*guarded) int
	}{
		{"daemon", func(g *guarded) int { return g.daemon }},
		{"front", func(g *guarded) int { return g.front }},
		{"keeper", func(g *guarded) int { return g.keeper }},
	} {
		row := func(which string, a aim) *figure {
			return b.figure(figure{name: fmt.Sprintf("SIGKILL in a guard, of the %s until %d are gone, %s", victim.name, tree, which), unit: "ms", aim: a})
		}
		p50, p99 := row("p50", aim{}), row("p99", aim{limit: 100})
		for range b.guards {
			took, err := b.guardDeath(victim.pid)
			if err != nil {
				return err
			}
			p50.add(sbinit, milliseconds(took))
		}
		p99.add(sbinit, p50.values[sbinit].percentile(99))
	}
	return nil
}

// guardDeath is one death. Everyone in the tree has the output, and of the pair nobody: its
// end is the death of the last one.
func (b *bench) guardDeath(victim func(*guarded) int) (time.Duration, error) {
	g, err := b.startGuarded()
	if err != nil {
		return 0, err
	}
	defer g.end()
	begun := time.Now()
	if err := syscall.Kill(victim(g), syscall.SIGKILL); err != nil {
		return 0, err
	}
	_, err = io.Copy(io.Discard, g.out)
	return time.Since(begun), err
}
