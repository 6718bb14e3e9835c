package testns

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

func TestMain(m *testing.M) { Main(m) }

// inside runs a shell command as PID 1 and returns what it printed.
func inside(t *testing.T, o Options, script string) string {
	t.Helper()
	c := Start(t, o, "sh", "-c", script)
	if s := c.Wait(t); s != (Status{}) {
		t.Fatalf("%v: %s", s, c.Dump())
	}
	return strings.TrimSpace(c.Stdout())
}

func TestIsPID1(t *testing.T) {
	Each(t, func(t *testing.T, o Options) {
		if got := inside(t, o, `echo $$ $PPID; id -u; cut -d' ' -f1,5,6 /proc/1/stat; echo /proc/[0-9]*; pwd; env | sort`); got !=
			"1 0\n0\n1 1 1\n/proc/1\n/\nHOME=/\nPATH="+strings.TrimPrefix(Environ()[0], "PATH=")+"\nPWD=/" {
			t.Errorf("inside it looks like this:\n%s", got)
		}
	})
}

func TestStatus(t *testing.T) {
	Each(t, func(t *testing.T, o Options) {
		for _, notPID1 := range []bool{false, true} {
			o.NotPID1 = notPID1
			if got := Start(t, o, "sh", "-c", "exit 7").Wait(t); got != (Status{Code: 7}) {
				t.Errorf("NotPID1=%v: exit 7 gave %v", notPID1, got)
			}
			c := Start(t, o, Tool(t), "sleep")
			c.Signal(unix.SIGKILL)
			if got := c.Wait(t); got != (Status{Signal: unix.SIGKILL}) {
				t.Errorf("NotPID1=%v: SIGKILL gave %v", notPID1, got)
			}
		}
	})
}

func TestStartFails(t *testing.T) {
	RequireNS(t)
	for _, notPID1 := range []bool{false, true} {
		_, err := start(t, Options{NotPID1: notPID1}, []string{"/no/such/program"})
		if err == nil || !strings.Contains(err.Error(), "no such file") {
			t.Errorf("NotPID1=%v: error %v", notPID1, err)
		}
	}
}

func TestProcOptions(t *testing.T) {
	Each(t, func(t *testing.T, o Options) {
		for _, c := range []struct {
			name   string
			set    func(*Options)
			script string
			want   string
		}{
			{"none", func(o *Options) { o.NoProc = true }, `ls -A /proc; echo nothing`, "nothing"},
			{"read-only", func(o *Options) { o.ProcReadOnly = true }, `echo 500 > /proc/1/oom_score_adj || echo refused`, "refused"},
			{"hidepid", func(o *Options) { o.HidePID, o.UID, o.GID = true, 1000, 1000 }, `grep -o hidepid=[a-z0-9]* /proc/mounts; id -u`, "hidepid=invisible\n1000"},
		} {
			t.Run(c.name, func(t *testing.T) {
				o := o
				c.set(&o)
				if got := inside(t, o, c.script); !strings.HasSuffix(got, c.want) {
					t.Errorf("%s\nprinted %q, want %q", c.script, got, c.want)
				}
			})
		}
	})
}

func TestReadOnlyRoot(t *testing.T) {
	Each(t, func(t *testing.T, o Options) {
		o.ReadOnlyRoot, o.Writable = true, []string{Dir(t)}
		file := filepath.Join(o.Writable[0], "file")
		got := inside(t, o, fmt.Sprintf(`for f in /run/x /tmp/x %s; do (: > $f) && echo $f; done; echo end`, file))
		if got != file+"\nend" {
			t.Errorf("could write: %s", got)
		}
	})
}

