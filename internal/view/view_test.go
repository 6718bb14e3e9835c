package view_test

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/control"
	"github.com/sbinit/sbinit/internal/terminal/wire"
	"github.com/sbinit/sbinit/internal/testns"
)

func TestMain(m *testing.M) { testns.Main(m) }

const socket = "/run/sbinit.sock"

func init() { testns.Register("caller", caller) }

// caller opens a terminal session, says so, and keeps it.
func caller(argv []string) int {
	c, err := net.Dial("unix", socket)
	if err != nil {
		fmt.Println(err)
		return 1
	}
	c.Write(wire.Open{Cols: 80, Rows: 24, Argv: argv}.Append(nil))
	r := wire.NewReader(c)
	for {
		line, err := r.Line()
		if err != nil {
			return 0
		}
		if m, _ := wire.DecodeWorker(line); m != nil {
			fmt.Printf("%T\n", m)
		}
	}
}

// A scene is a container with somebody of each kind in it.
type scene struct {
	*testns.Container
	sbinit string
}

// littered is a script which leaves programs to PID 1 and becomes the recorder. It is a
// file: a command line that a test gives is UTF-8.
func littered(t *testing.T, commands ...string) []string {
	t.Helper()
	return []string{"sh", script(t, "main", append(commands, "exec "+testns.Tool(t)+" record")...)}
}

