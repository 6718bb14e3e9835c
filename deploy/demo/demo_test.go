package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sbinit/sbinit/internal/testns"
)

// TestMain plays the roles, as main does.
func TestMain(m *testing.M) {
	if role, ok := roles[filepath.Base(os.Args[0])]; ok {
		os.Exit(role(os.Args[1:]))
	}
	testns.Main(m)
}

func init() {
	testns.Register("demo", func(args []string) int { return report(run(os.Stdout, args[0])) })
}

func TestDemo(t *testing.T) {
	testns.RequireNS(t)
	sbinit := testns.Build(t)
	for _, c := range []struct {
		name string
		set  testns.Options
	}{
		{"root", testns.Options{}},
		{"unprivileged", testns.Options{UID: 1000, GID: 1000}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c := testns.Start(t, c.set, testns.Self("demo", sbinit)...)
			if s := c.Wait(t); s != (testns.Status{}) {
				t.Fatalf("ended with %v\n%s", s, c.Dump())
			}
			for _, want := range []string{
				`BEFORE, under sbinit[^!]* acp-child\n[^!]*└─ \d+ dev-server\n`,
				`ACP children left +3 .* 0\n`,
				`processes left +6 .* 0\n`,
				`dev server +stays .* stays\n`,
				`sbinit ended the abandoned children [5-9]\.\d s after`,
			} {
				if !regexp.MustCompile(want).MatchString(c.Stdout()) {
					t.Errorf("%q is not to be seen in:\n%s", want, c.Stdout())
				}
			}
		})
	}
}

// deaths waits until there are daemons, and until there are none.
const deaths = `
daemons() { grep -qsx agent-daemon /proc/[0-9]*/comm; }
until daemons; do sleep 0.1; done
while daemons; do sleep 0.1; done
`

// TestDemoNoticesFailure runs it with an init that ends its main program's daemons'
// children never, and with one that ends the dev server as well.
func TestDemoNoticesFailure(t *testing.T) {
	testns.RequireNS(t)
	for _, c := range []struct {
		name, script, want string
	}{
		{"keeps all", "#!/bin/sh\nshift\n\"$@\" &\nwhile :; do wait; sleep 0.1; done\n", "6 processes of the killed daemons are left"},
		{"ends all", "#!/bin/sh\nshift\n\"$@\" &\n" + deaths + "kill -9 -1\nexec sleep 1000\n", "the dev server is gone"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			fake := filepath.Join(t.TempDir(), "sbinit")
			if err := os.WriteFile(fake, []byte(c.script), 0o755); err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			err := run(&out, fake)
			if !errors.Is(err, errBroken) || !strings.Contains(err.Error(), c.want) || report(err) != 1 {
				t.Errorf("error %v, status %d, want %q\n%s", err, report(err), c.want, &out)
			}
		})
	}
}

func TestDemoNotAllowed(t *testing.T) {
	script := `echo 0 > /proc/sys/user/max_pid_namespaces && exec "$@"`
	argv := append([]string{"sh", "-c", script, "-"}, testns.Self("demo", "/bin/sh")...)
	c := testns.Start(t, testns.Options{AsNobody: true}, argv...)
	s := c.Wait(t)
	if s.Code != 2 || !strings.Contains(c.Stderr(), "may not make a PID namespace here") || !strings.Contains(c.Stderr(), advice) {
		t.Errorf("ended with %v and said %q", s, c.Stderr())
	}
}

// TestDemoNoSbinit: it is the file that is missing, not a right.
func TestDemoNoSbinit(t *testing.T) {
	var out bytes.Buffer
	err := run(&out, "/no/sbinit")
	if err == nil || report(err) != 2 || !strings.Contains(err.Error(), "/no/sbinit: no such file") || strings.Contains(err.Error(), advice) {
		t.Errorf("error %v", err)
	}
}

func TestParseStatus(t *testing.T) {
	got := parseStatus(7, "Name:\tacp child\nState:\tS (sleeping)\nPPid:\t5\nNSpid:\t7\t3\nVmRSS:\t    2048 kB\nGroups:\t\n")
	want := process{pid: 3, parent: 5, host: 7, name: "acp child", state: "S", rss: 2048}
	if got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestTree(t *testing.T) {
	ps := processes{
		{pid: 1, name: "init"}, {pid: 2, parent: 1, name: "a"}, {pid: 3, parent: 2, name: "b"}, {pid: 4, parent: 1, name: "c"},
	}
	want := "  1 init\n  ├─ 2 a\n  │  └─ 3 b\n  └─ 4 c\n"
	if diff := cmp.Diff(want, ps.String()); diff != "" {
		t.Error(diff)
	}
}
