/* SPDX-License-Identifier: BSD-3-Clause */
/* What the histories of all metrics say of each version. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <perun/lib/units.h>

#include "core/compare/presence.h"
#include "core/history/history.h"
#include "core/history/values.h"
#include "core/statistics/few-runs.h"

/* What unchanged programs show in less than this part of all cases. */
#define USUAL 0.05

static char *amount(double value, const char *unit)
{
	struct perun_buffer text = {0};
	size_t kept = 0;

	perun_add_amount(&text, value, unit ? unit : "");
	for (size_t i = 0; i < text.length; i++) {
		if (text.data[i] != ' ')
			text.data[kept++] = text.data[i];
	}
	text.length = kept;
	return perun_buffer_take(&text);
}

/* The command as the profile of a version has it: a file may be called otherwise there. */
static const char *command_at(const struct perun_history *history,
			      const struct perun_strand *strand, size_t version,
			      struct perun_findings *findings)
{
	char *command = perun_import_names_command(history->names, version, strand->command);

	return command ? findings_keep(findings, command) : strand->command;
}

/* A finding of a version about the version `baseline` before it. */
static struct perun_change *add_item(struct check_strands *strands,
				     const struct perun_strand *strand, size_t baseline,
				     size_t version, double before, double after)
{
	struct perun_findings *findings = &strands->versions[version];
	struct perun_change *change = perun_alloc_zero(1, sizeof *change);

	*change = (struct perun_change){
		.struct_size = sizeof *change,
		.location = strand->location,
		.type = strand->metric,
		.metric = strand->metric,
		.method = strands->method,
		.from_baseline = findings_keep(findings, amount(before, strand->unit)),
		.to_target = findings_keep(findings, amount(after, strand->unit)),
		.rate = before != 0  ? after / before
			: after != 0 ? INFINITY
				     : 1,
		.confidence_type = "p_value",
		.explanation = ""};
	findings_keep(findings, (char *)change);
	PERUN_GROW(findings->items, findings->count, findings->capacity);
	findings->items[findings->count++] = (struct perun_stored_change){
		.struct_size = sizeof *findings->items,
		.change = change,
		.minor = strand->labels[baseline],
		.command = command_at(strands->history, strand, version, findings)};
	return change;
}

static void add_change(const struct perun_acknowledgements *known, struct check_strands *strands,
		       const struct perun_strand *strand, const struct perun_change_point *point)
{
	struct perun_findings *findings = &strands->versions[point->index];
	struct perun_change *change =
		add_item(strands, strand, perun_last_measured_before(strand, point->index),
			 point->index, point->before, point->after);

	change->result = perun_strand_result(strand, point);
	change->confidence_rate = point->p;
	if (perun_strand_is_certain(strand))
		change->confidence_type = "no";
	if (point->before != 0 && isfinite(point->low) && isfinite(point->high)) {
		change->low = point->low / fabs(point->before);
		change->high = point->high / fabs(point->before);
	}
	change->explanation = findings_keep(findings, perun_strand_explain(strand, point));
	findings->known =
		perun_realloc_array(findings->known, findings->count, sizeof *findings->known);
	while (findings->known_count < findings->count)
		findings->known[findings->known_count++] = NULL;
	findings->known[findings->count - 1] =
		perun_acknowledged_change(known, strands->history->line, strand, point);
}

/* A benchmark that failed, after it had values: at the first version where it did. */
static void add_failures(const struct perun_strand *strand, struct check_strands *strands)
{
	size_t last = SIZE_MAX;

	for (size_t i = 0; strand->failed && i < strand->count; i++) {
		struct perun_findings *findings = &strands->versions[i];
		struct perun_change *change;

		if (!isnan(strand->values[i]))
			last = i;
		if (!strand->failed[i] || last == SIZE_MAX || last == i)
			continue;
		strands->counts->pairs++;
		findings_judged(findings, command_at(strands->history, strand, i, findings));
		change = add_item(strands, strand, last, i, strand->values[last], NAN);
		change->result = PERUN_RESULT_UNKNOWN;
		change->to_target = PERUN_CHANGE_FAILED;
		change->rate = 1;
		change->confidence_type = "no";
		change->explanation = findings_keep(findings, perun_strdup(strand->failed[i]));
		last = SIZE_MAX;
	}
}

