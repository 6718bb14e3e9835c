package differential

import (
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/sbinit/sbinit/internal/testns"
)

// A peer is an init that sbinit stands in for. Debian's package and program have its
// first name.
type peer struct {
	names []string
}

var (
	tini      = &peer{names: []string{"tini", "docker-init"}}
	dumbInit  = &peer{names: []string{"dumb-init"}}
	catatonit = &peer{names: []string{"catatonit", "podman-init"}}
	peers     = []*peer{tini, dumbInit, catatonit}
)

func (p *peer) String() string { return p.names[0] }

// A subject is sbinit or a peer, under one of the peer's names.
type subject struct {
	*peer
	name string // what it is called by
	ours bool
	path string
}

// String is the name of the subject's test.
func (s subject) String() string {
	if s.ours {
		return "sbinit as " + s.name
	}
	return s.peer.String() + " as " + s.name
}

// subjects are the programs to compare for one peer, that itself first.
func (p *peer) subjects(t *testing.T) []subject {
	t.Helper()
	var all []subject
	for _, ours := range []bool{false, true} {
		for _, name := range p.names {
			all = append(all, subject{peer: p, name: name, ours: ours, path: program(t, p, name, ours)})
		}
	}
	return all
}

// programs are the files that subjects are started by, made once for all tests.
var programs struct {
	sync.Mutex
	paths map[string]string
}

func program(t *testing.T, p *peer, name string, ours bool) string {
	t.Helper()
	programs.Lock()
	defer programs.Unlock()
	key := subject{peer: p, name: name, ours: ours}.String()
	if path := programs.paths[key]; path != "" {
		return path
	}
	if programs.paths == nil {
		programs.paths = map[string]string{}
	}
	if ours {
		programs.paths[key] = testns.As(t, name, testns.Build(t))
	} else {
		programs.paths[key] = copied(t, name, p.installed(t))
	}
	return programs.paths[key]
}

// installed is the path of Debian's program, without which there is nothing to compare.
func (p *peer) installed(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath(p.names[0])
	if err != nil {
		testns.Refuse(t, "comparing with "+p.String(), err)
	}
	return path
}

// copied gives a program of the system another name; it may be on another file system.
func copied(t *testing.T, name, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	to := filepath.Join(testns.Dir(t), name)
	if err := os.WriteFile(to, content, 0o755); err != nil {
		t.Fatal(err)
	}
	return to
}
