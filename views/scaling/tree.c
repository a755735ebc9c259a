/* SPDX-License-Identifier: BSD-3-Clause */
/* The view `scaling`: the call tree with predicted shares, and the models for the page's script. */
#include <config.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "views/common/chart-draw.h"

#include "scaling.h"

/* ---- the tree -------------------------------------------------------------------------------- */

/* The parts that two call paths have in common from the root on, as bytes of the first. */
static size_t common_parts(const char *path, const char *other)
{
	size_t same = 0, i = 0;

	for (;; i++) {
		bool end = !path[i] || strncmp(path + i, "->", 2) == 0;
		bool other_end = !other[i] || strncmp(other + i, "->", 2) == 0;

		if (end && other_end)
			same = path[i] ? i + 2 : i;
		if (!path[i] || path[i] != other[i])
			return same;
	}
}

static size_t depth_of(const char *path, size_t length)
{
	size_t depth = 0;

	for (size_t i = 0; i + 1 < length; i++)
		depth += path[i] == '-' && path[i + 1] == '>';
	return depth;
}

/* Part by part, so that all below a call path are after it, whatever letters names are made of. */
static int compare_paths(const char *one, const char *other)
{
	size_t i = 0;
	bool end, other_end;

	while (one[i] && one[i] == other[i] && strncmp(one + i, "->", 2) != 0)
		i++;
	end = !one[i] || strncmp(one + i, "->", 2) == 0;
	other_end = !other[i] || strncmp(other + i, "->", 2) == 0;
	if (end && other_end && one[i] && other[i])
		return compare_paths(one + i + 2, other + i + 2);
	if (end || other_end)
		return end && other_end ? (one[i] != 0) - (other[i] != 0) : end ? -1 : 1;
	return (unsigned char)one[i] < (unsigned char)other[i] ? -1 : 1;
}

static int by_name(const void *a, const void *b, void *data)
{
	const size_t one = *(const size_t *)a, other = *(const size_t *)b;
	int order = compare_paths(scaling_name(data, one), scaling_name(data, other));

	return order ? order : one < other ? -1 : one > other;
}

static int by_cost(const void *a, const void *b, void *data)
{
	const size_t one = *(const size_t *)a, other = *(const size_t *)b;
	double x = scaling_predicted(data, one, ((const struct scaling *)data)->at);
	double y = scaling_predicted(data, other, ((const struct scaling *)data)->at);

	x = isnan(x) ? -INFINITY : x;
	y = isnan(y) ? -INFINITY : y;
	return x > y ? -1 : x < y ? 1 : one < other ? -1 : one > other;
}

/* Whether `path` is below `above`. */
static bool is_below(const char *path, const char *above)
{
	size_t length = strlen(above);

	return strncmp(path, above, length) == 0 && strncmp(path + length, "->", 2) == 0;
}

/*
 * The call paths by name; of more than the option `rows` says, the costliest ones and those above them.
 * Returns how many.
 */
static size_t order_of(const struct scaling *scaling, size_t *order)
{
	size_t limit = (size_t)perun_option_integer(scaling->options, "rows"), kept = 0;
	bool *wanted = perun_alloc_zero(scaling->count + 1, sizeof *wanted);

	for (size_t i = 0; i < scaling->count; i++)
		order[i] = i;
	qsort_r(order, scaling->count, sizeof *order, by_cost, (void *)scaling);
	for (size_t i = 0; i < scaling->count; i++)
		wanted[order[i]] = !limit || i < limit;
	qsort_r(order, scaling->count, sizeof *order, by_name, (void *)scaling);
	/* From the end: what is wanted wants the one above it, which is before it. */
	for (size_t i = scaling->count, below = SIZE_MAX; i-- > 0;) {
		const char *path = scaling_name(scaling, order[i]);

		if (below != SIZE_MAX && is_below(scaling_name(scaling, below), path))
			wanted[order[i]] = true;
		if (wanted[order[i]])
			below = order[i];
	}
	for (size_t i = 0; i < scaling->count; i++) {
		if (wanted[order[i]])
			order[kept++] = order[i];
	}
	perun_free(wanted);
	return kept;
}

/*
 * Call paths by name are in an order that puts callees after their callers. What is between a call
 * path and the one before it (callers that were not measured) gets lines of its own.
 */
