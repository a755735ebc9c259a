/* SPDX-License-Identifier: BSD-3-Clause */
/* Pictures on the page of the report, each a page of its own: flames, boxes, curves. */
#include <config.h>

#include <math.h>
#include <string.h>

#include <perun/format.h>

#include "views/common/chart-draw.h"
#include "views/common/chart-table.h"
#include "views/report/page.h"

enum { MAX_GROUPS = 8, MIN_REPEATS = 3, MAX_CURVES = 6, CURVE = 100 };

static int show(struct perun_ctx *ctx, const char *view, const char *const *words,
		struct perun_profile *const *profiles, const char *const *names, size_t count,
		struct perun_buffer *page)
{
	struct perun_canvas canvas = {.struct_size = sizeof canvas,
				      .form = PERUN_FORM_HTML,
				      .output = perun_output_to_buffer(page)};
	int status = perun_show_profiles(ctx, view, words, profiles, names, count, &canvas);

	if (!status)
		status = perun_output_commit(ctx, canvas.output);
	perun_output_close(canvas.output);
	if (status)
		perun_buffer_clear(page);
	return status;
}

static void draw_flames(struct report *report, struct perun_profile *const *profiles,
			const char *const *names, struct perun_buffer *page)
{
	/* With what is gone, and with both values at once; the page can show either side alone. */
	const char *const words[] = {"--metric", report->new->metric->name, "--width-from", "both",
				     NULL};

	if (!report->base->stacks || !report->new->stacks)
		return;
	if (show(report->ctx, "flamegraph", words, profiles, names, 2, page)) {
		perun_warn(report->ctx, "no flame graph on the page: %s",
			   perun_ctx_error(report->ctx));
		perun_ctx_clear(report->ctx);
	}
}

/* ---- boxes ----------------------------------------------------------------------------------- */

/* The repeated measurements of one profile, by what they repeat. */
struct repeats {
	struct views_table table;
	struct views_numbers of;
	struct views_categories groups;
	size_t *counts; /* of each group */
};

static int open_repeats(struct report *report, struct perun_profile *profile, const char *by,
			struct repeats *repeats)
{
	int status = views_table_open(report->ctx, profile, report->options, &repeats->table);

	if (!status)
		status = views_table_numbers(&repeats->table, NULL, &repeats->of);
	if (!status)
		status = views_table_categories(
			&repeats->table, by ? by : views_table_default_group(&repeats->table),
			&repeats->groups);
	if (status)
		return status;
	repeats->counts = perun_alloc_zero(repeats->groups.count + 1, sizeof *repeats->counts);
	for (size_t row = 0; row < repeats->table.count; row++) {
		if (repeats->groups.of_row[row] != PERUN_NO_ID && !isnan(repeats->of.values[row]))
			repeats->counts[repeats->groups.of_row[row]]++;
	}
	return PERUN_OK;
}

static void close_repeats(struct repeats *repeats)
{
	views_numbers_clear(&repeats->of);
	views_categories_clear(&repeats->groups);
	views_table_close(&repeats->table);
	perun_free(repeats->counts);
}

static size_t count_of(const struct repeats *repeats, const char *group)
{
	for (size_t i = 0; i < repeats->groups.count; i++) {
		if (strcmp(repeats->groups.names[i], group) == 0)
			return repeats->counts[i];
	}
	return 0;
}

/* A table "resources" with a row for each measurement of a group that both repeat. */
static size_t add_measurements(const struct repeats sides[2], const char *const *names,
			       struct perun_builder *builder)
{
	const struct perun_column_info infos[] = {
		{.name = "amount",
		 .type = PERUN_TYPE_DOUBLE,
		 .role = PERUN_ROLE_METRIC,
		 .unit = sides[1].of.unit},
		{.name = "measured", .type = PERUN_TYPE_STRING, .role = PERUN_ROLE_KEY},
		{.name = "order", .type = PERUN_TYPE_INT64, .role = PERUN_ROLE_PLAIN}};
	struct perun_table_builder *table = perun_builder_table(builder, "resources");
	struct perun_column_builder *amount = perun_table_add_column(table, &infos[0]);
	struct perun_column_builder *measured = perun_table_add_column(table, &infos[1]);
	struct perun_column_builder *order = perun_table_add_column(table, &infos[2]);
	size_t written = 0;

	for (size_t g = 0; g < sides[1].groups.count && written < MAX_GROUPS; g++) {
		const char *group = sides[1].groups.names[g];

		if (sides[1].counts[g] < MIN_REPEATS || count_of(&sides[0], group) < MIN_REPEATS)
			continue;
		written++;
		for (size_t side = 0; side < 2; side++) {
			const struct repeats *from = &sides[side];
			char *label = perun_format("%s, %s", group, names[side]);
			perun_id id = perun_builder_text(builder, label);
			int64_t number = 0;

			for (size_t row = 0; row < from->table.count; row++) {
				const uint32_t of = from->groups.of_row[row];

				if (of == PERUN_NO_ID || isnan(from->of.values[row]) ||
				    strcmp(from->groups.names[of], group) != 0)
					continue;
				perun_column_set_double(amount, from->of.values[row]);
				perun_column_set_id(measured, PERUN_TYPE_STRING, id);
				perun_column_set_int64(order, ++number);
				perun_table_end_row(table);
			}
			perun_free(label);
		}
	}
	return written;
}

