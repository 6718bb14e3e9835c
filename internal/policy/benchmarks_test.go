package policy

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
)

var (
	benchmark = regexp.MustCompile(`\bBenchmark[A-Z]\w*`)
	recipe    = regexp.MustCompile(`(?m)^bench:.*\n\t(.*)$`)
	folder    = regexp.MustCompile(`\./[\w/]+`)
)

// TestBenchmarks: those that docs/benchmarks.md explains are there, in the packages that
// `make bench` runs.
func TestBenchmarks(t *testing.T) {
	makefile, err := os.ReadFile(filepath.Join(root(), "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	document, err := os.ReadFile(filepath.Join(root(), "docs", "benchmarks.md"))
	if err != nil {
		t.Fatal(err)
	}
	run := recipe.FindSubmatch(makefile)
	if run == nil {
		t.Fatal("the Makefile has no target bench of one line")
	}
	var there []string
	for _, f := range folder.FindAllString(string(run[1]), -1) {
		there = append(there, testsIn(t, filepath.Join(root(), f))...)
	}
	explained := benchmark.FindAllString(string(document), -1)
	if len(explained) < 5 {
		t.Errorf("docs/benchmarks.md explains %q", explained)
	}
	for _, name := range without(explained, there) {
		t.Errorf("docs/benchmarks.md explains %s, which `make bench` does not run", name)
	}
}

// without lists the names that are not among others.
func without(names, others []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return slices.Contains(others, name) })
}

func TestBenchmarksViolated(t *testing.T) {
	explained := benchmark.FindAllString("`BenchmarkReap`, BenchmarkEcho and Benchmarks", -1)
	if got := without(explained, []string{"TestReap", "BenchmarkReap"}); !slices.Equal(got, []string{"BenchmarkEcho"}) {
		t.Errorf("%q", got)
	}
	if m := recipe.FindStringSubmatch("\nbench: build ## figures\n\tgo test ./internal/x\n"); m == nil || folder.FindString(m[1]) != "./internal/x" {
		t.Errorf("%q", m)
	}
}
