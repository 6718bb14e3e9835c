/*
 * hostile MODE [ARG...]: programs that do not want to be ended, beside those of tool.c.
 *
 * Each but churn prints "ready" when everything that it starts is there, and bomb when
 * no more can be. What forks without bound counts in memory shared by all its processes,
 * and stops at a limit.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void fail(const char *what)
{
	fprintf(stderr, "hostile: %s: %s\n", what, strerror(errno));
	_exit(125);
}

static void forever(void)
{
	for (;;)
		pause();
}

static void say(const char *line)
{
	if (write(1, line, strlen(line)) < 0)
		fail("write");
}

static void msleep(long ms)
{
	struct timespec t = { ms / 1000, ms % 1000 * 1000000 };

	while (nanosleep(&t, &t) && errno == EINTR)
		;
}

/* refused says whether there was no process to be had, which may change, and waits. */
static int refused(pid_t pid, const char *what)
{
	if (pid >= 0)
		return 0;
	if (errno != EAGAIN)
		fail(what);
	msleep(1);
	return 1;
}

/* must_fork goes on when refused: others have used up the numbers. */
static pid_t must_fork(void)
{
	pid_t pid;

	while (refused(pid = fork(), "fork"))
		;
	return pid;
}

/* sibling is fork with the caller's parent as the child's (clone(2), CLONE_PARENT). */
static pid_t sibling(void)
{
	pid_t pid;

	while (refused(pid = syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0), "clone"))
		;
	return pid;
}

static long number(char **arg)
{
	if (!*arg) {
		fprintf(stderr, "hostile: an argument is missing\n");
		_exit(125);
	}
	return atol(*arg);
}

static void ignore_polite(void)
{
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	signal(SIGINT, SIG_IGN);
}

/* Counters which all processes of a mode share. */
static struct { long up, made; } *shared;

