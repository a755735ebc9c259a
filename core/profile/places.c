/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions, mappings and locations: kept as few bytes, given out as structures. */
#include <string.h>

#include "core/profile/model.h"

/* ---- numbers as bytes --------------------------------------------------------------------------- */

/* Seven bits in each byte, the lowest first; all but the last have the top bit. */
static unsigned char *put(unsigned char *to, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		*to++ = (unsigned char)(value | 0x80);
	*to++ = (unsigned char)value;
	return to;
}

/* Of ids, none of which is the most usual. */
static unsigned char *put_id(unsigned char *to, perun_id id)
{
	return put(to, (perun_id)(id + 1));
}

/* Small numbers are few bytes, whatever their sign. */
static unsigned char *put_signed(unsigned char *to, int64_t value)
{
	return put(to, (uint64_t)value << 1 ^ (value < 0 ? UINT64_MAX : 0));
}

/* Numbers at the end that are 0 are left out: only they end with a byte that is 0. */
static size_t size_of(const unsigned char *bytes, const unsigned char *end)
{
	while (end > bytes && !end[-1])
		end--;
	return (size_t)(end - bytes);
}

static perun_id add(struct perun_pool **pool, const unsigned char *bytes, const unsigned char *end,
		    bool is_new)
{
	return is_new ? perun_pool_add_new(pool, bytes, size_of(bytes, end))
		      : perun_pool_add(pool, bytes, size_of(bytes, end));
}

struct bytes {
	const unsigned char *at, *end;
};

static uint64_t get(struct bytes *bytes)
{
	uint64_t value = 0;

	for (unsigned shift = 0; bytes->at < bytes->end; shift += 7) {
		unsigned char byte = *bytes->at++;

		value |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			break;
	}
	return value;
}

static perun_id get_id(struct bytes *bytes)
{
	return (perun_id)get(bytes) - 1;
}

static int64_t get_signed(struct bytes *bytes)
{
	uint64_t value = get(bytes);

	return (int64_t)(value >> 1 ^ -(value & 1));
}

static struct bytes bytes_at(const struct perun_pool *pool, perun_id id)
{
	size_t size;
	const unsigned char *at = perun_pool_at(pool, id, &size);

	return (struct bytes){at, at + size};
}

/* ---- each kind ---------------------------------------------------------------------------------- */

/* The most bytes of an id and of another number. */
enum { ID = 5, NUMBER = 10 };

/* Note a number; whether it is higher than those before. */
static bool is_higher(uint64_t *highest, uint64_t number)
{
	if (number <= *highest)
		return false;
	*highest = number;
	return true;
}

static void get_function(struct bytes *bytes, struct perun_function *function)
{
	function->name = (perun_id)get(bytes);
	function->file = (perun_id)get(bytes);
	function->start_line = get_signed(bytes);
	function->system_name = (perun_id)get(bytes);
	function->source_id = get(bytes);
}

perun_id perun_pools_add_function(struct perun_pools *pools, const struct perun_function *function)
{
	unsigned char bytes[3 * ID + 2 * NUMBER], *end = bytes;
	bool is_new = perun_pools_first_use(&pools->names_used, function->name);

	end = put(end, function->name);
	end = put(end, function->file);
	end = put_signed(end, function->start_line);
	end = put(end, function->system_name);
	end = put(end, function->source_id);
	is_new |= is_higher(&pools->highest_function, function->source_id);
	return add(&pools->pool[PERUN_POOL_FUNCTIONS], bytes, end, is_new);
}

/* The flags of a mapping in one number. */
enum { FUNCTIONS = 1, FILENAMES = 2, LINE_NUMBERS = 4, INLINE_FRAMES = 8 };

