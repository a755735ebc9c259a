/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * format-pairs [FORMAT]=FILE... -- FORMAT...: reads each file, writes it in each of the formats after --, reads that again
 * and prints what the writer said was lost, and the first fact of each kind that differs afterwards.
 * Without FORMAT the content says what it is. With PERUN_PEAK in the environment it prints at last the most memory that was
 * resident, in bytes: what a parent is told of it may be the parent's own.
 */
#include <math.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <perun/format.h>
#include <perun/lib/registry.h>
#include <perun/lib/units.h>
#include <perun/profile.h>
#include <perun/query.h>

/* What a profile says, as facts: lines of text, and numbers that are added up where lines are equal. */
enum { VALUES, UNITS, PLACES, LABELS, TABLES, HEADER, KINDS };
/* Columns of the native format that follow from others. */
static const char *const derived[] = {"uid",   "trace",    "type",     "subtype",
				      "order", "metric",   "function", "function-file",
				      "line",  "location", "file",     NULL};

static const char *const kind_names[KINDS] = {"values", "units",  "places",
					      "labels", "tables", "header"};

struct fact {
	char *text;
	double number;
};

struct facts {
	struct fact *items[KINDS];
	size_t counts[KINDS], rooms[KINDS];
};

static void add_fact(struct facts *facts, int kind, const char *text, double number)
{
	PERUN_GROW(facts->items[kind], facts->counts[kind], facts->rooms[kind]);
	facts->items[kind][facts->counts[kind]++] = (struct fact){perun_strdup(text), number};
}

static int compare_facts(const void *a, const void *b)
{
	return strcmp(((const struct fact *)a)->text, ((const struct fact *)b)->text);
}

static void sum_facts(struct facts *facts, int kind)
{
	struct fact *items = facts->items[kind];
	size_t kept = 0;

	if (!facts->counts[kind])
		return;
	qsort(items, facts->counts[kind], sizeof *items, compare_facts);
	for (size_t i = 0; i < facts->counts[kind]; i++) {
		if (kept && strcmp(items[kept - 1].text, items[i].text) == 0) {
			items[kept - 1].number += items[i].number;
			perun_free(items[i].text);
		} else {
			items[kept++] = items[i];
		}
	}
	facts->counts[kind] = kept;
}

static void free_facts(struct facts *facts)
{
	for (int kind = 0; kind < KINDS; kind++) {
		for (size_t i = 0; i < facts->counts[kind]; i++)
			perun_free(facts->items[kind][i].text);
		perun_free(facts->items[kind]);
	}
}

/* ---- facts of a profile ---- */

static const char *text_of(const struct perun_profile *profile, perun_id id)
{
	const char *text = id == PERUN_NO_ID ? NULL : perun_profile_string(profile, id, NULL);

	return text ? text : "";
}

/* Functions that are called by their addresses are those without a name. */
static void add_name(struct perun_buffer *out, const char *name)
{
	char *end;
	unsigned long long address = strtoull(name, &end, 16);

	if (strncmp(name, "0x", 2) == 0 && !*end)
		perun_buffer_printf(out, ";0x%llx", address);
	else
		perun_buffer_printf(out, ";%s", name);
}

static void add_path(const struct perun_profile *profile, perun_id stack, struct perun_buffer *out)
{
	size_t count = 0;
	const perun_id *locations = perun_profile_stack(profile, stack, &count);

	if (!count)
		perun_buffer_add_text(out, ";");
	while (count--) {
		const struct perun_location *location =
			perun_profile_location(profile, locations[count]);

		for (size_t i = location->line_count; i--;) {
			perun_id function = location->lines[i].function;

			add_name(
				out,
				function == PERUN_NO_ID
					? "?"
					: text_of(profile,
						  perun_profile_function(profile, function)->name));
		}
		if (!location->line_count)
			perun_buffer_printf(out, ";0x%llx", (unsigned long long)location->address);
	}
}

/* Not so of a mapping that formats make where a file has none. */
static bool says_something(const struct perun_mapping *mapping)
{
	return mapping->file || mapping->build_id || mapping->start || mapping->offset ||
	       (mapping->limit && mapping->limit != UINT64_MAX);
}

