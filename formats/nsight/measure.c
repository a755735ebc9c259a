/* SPDX-License-Identifier: BSD-3-Clause */
/* What is measured: paths, idle time, synchronization, kernels, memory and what overlaps these. */
#include <stdlib.h>
#include <string.h>

#include <perun/lib/hash.h>

#include "nsight.h"

/* Sums of what has a path, a name and a kind in common. */
struct cell {
	perun_id path, name, kind;
	bool blocking;
	int64_t duration, other, bytes, overlap;
};

struct measuring {
	struct nsight_file *file;
	nsight_sink *sink;
	void *data;
	struct perun_buffer text;
	size_t path_length; /* of what is in `text` */
	struct cell *cells;
	size_t cell_count, cell_room;
	uint32_t *slots; /* hash table of cells + 1 */
	size_t slot_count;
	uint32_t *order; /* paths by correlation */
	size_t order_count;
	struct nsight_spans kernels, activities;
	int status;
};

static const char *text_of(const struct measuring *measuring, perun_id id)
{
	return perun_builder_string_at(measuring->file->builder, id, NULL);
}

/* ---- cells ------------------------------------------------------------------------------------ */

static size_t slot_of(const struct measuring *measuring, const struct cell *key)
{
	uint64_t word = perun_hash_number((uint64_t)key->path << 32 | key->name);
	size_t mask = measuring->slot_count - 1, slot;

	word = perun_hash_number(word ^ (uint64_t)key->kind << 1 ^ key->blocking);
	for (slot = (size_t)word & mask; measuring->slots[slot]; slot = (slot + 1) & mask) {
		const struct cell *own = &measuring->cells[measuring->slots[slot] - 1];

		if (own->path == key->path && own->name == key->name && own->kind == key->kind &&
		    own->blocking == key->blocking)
			break;
	}
	return slot;
}

static void add_cell(struct measuring *measuring, const struct cell *own)
{
	struct cell *cell;
	size_t slot;

	if (measuring->cell_count * 2 >= measuring->slot_count) {
		measuring->slot_count = measuring->slot_count ? measuring->slot_count * 2 : 256;
		perun_free(measuring->slots);
		measuring->slots =
			perun_alloc_zero(measuring->slot_count, sizeof *measuring->slots);
		for (size_t i = 0; i < measuring->cell_count; i++)
			measuring->slots[slot_of(measuring, &measuring->cells[i])] =
				(uint32_t)i + 1;
	}
	slot = slot_of(measuring, own);
	if (!measuring->slots[slot]) {
		nsight_spend(measuring->file, NSIGHT_MADE);
		PERUN_GROW(measuring->cells, measuring->cell_count, measuring->cell_room);
		measuring->cells[measuring->cell_count++] = *own;
		measuring->slots[slot] = (uint32_t)measuring->cell_count;
		return;
	}
	cell = &measuring->cells[measuring->slots[slot] - 1];
	cell->duration = nsight_add(cell->duration, own->duration);
	cell->other = nsight_add(cell->other, own->other);
	cell->bytes = nsight_add(cell->bytes, own->bytes);
	cell->overlap = nsight_add(cell->overlap, own->overlap);
}

static int compare_texts(const struct measuring *measuring, perun_id a, perun_id b)
{
	if (a == b || a == PERUN_NO_ID || b == PERUN_NO_ID)
		return a == b ? 0 : a == PERUN_NO_ID ? -1 : 1;
	return strcmp(text_of(measuring, a), text_of(measuring, b));
}

static int compare_cells(const void *a, const void *b, void *data)
{
	const struct cell *x = a, *y = b;
	int order = compare_texts(data, x->path, y->path);

	order = order ? order : compare_texts(data, x->name, y->name);
	order = order ? order : compare_texts(data, x->kind, y->kind);
	return order ? order : x->blocking - y->blocking;
}

static void sort_cells(struct measuring *measuring)
{
	if (measuring->cell_count)
		qsort_r(measuring->cells, measuring->cell_count, sizeof *measuring->cells,
			compare_cells, measuring);
}

static void forget_cells(struct measuring *measuring)
{
	measuring->cell_count = 0;
	measuring->slot_count = 0;
}

static int compare_paths(const void *a, const void *b, void *paths)
{
	const struct nsight_path *list = paths, *x = &list[*(const uint32_t *)a],
				 *y = &list[*(const uint32_t *)b];

	if (x->correlation != y->correlation)
		return x->correlation < y->correlation ? -1 : 1;
	return x < y ? -1 : x > y;
}