static void get_mapping(struct bytes *bytes, struct perun_mapping *mapping)
{
	uint64_t flags;

	mapping->file = (perun_id)get(bytes);
	flags = get(bytes);
	mapping->has_functions = (flags & FUNCTIONS) != 0;
	mapping->has_filenames = (flags & FILENAMES) != 0;
	mapping->has_line_numbers = (flags & LINE_NUMBERS) != 0;
	mapping->has_inline_frames = (flags & INLINE_FRAMES) != 0;
	mapping->start = get(bytes);
	mapping->limit = get(bytes);
	mapping->offset = get(bytes);
	mapping->build_id = (perun_id)get(bytes);
	mapping->source_id = get(bytes);
}

static unsigned char *put_mapping(unsigned char *to, const struct perun_mapping *mapping)
{
	to = put(to, mapping->file);
	to = put(to, (mapping->has_functions ? FUNCTIONS : 0) |
			     (mapping->has_filenames ? FILENAMES : 0) |
			     (mapping->has_line_numbers ? LINE_NUMBERS : 0) |
			     (mapping->has_inline_frames ? INLINE_FRAMES : 0));
	to = put(to, mapping->start);
	to = put(to, mapping->limit);
	to = put(to, mapping->offset);
	to = put(to, mapping->build_id);
	return put(to, mapping->source_id);
}

enum { MAPPING = 2 * ID + 5 * NUMBER };

perun_id perun_pools_add_mapping(struct perun_pools *pools, const struct perun_mapping *mapping)
{
	unsigned char bytes[MAPPING];

	return add(&pools->pool[PERUN_POOL_MAPPINGS], bytes, put_mapping(bytes, mapping), false);
}

static void get_line(struct bytes *bytes, struct perun_line *line)
{
	line->function = get_id(bytes);
	line->line = get_signed(bytes);
	line->column = get_signed(bytes);
}

/* After its number of lines. */
static void get_location(struct bytes *bytes, struct perun_location *location,
			 struct perun_line *lines)
{
	uint64_t flags;

	for (uint32_t i = 0; i < location->line_count; i++)
		get_line(bytes, &lines[i]);
	location->lines = lines;
	location->address = get(bytes);
	location->mapping = get_id(bytes);
	flags = get(bytes);
	location->folded = flags != 0;
	location->source_id = get(bytes);
}

static unsigned char *put_location(unsigned char *to, const struct perun_location *location)
{
	to = put(to, location->line_count);
	for (uint32_t i = 0; i < location->line_count; i++) {
		to = put_id(to, location->lines[i].function);
		to = put_signed(to, location->lines[i].line);
		to = put_signed(to, location->lines[i].column);
	}
	to = put(to, location->address);
	to = put_id(to, location->mapping);
	to = put(to, location->folded);
	return put(to, location->source_id);
}

perun_id perun_pools_add_location(struct perun_pools *pools, const struct perun_location *location)
{
	enum { FEW = 8, LINE = ID + 2 * NUMBER, REST = 2 * ID + 3 * NUMBER };
	unsigned char few[REST + FEW * LINE], *bytes = few;
	bool is_new = location->line_count && location->lines[0].function != PERUN_NO_ID &&
		      perun_pools_first_use(&pools->functions_used, location->lines[0].function);
	perun_id id;

	is_new |= is_higher(&pools->highest_location, location->source_id);
	if (location->line_count > FEW)
		bytes = perun_alloc(REST + (size_t)location->line_count * LINE);
	id = add(&pools->pool[PERUN_POOL_LOCATIONS], bytes, put_location(bytes, location), is_new);
	if (bytes != few)
		perun_free(bytes);
	return id;
}

/* ---- structures --------------------------------------------------------------------------------- */

/* The end of the items that are made together with item `first`. */
static perun_id end_of(const struct perun_pool *pool, perun_id first)
{
	return pool->count - first < PERUN_POOL_MADE ? pool->count : first + PERUN_POOL_MADE;
}

static void *make_functions(const struct perun_pool *pool, perun_id first)
{
	struct perun_function *made = perun_alloc_zero(PERUN_POOL_MADE, sizeof *made);

	for (perun_id id = first; id < end_of(pool, first); id++) {
		struct bytes bytes = bytes_at(pool, id);

		get_function(&bytes, &made[id - first]);
	}
	return made;
}

