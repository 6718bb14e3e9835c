package policy

import (
	"bytes"
	"encoding/json"
	"io"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
)

const (
	module = "github.com/sbinit/sbinit/"
	binary = "cmd/sbinit"
)

// A pkg is what `go list -json` says of a package. Paths in this module are without
// its name.
type pkg struct {
	ImportPath string
	Dir        string
	Name       string
	Doc        string
	Standard   bool
	GoFiles    []string
	Imports    []string // direct
	Deps       []string // all below
}

// root is the folder of the module.
func root() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Join(filepath.Dir(file), "..", "..")
}

// packages are those of this module and all below them, by import path.
func packages(t *testing.T) map[string]pkg {
	t.Helper()
	all, err := listed()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

var listed = sync.OnceValues(func() (map[string]pkg, error) {
	cmd := exec.Command("go", "list", "-deps", "-json=ImportPath,Dir,Name,Doc,Standard,GoFiles,Imports,Deps", "./...")
	cmd.Dir = root()
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, &listError{err, stderr.String()}
	}
	all := map[string]pkg{}
	for in := json.NewDecoder(bytes.NewReader(out)); ; {
		var p pkg
		if err := in.Decode(&p); err == io.EOF {
			return all, nil
		} else if err != nil {
			return nil, err
		}
		p.shorten()
		all[p.ImportPath] = p
	}
})

type listError struct {
	err    error
	stderr string
}

func (e *listError) Error() string { return "go list: " + e.err.Error() + "\n" + e.stderr }

func (p *pkg) shorten() {
	p.ImportPath = strings.TrimPrefix(p.ImportPath, module)
	for _, list := range [][]string{p.Imports, p.Deps} {
		for i := range list {
			list[i] = strings.TrimPrefix(list[i], module)
		}
	}
}

// own says whether the package belongs to this module.
func (p pkg) own() bool {
	return strings.HasPrefix(p.ImportPath, "internal/") && !p.Standard ||
		strings.HasPrefix(p.ImportPath, "cmd/") && !p.Standard || strings.HasPrefix(p.ImportPath, "deploy/")
}

// product is what is linked into the binary, of this module.
func product(all map[string]pkg) []pkg {
	parts := []pkg{all[binary]}
	for _, dep := range all[binary].Deps {
		if p := all[dep]; p.own() {
			parts = append(parts, p)
		}
	}
	return parts
}

func TestProduct(t *testing.T) {
	names := map[string]bool{}
	for _, p := range product(packages(t)) {
		names[p.ImportPath] = true
	}
	for _, part := range []string{binary, "internal/init", "internal/proc", "internal/inherit/first"} {
		if !names[part] {
			t.Errorf("%s is no part of the product: %v", part, names)
		}
	}
	if names["internal/testns"] {
		t.Error("internal/testns is linked into the product")
	}
}
