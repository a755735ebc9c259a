/* SPDX-License-Identifier: BSD-3-Clause */
/* The values of a metric: N.index has the nodes, N.data has a row of locations for each. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cube.h"
#include "formats/common/archive-members.h"

struct bytes {
	const unsigned char *data;
	size_t size;
	bool big; /* the most significant byte first */
};

static uint64_t unsigned_at(const struct bytes *bytes, size_t at, unsigned size)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < size; i++)
		value |= (uint64_t)bytes->data[at + i] << 8 * (bytes->big ? size - 1 - i : i);
	return value;
}

/* ---- the index ------------------------------------------------------------------------------- */

static int read_index(struct perun_ctx *ctx, const struct cube_member *member, struct bytes *bytes,
		      size_t *rows)
{
	*bytes = (struct bytes){member->data, member->size, false};
	if (member->size < 22 || memcmp(member->data, "CUBEX.INDEX", 11) != 0)
		return perun_fail(ctx, PERUN_INPUT, "%s: expected CUBEX.INDEX at its start",
				  member->name);
	bytes->big = unsigned_at(bytes, 11, 4) != 1;
	*rows = unsigned_at(bytes, 18, 4);
	if (*rows == 0 || member->size != 22 + *rows * 4)
		return perun_fail(ctx, PERUN_INPUT, "%s: %zu bytes, but its %zu entries need %zu",
				  member->name, member->size, *rows, 22 + *rows * 4);
	return PERUN_OK;
}

/* Number what is below the nodes on the stack; the next number. */
static uint32_t number_below(const struct cube_anchor *anchor, uint32_t *stack, size_t depth,
			     uint32_t *node_of, uint32_t next)
{
	while (depth) {
		uint32_t node = stack[--depth];
		size_t first = depth;

		for (uint32_t child = anchor->nodes[node].first_child; child != UINT32_MAX;
		     child = anchor->nodes[child].next_sibling) {
			node_of[next++] = child;
			stack[depth++] = child;
		}
		/* The first child is descended into first. */
		for (size_t i = first, k = depth; i + 1 < k; i++) {
			uint32_t other = stack[--k];

			stack[k] = stack[i];
			stack[i] = other;
		}
	}
	return next;
}

/*
 * The node of each position of the index of an inclusive metric: it numbers all children of a node, then
 * descends into each. Exclusive ones number the tree in the order of a walk.
 */
static const uint32_t *wide_order(struct cube_anchor *anchor)
{
	uint32_t *stack, next = 0;

	if (anchor->wide_order)
		return anchor->wide_order;
	anchor->wide_order = perun_alloc_zero(anchor->node_count, sizeof *anchor->wide_order);
	stack = perun_alloc_zero(anchor->node_count + 1, sizeof *stack);
	for (uint32_t root = 0; root < anchor->node_count; root++) {
		if (anchor->nodes[root].parent != UINT32_MAX)
			continue;
		anchor->wide_order[next++] = root;
		stack[0] = root;
		next = number_below(anchor, stack, 1, anchor->wide_order, next);
	}
	perun_free(stack);
	return anchor->wide_order;
}

/* After the last node below each one; nodes are in the order of a walk. */
static const uint32_t *subtree_ends(struct cube_anchor *anchor)
{
	if (anchor->ends)
		return anchor->ends;
	anchor->ends = perun_alloc_zero(anchor->node_count, sizeof *anchor->ends);
	for (uint32_t i = (uint32_t)anchor->node_count; i-- > 0;) {
		uint32_t parent = anchor->nodes[i].parent;

		if (anchor->ends[i] == 0)
			anchor->ends[i] = i + 1;
		if (parent != UINT32_MAX && anchor->ends[parent] < anchor->ends[i])
			anchor->ends[parent] = anchor->ends[i];
	}
	return anchor->ends;
}

/* ---- the data -------------------------------------------------------------------------------- */

