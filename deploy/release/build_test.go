//go:build release

package release

import (
	"bytes"
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sbinit/sbinit/internal/testns"
)

const (
	commit = "0123456789abcdef0123456789abcdef01234567"
	root   = "../.."
)

// built are the architectures that the tests build: those with an entry stub.
var built = map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64}

func TestMain(m *testing.M) { testns.Main(m) }

// copyTree copies what git knows of the tree, and would know.
func copyTree(t *testing.T, to string) {
	t.Helper()
	list := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", "Makefile", "go.*", "cmd", "internal")
	list.Dir = root
	names, err := list.Output()
	if err != nil {
		t.Fatalf("%v: %v", list, err)
	}
	for name := range strings.SplitSeq(strings.TrimRight(string(names), "\x00"), "\x00") {
		content, err := os.ReadFile(filepath.Join(root, name))
		if os.IsNotExist(err) {
			continue // removed, and not committed yet
		}
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(to, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// release runs `make release` in a folder, and returns where the files are.
func release(t *testing.T, dir string, env ...string) string {
	t.Helper()
	make := exec.Command("make", "release", "RELEASE=amd64 arm64", "COMMIT="+commit)
	make.Dir = dir
	make.Env = append(os.Environ(), env...)
	if out, err := make.CombinedOutput(); err != nil {
		t.Fatalf("make release: %v\n%s", err, out)
	}
	return filepath.Join(dir, "dist")
}

// The second build is in a folder of another name and depth, by another cache of compiled packages, and by a user with
// other habits. Had the first put any of this into the programs, they would differ.
func TestRelease(t *testing.T) {
	first, second := t.TempDir(), filepath.Join(t.TempDir(), "a", "longer", "path")
	copyTree(t, first)
	copyTree(t, second)
	one := release(t, first)
	two := release(t, second, "GOCACHE="+t.TempDir(), "TZ=Asia/Tokyo", "LC_ALL=C", "SOURCE_DATE_EPOCH=1", "USER=other")
	for arch, machine := range built {
		name := "sbinit-linux-" + arch
		expectSame(t, filepath.Join(one, name), filepath.Join(two, name))
		expectStatic(t, filepath.Join(one, name), machine)
	}
	expectSame(t, filepath.Join(one, "SHA256SUMS"), filepath.Join(two, "SHA256SUMS"))
	expectSums(t, one)
	t.Run("arm64 under qemu", func(t *testing.T) { testEmulated(t, filepath.Join(one, "sbinit-linux-arm64")) })
}

func expectSame(t *testing.T, one, two string) {
	t.Helper()
	a, errOne := os.ReadFile(one)
	b, errTwo := os.ReadFile(two)
	if errOne != nil || errTwo != nil {
		t.Fatal(errOne, errTwo)
	}
	if len(a) == 0 || !bytes.Equal(a, b) {
		t.Errorf("%s and %s differ: %d and %d bytes", one, two, len(a), len(b))
	}
}

func expectStatic(t *testing.T, program string, machine elf.Machine) {
	t.Helper()
	file, err := elf.Open(program)
	if err != nil {
		t.Fatalf("%s: %v", program, err)
	}
	defer file.Close()
	if file.Machine != machine {
		t.Errorf("%s is for %v, want %v", program, file.Machine, machine)
	}
	for _, segment := range file.Progs {
		if segment.Type == elf.PT_INTERP {
			t.Errorf("%s needs a dynamic loader", program)
		}
	}
}

// expectSums verifies the checksums as the README says, and sees that a changed file would be found.
func expectSums(t *testing.T, dist string) {
	t.Helper()
	check := func() error {
		cmd := exec.Command("sha256sum", "--check", "--strict", "--ignore-missing", "SHA256SUMS")
		cmd.Dir = dist
		return cmd.Run()
	}
	if err := check(); err != nil {
		t.Errorf("sha256sum: %v", err)
	}
	sums, err := os.ReadFile(filepath.Join(dist, "SHA256SUMS"))
	if lines := bytes.Count(sums, []byte("\n")); err != nil || lines != len(built) {
		t.Errorf("SHA256SUMS has %d lines, want %d: %v", lines, len(built), err)
	}
	victim := filepath.Join(dist, "sbinit-linux-amd64")
	if err := os.WriteFile(victim, []byte("something else"), 0o755); err != nil {
		t.Fatal(err)
	}
	if check() == nil {
		t.Error("sha256sum does not find a changed file")
	}
}
