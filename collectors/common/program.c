/* SPDX-License-Identifier: BSD-3-Clause */
/* Starting the measured program, with a library before its own. */
#include <config.h>

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collectors/common/program.h"

/* ---- checks before ------------------------------------------------------------------------------ */

char *collectors_find_program(const struct perun_collect_job *job)
{
	return perun_find_program(job->argv[0], job->directory);
}

/* Whether a file names a dynamic linker, which loads our library. */
static bool has_linker(int file, const Elf64_Ehdr *header)
{
	Elf64_Phdr segment;

	for (int i = 0; i < header->e_phnum && i < 256; i++) {
		off_t at = (off_t)(header->e_phoff + (uint64_t)i * sizeof segment);

		if (pread(file, &segment, sizeof segment, at) != sizeof segment)
			break;
		if (segment.p_type == PT_INTERP)
			return true;
	}
	return false;
}

static int check_file(struct perun_ctx *ctx, const char *path, int file, const char *what)
{
	Elf64_Ehdr header = {0}, own = {0};
	struct stat facts;
	ssize_t length = pread(file, &header, sizeof header, 0);
	int self;

	if (length < (ssize_t)sizeof header || memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
		return PERUN_OK; /* a script, say: its interpreter is traced */
	self = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	if (self >= 0) {
		length = pread(self, &own, sizeof own, 0);
		close(self);
		if (length == sizeof own && (own.e_machine != header.e_machine ||
					     own.e_ident[EI_CLASS] != header.e_ident[EI_CLASS]))
			return perun_fail(ctx, PERUN_INPUT,
					  "%s is of another architecture than Perun: %s cannot be "
					  "traced",
					  path, what);
	}
	if (header.e_ident[EI_CLASS] == ELFCLASS64 && !has_linker(file, &header))
		return perun_fail(ctx, PERUN_INPUT,
				  "%s is statically linked: %s can be traced only if the C library "
				  "is a shared one",
				  path, what);
	if (fstat(file, &facts) == 0 && facts.st_mode & S_ISUID && facts.st_uid != geteuid())
		return perun_fail(
			ctx, PERUN_INPUT,
			"%s runs with the rights of another user (set-user-ID): the system "
			"loads no library before it; run as that user",
			path);
	return PERUN_OK;
}

int collectors_check_preload(struct perun_ctx *ctx, const struct perun_collect_job *job,
			     const char *what)
{
	char *path = collectors_find_program(job);
	int file, status = PERUN_OK;

	if (!path)
		return perun_fail(ctx, PERUN_MISSING, "cannot run %s: it was not found",
				  job->argv[0]);
	file = open(path, O_RDONLY | O_CLOEXEC);
	if (file >= 0) {
		status = check_file(ctx, path, file, what);
		close(file);
	}
	perun_free(path);
	return status;
}

/* ---- the run ------------------------------------------------------------------------------------ */

/* The children of one thread, as proc(5) lists them; the kernel may not. */
static void kill_children(pid_t pid, const char *thread)
{
	char path[64], number[16];
	FILE *list;
	long child;

	snprintf(path, sizeof path, "/proc/%d/task/%.12s/children", (int)pid, thread);
	list = fopen(path, "re");
	while (list && fscanf(list, "%15s", number) == 1) {
		child = strtol(number, NULL, 10);
		if (child > 0)
			collectors_kill((pid_t)child);
	}
	if (list)
		fclose(list);
}

void collectors_kill(pid_t pid)
{
	char path[32];
	struct dirent *thread;
	DIR *threads;

	kill(pid, SIGSTOP);
	snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
	threads = opendir(path);
	while (threads && (thread = readdir(threads)))
		if (*thread->d_name != '.')
			kill_children(pid, thread->d_name);
	if (threads)
		closedir(threads);
	kill(pid, SIGKILL);
}

static int watch(struct perun_ctx *ctx, const struct collectors_start *start,
		 struct collectors_child *child)
{
	int status;

	child->watched = (int)syscall(SYS_pidfd_open, child->pid, 0);
	if (child->watched >= 0 || start->unwatched)
		return PERUN_OK;
	status = perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot watch process %d",
				  (int)child->pid);
	kill(child->pid, SIGKILL);
	collectors_finish(child, NULL);
	return status;
}

static void dismiss_starter(struct collectors_child *child)
{
	if (!child->kept)
		collectors_close_starter(&child->starter);
}

