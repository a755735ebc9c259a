/* SPDX-License-Identifier: BSD-3-Clause */
/* The metrics of a profile, whether each has a column or is named in the rows. */
#include <string.h>

#include "core/profile/model.h"

void perun_metric_list_free(struct perun_metric_list *list)
{
	if (!list)
		return;
	for (size_t i = 0; i < list->text_count; i++)
		perun_free(list->texts[i]);
	perun_metric_index_free(list->index);
	for (size_t i = 0; i < list->group_count; i++)
		perun_pool_unref(list->groups[i].pairs);
	perun_free(list->groups);
	perun_pool_unref(list->names);
	perun_free(list->first_of_name);
	perun_free(list->texts);
	perun_free(list->metrics);
	perun_free(list->all);
	perun_free(list);
}

/* Keep a text (taken) as long as the list. */
static const char *keep(struct perun_metric_list *list, char *text)
{
	PERUN_GROW(list->texts, list->text_count, list->text_capacity);
	list->texts[list->text_count++] = text;
	return text;
}

static struct perun_metric *add(struct perun_metric_list *list, const struct perun_column *values)
{
	struct perun_metric *metric;

	PERUN_GROW(list->metrics, list->count, list->capacity);
	metric = &list->metrics[list->count++];
	*metric = (struct perun_metric){.struct_size = sizeof *metric,
					.name = "",
					.unit = "",
					.description = "",
					.parent = "",
					.values = values,
					.selected = {PERUN_NO_ID, PERUN_NO_ID}};
	return metric;
}

/* ---- which there are ------------------------------------------------------------------------ */

static const struct perun_column *text_column(const struct perun_table *table, const char *name)
{
	const struct perun_column *column = perun_table_column(table, name);

	if (!column ||
	    (column->cells.type != PERUN_TYPE_STRING && column->cells.type != PERUN_TYPE_JSON))
		return NULL;
	return column;
}

/* The columns that name the metric of a row of `values`; none when the column is one metric. */
static void find_selectors(const struct perun_column *values,
			   const struct perun_column *selectors[2])
{
	const bool amounts = strcmp(values->info.name, "amount") == 0;

	selectors[0] = text_column(values->table, "metric");
	if (!selectors[0] && amounts)
		selectors[0] = text_column(values->table, "type");
	selectors[1] = selectors[0] || amounts ? text_column(values->table, "subtype") : NULL;
}

static size_t count_present(const struct perun_column *column)
{
	struct perun_span span;
	size_t present = 0;

	for (size_t row = 0; perun_cells_read(&column->cells, row, NULL, &span);
	     row = span.first + span.count) {
		present += span.count;
		if (!span.absent)
			continue;
		for (size_t word = 0; word < (span.count + 63) / 64; word++)
			present -= (size_t)__builtin_popcountll(span.absent[word]);
	}
	return present;
}

void perun_metric_pairs(const struct perun_column *values,
			const struct perun_column *const selectors[2], struct perun_pool **pairs,
			void (*visit)(void *data, size_t row, perun_id number,
				      const perun_id pair[2]),
			void *data)
{
	perun_id pair[2], last[2] = {PERUN_NO_ID, PERUN_NO_ID}, known = PERUN_NO_ID;
	struct perun_scratch scratch[2] = {0};
	struct perun_span span, chosen[2];

	for (size_t row = 0; perun_cells_read(&values->cells, row, NULL, &span);
	     row = span.first + span.count) {
		for (int s = 0; s < 2; s++) {
			if (!selectors[s] ||
			    !perun_cells_read(&selectors[s]->cells, row, &scratch[s], &chosen[s]))
				chosen[s].ids = NULL;
		}
		for (size_t i = 0; i < span.count; i++) {
			if (perun_bit(span.absent, i))
				continue;
			for (int s = 0; s < 2; s++)
				pair[s] = chosen[s].ids ? chosen[s].ids[i] : PERUN_NO_ID;
			if (known == PERUN_NO_ID || memcmp(pair, last, sizeof pair) != 0) {
				known = perun_pool_add(pairs, pair, sizeof pair);
				memcpy(last, pair, sizeof pair);
			}
			visit(data, span.first + i, known, pair);
		}
	}
	perun_free(scratch[0].cells);
	perun_free(scratch[1].cells);
}

static void count_long(void *data, size_t row, perun_id number, const perun_id pair[2])
{
	struct perun_metric_list *list = data;
	struct perun_long_metrics *group = &list->groups[list->group_count - 1];

	(void)row;
	if (number == group->count) {
		struct perun_metric *metric = add(list, group->values);

		memcpy(metric->selector, group->selectors, sizeof metric->selector);
		memcpy(metric->selected, pair, sizeof metric->selected);
		group->count++;
	}
	list->metrics[group->first + number].rows++;
}

