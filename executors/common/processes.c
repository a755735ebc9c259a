/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasks that are processes of ours, on a number of places. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "executors/common/processes.h"

struct task {
	uint64_t number;
	enum perun_executor_state state;
	pid_t process; /* of one that runs */
	char *log;
};

struct batch {
	unsigned number, after;
	const char *option;
	bool builds, alone;
	struct task *tasks;
	size_t count, next; /* next: tasks before it were started */
	size_t ended;
};

/* What runs at a place; none: NULL. */
struct place {
	struct task *task;
	struct batch *batch;
	int watched; /* a descriptor that becomes readable when it ends; -1 = there are none here */
};

struct processes {
	const struct processes_hooks *hooks;
	struct processes_owner *owner;
	struct batch **batches; /* stay where they are: places point to them */
	size_t count, capacity;
	size_t running, place_count;
	bool together; /* whatever the batches want */
	struct place *places;
};

/* ---- who we are -------------------------------------------------------------------------------- */

/* When a process began, in ticks since the machine did: its number alone may come again. 0 = there is none. */
static unsigned long long start_of(long process)
{
	char path[64], text[1024], *at;
	unsigned long long start = 0;
	FILE *file;
	size_t length;

	snprintf(path, sizeof path, "/proc/%ld/stat", process);
	file = fopen(path, "re");
	if (!file)
		return 0;
	length = fread(text, 1, sizeof text - 1, file);
	fclose(file);
	text[length] = '\0';
	/* The name in parentheses may hold anything; the start is the twentieth word after it. */
	at = strrchr(text, ')');
	for (int word = 0; at && word < 20; word++)
		at = strchr(at + 1, ' ');
	if (at)
		start = strtoull(at, NULL, 10);
	return start;
}

/* Whether the process that took a handle still is there. */
static bool is_alive(const char *handle)
{
	unsigned long long start;
	long process;

	return sscanf(handle, "%ld:%llu:", &process, &start) == 2 && start_of(process) == start;
}

static bool is_own(const char *handle)
{
	return strtol(handle, NULL, 10) == (long)getpid() && is_alive(handle);
}

/* ---- tasks ------------------------------------------------------------------------------------- */

static void run_child(const struct processes *processes, const struct engine_words *words,
		      const char *log, size_t place, bool alone)
{
	int file = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	int empty = open("/dev/null", O_RDONLY | O_CLOEXEC);

	/* A group of its own: Ctrl-C is for who waits, who then asks it to end. */
	setpgid(0, 0);
	if (file >= 0) {
		dup2(file, STDOUT_FILENO);
		dup2(file, STDERR_FILENO);
	}
	if (empty >= 0)
		dup2(empty, STDIN_FILENO);
	if (processes->hooks->enter && !alone)
		processes->hooks->enter(processes->owner, place);
	execvp(words->items[0], words->items);
	fprintf(stderr, "perun: cannot run %s: %s\n", words->items[0], strerror(errno));
	_exit(127);
}

static int start(struct processes *processes, struct perun_ctx *ctx,
		 const struct perun_executor_run *run, struct batch *batch, struct task *task,
		 size_t place)
{
	char *name = perun_format("%s:%llu", run->directory, (unsigned long long)task->number);
	const struct processes_start facts = {.run = run,
					      .task = name,
					      .number = task->number,
					      .place = place,
					      .batch = batch->number,
					      .option = batch->option,
					      .builds = batch->builds};
	struct engine_words words = {0};

	processes->hooks->command(processes->owner, &facts, &words);
	task->log = perun_format("%s/%s-%llu.log", run->log, batch->option + 2,
				 (unsigned long long)task->number);
	fflush(NULL);
	task->process = fork();
	if (task->process == 0)
		run_child(processes, &words, task->log, place, batch->alone);
	engine_words_free(&words);
	perun_free(name);
	if (task->process < 0)
		return perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot start a process");
	task->state = PERUN_EXECUTOR_RUNNING;
	processes->places[place] =
		(struct place){task, batch, (int)syscall(SYS_pidfd_open, task->process, 0)};
	processes->running++;
	return PERUN_OK;
}

