package view

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/sbinit/sbinit/internal/control"
	"github.com/sbinit/sbinit/internal/proc"
)

// A fake is one process of a made-up world: as many seconds old as its number is below
// 1000, unless start says otherwise.
type fake struct {
	pid, ppid int
	args      string // none: it has none
	state     byte   // 0: sleeping
	mark      uint64
	start     uint64
}

func world(s *control.Status, all ...fake) *World {
	w := &World{Status: s, Ours: true}
	for _, f := range all {
		p := Process{UID: 7, RSS: int64(f.pid) << 20, PSS: -1, Mark: f.mark, Age: time.Duration(1000-f.pid) * time.Second}
		p.ID = proc.ID{PID: f.pid, Start: max(f.start, uint64(f.pid))}
		p.PPID, p.State, p.Threads = f.ppid, f.state, 1
		if f.state == 0 {
			p.State = 'S'
		}
		if f.args != "" {
			p.Args = strings.Split(f.args, " ")
			p.Role = roleByArgs(p.Args)
			p.Names.Arg0 = program(p.Args[0])
		}
		w.Processes = append(w.Processes, p)
	}
	w.findOwners()
	return w
}

// TestOwners has one of each, and orphans of each.
func TestOwners(t *testing.T) {
	const mark, inner, session, dead = 1<<62 | 1, 1<<62 | 2, 1<<62 | 3, 1<<62 | 4
	status := &control.Status{
		Main:     control.Program{PID: 7},
		Guards:   []control.Program{{PID: 20, Name: "agent*"}, {PID: 22, Name: "acp"}},
		Sessions: []control.Session{{PID: 30}},
	}
	w := world(status,
		fake{pid: 1, args: "/sbinit -- runner"},
		fake{pid: 7, ppid: 1, args: "runner"},
		fake{pid: 8, ppid: 7, args: "sh"},
		fake{pid: 20, ppid: 8, args: "agentd", mark: mark},
		fake{pid: 21, ppid: 20, args: "sh", mark: mark},
		fake{pid: 22, ppid: 21, args: "acp", mark: inner},
		fake{pid: 23, ppid: 22, args: "bash", mark: inner},
		fake{pid: 24, ppid: 1, args: "devserver", mark: inner},
		fake{pid: 25, ppid: 24, args: "esbuild", mark: inner},
		fake{pid: 26, ppid: 1, args: "other", mark: mark},
		fake{pid: 27, ppid: 1, args: "bereft", mark: dead},
		fake{pid: 30, ppid: 1, args: "sbinit-worker hosted", mark: session},
		fake{pid: 31, ppid: 30, args: "-bash", mark: session},
		fake{pid: 32, ppid: 1, args: "escaped", mark: session},
		fake{pid: 40, ppid: 7, args: "sbinit guard -v -- /opt/daemon -x"},
		fake{pid: 41, ppid: 40, args: "sbinit-keeper 5 guard -v -- /opt/daemon -x"},
		fake{pid: 42, ppid: 41, args: "/opt/daemon -x"},
		fake{pid: 43, ppid: 42, args: "child"},
		fake{pid: 44, ppid: 7, args: "sbinit terminal"},
		fake{pid: 45, ppid: 44, args: "sbinit-worker 5 terminal"},
		fake{pid: 46, ppid: 45, args: "sh"},
		fake{pid: 50, args: "sh -i"},
		fake{pid: 51, ppid: 50, args: "top"},
		fake{pid: 60, ppid: 59, args: "hidden's"},
		fake{pid: 70, ppid: 8, args: "newer", start: 70},
		fake{pid: 71, ppid: 72, args: "older"},
		fake{pid: 72, ppid: 7, args: "reused", start: 99},
		fake{pid: 80, ppid: 1, args: "nobody's"},
		fake{pid: 81, ppid: 80, args: "below"},
	)
	for pid, want := range map[int]string{
		1: "init", 7: "main", 8: "main", 20: "main", 21: "guard agent* 20", 22: "guard agent* 20", 23: "guard acp 22",
		24: "guard acp 22", 25: "guard acp 22", 26: "guard agent* 20", 27: "orphan",
		30: "sbinit", 31: "session 30", 32: "session 30",
		40: "main", 41: "sbinit", 42: "guard daemon 40", 43: "guard daemon 40",
		44: "main", 45: "sbinit", 46: "session 45",
		50: "exec", 51: "exec", 60: "unknown", 70: "main", 71: "unknown", 72: "main", 80: "orphan", 81: "orphan",
	} {
		if got := w.get(pid).Owner.text(); got != want {
			t.Errorf("process %d is owned by %q, want %q", pid, got, want)
		}
	}
	var orphans []string
	for _, p := range w.orphans() {
		orphans = append(orphans, p.Args[0])
	}
	if got := strings.Join(orphans, " "); got != "devserver other bereft escaped nobody's" {
		t.Errorf("orphans are %s", got)
	}
}