/* What places have besides names, or besides addresses where they have no names. */
static void add_place(struct facts *facts, const struct perun_profile *profile,
		      const struct perun_location *location)
{
	const struct perun_mapping *mapping =
		location->mapping == PERUN_NO_ID
			? NULL
			: perun_profile_mapping(profile, location->mapping);
	struct perun_buffer text = {0};

	if (mapping && says_something(mapping)) {
		perun_buffer_printf(&text, "%s from 0x%llx", text_of(profile, mapping->file),
				    (unsigned long long)mapping->start);
		add_fact(facts, PLACES, text.data, 0);
		perun_buffer_clear(&text);
	}
	if (location->address && location->line_count) {
		perun_buffer_printf(&text, "0x%llx", (unsigned long long)location->address);
		add_fact(facts, PLACES, text.data, 0);
	}
	for (size_t i = 0; i < location->line_count; i++) {
		const struct perun_line *line = &location->lines[i];
		const struct perun_function *function =
			line->function == PERUN_NO_ID
				? NULL
				: perun_profile_function(profile, line->function);
		const char *file = function ? text_of(profile, function->file) : "";

		if (strcmp(file, "???") == 0 || (!*file && !line->line && !line->column))
			continue;
		perun_buffer_clear(&text);
		perun_buffer_printf(&text, "%s in %s:%lld:%lld",
				    function ? text_of(profile, function->name) : "?", file,
				    (long long)line->line, (long long)line->column);
		add_fact(facts, PLACES, text.data, 0);
	}
	perun_buffer_free(&text);
}

static void add_places(struct facts *facts, const struct perun_profile *profile, perun_id stack)
{
	size_t count = 0;
	const perun_id *locations = perun_profile_stack(profile, stack, &count);

	for (size_t i = 0; i < count; i++)
		add_place(facts, profile, perun_profile_location(profile, locations[i]));
}

/* What a row is of: its stack, or its uid and other keys. */
static void describe_row(const struct perun_profile *profile, size_t row, struct perun_buffer *out)
{
	const struct perun_table *table = perun_resources(profile);
	const struct perun_column *stack = perun_table_column(table, "stack");
	const struct perun_column *uid = perun_table_column(table, "uid");

	if (stack && !perun_column_absent(stack, row)) {
		add_path(profile, perun_column_id(stack, row), out);
	} else if (uid) {
		perun_buffer_add_text(out, ";");
		perun_column_flat(uid, row, out);
	} else {
		perun_buffer_add_text(out, ";");
	}
}

/* Units that convert are compared in seconds and bytes. */
static const char *base_of(const char *unit, double *factor)
{
	static const char *const bases[] = {"s", "B"};

	for (size_t i = 0; i < 2; i++)
		if (unit && (*factor = (double)perun_unit_factor(unit, bases[i])) > 0)
			return bases[i];
	*factor = 1;
	return unit && strcmp(unit, "count") != 0 ? unit : "";
}

/* Labels, times and parameters are columns in formats that have none, and the other way round. */
static void add_label(struct facts *facts, const char *key, const char *text)
{
	char *whole =
		perun_format("%s %s", strcmp(key, "comm") == 0 ? "thread" : key, text ? text : "");

	add_fact(facts, LABELS, whole, 0);
	perun_free(whole);
}

static void add_number(struct facts *facts, const char *key, double number, const char *unit)
{
	double factor;
	char *text;

	unit = base_of(unit, &factor);
	text = perun_format("%.9g%s", number * factor, unit);
	if (!isnan(number))
		add_label(facts, key, text);
	perun_free(text);
}

static void add_labels(struct facts *facts, const struct perun_profile *profile, perun_id id)
{
	size_t count = 0;
	const struct perun_label *labels = perun_profile_labels(profile, id, &count);

	for (size_t i = 0; i < count; i++) {
		const char *key = text_of(profile, labels[i].key);

		if (labels[i].text == PERUN_NO_ID)
			add_number(facts, key, (double)labels[i].number,
				   text_of(profile, labels[i].unit));
		else
			add_label(facts, key, text_of(profile, labels[i].text));
	}
}

static void add_point(struct facts *facts, const struct perun_profile *profile, perun_id id)
{
	size_t count = 0;
	const double *values = perun_profile_point(profile, id, &count);

	for (size_t i = 0; i < count; i++)
		add_number(facts, perun_profile_parameter(profile, (perun_id)i, NULL), values[i],
			   "");
}

/* The times of regions are metrics of whatever is read from AFPerf. */
static bool is_added(const struct perun_metric *metric, const struct perun_profile *original)
{
	return original && !perun_metric(original, metric->name) &&
	       (strcmp(metric->name, "duration") == 0 || strcmp(metric->name, "total") == 0);
}

