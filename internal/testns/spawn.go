package testns

import (
	"os"
	"os/exec"
	"runtime"
	"sync"

	"golang.org/x/sys/unix"
)

// nobodyID is the user and the group that unprivileged containers of a privileged
// test run belong to: an id without any right, which user namespaces accept.
const nobodyID = 65534

// identity is who clones a launcher.
type identity struct{ nobody bool }

// spawner starts processes from one thread which lives as long as the test process
// does, because the parent death signal is sent when the *thread* that forked ends
// (prctl(2), PR_SET_PDEATHSIG).
type spawner chan func()

var spawners = struct {
	sync.Mutex
	byIdentity map[identity]spawner
}{byIdentity: map[identity]spawner{}}

// spawn starts cmd as the given identity.
func spawn(who identity, cmd *exec.Cmd) error {
	s, err := spawnerFor(who)
	if err != nil {
		return err
	}
	result := make(chan error)
	s <- func() { result <- cmd.Start() }
	return <-result
}

func spawnerFor(who identity) (spawner, error) {
	spawners.Lock()
	defer spawners.Unlock()
	if s := spawners.byIdentity[who]; s != nil {
		return s, nil
	}
	s, ready := make(spawner), make(chan error)
	go s.run(who, ready)
	if err := <-ready; err != nil {
		return nil, err
	}
	spawners.byIdentity[who] = s
	return s, nil
}

func (s spawner) run(who identity, ready chan<- error) {
	runtime.LockOSThread()
	if who.nobody {
		if err := becomeNobody(); err != nil {
			ready <- err
			return
		}
	}
	ready <- nil
	for f := range s {
		f()
	}
}

// becomeNobody gives up all privilege of the calling thread alone: the system calls
// are made directly, since Go's wrappers change every thread. What the thread clones
// has no more rights than a process that nobody started. Giving up privilege makes
// the process undumpable, and the files in /proc of a child not its own
// (proc(5), "dumpable"): it could not write its child's uid_map.
func becomeNobody() error {
	if _, _, errno := unix.RawSyscall(unix.SYS_SETGROUPS, 0, 0, 0); errno != 0 {
		return os.NewSyscallError("setgroups", errno)
	}
	if err := setIDs(nobodyID, nobodyID); err != nil {
		return err
	}
	return os.NewSyscallError("prctl", unix.Prctl(unix.PR_SET_DUMPABLE, 1, 0, 0, 0))
}

// setIDs changes the real, effective and saved ids of the calling thread alone.
func setIDs(uid, gid int) error {
	if _, _, errno := unix.RawSyscall(unix.SYS_SETRESGID, uintptr(gid), uintptr(gid), uintptr(gid)); errno != 0 {
		return os.NewSyscallError("setresgid", errno)
	}
	if _, _, errno := unix.RawSyscall(unix.SYS_SETRESUID, uintptr(uid), uintptr(uid), uintptr(uid)); errno != 0 {
		return os.NewSyscallError("setresuid", errno)
	}
	return nil
}

// privileged reports whether the test run may make namespaces without a user
// namespace: CAP_SYS_ADMIN, which root in a container may lack.
var privileged = sync.OnceValue(func() bool {
	head := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var data [2]unix.CapUserData
	if unix.Capget(&head, &data[0]) != nil {
		return false
	}
	return os.Geteuid() == 0 && data[0].Effective&(1<<unix.CAP_SYS_ADMIN) != 0
})

// unprivilegedID is the host's id of a process in a user namespace.
func unprivilegedID(own int) int {
	if privileged() {
		return nobodyID
	}
	return own
}