// TestOldestIsMain: without the init's word, of its children the oldest is.
func TestOldestIsMain(t *testing.T) {
	w := world(nil,
		fake{pid: 1, args: "tini"}, fake{pid: 3, ppid: 1, args: "late", start: 500}, fake{pid: 9, ppid: 1, args: "main"},
		fake{pid: 10, ppid: 1, args: "dead", state: 'Z'}, fake{pid: 11, ppid: 1, args: "sbinit-worker hosted"})
	if list := w.orphans(); len(list) != 1 || list[0].PID != 3 || w.main() != 9 {
		t.Errorf("orphans %v, main %d", list, w.main())
	}
	w = world(nil, fake{pid: 1, args: "node"}, fake{pid: 3, ppid: 1, state: 'Z'}, fake{pid: 9, ppid: 1, args: "main"})
	if zombie := w.get(3); w.main() != 9 || zombie.Owner.Kind == OwnerMain {
		t.Errorf("main %d, the zombie's owner %s", w.main(), zombie.Owner.text())
	}
	if w := world(nil, fake{pid: 1, args: "pause"}); w.main() != 0 || len(w.orphans()) != 0 {
		t.Error("a pause has a main program")
	}
	if w := world(&control.Status{}, fake{pid: 1, args: "sbinit -P"}, fake{pid: 9, ppid: 1, args: "x"}); len(w.orphans()) != 1 {
		t.Error("the first orphan of a pause is taken for its main program")
	}
}

// TestWorkersHideNobody: with the init's word, a name makes no worker.
func TestWorkersHideNobody(t *testing.T) {
	w := world(&control.Status{Main: control.Program{PID: 7}}, fake{pid: 1, args: "sbinit"}, fake{pid: 7, ppid: 1, args: "x"},
		fake{pid: 9, ppid: 1, args: "sbinit-worker hosted"})
	if len(w.orphans()) != 1 {
		t.Errorf("orphans %v", w.orphans())
	}
}

