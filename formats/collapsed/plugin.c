/* SPDX-License-Identifier: BSD-3-Clause */
/* The plugin: options, and how folded stacks are recognized. */
#include <string.h>

#include "formats/common/plugin.h"

#include "collapsed.h"

static const struct perun_option options[] = {
	{.name = "metric",
	 .type = PERUN_OPTION_STRING,
	 .metavar = "NAME",
	 .help = "writing: the metric at the end of the lines (default: the profile's own)"},
	{.name = "base",
	 .type = PERUN_OPTION_STRING,
	 .metavar = "NAME",
	 .help = "writing: a metric before it, for a difference"},
	{.name = "recorded",
	 .type = PERUN_OPTION_FLAG,
	 .help = "writing: stacks in the order of the samples, not sorted"},
	{.name = "counts",
	 .type = PERUN_OPTION_CHOICE,
	 .choices = "auto 1 2",
	 .default_value = "auto",
	 .help = "reading: how many numbers each line ends in"},
	{.name = NULL},
};

static int open_format(struct perun_ctx *ctx, const struct perun_options *given,
		       const char *subcommand, void **instance)
{
	struct collapsed_options *chosen = perun_alloc_zero(1, sizeof *chosen);
	const char *counts = perun_option_string(given, "counts");

	(void)ctx;
	(void)subcommand;
	chosen->metric = perun_strdup(perun_option_string(given, "metric"));
	chosen->base = perun_strdup(perun_option_string(given, "base"));
	chosen->recorded = perun_option_flag(given, "recorded");
	chosen->counts = *counts == 'a' ? 0 : (unsigned)(*counts - '0');
	*instance = chosen;
	return PERUN_OK;
}

static void close_format(void *instance)
{
	struct collapsed_options *chosen = instance;

	perun_free(chosen->metric);
	perun_free(chosen->base);
	perun_free(chosen);
}

/* The first line does not end in what is known of it: frames that are joined, and nothing else's mark. */
static bool may_be_long_line(const struct perun_probe *probe)
{
	const char *text = probe->data;

	return !strchr("{[<", *text) && memchr(text, ';', probe->size);
}

/* A row of numbers, or "NAME = 1", as traces of calls and other records have them. */
static bool is_record(const char *text, size_t length)
{
	size_t numbers = 0;

	while (numbers < length && strchr("0123456789.,+- \t", text[numbers]))
		numbers++;
	while (length && (text[length - 1] == ' ' || text[length - 1] == '\t'))
		length--;
	return numbers >= length || text[length - 1] == '=';
}

/* Metrics of Prometheus say first what they are. */
static bool is_exposition(const struct perun_probe *probe)
{
	static const char *const marks[] = {"# HELP ", "# TYPE "};

	for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
		if (probe->size >= 7 && memcmp(probe->data, marks[i], 7) == 0)
			return true;
	return false;
}

/* Whole lines that end in a number; several frames in some line make it likely. */
static int probe_format(const struct perun_probe *probe)
{
	const char *at = probe->data, *end = at + probe->size;
	size_t lines = 0, joined = 0, records = 0, bad = 0;

	if (probe->directory || memchr(probe->data, '\0', probe->size) || is_exposition(probe))
		return 0;
	while (at < end && lines < 100) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		size_t length = (size_t)((newline ? newline : end) - at), rest;
		struct collapsed_number number;

		if (!newline && !probe->whole)
			break;
		rest = length && at[length - 1] == '\r' ? length - 1 : length;
		if (rest && *at != '#') {
			if (collapsed_take(at, &rest, 1, &number)) {
				bool several = memchr(at, ';', rest) != NULL;

				lines++;
				joined += several;
				records += !several && is_record(at, rest);
			} else {
				bad++;
			}
		}
		at += length + 1;
	}
	if (!lines && !probe->whole && probe->size && at == probe->data && may_be_long_line(probe))
		return 4;
	if (bad) /* where most lines are stacks, others may be between them */
		return joined * 2 >= lines && joined && bad * COLLAPSED_GOOD_LINES <= lines ? 10
											    : 0;
	return joined ? 60 : lines > records * 2 ? 15 : 0;
}

FORMAT_PLUGIN(collapsed, "collapsed", "folded stacks, a line each", options, .open = open_format,
	      .close = close_format, .patterns = "*.folded *.collapsed", .probe = probe_format,
	      .read = collapsed_read, .write = collapsed_write);
