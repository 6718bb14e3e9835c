package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"
)

// stage is a folder with this program under the name of each role: what the kernel,
// ps and an init's log call a process comes from there.
type stage struct{ dir string }

func newStage() (*stage, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "sbinit-demo-")
	if err != nil {
		return nil, err
	}
	s := &stage{dir}
	if err := s.fill(self); err != nil {
		s.remove()
		return nil, err
	}
	return s, nil
}

// fill copies the program, since a link would not reach another file system, and
// links the copy.
func (s *stage) fill(self string) error {
	program, err := os.ReadFile(self)
	if err != nil {
		return err
	}
	first := filepath.Join(s.dir, roleLauncher)
	if err := os.WriteFile(first, program, 0o755); err != nil {
		return err
	}
	for role := range roles {
		if role == roleLauncher {
			continue
		}
		if err := os.Link(first, filepath.Join(s.dir, role)); err != nil {
			return err
		}
	}
	return nil
}

func (s *stage) remove() { os.RemoveAll(s.dir) }

// container is a PID namespace with one contender as PID 1.
type container struct {
	name       string
	cmd        *exec.Cmd
	log        output
	cleanAfter time.Duration // from the daemons' death, 0 as long as it is not clean
}

// output is what PID 1 and its programs said on stderr.
type output struct {
	mu   sync.Mutex
	data bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.data.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.data.String()
}

const advice = `It takes root, or a system that allows user namespaces to everybody. Debian and
Ubuntu have the settings kernel.unprivileged_userns_clone (to be 1) and
kernel.apparmor_restrict_unprivileged_userns (to be 0) for that; in a docker
container it takes --privileged.`

// start runs the runner below an init (none if argv is empty) as PID 1 of new
// namespaces, in a user namespace where this user may not do that otherwise.
func (s *stage) start(name string, init []string) (*container, error) {
	argv := append(init, filepath.Join(s.dir, roleRunner))
	c, err := s.clone(name, argv, 0)
	if errors.Is(err, syscall.EPERM) {
		c, err = s.clone(name, argv, syscall.CLONE_NEWUSER)
	}
	if err != nil {
		return nil, fmt.Errorf("uid %d may not make a PID namespace here (%w)\n%s", os.Getuid(), err, advice)
	}
	return c, nil
}

func (s *stage) clone(name string, argv []string, flags uintptr) (*container, error) {
	c := &container{name: name}
	c.cmd = exec.Command(filepath.Join(s.dir, roleLauncher), argv...)
	c.cmd.Env = []string{"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=/", "SBINIT_SOCKET=off"} // /run is the machine's
	c.cmd.Dir = s.dir
	c.cmd.Stderr = &c.log
	c.cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags: syscall.CLONE_NEWPID | syscall.CLONE_NEWNS | flags,
		Setsid:     true,
		Pdeathsig:  syscall.SIGKILL,
	}
	if flags&syscall.CLONE_NEWUSER != 0 {
		c.cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}}
		c.cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}}
	}
	if err := c.cmd.Start(); err != nil {
		return nil, err
	}
	return c, nil
}

// kill ends PID 1, and with it all that is in the namespace.
func (c *container) kill() {
	c.cmd.Process.Kill()
	c.cmd.Wait()
}

// said is the lines of the log.
func (c *container) said() []string {
	return strings.FieldsFunc(c.log.String(), func(r rune) bool { return r == '\n' })
}

// leaked are the processes that the daemons have left behind, the dev server aside.
func (c *container) leaked() processes {
	var left processes
	for _, p := range c.processes() {
		if p.name == roleChild || p.name == roleCLI {
			left = append(left, p)
		}
	}
	return left
}

// judge holds sbinit to its word.
func (c *container) judge() error {
	ps := c.processes()
	switch {
	case len(c.leaked()) != 0:
		return fmt.Errorf("%w: %d processes of the killed daemons are left", errBroken, len(c.leaked()))
	case ps.count(roleServer) != 1:
		return fmt.Errorf("%w: the dev server is gone", errBroken)
	case ps.count(roleRunner) != 1:
		return fmt.Errorf("%w: the main program is gone", errBroken)
	}
	return nil
}
