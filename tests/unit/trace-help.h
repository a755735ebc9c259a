/* SPDX-License-Identifier: BSD-3-Clause */
/* Running a function in a child whose writing system calls are counted, cut off or made to fail. */
#ifndef PERUN_TESTS_UNIT_TRACE_HELP_H
#define PERUN_TESTS_UNIT_TRACE_HELP_H

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/ptrace.h>

/* A system call that changes files. */
struct trace_event {
	char kind; /* o open for writing, w write, r rename, f flush, u unlink, d mkdir, t other */
	char path[200]; /* of r: the new name; of u, o, d: the name */
};

enum trace_action { TRACE_COUNT, TRACE_KILL, TRACE_FULL };

struct trace {
	/* In: at writing call number `at` (from 1) kill, or let it and all later ones fail: ENOSPC. */
	enum trace_action action;
	unsigned at;
	/* Out. */
	unsigned count; /* of writing calls seen */
	bool killed, unsupported;
	int status; /* what the function returned */
	struct trace_event *events;
};

static void trace_read_text(pid_t process, uint64_t address, char *text, size_t size)
{
	struct iovec local = {text, size - 1}, remote = {(void *)(uintptr_t)address, size - 1};
	ssize_t got = process_vm_readv(process, &local, 1, &remote, 1, 0);

	/* The text may end just before memory that is not there. */
	for (size_t want = size - 1; got < 0 && want > 1; want /= 2) {
		local.iov_len = remote.iov_len = want / 2;
		got = process_vm_readv(process, &local, 1, &remote, 1, 0);
	}
	text[got > 0 ? got : 0] = '\0';
}

static char trace_kind_of_open(uint64_t flags)
{
	return (flags & O_ACCMODE) != O_RDONLY || flags & (O_CREAT | O_TRUNC) ? 'o' : 0;
}

/* The flags of openat2(), the first word of its structure. */
static uint64_t trace_flags(pid_t process, uint64_t address)
{
	uint64_t flags = 0;
	struct iovec local = {&flags, sizeof flags};
	struct iovec remote = {(void *)(uintptr_t)address, sizeof flags};

	return process_vm_readv(process, &local, 1, &remote, 1, 0) == sizeof flags ? flags : 0;
}

/* The path of an argument, with the directory of the descriptor before it where it is relative to one. */
static void trace_read_path(pid_t process, const struct ptrace_syscall_info *info, int argument,
			    char *path, size_t size)
{
	char link[64];
	ssize_t length = 0;

	trace_read_text(process, info->entry.args[argument], path, size);
	if (path[0] == '/' || argument == 0 || (int)info->entry.args[argument - 1] == AT_FDCWD)
		return;
	snprintf(link, sizeof link, "/proc/%d/fd/%d", (int)process,
		 (int)info->entry.args[argument - 1]);
	length = readlink(link, path, size - 1);
	length = length > 0 && (size_t)length < size - 2 ? length : 0;
	path[length] = '/';
	trace_read_text(process, info->entry.args[argument], path + length + 1,
			size - (size_t)length - 1);
}

/* What kind of writing call it is, 0 for any other; `*argument` is that of its path. */
static char trace_kind(pid_t process, const struct ptrace_syscall_info *info, int *argument)
{
	const __u64 *args = info->entry.args;

	*argument = -1;
	switch (info->entry.nr) {
#ifdef SYS_open
	case SYS_open:
		*argument = 0;
		return trace_kind_of_open(args[1]);
	case SYS_creat:
		return 'o';
	case SYS_rename:
		*argument = 1;
		return 'r';
	case SYS_unlink:
		*argument = 0;
		return 'u';
	case SYS_mkdir:
		*argument = 0;
		return 'd';
	case SYS_rmdir:
	case SYS_link:
	case SYS_symlink:
	case SYS_chmod:
		return 't';
#endif
	case SYS_openat:
		*argument = 1;
		return trace_kind_of_open(args[2]);
	case SYS_openat2:
		*argument = 1;
		return trace_kind_of_open(trace_flags(process, args[2]));
	case SYS_write:
	case SYS_pwrite64:
	case SYS_writev:
	case SYS_pwritev:
		return args[0] > 2 ? 'w' : 0;
	case SYS_renameat:
	case SYS_renameat2:
		*argument = 3;
		return 'r';
	case SYS_unlinkat:
		*argument = 1;
		return 'u';
	case SYS_mkdirat:
		*argument = 1;
		return 'd';
	case SYS_fsync:
	case SYS_fdatasync:
	case SYS_syncfs:
	case SYS_sync:
		return 'f';
	case SYS_linkat:
	case SYS_symlinkat:
	case SYS_ftruncate:
	case SYS_truncate:
	case SYS_fallocate:
	case SYS_fchmod:
	case SYS_fchmodat:
	case SYS_utimensat:
	case SYS_copy_file_range:
	case SYS_sendfile:
		return 't';
	default:
		return 0;
	}
}

