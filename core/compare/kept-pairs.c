/* SPDX-License-Identifier: BSD-3-Clause */
/* What methods found of two profiles, kept for the next time. */
#include <string.h>

#include <perun/lib/registry.h>

#include "core/compare/kept-pairs.h"
#include "core/history/cache.h"
#include "core/history/history.h"
#include "core/history/values.h"
#include "core/store/store.h"

/* The versions whose profiles are known by a hash: those that were asked for last. */
enum { LISTINGS = 8 };
struct listing {
	char *minor;
	char hash[PERUN_VERDICT_KEY_SIZE];
};

struct kept_pairs {
	struct perun_checker *checker;
	struct perun_history_cache *cache;
	struct perun_hash start; /* of what all comparisons have in common */
	bool works;
	struct listing listings[LISTINGS];
	size_t next;
};

/* ---- keys ------------------------------------------------------------------------------------ */

static void add_json(struct perun_hash *hash, const struct perun_json *document)
{
	struct perun_buffer text = {0};

	if (document)
		perun_json_print(document, &text, PERUN_JSON_COMPACT, 0);
	perun_verdict_key_add_text(hash, text.length ? text.data : NULL);
	perun_buffer_free(&text);
}

/* A method with the file that has it, and its options. */
static bool add_rule(struct perun_ctx *ctx, struct perun_hash *hash, const struct check_rule *rule)
{
	const struct perun_plugin_info *plugin =
		perun_registry_find(ctx, PERUN_KIND_CHECK, rule->method);

	if (!plugin || (*plugin->file && !perun_verdict_key_add_file(hash, plugin->file)))
		return false;
	perun_verdict_key_add_text(hash, rule->method);
	add_json(hash, rule->conditions);
	for (char **word = rule->unit->arguments; word && *word; word++)
		perun_verdict_key_add_text(hash, *word);
	perun_verdict_key_add_text(hash, NULL);
	return true;
}

static bool start(struct kept_pairs *kept)
{
	const struct perun_checker *checker = kept->checker;
	const uint32_t options[] = {checker->options.models_type, checker->options.across_machines,
				    checker->options.unchanged, checker->strategies.first,
				    checker->history};
	struct perun_json *directions = NULL;

	if (!perun_verdict_key_start(&kept->start) ||
	    perun_store_document(checker->ctx, checker->store, PERUN_DIRECTIONS, &directions))
		return false;
	add_json(&kept->start, directions);
	perun_json_free(directions);
	perun_hash_add(&kept->start, options, sizeof options);
	for (size_t i = 0; i < checker->strategies.count; i++) {
		if (!add_rule(checker->ctx, &kept->start, &checker->strategies.rules[i]))
			return false;
	}
	return true;
}

/* What the history of a version follows from. */
static bool add_history(struct kept_pairs *kept, const char *version)
{
	struct perun_checker *checker = kept->checker;
	struct perun_version_line *line = NULL;
	char digest[PERUN_VERDICT_KEY_SIZE];
	bool works = false;

	perun_verdict_key_add_text(&kept->start, version);
	add_json(&kept->start, checker->thresholds);
	if (!perun_version_line_around(checker->ctx, checker->store, version, &line)) {
		perun_version_line_keep_measured(checker->ctx, checker->store, line);
		works = perun_version_line_hash(checker->ctx, checker->store, line, 0, digest);
	}
	if (works)
		perun_verdict_key_add_text(&kept->start, digest);
	checker_keep_line(checker, version, line);
	return works;
}

struct kept_pairs *kept_pairs_open(struct perun_checker *checker, const char *followed)
{
	struct kept_pairs *kept = perun_alloc_zero(1, sizeof *kept);

	kept->checker = checker;
	kept->works = start(kept) && (!followed || add_history(kept, followed));
	perun_ctx_clear(checker->ctx);
	if (kept->works)
		kept->cache = perun_verdict_cache_open();
	return kept;
}

void kept_pairs_close(struct kept_pairs *kept)
{
	if (!kept)
		return;
	perun_history_cache_close(kept->cache);
	for (size_t i = 0; i < LISTINGS; i++)
		perun_free(kept->listings[i].minor);
	perun_free(kept);
}

