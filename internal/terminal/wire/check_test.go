package wire

import (
	"strings"
	"testing"
	"time"
)

// TestCheck finds what a client cannot say, before it is sent.
func TestCheck(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*Open)
		code   Code
	}{
		"nothing":               {func(o *Open) {}, ""},
		"all":                   {func(o *Open) { *o = full() }, ""},
		"no columns":            {func(o *Open) { o.Cols = 0 }, CodeBadValue},
		"too many rows":         {func(o *Open) { o.Rows = MaxSide + 1 }, CodeBadValue},
		"relative directory":    {func(o *Open) { o.Cwd = "tmp" }, CodeBadValue},
		"directory with a NUL":  {func(o *Open) { o.Cwd = "/\x00" }, CodeBadValue},
		"no program":            {func(o *Open) { o.Argv = []string{""} }, CodeBadValue},
		"argument in Latin 1":   {func(o *Open) { o.Argv = []string{"sh", "\xe9"} }, CodeBadUTF8},
		"argument with a NUL":   {func(o *Open) { o.Argv = []string{"sh", "\x00"} }, CodeBadValue},
		"variable without =":    {func(o *Open) { o.Env = []string{"A"} }, CodeBadValue},
		"variable without name": {func(o *Open) { o.Env = []string{"=A"} }, CodeBadValue},
		"variable in Latin 1":   {func(o *Open) { o.Env = []string{"A=\xe9"} }, CodeBadUTF8},
		"variable twice":        {func(o *Open) { o.Env = []string{"A=1", "B=1", "A=2"} }, CodeDuplicateKey},
		"negative lifetime":     {func(o *Open) { o.Lifetime = -1 }, CodeBadValue},
		"negative idle":         {func(o *Open) { o.Idle = -1 }, CodeBadValue},
		"long name":             {func(o *Open) { o.ID = strings.Repeat("é", MaxID+1) }, CodeBadValue},
		"long environment":      {func(o *Open) { o.Env = []string{"A=" + strings.Repeat("x", MaxLine)} }, CodeLineTooLong},
	} {
		o := Open{Cols: 80, Rows: 24}
		c.change(&o)
		err := o.Check()
		if c.code == "" && err != nil || c.code != "" && !isCode(err, c.code) {
			t.Errorf("%s: %v, want %q", name, err, c.code)
		}
	}
}

func full() Open {
	return Open{
		Cols: 1, Rows: MaxSide, Cwd: "/", Argv: []string{"sh", ""}, Env: []string{"A=", "B=="},
		Lifetime: time.Hour, Idle: 1, ID: strings.Repeat("é", MaxID),
	}
}

// TestCheckLength has the longest message at the bound and one over it.
func TestCheckLength(t *testing.T) {
	o := Open{Cols: 80, Rows: 24, Argv: []string{"sh"}}
	room := MaxLine - len(o.Append(nil))
	for extra, want := range map[int]bool{0: true, 1: false} {
		o.Argv[0] = "sh" + strings.Repeat("x", room+extra)
		if err := o.Check(); (err == nil) != want {
			t.Errorf("%d bytes over: %v", extra, err)
		}
	}
}
