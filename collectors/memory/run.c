/* SPDX-License-Identifier: BSD-3-Clause */
/* Starting the measured program, with a library before its own. */
#include <config.h>

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ring.h"
#include "run.h"

#define LIBRARY "perun-memory.so"

/* ---- checks before ------------------------------------------------------------------------------ */

/* The program's file as execvp() would find it. The caller frees it; NULL = not found. */
static char *find_program(const struct perun_collect_job *job)
{
	const char *name = job->argv[0], *path = getenv("PATH"), *part;

	if (strchr(name, '/'))
		return *name == '/' ? perun_strdup(name)
				    : perun_format("%s/%s", job->directory, name);
	for (part = path ? path : "/bin:/usr/bin"; *part;) {
		size_t length = strcspn(part, ":");
		char *file = perun_format("%.*s/%s", (int)length, part, name);

		if (access(file, X_OK) == 0)
			return file;
		perun_free(file);
		part += length + (part[length] == ':');
	}
	return NULL;
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

static int check_file(struct perun_ctx *ctx, const char *path, int file)
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
					  "%s is of another architecture than Perun: its memory "
					  "cannot be traced",
					  path);
	}
	if (header.e_ident[EI_CLASS] == ELFCLASS64 && !has_linker(file, &header))
		return perun_fail(ctx, PERUN_INPUT,
				  "%s is statically linked: its memory can be traced only if the "
				  "C library is a shared one",
				  path);
	if (fstat(file, &facts) == 0 && facts.st_mode & S_ISUID && facts.st_uid != geteuid())
		return perun_fail(
			ctx, PERUN_INPUT,
			"%s runs with the rights of another user (set-user-ID): the system "
			"loads no library before it; run as that user",
			path);
	return PERUN_OK;
}

int run_check(struct perun_ctx *ctx, const struct perun_collect_job *job)
{
	char *path = find_program(job);
	int file, status = PERUN_OK;

	if (!path)
		return perun_fail(ctx, PERUN_MISSING, "cannot run %s: it was not found",
				  job->argv[0]);
	file = open(path, O_RDONLY | O_CLOEXEC);
	if (file >= 0) {
		status = check_file(ctx, path, file);
		close(file);
	}
	perun_free(path);
	return status;
}

int run_find_library(struct perun_ctx *ctx, char **path)
{
	/* In the folder of the build, while it is not installed. */
	static const char *const folders[] = {MEMORY_LIBRARY_FOLDER, MEMORY_BUILT_FOLDER};
	const char *given = secure_getenv("PERUN_MEMORY_LIBRARY"), *slash;
	Dl_info info;

	*path = NULL;
	if (given && *given) {
		*path = perun_strdup(given);
	} else if (dladdr((void *)(uintptr_t)run_find_library, &info) && info.dli_fname) {
		slash = strrchr(info.dli_fname, '/');
		*path = perun_format("%.*s/" LIBRARY, slash ? (int)(slash - info.dli_fname) : 1,
				     slash ? info.dli_fname : ".");
	}
	for (size_t i = 0; i < 2 && (!*path || access(*path, R_OK) != 0); i++) {
		perun_free(*path);
		*path = perun_format("%s/" LIBRARY, folders[i]);
	}
	if (access(*path, R_OK) == 0)
		return PERUN_OK;
	return perun_fail(ctx, PERUN_MISSING,
			  "the library " LIBRARY
			  " is missing; install it beside the plugin, or set "
			  "PERUN_MEMORY_LIBRARY to its path");
}

/* ---- the run ------------------------------------------------------------------------------------ */

/* The environment with additions; its texts are borrowed, except the first two. */
static char **make_environment(const struct perun_collect_job *job, const char *library,
			       const char *session)
{
	const char *before = getenv("LD_PRELOAD");
	size_t count = 0, added = 0, used = 0;
	char **environment;

	while (environ[count])
		count++;
	while (job->environment && job->environment[added])
		added++;
	environment = perun_alloc_zero(count + added + 3, sizeof *environment);
	environment[used++] = perun_format("LD_PRELOAD=%s%s%s", library,
					   before && *before ? ":" : "", before ? before : "");
	environment[used++] = perun_format(MEMORY_VARIABLE "=%s", session);
	for (size_t i = 0; i < added; i++)
		environment[used++] = (char *)job->environment[i];
	for (size_t i = 0; i < count; i++)
		if (strncmp(environ[i], "LD_PRELOAD=", 11) != 0)
			environment[used++] = environ[i];
	return environment;
}

/* In the child, between fork and exec: only calls that are safe there. */
static void become_program(const struct perun_collect_job *job, char **environment,
			   const char *error_path, int report)
{
	int input = open("/dev/null", O_RDONLY), output = open("/dev/null", O_WRONLY);
	int error = open(error_path, O_WRONLY | O_CREAT | O_TRUNC, 0600), reason;

	if (input >= 0 && output >= 0 && error >= 0 && dup2(input, 0) >= 0 &&
	    dup2(output, 1) >= 0 && dup2(error, 2) >= 0 &&
	    (!job->directory || chdir(job->directory) == 0)) {
		signal(SIGPIPE, SIG_DFL);
		execvpe(job->argv[0], job->argv, environment);
	}
	reason = errno;
	if (write(report, &reason, sizeof reason) < 0)
		_exit(126);
	_exit(127);
}

int run_start(struct perun_ctx *ctx, const struct perun_collect_job *job, const char *library,
	      const char *session, const char *error_path, pid_t *child, int *watched)
{
	char **environment = make_environment(job, library, session);
	int report[2], reason = 0, status = PERUN_OK;

	if (pipe2(report, O_CLOEXEC) < 0) {
		status = perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot make a pipe");
	} else {
		*child = fork();
		if (*child == 0)
			become_program(job, environment, error_path, report[1]);
		close(report[1]);
		if (*child < 0) {
			status = perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot make a process");
		} else if (read(report[0], &reason, sizeof reason) == sizeof reason) {
			waitpid(*child, NULL, 0);
			status = perun_fail_errno(ctx, PERUN_MISSING, reason, "cannot run %s",
						  job->argv[0]);
		}
		close(report[0]);
	}
	if (!status) {
		*watched = (int)syscall(SYS_pidfd_open, *child, 0);
		if (*watched < 0) {
			status = perun_fail_errno(ctx, PERUN_INPUT, errno,
						  "cannot watch process %d", (int)*child);
			kill(*child, SIGKILL);
			run_finish(*child);
		}
	}
	perun_free(environment[0]);
	perun_free(environment[1]);
	perun_free(environment);
	return status;
}

int run_finish(pid_t child)
{
	int status = 0;

	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
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

int run_judge(struct perun_ctx *ctx, const struct perun_collect_job *job, int wait_status,
	      const char *error_path)
{
	char *tail;

	if (wait_status == 0)
		return PERUN_OK;
	tail = error_tail(error_path);
	if (WIFSIGNALED(wait_status))
		perun_fail(ctx, PERUN_INPUT, "%s was killed by signal %d (%s)%s%s", job->argv[0],
			   WTERMSIG(wait_status), strsignal(WTERMSIG(wait_status)),
			   *tail ? "; its standard error ends with: " : "", tail);
	else
		perun_fail(ctx, PERUN_INPUT, "%s exited with %d%s%s", job->argv[0],
			   WEXITSTATUS(wait_status),
			   *tail ? "; its standard error ends with: " : "", tail);
	perun_free(tail);
	return PERUN_INPUT;
}