/* `report` is what its starter said last, NULL = nothing: it is gone. */
static int could_not_run(struct perun_ctx *ctx, const struct collectors_start *start,
			 const struct start_report *report, struct collectors_child *child)
{
	child->waits = false;
	if (report && report->process > 0)
		child->pid = report->process;
	if (child->pid > 0)
		collectors_finish(child, NULL);
	if (report)
		return perun_fail_errno(ctx, PERUN_MISSING, report->reason, "cannot run %s",
					start->job->argv[0]);
	if (perun_cancelled(ctx))
		return PERUN_CANCELLED;
	return perun_fail(ctx, PERUN_MISSING, "cannot run %s: perun-start has ended",
			  start->job->argv[0]);
}

/* Let the starter make a child, or let one go. */
static int request(struct perun_ctx *ctx, const struct collectors_start *start, char wanted,
		   struct collectors_child *child)
{
	struct start_report report;

	if (!starter_ask(&child->starter, wanted, &report))
		return could_not_run(ctx, start, NULL, child);
	if (report.subject == START_FAILED)
		return could_not_run(ctx, start, &report, child);
	child->pid = report.process;
	child->waits = report.subject == START_MADE;
	child->started = report.time;
	child->switches = report.switches;
	return PERUN_OK;
}

int collectors_start(struct perun_ctx *ctx, const struct collectors_start *start,
		     struct collectors_child *child)
{
	int status = PERUN_OK;

	*child = (struct collectors_child){.pid = -1, .watched = -1, .kept = start->starter};
	if (child->kept)
		child->starter = *start->starter;
	else
		status = collectors_open_starter(ctx, start, &child->starter);
	if (!status)
		status = request(ctx, start, start->held ? START_HELD : START_NOW, child);
	if (!status)
		status = watch(ctx, start, child);
	if (!child->waits)
		dismiss_starter(child);
	return status;
}

int collectors_go(struct perun_ctx *ctx, const struct collectors_start *start,
		  struct collectors_child *child)
{
	int status = request(ctx, start, START_NOW, child);

	dismiss_starter(child);
	return status;
}

int collectors_finish(struct collectors_child *child, struct rusage *usage)
{
	struct start_report report;
	int status = 0;

	/* The starter of one that was killed while it waited says so. */
	if (child->waits)
		starter_hear(&child->starter, &report);
	child->waits = false;
	dismiss_starter(child);
	if (child->watched >= 0)
		close(child->watched);
	child->watched = -1;
	while (wait4(child->pid, &status, 0, usage) < 0 && errno == EINTR)
		;
	if (usage && usage->ru_nvcsw >= child->switches)
		usage->ru_nvcsw -= child->switches;
	return status;
}

/* The end of what the program wrote to standard error, as one line. The caller frees it. */
static char *error_tail(const char *path)
{
	char text[401];
	int file = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t length = 0;

	if (file >= 0) {
		off_t size = lseek(file, 0, SEEK_END);

		length = pread(file, text, sizeof text - 1, size > 400 ? size - 400 : 0);
		close(file);
	}
	if (length < 0)
		length = 0;
	while (length > 0 && strchr("\n\r ", text[length - 1]))
		length--;
	text[length] = '\0';
	for (char *c = text; *c; c++)
		if (*c == '\n')
			*c = ' ';
	return perun_printable(text);
}

int collectors_judge(struct perun_ctx *ctx, const struct collectors_start *start, int wait_status,
		     const char *advice)
{
	const char *program = start->job->argv[0], *says = "; its standard error ends with: ";
	char *tail;

	if (wait_status == 0)
		return PERUN_OK;
	tail = error_tail(start->error_path);
	if (!*tail && start->output_path) { /* as of go test, which says there what failed */
		perun_free(tail);
		tail = error_tail(start->output_path);
		says = "; its output ends with: ";
	}
	if (WIFSIGNALED(wait_status))
		perun_fail(ctx, PERUN_INPUT, "%s was killed by signal %d (%s)%s%s%s", program,
			   WTERMSIG(wait_status), strsignal(WTERMSIG(wait_status)), advice,
			   *tail ? says : "", tail);
	else
		perun_fail(ctx, PERUN_INPUT, "%s exited with %d%s%s%s", program,
			   WEXITSTATUS(wait_status), advice, *tail ? says : "", tail);
	perun_free(tail);
	return PERUN_INPUT;
}
