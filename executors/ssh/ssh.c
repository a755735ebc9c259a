/* SPDX-License-Identifier: BSD-3-Clause */
/* The executor for a list of hosts: versions are built here, cells are measured there, one at a time on each. */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "executors/common/processes.h"

#define CANNOT_CONNECT 255 /* exit status of ssh itself */

struct host {
	const char *name;   /* the options' */
	unsigned *prepared; /* the batches whose files are there */
	size_t prepared_count, prepared_capacity;
	bool lost;
};

struct ssh {
	struct processes_owner owner;
	const struct perun_options *options; /* the host's */
	struct host *hosts;
	size_t count;
	int alive[2]; /* nothing is written to it: at its end a task knows that it has lost us */
};

/* ---- the commands of a task ---------------------------------------------------------------------- */

static void add_quoted(struct perun_buffer *script, const char *before, const char *text)
{
	perun_buffer_add_text(script, before);
	engine_quote(script, text);
}

/* "ssh OPTIONS", for rsync as well. The options of the user win over ours: the first one counts. */
static char *ssh_of(const struct ssh *ssh)
{
	struct perun_buffer text = {0};

	perun_buffer_add_text(&text, "ssh");
	for (size_t i = 0; i < perun_option_count(ssh->options, "option"); i++)
		perun_buffer_printf(&text, " %s",
				    perun_option_string_at(ssh->options, "option", i));
	perun_buffer_add_text(&text,
			      " -o BatchMode=yes -o ConnectTimeout=10 -o ServerAliveInterval=15");
	return perun_buffer_take(&text);
}

/* rsync, of what is in a directory into the one of the same name on the other side. */
static void add_copy(struct perun_buffer *script, const char *options, const char *host,
		     const char *directory, bool back)
{
	perun_buffer_printf(script, "rsync -a -e \"$ssh\" %s ", options);
	if (back)
		perun_buffer_printf(script, "%s:", host);
	engine_quote(script, directory);
	perun_buffer_printf(script, "/ %s", back ? "" : host);
	perun_buffer_add_text(script, back ? "" : ":");
	engine_quote(script, directory);
	perun_buffer_add_text(script, "/");
}

/* The run and its builds, before the first task of a batch. */
static void add_preparation(struct perun_buffer *script, const struct perun_executor_run *run,
			    const char *host)
{
	struct perun_buffer make = {0};

	add_quoted(&make, "mkdir -p ", run->directory);
	if (*run->builds)
		add_quoted(&make, " ", run->builds);
	perun_buffer_printf(script, "$ssh %s ", host);
	engine_quote(script, make.data);
	perun_buffer_add_text(script, " </dev/null || exit\n");
	add_copy(script, "--exclude=/cells --exclude=/logs --exclude=/lock", host, run->directory,
		 false);
	if (*run->builds) {
		perun_buffer_add_text(script, " &&\n");
		add_copy(script, "--exclude=source --exclude=source.new --exclude=log", host,
			 run->builds, false);
	}
	perun_buffer_add_text(script, " || exit 255\n");
	perun_buffer_free(&make);
}

/* On the host. The cell ends when its standard input does, which this process holds open. */
static void add_measurement(struct perun_buffer *script, const struct ssh *ssh,
			    const struct processes_start *start, const char *host)
{
	struct perun_buffer there = {0};

	for (size_t i = 0; i < perun_option_count(ssh->options, "before"); i++)
		perun_buffer_printf(&there, "%s\n",
				    perun_option_string_at(ssh->options, "before", i));
	add_quoted(&there, "exec 3<&0\nPERUN_EXECUTOR_NODE=", host);
	add_quoted(&there, " ", perun_option_string(ssh->options, "program"));
	add_quoted(&there, " run --cell ", start->task);
	perun_buffer_add_text(&there, " </dev/null 3<&- & task=$!\n"
				      "{ cat <&3; kill $task; } >/dev/null 2>&1 & watch=$!\n"
				      "wait $task; status=$?\n"
				      "kill $watch\n"
				      "exit $status");
	perun_buffer_printf(script, "$ssh %s ", host);
	engine_quote(script, there.data);
	perun_buffer_add_text(script, "\nstatus=$?\n");
	perun_buffer_free(&there);
}

static char *cell_of(const struct processes_start *start)
{
	return perun_format("%s/cells/%llu", start->run->directory,
			    (unsigned long long)start->number);
}

