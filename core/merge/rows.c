/* SPDX-License-Identifier: BSD-3-Clause */
/* The rows of a merged profile: found by stack and labels, summed; of large inputs by a thread. */
#include <string.h>

#include "core/context/context.h"
#include "core/merge/merge.h"
#include "core/context/hash.h"
#include "core/profile/model.h"

/* ---- finding ----------------------------------------------------------------------------------- */

/*
 * Where a row is looked for. First beside the row of the stack before, as stacks are met in their order;
 * then anywhere.
 */
static size_t slot_of(const struct perun_merger *merger, perun_id stack, perun_id labels,
		      unsigned attempt)
{
	uint64_t key = (uint64_t)stack << 32 | labels;

	if (attempt == 0)
		return (stack + (size_t)(labels + 1) * 0x9e3779b9u) & merger->slot_mask;
	return (size_t)perun_hash_word(key, perun_hash_secret + attempt) & merger->slot_mask;
}

/* Slots for this many rows, so that at most two thirds of them are in use. */
static void make_slots(struct perun_merger *merger, size_t rows)
{
	size_t now = merger->slots ? merger->slot_mask + 1 : 0, count = now ? now : 1024;

	while (rows * 3 > count * 2)
		count *= 2;
	if (count == now)
		return;
	perun_free(merger->slots);
	merger->slots = perun_alloc_large_zero(count, sizeof *merger->slots);
	merger->slot_mask = count - 1;
	for (size_t row = 0; row < merger->count; row++) {
		unsigned attempt = 0;
		size_t slot;

		do {
			slot = slot_of(merger, merger->stacks[row], merger->labels[row], attempt++);
		} while (merger->slots[slot]);
		merger->slots[slot] = (uint32_t)row + 1;
	}
}

static void *move_rows(void *from, size_t count, size_t room, size_t size)
{
	void *to = perun_alloc_large(room * size);

	if (count)
		memcpy(to, from, count * size);
	perun_free(from);
	return to;
}

static void make_rows(struct perun_merger *merger, size_t room)
{
	size_t count = merger->room, size = merger->plan->count * sizeof *merger->values;

	if (count > merger->count)
		count = merger->count;
	merger->room = room;
	merger->stacks = move_rows(merger->stacks, count, room, sizeof *merger->stacks);
	merger->labels = move_rows(merger->labels, count, room, sizeof *merger->labels);
	merger->values = move_rows(merger->values, count, room, size);
}

/* Before an input comes: most often most of its rows are new. */
void perun_merge_reserve_rows(struct perun_merger *merger, const struct perun_profile *profile,
			      bool sparse)
{
	size_t rows = merger->count + perun_table_rows(perun_resources(profile));

	if (!sparse && rows > merger->room)
		make_rows(merger, rows);
	if (!sparse)
		make_slots(merger, rows);
	perun_pools_reserve_stacks(&merger->builder->pools, perun_profile_stacks(profile));
}

/* A row; its values are not set. */
static union perun_merged_value *begin_row(struct perun_merger *merger, perun_id stack,
					   perun_id labels)
{
	size_t row = merger->count++;

	if (row == merger->room)
		make_rows(merger, merger->room ? merger->room * 2 : 16);
	merger->stacks[row] = stack;
	merger->labels[row] = labels;
	return merger->values + row * merger->plan->count;
}

/*
 * A row with these values. They are written and not added to 0: to read back what was written a moment ago
 * can mean to wait for memory.
 */
static void add_row(struct perun_merger *merger, perun_id stack, perun_id labels,
		    const union perun_merged_value *values)
{
	const struct perun_merge_plan *plan = merger->plan;
	union perun_merged_value *sums = begin_row(merger, stack, labels);

	for (size_t i = 0; i < plan->count; i++) {
		if (plan->types[i].real)
			sums[i].real = values[i].real + 0.0; /* not -0 */
		else
			sums[i].number = values[i].number;
	}
}

/* The row of a stack with labels and true, or where it belongs in the table of slots. */
static bool find_row(struct perun_merger *merger, perun_id stack, perun_id labels, size_t *place)
{
	unsigned attempt = 0;

	make_slots(merger, merger->count + 1);
	while (*place = slot_of(merger, stack, labels, attempt++), merger->slots[*place]) {
		size_t row = merger->slots[*place] - 1;

		if (merger->stacks[row] == stack && merger->labels[row] == labels) {
			*place = row;
			return true;
		}
	}
	return false;
}

/* ---- writing ----------------------------------------------------------------------------------- */

/* One block is filled while the others are written. A thread pays off from this many samples on. */
enum { BLOCKS = 4, MANY_SAMPLES = 65536 };

struct perun_row_writer {
	struct perun_merger *merger;
	bool sparse;
	struct perun_row_block blocks[BLOCKS];
	size_t filled; /* so far */
	size_t wrong;  /* the first metric whose sum left 64 bits, or how many there are */
	struct perun_worker *worker; /* NULL: few samples */
};

