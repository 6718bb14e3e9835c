package wire

import (
	"encoding/json"
	"flag"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/config"
	"github.com/sbinit/sbinit/internal/terminal/wire/wiretest"
)

// go test ./internal/terminal/wire -run Document -update rewrites the table of codes.
var update = flag.Bool("update", false, "rewrite the generated part of docs/terminal-protocol.md")

const (
	document   = "../../../docs/terminal-protocol.md"
	schemaFile = "../../../docs/terminal-protocol.schema.json"
)

// codesMarkdown is the document's table of codes.
func codesMarkdown() string {
	var b strings.Builder
	b.WriteString("| code | reason of the end | |\n|---|---|---|\n")
	for _, c := range codes {
		reason := "`" + string(c.reason) + "`"
		if c.reason == "" {
			reason = "none"
		}
		b.WriteString("| `" + string(c.code) + "` | " + reason + " | " + c.means + " |\n")
	}
	return b.String()
}

func TestDocument(t *testing.T) {
	content, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	const begin, end = "<!-- codes -->\n", "<!-- /codes -->"
	before, rest, opened := strings.Cut(string(content), begin)
	is, after, closed := strings.Cut(rest, end)
	if !opened || !closed {
		t.Fatalf("%s has no markers %s and %s", document, begin, end)
	}
	if is == codesMarkdown() {
		return
	}
	if !*update {
		t.Fatalf("%s: the codes are not those of the program; run: go test ./internal/terminal/wire -run Document -update", document)
	}
	if err := os.WriteFile(document, []byte(before+begin+codesMarkdown()+end+after), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestDocumentNames finds each reason, and each field of the schema, in the document.
func TestDocumentNames(t *testing.T) {
	content, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, r := range reasons {
		names = append(names, string(r))
	}
	for _, definition := range definitions(t) {
		for name := range definition.Properties {
			names = append(names, name)
		}
	}
	for _, name := range names {
		if !strings.Contains(string(content), "`"+name+"`") {
			t.Errorf("%s does not say what %s is", document, name)
		}
	}
	if len(names) < 30 {
		t.Errorf("only %d names: %q", len(names), names)
	}
}

// TestDocumentVariables keeps the defaults in the document those of the settings.
func TestDocumentVariables(t *testing.T) {
	content, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for line := range strings.Lines(config.EnvMarkdown()) {
		if !strings.HasPrefix(line, "| `SBINIT_TERMINAL_") {
			continue
		}
		found++
		cells := strings.Split(line, "|") // empty, variable, option, default
		name, standard := strings.Trim(cells[1], " `"), cells[3]
		row := "\n| `" + name + "` |" + standard + "| "
		switch name {
		case "SBINIT_TERMINAL_SESSIONS", "SBINIT_TERMINAL_ENV", "SBINIT_TERMINAL_USER":
			row = "`" + name // no bound of one session
		}
		if !strings.Contains(string(content), row) {
			t.Errorf("%s has no %q", document, row)
		}
	}
	if found != 10 {
		t.Errorf("%d of 10 settings", found)
	}
}

// A definition is what is read here of one in the schema.
type definition struct {
	Properties map[string]struct{ Enum []string }
}

func definitions(t *testing.T) map[string]definition {
	t.Helper()
	content, err := os.ReadFile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Defs map[string]definition `json:"$defs"`
	}
	if err := json.Unmarshal(content, &file); err != nil {
		t.Fatal(err)
	}
	return file.Defs
}

// TestSchemaLists keeps the schema's lists those of the program.
func TestSchemaLists(t *testing.T) {
	defs := definitions(t)
	var list []string
	for _, c := range Codes() {
		list = append(list, string(c))
	}
	if diff := cmp.Diff(list, defs["error"].Properties["code"].Enum); diff != "" {
		t.Errorf("codes: %s", diff)
	}
	list = nil
	for _, r := range reasons {
		list = append(list, string(r))
	}
	if diff := cmp.Diff(list, defs["end"].Properties["reason"].Enum); diff != "" {
		t.Errorf("reasons: %s", diff)
	}
}

// TestSchemaSignals has every signal that the program knows, and no other.
func TestSchemaSignals(t *testing.T) {
	schema := wiretest.LoadSchema(t)
	for sig := range 70 {
		name := signalName(unix.Signal(sig))
		line := []byte(`{"type":"signal","signal":"` + name + `"}`)
		_, err := DecodeCaller(slices.Clone(line))
		want := sig >= 1 && sig <= 64
		if inSchema := schema.Caller(line) == nil; (err == nil) != want || inSchema != want {
			t.Errorf("%d, %s: %v; schema %v", sig, name, err, inSchema)
		}
	}
}

// TestExample decodes the session of the document, and checks it by the schema.
func TestExample(t *testing.T) {
	schema, example := wiretest.LoadSchema(t), wiretest.ReadExample(t)
	var input, accepted int64
	for _, step := range example.Steps {
		line := []byte(step.Line)
		if step.Caller {
			if err := schema.Caller(line); err != nil {
				t.Error(err)
			}
			m, err := DecodeCaller(line)
			if err != nil {
				t.Errorf("%s: %v", step.Line, err)
			}
			if m, ok := m.(Input); ok {
				input += int64(len(m.Data))
			}
			continue
		}
		if err := schema.Worker(line); err != nil {
			t.Error(err)
		}
		m, err := DecodeWorker(line)
		if err != nil {
			t.Errorf("%s: %v", step.Line, err)
		}
		if m, ok := m.(Accepted); ok {
			accepted = m.Offset
		}
	}
	if len(example.Steps) < 8 || input == 0 || input != accepted {
		t.Errorf("%d steps, %d bytes of input, %d accepted", len(example.Steps), input, accepted)
	}
	if diff, err := example.Diff(example.Worker()); diff != "" || err != nil {
		t.Errorf("%v %s", err, diff)
	}
}

// TestExampleHasEveryMessage: but for `close`, `signal` and `error`.
func TestExampleHasEveryMessage(t *testing.T) {
	kinds := regexp.MustCompile(`^{"type":"([a-z]+)"`)
	var got []string
	for _, step := range wiretest.ReadExample(t).Steps {
		got = append(got, kinds.FindStringSubmatch(step.Line)[1])
	}
	for _, kind := range []string{"open", "ready", "resize", "data", "accepted", "exited", "end"} {
		if !slices.Contains(got, kind) {
			t.Errorf("there is no %s in %q", kind, got)
		}
	}
}
