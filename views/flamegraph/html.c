/* SPDX-License-Identifier: BSD-3-Clause */
/* The form HTML: one page with the program in page/ and the trees as packed data. */
#include <config.h>

#include <string.h>

#include <perun/json.h>
#include <perun/lib/page.h>

#include "assets.h"
#include "look.h"
#include "pack.h"
#include "picture.h"
#include "views/common/template.h"

enum { HTML_ROOM = 400000 }; /* nodes of a tree of one metric: 3 MB or less */

/* ---- data ------------------------------------------------------------------------------------ */

static void add_quoted(struct perun_buffer *out, const char *text, size_t length)
{
	struct perun_buffer quoted = {0};

	perun_json_quote(&quoted, text, length);
	perun_page_add_json(out, quoted.data, quoted.length);
	perun_buffer_free(&quoted);
}

static void add_key_text(struct perun_buffer *out, const char *key, const char *text)
{
	perun_buffer_printf(out, "\"%s\":", key);
	add_quoted(out, text, strlen(text));
}

/* How far above the node before it a node's parent is. */
static uint32_t steps_up(const struct flame_tree *tree, uint32_t node)
{
	return tree->nodes[node - 1].depth + 1 - tree->nodes[node].depth;
}

static void add_tree(struct perun_buffer *out, const char *key, const struct flame_tree *tree)
{
	struct perun_buffer bytes = {0};

	perun_buffer_printf(out, "\"%s\":{\"count\":%zu,\"share\":%.17g,", key, tree->count,
			    tree->share);
	for (uint32_t i = 1; i < tree->count; i++)
		pack_number(&bytes, steps_up(tree, i));
	pack_column(out, "up", &bytes);
	for (uint32_t i = 1; i < tree->count; i++)
		pack_number(&bytes, tree->nodes[i].frame == FLAME_REST
					    ? 0
					    : (uint64_t)tree->nodes[i].frame + 1);
	perun_buffer_add_char(out, ',');
	pack_column(out, "frame", &bytes);
	for (uint32_t i = 1; i < tree->count; i++) {
		if (tree->nodes[i].frame == FLAME_REST)
			pack_number(&bytes, tree->nodes[i].merged);
	}
	perun_buffer_add_char(out, ',');
	pack_column(out, "merged", &bytes);
	perun_buffer_add_text(out, ",\"own\":[");
	for (unsigned k = 0; k < tree->weights; k++) {
		for (size_t i = 0; i < tree->count; i++)
			pack_signed(&bytes, tree->own[k][i]);
		if (k)
			perun_buffer_add_char(out, ',');
		pack_text(out, &bytes);
	}
	perun_buffer_add_text(out, "]}");
	perun_buffer_free(&bytes);
}

/* Texts of the page, each once: `numbers` of the profile's strings, 0 = not yet asked for. */
struct texts {
	struct perun_buffer json;
	uint32_t *numbers;
	uint32_t count;
};

static uint32_t text_number(struct texts *texts, const struct flame *flame, perun_id id)
{
	size_t length;
	const char *text = perun_profile_string(flame->profile, id, &length);

	if (!text || !length)
		return 0;
	if (!texts->numbers[id]) {
		if (texts->count)
			perun_buffer_add_char(&texts->json, ',');
		add_quoted(&texts->json, text, length);
		texts->numbers[id] = ++texts->count;
	}
	return texts->numbers[id];
}

/* Names of frames may be made up of several strings: they are not looked up. */
static uint32_t name_number(struct texts *texts, const struct flame_frame *frame)
{
	if (texts->count)
		perun_buffer_add_char(&texts->json, ',');
	add_quoted(&texts->json, frame->name, frame->name_length);
	return ++texts->count;
}

static void add_moments(struct perun_buffer *out, const struct flame *flame,
			struct perun_buffer *bytes)
{
	if (!flame->has_moments)
		return;
	for (size_t i = 0; i < flame->frame_count; i++)
		pack_number(bytes, (uint64_t)(1 + 1000 * flame->frames[i].moment));
	perun_buffer_add_char(out, ',');
	pack_column(out, "moment", bytes);
}

