/*
 * load MODE [ARG...]: what an init is measured under.
 *
 *   start COMMAND...    says the time, and becomes COMMAND
 *   crowd N COMMAND...  N quiet processes, half of them parents of the others, then COMMAND
 *   quiet               nothing
 *   fork RATE           a process forked and reaped RATE times a second
 *   orphans N BATCH     N orphans which end BATCH at a time, from one parent each
 *   deaths N            N times: a daemon dies whose child has only pipes to it; says the
 *                       time from the daemon's death to its child's
 *   signals N           N times: a signal to PID 1; says the time to its own handler
 *   tree N              N descendants, four deep; says its own pid when all run
 *   escape N            N descendants which forked twice and left the session
 *   ignore N            the same, which ignore HUP, INT and TERM
 *
 * Times are microseconds, of CLOCK_MONOTONIC. All but the first two say "ready", each
 * answer on a line, and "done", and end when they are killed. Those that do something N
 * times begin when a line comes in.
 */
#define _GNU_SOURCE
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e6 + t.tv_nsec / 1e3;
}

static void forever(void)
{
	for (;;)
		pause();
}

static void say(const char *line)
{
	puts(line);
	fflush(stdout);
}

static void say_time(double t)
{
	printf("%.1f\n", t);
	fflush(stdout);
}

static void await_line(void)
{
	char line[16];

	say("ready");
	if (!fgets(line, sizeof line, stdin))
		_exit(1);
}

static pid_t must_fork(void)
{
	pid_t pid = fork();

	if (pid < 0) {
		perror("fork");
		_exit(1);
	}
	return pid;
}

static void must_pipe(int end[2])
{
	if (pipe(end)) {
		perror("pipe");
		_exit(1);
	}
}

static void crowd(int n)
{
	for (int i = 0; i < n / 2; i++)
		if (!must_fork()) {
			must_fork();
			forever();
		}
}

static void forks(int rate)
{
	say("ready");
	for (;;) {
		pid_t pid = must_fork();

		if (!pid)
			_exit(0);
		waitpid(pid, 0, 0);
		usleep(1000000 / rate);
	}
}

static void orphans(int n, int batch)
{
	await_line();
	for (int i = 0; i < n; i += batch) {
		pid_t parent = must_fork();

		if (!parent) {
			for (int j = 0; j < batch; j++)
				if (!must_fork()) {
					usleep(batch == 1 ? 500 : 3000);
					_exit(0);
				}
			_exit(0);
		}
		waitpid(parent, 0, 0);
		usleep(batch == 1 ? 2000 : 20000);
	}
	usleep(200000); /* the last ones are reaped */
}

static pid_t daemon_with_child(pid_t *child)
{
	int tell[2], in[2], out[2];
	pid_t daemon;

	must_pipe(tell);
	daemon = must_fork();
	if (!daemon) {
		must_pipe(in);
		must_pipe(out);
		*child = must_fork();
		if (!*child) {
			dup2(in[0], 0);
			dup2(out[1], 1);
			for (int fd = 3; fd < 32; fd++)
				close(fd);
			forever();
		}
		close(in[0]);
		close(out[1]);
		if (write(tell[1], child, sizeof *child) != sizeof *child)
			_exit(1);
		close(tell[0]);
		close(tell[1]);
		forever();
	}
	close(tell[1]);
	if (read(tell[0], child, sizeof *child) != sizeof *child)
		_exit(1);
	close(tell[0]);
	return daemon;
}

static void deaths(int n)
{
	await_line();
	for (int i = 0; i < n; i++) {
		pid_t child, daemon = daemon_with_child(&child);
		struct pollfd p = { .events = POLLIN };
		double begin;

		usleep(1200000 + 37000 * (i % 20)); /* a tick of the init passes, at another phase each time */
		p.fd = syscall(SYS_pidfd_open, child, 0);
		begin = now();
		kill(daemon, SIGKILL);
		if (poll(&p, 1, 30000) != 1)
			_exit(1);
		say_time(now() - begin);
		close(p.fd);
		waitpid(daemon, 0, 0);
	}
}

static volatile double handled;

static void handle(int signal)
{
	(void)signal;
	handled = now();
}

static void signals(int n)
{
	struct sigaction action = { .sa_handler = handle };
	sigset_t blocked, before;

	sigaction(SIGUSR1, &action, 0);
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGUSR1);
	sigprocmask(SIG_BLOCK, &blocked, &before);
	await_line();
	for (int i = 0; i < n; i++) {
		double begin;

		usleep(1000); /* the init sleeps again */
		begin = now();
		if (kill(1, SIGUSR1))
			_exit(1);
		sigsuspend(&before);
		say_time(handled - begin);
	}
}

/* await_bytes returns when n processes have written a byte. */
static void await_bytes(int fd, int n)
{
	char byte;

	while (n-- > 0)
		if (read(fd, &byte, 1) != 1)
			_exit(1);
	close(fd);
}

static void tell(int fd)
{
	if (write(fd, "", 1) != 1)
		_exit(1);
	close(fd);
}

/* tree is of n descendants, in lines of four. */
static void tree(int n)
{
	int up[2];

	must_pipe(up);
	for (int i = 0; i < n; i += 4) {
		if (must_fork())
			continue;
		close(up[0]);
		for (int depth = 1; depth < 4 && i + depth < n; depth++)
			if (must_fork())
				break;
		tell(up[1]);
		forever();
	}
	close(up[1]);
	await_bytes(up[0], n);
	printf("%d\n", getpid());
}

static void escape(int n, int stubborn)
{
	int up[2];

	must_pipe(up);
	for (int i = 0; i < n; i++) {
		pid_t between = must_fork();

		if (!between) {
			if (must_fork())
				_exit(0);
			setsid();
			if (stubborn) {
				signal(SIGHUP, SIG_IGN);
				signal(SIGINT, SIG_IGN);
				signal(SIGTERM, SIG_IGN);
			}
			close(up[0]);
			tell(up[1]);
			forever();
		}
		waitpid(between, 0, 0);
	}
	close(up[1]);
	await_bytes(up[0], n);
	say("ready");
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";
	int n = argc > 2 ? atoi(argv[2]) : 0;

	if (!strcmp(mode, "start") && argc > 2) {
		say_time(now());
		execv(argv[2], argv + 2);
		perror(argv[2]);
		return 1;
	} else if (!strcmp(mode, "crowd") && argc > 3) {
		crowd(n);
		execv(argv[3], argv + 3);
		perror(argv[3]);
		return 1;
	} else if (!strcmp(mode, "quiet"))
		say("ready");
	else if (!strcmp(mode, "fork") && n > 0)
		forks(n);
	else if (!strcmp(mode, "orphans") && argc == 4)
		orphans(n, atoi(argv[3]));
	else if (!strcmp(mode, "deaths"))
		deaths(n);
	else if (!strcmp(mode, "signals"))
		signals(n);
	else if (!strcmp(mode, "tree"))
		tree(n);
	else if (!strcmp(mode, "escape") || !strcmp(mode, "ignore"))
		escape(n, mode[0] == 'i');
	else
		return 1;
	say("done");
	forever();
}
