/* SPDX-License-Identifier: BSD-3-Clause */
/* Call paths: the range that each call of the API was made in, and the time that is a path's own. */
#include <stdlib.h>
#include <string.h>

#include "nsight.h"

enum { SEPARATOR = 0x1f };

static const char *text_of(const struct nsight_file *file, perun_id id)
{
	return perun_builder_string_at(file->builder, id, NULL);
}

bool nsight_spend(struct nsight_file *file, uint64_t bytes)
{
	enum { POLL = 1 << 20 };

	if (file->status)
		return false;
	if (bytes > file->bytes_left)
		file->status = perun_fail(file->ctx, PERUN_INPUT,
					  "its paths and what overlaps take more than the option "
					  "expansion-limit allows");
	else
		file->bytes_left -= bytes;
	file->spent += bytes;
	if (file->spent > POLL && !file->status) {
		file->spent = 0;
		file->status = perun_cancelled(file->ctx) ? PERUN_CANCELLED : PERUN_OK;
	}
	return !file->status;
}

static void add_path(struct nsight_file *file, const struct nsight_path *own)
{
	PERUN_GROW(file->paths, file->path_count, file->path_room);
	file->paths[file->path_count++] = *own;
}

/* ---- ranges ----------------------------------------------------------------------------------- */

/* To cut kernels, Extra-P takes domain 1, whichever is Extra-Prof's. */
static void find_extents(struct nsight_file *file)
{
	if (!file->kernels.count)
		return;
	file->extents = perun_alloc((file->ranges.count + 1) * sizeof *file->extents);
	for (size_t i = 0; i < file->ranges.count; i++) {
		const struct nsight_range *range = &file->ranges.list[i];

		if (range->domain == 1)
			file->extents[file->extent_count++] =
				(struct nsight_extent){range->start, range->end};
	}
}

/* Extra-Prof's ranges are those of its domain. */
static bool find_ranges(struct nsight_file *file)
{
	size_t count = 0;

	if (file->domain == NSIGHT_ABSENT) {
		file->ranges.count = 0;
		return false;
	}
	find_extents(file);
	for (size_t i = 0; i < file->ranges.count; i++) {
		const struct nsight_range *range = &file->ranges.list[i];

		if (range->domain == file->domain && range->name != PERUN_NO_ID &&
		    range->start != NSIGHT_ABSENT)
			file->ranges.list[count++] = *range;
	}
	file->ranges.count = count;
	return true;
}

static int compare_ranges(const void *a, const void *b, void *data)
{
	const struct nsight_range *list = data, *x = &list[*(const uint32_t *)a],
				  *y = &list[*(const uint32_t *)b];

	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x < y ? -1 : x > y;
}

static uint32_t *count_up(size_t count)
{
	uint32_t *order = perun_alloc((count + 1) * sizeof *order);

	for (size_t i = 0; i < count; i++)
		order[i] = (uint32_t)i;
	return order;
}

void nsight_nest(const struct nsight_ranges *ranges, struct nsight_nesting *nesting)
{
	*nesting = (struct nsight_nesting){
		.list = ranges->list,
		.count = (uint32_t)ranges->count,
		.order = count_up(ranges->count),
		.outer = perun_alloc((ranges->count + 1) * sizeof *nesting->outer)};
	qsort_r(nesting->order, nesting->count, sizeof *nesting->order, compare_ranges,
		ranges->list);
	for (uint32_t i = 0; i < nesting->count; i++) {
		const struct nsight_range *own = &ranges->list[nesting->order[i]];
		uint32_t before = i ? i - 1 : UINT32_MAX;

		while (before != UINT32_MAX &&
		       ranges->list[nesting->order[before]].thread == own->thread &&
		       ranges->list[nesting->order[before]].end <= own->end)
			before = nesting->outer[before];
		if (before != UINT32_MAX &&
		    ranges->list[nesting->order[before]].thread != own->thread)
			before = UINT32_MAX;
		nesting->outer[i] = before;
	}
}

void nsight_forget_nesting(struct nsight_nesting *nesting)
{
	perun_free(nesting->order);
	perun_free(nesting->outer);
	*nesting = (struct nsight_nesting){0};
}