void scaling_walk(const struct scaling *scaling, scaling_visit *visit, void *data)
{
	size_t *order = perun_alloc_zero(scaling->count + 1, sizeof *order);
	const size_t count = order_of(scaling, order);
	const char *before = "";

	for (size_t i = 0; i < count; i++) {
		const char *path = scaling_name(scaling, order[i]);
		size_t start = *before ? common_parts(path, before) : 0;

		for (;;) {
			const char *arrow = strstr(path + start, "->");
			size_t end = arrow ? (size_t)(arrow - path) : strlen(path);
			char *name = perun_strndup(path + start, end - start);

			visit(data, arrow ? SIZE_MAX : order[i], name,
			      (unsigned)depth_of(path, start));
			perun_free(name);
			if (!arrow)
				break;
			start = end + 2;
		}
		before = path;
	}
	perun_free(order);
}

/* ---- as a list ------------------------------------------------------------------------------- */

struct listing {
	const struct scaling *scaling;
	struct views_list *list;
};

static void add_row(void *data, size_t i, const char *name, unsigned depth)
{
	const struct listing *listing = data;
	const struct scaling *scaling = listing->scaling;
	struct views_list_row *row = views_list_add(listing->list, name, depth);
	const struct views_scale scale = {.unit = perun_unit_of(scaling->unit)};
	struct perun_buffer text = {0};
	double value;

	if (i == SIZE_MAX)
		return;
	value = scaling_cost(scaling, i, scaling->at);
	if (scaling->whole > 0 && isfinite(value))
		row->share = fmax(value, 0) / scaling->whole;
	value = scaling_predicted(scaling, i, scaling->at);
	if (isfinite(value))
		views_scale_add_value(&scale, value, &text);
	row->columns[0] = perun_buffer_take(&text);
	if (!isnan(row->share))
		views_add_share(&text, row->share, false);
	row->columns[1] = perun_buffer_take(&text);
	if (scaling_growth(scaling, i)->segments)
		row->columns[2] = perun_format("%.1f %%", scaling_growth(scaling, i)->smape);
	scaling_add_formula(scaling, i, &text);
	row->columns[VIEWS_LIST_WORDS] = perun_buffer_take(&text);
}

static void add_count(struct views_list *list, const char *word, size_t count, const char *what)
{
	char *text = perun_format("%s %zu call path%s that %s", word, count, count == 1 ? "" : "s",
				  what);

	if (count)
		views_list_add(list, text, 0);
	perun_free(text);
}

/* What is not shown in the rows from `first` on, as lines of its own. */
static void add_rest(const struct scaling *scaling, struct views_list *list, size_t first)
{
	size_t shown = 0;

	for (size_t i = first; i < list->count; i++)
		shown += list->rows[i].columns[VIEWS_LIST_WORDS] != NULL;
	add_count(list, "and", scaling->count - shown, "cost less");
	add_count(list, "without", scaling->left_out, "overlap with these");
}

void scaling_list(const struct scaling *scaling, struct views_list *list)
{
	struct listing listing = {scaling, list};
	const size_t first = list->count;

	list->titles[0] = "call path";
	list->titles[1] = "predicted";
	list->titles[2] = "share";
	list->titles[3] = "SMAPE";
	list->titles[4] = "model";
	scaling_walk(scaling, add_row, &listing);
	add_rest(scaling, list, first);
}

/* ---- for the script of the page ---------------------------------------------------------------- */

static void add_pieces(const struct perun_piecewise *piecewise, struct perun_buffer *out)
{
	perun_buffer_add_char(out, '[');
	views_add_script_number(out, piecewise->until);
	for (int i = 0; i < 2; i++) {
		const struct perun_model_piece *piece = &piecewise->pieces[i];
		const double numbers[] = {piece->constant, piece->coefficient, piece->power.value,
					  piece->logarithm.value};

		for (int k = 0; k < 4; k++) {
			perun_buffer_add_text(out, k ? ", " : ", [");
			views_add_script_number(out, numbers[k]);
		}
		perun_buffer_add_char(out, ']');
	}
	perun_buffer_add_char(out, ']');
}