func TestPS(t *testing.T) {
	status := &control.Status{Main: control.Program{PID: 7}}
	w := world(status,
		fake{pid: 1, args: "/sbinit -- my runner"},
		fake{pid: 7, ppid: 1, args: "my runner"},
		fake{pid: 8, ppid: 7, args: "sh"},
		fake{pid: 9, ppid: 8, state: 'Z'},
		fake{pid: 10, ppid: 1, args: "sleep 600"},
		fake{pid: 11, ppid: 7, args: "evil \x1b[2J\xff\u202e"},
		fake{pid: 500, args: "sbinit ps"},
	)
	const want = "" +
		"PID  OWNER   STATE     AGE     RSS  COMMAND\n" +
		"  1  init    S      16m39s    1.0M  /sbinit -- my runner\n" +
		"  7  main    S      16m33s    7.0M    my runner\n" +
		"  8  main    S      16m32s    8.0M      sh\n" +
		"  9  main    Z      16m31s    9.0M        [] zombie: 8 (sh) has not waited for it\n" +
		" 11  main    S      16m29s   11.0M      evil \\x1b[2J\\xff\\u202e\n" +
		" 10  orphan  S      16m30s   10.0M    sleep 600\n" +
		"500  exec    S       8m20s  500.0M  sbinit ps\n"
	if got := w.ps(false, 0); got != want {
		t.Errorf("\n%s\nwant\n%s", got, want)
	}
	for line := range strings.Lines(w.ps(true, 60)) {
		if n := columns(strings.TrimSuffix(line, "\n")); n > 60 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
}

// TestPSOfAChain is no wider than the deepest indentation, and leaves nobody out.
func TestPSOfAChain(t *testing.T) {
	all := []fake{{pid: 1, args: "sbinit"}}
	for pid := 2; pid <= 2000; pid++ {
		all = append(all, fake{pid: pid, ppid: pid - 1, args: "x"})
	}
	text := world(nil, all...).ps(false, 0)
	if lines := strings.Count(text, "\n"); lines != 2001 || len(text) > 2001*120 {
		t.Errorf("%d lines, %d bytes", lines, len(text))
	}
}

// TestJSON: each kind of JSON is JSON, whatever the names are.
func TestJSON(t *testing.T) {
	hostile := "\x1b]0;x\x07 \xff\" \\ \n"
	status := &control.Status{
		Main: control.Program{PID: 7}, Guards: []control.Program{{PID: 9, Name: hostile}},
		Sessions: []control.Session{{PID: 8, CallerPID: 5, CallerUID: 1000, Age: time.Minute}},
	}
	w := world(status, fake{pid: 1, args: "sbinit"}, fake{pid: 7, ppid: 1, args: hostile}, fake{pid: 8, ppid: 1, args: hostile},
		fake{pid: 9, ppid: 8, args: hostile}, fake{pid: 10, ppid: 9, args: hostile, state: 'Z'}, fake{pid: 11, ppid: 1, args: hostile})
	for name, text := range map[string]string{
		"ps": w.json(), "orphans": orphanJSON(w.orphans()), "none": orphanJSON(nil), "sessions": w.sessionJSON(),
	} {
		if !json.Valid([]byte(text)) || strings.Count(text, "\n") != 1 {
			t.Errorf("%s: %q", name, text)
		}
	}
	var got struct {
		Processes []struct {
			PID   int
			Waits int `json:"waits_for"`
			Owner struct {
				Kind, Name string
				PID        int
			}
			Command []string
		}
	}
	if err := json.Unmarshal([]byte(w.json()), &got); err != nil {
		t.Fatal(err)
	}
	last := got.Processes[4]
	if last.Waits != 9 || last.Owner.Kind != "guard" || last.Owner.PID != 9 || !strings.HasPrefix(last.Command[0], "\x1b]0;x\x07") {
		t.Errorf("%+v", last)
	}
}

func TestSessions(t *testing.T) {
	status := &control.Status{
		Main:     control.Program{PID: 2},
		Sessions: []control.Session{{PID: 8, CallerPID: 5, CallerUID: 1000, Age: 90 * time.Second}, {PID: 99, Age: time.Second}},
	}
	w := world(status, fake{pid: 1, args: "sbinit"}, fake{pid: 2, ppid: 1, args: "main"}, fake{pid: 8, ppid: 1, args: "sbinit-worker hosted"},
		fake{pid: 9, ppid: 8, args: "-bash"}, fake{pid: 10, ppid: 9, args: "vi"}, fake{pid: 11, ppid: 9, state: 'Z'})
	const want = "" +
		"WORKER  CALLER   UID    AGE  PROCESSES    RSS  COMMAND\n" +
		"     8       5  1000  1m30s          2  19.0M  -bash\n" +
		"    99       0     0     1s          0     0K\n"
	if got := w.sessionTable(0); got != want {
		t.Errorf("\n%s\nwant\n%s", got, want)
	}
}

func TestOrphanTable(t *testing.T) {
	w := world(nil, fake{pid: 1, args: "sbinit"}, fake{pid: 2, ppid: 1, args: "main"}, fake{pid: 3, ppid: 1, args: "node acp"},
		fake{pid: 4, ppid: 1, args: "no\nde"})
	const want = "" +
		"PID  OWNER      AGE   RSS  COMMAND\n" +
		"  3  orphan  16m37s  3.0M  node acp\n" +
		"  4  orphan  16m36s  4.0M  no\\nde\n"
	if got := orphanTable(w.orphans(), 0); got != want {
		t.Errorf("\n%s\nwant\n%s", got, want)
	}
	if list := w.matching([]string{"n?de", "x"}); len(list) != 1 || list[0].PID != 3 {
		t.Errorf("%v", list)
	}
}