/* One metric for each pair of selecting texts, in the order of their first rows. */
static void add_long(struct perun_metric_list *list, const struct perun_column *values,
		     const struct perun_column *const selectors[2])
{
	struct perun_long_metrics *group;

	PERUN_GROW(list->groups, list->group_count, list->group_capacity);
	group = &list->groups[list->group_count++];
	*group = (struct perun_long_metrics){.values = values,
					     .selectors = {selectors[0], selectors[1]},
					     .pairs = perun_pool_new(false),
					     .first = list->count};
	perun_metric_pairs(values, selectors, &group->pairs, count_long, list);
}

/* ---- what they are called ------------------------------------------------------------------- */

/* The text of a selecting cell, kept by the list; NULL when it is absent. */
static const char *selected_text(struct perun_metric_list *list,
				 const struct perun_profile *profile,
				 const struct perun_metric *metric, int s)
{
	struct perun_json *value;
	const char *text, *inside;
	size_t length;

	if (!metric->selector[s] || metric->selected[s] == PERUN_NO_ID)
		return NULL;
	text = perun_profile_string(profile, metric->selected[s], &length);
	if (metric->selector[s]->cells.type != PERUN_TYPE_JSON ||
	    perun_json_parse(NULL, text, length, NULL, &value) != PERUN_OK)
		return text;
	inside = perun_json_as_string(value, NULL);
	if (inside)
		text = keep(list, perun_strdup(inside));
	perun_json_free(value);
	return text;
}

static void name_long(struct perun_metric_list *list, const struct perun_profile *profile,
		      const struct perun_json *units, struct perun_metric *metric)
{
	const char *type = selected_text(list, profile, metric, 0);
	const char *subtype = selected_text(list, profile, metric, 1);

	if (!type || !*type)
		type = perun_profile_text(profile, "/header/type");
	if (!*type && (!subtype || !*subtype))
		type = metric->values->info.name;
	metric->name = type;
	if (subtype && *subtype)
		metric->name = keep(list, perun_metric_name(type, subtype));
	metric->unit = perun_unit_among(units, metric->name, type);
}

static void set_text(const struct perun_json *about, const char *key, const char **text)
{
	const char *said = perun_json_as_string(perun_json_get(about, key), NULL);

	if (said)
		*text = said;
}

static bool says(const struct perun_json *about, const char *key, const char *word)
{
	const char *said = perun_json_as_string(perun_json_get(about, key), NULL);

	return said && strcmp(said, word) == 0;
}

/* What the document says of a metric in metrics.NAME. */
static void describe(struct perun_metric *metric, const struct perun_json *about)
{
	set_text(about, "unit", &metric->unit);
	set_text(about, "description", &metric->description);
	set_text(about, "parent", &metric->parent);
	if (says(about, "better", "lower"))
		metric->better = PERUN_BETTER_LOWER;
	else if (says(about, "better", "higher"))
		metric->better = PERUN_BETTER_HIGHER;
	if (says(about, "kind", "level"))
		metric->measure = PERUN_MEASURE_LEVEL;
	else if (says(about, "kind", "ratio"))
		metric->measure = PERUN_MEASURE_RATIO;
	perun_json_as_bool(perun_json_get(about, "inclusive"), &metric->inclusive);
}

/* What name, document, and column say of a metric; `abouts` is what the document says of all of them, or NULL. */
static void complete(struct perun_metric *metric, const struct perun_json *abouts)
{
	const struct perun_json *about = abouts ? perun_json_get(abouts, metric->name) : NULL;

	if (!*metric->unit)
		metric->unit = metric->values->info.unit;
	if (about)
		describe(metric, about);
	metric->kept = perun_direction_by_name(metric->name, metric->unit);
}

/* Directions that the store keeps. */
static void direct(struct perun_metric_list *list, const struct perun_json *directions)
{
	for (size_t i = 0; i < perun_json_count(directions); i++) {
		const struct perun_json *item = perun_json_at(directions, i);

		for (size_t j = 0; j < list->count; j++) {
			if (says(item, "metric", list->metrics[j].name))
				list->metrics[j].kept = says(item, "better", "higher")
								? PERUN_BETTER_HIGHER
								: PERUN_BETTER_LOWER;
		}
	}
}

static void put_default_first(struct perun_metric_list *list, const char *name)
{
	for (size_t i = 0; i < list->count; i++) {
		struct perun_metric metric = list->metrics[i];

		if (strcmp(metric.name, name) != 0)
			continue;
		memmove(&list->metrics[1], &list->metrics[0], i * sizeof metric);
		list->metrics[0] = metric;
		list->default_was = i;
		return;
	}
}

