//go:build e2e

package e2e

import (
	"math/rand/v2"
	"strings"
	"testing"
)

func TestEntrypointPassesOutputThrough(t *testing.T) {
	t.Parallel()
	r := runOnce(t, nil, "sh", "-c", "echo to stdout; echo to stderr >&2")
	if want := (result{"to stdout\n", "to stderr\n", 0, r.took}); r != want {
		t.Errorf("got %+v, want %+v", r, want)
	}
}

func TestEntrypointPassesInputThrough(t *testing.T) {
	t.Parallel()
	input := make([]byte, 300_000)
	rand.NewChaCha8([32]byte{}).Read(input)
	r := runWithInput(t, string(input), nil, "cat")
	if r.code != 0 || r.stderr != "" || r.stdout != string(input) {
		t.Errorf("status %d, %d bytes back of %d, stderr %q", r.code, len(r.stdout), len(input), r.stderr)
	}
}

func TestEndOfInputStopsTheContainerWhereAsked(t *testing.T) {
	t.Parallel()
	if r := runWithInput(t, "", []string{"-e", "SBINIT_STDIN_EOF=stop"}, "sleep", "60"); r.code != 143 {
		t.Errorf("got %+v, want status 143", r)
	}
}

// A main program that forks and exits: the container ends with it, or with the last process where that is asked for.
func TestContainerOfAMainProgramThatForks(t *testing.T) {
	t.Parallel()
	const forks = "(sleep 1; echo late) & echo early; exit 4"
	for wait, want := range map[string]string{"main": "early\n", "all": "early\nlate\n"} {
		r := runOnce(t, []string{"-e", "SBINIT_WAIT=" + wait}, "sh", "-c", forks)
		if r.code != 4 || r.stdout != want {
			t.Errorf("SBINIT_WAIT=%s: got %+v, want status 4 and %q", wait, r, want)
		}
	}
}

// restrictions are ways to take something away from a container. /tmp stays writable, for the tests' programs.
var restrictions = map[string][]string{
	"read-only root":              {"--read-only", "--tmpfs", "/tmp"},
	"plain user":                  {"--user", "1000:1000"},
	"user without a passwd entry": {"--user", "4321:4321"},
	"no capability":               {"--cap-drop", "ALL"},
	"no new privileges":           {"--user", "1000:1000", "--security-opt", "no-new-privileges"},
	"50 processes":                {"--pids-limit", "50"},
	"20 MB of memory":             {"--memory", "20m"},
	"all at once":                 {"--read-only", "--tmpfs", "/tmp", "--user", "1000:1000", "--cap-drop", "ALL", "--pids-limit", "50"},
}

func TestRestrictedContainersRunQuietly(t *testing.T) {
	t.Parallel()
	for name, options := range restrictions {
		r := runOnce(t, options, "echo", "hello")
		if r.code != 0 || r.stdout != "hello\n" || r.stderr != "" {
			t.Errorf("%s: got %+v", name, r)
		}
	}
	if r := runOnce(t, []string{"--read-only"}, "echo", "hello"); r.code != 0 || r.stderr != "" {
		t.Errorf("nothing writable at all: got %+v", r)
	}
}

func TestProgramNamedLikeACommandOfSbinit(t *testing.T) {
	t.Parallel()
	r := runOnce(t, nil, "ps", "-o", "pid,args")
	if r.code != 0 || !strings.Contains(r.stdout, "1 /sbinit -- ps -o pid,args") {
		t.Errorf("the image's ps did not run under sbinit: %+v", r)
	}
}

func TestExitStatus(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		options []string
		command []string
		want    int
		stderr  string // what a person must be told
	}{
		{"success", nil, []string{"true"}, 0, ""},
		{"failure", nil, []string{"sh", "-c", "exit 3"}, 3, ""},
		{"killed by SIGKILL", nil, []string{"sh", "-c", "kill -KILL $$"}, 137, ""},
		{"killed by SIGTERM", nil, []string{"sh", "-c", "kill -TERM $$"}, 143, ""},
		{"not found", nil, []string{"/no/such/program"}, 127, "/no/such/program"},
		{"not found on PATH", nil, []string{"no-such-program"}, 127, "no-such-program"},
		{"not executable", nil, []string{"/etc/passwd"}, 126, "/etc/passwd"},
		{"directory", nil, []string{"/etc"}, 126, "/etc"},
		{"bad variable", []string{"-e", "SBINIT_ORPHANS=nonsense"}, []string{"true"}, 125, "SBINIT_ORPHANS"},
		{"exit code mapped", []string{"-e", "SBINIT_EXIT_OK=3"}, []string{"sh", "-c", "exit 3"}, 0, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := runOnce(t, c.options, c.command...)
			if r.code != c.want {
				t.Errorf("status %d, want %d; stderr: %s", r.code, c.want, r.stderr)
			}
			if !strings.Contains(r.stderr, c.stderr) || (c.stderr == "" && r.stderr != "") {
				t.Errorf("stderr %q, want it to name %q", r.stderr, c.stderr)
			}
		})
	}
}
