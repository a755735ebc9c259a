/* SPDX-License-Identifier: BSD-3-Clause */
/* What is inlined, where few nodes are kept: all of their edges are counted in a matrix. */
#include <string.h>

#include "core/callgraph/inlining.h"
#include "core/context/context.h"

/* Of many stacks; a matrix of each thread takes 16 MB at most. Kept nodes have numbers of 15 bits. */
enum { MANY_STACKS = 65536, MAX_CELLS = 1 << 20, MAX_KEPT = (1 << 15) - 1 };

/* An edge: what it weighs, and the last stack that was counted (0: there is no such edge). */
struct cell {
	int64_t value;
	uint32_t stamp;
	uint32_t called; /* whether some stack has it uninlined, at its first place */
};

/*
 * A kept frame: twice the number of its node among those kept, and 1 if it is not the outermost of its location. As `inner`
 * LONG_LIST says that the frames of the location are to be searched.
 */
enum { NO_FRAME = UINT16_MAX, LONG_LIST = UINT16_MAX - 1 };
#define NODE_OF(frame) ((frame) >> 1)

/*
 * The kept frames of a location with two at most, so that stacks are read without a branch that is hard to foretell, and
 * from few bytes.
 */
struct short_list {
	uint16_t outer, inner;
};

struct matrix {
	const struct perun_inlining_search *search;
	uint32_t *numbers; /* of nodes: among those kept */
	uint32_t kept;
	/* By the number of a node: where its row begins. Nodes that are never inlined share the row 0, which is not read. */
	uint32_t *rows;
	uint32_t row_count;
	struct short_list *lists; /* of locations */
};

/* One thread's. */
struct matrix_part {
	const struct matrix *matrix;
	struct cell *cells;
	uint16_t *path; /* the kept frames of a stack */
	size_t room;    /* of it */
	uint32_t stamp;
};

struct matrix_parts {
	struct matrix_part *items;
	size_t count;
};

static void number_nodes(struct matrix *matrix)
{
	const struct perun_inlining_search *search = matrix->search;

	matrix->numbers = perun_alloc(((size_t)search->graph->count + 1) * sizeof(uint32_t));
	matrix->rows = perun_alloc_zero((size_t)search->graph->count + 1, sizeof(uint32_t));
	matrix->row_count = 1;
	for (uint32_t i = 0; i < search->graph->count; i++) {
		matrix->numbers[i] = perun_bit(search->keep, i) ? matrix->kept++ : NO_NODE;
		if (perun_bit(search->inlined, i))
			matrix->rows[matrix->numbers[i]] = matrix->row_count++;
	}
	for (uint32_t i = 0; i < matrix->kept; i++)
		matrix->rows[i] *= matrix->kept;
}

/* The kept frames of a location, outermost first, from the `count` at `frames`; returns how many. */
static size_t kept_frames(const struct matrix *matrix, const uint32_t *frames, uint32_t count,
			  uint16_t *kept)
{
	size_t number = 0;

	for (uint32_t k = count; k-- > 0;) {
		uint32_t node = perun_kept_node(matrix->search, frames[k]);

		if (node != NO_NODE)
			kept[number++] = (uint16_t)(matrix->numbers[node] * 2 + (k != count - 1));
	}
	return number;
}

static void list_frames(struct matrix *matrix)
{
	struct perun_frames *frames = matrix->search->frames;
	size_t locations = frames->stacks->location_count;

	matrix->lists = perun_alloc((locations + 1) * sizeof *matrix->lists);
	for (size_t i = 0; i < locations; i++) {
		struct short_list *list = &matrix->lists[i];
		uint16_t kept[2] = {NO_FRAME, NO_FRAME};
		uint32_t count;
		const uint32_t *of_location;

		*list = (struct short_list){NO_FRAME, NO_FRAME};
		if (frames->of_location[i] == FRAMES_UNKNOWN)
			continue;
		of_location = perun_frames_of(frames, (perun_id)i, &count);
		if (count > 2) {
			list->inner = LONG_LIST;
			continue;
		}
		kept_frames(matrix, of_location, count, kept);
		*list = (struct short_list){kept[0], kept[1]};
	}
}

/* Adds the frames of a location with many, and makes room for `left` locations more. */
static size_t add_long(struct matrix_part *part, perun_id location, size_t length, size_t left)
{
	const struct matrix *matrix = part->matrix;
	uint32_t count;
	const uint32_t *frames = perun_frames_of(matrix->search->frames, location, &count);

	part->room = length + count + 2 * left + 2;
	part->path = perun_realloc_array(part->path, part->room, sizeof *part->path);
	return length + kept_frames(matrix, frames, count, part->path + length);
}