static void add_exact_formula(const struct perun_formula *formula, struct perun_buffer *out)
{
	perun_buffer_add_text(out, "{\"constant\": ");
	views_add_script_number(out, formula->constant);
	perun_buffer_add_text(out, ", \"terms\": [");
	for (uint32_t i = 0; i < formula->term_count; i++) {
		const struct perun_term *term = &formula->terms[i];

		perun_buffer_add_text(out, i ? ", [" : "[");
		views_add_script_number(out, term->coefficient);
		for (uint32_t k = 0; k < term->count; k++) {
			const struct perun_factor *factor = &formula->factors[term->first + k];

			perun_buffer_printf(out, ", [%u, %s, ", factor->parameter,
					    factor->logarithm ? "true" : "false");
			if (factor->piecewise)
				add_pieces(factor->piecewise, out);
			else
				views_add_script_number(out, factor->exponent.value);
			perun_buffer_add_char(out, ']');
		}
		perun_buffer_add_char(out, ']');
	}
	perun_buffer_add_text(out, "]}");
}

static void add_model(const struct perun_scaling_model *growth, struct perun_buffer *out)
{
	perun_buffer_add_text(out, "{\"formulas\": [");
	for (uint32_t k = 0; k < growth->segments; k++) {
		perun_buffer_add_text(out, k ? ", " : "");
		add_exact_formula(growth->formulas[k], out);
	}
	perun_buffer_add_char(out, ']');
	if (growth->segments == 2) {
		perun_buffer_add_text(out, ", \"until\": ");
		views_add_script_number(out, growth->until);
		perun_buffer_add_text(out, ", \"from\": ");
		views_add_script_number(out, growth->from);
	}
	perun_buffer_add_char(out, '}');
}

struct page {
	const struct scaling *scaling;
	struct perun_buffer *data;
	bool more;
	bool plottable; /* with points */
};

/* What was measured: the coordinate and the value of each point. */
static void add_points(const struct scaling *scaling, size_t i, struct perun_buffer *data)
{
	const struct perun_experiment_series *series = scaling_series(scaling, i);

	perun_buffer_add_char(data, '[');
	for (size_t m = 0; m < series->count; m++) {
		const struct perun_measurement *measurement =
			&scaling->experiment->measurements[series->first + m];

		perun_buffer_add_text(data, m ? ", [" : "[");
		for (size_t p = 0; p < scaling->experiment->parameters; p++) {
			views_add_script_number(data, scaling_coordinate(scaling, measurement)[p]);
			perun_buffer_add_text(data, ", ");
		}
		views_add_script_number(data, scaling_measured(scaling, measurement));
		perun_buffer_add_char(data, ']');
	}
	perun_buffer_add_char(data, ']');
}

/* The same call path in the experiment that this one is compared with. */
static size_t find_before(const struct scaling *scaling, size_t i)
{
	return scaling->before ? scaling_find(scaling->before, scaling_name(scaling, i)) : SIZE_MAX;
}

/* A line of the tree that can be plotted: its call path, model and points, and what these were before. */
static void add_plottable(const struct scaling *scaling, size_t i, struct perun_buffer *data)
{
	const size_t before = find_before(scaling, i);

	perun_buffer_add_text(data, "{\"name\": ");
	views_add_script_text(data, scaling_name(scaling, i));
	perun_buffer_add_text(data, ", \"points\": ");
	add_points(scaling, i, data);
	perun_buffer_add_text(data, ", \"model\": ");
	add_model(scaling_growth(scaling, i), data);
	if (scaling_series(scaling, i)->overlaps)
		perun_buffer_add_text(data, ", \"overlaps\": true");
	if (before != SIZE_MAX) {
		perun_buffer_add_text(data, ", \"before\": ");
		add_plottable(scaling->before, before, data);
	}
	perun_buffer_add_char(data, '}');
}

/* A call path that is not in the tree: part of the whole, and it may be what dominates elsewhere. */
static void add_unplotted(const struct scaling *scaling, size_t i, struct perun_buffer *data)
{
	perun_buffer_add_text(data, "{\"name\": ");
	views_add_script_text(data,
			      scaling->experiment->parameters > 2 ? scaling_name(scaling, i) : "");
	perun_buffer_add_text(data, ", \"model\": ");
	add_model(scaling_growth(scaling, i), data);
	perun_buffer_add_char(data, '}');
}

static void add_node(void *data, size_t i, const char *name, unsigned depth)
{
	struct page *page = data;

	(void)name;
	(void)depth;
	perun_buffer_add_text(page->data, page->more ? ",\n" : "\n");
	page->more = true;
	if (i == SIZE_MAX)
		perun_buffer_add_text(page->data, "null");
	else if (page->plottable)
		add_plottable(page->scaling, i, page->data);
	else
		add_unplotted(page->scaling, i, page->data);
}