/* What earlier attempts left, and no more: the host may remember a failure that is forgotten here. */
static void add_earlier(struct perun_buffer *script, const struct processes_start *start,
			const char *host)
{
	char *cell = cell_of(start);
	struct perun_buffer make = {0};

	add_quoted(&make, "mkdir -p ", cell);
	add_quoted(script, "[ ! -d ", cell);
	perun_buffer_printf(script, " ] || { $ssh %s ", host);
	engine_quote(script, make.data);
	perun_buffer_add_text(script, " </dev/null && ");
	add_copy(script, "--delete --exclude=lock", host, cell, false);
	perun_buffer_add_text(script, "; } || exit 255\n");
	perun_buffer_free(&make);
	perun_free(cell);
}

/* What it left; the outcome last, since it names the profile. */
static void add_return(struct perun_buffer *script, const struct processes_start *start,
		       const char *host)
{
	char *cell = cell_of(start);

	add_quoted(script, "mkdir -p ", cell);
	perun_buffer_add_text(script, "\n");
	add_copy(script, "--exclude=lock --exclude=done.json", host, cell, true);
	perun_buffer_add_text(script, " &&\n");
	add_copy(script, "--exclude=lock", host, cell, true);
	perun_buffer_add_text(script, " || [ $status -ne 0 ] || exit 255\n");
	perun_free(cell);
}

/* Whether the files of a batch are on a host, which they are from now on. */
static bool is_prepared(struct host *host, unsigned batch)
{
	for (size_t i = 0; i < host->prepared_count; i++)
		if (host->prepared[i] == batch)
			return true;
	PERUN_GROW(host->prepared, host->prepared_count, host->prepared_capacity);
	host->prepared[host->prepared_count++] = batch;
	return false;
}

static void command(void *instance, const struct processes_start *start, struct engine_words *words)
{
	struct ssh *ssh = instance;
	struct host *host = &ssh->hosts[start->place];
	struct perun_buffer script = {0};
	char *program;

	if (start->builds) {
		engine_add(words, "%s", start->run->program);
		engine_add(words, "run");
		engine_add(words, "%s", start->option);
		engine_add(words, "%s", start->task);
		return;
	}
	program = ssh_of(ssh);
	add_quoted(&script, "ssh=", program);
	perun_buffer_add_text(&script, "\n");
	if (!perun_option_flag(ssh->options, "shared") && !is_prepared(host, start->batch))
		add_preparation(&script, start->run, host->name);
	if (!perun_option_flag(ssh->options, "shared"))
		add_earlier(&script, start, host->name);
	add_measurement(&script, ssh, start, host->name);
	if (!perun_option_flag(ssh->options, "shared"))
		add_return(&script, start, host->name);
	perun_buffer_add_text(&script, "exit $status\n");
	engine_add(words, "sh");
	engine_add(words, "-c");
	engine_add(words, "%s", script.data);
	perun_buffer_free(&script);
	perun_free(program);
}

static void enter(void *instance, size_t place)
{
	struct ssh *ssh = instance;

	(void)place;
	dup2(ssh->alive[0], STDIN_FILENO);
}

static enum perun_executor_state judge(void *instance, struct perun_ctx *ctx, size_t place,
				       int status)
{
	struct ssh *ssh = instance;
	struct host *host = &ssh->hosts[place];

	if (status != CANNOT_CONNECT)
		return PERUN_EXECUTOR_ENDED;
	host->lost = true;
	if (ctx)
		perun_warn(ctx, "%s cannot be reached: the other hosts measure its cells",
			   host->name);
	return PERUN_EXECUTOR_NODE_FAILED;
}

static bool is_usable(void *instance, size_t place)
{
	const struct ssh *ssh = instance;

	return !ssh->hosts[place].lost;
}

static const struct processes_hooks hooks = {command, enter, judge, is_usable};

/* ---- operations ---------------------------------------------------------------------------------- */