static int draw_boxes(struct report *report, const struct repeats sides[2],
		      const char *const *names, struct report_pictures *pictures)
{
	char *title = perun_format("%s, %s above %s", sides[1].of.key, names[0], names[1]);
	const char *const words[] = {"--by",          "measured", "--limit", "64",
				     "--as-recorded", "--title",  title,     NULL};
	struct perun_builder *builder = perun_builder_new();
	struct perun_profile *profile = NULL;
	const char *name = "";
	size_t written = add_measurements(sides, names, builder);
	int status = perun_builder_finish(report->ctx, builder, &profile);

	if (!status && written)
		status = show(report->ctx, "box", words, &profile, &name, 1,
			      &pictures->distributions);
	pictures->boxes = 2 * (unsigned)written;
	perun_profile_unref(profile);
	perun_free(title);
	return status;
}

/* Only where both measured the same several times, in the same unit. */
static void draw_distributions(struct report *report, struct perun_profile *const *profiles,
			       const char *const *names, struct report_pictures *pictures)
{
	struct repeats sides[2] = {{.counts = NULL}, {.counts = NULL}};
	const char *by = NULL;
	int status = PERUN_OK;

	/* Samples are not repeated measurements, and what models are made of depends on a parameter. */
	if ((report->base->stacks && report->new->stacks) ||
	    perun_profile_table(profiles[0], "models") ||
	    perun_profile_table(profiles[1], "models"))
		return;
	for (size_t i = 2; i-- > 0 && !status;) {
		status = open_repeats(report, profiles[i], by, &sides[i]);
		by = status ? NULL : views_table_default_group(&sides[1].table);
	}
	if (!status && strcmp(sides[0].of.unit ? sides[0].of.unit : "",
			      sides[1].of.unit ? sides[1].of.unit : "") == 0)
		status = draw_boxes(report, sides, names, pictures);
	/* What cannot be drawn as boxes is not a repeated measurement. */
	if (status)
		perun_ctx_clear(report->ctx);
	close_repeats(&sides[0]);
	close_repeats(&sides[1]);
}

/* ---- curves ---------------------------------------------------------------------------------- */

static void add_curve(struct views_chart *chart, const struct perun_model *model, const char *name,
		      unsigned side, double low, double high)
{
	struct views_series *line = views_chart_add(chart, name, VIEWS_LINE, side);

	line->dashed = side == 0;
	for (int i = 0; i <= CURVE; i++) {
		double x = low + (high - low) * i / CURVE;

		views_series_add(line, x, perun_model_value(model, x), NAN);
	}
}

static bool is_drawable(const struct report_curve *curve)
{
	bool any = false;

	for (int side = 0; side < 2; side++) {
		const struct perun_model *model = &curve->models[side];

		if (curve->has[side] && perun_model_is_param(model->kind) &&
		    model->x_end > model->x_start &&
		    isfinite(perun_model_value(model, model->x_end)))
			any = true;
	}
	return any;
}

/* What the models are over, as the last postprocessor says. */
static const char *key_of(const struct perun_profile *profile)
{
	const struct perun_json *all =
		perun_json_get(perun_profile_document(profile), "postprocessors");
	const struct perun_json *key = NULL;

	for (size_t i = 0; i < perun_json_count(all); i++) {
		const struct perun_json *params = perun_json_get(perun_json_at(all, i), "params");

		if (perun_json_get(params, "per_key"))
			key = perun_json_get(params, "per_key");
	}
	return perun_json_as_string(key, NULL) ? perun_json_as_string(key, NULL) : "";
}

static void draw_curves(const struct report *report, struct perun_profile *const *profiles,
			const char *const *names, struct report_pictures *pictures)
{
	size_t count, written = 0;
	struct report_curve *curves = report_find_curves(profiles, &count);
	struct views_figure *figure = views_figure_new("Models of both profiles", "");

	for (size_t i = 0; i < count && written < MAX_CURVES; i++) {
		struct views_chart *chart;

		if (!is_drawable(&curves[i]))
			continue;
		written++;
		chart = views_figure_add(figure, curves[i].uid, "");
		views_axis_set(&chart->x, key_of(profiles[1]), "");
		views_axis_set(&chart->y, report->new->metric->name, report->new->metric->unit);
		for (unsigned side = 0; side < 2; side++) {
			const struct perun_model *model = &curves[i].models[side];

			if (curves[i].has[side] && perun_model_is_param(model->kind) &&
			    model->x_end > model->x_start)
				add_curve(chart, model, names[side], side, model->x_start,
					  model->x_end);
		}
	}
	if (written)
		views_figure_html(figure, &pictures->curves);
	pictures->charts = (unsigned)written;
	views_figure_free(figure);
	report_free_curves(curves, count);
}

/* ---- all ------------------------------------------------------------------------------------- */

void report_draw_pictures(struct report *report, const struct report_layout *layout,
			  struct perun_profile *const *profiles, const char *const *names,
			  struct report_pictures *pictures)
{
	*pictures = (struct report_pictures){.flames = {0}};
	if (report_has(layout, REPORT_FLAMES))
		draw_flames(report, profiles, names, &pictures->flames);
	if (report_has(layout, REPORT_BOXES))
		draw_distributions(report, profiles, names, pictures);
	if (report_has(layout, REPORT_CURVES))
		draw_curves(report, profiles, names, pictures);
}

void report_free_pictures(struct report_pictures *pictures)
{
	perun_buffer_free(&pictures->flames);
	perun_buffer_free(&pictures->distributions);
	perun_buffer_free(&pictures->curves);
}
