package policy

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/sbinit/sbinit/internal/config"
)

// Blocks of commands are marked `sh`. What needs a container engine or a cluster stands
// in blocks `sh engine`.
const (
	shell  = "sh"
	engine = "sh engine"
)

// engines are commands for blocks of engines alone.
var engines = []string{"docker", "podman", "kubectl", "dockerd", "docker-compose", "curl"}

// plain are commands of every system that a reader may be told to use.
var plain = []string{"cd", "cp", "ln", "export", "sha256sum", "git", "diff", "echo", "install"}

// apart are targets of make that .ci/run does not call, and why.
var apart = map[string]string{
	"build":     "other targets call it",
	"install":   "TestInstall calls it",
	"uninstall": "TestInstall calls it",
	"bench":     "its figures mean nothing on a busy machine",
	"mutate":    "it takes longer than CI may",
	"help":      "it lists the others",
	"clean":     "it undoes the others",
	"release":   "a test builds what it builds",
}

// A kitchen is what commands are checked by.
type kitchen struct {
	makefile, ci string
	exists       func(name string) bool
	tests        func(folder string) []string // names of its tests and benchmarks
}

// given are variables that a command is given in front of it.
var given = regexp.MustCompile(`^[A-Z_]+=`)

// check says what is wrong with a line of commands; "" if nothing is.
func (k kitchen) check(line string, needsEngine bool) string {
	for _, words := range commands(line) {
		var environ []string
		for len(words) > 0 && given.MatchString(words[0]) {
			environ, words = append(environ, words[0]), words[1:]
		}
		if len(words) == 0 {
			continue
		}
		if fault := k.checkOne(words, environ, needsEngine); fault != "" {
			return fault
		}
	}
	return ""
}

func (k kitchen) checkOne(list, environ []string, needsEngine bool) string {
	name := list[0]
	switch {
	case name == "make":
		return k.checkMake(list[1:])
	case name == "go":
		return k.checkGo(list[1:])
	case filepath.Base(name) == "sbinit" || strings.HasPrefix(filepath.Base(name), "sbinit-linux-"):
		return checkOurs(list, environ)
	case slices.Contains(engines, name) && needsEngine:
		return checkInside(list)
	case slices.Contains(engines, name):
		return name + " is for blocks `" + engine + "`"
	case slices.Contains(plain, name):
		return ""
	case strings.Contains(name, "/") && k.exists(name):
		return ""
	}
	return "no test and no step of CI runs " + name
}

func (k kitchen) checkMake(targets []string) string {
	for _, target := range targets {
		switch {
		case strings.Contains(target, "="):
		case !strings.Contains(k.makefile, "\n"+target+":"):
			return "the Makefile has no target " + target
		case apart[target] == "" && !regexp.MustCompile(`step make `+target+`\b`).MatchString(k.ci):
			return ".ci/run does not call make " + target
		}
	}
	return ""
}

// checkGo looks for the tests that `go test` is to run.
func (k kitchen) checkGo(list []string) string {
	folder, pattern := list[len(list)-1], ""
	for i, word := range list[:len(list)-1] {
		if (word == "-run" || word == "-bench") && list[i+1] != "^$" {
			pattern = list[i+1]
		}
	}
	if !k.exists(strings.TrimSuffix(folder, "/...")) {
		return folder + " does not exist"
	}
	matches := func(name string) bool { return regexp.MustCompile(pattern).MatchString(name) }
	if list[0] == "test" && pattern != "" && !slices.ContainsFunc(k.tests(folder), matches) {
		return folder + " has no test " + pattern
	}
	return ""
}

// checkOurs has sbinit read its own command line.
func checkOurs(argv, environ []string) string {
	_, warnings, err := config.Parse(config.Input{Args: append([]string{"sbinit"}, argv[1:]...), Environ: environ})
	if err != nil || len(warnings) > 0 {
		return firstLine(err, warnings)
	}
	return ""
}

// checkInside is for a command line of sbinit's in an engine's, as that of `docker exec`.
func checkInside(list []string) string {
	i := slices.Index(list, "/sbinit")
	if i < 1 || strings.HasPrefix(list[i-1], "--") && list[i-1] != "--" {
		return "" // it is an option's argument
	}
	return checkOurs(list[i:], nil)
}

// vector is a command line of sbinit's as Dockerfiles and manifests write it.
var vector = regexp.MustCompile(`\["[^"]*/sbinit"(?:, *"[^"]*")*\]`)