/* Add a cell for each path of a correlation; `own` lacks the path and its time. */
static void add_cells(struct measuring *measuring, int64_t correlation, struct cell own,
		      int64_t pageable)
{
	const struct nsight_path *paths = measuring->file->paths;
	size_t low = 0, high = measuring->order_count;

	if (correlation == NSIGHT_ABSENT)
		return;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (paths[measuring->order[middle]].correlation < correlation)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < measuring->order_count &&
	       paths[measuring->order[low]].correlation == correlation &&
	       nsight_spend(measuring->file, NSIGHT_PAIR);
	     low++) {
		own.path = paths[measuring->order[low]].path;
		own.duration = paths[measuring->order[low]].duration;
		/* What is not called asynchronous waits for its end. */
		if (pageable >= 0)
			own.blocking = pageable || !strstr(text_of(measuring, own.path), "Async_");
		add_cell(measuring, &own);
	}
}

/* ---- values ----------------------------------------------------------------------------------- */

static void begin_path(struct measuring *measuring, perun_id path)
{
	int status = nsight_decode(measuring->file, path, &measuring->text);

	if (!measuring->status)
		measuring->status = status;
	measuring->path_length = measuring->text.length;
}

/* Hand over a value of the path that was begun and more names. */
static void put(struct measuring *measuring, const char *arrow, const char *name,
		const char *suffix, const char *more, unsigned flags, int64_t value)
{
	if (measuring->status || !nsight_spend(measuring->file, measuring->path_length))
		return;
	measuring->text.length = measuring->path_length;
	perun_buffer_add_text(&measuring->text, arrow);
	perun_buffer_add_text(&measuring->text, name);
	perun_buffer_add_text(&measuring->text, suffix);
	perun_buffer_add_text(&measuring->text, more);
	measuring->sink(measuring->data, measuring->text.data, measuring->text.length, flags,
			(double)value / 1e9);
}

static bool is_some(int64_t value)
{
	return value != 0 && value != NSIGHT_ABSENT;
}

static int64_t less(int64_t value, int64_t by)
{
	return is_some(by) ? nsight_add(value, -by) : value;
}

/* ---- overlaps --------------------------------------------------------------------------------- */

static bool within(int64_t time, const struct nsight_activity *own)
{
	return own->start <= time && time <= own->end;
}

static int64_t common(int64_t start, int64_t end, const struct nsight_activity *own)
{
	return (end < own->end ? end : own->end) - (start > own->start ? start : own->start);
}

/* The first span that ends at a time or later: spans follow each other. */
static size_t first_span(const struct nsight_spans *spans, int64_t time)
{
	size_t low = 0, high = spans->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (spans->list[middle].end < time)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/*
 * Time in spans that begin or end within an activity, or hold all of it (`around`). `other`: only spans
 * that do not begin and end with it, or in which more goes on.
 */
static int64_t span_time(const struct measuring *measuring, const struct nsight_spans *spans,
			 const struct nsight_activity *own, bool around, bool other)
{
	int64_t sum = NSIGHT_ABSENT;

	for (size_t i = first_span(spans, own->start);
	     i < spans->count && spans->list[i].start <= own->end &&
	     nsight_spend(measuring->file, NSIGHT_PAIR);
	     i++) {
		const struct nsight_span *span = &spans->list[i];
		bool holds = span->start <= own->start && own->end <= span->end &&
			     own->start <= span->end && span->start <= own->end;

		if (!within(span->start, own) && !within(span->end, own) && !(around && holds))
			continue;
		if (other && (span->start == own->start || span->end == own->end) && span->alone)
			continue;
		sum = nsight_add(sum, common(span->start, span->end, own));
	}
	return sum;
}

/* Activities by their start, with the latest end of all up to each. */
struct sorted {
	const struct nsight_activity **list;
	int64_t *latest;
	size_t count;
};

static int compare_starts(const void *a, const void *b)
{
	const struct nsight_activity *x = *(const struct nsight_activity *const *)a,
				     *y = *(const struct nsight_activity *const *)b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->type != y->type)
		return x->type < y->type ? -1 : 1;
	return x < y ? -1 : x > y;
}

