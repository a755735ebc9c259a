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
	if (!file->single_kernels.count)
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
	const struct nsight_range *list = data, *x = &list[*(const size_t *)a],
				  *y = &list[*(const size_t *)b];

	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x < y ? -1 : x > y;
}

void nsight_nest(const struct nsight_ranges *ranges, struct nsight_nesting *nesting)
{
	*nesting = (struct nsight_nesting){
		.list = ranges->list,
		.count = ranges->count,
		.order = perun_alloc_zero(ranges->count + 1, sizeof *nesting->order),
		.outer = perun_alloc_zero(ranges->count + 1, sizeof *nesting->outer)};
	for (size_t i = 0; i < ranges->count; i++)
		nesting->order[i] = i;
	qsort_r(nesting->order, nesting->count, sizeof *nesting->order, compare_ranges,
		ranges->list);
	for (size_t i = 0; i < nesting->count; i++) {
		const struct nsight_range *own = &ranges->list[nesting->order[i]];
		size_t before = i ? i - 1 : SIZE_MAX;

		while (before != SIZE_MAX &&
		       ranges->list[nesting->order[before]].thread == own->thread &&
		       ranges->list[nesting->order[before]].end <= own->end)
			before = nesting->outer[before];
		if (before != SIZE_MAX &&
		    ranges->list[nesting->order[before]].thread != own->thread)
			before = SIZE_MAX;
		nesting->outer[i] = before;
	}
}

