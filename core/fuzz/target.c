/* SPDX-License-Identifier: BSD-3-Clause */
/* The program that is fuzzed: how it is started, fed, ended, and what a run costs. */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <perun/lib/fuzz-runtime.h>
#include <perun/lib/program.h>

#include "core/context/clock.h"
#include "core/fuzz/files.h"
#include "core/fuzz/gcov.h"
#include "core/fuzz/target.h"

/* A program that counts says hello within this time. */
#define HELLO_SECONDS 10.0
/* How long nothing is looked at while a run goes on: the user may want to stop. */
#define SLICE_MILLISECONDS 50

extern char **environ;

struct fuzz_target {
	char **words; /* with the file's name for @@ */
	bool by_file;
	uint64_t memory_limit;
	double deadline;
	enum fuzz_counting counting;
	struct perun_scratch scratch;
	int input;  /* what it reads: a file, which is its standard input as well */
	int memory; /* of a program that counts */
	char *mapped;
	struct perun_fuzz_head *head;
	size_t edges; /* counters that may be other than 0 */
	pid_t server; /* 0 = none runs */
	int control, status;
	int counter;  /* of instructions; -1 = the processor has none for us */
	char *folder; /* where counts of --coverage go, and not beside the user's objects */
	char *prefix; /* the variable that says so */
	struct fuzz_gcov gcov;
};

/* ---- starting a process ---------------------------------------------------------------------- */

static bool is_variable(const char *text, const char *name)
{
	size_t length = strlen(name);

	return strncmp(text, name, length) == 0 && text[length] == '=';
}

/* The environment with PERUN_FUZZ and GCOV_PREFIX, one block of memory. */
static char **make_environment(char *prefix, char *variable)
{
	size_t count = 0, used = 0;
	char **all;

	while (environ[count])
		count++;
	all = perun_alloc((count + 3) * sizeof *all);
	for (size_t i = 0; i < count; i++)
		if (!is_variable(environ[i], PERUN_FUZZ_VARIABLE) &&
		    !is_variable(environ[i], "GCOV_PREFIX") &&
		    !is_variable(environ[i], "GCOV_PREFIX_STRIP"))
			all[used++] = environ[i];
	all[used++] = prefix;
	if (variable)
		all[used++] = variable;
	all[used] = NULL;
	return all;
}

static void limit_process(const struct fuzz_target *target, pid_t child)
{
	struct rlimit none = {0, 0}, memory = {target->memory_limit, target->memory_limit};

	prlimit(child, RLIMIT_CORE, &none, NULL);
	if (target->memory_limit)
		prlimit(child, RLIMIT_AS, &memory, NULL);
}

/* `files`: three to be kept open in it, or NULL. A group of its own, so that what it starts can be ended too. */
static int start(struct perun_ctx *ctx, struct fuzz_target *target, const int *files, pid_t *child)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t none, defaults;
	char *variable = files ? perun_format("%s=%d,%d,%d", PERUN_FUZZ_VARIABLE, files[0],
					      files[1], files[2])
			       : NULL;
	char **environment = make_environment(target->prefix, variable);
	int error;

	sigemptyset(&none);
	sigfillset(&defaults);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setsigdefault(&attributes, &defaults);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK |
						      POSIX_SPAWN_SETSIGDEF);
	posix_spawn_file_actions_init(&actions);
	if (target->by_file)
		posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
	else
		posix_spawn_file_actions_adddup2(&actions, target->input, 0);
	posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
	for (int i = 0; files && i < 3; i++) /* onto itself: stays open */
		posix_spawn_file_actions_adddup2(&actions, files[i], files[i]);
	error = posix_spawnp(child, target->words[0], &actions, &attributes, target->words,
			     environment);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attributes);
	perun_free(environment);
	perun_free(variable);
	if (error)
		return perun_fail_errno(ctx, PERUN_INPUT, error, "cannot run %s", target->words[0]);
	limit_process(target, *child);
	return PERUN_OK;
}

/* ---- a program that counts: one server ------------------------------------------------------- */

