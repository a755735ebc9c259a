/* SPDX-License-Identifier: BSD-3-Clause */
/* What the history of a version says of it: how much versions differ though nothing changed, and where levels changed. */
#include <math.h>
#include <string.h>

#include <perun/lib/units.h>

#include "core/history/deviations.h"
#include "core/history/history.h"
#include "core/history/so-far.h"
#include "core/profile/pool.h"

#define NO_STRAND UINT32_MAX

struct perun_deviations {
	struct perun_history *history; /* with its changes */
	size_t index;                  /* of the version */
	bool last; /* the last versions alone were read, and the version has no change */
	/* Strands by their names: of each name the first one, of each strand the next of its name. */
	struct perun_pool *names;
	uint32_t *first, *next;
};

/* The text of a history's command is that of a profile's with its workload, or either where there is no other. */
static void write_key(struct perun_buffer *key, const char *command, const char *workload,
		      const char *metric, const char *location)
{
	perun_buffer_clear(key);
	perun_buffer_add_text(key, command);
	if (*workload)
		perun_buffer_printf(key, "%s%s", *command ? " " : "", workload);
	perun_buffer_add_char(key, '\0');
	perun_buffer_add_text(key, metric);
	perun_buffer_add_char(key, '\0');
	perun_buffer_add_text(key, location);
}

static void index_names(struct perun_deviations *deviations)
{
	const struct perun_history *history = deviations->history;
	struct perun_buffer key = {0};
	size_t known = 0;

	deviations->names = perun_pool_new(false);
	deviations->first = perun_alloc((history->count + 1) * sizeof *deviations->first);
	deviations->next = perun_alloc((history->count + 1) * sizeof *deviations->next);
	for (size_t i = history->count; i-- > 0;) {
		const struct perun_strand *strand = &history->strands[i].strand;
		perun_id name;

		write_key(&key, strand->command, "", strand->metric, strand->location);
		name = perun_pool_add(&deviations->names, key.data, key.length);
		if (name == known)
			deviations->first[known++] = NO_STRAND;
		deviations->next[i] = deviations->first[name];
		deviations->first[name] = (uint32_t)i;
	}
	perun_buffer_free(&key);
}

static bool is_measured(const struct perun_strand *strand, size_t version)
{
	return version < strand->count && !isnan(strand->values[version]);
}

/* Whether no strand of the version was measured between a base and that: then it alone is where a change may be. */
static bool is_next(const struct perun_history *history, const char *base, size_t index)
{
	size_t from = perun_version_line_find(history->line, base);

	for (size_t s = 0; from < index && s < history->count; s++) {
		const struct perun_strand *strand = &history->strands[s].strand;
		size_t before =
			is_measured(strand, index) ? perun_last_measured_before(strand, index) : 0;

		if (before > from && is_measured(strand, before))
			return false;
	}
	return true;
}

bool perun_deviations_serve(const struct perun_deviations *deviations, const char *base)
{
	return !deviations->last || is_next(deviations->history, base, deviations->index);
}

/* The last versions alone, where these are enough. */
static int load_last(struct perun_ctx *ctx, struct perun_store *store, const char *version,
		     const char *base, const struct perun_history_options *options,
		     struct perun_version_line **line, struct perun_history **history)
{
	int status;

	if (perun_version_line_find(*line, version) + 1 != (*line)->count)
		return PERUN_OK;
	status = history_load_last(ctx, store, options, line, history);
	if (status || !*history ||
	    is_next(*history, base, perun_version_line_find((*history)->line, version)))
		return status;
	*line = (*history)->line;
	(*history)->line = NULL;
	perun_history_free(*history);
	*history = NULL;
	return PERUN_OK;
}

/* All versions, with their changes. */
static int load_all(struct perun_ctx *ctx, struct perun_store *store,
		    const struct perun_history_options *options, struct perun_version_line *line,
		    struct perun_history **history)
{
	int status = perun_history_load_line(ctx, store, options, line, history);

	if (!status) {
		history_keep_so_far(ctx, store, *history);
		status = perun_history_find_changes(ctx, *history, NULL, PERUN_HISTORY_DISCOVERIES);
	}
	return status;
}

int perun_deviations_load(struct perun_ctx *ctx, struct perun_store *store, const char *version,
			  const char *base, struct perun_version_line *line,
			  struct perun_deviations **result)
{
	const struct perun_history_options options = {.struct_size = sizeof options,
						      .every_metric = true,
						      .machines_apart = true,
						      .measured = true};
	struct perun_deviations *deviations = perun_alloc_zero(1, sizeof *deviations);
	struct perun_history *history = NULL;
	int status = line ? PERUN_OK : perun_version_line_around(ctx, store, version, &line);

	if (!status)
		status = load_last(ctx, store, version, base, &options, &line, &history);
	deviations->last = history != NULL;
	if (!status && !history)
		status = load_all(ctx, store, &options, line, &history);
	deviations->history = history;
	if (!status) {
		deviations->index = perun_version_line_find(history->line, version);
		index_names(deviations);
	}
	*result = deviations;
	if (status) {
		perun_deviations_free(deviations);
		*result = NULL;
	}
	return status;
}

void perun_deviations_free(struct perun_deviations *deviations)
{
	if (!deviations)
		return;
	perun_history_free(deviations->history);
	perun_pool_unref(deviations->names);
	perun_free(deviations->first);
	perun_free(deviations->next);
	perun_free(deviations);
}