/* What printed nothing leaves no file. */
static void end(struct processes *processes, struct perun_ctx *ctx, size_t at, int status)
{
	struct place *place = &processes->places[at];
	struct task *task = place->task;
	struct stat facts;

	task->state = PERUN_EXECUTOR_ENDED;
	if (WIFSIGNALED(status))
		task->state = PERUN_EXECUTOR_KILLED;
	/* A build that failed: what comes after it is not started. */
	else if (WEXITSTATUS(status) != 0 && place->batch->builds)
		task->state = PERUN_EXECUTOR_NOT_STARTED;
	else if (processes->hooks->judge)
		task->state =
			processes->hooks->judge(processes->owner, ctx, at, WEXITSTATUS(status));
	if (stat(task->log, &facts) == 0 && facts.st_size == 0)
		unlink(task->log);
	place->batch->ended++;
	if (place->watched >= 0)
		close(place->watched);
	*place = (struct place){0};
	processes->running--;
}

static void reap(struct processes *processes, struct perun_ctx *ctx)
{
	for (size_t i = 0; i < processes->place_count; i++) {
		int status = 0;

		if (processes->places[i].task &&
		    waitpid(processes->places[i].task->process, &status, WNOHANG) != 0)
			end(processes, ctx, i, status);
	}
}

/* The batch that another one waits for. */
static const struct batch *find(const struct processes *processes, unsigned number)
{
	for (size_t i = 0; i < processes->count; i++)
		if (processes->batches[i]->number == number)
			return processes->batches[i];
	return NULL;
}

enum readiness { READY, LATER, NEVER };

static enum readiness readiness_of(const struct processes *processes, const struct batch *batch)
{
	const struct batch *before = batch->after ? find(processes, batch->after) : NULL;

	if (!before)
		return READY;
	if (before->ended < before->count)
		return LATER;
	for (size_t i = 0; i < before->count; i++)
		if (before->tasks[i].state != PERUN_EXECUTOR_ENDED)
			return NEVER;
	return READY;
}

/* Whether a task of a batch has to wait for what runs, or what runs is to be alone. */
static bool is_held(const struct processes *processes, const struct batch *batch)
{
	bool alone = batch->alone;

	for (size_t i = 0; !alone && i < processes->place_count; i++)
		alone = processes->places[i].task && processes->places[i].batch->alone;
	return alone && processes->running;
}

/* One that has no task; their number when there is none. */
static size_t free_place(const struct processes *processes)
{
	size_t at = 0;

	while (at < processes->place_count &&
	       (processes->places[at].task || (processes->hooks->is_usable &&
					       !processes->hooks->is_usable(processes->owner, at))))
		at++;
	return at;
}

static int start_more(struct processes *processes, struct perun_ctx *ctx,
		      const struct perun_executor_run *run)
{
	int status = PERUN_OK;

	for (size_t i = 0; !status && i < processes->count; i++) {
		struct batch *batch = processes->batches[i];
		enum readiness ready;

		if (batch->next == batch->count)
			continue;
		ready = readiness_of(processes, batch);
		for (; ready == NEVER && batch->next < batch->count; batch->next++) {
			batch->tasks[batch->next].state = PERUN_EXECUTOR_NOT_STARTED;
			batch->ended++;
		}
		for (; !status && ready == READY && batch->next < batch->count &&
		       !perun_cancelled(ctx);
		     batch->next++) {
			size_t place = free_place(processes);

			if (place == processes->place_count || is_held(processes, batch))
				break;
			status = start(processes, ctx, run, batch, &batch->tasks[batch->next],
				       place);
		}
	}
	return status;
}

/* ---- while others wait ------------------------------------------------------------------------- */

#define TURN 0.25 /* seconds that tasks are seen to before whoever waits looks at all of them */
#define GLANCE \
	20 /* milliseconds between looks where the end of a process cannot be watched, or we may be cancelled */

static double clock_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Until a task ends, or some time has passed. */
static void await_end(const struct processes *processes)
{
	struct pollfd *ends = perun_alloc(processes->place_count * sizeof *ends);
	size_t count = 0;

	for (size_t i = 0; i < processes->place_count; i++)
		if (processes->places[i].task && processes->places[i].watched >= 0)
			ends[count++] = (struct pollfd){processes->places[i].watched, POLLIN, 0};
	poll(ends, count, GLANCE);
	perun_free(ends);
}

/* Of short tasks one follows the other at once. */
static int see_to_tasks(struct processes *processes, struct perun_ctx *ctx,
			const struct perun_executor_run *run)
{
	double began = clock_seconds();
	int status;

	reap(processes, ctx);
	status = start_more(processes, ctx, run);
	while (!status && processes->running && !perun_cancelled(ctx) &&
	       clock_seconds() - began < TURN) {
		await_end(processes);
		reap(processes, ctx);
		status = start_more(processes, ctx, run);
	}
	return status;
}

/* ---- operations -------------------------------------------------------------------------------- */