/* ---- new and gone ---------------------------------------------------------------------------- */

static void add_presence(struct check_strands *strands, const struct perun_strand *strand,
			 size_t baseline, size_t version)
{
	bool gone = isnan(strand->values[version]);
	double value = strand->values[gone ? baseline : version];
	struct perun_change *change = add_item(strands, strand, baseline, version, value, value);

	change->result = gone ? PERUN_RESULT_NOT_IN_TARGET : PERUN_RESULT_NOT_IN_BASELINE;
	*(gone ? &change->to_target : &change->from_baseline) = "-";
	change->confidence_type = "no";
}

static void add_new_and_gone(struct check_strands *strands, const struct check_ends *ends)
{
	for (size_t s = 0; s < strands->history->shown; s++) {
		const struct perun_strand *strand = perun_history_strand(strands->history, s);

		if (ends[s].first != SIZE_MAX)
			add_presence(strands, strand, ends[s].before, ends[s].first);
		if (ends[s].after != SIZE_MAX)
			add_presence(strands, strand, ends[s].last, ends[s].after);
	}
}

/* ---- runs ------------------------------------------------------------------------------------ */

/* How busy the machine was at a version. */
static char *busy_at(struct perun_checker *checker, const char *version, const char *command)
{
	struct perun_entries entries = {0};
	char *busy = NULL;

	(void)perun_store_entries(checker->ctx, checker->store, version, &entries);
	for (size_t i = 0; !busy && i < entries.count; i++) {
		const struct perun_profile *facts;

		if (check_is_of_command(&entries.items[i], command) &&
		    !checker_facts(checker, entries.items[i].checksum, &facts))
			busy = perun_busy_words(facts);
	}
	perun_entries_free(&entries);
	perun_ctx_clear(checker->ctx);
	return busy;
}

/* How many runs the newest measured version has at least of a timed strand, or of one that is undecided, and of what. */
static void count_runs(struct perun_checker *checker, struct check_strands *strands)
{
	const struct perun_history *history = strands->history;
	struct perun_history_findings *counts = strands->counts;
	const struct perun_strand *of = NULL;
	size_t newest = 0;

	for (size_t s = 0; s < history->shown; s++) {
		const struct perun_strand *strand = perun_history_strand(history, s);
		size_t last = strand->count;

		while (last > 0 && isnan(strand->values[last - 1]))
			last--;
		if (strand->noise != PERUN_NOISE_TIMED || strand->inclusive || last < newest ||
		    last == 0 || perun_is_part_of_time(strand->metric))
			continue;
		if (last > newest ||
		    strand->starts[last] - strand->starts[last - 1] < counts->runs) {
			counts->runs = strand->starts[last] - strand->starts[last - 1];
			of = strand;
		}
		newest = last;
	}
	if (strands->open_samples) {
		const struct perun_strand *strand = strands->open_samples;
		size_t last = perun_last_measured_before(strand, strand->count) + 1;
		size_t runs = strand->starts[last] - strand->starts[last - 1];

		if (last > newest || (last == newest && runs < counts->runs)) {
			counts->runs = runs;
			newest = last;
			of = strand;
		}
	}
	if (!newest)
		return;
	counts->runs_by =
		check_collector_of(checker, history->line->checksums[newest - 1], of->command);
	counts->busy = busy_at(checker, history->line->checksums[newest - 1], of->command);
	if (!counts->busy && of->deviations) {
		size_t before = perun_last_measured_before(of, newest - 1);

		counts->busy = busy_at(checker, history->line->checksums[before], of->command);
	}
}

/* ---- changes and what did not change ---------------------------------------------------------- */

static void add_undecided(struct check_strands *strands, const struct check_undecided *undecided)
{
	const struct perun_strand *strand = undecided->strand;
	struct perun_change *change =
		add_item(strands, strand, undecided->before, undecided->version,
			 strand->values[undecided->before], strand->values[undecided->version]);

	change->result = PERUN_RESULT_INCONCLUSIVE;
	change->more = undecided->more;
	change->confidence_rate = 1;
}

/* With --unchanged: at the latest version that was measured, since the one before. */
static void add_unchanged(struct check_strands *strands, const struct perun_strand *strand,
			  const struct perun_latest *latest)
{
	size_t before = latest->before, last = latest->version;
	struct perun_change *change = add_item(strands, strand, before, last,
					       strand->values[before], strand->values[last]);

	change->result = PERUN_RESULT_NO_CHANGE;
	change->confidence_rate = 1;
}

