package policy

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A message is one that the program writes to its log: a level, and the text, with an
// ellipsis for what is known only when it runs.
type message struct{ level, text string }

func (m message) String() string { return m.level + ": " + m.text }

// levels are the logger's methods.
var levels = map[string]string{"Error": "error", "Warn": "warn", "Info": "info", "Debug": "debug"}

// written begins a line that is written without a logger.
var written = regexp.MustCompile(`^sbinit: (error|warn|info|debug|note): (.+?)\n?$`)

// messages are those that the code logs.
func (s *source) messages() []message {
	var found []message
	for _, f := range s.functions {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				if level, text := logged(n); text != nil {
					for _, text := range s.texts(text, f) {
						found = append(found, message{level, text})
					}
				}
			case *ast.BinaryExpr:
				if !strings.HasPrefix(s.texts(leftmost(n), f)[0], "sbinit: ") {
					return true
				}
				for _, text := range s.texts(n, f) {
					if m := written.FindStringSubmatch(text); m != nil {
						found = append(found, message{m[1], m[2]})
					}
				}
				return false
			}
			return true
		})
	}
	return found
}

// leftmost is where a concatenation begins.
func leftmost(e ast.Expr) ast.Expr {
	for {
		b, ok := e.(*ast.BinaryExpr)
		if !ok {
			return e
		}
		e = b.X
	}
}

// logged says what a call logs, if it is one of a logger's, x.log.Warn(...) or
// logger.Warn(...), or fail(..., reason), which is for errors before there is a logger.
func logged(call *ast.CallExpr) (level string, text ast.Expr) {
	if len(call.Args) == 0 {
		return "", nil
	}
	if f, ok := call.Fun.(*ast.Ident); ok && f.Name == "fail" {
		return "error", call.Args[len(call.Args)-1]
	}
	method, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || levels[method.Sel.Name] == "" {
		return "", nil
	}
	switch x := method.X.(type) {
	case *ast.Ident:
		ok = x.Name == "logger" || x.Name == "log"
	case *ast.SelectorExpr:
		ok = x.Sel.Name == "logger" || x.Sel.Name == "log"
	default:
		ok = false
	}
	if !ok {
		return "", nil
	}
	return levels[method.Sel.Name], call.Args[0]
}

// row is one of the guide's: | level | `text` | meaning | what to do |.
var row = regexp.MustCompile("(?m)^\\| (error|warn|info|debug|note) \\| `([^`]+)` \\|(.+)\\|(.+)\\|$")

// TestMessages: the operating guide explains each line that the program can log, and
// none that it cannot.
func TestMessages(t *testing.T) {
	logs := map[message]bool{}
	for _, p := range product(packages(t)) {
		for _, m := range sourceOf(t, p).messages() {
			logs[m] = true
		}
	}
	guide, err := os.ReadFile(filepath.Join(root(), "docs", "operating.md"))
	if err != nil {
		t.Fatal(err)
	}
	explained := map[message]bool{}
	for _, m := range row.FindAllStringSubmatch(string(guide), -1) {
		one := message{m[1], m[2]}
		if explained[one] {
			t.Errorf("docs/operating.md explains twice: %v", one)
		}
		explained[one] = true
		if strings.TrimSpace(m[3]) == "" || strings.TrimSpace(m[4]) == "" {
			t.Errorf("docs/operating.md does not say what it means and what to do: %v", one)
		}
	}
	differences(t, logs, explained)
}

func differences(t *testing.T, logs, explained map[message]bool) {
	t.Helper()
	if len(logs) < 40 {
		t.Errorf("only %d messages found", len(logs))
	}
	byText := func(a, b message) int { return strings.Compare(a.text, b.text) }
	for _, m := range slices.SortedFunc(maps.Keys(logs), byText) {
		if !explained[m] {
			t.Errorf("docs/operating.md does not explain: %v", m)
		}
	}
	for _, m := range slices.SortedFunc(maps.Keys(explained), byText) {
		if !logs[m] {
			t.Errorf("docs/operating.md explains what is never logged: %v", m)
		}
	}
}

func TestMessagesFound(t *testing.T) {
	const code = `package x
const mark = "sbinit: error: "
func a(logger *L) { logger.Warn("plain"); x.log.Debug("from "+who()+" here") }
func b(c *C, what string) { c.log.Error(what + ": broken") }
func d() { b(c, "one"); c.b(c, "two") }
func e(c *C) { text := "first"; if x { text = "second" }; c.log.Info(text) }
func f(err error) string { return err.Error() + other.Warn("not a logger's") }
func g() { write("sbinit: warn: " + n + " lost\n"); write(mark + reason) }
func h() { fail(config, "no terminal") }`
	file, err := parser.ParseFile(token.NewFileSet(), "x.go", code, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	want := []message{
		{"warn", "plain"}, {"debug", "from … here"}, {"error", "one: broken"}, {"error", "two: broken"},
		{"info", "first"}, {"info", "second"}, {"warn", "… lost"}, {"error", "…"}, {"error", "no terminal"},
	}
	got := newSource([]*ast.File{file}).messages()
	for _, m := range got {
		if !slices.Contains(want, m) {
			t.Errorf("found %v", m)
		}
	}
	for _, m := range want {
		if !slices.Contains(got, m) {
			t.Errorf("missed %v", m)
		}
	}
}