/* Whether the sum leaves 64 bits, which pprof's wraps around. */
static inline bool add_value(const struct perun_merge_plan *plan, size_t type,
			     union perun_merged_value *sum, const union perun_merged_value *value)
{
	if (!plan->types[type].real)
		return __builtin_add_overflow(sum->number, value->number, &sum->number);
	sum->real += value->real;
	return false;
}

/* The first metric that leaves 64 bits, or how many there are. */
static size_t add_values(const struct perun_merger *merger, size_t row,
			 const union perun_merged_value *values)
{
	const struct perun_merge_plan *plan = merger->plan;
	union perun_merged_value *sums = merger->values + row * plan->count;
	size_t wrong = plan->count;

	for (size_t i = 0; i < plan->count; i++) {
		if (add_value(plan, i, &sums[i], &values[i]) && wrong == plan->count)
			wrong = i;
	}
	return perun_merge_as_pprof(merger) ? plan->count : wrong;
}

/* The same of the values that a sample of a sparse block has. */
static size_t add_some_values(const struct perun_merger *merger, size_t row,
			      const struct perun_row_block *block, size_t sample)
{
	const struct perun_merge_plan *plan = merger->plan;
	union perun_merged_value *sums = merger->values + row * plan->count;
	size_t wrong = plan->count;

	for (size_t k = sample ? block->ends[sample - 1] : 0; k < block->ends[sample]; k++) {
		size_t i = block->types[k];

		if (add_value(plan, i, &sums[i], &block->values[k]) && i < wrong)
			wrong = i;
	}
	return perun_merge_as_pprof(merger) ? plan->count : wrong;
}

static void write_sample(struct perun_row_writer *writer, const struct perun_row_block *block,
			 size_t i)
{
	struct perun_merger *merger = writer->merger;
	const union perun_merged_value *values = block->values + i * merger->plan->count;
	perun_id stack = block->stacks[i], labels = block->labels[i];
	size_t place;

	if (find_row(merger, stack, labels, &place)) {
		writer->wrong = add_values(merger, place, values);
		return;
	}
	merger->slots[place] = (uint32_t)merger->count + 1;
	add_row(merger, stack, labels, values);
}

static void write_sparse(struct perun_row_writer *writer, const struct perun_row_block *block,
			 size_t i)
{
	struct perun_merger *merger = writer->merger;
	perun_id stack = block->stacks[i], labels = block->labels[i];
	size_t place, row = merger->count;

	if (find_row(merger, stack, labels, &place)) {
		row = place;
	} else {
		merger->slots[place] = (uint32_t)row + 1;
		memset(begin_row(merger, stack, labels), 0,
		       merger->plan->count * sizeof *merger->values);
	}
	writer->wrong = add_some_values(merger, row, block, i);
}

static void write_block(void *job, void *data)
{
	const struct perun_row_block *block = job;
	struct perun_row_writer *writer = data;

	for (size_t i = 0; i < block->count && writer->wrong == writer->merger->plan->count; i++) {
		if (writer->sparse)
			write_sparse(writer, block, i);
		else
			write_sample(writer, block, i);
	}
}

struct perun_row_writer *perun_row_writer_new(struct perun_merger *merger, size_t samples,
					      bool sparse)
{
	struct perun_row_writer *writer = perun_alloc_zero(1, sizeof *writer);
	size_t types = merger->plan->count;

	writer->merger = merger;
	writer->sparse = sparse;
	writer->wrong = types;
	for (size_t i = 0; i < (samples < MANY_SAMPLES ? 1 : BLOCKS) && !sparse; i++)
		writer->blocks[i].values = perun_alloc((types + 1) * PERUN_ROW_BLOCK *
						       sizeof(union perun_merged_value));
	if (samples >= MANY_SAMPLES && !sparse)
		writer->worker = perun_worker_new(BLOCKS - 1, write_block, writer);
	return writer;
}

struct perun_row_block *perun_row_writer_next(struct perun_row_writer *writer)
{
	struct perun_row_block *block = &writer->blocks[writer->filled % BLOCKS];

	if (writer->worker) {
		perun_worker_give(writer->worker, block);
		block = &writer->blocks[++writer->filled % BLOCKS];
	} else {
		write_block(block, writer);
	}
	block->count = block->value_count = 0;
	return block;
}

size_t perun_row_writer_end(struct perun_row_writer *writer)
{
	size_t wrong;

	perun_row_writer_next(writer);
	perun_worker_free(writer->worker);
	wrong = writer->wrong;
	for (size_t i = 0; i < BLOCKS; i++) {
		perun_free(writer->blocks[i].values);
		perun_free(writer->blocks[i].types);
	}
	perun_free(writer);
	return wrong;
}
