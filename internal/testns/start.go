package testns

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// Container is a program under test, and the namespaces it runs in.
type Container struct {
	t       testing.TB
	options Options
	argv    []string
	cmd     *exec.Cmd
	ns      string   // the PID namespace, as /proc/PID/ns/pid shows it
	pin     *os.File // that file: while it is open the name is no other namespace's
	pid     int      // of the program under test, outside
	streams *streams
	reports *reports

	ended  chan struct{} // closed when status is set
	status Status
	gone   chan struct{} // closed when PID 1 of the namespace has been waited for

	mu    sync.Mutex
	execs []*Execution
}

// Start runs argv as the options say, and returns when it has been executed: from
// then on signals reach the program, not its launcher. The namespace is killed when
// the test ends, and the test fails if anything of it is left.
func Start(t testing.TB, o Options, argv ...string) *Container {
	t.Helper()
	RequireNS(t)
	c, err := start(t, o, argv)
	if err != nil {
		t.Fatalf("testns: starting %s: %v", strings.Join(argv, " "), err)
	}
	t.Cleanup(c.kill)
	return c
}

func start(t testing.TB, o Options, argv []string) (*Container, error) {
	c := &Container{
		t: t, options: o.withDefaults(), argv: argv,
		ended: make(chan struct{}), gone: make(chan struct{}),
	}
	if err := c.launch(); err != nil {
		return nil, errors.Join(err, c.end())
	}
	pid, err := c.reports.waitStarted()
	if err != nil {
		return nil, errors.Join(err, c.end())
	}
	c.findProgram(pid)
	return c, nil
}

// launch starts the launcher, and tells it what to do. It enters its cgroup as the
// last thing before the exec: under a low limit the launcher could not work. The end
// of the spec tells it to go on.
func (c *Container) launch() error {
	who := identity{nobody: c.options.AsNobody && privileged()}
	cgroup, err := pidsCgroup(c.t, c.options.PidsMax)
	if err != nil {
		return err
	}
	c.streams, err = openStreams(c.options)
	if err != nil {
		return err
	}
	specRead, specWrite, err := pipe()
	if err != nil {
		return err
	}
	defer specWrite.Close()
	reportRead, reportWrite, err := pipe()
	if err != nil {
		return err
	}
	s := spec{Options: c.options, Argv: c.argv, Pids: cgroup, MapIDs: who.nobody || !privileged()}
	c.cmd = launcherCommand(s)
	c.cmd.Stdin, c.cmd.Stdout, c.cmd.Stderr = c.streams.child[0], c.streams.child[1], c.streams.child[2]
	c.cmd.ExtraFiles = []*os.File{specRead, reportWrite}
	err = spawn(who, c.cmd)
	c.streams.closeChildEnds()
	specRead.Close()
	reportWrite.Close()
	if err != nil {
		return fmt.Errorf("cloning namespaces: %w", err)
	}
	c.reports = readReports(reportRead)
	go c.watch()
	if c.options.NotPID1 {
		go c.watchReports()
	}
	if err := c.nameNamespace(); err != nil {
		return err
	}
	if err := json.NewEncoder(specWrite).Encode(s); err != nil {
		return err
	}
	if err := c.reports.waitReady(); err != nil {
		return err
	}
	return cgroup.add(c.cmd.Process.Pid)
}

func (c *Container) nameNamespace() (err error) {
	file := fmt.Sprintf("/proc/%d/ns/pid", c.cmd.Process.Pid)
	if c.pin, err = os.Open(file); err != nil {
		return err
	}
	c.ns, err = os.Readlink(file)
	return err
}

// launcherCommand clones the launcher into its namespaces. Its session is its own,
// as a container engine does it, with the terminal as controlling terminal if there
// is one. The namespace does not outlive the test process: should that be killed,
// the parent death signal kills PID 1.
func launcherCommand(s spec) *exec.Cmd {
	cmd := exec.Command(executable(), selfPrefix+stageNamespace)
	cmd.Env = []string{"GOTRACEBACK=all"}
	cmd.Dir = "/"
	attr := &syscall.SysProcAttr{
		Cloneflags: syscall.CLONE_NEWPID | syscall.CLONE_NEWNS,
		Setsid:     true,
		Pdeathsig:  syscall.SIGKILL,
	}
	if s.terminal() {
		attr.Setctty, attr.Ctty = true, s.terminalFD()
	}
	if s.MapIDs {
		attr.Cloneflags |= syscall.CLONE_NEWUSER
		attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: s.UID, HostID: unprivilegedID(os.Getuid()), Size: 1}}
		attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: s.GID, HostID: unprivilegedID(os.Getgid()), Size: 1}}
		attr.AmbientCaps = allCapabilities()
	}
	cmd.SysProcAttr = attr
	return cmd
}

// terminalFD is the lowest standard descriptor that is the terminal.
func (o Options) terminalFD() int {
	for fd, s := range []Stream{o.Stdin, o.Stdout, o.Stderr} {
		if s == Terminal {
			return fd
		}
	}
	return -1
}

// findProgram learns the host's number of the program under test, which a launcher
// that stays PID 1 knows only as the namespace's. One that has ended already has none.
func (c *Container) findProgram(inner int) {
	if inner == 1 {
		c.pid = c.cmd.Process.Pid
		return
	}
	for _, p := range c.Processes() {
		if p.PID == inner {
			c.pid = p.HostPID
		}
	}
}

// pipe is a pipe whose ends are in blocking mode, as a program expects its own.
func pipe() (r, w *os.File, err error) {
	var fd [2]int
	if err := unix.Pipe2(fd[:], unix.O_CLOEXEC); err != nil {
		return nil, nil, os.NewSyscallError("pipe2", err)
	}
	return os.NewFile(uintptr(fd[0]), "|0"), os.NewFile(uintptr(fd[1]), "|1"), nil
}