/* The workload, with the case of a sweep, as the history names it. */
static char *name_workload(const struct perun_deviations *deviations, const char *command,
			   const char *workload)
{
	const char *sweep_case = workload + strlen(workload);
	struct perun_import_names *names = deviations->history->names;
	char *named = NULL;

	/* Names of files may have brackets, too. */
	for (; names && !named && sweep_case; sweep_case = strstr(workload, " (")) {
		char *plain = perun_strndup(workload, (size_t)(sweep_case - workload));
		const char *name = perun_import_names_of(names, NULL, NULL, command, plain);

		if (strcmp(name, plain) != 0)
			named = perun_format("%s%s", name, sweep_case);
		perun_free(plain);
		if (*sweep_case)
			break;
	}
	return named ? named : perun_strdup(workload);
}

const struct perun_strand *perun_deviations_strand(const struct perun_deviations *deviations,
						   const char *base, const char *command,
						   const char *workload, const char *metric,
						   const char *location)
{
	size_t version =
		base ? perun_version_line_find(deviations->history->line, base) : deviations->index;
	char *named = name_workload(deviations, command, workload);
	const struct perun_strand *found = NULL;
	struct perun_buffer key = {0};
	perun_id name;

	write_key(&key, command, named, metric, location);
	name = perun_pool_find(deviations->names, key.data, key.length);
	/* Of whichever class of machine it is. */
	for (uint32_t i = name == PERUN_NO_ID ? NO_STRAND : deviations->first[name];
	     !found && i != NO_STRAND; i = deviations->next[i]) {
		const struct perun_strand *strand = &deviations->history->strands[i].strand;

		if (is_measured(strand, version))
			found = strand;
	}
	perun_buffer_free(&key);
	perun_free(named);
	return found;
}

/* The base, or the last version before it that has the strand; SIZE_MAX = none has, or there is no strand. */
static size_t find_base(const struct perun_deviations *deviations,
			const struct perun_strand *strand, const char *base)
{
	size_t from = perun_version_line_find(deviations->history->line, base);

	if (!strand || from >= deviations->index)
		return SIZE_MAX;
	if (!is_measured(strand, from))
		from = perun_last_measured_before(strand, from);
	return is_measured(strand, from) ? from : SIZE_MAX;
}

bool perun_deviations_earlier(const struct perun_deviations *deviations,
			      const struct perun_strand *strand, const char *base,
			      struct perun_earlier_values *values)
{
	size_t at = find_base(deviations, strand, base);

	if (at == SIZE_MAX)
		return false;
	*values = (struct perun_earlier_values){
		.version = strand->labels[at],
		.unit = strand->unit,
		.repeats = strand->repeats + strand->starts[at],
		.count = strand->starts[at + 1] - strand->starts[at],
		.deviation = strand->deviations ? strand->deviations[at] : 0};
	return true;
}

bool perun_deviations_returns(const struct perun_deviations *deviations,
			      const struct perun_strand *strand)
{
	for (size_t i = deviations->index + 1; strand && i < strand->count; i++) {
		if (is_measured(strand, i))
			return true;
	}
	return false;
}

double history_floor_before(const struct perun_strand *strand, size_t index)
{
	struct perun_value_series series = perun_strand_series(strand);
	size_t first = index;

	for (size_t left = VERSIONS_BEFORE; first > 0 && left > 0; first--)
		left -= is_measured(strand, first - 1);
	series.values += first;
	series.starts += first;
	series.deviations = NULL;
	series.count = index - first;
	return perun_session_floor(&series);
}

double perun_deviations_find(const struct perun_deviations *deviations,
			     const struct perun_strand *strand)
{
	return strand ? history_floor_before(strand, deviations->index) : 0;
}

/* Whether functions together said what a change between two versions is: as they say it again of these two alone. */
static bool is_settled(const struct perun_deviations *deviations, const struct perun_strand *strand,
		       size_t from)
{
	const struct perun_strand_builder *builder = (const struct perun_strand_builder *)strand;

	for (size_t i = 0; i < builder->settled_count; i++) {
		if (builder->settled[i] > from && builder->settled[i] <= deviations->index)
			return true;
	}
	return false;
}

enum perun_step perun_deviations_step(const struct perun_deviations *deviations,
				      const struct perun_strand *strand, const char *base,
				      double *p)
{
	size_t from = find_base(deviations, strand, base);
	enum perun_step step = PERUN_STEP_NONE;

	*p = NAN;
	if (from == SIZE_MAX)
		return PERUN_STEP_UNKNOWN;
	if (is_settled(deviations, strand, from))
		return PERUN_STEP_UNKNOWN;
	for (size_t i = 0; i < strand->changes->count; i++) {
		const struct perun_change_point *point = &strand->changes->points[i];
		enum perun_step here =
			point->after > point->before ? PERUN_STEP_UP : PERUN_STEP_DOWN;

		if (point->index <= from || point->index > deviations->index)
			continue;
		/* Up and down again: what is left of it the two versions say. */
		if (step != PERUN_STEP_NONE && step != here)
			return PERUN_STEP_UNKNOWN;
		step = here;
		if (!perun_strand_is_certain(strand))
			*p = fmin(isnan(*p) ? 1 : *p, point->p);
	}
	return step;
}

bool perun_deviations_change(const struct perun_deviations *deviations,
			     const struct perun_strand *strand, const char *base, const char *unit,
			     struct perun_change_point *change)
{
	size_t from = find_base(deviations, strand, base), found = 0;
	double factor = strand ? (double)perun_unit_factor(strand->unit, unit) : 0;

	for (size_t i = 0; factor > 0 && i < strand->changes->count; i++) {
		const struct perun_change_point *point = &strand->changes->points[i];

		if (point->index <= from || point->index > deviations->index)
			continue;
		*change = *point;
		found++;
	}
	if (found != 1)
		return false;
	change->before *= factor;
	change->after *= factor;
	change->shift *= factor;
	change->low *= factor;
	change->high *= factor;
	return true;
}