uint32_t nsight_find_range(struct nsight_file *file, const struct nsight_nesting *nesting,
			   const struct nsight_activity *call)
{
	uint32_t low = 0, high = nesting->count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		const struct nsight_range *own = &nesting->list[nesting->order[middle]];

		if (own->thread < call->thread ||
		    (own->thread == call->thread && own->start < call->start))
			low = middle + 1;
		else
			high = middle;
	}
	low = low ? low - 1 : UINT32_MAX;
	if (low != UINT32_MAX && nesting->list[nesting->order[low]].thread != call->thread)
		return UINT32_MAX;
	while (low != UINT32_MAX && nesting->list[nesting->order[low]].end <= call->end &&
	       nsight_spend(file, NSIGHT_PAIR))
		low = nesting->outer[low];
	return low;
}

static size_t length_of(const struct nsight_file *file, perun_id text)
{
	size_t length;

	perun_builder_string_at(file->builder, text, &length);
	return length;
}

static perun_id join(struct nsight_file *file, perun_id path, const char *arrow, perun_id name)
{
	char *text = perun_format("%s%s%s", text_of(file, path), arrow, text_of(file, name));
	perun_id id = perun_builder_text(file->builder, text);

	perun_free(text);
	return id;
}

/* Ranges that begin together with the innermost one count as well. */
static void attach_to_ranges(struct nsight_file *file, const struct nsight_activity *call)
{
	const struct nsight_nesting *nesting = &file->nesting;
	const struct nsight_range *range;
	uint32_t at = call->thread == NSIGHT_ABSENT || call->name == PERUN_NO_ID
			      ? UINT32_MAX
			      : nsight_find_range(file, nesting, call);
	int64_t start;

	if (file->status || at == UINT32_MAX)
		return;
	start = nesting->list[nesting->order[at]].start;
	while (at && nesting->list[nesting->order[at - 1]].start == start &&
	       nesting->list[nesting->order[at - 1]].thread == call->thread &&
	       nsight_spend(file, NSIGHT_PAIR))
		at--;
	for (; at < nesting->count; at++) {
		range = &nesting->list[nesting->order[at]];
		if (range->start != start || range->thread != call->thread ||
		    !nsight_spend(file, NSIGHT_MADE + length_of(file, range->name)))
			break;
		add_path(file,
			 &(struct nsight_path){
				 .correlation = call->correlation,
				 .path = join(file, range->name, "\x1f->", call->name),
				 .depth = range->depth == INT32_MIN || range->depth == INT32_MAX
						  ? range->depth
						  : range->depth + 1,
				 .duration = call->end - call->start});
	}
}

/* Paths by their order, which is what is sorted. */
struct ordered {
	const struct nsight_file *file;
	const struct nsight_path *paths;
};

static int compare_names(const void *a, const void *b, void *data)
{
	const struct ordered *ordered = data;
	const struct nsight_path *x = &ordered->paths[*(const uint32_t *)a],
				 *y = &ordered->paths[*(const uint32_t *)b];
	int order = x->path == y->path ? 0
				       : strcmp(text_of(ordered->file, x->path),
						text_of(ordered->file, y->path));

	return order ? order : x < y ? -1 : x > y;
}

/* Ranges as paths, which are smaller, in their memory. */
static struct nsight_path *take_ranges(struct nsight_file *file)
{
	struct nsight_range *ranges = file->ranges.list;
	size_t count = file->ranges.count;

	for (size_t i = 0; i < count; i++) {
		const struct nsight_range range = ranges[i];
		const struct nsight_path path = {.correlation = NSIGHT_ABSENT,
						 .path = range.name,
						 .depth = range.depth,
						 .duration = range.end == NSIGHT_ABSENT
								     ? NSIGHT_ABSENT
								     : range.end - range.start};

		memcpy((char *)ranges + i * sizeof path, &path, sizeof path);
	}
	file->ranges = (struct nsight_ranges){0};
	return perun_realloc_array(ranges, count + 1, sizeof(struct nsight_path));
}

/* Each path once, in their order, with the sum of its ranges. */
static void sum_ranges(struct nsight_file *file)
{
	const size_t count = file->ranges.count;
	struct nsight_path *paths = take_ranges(file), *last = NULL;
	struct ordered ordered = {file, paths};
	uint32_t *order = count_up(count);

	qsort_r(order, count, sizeof *order, compare_names, &ordered);
	for (size_t i = 0; i < count; i++) {
		const struct nsight_path *own = &paths[order[i]];

		if (last && own->path == last->path) {
			last->duration = nsight_add(last->duration, own->duration);
			continue;
		}
		add_path(file, own);
		last = &file->paths[file->path_count - 1];
	}
	perun_free(order);
	perun_free(paths);
}