func TestIDsAndCapabilities(t *testing.T) {
	Each(t, func(t *testing.T, o Options) {
		const show = `id -u; id -g; sed -n 's/^Cap\(Prm\|Bnd\|Amb\):.//p' /proc/1/status`
		const docker, none = "00000000a80425fb", "0000000000000000"
		o.DockerCapabilities = true
		want := strings.Join([]string{"0", "0", docker, docker, none}, "\n")
		if got := inside(t, o, show); got != want {
			t.Errorf("as root:\n%s\nwant\n%s", got, want)
		}
		o.UID, o.GID = 1000, 1001
		want = strings.Join([]string{"1000", "1001", none, docker, none}, "\n")
		if got := inside(t, o, show); got != want {
			t.Errorf("as a user:\n%s\nwant\n%s", got, want)
		}
	})
}

func TestNobodyIsUnprivileged(t *testing.T) {
	RequireRoot(t)
	c := Start(t, Options{AsNobody: true}, Tool(t), "sleep")
	if p := c.Processes()[0]; p.UID != nobodyID {
		t.Errorf("the host sees %v", p)
	}
	if setgroups, err := os.ReadFile(fmt.Sprintf("/proc/%d/setgroups", c.PID())); err != nil || string(setgroups) != "deny\n" {
		t.Errorf("the gid map was written with privilege: setgroups %q, %v", setgroups, err)
	}
}

func TestSeccomp(t *testing.T) {
	Each(t, func(t *testing.T, o Options) {
		for _, errno := range []syscall.Errno{unix.ENOSYS, unix.EPERM} {
			o.SeccompErrno = map[int]syscall.Errno{unix.SYS_PIDFD_OPEN: errno}
			c := Start(t, o, Self("pidfd")...)
			c.Wait(t)
			if got := c.Stdout(); got != errno.Error() {
				t.Errorf("pidfd_open says %q, want %q", got, errno.Error())
			}
		}
	})
}

func init() {
	Register("pidfd", func([]string) int {
		_, err := unix.PidfdOpen(os.Getpid(), 0)
		fmt.Print(err)
		return 0
	})
}

func TestLimits(t *testing.T) {
	Each(t, func(t *testing.T, o Options) {
		o.NoFile, o.NProc, o.SigPending = 33, 44, 55
		if got := inside(t, o, `ulimit -n; ulimit -Hn; sed -En 's/Max (processes|pending signals) *([0-9]*) .*/\2/p' /proc/1/limits`); got != "33\n33\n44\n55" {
			t.Errorf("limits are %s", got)
		}
	})
}

func TestPidsMax(t *testing.T) {
	RequirePidsLimit(t)
	Each(t, func(t *testing.T, o Options) {
		o.PidsMax = 20
		c := Start(t, o, Tool(t), "bomb", "1000")
		c.WaitFor(t, "the limit reached", func() bool { return len(c.Processes()) == 20 })
	})
}

func TestPidMax(t *testing.T) {
	RequirePidMax(t)
	Each(t, func(t *testing.T, o Options) {
		before, err := os.ReadFile("/proc/sys/kernel/pid_max")
		if err != nil {
			t.Fatal(err)
		}
		o.PidMax = 400
		if got := inside(t, o, `i=0; while [ $i -lt 500 ]; do /bin/true; i=$((i+1)); done; cat /proc/sys/kernel/pid_max`); got != "400" {
			t.Errorf("pid_max inside is %s", got)
		}
		if after, _ := os.ReadFile("/proc/sys/kernel/pid_max"); string(after) != string(before) {
			t.Fatalf("the machine's pid_max went from %s to %s", before, after)
		}
	})
}

func TestSignalState(t *testing.T) {
	Each(t, func(t *testing.T, o Options) {
		for _, notPID1 := range []bool{false, true} {
			o.NotPID1 = notPID1
			o.Ignored = []syscall.Signal{unix.SIGHUP, unix.SIGCHLD, 33}
			o.Blocked = []syscall.Signal{unix.SIGUSR1, 64}
			c := Start(t, o, Tool(t), "mask")
			c.Wait(t)
			c.WaitFor(t, "its answer", func() bool { return strings.Count(c.Stdout(), "\n") == 2 })
			if want := fmt.Sprintf("blocked %016x\nignored %016x\n", signalSet(o.Blocked), signalSet(o.Ignored)); c.Stdout() != want {
				t.Errorf("NotPID1=%v: %swant\n%s", notPID1, c.Stdout(), want)
			}
		}
	})
}