static int by_version(const void *one, const void *other)
{
	const struct check_undecided *a = one, *b = other;

	if (a->version != b->version)
		return a->version < b->version ? -1 : 1;
	return (a->strand > b->strand) - (a->strand < b->strand);
}

void check_strands_add_undecided(struct check_strands *strands, struct perun_findings *findings)
{
	size_t low = 0, high = strands->undecided_count, version;

	if (!strands->undecided_count || findings < strands->versions ||
	    findings >= strands->versions +
				perun_version_line_count(perun_history_line(strands->history)))
		return;
	version = (size_t)(findings - strands->versions);
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (strands->undecided[middle].version < version)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < strands->undecided_count && strands->undecided[low].version == version; low++)
		add_undecided(strands, &strands->undecided[low]);
}

/* What a few values show of a noise that is not known: as much as a few runs of an unchanged program differ by. */
static double excluded_by_few(const struct perun_strand *strand)
{
	size_t fewest = FEW_RUNS;

	for (size_t i = 0; i < strand->count; i++) {
		size_t runs = strand->starts[i + 1] - strand->starts[i];

		fewest = runs && runs < fewest ? runs : fewest;
	}
	return strand->noise == PERUN_NOISE_TIMED && fewest < FEW_RUNS
		       ? expm1(few_runs_change(fewest, USUAL))
		       : 0;
}

/* Other clocks than the elapsed time, which has the answer for them. */
static bool is_other_clock(const struct perun_strand *strand)
{
	return !strand->stacks && perun_is_clock(strand->metric) &&
	       strcmp(strand->metric, "time(real)") != 0;
}

static void clear_open(struct perun_open_metric *open)
{
	perun_free(open->command);
	perun_free(open->location);
	perun_free(open->metric);
}

/* Name it among the first that are open: those that changed most. */
static void name_open(struct check_strands *strands, const struct perun_strand *strand, double open)
{
	struct perun_history_findings *counts = strands->counts;
	size_t named = counts->open < PERUN_MAX_OPEN_NAMES ? counts->open : PERUN_MAX_OPEN_NAMES;
	size_t at = named;

	while (at > 0 && open > strands->open[at - 1])
		at--;
	if (at == PERUN_MAX_OPEN_NAMES)
		return;
	if (named == PERUN_MAX_OPEN_NAMES)
		clear_open(&counts->open_metrics[--named]);
	for (size_t i = named; i > at; i--) {
		counts->open_metrics[i] = counts->open_metrics[i - 1];
		strands->open[i] = strands->open[i - 1];
	}
	counts->open_metrics[at] = (struct perun_open_metric){perun_strdup(strand->command),
							      perun_strdup(strand->location),
							      perun_strdup(strand->metric)};
	strands->open[at] = open;
}

static void add_open(struct check_strands *strands, const struct perun_strand *strand,
		     const struct perun_latest *latest)
{
	struct perun_history_findings *counts = strands->counts;
	double scale = (double)perun_unit_of(strand->unit).factor;
	double change = strand->values[latest->version] - strand->values[latest->before];

	if (strand->noise == PERUN_NOISE_SAMPLED)
		strands->open_samples = strand;
	counts->more = latest->more > counts->more ? latest->more : counts->more;
	name_open(strands, strand, fabs(change) * (scale > 0 ? scale : 1));
	counts->open++;
}

/* What is not listed with what is unchanged is kept with its version all the same. */
static void take_open(struct check_strands *strands, const struct perun_strand *strand,
		      const struct perun_latest *latest, bool listed)
{
	const struct check_undecided undecided = {strand, latest->version, latest->before,
						  latest->more};

	add_open(strands, strand, latest);
	if (listed) {
		add_undecided(strands, &undecided);
		return;
	}
	PERUN_GROW(strands->undecided, strands->undecided_count, strands->undecided_capacity);
	strands->undecided[strands->undecided_count++] = undecided;
}

void perun_history_findings_clear(struct perun_history_findings *found)
{
	for (size_t i = 0; i < PERUN_MAX_OPEN_NAMES; i++)
		clear_open(&found->open_metrics[i]);
	perun_free(found->difference);
	perun_free(found->runs_by);
	perun_free(found->busy);
	perun_free(found->reason);
	*found = (struct perun_history_findings){.struct_size = found->struct_size};
}

