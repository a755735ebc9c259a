/* SPDX-License-Identifier: BSD-3-Clause */
/* The report as one page. */
#include <config.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <perun/lib/page.h>

#include "views/common/chart-draw.h"
#include "views/common/facts.h"
#include "views/report/page.h"
#include "views/common/template.h"

enum { MAX_CALLERS = 3, MAX_TOTALS = 10, MAX_MODELS = 50 };

struct page {
	struct report *report;
	const struct report_layout *layout;
	struct perun_profile *const *profiles;
	const char *const *names;
	struct report_pictures pictures;
	struct perun_buffer *out;
};

/* ---- words and numbers ----------------------------------------------------------------------- */

static void add_text(const struct page *page, const char *text)
{
	views_add_markup(page->out, text);
}

static void add_amount_cell(const struct page *page, long double amount,
			    const struct perun_unit *unit, bool sign)
{
	perun_buffer_add_text(page->out, "<td class=\"n\">");
	if (!isnan(amount))
		views_add_amount(page->out, amount, unit, sign, false);
	perun_buffer_add_text(page->out, "</td>");
}

static void add_relative(const struct page *page, long double base, long double new)
{
	if (base == new)
		perun_buffer_add_text(page->out, "±0");
	else if (base == 0)
		perun_buffer_add_text(page->out, "new");
	else if (new == 0)
		perun_buffer_add_text(page->out, "gone");
	else
		views_add_share(page->out, (new - base) / fabsl(base), true);
}

static const char *class_of(long double base, long double new, bool higher_is_better)
{
	if (!(new < base) && !(new > base))
		return "";
	return (new > base) == higher_is_better ? " good" : " bad";
}

static void add_change_cells(const struct page *page, long double base, long double new,
			     const struct perun_unit *unit, bool higher_is_better)
{
	const char *class = class_of(base, new, higher_is_better);

	add_amount_cell(page, base, unit, false);
	add_amount_cell(page, new, unit, false);
	perun_buffer_printf(page->out, "<td class=\"n%s\">", class);
	if (!isnan(base) && !isnan(new))
		views_add_amount(page->out, new - base, unit, true, false);
	perun_buffer_printf(page->out, "</td><td class=\"n%s\">", class);
	if (!isnan(base) && !isnan(new))
		add_relative(page, base, new);
	perun_buffer_add_text(page->out, "</td>");
}

static void begin_section(const struct page *page, const char *id, const char *title)
{
	perun_buffer_printf(page->out, "<section id=\"%s\"><h2>%s</h2>\n", id, title);
}

static void end_section(const struct page *page)
{
	perun_buffer_add_text(page->out, "</section>\n");
}

/* ---- sums ------------------------------------------------------------------------------------ */

static void add_metrics(const struct page *page)
{
	const struct report *report = page->report;

	begin_section(page, "metrics", "What was measured");
	perun_buffer_add_text(page->out,
			      "<table><thead><tr><th>metric</th><th class=\"n\">base</th>"
			      "<th class=\"n\">new</th><th class=\"n\">change</th>"
			      "<th class=\"n\">relative</th></tr></thead><tbody>\n");
	for (size_t i = 0; i < report->metric_count; i++) {
		const struct report_metric *metric = &report->metrics[i];
		const struct perun_metric *known = perun_metric(report->new->profile, metric->name);
		const struct perun_unit unit = perun_unit_of(metric->unit);
		const bool chosen = strcmp(metric->name, report->new->metric->name) == 0;

		perun_buffer_printf(page->out, "<tr%s><td>", chosen ? " class=\"chosen\"" : "");
		add_text(page, metric->name);
		perun_buffer_add_text(page->out, "</td>");
		add_change_cells(page, metric->comparable ? metric->base : (long double)NAN,
				 metric->new, &unit,
				 known && perun_metric_higher(known, PERUN_BETTER_UNKNOWN));
		perun_buffer_add_text(page->out, "</tr>\n");
	}
	perun_buffer_add_text(page->out, "</tbody></table>\n");
	end_section(page);
}

