/* SPDX-License-Identifier: BSD-3-Clause */
/* A stored history as series. */
#include <config.h>

#include <math.h>
#include <string.h>

#include <perun/json.h>
#include <perun/machine.h>
#include <perun/query.h>

#include "cli/cases.h"
#include "cli/history-cache.h"
#include "cli/history.h"

/* Names of metrics in a message end after so many bytes. */
#define MOST_NAMES 400

/* ---- versions -------------------------------------------------------------------------------- */

struct line {
	struct cli_history *history;
	char *next;       /* the first parent of the last one */
	const char *last; /* where to stop, NULL = at the root */
};

static int visit_version(void *data, const struct perun_minor_version *version)
{
	struct line *line = data;
	struct cli_history *history = line->history;
	bool on_line = strcmp(version->checksum, line->next) == 0;

	cli_announcements_visit(&history->announced, version, on_line);
	if (!on_line)
		return PERUN_OK;
	PERUN_GROW(history->versions, history->count, history->capacity);
	history->versions[history->count++] = perun_minor_version_copy(version);
	if (version->parent_count == 0 ||
	    (line->last && strcmp(version->checksum, line->last) == 0))
		return PERUN_STOP;
	perun_free(line->next);
	line->next = perun_strdup(version->parents[0]);
	return PERUN_OK;
}

static int load_versions(struct cli *cli, const char *text, struct cli_history *history)
{
	struct line line = {.history = history};
	struct perun_range range = {0};
	struct perun_vcs *vcs;
	int status = cli_open_vcs(cli, &vcs);

	if (!status)
		status = perun_lookup_range(cli->ctx, cli->store, text, &range);
	line.last = range.first;
	if (!status) {
		line.next = perun_strdup(range.head);
		status = perun_vcs_walk_minor_versions(cli->ctx, vcs, range.head, visit_version,
						       &line);
	}
	if (status == PERUN_STOP)
		status = PERUN_OK;
	if (!status && range.first && history->count &&
	    strcmp(history->versions[history->count - 1]->checksum, range.first) != 0) {
		const char *dots = strstr(text, ".."), *head = dots + strspn(dots, ".");

		status = perun_fail(cli->ctx, PERUN_USAGE,
				    "%.*s is not among the first parents of %s", (int)(dots - text),
				    text, *head ? head : "the head");
	}
	for (size_t i = 0; i < history->count / 2; i++) {
		struct perun_minor_version *kept = history->versions[i];

		history->versions[i] = history->versions[history->count - 1 - i];
		history->versions[history->count - 1 - i] = kept;
	}
	perun_free(line.next);
	perun_range_free(&range);
	return status;
}

/* ---- values ---------------------------------------------------------------------------------- */

struct values {
	double *items;
	size_t count, capacity;
};

/* Repeats of each strand at the version that is being read. */
struct reading {
	struct cli *cli;
	const struct cli_history_query *query;
	struct cli_history *history;
	struct values *values;        /* of each strand */
	struct perun_profile *newest; /* of all that have the metric; NULL = not known */
	struct perun_json *directions;
	struct cli_history_cache *cache;
	size_t value_capacity, hint;
};

static struct values *strand_values(struct reading *reading, const char *command,
				    const char *location, const struct perun_metric *metric)
{
	struct cli_history *history = reading->history;
	struct cli_strand *strand;
	size_t old = history->strand_capacity;

	/* Profiles have their functions in much the same order. */
	for (size_t i = 0; i < history->strand_count; i++) {
		size_t at = (reading->hint + i) % history->strand_count;

		strand = &history->strands[at];
		if (strcmp(strand->location, location) == 0 &&
		    strcmp(strand->command, command) == 0 &&
		    strcmp(strand->series.metric, metric->name) == 0) {
			reading->hint = at + 1;
			return &reading->values[at];
		}
	}
	PERUN_GROW(history->strands, history->strand_count, history->strand_capacity);
	if (history->strand_capacity != old) {
		reading->values = perun_realloc_array(reading->values, history->strand_capacity,
						      sizeof *reading->values);
	}
	strand = &history->strands[history->strand_count];
	*strand = (struct cli_strand){.command = perun_strdup(command),
				      .location = perun_strdup(location),
				      .says = metric->better != PERUN_BETTER_UNKNOWN,
				      .higher = perun_metric_higher(metric, reading->query->told)};
	strand->series.metric = perun_strdup(metric->name);
	strand->series.unit = perun_strdup(metric->unit);
	reading->values[history->strand_count] = (struct values){0};
	return &reading->values[history->strand_count++];
}

