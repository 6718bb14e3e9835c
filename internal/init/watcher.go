package pid1

import (
	"errors"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/log"
	"github.com/sbinit/sbinit/internal/proc"
)

const (
	quietAfter   = time.Minute           // nothing forked for so long: tick slower
	quietTick    = 5 * time.Second       // the slower tick
	glancePause  = 50 * time.Millisecond // from a reaped child to the glance that it causes, at least
	lookRetry    = time.Second           // after a look that failed
	lookShare    = 10                    // looks take at most one part in so many of the time
	parentsLimit = 4096                  // pidfds held at most; parents beyond are seen by the tick alone
)

// A watcher notices processes that were re-parented to us. Nothing in the
// kernel tells a parent so; hence three ways. A pidfd on each process seen to
// have children causes a glance the moment it ends. So does each reaped child.
// And a tick glances too, and looks for new parents if something was started; it
// reads two small files when nothing was.
type watcher struct {
	self     int
	fs       *proc.FS
	poll     *poller
	log      *log.Logger
	pidfds   bool
	eager    bool // no slower tick: a guard is to be known before it ends
	snap     proc.Snapshot
	parents  map[proc.ID]int // pidfd of each process seen to have children
	most     int             // of them
	byFD     map[int]proc.ID
	fullSaid bool

	interval  time.Duration
	nextTick  time.Time
	lastFork  time.Time // when a tick last saw that something had been started
	lastPID   int
	trustPID  bool          // our own fork moved the number
	wanted    bool          // a tick, or an event that a glance cannot serve, asked for a look
	notBefore time.Time     // the next look that an event may cause
	retry     time.Time     // of a look that has failed; zero: the last one has not
	glanceAt  time.Time     // the next glance; zero: there is no reason for one
	pause     time.Duration // from a reaped child to the glance that it causes
	children  []int         // buffer of glance
	noGlance  bool          // the kernel has no list of children
}

func newWatcher(self int, fs *proc.FS, poll *poller, logger *log.Logger, pidfds bool, interval time.Duration) *watcher {
	return &watcher{
		self: self, fs: fs, poll: poll, log: logger, pidfds: pidfds, interval: interval,
		parents: map[proc.ID]int{}, byFD: map[int]proc.ID{}, most: parentsAllowed(), pause: glancePause,
	}
}

// parentsAllowed leaves half of the descriptors, and those of sbinit itself, for
// everything else.
func parentsAllowed() int {
	var files unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NOFILE, &files) != nil || files.Cur/2 < descriptorsNeeded {
		return 0
	}
	return int(min(files.Cur/2-descriptorsNeeded, parentsLimit))
}

// beforeFork and afterFork find out whether /proc/loadavg counts our own PID
// namespace's processes.
func (w *watcher) beforeFork() { w.lastPID, _ = w.fs.LastPID() }

func (w *watcher) afterFork(child int, now time.Time) {
	last, err := w.fs.LastPID()
	w.trustPID = err == nil && last != w.lastPID && last >= child
	w.lastPID = last
	w.lastFork, w.nextTick = now, now.Add(w.interval)
	w.wanted, w.notBefore = true, now.Add(execTime)
}

// bereaved asks for a glance because a child was reaped, which may have had children.
// It is put off a little: a storm of exits is one reason, not thousands, and most of
// those that are dying are gone by then. A long list is not read all the time.
func (w *watcher) bereaved(now time.Time) {
	if w.glanceAt.IsZero() {
		w.glanceAt = now.Add(w.pause)
	}
}

// glance reads our own list of children, which costs little however many
// processes there are, and calls fn for each. Where there is no such list it
// asks for a look instead.
func (w *watcher) glance(fn func(pid int)) {
	begin := time.Now()
	w.glanceAt = time.Time{}
	defer func() { w.pause = max(glancePause, lookShare*time.Since(begin)) }()
	if !w.noGlance {
		var err error
		w.children, err = w.fs.AppendChildren(w.self, w.children[:0])
		w.noGlance = err != nil
	}
	if w.noGlance {
		w.wanted = true
		return
	}
	for _, pid := range w.children {
		fn(pid)
	}
}

func (w *watcher) due() time.Time {
	due := earliest(w.nextTick, w.glanceAt)
	if w.wanted {
		due = earliest(due, w.notBefore)
	}
	return due
}