/* ---- functions ------------------------------------------------------------------------------- */

static void add_callers(const struct page *page, const struct report_function *function)
{
	size_t written = 0, changed = 0;

	for (size_t i = 0; i < function->caller_count; i++) {
		const struct report_caller *caller = &function->callers[i];

		if (caller->new == caller->base || changed++ >= MAX_CALLERS)
			continue;
		perun_buffer_add_text(page->out, written++ ? ", " : "<small>by ");
		perun_buffer_add_text(page->out, "<code>");
		add_text(page, caller->name ? caller->name : "(the root)");
		perun_buffer_add_text(page->out, "</code> ");
		views_add_amount(page->out, caller->new - caller->base, &page->report->new->unit,
				 true, false);
	}
	if (changed > written)
		perun_buffer_printf(page->out, ", %zu more", changed - written);
	if (written)
		perun_buffer_add_text(page->out, "</small>");
}

/* A bar to the right of the middle for what grew, to the left for what shrank. */
static void add_balance(const struct page *page, const struct views_row *row, long double most)
{
	const long double change = row->self[1] - row->self[0];
	const double width = most > 0 ? 50 * (double)(fabsl(change) / most) : 0;

	perun_buffer_printf(
		page->out,
		"<td class=\"balance\"><svg><rect class=\"%s\" x=\"%.2f%%\" width=\"%.2f%%\"/>"
		"</svg></td>",
		class_of(row->self[0], row->self[1], views_higher_is_better(page->report->new))[0]
			? class_of(row->self[0], row->self[1],
				   views_higher_is_better(page->report->new)) +
				  1
			: "",
		change < 0 ? 50 - width : 50, width);
}

static void add_functions(const struct page *page)
{
	const struct report *report = page->report;
	const long double gross = report->grown + report->shrunk;
	long double most = 0;

	begin_section(page, "changes", "Biggest changes");
	if (!report->function_count) {
		perun_buffer_printf(page->out, "<p class=\"note\">No %s changed.</p>",
				    views_title(report->new));
		end_section(page);
		return;
	}
	most = fabsl(report->functions[0].row->self[1] - report->functions[0].row->self[0]);
	perun_buffer_printf(page->out,
			    "<table><thead><tr><th class=\"n\">base</th><th class=\"n\">new</th>"
			    "<th class=\"n\">change</th><th class=\"n\">of itself</th>"
			    "<th class=\"n\">of changes</th><th><span "
			    "class=\"unseen\">change</span></th><th>%s</th></tr></thead><tbody>\n",
			    views_title(report->new));
	for (size_t i = 0; i < report->function_count; i++) {
		const struct report_function *function = &report->functions[i];
		const struct views_row *row = function->row;

		perun_buffer_add_text(page->out, "<tr>");
		add_change_cells(page, row->self[0], row->self[1], &report->new->unit,
				 views_higher_is_better(report->new));
		perun_buffer_add_text(page->out, "<td class=\"n\">");
		views_add_share(page->out, fabsl(row->self[1] - row->self[0]) / gross, false);
		perun_buffer_add_text(page->out, "</td>");
		add_balance(page, row, most);
		perun_buffer_add_text(page->out, "<td><code>");
		add_text(page, row->name);
		perun_buffer_add_text(page->out, "</code>");
		if (function->noise)
			perun_buffer_printf(
				page->out,
				" <span class=\"noise\" title=\"No larger than %s\">~</span>",
				page->report->repeated ? "runs differ by"
						       : "sampling makes by chance");
		perun_buffer_add_text(page->out, "<br>");
		add_callers(page, function);
		perun_buffer_add_text(page->out, "</td></tr>\n");
	}
	perun_buffer_add_text(page->out, "</tbody></table>\n");
	if (report->others)
		perun_buffer_printf(page->out, "<p class=\"note\">%zu more %s changed.</p>\n",
				    report->others, views_plural(report->new, report->others));
	end_section(page);
}

/* ---- totals ---------------------------------------------------------------------------------- */

