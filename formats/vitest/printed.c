/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines of groups, "✓ a.bench.js > sort 609ms", and below them rows, "· name  hz  min ... rme  samples". */
#include <ctype.h>
#include <string.h>

#include "formats/common/each-line.h"
#include "formats/vitest/printed.h"

enum {
	NUMBERS = 8, /* of a row: hz, min, max, mean and percentiles; "±rme%" and samples follow */
	MARK = 3     /* bytes of a mark such as ✓; that of a row has 2 */
};

static const char row_mark[] = "\xc2\xb7 ", skipped_mark[] = "\xe2\x86\x93 ", margin[] = "\xc2\xb1";

struct printed {
	struct perun_ctx *ctx;
	struct benchmark *benchmark;
	char *line;  /* of the group; NULL = there was none */
	char *group; /* its name */
	bool again;  /* it was printed a second time, as since version 3 */
	struct perun_buffer uid;
};

bool vitest_is_printed(const struct perun_probe *probe)
{
	return probe_has(probe, " hz ") && probe_has(probe, " p999 ") && probe_has(probe, row_mark);
}

/* Without the time that it took: "a.bench.js > sort 609ms". */
static char *name_of_group(const char *text)
{
	size_t length = strlen(text), end;

	while (length && isspace((unsigned char)text[length - 1]))
		length--;
	end = length;
	if (end > 2 && memcmp(text + end - 2, "ms", 2) == 0) {
		end -= 2;
		while (end && isdigit((unsigned char)text[end - 1]))
			end--;
		if (end && text[end - 1] == ' ')
			length = end - 1;
	}
	return perun_strndup(text, length);
}

static void take_group(struct printed *printed, const char *text)
{
	printed->again = printed->line && strcmp(printed->line, text) == 0;
	if (printed->again)
		return;
	perun_free(printed->line);
	perun_free(printed->group);
	printed->line = perun_strdup(text);
	printed->group = name_of_group(text);
}

/* Where the column before `at` begins, which is at least two blanks after the one before. */
static char *column_before(char *text, char *at)
{
	while (at > text && at[-1] == ' ')
		at--;
	*at = '\0';
	while (at > text && at[-1] != ' ')
		at--;
	return at;
}

/* From the end, since a name may have blanks: the margin is the last column but one, and "fastest" may follow. */
static void take_row(struct printed *printed, char *row)
{
	char *at = strstr(row, margin), *next = at ? strstr(at + 1, margin) : NULL;
	double rate, percent;

	for (; next; next = strstr(at + 1, margin))
		at = next;
	if (!at || !benchmark_grouped(at + strlen(margin), &percent))
		return;
	for (int i = 0; i < NUMBERS; i++)
		at = column_before(row, at);
	if (at == row || !benchmark_grouped(at, &rate))
		return;
	column_before(row, at);
	perun_buffer_clear(&printed->uid);
	perun_buffer_printf(&printed->uid, "%s > %s", printed->group, row);
	if (rate > 0) {
		benchmark_time(printed->benchmark, printed->uid.data, "real", 1 / rate);
		benchmark_deviation(printed->benchmark, "time(real)", printed->uid.data,
				    percent / 100 / BENCHMARK_INTERVAL_Z);
	} else {
		benchmark_failed(printed->benchmark, printed->uid.data, NULL);
		perun_warn(printed->ctx, "%s is left out: it failed", printed->uid.data);
	}
}

static int read_line(void *data, char *line, size_t length)
{
	struct printed *printed = data;
	char *text = line + strspn(line, " \t");

	(void)length;
	if (strncmp(text, row_mark, sizeof row_mark - 1) == 0) {
		if (printed->group && !printed->again)
			take_row(printed, text + sizeof row_mark - 1);
	} else if ((unsigned char)*text >= 0xe0 && strlen(text) > MARK && text[MARK] == ' ' &&
		   strncmp(text, skipped_mark, MARK) != 0) {
		take_group(printed, text + MARK + 1);
	}
	return PERUN_OK;
}

int vitest_read_printed(struct perun_ctx *ctx, struct perun_input *input,
			struct benchmark *benchmark)
{
	struct printed printed = {.ctx = ctx, .benchmark = benchmark};
	struct perun_lines *lines = perun_lines_new(input, 0);
	int status = read_each_line(ctx, lines, read_line, &printed);

	perun_lines_free(lines);
	perun_free(printed.line);
	perun_free(printed.group);
	perun_buffer_free(&printed.uid);
	return status;
}