/* ---- call chains of Nsight Systems ------------------------------------------------------------ */

static int compare_chains(const void *a, const void *b)
{
	const struct nsight_chain *x = a, *y = b;

	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	return x->depth > y->depth ? -1 : x->depth < y->depth;
}

/* Arrows within a name are not steps of the path. */
static void add_name(struct perun_buffer *out, const char *name)
{
	for (; *name; name++) {
		perun_buffer_add_char(out, *name);
		if (name[0] == '-' && name[1] == '>')
			perun_buffer_add_char(out, ' ');
	}
}

static void attach_to_chain(struct nsight_file *file, const struct nsight_activity *call)
{
	struct perun_buffer path = {0};
	size_t low = 0, high = file->chain_count;
	int64_t id = call->chain == NSIGHT_ABSENT ? 0 : nsight_add(call->chain, 1);

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (file->chains[middle].id < id)
			low = middle + 1;
		else
			high = middle;
	}
	if (call->chain == NSIGHT_ABSENT || call->name == PERUN_NO_ID || low == file->chain_count ||
	    file->chains[low].id != id)
		return;
	for (; low < file->chain_count && file->chains[low].id == id; low++) {
		if (!nsight_spend(file, NSIGHT_PAIR + length_of(file, file->chains[low].name)))
			break;
		add_name(&path, text_of(file, file->chains[low].name));
		perun_buffer_add_text(&path, "->");
	}
	if (nsight_spend(file, NSIGHT_MADE)) {
		add_name(&path, text_of(file, call->name));
		add_path(file, &(struct nsight_path){.correlation = call->correlation,
						     .path = perun_builder_string(
							     file->builder, path.data, path.length),
						     .depth = 1,
						     .duration = call->end - call->start});
	}
	perun_buffer_free(&path);
}

int nsight_begin_calls(struct nsight_file *file)
{
	file->in_ranges = find_ranges(file);
	if (file->resolved)
		return PERUN_OK;
	if (file->has_ranges && !file->in_ranges)
		return perun_fail(file->ctx, PERUN_INPUT,
				  "the ranges in it are not those of Extra-Prof");
	if (file->in_ranges)
		nsight_nest(&file->ranges, &file->nesting);
	else if (file->chain_count)
		qsort(file->chains, file->chain_count, sizeof *file->chains, compare_chains);
	return PERUN_OK;
}

int nsight_attach_call(struct nsight_file *file, const struct nsight_activity *call)
{
	if (file->resolved)
		return PERUN_OK;
	if (file->in_ranges)
		attach_to_ranges(file, call);
	else
		attach_to_chain(file, call);
	return file->status;
}

/* ---- the time that is a path's own ------------------------------------------------------------- */

static unsigned char lower(unsigned char c)
{
	return c >= 'A' && c <= 'Z' ? (unsigned char)(c + 32) : c;
}

/* Whether a path begins so: as LIKE does, that is whatever the case, with '%' and '_' for anything. */
static bool begins(struct nsight_file *file, const char *path, const char *start)
{
	const char *star = NULL, *again = NULL, *from = path;

	for (;;) {
		if (!*start) {
			return true;
		} else if (*start == '%') {
			star = ++start;
			again = path;
		} else if (*path && (*start == '_' ||
				     lower((unsigned char)*start) == lower((unsigned char)*path))) {
			start++;
			path++;
			while (start[-1] == '_' && ((unsigned char)*path & 0xc0) == 0x80)
				path++;
		} else if (star && *again &&
			   nsight_spend(file, NSIGHT_PAIR + (uint64_t)(path - from) / 8)) {
			from = path = ++again;
			start = star;
		} else {
			return false;
		}
	}
}

/* Paths by depth and by path, and where each path of a depth begins there, by depth and by text without regard to case. */
struct by_text {
	struct nsight_file *file;
	uint32_t *order, *runs;
	size_t run_count;
};

static const struct nsight_path *path_of(const struct by_text *sorted, uint32_t run)
{
	return &sorted->file->paths[sorted->order[run]];
}