static void share(void)
{
	shared = mmap(0, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		fail("mmap");
}

static long count(long *n) { return __atomic_add_fetch(n, 1, __ATOMIC_SEQ_CST); }
static long counted(long *n) { return __atomic_load_n(n, __ATOMIC_SEQ_CST); }

/* without_leader goes on in a second thread, after the first one has ended: state Z. */
static void without_leader(void *(*run)(void *), void *arg)
{
	pthread_t t;

	if (pthread_create(&t, 0, run, arg))
		fail("pthread_create");
	syscall(SYS_exit, 0);
}

static void leader_has_gone(void)
{
	char path[64], stat[256], *end;
	ssize_t n;
	int fd;

	snprintf(path, sizeof path, "/proc/self/task/%d/stat", getpid());
	for (;;) {
		fd = open(path, O_RDONLY);
		if (fd < 0)
			fail(path);
		n = read(fd, stat, sizeof stat - 1);
		close(fd);
		if (n <= 0)
			fail(path);
		stat[n] = 0;
		end = strrchr(stat, ')');
		if (end && end[2] == 'Z')
			return;
		sched_yield();
	}
}

/* respawn keeps one more child alive; there are at most limit of them in all. */
static void respawn(long limit)
{
	for (;;) {
		while (counted(&shared->made) < limit && count(&shared->made)) {
			pid_t pid = must_fork();

			if (!pid)
				forever();
			while (waitpid(pid, 0, 0) < 0 && errno == EINTR)
				;
		}
		pause();
	}
}

static void *respawn_thread(void *limit)
{
	leader_has_gone();
	say("ready\n");
	respawn((long)limit);
	return 0;
}

/* zombie-respawner LIMIT: a process in state Z, whose other thread replaces a child. */
static void mode_zombie_respawner(char **arg)
{
	long limit = number(arg);

	share();
	ignore_polite();
	without_leader(respawn_thread, (void *)limit);
}

/* siblings LIMIT: each process makes siblings, and so do these. */
static void mode_siblings(char **arg)
{
	long limit = number(arg);

	share();
	ignore_polite();
	if (must_fork()) {
		while (counted(&shared->made) < 8)
			msleep(1);
		say("ready\n");
		forever();
	}
	while (counted(&shared->made) < limit) {
		if (sibling() == 0)
			count(&shared->made);
		msleep(1);
	}
	forever();
}

/* conts LIMIT: a tree that grows, of which some wake up whoever was stopped. */
static void mode_conts(char **arg)
{
	long limit = number(arg);

	share();
	ignore_polite();
	for (int i = 0; i < 3; i++)
		if (!must_fork())
			for (;;) {
				kill(0, SIGCONT);
				sched_yield();
			}
	say("ready\n");
	while (counted(&shared->made) < limit) {
		if (!must_fork())
			count(&shared->made);
		msleep(2);
	}
	forever();
}

/* bomb LIMIT: each process forks as fast as it can, and goes on when refused. */
static void mode_bomb(char **arg)
{
	long limit = number(arg);

	share();
	while (counted(&shared->made) < limit) {
		pid_t pid = fork();

		if (!pid)
			count(&shared->made);
		else if (refused(pid, "fork") && count(&shared->up) == 1)
			say("ready\n");
	}
	forever();
}

/*
 * churn: uses up process numbers by children that live for up to 2 ms and end by
 * themselves. It says "hit" when somebody has signalled one of them.
 */
static void mode_churn(char **arg)
{
	int status;

	(void)arg;
	for (long n = 0;; n++) {
		pid_t pid = must_fork();

		if (!pid) {
			msleep(n % 3);
			_exit(0);
		}
		if (waitpid(pid, &status, WUNTRACED) == pid && status)
			say("hit\n");
	}
}

/*
 * tree SPEC: processes as SPEC says, "(FLAGS CHILD...)" for each, without spaces. Flags
 * are about how it comes to be
 *
 *	d  the one that forked it has ended (double fork)
 *	p  a sibling of the process it stands below (CLONE_PARENT)
 *	s  in a session of its own
 *	b  child subreaper
 *	i  ignores TERM, HUP and INT
 *	n  a name that looks like the end of a name
 *	z  its first thread has ended, another lives
 *
 * and what it does then:
 *
 *	e  ends
 *	t  stops itself
 *	r  replaces a child
 *	c  wakes up its process group
 *	f  fork after fork, the parent of which ends
 *
 * It forks without bound only when all are up: where there are few process numbers,
 * the others would not get theirs.
 */
static const char *spec;
static long nodes;
static void node(void);

/* skip moves past a node. */
static void skip(void)
{
	int depth = 0;

	do {
		depth += *spec == '(';
		depth -= *spec == ')';
	} while (*spec++ && depth);
}

static int has(const char *flags, char flag)
{
	for (; *flags >= 'a'; flags++)
		if (*flags == flag)
			return 1;
	return 0;
}

/* grow starts the node at spec, and moves past it. */
static void grow(void)
{
	const char *flags = spec + 1;
	pid_t pid = has(flags, 'p') ? sibling() : must_fork();

	if (pid) {
		skip();
		if (has(flags, 'd') && !has(flags, 'p'))
			waitpid(pid, 0, 0);
		return;
	}
	if (has(flags, 'd') && must_fork())
		_exit(0);
	node();
}

static const long tree_limit = 300;

static void all_up(void)
{
	while (counted(&shared->up) < nodes)
		msleep(1);
}

static void *behave(void *of)
{
	const char *flags = of;

	if (has(flags, 'z'))
		leader_has_gone();
	while (*spec == '(')
		grow();
	count(&shared->up);
	if (has(flags, 'e'))
		_exit(0);
	if (has(flags, 't'))
		raise(SIGSTOP);
	if (has(flags, 'r') || has(flags, 'f'))
		all_up();
	if (has(flags, 'r'))
		respawn(tree_limit);
	while (has(flags, 'c')) {
		kill(0, SIGCONT);
		msleep(1);
	}
	while (has(flags, 'f') && count(&shared->made) < tree_limit)
		if (must_fork())
			_exit(0);
	forever();
	return 0;
}

static void node(void)
{
	const char *flags = ++spec;

	while (*spec >= 'a')
		spec++;
	if (has(flags, 's'))
		setsid();
	if (has(flags, 'b'))
		prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	if (has(flags, 'i'))
		ignore_polite();
	if (has(flags, 'n'))
		prctl(PR_SET_NAME, ") Z 1 (");
	if (has(flags, 'z'))
		without_leader(behave, (void *)flags);
	behave((void *)flags);
}

static void mode_tree(char **arg)
{
	if (!*arg)
		fail("tree");
	for (spec = *arg; *spec; spec++)
		nodes += *spec == '(';
	spec = *arg;
	share();
	while (*spec == '(')
		grow();
	all_up();
	say("ready\n");
	forever();
}

static const struct { const char *name; void (*run)(char **arg); } modes[] = {
	{ "zombie-respawner", mode_zombie_respawner }, { "siblings", mode_siblings },
	{ "conts", mode_conts }, { "bomb", mode_bomb }, { "churn", mode_churn },
	{ "tree", mode_tree },
};

int main(int argc, char **argv)
{
	for (size_t i = 0; argc > 1 && i < sizeof modes / sizeof *modes; i++)
		if (!strcmp(argv[1], modes[i].name))
			modes[i].run(argv + 2);
	fprintf(stderr, "hostile: no such mode\n");
	return 125;
}
