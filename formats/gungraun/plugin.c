/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gungraun: benchmarks with their counts below them ("  Instructions:   1734|1650   (+5.1%)": the new and the old
 * value), in sections of tools ("  ======= DHAT ======"), or summaries in JSON; other output may be between them.
 */
#include <ctype.h>
#include <string.h>

#include "formats/common/each-line.h"
#include "gungraun.h"

enum { MAX_BLOCK = 64 << 20 };

struct reading {
	struct perun_ctx *ctx;
	struct perun_lines *lines;
	struct benchmark *benchmark;
	struct perun_buffer name, tool;
	bool counted; /* the benchmark has counts: the next line without a margin is another one */
	struct perun_buffer block; /* a summary over several lines */
	size_t margin;             /* before its braces */
};

/* Instructions and bytes are what a tool is run for; what several tools count alike has the tool's name before it. */
void gungraun_add(struct benchmark *benchmark, const char *uid, const char *tool,
		  const char *metric, double value)
{
	bool own = !*tool || strcasecmp(tool, "callgrind") == 0 || strcasecmp(tool, "dhat") == 0;
	size_t length = strlen(metric);
	bool bytes = length > 6 && strcmp(metric + length - 6, " bytes") == 0;
	char *name = own ? perun_strdup(metric) : perun_format("%s %s", tool, metric);

	for (char *at = own ? NULL : name + 1; at && *at && *at != ' '; at++)
		*at = (char)tolower((unsigned char)*at);
	benchmark_value(benchmark, uid, name,
			bytes                    ? "B"
			: strstr(metric, "Rate") ? "%"
						 : "",
			strstr(metric, "Hit Rate") != NULL, value);
	/* Valgrind counts and simulates. */
	benchmark_exact(benchmark, name);
	perun_free(name);
}

/* ---- what is printed ------------------------------------------------------------------------- */

/* "  L1 Hits:    2359|2275   (+3.69%)", "  L1 Accesses:   1580 (+0.7%)": name and new value. False: another line. */
static bool take_count(char *line, char **metric, double *value)
{
	char *colon = strchr(line, ':'), *text;
	size_t margin = strspn(line, " "), length;

	if (margin != 2 || !colon || colon == line + margin)
		return false;
	text = colon + 1 + strspn(colon + 1, " ");
	length = benchmark_grouped(text, value);
	if (!length || (text[length] && text[length] != '|' && text[length] != ' '))
		return false;
	*colon = '\0';
	*metric = line + margin;
	return true;
}

/* "  ======= DHAT =======" */
static bool take_tool(struct reading *reading, const char *line)
{
	const char *at = line + strspn(line, " ");
	size_t rule = strspn(at, "="), length;

	if (at == line || rule < 5 || at[rule] != ' ')
		return false;
	at += rule + 1;
	length = strcspn(at, " ");
	if (!length || at[length] != ' ' || at[length + 1] != '=')
		return false;
	perun_buffer_clear(&reading->tool);
	perun_buffer_add(&reading->tool, at, length);
	return true;
}

/* The name of a benchmark; an id may have line ends in it. */
static void add_name(struct reading *reading, const char *line)
{
	bool more = !reading->counted && reading->name.length && strstr(reading->name.data, "::") &&
		    !strstr(line, "::");

	if (!more)
		perun_buffer_clear(&reading->name);
	else
		perun_buffer_add_char(&reading->name, ' ');
	perun_buffer_add_text(&reading->name, line);
	perun_buffer_clear(&reading->tool);
	reading->counted = false;
}

static void read_text(struct reading *reading, char *line, size_t length)
{
	char *metric;
	double value;

	if (!length || take_tool(reading, line)) {
		if (!length)
			perun_buffer_clear(&reading->name);
	} else if (*line != ' ') {
		add_name(reading, line);
	} else if (reading->name.length && take_count(line, &metric, &value)) {
		gungraun_add(reading->benchmark, reading->name.data,
			     reading->tool.length ? reading->tool.data : "", metric, value);
		reading->counted = true;
	}
}

/* ---- summaries ------------------------------------------------------------------------------- */

