/* SPDX-License-Identifier: BSD-3-Clause */
/* Commands of the shell that a configuration names: builds, generators, hooks. */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <perun/lib/program.h>

#include "core/context/clock.h"

#define PATIENCE_SECONDS 0.7 /* between asking to end and killing */

/* A file of no name that holds the text, for standard input; a pipe could block the writer. */
static int open_input(const char *text)
{
	size_t length = text ? strlen(text) : 0;
	int file;

	if (length == 0)
		return open("/dev/null", O_RDONLY | O_CLOEXEC);
	file = memfd_create("input", MFD_CLOEXEC);
	for (size_t done = 0; file >= 0 && done < length;) {
		ssize_t count = write(file, text + done, length - done);

		if (count < 0 && errno != EINTR) {
			close(file);
			file = -1;
		}
		done += count > 0 ? (size_t)count : 0;
	}
	if (file >= 0)
		lseek(file, 0, SEEK_SET);
	return file;
}

/* Whether the terminal listens to us. A group in the background is stopped when it asks for a password. */
static bool is_foreground(void)
{
	int terminal = open("/dev/tty", O_RDWR | O_CLOEXEC);
	bool ours = terminal >= 0 && tcgetpgrp(terminal) == getpgrp();

	if (terminal >= 0)
		close(terminal);
	return ours;
}

static _Noreturn void become_shell(const struct perun_shell *shell, int input, pid_t parent,
				   bool apart)
{
	if (apart)
		setpgid(0, 0);
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	/* A parent killed by SIGKILL cannot forward signals. */
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent || chdir(shell->directory) != 0)
		_exit(126);
	dup2(input, STDIN_FILENO);
	if (shell->log >= 0)
		dup2(shell->log, STDERR_FILENO);
	dup2(STDERR_FILENO, STDOUT_FILENO);
	for (const char *const *word = shell->environment; word && *word; word++)
		putenv((char *)*word);
	execl("/bin/sh", "sh", "-c", shell->command, (char *)NULL);
	_exit(127);
}

/* Wait; the signals that ask to stop restart waitpid(), so it is asked again and again. */
static int wait_for(struct perun_ctx *ctx, pid_t child, bool apart, int *code)
{
	pid_t whom = apart ? -child : child;
	struct timespec pause = {.tv_nsec = 500000};
	double asked = 0;
	bool killed = false;

	for (;;) {
		pid_t ended = waitpid(child, code, WNOHANG);

		if (ended == child)
			break;
		if (ended < 0 && errno != EINTR)
			return -1;
		if (asked == 0 && perun_cancelled(ctx)) {
			asked = clock_now();
			kill(whom, SIGTERM);
		} else if (asked > 0 && !killed && clock_now() - asked > PATIENCE_SECONDS) {
			killed = true;
			kill(whom, SIGKILL);
		}
		nanosleep(&pause, NULL);
		if (pause.tv_nsec < 20000000)
			pause.tv_nsec += pause.tv_nsec / 4;
	}
	return 0;
}

int perun_shell_run(struct perun_ctx *ctx, const struct perun_shell *shell, int *code)
{
	pid_t parent = getpid(), child;
	int input = open_input(shell->input), state = 0, status = PERUN_OK;
	bool apart = !is_foreground();

	*code = -1;
	child = input < 0 ? -1 : fork();
	if (child == 0)
		become_shell(shell, input, parent, apart);
	if (child > 0 && apart)
		setpgid(child, child);
	if (child < 0 || wait_for(ctx, child, apart, &state) != 0)
		status = perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot start a shell");
	else
		*code = WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state);
	if (input >= 0)
		close(input);
	if (status)
		return status;
	if (perun_cancelled(ctx))
		return perun_fail(ctx, PERUN_CANCELLED, "interrupted");
	return PERUN_OK;
}
