/* SPDX-License-Identifier: BSD-3-Clause */
/* The call graph of a question: its heaviest functions, placed by graphviz, drawn by the page. */
#include <config.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "graph.h"
#include "views/common/rows.h"

enum {
	MAX_NODES = 80,
	MAX_EDGES = 160, /* dot takes a third of a second for these, 20 seconds for 400 */
	LINE = 36,       /* characters of a name in a line of its box */
	AMOUNTS = 22     /* characters of the lines with amounts */
};
/* Of the total: what is less is left out. */
static const double node_share = 0.005, edge_share = 0.001;
/* Letters of a box are as large as its own value, in points. */
static const double smallest_letter = 10, largest_letter = 24, letter_width = 0.62,
		    line_height = 1.25;

/* ---- what is shown ------------------------------------------------------------------------------ */

static double weight_of(const struct serve_question *question, const int64_t *values,
			const int64_t *base, size_t i)
{
	double weight = fabs((double)((long double)values[i] * question->data.scale));
	double other = base ? fabs((double)((long double)base[i] * question->pair->scale)) : 0;

	return weight > other ? weight : other;
}

static double whole_of(const struct serve_question *question)
{
	long double base = question->pair ? question->pair->total : 0;

	return (double)(question->data.left > base ? question->data.left : base);
}

struct weight {
	double value;
	uint32_t item;
};

static int heaviest_first(const void *one, const void *other)
{
	const struct weight *a = one, *b = other;

	if (a->value != b->value)
		return a->value < b->value ? 1 : -1;
	return (a->item > b->item) - (a->item < b->item);
}

/* The heaviest of `count` items of which none is below the share; the caller frees them. */
static struct weight *heaviest(const struct serve_question *question, const int64_t *values,
			       const int64_t *base, size_t count, double share, size_t most,
			       size_t *left)
{
	struct weight *list = perun_alloc_zero(count + 1, sizeof *list);
	double least = share * whole_of(question);

	*left = 0;
	for (size_t i = 0; i < count; i++) {
		double value = weight_of(question, values, base, i);

		if (value > 0 && value >= least)
			list[(*left)++] = (struct weight){value, (uint32_t)i};
	}
	if (*left)
		qsort(list, *left, sizeof *list, heaviest_first);
	if (*left > most)
		*left = most;
	return list;
}

/* The graph of the nodes that are shown. */
static int choose_nodes(const struct serve_question *question, struct drawing *drawing)
{
	struct perun_callgraph *whole = NULL;
	size_t count, left;
	int status = views_graph(&question->data, true, &whole);

	if (!status) {
		const int64_t *base = question->pair ? perun_callgraph_cumulative(whole, 1) : NULL;
		struct weight *nodes;
		uint64_t *keep;

		perun_callgraph_nodes(whole, &count);
		nodes = heaviest(question, perun_callgraph_cumulative(whole, 0), base, count,
				 node_share, MAX_NODES, &left);
		keep = perun_selection_new(count, false);
		for (size_t i = 0; i < left; i++)
			keep[nodes[i].item / 64] |= (uint64_t)1 << (nodes[i].item % 64);
		status = perun_callgraph_keep(question->ctx, whole, keep, true, &drawing->graph);
		perun_free(keep);
		perun_free(nodes);
	}
	perun_callgraph_free(whole);
	return status;
}

/* ---- boxes -------------------------------------------------------------------------------------- */

/* How much of the name goes to a line: up to the last "::", "." or "/" that fits. */
static size_t line_length(const char *name)
{
	size_t best = 0, length = 0;

	for (const char *at = name; *at && length < LINE; at++) {
		length += ((unsigned char)*at & 0xC0) != 0x80;
		if (strchr(":./", *at) && at[1] && at[1] != ':')
			best = (size_t)(at - name) + 1;
		if (length == LINE)
			return best > LINE / 3 ? best : (size_t)(at - name) + 1;
	}
	return strlen(name);
}

