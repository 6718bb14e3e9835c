package policy

import (
	"path"
	"strings"
	"testing"
	"unicode"
)

// misnamed says what is wrong with a package's comment; "" if nothing is. `go doc`
// shows its first sentence in lists, so it begins with the package's name; of a command
// with the command's.
func misnamed(p pkg) string {
	want := "Package " + p.Name + " "
	if p.Name == "main" {
		name := path.Base(p.ImportPath)
		want = string(unicode.ToUpper(rune(name[0]))) + name[1:] + " "
	}
	switch {
	case p.Doc == "":
		return "has no package comment"
	case !strings.HasPrefix(p.Doc, want):
		return "its comment does not begin with " + want
	}
	return ""
}

func TestPackageComments(t *testing.T) {
	for _, p := range packages(t) {
		if fault := misnamed(p); p.own() && fault != "" {
			t.Errorf("%s: %s", p.ImportPath, fault)
		}
	}
}

func TestPackageCommentsViolated(t *testing.T) {
	for _, c := range []struct {
		pkg  pkg
		good bool
	}{
		{pkg{ImportPath: "internal/init", Name: "pid1", Doc: "Package pid1 owns it."}, true},
		{pkg{ImportPath: "cmd/sbinit", Name: "main", Doc: "Sbinit is an init."}, true},
		{pkg{ImportPath: "internal/proc", Name: "proc"}, false},
		{pkg{ImportPath: "internal/proc", Name: "proc", Doc: "Package processes reads."}, false},
		{pkg{ImportPath: "cmd/sbinit", Name: "main", Doc: "Package main is an init."}, false},
	} {
		if fault := misnamed(c.pkg); (fault == "") != c.good {
			t.Errorf("%+v: %q", c.pkg, fault)
		}
	}
}