// tick says whether the tick has come, and sets the next one; a look is wanted
// then if something was started since the last.
func (w *watcher) tick(now time.Time) bool {
	if !reached(w.nextTick, now) {
		return false
	}
	if w.started() {
		w.lastFork, w.wanted = now, true
	}
	pause := w.interval
	if !w.eager && now.Sub(w.lastFork) >= quietAfter {
		pause = max(pause, quietTick)
	}
	w.nextTick = now.Add(pause)
	return true
}

// started says whether a process or thread was started since it last said so;
// where the number cannot be trusted, the walk has to tell.
func (w *watcher) started() bool {
	last, err := w.fs.LastPID()
	if err != nil || !w.trustPID {
		return true
	}
	changed := last != w.lastPID
	w.lastPID = last
	return changed
}

// ready says whether a wanted look may be taken now.
func (w *watcher) ready(now time.Time) bool { return w.wanted && !now.Before(w.notBefore) }

// look walks /proc and puts a pidfd on each new parent among ours.
func (w *watcher) look(now time.Time) error {
	begin := time.Now()
	w.wanted = false
	w.retry = time.Time{}
	if err := w.snap.Take(w.fs); err != nil {
		w.wanted, w.retry = true, now.Add(lookRetry)
		w.notBefore = w.retry
		return err
	}
	w.watchParents(now)
	w.notBefore = now.Add(lookShare * time.Since(begin))
	return nil
}

// failed says whether a look has failed, and is not to be tried again yet.
func (w *watcher) failed(now time.Time) bool { return now.Before(w.retry) }

// watchParents compares the processes that have children now with those that
// are watched.
func (w *watcher) watchParents(now time.Time) {
	if !w.pidfds {
		return
	}
	for id, fd := range w.parents {
		if w.snap.Get(id) == nil {
			w.forget(id, fd)
			w.bereaved(now) // it ended during the walk, which may have met its children before
		}
	}
	w.snap.Parents(w.ours(), func(p *proc.Stat) { w.watch(p, now) })
}

// ours tells who can leave us an orphan: for PID 1 anybody, since what `docker
// exec` runs is below nobody, for a subreaper who is below it.
func (w *watcher) ours() func(*proc.Stat) bool {
	if w.self == 1 {
		return func(*proc.Stat) bool { return true }
	}
	below := map[int]bool{}
	w.snap.Descendants(w.self, func(p *proc.Stat) { below[p.PID] = true })
	return func(p *proc.Stat) bool { return below[p.PID] }
}

func (w *watcher) watch(p *proc.Stat, now time.Time) {
	if _, ok := w.parents[p.ID]; ok || p.PID == w.self || len(w.parents) >= w.most {
		return
	}
	fd, err := proc.OpenPidfd(p.PID)
	if err == nil {
		err = w.poll.add(fd, onParent, unix.EPOLLIN)
	}
	if err != nil {
		w.refuse(fd, err, now)
		return
	}
	w.parents[p.ID], w.byFD[fd] = fd, p.ID
}

// refuse says once that a parent could not be watched: the tick notices its
// orphans too, only later.
func (w *watcher) refuse(fd int, err error, now time.Time) {
	if fd >= 0 {
		unix.Close(fd)
	}
	if errors.Is(err, unix.ESRCH) {
		w.bereaved(now) // it has ended since the walk
		return
	}
	if w.fullSaid {
		return
	}
	w.fullSaid = true
	w.log.Warn("a parent process cannot be watched; its orphans are noticed by the tick", log.Cause(err))
}

// parentEnded is called when a watched pidfd has become readable; it says whose.
// Whoever that process had is ours now: a glance is due at once.
func (w *watcher) parentEnded(fd int, now time.Time) (proc.ID, bool) {
	w.glanceAt = now
	id, ok := w.byFD[fd]
	if ok {
		w.forget(id, fd)
	}
	return id, ok
}

// lookNow asks for a look whatever looks have cost.
func (w *watcher) lookNow() { w.wanted, w.notBefore = true, time.Time{} }

func (w *watcher) forget(id proc.ID, fd int) {
	w.poll.remove(fd)
	unix.Close(fd)
	delete(w.parents, id)
	delete(w.byFD, fd)
}

// close gives all pidfds back.
func (w *watcher) close() {
	for id, fd := range w.parents {
		w.forget(id, fd)
	}
}
