package inherit

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/testns"
)

func TestMain(m *testing.M) { testns.Main(m) }

// stubFlags and stubTag are those of the Makefile.
const (
	stubTag   = "sbinit_stub"
	stubFlags = "-s -w -E github.com/sbinit/sbinit/internal/inherit.entry -checklinkname=0 " +
		"-X runtime.godebugDefault=asyncpreemptoff=1,containermaxprocs=0,updatemaxprocs=0"
)

func withStub(t testing.TB) string { return stubFor(t, runtime.GOARCH) }
func withoutStub(t testing.TB) string {
	return build(t, "plain-"+runtime.GOARCH, runtime.GOARCH, "", "-s -w")
}

func stubFor(t testing.TB, arch string) string {
	return build(t, "stub-"+arch, arch, stubTag, stubFlags)
}

// build returns the program of testdata/probe, built once for all tests of the package.
func build(t testing.TB, name, arch, tag, ldflags string) string {
	t.Helper()
	mutex.Lock()
	defer mutex.Unlock()
	file := filepath.Join(folder(t), name)
	if _, err := os.Stat(file); err == nil {
		return file
	}
	cmd := exec.Command("go", "build", "-trimpath", "-tags", tag, "-ldflags", ldflags, "-o", file, "./testdata/probe")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOARCH="+arch)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", cmd, err, out)
	}
	return file
}

var (
	mutex    sync.Mutex
	probeDir string
)

func folder(t testing.TB) string {
	if probeDir == "" {
		probeDir = testns.Dir(t)
	}
	return probeDir
}

// output runs a program by a shell, which makes the circumstances, and returns what it
// prints. It is an error if it prints anything to stderr, as the runtime might.
func output(t *testing.T, env []string, circumstances string, argv ...string) string {
	t.Helper()
	cmd := exec.Command("/bin/sh", append([]string{"-c", circumstances + `; exec "$@"`, "sh"}, argv...)...)
	cmd.Env = env
	var stdout, stderr strings.Builder
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil || stderr.Len() > 0 {
		t.Fatalf("%v: %v\n%s", cmd, err, stderr.String())
	}
	return stdout.String()
}

// value returns the line of probe's output that begins with the name.
func value(t *testing.T, output, name string) string {
	t.Helper()
	for line := range strings.Lines(output) {
		if value, found := strings.CutPrefix(line, name+" "); found {
			return strings.TrimSuffix(value, "\n")
		}
	}
	t.Fatalf("no %s in\n%s", name, output)
	return ""
}

func check(t *testing.T, output, name, want string) {
	t.Helper()
	if got := value(t, output, name); got != want {
		t.Errorf("%s: got %s, want %s", name, got, want)
	}
}

func set(signals ...unix.Signal) string {
	var mask uint64
	for _, n := range signals {
		mask |= 1 << (n - 1)
	}
	return fmt.Sprintf("%016x", mask)
}