static long double larger_total(const struct views_row *row)
{
	return fmaxl(fabsl(row->total[0]), fabsl(row->total[1]));
}

static int by_total(const void *a, const void *b)
{
	const struct views_row *const *left = a, *const *right = b;
	const long double first = larger_total(*left), second = larger_total(*right);

	return first != second ? (first < second ? 1 : -1) : strcmp((*left)->name, (*right)->name);
}

/* The functions that cost most with all that they call, whether they changed or not. */
static void add_totals(const struct page *page)
{
	const struct report *report = page->report;
	const size_t count = report->rows.count;
	const struct views_row **rows;

	if (!report_knows_callers(report) || !count)
		return;
	rows = perun_alloc(count * sizeof *rows);
	for (size_t i = 0; i < count; i++)
		rows[i] = &report->rows.items[i];
	qsort(rows, count, sizeof *rows, by_total);
	begin_section(page, "totals", "Largest totals");
	perun_buffer_printf(page->out,
			    "<table><thead><tr><th class=\"n\">base</th><th class=\"n\">new</th>"
			    "<th class=\"n\">change</th><th class=\"n\">of itself</th><th>%s, with "
			    "all that it calls</th></tr></thead><tbody>\n",
			    views_title(report->new));
	for (size_t i = 0; i < count && i < MAX_TOTALS; i++) {
		perun_buffer_add_text(page->out, "<tr>");
		add_change_cells(page, rows[i]->total[0], rows[i]->total[1], &report->new->unit,
				 views_higher_is_better(report->new));
		perun_buffer_add_text(page->out, "<td><code>");
		add_text(page, rows[i]->name);
		perun_buffer_add_text(page->out, "</code></td></tr>\n");
	}
	perun_buffer_add_text(page->out, "</tbody></table>\n");
	end_section(page);
	perun_free(rows);
}

/* ---- pictures -------------------------------------------------------------------------------- */

static void add_map(const struct page *page)
{
	struct perun_buffer map = {0};

	report_add_treemap(page->report, &map);
	if (map.length && page->report->rows.count > 1) {
		begin_section(page, "map", "Map of own costs");
		perun_buffer_add(page->out, map.data, map.length);
		end_section(page);
	}
	perun_buffer_free(&map);
}

/* A page within an attribute of this page. */
static void add_frame(const struct page *page, const char *id, const char *title,
		      const struct perun_buffer *inner, unsigned height)
{
	if (!inner->length)
		return;
	begin_section(page, id, title);
	perun_buffer_printf(page->out, "<iframe title=\"%s\" height=\"%u\" srcdoc=\"", title,
			    height);
	perun_page_add_text(page->out, inner->data, inner->length, "&\"<");
	perun_buffer_add_text(page->out, "\"></iframe>\n");
	end_section(page);
}

/* ---- models ---------------------------------------------------------------------------------- */

static void add_model_cell(const struct page *page, const struct report_curve *curve, unsigned side)
{
	const struct perun_model *model = &curve->models[side];

	perun_buffer_add_text(page->out, "<td>");
	if (curve->has[side]) {
		add_text(page, model->kind);
		perun_buffer_add_text(page->out, "<br><small>");
		for (size_t i = 0; i < model->coefficient_count && i < 6; i++) {
			if (!isnan(model->coefficients[i]))
				perun_buffer_printf(page->out, "%sb%zu = %.4g", i ? ", " : "", i,
						    model->coefficients[i]);
		}
		perun_buffer_printf(page->out, "%sR² = %.3f</small>",
				    model->coefficient_count ? "; " : "", model->r_square);
	}
	perun_buffer_add_text(page->out, "</td>");
}