/* Few metrics are found faster by looking at each. */
static void index_names(struct perun_metric_list *list)
{
	size_t known = 0;

	if (list->count < 32)
		return;
	list->names = perun_pool_new(true);
	list->first_of_name = perun_alloc_zero(list->count, sizeof *list->first_of_name);
	for (size_t i = 0; i < list->count; i++) {
		const char *name = list->metrics[i].name;

		if (perun_pool_add(&list->names, name, strlen(name)) == known)
			list->first_of_name[known++] = i;
	}
}

static struct perun_metric_list *find_metrics(const struct perun_profile *profile)
{
	struct perun_metric_list *list = perun_alloc_zero(1, sizeof *list);
	const struct perun_table *table = perun_resources(profile);
	const struct perun_json *abouts = perun_json_get(profile->document->value, "metrics");
	const struct perun_json *units = perun_profile_units(profile);

	for (size_t c = 0; c < table->column_count; c++) {
		const struct perun_column *column = &table->columns[c], *selectors[2];
		size_t first = list->count;

		if (column->info.role != PERUN_ROLE_METRIC ||
		    (column->cells.type > PERUN_TYPE_DOUBLE &&
		     column->cells.type != PERUN_TYPE_JSON))
			continue;
		find_selectors(column, selectors);
		if (selectors[0] || selectors[1] || strcmp(column->info.name, "amount") == 0) {
			add_long(list, column, selectors);
			for (size_t i = first; i < list->count; i++)
				name_long(list, profile, units, &list->metrics[i]);
		} else {
			struct perun_metric *metric = add(list, column);

			metric->rows = count_present(column);
			metric->name = column->info.name;
			if (!column->info.unit || !*column->info.unit)
				metric->unit = perun_profile_unit(profile, metric->name, NULL);
		}
		for (size_t i = first; i < list->count; i++)
			complete(&list->metrics[i], abouts);
	}
	direct(list, profile->directions);
	put_default_first(list, perun_profile_text(profile, "/header/default_metric"));
	index_names(list);
	list->all = perun_alloc_zero(list->count + 1, sizeof *list->all);
	for (size_t i = 0; i < list->count; i++)
		list->all[i] = &list->metrics[i];
	return list;
}

/* ---- asking --------------------------------------------------------------------------------- */

struct perun_metric_list *perun_metric_list(const struct perun_profile *profile)
{
	struct perun_profile *owner = (struct perun_profile *)profile; /* its lazy part */
	struct perun_metric_list *list = atomic_load(&owner->metrics), *other = NULL;

	if (!list) {
		/* Two threads may both look; the first one's list stays. */
		list = find_metrics(profile);
		if (!atomic_compare_exchange_strong(&owner->metrics, &other, list)) {
			perun_metric_list_free(list);
			list = other;
		}
	}
	return list;
}

const struct perun_metric *const *perun_metrics(const struct perun_profile *profile, size_t *count)
{
	const struct perun_metric_list *list = perun_metric_list(profile);

	*count = list->count;
	return list->all;
}

void perun_profile_directions(struct perun_profile *profile, const struct perun_json *directions)
{
	perun_json_free(profile->directions);
	profile->directions = directions ? perun_json_clone(directions) : NULL;
}

enum perun_direction perun_direction_of(const char *word)
{
	if (strcmp(word, "higher") == 0)
		return PERUN_BETTER_HIGHER;
	return strcmp(word, "lower") == 0 ? PERUN_BETTER_LOWER : PERUN_BETTER_UNKNOWN;
}

bool perun_higher_is_better(enum perun_direction says, enum perun_direction given,
			    enum perun_direction kept)
{
	if (says == PERUN_BETTER_UNKNOWN)
		says = given;
	if (says == PERUN_BETTER_UNKNOWN)
		says = kept;
	return says == PERUN_BETTER_HIGHER;
}

bool perun_metric_higher(const struct perun_metric *metric, enum perun_direction given)
{
	return perun_higher_is_better(metric->better, given, metric->kept);
}

const struct perun_metric *perun_metric(const struct perun_profile *profile, const char *name)
{
	const struct perun_metric_list *list = perun_metric_list(profile);

	if (list->names) {
		perun_id id = perun_pool_find(list->names, name, strlen(name));

		return id == PERUN_NO_ID ? NULL : &list->metrics[list->first_of_name[id]];
	}
	for (size_t i = 0; i < list->count; i++) {
		if (strcmp(list->metrics[i].name, name) == 0)
			return &list->metrics[i];
	}
	return NULL;
}

bool perun_metric_has_row(const struct perun_metric *metric, size_t row)
{
	if (perun_column_absent(metric->values, row))
		return false;
	for (int s = 0; s < 2; s++) {
		if (metric->selector[s] &&
		    perun_column_id(metric->selector[s], row) != metric->selected[s])
			return false;
	}
	return true;
}