static void *make_mappings(const struct perun_pool *pool, perun_id first)
{
	struct perun_mapping *made = perun_alloc_zero(PERUN_POOL_MADE, sizeof *made);

	for (perun_id id = first; id < end_of(pool, first); id++) {
		struct bytes bytes = bytes_at(pool, id);

		get_mapping(&bytes, &made[id - first]);
	}
	return made;
}

/* With their lines after them. */
static void *make_locations(const struct perun_pool *pool, perun_id first)
{
	struct perun_location *made;
	struct perun_line *lines;
	size_t count = 0;

	for (perun_id id = first; id < end_of(pool, first); id++) {
		struct bytes bytes = bytes_at(pool, id);

		count += (uint32_t)get(&bytes);
	}
	made = perun_alloc(PERUN_POOL_MADE * sizeof *made + count * sizeof *lines);
	lines = (struct perun_line *)(made + PERUN_POOL_MADE);
	for (perun_id id = first; id < end_of(pool, first); id++) {
		struct perun_location *location = &made[id - first];
		struct bytes bytes = bytes_at(pool, id);

		memset(location, 0, sizeof *location);
		location->line_count = (uint32_t)get(&bytes);
		get_location(&bytes, location, lines);
		lines += location->line_count;
	}
	return made;
}

/* Several threads may make the same: one of them is kept. */
static void *_Atomic *made_of(struct perun_pool *pool)
{
	size_t chunks = ((size_t)pool->count + PERUN_POOL_MADE - 1) / PERUN_POOL_MADE;
	void *_Atomic *made = perun_alloc_zero(chunks, sizeof *made), *_Atomic *others = NULL;

	if (atomic_compare_exchange_strong(&pool->made, &others, made))
		return made;
	perun_free((void *)made);
	return others;
}

static const void *make(struct perun_pool *pool, perun_id id,
			void *(*make_them)(const struct perun_pool *pool, perun_id first))
{
	void *_Atomic *made = atomic_load_explicit(&pool->made, memory_order_acquire);
	void *them, *others = NULL;

	if (!made)
		made = made_of(pool);
	made += id / PERUN_POOL_MADE;
	them = make_them(pool, id / PERUN_POOL_MADE * PERUN_POOL_MADE);
	if (atomic_compare_exchange_strong(made, &others, them))
		return them;
	perun_free(them);
	return others;
}

/* The structure of an item, of this size each; NULL: there is no such item. */
static inline const void *structure_at(struct perun_pool *pool, perun_id id, size_t size,
				       void *(*make_them)(const struct perun_pool *pool,
							  perun_id first))
{
	void *_Atomic *made = atomic_load_explicit(&pool->made, memory_order_acquire);
	const char *them = NULL;

	if (id >= pool->count)
		return NULL;
	if (made)
		them = atomic_load_explicit(&made[id / PERUN_POOL_MADE], memory_order_acquire);
	if (!them)
		them = make(pool, id, make_them);
	return them + id % PERUN_POOL_MADE * size;
}

const struct perun_function *perun_pools_function(const struct perun_pools *pools, perun_id id)
{
	return structure_at(pools->pool[PERUN_POOL_FUNCTIONS], id, sizeof(struct perun_function),
			    make_functions);
}

const struct perun_mapping *perun_pools_mapping(const struct perun_pools *pools, perun_id id)
{
	return structure_at(pools->pool[PERUN_POOL_MAPPINGS], id, sizeof(struct perun_mapping),
			    make_mappings);
}

const struct perun_location *perun_pools_location(const struct perun_pools *pools, perun_id id)
{
	return structure_at(pools->pool[PERUN_POOL_LOCATIONS], id, sizeof(struct perun_location),
			    make_locations);
}

const struct perun_location *perun_pools_location_in(const struct perun_pools *pools, perun_id id,
						     struct perun_location_room *room)
{
	struct perun_pool *pool = pools->pool[PERUN_POOL_LOCATIONS];
	void *_Atomic *made = atomic_load_explicit(&pool->made, memory_order_acquire);
	struct bytes bytes;

