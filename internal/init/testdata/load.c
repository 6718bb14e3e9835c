/*
 * load MODE [ARG...]: what an init is measured under.
 *
 *   crowd N COMMAND...  N quiet processes, half of them parents of the others, then COMMAND
 *   fork RATE SECONDS   a process forked and reaped RATE times a second
 *   orphans N BATCH     N orphans which end BATCH at a time, from one parent each
 *   deaths N            N times: a daemon dies whose child has only pipes to it; prints the
 *                       microseconds from the daemon's death to its child's, one a line
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

static pid_t must_fork(void)
{
	pid_t pid = fork();

	if (pid < 0) {
		perror("fork");
		_exit(1);
	}
	return pid;
}

static void crowd(int n)
{
	for (int i = 0; i < n / 2; i++)
		if (!must_fork()) {
			must_fork();
			forever();
		}
}

static void forks(int rate, int seconds)
{
	for (int i = 0; i < rate * seconds; i++) {
		pid_t pid = must_fork();

		if (!pid)
			_exit(0);
		waitpid(pid, 0, 0);
		usleep(1000000 / rate);
	}
}

static void orphans(int n, int batch)
{
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
	sleep(1);
}

static pid_t daemon_with_child(pid_t *child)
{
	int tell[2], in[2], out[2];
	pid_t daemon;

	if (pipe(tell))
		_exit(1);
	daemon = must_fork();
	if (!daemon) {
		if (pipe(in) || pipe(out))
			_exit(1);
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
		printf("%.0f\n", now() - begin);
		fflush(stdout);
		close(p.fd);
		waitpid(daemon, 0, 0);
	}
}

int main(int argc, char **argv)
{
	const char *mode = argc > 2 ? argv[1] : "";

	if (!strcmp(mode, "crowd") && argc > 3) {
		crowd(atoi(argv[2]));
		execvp(argv[3], argv + 3);
		perror(argv[3]);
	} else if (!strcmp(mode, "fork") && argc == 4) {
		forks(atoi(argv[2]), atoi(argv[3]));
		return 0;
	} else if (!strcmp(mode, "orphans") && argc == 4) {
		orphans(atoi(argv[2]), atoi(argv[3]));
		return 0;
	} else if (!strcmp(mode, "deaths")) {
		deaths(atoi(argv[2]));
		return 0;
	}
	return 1;
}
