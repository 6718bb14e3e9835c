/*
 * storm MODE [ARG...]: load for an init, and main programs that tell how it bore it.
 *
 *   orphans ALIVE          orphans that live for a moment, without end and ALIVE at a time,
 *                          outside the process group of who started it; on SIGTERM it says
 *                          "orphans N", and ends
 *   tally                  counts real-time signals by number; says "tally NUMBER=COUNT ..." on
 *                          SIGUSR1, and on SIGTERM, which ends it with status 0
 *   overtake ROUNDS WIDTH  ROUNDS times, leaves WIDTH zombies to PID 1 at once, and sends
 *                          SIGTERM to it while it reaps them, and to a process without an
 *                          init for comparison. Says "stop T1 bare T2 of LEFT after LEFT":
 *                          microseconds of CLOCK_MONOTONIC until the handler runs here and
 *                          there, zombies left when it was sent and when it came
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void fail(const char *what)
{
	fprintf(stderr, "storm: %s: %s\n", what, strerror(errno));
	_exit(125);
}

static void ready(void)
{
	if (write(1, "ready\n", 6) != 6)
		fail("write");
}

/* fork_zombie copies no memory, which would take most of the time. */
static pid_t fork_zombie(void)
{
	pid_t pid = vfork();

	if (pid < 0)
		fail("vfork");
	if (!pid)
		_exit(0);
	return pid;
}

static pid_t must_fork(void)
{
	pid_t pid = fork();

	if (pid < 0)
		fail("fork");
	return pid;
}

static void *share(size_t size)
{
	void *at = mmap(0, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		fail("mmap");
	return at;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e6 + t.tv_nsec / 1e3;
}

static volatile sig_atomic_t over;

static void end(int sig)
{
	(void)sig;
	over = 1;
}

static void orphans(int most)
{
	int *alive = share(sizeof *alive);
	long born = 0;

	setpgid(0, 0);
	signal(SIGTERM, end);
	ready();
	while (!over) {
		pid_t middle;

		if (__atomic_load_n(alive, __ATOMIC_SEQ_CST) >= most) {
			sched_yield();
			continue;
		}
		__atomic_add_fetch(alive, 1, __ATOMIC_SEQ_CST);
		middle = must_fork();
		if (!middle) {
			if (!must_fork()) {
				usleep(1000);
				__atomic_sub_fetch(alive, 1, __ATOMIC_SEQ_CST);
			}
			_exit(0);
		}
		waitpid(middle, 0, 0);
		born++;
	}
	dprintf(1, "orphans %ld\n", born);
	_exit(0);
}

static void say_tally(const long *count)
{
	char line[1024] = "tally";
	int used = strlen(line);

	for (int sig = 32; sig <= 64; sig++)
		if (count[sig])
			used += sprintf(line + used, " %d=%ld", sig, count[sig]);
	dprintf(1, "%s\n", line);
}

/* The system calls are made directly: the C library keeps 32 and 33 from programs. */
static void tally(void)
{
	uint64_t all = ~0ULL;
	long count[65] = { 0 };

	if (syscall(SYS_rt_sigprocmask, SIG_BLOCK, &all, 0, sizeof all))
		fail("rt_sigprocmask");
	ready();
	for (;;) {
		int sig = syscall(SYS_rt_sigtimedwait, &all, 0, 0, sizeof all);

		if (sig == SIGUSR1 || sig == SIGTERM)
			say_tally(count);
		else if (sig >= 32)
			count[sig]++;
		if (sig == SIGTERM)
			_exit(0);
	}
}

/* What the two processes with a handler, and the parent of the zombies, share. */
static struct {
	volatile double handled[2]; /* 0: not yet */
	volatile int left;
	pid_t zombie[];
} *shared;

static int width;

/* zombies_left relies on PID 1 reaping them in the order in which they were forked. */
static int zombies_left(void)
{
	int gone = 0, there = width;

	while (gone < there) {
		int i = (gone + there) / 2;

		if (kill(shared->zombie[i], 0))
			gone = i + 1;
		else
			there = i;
	}
	return width - gone;
}

static void handle(int sig)
{
	(void)sig;
	shared->handled[0] = now();
	shared->left = zombies_left();
}

static void handle_bare(int sig)
{
	(void)sig;
	shared->handled[1] = now();
}

static pid_t bystander(void)
{
	pid_t pid = must_fork();

	if (pid)
		return pid;
	setpgid(0, 0);
	signal(SIGTERM, handle_bare);
	ready();
	for (;;)
		pause();
}

/* die_with_zombies becomes the parent of so many, and leaves them to PID 1. */
static void die_with_zombies(void)
{
	setpgid(0, 0); /* the signals are not for this one */
	for (int i = 0; i < width; i++)
		shared->zombie[i] = fork_zombie();
	for (int i = 0; i < width; i++)
		waitid(P_PID, shared->zombie[i], 0, WEXITED | WNOWAIT);
	_exit(0);
}

static void overtake(int rounds)
{
	pid_t bare;

	shared = share(sizeof *shared + width * sizeof *shared->zombie);
	bare = bystander();
	signal(SIGTERM, handle);
	ready();
	while (rounds-- > 0) {
		double begin;
		int left;
		pid_t parent = must_fork();

		if (!parent)
			die_with_zombies();
		shared->handled[0] = shared->handled[1] = 0;
		waitpid(parent, 0, 0);
		while (!kill(shared->zombie[0], 0))
			;
		left = zombies_left();
		begin = now();
		if (kill(1, SIGTERM) || kill(bare, SIGTERM))
			fail("kill");
		while (!shared->handled[0] || !shared->handled[1])
			usleep(100);
		dprintf(1, "stop %.0f bare %.0f of %d after %d\n", shared->handled[0] - begin,
			shared->handled[1] - begin, left, shared->left);
		while (zombies_left())
			usleep(100);
	}
	for (;;)
		pause();
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";

	if (!strcmp(mode, "orphans") && argc == 3)
		orphans(atoi(argv[2]));
	if (!strcmp(mode, "tally") && argc == 2)
		tally();
	if (!strcmp(mode, "overtake") && argc == 4) {
		width = atoi(argv[3]);
		overtake(atoi(argv[2]));
	}
	fprintf(stderr, "storm: no such mode\n");
	return 125;
}
