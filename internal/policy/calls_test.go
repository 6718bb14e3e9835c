package policy

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A ban is on a name of another package.
type ban struct {
	path, name string
	why        string
	except     []string // packages that may
}

const oneOwner = "package reap alone starts children and waits for them: two waiters lose exit statuses"

// bans are on what would take something from its one owner.
var bans = []ban{
	{path: "os/exec", name: "*", why: oneOwner},
	{path: "os", name: "StartProcess", why: oneOwner},
	{path: "os", name: "FindProcess", why: oneOwner},
	{path: "os", name: "Process", why: oneOwner},
	{path: "syscall", name: "StartProcess", why: oneOwner},
	{path: "syscall", name: "ForkExec", why: oneOwner},
	{path: "syscall", name: "Wait4", why: oneOwner, except: []string{"internal/reap"}},
	{path: "golang.org/x/sys/unix", name: "Wait4", why: oneOwner, except: []string{"internal/reap"}},
	{path: "golang.org/x/sys/unix", name: "Waitid", why: oneOwner, except: []string{"internal/reap", "internal/contain"}},
	{path: "os/signal", name: "Ignore", why: "children inherit it, and Reset does not undo it: Notify, and drop"},
	{path: "os/signal", name: "Reset", why: "a signal that nobody takes ends a Go program"},
	{path: "os/signal", name: "Stop", why: "a signal that nobody takes ends a Go program"},
	{path: "time", name: "Tick", why: "a ticker wakes PID 1 for nothing: the loop has one timer"},
	{path: "time", name: "NewTicker", why: "a ticker wakes PID 1 for nothing: the loop has one timer"},
}

// calls finds what is banned in one file of a package.
func calls(fset *token.FileSet, file *ast.File, in string) (found []string) {
	imported := importNames(file)
	ast.Inspect(file, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		x, ok := sel.X.(*ast.Ident)
		if !ok {
			return true
		}
		for _, b := range bans {
			if imported[x.Name] == b.path && (b.name == "*" || b.name == sel.Sel.Name) && !slices.Contains(b.except, in) {
				found = append(found, fmt.Sprintf("%s: %s.%s: %s", fset.Position(sel.Pos()), x.Name, sel.Sel.Name, b.why))
			}
		}
		return true
	})
	return found
}

// importNames maps the names that a file has for packages to their paths.
func importNames(file *ast.File) map[string]string {
	names := map[string]string{}
	for _, spec := range file.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			continue
		}
		name := path[strings.LastIndex(path, "/")+1:]
		if spec.Name != nil {
			name = spec.Name.Name
		}
		names[name] = path
	}
	return names
}

func TestCalls(t *testing.T) {
	for _, p := range product(packages(t)) {
		for _, name := range p.GoFiles {
			fset := token.NewFileSet()
			file, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			for _, v := range calls(fset, file, p.ImportPath) {
				t.Error(v)
			}
		}
	}
}

func TestCallsViolated(t *testing.T) {
	for code, want := range map[string]int{
		`import "os/exec"; var _ = exec.Command("x")`:                             1,
		`import e "os/exec"; var _ e.Cmd`:                                         1,
		`import "os"; func f(p *os.Process) { p.Wait() }`:                         1,
		`import "os"; var _, _ = os.StartProcess("x", nil, nil)`:                  1,
		`import s "os/signal"; func f() { s.Ignore(); s.Reset(); s.Notify(nil) }`: 2,
		`import "golang.org/x/sys/unix"; var _, _ = unix.Wait4(-1, nil, 0, nil)`:  1,
		`import "os"; var _ = os.Getpid()`:                                        0,
	} {
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, "x.go", "package x\n"+code, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		if found := calls(fset, file, "internal/x"); len(found) != want {
			t.Errorf("%s: %q", code, found)
		}
		if strings.Contains(code, "Wait4") && len(calls(fset, file, "internal/reap")) != 0 {
			t.Error("package reap may not wait")
		}
	}
}
