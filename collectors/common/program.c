/* SPDX-License-Identifier: BSD-3-Clause */
/* Starting the measured program, with a library before its own. */
#include <config.h>

#include <dirent.h>
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collectors/common/clock.h"
#include "collectors/common/program.h"
#include "collectors/common/start/start.h"

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

int collectors_find_library(struct perun_ctx *ctx, const char *name, const char *variable,
			    char **path)
{
	const char *given = secure_getenv(variable), *slash;
	Dl_info info;

	*path = NULL;
	if (given && *given) {
		*path = perun_strdup(given);
	} else if (dladdr((void *)(uintptr_t)collectors_find_library, &info) && info.dli_fname) {
		slash = strrchr(info.dli_fname, '/');
		*path = perun_format("%.*s/%s", slash ? (int)(slash - info.dli_fname) : 1,
				     slash ? info.dli_fname : ".", name);
	}
	if (!*path || access(*path, R_OK) != 0) {
		perun_free(*path);
		*path = perun_format("%s/%s", COLLECTORS_PLUGIN_FOLDER, name);
	}
	if (access(*path, R_OK) == 0)
		return PERUN_OK;
	return perun_fail(
		ctx, PERUN_MISSING,
		"the library %s is missing; install it beside the plugin, or set %s to its "
		"path",
		name, variable);
}

/* ---- the run ------------------------------------------------------------------------------------ */

/*
 * In the child, between fork and exec: only calls that are safe there, and nothing of the parent is
 * changed, whose memory it may share. Fails with errno.
 */