static void sort(const struct nsight_source *sources, size_t count, struct sorted *sorted)
{
	size_t room = 1;

	for (size_t i = 0; i < count; i++)
		room += sources[i].list->count;
	sorted->list = perun_alloc(room * sizeof *sorted->list);
	sorted->latest = perun_alloc(room * sizeof *sorted->latest);
	sorted->count = 0;
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < sources[i].list->count; k++)
			sorted->list[sorted->count++] = &sources[i].list->list[k];
	qsort(sorted->list, sorted->count, sizeof *sorted->list, compare_starts);
	for (size_t i = 0; i < sorted->count; i++)
		sorted->latest[i] = i && sorted->latest[i - 1] > sorted->list[i]->end
					    ? sorted->latest[i - 1]
					    : sorted->list[i]->end;
}

static void forget(struct sorted *sorted)
{
	perun_free(sorted->list);
	perun_free(sorted->latest);
}

/* Those that may overlap are sorted->list[i] for i below the result, down to where this is false. */
static size_t candidates(const struct sorted *sorted, const struct nsight_activity *own)
{
	size_t low = 0, high = sorted->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (sorted->list[middle]->start <= own->end)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool goes_on(const struct measuring *measuring, const struct sorted *sorted, size_t i,
		    const struct nsight_activity *own)
{
	return i > 0 && sorted->latest[i - 1] >= own->start &&
	       nsight_spend(measuring->file, NSIGHT_PAIR);
}

static bool overlaps(const struct nsight_activity *a, const struct nsight_activity *b)
{
	return within(b->start, a) || within(b->end, a) ||
	       (within(a->start, b) && within(a->end, b));
}

/* ---- paths and idle time ---------------------------------------------------------------------- */

static void measure_paths(struct measuring *measuring)
{
	const struct nsight_file *file = measuring->file;

	for (size_t i = 0; i < file->path_count; i++) {
		if (file->paths[i].correlation != NSIGHT_ABSENT ||
		    !is_some(file->paths[i].duration))
			continue;
		begin_path(measuring, file->paths[i].path);
		put(measuring, "", "", "", "", 0, file->paths[i].duration);
	}
	for (size_t i = 0; i < file->idle_count; i++) {
		if (!is_some(file->idle[i].duration))
			continue;
		begin_path(measuring, file->idle[i].path);
		put(measuring, "->GPU IDLE", "", "", "", NSIGHT_PARTIAL | NSIGHT_OVERLAPS,
		    file->idle[i].duration);
	}
}

/* ---- what waits ------------------------------------------------------------------------------- */

/* Activities that end within `own` and are not its own. */
static void add_ending(struct measuring *measuring, const struct nsight_activity *own,
		       const struct sorted *sorted, perun_id kind, bool blocking)
{
	struct cell cell = {.name = PERUN_NO_ID,
			    .kind = kind,
			    .blocking = blocking,
			    .other = NSIGHT_ABSENT,
			    .bytes = NSIGHT_ABSENT,
			    .overlap = NSIGHT_ABSENT};

	for (size_t i = candidates(sorted, own); goes_on(measuring, sorted, i, own); i--) {
		const struct nsight_activity *other = sorted->list[i - 1];

		if (!within(other->end, own) || other->correlation == own->correlation ||
		    other->correlation == NSIGHT_ABSENT || own->correlation == NSIGHT_ABSENT)
			continue;
		cell.name = other->name;
		cell.overlap = common(other->start, other->end, own);
		add_cells(measuring, own->correlation, cell, -1);
	}
}

static void measure_syncs(struct measuring *measuring, const struct sorted *sorted)
{
	const struct nsight_list *syncs = &measuring->file->syncs;

	for (size_t i = 0; i < syncs->count; i++) {
		const struct nsight_activity *own = &syncs->list[i];
		struct cell cell = {
			.name = PERUN_NO_ID,
			.kind = own->name,
			.other = own->end - own->start,
			.bytes = NSIGHT_ABSENT,
			.overlap = span_time(measuring, &measuring->activities, own, false, false)};

		add_cells(measuring, own->correlation, cell, -1);
		add_ending(measuring, own, sorted, own->name, false);
	}
	sort_cells(measuring);
	for (size_t i = 0; i < measuring->cell_count; i++) {
		const struct cell *cell = &measuring->cells[i];
		char *kind = perun_strdup(text_of(measuring, cell->kind));

		begin_path(measuring, cell->path);
		if (cell->name != PERUN_NO_ID) {
			put(measuring, "->", kind, "->OVERLAP->", text_of(measuring, cell->name),
			    NSIGHT_PARTIAL | NSIGHT_OVERLAPS, cell->overlap);
		} else {
			if (is_some(cell->duration))
				put(measuring, "->", kind, "", "", 0,
				    less(cell->duration, cell->overlap));
			if (is_some(cell->overlap))
				put(measuring, "->", kind, "->OVERLAP", "",
				    NSIGHT_PARTIAL | NSIGHT_OVERLAPS, cell->overlap);
			if (cell->other != NSIGHT_ABSENT)
				put(measuring, "->", kind, "->WAIT", "", NSIGHT_OVERLAPS,
				    cell->other);
		}
		perun_free(kind);
	}
	forget_cells(measuring);
}

/* ---- kernels ---------------------------------------------------------------------------------- */

/* time * share / whole, exact unless a product exceeds 64 bits; then the largest number of that sign. */
static int64_t part_of(int64_t time, int64_t share, int64_t whole)
{
	int64_t part, rest;

	if (__builtin_mul_overflow(time / whole, share, &part) ||
	    __builtin_mul_overflow(time % whole, share, &rest) ||
	    __builtin_add_overflow(part, rest / whole, &part))
		return (time < 0) == (share < 0) ? INT64_MAX : -INT64_MAX;
	return part;
}

/* The part of its time that a kernel leaves to others, by the threads of each. */
static int64_t shared_time(const struct measuring *measuring, const struct nsight_activity *own,
			   int64_t max_threads)
{
	const struct nsight_spans *spans = &measuring->kernels;
	int64_t threads = own->threads < max_threads ? own->threads : max_threads;
	int64_t sum = NSIGHT_ABSENT;

	for (size_t i = first_span(spans, own->start);
	     i < spans->count && spans->list[i].start <= own->end &&
	     nsight_spend(measuring->file, NSIGHT_PAIR);
	     i++) {
		const struct nsight_span *span = &spans->list[i];

		if (!within(span->start, own) || !within(span->end, own) || span->threads == 0)
			continue;
		sum = nsight_add(sum, part_of(span->end - span->start, span->threads - threads,
					      span->threads));
	}
	return sum;
}

struct shared {
	int64_t correlation, time;
};

static int compare_shared(const void *a, const void *b)
{
	const struct shared *x = a, *y = b;

	return x->correlation < y->correlation ? -1 : x->correlation > y->correlation;
}

/* Sums by correlation. */
static size_t join_shared(struct shared *shared, size_t count)
{
	size_t used = 0;

	qsort(shared, count, sizeof *shared, compare_shared);
	for (size_t i = 0; i < count; i++) {
		if (used && shared[used - 1].correlation == shared[i].correlation)
			shared[used - 1].time = nsight_add(shared[used - 1].time, shared[i].time);
		else
			shared[used++] = shared[i];
	}
	return used;
}

static int64_t shared_of(const struct shared *shared, size_t count, int64_t correlation)
{
	struct shared key = {.correlation = correlation}, *found;

	found = bsearch(&key, shared, count, sizeof key, compare_shared);
	return found ? found->time : NSIGHT_ABSENT;
}

bool nsight_is_allocation(const char *name)
{
	return strncmp(name, "cudaFree", 8) == 0 || strncmp(name, "cudaMalloc", 10) == 0 ||
	       strncmp(name, "cudaHostAlloc", 13) == 0;
}

static void measure_kernels(struct measuring *measuring)
{
	const struct nsight_file *file = measuring->file;
	const struct nsight_list *kernels = &file->kernels;
	const size_t runs = kernels->count * file->processor_count; /* each on each processor */
	struct shared *shared = perun_alloc((runs + 1) * sizeof *shared);
	size_t count;

	for (size_t i = 0; i < runs; i++) {
		const struct nsight_activity *own = &kernels->list[i % kernels->count];
		int64_t threads = file->processors[i / kernels->count];

		shared[i] = (struct shared){own->correlation, shared_time(measuring, own, threads)};
	}
	count = join_shared(shared, runs);
	for (size_t i = 0; i < runs; i++) {
		const struct nsight_activity *own = &kernels->list[i % kernels->count];
		struct cell cell = {.name = own->name,
				    .kind = PERUN_NO_ID,
				    .other = own->end - own->start,
				    .bytes = NSIGHT_ABSENT,
				    .overlap = shared_of(shared, count, own->correlation)};

		if (own->name != PERUN_NO_ID &&
		    !nsight_is_allocation(text_of(measuring, own->name)))
			add_cells(measuring, own->correlation, cell, -1);
	}
	sort_cells(measuring);
	for (size_t i = 0; i < measuring->cell_count; i++) {
		const struct cell *cell = &measuring->cells[i];
		const char *name = text_of(measuring, cell->name);
		char *below = perun_format("%s->GPU %s", name, name);

		begin_path(measuring, cell->path);
		if (is_some(cell->duration))
			put(measuring, "->", name, "", "", 0, cell->duration);
		put(measuring, "->", below, "", "", 0, less(cell->other, cell->overlap));
		if (cell->overlap != NSIGHT_ABSENT)
			put(measuring, "->", below, "->OVERLAP", "", NSIGHT_OVERLAPS,
			    cell->overlap);
		perun_free(below);
	}
	forget_cells(measuring);
	perun_free(shared);
}

/* ---- memory ----------------------------------------------------------------------------------- */

static void measure_allocations(struct measuring *measuring, const struct sorted *sorted)
{
	const struct nsight_list *calls = &measuring->file->calls;

	for (size_t i = 0; i < calls->count; i++) {
		const struct nsight_activity *own = &calls->list[i];
		const char *name = text_of(measuring, own->name);
		bool host = strcasestr(name, "host"), blocking = !strcasestr(name, "async");
		struct cell cell = {.name = PERUN_NO_ID,
				    .kind = PERUN_NO_ID,
				    .blocking = blocking,
				    .other = NSIGHT_ABSENT,
				    .bytes = NSIGHT_ABSENT,
				    .overlap = NSIGHT_ABSENT};

		if (!host)
			cell.overlap =
				span_time(measuring, &measuring->activities, own, false, false);
		add_cells(measuring, own->correlation, cell, -1);
		if (!host)
			add_ending(measuring, own, sorted, PERUN_NO_ID, blocking);
	}
	sort_cells(measuring);
	for (size_t i = 0; i < measuring->cell_count; i++) {
		const struct cell *cell = &measuring->cells[i];

		begin_path(measuring, cell->path);
		if (cell->name != PERUN_NO_ID) {
			put(measuring, "->OVERLAP->", text_of(measuring, cell->name), "", "",
			    NSIGHT_PARTIAL | NSIGHT_OVERLAPS, cell->overlap);
			continue;
		}
		if (is_some(cell->duration))
			put(measuring, "", "", "", "", 0,
			    cell->blocking ? less(cell->duration, cell->overlap) : cell->duration);
		if (is_some(cell->overlap))
			put(measuring, "->OVERLAP", "", "", "", NSIGHT_PARTIAL | NSIGHT_OVERLAPS,
			    cell->overlap);
	}
	forget_cells(measuring);
}

/* Cells of copies or sets: `kind` is the name of the activity, or the cell's own kind. */
static void put_memory(struct measuring *measuring, const char *kind)
{
	for (size_t i = 0; i < measuring->cell_count; i++) {
		const struct cell *cell = &measuring->cells[i];
		const char *arrow = cell->blocking ? "->BLOCKING " : "->";
		const char *name = kind                        ? kind
				   : cell->kind != PERUN_NO_ID ? text_of(measuring, cell->kind)
							       : "UNKNOWN";

		begin_path(measuring, cell->path);
		/* Cells with a name are of what overlaps the call, which counts once. */
		if (cell->name == PERUN_NO_ID && is_some(cell->duration))
			put(measuring, "", "", "", "", 0,
			    cell->blocking ? less(cell->duration, cell->other) : cell->duration);
		if (is_some(cell->other)) {
			put(measuring, arrow, name, "", "", 0, less(cell->other, cell->overlap));
			if (!measuring->status)
				measuring->sink(measuring->data, measuring->text.data,
						measuring->text.length, NSIGHT_BYTES,
						cell->bytes == NSIGHT_ABSENT ? 0
									     : (double)cell->bytes);
			if (is_some(cell->overlap))
				put(measuring, arrow, name, "->OVERLAP", "", NSIGHT_OVERLAPS,
				    cell->overlap);
		} else if (is_some(cell->overlap) && cell->name != PERUN_NO_ID) {
			put(measuring, arrow, name, "->OVERLAP->", text_of(measuring, cell->name),
			    NSIGHT_OVERLAPS, cell->overlap);
		}
	}
	forget_cells(measuring);
}

/* Sums over the pairs of copies that go on at the same time. */
struct pairs {
	const struct nsight_activity *own, *other; /* the first pair */
	int64_t halves, rest;
	bool beside; /* a kernel goes on during the first pair */
};

/*
 * Extra-P halves what pairs of copies share, without the part in which kernels go on, and counts it all
 * to the first copy: its query does not distinguish copies. What it reports is what it is compared by.
 */
static void add_pair(struct measuring *measuring, struct pairs *pairs,
		     const struct nsight_activity *own, const struct nsight_activity *other,
		     int64_t start, int64_t end)
{
	const struct nsight_activity both = {.start = start, .end = end};
	const struct nsight_spans *spans = &measuring->kernels;
	int64_t duration = end - start;
	bool beside = false;

	for (size_t i = first_span(spans, start); i < spans->count && spans->list[i].start <= end &&
						  nsight_spend(measuring->file, NSIGHT_PAIR);
	     i++) {
		int64_t part = common(spans->list[i].start, spans->list[i].end, &both);

		beside = true;
		pairs->rest = nsight_add(pairs->rest, (duration - part) / 2);
		pairs->halves = nsight_add(pairs->halves, duration / 2);
	}
	if (!beside)
		pairs->halves = nsight_add(pairs->halves, duration / 2);
	if (!pairs->own || (pairs->own == own && other < pairs->other)) {
		pairs->own = own;
		pairs->other = other;
		pairs->beside = beside;
	}
}

/* A copy and what overlaps it: kernels, and other copies, of which each pair is met from both sides. */
static void add_copy_overlaps(struct measuring *measuring, const struct nsight_activity *own,
			      const struct sorted *kernels)
{
	struct cell cell = {.kind = own->name, .other = NSIGHT_ABSENT, .bytes = NSIGHT_ABSENT};

	for (size_t i = candidates(kernels, own); goes_on(measuring, kernels, i, own); i--) {
		const struct nsight_activity *other = kernels->list[i - 1];

		if (!overlaps(own, other))
			continue;
		cell.name = other->name;
		cell.overlap = common(other->start, other->end, own);
		add_cells(measuring, own->correlation, cell, !own->place);
	}
}

static void measure_copies(struct measuring *measuring, const struct sorted *kernels)
{
	const struct nsight_list *copies = &measuring->file->copies;
	struct shared *shared = perun_alloc_zero(copies->count + 2, sizeof *shared);
	struct pairs pairs = {.halves = NSIGHT_ABSENT, .rest = NSIGHT_ABSENT};
	struct sorted sorted;
	size_t count = copies->count;

	sort(&(struct nsight_source){copies, 0}, 1, &sorted);
	for (size_t i = 0; i < copies->count; i++) {
		const struct nsight_activity *own = &copies->list[i];

		shared[i] =
			(struct shared){own->correlation, span_time(measuring, &measuring->kernels,
								    own, true, false)};
		add_copy_overlaps(measuring, own, kernels);
		for (size_t k = candidates(&sorted, own); goes_on(measuring, &sorted, k, own);
		     k--) {
			const struct nsight_activity *other = sorted.list[k - 1];
			struct cell cell = {.name = own->name,
					    .kind = own->name,
					    .other = NSIGHT_ABSENT,
					    .bytes = NSIGHT_ABSENT};
			int64_t start, end;

			if (other->correlation == own->correlation ||
			    (!within(other->start, own) && !within(other->end, own)))
				continue;
			start = other->start > own->start ? other->start : own->start;
			end = other->end < own->end ? other->end : own->end;
			for (int side = 0; side < 2; side++)
				add_pair(measuring, &pairs, own, other, start, end);
			cell.overlap = end - start;
			add_cells(measuring, own->correlation, cell, !own->place);
			cell.name = cell.kind = other->name;
			add_cells(measuring, other->correlation, cell, !other->place);
		}
	}
	if (pairs.own)
		shared[count++] = (struct shared){pairs.own->correlation,
						  pairs.beside ? pairs.rest : pairs.halves};
	count = join_shared(shared, count);
	for (size_t i = 0; i < copies->count; i++) {
		const struct nsight_activity *own = &copies->list[i];
		struct cell cell = {.name = PERUN_NO_ID,
				    .kind = own->name,
				    .other = own->end - own->start,
				    .bytes = own->bytes,
				    .overlap = shared_of(shared, count, own->correlation)};

		add_cells(measuring, own->correlation, cell, !own->place);
	}
	sort_cells(measuring);
	put_memory(measuring, NULL);
	forget(&sorted);
	perun_free(shared);
}

static void measure_sets(struct measuring *measuring, const struct sorted *sorted)
{
	const struct nsight_list *sets = &measuring->file->sets;

	for (size_t i = 0; i < sets->count; i++) {
		const struct nsight_activity *own = &sets->list[i];
		struct cell cell = {
			.name = PERUN_NO_ID,
			.kind = PERUN_NO_ID,
			.other = own->end - own->start,
			.bytes = own->bytes,
			.overlap = span_time(measuring, &measuring->kernels, own, true, true)};

		add_cells(measuring, own->correlation, cell, !own->place);
		cell.other = cell.bytes = NSIGHT_ABSENT;
		for (size_t k = candidates(sorted, own); goes_on(measuring, sorted, k, own); k--) {
			const struct nsight_activity *other = sorted->list[k - 1];

			if (other->type == 1 || other->correlation == own->correlation ||
			    !overlaps(own, other))
				continue;
			cell.name = other->name;
			cell.overlap = common(other->start, other->end, own);
			add_cells(measuring, own->correlation, cell, 0);
		}
	}
	sort_cells(measuring);
	put_memory(measuring, "GPU MEMSET");
}

/* ---- a file ----------------------------------------------------------------------------------- */

/* Kernels run on each processor, and memory is set meanwhile. */
static void find_kernel_spans(struct measuring *measuring)
{
	const struct nsight_file *file = measuring->file;
	const size_t count = file->processor_count;
	struct nsight_source *sources = perun_alloc((count + 1) * sizeof *sources);

	for (size_t i = 0; i < count; i++)
		sources[i] = (struct nsight_source){&file->kernels, file->processors[i]};
	sources[count] = (struct nsight_source){&file->sets, 0};
	nsight_find_spans(sources, count + 1, &measuring->kernels);
	perun_free(sources);
}

/* Each step has no more than it needs: there may be as many activities as rows. */
static void measure_all(struct measuring *measuring)
{
	struct nsight_file *file = measuring->file;
	const struct nsight_source sources[] = {
		{&file->kernels, NSIGHT_MAX_THREADS}, {&file->copies, 0}, {&file->sets, 0}};
	struct sorted sorted;

	measure_paths(measuring);
	find_kernel_spans(measuring);
	nsight_find_spans(sources, 3, &measuring->activities);
	sort(sources, 3, &sorted);
	measure_syncs(measuring, &sorted);
	measure_kernels(measuring);
	if (file->has_kernels)
		measure_allocations(measuring, &sorted);
	perun_free(measuring->activities.list);
	forget(&sorted);
	sort(sources, 1, &sorted);
	measure_copies(measuring, &sorted);
	forget(&sorted);
	sort(sources, 3, &sorted);
	measure_sets(measuring, &sorted);
	forget(&sorted);
}

/* Paths of calls by their correlation: no others are looked for. */
static void order_paths(struct measuring *measuring)
{
	const struct nsight_file *file = measuring->file;
	size_t room = 0;

	for (size_t i = 0; i < file->path_count; i++) {
		if (file->paths[i].correlation == NSIGHT_ABSENT)
			continue;
		PERUN_GROW(measuring->order, measuring->order_count, room);
		measuring->order[measuring->order_count++] = (uint32_t)i;
	}
	if (measuring->order_count)
		qsort_r(measuring->order, measuring->order_count, sizeof *measuring->order,
			compare_paths, file->paths);
}

int nsight_measure(struct nsight_file *file, nsight_sink *sink, void *data)
{
	struct measuring measuring = {.file = file, .sink = sink, .data = data};

	order_paths(&measuring);
	measure_all(&measuring);
	perun_buffer_free(&measuring.text);
	perun_free(measuring.cells);
	perun_free(measuring.slots);
	perun_free(measuring.order);
	perun_free(measuring.kernels.list);
	return file->status ? file->status : measuring.status;
}
