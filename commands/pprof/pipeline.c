/* SPDX-License-Identifier: BSD-3-Clause */
/* What comes before a report: from the inputs to the samples that are left, and the total. */
#include <string.h>

#include <perun/json.h>

#include "rebuild.h"

/* ---- the profile ----------------------------------------------------------------------------- */

/* Put another profile in the place of the report's. */
static void replace_profile(struct pprof_report *report, struct perun_profile *profile)
{
	perun_profile_unref(report->profile);
	report->profile = profile;
}

/* What pprof changes in a profile as a whole: a comment more, no expressions to drop frames by. */
static int change_document(struct pprof_report *report)
{
	const struct pprof_settings *settings = &report->settings;
	struct perun_builder *builder;
	struct perun_json *document, *own;
	struct perun_profile *changed;
	int status;

	if (!*settings->comment && !settings->all_frames)
		return PERUN_OK;
	builder = perun_builder_from(report->profile);
	document = perun_builder_document(builder);
	own = perun_json_path(document, "/extra/pprof");
	if (settings->all_frames && own) {
		perun_json_remove(own, "drop_frames");
		perun_json_remove(own, "keep_frames");
	}
	if (*settings->comment) {
		if (!perun_json_get(document, "comments"))
			perun_json_set(document, "comments", perun_json_array());
		perun_json_append(perun_json_get(document, "comments"),
				  perun_json_text(settings->comment));
	}
	status = perun_builder_finish(report->ctx, builder, &changed);
	if (!status)
		replace_profile(report, changed);
	return status;
}

/* The samples again, after the profile changed. */
static int find_samples(struct pprof_report *report)
{
	const struct perun_table *table = perun_resources(report->profile);
	const struct perun_column *labels = perun_table_column(table, "labels");

	perun_stacks_free(report->stacks);
	report->stacks = NULL;
	pprof_free_types(report->types, report->type_count);
	pprof_read_types(report->profile, &report->types, &report->type_count);
	report->labels =
		labels && perun_column_info(labels)->type == PERUN_TYPE_LABELS ? labels : NULL;
	return perun_stacks_new(report->ctx, report->profile, &report->stacks);
}

/* An expression of the profile for whole names; a wrong one is ignored, as pprof does, but reported. */
static struct perun_regex *compile_frames(struct pprof_report *report, const char *name,
					  const char *text)
{
	struct perun_regex *regex = NULL;

	if (*text &&
	    perun_regex_new(report->ctx, text, PERUN_REGEX_RE2 | PERUN_REGEX_WHOLE, &regex)) {
		perun_warn(report->ctx, "the profile's %s is ignored: %s", name,
			   perun_ctx_error(report->ctx));
		perun_ctx_clear(report->ctx);
	}
	return regex;
}

/* Whether any frames were to be dropped. */
static bool drop_frames(struct pprof_report *report)
{
	const struct pprof_facts *facts = &report->facts;
	struct perun_regex *drop = compile_frames(report, "drop_frames", facts->drop_frames), *keep;
	bool any = drop != NULL;

	if (!drop)
		return false;
	keep = compile_frames(report, "keep_frames", facts->keep_frames);
	if (*facts->keep_frames && !keep)
		any = false;
	else
		perun_stacks_prune(report->stacks, drop, keep);
	perun_regex_free(drop);
	perun_regex_free(keep);
	return any;
}

int pprof_flatten(struct pprof_report *report, bool divide, struct perun_profile **profile)
{
	const struct perun_column **columns =
		perun_alloc_zero(report->type_count + 1, sizeof *columns);
	struct pprof_rebuilding what = {.profile = report->profile,
					.stacks = report->stacks,
					.columns = columns,
					.column_count = report->type_count,
					.hidden_keys = report->hidden_keys,
					.ratio = divide ? report->ratio : 1};
	int status;

	for (size_t i = 0; i < report->type_count; i++)
		columns[i] = report->types[i].values;
	status = pprof_rebuild(report->ctx, &what, profile);
	perun_free(columns);
	return status;
}