func script(t *testing.T, name string, lines ...string) string {
	t.Helper()
	path := filepath.Join(testns.Dir(t), name)
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

// background is a line of a script that leaves an orphan in good order.
func background(command string) string { return "(" + command + " </dev/null >/dev/null 2>&1 &)" }

func start(t *testing.T, o testns.Options, env []string, argv ...string) scene {
	t.Helper()
	bin := testns.Build(t)
	o.Env = testns.Environ(env...)
	c := testns.Start(t, o, append([]string{bin, "--"}, argv...)...)
	c.WaitFor(t, "the main program", func() bool { return strings.Contains(c.Stdout(), "ready\n") })
	return scene{c, bin}
}

// view runs a command as docker exec does, and wants that exit status.
func (s scene) view(t *testing.T, status int, args ...string) string {
	t.Helper()
	got, out := s.Exec(t, append([]string{s.sbinit}, args...)...).Wait(t)
	if got != (testns.Status{Code: status}) {
		t.Errorf("sbinit %s: %v, want status %d:\n%s", strings.Join(args, " "), got, status, out)
	}
	return out
}

// shows waits until a view matches.
func (s scene) shows(t *testing.T, pattern string, args ...string) {
	t.Helper()
	line := regexp.MustCompile(pattern)
	out := ""
	defer func() {
		if t.Failed() {
			t.Logf("sbinit %s says last\n%s", strings.Join(args, " "), out)
		}
	}()
	s.WaitFor(t, "sbinit "+strings.Join(args, " ")+" to match "+pattern, func() bool {
		_, out = s.Exec(t, append([]string{s.sbinit}, args...)...).Wait(t)
		return line.MatchString(out)
	})
}

// TestViews has an init with a guard, a pair, a session, orphans of each, and a zombie.
func TestViews(t *testing.T) {
	testns.Each(t, func(t *testing.T, o testns.Options) {
		tool := testns.Tool(t)
		as := func(name string) string { return testns.As(t, name, tool) + " mute" }
		known := filepath.Join(testns.Dir(t), "known")
		agent := script(t, "agentd", "until [ -e "+known+" ]; do sleep 0.1; done", background(as("devserver")), as("below"))
		s := start(t, o, []string{"SBINIT_GUARD=agentd", "SBINIT_SCAN_INTERVAL=100ms", "SBINIT_ORPHANS=abandoned"}, littered(t,
			background(as("stray")),
			as("mainchild")+" &",
			"sh "+agent+" &",
			testns.Build(t)+" guard -- "+as("guarded")+" &",
			"sh -c '"+tool+" exit 0 & exec "+as("careless")+"' &")...)
		session := s.Exec(t, testns.Self("caller", strings.Fields(as("inshell"))...)...)
		defer session.Process(t)

		s.shows(t, `(?m)^guards agentd +1$`, "stats")
		if err := os.WriteFile(known, nil, 0o644); err != nil {
			t.Fatal(err)
		}
		s.shows(t, `(?m)^ +1 +init .*/sbinit -- sh`, "ps")
		s.shows(t, `(?m)main +S .*/mainchild mute$`, "ps")
		s.shows(t, `(?m)^ *\d+ +orphan +S .*/stray mute$`, "ps")
		s.shows(t, `(?m)guard agentd \d+ +S .*/devserver mute$`, "ps")
		s.shows(t, `(?m)guard agentd \d+ +S .*/below mute$`, "ps")
		s.shows(t, `(?m)^ *\d+ +main +S .*sh /.*/agentd$`, "ps")
		s.shows(t, `(?m)guard guarded \d+ +S .*/guarded mute$`, "ps")
		s.shows(t, `(?m)sbinit +S .*sbinit-keeper \d+ guard -- `, "ps")
		s.shows(t, `(?m)session \d+ +S .*/inshell mute$`, "ps")
		s.shows(t, `(?m)sbinit +S .*sbinit-worker hosted$`, "ps")
		s.shows(t, `(?m)exec +S .*testns:caller`, "ps")
		s.shows(t, `(?m)exec +[RS] .*/sbinit ps --pss$`, "ps", "--pss")
		s.shows(t, `(?m)main +Z .* 0K +\[tool\] zombie: \d+ \(careless\) has not waited for it$`, "ps")

		if _, names := s.Exec(t, "sh", "-c", "cat /proc/[0-9]*/comm").Wait(t); !strings.Contains(names, "\nsbinit-keeper\n") ||
			!strings.Contains(names, "\nsbinit-worker\n") || strings.Contains(names, "\nexe\n") {
			t.Errorf("for ps and top they are called\n%s", names)
		}

		s.shows(t, `^2\n$`, "orphans", "--count")
		if out := s.view(t, 0, "orphans", "--count", "--match", "str*", "--match", "x"); out != "1\n" {
			t.Errorf("%q", out)
		}
		s.view(t, 0, "orphans", "--max", "2")
		if out := s.view(t, 1, "orphans", "--max", "1"); !strings.Contains(out, "stray mute\n") || !strings.Contains(out, "guard agentd") {
			t.Error(out)
		}
		s.shows(t, `(?m)^ *\d+ +\d+ +\d+ +\d+s +1 +[\d.]+[KM]  .*/inshell mute$`, "sessions")
		s.shows(t, `^healthy: 2 orphans, 1 zombie\n$`, "check", "--max-orphans", "2", "--max-zombies", "1")
		if out := s.view(t, 1, "check", "--max-orphans", "1", "--max-zombies", "0"); out !=
			"unhealthy: 2 orphans, allowed are 1\nunhealthy: 1 zombie, allowed are 0\n" {
			t.Error(out)
		}
		s.status(t)
		for _, view := range []string{"ps", "orphans", "sessions", "stats"} {
			if out := s.view(t, 0, view, "--json"); !json.Valid([]byte(out)) || strings.Count(out, "\n") != 1 {
				t.Errorf("%s --json: %s", view, out)
			}
		}
		if out := s.view(t, 0, "stats", "--prometheus"); !strings.Contains(out, "\nsbinit_guards{guard=\"agentd\"} 1\n") {
			t.Error(out)
		}
	})
}

// status has what the real init says of itself.
func (s scene) status(t *testing.T) {
	t.Helper()
	got, err := control.Decode([]byte(s.view(t, 0, "stats", "--json")))
	if err != nil {
		t.Fatal(err)
	}
	main := s.One("tool")
	switch {
	case got.Main.PID != main.PID || got.Phase != control.Running || got.Policy != "abandoned" || got.Blind:
		t.Errorf("%+v", got)
	case len(got.Guards) != 1 || got.Guards[0].Name != "agentd" || len(got.Sessions) != 1 || got.Sessions[0].CallerUID != 0:
		t.Errorf("%+v", got)
	case got.Counts.Adopted < 2 || got.Counts.SessionsOpened != 1 || got.Counts.Failed != 0 || got.Uptime <= 0:
		t.Errorf("%+v", got)
	}
}

// TestViewsWithoutSocket goes by /proc alone, and says so.
func TestViewsWithoutSocket(t *testing.T) {
	testns.Each(t, func(t *testing.T, o testns.Options) {
		s := start(t, o, []string{"SBINIT_SOCKET=off"}, littered(t, background(testns.As(t, "stray", testns.Tool(t))+" mute"))...)
		s.shows(t, `^1\n$`, "orphans", "--count")
		s.shows(t, `(?m)^ *\d+ +orphan +S .*/stray mute$`, "ps")
		s.shows(t, `^healthy: 1 orphan, 0 zombies; told by /proc alone`, "check")
		s.view(t, 1, "check", "--max-orphans", "0")
		for _, view := range []string{"stats", "sessions"} {
			if out := s.view(t, 125, view); !strings.HasPrefix(out, "sbinit: error: the init cannot be asked: SBINIT_SOCKET is off") {
				t.Error(out)
			}
		}
	})
}

// TestViewsUnderTini counts tini's orphans, and does not take it for an sbinit.
func TestViewsUnderTini(t *testing.T) {
	s := scene{sbinit: testns.Build(t)}
	argv := littered(t, background(testns.As(t, "stray", testns.Tool(t))+" mute"))
	s.Container = testns.Start(t, testns.Options{}, append([]string{"tini", "--"}, argv...)...)
	s.shows(t, `^1\n$`, "orphans", "--count")
	s.shows(t, `(?m)^ *\d+ +orphan +S .*/stray mute$`, "ps")
	s.shows(t, `(?m)^ *\d+ +main +S .*/tool record$`, "ps")
	if out := s.view(t, 1, "check"); out != "unhealthy: PID 1 is no sbinit: tini\n" {
		t.Error(out)
	}
}

// TestUnderAnotherName: an sbinit is one by whatever name an engine starts it, also if it
// is not the very file, or another version; for somebody else it cannot be told.
func TestUnderAnotherName(t *testing.T) {
	bin, tool := testns.Build(t), testns.Tool(t)
	program, err := os.ReadFile(bin)
	if err != nil {
		t.Fatal(err)
	}
	for name, more := range map[string]string{"copy": "", "another version": "longer"} {
		init := script(t, "docker-init-"+name, string(program)+more)
		s := scene{testns.Start(t, testns.Options{}, testns.As(t, "docker-init", init), "--", tool, "record"), bin}
		if out := s.view(t, 0, "check"); !strings.HasPrefix(out, "healthy: 0 orphans, 0 zombies; told by /proc alone: /run/sbinit.sock: connect: no such file or directory") {
			t.Errorf("%s: %s", name, out)
		}
		s.shows(t, `(?m)^ +1 +init `, "ps")
		if out := s.view(t, 125, "stats"); strings.Contains(out, "no sbinit") {
			t.Error(out)
		}
	}
}

// TestForAnotherUser: the socket is not said to be missing, nor an init to be none.
func TestForAnotherUser(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("another user needs root")
	}
	bin := testns.Build(t)
	as := func(s *testns.Container, args ...string) string {
		_, out := s.Exec(t, append([]string{"setpriv", "--reuid=1000", "--regid=1000", "--clear-groups", bin}, args...)...).Wait(t)
		return out
	}
	const denied = "/run/sbinit.sock: connect: permission denied (SBINIT_SOCKET), it is for root and the init's user\n"
	ours := start(t, testns.Options{}, nil, littered(t)...)
	if out := as(ours.Container, "check"); out != "healthy: 0 orphans, 0 zombies; told by /proc alone: "+denied {
		t.Error(out)
	}
	if out := as(ours.Container, "stats"); out != "sbinit: error: the init cannot be asked: "+denied {
		t.Error(out)
	}
	if out := as(ours.Container, "doctor"); !strings.Contains(out, "permission denied: it is for root and the init's user\n") {
		t.Error(out)
	}
	named := testns.Start(t, testns.Options{}, testns.As(t, "docker-init", bin), "--", testns.Tool(t), "record")
	if out := as(named, "check"); !strings.HasPrefix(out, "unhealthy: whether PID 1 (docker-init) is an sbinit cannot be told: ") {
		t.Error(out)
	}
}