/* Blocks of others, and such as are cut off, are passed over. */
static int read_block(struct reading *reading, const char *text, size_t length)
{
	struct perun_input *input = perun_input_from_memory("summary", text, length);
	struct perun_json *document = NULL;
	int status = benchmark_document(reading->ctx, input, &document);

	if (!status)
		gungraun_read_summary(reading->benchmark, document);
	else if (status == PERUN_INPUT)
		perun_ctx_clear(reading->ctx);
	if (!status)
		perun_json_free(document);
	perun_input_close(input);
	return status == PERUN_INPUT ? PERUN_OK : status;
}

/* A brace alone begins a block that ends with the brace of the same margin. */
static int read_more(struct reading *reading, const char *line, size_t length, size_t margin)
{
	int status = PERUN_OK;
	bool begins = strcmp(line + margin, "{") == 0 && margin <= reading->margin;

	if (begins) /* the one before had no end */
		perun_buffer_clear(&reading->block);
	if (reading->block.length + length >= MAX_BLOCK)
		return perun_fail(reading->ctx, PERUN_INPUT,
				  "line %llu: a summary of more than 64 MB",
				  (unsigned long long)perun_lines_number(reading->lines));
	perun_buffer_add(&reading->block, line, length);
	perun_buffer_add_char(&reading->block, '\n');
	if (begins)
		reading->margin = margin;
	if (margin == reading->margin && strcmp(line + margin, "}") == 0) {
		status = read_block(reading, reading->block.data, reading->block.length);
		perun_buffer_clear(&reading->block);
	}
	return status;
}

static int read_line(void *data, char *line, size_t length)
{
	struct reading *reading = data;
	size_t margin;

	while (length && strchr(" \t\r", line[length - 1]))
		line[--length] = '\0';
	margin = strspn(line, " \t");
	if (line[margin] == '{' && line[margin + 1] && line[length - 1] == '}') {
		perun_buffer_clear(&reading->block);
		return read_block(reading, line, length);
	}
	if (reading->block.length || strcmp(line + margin, "{") == 0) {
		if (!reading->block.length)
			reading->margin = margin;
		return read_more(reading, line, length, margin);
	}
	read_text(reading, line, length);
	return PERUN_OK;
}

/* ---- the plugin ------------------------------------------------------------------------------ */

/* What whole lines of results end in. */
static const char *const endings[] = {")", NULL};

static int read_format(void *instance, struct perun_ctx *ctx, struct perun_input *input,
		       struct perun_builder *builder)
{
	struct reading reading = {.ctx = ctx, .lines = perun_lines_new(input, 0)};
	int status;

	(void)instance;
	reading.benchmark = benchmark_begin(ctx, builder, "gungraun", input);
	status = read_each_log_line(ctx, reading.lines, read_line, &reading, endings);
	perun_lines_free(reading.lines);
	perun_buffer_free(&reading.name);
	perun_buffer_free(&reading.tool);
	perun_buffer_free(&reading.block);
	return benchmark_end(reading.benchmark, status);
}

static int probe_format(const struct perun_probe *probe)
{
	static const char *const sections[] = {
		"\n  ======= CALLGRIND =", "\n  ======= CACHEGRIND =", "\n  ======= DHAT =",
		"\n  ======= MEMCHECK =",  "\n  ======= HELGRIND =",   "\n  ======= DRD ="};

	if (probe->directory)
		return 0;
	if (probe_has(probe, "\"module_path\"") && probe_has(probe, "\"profiles\"") &&
	    probe_has(probe, "\"benchmark_exe\""))
		return 95;
	for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
		if (probe_has(probe, sections[i]))
			return 95;
	return probe_has(probe, "\n  Instructions: ") ||
			       (probe_has(probe, "\n  ") && probe_has(probe, "|N/A "))
		       ? 93
		       : 0;
}

static const char *const marks[] = {"\"benchmark_exe\"",
				    "\n  ======= ", "\n  Instructions: ", "|N/A ", NULL};

static const struct perun_format_ops ops = {
	.contains = marks,
	.probe = probe_format,
	.read = read_format,
};

PERUN_PLUGIN(format, gungraun) = {
	PERUN_PLUGIN_HEAD(PERUN_KIND_FORMAT, "gungraun",
			  "counts of Gungraun (Iai-Callgrind) and Iai"),
	.version = "1.0",
	.license = "BSD-3-Clause",
	PERUN_PLUGIN_OPS(ops),
};
