// Package wiretest checks terminal sessions in tests: each line by the JSON Schema
// in docs, a whole session by the example in docs.
package wiretest

import (
	"bytes"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// A Schema is docs/terminal-protocol.schema.json.
type Schema struct{ caller, worker *jsonschema.Schema }

// LoadSchema reads and compiles it, and checks it by the schema of schemas.
func LoadSchema(t testing.TB) Schema {
	t.Helper()
	s, err := load()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

var load = sync.OnceValues(func() (s Schema, err error) {
	compiler, path := jsonschema.NewCompiler(), document("terminal-protocol.schema.json")
	if s.caller, err = compiler.Compile(path + "#/$defs/caller"); err != nil {
		return Schema{}, err
	}
	s.worker, err = compiler.Compile(path + "#/$defs/worker")
	return s, err
})

// Caller says what is wrong with a message to the worker.
func (s Schema) Caller(line []byte) error { return validate(s.caller, line) }

// Worker says what is wrong with a message of the worker.
func (s Schema) Worker(line []byte) error { return validate(s.worker, line) }

func validate(schema *jsonschema.Schema, line []byte) error {
	message, err := jsonschema.UnmarshalJSON(bytes.NewReader(line))
	if err != nil {
		return err
	}
	return schema.Validate(message)
}

// document is the path of a file in docs.
func document(name string) string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Join(filepath.Dir(file), "..", "..", "..", "..", "docs", name)
}
