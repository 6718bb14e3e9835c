package proc

import (
	"os"
	"strings"
	"testing"

	"github.com/sbinit/sbinit/internal/testns"
)

func TestNames(t *testing.T) {
	fs := open(t)
	for _, c := range []struct {
		program string // name of the program file
		argv    []string
		want    Names
	}{
		{"node", []string{"node", "/x/bin/claude-agent-acp", "--y"}, Names{"node", "node", "claude-agent-acp", "node"}},
		{"node", []string{"npm exec claude"}, Names{"node", "npm exec claude", "", "node"}},
		{"bash", []string{"-bash"}, Names{"bash", "bash", "", "bash"}},
		{"python3.13", []string{"python3", "-u", "tool.py"}, Names{"python3.13", "python3", "tool.py", "python3.13"}},
		{"dash", []string{"sh", "-c", "tmux attach"}, Names{"dash", "sh", "", "dash"}},
		{"server", []string{"/opt/server", "start"}, Names{"server", "server", "", "server"}},
		{"a-name-longer-than-15", []string{""}, Names{"a-name-longer-than-15", "", "", "a-name-longer-t"}},
	} {
		pid := startProcess(t, pauser(testns.As(t, c.program, executable()), c.argv))
		got, err := fs.Names(pid)
		if err != nil || got != c.want {
			t.Errorf("%q: %+v, %v, want %+v", c.argv, got, err, c.want)
		}
	}
}

func TestNamesOfDeletedProgram(t *testing.T) {
	fs := open(t)
	path := testns.As(t, "gone", executable())
	pid := startProcess(t, pauser(path, []string{"other"}))
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if n, err := fs.Names(pid); err != nil || n.Exe != "gone" {
		t.Errorf("%+v, %v", n, err)
	}
}

func TestNamesOfNobody(t *testing.T) {
	fs := open(t)
	if n, err := fs.Names(1 << 30); err == nil {
		t.Errorf("%+v", n)
	}
}

func TestScript(t *testing.T) {
	for argv, want := range map[string]string{
		"node /x/bin/acp":                    "acp",
		"node --max-old-space-size=1 acp -e": "acp",
		"node -e code":                       "",
		"node -pe code":                      "",
		"node --eval code":                   "",
		"node":                               "",
		"node -":                             "",
		"/usr/bin/python3.13 -m http.server": "http.server",
		"python3 -c code":                    "",
		"perl -ne code":                      "",
		"sh -c code":                         "",
		"sh -e /opt/run.sh":                  "run.sh",
		"sh -ec code":                        "",
		"bash -lc code":                      "",
		"bash -c -l code":                    "",
		"bash --rcfile=rc -e script":         "script",
		"-bash script":                       "script",
		"java -jar app.jar":                  "app.jar",
		"busybox httpd -f":                   "httpd",
		"sandbox-agent server":               "",
		"nodes acp":                          "",
	} {
		var n Names
		var args [][]byte
		for _, arg := range strings.Fields(argv) {
			args = append(args, []byte(arg))
		}
		n.setArgs(args)
		if n.Script != want {
			t.Errorf("%s: script %q, want %q", argv, n.Script, want)
		}
	}
}

func TestScriptOfInterpreterByProgramFile(t *testing.T) {
	n := Names{Exe: "node"}
	n.setArgs([][]byte{[]byte("agent"), []byte("/x/acp")})
	if n.Script != "acp" {
		t.Errorf("%+v", n)
	}
}

func TestMatch(t *testing.T) {
	n := Names{Exe: "node", Arg0: "agent", Script: "claude-agent-acp", Comm: "MainThread"}
	for glob, want := range map[string]bool{
		"node": true, "agent": true, "claude-*": true, "MainThread": true, "acp": false, "*/*": false, "": false, "[": false, "nod": false,
	} {
		if got := n.Match([]string{"other", glob}); got != want {
			t.Errorf("%q matches: %v", glob, got)
		}
	}
	if (Names{}).Match([]string{"*"}) {
		t.Error("a name that is not known matches")
	}
}

func TestNamesString(t *testing.T) {
	for want, n := range map[string]Names{
		"script": {"exe", "arg0", "script", "comm"}, "arg0": {"exe", "arg0", "", "comm"},
		"exe": {"exe", "", "", "comm"}, "comm": {"", "", "", "comm"},
	} {
		if n.String() != want {
			t.Errorf("%+v is called %s", n, n)
		}
	}
}

func TestHasEnv(t *testing.T) {
	fs := open(t)
	long := "LONG=" + strings.Repeat("x", 100_000) // more than the buffer holds
	pid := startProcess(t, pauser(executable(), []string{"x"}, "FIRST=1", long, "SBINIT_KEEP=1", "OTHER=SBINIT_KEEP=2", "EMPTY="))
	for entry, want := range map[string]bool{
		"SBINIT_KEEP=1": true, "FIRST=1": true, "EMPTY=": true, pauseEnv + "=1": true,
		"SBINIT_KEEP=": false, "SBINIT_KEEP=2": false, "SBINIT_KEEP=11": false, "KEEP=1": false,
	} {
		if got, err := fs.HasEnv(pid, entry); err != nil || got != want {
			t.Errorf("%s: %v, %v", entry, got, err)
		}
	}
	if _, err := fs.HasEnv(1<<30, "X=1"); err == nil {
		t.Error("a process that does not exist has an environment")
	}
}
