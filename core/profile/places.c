/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions, mappings, locations and label sets: kept as few bytes, given out as structures. */
#include <string.h>

#include "core/profile/model.h"

/* ---- numbers as bytes --------------------------------------------------------------------------- */

/*
 * A number is as many bytes as it needs, the highest first, so that those near each other begin alike: the ones that the first
 * byte begins with are how many follow.
 */
enum { NUMBER = 9 };

/* As 8 bytes, of which the first ones are meant: there is room for all. */
static void put_word(unsigned char *to, uint64_t word)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	word = __builtin_bswap64(word);
#endif
	memcpy(to, &word, sizeof word);
}

static unsigned char *put_long(unsigned char *to, uint64_t value)
{
	unsigned more = (63 - (unsigned)__builtin_clzll(value)) / 7;

	if (more >= 8) {
		*to = 0xff;
		put_word(to + 1, value);
		return to + NUMBER;
	}
	put_word(to, value << 8 * (7 - more) | (uint64_t)(0xff00 >> more & 0xff) << 56);
	return to + more + 1;
}

struct bytes {
	const unsigned char *at, *end;
};

static uint64_t get_long(struct bytes *bytes, unsigned first)
{
	unsigned more = (unsigned)__builtin_clz(~(first << 24));
	uint64_t value = first & 0xff >> (more + 1);

	for (; more; more--)
		value = value << 8 | *bytes->at++;
	return value;
}

static inline uint64_t get(struct bytes *bytes)
{
	unsigned first = *bytes->at++;

	if (first < 0x80)
		return first;
	if (first < 0xc0)
		return (first & 0x3f) << 8 | *bytes->at++;
	if (first >= 0xe0)
		return get_long(bytes, first);
	bytes->at += 2;
	return (first & 0x1f) << 16 | (unsigned)bytes->at[-2] << 8 | bytes->at[-1];
}

/* Small numbers are few bytes, whatever their sign. */
static uint64_t folded(int64_t value)
{
	return (uint64_t)value << 1 ^ (value < 0 ? UINT64_MAX : 0);
}

static int64_t unfolded(uint64_t value)
{
	return (int64_t)(value >> 1 ^ -(value & 1));
}

/* Numbers together: a byte that says which are not 0, and these. */
enum { NUMBERS = 8, ALL_NUMBERS = 1 + NUMBERS * NUMBER + sizeof(uint64_t) };

static inline unsigned char *put(unsigned char *to, unsigned *present, unsigned i, uint64_t value)
{
	if (!value)
		return to;
	*present |= 1u << i;
	if (value >= 0x80)
		return put_long(to, value);
	*to = (unsigned char)value;
	return to + 1;
}

static unsigned char *put_all(unsigned char *to, const uint64_t *numbers, size_t count)
{
	unsigned char *head = to++;
	unsigned present = 0;

	for (unsigned i = 0; i < count; i++)
		to = put(to, &present, i, numbers[i]);
	*head = (unsigned char)present;
	return to;
}

static inline void get_all(struct bytes *bytes, uint64_t *numbers, size_t count)
{
	memset(numbers, 0, count * sizeof *numbers);
	for (unsigned present = *bytes->at++; present; present &= present - 1)
		numbers[__builtin_ctz(present)] = get(bytes);
}

static perun_id add(struct perun_pool **pool, const unsigned char *bytes, const unsigned char *end,
		    bool is_new)
{
	size_t size = (size_t)(end - bytes);

	return is_new ? perun_pool_add_new(pool, bytes, size) : perun_pool_add(pool, bytes, size);
}

/* ---- each kind ---------------------------------------------------------------------------------- */

/* Note a number; whether it is higher than those before. */
static bool is_higher(uint64_t *highest, uint64_t number)
{
	if (number <= *highest)
		return false;
	*highest = number;
	return true;
}

static void note_named(uint64_t *named, uint64_t end)
{
	*named = end > *named ? end : *named;
}