/* One column for each weight. */
static void add_values(struct perun_buffer *out, const char *key, const struct flame *flame,
		       int64_t *const *values, struct perun_buffer *bytes)
{
	perun_buffer_printf(out, ",\"%s\":[", key);
	for (unsigned k = 0; k < flame->weight_count; k++) {
		for (size_t i = 0; i < flame->frame_count; i++)
			pack_signed(bytes, values[k][i]);
		if (k)
			perun_buffer_add_char(out, ',');
		pack_text(out, bytes);
	}
	perun_buffer_add_char(out, ']');
}

static void add_frames(struct perun_buffer *out, const struct flame *flame)
{
	struct perun_buffer names = {0}, files = {0}, modules = {0};
	struct texts texts = {.count = 0};

	texts.numbers =
		perun_alloc_zero(perun_profile_strings(flame->profile) + 1, sizeof *texts.numbers);
	for (size_t i = 0; i < flame->frame_count; i++) {
		pack_number(&names, name_number(&texts, &flame->frames[i]));
		pack_number(&files, text_number(&texts, flame, flame->frames[i].file));
		pack_number(&modules, text_number(&texts, flame, flame->frames[i].module));
	}
	perun_buffer_printf(out, "\"strings\":[%s],\n\"frames\":{\"count\":%zu,",
			    texts.json.length ? texts.json.data : "", flame->frame_count);
	pack_column(out, "name", &names);
	perun_buffer_add_char(out, ',');
	pack_column(out, "file", &files);
	perun_buffer_add_char(out, ',');
	pack_column(out, "module", &modules);
	add_moments(out, flame, &names);
	add_values(out, "flat", flame, flame->flat, &names);
	add_values(out, "cumulative", flame, flame->cumulative, &names);
	perun_buffer_add_text(out, "},\n");
	perun_free(texts.numbers);
	perun_buffer_free(&texts.json);
	perun_buffer_free(&names);
	perun_buffer_free(&files);
	perun_buffer_free(&modules);
}

static void add_metrics(struct perun_buffer *out, const struct flame *flame)
{
	perun_buffer_add_text(out, "\"metrics\":[");
	for (unsigned m = 0; m < flame->metric_count; m++) {
		perun_buffer_add_text(out, m ? ",{" : "{");
		add_key_text(out, "name", flame->metrics[m]->name);
		perun_buffer_add_char(out, ',');
		add_key_text(out, "unit", flame_unit(flame, m));
		perun_buffer_add_char(out, '}');
	}
	perun_buffer_add_text(out, "],\n\"scales\":[");
	for (unsigned k = 0; k < flame->weight_count; k++) {
		char number[PERUN_JSON_NUMBER_SIZE];

		perun_json_print_double(flame->scales[k], number);
		perun_buffer_printf(out, "%s%s", k ? "," : "", number);
	}
	perun_buffer_add_text(out, "],\n");
}

/* The function of --sandwich: its number, or -1. */
static long find_function(const struct flame *flame)
{
	const char *name = flame->settings->function;

	for (size_t i = 0; name && i < flame->frame_count; i++) {
		if (strcmp(flame->frames[i].name, name) == 0)
			return (long)i;
	}
	return -1;
}

static void add_options(struct perun_buffer *out, const struct flame *flame)
{
	static const char *const views[] = {"tree", "callers", "time", "sandwich"};
	static const char *const orders[] = {"heavy", "name"};
	static const char *const colors[] = {"package", "file", "module", "name", "own", "time"};
	static const char *const changes[] = {"own", "total", "relative"};
	static const char *const widths[] = {"new", "base", "both"};
	const struct flame_settings *settings = flame->settings;

	perun_buffer_printf(out,
			    "\"options\":{\"view\":\"%s\",\"order\":\"%s\",\"color\":\"%s\","
			    "\"width\":\"%s\",\"flame\":%s,\"normalize\":%s,\"frame\":%ld},\n",
			    views[settings->kind], orders[settings->order],
			    flame->diff ? changes[settings->change] : colors[settings->color],
			    widths[settings->width_from], settings->flame ? "true" : "false",
			    settings->normalize ? "true" : "false", find_function(flame));
}

/* ---- what the page says of itself ------------------------------------------------------------ */

/* Nothing when all boxes are there. */
static void add_loss(struct perun_buffer *out, const struct flame_tree *tree)
{
	size_t merged = flame_tree_merged(tree);

	if (merged)
		perun_buffer_printf(out,
				    "%zu boxes of less than %.3g %% of the total (1/%.0f) are put "
				    "together in hatched ones, %zu are drawn by themselves.",
				    merged, 100 * tree->share, 1 / tree->share, tree->count - 1);
}

