package proc

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/sbinit/sbinit/internal/testns"
)

func init() { testns.Register("hides", hides) }

func hides([]string) int {
	fs, err := Open()
	if err != nil {
		return complain(err)
	}
	fmt.Println(fs.Hides())
	return 0
}

func TestMemory(t *testing.T) {
	fs := open(t)
	size, uid, err := fs.Resident(os.Getpid())
	if err != nil || size < 1<<20 || size > 1<<32 || size%1024 != 0 || uid != os.Getuid() {
		t.Errorf("%d bytes of user %d, %v", size, uid, err)
	}
	part, err := fs.Proportional(os.Getpid())
	if err != nil || part < 1<<20 || part > size+size/2 {
		t.Errorf("%d of %d bytes, %v", part, size, err)
	}
	if _, _, err := fs.Resident(1 << 30); err == nil {
		t.Error("a process that is not there has memory")
	}
}

// TestMemoryOfAZombie is none, and no error.
func TestMemoryOfAZombie(t *testing.T) {
	fs := open(t)
	cmd := exec.Command("true")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	eventually(t, "a zombie", func() bool { s, err := fs.Stat(cmd.Process.Pid); return err == nil && !s.Alive() })
	if size, _, err := fs.Resident(cmd.Process.Pid); err != nil || size != 0 {
		t.Errorf("%d, %v", size, err)
	}
	if args, err := fs.Args(cmd.Process.Pid); err != nil || args != nil {
		t.Errorf("%q, %v", args, err)
	}
}

func TestArgs(t *testing.T) {
	for _, want := range [][]string{{"x"}, {"x", "", "a b", "\x1b[31m\xff\n"}, {"x", ""}, {""}, {"-x", "--", "y"}} {
		pid := startProcess(t, pauser(executable(), want))
		if got, err := open(t).Args(pid); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q, %v, want %q", got, err, want)
		}
	}
}

func TestRunsThis(t *testing.T) {
	fs := open(t)
	self := startProcess(t, pauser("/proc/self/exe", []string{"other name"}))
	other := startProcess(t, exec.Command("sleep", "600"))
	program, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	copied := startProcess(t, pauser(writeProgram(t, program), []string{"other name"}))
	program[len(program)-1] ^= 1 // of the debugging symbols
	changed := startProcess(t, pauser(writeProgram(t, program), []string{"other name"}))
	for pid, want := range map[int]bool{os.Getpid(): true, self: true, copied: true, changed: false, other: false} {
		if same, err := fs.RunsThis(pid); err != nil || same != want {
			t.Errorf("process %d: %v, %v", pid, same, err)
		}
	}
}

func writeProgram(t *testing.T, content []byte) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(file, content, 0o755); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestHides(t *testing.T) {
	for _, c := range []struct {
		o    testns.Options
		want string
	}{
		{testns.Options{}, "false <nil>\n"},
		{testns.Options{HidePID: true}, "false <nil>\n"}, // may trace everybody
		{testns.Options{HidePID: true, DockerCapabilities: true}, "true <nil>\n"},
		{testns.Options{HidePID: true, UID: 1000, GID: 1000}, "true <nil>\n"},
		{testns.Options{UID: 1000, GID: 1000}, "false <nil>\n"},
	} {
		got := testns.Start(t, c.o, testns.Self("hides")...)
		if got.Wait(t); got.Stdout() != c.want {
			t.Errorf("%+v: %s%s", c.o, got.Stdout(), got.Stderr())
		}
	}
}

func TestHidden(t *testing.T) {
	const before, after = "22 21 0:20 / ", " rw,nosuid - proc proc "
	for mounts, want := range map[string]bool{
		"":                              false,
		before + "/proc" + after + "rw": false,
		before + "/proc" + after + "rw,hidepid=2\n":                                              true,
		before + "/proc" + after + "rw,hidepid=invisible":                                        true,
		before + "/proc" + after + "rw,gid=5,hidepid=off":                                        false,
		before + "/mnt/proc" + after + "rw,hidepid=2":                                            false,
		before + "/proc" + after + "rw,hidepid=2\n" + before + "/proc" + after + "rw\n":          false,
		before + "/proc" + after + "rw\n" + before + "/proc" + after + "rw,hidepid=ptraceable\n": true,
	} {
		if got := hidden([]byte(mounts)); got != want {
			t.Errorf("%q: %v", mounts, got)
		}
	}
}