/* What is another one in each function comes last; the name of the linker mostly is the name. */
static void get_function(struct bytes bytes, struct perun_function *function)
{
	uint64_t numbers[5];

	get_all(&bytes, numbers, 5);
	function->file = (perun_id)numbers[0];
	function->start_line = unfolded(numbers[1]);
	function->source_id = numbers[2];
	function->name = (perun_id)numbers[4];
	function->system_name = function->name ^ (perun_id)numbers[3];
}

/* Without a loop, as locations: they are the most of all. */
static unsigned char *put_function(unsigned char *to, const struct perun_function *function)
{
	unsigned char *head = to++;
	unsigned present = 0;

	to = put(to, &present, 0, function->file);
	to = put(to, &present, 1, folded(function->start_line));
	to = put(to, &present, 2, function->source_id);
	to = put(to, &present, 3, function->name ^ function->system_name);
	to = put(to, &present, 4, function->name);
	*head = (unsigned char)present;
	return to;
}

perun_id perun_pools_add_function(struct perun_pools *pools, const struct perun_function *function)
{
	unsigned char bytes[ALL_NUMBERS];
	bool is_new = perun_pools_first_use(&pools->names_used, function->name);

	note_named(&pools->strings_named, (uint64_t)function->name + 1);
	note_named(&pools->strings_named, (uint64_t)function->system_name + 1);
	note_named(&pools->strings_named, (uint64_t)function->file + 1);
	is_new |= is_higher(&pools->highest_function, function->source_id);
	return add(&pools->pool[PERUN_POOL_FUNCTIONS], bytes, put_function(bytes, function),
		   is_new);
}

/* The flags of a mapping in one number. */
enum { FUNCTIONS = 1, FILENAMES = 2, LINE_NUMBERS = 4, INLINE_FRAMES = 8 };

static void get_mapping(struct bytes bytes, struct perun_mapping *mapping)
{
	uint64_t numbers[7];

	get_all(&bytes, numbers, 7);
	mapping->file = (perun_id)numbers[0];
	mapping->has_functions = (numbers[1] & FUNCTIONS) != 0;
	mapping->has_filenames = (numbers[1] & FILENAMES) != 0;
	mapping->has_line_numbers = (numbers[1] & LINE_NUMBERS) != 0;
	mapping->has_inline_frames = (numbers[1] & INLINE_FRAMES) != 0;
	mapping->start = numbers[2];
	mapping->limit = numbers[3];
	mapping->offset = numbers[4];
	mapping->build_id = (perun_id)numbers[5];
	mapping->source_id = numbers[6];
}

static unsigned char *put_mapping(unsigned char *to, const struct perun_mapping *mapping)
{
	const uint64_t numbers[] = {mapping->file,
				    (mapping->has_functions ? FUNCTIONS : 0u) |
					    (mapping->has_filenames ? FILENAMES : 0u) |
					    (mapping->has_line_numbers ? LINE_NUMBERS : 0u) |
					    (mapping->has_inline_frames ? INLINE_FRAMES : 0u),
				    mapping->start,
				    mapping->limit,
				    mapping->offset,
				    mapping->build_id,
				    mapping->source_id};

	return put_all(to, numbers, 7);
}

perun_id perun_pools_add_mapping(struct perun_pools *pools, const struct perun_mapping *mapping)
{
	unsigned char bytes[ALL_NUMBERS];
	bool is_new = perun_pools_first_use(&pools->files_used, mapping->file);

	return add(&pools->pool[PERUN_POOL_MAPPINGS], bytes, put_mapping(bytes, mapping), is_new);
}

/*
 * A location: its numbers and those of its first line, what is another one in each last. More lines have numbers of their own.
 * Most have one line, so that is no number at all; PERUN_NO_ID is 0.
 */
enum { MAPPING, FOLDED, LINES, SOURCE, FUNCTION, COLUMN, LINE, ADDRESS, LOCATION };
enum { MORE_COLUMN, MORE_FUNCTION, MORE_LINE, MORE };

static inline uint32_t get_first(struct bytes *bytes, uint64_t numbers[LOCATION])
{
	get_all(bytes, numbers, LOCATION);
	return (uint32_t)(unfolded(numbers[LINES]) + 1);
}