/* ---- label frames ---------------------------------------------------------------------------- */

struct keys {
	char *text;
	const char **items;
	size_t count, capacity;
};

static void split_keys(const char *text, struct keys *keys)
{
	char *rest, *word;

	*keys = (struct keys){.text = perun_strdup(text)};
	rest = keys->text;
	while ((word = strsep(&rest, ","))) {
		if (!*word)
			continue;
		PERUN_GROW(keys->items, keys->count, keys->capacity);
		keys->items[keys->count++] = word;
	}
}

static void add_label_value(void *data, int64_t value, const char *unit, struct perun_buffer *out)
{
	const struct pprof_report *report = data;

	pprof_add_scaled(value, unit, *unit ? report->settings.unit : "", out);
}

static int add_label_frames(struct pprof_report *report, const char *option, const char *text,
			    bool leaf)
{
	struct perun_label_frames_options options = {
		.leaf = leaf, .number = add_label_value, .data = report};
	struct perun_profile *framed;
	struct keys keys;
	bool found = false;
	int status = PERUN_OK;

	if (!*text)
		return PERUN_OK;
	split_keys(text, &keys);
	options.keys = keys.items;
	options.count = keys.count;
	if (keys.count)
		status = perun_label_frames_with(report->ctx, report->profile, &options, &found,
						 &framed);
	if (!status && keys.count)
		replace_profile(report, framed);
	if (!status && !found)
		perun_warn(report->ctx, "-%s=%s matched no samples", option, text);
	perun_free(keys.items);
	perun_free(keys.text);
	return status;
}

static int make_label_frames(struct pprof_report *report, bool dropped)
{
	const struct pprof_settings *settings = &report->settings;
	struct perun_profile *flat;
	int status = PERUN_OK;

	if (!*settings->tag_root && !*settings->tag_leaf)
		return PERUN_OK;
	if (dropped) {
		status = pprof_flatten(report, false, &flat);
		if (!status)
			replace_profile(report, flat);
	}
	if (!status)
		status = add_label_frames(report, "tagroot", settings->tag_root, false);
	if (!status)
		status = add_label_frames(report, "tagleaf", settings->tag_leaf, true);
	return status ? status : find_samples(report);
}

/* ---- the total ------------------------------------------------------------------------------- */

struct total {
	uint64_t sum, base, count, base_count;
	uint8_t *is_base; /* by label set */
};

/* Which label sets are those of a base: pprof::base=true. */
static uint8_t *find_base(const struct perun_profile *profile)
{
	size_t sets = perun_profile_label_sets(profile);
	perun_id key = perun_profile_find_string(profile, "pprof::base", 11);
	perun_id text = perun_profile_find_string(profile, "true", 4);
	uint8_t *is_base;

	if (key == PERUN_NO_ID || text == PERUN_NO_ID)
		return NULL;
	is_base = perun_alloc_zero(sets + 1, 1);
	for (size_t i = 0; i < sets; i++) {
		size_t count;
		const struct perun_label *labels =
			perun_profile_labels(profile, (perun_id)i, &count);

		for (size_t j = 0; j < count; j++)
			is_base[i] |= labels[j].key == key && labels[j].text == text;
	}
	return is_base;
}

static void add_to_total(const struct pprof_report *report, struct total *total, size_t row,
			 int64_t value, int64_t by)
{
	uint64_t magnitude = value < 0 ? -(uint64_t)value : (uint64_t)value;
	perun_id set = total->is_base && report->labels ? perun_column_id(report->labels, row)
							: PERUN_NO_ID;

	total->sum += magnitude;
	total->count += (uint64_t)by;
	if (set != PERUN_NO_ID && total->is_base[set]) {
		total->base += magnitude;
		total->base_count += (uint64_t)by;
	}
}

