package differential

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// A deviation is what sbinit does otherwise than a peer on purpose, in words for README.
type deviation struct {
	theirs, ours, because string
}

var (
	everySignal = &deviation{
		"does not pass on 32 and 33; tini and catatonit neither the signals of faults (ILL, TRAP, ABRT, BUS, FPE, SEGV, SYS), " +
			"TTIN and TTOU, catatonit not TSTP. When not PID 1, a fault's signal that is sent to tini or catatonit ends it",
		"passes on each signal that a program can catch, and lives",
		"whoever sends a signal means the program",
	}
	argumentsAfter = &deviation{
		"takes options also from behind PROGRAM, unless `--` stands before it",
		"leaves what follows PROGRAM to it",
		"`sh -c` and the like work without `--`; lines that work there work here, if they have their own options in front",
	}
	moreOptions = &deviation{
		"refuses `--help` (tini, catatonit), `-p TERM` (tini wants `SIGTERM`), `-r TERM:INT` and `-r 40:1` (dumb-init wants numbers up to 31)",
		"takes them",
		"nothing that was valid means something else by it",
	}
	versionLine = &deviation{
		"gives its name and version",
		"gives the peer's, in the form that docker reads, and its own behind it",
		"one can tell which is installed",
	}
	ownLog = &deviation{
		"has lines such as `[WARN  tini (1)]`, those of `-v` on standard output",
		"logs in its own form, to standard error alone",
		"`SBINIT_LOG_FORMAT` holds by each name; standard output may be a protocol's",
	}
	ownDirectory = &deviation{
		"stays in the directory it was started in",
		"goes to `/`; the program starts where sbinit was started",
		"a file system that the program has left can be unmounted",
	}
	exactState = &deviation{
		"dumb-init unblocks all signals and makes none ignored; catatonit's program starts with TSTP, TTIN and TTOU blocked",
		"passes on the signal mask and the ignored signals that it was started with",
		"`nohup` and supervisors set them; a program on a terminal can be stopped",
	}
	ownGroup = &deviation{
		"with `-c` has its program in its own process group",
		"gives the program a group of its own",
		"a key such as ctrl-C then reaches the program once, not by the terminal and by sbinit",
	}
	background = &deviation{
		"takes the terminal also when it was started in the background",
		"takes it when it was started in the foreground",
		"a shell's background job has no right to the terminal",
	}
	keyStop = &deviation{
		"leaves a program that ctrl-Z has stopped as it is",
		"stops with it, for the shell that waits to notice; as PID 1 continues it",
		"nobody else could go on",
	}
	listenPID = &deviation{
		"passes a `LISTEN_PID` on that names itself",
		"puts the program's number there",
		"it is the program that is to take the descriptors (systemd's socket activation)",
	}
)

// deviations are in README's order.
var deviations = []*deviation{
	everySignal, argumentsAfter, moreOptions, versionLine, ownLog, ownDirectory, exactState, ownGroup, background, keyStop, listenPID,
}

// peersOf lists who does otherwise, by the rows of the table.
func (d *deviation) peersOf() (names []string) {
	for _, p := range peers {
		if slices.ContainsFunc(scenarios, func(s scenario) bool {
			return s.isOf(p) && slices.ContainsFunc(s.differs, func(one difference) bool {
				return one.why == d && (one.of == nil || one.of == p)
			})
		}) {
			names = append(names, p.names...)
		}
	}
	return names
}

// markdown is README's list.
func markdown() string {
	var b strings.Builder
	b.WriteString("| called | the other | sbinit | because |\n|---|---|---|---|\n")
	for _, d := range deviations {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", strings.Join(d.peersOf(), "`, `"), d.theirs, d.ours, d.because)
	}
	return b.String()
}

// go test ./internal/differential -run README -update rewrites README's list.
var update = flag.Bool("update", false, "rewrite the list of differences in README.md")

const readme = "../../README.md"

func TestREADME(t *testing.T) {
	content, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	const begin, end = "<!-- differences -->\n", "<!-- /differences -->"
	before, rest, opened := strings.Cut(string(content), begin)
	is, after, closed := strings.Cut(rest, end)
	if !opened || !closed {
		t.Fatalf("%s has no pair of %sand %s", readme, begin, end)
	}
	want := markdown()
	if is == want {
		return
	}
	if !*update {
		t.Fatalf("%s: the differences are not those of the table; run: go test ./internal/differential -run README -update", readme)
	}
	if err := os.WriteFile(readme, []byte(before+begin+want+end+after), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestTable holds the table to its own rules: names that tell rows apart, differences
// that are some, and have a reason that README gives.
func TestTable(t *testing.T) {
	const fewest = 60
	if len(scenarios) < fewest {
		t.Errorf("%d scenarios, want %d at least", len(scenarios), fewest)
	}
	for _, p := range peers {
		seen := map[string]bool{}
		for _, s := range scenarios {
			if s.isOf(p) && seen[s.name] {
				t.Errorf("%s has two rows %q", p, s.name)
			}
			seen[s.name] = s.isOf(p) || seen[s.name]
		}
	}
	for _, s := range scenarios {
		for _, d := range s.differs {
			if d.theirs == d.ours || !slices.Contains(deviations, d.why) || d.of != nil && !s.isOf(d.of) {
				t.Errorf("%s: wrong difference in %s", s.name, d.fact)
			}
		}
	}
	for _, d := range deviations {
		if len(d.peersOf()) == 0 {
			t.Errorf("no row shows this: %s", d.ours)
		}
	}
}
