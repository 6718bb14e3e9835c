/*
 * tool MODE [ARG...]: little programs for tests, for what Go cannot do or is too big
 * for: forking without exec by the thousand, odd clones, every signal number.
 *
 * A mode that prints "ready" does so when everything that it starts is there. Modes
 * which fork without bound count in memory shared by all their processes, and stop
 * at the limit given.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char *program; /* the path of this one */

static void fail(const char *what)
{
	fprintf(stderr, "tool: %s: %s\n", what, strerror(errno));
	_exit(125);
}

static void forever(void)
{
	for (;;)
		pause();
}

static void ready(void)
{
	if (write(1, "ready\n", 6) != 6)
		fail("write");
}

static void msleep(long ms)
{
	struct timespec t = { ms / 1000, ms % 1000 * 1000000 };

	while (nanosleep(&t, &t) && errno == EINTR)
		;
}

static pid_t must_fork(void)
{
	pid_t pid = fork();

	if (pid < 0)
		fail("fork");
	return pid;
}

static long number(char **arg)
{
	if (!*arg) {
		fprintf(stderr, "tool: an argument is missing\n");
		_exit(125);
	}
	return atol(*arg);
}


/* A counter which all processes of a mode share. */
static long *shared;

static void share(void)
{
	shared = mmap(0, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		fail("mmap");
}

static long count(void)
{
	return __atomic_add_fetch(shared, 1, __ATOMIC_SEQ_CST);
}

/* sleep: does nothing, and dies of whatever kills by default. */
static void mode_sleep(char **arg)
{
	(void)arg;
	ready();
	forever();
}

/* ignore SIGNAL...: the same, but ignores these. */
static void mode_ignore(char **arg)
{
	for (; *arg; arg++)
		signal(number(arg), SIG_IGN);
	ready();
	forever();
}

/* exit STATUS */
static void mode_exit(char **arg)
{
	_exit(number(arg));
}

/* die SIGNAL: by its default action */
static void mode_die(char **arg)
{
	raise(number(arg));
	fail("raise");
}

/*
 * record: one line for each signal received, "signal NUMBER code CODE value VALUE".
 * The system calls are made directly: the C library keeps 32 and 33 from programs.
 * A signal 64 ends it with status 0.
 */
static void mode_record(char **arg)
{
	uint64_t all = ~0ULL;
	siginfo_t info;

	(void)arg;
	if (syscall(SYS_rt_sigprocmask, SIG_BLOCK, &all, 0, sizeof all))
		fail("rt_sigprocmask");
	ready();
	for (;;) {
		int sig = syscall(SYS_rt_sigtimedwait, &all, &info, 0, sizeof all);

		if (sig < 0)
			continue;
		dprintf(1, "signal %d code %d value %d\n", sig, info.si_code, info.si_value.sival_int);
		if (sig == 64)
			_exit(0);
	}
}

/* pending SIGNAL COMMAND...: becomes COMMAND when a SIGNAL, which is blocked, waits. */
static void mode_pending(char **arg)
{
	sigset_t waiting;

	ready();
	do {
		msleep(1);
		if (sigpending(&waiting))
			fail("sigpending");
	} while (!sigismember(&waiting, number(arg)));
	execvp(arg[1], arg + 1);
	fail(arg[1]);
}

static void say_usr(int sig)
{
	(void)sig;
	if (write(1, "usr\n", 4) != 4)
		fail("write");
}

/*
 * answer: prints "usr" for each SIGUSR1, in the handler. A shell's trap waits for the
 * next line if the signal comes just before the shell begins to read.
 */
static void mode_answer(char **arg)
{
	(void)arg;
	signal(SIGUSR1, say_usr);
	ready();
	forever();
}

/* mask: prints the signal mask and the ignored signals it was started with, in hex. */
static void mode_mask(char **arg)
{
	uint64_t mask = 0, ignored = 0;

	(void)arg;
	if (syscall(SYS_rt_sigprocmask, SIG_BLOCK, 0, &mask, sizeof mask))
		fail("rt_sigprocmask");
	for (int sig = 1; sig <= 64; sig++) {
		struct { void *handler; unsigned long flags; void *restorer; uint64_t mask; } now;

		if (syscall(SYS_rt_sigaction, sig, 0, &now, sizeof now.mask))
			fail("rt_sigaction");
		if (now.handler == SIG_IGN)
			ignored |= 1ULL << (sig - 1);
	}
	dprintf(1, "blocked %016llx\nignored %016llx\n", (unsigned long long)mask, (unsigned long long)ignored);
	_exit(0);
}

/* streams FILE: writes there what its standard descriptors lead to, or "closed". */
static void mode_streams(char **arg)
{
	char link[3][256] = { "closed", "closed", "closed" };
	FILE *out;

	for (int fd = 0; fd < 3; fd++) {
		char path[32];
		ssize_t n;

		snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
		n = readlink(path, link[fd], sizeof link[fd] - 1);
		if (n >= 0)
			link[fd][n] = 0;
	}
	out = fopen(*arg, "w");
	if (!out)
		fail(*arg);
	fprintf(out, "%s\n%s\n%s\n", link[0], link[1], link[2]);
	if (fclose(out))
		fail(*arg);
	_exit(0);
}

/* fds: prints what each of its descriptors leads to, one a line. */
static void mode_fds(char **arg)
{
	(void)arg;
	for (int fd = 0; fd < 1024; fd++) {
		char path[32], link[256];
		ssize_t n;

		snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
		n = readlink(path, link, sizeof link);
		if (n >= 0)
			dprintf(1, "%d=%.*s\n", fd, (int)n, link);
	}
	ready();
	forever();
}

static int cleanup_ms;
static const char *cleanup_file;

static void clean_up(int sig)
{
	int fd;

	(void)sig;
	msleep(cleanup_ms);
	fd = open(cleanup_file, O_WRONLY | O_CREAT | O_TRUNC, 0666);
	if (fd < 0)
		fail(cleanup_file);
	if (write(fd, "clean\n", 6) != 6)
		fail("write");
	_exit(0);
}

/* cleanup MS FILE: on SIGTERM works for MS, then writes FILE, exits 0. */
static void mode_cleanup(char **arg)
{
	cleanup_ms = number(arg);
	cleanup_file = arg[1];
	signal(SIGTERM, clean_up);
	ready();
	forever();
}

/* stop: stops itself, as SIGSTOP does; continued, it goes on sleeping. */
static void mode_stop(char **arg)
{
	(void)arg;
	ready();
	raise(SIGSTOP);
	forever();
}

/* name NAME: has that comm. */
static void mode_name(char **arg)
{
	prctl(PR_SET_NAME, *arg);
	ready();
	forever();
}

static void become(long id)
{
	if (setresgid(id, id, id) || setresuid(id, id, id))
		fail("setresuid");
}

/* setuid ID: changes group and user, then sleeps. */
static void mode_setuid(char **arg)
{
	become(number(arg));
	ready();
	forever();
}

/* mute: sleep that does not say that it is ready. */
static void mode_mute(char **arg)
{
	(void)arg;
	forever();
}

/* as ID COMMAND...: runs COMMAND as that group and user. */
static void mode_as(char **arg)
{
	become(number(arg));
	execvp(arg[1], arg + 1);
	fail(arg[1]);
}

/*
 * chain N: N processes, each the child of the one before. Each executes itself anew:
 * the kernel links the memory of a process to that of all it was forked from, and a
 * long line without an exec takes it minutes to make and to undo.
 */
static void mode_chain(char **arg)
{
	char rest[32], *argv[] = { program, "chain", rest, 0 };
	long n = number(arg);

	if (n > 1) {
		if (must_fork())
			forever();
		snprintf(rest, sizeof rest, "%ld", n - 1);
		execv(program, argv);
		fail(program);
	}
	ready();
	forever();
}

/* wide N: one process with N children. */
static void mode_wide(char **arg)
{
	for (long n = number(arg); n > 0; n--)
		if (!must_fork())
			forever();
	ready();
	forever();
}

/* leave N: exits at once, and leaves N living processes behind. */
static void mode_leave(char **arg)
{
	for (long n = number(arg); n > 0; n--)
		if (!must_fork())
			forever();
	ready();
	_exit(0);
}

/* zombies N: keeps N dead children that it never waits for. */
static void mode_zombies(char **arg)
{
	for (long n = number(arg); n > 0; n--)
		if (!must_fork())
			_exit(0);
	ready();
	forever();
}

/* litter N: leaves N dead processes to whoever adopts them, prints "ready", exits. */
static void mode_litter(char **arg)
{
	for (long n = number(arg); n > 0; n--) {
		pid_t middle = must_fork();

		if (middle) {
			waitpid(middle, 0, 0);
			continue;
		}
		middle = getpid();
		if (!must_fork())
			while (getppid() == middle)
				sched_yield();
		_exit(0);
	}
	ready();
	_exit(0);
}

/* daemon [COMMAND...]: double fork with setsid; the daemon is COMMAND, or sleeps. */
static void mode_daemon(char **arg)
{
	pid_t pid = must_fork();

	if (pid) {
		waitpid(pid, 0, 0);
		_exit(0);
	}
	setsid();
	if (must_fork())
		_exit(0);
	if (*arg) {
		execvp(*arg, arg);
		fail(*arg);
	}
	ready();
	forever();
}

/* bomb LIMIT: every process forks as fast as it can, and goes on when refused. */
static void mode_bomb(char **arg)
{
	long limit = number(arg);

	share();
	while (*shared < limit) {
		pid_t pid = fork();

		if (pid < 0)
			msleep(1);
		else if (pid == 0 && count() >= limit)
			forever();
	}
	forever();
}

/*
 * comets N LIMIT: N lines of processes in each of which a parent forks, and exits. They
 * begin once all are there: who has exited may keep its number until there is none left.
 */
static void mode_comets(char **arg)
{
	long lines = number(arg), limit = number(arg + 1);
	int begin[2];
	char nothing;

	share();
	if (pipe(begin))
		fail("pipe");
	for (; lines > 0; lines--) {
		if (must_fork())
			continue;
		close(begin[1]);
		if (read(begin[0], &nothing, 1))
			fail("read");
		close(begin[0]);
		while (count() < limit) {
			pid_t pid = fork();

			if (pid > 0)
				_exit(0);
		}
		forever();
	}
	close(begin[0]);
	ready();
	close(begin[1]);
	forever();
}

/* respawn LIMIT: keeps one child; starts another when it dies. TERM is ignored. */
static void mode_respawn(char **arg)
{
	signal(SIGTERM, SIG_IGN);
	for (long n = number(arg); n > 0; n--) {
		pid_t pid = must_fork();

		if (!pid)
			forever();
		if (n == atol(*arg))
			ready();
		waitpid(pid, 0, 0);
	}
	forever();
}

/* watchdogs LIMIT: two processes, each of which replaces the other when it dies. */
static void mode_watchdogs(char **arg)
{
	long limit = number(arg);

	share();
	while (count() <= limit) {
		pid_t other = must_fork();

		if (other == 0)
			other = getppid();
		else if (*shared == 1)
			ready();
		while (waitpid(other, 0, WNOHANG) != other && !kill(other, 0))
			msleep(1);
	}
	forever();
}

static void *other_thread(void *arg)
{
	long n = (long)arg;

	msleep(50); /* until the leader has gone; state Z shows that */
	for (; n > 0; n--)
		if (!must_fork())
			forever();
	ready();
	forever();
	return 0;
}

/* zombie-leader N: its first thread has exited, the other forks N children and lives. */
static void mode_zombie_leader(char **arg)
{
	pthread_t t;

	if (pthread_create(&t, 0, other_thread, (void *)number(arg)))
		fail("pthread_create");
	syscall(SYS_exit, 0);
}

/* siblings N: a child makes N siblings of its own (CLONE_PARENT), then exits. */
static void mode_siblings(char **arg)
{
	long n = number(arg);
	pid_t pid = must_fork();

	if (pid) {
		waitpid(pid, 0, 0);
		ready();
		forever();
	}
	for (; n > 0; n--)
		if (syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0) == 0)
			forever();
	_exit(0);
}

