package signals

import (
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

func TestRewriteZeroValueChangesNothing(t *testing.T) {
	var r Rewrite
	for sig := unix.Signal(-1); sig <= Max+1; sig++ {
		if got, ok := r.Apply(sig); got != sig || !ok {
			t.Errorf("Apply(%d) = %d, %v", sig, got, ok)
		}
	}
	if r.String() != "" {
		t.Errorf("String() = %q", r.String())
	}
}

func TestParseRewrite(t *testing.T) {
	r, err := ParseRewrite("TERM=INT, sighup=0,RTMIN+1=KILL,10=12,USR2=STOP,QUIT=SIGQUIT")
	if err != nil {
		t.Fatal(err)
	}
	for from, want := range map[unix.Signal]unix.Signal{
		unix.SIGTERM: unix.SIGINT, 35: unix.SIGKILL, 10: 12, 12: unix.SIGSTOP,
		unix.SIGQUIT: unix.SIGQUIT, unix.SIGINT: unix.SIGINT, 64: 64,
	} {
		if got, ok := r.Apply(from); got != want || !ok {
			t.Errorf("Apply(%s) = %s, %v, want %s", Name(from), Name(got), ok, Name(want))
		}
	}
	if got, ok := r.Apply(unix.SIGHUP); ok {
		t.Errorf("Apply(SIGHUP) = %s, want it dropped", Name(got))
	}
	const canonical = "HUP=0,QUIT=QUIT,USR1=USR2,USR2=STOP,TERM=INT,RTMIN+1=KILL"
	if r.String() != canonical {
		t.Errorf("String() = %q, want %q", r.String(), canonical)
	}
	again, err := ParseRewrite(r.String())
	if err != nil || again != r {
		t.Errorf("%q does not read back: %v", r.String(), err)
	}
}

func TestParseRewriteRefuses(t *testing.T) {
	for in, says := range map[string][]string{
		"TERM":                   {`"TERM"`, "TERM=INT"},
		"TERM:INT":               {`"TERM:INT"`, "TERM=INT"},
		"TREM=INT":               {`"TREM"`, "signal name"},
		"TERM=TIN":               {`"TIN"`, "signal name"},
		"TERM=":                  {`""`, "signal name"},
		"0=TERM":                 {`"0"`, "1 to 64"},
		"TERM=65":                {`"65"`, "1 to 64"},
		"KILL=TERM":              {`"KILL"`, "cannot be caught"},
		"19=TERM":                {`"19"`, "cannot be caught"},
		"CHLD=TERM":              {`"CHLD"`, "never forwarded"},
		"TERM=INT,SIGTERM=HUP":   {`"SIGTERM=HUP"`, "twice"},
		"TERM=INT,":              {`""`, "TERM=INT"},
		"TERM=INT,KILL=1,15=x,A": {`"KILL"`, `"x"`, `"A"`},
		"KILL=x":                 {`"KILL"`, `"x"`},
	} {
		_, err := ParseRewrite(in)
		if err == nil {
			t.Errorf("ParseRewrite(%q): want an error", in)
			continue
		}
		for _, part := range says {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("ParseRewrite(%q): %q does not say %s", in, err, part)
			}
		}
	}
}

func TestRewriteOption(t *testing.T) {
	var r Rewrite
	for _, option := range []string{"15:2", "HUP:0", "TERM:QUIT"} {
		if err := r.AddOption(option); err != nil {
			t.Errorf("AddOption(%q): %v", option, err)
		}
	}
	if r.String() != "HUP=0,TERM=QUIT" {
		t.Errorf("after the options: %q", r.String())
	}
	for _, option := range []string{"", "15", "15=2", "99:2", "15:99", "9:2", "17:2", "0:2", "-1:2", "15:2:3"} {
		before := r
		if err := r.AddOption(option); err == nil || r != before {
			t.Errorf("AddOption(%q): error %v, rules %q", option, err, r)
		}
	}
}

func TestRewriteDefault(t *testing.T) {
	r, err := ParseRewrite("TSTP=TSTP,TTIN=0")
	if err != nil {
		t.Fatal(err)
	}
	for _, sig := range []unix.Signal{unix.SIGTSTP, unix.SIGTTIN, unix.SIGTTOU} {
		r.Default(sig, unix.SIGSTOP)
	}
	if r.String() != "TSTP=TSTP,TTIN=0,TTOU=STOP" {
		t.Errorf("with defaults: %q", r.String())
	}
}

func FuzzParseRewrite(f *testing.F) {
	for _, seed := range []string{"", "TERM=INT,HUP=0", "RTMIN+3=RTMAX-1", "32=33", "KILL=1", "=,=", "TERM=TERM"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, in string) {
		r, err := ParseRewrite(in)
		if err != nil {
			return
		}
		for _, fixed := range []unix.Signal{unix.SIGKILL, unix.SIGSTOP, unix.SIGCHLD} {
			if r.Has(fixed) {
				t.Errorf("%q rewrites %s", in, Name(fixed))
			}
		}
		again, err := ParseRewrite(r.String())
		if err != nil || again != r {
			t.Errorf("%q gives %q, which does not read back: %v", in, r, err)
		}
	})
}