static inline void set_line(struct perun_line *line, uint64_t function, uint64_t number,
			    uint64_t column)
{
	line->function = (perun_id)function - 1;
	line->line = unfolded(number);
	line->column = unfolded(column);
}

/* `lines`: as many as there are. */
static inline void get_lines(struct bytes *bytes, const uint64_t first[LOCATION], uint32_t count,
			     struct perun_line *lines)
{
	uint64_t numbers[MORE];

	if (count)
		set_line(lines, first[FUNCTION], first[LINE], first[COLUMN]);
	for (uint32_t i = 1; i < count; i++) {
		get_all(bytes, numbers, MORE);
		set_line(&lines[i], numbers[MORE_FUNCTION], numbers[MORE_LINE],
			 numbers[MORE_COLUMN]);
	}
}

/* Without lines. */
static inline void get_location(const uint64_t numbers[LOCATION], struct perun_location *location)
{
	*location = (struct perun_location){.address = numbers[ADDRESS],
					    .mapping = (perun_id)numbers[MAPPING] - 1,
					    .folded = numbers[FOLDED] != 0,
					    .source_id = numbers[SOURCE],
					    .line_count = (uint32_t)(unfolded(numbers[LINES]) + 1)};
}

static unsigned char *put_location(unsigned char *to, const struct perun_location *location)
{
	static const struct perun_line none = {.function = PERUN_NO_ID};
	const struct perun_line *first = location->line_count ? location->lines : &none;
	unsigned char *head = to++;
	unsigned present = 0;

	to = put(to, &present, MAPPING, (perun_id)(location->mapping + 1));
	to = put(to, &present, FOLDED, location->folded);
	to = put(to, &present, LINES, folded((int64_t)location->line_count - 1));
	to = put(to, &present, SOURCE, location->source_id);
	to = put(to, &present, FUNCTION, (perun_id)(first->function + 1));
	to = put(to, &present, COLUMN, folded(first->column));
	to = put(to, &present, LINE, folded(first->line));
	to = put(to, &present, ADDRESS, location->address);
	*head = (unsigned char)present;
	for (uint32_t i = 1; i < location->line_count; i++) {
		const struct perun_line *line = &location->lines[i];
		const uint64_t more[MORE] = {[MORE_COLUMN] = folded(line->column),
					     [MORE_FUNCTION] = (perun_id)(line->function + 1),
					     [MORE_LINE] = folded(line->line)};

		to = put_all(to, more, MORE);
	}
	return to;
}

perun_id perun_pools_add_location(struct perun_pools *pools, const struct perun_location *location)
{
	enum { FEW = 8, LINE_SIZE = 1 + MORE * NUMBER };
	unsigned char few[ALL_NUMBERS + FEW * LINE_SIZE], *bytes = few;
	bool is_new = location->line_count && location->lines[0].function != PERUN_NO_ID &&
		      perun_pools_first_use(&pools->functions_used, location->lines[0].function);
	perun_id id;

	for (uint32_t i = 0; i < location->line_count; i++)
		note_named(&pools->functions_named, (perun_id)(location->lines[i].function + 1));
	note_named(&pools->mappings_named, (perun_id)(location->mapping + 1));
	is_new |= is_higher(&pools->highest_location, location->source_id);
	if (location->line_count > FEW)
		bytes = perun_alloc(ALL_NUMBERS + (size_t)location->line_count * LINE_SIZE);
	id = add(&pools->pool[PERUN_POOL_LOCATIONS], bytes, put_location(bytes, location), is_new);
	if (bytes != few)
		perun_free(bytes);
	return id;
}

/* A label: its numbers, what is another one in each set last; PERUN_NO_ID is 0. A set: its labels, one after the other. */
enum { KEY, UNIT, NUMBER_OF, TEXT, LABEL, LABEL_SIZE = 1 + LABEL * NUMBER };

static struct perun_label get_label(struct bytes *bytes)
{
	uint64_t numbers[LABEL];

