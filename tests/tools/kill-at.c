/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Kills a program at one of its system calls that write: kill-at [-f] N COMMAND ARGUMENT...
 *
 * Runs the command, and kills it with SIGKILL when it is about to make its N-th (from 1) system call
 * that creates, writes, renames, removes, links or flushes files, or starts or awaits a process. With
 * -f the calls of the processes that it starts are counted too, and all are killed; otherwise these
 * may finish, and are awaited. The exit code is that of the command, 137 when it was killed, 125 when
 * tracing is not possible here.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>
#include <linux/ptrace.h>

enum { MAX_TRACED = 256 };

static pid_t traced[MAX_TRACED];
static size_t traced_count;

/* Whether openat2() may make a file: its flags are the first word of its structure. */
static bool creates(pid_t process, uint64_t structure)
{
	uint64_t flags = 0;
	struct iovec local = {&flags, sizeof(flags)},
		     remote = {(void *)(uintptr_t)structure, sizeof(flags)};

	return process_vm_readv(process, &local, 1, &remote, 1, 0) == sizeof(flags) &&
	       flags & O_CREAT;
}

static bool is_writing(pid_t process, const struct ptrace_syscall_info *info)
{
	static const long calls[] = {
#ifdef SYS_rename
		SYS_rename,    SYS_unlink,   SYS_mkdir,     SYS_rmdir,     SYS_link,
		SYS_creat,     SYS_fork,     SYS_vfork,     SYS_symlink,
#endif
		SYS_write,     SYS_pwrite64, SYS_writev,    SYS_renameat2, SYS_unlinkat,
		SYS_mkdirat,   SYS_linkat,   SYS_symlinkat, SYS_fsync,     SYS_fdatasync,
		SYS_ftruncate, SYS_clone,    SYS_wait4,
#ifdef SYS_renameat
		SYS_renameat,
#endif
#ifdef SYS_clone3
		SYS_clone3,
#endif
	};
	long number = (long)info->entry.nr;

	if (number == SYS_openat)
		return info->entry.args[2] & O_CREAT;
#ifdef SYS_openat2
	if (number == SYS_openat2)
		return creates(process, info->entry.args[2]);
#endif
	if (number == SYS_write && info->entry.args[0] <= 2)
		return false;
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		if (calls[i] == number)
			return true;
	return false;
}

static void forget(pid_t process)
{
	for (size_t i = 0; i < traced_count; i++)
		if (traced[i] == process)
			traced[i--] = traced[--traced_count];
}

static void remember(pid_t process)
{
	forget(process);
	if (traced_count < MAX_TRACED)
		traced[traced_count++] = process;
}

/* Whether the process is before a call that writes. */
static bool stands_before_write(pid_t process)
{
	struct ptrace_syscall_info info = {0};

	return ptrace(PTRACE_GET_SYSCALL_INFO, process, sizeof(info), &info) > 0 &&
	       info.op == PTRACE_SYSCALL_INFO_ENTRY && is_writing(process, &info);
}

static void kill_all(void)
{
	for (size_t i = 0; i < traced_count; i++)
		kill(traced[i], SIGKILL);
}

/* Wait for everything that is left, so that nothing goes on behind the caller's back. */
static int finish(int code, bool killed)
{
	for (;;) {
		int state;
		pid_t process = waitpid(-1, &state, __WALL);

		if (process < 0 && errno != EINTR)
			return code;
		if (process <= 0 || !WIFSTOPPED(state))
			continue;
		if (killed)
			kill(process, SIGKILL);
		else
			ptrace(PTRACE_DETACH, process, NULL, 0);
	}
}

static int run(pid_t child, long target, bool follow)
{
	long options = PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL;
	bool killed = false;
	long seen = 0;

	if (follow)
		options |= PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE;
	for (;;) {
		int state, deliver = 0;
		pid_t process = waitpid(-1, &state, __WALL);

		if (process < 0 && errno == EINTR)
			continue;
		if (process < 0)
			return killed ? 137 : 125;
		if (WIFEXITED(state) || WIFSIGNALED(state)) {
			forget(process);
			if (process != child)
				continue;
			if (killed || WIFSIGNALED(state))
				return finish(killed ? 137 : 128 + WTERMSIG(state), killed);
			return finish(WEXITSTATUS(state), false);
		}
		if (killed) {
			/* One that was just being started and was not known yet. */
			kill(process, SIGKILL);
			continue;
		}
		remember(process);
		if (WSTOPSIG(state) == (SIGTRAP | 0x80)) {
			if (stands_before_write(process) && ++seen == target) {
				killed = true;
				kill_all();
				continue;
			}
		} else if (WSTOPSIG(state) == SIGSTOP || state >> 16) {
			ptrace(PTRACE_SETOPTIONS, process, NULL, options);
		} else if (WSTOPSIG(state) != SIGTRAP) {
			deliver = WSTOPSIG(state);
		}
		ptrace(PTRACE_SYSCALL, process, NULL, deliver);
	}
}

int main(int argc, char **argv)
{
	bool follow = argc > 1 && !strcmp(argv[1], "-f");
	int first = follow ? 2 : 1;
	pid_t child;

	if (argc < first + 2)
		return fputs("usage: kill-at [-f] N COMMAND ARGUMENT...\n", stderr), 2;
	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	child = fork();
	if (child == 0) {
		if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) < 0)
			_exit(125);
		/* The leak sanitizer cannot work under ptrace. */
		setenv("ASAN_OPTIONS", "detect_leaks=0", 1);
		raise(SIGSTOP);
		execvp(argv[first + 1], argv + first + 1);
		_exit(127);
	}
	if (child < 0)
		return 125;
	remember(child);
	return run(child, strtol(argv[first], NULL, 10), follow);
}