/* A name goes into commands as it is. */
static int check_host(struct perun_ctx *ctx, const char *name)
{
	static const char allowed[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
		"@._-";

	if (*name && *name != '-' && name[strspn(name, allowed)] == '\0')
		return PERUN_OK;
	return perun_fail(ctx, PERUN_USAGE, "'%s' is not the name of a host", name);
}

static int ssh_open(struct perun_ctx *ctx, const struct perun_options *options,
		    const char *subcommand, void **instance)
{
	size_t count = perun_option_count(options, "host");
	struct ssh *ssh;

	(void)subcommand;
	if (!count)
		return perun_fail(ctx, PERUN_USAGE, "no host is named (host: [NAME, ...])");
	for (size_t i = 0; i < count; i++)
		if (check_host(ctx, perun_option_string_at(options, "host", i)))
			return PERUN_USAGE;
	ssh = perun_alloc_zero(1, sizeof *ssh);
	if (pipe2(ssh->alive, O_CLOEXEC) < 0) {
		perun_free(ssh);
		return perun_fail(ctx, PERUN_INPUT, "cannot make a pipe");
	}
	ssh->options = options;
	ssh->hosts = perun_alloc_zero(count, sizeof *ssh->hosts);
	ssh->count = count;
	for (size_t i = 0; i < count; i++)
		ssh->hosts[i].name = perun_option_string_at(options, "host", i);
	ssh->owner.processes = processes_new(count, true, &hooks, &ssh->owner);
	*instance = ssh;
	return PERUN_OK;
}

static void ssh_close(void *instance)
{
	struct ssh *ssh = instance;

	processes_free(ssh->owner.processes);
	close(ssh->alive[0]);
	close(ssh->alive[1]);
	for (size_t i = 0; i < ssh->count; i++)
		perun_free(ssh->hosts[i].prepared);
	perun_free(ssh->hosts);
	perun_free(ssh);
}

/* Without versions the files of the user are measured, which no host has. */
static int ssh_prepare(void *instance, struct perun_ctx *ctx, const struct perun_executor_run *run)
{
	const struct ssh *ssh = instance;

	if (*run->builds || perun_option_flag(ssh->options, "shared"))
		return PERUN_OK;
	return perun_fail(ctx, PERUN_USAGE,
			  "hosts measure versions (-m VERSION), or the files of a shared directory "
			  "(shared: true)");
}

static int ssh_poll(void *instance, struct perun_ctx *ctx, const struct perun_executor_run *run,
		    struct perun_executor_job *jobs, size_t count, size_t stride)
{
	const struct ssh *ssh = instance;
	size_t lost = 0;
	int status = processes_poll(instance, ctx, run, jobs, count, stride);

	for (size_t i = 0; i < ssh->count; i++)
		lost += ssh->hosts[i].lost;
	if (!status && lost == ssh->count)
		status = perun_fail(ctx, PERUN_MISSING, "none of the hosts can be reached");
	return status;
}

static const struct perun_option ssh_options[] = {
	{.name = "host",
	 .metavar = "HOST",
	 .type = PERUN_OPTION_STRING,
	 .flags = PERUN_OPTION_REPEATABLE,
	 .help = "a host to measure on, as ssh knows it; each measures one cell at a time"},
	{.name = "shared", .help = "directories are shared: nothing is copied"},
	{.name = "program",
	 .metavar = "PATH",
	 .type = PERUN_OPTION_STRING,
	 .default_value = "perun",
	 .help = "perun on the hosts"},
	{.name = "before",
	 .metavar = "LINE",
	 .type = PERUN_OPTION_STRING,
	 .flags = PERUN_OPTION_REPEATABLE,
	 .help = "a line for the shell before each cell, such as 'module load gcc'"},
	{.name = "option",
	 .metavar = "OPTION",
	 .type = PERUN_OPTION_STRING,
	 .flags = PERUN_OPTION_REPEATABLE,
	 .help = "a further option of ssh, such as '-p 2222'"},
	{0}};

static const struct perun_executor_ops ssh_ops = {.open = ssh_open,
						  .close = ssh_close,
						  .prepare = ssh_prepare,
						  .submit = processes_submit,
						  .poll = ssh_poll,
						  .cancel = processes_cancel,
						  .interval = 0.2,
						  .attached = true};

PERUN_PLUGIN(executor, ssh) = {
	PERUN_PLUGIN_HEAD(PERUN_KIND_EXECUTOR, "ssh", "tasks of a run on other hosts, by ssh"),
	.version = "1.0",
	.license = "BSD-3-Clause",
	PERUN_PLUGIN_OPTIONS(ssh_options),
	PERUN_PLUGIN_OPS(ssh_ops),
};
