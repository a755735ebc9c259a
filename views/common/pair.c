/* SPDX-License-Identifier: BSD-3-Clause */
/* Two profiles that are compared: which metric, and what makes their values comparable. */
#include <config.h>

#include <string.h>

#include "views/common/data.h"

static void add_names(const struct perun_profile *profile, struct perun_buffer *out)
{
	size_t count;
	const struct perun_metric *const *metrics = perun_metrics(profile, &count);

	for (size_t i = 0; i < count; i++)
		perun_buffer_printf(out, "%s%s", i ? ", " : "", metrics[i]->name);
	if (count == 0)
		perun_buffer_add_text(out, "none");
}

/* The metric's name, borrowed from a profile; NULL after a failure. */
static const char *common_metric(struct perun_ctx *ctx, struct perun_profile *const *profiles,
				 const char *const *names)
{
	size_t count;
	const struct perun_metric *const *metrics = perun_metrics(profiles[1], &count);
	struct perun_buffer has[2] = {{0}, {0}};
	struct views_combined combined;

	if (views_combined_metric(profiles[0], &combined) &&
	    views_combined_metric(profiles[1], &combined))
		return combined.metric.name;
	for (size_t i = 0; i < count; i++) {
		if (perun_metric(profiles[0], metrics[i]->name))
			return metrics[i]->name;
	}
	for (size_t i = 0; i < 2; i++)
		add_names(profiles[i], &has[i]);
	perun_fail(ctx, PERUN_INPUT, "the profiles have no metric in common: %s has %s, %s has %s",
		   names[0], has[0].data, names[1], has[1].data);
	for (size_t i = 0; i < 2; i++)
		perun_buffer_free(&has[i]);
	return NULL;
}

static int make_comparable(struct perun_ctx *ctx, const struct perun_options *options,
			   struct views_pair *pair)
{
	const struct views_data *base = &pair->data[0], *new = &pair->data[1];

	pair->factor[1] = 1;
	pair->factor[0] = perun_unit_factor(base->unit.name, new->unit.name);
	if (pair->factor[0] == 0)
		return perun_fail(
			ctx, PERUN_INPUT,
			"%s is measured in %s in %s, but in %s in %s: these do not convert",
			base->metric->name, *base->unit.name ? base->unit.name : "no unit",
			base->name, *new->unit.name ? new->unit.name : "no unit", new->name);
	pair->converted = pair->factor[0] != 1;
	if (!perun_option_flag(options, "normalize"))
		return PERUN_OK;
	if (base->all == 0 || new->all == 0)
		return perun_fail(ctx, PERUN_INPUT,
				  "--normalize needs sums to scale by: that of %s is 0",
				  base->all == 0 ? base->name : new->name);
	pair->factor[0] = new->all / base->all;
	pair->normalized = true;
	return PERUN_OK;
}

/* Both profiles are filtered and weighed at the same time. */
struct opening {
	const struct perun_options *options;
	struct perun_profile *const *profiles;
	const char *const *names;
	const char *metric;
	struct views_pair *pair;
};

static int open_one(struct perun_ctx *ctx, size_t i, void *data)
{
	const struct opening *opening = data;

	return views_open(ctx, opening->options, opening->profiles[i], opening->names[i],
			  opening->metric, &opening->pair->data[i]);
}

int views_open_pair(struct perun_ctx *ctx, const struct perun_options *options,
		    struct perun_profile *const *profiles, const char *const *names,
		    struct views_pair *pair)
{
	const char *metric = perun_option_string(options, "metric");
	struct opening opening;
	int status;

	*pair = (struct views_pair){.factor = {1, 1}};
	if (!metric)
		metric = common_metric(ctx, profiles, names);
	if (!metric)
		return perun_ctx_status(ctx);
	opening = (struct opening){options, profiles, names, metric, pair};
	status = perun_parallel_for(ctx, 2, open_one, &opening);
	for (size_t i = 0; i < 2; i++)
		pair->data[i].ctx = ctx; /* not that of a thread */
	return status ? status : make_comparable(ctx, options, pair);
}

void views_close_pair(struct views_pair *pair)
{
	views_close(&pair->data[0]);
	views_close(&pair->data[1]);
}