static bool prepare(const struct collectors_start *start, pid_t parent)
{
	const char *given = start->input_path ? start->input_path : start->job->input;
	int input = open(given ? given : "/dev/null", O_RDONLY | O_CLOEXEC);
	int output = open(start->output_path ? start->output_path : "/dev/null",
			  O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	int error = open(start->error_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	cpu_set_t set;

	if (start->processor) {
		CPU_ZERO(&set);
		CPU_SET(*start->processor, &set);
		sched_setaffinity(0, sizeof set, &set);
	}
	if (!collectors_end_with(parent))
		return false;
	if (input < 0 || output < 0 || error < 0 || dup2(input, 0) < 0 || dup2(output, 1) < 0 ||
	    dup2(error, 2) < 0 || (start->job->directory && chdir(start->job->directory) != 0))
		return false;
	signal(SIGPIPE, SIG_DFL);
	return true;
}

/* What is handled gets its default again, as in the program; what is ignored stays so. */
static void forget_handlers(void)
{
	struct sigaction action;

	for (int number = 1; number < NSIG; number++) {
		if (sigaction(number, NULL, &action) == 0 && action.sa_handler != SIG_IGN &&
		    action.sa_handler != SIG_DFL)
			signal(number, SIG_DFL);
	}
}

/*
 * perun-start, with its descriptors open. The parent sleeps until it runs; `*reason` is why it does not (errno), 0 = it does.
 * No signal is handled in the child: it would be in the parent's memory.
 */
__attribute__((noinline)) static pid_t start_starter(const struct collectors_start *start,
						     char **arguments, const int files[2],
						     volatile int *reason)
{
	sigset_t all, before;
	pid_t parent = getpid(), child;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	child = vfork();
	if (child == 0) {
		if (prepare(start, parent) && fcntl(files[0], F_SETFD, 0) == 0 &&
		    fcntl(files[1], F_SETFD, 0) == 0) {
			forget_handlers();
			sigprocmask(SIG_SETMASK, &before, NULL);
			execv(arguments[0], arguments);
		}
		*reason = errno;
		_exit(127);
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	return child;
}

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

static void close_pipes(struct collectors_child *child)
{
	if (child->gate >= 0)
		close(child->gate);
	if (child->report >= 0)
		close(child->report);
	child->gate = child->report = -1;
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

static int could_not_run(struct perun_ctx *ctx, const struct collectors_start *start, int reason,
			 struct collectors_child *child)
{
	if (child->pid > 0)
		collectors_finish(child, NULL);
	return perun_fail_errno(ctx, PERUN_MISSING, reason, "cannot run %s", start->job->argv[0]);
}

/* perun-start's arguments: see start.h. `numbers` holds three of them; the list is the caller's to free, not its texts. */
static char **starter_arguments(const struct collectors_start *start, char *program,
				char numbers[3][16], const int files[2])
{
	const char *const *lists[] = {start->variables, start->job->environment};
	size_t count = 0, used = 5, words = 0;
	char **arguments;

	for (size_t l = 0; l < 2; l++)
		for (size_t i = 0; lists[l] && lists[l][i]; i++)
			count++;
	while (start->job->argv[words])
		words++;
	snprintf(numbers[0], sizeof numbers[0], "%d", files[0]);
	snprintf(numbers[1], sizeof numbers[1], "%d", files[1]);
	snprintf(numbers[2], sizeof numbers[2], "%zu", count);
	arguments = perun_alloc_zero(6 + count + words, sizeof *arguments);
	arguments[0] = program;
	arguments[1] = numbers[0];
	arguments[2] = numbers[1];
	arguments[3] = (char *)(start->preload ? start->preload : "");
	arguments[4] = numbers[2];
	for (size_t l = 0; l < 2; l++)
		for (size_t i = 0; lists[l] && lists[l][i]; i++)
			arguments[used++] = (char *)lists[l][i];
	memcpy(arguments + used, start->job->argv, words * sizeof *arguments);
	return arguments;
}

/* The next report of a child that is being started. False = there is none: it is the program, or ended. */
static bool next_report(const struct collectors_child *child, struct start_report *report)
{
	ssize_t length;

	while ((length = read(child->report, report, sizeof *report)) < 0 && errno == EINTR)
		;
	return length == sizeof *report;
}

/* `files`: the starter's ends of both pipes, which are closed here. */
static int run_starter(struct perun_ctx *ctx, const struct collectors_start *start, char *program,
		       const int files[2], struct collectors_child *child)
{
	volatile int reason = 0;
	struct start_report report;
	char numbers[3][16], **arguments = starter_arguments(start, program, numbers, files);
	pid_t starter = start_starter(start, arguments, files, &reason);

	if (starter < 0)
		reason = errno;
	close(files[0]);
	close(files[1]);
	perun_free(arguments);
	if (!reason) {
		if (!next_report(child, &report))
			reason = ECHILD;
		else if (report.subject == START_MADE)
			child->pid = report.number;
		else
			reason = report.number;
	}
	while (starter > 0 && waitpid(starter, NULL, 0) < 0 && errno == EINTR)
		;
	return reason ? could_not_run(ctx, start, reason, child) : PERUN_OK;
}

static int make_child(struct perun_ctx *ctx, const struct collectors_start *start, char *program,
		      struct collectors_child *child)
{
	int gate[2], report[2];

	if (pipe2(gate, O_CLOEXEC) != 0)
		return perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot make a pipe");
	if (pipe2(report, O_CLOEXEC) != 0) {
		close(gate[0]);
		close(gate[1]);
		return perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot make a pipe");
	}
	child->gate = gate[1];
	child->report = report[0];
	return run_starter(ctx, start, program, (const int[]){report[1], gate[0]}, child);
}

int collectors_start(struct perun_ctx *ctx, const struct collectors_start *start,
		     struct collectors_child *child)
{
	char *program;
	int status = collectors_find_library(ctx, "perun-start", "PERUN_START_PROGRAM", &program);

	*child = (struct collectors_child){.pid = -1, .watched = -1, .gate = -1, .report = -1};
	if (!status)
		status = make_child(ctx, start, program, child);
	perun_free(program);
	if (!status)
		status = watch(ctx, start, child);
	if (!status && !start->held)
		status = collectors_go(ctx, start, child);
	if (child->pid < 0)
		close_pipes(child);
	return status;
}

int collectors_go(struct perun_ctx *ctx, const struct collectors_start *start,
		  struct collectors_child *child)
{
	struct start_report report = {.subject = START_FAILED, .number = ECHILD};

	close(child->gate);
	child->gate = -1;
	if (next_report(child, &report) && report.subject == START_RUNS) {
		child->started = report.time;
		if (!next_report(child, &report))
			return PERUN_OK;
	}
	return could_not_run(ctx, start, report.number, child);
}

int collectors_finish(struct collectors_child *child, struct rusage *usage)
{
	int status = 0;

	close_pipes(child);
	if (child->watched >= 0)
		close(child->watched);
	child->watched = -1;
	while (wait4(child->pid, &status, 0, usage) < 0 && errno == EINTR)
		;
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