func TestSignalsReachTheProgram(t *testing.T) {
	Each(t, func(t *testing.T, o Options) {
		c := Start(t, o, Tool(t), "record")
		c.WaitFor(t, "ready", func() bool { return c.Stdout() == "ready\n" })
		for sig := syscall.Signal(1); sig < 64; sig++ {
			if sig == unix.SIGKILL || sig == unix.SIGSTOP {
				continue
			}
			c.Signal(sig)
			c.WaitFor(t, fmt.Sprintf("signal %d", int(sig)), func() bool {
				return strings.HasSuffix(c.Stdout(), fmt.Sprintf("signal %d code 0 value 0\n", int(sig)))
			})
		}
		c.Signal(64)
		if s := c.Wait(t); s != (Status{}) {
			t.Errorf("ended with %v", s)
		}
	})
}

func TestNotPID1(t *testing.T) {
	Each(t, func(t *testing.T, o Options) {
		o.NotPID1 = true
		c := Start(t, o, Tool(t), "leave", "3")
		c.Wait(t)
		c.WaitFor(t, "three orphans at PID 1", func() bool {
			return len(slices.DeleteFunc(c.Processes(), func(p Process) bool { return p.PPID != 1 })) == 3
		})
		c.Kill(c.Find("leave")[0], unix.SIGKILL)
		c.WaitFor(t, "its reaping", func() bool { return len(c.Reaped()) == 1 })
		if got := c.Reaped()[0].Status; got != (Status{Signal: unix.SIGKILL}) {
			t.Errorf("the orphan ended with %v", got)
		}
	})
}

func TestStreams(t *testing.T) {
	Each(t, func(t *testing.T, o Options) {
		for _, c := range []struct {
			kind Stream
			want string
		}{
			{Null, "/dev/null"}, {Pipe, "pipe:["}, {Full, "pipe:["}, {Broken, "pipe:["}, {Closed, "closed"}, {Terminal, "/dev/pts/"},
		} {
			o.Stdin, o.Stdout, o.Stderr = c.kind, c.kind, c.kind
			out := filepath.Join(Dir(t), "out")
			Start(t, o, Tool(t), "streams", out).Wait(t)
			got, err := os.ReadFile(out)
			if err != nil || strings.Count(string(got), c.want) != 3 {
				t.Errorf("stream %d: %q, %v", c.kind, got, err)
			}
		}
	})
}

func TestFullAndBroken(t *testing.T) {
	Each(t, func(t *testing.T, o Options) {
		o.Stdout = Full
		c := Start(t, o, "sh", "-c", "echo stuck >&2; echo x")
		c.WaitFor(t, "the blocked write", func() bool {
			p := c.Processes()
			return c.Stderr() == "stuck\n" && len(p) == 1 && p[0].State == 'S'
		})
		o.Stdout = Broken
		if got := inside(t, Options{AsNobody: o.AsNobody}, `echo input | cat`); got != "input" {
			t.Errorf("a pipe inside gave %q", got)
		}
		broken := Start(t, o, "sh", "-c", "trap '' PIPE; echo x || exit 3")
		if s := broken.Wait(t); s != (Status{Code: 3}) {
			t.Errorf("writing to nobody ended with %v", s)
		}
	})
}