static void add_summary(struct perun_buffer *out, const struct flame *flame)
{
	const struct flame_tree *tree =
		flame->settings->kind == FLAME_CALLERS ? &flame->callers : &flame->tree;
	struct perun_buffer sum = {0};

	flame_add_sum(flame, &sum);
	perun_buffer_add_text(out, "<span id=\"sum\">");
	flame_add_markup(out, sum.data, sum.length);
	perun_buffer_free(&sum);
	perun_buffer_printf(out, "</span> · %zu functions", flame->frame_count);
	for (int i = 0; i < 1 + flame->diff && !strstr(flame->title, flame->names[i]); i++) {
		perun_buffer_add_text(out, i ? " → " : " · ");
		flame_add_markup(out, flame->names[i], strlen(flame->names[i]));
	}
	for (int i = 0; i < 1 + flame->diff; i++) {
		if (flame->overheads[i] > 0)
			perun_buffer_printf(out, " · <b>overhead %.0f %% of %s run</b>",
					    100 * flame->overheads[i],
					    !flame->diff ? "this"
					    : i          ? "the new"
							 : "the first");
	}
	perun_buffer_add_text(out, "<span id=\"loss\">");
	add_loss(out, tree);
	perun_buffer_add_text(out, "</span>");
}

static void add_data(struct perun_buffer *out, const struct flame *flame)
{
	perun_buffer_add_text(out, "{");
	add_key_text(out, "title", flame->title);
	perun_buffer_printf(out, ",\"diff\":%s,\n", flame->diff ? "true" : "false");
	add_metrics(out, flame);
	add_frames(out, flame);
	add_options(out, flame);
	perun_buffer_add_text(out, "\"trees\":{");
	add_tree(out, "tree", &flame->tree);
	perun_buffer_add_text(out, ",\n");
	add_tree(out, "callers", &flame->callers);
	if (flame->time.nodes) {
		perun_buffer_add_text(out, ",\n");
		add_tree(out, "time", &flame->time);
	}
	perun_buffer_add_text(out, "}}");
}

/* ---- the page -------------------------------------------------------------------------------- */

/* What is at a mark of page.html. */
static void add_part(struct perun_buffer *out, struct flame *flame,
		     const struct views_template *template)
{
	if (views_template_at(template, "POLICY"))
		views_add_policy(out, flame_page_css, flame_page_css_size, flame_page_js,
				 flame_page_js_size);
	else if (views_template_at(template, "TITLE"))
		flame_add_markup(out, flame->title, strlen(flame->title));
	else if (views_template_at(template, "STYLE"))
		perun_buffer_add(out, flame_page_css, flame_page_css_size);
	else if (views_template_at(template, "SCRIPT"))
		perun_buffer_add(out, flame_page_js, flame_page_js_size);
	else if (views_template_at(template, "SUMMARY"))
		add_summary(out, flame);
	else if (views_template_at(template, "PICTURE"))
		flame_add_static_picture(out, flame);
	else if (views_template_at(template, "DATA"))
		add_data(out, flame);
}

/* The template, each @MARK@ replaced. */
static int write_page(struct flame *flame, struct perun_output *output)
{
	struct views_template template = views_template(flame_page_html, flame_page_html_size);
	struct perun_buffer part = {0};
	int status = PERUN_OK;

	while (!status && views_template_next(&template)) {
		perun_output_write(output, template.piece, template.length);
		add_part(&part, flame, &template);
		status = perun_output_write(output, part.data ? part.data : "", part.length);
		perun_buffer_clear(&part);
	}
	perun_buffer_free(&part);
	return status;
}

int flame_write_html(struct perun_ctx *ctx, struct flame *flame, struct perun_output *output)
{
	const size_t room = (size_t)HTML_ROOM * 4 / (3 + flame->weight_count);
	int status = flame_build(ctx, flame, FLAME_WANT_TREE | FLAME_WANT_CALLERS, room);

	if (!status)
		status = flame_build_time(ctx, flame, room);
	if (status)
		return status;
	flame_frame_places(flame);
	if (flame->settings->function && find_function(flame) < 0)
		return perun_fail(ctx, PERUN_USAGE, "no function %s in %s",
				  flame->settings->function, flame->names[0]);
	return write_page(flame, output);
}