static int compare_paths(const void *a, const void *b, void *paths)
{
	const struct nsight_path *list = paths, *x = &list[*(const uint32_t *)a],
				 *y = &list[*(const uint32_t *)b];

	if (x->depth != y->depth)
		return x->depth < y->depth ? -1 : 1;
	if (x->path != y->path)
		return x->path < y->path ? -1 : 1;
	return x < y ? -1 : x > y;
}

/* Where the next path or depth begins. */
static uint32_t end_of(const struct by_text *sorted, uint32_t run)
{
	const struct nsight_path *first = path_of(sorted, run);

	for (run++; run < sorted->file->path_count; run++)
		if (path_of(sorted, run)->path != first->path ||
		    path_of(sorted, run)->depth != first->depth)
			break;
	return run;
}

static int compare_by_text(const void *a, const void *b, void *data)
{
	const struct by_text *sorted = data;
	const struct nsight_path *x = path_of(sorted, *(const uint32_t *)a),
				 *y = path_of(sorted, *(const uint32_t *)b);

	if (x->depth != y->depth)
		return x->depth < y->depth ? -1 : 1;
	return x->path == y->path
		       ? 0
		       : strcasecmp(text_of(sorted->file, x->path), text_of(sorted->file, y->path));
}

static void sort_by_text(struct by_text *sorted)
{
	const size_t count = sorted->file->path_count;

	sorted->order = count_up(count);
	sorted->runs = perun_alloc((count + 1) * sizeof *sorted->runs);
	qsort_r(sorted->order, count, sizeof *sorted->order, compare_paths, sorted->file->paths);
	for (uint32_t i = 0; i < count; i = end_of(sorted, i))
		sorted->runs[sorted->run_count++] = i;
	qsort_r(sorted->runs, sorted->run_count, sizeof *sorted->runs, compare_by_text, sorted);
}

