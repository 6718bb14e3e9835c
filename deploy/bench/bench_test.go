package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/sbinit/sbinit/deploy/box"
	"github.com/sbinit/sbinit/internal/testns"
)

func TestMain(m *testing.M) {
	box.Enter()
	testns.Main(m)
}

func buildFloor(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "floor")
	if out, err := exec.Command("go", "build", "-o", program, "./floor").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}

// TestQuick: a try measures every figure, of everyone who is there, and leaves nothing
// behind.
func TestQuick(t *testing.T) {
	testns.RequireNS(t)
	sbinit := testns.Build(t)
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	doc := filepath.Join(t.TempDir(), "benchmarks.md")
	var out bytes.Buffer
	if err := report(&out, sbinit, buildFloor(t), try, "", doc); err != nil {
		t.Fatal(err)
	}
	rows := parse(t, out.String())
	if len(rows) < 30 {
		t.Errorf("only %d figures", len(rows))
	}
	for _, row := range rows {
		checkRow(t, row)
	}
	checkExplained(t, rows)
	if written, err := os.ReadFile(doc); err != nil || !strings.Contains(string(written), out.String()) {
		t.Errorf("%v, the document is:\n%s", err, written)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left in the temporary directory: %v, %v", left, err)
	}
	checkNoChildren(t)
	if t.Failed() {
		t.Log(out.String())
	}
}

func TestOnlyUnknown(t *testing.T) {
	b := &bench{}
	if err := b.known("nosuch"); err == nil || !strings.Contains(err.Error(), "binary size, start, reaping") {
		t.Errorf("%v", err)
	}
	for _, only := range []string{"", "memory", "idle"} {
		if err := b.known(only); err != nil {
			t.Error(err)
		}
	}
}

// parse returns the cells of each row of figures by the name of its column.
func parse(t *testing.T, text string) (rows []map[string]string) {
	t.Helper()
	_, text, ok := strings.Cut(text, "| figure |")
	if !ok {
		t.Fatalf("there is no table:\n%s", text)
	}
	lines := strings.Split(strings.TrimSpace("| figure |"+text), "\n")
	head := cells(lines[0])
	for _, line := range lines[2:] {
		row := map[string]string{}
		if len(cells(line)) != len(head) {
			t.Fatalf("%q has not the columns %q", line, head)
		}
		for i, cell := range cells(line) {
			row[head[i]] = cell
		}
		rows = append(rows, row)
	}
	return rows
}

func cells(line string) (list []string) {
	for cell := range strings.SplitSeq(strings.Trim(line, "|"), "|") {
		list = append(list, strings.TrimSpace(cell))
	}
	return list
}

func checkRow(t *testing.T, row map[string]string) {
	t.Helper()
	if row["sbinit"] == "" {
		t.Errorf("sbinit has no figure: %v", row)
	}
	if (row["aim"] == "") != (row[""] == "") {
		t.Errorf("a verdict without an aim, or an aim without: %v", row)
	}
	peers := []string{"tini", "dumb-init", "catatonit"}
	there := func(name string) bool { _, err := exec.LookPath(name); return err == nil }
	if strings.Contains(row["ratio"], "tini") != (there("tini") && strings.HasSuffix(row["aim"], "times") && row["bare"] == "") {
		t.Errorf("the ratio to tini: %v", row)
	}
	if !slices.ContainsFunc(peers, func(name string) bool { return row[name] != "" }) {
		return
	}
	if row["floor"] == "" {
		t.Errorf("the floor has no figure: %v", row)
	}
	for _, name := range peers {
		if (row[name] != "") != there(name) {
			t.Errorf("%s, which is there: %v: %v", name, there(name), row)
		}
	}
}

var (
	// explained are the names in the first column of a table.
	explained = regexp.MustCompile(`(?m)^\| ([^|]+) \|`)
	count     = regexp.MustCompile(`\d+`)
)

// checkExplained: docs/benchmarks.md explains each figure, and no other, by the beginning
// of its name, whatever the counts in it.
func checkExplained(t *testing.T, rows []map[string]string) {
	t.Helper()
	document, err := os.ReadFile("../../docs/benchmarks.md")
	if err != nil {
		t.Fatal(err)
	}
	document, _, _ = bytes.Cut(document, []byte(beginMark)) // results have such a table too
	used := map[string]bool{}
	for _, m := range explained.FindAllStringSubmatch(string(document), -1)[1:] {
		used[count.ReplaceAllString(m[1], "N")] = false
	}
	for _, row := range rows {
		figure, found := count.ReplaceAllString(row["figure"], "N"), false
		for name := range used {
			if strings.HasPrefix(figure, name) {
				used[name], found = true, true
			}
		}
		if !found {
			t.Errorf("docs/benchmarks.md does not explain %q", row["figure"])
		}
	}
	for name, measured := range used {
		if !measured {
			t.Errorf("docs/benchmarks.md explains %q, which is not measured", name)
		}
	}
}

func checkNoChildren(t *testing.T) {
	t.Helper()
	files, err := filepath.Glob("/proc/self/task/*/children")
	if err != nil || len(files) == 0 {
		t.Fatalf("children: %v, %v", files, err)
	}
	for _, file := range files {
		if list, err := os.ReadFile(file); err == nil && len(list) > 0 {
			t.Errorf("children are left: %s", list)
		}
	}
}

// TestPartFails: what goes wrong is said, with the name of the part.
func TestPartFails(t *testing.T) {
	testns.RequireNS(t)
	for path, want := range map[string]string{
		"/does/not/exist": "no such file",
		"/bin/false":      "/bin/false",
	} {
		var out bytes.Buffer
		if err := report(&out, path, "", try, "", ""); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v\n%s", path, err, &out)
		}
	}
	checkNoChildren(t)
}
