// Probe is a program of the tests. It is built with and without the entry stub.
//
//	probe show               print what package inherit says, and what the runtime does
//	probe run ARGV...        run a program with everything as it was inherited
//	probe await FILE N...    make FILE, wait until each of the blocked signals N has come
package main

import (
	"fmt"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/inherit"
	"github.com/sbinit/sbinit/internal/reap"
)

func main() {
	modes := map[string]func(args []string) int{"show": show, "run": run, "await": await}
	os.Exit(modes[os.Args[1]](os.Args[2:]))
}

func show([]string) int {
	fmt.Println("descriptors", inherit.Descriptors())
	fmt.Println("stub", inherit.Stub())
	fmt.Println("blocked", inherit.Blocked())
	fmt.Printf("mask %016x\n", inherit.SignalMask())
	fmt.Printf("ignored %016x\n", inherit.IgnoredSignals())
	limit, known := inherit.NoFile()
	fmt.Println("limit", limit.Cur, known)
	fmt.Println("raised", ownLimit() > limit.Cur)
	env := inherit.Environ()
	fmt.Printf("environ %q\n", env)
	own, err := os.ReadFile("/proc/self/environ")
	fmt.Println("intact", err == nil && string(own) == strings.Join(env, "\x00")+"\x00")
	fmt.Println("processors", runtime.GOMAXPROCS(0))
	inherit.ResetRuntime()
	fmt.Println("runtime", debug.SetGCPercent(100), debug.SetMemoryLimit(-1) == math.MaxInt64, runtime.GOMAXPROCS(0))
	return 0
}

func ownLimit() uint64 {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		return 0
	}
	return limit.Cur
}

func run(argv []string) int {
	spec := reap.Spec{
		Paths:   []string{argv[0]},
		Argv:    argv,
		Env:     inherit.Environ(),
		Mask:    inherit.SignalMask(),
		Ignored: inherit.IgnoredSignals(),
	}
	if limit, known := inherit.NoFile(); known {
		spec.NoFile = &limit
	}
	pid, err := reap.Start(spec)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return reap.ExitCode(err)
	}
	for code := -1; ; time.Sleep(time.Millisecond) {
		reap.Drain(1, func(e reap.Exit) {
			if e.PID == pid {
				code = reap.Code(e.Status)
			}
		})
		if code >= 0 {
			return code
		}
	}
}

func await(args []string) int {
	var set unix.Sigset_t
	missing := map[uint32]bool{}
	for _, arg := range args[1:] {
		n, err := strconv.Atoi(arg)
		if err != nil {
			return 2
		}
		missing[uint32(n)] = true
		set.Val[0] |= 1 << (n - 1)
	}
	fd, err := unix.Signalfd(-1, &set, unix.SFD_CLOEXEC)
	if err != nil {
		return 2
	}
	if err := os.WriteFile(args[0], nil, 0o600); err != nil {
		return 2
	}
	for len(missing) > 0 {
		var info unix.SignalfdSiginfo
		_, err := unix.Read(fd, (*[unsafe.Sizeof(info)]byte)(unsafe.Pointer(&info))[:])
		if err != nil && err != unix.EINTR {
			return 2
		}
		delete(missing, info.Signo)
	}
	return 0
}