func TestTerminal(t *testing.T) {
	Each(t, func(t *testing.T, o Options) {
		o.Stdin, o.Stdout, o.Stderr = Terminal, Terminal, Terminal
		for _, notPID1 := range []bool{false, true} {
			o.NotPID1 = notPID1
			c := Start(t, o, "sh", "-c", `read line; echo "<$line>"; echo open > /dev/tty; sleep 1000`)
			fmt.Fprintln(c.Input(), "hello")
			c.WaitFor(t, "the answer", func() bool {
				return strings.Contains(c.Stdout(), "<hello>") && strings.Contains(c.Stdout(), "open")
			})
		}
	})
}

func TestExec(t *testing.T) {
	Each(t, func(t *testing.T, o Options) {
		c := Start(t, o, Tool(t), "sleep")
		status, out := c.Exec(t, "sh", "-c", `echo $PPID; id -u; ls -d /proc/1; exit 5`).Wait(t)
		if status != (Status{Code: 5}) || out != "0\n0\n/proc/1\n" {
			t.Errorf("%v: %q", status, out)
		}
		long := c.Exec(t, Tool(t), "sleep")
		if p := long.Process(t); p.PPID != 0 || p.PID == 1 || p.SID != p.PID || !p.Is("sleep") {
			t.Errorf("the program inside is %v", p)
		}
	})
}

func TestStdioDaemon(t *testing.T) {
	Each(t, func(t *testing.T, o Options) {
		c := Start(t, o, Self("runner", Self("stdio", append([]string{"-stdin", "socket", "-hold", "stdin,stdout", "--"}, Tool(t), "ignore", "15")...)...)...)
		c.WaitFor(t, "ready", func() bool { return c.Stdout() == "ready\n" })
		daemon, child := c.One("stdio"), c.One("ignore")
		if child.PPID != daemon.PID {
			t.Errorf("the child is no child of the daemon:\n%s", c.Dump())
		}
		died := c.Watch(t, daemon)
		c.Kill(daemon, unix.SIGKILL)
		if at := <-died; at.IsZero() {
			t.Error("the daemon did not die")
		}
		c.WaitFor(t, "the runner's notice", func() bool { return c.Stdout() == "ready\ngone\n" })
		c.One("holder")
	})
}

// TestToolModes starts each shape once, and looks at it.
func TestToolModes(t *testing.T) {
	shapes := []struct {
		argv []string
		want func(all []Process) bool
	}{
		{[]string{"chain", "50"}, func(all []Process) bool { return len(all) == 50 && all[49].PPID == all[48].PID }},
		{[]string{"wide", "50"}, func(all []Process) bool { return len(all) == 51 }},
		{[]string{"zombies", "5"}, func(all []Process) bool { return len(all) == 6 && !all[5].Alive() }},
		{[]string{"stop"}, func(all []Process) bool { return len(all) == 1 && all[0].State == 'T' }},
		{[]string{"name", ") Z 1"}, func(all []Process) bool { return all[0].Comm == ") Z 1" }},
		{[]string{"zombie-leader", "2"}, func(all []Process) bool { return len(all) == 3 && all[0].State == 'Z' && all[0].Threads == 2 }},
		{[]string{"siblings", "3"}, func(all []Process) bool { return len(all) == 4 && all[3].PPID == all[0].PID }},
		{[]string{"vfork"}, func(all []Process) bool { return len(all) == 2 && all[0].State == 'D' }},
		{[]string{"respawn", "9"}, func(all []Process) bool { return len(all) == 2 }},
		{[]string{"watchdogs", "9"}, func(all []Process) bool { return len(all) == 2 }},
		{[]string{"comets", "2", "1000"}, func(all []Process) bool { return len(all) == 5 && all[4].PID > 900 }},
	}
	RequireNS(t)
	for _, s := range shapes {
		t.Run(s.argv[0], func(t *testing.T) {
			c := Start(t, Options{NotPID1: true}, append([]string{Tool(t)}, s.argv...)...)
			c.WaitFor(t, "its shape", func() bool {
				all := c.Processes()
				return len(all) > 1 && s.want(all[1:])
			})
		})
	}
}