	get_all(bytes, numbers, LABEL);
	return (struct perun_label){.key = (perun_id)numbers[KEY],
				    .text = (perun_id)numbers[TEXT] - 1,
				    .number = unfolded(numbers[NUMBER_OF]),
				    .unit = (perun_id)numbers[UNIT]};
}

static inline unsigned char *put_label(unsigned char *to, const struct perun_label *label)
{
	unsigned char *head = to++;
	unsigned present = 0;

	to = put(to, &present, KEY, label->key);
	to = put(to, &present, UNIT, label->unit);
	to = put(to, &present, NUMBER_OF, folded(label->number));
	to = put(to, &present, TEXT, (perun_id)(label->text + 1));
	*head = (unsigned char)present;
	return to;
}

perun_id perun_pools_add_labels(struct perun_pools *pools, const struct perun_label *labels,
				size_t count)
{
	unsigned char few[16 * LABEL_SIZE + sizeof(uint64_t)], *bytes = few, *end;
	perun_id id;

	if (count > 16)
		bytes = perun_alloc(count * LABEL_SIZE + sizeof(uint64_t));
	end = bytes;
	*end = 0; /* of an empty set, too, bytes are read */
	for (size_t i = 0; i < count; i++) {
		end = put_label(end, &labels[i]);
		note_named(&pools->strings_named, (uint64_t)labels[i].key + 1);
		note_named(&pools->strings_named, (uint64_t)labels[i].unit + 1);
		note_named(&pools->strings_named, (perun_id)(labels[i].text + 1));
	}
	id = add(&pools->pool[PERUN_POOL_LABELS], bytes, end, false);
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

static inline struct bytes bytes_at(const struct perun_pool *pool, perun_id id,
				    struct perun_packed *packed)
{
	perun_pool_get(pool, id, packed);
	return (struct bytes){packed->data, packed->data + packed->size};
}

static void *make_functions(const struct perun_pool *pool, perun_id first)
{
	struct perun_function *made = perun_alloc_zero(PERUN_POOL_MADE, sizeof *made);
	struct perun_packed packed;

	for (perun_id id = first; id < end_of(pool, first); id++)
		get_function(bytes_at(pool, id, &packed), &made[id - first]);
	return made;
}

static void *make_mappings(const struct perun_pool *pool, perun_id first)
{
	struct perun_mapping *made = perun_alloc_zero(PERUN_POOL_MADE, sizeof *made);
	struct perun_packed packed;

	for (perun_id id = first; id < end_of(pool, first); id++)
		get_mapping(bytes_at(pool, id, &packed), &made[id - first]);
	return made;
}

/* With their lines after them. */
static void *make_locations(const struct perun_pool *pool, perun_id first)
{
	struct perun_location *made;
	struct perun_line *lines;
	struct perun_packed packed;
	uint64_t numbers[LOCATION];
	size_t count = 0;

	for (perun_id id = first; id < end_of(pool, first); id++) {
		struct bytes bytes = bytes_at(pool, id, &packed);

		count += get_first(&bytes, numbers);
	}
	made = perun_alloc(PERUN_POOL_MADE * sizeof *made + count * sizeof *lines);
	lines = (struct perun_line *)(made + PERUN_POOL_MADE);
	for (perun_id id = first; id < end_of(pool, first); id++) {
		struct perun_location *location = &made[id - first];
		struct bytes bytes = bytes_at(pool, id, &packed);

		get_first(&bytes, numbers);
		get_location(numbers, location);
		get_lines(&bytes, numbers, location->line_count, lines);
		location->lines = lines;
		lines += location->line_count;
	}
	return made;
}

struct label_set {
	const struct perun_label *labels;
	size_t count;
};

/* With their labels after them. */
static void *make_label_sets(const struct perun_pool *pool, perun_id first)
{
	struct label_set *made;
	struct perun_label *labels;
	struct perun_packed packed;
	size_t count = 0;

	for (perun_id id = first; id < end_of(pool, first); id++)
		for (struct bytes bytes = bytes_at(pool, id, &packed); bytes.at < bytes.end;
		     count++)
			get_label(&bytes);
	made = perun_alloc(PERUN_POOL_MADE * sizeof *made + count * sizeof *labels);
	labels = (struct perun_label *)(made + PERUN_POOL_MADE);
	for (perun_id id = first; id < end_of(pool, first); id++) {
		struct label_set *set = &made[id - first];

		*set = (struct label_set){labels, 0};
		for (struct bytes bytes = bytes_at(pool, id, &packed); bytes.at < bytes.end;)
			labels[set->count++] = get_label(&bytes);
		labels += set->count;
	}
	return made;
}

/* The structure of an item, of this size each; NULL: there is no such item. */
static inline const void *structure_at(struct perun_pool *pool, perun_id id, size_t size,
				       void *(*make_them)(const struct perun_pool *pool,
							  perun_id first))
{
	const char *them;

	if (id >= pool->count)
		return NULL;
	them = perun_pool_made(pool, id, make_them);
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

const struct perun_label *perun_pools_labels(const struct perun_pools *pools, perun_id id,
					     size_t *count)
{
	const struct label_set *set =
		structure_at(pools->pool[PERUN_POOL_LABELS], id, sizeof *set, make_label_sets);

	*count = set ? set->count : 0;
	return set ? set->labels : NULL;
}

const struct perun_location *perun_pools_location_in(const struct perun_pools *pools, perun_id id,
						     struct perun_location_room *room)
{
	struct perun_pool *pool = pools->pool[PERUN_POOL_LOCATIONS];
	void *_Atomic *made = atomic_load_explicit(&pool->made, memory_order_acquire);
	uint64_t numbers[LOCATION];
	struct perun_packed packed;
	struct bytes bytes;

	if (id >= pool->count ||
	    (made && atomic_load_explicit(&made[id / PERUN_POOL_MADE], memory_order_acquire)))
		return perun_pools_location(pools, id);
	bytes = bytes_at(pool, id, &packed);
	if (get_first(&bytes, numbers) > sizeof room->lines / sizeof *room->lines)
		return perun_pools_location(pools, id);
	get_location(numbers, &room->location);
	get_lines(&bytes, numbers, room->location.line_count, room->lines);
	room->location.lines = room->lines;
	return &room->location;
}

/* ---- changes ------------------------------------------------------------------------------------ */

void perun_pools_set_mapping(struct perun_pools *pools, perun_id id,
			     const struct perun_mapping *mapping)
{
	struct perun_pool **pool = &pools->pool[PERUN_POOL_MAPPINGS];
	unsigned char bytes[ALL_NUMBERS];

	perun_pools_first_use(&pools->files_used, mapping->file);
	perun_pool_replace(pool, id, bytes, (size_t)(put_mapping(bytes, mapping) - bytes));
	/* What was made of it, or is known of it, holds no more. */
	perun_pool_unmake(*pool);
	perun_pool_forget(*pool);
	(*pool)->checked = 0;
}

static bool all_are_mapped(const struct perun_pool *pool)
{
	struct perun_packed packed;
	uint64_t numbers[LOCATION];

	for (perun_id id = 0; id < pool->count; id++) {
		struct bytes bytes = bytes_at(pool, id, &packed);

		get_first(&bytes, numbers);
		if (!numbers[MAPPING])
			return false;
	}
	return true;
}

void perun_pools_map_locations(struct perun_pools *pools, perun_id mapping)
{
	struct perun_pool *from = pools->pool[PERUN_POOL_LOCATIONS], *to;
	struct perun_packed packed;

	if (all_are_mapped(from))
		return;
	note_named(&pools->mappings_named, (perun_id)(mapping + 1));
	to = perun_pool_new_packed();
	for (perun_id id = 0; id < from->count; id++) {
		struct bytes bytes = bytes_at(from, id, &packed);
		uint64_t numbers[LOCATION];
		unsigned char *copy, *end;

		copy = perun_alloc(ALL_NUMBERS + packed.size);
		get_first(&bytes, numbers);
		if (!numbers[MAPPING])
			numbers[MAPPING] = (perun_id)(mapping + 1);
		end = put_all(copy, numbers, LOCATION);
		memcpy(end, bytes.at, (size_t)(bytes.end - bytes.at));
		add(&to, copy, end + (bytes.end - bytes.at), true);
		perun_free(copy);
	}
	pools->pool[PERUN_POOL_LOCATIONS] = to;
	perun_pool_unref(from);
}

/* ---- checks ------------------------------------------------------------------------------------- */

static bool good_function(const struct perun_pools *pools, struct bytes bytes)
{
	struct perun_function function;

	get_function(bytes, &function);
	return perun_pools_has(pools, PERUN_POOL_STRINGS, function.name) &&
	       perun_pools_has(pools, PERUN_POOL_STRINGS, function.system_name) &&
	       perun_pools_has(pools, PERUN_POOL_STRINGS, function.file);
}

static bool good_mapping(const struct perun_pools *pools, struct bytes bytes)
{
	struct perun_mapping mapping;

	get_mapping(bytes, &mapping);
	return perun_pools_has(pools, PERUN_POOL_STRINGS, mapping.file) &&
	       perun_pools_has(pools, PERUN_POOL_STRINGS, mapping.build_id);
}

static bool good_location(const struct perun_pools *pools, struct bytes bytes)
{
	uint64_t numbers[LOCATION], more[MORE];
	uint32_t lines = get_first(&bytes, numbers);
	perun_id function = (perun_id)numbers[FUNCTION] - 1;

	for (uint32_t i = 1;
	     perun_pools_has_or_none(pools, PERUN_POOL_FUNCTIONS, function) && i < lines; i++) {
		get_all(&bytes, more, MORE);
		function = (perun_id)more[MORE_FUNCTION] - 1;
	}
	return perun_pools_has_or_none(pools, PERUN_POOL_FUNCTIONS, function) &&
	       perun_pools_has_or_none(pools, PERUN_POOL_MAPPINGS, (perun_id)numbers[MAPPING] - 1);
}

static bool good_labels(const struct perun_pools *pools, struct bytes bytes)
{
	while (bytes.at < bytes.end) {
		struct perun_label label = get_label(&bytes);

		if (!perun_pools_has(pools, PERUN_POOL_STRINGS, label.key) ||
		    !perun_pools_has_or_none(pools, PERUN_POOL_STRINGS, label.text) ||
		    !perun_pools_has(pools, PERUN_POOL_STRINGS, label.unit))
			return false;
	}
	return true;
}

/* Where nothing that is named is missing, none is looked at. */
static perun_id wrong_packed(const struct perun_pools *pools, const struct perun_pool *pool,
			     bool (*is_good)(const struct perun_pools *pools, struct bytes bytes))
{
	struct perun_packed packed;

	for (perun_id id = 0; id < pool->count; id++) {
		if (!is_good(pools, bytes_at(pool, id, &packed)))
			return id;
	}
	return PERUN_NO_ID;
}

perun_id perun_pools_wrong_place(struct perun_pools *pools, enum perun_pool_kind kind)
{
	struct perun_pool *pool = pools->pool[kind];
	const uint32_t functions = pools->pool[PERUN_POOL_FUNCTIONS]->count,
		       mappings = pools->pool[PERUN_POOL_MAPPINGS]->count;
	struct perun_packed packed;

	if (kind == PERUN_POOL_FUNCTIONS || kind == PERUN_POOL_LABELS)
		return pools->strings_named > pools->pool[PERUN_POOL_STRINGS]->count
			       ? wrong_packed(pools, pool,
					      kind == PERUN_POOL_LABELS ? good_labels
									: good_function)
			       : PERUN_NO_ID;
	if (kind == PERUN_POOL_LOCATIONS)
		return pools->functions_named > functions || pools->mappings_named > mappings
			       ? wrong_packed(pools, pool, good_location)
			       : PERUN_NO_ID;
	for (; pool->checked < pool->count; pool->checked++) {
		if (!good_mapping(pools, bytes_at(pool, pool->checked, &packed)))
			return pool->checked;
	}
	return PERUN_NO_ID;
}