/* Sessions, and names of files that do not identify them, follow from all that a version has. */
static int hash_version(struct kept_pairs *kept, const char *minor, const char **found)
{
	struct perun_checker *checker = kept->checker;
	struct listing *listing = kept->listings;
	struct perun_entries entries = {0};
	struct perun_hash hash;
	int status = PERUN_OK;

	for (size_t i = 0; i < LISTINGS; i++, listing++) {
		*found = listing->hash;
		if (listing->minor && strcmp(listing->minor, minor) == 0)
			return PERUN_OK;
	}
	if (perun_store_has_index(checker->ctx, checker->store, minor))
		status = perun_store_entries(checker->ctx, checker->store, minor, &entries);
	if (status)
		return status;
	perun_sha256_start(&hash);
	for (size_t i = 0; i < entries.count; i++) {
		const struct perun_entry *entry = &entries.items[i];
		const char *const texts[] = {
			entry->checksum, entry->type,      entry->cmd,           entry->args,
			entry->workload, entry->collector, entry->postprocessors};

		for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
			perun_verdict_key_add_text(&hash, texts[k]);
	}
	perun_entries_free(&entries);
	listing = &kept->listings[kept->next++ % LISTINGS];
	perun_free(listing->minor);
	listing->minor = perun_strdup(minor);
	perun_verdict_key_end(&hash, listing->hash);
	*found = listing->hash;
	return PERUN_OK;
}

int kept_pairs_key(struct kept_pairs *kept, const struct check_baseline *pair,
		   const struct perun_entry *target, const char *target_minor,
		   char key[PERUN_VERDICT_KEY_SIZE])
{
	const char *const versions[] = {pair->minor, target_minor};
	struct perun_hash hash = kept->start;

	*key = '\0';
	if (!kept->works)
		return PERUN_OK;
	for (size_t i = 0; i < 2; i++) {
		const char *listing;
		int status = hash_version(kept, versions[i], &listing);

		if (status)
			return status;
		perun_verdict_key_add_text(&hash, versions[i]);
		perun_verdict_key_add_text(&hash, listing);
	}
	perun_verdict_key_add_text(&hash, pair->checksum);
	perun_verdict_key_add_text(&hash, target->checksum);
	perun_verdict_key_end(&hash, key);
	return PERUN_OK;
}

/* ---- findings as bytes ------------------------------------------------------------------------ */

/* The numbers of a change, as they lie in memory. */
struct numbers {
	uint32_t result, whole_rate;
	double rate, confidence_rate, relative, low, high;
	uint64_t runs, more, intervals;
};

enum { TEXTS = 8 };

static void list_texts(struct perun_change *change, const char **texts[TEXTS])
{
	texts[0] = &change->location;
	texts[1] = &change->type;
	texts[2] = &change->from_baseline;
	texts[3] = &change->to_target;
	texts[4] = &change->confidence_type;
	texts[5] = &change->method;
	texts[6] = &change->metric;
	texts[7] = &change->explanation;
}

static void add_change(struct perun_buffer *out, const struct perun_change *change)
{
	struct perun_change copy = *change;
	const char **texts[TEXTS];
	struct numbers numbers = {
		change->result,   change->whole_rate,    change->rate, change->confidence_rate,
		change->relative, change->low,           change->high, change->runs,
		change->more,     change->interval_count};

	perun_buffer_add(out, &numbers, sizeof numbers);
	list_texts(&copy, texts);
	for (size_t i = 0; i < TEXTS; i++)
		perun_bytes_add_text(out, *texts[i]);
	for (size_t i = 0; i < change->interval_count; i++) {
		const struct perun_interval_change *interval = perun_change_interval(change, i);
		const double values[] = {interval->result, interval->relative, interval->from,
					 interval->to};

		perun_buffer_add(out, values, sizeof values);
	}
}

static bool read_interval(struct perun_bytes *bytes, struct perun_interval_change *interval)
{
	double values[4];
	const void *at = perun_bytes_take(bytes, sizeof values);

	if (at)
		memcpy(values, at, sizeof values);
	if (!at || !(values[0] >= 0 && values[0] < PERUN_RESULTS))
		return false;
	*interval = (struct perun_interval_change){(enum perun_result)values[0], values[1],
						   values[2], values[3]};
	return true;
}