// TestViewsHidden: with hidepid nobody is counted who cannot be seen.
func TestViewsHidden(t *testing.T) {
	bin := testns.Build(t)
	ask := func(args string) string { return fmt.Sprintf("%s %s 2>&1; echo status $?", bin, args) }
	s := start(t, testns.Options{HidePID: true, DockerCapabilities: true}, nil,
		littered(t, ask("orphans --count"), ask("ps"), ask("check"), ask("check --max-orphans 9"))...)
	parts := strings.SplitAfter(s.Stdout(), "status ")
	for i, want := range []string{
		"^sbinit: error: processes of other users are hidden .hidepid.: orphans cannot be counted\nstatus $",
		"^125\nsbinit: note: processes of other users are hidden .hidepid.\n(?s:.*)\nstatus $",
		"^0\nhealthy: .*\nstatus $",
		"^0\nunhealthy: .*cannot be counted\nstatus $",
		"^1\nready\n$",
	} {
		if !regexp.MustCompile(want).MatchString(parts[i]) {
			t.Errorf("%q, want %s", parts[i], want)
		}
	}
}

func TestViewsWithoutProc(t *testing.T) {
	s := start(t, testns.Options{NoProc: true}, nil, littered(t)...)
	if out := s.view(t, 125, "ps"); out != "sbinit: error: /proc is not mounted\n" {
		t.Error(out)
	}
	if out := s.view(t, 1, "check"); out != "unhealthy: /proc is not mounted\n" {
		t.Error(out)
	}
}