static void take_strand(const struct perun_checker *checker, const struct perun_strand *strand,
			bool gone, struct check_strands *strands)
{
	const struct perun_history *history = strands->history;
	struct perun_latest latest;
	size_t first = SIZE_MAX, last = SIZE_MAX;
	bool open;

	for (size_t i = 0; i < strand->count; i++) {
		if (isnan(strand->values[i]))
			continue;
		/* Of the first one nothing is known. */
		if (last != SIZE_MAX) {
			strands->counts->pairs++;
			findings_judged(&strands->versions[i],
					command_at(history, strand, i, &strands->versions[i]));
		}
		first = first == SIZE_MAX ? i : first;
		last = i;
	}
	add_failures(strand, strands);
	if (first == last || (strand->inclusive && !strand->changes->count))
		return;
	for (size_t i = 0; i < strand->changes->count; i++)
		add_change(checker->known, strands, strand, &strand->changes->points[i]);
	/* Of what is gone nothing is to be decided. */
	if (gone && !strand->changes->count)
		return;
	strands->counts->strands++;
	strands->counts->changed += strand->changes->count > 0;
	if (strand->changes->count)
		return;
	perun_history_latest(history, strand, 0, &latest);
	open = latest.answer == PERUN_VERDICT_UNDECIDED;
	if (open && ((strands->has_real && is_other_clock(strand)) ||
		     perun_strand_made_of(strand, latest.before, latest.version))) {
		strands->counts->strands--;
		return;
	}
	if (!open)
		strands->counts->excluded =
			fmax(strands->counts->excluded,
			     latest.excluded > 0 ? latest.excluded : excluded_by_few(strand));
	if (open)
		take_open(strands, strand, &latest, checker->options.unchanged);
	else if (checker->options.unchanged)
		add_unchanged(strands, strand, &latest);
}

int check_strands_load(struct perun_checker *checker, const char *head,
		       struct check_strands *strands)
{
	struct perun_ctx *ctx = checker->ctx;
	const struct perun_history_options options = {.struct_size = sizeof options,
						      .range = head,
						      .every_metric = true,
						      .machines_apart = true,
						      .measured = true};
	int status = perun_history_load(ctx, checker->store, &options, &strands->history);
	struct check_ends *ends;

	if (!status && !checker->known)
		status = perun_acknowledgements_load(ctx, checker->store, &checker->known);
	if (!status)
		status = perun_history_find_changes(ctx, strands->history, NULL,
						    PERUN_HISTORY_DISCOVERIES);
	if (status)
		return status;
	strands->method = check_history_method(&checker->strategies);
	strands->left = perun_version_line_count(perun_history_line(strands->history));
	strands->versions = perun_alloc_zero(strands->left + 1, sizeof *strands->versions);
	for (size_t s = 0; s < perun_history_count(strands->history) && !strands->has_real; s++)
		strands->has_real = strcmp(perun_history_strand(strands->history, s)->metric,
					   "time(real)") == 0;
	ends = check_find_ends(checker, strands->history);
	for (size_t s = 0; s < perun_history_count(strands->history); s++)
		take_strand(checker, perun_history_strand(strands->history, s),
			    ends[s].after != SIZE_MAX, strands);
	add_new_and_gone(strands, ends);
	if (strands->undecided_count)
		qsort(strands->undecided, strands->undecided_count, sizeof *strands->undecided,
		      by_version);
	perun_free(ends);
	count_runs(checker, strands);
	return PERUN_OK;
}

void check_strands_free(struct check_strands *strands)
{
	if (strands->versions) {
		for (size_t i = 0;
		     i < perun_version_line_count(perun_history_line(strands->history)); i++)
			perun_findings_free(&strands->versions[i]);
	}
	perun_free(strands->versions);
	perun_free(strands->undecided);
	perun_history_free(strands->history);
}

struct perun_findings *check_strands_of(struct check_strands *strands, const char *checksum)
{
	if (strands->left == 0 ||
	    strcmp(perun_version_line_version(perun_history_line(strands->history),
					      strands->left - 1)
			   ->checksum,
		   checksum) != 0)
		return NULL;
	return &strands->versions[--strands->left];
}