/* vfork: waits, not to be interrupted by what it could handle, for a child that sleeps. */
static void mode_vfork(char **arg)
{
	pid_t pid = vfork();

	(void)arg;
	if (pid == 0) {
		ready();
		forever();
	}
	fail("vfork");
}

/* subreaper COMMAND...: starts COMMAND, and adopts what that leaves behind. */
static void mode_subreaper(char **arg)
{
	if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0))
		fail("prctl");
	if (must_fork() == 0) {
		execvp(*arg, arg);
		fail(*arg);
	}
	while (waitpid(-1, 0, 0) > 0)
		;
	forever();
}

/* trace PID: holds a process by ptrace, its zombie included. */
static void mode_trace(char **arg)
{
	if (ptrace(PTRACE_SEIZE, number(arg), 0, 0))
		fail("ptrace");
	ready();
	forever();
}

static const struct { const char *name; void (*run)(char **arg); } modes[] = {
	{ "sleep", mode_sleep }, { "mute", mode_mute }, { "as", mode_as },
	{ "ignore", mode_ignore }, { "exit", mode_exit },
	{ "die", mode_die }, { "record", mode_record }, { "pending", mode_pending }, { "answer", mode_answer }, { "mask", mode_mask },
	{ "streams", mode_streams }, { "fds", mode_fds },
	{ "cleanup", mode_cleanup }, { "stop", mode_stop }, { "name", mode_name },
	{ "setuid", mode_setuid }, { "chain", mode_chain }, { "wide", mode_wide },
	{ "leave", mode_leave }, { "zombies", mode_zombies }, { "litter", mode_litter },
	{ "daemon", mode_daemon }, { "bomb", mode_bomb }, { "comets", mode_comets },
	{ "respawn", mode_respawn }, { "watchdogs", mode_watchdogs },
	{ "zombie-leader", mode_zombie_leader }, { "siblings", mode_siblings },
	{ "vfork", mode_vfork }, { "subreaper", mode_subreaper }, { "trace", mode_trace },
};

int main(int argc, char **argv)
{
	program = argv[0];
	for (size_t i = 0; argc > 1 && i < sizeof modes / sizeof *modes; i++)
		if (!strcmp(argv[1], modes[i].name))
			modes[i].run(argv + 2);
	fprintf(stderr, "tool: no such mode\n");
	return 125;
}
