package doctor_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/testns"
)

func TestMain(m *testing.M) { testns.Main(m) }

// examined runs `sbinit doctor` as PID 1, and wants that exit status.
func examined(t *testing.T, o testns.Options, status int, args ...string) string {
	t.Helper()
	c := testns.Start(t, o, append([]string{testns.Build(t), "doctor"}, args...)...)
	if s := c.Wait(t); s != (testns.Status{Code: status}) {
		t.Errorf("%+v: %v, want status %d\n%s%s", o, s, status, c.Stdout(), c.Stderr())
	}
	return c.Stdout()
}

func has(t *testing.T, out string, patterns ...string) {
	t.Helper()
	for _, p := range patterns {
		if !regexp.MustCompile("(?m)" + p).MatchString(out) {
			t.Errorf("want %s in\n%s", p, out)
		}
	}
}

func TestDoctor(t *testing.T) {
	testns.Each(t, func(t *testing.T, o testns.Options) {
		out := examined(t, o, 0)
		has(t, out, "^ok    settings ", "^ok    proc ", "^ok    pidfd ", "^ok    subreaper ", "^ok    pty ", "^ok    stub ", "^ok    mark ", "^ok    sock_diag ",
			"^ok    socket       nobody is at /run/sbinit.sock, and a socket can be made there$", "^ok    pid1 +this very command$",
			"^init, guard and terminal have what they need\n$")
		if strings.Contains(out, "lack") {
			t.Error(out)
		}
	})
}

// TestLacks: each is found by trying, and said with what helps.
func TestLacks(t *testing.T) {
	off := testns.Environ("SBINIT_SOCKET=off")
	for name, c := range map[string]struct {
		o      testns.Options
		status int
		want   []string
	}{
		"proc": {testns.Options{NoProc: true}, 1, []string{"^lack  proc +/proc is not mounted$", "^        needed by: guard, terminal$",
			"^        docker: no mount over /proc", "^less  mark +cannot be tried without /proc", "^not everything that"}},
		"pidfd": {testns.Options{SeccompErrno: map[int]syscall.Errno{unix.SYS_PIDFD_OPEN: unix.ENOSYS}}, 1,
			[]string{"^lack  pidfd +pidfd_open: function not implemented$", "^        kubernetes: .*seccompProfile", "^ok    confinement +seccomp: a filter"}},
		"pidfd signals": {testns.Options{SeccompErrno: map[int]syscall.Errno{unix.SYS_PIDFD_SEND_SIGNAL: unix.EPERM}}, 1,
			[]string{"^lack  pidfd +pidfd_send_signal: operation not permitted$"}},
		"subreaper": {testns.Options{SeccompErrno: map[int]syscall.Errno{unix.SYS_PRCTL: unix.EPERM}}, 1,
			[]string{"^lack  subreaper +prctl: operation not permitted$"}},
		"socket": {testns.Options{ReadOnlyRoot: true}, 0,
			[]string{"^less  socket +nobody is at /run/sbinit.sock, and no socket can be made there: bind: read-only file system$",
				"^        docker: --tmpfs /run"}},
		"no socket": {testns.Options{Env: off}, 0, []string{"^less  socket +SBINIT_SOCKET is off$"}},
		"settings": {testns.Options{Env: testns.Environ("SBINIT_ORPHANS=foo", "SBINIT_WAIT=b\x1b", "SBINIT_ORPHAN=keep", "SBINIT_GUARD=a b")}, 1,
			[]string{`^lack  settings +SBINIT_ORPHANS="foo": want abandoned or`, `^lack  settings +SBINIT_WAIT="b.*": want main or all`,
				"^        needed by: init, guard, terminal$", "^        costs: sbinit does not start$", "^ok    socket ",
				`^less  variable +SBINIT_GUARD="a b": there is a blank in a name`, `^less  variable +SBINIT_ORPHAN="keep": unknown.*did you mean SBINIT_ORPHANS`}},
		"variables": {testns.Options{Env: testns.Environ("SBINIT_ORPHAN=keep")}, 0,
			[]string{"^ok    settings ", "^less  variable ", "^init, guard and terminal have what they need$"}},
		"another user's socket": {testns.Options{UID: 1000, GID: 1000, Env: testns.Environ("SBINIT_SOCKET=/root/x/s")}, 0,
			[]string{"^less  socket +/root/x/s: connect: permission denied: it is for root and the init's user$"}},
		"hidepid": {testns.Options{HidePID: true, DockerCapabilities: true}, 0,
			[]string{"^less  hidepid +/proc is mounted with hidepid$", "^        docker: .*--cap-add SYS_PTRACE$"}},
		"user": {testns.Options{UID: 1000, GID: 1000}, 0,
			[]string{"^less  kill +not root", "^less  other_users +not root", "^ok    namespaces .* uid 1000$"}},
		"sock_diag": {testns.Options{SeccompErrno: map[int]syscall.Errno{unix.SYS_SENDTO: unix.EPERM}}, 0,
			[]string{"^less  sock_diag "}},
		"mark":  {testns.Options{SeccompErrno: map[int]syscall.Errno{unix.SYS_PRLIMIT64: unix.EPERM}}, 0, []string{"^less  mark +prlimit"}},
		"files": {testns.Options{NoFile: 15}, 1, []string{"^lack  limits +too many open files", "^        docker: .*--ulimit nofile"}},
	} {
		t.Run(name, func(t *testing.T) { has(t, examined(t, c.o, c.status), c.want...) })
	}
}