size_t nsight_find_range(struct nsight_file *file, const struct nsight_nesting *nesting,
			 const struct nsight_activity *call)
{
	size_t low = 0, high = nesting->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct nsight_range *own = &nesting->list[nesting->order[middle]];

		if (own->thread < call->thread ||
		    (own->thread == call->thread && own->start < call->start))
			low = middle + 1;
		else
			high = middle;
	}
	low = low ? low - 1 : SIZE_MAX;
	if (low != SIZE_MAX && nesting->list[nesting->order[low]].thread != call->thread)
		return SIZE_MAX;
	while (low != SIZE_MAX && nesting->list[nesting->order[low]].end <= call->end &&
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
static void attach_calls(struct nsight_file *file)
{
	struct nsight_nesting nesting;

	nsight_nest(&file->ranges, &nesting);
	for (size_t i = 0; i < file->calls.count; i++) {
		const struct nsight_activity *call = &file->calls.list[i];
		size_t at = call->thread == NSIGHT_ABSENT || call->name == PERUN_NO_ID
				    ? SIZE_MAX
				    : nsight_find_range(file, &nesting, call);
		int64_t start;

		if (file->status)
			break;
		if (at == SIZE_MAX)
			continue;
		start = file->ranges.list[nesting.order[at]].start;
		while (at && file->ranges.list[nesting.order[at - 1]].start == start &&
		       file->ranges.list[nesting.order[at - 1]].thread == call->thread &&
		       nsight_spend(file, NSIGHT_PAIR))
			at--;
		for (; at < nesting.count; at++) {
			const struct nsight_range *range = &file->ranges.list[nesting.order[at]];

			if (range->start != start || range->thread != call->thread ||
			    !nsight_spend(file, NSIGHT_MADE + length_of(file, range->name)))
				break;
			add_path(file,
				 &(struct nsight_path){
					 .correlation = call->correlation,
					 .path = join(file, range->name, "\x1f->", call->name),
					 .depth = range->depth == NSIGHT_ABSENT ? NSIGHT_ABSENT
										: range->depth + 1,
					 .duration = call->end - call->start});
		}
	}
	perun_free(nesting.order);
	perun_free(nesting.outer);
}

static int compare_names(const void *a, const void *b, void *data)
{
	const struct nsight_file *file = data;
	const struct nsight_range *x = &file->ranges.list[*(const size_t *)a],
				  *y = &file->ranges.list[*(const size_t *)b];
	int order = x->name == y->name ? 0 : strcmp(text_of(file, x->name), text_of(file, y->name));

	return order ? order : x < y ? -1 : x > y;
}

/* Each path once, in their order, with the sum of its ranges. */
static void sum_ranges(struct nsight_file *file)
{
	size_t *order = perun_alloc_zero(file->ranges.count + 1, sizeof *order);
	perun_id last = PERUN_NO_ID;

	for (size_t i = 0; i < file->ranges.count; i++)
		order[i] = i;
	qsort_r(order, file->ranges.count, sizeof *order, compare_names, file);
	for (size_t i = 0; i < file->ranges.count; i++) {
		const struct nsight_range *range = &file->ranges.list[order[i]];
		int64_t duration =
			range->end == NSIGHT_ABSENT ? NSIGHT_ABSENT : range->end - range->start;

		if (range->name == last) {
			struct nsight_path *own = &file->paths[file->path_count - 1];

			own->duration = nsight_add(own->duration, duration);
			continue;
		}
		last = range->name;
		add_path(file, &(struct nsight_path){.correlation = NSIGHT_ABSENT,
						     .path = range->name,
						     .depth = range->depth,
						     .duration = duration});
	}
	perun_free(order);
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

static void attach_chains(struct nsight_file *file)
{
	struct perun_buffer path = {0};

	if (file->chain_count)
		qsort(file->chains, file->chain_count, sizeof *file->chains, compare_chains);
	for (size_t i = 0; i < file->calls.count; i++) {
		const struct nsight_activity *call = &file->calls.list[i];
		size_t low = 0, high = file->chain_count;
		int64_t id = call->chain == NSIGHT_ABSENT ? 0 : nsight_add(call->chain, 1);

		while (low < high) {
			size_t middle = low + (high - low) / 2;

			if (file->chains[middle].id < id)
				low = middle + 1;
			else
				high = middle;
		}
		if (call->chain == NSIGHT_ABSENT || call->name == PERUN_NO_ID ||
		    low == file->chain_count || file->chains[low].id != id)
			continue;
		perun_buffer_clear(&path);
		for (; low < file->chain_count && file->chains[low].id == id; low++) {
			if (!nsight_spend(file,
					  NSIGHT_PAIR + length_of(file, file->chains[low].name)))
				break;
			add_name(&path, text_of(file, file->chains[low].name));
			perun_buffer_add_text(&path, "->");
		}
		if (!nsight_spend(file, NSIGHT_MADE))
			break;
		add_name(&path, text_of(file, call->name));
		add_path(file, &(struct nsight_path){.correlation = call->correlation,
						     .path = perun_builder_string(
							     file->builder, path.data, path.length),
						     .depth = 1,
						     .duration = call->end - call->start});
	}
	perun_buffer_free(&path);
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

/* All rows of a path at a depth. */
struct node {
	int64_t depth, sum;
	perun_id path;
	bool range;
};

static int compare_nodes(const void *a, const void *b)
{
	const struct node *x = a, *y = b;

	if (x->depth != y->depth)
		return x->depth < y->depth ? -1 : 1;
	return x->path < y->path ? -1 : x->path > y->path;
}

static size_t make_nodes(const struct nsight_file *file, struct node *nodes)
{
	size_t count = 0;

	for (size_t i = 0; i < file->path_count; i++)
		nodes[i] = (struct node){file->paths[i].depth, file->paths[i].duration,
					 file->paths[i].path,
					 file->paths[i].correlation == NSIGHT_ABSENT};
	qsort(nodes, file->path_count, sizeof *nodes, compare_nodes);
	for (size_t i = 0; i < file->path_count; i++) {
		if (count == 0 || compare_nodes(&nodes[count - 1], &nodes[i]) != 0) {
			nodes[count++] = nodes[i];
			continue;
		}
		nodes[count - 1].sum = nsight_add(nodes[count - 1].sum, nodes[i].sum);
		nodes[count - 1].range |= nodes[i].range;
	}
	return count;
}

/* Nodes by their depth, then by their path without regard to case. */
struct by_text {
	struct nsight_file *file;
	const struct node **list;
	size_t count;
};

static int compare_by_text(const void *a, const void *b, void *file)
{
	const struct node *x = *(const struct node *const *)a, *y = *(const struct node *const *)b;

	if (x->depth != y->depth)
		return x->depth < y->depth ? -1 : 1;
	return x->path == y->path ? 0 : strcasecmp(text_of(file, x->path), text_of(file, y->path));
}

/* The first node of a depth whose path is not before `start`, of which `length` bytes are compared. */
static size_t first_from(const struct by_text *sorted, int64_t depth, const char *start,
			 size_t length)
{
	size_t low = 0, high = sorted->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct node *node = sorted->list[middle];

		if (node->depth < depth ||
		    (node->depth == depth &&
		     strncasecmp(text_of(sorted->file, node->path), start, length) < 0))
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
static bool time_below(const struct by_text *sorted, const struct node *own, int64_t *sum)
{
	const char *path = text_of(sorted->file, own->path);
	size_t length = strcspn(path, "%_");
	bool range = false;

	*sum = NSIGHT_ABSENT;
	for (size_t i = first_from(sorted, own->depth + 1, path, length); i < sorted->count; i++) {
		const struct node *node = sorted->list[i];
		const char *text = text_of(sorted->file, node->path);

		if (node->depth != own->depth + 1 || strncasecmp(text, path, length) != 0 ||
		    !nsight_spend(sorted->file, NSIGHT_PAIR + length / 8))
			break;
		if (!begins(sorted->file, text, path))
			continue;
		*sum = nsight_add(*sum, node->sum);
		range |= node->range;
	}
	return range;
}

static void make_exclusive(struct nsight_file *file)
{
	struct node *nodes = perun_alloc_zero(file->path_count + 1, sizeof *nodes);
	size_t count = make_nodes(file, nodes);
	int64_t *below = perun_alloc_zero(count + 1, sizeof *below);
	bool *changed = perun_alloc_zero(count + 1, sizeof *changed);
	struct by_text sorted = {file, perun_alloc_zero(count + 1, sizeof *sorted.list), count};

	for (size_t i = 0; i < count; i++)
		sorted.list[i] = &nodes[i];
	qsort_r(sorted.list, count, sizeof *sorted.list, compare_by_text, file);
	for (size_t i = 0; i < count && !file->status; i++)
		changed[i] = nodes[i].depth >= 0 && nodes[i].depth < INT64_MAX &&
			     time_below(&sorted, &nodes[i], &below[i]);
	perun_free(sorted.list);
	for (size_t i = 0; i < file->path_count; i++) {
		struct nsight_path *own = &file->paths[i];
		struct node key = {.depth = own->depth, .path = own->path};
		const struct node *node = bsearch(&key, nodes, count, sizeof *nodes, compare_nodes);

		if (!changed[node - nodes])
			continue;
		if (own->duration != NSIGHT_ABSENT && below[node - nodes] != NSIGHT_ABSENT)
			own->duration = nsight_add(own->duration, -below[node - nodes]);
		else
			own->duration = NSIGHT_ABSENT;
	}
	perun_free(nodes);
	perun_free(below);
	perun_free(changed);
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
	bool ranges = find_ranges(file);
	bool idle = ranges && (!file->resolved || (file->exclusive && !file->has_idle));
	int status = PERUN_OK;

	find_names(file);
	if (!file->resolved) {
		if (file->has_ranges && !ranges)
			return perun_fail(file->ctx, PERUN_INPUT,
					  "the ranges in it are not those of Extra-Prof");
		if (ranges) {
			attach_calls(file);
			sum_ranges(file);
			add_path(file, &uncorrelated);
		} else {
			attach_chains(file);
		}
	} else if (!file->exclusive) {
		add_path(file, &uncorrelated);
	}
	if (idle && !file->status)
		status = nsight_find_busy(file);
	forget_ranges(file);
	if (!status && (!file->resolved || !file->exclusive))
		make_exclusive(file);
	if (status || file->status)
		return status ? status : file->status;
	if (idle)
		nsight_find_idle(file);
	return PERUN_OK;
}
