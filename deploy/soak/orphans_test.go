//go:build soak

package soak

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/testns"
)

// deserted starts a daemon that talks to a child by pipes, and kills the daemon: nobody can
// talk to the child any more.
func (w *world) deserted(token, variable, name, mode string) {
	argv := append(testns.Self("stdio", "--", w.named[name]), mode, token)
	w.run(fmt.Sprintf("%s exec %s >/dev/null", variable, strings.Join(argv, " ")))
	w.one(token, name)
	w.Kill(w.one(token, "stdio"), unix.SIGKILL)
}

// leak leaves an orphan that is to be terminated.
func leak(w *world, r *rand.Rand) {
	token := w.token()
	w.did("leaks")
	w.deserted(token, "", "leak", []string{"mute", "ignore 15"}[r.IntN(2)])
	w.gone(token)
}

// most is how many orphans may stay at a time.
const most = 6

// reside leaves an orphan that is to stay, or ends the oldest of these.
func reside(w *world, r *rand.Rand) {
	if len(w.stay) == most || len(w.stay) > 0 && r.IntN(3) == 0 {
		token := w.stay[0]
		w.stay = w.stay[1:]
		w.Kill(w.one(token, "resident"), unix.SIGKILL)
		w.gone(token)
		return
	}
	token := w.token()
	if r.IntN(2) == 0 { // as a dev server
		w.run(fmt.Sprintf("setsid %s mute %s </dev/null >/dev/null 2>&1 &", w.named["resident"], token))
	} else { // nobody can talk to it, but it says that it is to stay
		w.did("kept")
		w.deserted(token, "SBINIT_KEEP=1", "resident", "mute")
	}
	w.WaitFor(w.t, "an orphan", func() bool {
		list := w.of(token, "")
		return len(list) == 1 && list[0].Is("resident") && list[0].PPID == 1
	})
	w.WaitFor(w.t, "it to be kept", func() bool { return w.status().Counts.Kept == uint64(w.times("kept")) })
	w.stay = append(w.stay, token)
}