static bool is_repeated(const struct perun_table *resources)
{
	const struct perun_column *order = perun_table_column(resources, "order");
	size_t rows = order ? perun_table_rows(resources) : 0;

	for (size_t row = 0; row < rows; row++) {
		if (perun_column_double(order, row) >= 2)
			return true;
	}
	return false;
}

/* The rows of a uid: the values of repeats, or their sum. Returns how many there are. */
static size_t take_rows(const struct perun_metric *metric, const uint32_t *rows, size_t count,
			bool repeated, double *values)
{
	size_t taken = 0;
	double sum = 0;

	for (size_t i = 0; i < count; i++) {
		double value = perun_column_double(metric->values, rows[i]);

		if (repeated && isfinite(value))
			values[taken++] = value;
		sum += value;
	}
	if (!repeated && isfinite(sum))
		values[taken++] = sum;
	return taken;
}

/* Rows of a group, all of one case, that begin at `first`; where the next ones do. */
static size_t next_part(const struct cli_cases *cases, const uint32_t *rows, size_t first,
			size_t end)
{
	size_t next = first + 1;

	while (next < end && cli_case_of(cases, rows[next]) == cli_case_of(cases, rows[first]))
		next++;
	return next;
}

/* Add what each group says in each case. */
static void note_groups(struct reading *reading, const char *checksum,
			const struct perun_profile *profile, const struct perun_metric *metric,
			const struct perun_groups *groups, const struct cli_cases *cases)
{
	bool repeated = is_repeated(groups->table);
	size_t count = groups->count, parts = 0, *starts;
	double *values = perun_alloc_zero(groups->rows + 1, sizeof *values);
	uint32_t *rows;

	perun_groups_rows(groups, &rows, &starts);
	cli_cases_sort(cases, rows, starts, count);
	for (size_t g = 0; g < count; g++)
		for (size_t i = starts[g]; i < starts[g + 1]; parts++)
			i = next_part(cases, rows, i, starts[g + 1]);
	cli_history_cache_add(reading->cache, checksum, profile, metric, (uint32_t)parts);
	for (size_t g = 0; g < count; g++) {
		for (size_t next, i = starts[g]; i < starts[g + 1]; i = next) {
			size_t taken;

			next = next_part(cases, rows, i, starts[g + 1]);
			taken = take_rows(metric, rows + i, next - i, repeated, values);
			cli_history_cache_add_group(
				reading->cache, groups->texts[g],
				cli_case_text(cases, cli_case_of(cases, rows[i])), values, taken);
		}
	}
	perun_free(values);
	perun_free(rows);
	perun_free(starts);
}

/* Note what a profile says of the metric, which may be NULL. */
static int note_profile(struct reading *reading, const char *checksum,
			const struct perun_profile *profile, const struct perun_metric *metric)
{
	struct perun_ctx *ctx = reading->cli->ctx;
	const struct perun_table *resources = perun_resources(profile);
	size_t count = perun_table_rows(resources);
	struct perun_groups *groups = NULL;
	struct cli_cases cases = {0};
	uint64_t *selection;
	int status;

	if (!metric) {
		cli_history_cache_add(reading->cache, checksum, profile, NULL, 0);
		cli_history_cache_end(reading->cache);
		return PERUN_OK;
	}
	selection = perun_selection_of_metric(metric, count);
	status = perun_group_by_uid(ctx, resources, selection, &groups);
	perun_free(selection);
	if (!status)
		status = cli_cases_find(ctx, resources, &cases);
	if (!status) {
		note_groups(reading, checksum, profile, metric, groups, &cases);
		cli_history_cache_end(reading->cache);
	}
	cli_cases_free(&cases);
	perun_groups_free(groups);
	return status;
}

