package wiretest

import (
	"os"
	"strings"
	"testing"
)

// An Example is the session in docs/terminal-protocol.md.
type Example struct {
	Steps []Step
	// Varies are the fields that each run has others of, as in "end.duration_ms".
	Varies []string
}

// A Step is one line, without its newline.
type Step struct {
	Caller bool // sent by the caller, not by the worker
	Line   string
}

// ReadExample reads it.
func ReadExample(t testing.TB) Example {
	t.Helper()
	content, err := os.ReadFile(document("terminal-protocol.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(content), "\n```session\n")
	block, _, ok := strings.Cut(rest, "\n```\n")
	if !ok {
		t.Fatal("docs/terminal-protocol.md has no block ```session")
	}
	var e Example
	for line := range strings.SplitSeq(block, "\n") {
		switch mark, text, _ := strings.Cut(line, " "); mark {
		case "varies":
			e.Varies = strings.Fields(text)
		case ">", "<":
			e.Steps = append(e.Steps, Step{mark == ">", text})
		default:
			t.Fatalf("line in the example: %q", line)
		}
	}
	return e
}

// Worker are the worker's lines.
func (e Example) Worker() (lines []string) {
	for _, step := range e.Steps {
		if !step.Caller {
			lines = append(lines, step.Line)
		}
	}
	return lines
}
