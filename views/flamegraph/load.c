/* SPDX-License-Identifier: BSD-3-Clause */
/* One profile, or two in one: their metrics, filters and weights. */
#include <config.h>

#include <string.h>

#include <perun/json.h>
#include <perun/lib/merge.h>
#include <perun/query.h>

#include "views/common/data.h"

#include "flame.h"
#include "views/common/facts.h"

/* ---- profiles -------------------------------------------------------------------------------- */

/* The rows of base and new in one table, so that both have the same frames. */
static int join(struct perun_ctx *ctx, struct flame *flame, struct perun_profile *const *profiles)
{
	struct perun_builder *builder = perun_builder_from(profiles[0]);

	flame->base_rows = perun_table_rows(perun_resources(profiles[0]));
	perun_builder_append_table(builder, profiles[1], "resources");
	return perun_builder_finish(ctx, builder, &flame->profile);
}

/* Several profiles as one: the sum of their samples. */
static int merge(struct perun_ctx *ctx, struct flame *flame, struct perun_profile *const *profiles,
		 size_t count)
{
	struct perun_merge_input *inputs = perun_alloc_zero(count, sizeof *inputs);
	int status;

	for (size_t i = 0; i < count; i++)
		inputs[i] = (struct perun_merge_input){.struct_size = sizeof *inputs,
						       .profile = profiles[i]};
	status = perun_merge(ctx, inputs, count, 0, &flame->profile);
	perun_free(inputs);
	return status;
}

/* Units that convert are made one: that of the new profile. */
static int match_units(struct perun_ctx *ctx, struct flame *flame,
		       struct perun_profile *const *profiles)
{
	for (unsigned m = 0; m < flame->metric_count; m++) {
		const char *name = flame->metrics[m]->name;
		struct views_combined combined[2];
		const struct perun_metric *base = views_metric(profiles[0], name, &combined[0]);
		const struct perun_metric *new = views_metric(profiles[1], name, &combined[1]);
		double factor = base && new ? (double)perun_unit_factor(base->unit, new->unit) : 1;

		if (factor == 0)
			return perun_fail(ctx, PERUN_INPUT,
					  "%s is measured in \"%s\" in %s, in \"%s\" in %s: these "
					  "do not convert",
					  name, base->unit, flame->names[0], new->unit,
					  flame->names[1]);
		flame->units[m] = new ? new->unit : base ? base->unit : flame->metrics[m]->unit;
		flame->scales[2 * m] *= factor;
	}
	return PERUN_OK;
}

/* The file of another tool, from the store as well, is called by its name: what else the store knows it does not say itself. */
static const char *file_of(const struct flame *flame)
{
	const char *file = perun_profile_text(flame->profile, "/header/file");
	/* What Perun measures has a workload, if only an empty one. */
	bool is_own = perun_json_path(perun_profile_document(flame->profile), "/header/workload");

	return *file ? file : is_own ? "" : flame->names[0];
}

static char *title_of(const struct flame *flame)
{
	const char *command = perun_profile_text(flame->profile, "/header/cmd");
	const char *workload = perun_profile_text(flame->profile, "/header/workload");
	const char *file = file_of(flame);

	if (flame->settings->title)
		return perun_strdup(flame->settings->title);
	if (flame->merged)
		return perun_format("%s and %zu more", flame->names[0], flame->merged - 1);
	if (flame->diff)
		return perun_format("%s → %s", flame->names[0], flame->names[1]);
	if (*file)
		return perun_strdup(file);
	if (*command)
		return perun_format("%s%s%s", command, *workload ? " " : "", workload);
	return perun_strdup(flame->names[0]);
}

/* ---- metrics --------------------------------------------------------------------------------- */

static bool can_weigh(const struct perun_metric *metric)
{
	enum perun_type type = perun_column_info(metric->values)->type;

	return type == PERUN_TYPE_INT64 || type == PERUN_TYPE_UINT64 || type == PERUN_TYPE_DOUBLE;
}

