/* SPDX-License-Identifier: BSD-3-Clause */
/* What recordings of perf have in common, whether their text is read or they themselves are. */
#include <string.h>

#include "formats/common/perf-script.h"

/* 65,536 rows of hundreds of events at full width are many times their file. */
static struct perun_column_builder *add_column(struct perun_table_builder *table,
					       const struct perun_column_info *info)
{
	struct perun_column_builder *column = perun_table_add_column(table, info);

	perun_column_save_memory(column);
	return column;
}

void perfscript_add_columns(struct perun_table_builder *table, struct perun_column_builder **stacks,
			    struct perun_column_builder **labels,
			    struct perun_column_builder **times)
{
	*stacks = add_column(table, &(struct perun_column_info){.name = "stack",
								.type = PERUN_TYPE_STACK,
								.role = PERUN_ROLE_KEY});
	*labels = add_column(table, &(struct perun_column_info){.name = "labels",
								.type = PERUN_TYPE_LABELS,
								.role = PERUN_ROLE_KEY});
	*times = add_column(table, &(struct perun_column_info){.name = "time",
							       .unit = "nanoseconds",
							       .type = PERUN_TYPE_INT64,
							       .role = PERUN_ROLE_TIME});
}

/* Periods of clocks are times; of other events they count them. */
static const char *unit_of(const char *event, bool periods)
{
	static const char *const clocks[] = {"cpu-clock", "task-clock", "offcpu-time"};

	for (size_t i = 0; i < sizeof clocks / sizeof *clocks; i++)
		if (periods && strncmp(event, clocks[i], strlen(clocks[i])) == 0)
			return "nanoseconds";
	return "count";
}

struct perun_column_builder *perfscript_add_metric(struct perun_table_builder *table,
						   const char *event, bool periods, size_t number)
{
	static const char *const taken[] = {"amount", "metric", "type", "subtype"};
	struct perun_column_info info = {.name = event,
					 .unit = unit_of(event, periods),
					 .type = PERUN_TYPE_INT64,
					 .role = PERUN_ROLE_METRIC};
	bool other = perun_table_find_column(table, event) != NULL;
	struct perun_column_builder *column;
	char *name = NULL;

	for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
		other |= strcmp(event, taken[i]) == 0;
	if (other)
		info.name = name = perun_format("%s#%zu", event, number + 2);
	column = add_column(table, &info);
	perun_free(name);
	return column;
}

/*
 * What a line such as "/usr/bin/perf record -g -o X ./w 100" records: "./w 100", from start to end (`*run`)
 * unless it looks at what runs already. Lines of other kinds stay as they are.
 */
static char *recorded_command(const char *line, bool *run)
{
	/* Options of perf record whose value is a word of its own. */
	static const char *const valued[] = {
		"-e", "--event",   "-o",           "--output",     "-F",       "--freq",
		"-c", "--count",   "-m",           "--mmap-pages", "-C",       "--cpu",
		"-G", "--cgroup",  "--call-graph", "-j",           "-D",       "--delay",
		"-k", "--clockid", "-r",           "--realtime",   "--filter", "--max-size"};
	static const char *const running[] = {"-a", "--all-cpus", "-p", "--pid",
					      "-t", "--tid",      "-u", "--uid"};
	const char *at = strstr(line, " record ");
	bool attached = false;
	size_t length;

	for (at = at ? at + 7 : NULL; at && *(at += strspn(at, " ")) == '-';) {
		bool value = false;

		length = strcspn(at, " ");
		for (size_t i = 0; i < sizeof valued / sizeof *valued; i++)
			value |= strlen(valued[i]) == length && strncmp(at, valued[i], length) == 0;
		for (size_t i = 0; i < sizeof running / sizeof *running; i++)
			attached |= strlen(running[i]) == length &&
				    strncmp(at, running[i], length) == 0;
		if (length == 2 && at[1] == '-') {
			at += 2;
			at += strspn(at, " ");
			break;
		}
		/* -p and its like have a value; -a has none. */
		value |= length == 2 && strchr("ptu", at[1]);
		at += length;
		at += value ? strspn(at, " ") : 0;
		at += value ? strcspn(at, " ") : 0;
	}
	if (at && *at && !attached) {
		*run = strncmp(at, "sleep ", 6) != 0;
		line = at;
	}
	for (length = strlen(line); length && line[length - 1] == ' ';)
		length--;
	return perun_strndup(line, length);
}

void perfscript_note_command(struct perun_json *header, const char *line)
{
	bool run = false;
	char *command = recorded_command(line, &run);

	perun_json_set(header, "cmd", perun_json_text(command));
	if (run)
		perun_json_set(header, "recorded", perun_json_text("run"));
	perun_free(command);
}

void perfscript_count(struct perfscript_sums *sums, double period)
{
	sums->sum += period;
	sums->squares += period * period;
}

void perfscript_note_samples(struct perun_json *document,
			     struct perun_column_builder *const *metrics,
			     const struct perfscript_sums *const *sums, size_t count)
{
	struct perun_json *about = perun_json_object();

	for (size_t i = 0; i < count; i++) {
		struct perun_json *metric = perun_json_object();

		perun_json_set(metric, "noise", perun_json_text("sampled"));
		if (sums[i]->sum > 0)
			perun_json_set(metric, "sample",
				       perun_json_double(sums[i]->squares / sums[i]->sum));
		perun_json_set(about, perun_column_builder_info(metrics[i])->name, metric);
	}
	perun_json_set(document, "metrics", about);
}

void perfscript_note_leading(struct perun_json *header, struct perun_column_builder *const *metrics,
			     size_t count)
{
	const struct perun_column_info *info = perun_column_builder_info(metrics[0]);

	/* What takes time is what a recording is about, before what was counted beside it. */
	for (size_t i = count; i-- > 0;) {
		const struct perun_column_info *other = perun_column_builder_info(metrics[i]);

		if (other->unit && strcmp(other->unit, "nanoseconds") == 0)
			info = other;
	}
	perun_json_set(header, "default_metric", perun_json_text(info->name));
}