static void add_metric(struct facts *facts, const struct perun_profile *profile,
		       const struct perun_metric *metric)
{
	size_t rows = perun_table_rows(perun_resources(profile));
	uint64_t *selection = perun_selection_of_metric(metric, rows);
	struct perun_buffer text = {0};
	double factor;

	perun_buffer_printf(&text, "%s in %s", metric->name, base_of(metric->unit, &factor));
	if (metric->rows)
		add_fact(facts, UNITS, text.data, 0);
	for (size_t row = 0; row < rows; row++) {
		double value = perun_column_double(metric->values, row);

		if (!perun_bit(selection, row) || perun_column_absent(metric->values, row) ||
		    value == 0)
			continue;
		perun_buffer_clear(&text);
		perun_buffer_printf(&text, "%s: ", metric->name);
		describe_row(profile, row, &text);
		add_fact(facts, VALUES, text.data, value * factor);
	}
	perun_buffer_free(&text);
	perun_free(selection);
}

static void add_cell(struct facts *facts, const struct perun_profile *profile,
		     const struct perun_column *column, size_t row)
{
	const struct perun_column_info *info = perun_column_info(column);
	struct perun_buffer text = {0};

	for (size_t i = 0; derived[i]; i++)
		if (strcmp(info->name, derived[i]) == 0)
			return;
	if (info->role == PERUN_ROLE_METRIC || info->type == PERUN_TYPE_ROW)
		return;
	if (info->type == PERUN_TYPE_STACK) {
		add_places(facts, profile, perun_column_id(column, row));
	} else if (info->type == PERUN_TYPE_LABELS) {
		add_labels(facts, profile, perun_column_id(column, row));
	} else if (info->type == PERUN_TYPE_POINT) {
		add_point(facts, profile, perun_column_id(column, row));
	} else if (info->type <= PERUN_TYPE_DOUBLE) {
		add_number(facts, info->name, perun_column_double(column, row), info->unit);
	} else {
		perun_column_flat(column, row, &text);
		add_label(facts, info->name, text.data);
	}
	perun_buffer_free(&text);
}

static void add_row(struct facts *facts, const struct perun_profile *profile, size_t row)
{
	const struct perun_table *table = perun_resources(profile);

	for (size_t i = 0; i < perun_table_columns(table); i++) {
		const struct perun_column *column = perun_table_column_at(table, i);

		if (!perun_column_absent(column, row))
			add_cell(facts, profile, column, row);
	}
}

/* `original`: what the profile was written from; NULL where it is that. */
static void gather(struct facts *facts, const struct perun_profile *profile,
		   const struct perun_profile *original)
{
	static const char *const header[] = {"header.cmd", "header.args", "header.workload"};
	const struct perun_table *resources = perun_resources(profile);
	size_t count;
	const struct perun_metric *const *metrics = perun_metrics(profile, &count);

	for (size_t i = 0; i < count; i++)
		if (!is_added(metrics[i], original))
			add_metric(facts, profile, metrics[i]);
	for (size_t row = 0; row < perun_table_rows(resources); row++)
		add_row(facts, profile, row);
	for (size_t i = 0; i < perun_profile_tables(profile); i++) {
		const struct perun_table *table = perun_profile_table_at(profile, i);

		if (table != resources && perun_table_rows(table) &&
		    strcmp(perun_table_name(table), "resource_types") != 0)
			add_fact(facts, TABLES, perun_table_name(table),
				 (double)perun_table_rows(table));
	}
	for (size_t i = 0; i < sizeof header / sizeof *header; i++)
		if (*perun_profile_text(profile, header[i])) {
			char *text = perun_format("%s %s", header[i],
						  perun_profile_text(profile, header[i]));
			add_fact(facts, HEADER, text, 0);
			perun_free(text);
		}
	for (int kind = 0; kind < KINDS; kind++)
		sum_facts(facts, kind);
}

/* ---- comparing ---- */

/* The first fact that is not there afterwards, or that is another number, as text; NULL: none. The caller frees it. */
static char *difference(const struct facts *before, const struct facts *after, int kind)
{
	for (size_t i = 0; i < before->counts[kind]; i++) {
		const struct fact *fact = &before->items[kind][i];
		const struct fact *same =
			after->counts[kind] ? bsearch(fact, after->items[kind], after->counts[kind],
						      sizeof *fact, compare_facts)
					    : NULL;

		if (!same)
			return perun_format("'%s' is gone", fact->text);
		if (fabs(same->number - fact->number) > 1e-14 * fabs(fact->number))
			return perun_format("'%s' was %.12g, is %.12g", fact->text, fact->number,
					    same->number);
	}
	if (kind == VALUES && after->counts[kind] > before->counts[kind])
		return perun_format("%zu values became %zu", before->counts[kind],
				    after->counts[kind]);
	return NULL;
}