/* The chosen one, or the default, first; others after it as far as there is room. */
static int choose_metrics(struct perun_ctx *ctx, struct flame *flame)
{
	const char *wanted = flame->settings->metric;
	const unsigned room = flame->diff ? PERUN_WEIGHTS / 2 : PERUN_WEIGHTS;
	struct perun_buffer names = {0};
	const struct perun_metric *const *metrics;
	size_t count;

	metrics = perun_metrics(flame->profile, &count);
	if (views_combined_metric(flame->profile, &flame->combined)) {
		if (!wanted || strcmp(wanted, flame->combined.metric.name) == 0)
			flame->metrics[flame->metric_count++] = &flame->combined.metric;
		perun_buffer_add_text(&names, flame->combined.metric.name);
	}
	for (size_t i = 0; i < count; i++) {
		if (can_weigh(metrics[i]) && wanted && strcmp(metrics[i]->name, wanted) == 0)
			flame->metrics[flame->metric_count++] = metrics[i];
		perun_buffer_printf(&names, "%s%s", names.length ? ", " : "", metrics[i]->name);
	}
	if (wanted && !flame->metric_count)
		perun_fail(ctx, PERUN_USAGE, "no metric %s, only: %s", wanted,
			   names.length ? names.data : "none");
	perun_buffer_free(&names);
	if (wanted && !flame->metric_count)
		return PERUN_USAGE;
	for (size_t i = 0; i < count && flame->metric_count < room; i++) {
		if (can_weigh(metrics[i]) &&
		    (!flame->metric_count || metrics[i] != flame->metrics[0]))
			flame->metrics[flame->metric_count++] = metrics[i];
	}
	return flame->metric_count ? PERUN_OK
				   : perun_fail(ctx, PERUN_INPUT, "no metric whose values add up");
}

/* The rows [first, end) that carry a metric; NULL when these are all. */
static uint64_t *rows_of(const struct flame *flame, unsigned m, size_t rows, size_t first,
			 size_t end)
{
	const struct perun_metric *metric = flame->metrics[m];
	const bool all = !metric->selector[0] && !metric->selector[1] &&
			 (metric != &flame->combined.metric || !flame->combined.without);
	uint64_t *selection;

	if (first == 0 && end == rows && all)
		return NULL;
	selection = perun_selection_new(rows, false);
	for (size_t row = first; row < end; row++) {
		if (views_metric_has_row(metric, &flame->combined, row))
			selection[row / 64] |= (uint64_t)1 << (row % 64);
	}
	return selection;
}

static void choose_weights(struct flame *flame)
{
	const size_t rows = perun_table_rows(perun_resources(flame->profile));

	for (unsigned m = 0; m < flame->metric_count; m++) {
		const struct perun_metric *metric = flame->metrics[m];

		for (unsigned side = 0; side <= (unsigned)flame->diff; side++) {
			unsigned k = flame->weight_count++;
			size_t first = flame->diff && side ? flame->base_rows : 0;
			size_t end = flame->diff && !side ? flame->base_rows : rows;

			flame->selected[k] = rows_of(flame, m, rows, first, end);
			flame->chosen[k] = (struct perun_weight){.values = metric->values,
								 .rows = flame->selected[k]};
		}
	}
}

static int weigh(struct perun_ctx *ctx, struct flame *flame)
{
	int status = perun_stacks_weigh(ctx, flame->stacks, flame->chosen, flame->weight_count, 0);

	for (unsigned k = 0; !status && k < flame->weight_count; k++)
		flame->scales[k] = perun_stacks_scale(flame->stacks, k);
	return status;
}

/* ---- filters --------------------------------------------------------------------------------- */

/* The profile becomes another one: with stacks for traces, or with frames for labels. */
static void replace(struct flame *flame, struct perun_profile *profile)
{
	perun_profile_unref(flame->profile);
	flame->profile = profile;
}

static int add_label_frames(struct perun_ctx *ctx, struct flame *flame, const char *option,
			    bool leaf)
{
	const struct perun_options *options = flame->settings->options;
	size_t count = perun_option_count(options, option);
	const char **keys = perun_alloc_zero(count + 1, sizeof *keys);
	struct perun_profile *result = NULL;
	int status = PERUN_OK;

	for (size_t i = 0; i < count; i++)
		keys[i] = perun_option_string_at(options, option, i);
	if (count)
		status = perun_label_frames(ctx, flame->profile, keys, count, leaf, &result);
	if (!status && count)
		replace(flame, result);
	perun_free(keys);
	return status;
}