static void add_models(const struct page *page)
{
	size_t count;
	struct report_curve *curves = report_find_curves(page->profiles, &count);

	if (count) {
		begin_section(page, "models", "Models before and after");
		perun_buffer_add_text(page->out,
				      "<table><thead><tr><th>of</th><th>base</th><th>new</th>"
				      "<th class=\"n\">at the end</th></tr></thead><tbody>\n");
	}
	for (size_t i = 0; i < count && i < MAX_MODELS; i++) {
		perun_buffer_add_text(page->out, "<tr><td><code>");
		add_text(page, curves[i].uid);
		perun_buffer_add_text(page->out, "</code></td>");
		add_model_cell(page, &curves[i], 0);
		add_model_cell(page, &curves[i], 1);
		perun_buffer_add_text(page->out, "<td class=\"n\">");
		if (isfinite(curves[i].change))
			views_add_share(page->out, curves[i].change, true);
		perun_buffer_add_text(page->out, "</td></tr>\n");
	}
	if (count) {
		perun_buffer_add_text(page->out, "</tbody></table>\n");
		if (count > MAX_MODELS)
			perun_buffer_printf(page->out, "<p class=\"note\">%zu more.</p>\n",
					    count - MAX_MODELS);
		end_section(page);
	}
	report_free_curves(curves, count);
}

/* ---- what the profiles say of themselves ----------------------------------------------------- */

static void add_fact(const struct page *page, const struct views_fact *fact)
{
	perun_buffer_printf(page->out, "<tr%s><td>", fact->differs ? " class=\"differs\"" : "");
	add_text(page, fact->section);
	if (*fact->name) {
		perun_buffer_add_char(page->out, ' ');
		add_text(page, fact->name);
	}
	for (unsigned side = 0; side < 2; side++) {
		perun_buffer_add_text(page->out, "</td><td>");
		if (fact->texts[side])
			add_text(page, fact->texts[side]);
		else
			perun_buffer_add_text(page->out, "<span class=\"aside\">not said</span>");
	}
	perun_buffer_add_text(page->out, "</td></tr>\n");
}

static void add_fact_table(const struct page *page, const struct views_facts *facts, bool differing)
{
	perun_buffer_add_text(page->out, "<table class=\"facts\"><thead><tr><th><span "
					 "class=\"unseen\">fact</span></th><th>base: ");
	add_text(page, page->names[0]);
	perun_buffer_add_text(page->out, "</th><th>new: ");
	add_text(page, page->names[1]);
	perun_buffer_add_text(page->out, "</th></tr></thead><tbody>\n");
	for (size_t i = 0; i < facts->count; i++) {
		if (facts->items[i].differs == differing)
			add_fact(page, &facts->items[i]);
	}
	perun_buffer_add_text(page->out, "</tbody></table>\n");
}

static void add_facts(const struct page *page)
{
	struct views_facts facts;

	views_facts_of(page->profiles, &facts);
	begin_section(page, "facts", "How it was measured");
	if (facts.different)
		add_fact_table(page, &facts, true);
	else
		perun_buffer_add_text(page->out,
				      "<p class=\"note\">Both profiles say the same of command, "
				      "machine and collector.</p>\n");
	if (facts.count > facts.different) {
		perun_buffer_printf(page->out, "<details><summary>%zu %s the same</summary>\n",
				    facts.count - facts.different,
				    facts.count - facts.different == 1 ? "fact is" : "facts are");
		add_fact_table(page, &facts, false);
		perun_buffer_add_text(page->out, "</details>\n");
	}
	end_section(page);
	views_facts_clear(&facts);
}

static void add_remarks(const struct page *page)
{
	const struct report *report = page->report;

	if (!report->remark_count)
		return;
	begin_section(page, "remarks", "Remarks");
	perun_buffer_add_text(page->out, "<ul>\n");
	for (size_t i = 0; i < report->remark_count; i++) {
		perun_buffer_add_text(page->out, "<li>");
		add_text(page, report->remarks[i]);
		perun_buffer_add_text(page->out, "</li>\n");
	}
	perun_buffer_add_text(page->out, "</ul>\n");
	end_section(page);
}

/* ---- the page -------------------------------------------------------------------------------- */

