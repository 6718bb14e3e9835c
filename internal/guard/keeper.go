package guard

import (
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/config"
	"github.com/sbinit/sbinit/internal/contain"
	"github.com/sbinit/sbinit/internal/inherit"
	"github.com/sbinit/sbinit/internal/log"
	"github.com/sbinit/sbinit/internal/reap"
	"github.com/sbinit/sbinit/internal/signals"
)

// A keeper is the program's parent.
type keeper struct {
	*subreaper
	channel *channel
	waiter  *waiter
	job     job
	program int
	shared  bool            // the program is in front's process group
	reaped  bool            // the program has ended
	status  unix.WaitStatus // and how
	ladder  *contain.Ladder // once it is time
	told    bool            // a signal has told us to stop
}

// Keep runs the program, and ends what it leaves. The descriptor is the channel's, as
// InnerArgs read it.
func Keep(s Setup, descriptor int) int {
	logger := log.New(s.Config, 2)
	defer logger.Close()
	wakeWithoutFront()
	c := &channel{fd: descriptor}
	if err := c.inheritable(false); err != nil {
		logger.Error("keeper not started", log.Cause(err))
		return Failed
	}
	k, code, err := newKeeper(s, c, logger)
	if err != nil {
		logger.Error("program not started", log.Cause(err))
		c.send(message{failed, int32(code)})
		return code
	}
	c.send(message{started, int32(k.program)})
	letGo(slices.DeleteFunc(s.Descriptors, func(fd int) bool { return fd == descriptor }))
	k.forgetStart()
	k.run()
	return 0
}

func newKeeper(s Setup, c *channel, logger *log.Logger) (k *keeper, code int, err error) {
	r, err := newSubreaper(s)
	if err != nil {
		return nil, Failed, err
	}
	r.log = logger
	k = &keeper{subreaper: r, channel: c, waiter: newWaiter(s.Source, c), shared: onTerminal()}
	k.job.follows = k.shared
	if k.job.front, err = c.maker(); err != nil {
		return nil, Failed, err
	}
	if k.program, err = reap.Start(k.spec(s)); err != nil {
		return nil, reap.ExitCode(err), err
	}
	return k, 0, nil
}

func (k *keeper) spec(s Setup) reap.Spec {
	spec := inherit.Program(s.Argv, inherit.Environ())
	spec.ProcessGroup = !k.shared
	if k.shared {
		spec.Group, _ = unix.Getpgid(k.job.front) // ESRCH: it has gone, and the program will be ended
	}
	spec.ListenPID = inherit.ListensAs(spec.Env, k.job.front)
	return spec
}

// run ends when nobody is left below us, or could not be ended.
func (k *keeper) run() {
	for {
		ready, err := k.waiter.wait(k.due(), k.signalled)
		if err != nil {
			k.log.Error("waiting failed", log.Cause(err))
		}
		if ready && k.channel.receive(k.take) {
			k.waiter.ignoreChannel()
			k.shutDown("front has gone: the program and what it started are ended")
		}
		k.reap()
		if k.ladder == nil {
			continue
		}
		if k.ladder.Step(time.Now()); k.ladder.Done() {
			k.finish()
			return
		}
	}
}

func (k *keeper) due() time.Time {
	if k.ladder == nil {
		return time.Time{}
	}
	return k.ladder.Due()
}

func (k *keeper) finish() {
	k.report(k.ladder.Report())
	m := message{ended, int32(k.status)}
	if !k.ladder.Report().Contained {
		m.kind = escaped
	}
	k.channel.send(m)
	k.job.resume()
}

// shutDown begins the end of all below us.
func (k *keeper) shutDown(why string) {
	if k.ladder == nil {
		k.log.Info(why)
		k.ladder = k.subreaper.ladder(time.Now())
	}
}

// signalled: nobody but an init that ends its container, or an administrator,
// has a reason to signal the keeper. A second time there is no patience left; the
// first does not cut short the time that handlers have got already.
func (k *keeper) signalled(info signals.Info) {
	if !signals.IsStop(info.Signal) && info.Signal != unix.SIGHUP {
		return
	}
	if k.told {
		k.ladder.Hurry(time.Now())
	}
	k.told = true
	k.shutDown("the keeper was told to stop: the program and what it started are ended")
}

func (k *keeper) take(m message) {
	switch {
	case k.reaped:
	case m.kind == signal:
		k.pass(unix.Signal(m.value))
	case m.kind == goOn:
		k.goOn(int(m.value))
	}
}

// goOn continues a program whose front was continued after that many stops, if it is
// in the last of these. If it goes on already, another SIGCONT would take back a
// ctrl-Z: it discards a stop signal that has not been acted upon (signal(7)).
func (k *keeper) goOn(stops int) {
	k.reap()
	if !k.reaped && k.job.halted && k.job.stops == stops {
		k.pass(unix.SIGCONT)
	}
}

func (k *keeper) pass(sig unix.Signal) {
	k.job.passed(sig)
	err := signals.ToProgram(k.program, !k.shared && k.cfg.Forward == config.ForwardGroup, sig)
	if err != nil && err != unix.ESRCH {
		k.log.Warn("signal could not be forwarded to the program", log.Text("signal", signals.Name(sig)), log.Cause(err))
	}
}

// reap takes every exit below us; the program's begins the end. That the program
// was continued is another event of wait's.
func (k *keeper) reap() {
	for more := true; more; {
		more, _, _ = reap.Drain(64, func(e reap.Exit) {
			switch {
			case e.PID != k.program || k.reaped:
			case e.Status.Stopped():
				k.stopped(e.Status.StopSignal())
			default:
				k.reaped, k.status = true, e.Status
				k.shutDown("the program has ended: what it started is ended")
			}
		})
	}
	if k.job.follows && !k.reaped && reap.Continued(k.program) {
		k.job.halted = false
		k.job.resume()
	}
}

// stopped has front stop as the program did.
func (k *keeper) stopped(sig unix.Signal) {
	if k.job.follows {
		k.job.stops++
		k.job.halted = true
		k.channel.send(message{stopped, int32(sig)})
	}
}