	if (id >= pool->count ||
	    (made && atomic_load_explicit(&made[id / PERUN_POOL_MADE], memory_order_acquire)))
		return perun_pools_location(pools, id);
	bytes = bytes_at(pool, id);
	memset(&room->location, 0, sizeof room->location);
	room->location.line_count = (uint32_t)get(&bytes);
	if (room->location.line_count > sizeof room->lines / sizeof *room->lines)
		return perun_pools_location(pools, id);
	get_location(&bytes, &room->location, room->lines);
	return &room->location;
}

/* ---- changes ------------------------------------------------------------------------------------ */

/* What was made of a pool, or is known of it, holds no more. */
static void was_changed(struct perun_pool *pool)
{
	perun_pool_unmake(pool);
	perun_pool_forget(pool);
	pool->checked = 0;
}

void perun_pools_set_mapping(struct perun_pools *pools, perun_id id,
			     const struct perun_mapping *mapping)
{
	unsigned char bytes[MAPPING];

	perun_pool_replace(&pools->pool[PERUN_POOL_MAPPINGS], id, bytes,
			   size_of(bytes, put_mapping(bytes, mapping)));
	was_changed(pools->pool[PERUN_POOL_MAPPINGS]);
}

void perun_pools_map_locations(struct perun_pools *pools, perun_id mapping)
{
	struct perun_pool **pool = &pools->pool[PERUN_POOL_LOCATIONS];
	bool changed = false;

	for (perun_id id = 0; id < (*pool)->count; id++) {
		struct perun_location location = *perun_pools_location(pools, id);
		unsigned char *bytes;

		if (location.mapping != PERUN_NO_ID)
			continue;
		location.mapping = mapping;
		bytes = perun_alloc(2 * ID + 3 * NUMBER +
				    (size_t)location.line_count * (ID + 2 * NUMBER));
		perun_pool_replace(pool, id, bytes, size_of(bytes, put_location(bytes, &location)));
		perun_free(bytes);
		changed = true;
	}
	if (changed) /* else it may be another owner's, too */
		was_changed(*pool);
}

/* ---- checks ------------------------------------------------------------------------------------- */

static bool good_function(const struct perun_pools *pools, struct bytes bytes)
{
	struct perun_function function;

	get_function(&bytes, &function);
	return perun_pools_has(pools, PERUN_POOL_STRINGS, function.name) &&
	       perun_pools_has(pools, PERUN_POOL_STRINGS, function.system_name) &&
	       perun_pools_has(pools, PERUN_POOL_STRINGS, function.file);
}

static bool good_mapping(const struct perun_pools *pools, struct bytes bytes)
{
	struct perun_mapping mapping;

	get_mapping(&bytes, &mapping);
	return perun_pools_has(pools, PERUN_POOL_STRINGS, mapping.file) &&
	       perun_pools_has(pools, PERUN_POOL_STRINGS, mapping.build_id);
}

static bool good_location(const struct perun_pools *pools, struct bytes bytes)
{
	struct perun_location location = {0};
	struct perun_line line;

	for (uint64_t lines = get(&bytes); lines; lines--) {
		get_line(&bytes, &line);
		if (!perun_pools_has_or_none(pools, PERUN_POOL_FUNCTIONS, line.function))
			return false;
	}
	get_location(&bytes, &location, NULL);
	return perun_pools_has_or_none(pools, PERUN_POOL_MAPPINGS, location.mapping);
}

perun_id perun_pools_wrong_place(struct perun_pools *pools, enum perun_pool_kind kind)
{
	bool (*const is_good)(const struct perun_pools *pools, struct bytes bytes) =
		kind == PERUN_POOL_FUNCTIONS  ? good_function
		: kind == PERUN_POOL_MAPPINGS ? good_mapping
					      : good_location;
	struct perun_pool *pool = pools->pool[kind];

	for (; pool->checked < pool->count; pool->checked++) {
		if (!is_good(pools, bytes_at(pool, pool->checked)))
			return pool->checked;
	}
	return PERUN_NO_ID;
}
