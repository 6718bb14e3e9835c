package policy

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/sbinit/sbinit/internal/config"
)

var (
	variable   = regexp.MustCompile(`\bSBINIT_[A-Z_]*[A-Z](_\*)?`)
	assignment = regexp.MustCompile("\\b(SBINIT_[A-Z_]+)(?:=|: )([^\\s`\"'|)<]+)")
)

// other names begin like settings: what a process carries to be kept, and what tests
// and their makers read.
var otherNames = []string{"SBINIT_KEEP", "SBINIT_BINARY", "SBINIT_REQUIRE_NS"}

// placeholders are values that stand for others.
var placeholders = []string{"uid:gid", "…", "..."}

// settingNames are those of the one table.
func settingNames() (names []string) {
	for _, line := range config.Effective(config.Default(config.Native)) {
		name, _, _ := strings.Cut(line, "=")
		names = append(names, name)
	}
	return names
}

// misset says what is wrong with the settings that a text names.
func misset(text string, known []string) (faults []string) {
	for _, m := range variable.FindAllStringSubmatch(text, -1) {
		prefix, family := strings.CutSuffix(m[0], "*")
		isOne := slices.ContainsFunc(known, func(k string) bool { return k == m[0] || family && strings.HasPrefix(k, prefix) })
		if !isOne && !slices.Contains(otherNames, m[0]) {
			faults = append(faults, m[0]+" is no setting")
		}
	}
	for _, m := range assignment.FindAllStringSubmatch(text, -1) {
		name, value := m[1], strings.Trim(m[2], ".,;:\\")
		if !slices.Contains(known, name) || slices.Contains(placeholders, value) || strings.Contains(value, "$") {
			continue
		}
		_, warnings, err := config.Parse(config.Input{
			Args: []string{"sbinit", "guard", "program"}, Environ: []string{name + "=" + value},
		})
		if err != nil || len(warnings) > 0 {
			faults = append(faults, m[0]+": "+firstLine(err, warnings))
		}
	}
	return faults
}

func firstLine(err error, warnings []config.Warning) string {
	if err != nil {
		line, _, _ := strings.Cut(err.Error(), "\n")
		return line
	}
	return warnings[0].String()
}

// TestSettings: what the documents call a setting is one, and takes the value that they
// give it.
func TestSettings(t *testing.T) {
	known := settingNames()
	found := 0
	for _, d := range documents(t) {
		text := d.prose
		for _, b := range d.blocks {
			text += b.text
		}
		found += len(variable.FindAllString(text, -1))
		for _, fault := range misset(text, known) {
			t.Errorf("%s: %s", d.name, fault)
		}
	}
	if found < 100 {
		t.Errorf("only %d names found", found)
	}
}

func TestSettingsViolated(t *testing.T) {
	known := settingNames()
	for text, faults := range map[string]int{
		"`SBINIT_ORPHANS=keep`, SBINIT_TERMINAL_* and SBINIT_KEEP=1.": 0,
		"SBINIT_ORPHAN is none":                                           1,
		"set `SBINIT_EXIT_GRACE=soon`":                                    1,
		"environment: { SBINIT_EXIT_GRACE: off }":                         1,
		"SBINIT_STOP_GRACE: 8s\nENV SBINIT_SIGNAL_REWRITE=TERM=INT,HUP=0": 0,
		"`SBINIT_TERMINAL_USER=uid:gid`":                                  0,
	} {
		if got := misset(text, known); len(got) != faults {
			t.Errorf("%s: %q", text, got)
		}
	}
}