static size_t letters_of(const char *text)
{
	size_t count = 0;

	for (; *text; text++)
		count += ((unsigned char)*text & 0xC0) != 0x80;
	return count;
}

static void name_box(struct box *box, const char *name)
{
	while (*name && box->line_count < GRAPH_LINES) {
		size_t length = line_length(name);

		/* Not within a character. */
		while (((unsigned char)name[length] & 0xC0) == 0x80)
			length++;
		if (box->line_count == GRAPH_LINES - 1 && name[length])
			box->lines[box->line_count++] = perun_format("%.*s…", (int)length, name);
		else
			box->lines[box->line_count++] = perun_strndup(name, length);
		name += length;
	}
}

static void make_boxes(const struct serve_question *question, struct drawing *drawing)
{
	const int64_t *flat = perun_callgraph_flat(drawing->graph, 0);
	const int64_t *base = question->pair ? perun_callgraph_flat(drawing->graph, 1) : NULL;
	struct perun_buffer name = {0};
	double most = 0;

	drawing->frames = perun_callgraph_nodes(drawing->graph, &drawing->box_count);
	drawing->boxes = perun_alloc_zero(drawing->box_count + 1, sizeof *drawing->boxes);
	for (size_t i = 0; i < drawing->box_count; i++)
		most = fmax(most, weight_of(question, flat, base, i));
	for (size_t i = 0; i < drawing->box_count; i++) {
		struct box *box = &drawing->boxes[i];
		double share = most > 0 ? weight_of(question, flat, base, i) / most : 0;
		size_t longest = AMOUNTS;

		perun_buffer_clear(&name);
		perun_frame_name(question->data.profile, &drawing->frames[i], &name);
		name_box(box, name.length ? name.data : "");
		for (size_t k = 0; k < box->line_count; k++) {
			size_t letters = letters_of(box->lines[k]);

			longest = letters > longest ? letters : longest;
		}
		box->letter = smallest_letter + (largest_letter - smallest_letter) * sqrt(share);
		box->width = box->letter * (letter_width * (double)longest + 1);
		box->height = box->letter * line_height * ((double)box->line_count + 2.5);
	}
	perun_buffer_free(&name);
}

/* ---- arrows ------------------------------------------------------------------------------------- */

static void make_arrows(const struct serve_question *question, struct drawing *drawing)
{
	const int64_t *values = perun_callgraph_edge_values(drawing->graph, 0);
	const int64_t *base =
		question->pair ? perun_callgraph_edge_values(drawing->graph, 1) : NULL;
	size_t count;
	struct weight *edges;

	drawing->edges = perun_callgraph_edges(drawing->graph, &count);
	edges = heaviest(question, values, base, count, edge_share, MAX_EDGES,
			 &drawing->arrow_count);
	drawing->arrows = perun_alloc_zero(drawing->arrow_count + 1, sizeof *drawing->arrows);
	for (size_t i = 0; i < drawing->arrow_count; i++)
		drawing->arrows[i] = (struct arrow){.edge = edges[i].item,
						    .share = edges[i].value / whole_of(question)};
	perun_free(edges);
}

/* ---- the answer --------------------------------------------------------------------------------- */

static void write_amount(const struct serve_question *question, const struct drawing *drawing,
			 struct perun_json_writer *writer, const char *key, const char *base_key,
			 const int64_t *(*values)(const struct perun_callgraph *, size_t), size_t i)
{
	serve_write_number(writer, key,
			   (long double)values(drawing->graph, 0)[i] * question->data.scale);
	if (question->pair)
		serve_write_number(writer, base_key,
				   (long double)values(drawing->graph, 1)[i] *
					   question->pair->scale);
}

