package doctor

// A probe is one thing to try.
type probe struct {
	name   string
	need   []string // what does not work without it; none: something is worse
	try    func(*patient) (detail string, err error)
	costs  string
	remedy remedy
}

// A remedy is how to give what is lacking.
type remedy struct{ build, docker, podman, kubernetes string }

// The parts of sbinit that need something.
const (
	needInit     = "init"
	needGuard    = "guard"
	needTerminal = "terminal"
)

// socketFlags give the socket a folder: docker gives a tmpfs the owner and mode that the
// folder has in the image.
const socketFlags = "--tmpfs /run:uid=UID with the container's user, or -e SBINIT_SOCKET=PATH in a folder that this user may write to"

// A finding is the outcome of a probe.
type finding struct {
	*probe
	detail string
	lacks  bool
}

// fatal says whether something does not work at all.
func (f *finding) fatal() bool { return f.lacks && len(f.need) > 0 }

var everything = []string{needInit, needGuard, needTerminal}

// The rows of what is read and not tried: the variables.
var (
	settings = probe{
		name: "settings", need: everything, costs: "sbinit does not start",
		remedy: remedy{docker: rightSettings, podman: rightSettings, kubernetes: rightSettings},
	}
	idle = probe{
		name: "variable", costs: "it may not do what it is meant to",
		remedy: remedy{docker: rightSettings, podman: rightSettings, kubernetes: rightSettings},
	}
)

const rightSettings = "the variable as `sbinit help env` has it, or none"

// probes is the one table of what is tried, the most needed first.
var probes = []probe{
	{
		name: "limits", need: everything, try: tryLimits,
		costs: "sbinit does not start",
		remedy: remedy{
			docker: "--pids-limit 64 or more; --ulimit nofile=1024", podman: "--pids-limit 64 or more; --ulimit nofile=1024",
			kubernetes: "the kubelet's podPidsLimit",
		},
	},
	{
		name: "proc", need: []string{needGuard, needTerminal}, try: tryProc,
		costs: "no orphan is seen or ended; guard and terminal refuse to start; views show nothing",
		remedy: remedy{
			docker: "no mount over /proc; not --pid of another container with this one's /proc", podman: "no mount over /proc",
			kubernetes: "no volume mounted at /proc",
		},
	},
	{
		name: "pidfd", need: []string{needGuard, needTerminal}, try: tryPidfd,
		costs: "guard and terminal refuse to start; the init sees orphans up to SBINIT_SCAN_INTERVAL later, and ends only its own children",
		remedy: remedy{
			docker:     "Linux 5.3 or later; docker 20.10 or later, or --security-opt seccomp=unconfined",
			podman:     "Linux 5.3 or later; --security-opt seccomp=unconfined",
			kubernetes: "Linux 5.3 or later; securityContext.seccompProfile.type: Unconfined",
		},
	},
	{
		name: "subreaper", need: []string{needGuard, needTerminal}, try: trySubreaper,
		costs: "what loses its parent below a guard or a session goes to PID 1",
		remedy: remedy{
			docker: "--security-opt seccomp=unconfined", podman: "--security-opt seccomp=unconfined",
			kubernetes: "securityContext.seccompProfile.type: Unconfined",
		},
	},
	{
		name: "pty", need: []string{needTerminal}, try: tryPTY,
		costs: "no terminal sessions",
		remedy: remedy{
			docker: "no mount over /dev or /dev/pts", podman: "no mount over /dev or /dev/pts", kubernetes: "no volume mounted at /dev or /dev/pts",
		},
	},
	{
		name: "stub", try: tryStub,
		costs:  "signals 27 and 32 to 34 are not passed on, a flood of real-time signals may lose some, and GOMEMLIMIT and the like reach sbinit itself",
		remedy: remedy{build: "make build, for amd64 or arm64"},
	},
	{
		name: "socket", try: trySocket,
		costs:  "no terminal sessions under the init; stats and sessions show nothing; ps and check go by /proc",
		remedy: remedy{docker: socketFlags, podman: socketFlags, kubernetes: "an emptyDir volume at /run (with fsGroup for another user than root), or SBINIT_SOCKET=PATH in a folder that the user may write to"},
	},
	{
		name: "hidepid", try: tryHidepid,
		costs:  "processes of other users are not seen, nor counted",
		remedy: remedy{docker: "/proc without hidepid, or --cap-add SYS_PTRACE", podman: "/proc without hidepid, or --cap-add SYS_PTRACE", kubernetes: "securityContext.capabilities.add: [SYS_PTRACE]"},
	},
	{
		name: "sock_diag", try: tryUnixDiag,
		costs:  "an orphan whose standard descriptors are sockets is not taken for abandoned: under SBINIT_ORPHANS=abandoned it stays",
		remedy: remedy{docker: "a kernel with CONFIG_UNIX_DIAG; SBINIT_ORPHANS=terminate or SBINIT_GUARD meanwhile"},
	},
	{
		name: "other_users", try: tryOtherUsers,
		costs:  "whether another user's orphan is abandoned cannot be read: it stays under SBINIT_ORPHANS=abandoned",
		remedy: remedy{docker: "--cap-add SETUID --cap-add SETGID, and root", podman: "--cap-add SETUID --cap-add SETGID, and root", kubernetes: "securityContext.capabilities.add: [SETUID, SETGID], and root"},
	},
	{
		name: "kill", try: tryKill,
		costs:  "processes of other users cannot be ended",
		remedy: remedy{docker: "--cap-add KILL, and root", podman: "--cap-add KILL, and root", kubernetes: "securityContext.capabilities.add: [KILL], and root"},
	},
	{
		name: "mark", try: tryMark,
		costs:  "SBINIT_GUARD may miss what is forked and orphaned between two looks; `sbinit guard` does not",
		remedy: remedy{docker: "--ulimit locks=-1", podman: "--ulimit locks=-1", kubernetes: "the container runtime's default of RLIMIT_LOCKS: unlimited"},
	},
	{
		name: "children", try: tryChildren,
		costs:  "a look after each reaped child costs more",
		remedy: remedy{docker: "a kernel with CONFIG_PROC_CHILDREN"},
	},
	{name: "pid1", try: sayPID1},
	{name: "kernel", try: sayKernel},
	{name: "namespaces", try: sayNamespaces},
	{name: "confinement", try: sayConfinement},
}