static int read_file(struct perun_ctx *ctx, const char *path, const char *format,
		     struct perun_profile **profile)
{
	struct perun_input *input;
	int status = perun_input_open(ctx, path, &input);

	if (status)
		return status;
	status = perun_read_profile(ctx, input, format, NULL, profile, NULL);
	perun_input_close(input);
	return status;
}

static bool writes_directory(struct perun_ctx *ctx, const char *format)
{
	const struct perun_plugin *plugin;
	struct perun_format_ops ops;

	if (perun_registry_load(ctx, PERUN_KIND_FORMAT, format, &plugin))
		return false;
	perun_plugin_ops(plugin, &ops, sizeof ops);
	return ops.writes_directory;
}

static int write_file(struct perun_ctx *ctx, const struct perun_profile *profile,
		      const char *format, const char *path)
{
	struct perun_output *output;
	int status = writes_directory(ctx, format) ? perun_output_open_directory(ctx, path, &output)
						   : perun_output_open(ctx, path, &output);

	if (status)
		return status;
	status = perun_write_profile(ctx, profile, format, NULL, output);
	if (!status)
		status = perun_output_commit(ctx, output);
	perun_output_close(output);
	return status;
}

static void print_changes(const struct perun_profile *profile, const struct perun_profile *again)
{
	struct facts before = {0}, after = {0};

	gather(&before, profile, NULL);
	gather(&after, again, profile);
	for (int kind = 0; kind < KINDS; kind++) {
		char *text = difference(&before, &after, kind);
		char *shown = text ? perun_printable(text) : NULL;

		if (text)
			printf("changed %s %s\n", kind_names[kind], shown);
		perun_free(shown);
		perun_free(text);
	}
	free_facts(&before);
	free_facts(&after);
}

static bool has_values(const struct perun_profile *profile)
{
	struct facts facts = {0};
	bool has;

	gather(&facts, profile, NULL);
	has = facts.counts[VALUES] > 0;
	free_facts(&facts);
	return has;
}

static void compare(struct perun_ctx *ctx, const char *from, const char *to,
		    const struct perun_profile *profile)
{
	struct perun_profile *again = NULL;
	static unsigned number;
	char *path = perun_format("pair.%u.%s", number++, to);
	int status;

	perun_ctx_clear(ctx);
	perun_ctx_clear_losses(ctx);
	status = write_file(ctx, profile, to, path);
	printf("pair %s to %s\n", from, to);
	if (status) {
		printf("refused %s\n", perun_ctx_error(ctx));
	} else {
		for (size_t i = 0; i < perun_ctx_losses(ctx); i++) {
			uint64_t count;

			printf("lost %s\n", perun_ctx_loss(ctx, i, &count));
		}
		if (read_file(ctx, path, to, &again))
			printf("unread %s\n", perun_ctx_error(ctx));
		else
			print_changes(profile, again);
	}
	perun_profile_unref(again);
	if (!has_values(profile))
		printf("empty\n");
	perun_free(path);
}

static void print_peak(void)
{
	FILE *file = fopen("/proc/self/status", "r");
	unsigned long long kilobytes = 0;
	char line[256];

	while (file && fgets(line, sizeof line, file) &&
	       sscanf(line, "VmHWM: %llu", &kilobytes) != 1)
		;
	if (file)
		fclose(file);
	printf("peak %llu\n", kilobytes * 1024);
}

int main(int count, char **words)
{
	struct perun_ctx *ctx;
	int writers = 1, failed = 0;

	mallopt(M_MMAP_THRESHOLD, 1 << 20); /* as perun does */
	mallopt(M_TRIM_THRESHOLD, 1 << 20);
	ctx = perun_ctx_new(NULL);

	while (writers < count && strcmp(words[writers], "--") != 0)
		writers++;
	for (int i = 1; i < writers; i++) {
		char *file = strchr(words[i], '=');
		struct perun_profile *profile = NULL;

		if (!file)
			return 2;
		*file++ = '\0';
		perun_ctx_clear(ctx);
		if (read_file(ctx, file, *words[i] ? words[i] : NULL, &profile)) {
			fprintf(stderr, "%s: %s\n", file, perun_ctx_error(ctx));
			failed = 1;
			continue;
		}
		for (int k = writers + 1; k < count; k++)
			compare(ctx, *words[i] ? words[i] : file, words[k], profile);
		perun_profile_unref(profile);
	}
	perun_ctx_free(ctx);
	if (getenv("PERUN_PEAK"))
		print_peak();
	return failed;
}