static void write_box(const struct serve_question *question, const struct drawing *drawing,
		      size_t i, struct perun_json_writer *writer)
{
	const struct box *box = &drawing->boxes[i];
	struct perun_buffer name = {0};

	perun_frame_name(question->data.profile, &drawing->frames[i], &name);
	perun_json_write_object_start(writer);
	serve_write_pair(writer, "name", name.length ? name.data : "");
	perun_json_write_key_text(writer, "lines");
	perun_json_write_array_start(writer);
	for (size_t k = 0; k < box->line_count; k++)
		perun_json_write_text(writer, box->lines[k]);
	perun_json_write_array_end(writer);
	perun_json_write_key_text(writer, "file");
	serve_write_string(writer, question->data.profile, drawing->frames[i].file);
	write_amount(question, drawing, writer, "self", "base_self", perun_callgraph_flat, i);
	write_amount(question, drawing, writer, "total", "base_total", perun_callgraph_cumulative,
		     i);
	serve_write_number(writer, "letter", box->letter);
	serve_write_number(writer, "x", box->x);
	serve_write_number(writer, "y", box->y);
	serve_write_number(writer, "width", box->width);
	serve_write_number(writer, "height", box->height);
	perun_json_write_object_end(writer);
	perun_buffer_free(&name);
}

static void write_arrow(const struct serve_question *question, const struct drawing *drawing,
			const struct arrow *arrow, struct perun_json_writer *writer)
{
	const struct perun_edge *edge = &drawing->edges[arrow->edge];

	perun_json_write_object_start(writer);
	serve_write_number(writer, "from", edge->caller);
	serve_write_number(writer, "to", edge->callee);
	perun_json_write_key_text(writer, "residual");
	perun_json_write_bool(writer, edge->residual);
	write_amount(question, drawing, writer, "value", "base", perun_callgraph_edge_values,
		     arrow->edge);
	perun_json_write_key_text(writer, "points");
	perun_json_write_array_start(writer);
	for (size_t i = 0; i < arrow->count; i++)
		perun_json_write_double(writer, arrow->points[i]);
	perun_json_write_array_end(writer);
	serve_write_number(writer, "x", arrow->x);
	serve_write_number(writer, "y", arrow->y);
	perun_json_write_object_end(writer);
}

static void write_drawing(const struct serve_question *question, const struct drawing *drawing,
			  struct perun_json_writer *writer)
{
	serve_write_sum(question, writer);
	serve_write_number(writer, "width", drawing->width);
	serve_write_number(writer, "height", drawing->height);
	perun_json_write_key_text(writer, "nodes");
	perun_json_write_array_start(writer);
	for (size_t i = 0; i < drawing->box_count; i++)
		write_box(question, drawing, i, writer);
	perun_json_write_array_end(writer);
	perun_json_write_key_text(writer, "edges");
	perun_json_write_array_start(writer);
	for (size_t i = 0; i < drawing->arrow_count; i++)
		write_arrow(question, drawing, &drawing->arrows[i], writer);
	perun_json_write_array_end(writer);
}

static void clear(struct drawing *drawing)
{
	for (size_t i = 0; i < drawing->box_count; i++) {
		for (size_t k = 0; k < drawing->boxes[i].line_count; k++)
			perun_free(drawing->boxes[i].lines[k]);
	}
	for (size_t i = 0; i < drawing->arrow_count; i++)
		perun_free(drawing->arrows[i].points);
	perun_free(drawing->boxes);
	perun_free(drawing->arrows);
	perun_callgraph_free(drawing->graph);
}

int serve_write_graph(struct serve_question *question, struct perun_json_writer *writer)
{
	struct drawing drawing = {0};
	int status;

	if (!question->data.stacks)
		return perun_fail(question->ctx, PERUN_USAGE, "%s has no stacks: see the table",
				  question->title);
	status = choose_nodes(question, &drawing);
	if (!status) {
		make_boxes(question, &drawing);
		make_arrows(question, &drawing);
		status = serve_place_graph(question, &drawing);
	}
	if (!status)
		write_drawing(question, &drawing, writer);
	clear(&drawing);
	return status;
}