static bool read_change(struct perun_bytes *bytes, struct perun_report *report)
{
	const void *at = perun_bytes_take(bytes, sizeof(struct numbers));
	struct perun_interval_change *intervals;
	const char **texts[TEXTS];
	struct numbers numbers;
	struct perun_change change;
	bool good;

	if (!at)
		return false;
	memcpy(&numbers, at, sizeof numbers);
	if (numbers.result >= PERUN_RESULTS ||
	    numbers.intervals > (size_t)(bytes->end - bytes->at) / (4 * sizeof(double)))
		return false;
	change = (struct perun_change){.struct_size = sizeof change,
				       .result = (enum perun_result)numbers.result,
				       .rate = numbers.rate,
				       .confidence_rate = numbers.confidence_rate,
				       .relative = numbers.relative,
				       .whole_rate = numbers.whole_rate != 0,
				       .low = numbers.low,
				       .high = numbers.high,
				       .runs = numbers.runs,
				       .more = numbers.more,
				       .interval_count = numbers.intervals,
				       .interval_size = sizeof *intervals};
	list_texts(&change, texts);
	for (size_t i = 0; i < TEXTS; i++)
		*texts[i] = perun_bytes_text(bytes);
	intervals = perun_alloc_zero(change.interval_count + 1, sizeof *intervals);
	change.intervals = intervals;
	good = true;
	for (size_t i = 0; good && i < change.interval_count; i++)
		good = read_interval(bytes, &intervals[i]);
	good = good && !bytes->bad;
	if (good)
		perun_report_add(report, &change);
	perun_free(intervals);
	return good;
}

/* Sums of findings, as they lie in memory. */
struct sums {
	uint64_t compared, unchanged, runs;
	double excluded;
	uint32_t items, judged;
};

void kept_pairs_add(struct kept_pairs *kept, const char *key, const struct perun_findings *findings)
{
	const struct sums sums = {
		findings->compared, findings->unchanged,       findings->runs,
		findings->excluded, (uint32_t)findings->count, (uint32_t)findings->judged_count};
	struct perun_buffer body = {0};

	if (!*key)
		return;
	perun_buffer_add(&body, &sums, sizeof sums);
	perun_bytes_add_text(&body, findings->runs_by);
	perun_bytes_add_text(&body, findings->busy);
	for (size_t i = 0; i < findings->judged_count; i++)
		perun_bytes_add_text(&body, findings->judged[i]);
	for (size_t i = 0; i < findings->count; i++) {
		perun_bytes_add_text(&body, findings->items[i].command);
		add_change(&body, findings->items[i].change);
	}
	perun_history_cache_add(kept->cache, PERUN_RECORD_PAIR, key, body.data, body.length);
	perun_buffer_free(&body);
}

static bool read_items(struct perun_bytes *bytes, uint32_t count, const char *minor,
		       struct perun_findings *findings)
{
	struct perun_report *report = findings_report(findings);
	const char *version = findings_keep(findings, perun_strdup(minor));

	for (uint32_t i = 0; i < count; i++) {
		const char *command = perun_bytes_text(bytes);

		if (bytes->bad || !read_change(bytes, report))
			return false;
		PERUN_GROW(findings->items, findings->count, findings->capacity);
		findings->items[findings->count++] = (struct perun_stored_change){
			.struct_size = sizeof *findings->items,
			.change = perun_report_at(report, i),
			.minor = version,
			.command = findings_keep(findings, perun_strdup(command))};
	}
	return true;
}

static bool read_findings(struct perun_bytes *bytes, const char *minor,
			  struct perun_findings *findings)
{
	const void *at = perun_bytes_take(bytes, sizeof(struct sums));
	const char *busy;
	struct sums sums;

	if (!at)
		return false;
	memcpy(&sums, at, sizeof sums);
	findings->compared = sums.compared;
	findings->unchanged = sums.unchanged;
	findings->runs = sums.runs;
	findings->excluded = sums.excluded;
	findings->runs_by = findings_keep(findings, perun_strdup(perun_bytes_text(bytes)));
	busy = perun_bytes_text(bytes);
	if (*busy)
		findings->busy = findings_keep(findings, perun_strdup(busy));
	for (uint32_t i = 0; i < sums.judged && !bytes->bad; i++)
		findings_judged(findings, perun_bytes_text(bytes));
	return !bytes->bad && read_items(bytes, sums.items, minor, findings);
}

bool kept_pairs_read(struct kept_pairs *kept, const char *key, const char *minor,
		     struct perun_findings *findings)
{
	struct perun_buffer body = {0};
	struct perun_bytes bytes;
	bool found = *key && perun_history_cache_read(kept->cache, PERUN_RECORD_PAIR, key, &body);

	bytes = perun_bytes_of(&body);
	found = found && read_findings(&bytes, minor, findings);
	if (!found)
		perun_findings_free(findings);
	perun_buffer_free(&body);
	return found;
}
