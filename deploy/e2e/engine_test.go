//go:build e2e

package e2e

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"time"
)

// readyLimit bounds the engine's start, stopLimit its stop; both are generous for a slow machine.
const (
	readyLimit = 90 * time.Second
	stopLimit  = 30 * time.Second
)

// nest prepares the engine's namespaces and becomes their first process. A /run of its own keeps the engine's sockets
// apart from those of an engine that already runs here. The state is on a tmpfs, so it goes with the namespace.
const nest = `set -e
mount -t proc proc /proc
mount -t tmpfs tmpfs /run
mount -t tmpfs tmpfs "$1"
shift
exec tini-static -- "$@"`

// engine is a dockerd of the tests' own.
type engine struct {
	dir    string // socket and log: all that the engine leaves on disk
	cgroup string // parent of all containers' cgroups
	cmd    *exec.Cmd
	exited chan error
	once   sync.Once
}

// startEngine starts dockerd with initPath as its --init-path and waits until it answers. The caller's goroutine must
// be locked to its thread for as long as the engine is to live: PR_SET_PDEATHSIG follows the thread (prctl(2)).
func startEngine(initPath string) (*engine, error) {
	if err := checkTools(); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "sbinit-e2e-")
	if err != nil {
		return nil, err
	}
	e := &engine{dir: dir, cgroup: filepath.Base(dir), exited: make(chan error, 1)}
	if err := e.start(initPath); err != nil {
		e.stop()
		return nil, err
	}
	return e, nil
}

func checkTools() error {
	if os.Geteuid() != 0 {
		return errors.New("dockerd needs root: run the container tests as root")
	}
	if out, err := exec.Command("../packages.sh", "need", "e2e").CombinedOutput(); err != nil {
		return fmt.Errorf("%s%w", out, err)
	}
	return nil
}

func (e *engine) start(initPath string) error {
	state := filepath.Join(e.dir, "state")
	if err := os.Mkdir(state, 0o711); err != nil {
		return err
	}
	log, err := os.Create(e.logPath())
	if err != nil {
		return err
	}
	defer log.Close()
	e.cmd = exec.Command("/bin/sh", "-c", nest, "nest", state,
		"dockerd", "--iptables=false", "--ip6tables=false", "--bridge=none", "--storage-driver=overlay2",
		"--data-root="+state+"/data", "--exec-root="+state+"/exec", "--pidfile="+state+"/pid",
		"--host=unix://"+e.socket(), "--cgroup-parent=/"+e.cgroup, "--init-path="+initPath)
	e.cmd.Stdout, e.cmd.Stderr = log, log
	e.cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:   syscall.CLONE_NEWPID,
		Unshareflags: syscall.CLONE_NEWNS,
		Setpgid:      true,
		Pdeathsig:    syscall.SIGKILL,
	}
	if err := e.cmd.Start(); err != nil {
		return fmt.Errorf("start dockerd: %w", err)
	}
	go func() { e.exited <- e.cmd.Wait() }()
	return e.awaitReady()
}

func (e *engine) awaitReady() error {
	deadline := time.After(readyLimit)
	for {
		if e.command(context.Background(), "version").Run() == nil {
			return nil
		}
		select {
		case err := <-e.exited:
			e.exited <- err
			return fmt.Errorf("dockerd did not start: %v\n%s", err, e.logTail())
		case <-deadline:
			return fmt.Errorf("dockerd did not answer within %v\n%s", readyLimit, e.logTail())
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// stop ends the engine and all it started, once: politely, then by ending its PID namespace.
func (e *engine) stop() {
	e.once.Do(func() {
		if e.cmd != nil && e.cmd.Process != nil {
			e.end()
		}
		removeCgroups(e.cgroup)
		os.RemoveAll(e.dir)
	})
}

func (e *engine) end() {
	e.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-e.exited:
	case <-time.After(stopLimit):
		e.cmd.Process.Kill()
		<-e.exited
	}
}

// removeCgroups removes the empty cgroups that an engine leaves behind, of version 1 (one tree a controller) and 2.
func removeCgroups(name string) {
	roots, _ := filepath.Glob("/sys/fs/cgroup/*/" + name)
	for _, root := range append(roots, "/sys/fs/cgroup/"+name) {
		var dirs []string
		filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.IsDir() {
				dirs = append(dirs, path)
			}
			return nil
		})
		slices.Reverse(dirs)
		for _, dir := range dirs {
			os.Remove(dir)
		}
	}
}

// command is one call of the docker client, with no configuration but the engine's address. The builder is the
// engine's own: BuildKit's client is not in every package of docker.
func (e *engine) command(ctx context.Context, args ...string) *exec.Cmd {
	return e.client(ctx, "docker", args...)
}

// client is the same with another program that calls the engine, or docker.
func (e *engine) client(ctx context.Context, program string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Env = append(os.Environ(),
		"DOCKER_HOST=unix://"+e.socket(), "DOCKER_CONFIG="+e.dir+"/client", "DOCKER_BUILDKIT=0")
	cmd.WaitDelay = 5 * time.Second
	return cmd
}

func (e *engine) socket() string  { return filepath.Join(e.dir, "sock") }
func (e *engine) logPath() string { return filepath.Join(e.dir, "dockerd.log") }

func (e *engine) logTail() string {
	log, err := os.ReadFile(e.logPath())
	if err != nil {
		return err.Error()
	}
	lines := bytes.Split(bytes.TrimSpace(log), []byte("\n"))
	return string(bytes.Join(lines[max(0, len(lines)-20):], []byte("\n")))
}