// TestDockerCapabilities are enough for everything.
func TestDockerCapabilities(t *testing.T) {
	if out := examined(t, testns.Options{DockerCapabilities: true}, 0); strings.Contains(out, "less  ") || strings.Contains(out, "lack") {
		t.Error(out)
	}
}

func TestNoTerminals(t *testing.T) {
	script := "mount -t tmpfs none /dev && exec " + testns.Build(t) + " doctor"
	c := testns.Start(t, testns.Options{}, "sh", "-c", script)
	if s := c.Wait(t); s.Code != 1 {
		t.Errorf("%v\n%s", s, c.Stderr())
	}
	has(t, c.Stdout(), "^lack  pty +open /dev/ptmx: no such file or directory$", "^        needed by: terminal$")
}

func TestProcessLimit(t *testing.T) {
	testns.RequirePidsLimit(t)
	has(t, examined(t, testns.Options{PidsMax: 8}, 1), "^lack  limits .*pids.max is 8", "^        docker: --pids-limit 64")
}

// TestBesideAnInit asks it, changes nothing, and leaves nothing.
func TestBesideAnInit(t *testing.T) {
	bin := testns.Build(t)
	c := testns.Start(t, testns.Options{}, bin, "--", testns.Tool(t), "record")
	c.WaitFor(t, "the main program", func() bool { return strings.Contains(c.Stdout(), "ready\n") })
	ls := func() string { _, out := c.Exec(t, "ls", "-A", "/run").Wait(t); return out }
	before := ls()
	s, out := c.Exec(t, bin, "doctor").Wait(t)
	has(t, out, "^ok    socket       the init answers at /run/sbinit.sock: version ", "^ok    pid1 +this sbinit$")
	if after := ls(); s != (testns.Status{}) || after != before {
		t.Errorf("%v; /run had %q, has %q", s, before, after)
	}
	if _, out := c.Exec(t, bin, "doctor").Wait(t); strings.Contains(out, "\x1b") {
		t.Error(out)
	}
}

// TestUnderAStranger works, and names it without believing the name.
func TestUnderAStranger(t *testing.T) {
	c := testns.Start(t, testns.Options{}, testns.As(t, "evil\x1b[2J", testns.Tool(t)), "record")
	s, out := c.Exec(t, testns.Build(t), "doctor").Wait(t)
	has(t, out, `^ok    pid1 +evil\\x1b\[2J, not this program`)
	if s != (testns.Status{}) || strings.Contains(out, "\x1b") {
		t.Errorf("%v %q", s, out)
	}
}

func TestDoctorJSON(t *testing.T) {
	var got struct {
		OK     bool
		Probes []struct {
			Name, State, Detail, Costs, Build, Docker, Podman, Kubernetes string
			NeededBy                                                      []string `json:"needed_by"`
		}
	}
	out := examined(t, testns.Options{NoProc: true}, 1, "--json")
	if err := json.Unmarshal([]byte(out), &got); err != nil || got.OK || strings.Count(out, "\n") != 1 {
		t.Fatalf("%v: %s", err, out)
	}
	for _, p := range got.Probes {
		if p.Name == "" || p.Detail == "" || (p.State != "ok") != (p.Costs != "" && p.Docker+p.Build != "") || p.State == "lack" && len(p.NeededBy) == 0 {
			t.Errorf("%+v", p)
		}
	}
	if len(got.Probes) < 15 {
		t.Errorf("%d probes", len(got.Probes))
	}
}
