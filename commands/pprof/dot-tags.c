/* SPDX-License-Identifier: BSD-3-Clause */
/* The boxes beside the nodes of a drawing: what labels the samples have. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dot.h"

enum { MAX_TAGS = 4 };

/* A box: one tag, or several numbers put together. */
struct box {
	const char *name;
	char *range; /* owns the name of several */
	struct pprof_tag tag;
};

static int64_t divided(int64_t value, int64_t divisor)
{
	if (divisor == 0)
		return value;
	return divisor == -1 ? (int64_t)(0 - (uint64_t)value) : value / divisor;
}

static int64_t flat_of(const struct pprof_tag *tag)
{
	return divided(tag->flat, tag->flat_divisor);
}

static int64_t cumulative_of(const struct pprof_tag *tag)
{
	return divided(tag->cumulative, tag->cumulative_divisor);
}

/* ---- sorting ---------------------------------------------------------------------------------- */

static int compare_magnitudes(int64_t a, int64_t b)
{
	int64_t left = pprof_magnitude(a), right = pprof_magnitude(b);

	return (left < right) - (left > right);
}

static int compare_flat(const void *a, const void *b)
{
	const struct box *l = a, *r = b;
	int order = compare_magnitudes(l->tag.flat, r->tag.flat);

	return order ? order : strcmp(l->name, r->name);
}

static int compare_cumulative(const void *a, const void *b)
{
	const struct box *l = a, *r = b;
	int order = compare_magnitudes(l->tag.cumulative, r->tag.cumulative);

	return order ? order : compare_flat(a, b);
}

static void sort_boxes(struct box *boxes, size_t count, bool flat)
{
	if (count)
		qsort(boxes, count, sizeof *boxes, flat ? compare_flat : compare_cumulative);
}

/* The tags of a node: texts (numbers false), or the numbers that go with texts `labels`. */
static struct box *find_boxes(const struct pprof_dot *dot, uint32_t node, bool numbers,
			      perun_id labels, size_t *count)
{
	const struct pprof_tags *tags = dot->graph.tags;
	uint32_t origin = dot->graph.origins[node];
	size_t first = tags->starts[origin], end = tags->starts[origin + 1];
	struct box *boxes = perun_alloc_zero(end - first + 1, sizeof *boxes);

	*count = 0;
	for (size_t i = first; i < end; i++) {
		const struct pprof_tag *tag = &tags->tags[i];
		bool is_number = tag->name != PERUN_NO_ID;

		if (tag->low || is_number != numbers || (numbers && tag->labels != labels))
			continue;
		boxes[*count].tag = *tag;
		boxes[(*count)++].name = pprof_tag_text(tags, is_number ? tag->name : tag->labels);
	}
	return boxes;
}

/* ---- numbers put together --------------------------------------------------------------------- */

static double distance(const struct pprof_tag *a, const struct pprof_tag *b)
{
	const char *unit;
	double value = pprof_scale(b->value, b->unit, a->unit, &unit);

	return fabs((double)a->value - value);
}

/* "1kB..4kB": from the least to the greatest of those whose group is `group`. */
static void name_group(const struct box *boxes, size_t count, const size_t *groups, size_t group,
		       struct box *box)
{
	const struct pprof_tag *least = NULL, *most = NULL;
	struct perun_buffer text = {0};
	size_t members = 0;

	*box = (struct box){.tag = {.name = PERUN_NO_ID}};
	for (size_t i = 0; i < count; i++) {
		const struct pprof_tag *tag = &boxes[i].tag;

		if (groups[i] != group)
			continue;
		members++;
		if (!least || tag->value < least->value)
			least = tag;
		if (!most || tag->value > most->value)
			most = tag;
		box->tag.flat = (int64_t)((uint64_t)box->tag.flat + (uint64_t)tag->flat);
		box->tag.cumulative =
			(int64_t)((uint64_t)box->tag.cumulative + (uint64_t)tag->cumulative);
		box->tag.flat_divisor += tag->flat_divisor;
		box->tag.cumulative_divisor += tag->cumulative_divisor;
	}
	box->tag.flat = flat_of(&box->tag);
	box->tag.cumulative = cumulative_of(&box->tag);
	box->tag.flat_divisor = box->tag.cumulative_divisor = 0;
	pprof_add_scaled(least->value, least->unit, "auto", &text);
	if (members > 1) {
		perun_buffer_add_text(&text, "..");
		pprof_add_scaled(most->value, most->unit, "auto", &text);
	}
	box->range = perun_buffer_take(&text);
	box->name = box->range;
}

