package reap

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// Exec makes this very process execute the program, by the rules of [Start]. It returns
// only if that failed, as a *[StartError]; signals then have their default actions.
func Exec(s Spec) error {
	runtime.LockOSThread() // the mask is the thread's
	defer runtime.UnlockOSThread()
	failed := s.exec()
	if failed.Errno == unix.ENOEXEC && looksLikeText(s.locate(failed.Path)) {
		_ = s.byShell(failed.Path).exec()
	}
	s.explain(failed)
	return failed
}

func (s Spec) exec() *StartError {
	p, err := s.plan()
	if err != nil {
		return s.failed("plan", err)
	}
	f := p.prepare()
	if f.errno == 0 {
		f = p.execute()
	}
	return &StartError{Path: s.Paths[f.candidate], Op: f.step.String(), Errno: unix.Errno(f.errno)}
}
