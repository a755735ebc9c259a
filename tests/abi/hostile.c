/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Plugins that misbehave, for hostile.sh: compiled once for each, with one of the names below defined.
 * What the view `crash` does says the variable CRASH.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <perun/check.h>
#include <perun/command.h>
#include <perun/format.h>
#include <perun/profile.h>
#include <perun/view.h>

#if defined(VIEW_STATUS)
#define VIEW status
/* Returns the number in STATUS, with the reason in REASON if there is one. */
static int show(void *instance, struct perun_ctx *ctx, struct perun_profile *const *profiles,
		const char *const *names, size_t count, const struct perun_canvas *canvas)
{
	const char *reason = getenv("REASON");
	int status = atoi(getenv("STATUS"));

	(void)instance;
	(void)profiles;
	(void)names;
	(void)count;
	(void)canvas;
	return reason ? perun_fail(ctx, status, "%s", reason) : status;
}
#define OPEN NULL
#define NAME "status"

#elif defined(VIEW_CRASH)
#define VIEW crash
static volatile int zero;

static __attribute__((noinline)) int sink_into(volatile char *above)
{
	volatile char room[4096];

	room[0] = above[0];
	return zero ? 0 : sink_into(room) + room[1];
}

static void *crash_in_thread(void *data)
{
	*(volatile int *)data = 1;
	return data;
}

static void *exit_in_thread(void *data)
{
	(void)data;
	exit(0);
}

static int in_thread(void *(*body)(void *))
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, body, NULL) == 0)
		pthread_join(thread, NULL);
	return PERUN_OK;
}

static int crash_in_item(struct perun_ctx *ctx, size_t i, void *data)
{
	(void)ctx;
	(void)data;
	/* In whichever thread the last one falls to. */
	usleep(1000);
	if (i == 63)
		*(volatile int *)data = 1;
	return PERUN_OK;
}

static int crash(struct perun_ctx *ctx, const struct perun_options *options, const char *subcommand,
		 void **instance)
{
	const char *how = getenv("CRASH");
	char *page;

	(void)options;
	(void)subcommand;
	(void)instance;
	if (strcmp(how, "segv") == 0)
		*(volatile int *)(intptr_t)zero = 1;
	else if (strcmp(how, "bus") == 0 &&
		 (page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fileno(tmpfile()), 0)))
		return *(volatile char *)page;
	else if (strcmp(how, "fpe") == 0)
		raise(SIGFPE);
	else if (strcmp(how, "abrt") == 0)
		abort();
	else if (strcmp(how, "ill") == 0)
		__builtin_trap();
	else if (strcmp(how, "stack") == 0)
		return sink_into("");
	else if (strcmp(how, "thread") == 0)
		return in_thread(crash_in_thread);
	else if (strcmp(how, "parallel") == 0)
		return perun_parallel_for(ctx, 64, crash_in_item, NULL);
	else if (strcmp(how, "exit") == 0)
		exit(0);
	else if (strcmp(how, "exit-thread") == 0)
		return in_thread(exit_in_thread);
	return PERUN_OK;
}

static int show(void *instance, struct perun_ctx *ctx, struct perun_profile *const *profiles,
		const char *const *names, size_t count, const struct perun_canvas *canvas)
{
	(void)instance;
	(void)ctx;
	(void)profiles;
	(void)names;
	(void)count;
	(void)canvas;
	return PERUN_OK;
}
#define OPEN crash
#define NAME "crash"

#elif defined(VIEW_SEEN)
#define VIEW     seen
/* Writes the file SEEN as soon as it is opened. */
static __attribute__((constructor)) void say(void)
{
	const char *path = getenv("SEEN");
	FILE *file = path ? fopen(path, "w") : NULL;

	if (file)
		fclose(file);
}

static int show(void *instance, struct perun_ctx *ctx, struct perun_profile *const *profiles,
		const char *const *names, size_t count, const struct perun_canvas *canvas)
{
	(void)instance;
	(void)profiles;
	(void)names;
	(void)count;
	(void)canvas;
	return perun_fail(ctx, PERUN_INPUT, "seen");
}
static int run(struct perun_ctx *ctx, const struct perun_command_call *call)
{
	(void)ctx;
	(void)call;
	return PERUN_OK;
}
static const struct perun_command commands[] = {
	{.name = "look", .summary = "look", .run = run},
	{0},
};
#define OPEN     NULL
#define NAME     "seen"
#define COMMANDS PERUN_PLUGIN_COMMANDS(commands),

#elif defined(VIEW_TABLES)
#define VIEW     tables
static const struct perun_option options[] = {{.name = "Large", .help = "has a bad name"}, {0}};
static int show(void *instance, struct perun_ctx *ctx, struct perun_profile *const *profiles,
		const char *const *names, size_t count, const struct perun_canvas *canvas)
{
	(void)instance;
	(void)ctx;
	(void)profiles;
	(void)names;
	(void)count;
	(void)canvas;
	return PERUN_OK;
}
#define OPEN     NULL
#define NAME     "tables"
#define COMMANDS PERUN_PLUGIN_OPTIONS(options),
#endif

#ifndef COMMANDS
#define COMMANDS
#endif

#ifdef VIEW
static const struct perun_view_ops ops = {
	.open = OPEN, .forms = PERUN_FORM_TERMINAL | PERUN_FORM_HTML, .show = show};
#define DEFINE(name) PERUN_PLUGIN(view, name)
DEFINE(VIEW) = {
	PERUN_PLUGIN_HEAD(PERUN_KIND_VIEW, NAME, "misbehaves"),
	COMMANDS PERUN_PLUGIN_OPS(ops),
};

#elif defined(CHECK_STATUS)
static int compare(void *instance, struct perun_ctx *ctx, const struct perun_comparison *comparison,
		   struct perun_report *report)
{
	(void)instance;
	(void)ctx;
	(void)comparison;
	(void)report;
	return atoi(getenv("STATUS"));
}

static const struct perun_check_ops ops = {.compare = compare};

PERUN_PLUGIN(check, status) = {
	PERUN_PLUGIN_HEAD(PERUN_KIND_CHECK, "status", "misbehaves"),
	PERUN_PLUGIN_OPS(ops),
};

#elif defined(FORMAT_UNEVEN)
static int probe(const struct perun_probe *probe)
{
	return probe->size >= 6 && memcmp(probe->data, "uneven", 6) == 0 ? 100 : 0;
}

/* Two columns of FIRST and SECOND cells, of which ROWS are said to be rows. */
static int read_uneven(void *instance, struct perun_ctx *ctx, struct perun_input *input,
		       struct perun_builder *builder)
{
	static const int64_t cells[] = {1, 2, 3, 4, 5, 6, 7, 8};
	struct perun_table_builder *table = perun_builder_table(builder, "resources");
	const char *const names[] = {"FIRST", "SECOND"};

	(void)instance;
	(void)ctx;
	(void)input;
	for (int i = 0; i < 2; i++) {
		struct perun_column_info info = {
			.name = names[i], .type = PERUN_TYPE_INT64, .role = PERUN_ROLE_METRIC};

		perun_column_append_int64(perun_table_add_column(table, &info), cells,
					  (size_t)atoi(getenv(names[i])));
	}
	perun_table_end_rows(table, (size_t)atoi(getenv("ROWS")));
	return PERUN_OK;
}

static const struct perun_format_ops ops = {.probe = probe, .read = read_uneven};

PERUN_PLUGIN(format, uneven) = {
	PERUN_PLUGIN_HEAD(PERUN_KIND_FORMAT, "uneven", "misbehaves"),
	PERUN_PLUGIN_OPS(ops),
};
#endif
