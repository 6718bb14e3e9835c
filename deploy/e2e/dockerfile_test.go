//go:build e2e

package e2e

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const (
	buildImage = "e2e-go"
	ownImage   = "e2e-sbinit"
)

// skippedGo are the parts of a Go tree, by their path's beginning or end, that a build does not read.
var (
	skippedGoTrees = []string{"api", "doc", "misc", "test", "src/cmd"}
	skippedGoFiles = []string{"testdata", "_test.go"}
)

// The Dockerfile as a machine without a registry builds it, and the image as the README uses it.
func TestDockerfile(t *testing.T) {
	t.Parallel()
	importBuildImage(t)
	must(t, "build", "--network", "none", "--build-arg", "BUILD_IMAGE="+buildImage,
		"--build-arg", "COMMIT="+commit(t), "--tag", ownImage, "../..")
	expectOnlySbinit(t)
	dockerfile := "FROM " + image + "\nCOPY --from=" + ownImage + " /sbinit /sbinit\n" +
		`ENTRYPOINT ["/sbinit", "--"]` + "\n" + `CMD ["echo", "from the Dockerfile"]` + "\n"
	build := daemon.command(t.Context(), "build", "--network", "none", "--tag", "e2e-user", "-")
	build.Stdin = strings.NewReader(dockerfile)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("docker build: %v\n%s", err, out)
	}
	r := docker(t, "run", "--rm", "--network", "none", "e2e-user")
	if r.code != 0 || r.stdout != "from the Dockerfile\n" || r.stderr != "" {
		t.Errorf("the image ran to %+v", r)
	}
}

// importBuildImage makes an image with a shell, make, this machine's Go, and the modules that go.mod names.
func importBuildImage(t *testing.T) {
	t.Helper()
	modules := fillModuleCache(t)
	changes := []string{"ENV PATH=/usr/local/go/bin:/bin GOPATH=/go GOTOOLCHAIN=local GOPROXY=off HOME=/root"}
	err := daemon.importImage(buildImage, changes, func(r *rootfs) {
		r.busybox()
		r.program("make", "bin/make")
		r.tree(goEnv(t, "GOROOT"), "usr/local/go", skipInGoTree)
		r.tree(modules, "go/pkg/mod", func(string) bool { return false })
	})
	if err != nil {
		t.Fatal(err)
	}
}

// fillModuleCache downloads the modules into a fresh folder, from this machine's own cache where that has them.
func fillModuleCache(t *testing.T) string {
	t.Helper()
	modules := t.TempDir()
	local := "file://" + filepath.Join(goEnv(t, "GOMODCACHE"), "cache/download")
	download := exec.Command("go", "mod", "download")
	download.Dir = "../.."
	download.Env = append(download.Environ(), "GOMODCACHE="+modules, "GOFLAGS=-modcacherw", "GONOSUMDB=*",
		"GOPROXY="+local+","+goEnv(t, "GOPROXY"))
	if out, err := download.CombinedOutput(); err != nil {
		t.Fatalf("go mod download: %v\n%s", err, out)
	}
	return modules
}

func goEnv(t *testing.T, name string) string {
	t.Helper()
	out, err := exec.Command("go", "env", name).Output()
	if err != nil {
		t.Fatalf("go env %s: %v", name, err)
	}
	return strings.TrimSpace(string(out))
}

func skipInGoTree(below string) bool {
	for _, tree := range skippedGoTrees {
		if below == tree {
			return true
		}
	}
	for _, file := range skippedGoFiles {
		if strings.HasSuffix(below, file) {
			return true
		}
	}
	return false
}

// commit is what bin/sbinit was built from.
func commit(t *testing.T) string {
	t.Helper()
	out, err := exec.Command(sbinit, "version").Output()
	_, id, ok := strings.Cut(strings.TrimSpace(string(out)), " - git.")
	if err != nil || !ok {
		t.Fatalf("sbinit version: %q, %v", out, err)
	}
	return id
}

// expectOnlySbinit checks that the image is the one file, static, and the same as `make build` makes outside.
func expectOnlySbinit(t *testing.T) {
	t.Helper()
	id := must(t, "create", "--network", "none", ownImage, "unused")
	t.Cleanup(func() { must(t, "rm", id) })
	built := filepath.Join(t.TempDir(), "sbinit")
	must(t, "cp", id+":/sbinit", built)
	static, err := isStatic(built)
	if err != nil || !static {
		t.Errorf("the image's /sbinit is not a static program: %v", err)
	}
	if layers := must(t, "inspect", "--format", "{{len .RootFS.Layers}}", ownImage); layers != "1" {
		t.Errorf("the image has %s layers, want the binary's alone", layers)
	}
	if out, err := exec.Command("cmp", built, sbinit).CombinedOutput(); err != nil {
		t.Errorf("the image's /sbinit is not what make build made: %v\n%s", err, out)
	}
}