// checkVectors looks at those of a block. One that ends with -- has a program behind it.
func checkVectors(text string) (faults []string) {
	for _, one := range vector.FindAllString(text, -1) {
		var argv []string
		if err := json.Unmarshal([]byte(one), &argv); err != nil {
			faults = append(faults, one+": "+err.Error())
			continue
		}
		if argv[len(argv)-1] == "--" {
			argv = append(argv, "program")
		}
		if fault := checkOurs(argv, nil); fault != "" {
			faults = append(faults, one+": "+fault)
		}
	}
	return faults
}

func TestCommands(t *testing.T) {
	read := func(name string) string {
		content, err := os.ReadFile(filepath.Join(root(), name))
		if err != nil {
			t.Fatal(err)
		}
		return string(content)
	}
	k := kitchen{
		makefile: read("Makefile"), ci: read(".ci/run"),
		exists: func(name string) bool { _, err := os.Stat(filepath.Join(root(), name)); return err == nil },
		tests:  func(folder string) []string { return testsIn(t, filepath.Join(root(), folder)) },
	}
	found := 0
	for _, d := range documents(t) {
		for _, b := range d.blocks {
			if slices.Contains([]string{"bash", "console", "shell", "shell-session"}, b.info) {
				t.Errorf("%s:%d: want %q or %q, not %q", d.name, b.line, shell, engine, b.info)
			}
			for _, fault := range checkVectors(b.text) {
				t.Errorf("%s:%d: %s", d.name, b.line, fault)
			}
			if b.info != shell && b.info != engine {
				continue
			}
			for _, line := range b.lines() {
				found++
				if fault := k.check(line, b.info == engine); fault != "" {
					t.Errorf("%s:%d: %s: %s", d.name, b.line, line, fault)
				}
			}
		}
	}
	if found < 5 {
		t.Errorf("only %d commands found", found)
	}
}

// testsIn lists the tests and benchmarks of a folder.
func testsIn(t *testing.T, folder string) (names []string) {
	files, err := filepath.Glob(filepath.Join(folder, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`(?m)^func ((?:Test|Benchmark|Fuzz)\w+)`).FindAllSubmatch(content, -1) {
			names = append(names, string(m[1]))
		}
	}
	return names
}

func TestCommandsViolated(t *testing.T) {
	k := kitchen{
		makefile: "\nbuild: x\n\ttrue\ntest: build\ndance:\n", ci: "step make test\n",
		exists: func(name string) bool { return name == "deploy/run.sh" || name == "./internal/x" },
		tests:  func(string) []string { return []string{"TestOne"} },
	}
	for line, good := range map[string]bool{
		"make build test X=1":                        true,
		"make dance":                                 false,
		"make sing":                                  false,
		"sbinit guard -- daemon 'a b'":               true,
		"SBINIT_KILL_GRACE=1s sbinit guard daemon":   true,
		"SBINIT_KILL_GRACE=soon sbinit guard daemon": false,
		"bin/sbinit ps --jason":                      false,
		"cd x && sbinit orphans --count":             true,
		"cd x && sbinit orphans --counts":            false,
		"docker run image":                           false,
		"deploy/run.sh --runs 2":                     true,
		"deploy/walk.sh":                             false,
		"strange":                                    false,
		"go test ./internal/x -run One":              false,
		"go test -run One ./internal/x":              true,
		"go test -run Two ./internal/x":              false,
		"go test -run '^$' -bench . ./internal/x":    true,
		"go test ./internal/y":                       false,
	} {
		if fault := k.check(line, false); (fault == "") != good {
			t.Errorf("%s: %q", line, fault)
		}
	}
	for line, good := range map[string]bool{
		"docker exec c /sbinit orphans --max 0":             true,
		"docker exec c /sbinit orphans --max none":          false,
		"kubectl exec c -- /sbinit orphans --max x":         false,
		"docker run --rm --entrypoint /sbinit IMAGE doctor": true,
		"docker build -t sbinit . && podman run sbinit":     true,
		"strange": false,
	} {
		if fault := k.check(line, true); (fault == "") != good {
			t.Errorf("%s: %q", line, fault)
		}
	}
}

func TestVectors(t *testing.T) {
	if got := checkVectors(`CMD ["/sbinit", "--"] ["/x/sbinit", "check", "--max-orphanz", "2"] ["/sbinit", "check"] ["x"]`); len(got) != 1 {
		t.Errorf("%q", got)
	}
}