/* The values of a profile, as they were noted. */
static void take_values(struct reading *reading, const struct perun_entry *entry,
			struct cli_kept *kept)
{
	const struct perun_metric metric = {
		.name = kept->name,
		.unit = kept->unit,
		.better = kept->better,
		.kept = cli_kept_direction(reading->directions, kept->name)};
	const char *location, *text;
	const void *numbers;
	uint32_t count;

	while (cli_kept_group(kept, &location, &text, &numbers, &count)) {
		struct values *values;
		char *command;

		if (reading->query->location && strcmp(location, reading->query->location) != 0)
			continue;
		command = cli_measured_line(entry, kept->arguments, text);
		values = strand_values(reading, command, location, &metric);
		perun_free(command);
		if (values->capacity < values->count + count) {
			values->capacity = 2 * (values->count + count);
			values->items = perun_realloc_array(values->items, values->capacity,
							    sizeof *values->items);
		}
		if (count)
			memcpy(values->items + values->count, numbers, count * sizeof(double));
		values->count += count;
	}
}

/* The profile of an entry with the metric; NULL when it has none. */
static int find_metric(struct reading *reading, const struct perun_entry *entry,
		       struct perun_profile **profile, const struct perun_metric **metric)
{
	const struct cli_history_query *query = reading->query;
	size_t count = 1;
	int status;

	*profile = NULL;
	*metric = NULL;
	status = perun_store_load(reading->cli->ctx, reading->cli->store, entry->checksum, profile);
	if (!status)
		*metric = query->metric ? perun_metric(*profile, query->metric)
					: perun_metrics(*profile, &count);
	if (count == 0)
		*metric = NULL;
	return status;
}

/* Whether the machine of a profile is of the class of the newest one's. */
static int take_machine(struct reading *reading, const char *machine, bool *taken)
{
	struct perun_ctx *ctx = reading->cli->ctx;
	struct perun_builder *builder;
	struct perun_json *value = NULL;
	struct perun_profile *like = NULL;
	int status = PERUN_OK;

	*taken = true;
	if (!reading->newest || !*machine)
		return PERUN_OK;
	builder = perun_builder_new();
	status = perun_json_parse(ctx, machine, strlen(machine), NULL, &value);
	if (!status)
		perun_json_set(perun_builder_document(builder), "machine", value);
	if (!status)
		status = perun_builder_finish(ctx, builder, &like);
	else
		perun_builder_free(builder);
	if (!status)
		*taken = cli_machines_take(&reading->history->machines, like, reading->newest);
	perun_profile_unref(like);
	return status;
}

static int read_profile(struct reading *reading, const struct perun_entry *entry, bool *measured)
{
	const struct perun_metric *metric;
	struct perun_profile *profile = NULL;
	struct cli_kept kept = {0};
	bool taken = false;
	int status = PERUN_OK;

	if (!cli_history_cache_find(reading->cache, entry->checksum, &kept)) {
		status = find_metric(reading, entry, &profile, &metric);
		if (!status)
			status = note_profile(reading, entry->checksum, profile, metric);
		perun_profile_unref(profile);
		if (!status && !cli_history_cache_find(reading->cache, entry->checksum, &kept))
			status = perun_fail(reading->cli->ctx, PERUN_INPUT,
					    "the values of %s are not found", entry->checksum);
	}
	if (!status && kept.there)
		status = take_machine(reading, kept.machine, &taken);
	if (!status && taken) {
		*measured = true;
		take_values(reading, entry, &kept);
	}
	return status;
}

static int entries_of(struct reading *reading, size_t i, struct perun_entries *entries)
{
	struct cli *cli = reading->cli;
	const char *minor = reading->history->versions[i]->checksum;

	*entries = (struct perun_entries){0};
	if (perun_cancelled(cli->ctx))
		return perun_fail(cli->ctx, PERUN_CANCELLED, "interrupted");
	if (!perun_store_has_index(cli->ctx, cli->store, minor))
		return PERUN_OK;
	return perun_store_entries(cli->ctx, cli->store, minor, entries);
}

