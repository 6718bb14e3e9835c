package config

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/sbinit/sbinit/internal/testns"
)

// manual is the man page. Its generated parts stand between lines .\" NAME and .\" /NAME;
// go test ./internal/config -run Manual -update rewrites them.
const manual = "../../docs/sbinit.8"

var manualParts = map[string]func() string{
	"options":  optionsManual,
	"views":    viewsManual,
	"settings": settingsManual,
	"peers":    peersManual,
	"names":    namesManual,
}

// roff is Markdown of one paragraph in the language of man(7): code is bold, and what
// would be a command or an escape is none.
func roff(markdown string) string {
	var b strings.Builder
	for i, part := range strings.Split(markdown, "`") {
		part = strings.NewReplacer(`\`, `\e`, "'", `\(aq`, "^", `\(ha`, "~", `\(ti`).Replace(part)
		if i%2 == 1 {
			b.WriteString(`\fB` + strings.ReplaceAll(part, "-", `\-`) + `\fR`)
		} else {
			b.WriteString(part)
		}
	}
	return b.String()
}

// tagged is one paragraph with a tag.
func tagged(b *strings.Builder, tag string, paragraphs ...string) {
	b.WriteString(".TP\n" + tag + "\n")
	for i, p := range paragraphs {
		if i > 0 {
			b.WriteString(".br\n")
		}
		wrap(b, sentence(roff(p)), "")
	}
}

// sentence begins with a capital, unless it begins with code, and has a full stop.
func sentence(s string) string {
	if first := s[:1]; first >= "a" && first <= "z" {
		s = strings.ToUpper(first) + s[1:]
	}
	if strings.HasSuffix(s, ".") {
		return s
	}
	return s + "."
}

func optionsManual() string {
	var b strings.Builder
	for i := range options {
		o := &options[i]
		if !o.of.has(Native) {
			continue
		}
		help := o.help
		if len(o.set) > 0 {
			help += " (" + code(o.set...) + ")"
		}
		tagged(&b, o.manual(), help)
	}
	return b.String()
}

// manual is String with the option in bold and its argument in italics.
func (o *option) manual() string {
	name, arg, _ := strings.Cut(o.String(), " "+o.arg)
	if o.arg == "" {
		name, arg = o.String(), ""
	} else {
		arg = ` \fI` + o.arg + `\fR` + arg
	}
	names := strings.Split(name, ", ")
	for i := range names {
		names[i] = `\fB` + strings.ReplaceAll(names[i], "-", `\-`) + `\fR`
	}
	return strings.Join(names, ", ") + arg
}

func viewsManual() string {
	var b strings.Builder
	for i := range views {
		v := &views[i]
		tag := `\fBsbinit ` + v.word + `\fR`
		for j := range options {
			if o := &options[j]; slices.Contains(o.views, v.command) && o.command != CommandHelp {
				tag += " [" + o.manual() + "]"
			}
		}
		tagged(&b, tag, v.about, "Exit status: "+v.exit)
	}
	return b.String()
}

func settingsManual() string {
	var b strings.Builder
	for i := range settings {
		s := &settings[i]
		standard, help := s.documented()
		about := "one of " + s.values
		if !strings.HasPrefix(s.values, "`") || !strings.Contains(s.values, ", ") {
			about = s.values
		}
		if names := optionsFor(s.name); len(names) > 0 {
			about += "; also " + code(names...)
		}
		tag := roff("`" + s.name + "`")
		if standard != "" {
			tag += roff(" (default `" + standard[1:] + "`)")
		}
		tagged(&b, tag, about, help)
	}
	return b.String()
}

func peersManual() string {
	var b strings.Builder
	for i := range peers {
		tagged(&b, roff("`"+peers[i].name+"`"), peers[i].meaning("; ", "`"))
	}
	return b.String()
}

func namesManual() string {
	var b strings.Builder
	for _, p := range []Personality{Tini, DumbInit, Catatonit} {
		tagged(&b, roff(code(personalities[p].names...)), code(personalities[p].defaults...),
			"exit status without a main program: "+p.exitStatuses())
	}
	return b.String()
}

func TestManual(t *testing.T) {
	content, err := os.ReadFile(manual)
	if err != nil {
		t.Fatal(err)
	}
	text := string(content)
	for name, generate := range manualParts {
		begin, end := "\n.\\\" "+name+"\n", ".\\\" /"+name+"\n"
		before, rest, opened := strings.Cut(text, begin)
		is, after, closed := strings.Cut(rest, end)
		if !opened || !closed {
			t.Fatalf("%s has no lines %q and %q", manual, begin, end)
		}
		if want := generate(); is != want && !*update {
			t.Errorf("%s: the %s are not those of the program; run: go test ./internal/config -run Manual -update", manual, name)
		} else {
			text = before + begin + want + end + after
		}
	}
	if *update && text != string(content) {
		if err := os.WriteFile(manual, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestManualAndHelp: what the help names, the manual names too.
func TestManualAndHelp(t *testing.T) {
	text := rendered(t)
	words := strings.FieldsFunc(Native.Usage()+EnvHelp(), func(r rune) bool { return strings.ContainsRune(" \n,()`", r) })
	for _, word := range words {
		if named := strings.HasPrefix(word, "-") || strings.HasPrefix(word, "SBINIT_") || isCommand(word, false); !named {
			continue
		}
		word, _, _ = strings.Cut(strings.TrimRight(word, ".;:*"), "=")
		if !strings.Contains(text, word) {
			t.Errorf("the help names %s, %s does not", word, manual)
		}
	}
}

// rendered is the manual as a reader has it, in one line: a formatter breaks lines.
func rendered(t *testing.T) string {
	t.Helper()
	out := formatted(t, "groff", "-man", "-ww", "-Tascii", "-P-c", "-P-b", "-P-u", "-rLL=200n", manual)
	return strings.Join(strings.Fields(out), " ")
}

// TestManualLint: neither of the two formatters has anything to say.
func TestManualLint(t *testing.T) {
	formatted(t, "groff", "-man", "-ww", "-rCHECKSTYLE=3", "-Tutf8", "-z", manual)
	formatted(t, "mandoc", "-man", "-Tlint", "-Wwarning", manual)
}

// formatted runs a formatter, which is to print no warning.
func formatted(t *testing.T, program string, args ...string) string {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		testns.Refuse(t, "formatting the man page", err)
	}
	var warnings strings.Builder
	cmd := exec.Command(program, args...)
	cmd.Stderr = &warnings
	out, err := cmd.Output()
	if err != nil || warnings.Len() > 0 || program == "mandoc" && len(out) > 0 {
		t.Errorf("%v: %v\n%s%s", cmd, err, warnings.String(), out)
	}
	return string(out)
}