static void add_parameters(const struct scaling *scaling, struct perun_buffer *data)
{
	for (size_t p = 0; p < scaling->experiment->parameters; p++) {
		perun_buffer_add_text(data, p ? ", {\"name\": " : "{\"name\": ");
		views_add_script_text(data, scaling->experiment->parameter_names[p]);
		perun_buffer_add_text(data, ", \"low\": ");
		views_add_script_number(data, scaling->low[p]);
		perun_buffer_add_text(data, ", \"high\": ");
		views_add_script_number(data, scaling->high[p]);
		perun_buffer_add_text(data, ", \"at\": ");
		views_add_script_number(data, scaling->at[p]);
		perun_buffer_printf(data, ", \"base\": %u}", scaling_base(scaling, p));
	}
}

static void add_numbers(struct perun_buffer *data, const char *key, const double *values,
			size_t count)
{
	perun_buffer_printf(data, "\"%s\": [", key);
	for (size_t i = 0; i < count; i++) {
		perun_buffer_add_text(data, i ? "," : "");
		views_add_script_number(data, values[i]);
	}
	perun_buffer_add_char(data, ']');
}

/* The band as far as the slider goes. */
static void add_wide_band(const struct scaling *scaling, size_t k, struct perun_buffer *data)
{
	const size_t p = scaling->parameter;
	double low = fmin(scaling->low[p], scaling->at[p]);
	double high = fmax(scaling->high[p], scaling->at[p]) * (scaling->low[p] > 0 ? 64 : 5);
	struct views_series band = {.mark = VIEWS_BAND};

	scaling_band(scaling, scaling->chosen[k], low, high > low ? high : low + 1, &band);
	perun_buffer_add_text(data, k ? ",\n{" : "\n{");
	add_numbers(data, "x", band.x, band.count);
	perun_buffer_add_text(data, ", ");
	add_numbers(data, "y", band.y, band.count);
	perun_buffer_add_text(data, ", ");
	add_numbers(data, "low", band.low, band.count);
	perun_buffer_add_char(data, '}');
	perun_free(band.x);
	perun_free(band.y);
	perun_free(band.low);
}

/* Models of what is not in the tree: parts of the whole. */
static void add_others(const struct scaling *scaling, struct page *page)
{
	size_t *order = perun_alloc_zero(scaling->count + 1, sizeof *order);
	bool *shown = perun_alloc_zero(scaling->count + 1, sizeof *shown);

	for (size_t i = 0, count = order_of(scaling, order); i < count; i++)
		shown[order[i]] = true;
	page->more = page->plottable = false;
	for (size_t i = 0; i < scaling->count; i++) {
		if (!shown[i] && !scaling_series(scaling, i)->overlaps)
			add_node(page, i, "", 0);
	}
	perun_free(order);
	perun_free(shown);
}

void scaling_page_start(const struct scaling *scaling, struct perun_buffer *data)
{
	perun_buffer_add_text(data, "{\"parameters\": [");
	add_parameters(scaling, data);
	perun_buffer_printf(data, "], \"axis\": %zu, \"metrics\": [", scaling->parameter);
}

void scaling_page_metric(const struct scaling *scaling, const struct scaling_parts *parts,
			 struct perun_buffer *data)
{
	struct page page = {scaling, data, false, true};

	perun_buffer_add_text(data, "{\"name\": ");
	views_add_script_text(data, scaling->experiment->metrics[scaling->metric]);
	perun_buffer_printf(data,
			    ", \"chart\": %zu, \"charts\": %zu, \"row\": %zu, \"rows\": %zu, "
			    "\"inclusive\": %s, ",
			    parts->chart, parts->charts, parts->row, parts->rows,
			    scaling->inclusive ? "true" : "false");
	if (parts->dominant != SIZE_MAX)
		perun_buffer_printf(data, "\"dominant\": %zu, ", parts->dominant);
	perun_buffer_add_text(data, "\"chosen\": [");
	for (size_t k = 0; k < scaling->chosen_count; k++) {
		perun_buffer_add_text(data, k ? ",\n" : "\n");
		add_plottable(scaling, scaling->chosen[k], data);
	}
	perun_buffer_add_text(data, "], \"bands\": [");
	for (size_t k = 0; k < scaling->chosen_count && !scaling->before; k++)
		add_wide_band(scaling, k, data);
	perun_buffer_add_text(data, "], \"tree\": [");
	scaling_walk(scaling, add_node, &page);
	perun_buffer_add_text(data, "], \"others\": [");
	add_others(scaling, &page);
	perun_buffer_add_text(data, "]}");
}