static void end_server(struct fuzz_target *target)
{
	if (!target->server)
		return;
	close(target->control);
	close(target->status);
	kill(-target->server, SIGKILL);
	kill(target->server, SIGKILL);
	while (waitpid(target->server, NULL, 0) < 0 && errno == EINTR)
		;
	target->server = 0;
}

/* Read `size` bytes before `until`; false when time is over or nothing more comes. `*stopped`: the user wants that. */
static bool read_status(struct perun_ctx *ctx, struct fuzz_target *target, void *to, size_t size,
			double until, bool *stopped)
{
	size_t done = 0;

	while (done < size) {
		struct pollfd waits = {.fd = target->status, .events = POLLIN};
		double left = (until - clock_now()) * 1e3;
		int ready;
		ssize_t got;

		*stopped = perun_cancelled(ctx);
		if (*stopped || left <= 0)
			return false;
		ready = poll(&waits, 1,
			     left < SLICE_MILLISECONDS ? (int)left + 1 : SLICE_MILLISECONDS);
		if (ready <= 0)
			continue;
		got = read(target->status, (char *)to + done, size - done);
		if (got <= 0)
			return false;
		done += (size_t)got;
	}
	return true;
}

static size_t edges_used(const struct fuzz_target *target)
{
	uint64_t edges = target->head->edges;

	return edges < PERUN_FUZZ_MAX_EDGES ? (size_t)edges : PERUN_FUZZ_MAX_EDGES;
}

/* Start it and wait for its hello. `*counts` is false, and nothing runs, if it says none. */
static int start_server(struct perun_ctx *ctx, struct fuzz_target *target, bool *counts)
{
	int control[2], status[2], files[3], result; /* [0] is read, [1] written */
	int32_t hello = 0;
	double until = clock_now() + HELLO_SECONDS;
	bool stopped;

	if (target->deadline && target->deadline < until)
		until = fmax(target->deadline, clock_now() + 1);
	/* Not a pipe: who writes to a program that is gone gets a signal from one. */
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, control))
		return perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot make a pipe");
	if (pipe2(status, O_CLOEXEC)) {
		close(control[0]);
		close(control[1]);
		return perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot make a pipe");
	}
	files[0] = target->memory;
	files[1] = control[0];
	files[2] = status[1];
	/* Its edges are elsewhere in each process, and one that was ended left its counts. */
	memset(target->mapped + PERUN_FUZZ_COUNTS, 0, edges_used(target) * sizeof(uint64_t));
	memset(target->mapped + PERUN_FUZZ_PLACES, 0, edges_used(target) * sizeof(uint64_t));
	memset(target->head, 0, sizeof *target->head);
	result = start(ctx, target, files, &target->server);
	close(control[0]);
	close(status[1]);
	if (result) {
		close(control[1]);
		close(status[0]);
		target->server = 0;
		return result;
	}
	target->control = control[1];
	target->status = status[0];
	*counts = read_status(ctx, target, &hello, sizeof hello, until, &stopped) &&
		  hello == PERUN_FUZZ_HELLO;
	if (!*counts)
		end_server(target);
	return PERUN_OK;
}

static uint64_t *counters(const struct fuzz_target *target)
{
	return (uint64_t *)(target->mapped + PERUN_FUZZ_COUNTS);
}

static uint64_t sum_edges(struct fuzz_target *target)
{
	const uint64_t *counts = counters(target);
	uint64_t sum = 0;

	target->edges = edges_used(target);
	for (size_t i = 0; i < target->edges; i++)
		sum += counts[i];
	return sum;
}

/* A run that did not say how it ended: why, and the server as it must be for the next one. */
static void end_run(struct fuzz_target *target, int64_t child, bool stopped, bool in_time,
		    struct fuzz_run *run)
{
	struct perun_fuzz_done done;
	bool ignored;

