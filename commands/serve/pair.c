/* SPDX-License-Identifier: BSD-3-Clause */
/* Two selections of samples, to be compared: of two profiles, or of one by other labels. */
#include <config.h>

#include <string.h>

#include <perun/lib/options.h>
#include <perun/query.h>

#include "serve.h"

static bool names_base(const struct server_request *request)
{
	const char *name = server_argument(request, "base-profile");

	return name && *name;
}

bool serve_compares(const struct server_request *request)
{
	return names_base(request) || serve_has_base_filter(request);
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* Whether the samples of a label set are of a side. */
static bool is_of(const struct perun_profile *profile, perun_id set, const char *side)
{
	size_t count;
	const struct perun_label *labels = perun_profile_labels(profile, set, &count);

	for (size_t i = 0; i < count; i++) {
		const char *key = perun_profile_string(profile, labels[i].key, NULL);

		if (strcmp(key, SERVE_SIDE) == 0)
			return strcmp(perun_profile_string(profile, labels[i].text, NULL), side) ==
			       0;
	}
	return false;
}

/* The rows of a side that carry the metric. Of one profile both sides have all. */
static uint64_t *rows_of(const struct serve_question *question, const char *side)
{
	const struct views_data *data = &question->data;
	const struct perun_table *resources = perun_resources(data->profile);
	const struct perun_column *labels = perun_table_column(resources, "labels");
	size_t sets = perun_profile_label_sets(data->profile), rows = perun_table_rows(resources);
	uint64_t *selection = perun_selection_new(rows, false);
	bool *wanted = perun_alloc_zero(sets + 1, sizeof *wanted);

	for (size_t set = 0; side && set < sets; set++)
		wanted[set] = is_of(data->profile, (perun_id)set, side);
	for (size_t row = 0; row < rows; row++) {
		perun_id set = labels && side ? perun_column_id(labels, row) : PERUN_NO_ID;

		if (data->selection && !perun_bit(data->selection, row))
			continue;
		if (!side || (set != PERUN_NO_ID && wanted[set]))
			selection[row / 64] |= (uint64_t)1 << (row % 64);
	}
	perun_free(wanted);
	return selection;
}

/* Keep the rows that the filters of a side leave. */
static int narrow(struct serve_question *question, enum serve_side side, uint64_t *selection)
{
	struct perun_options *options = NULL;
	struct views_data data = {0};
	size_t rows = perun_table_rows(perun_resources(question->data.profile)), first, end;
	int status = serve_read_options(question->ctx, question->request, side, &options);

	if (!status)
		status = views_open(question->ctx, options, question->profile, question->title,
				    question->data.metric->name, &data);
	for (size_t row = 0; !status && row < rows; row++) {
		perun_id stack;

		if (!perun_stacks_row(data.stacks, row, &stack, &first, &end))
			selection[row / 64] &= ~((uint64_t)1 << (row % 64));
	}
	views_close(&data);
	perun_options_free(options);
	return status;
}

static long double sum_of(const struct serve_question *question, const uint64_t *selection)
{
	size_t rows = perun_table_rows(perun_resources(question->data.profile));
	long double sum = 0;

	for (size_t row = 0; row < rows; row++) {
		double value;

		if (!perun_bit(selection, row))
			continue;
		value = perun_column_double(question->data.metric->values, row);
		if (value == value) /* else there is none */
			sum += value < 0 ? -value : value;
	}
	return sum;
}

/* ---- weights --------------------------------------------------------------------------------- */

/* Sums are made the same by those of all samples, as by perun showdiff; where the sides are filtered apart, by what is left. */
static int weigh(struct serve_question *question, bool apart)
{
	struct views_data *data = &question->data;
	struct serve_pair *pair = question->pair;
	const char *normalize = server_argument(question->request, "normalize");
	const struct perun_weight weights[2] = {
		{.values = data->metric->values, .rows = pair->rows[SERVE_NEW]},
		{.values = data->metric->values, .rows = pair->rows[SERVE_BASE]}};
	int status = perun_stacks_weigh(question->ctx, data->stacks, weights, 2, 0);

	if (status)
		return status;
	data->scale = perun_stacks_scale(data->stacks, 0);
	data->left = (long double)perun_stacks_absolute_sum(data->stacks, 0) * data->scale;
	data->whole = data->left;
	pair->scale = perun_stacks_scale(data->stacks, 1);
	pair->total = (long double)perun_stacks_absolute_sum(data->stacks, 1) * pair->scale;
	if (normalize && *normalize && pair->total > 0 && data->left > 0) {
		const long double factor = apart ? data->left / pair->total : data->all / pair->all;

		pair->scale *= factor;
		pair->total *= factor;
		pair->all *= factor;
	}
	return PERUN_OK;
}

static int compare(struct serve_question *question, bool both, bool apart)
{
	struct serve_pair *pair = question->pair = perun_alloc_zero(1, sizeof *pair);
	int status = PERUN_OK;

	pair->rows[SERVE_NEW] = rows_of(question, both ? "new" : NULL);
	pair->rows[SERVE_BASE] = rows_of(question, both ? "base" : NULL);
	question->data.all = sum_of(question, pair->rows[SERVE_NEW]);
	pair->all = sum_of(question, pair->rows[SERVE_BASE]);
	if (apart)
		status = narrow(question, SERVE_NEW, pair->rows[SERVE_NEW]);
	if (!status && apart)
		status = narrow(question, SERVE_BASE, pair->rows[SERVE_BASE]);
	return status ? status : weigh(question, apart);
}

int serve_ask_pair(struct serve_question *question, const char *metric)
{
	const struct server_request *request = question->request;
	const bool both = names_base(request), apart = serve_has_base_filter(request);
	int status = serve_read_options(question->ctx, request, apart ? SERVE_BOTH : SERVE_NEW,
					&question->options);

	if (!status)
		status = both ? serve_select_pair(question) : serve_select(question);
	if (!status)
		status = views_open(question->ctx, question->options, question->profile,
				    question->title, metric, &question->data);
	if (!status && !question->data.stacks)
		status = perun_fail(question->ctx, PERUN_USAGE,
				    "%s has no stacks to compare: see perun showdiff",
				    question->title);
	return status ? status : compare(question, both, apart);
}

void serve_pair_free(struct serve_pair *pair)
{
	if (!pair)
		return;
	perun_free(pair->rows[SERVE_NEW]);
	perun_free(pair->rows[SERVE_BASE]);
	perun_free(pair);
}