/* The kept frames of a stack, outermost first. */
static size_t read_path(struct matrix_part *part, const perun_id *locations, size_t first,
			size_t end)
{
	const struct short_list *lists = part->matrix->lists;
	uint16_t *path;
	size_t length = 0;

	if (part->room < 2 * (end - first) + 2) {
		part->room = 4 * (end - first) + 2;
		part->path = perun_realloc_array(part->path, part->room, sizeof *part->path);
	}
	path = part->path;
	for (size_t i = end; i-- > first;) {
		struct short_list list = lists[locations[i]];

		if (list.inner == LONG_LIST) {
			length = add_long(part, locations[i], length, i - first);
			path = part->path;
			continue;
		}
		path[length] = list.outer;
		length += list.outer != NO_FRAME;
		path[length] = list.inner;
		length += list.inner != NO_FRAME;
	}
	return length;
}

static void count_path(struct matrix_part *part, size_t length, int64_t value)
{
	const uint32_t *rows = part->matrix->rows;
	const uint16_t *path = part->path;
	struct cell *cells = part->cells;
	uint32_t stamp = part->stamp;

	for (size_t i = 1; i < length; i++) {
		uint32_t callee = path[i], caller = path[i - 1];
		struct cell *cell = &cells[rows[NODE_OF(callee)] + NODE_OF(caller)];
		bool again = cell->stamp == stamp;

		cell->stamp = stamp;
		cell->value = (int64_t)((uint64_t)cell->value + (again ? 0 : (uint64_t)value));
		cell->called |= !again & !(callee & 1);
	}
}

static int count_part(struct perun_ctx *ctx, size_t number, void *data)
{
	const struct matrix_parts *parts = data;
	struct matrix_part *part = &parts->items[number];
	const struct perun_callgraph *graph = part->matrix->search->graph;
	const struct perun_stacks *stacks = graph->stacks;
	size_t count = stacks->stack_count, first, end;

	(void)ctx;
	for (size_t i = count * number / parts->count; i < count * (number + 1) / parts->count;
	     i++) {
		if (!perun_stacks_live(stacks, i, &first, &end))
			continue;
		part->stamp++;
		count_path(part,
			   read_path(part, perun_stacks_locations(stacks, (perun_id)i), first, end),
			   stacks->sums[i * graph->weights]);
	}
	return PERUN_OK;
}

static void join_cells(struct cell *to, const struct cell *more, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		to[i].value = (int64_t)((uint64_t)to[i].value + (uint64_t)more[i].value);
		to[i].stamp |= more[i].stamp;
		to[i].called |= more[i].called;
	}
}

/* The cells of all stacks. */
static struct cell *count_cells(const struct matrix *matrix)
{
	struct matrix_parts parts = {.count = perun_thread_count(8)};
	size_t cells = (size_t)matrix->row_count * matrix->kept;
	struct cell *all;

	parts.items = perun_alloc_zero(parts.count, sizeof *parts.items);
	for (size_t i = 0; i < parts.count; i++) {
		parts.items[i].matrix = matrix;
		parts.items[i].cells = perun_alloc_large_zero(cells, sizeof *all);
	}
	perun_parallel_for(NULL, parts.count, count_part, &parts);
	all = parts.items[0].cells;
	for (size_t i = 0; i < parts.count; i++) {
		if (i > 0) {
			join_cells(all, parts.items[i].cells, cells);
			perun_free(parts.items[i].cells);
		}
		perun_free(parts.items[i].path);
	}
	perun_free(parts.items);
	return all;
}

static uint8_t judge_row(const struct matrix *matrix, const struct cell *row, uint32_t number)
{
	bool inlined = false, called = false;

	for (uint32_t i = 0; i < matrix->kept; i++) {
		if (i == number || !row[i].stamp ||
		    perun_magnitude(row[i].value) < (uint64_t)matrix->search->least)
			continue;
		inlined |= !row[i].called;
		called |= row[i].called;
	}
	return perun_inlining_of(inlined, called);
}

static bool is_worthwhile(const struct perun_inlining_search *search)
{
	const struct perun_stacks *stacks = search->graph->stacks;
	uint64_t kept = 0, inlined = 0;

	for (uint32_t i = 0; i < search->graph->count; i++) {
		kept += perun_bit(search->keep, i);
		inlined += perun_bit(search->inlined, i);
	}
	return stacks->stack_count >= MANY_STACKS && !stacks->calls && kept <= MAX_KEPT &&
	       kept * (inlined + 1) <= MAX_CELLS;
}

bool perun_inlining_by_matrix(struct perun_inlining_search *search)
{
	struct matrix matrix = {.search = search};
	struct cell *cells;

	if (!is_worthwhile(search))
		return false;
	number_nodes(&matrix);
	list_frames(&matrix);
	cells = count_cells(&matrix);
	for (uint32_t i = 0; i < search->graph->count; i++) {
		uint32_t number = matrix.numbers[i];

		if (perun_bit(search->inlined, i))
			search->how[i] = judge_row(&matrix, cells + matrix.rows[number], number);
	}
	memset(search->inlined, 0, (search->graph->count / 64 + 1) * sizeof *search->inlined);
	perun_free(cells);
	perun_free(matrix.lists);
	perun_free(matrix.rows);
	perun_free(matrix.numbers);
	return true;
}