/* Whether a profile is of the class of machine that is asked for. */
static bool is_wanted(const struct reading *reading, const struct perun_profile *profile)
{
	char *name = perun_machine_name(profile);
	bool wanted = !reading->query->machine || strcasestr(name, reading->query->machine);

	perun_free(name);
	return wanted;
}

/* The newest of a version's profiles with the metric, of the machine that is asked for. */
static int find_newest_of(struct reading *reading, const struct perun_entries *entries)
{
	double time = -INFINITY;
	int status = PERUN_OK;

	for (size_t j = 0; !status && j < entries->count; j++) {
		const struct perun_metric *metric;
		struct perun_profile *profile;

		if ((double)entries->items[j].time < time)
			continue;
		status = find_metric(reading, &entries->items[j], &profile, &metric);
		if (!status && metric && is_wanted(reading, profile)) {
			perun_profile_unref(reading->newest);
			reading->newest = profile;
			time = (double)entries->items[j].time;
		} else {
			perun_profile_unref(profile);
		}
	}
	return status;
}

/* The newest profile: its class of machine is that of the history. */
static int find_newest(struct reading *reading)
{
	struct cli_history *history = reading->history;
	int status = PERUN_OK;

	for (size_t i = history->count; !status && !reading->newest && i-- > 0;) {
		struct perun_entries entries;

		status = entries_of(reading, i, &entries);
		if (!status)
			status = find_newest_of(reading, &entries);
		perun_entries_free(&entries);
	}
	if (!status && !reading->newest && reading->query->machine)
		status = perun_fail(reading->cli->ctx, PERUN_USAGE,
				    "no profile with the metric was measured on a machine of "
				    "class '%s'; without --machine the class of the newest one is "
				    "taken, and others are named",
				    reading->query->machine);
	if (!status && reading->newest)
		history->machine = perun_machine_name(reading->newest);
	return status;
}

/* Add the metrics of a profile that are not among the names yet. */
static void add_metrics(const struct perun_profile *profile, struct perun_buffer *names)
{
	size_t count;
	const struct perun_metric *metrics = perun_metrics(profile, &count);

	for (size_t i = 0; i < count; i++) {
		size_t length = strlen(metrics[i].name);
		const char *found = names->data ? names->data : "";

		while ((found = strstr(found, metrics[i].name)) &&
		       ((found > names->data && found[-1] != ' ') ||
			(found[length] && found[length] != ',')))
			found += length;
		if (!found && names->length < MOST_NAMES)
			perun_buffer_printf(names, "%s%s", names->length ? ", " : "",
					    metrics[i].name);
	}
}

/* No version has the metric: say which ones the newest measured version has. */
static int fail_unmeasured(struct reading *reading)
{
	const struct cli_history *history = reading->history;
	const struct cli_history_query *query = reading->query;
	struct perun_ctx *ctx = reading->cli->ctx;
	struct perun_buffer names = {0};
	int status = PERUN_OK;

	for (size_t i = history->count; !status && !names.length && i-- > 0;) {
		struct perun_entries entries;

		status = entries_of(reading, i, &entries);
		for (size_t j = 0; !status && j < entries.count; j++) {
			struct perun_profile *profile = NULL;

			status = perun_store_load(ctx, reading->cli->store,
						  entries.items[j].checksum, &profile);
			if (!status)
				add_metrics(profile, &names);
			perun_profile_unref(profile);
		}
		perun_entries_free(&entries);
	}
	if (!status)
		status = perun_fail(
			ctx, PERUN_USAGE, "none of the %zu versions has a profile with %s%s%s%s",
			history->count, query->metric ? "the metric " : "a metric",
			query->metric ? query->metric : "", names.length ? "; there are " : "",
			names.length ? names.data : "");
	perun_buffer_free(&names);
	return status;
}

