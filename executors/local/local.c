/* SPDX-License-Identifier: BSD-3-Clause */
/* The executor of this machine: tasks are processes of ours, as many at a time as the user says. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <perun/executor.h>

struct task {
	uint64_t number;
	enum perun_executor_state state;
	pid_t process; /* of one that runs */
	char *log;
};

struct batch {
	unsigned number, after;
	const char *option;
	bool builds;
	struct task *tasks;
	size_t count, next; /* next: tasks before it were started */
	size_t ended;
};

struct local {
	size_t jobs;
	struct batch **batches; /* stay where they are: slots point to them */
	size_t count, capacity;
	size_t running;
	char *slots; /* which of the jobs are taken, when each has processors of its own */
	struct {
		struct task *task;
		struct batch *batch;
	} * at; /* what is in each */
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

/* Of the processors that we may use, the share of one of several tasks. */
static void pin(size_t slot, size_t jobs)
{
	cpu_set_t all, own;
	int seen = 0, count;

	if (jobs < 2 || sched_getaffinity(0, sizeof all, &all) != 0)
		return;
	count = CPU_COUNT(&all);
	CPU_ZERO(&own);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, &all))
			continue;
		if ((size_t)seen * jobs / (size_t)count == slot ||
		    (jobs > (size_t)count && (size_t)seen == slot % (size_t)count))
			CPU_SET(cpu, &own);
		seen++;
	}
	if (CPU_COUNT(&own))
		sched_setaffinity(0, sizeof own, &own);
}

static void run_child(const struct perun_executor_run *run, const char *option, const char *task,
		      const char *log, size_t slot, size_t jobs)
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
	pin(slot, jobs);
	execl(run->program, run->program, "run", option, task, (char *)NULL);
	fprintf(stderr, "perun: cannot run %s: %s\n", run->program, strerror(errno));
	_exit(127);
}

static int start(struct local *local, struct perun_ctx *ctx, const struct perun_executor_run *run,
		 struct batch *batch, struct task *task)
{
	char *name = perun_format("%s:%llu", run->directory, (unsigned long long)task->number);
	size_t slot = 0;

	while (local->slots[slot])
		slot++;
	task->log = perun_format("%s/%s-%llu.log", run->log, batch->option + 2,
				 (unsigned long long)task->number);
	fflush(NULL);
	task->process = fork();
	if (task->process == 0)
		run_child(run, batch->option, name, task->log, slot, local->jobs);
	perun_free(name);
	if (task->process < 0)
		return perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot start a process");
	task->state = PERUN_EXECUTOR_RUNNING;
	local->slots[slot] = 1;
	local->at[slot].task = task;
	local->at[slot].batch = batch;
	local->running++;
	return PERUN_OK;
}

/* What printed nothing leaves no file. */
static void end(struct local *local, size_t slot, int status)
{
	struct task *task = local->at[slot].task;
	struct stat facts;

	task->state = WIFSIGNALED(status) ? PERUN_EXECUTOR_KILLED : PERUN_EXECUTOR_ENDED;
	/* A build that failed: what comes after it is not started. */
	if (WIFEXITED(status) && WEXITSTATUS(status) != 0 && local->at[slot].batch->builds)
		task->state = PERUN_EXECUTOR_NOT_STARTED;
	if (stat(task->log, &facts) == 0 && facts.st_size == 0)
		unlink(task->log);
	local->at[slot].batch->ended++;
	local->slots[slot] = 0;
	local->running--;
}

static void reap(struct local *local)
{
	for (size_t slot = 0; slot < local->jobs; slot++) {
		int status = 0;

		if (local->slots[slot] &&
		    waitpid(local->at[slot].task->process, &status, WNOHANG) != 0)
			end(local, slot, status);
	}
}

/* The batch that another one waits for. */
static const struct batch *find(const struct local *local, unsigned number)
{
	for (size_t i = 0; i < local->count; i++)
		if (local->batches[i]->number == number)
			return local->batches[i];
	return NULL;
}

enum readiness { READY, LATER, NEVER };

static enum readiness readiness_of(const struct local *local, const struct batch *batch)
{
	const struct batch *before = batch->after ? find(local, batch->after) : NULL;

	if (!before)
		return READY;
	if (before->ended < before->count)
		return LATER;
	for (size_t i = 0; i < before->count; i++)
		if (before->tasks[i].state != PERUN_EXECUTOR_ENDED)
			return NEVER;
	return READY;
}

static int start_more(struct local *local, struct perun_ctx *ctx,
		      const struct perun_executor_run *run)
{
	int status = PERUN_OK;

	for (size_t i = 0; !status && i < local->count; i++) {
		struct batch *batch = local->batches[i];
		enum readiness ready;

		if (batch->next == batch->count)
			continue;
		ready = readiness_of(local, batch);
		for (; ready == NEVER && batch->next < batch->count; batch->next++) {
			batch->tasks[batch->next].state = PERUN_EXECUTOR_NOT_STARTED;
			batch->ended++;
		}
		for (; !status && ready == READY && local->running < local->jobs &&
		       batch->next < batch->count && !perun_cancelled(ctx);
		     batch->next++)
			status = start(local, ctx, run, batch, &batch->tasks[batch->next]);
	}
	return status;
}

