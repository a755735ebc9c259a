/* SPDX-License-Identifier: BSD-3-Clause */
/* Where graphviz places boxes and arrows: what it is asked, and its plain answer. */
#include <config.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "commands/common/code/tool.h"
#include "graph.h"

/* Labels are the numbers of arrows, as wide as their amounts. */
static void describe(const struct drawing *drawing, struct perun_buffer *text)
{
	perun_buffer_add_text(text, "digraph{nslimit=2;nslimit1=2;mclimit=0.3;node[shape=box,"
				    "fixedsize=true,label=\"\"];"
				    "edge[fontsize=9,fontname=monospace];\n");
	for (size_t i = 0; i < drawing->box_count; i++)
		perun_buffer_printf(text, "n%zu[width=%.3f,height=%.3f]\n", i,
				    drawing->boxes[i].width / 72, drawing->boxes[i].height / 72);
	for (size_t i = 0; i < drawing->arrow_count; i++) {
		const struct arrow *arrow = &drawing->arrows[i];
		const struct perun_edge *edge = &drawing->edges[arrow->edge];

		perun_buffer_printf(text, "n%" PRIu32 "->n%" PRIu32 "[weight=%d,label=e%08zu]\n",
				    edge->caller, edge->callee, 1 + (int)(100 * arrow->share), i);
	}
	perun_buffer_add_text(text, "}\n");
}

/* The next word of a line of "dot -Tplain", which has no quotes in what we named. */
static const char *next_word(const char **line, size_t *length)
{
	const char *word = *line + strspn(*line, " ");

	*length = strcspn(word, " \n");
	*line = word + *length;
	return word;
}

/* A length in points; dot's are in inches. */
static double next_length(const char **line)
{
	size_t length;
	const char *word = next_word(line, &length);

	return length ? 72 * perun_strtod(word, NULL) : 0;
}

/* "n12", "e00000012": whether there is such an item. */
static bool next_number(const char **line, char letter, size_t limit, size_t *number)
{
	size_t length;
	const char *word = next_word(line, &length);

	if (length < 2 || *word != letter)
		return false;
	*number = strtoul(word + 1, NULL, 10);
	return *number < limit;
}

static void read_node(struct drawing *drawing, const char *line)
{
	size_t number;

	if (!next_number(&line, 'n', drawing->box_count, &number))
		return;
	drawing->boxes[number].x = next_length(&line);
	drawing->boxes[number].y = drawing->height - next_length(&line);
}

static void read_edge(struct drawing *drawing, const char *line)
{
	size_t number, length, count;
	const char *word, *start;

	if (!next_number(&line, 'n', drawing->box_count, &number) ||
	    !next_number(&line, 'n', drawing->box_count, &number))
		return;
	word = next_word(&line, &length);
	count = length ? strtoul(word, NULL, 10) : 0;
	start = line;
	for (size_t i = 0; i < 2 * count && *line; i++)
		next_word(&line, &length);
	if (!next_number(&line, 'e', drawing->arrow_count, &number) || count > 10000)
		return;
	drawing->arrows[number].x = next_length(&line);
	drawing->arrows[number].y = drawing->height - next_length(&line);
	drawing->arrows[number].count = 2 * count;
	drawing->arrows[number].points = perun_alloc_zero(2 * count + 1, sizeof(double));
	for (size_t i = 0; i < 2 * count; i += 2) {
		drawing->arrows[number].points[i] = next_length(&start);
		drawing->arrows[number].points[i + 1] = drawing->height - next_length(&start);
	}
}

static void read_plain(struct drawing *drawing, const char *text)
{
	for (const char *end; *text; text = *end ? end + 1 : end) {
		const char *line = text;
		size_t length;
		const char *word = next_word(&line, &length);

		end = text + strcspn(text, "\n");
		if (length == 5 && strncmp(word, "graph", 5) == 0) {
			next_word(&line, &length); /* the scale */
			drawing->width = next_length(&line);
			drawing->height = next_length(&line);
		} else if (length == 4 && strncmp(word, "node", 4) == 0) {
			read_node(drawing, line);
		} else if (length == 4 && strncmp(word, "edge", 4) == 0) {
			read_edge(drawing, line);
		}
	}
}

int serve_place_graph(struct serve_question *question, struct drawing *drawing)
{
	static const char *const arguments[] = {"dot", "-Tplain", NULL};
	struct perun_ctx *ctx = question->ctx;
	struct perun_buffer text = {0}, plain = {0};
	int status;

	describe(drawing, &text);
	status = tool_run(ctx, arguments, &text, &plain);
	if (status == PERUN_MISSING)
		status = perun_fail(ctx, status,
				    "the call graph needs the program dot of graphviz on the "
				    "server (Debian: apt install graphviz)");
	perun_buffer_add_char(&plain, '\0');
	if (!status)
		read_plain(drawing, plain.data);
	perun_buffer_free(&text);
	perun_buffer_free(&plain);
	return status;
}