static int filter(struct perun_ctx *ctx, struct flame *flame)
{
	struct views_data data = {.ctx = ctx,
				  .profile = flame->profile,
				  .name = flame->names[flame->diff],
				  .stacks = flame->stacks};

	return views_filter_stacks(&data, flame->settings->options);
}

/* ---- all of it ------------------------------------------------------------------------------- */

/* Callgrind's profiles and the like. */
static void report_calls(struct perun_ctx *ctx, const struct flame *flame)
{
	const struct perun_table *calls = perun_profile_table(flame->profile, "calls");

	if (calls && perun_table_rows(calls))
		perun_note(ctx,
			   "%s says who calls whom, but has no stacks: each function is a box by "
			   "itself",
			   flame->names[0]);
}

static int prepare(struct perun_ctx *ctx, struct flame *flame)
{
	struct perun_profile *profile = NULL;
	int status = views_traces_to_stacks(ctx, flame->profile, &profile);

	if (!status)
		replace(flame, profile);
	if (!status)
		status = add_label_frames(ctx, flame, "root-label", false);
	if (!status)
		status = add_label_frames(ctx, flame, "leaf-label", true);
	return status ? status : perun_stacks_new(ctx, flame->profile, &flame->stacks);
}

static bool is_empty(const struct flame *flame)
{
	for (unsigned k = 0; k < flame->weight_count; k++) {
		if (perun_stacks_absolute_sum(flame->stacks, k))
			return false;
	}
	return true;
}

int flame_load(struct perun_ctx *ctx, struct flame *flame, struct perun_profile *const *profiles,
	       const char *const *names, size_t count)
{
	int status = PERUN_OK;

	flame->diff = count == 2;
	for (size_t i = 0; i < count && count <= 2; i++)
		flame->overheads[i] = views_overhead(profiles[i]);
	flame->names[0] = names[0];
	flame->names[1] = count == 2 ? names[1] : NULL;
	flame->merged = count > 2 ? count : 0;
	if (flame->diff)
		status = join(ctx, flame, profiles);
	else if (flame->merged)
		status = merge(ctx, flame, profiles, count);
	else
		flame->profile = perun_profile_ref(profiles[0]);
	if (!status)
		status = prepare(ctx, flame);
	if (!status)
		status = choose_metrics(ctx, flame);
	if (!status)
		status = filter(ctx, flame);
	if (!status) {
		choose_weights(flame);
		status = weigh(ctx, flame);
	}
	if (!status && flame->diff)
		status = match_units(ctx, flame, profiles);
	if (!status)
		report_calls(ctx, flame);
	if (!status && is_empty(flame))
		status = perun_fail(ctx, PERUN_INPUT,
				    "nothing to show: no stack is left, or all values are zero");
	if (!status)
		flame->title = title_of(flame);
	return status;
}

void flame_free(struct flame *flame)
{
	flame_tree_free(&flame->tree);
	flame_tree_free(&flame->callers);
	flame_tree_free(&flame->time);
	flame_tree_free(&flame->function_callers);
	flame_tree_free(&flame->function_callees);
	for (size_t i = 0; i < flame->frame_count; i++) {
		if (flame->frames[i].shown != flame->frames[i].name)
			perun_free((char *)flame->frames[i].shown);
		perun_free((char *)flame->frames[i].name);
	}
	perun_buffer_free(&flame->name_text);
	perun_buffer_free(&flame->shown_text);
	perun_free(flame->frames);
	perun_free(flame->frame_slots);
	for (unsigned k = 0; k < PERUN_WEIGHTS; k++) {
		perun_free(flame->selected[k]);
		perun_free(flame->flat[k]);
		perun_free(flame->cumulative[k]);
	}
	perun_stacks_free(flame->stacks);
	perun_profile_unref(flame->profile);
	perun_free(flame->title);
}