static int read_version(struct reading *reading, size_t i)
{
	struct cli_history *history = reading->history;
	const char *minor = history->versions[i]->checksum;
	struct perun_entries entries;
	bool measured = false;
	int status = entries_of(reading, i, &entries);

	for (size_t j = 0; !status && j < entries.count; j++)
		status = read_profile(reading, &entries.items[j], &measured);
	perun_entries_free(&entries);
	history->measured += measured;
	for (size_t s = 0; !status && s < history->strand_count; s++) {
		struct cli_series *series = &history->strands[s].series;
		struct values *values = &reading->values[s];

		/* A function that appears later was not measured before. */
		while (series->count < i)
			cli_series_add(series, NULL, 0,
				       history->versions[series->count]->checksum);
		cli_series_add(series, values->items, values->count, minor);
		values->count = 0;
	}
	return status;
}

int cli_history_load(struct cli *cli, const struct cli_history_query *query,
		     struct cli_history *history)
{
	struct reading reading = {.cli = cli, .query = query, .history = history};
	int status;

	*history = (struct cli_history){0};
	status = cli_open_store(cli);
	if (!status)
		status = perun_store_document(cli->ctx, cli->store, PERUN_DIRECTIONS,
					      &reading.directions);
	if (!status)
		status = load_versions(cli, query->range, history);
	if (!status)
		reading.cache = cli_history_cache_open(cli, query->metric);
	history->machines.across = query->across;
	if (!status && !query->across)
		status = find_newest(&reading);
	for (size_t i = 0; !status && i < history->count; i++)
		status = read_version(&reading, i);
	cli_history_cache_close(reading.cache);
	perun_json_free(reading.directions);
	perun_profile_unref(reading.newest);
	if (!status && history->machines.refused)
		perun_note(cli->ctx,
			   "%zu %s left out: measured on another class of machine than "
			   "'%s' (%s; --machine chooses another one, --across-machines takes all)",
			   history->machines.refused,
			   history->machines.refused == 1 ? "profile is" : "profiles are",
			   history->machine ? history->machine : "", history->machines.difference);
	for (size_t s = 0; s < history->strand_count; s++)
		perun_free(reading.values[s].items);
	perun_free(reading.values);
	if (!status && query->told != PERUN_BETTER_UNKNOWN)
		cli_directions_keep(cli, query, history);
	if (!status && history->measured == 0)
		status = fail_unmeasured(&reading);
	if (!status && query->location && history->strand_count == 0)
		status = perun_fail(cli->ctx, PERUN_USAGE,
				    "no profile has values of '%s': expected a location as perun "
				    "history names it",
				    query->location);
	return status;
}

void cli_history_free(struct cli_history *history)
{
	for (size_t s = 0; s < history->strand_count; s++) {
		struct cli_strand *strand = &history->strands[s];

		perun_free(strand->command);
		perun_free(strand->location);
		cli_series_free(&strand->series);
		perun_changes_free(&strand->changes);
	}
	for (size_t i = 0; i < history->count; i++)
		perun_minor_version_free(history->versions[i]);
	perun_free(history->strands);
	perun_free(history->versions);
	cli_announcements_free(&history->announced);
	cli_machines_free(&history->machines);
	perun_free(history->machine);
	*history = (struct cli_history){0};
}

int cli_history_changes(struct cli *cli, const struct cli_call *call, struct cli_history *history)
{
	size_t count = history->strand_count;
	struct perun_changes *changes = perun_alloc_zero(count + 1, sizeof *changes);
	struct perun_series *series = perun_alloc_zero(count + 1, sizeof *series);
	struct perun_change_options options;
	int status = cli_change_options(cli, call, &options);

	for (size_t i = 0; !status && i < count; i++) {
		const struct cli_series *own = &history->strands[i].series;

		series[i] = (struct perun_series){sizeof *series, own->values, own->count,
						  own->repeats, own->starts};
		status = perun_find_changes(cli->ctx, &series[i], &options, &changes[i]);
	}
	if (!status)
		status = perun_correct_changes(cli->ctx, series, count, &options, CLI_DISCOVERIES,
					       changes);
	for (size_t i = 0; i < count; i++)
		history->strands[i].changes = changes[i];
	perun_free(changes);
	perun_free(series);
	return status;
}

char *cli_history_subject(const struct cli_history *history, size_t i)
{
	return i < history->count ? cli_subject(history->versions[i]->description)
				  : perun_strdup("");
}