/* "ZCUBEX.DATA", the number of pieces, for each its places and size, then the pieces. */
static int unpack(struct perun_ctx *ctx, struct cube_archive *archive,
		  const struct cube_member *member, bool big, size_t wanted, unsigned char **out)
{
	struct bytes bytes = {member->data, member->size, big};
	size_t at, filled = 0;
	uint64_t pieces;
	int status;

	*out = NULL;
	if (member->size < 19)
		return perun_fail(ctx, PERUN_INPUT, "%s: cut short", member->name);
	pieces = unsigned_at(&bytes, 11, 8);
	if (pieces > (member->size - 19) / 24)
		return perun_fail(ctx, PERUN_INPUT, "%s: cut short in its table of %llu pieces",
				  member->name, (unsigned long long)pieces);
	at = 19 + pieces * 24;
	status = formats_archive_take(ctx, &archive->left, wanted);
	if (status)
		return status;
	*out = perun_alloc(wanted ? wanted : 1);
	for (size_t i = 0; i < pieces; i++) {
		uint64_t packed = unsigned_at(&bytes, 19 + i * 24 + 16, 8);
		unsigned char *piece;
		size_t length;

		if (packed == 0)
			continue;
		if (packed > member->size - at) {
			perun_free(*out);
			*out = NULL;
			return perun_fail(ctx, PERUN_INPUT, "%s: cut short in piece %zu",
					  member->name, i + 1);
		}
		status = cube_inflate(ctx, member->name, member->data + at, packed, false,
				      wanted - filled, &piece, &length);
		if (status) {
			perun_free(*out);
			*out = NULL;
			return status;
		}
		memcpy(*out + filled, piece, length);
		perun_free(piece);
		filled += length;
		at += packed;
	}
	if (filled == wanted)
		return PERUN_OK;
	perun_free(*out);
	*out = NULL;
	return perun_fail(ctx, PERUN_INPUT, "%s: %zu bytes of values, expected %zu", member->name,
			  filled, wanted);
}

/* long double holds all integers of 64 bits where doubles do not. */
static long double value_at(const struct bytes *bytes, size_t at, const struct cube_metric *metric)
{
	uint64_t raw = unsigned_at(bytes, at, metric->size);
	double real;

	switch (metric->number) {
	case CUBE_UNSIGNED:
		/* Large values are the traces of a subtraction below 0. */
		return metric->size == 8 && raw > 0xFFFFFFFFFFFFFBFFu ? 0 : (long double)raw;
	case CUBE_SIGNED:
		if (metric->size < 8 && raw >> (8 * metric->size - 1))
			raw |= ~(uint64_t)0 << 8 * metric->size;
		return (long double)(int64_t)raw;
	default:
		memcpy(&real, &raw, sizeof real);
		return real;
	}
}

static double finish(long double value, const struct cube_metric *metric)
{
	if (metric->number == CUBE_UNSIGNED && value < 0)
		return 0;
	if (metric->number == CUBE_SIGNED)
		value = value > (long double)INT64_MAX   ? (long double)INT64_MAX
			: value < (long double)INT64_MIN ? (long double)INT64_MIN
							 : value;
	return (double)value;
}

/* A row of the data: which node it is of, and where its values are. */
struct row {
	uint32_t node, place;
};

static int compare_rows(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->node != y->node)
		return x->node < y->node ? -1 : 1;
	return x->place < y->place ? -1 : x->place > y->place;
}

/* Rows by their nodes; of two of a node the last counts. Returns how many are left. */
static size_t sort_rows(struct row *rows, size_t count)
{
	size_t kept = 0;

	qsort(rows, count, sizeof *rows, compare_rows);
	for (size_t i = 0; i < count; i++)
		if (i + 1 == count || rows[i + 1].node != rows[i].node)
			rows[kept++] = rows[i];
	return kept;
}

/* Add the values of a node to those above it, or take away what a child has of its parent's. */
struct combining {
	const struct cube_anchor *anchor;
	const struct row *rows;
	long double *raw; /* as stored */
	long double *sums;
	bool inclusive; /* asked for, but stored exclusively; or the other way round */
};

static void pass_up(const struct combining *combining, size_t from, size_t to)
{
	size_t n = combining->anchor->locations;
	const long double *values = combining->inclusive
					    ? combining->sums + from * n
					    : combining->raw + combining->rows[from].place * n;
	uint32_t parent = combining->anchor->nodes[combining->rows[from].node].parent;

	if (!combining->inclusive && parent != combining->rows[to].node)
		return;
	for (size_t k = 0; k < n; k++)
		combining->sums[to * n + k] += combining->inclusive ? values[k] : -values[k];
}

/*
 * A walk over the nodes that have values, with those on the way to the root on a stack. A node that is
 * left is complete: all below it was added to it.
 */
static void combine(const struct combining *combining, const uint32_t *ends, size_t count)
{
	size_t *open = perun_alloc_zero(count + 1, sizeof *open), depth = 0;

	for (size_t i = 0; i <= count; i++) {
		while (depth && (i == count || ends[combining->rows[open[depth - 1]].node] <=
						       combining->rows[i].node)) {
			depth--;
			if (depth)
				pass_up(combining, open[depth], open[depth - 1]);
		}
		open[depth++] = i;
	}
	perun_free(open);
}