/* Instead of the system call that is about to begin, one that does not exist. */
static bool trace_skip_call(pid_t thread)
{
#ifdef __x86_64__
	return ptrace(PTRACE_POKEUSER, thread, offsetof(struct user, regs.orig_rax), -1L) == 0;
#else
	(void)thread;
	return false;
#endif
}

static void trace_set_result(pid_t thread, long result)
{
#ifdef __x86_64__
	ptrace(PTRACE_POKEUSER, thread, offsetof(struct user, regs.rax), result);
#else
	(void)thread, (void)result;
#endif
}

/* Threads whose current call was replaced. */
struct trace_threads {
	pid_t failing[64];
};

static bool *trace_failing(struct trace_threads *threads, pid_t thread)
{
	static bool flags[64];
	size_t i;

	for (i = 0; i < 63 && threads->failing[i] && threads->failing[i] != thread; i++)
		;
	threads->failing[i] = thread;
	return &flags[i];
}

static void trace_call(struct trace *trace, struct trace_threads *threads, pid_t child,
		       pid_t thread)
{
	struct ptrace_syscall_info info;
	bool *failing = trace_failing(threads, thread);
	int argument;
	char kind;

	if (ptrace(PTRACE_GET_SYSCALL_INFO, thread, sizeof info, &info) <= 0)
		return;
	if (info.op == PTRACE_SYSCALL_INFO_EXIT && *failing) {
		trace_set_result(thread, -ENOSPC);
		*failing = false;
	}
	if (info.op != PTRACE_SYSCALL_INFO_ENTRY || !(kind = trace_kind(thread, &info, &argument)))
		return;
	trace->events = realloc(trace->events, (trace->count + 1) * sizeof(struct trace_event));
	trace->events[trace->count].kind = kind;
	trace->events[trace->count].path[0] = '\0';
	if (argument >= 0)
		trace_read_path(thread, &info, argument, trace->events[trace->count].path,
				sizeof trace->events[0].path);
	trace->count++;
	if (trace->action == TRACE_KILL && trace->count == trace->at)
		kill(child, SIGKILL);
	/* A full disk still lets names be removed and flushes succeed. */
	if (trace->action == TRACE_FULL && trace->count >= trace->at && kind != 'u' && kind != 'f')
		*failing = trace_skip_call(thread);
}

static void trace_watch(struct trace *trace, pid_t child)
{
	struct trace_threads threads = {{0}};
	int status;
	pid_t thread;

	while ((thread = waitpid(-1, &status, __WALL)) > 0) {
		int stop = WIFSTOPPED(status) ? WSTOPSIG(status) : 0, give = 0;

		if (thread == child && (WIFEXITED(status) || WIFSIGNALED(status))) {
			trace->killed = WIFSIGNALED(status);
			trace->status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
			break;
		}
		if (!WIFSTOPPED(status))
			continue;
		if (stop == (SIGTRAP | 0x80))
			trace_call(trace, &threads, child, thread);
		else if (stop != SIGTRAP && stop != SIGSTOP)
			give = stop;
		ptrace(PTRACE_SYSCALL, thread, 0, (void *)(intptr_t)give);
	}
	while (waitpid(-1, &status, __WALL | WNOHANG) > 0)
		;
}

/* Run `body` in a child; `trace` says what is to happen. */
static void trace_run(struct trace *trace, int (*body)(void *data), void *data)
{
	const long options = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL;
	pid_t child;
	int status;

	fflush(NULL);
	child = fork();
	if (child == 0) {
		if (ptrace(PTRACE_TRACEME, 0, 0, 0) != 0)
			_exit(99);
		raise(SIGSTOP);
		_exit(body(data));
	}
	if (waitpid(child, &status, 0) != child || !WIFSTOPPED(status) ||
	    ptrace(PTRACE_SETOPTIONS, child, 0, (void *)options) != 0) {
		trace->unsupported = true;
		kill(child, SIGKILL);
		waitpid(child, &status, 0);
		return;
	}
	ptrace(PTRACE_SYSCALL, child, 0, 0);
	trace_watch(trace, child);
}

#endif