/* At most MAX_TAGS boxes: the others join the nearest of the first ones. */
static size_t put_together(struct box *boxes, size_t count, bool flat)
{
	struct box together[MAX_TAGS];
	size_t *groups;

	sort_boxes(boxes, count, flat);
	if (count <= MAX_TAGS)
		return count;
	groups = perun_alloc(count * sizeof *groups);
	for (size_t i = 0; i < count; i++) {
		double nearest = i < MAX_TAGS ? 0 : distance(&boxes[i].tag, &boxes[0].tag);

		groups[i] = i < MAX_TAGS ? i : 0;
		for (size_t g = 1; i >= MAX_TAGS && g < MAX_TAGS; g++) {
			double far = distance(&boxes[i].tag, &boxes[g].tag);

			if (far < nearest) {
				nearest = far;
				groups[i] = g;
			}
		}
	}
	for (size_t g = 0; g < MAX_TAGS; g++)
		name_group(boxes, count, groups, g, &together[g]);
	memcpy(boxes, together, sizeof together);
	sort_boxes(boxes, MAX_TAGS, flat);
	perun_free(groups);
	return MAX_TAGS;
}

/* ---- boxes ------------------------------------------------------------------------------------ */

static void add_box(struct pprof_dot *dot, const char *id, const char *source, const char *name,
		    int64_t value, const char *style)
{
	struct perun_buffer text = {0};

	pprof_add_value(dot->graph.report, value, &text);
	perun_buffer_printf(
		&dot->out,
		"%s [label = \"%s\" id=\"%s\" fontsize=8 shape=box3d tooltip=\"%s\"]\n"
		"%s -> %s [label=\" %s\" weight=100 tooltip=\"%s\" labeltooltip=\"%s\"%s]\n",
		id, name, id, text.data, source, id, text.data, text.data, text.data, style);
	perun_buffer_free(&text);
}

static bool add_numbers(struct pprof_dot *dot, uint32_t node, perun_id labels, const char *source,
			bool flat)
{
	size_t count;
	struct box *boxes = find_boxes(dot, node, true, labels, &count);
	bool any = false;

	count = put_together(boxes, count, flat);
	for (size_t i = 0; i < count; i++) {
		const struct pprof_tag *tag = &boxes[i].tag;
		bool own = flat || flat_of(tag) == cumulative_of(tag);
		int64_t value = own ? flat_of(tag) : cumulative_of(tag);
		char *id = perun_format("N%s_%zu", source, i);

		if (value != 0)
			add_box(dot, id, source, boxes[i].name, value,
				own ? "" : " style=\"dotted\"");
		any |= value != 0;
		perun_free(id);
		perun_free(boxes[i].range);
	}
	perun_free(boxes);
	return any;
}

bool pprof_dot_tags(struct pprof_dot *dot, uint32_t node)
{
	size_t count, edges;
	struct box *boxes;
	bool flat, any = false;
	char *source;

	if (!dot->graph.tags)
		return false;
	/* Nodes without callees may have lost theirs: then what these had counts, too. */
	perun_free(pprof_sorted_edges(&dot->graph, node, false, &edges));
	flat = edges > 0;
	boxes = find_boxes(dot, node, false, 0, &count);
	sort_boxes(boxes, count, flat);
	source = perun_format("N%zu", dot->numbers[node]);
	for (size_t i = 0; i < count && i < MAX_TAGS; i++) {
		const struct pprof_tag *tag = &boxes[i].tag;
		int64_t value = flat ? flat_of(tag) : cumulative_of(tag);
		char *id = perun_format("%s_%zu", source, i);

		if (value != 0) {
			add_box(dot, id, source, boxes[i].name, value, "");
			add_numbers(dot, node, tag->labels, id, flat);
			any = true;
		}
		perun_free(id);
	}
	any |= add_numbers(dot, node, 0, source, flat);
	perun_free(source);
	perun_free(boxes);
	return any;
}