/* The first of a depth whose path is not before `start`, of which `length` bytes are compared. */
static size_t first_from(const struct by_text *sorted, int32_t depth, const char *start,
			 size_t length)
{
	size_t low = 0, high = sorted->run_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct nsight_path *path = path_of(sorted, sorted->runs[middle]);

		if (path->depth < depth ||
		    (path->depth == depth &&
		     strncasecmp(text_of(sorted->file, path->path), start, length) < 0))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/*
 * What paths one deeper took that begin like this one; false when none of them is a range. All of them have the bytes
 * before its first '%' or '_'.
 */
static bool time_below(const struct by_text *sorted, const struct nsight_path *own, int64_t *sum)
{
	const char *path = text_of(sorted->file, own->path);
	size_t length = strcspn(path, "%_");
	bool range = false;

	*sum = NSIGHT_ABSENT;
	for (size_t i = first_from(sorted, own->depth + 1, path, length); i < sorted->run_count;
	     i++) {
		const struct nsight_path *first = path_of(sorted, sorted->runs[i]);
		const char *text = text_of(sorted->file, first->path);
		uint32_t end = end_of(sorted, sorted->runs[i]);

		if (first->depth != own->depth + 1 || strncasecmp(text, path, length) != 0 ||
		    !nsight_spend(sorted->file,
				  NSIGHT_PAIR * (uint64_t)(end - sorted->runs[i]) + length / 8))
			break;
		if (!begins(sorted->file, text, path))
			continue;
		for (uint32_t k = sorted->runs[i]; k < end; k++) {
			*sum = nsight_add(*sum, path_of(sorted, k)->duration);
			range |= path_of(sorted, k)->correlation == NSIGHT_ABSENT;
		}
	}
	return range;
}

/* From the least depth on: what is below a path is changed after it. */
static void make_exclusive(struct nsight_file *file)
{
	struct by_text sorted = {.file = file};

	sort_by_text(&sorted);
	for (size_t i = 0; i < sorted.run_count && !file->status; i++) {
		const struct nsight_path *first = path_of(&sorted, sorted.runs[i]);
		uint32_t end = end_of(&sorted, sorted.runs[i]);
		int64_t below;

		if (first->depth < 0 || first->depth == INT32_MAX ||
		    !time_below(&sorted, first, &below))
			continue;
		for (uint32_t k = sorted.runs[i]; k < end; k++) {
			struct nsight_path *own = &file->paths[sorted.order[k]];

			own->duration = own->duration != NSIGHT_ABSENT && below != NSIGHT_ABSENT
						? nsight_add(own->duration, -below)
						: NSIGHT_ABSENT;
		}
	}
	perun_free(sorted.order);
	perun_free(sorted.runs);
}

/* ---- names ------------------------------------------------------------------------------------ */

struct lookup {
	const struct nsight_file *file;
	const char *address;
	size_t length;
};

static int compare_address(const char *a, size_t a_length, const char *b, size_t b_length)
{
	int order = memcmp(a, b, a_length < b_length ? a_length : b_length);

	return order ? order : a_length < b_length ? -1 : a_length > b_length;
}

static int compare_known(const void *a, const void *b, void *data)
{
	const struct nsight_name *x = a, *y = b;

	return compare_address(text_of(data, x->text) + x->address, x->address_length,
			       text_of(data, y->text) + y->address, y->address_length);
}

/* Extra-Prof's names: "EP", the address and the name, with a separator between. */
static void find_names(struct nsight_file *file)
{
	for (size_t i = 0; i < file->symbol_count; i++) {
		const char *text = text_of(file, file->symbols[i].text), *end;

		if (file->symbols[i].id < file->first_symbol ||
		    file->symbols[i].id > file->last_symbol || strncmp(text, "EP\x1f", 3) != 0)
			continue;
		end = strchr(text + 3, SEPARATOR);
		if (!end)
			continue;
		PERUN_GROW(file->names, file->name_count, file->name_room);
		file->names[file->name_count++] =
			(struct nsight_name){file->symbols[i].text, 3, (size_t)(end - text) - 3,
					     (size_t)(end - text) + 1};
	}
	if (file->name_count)
		qsort_r(file->names, file->name_count, sizeof *file->names, compare_known, file);
}

static const char *name_at(const struct nsight_file *file, const char *address, size_t length)
{
	size_t low = 0, high = file->name_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct nsight_name *own = &file->names[middle];
		const char *text = text_of(file, own->text);
		int order =
			compare_address(text + own->address, own->address_length, address, length);

		if (order == 0)
			return text + own->name;
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

int nsight_decode(struct nsight_file *file, perun_id path, struct perun_buffer *out)
{
	const char *text = text_of(file, path);

	perun_buffer_clear(out);
	perun_buffer_add(out, "", 0);
	if (*text != SEPARATOR) {
		perun_buffer_add_text(out, text);
		return PERUN_OK;
	}
	for (text++;;) {
		size_t length = strcspn(text, "\x1f");
		const char *name;

		if (text[length] == '\0' && strncmp(text, "->", 2) == 0) {
			perun_buffer_add_text(out, text);
			return PERUN_OK;
		}
		name = name_at(file, text, length);
		if (!name)
			return perun_fail(file->ctx, PERUN_INPUT,
					  "the symbols of Extra-Prof have no name for the address "
					  "%.*s",
					  (int)(length < 40 ? length : 40), text);
		if (!nsight_spend(file, NSIGHT_PAIR + strlen(name)))
			return file->status;
		if (out->length)
			perun_buffer_add_text(out, "->");
		add_name(out, name);
		if (text[length] == '\0')
			return PERUN_OK;
		text += length + 1;
	}
}

/* ---- all of it -------------------------------------------------------------------------------- */

/* What only paths and busy time are made of. */
static void forget_ranges(struct nsight_file *file)
{
	perun_free(file->ranges.list);
	perun_free(file->extents);
	file->ranges = (struct nsight_ranges){0};
	file->extents = NULL;
	file->extent_count = 0;
}

int nsight_resolve(struct nsight_file *file)
{
	const struct nsight_path uncorrelated = {
		.correlation = 0,
		.path = perun_builder_text(file->builder, "[Uncorrelated]"),
		.duration = NSIGHT_ABSENT};
	bool idle = file->in_ranges && (!file->resolved || (file->exclusive && !file->has_idle));
	int status = PERUN_OK;

	nsight_forget_nesting(&file->nesting);
	find_names(file);
	if (idle)
		status = nsight_find_busy(file);
	if (file->in_ranges && !file->resolved)
		sum_ranges(file);
	forget_ranges(file);
	if (file->resolved ? !file->exclusive : file->in_ranges)
		add_path(file, &uncorrelated);
	if (!status && (!file->resolved || !file->exclusive))
		make_exclusive(file);
	if (status || file->status)
		return status ? status : file->status;
	if (idle)
		nsight_find_idle(file);
	perun_free(file->busy);
	file->busy = NULL;
	return PERUN_OK;
}
