package pid1

import (
	"os/exec"
	"testing"
	"time"

	"github.com/sbinit/sbinit/internal/config"
	"github.com/sbinit/sbinit/internal/proc"
)

// TestEntriesOfZombie: it has lost its arguments, and with them a name that only these
// said; it stays what it was taken for.
func TestEntriesOfZombie(t *testing.T) {
	in, err := newInspector(config.Config{Guard: []string{"daemon"}})
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("sh", "-c", "read -r go; :", "daemon")
	cmd.Args[0] = "daemon"
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	stat := func() proc.Stat {
		s, err := in.fs.Stat(cmd.Process.Pid)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	id := stat().ID
	if entry, ok := in.entries([]proc.ID{id})[id]; !ok || entry != 0 {
		t.Errorf("alive it has entry %d, %v", entry, ok)
	}
	stdin.Close()
	for deadline := time.Now().Add(time.Minute); stat().State != 'Z'; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("it does not end")
		}
	}
	if got := in.entries([]proc.ID{id}); len(got) != 0 {
		t.Errorf("as a zombie it has %v", got)
	}
}
