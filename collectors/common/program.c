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
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collectors/common/clock.h"
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

/* Whether one of the lists sets the variable of "NAME=VALUE". */
static bool is_set(const char *const *const lists[2], const char *variable)
{
	size_t length = strcspn(variable, "=") + 1;

	for (size_t l = 0; l < 2; l++)
		for (size_t i = 0; lists[l] && lists[l][i]; i++)
			if (strncmp(lists[l][i], variable, length) == 0)
				return true;
	return false;
}

/* The environment with additions; its texts are borrowed, except `*preload` (NULL without one). */
static char **make_environment(const struct collectors_start *start, char **preload)
{
	const char *const *lists[] = {start->variables, start->job->environment};
	const char *before = getenv("LD_PRELOAD");
	size_t count = 0, used = 0;
	char **environment;

	while (environ[count])
		count++;
	for (size_t l = 0; l < 2; l++)
		for (size_t i = 0; lists[l] && lists[l][i]; i++)
			count++;
	environment = perun_alloc_zero(count + 2, sizeof *environment);
	*preload = NULL;
	if (start->preload)
		environment[used++] = *preload =
			perun_format("LD_PRELOAD=%s%s%s", start->preload,
				     before && *before ? ":" : "", before ? before : "");
	for (size_t l = 0; l < 2; l++)
		for (size_t i = 0; lists[l] && lists[l][i]; i++)
			environment[used++] = (char *)lists[l][i];
	for (size_t i = 0; environ[i]; i++)
		if ((!start->preload || strncmp(environ[i], "LD_PRELOAD=", 11) != 0) &&
		    !is_set(lists, environ[i]))
			environment[used++] = environ[i];
	return environment;
}

bool collectors_end_with(pid_t parent)
{
	/* The second question is for a parent that ended before it could be named. */
	return prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && getppid() == parent;
}

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

/* A child that waits until its gate is closed. */
static void become_held(const struct collectors_start *start, char **environment, pid_t parent,
			int gate, int report)
{
	char go;
	int reason;

	if (prepare(start, parent)) {
		while (read(gate, &go, 1) < 0 && errno == EINTR)
			;
		execvpe(start->job->argv[0], start->job->argv, environment);
	}
	reason = errno;
	if (write(report, &reason, sizeof reason) < 0)
		_exit(126);
	_exit(127);
}

/* What a child leaves in the memory that it shares until it becomes the program. */
struct shared {
	uint64_t started;
	int reason; /* errno; 0 = it is the program */
};

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

/* The parent sleeps meanwhile. No signal is handled in the child: it would be in the parent's memory. */
__attribute__((noinline)) static pid_t start_shared(const struct collectors_start *start,
						    char **environment,
						    volatile struct shared *shared)
{
	sigset_t all, before;
	pid_t parent = getpid(), child;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	child = vfork();
	if (child == 0) {
		if (prepare(start, parent)) {
			forget_handlers();
			sigprocmask(SIG_SETMASK, &before, NULL);
			shared->started = collectors_clock(0);
			execvpe(start->job->argv[0], start->job->argv, environment);
		}
		shared->reason = errno;
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

static void close_all(int descriptors[2])
{
	close(descriptors[0]);
	close(descriptors[1]);
}

static int could_not_run(struct perun_ctx *ctx, const struct collectors_start *start, int reason,
			 struct collectors_child *child)
{
	collectors_finish(child, NULL);
	return perun_fail_errno(ctx, PERUN_MISSING, reason, "cannot run %s", start->job->argv[0]);
}

static int start_held(struct perun_ctx *ctx, const struct collectors_start *start,
		      char **environment, struct collectors_child *child)
{
	int gate[2], report[2], status;
	pid_t parent = getpid();

	if (pipe2(gate, O_CLOEXEC) < 0)
		return perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot make a pipe");
	if (pipe2(report, O_CLOEXEC) < 0) {
		status = perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot make a pipe");
		close_all(gate);
		return status;
	}
	child->pid = fork();
	if (child->pid == 0) {
		close(gate[1]);
		become_held(start, environment, parent, gate[0], report[1]);
	}
	close(gate[0]);
	close(report[1]);
	if (child->pid < 0) {
		status = perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot make a process");
		close(gate[1]);
		close(report[0]);
		return status;
	}
	child->gate = gate[1];
	child->report = report[0];
	return PERUN_OK;
}

int collectors_start(struct perun_ctx *ctx, const struct collectors_start *start,
		     struct collectors_child *child)
{
	struct shared shared = {0};
	char *preload, **environment = make_environment(start, &preload);
	int status = PERUN_OK;

	*child = (struct collectors_child){.pid = -1, .watched = -1, .gate = -1, .report = -1};
	if (start->held) {
		status = start_held(ctx, start, environment, child);
	} else {
		child->pid = start_shared(start, environment, &shared);
		child->started = shared.started;
		if (child->pid < 0)
			status = perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot make a process");
		else if (shared.reason)
			status = could_not_run(ctx, start, shared.reason, child);
	}
	perun_free(preload);
	perun_free(environment);
	return status ? status : watch(ctx, start, child);
}

int collectors_go(struct perun_ctx *ctx, const struct collectors_start *start,
		  struct collectors_child *child)
{
	int reason = 0;

	close(child->gate);
	child->gate = -1;
	if (read(child->report, &reason, sizeof reason) == sizeof reason)
		return could_not_run(ctx, start, reason, child);
	return PERUN_OK;
}

int collectors_finish(struct collectors_child *child, struct rusage *usage)
{
	int status = 0;

	if (child->gate >= 0)
		close(child->gate);
	if (child->report >= 0)
		close(child->report);
	if (child->watched >= 0)
		close(child->watched);
	child->gate = child->report = child->watched = -1;
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
