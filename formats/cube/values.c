/* SPDX-License-Identifier: BSD-3-Clause */
/* The values of a metric: N.index tells the nodes, N.data has a row of locations for each. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cube.h"

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
 * The node of each position of the index. Exclusive metrics number the tree in the order of a walk;
 * inclusive ones number all children of a node, then descend into each.
 */
static void number_nodes(const struct cube_anchor *anchor, bool wide, uint32_t *node_of)
{
	uint32_t *stack, next = 0;

	if (!wide) {
		for (uint32_t i = 0; i < anchor->node_count; i++)
			node_of[i] = i;
		return;
	}
	stack = perun_alloc_zero(anchor->node_count + 1, sizeof *stack);
	for (uint32_t root = 0; root < anchor->node_count; root++) {
		if (anchor->nodes[root].parent != UINT32_MAX)
			continue;
		node_of[next++] = root;
		stack[0] = root;
		next = number_below(anchor, stack, 1, node_of, next);
	}
	perun_free(stack);
}

/* ---- the data -------------------------------------------------------------------------------- */

/* "ZCUBEX.DATA", the number of pieces, for each its places and size, then the pieces. */
static int unpack(struct perun_ctx *ctx, const struct cube_member *member, bool big, size_t wanted,
		  unsigned char **out)
{
	struct bytes bytes = {member->data, member->size, big};
	size_t at, filled = 0;
	uint64_t pieces;

	*out = NULL;
	if (member->size < 19)
		return perun_fail(ctx, PERUN_INPUT, "%s: cut short", member->name);
	pieces = unsigned_at(&bytes, 11, 8);
	if (pieces > (member->size - 19) / 24)
		return perun_fail(ctx, PERUN_INPUT, "%s: cut short in its table of %llu pieces",
				  member->name, (unsigned long long)pieces);
	at = 19 + pieces * 24;
	*out = perun_alloc(wanted ? wanted : 1);
	for (size_t i = 0; i < pieces; i++) {
		uint64_t packed = unsigned_at(&bytes, 19 + i * 24 + 16, 8);
		unsigned char *piece;
		size_t length;
		int status;

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

/* Values as they are stored become the ones asked for, by what the children have. */
static void combine(const struct cube_anchor *anchor, const struct cube_metric *metric,
		    bool inclusive, long double *raw, double *values)
{
	size_t n = anchor->locations;
	bool additive = metric->number != CUBE_MINIMUM && metric->number != CUBE_MAXIMUM;
	long double *sums = perun_alloc_zero(n, sizeof *sums);

	/* Children stand behind their parents: from the end, they are summed before. */
	for (size_t i = anchor->node_count; i-- > 0;) {
		const struct cube_node *node = &anchor->nodes[i];
		bool gather = additive && metric->inclusive != inclusive;

		memcpy(sums, raw + i * n, n * sizeof *sums);
		for (uint32_t child = node->first_child; gather && child != UINT32_MAX;
		     child = anchor->nodes[child].next_sibling)
			for (size_t k = 0; k < n; k++)
				sums[k] += inclusive ? raw[child * n + k] : -raw[child * n + k];
		for (size_t k = 0; k < n; k++)
			values[i * n + k] = finish(sums[k], metric);
		if (gather && inclusive)
			memcpy(raw + i * n, sums, n * sizeof *sums);
	}
	perun_free(sums);
}

static int read_rows(struct perun_ctx *ctx, const struct cube_archive *archive,
		     const struct cube_anchor *anchor, const struct cube_metric *metric,
		     const struct bytes *index, size_t rows, const uint32_t *node_of,
		     long double *raw, bool *present)
{
	char name[40];
	const struct cube_member *member;
	size_t n = anchor->locations, wanted = rows * n * metric->size;
	struct bytes bytes = {.big = index->big};
	unsigned char *unpacked = NULL;

	snprintf(name, sizeof name, "%ld.data", metric->id);
	member = cube_find(archive, name);
	if (!member)
		return perun_fail(ctx, PERUN_INPUT, "there is no %s in it", name);
	if (member->size >= 11 && memcmp(member->data, "ZCUBEX.DATA", 11) == 0) {
		int status = unpack(ctx, member, index->big, wanted, &unpacked);

		if (status)
			return status;
		bytes.data = unpacked;
	} else if (member->size == 10 + wanted && memcmp(member->data, "CUBEX.DATA", 10) == 0) {
		bytes.data = member->data + 10;
	} else {
		return perun_fail(ctx, PERUN_INPUT,
				  "%s: expected CUBEX.DATA or ZCUBEX.DATA and %zu bytes of values, "
				  "found %zu bytes",
				  name, wanted, member->size);
	}
	for (size_t i = 0; i < rows; i++) {
		uint64_t position = unsigned_at(index, 22 + i * 4, 4);

		if (position >= anchor->node_count) {
			perun_free(unpacked);
			return perun_fail(
				ctx, PERUN_INPUT, "the index of metric %s names node %llu of %zu",
				metric->name, (unsigned long long)position, anchor->node_count);
		}
		present[node_of[position]] = true;
		for (size_t k = 0; k < n; k++)
			raw[node_of[position] * n + k] =
				value_at(&bytes, (i * n + k) * metric->size, metric);
	}
	perun_free(unpacked);
	return PERUN_OK;
}

int cube_read_values(struct perun_ctx *ctx, const struct cube_archive *archive,
		     const struct cube_anchor *anchor, const struct cube_metric *metric,
		     bool inclusive, double **values, bool **present)
{
	const struct cube_member *member;
	struct bytes index;
	size_t rows = 0, cells = anchor->node_count * anchor->locations;
	uint32_t *node_of;
	long double *raw;
	char name[40];
	int status;

	*values = NULL;
	*present = NULL;
	snprintf(name, sizeof name, "%ld.index", metric->id);
	member = cube_find(archive, name);
	if (!member)
		return PERUN_OK;
	status = read_index(ctx, member, &index, &rows);
	if (status)
		return status;
	if (anchor->locations > ((size_t)1 << 28) / anchor->node_count)
		return perun_fail(ctx, PERUN_INPUT, "%zu nodes times %zu locations are too many",
				  anchor->node_count, anchor->locations);
	node_of = perun_alloc_zero(anchor->node_count, sizeof *node_of);
	raw = perun_alloc_zero(cells, sizeof *raw);
	*present = perun_alloc_zero(anchor->node_count, sizeof **present);
	number_nodes(anchor, metric->inclusive, node_of);
	status = read_rows(ctx, archive, anchor, metric, &index, rows, node_of, raw, *present);
	if (!status) {
		*values = perun_alloc_zero(cells, sizeof **values);
		combine(anchor, metric, inclusive, raw, *values);
	}
	perun_free(node_of);
	perun_free(raw);
	if (status) {
		perun_free(*present);
		*present = NULL;
	}
	return status;
}