static void add_summary(const struct page *page)
{
	const struct report *report = page->report;
	const long double base = report->base->left * report->pair.factor[0];
	const long double new = report->new->left;

	add_text(page, report->new->metric->name);
	perun_buffer_add_text(page->out, ": ");
	views_add_amount(page->out, base, &report->new->unit, false, false);
	perun_buffer_add_text(page->out, " → ");
	views_add_amount(page->out, new, &report->new->unit, false, false);
	perun_buffer_printf(page->out, " <b class=\"change%s\">",
			    class_of(base, new, views_higher_is_better(report->new)));
	add_relative(page, base, new);
	perun_buffer_add_text(page->out, "</b>");
}

static void add_flames(const struct page *page)
{
	add_frame(page, "flames", "Difference flame graph", &page->pictures.flames, 640);
}

static void add_boxes(const struct page *page)
{
	add_frame(page, "boxes", "Repeated measurements", &page->pictures.distributions,
		  740 + 26 * page->pictures.boxes);
}

static void add_curves(const struct page *page)
{
	add_frame(page, "curves", "Curves of the models", &page->pictures.curves,
		  page->pictures.charts > 1 ? 80 + 470 * page->pictures.charts : 740);
}

static void add_body(const struct page *page)
{
	static void (*const add_section[])(const struct page *) = {
		[REPORT_METRICS] = add_metrics, [REPORT_CHANGES] = add_functions,
		[REPORT_TOTALS] = add_totals,   [REPORT_MAP] = add_map,
		[REPORT_FLAMES] = add_flames,   [REPORT_BOXES] = add_boxes,
		[REPORT_MODELS] = add_models,   [REPORT_CURVES] = add_curves,
		[REPORT_FACTS] = add_facts,     [REPORT_REMARKS] = add_remarks};

	for (size_t i = 0; i < page->layout->count; i++)
		add_section[page->layout->sections[i]](page);
}

/* Frames obey the policy of this page besides their own. */
static void add_policy(const struct page *page)
{
	const struct report_pictures *pictures = &page->pictures;
	const struct perun_buffer *frames[] = {&pictures->flames, &pictures->distributions,
					       &pictures->curves};
	struct perun_page_policy policy = {0};

	perun_page_allow_style(&policy, report_page_css, report_page_css_size);
	perun_page_allow_script(&policy, report_page_js, report_page_js_size);
	for (size_t i = 0; i < sizeof frames / sizeof *frames; i++) {
		if (frames[i]->length)
			perun_page_allow_frame(&policy, frames[i]->data, frames[i]->length);
	}
	perun_page_add_policy(&policy, page->out);
}

static void add_part(const struct page *page, const struct views_template *template)
{
	if (views_template_at(template, "POLICY")) {
		add_policy(page);
	} else if (views_template_at(template, "TITLE")) {
		add_text(page, page->names[0]);
		perun_buffer_add_text(page->out, " → ");
		add_text(page, page->names[1]);
	} else if (views_template_at(template, "SUMMARY")) {
		add_summary(page);
	} else if (views_template_at(template, "STYLE")) {
		perun_buffer_add(page->out, report_page_css, report_page_css_size);
	} else if (views_template_at(template, "SCRIPT")) {
		perun_buffer_add(page->out, report_page_js, report_page_js_size);
	} else if (views_template_at(template, "BODY")) {
		add_body(page);
	}
}

int report_write_page(struct report *report, const struct report_layout *layout,
		      struct perun_profile *const *profiles, const char *const *names,
		      const struct perun_canvas *canvas)
{
	struct views_template template = views_template(report_page_html, report_page_html_size);
	struct perun_buffer out = {0};
	struct page page = {.report = report,
			    .layout = layout,
			    .profiles = profiles,
			    .names = names,
			    .out = &out};
	int status;

	report_draw_pictures(report, layout, profiles, names, &page.pictures);
	while (views_template_next(&template)) {
		perun_buffer_add(&out, template.piece, template.length);
		add_part(&page, &template);
	}
	status = perun_output_write(canvas->output, out.data, out.length);
	report_free_pictures(&page.pictures);
	perun_buffer_free(&out);
	return status;
}
