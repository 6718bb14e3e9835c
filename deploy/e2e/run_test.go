//go:build e2e

package e2e

import (
	"crypto/sha256"
	"fmt"
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

func TestEntrypointPassesInputAndBinaryOutputThrough(t *testing.T) {
	t.Parallel()
	r := runOnce(t, nil, "sh", "-c", "head -c 300000 /dev/urandom | tee /tmp/x; sha256sum </tmp/x >&2")
	sum := strings.Fields(r.stderr)
	if len(r.stdout) != 300000 || len(sum) == 0 || sum[0] != fmt.Sprintf("%x", sha256.Sum256([]byte(r.stdout))) {
		t.Errorf("%d bytes on stdout, whose sum should be %s", len(r.stdout), r.stderr)
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