	run->outcome = stopped ? FUZZ_STOPPED : in_time ? FUZZ_CRASHED : FUZZ_HUNG;
	if (child > 0 && child != target->server && !in_time && !kill((pid_t)child, SIGKILL) &&
	    read_status(NULL, target, &done, sizeof done, clock_now() + 1, &ignored))
		return;
	if (in_time) { /* the process itself has crashed, or its server has */
		int wait_status = 0;

		usleep(1000);
		if (waitpid(target->server, &wait_status, WNOHANG) == target->server) {
			run->signal = WIFSIGNALED(wait_status) ? WTERMSIG(wait_status) : 0;
			close(target->control);
			close(target->status);
			target->server = 0;
			return;
		}
	}
	end_server(target);
}

static int run_server(struct perun_ctx *ctx, struct fuzz_target *target, double limit,
		      double deadline, struct fuzz_run *run)
{
	double start_time, until;
	struct perun_fuzz_done done = {0};
	int64_t child = 0;
	bool counts = true, stopped = false, finished;
	int status = target->server ? PERUN_OK : start_server(ctx, target, &counts);

	if (status || !counts)
		return status ? status
			      : perun_fail(ctx, PERUN_INPUT, "%s does not start any more",
					   target->words[0]);
	memset(counters(target), 0, edges_used(target) * sizeof(uint64_t));
	start_time = clock_now();
	until = start_time + limit < deadline ? start_time + limit : deadline;
	finished = send(target->control, "", 1, MSG_NOSIGNAL) == 1 &&
		   read_status(ctx, target, &child, sizeof child, until, &stopped) &&
		   read_status(ctx, target, &done, sizeof done, until, &stopped);
	run->seconds = finished ? (double)done.nanoseconds * 1e-9 : clock_now() - start_time;
	if (!finished) {
		double now = clock_now();

		end_run(target, child, stopped || (now >= deadline && now < start_time + limit),
			now < until && !stopped, run);
	} else if (WIFSIGNALED(done.wait_status)) {
		run->outcome = FUZZ_CRASHED;
		run->signal = WTERMSIG(done.wait_status);
	}
	run->cost = sum_edges(target);
	return PERUN_OK;
}

/* ---- any program: a process for each run ----------------------------------------------------- */