/* Values as they are stored become the ones asked for, by what the children have. */
static void finish_rows(struct cube_anchor *anchor, const struct cube_metric *metric,
			bool inclusive, const struct row *rows, long double *raw,
			struct cube_values *values)
{
	size_t n = anchor->locations;
	bool additive = metric->number != CUBE_MINIMUM && metric->number != CUBE_MAXIMUM;
	struct combining combining = {anchor, rows, raw,
				      perun_alloc_zero(values->count * n, sizeof(long double)),
				      inclusive};

	for (size_t i = 0; i < values->count; i++)
		memcpy(combining.sums + i * n, raw + rows[i].place * n, n * sizeof *raw);
	if (additive && metric->inclusive != inclusive)
		combine(&combining, subtree_ends(anchor), values->count);
	values->nodes = perun_alloc_zero(values->count, sizeof *values->nodes);
	values->numbers = perun_alloc_zero(values->count * n, sizeof *values->numbers);
	for (size_t i = 0; i < values->count; i++)
		values->nodes[i] = rows[i].node;
	for (size_t i = 0; i < values->count * n; i++)
		values->numbers[i] = finish(combining.sums[i], metric);
	perun_free(combining.sums);
}

/* The bytes of all values; `*unpacked` is to be freed. */
static int open_data(struct perun_ctx *ctx, struct cube_archive *archive,
		     const struct cube_metric *metric, bool big, size_t wanted, struct bytes *bytes,
		     unsigned char **unpacked)
{
	char name[40];
	const struct cube_member *member;

	snprintf(name, sizeof name, "%ld.data", metric->id);
	member = cube_find(archive, name);
	if (!member)
		return perun_fail(ctx, PERUN_INPUT, "there is no %s in it", name);
	*bytes = (struct bytes){.size = wanted, .big = big};
	if (member->size >= 11 && memcmp(member->data, "ZCUBEX.DATA", 11) == 0) {
		int status = unpack(ctx, archive, member, big, wanted, unpacked);

		bytes->data = *unpacked;
		return status;
	}
	bytes->data = member->data + 10;
	if (member->size == 10 + wanted && memcmp(member->data, "CUBEX.DATA", 10) == 0)
		return PERUN_OK;
	return perun_fail(ctx, PERUN_INPUT,
			  "%s: expected CUBEX.DATA or ZCUBEX.DATA and %zu bytes of values, "
			  "found %zu bytes",
			  name, wanted, member->size);
}

static int read_rows(struct perun_ctx *ctx, struct cube_anchor *anchor,
		     const struct cube_metric *metric, const struct bytes *index, struct row *rows,
		     size_t count)
{
	const uint32_t *order = metric->inclusive ? wide_order(anchor) : NULL;

	for (size_t i = 0; i < count; i++) {
		uint64_t position = unsigned_at(index, 22 + i * 4, 4);

		if (position >= anchor->node_count)
			return perun_fail(
				ctx, PERUN_INPUT, "the index of metric %s names node %llu of %zu",
				metric->name, (unsigned long long)position, anchor->node_count);
		rows[i] = (struct row){order ? order[position] : (uint32_t)position, (uint32_t)i};
	}
	return PERUN_OK;
}

int cube_read_values(struct perun_ctx *ctx, struct cube_archive *archive,
		     struct cube_anchor *anchor, const struct cube_metric *metric, bool inclusive,
		     struct cube_values *values)
{
	const struct cube_member *member;
	struct bytes index, data = {0};
	unsigned char *unpacked = NULL;
	size_t count = 0, n = anchor->locations;
	long double *raw = NULL;
	struct row *rows;
	char name[40];
	int status;

	*values = (struct cube_values){0};
	snprintf(name, sizeof name, "%ld.index", metric->id);
	member = cube_find(archive, name);
	if (!member)
		return PERUN_OK;
	status = read_index(ctx, member, &index, &count);
	if (!status)
		status = open_data(ctx, archive, metric, index.big, count * n * metric->size, &data,
				   &unpacked);
	rows = perun_alloc_zero(status ? 0 : count, sizeof *rows);
	if (!status)
		status = read_rows(ctx, anchor, metric, &index, rows, count);
	if (!status) {
		raw = perun_alloc_zero(count * n, sizeof *raw);
		for (size_t i = 0; i < count * n; i++)
			raw[i] = value_at(&data, i * metric->size, metric);
		values->count = sort_rows(rows, count);
		finish_rows(anchor, metric, inclusive, rows, raw, values);
	}
	perun_free(unpacked);
	perun_free(raw);
	perun_free(rows);
	return status;
}