/* ---- operations -------------------------------------------------------------------------------- */

static int local_open(struct perun_ctx *ctx, const struct perun_options *options,
		      const char *subcommand, void **instance)
{
	struct local *local = perun_alloc_zero(1, sizeof *local);

	(void)ctx;
	(void)subcommand;
	local->jobs = (size_t)perun_option_integer(options, "jobs");
	local->slots = perun_alloc_zero(local->jobs, 1);
	local->at = perun_alloc_zero(local->jobs, sizeof *local->at);
	*instance = local;
	return PERUN_OK;
}

static void ask_to_end(const struct local *local, int signal)
{
	for (size_t slot = 0; slot < local->jobs; slot++)
		if (local->slots[slot])
			kill(-local->at[slot].task->process, signal);
}

/* What was asked has some time to end in good order. */
static void end_all(struct local *local)
{
	const struct timespec pause = {.tv_nsec = 20000000};

	ask_to_end(local, SIGTERM);
	for (int tries = 0; local->running && tries < 250; tries++) {
		nanosleep(&pause, NULL);
		reap(local);
	}
	ask_to_end(local, SIGKILL);
	while (local->running) {
		nanosleep(&pause, NULL);
		reap(local);
	}
}

static void local_close(void *instance)
{
	struct local *local = instance;

	end_all(local);
	for (size_t i = 0; i < local->count; i++) {
		for (size_t task = 0; task < local->batches[i]->count; task++)
			perun_free(local->batches[i]->tasks[task].log);
		perun_free(local->batches[i]->tasks);
		perun_free(local->batches[i]);
	}
	perun_free(local->batches);
	perun_free(local->slots);
	perun_free(local->at);
	perun_free(local);
}

static int local_submit(void *instance, struct perun_ctx *ctx, const struct perun_executor_run *run,
			const struct perun_executor_batch *handed, char **handle)
{
	struct local *local = instance;
	struct batch *batch;
	const char *after = handed->after ? strrchr(handed->after, ':') : NULL;

	(void)ctx;
	(void)run;
	PERUN_GROW(local->batches, local->count, local->capacity);
	batch = local->batches[local->count++] = perun_alloc(sizeof *batch);
	*batch = (struct batch){.number = handed->number,
				.after = after ? (unsigned)strtoul(after + 1, NULL, 10) : 0,
				.option = perun_executor_word(handed),
				.builds = handed->builds,
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

static struct perun_executor_job *job_at(struct perun_executor_job *jobs, size_t i, size_t stride)
{
	return (struct perun_executor_job *)(void *)((char *)jobs + i * stride);
}

static int local_poll(void *instance, struct perun_ctx *ctx, const struct perun_executor_run *run,
		      struct perun_executor_job *jobs, size_t count, size_t stride)
{
	struct local *local = instance;
	int status;

	reap(local);
	status = start_more(local, ctx, run);
	for (size_t i = 0; i < count; i++) {
		struct perun_executor_job *job = job_at(jobs, i, stride);
		const struct batch *batch = is_own(job->handle) ? find(local, job->number) : NULL;
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
static int local_cancel(void *instance, struct perun_ctx *ctx, const struct perun_executor_run *run,
			struct perun_executor_job *jobs, size_t count, size_t stride)
{
	struct local *local = instance;

	(void)ctx;
	(void)run;
	for (size_t i = 0; i < count; i++) {
		const struct perun_executor_job *job = job_at(jobs, i, stride);

		if (!is_own(job->handle) && is_alive(job->handle))
			kill((pid_t)strtol(job->handle, NULL, 10), SIGTERM);
	}
	for (size_t i = 0; i < local->count; i++)
		local->batches[i]->next = local->batches[i]->count;
	end_all(local);
	return PERUN_OK;
}

static const struct perun_option local_options[] = {
	{.name = "jobs",
	 .aliases = "-j",
	 .metavar = "N",
	 .type = PERUN_OPTION_INTEGER,
	 .default_value = "1",
	 .help = "how many tasks run at a time, each on processors of its own; more than one "
		 "disturbs "
		 "measurements of time",
	 .ranged = true,
	 .minimum = 1,
	 .maximum = 1024},
	{0}};

static const struct perun_executor_ops local_ops = {.open = local_open,
						    .close = local_close,
						    .submit = local_submit,
						    .poll = local_poll,
						    .cancel = local_cancel,
						    .interval = 0.05,
						    .attached = true};

PERUN_PLUGIN(executor, local) = {
	PERUN_PLUGIN_HEAD(PERUN_KIND_EXECUTOR, "local", "tasks of a run on this machine"),
	.version = "1.0",
	.license = "BSD-3-Clause",
	PERUN_PLUGIN_OPTIONS(local_options),
	PERUN_PLUGIN_OPS(local_ops),
};