/* User instructions of this thread and of the processes that it starts. */
static int open_counter(void)
{
	struct perf_event_attr event = {.size = sizeof event,
					.type = PERF_TYPE_HARDWARE,
					.config = PERF_COUNT_HW_INSTRUCTIONS,
					.inherit = 1,
					.exclude_kernel = 1,
					.exclude_hv = 1};

	return (int)syscall(SYS_perf_event_open, &event, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

static uint64_t read_counter(const struct fuzz_target *target)
{
	uint64_t value = 0;

	return target->counter >= 0 &&
			       read(target->counter, &value, sizeof value) == (ssize_t)sizeof value
		       ? value
		       : 0;
}

/* Wait for it until then; false when it had to be ended. */
static bool wait_process(struct perun_ctx *ctx, pid_t child, double until, int *wait_status,
			 struct rusage *usage, bool *stopped)
{
	int file = (int)syscall(SYS_pidfd_open, child, 0);
	bool ended = false;

	*stopped = false;
	while (!ended && !*stopped) {
		struct pollfd waits = {.fd = file, .events = POLLIN};
		double left = (until - clock_now()) * 1e3;

		if (left <= 0)
			break;
		if (file < 0) /* before Linux 5.3 */
			usleep(200);
		else
			poll(&waits, 1,
			     left < SLICE_MILLISECONDS ? (int)left + 1 : SLICE_MILLISECONDS);
		ended = wait4(child, wait_status, WNOHANG, usage) == child;
		*stopped = perun_cancelled(ctx);
	}
	if (file >= 0)
		close(file);
	kill(-child, SIGKILL); /* with all that it has started */
	if (!ended)
		while (wait4(child, wait_status, 0, usage) < 0 && errno == EINTR)
			;
	return ended;
}

/* What a run that ended by itself wrote; one that was ended wrote nothing. */
static uint64_t read_gcov(struct fuzz_target *target)
{
	uint64_t sum = 0;

	fuzz_gcov_read(&target->gcov, target->folder, counters(target), PERUN_FUZZ_MAX_EDGES);
	target->edges = target->gcov.used;
	for (size_t i = 0; i < target->edges; i++)
		sum += counters(target)[i];
	return sum;
}

static int run_process(struct perun_ctx *ctx, struct fuzz_target *target, double limit,
		       double deadline, struct fuzz_run *run)
{
	double start_time = clock_now(),
	       until = start_time + limit < deadline ? start_time + limit : deadline;
	uint64_t before = read_counter(target);
	struct rusage usage = {0};
	int wait_status = 0, status;
	bool stopped;
	pid_t child;

	if (target->counting == FUZZ_EDGES_OF_GCOV) {
		fuzz_gcov_clear(target->folder);
		memset(counters(target), 0, target->gcov.used * sizeof(uint64_t));
	}
	status = start(ctx, target, NULL, &child);
	if (status)
		return status;
	if (!wait_process(ctx, child, until, &wait_status, &usage, &stopped))
		run->outcome =
			stopped || clock_now() < start_time + limit ? FUZZ_STOPPED : FUZZ_HUNG;
	else if (WIFSIGNALED(wait_status)) {
		run->outcome = FUZZ_CRASHED;
		run->signal = WTERMSIG(wait_status);
	}
	run->seconds = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
		       (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
	run->cost = target->counter >= 0 ? read_counter(target) - before
					 : (uint64_t)(run->seconds * 1e9);
	if (target->counting == FUZZ_EDGES_OF_GCOV)
		run->cost = read_gcov(target);
	return PERUN_OK;
}

/* ---- a target -------------------------------------------------------------------------------- */

static void take_words(struct fuzz_target *target, char *const *words)
{
	size_t count = 0;

	while (words[count])
		count++;
	target->words = perun_alloc_zero(count + 1, sizeof *target->words);
	for (size_t i = 0; i < count; i++) {
		const char *mark = strstr(words[i], "@@");

		target->by_file |= mark != NULL;
		target->words[i] = mark ? perun_format("%.*s%s/input%s", (int)(mark - words[i]),
						       words[i], target->scratch.path, mark + 2)
					: perun_strdup(words[i]);
	}
}

static int make_files(struct perun_ctx *ctx, struct fuzz_target *target)
{
	char *path;
	int status = PERUN_OK;

	if (!perun_scratch_make_quick("perun-fuzz", &target->scratch))
		status = perun_scratch_make(ctx, "perun-fuzz", &target->scratch);
	if (status)
		return status;
	target->folder = perun_format("%s/gcov", target->scratch.path);
	target->prefix = perun_format("GCOV_PREFIX=%s", target->folder);
	path = perun_format("%s/input", target->scratch.path);
	target->input = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	target->memory = memfd_create("perun-fuzz", MFD_CLOEXEC);
	if (target->input < 0 || target->memory < 0 || ftruncate(target->memory, PERUN_FUZZ_MEMORY))
		status = perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot make %s", path);
	perun_free(path);
	if (status)
		return status;
	target->mapped = mmap(NULL, PERUN_FUZZ_MEMORY, PROT_READ | PROT_WRITE, MAP_SHARED,
			      target->memory, 0);
	if (target->mapped == MAP_FAILED) {
		target->mapped = NULL;
		return perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot map %d MiB",
					PERUN_FUZZ_MEMORY >> 20);
	}
	target->head = (struct perun_fuzz_head *)target->mapped;
	return PERUN_OK;
}

int fuzz_target_open(struct perun_ctx *ctx, const struct fuzz_program *program,
		     struct fuzz_target **made)
{
	struct fuzz_target *target = perun_alloc_zero(1, sizeof *target);
	bool counts = false;
	int status;

	target->input = target->memory = target->counter = -1;
	target->scratch.lock = -1;
	target->memory_limit = program->memory_limit;
	target->deadline = program->deadline;
	status = make_files(ctx, target);
	if (!status) {
		take_words(target, program->words);
		status = start_server(ctx, target, &counts);
		target->deadline = 0; /* it is known to start */
	}
	if (status) {
		fuzz_target_close(target);
		return status;
	}
	if (counts) {
		target->counting =
			target->head->persistent ? FUZZ_EDGES_OF_A_PROCESS : FUZZ_EDGES_OF_CHILDREN;
	} else {
		/* Its run on nothing wrote counts, if it writes any. */
		bool gcov = read_gcov(target) > 0;

		target->counter = gcov ? -1 : open_counter();
		target->counting = gcov                   ? FUZZ_EDGES_OF_GCOV
				   : target->counter >= 0 ? FUZZ_INSTRUCTIONS
							  : FUZZ_NANOSECONDS;
	}
	*made = target;
	return PERUN_OK;
}

void fuzz_target_close(struct fuzz_target *target)
{
	if (!target)
		return;
	end_server(target);
	if (target->mapped)
		munmap(target->mapped, PERUN_FUZZ_MEMORY);
	if (target->memory >= 0)
		close(target->memory);
	if (target->input >= 0)
		close(target->input);
	if (target->counter >= 0)
		close(target->counter);
	for (size_t i = 0; target->words && target->words[i]; i++)
		perun_free(target->words[i]);
	perun_free(target->words);
	perun_free(target->folder);
	perun_free(target->prefix);
	fuzz_gcov_free(&target->gcov);
	perun_scratch_remove(&target->scratch);
	perun_free(target);
}

enum fuzz_counting fuzz_target_counting(const struct fuzz_target *target)
{
	return target->counting;
}

bool fuzz_target_is_hashed(const struct fuzz_target *target)
{
	return target->counting <= FUZZ_EDGES_OF_A_PROCESS && target->head->hashed;
}

/* In a file of its own, which standard input reads from its start again. */
static int give_input(struct perun_ctx *ctx, struct fuzz_target *target, const char *bytes,
		      size_t size)
{
	if (target->counting == FUZZ_EDGES_OF_A_PROCESS) {
		memcpy(target->mapped + PERUN_FUZZ_INPUT, bytes, size);
		target->head->input_size = size;
		return PERUN_OK;
	}
	if (pwrite(target->input, bytes, size, 0) != (ssize_t)size ||
	    ftruncate(target->input, (off_t)size) || lseek(target->input, 0, SEEK_SET))
		return perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot write an input");
	return PERUN_OK;
}

int fuzz_target_run(struct perun_ctx *ctx, struct fuzz_target *target, const char *bytes,
		    size_t size, double limit, double deadline, struct fuzz_run *run)
{
	int status;

	*run = (struct fuzz_run){.outcome = FUZZ_DONE};
	if (size > PERUN_FUZZ_MAX_INPUT)
		size = PERUN_FUZZ_MAX_INPUT;
	/* The server has to be there before the input is: it clears what is shared. */
	if (target->counting <= FUZZ_EDGES_OF_A_PROCESS && !target->server) {
		bool counts;

		status = start_server(ctx, target, &counts);
		if (status)
			return status;
	}
	status = give_input(ctx, target, bytes, size);
	if (status)
		return status;
	return target->counting <= FUZZ_EDGES_OF_A_PROCESS
		       ? run_server(ctx, target, limit, deadline, run)
		       : run_process(ctx, target, limit, deadline, run);
}

const uint64_t *fuzz_target_edges(const struct fuzz_target *target, size_t *count)
{
	*count = target->counting <= FUZZ_EDGES_OF_GCOV ? target->edges : 0;
	return counters(target);
}

bool fuzz_target_place(const struct fuzz_target *target, size_t edge, char **path,
		       uint64_t *address)
{
	const uint64_t *places = (const uint64_t *)(target->mapped + PERUN_FUZZ_PLACES);
	const char *line = target->head->modules;
	uint64_t place = edge < PERUN_FUZZ_MAX_EDGES ? places[edge] : 0;
	unsigned long first, end, bias;
	int length;

	target->head->modules[PERUN_FUZZ_MODULES - 1] = 0;
	while (place && sscanf(line, "%lx %lx %lx %n", &first, &end, &bias, &length) == 3) {
		const char *newline = strchr(line, '\n');

		if (!newline)
			return false;
		if (place > first && place <= end) {
			*path = perun_strndup(line + length,
					      (size_t)(newline - line) - (size_t)length);
			*address = place - bias - 1; /* of the call, not after it */
			return true;
		}
		line = newline + 1;
	}
	return false;
}
