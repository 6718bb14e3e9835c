package policy

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// never maps a package to what must not be below it, however far, and why not.
var never = map[string]map[string]string{
	binary: {
		"net/http":        "1.9 MB of binary and as much of resident memory",
		"go.uber.org/zap": "it links net/http; its zapcore does not",
		"testing":         "it is for tests, and registers flags",
	},
	"internal/init": {
		"net": "PID 1 resolves no names, and the resolver's memory stays",
	},
	"internal/jsonline": factsOnly,
	"internal/control":  factsOnly,

	"internal/reap":    factsOnly,
	"internal/signals": factsOnly,
	"internal/proc":    factsOnly,
	"internal/contain": factsOnly,
	"internal/inherit": factsOnly,
	"internal/inherit/first": {
		"syscall": "it must be initialised before package syscall is",
		"os":      "it imports syscall",
	},
}

// factsOnly is for packages that return facts and errors, for their caller to log
// and to encode.
var factsOnly = map[string]string{
	"go.uber.org/zap/zapcore": "who calls it logs",
	"encoding/json":           "who calls it encodes, and PID 1 holds no decoder",
	"net":                     "PID 1 resolves no names",
	"internal/log":            "who calls it logs",
	"internal/config":         "settings are passed in one by one",
}

// layers are the product's packages from the ground up: each imports those of lower
// layers only.
var layers = [][]string{
	{"internal/proc", "internal/signals", "internal/reap", "internal/inherit/first", "internal/jsonline"},
	{"internal/inherit", "internal/contain", "internal/config"},
	{"internal/log"},
	{"internal/guard", "internal/terminal/wire", "internal/control"},
	{"internal/terminal"},
	{"internal/init", "internal/view"},
	{"internal/doctor"},
	{binary},
}

func layerOf(path string) int {
	return slices.IndexFunc(layers, func(l []string) bool { return slices.Contains(l, path) })
}

// banned are the violations of never.
func banned(all map[string]pkg) (found []string) {
	for path, bans := range never {
		for _, dep := range all[path].Deps {
			if why, ok := bans[dep]; ok {
				found = append(found, fmt.Sprintf("%s has %s below it: %s", path, dep, why))
			}
		}
	}
	return found
}

// upward are imports against the order of the layers.
func upward(parts []pkg) (found []string) {
	for _, p := range parts {
		layer := layerOf(p.ImportPath)
		if layer < 0 {
			found = append(found, p.ImportPath+" is in no layer")
			continue
		}
		for _, dep := range p.Imports {
			if at := layerOf(dep); at >= layer {
				found = append(found, fmt.Sprintf("%s imports %s, which is no layer below it", p.ImportPath, dep))
			}
		}
	}
	return found
}

func TestImports(t *testing.T) {
	all := packages(t)
	for path := range never {
		if all[path].ImportPath == "" {
			t.Errorf("there is no package %s", path)
		}
	}
	for _, v := range append(banned(all), upward(product(all))...) {
		t.Error(v)
	}
}

func TestImportsViolated(t *testing.T) {
	found := banned(map[string]pkg{
		binary:          {ImportPath: binary, Deps: []string{"fmt", "go.uber.org/zap/zapcore", "net/http"}},
		"internal/reap": {ImportPath: "internal/reap", Deps: []string{"encoding/json", "net"}},
		"internal/init": {ImportPath: "internal/init", Deps: []string{"encoding/json"}},
	})
	slices.Sort(found)
	if len(found) != 3 || !strings.HasPrefix(found[0], "cmd/sbinit has net/http below it") {
		t.Errorf("%q", found)
	}
	found = upward([]pkg{
		{ImportPath: "internal/contain", Imports: []string{"internal/proc", "os"}},
		{ImportPath: "internal/proc", Imports: []string{"internal/signals"}},
		{ImportPath: "internal/signals", Imports: []string{"internal/init"}},
		{ImportPath: "internal/new"},
	})
	if len(found) != 3 {
		t.Errorf("%q", found)
	}
}