/* Without filters, every row counts; values are read as they are stored. */
static void compute_total(struct pprof_report *report, bool filtered)
{
	struct total total = {.is_base = find_base(report->profile)};
	int64_t *block = perun_alloc(2 * PERUN_SPAN_ROWS * sizeof *block), sum, count;
	struct perun_span span, by = {0};
	size_t first, end;
	perun_id stack;

	for (size_t row = 0; perun_column_span_copy(report->values, row, &span, block);
	     row = span.first + span.count) {
		if (report->divisor)
			perun_column_span_copy(report->divisor, row, &by, block + PERUN_SPAN_ROWS);
		for (size_t i = 0; i < span.count; i++) {
			if (filtered &&
			    !perun_stacks_row(report->stacks, span.first + i, &stack, &first, &end))
				continue;
			add_to_total(report, &total, span.first + i, span.int64s[i],
				     report->divisor ? by.int64s[i] : 0);
		}
	}
	sum = (int64_t)total.sum;
	count = (int64_t)total.count;
	if ((int64_t)total.base > 0) {
		sum = (int64_t)total.base;
		count = (int64_t)total.base_count;
	}
	report->total = sum;
	if (count == -1)
		report->total = (int64_t) - (uint64_t)sum;
	else if (count)
		report->total = sum / count;
	perun_free(total.is_base);
	perun_free(block);
}

/* ---- all of it ------------------------------------------------------------------------------- */

/* Things without an id of their own are numbered after the largest, in their order. */
static void number_places(struct pprof_report *report)
{
	const struct perun_profile *profile = report->profile;
	size_t locations = perun_profile_locations(profile);
	size_t mappings = perun_profile_mappings(profile);
	struct perun_location_room room;
	uint64_t last = 0;

	report->location_ids = perun_alloc_zero(locations + 1, sizeof *report->location_ids);
	report->mapping_ids = perun_alloc_zero(mappings + 1, sizeof *report->mapping_ids);
	for (size_t i = 0; i < locations; i++) {
		report->location_ids[i] =
			perun_profile_location_in(profile, (perun_id)i, &room)->source_id;
		last = report->location_ids[i] > last ? report->location_ids[i] : last;
	}
	for (size_t i = 0; i < locations; i++)
		report->location_ids[i] =
			report->location_ids[i] ? report->location_ids[i] : ++last;
	last = 0;
	for (size_t i = 0; i < mappings; i++) {
		report->mapping_ids[i] = perun_profile_mapping(profile, (perun_id)i)->source_id;
		last = report->mapping_ids[i] > last ? report->mapping_ids[i] : last;
	}
	for (size_t i = 0; i < mappings; i++)
		report->mapping_ids[i] = report->mapping_ids[i] ? report->mapping_ids[i] : ++last;
}

static int filter_and_sum(struct pprof_report *report)
{
	bool relative = report->settings.relative_percentages;
	int status = PERUN_OK;

	if (!relative)
		compute_total(report, false);
	status = pprof_filter(report);
	if (!status && relative)
		compute_total(report, true);
	return status;
}

int pprof_prepare(struct pprof_report *report)
{
	bool dropped = false;
	int status = pprof_fetch(report->ctx, &report->settings, &report->profile);

	report->ratio = 1 / report->settings.divide_by;
	report->output_unit = report->settings.unit;
	if (!status)
		status = change_document(report);
	if (status)
		return status;
	pprof_read_facts(report->profile, &report->facts);
	status = find_samples(report);
	if (!status) {
		pprof_find_label_units(report, true);
		dropped = drop_frames(report);
		status = make_label_frames(report, dropped);
	}
	if (!status)
		status = pprof_choose_type(report);
	if (status)
		return status;
	if (*report->settings.tag_root || *report->settings.tag_leaf)
		pprof_find_label_units(report, false); /* strings have other ids now */
	number_places(report);
	return filter_and_sum(report);
}

void pprof_report_free(struct pprof_report *report)
{
	perun_stacks_free(report->stacks);
	pprof_free_types(report->types, report->type_count);
	pprof_free_facts(&report->facts);
	perun_profile_unref(report->profile);
	perun_free(report->type_name);
	perun_free(report->label_units);
	perun_free(report->hidden);
	perun_free(report->location_ids);
	perun_free(report->mapping_ids);
}