// TestSilentInit: an init that does not answer is unhealthy, within the time that a
// health check has.
func TestSilentInit(t *testing.T) {
	s := start(t, testns.Options{}, nil, littered(t)...)
	s.shows(t, `^healthy: 0 orphans, 0 zombies\n$`, "check")
	s.Signal(unix.SIGSTOP)
	defer s.Signal(unix.SIGCONT)
	begun := time.Now()
	out := s.view(t, 1, "check")
	if !strings.HasPrefix(out, "unhealthy: the init does not answer: "+socket+": no answer in time") {
		t.Error(out)
	}
	if took := time.Since(begun); took > 15*time.Second {
		t.Errorf("took %v", took)
	}
	if out := s.view(t, 0, "ps"); !strings.Contains(out, "note: the init does not answer") {
		t.Error(out)
	}
}

// TestHostileNames: whatever a process calls itself, nothing but printable text comes out.
func TestHostileNames(t *testing.T) {
	const evil = "\x1b[2J\x1b]0;x\x07\x9b31m\xff\u202e"
	name := testns.As(t, evil, testns.Tool(t))
	s := start(t, testns.Options{}, nil, littered(t, background("'"+name+"' mute '"+evil+"\n12 main S'"))...)
	s.shows(t, `mute \\x1b\[2J\\x1b\]0;x\\a\\x9b31m\\xff\\u202e\\n12 main S\n`, "orphans")
	for _, args := range [][]string{{"ps"}, {"orphans"}, {"ps", "--pss"}} {
		out := s.view(t, 0, args...)
		if i := slices.IndexFunc([]byte(out), func(c byte) bool { return c < ' ' && c != '\n' || c >= 0x7f }); i >= 0 {
			t.Errorf("%q", out)
		}
	}
	if out := s.view(t, 0, "orphans", "--json"); !json.Valid([]byte(out)) {
		t.Error(out)
	}
}

// TestTerminalWidth: on a terminal no line is longer than that is wide, and elsewhere than
// 240 columns, unless all of it is wanted.
func TestTerminalWidth(t *testing.T) {
	bin, long := testns.Build(t), strings.Repeat("x", 300)
	script := fmt.Sprintf("stty cols 44; %s ps; echo end; stty cols 0; %s ps; echo end; %s ps | cat; echo end; %s ps -w; : %s", bin, bin, bin, bin, long)
	c := testns.Start(t, testns.Options{NotPID1: true, Stdin: testns.Terminal, Stdout: testns.Terminal}, "sh", "-c", script)
	if s := c.Wait(t); s != (testns.Status{}) {
		t.Fatal(s)
	}
	c.WaitFor(t, "the output", func() bool { return strings.Contains(c.Stdout(), long) })
	parts := strings.Split(c.Stdout(), "end\r\n")
	for i, most := range []int{44, 80, 240} {
		widest := 0
		for line := range strings.Lines(parts[i]) {
			widest = max(widest, len(strings.TrimRight(line, "\r\n")))
		}
		if widest != most || !strings.Contains(parts[i], "+\r\n") {
			t.Errorf("%d columns, want %d:\n%s", widest, most, parts[i])
		}
	}
	if whole := parts[len(parts)-1]; len(parts) != 4 || !strings.Contains(whole, long) {
		t.Errorf("%s", whole)
	}
}

// TestClosedOutput is as if SIGPIPE had ended it, without a word.
func TestClosedOutput(t *testing.T) {
	bin := testns.Build(t)
	c := testns.Start(t, testns.Options{NotPID1: true, Stdout: testns.Broken}, bin, "ps")
	if s := c.Wait(t); s != (testns.Status{Code: 141}) || c.Stderr() != "" {
		t.Errorf("%v: %s", s, c.Stderr())
	}
	c = testns.Start(t, testns.Options{NotPID1: true, Stdout: testns.Broken}, bin, "help")
	if s := c.Wait(t); s != (testns.Status{Code: 141}) || c.Stderr() != "" {
		t.Errorf("help: %v: %s", s, c.Stderr())
	}
	c = testns.Start(t, testns.Options{NotPID1: true}, "sh", "-c", bin+" ps >/dev/full")
	if s := c.Wait(t); s != (testns.Status{Code: 125}) || !strings.Contains(c.Stderr(), "standard output: no space left on device") {
		t.Errorf("/dev/full: %v: %s", s, c.Stderr())
	}
	c = testns.Start(t, testns.Options{NotPID1: true, Stderr: testns.Broken, Env: []string{"SBINIT_SOCKET=here"}}, bin, "ps")
	if s := c.Wait(t); s != (testns.Status{Code: 125}) {
		t.Error(s)
	}
}
