package log

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sbinit/sbinit/internal/config"
)

// TestShown: a process's name cannot tell the terminal of whoever reads the log
// anything.
func TestShown(t *testing.T) {
	const name = "é a\x1b[2J\u009b1m\x7f\u202e\u2028\xff\"\\"
	for format, want := range map[config.Format]string{config.FormatConsole: "x\\u009by", config.FormatJSON: "x\\\\u009by"} {
		file, err := os.Create(filepath.Join(t.TempDir(), "log"))
		if err != nil {
			t.Fatal(err)
		}
		l := New(config.Config{LogFormat: format}, int(file.Fd()))
		l.Error("orphan terminated", Text("name", name))
		l.Close()
		written, err := os.ReadFile(file.Name())
		if err != nil {
			t.Fatal(err)
		}
		text := string(written) + string(Faults(format, "x\u009by"))
		if strings.ContainsAny(text, "\x1b\u009b\x7f\u202e\u2028") || !strings.Contains(text, "é a") || !strings.Contains(text, want) {
			t.Errorf("%v: %q", format, text)
		}
		file.Close()
	}
}