struct processes *processes_new(size_t places, bool together, const struct processes_hooks *hooks,
				struct processes_owner *owner)
{
	struct processes *processes = perun_alloc_zero(1, sizeof *processes);

	processes->hooks = hooks;
	processes->owner = owner;
	processes->together = together;
	processes->place_count = places;
	processes->places = perun_alloc_zero(places, sizeof *processes->places);
	return processes;
}

static void ask_to_end(const struct processes *processes, int signal)
{
	for (size_t i = 0; i < processes->place_count; i++)
		if (processes->places[i].task)
			kill(-processes->places[i].task->process, signal);
}

/* What was asked has some time to end in good order. */
static void end_all(struct processes *processes)
{
	const struct timespec pause = {.tv_nsec = 20000000};

	ask_to_end(processes, SIGTERM);
	for (int tries = 0; processes->running && tries < 250; tries++) {
		nanosleep(&pause, NULL);
		reap(processes, NULL);
	}
	ask_to_end(processes, SIGKILL);
	while (processes->running) {
		nanosleep(&pause, NULL);
		reap(processes, NULL);
	}
}

void processes_free(struct processes *processes)
{
	end_all(processes);
	for (size_t i = 0; i < processes->count; i++) {
		for (size_t task = 0; task < processes->batches[i]->count; task++)
			perun_free(processes->batches[i]->tasks[task].log);
		perun_free(processes->batches[i]->tasks);
		perun_free(processes->batches[i]);
	}
	perun_free(processes->batches);
	perun_free(processes->places);
	perun_free(processes);
}

static struct processes *processes_of(void *instance)
{
	return ((struct processes_owner *)instance)->processes;
}

int processes_submit(void *instance, struct perun_ctx *ctx, const struct perun_executor_run *run,
		     const struct perun_executor_batch *handed, char **handle)
{
	struct processes *processes = processes_of(instance);
	struct batch *batch;
	const char *after = handed->after ? strrchr(handed->after, ':') : NULL;

	(void)ctx;
	(void)run;
	PERUN_GROW(processes->batches, processes->count, processes->capacity);
	batch = processes->batches[processes->count++] = perun_alloc(sizeof *batch);
	*batch = (struct batch){.number = handed->number,
				.after = after ? (unsigned)strtoul(after + 1, NULL, 10) : 0,
				.option = perun_executor_word(handed),
				.builds = handed->builds,
				.alone = handed->alone && !processes->together,
				.count = handed->count};
	batch->tasks = perun_alloc_zero(handed->count, sizeof *batch->tasks);
	for (size_t i = 0; i < handed->count; i++) {
		batch->tasks[i].number = handed->tasks[i];
		batch->tasks[i].state = PERUN_EXECUTOR_WAITING;
	}
	*handle = perun_format("%ld:%llu:%u", (long)getpid(), start_of((long)getpid()),
			       handed->number);
	return PERUN_OK;
}

int processes_poll(void *instance, struct perun_ctx *ctx, const struct perun_executor_run *run,
		   struct perun_executor_job *jobs, size_t count, size_t stride)
{
	struct processes *processes = processes_of(instance);
	int status = see_to_tasks(processes, ctx, run);

	for (size_t i = 0; i < count; i++) {
		struct perun_executor_job *job = engine_job(jobs, i, stride);
		const struct batch *batch =
			is_own(job->handle) ? find(processes, job->number) : NULL;
		enum perun_executor_state other =
			is_alive(job->handle) ? PERUN_EXECUTOR_WAITING : PERUN_EXECUTOR_UNKNOWN;

		for (size_t task = 0; task < job->count; task++)
			job->states[task] = batch && task < batch->count ? batch->tasks[task].state
					    : batch                      ? PERUN_EXECUTOR_UNKNOWN
									 : other;
	}
	return status;
}

/* Those of another process end with it: it is asked to. */
int processes_cancel(void *instance, struct perun_ctx *ctx, const struct perun_executor_run *run,
		     struct perun_executor_job *jobs, size_t count, size_t stride)
{
	struct processes *processes = processes_of(instance);

	(void)ctx;
	(void)run;
	for (size_t i = 0; i < count; i++) {
		const struct perun_executor_job *job = engine_job(jobs, i, stride);

		if (!is_own(job->handle) && is_alive(job->handle))
			kill((pid_t)strtol(job->handle, NULL, 10), SIGTERM);
	}
	for (size_t i = 0; i < processes->count; i++)
		processes->batches[i]->next = processes->batches[i]->count;
	end_all(processes);
	return PERUN_OK;
}
