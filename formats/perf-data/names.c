/* SPDX-License-Identifier: BSD-3-Clause */
/* Names, files, lines and inlined calls of addresses. */
#include <config.h>

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include <perun/lib/hash.h>

#include "collectors/common/binaries.h"
#include "collectors/common/images.h"
#include "collectors/common/symbol-lines.h"
#include "collectors/common/symbols.h"
#include "names.h"

/* Programs that are loaded where their files say are below it, all others above. */
#define LOWEST_MOVED ((uint64_t)1 << 32)

/* Locations that are found by their address, without a look for its name. */
enum { MAX_KNOWN = 1 << 17 };

/* What an object is read from. */
struct source {
	bool looked_for, fixed, kernel;
	char *path; /* NULL: it was not found */
	uint32_t image;
	perun_id mapping; /* PERUN_NO_ID: not made yet */
};

struct perfdata_names {
	const struct perfdata *file;
	struct perun_builder *builder;
	struct symbols *symbols;
	struct images *images;
	struct source *sources; /* of each object */
	size_t count, room;
	struct stacks_numbers known; /* locations, by a hash of the mapping and the address */
};

struct perfdata_names *perfdata_names_new(const struct perfdata *file,
					  struct perun_builder *builder)
{
	struct perfdata_names *names = perun_alloc_zero(1, sizeof *names);

	names->file = file;
	names->builder = builder;
	names->symbols = collectors_symbols_new(NULL);
	names->images = images_new();
	return names;
}

void perfdata_names_free(struct perfdata_names *names)
{
	for (size_t i = 0; i < names->count; i++)
		perun_free(names->sources[i].path);
	perun_free(names->sources);
	stacks_numbers_free(&names->known);
	collectors_symbols_free(names->symbols);
	images_free(names->images);
	perun_free(names);
}

/* ---- files ----------------------------------------------------------------------------------- */

/* The build id of the kernel that runs: a note (elf(5)) of the name GNU and the type 3. */
static bool read_kernel_build(char *text, size_t room)
{
	uint8_t notes[4096];
	FILE *file = fopen("/sys/kernel/notes", "re");
	struct cursor cursor = {.at = notes};
	const uint8_t *name, *id;

	cursor.end = notes + (file ? fread(notes, 1, sizeof notes, file) : 0);
	if (file)
		fclose(file);
	cursor.big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
	while (cursor_left(&cursor) >= 12) {
		uint32_t name_size = cursor_32(&cursor), size = cursor_32(&cursor);
		uint32_t type = cursor_32(&cursor);

		name = cursor_bytes(&cursor, ((uint64_t)name_size + 3) & ~(uint64_t)3);
		id = cursor_bytes(&cursor, ((uint64_t)size + 3) & ~(uint64_t)3);
		if (!name || !id || type != 3 || name_size != 4 || memcmp(name, "GNU", 4) != 0)
			continue;
		for (uint32_t i = 0; i < size && 2 * i + 2 < room; i++)
			perun_snprintf(text + 2 * i, room - 2 * i, "%02x", id[i]);
		return true;
	}
	return false;
}

/* Whether the recording is of the system that runs, since it was started: its kernel is the same, at the same address. */
static bool is_this_kernel(struct perfdata_names *names, const struct perfdata_object *object)
{
	char build_id[41] = "";
	struct utsname system;

	if (*object->build_id && (!read_kernel_build(build_id, sizeof build_id) ||
				  strcmp(build_id, object->build_id) != 0))
		return false;
	if (names->file->release &&
	    (uname(&system) != 0 || strcmp(system.release, names->file->release) != 0))
		return false;
	return object->symbol_name && object->symbol &&
	       collectors_symbols_kernel(names->symbols, object->symbol_name) == object->symbol;
}

/* The object of the kernel itself, of which modules say nothing. */
static const struct perfdata_object *kernel_of(const struct perfdata_processes *processes)
{
	for (size_t i = 0; i < processes->object_count; i++)
		if (processes->objects[i].kernel && processes->objects[i].symbol_name)
			return &processes->objects[i];
	return NULL;
}

static void look_for(struct perfdata_names *names, const struct perfdata_processes *processes,
		     const struct perfdata_object *object, struct source *source)
{
	const struct binaries_wanted wanted = {.file = object->name, .build_id = object->build_id};
	const struct perfdata_object *kernel;

	source->looked_for = true;
	if (object->named)
		return;
	if (object->kernel) {
		kernel = kernel_of(processes);
		source->kernel = kernel && is_this_kernel(names, kernel);
		return;
	}
	if (object->generated >= 0) {
		source->path = perun_format(COLLECTORS_GENERATED "%d", (int)object->generated);
		source->fixed = true;
		return;
	}
	source->path = binaries_find(&wanted, NULL, 0);
	if (source->path) {
		source->image = images_find(names->images, source->path);
		source->fixed = binaries_is_fixed(source->path);
	}
}

static struct source *source_of(struct perfdata_names *names,
				const struct perfdata_processes *processes, uint32_t number)
{
	struct source *source;

	while (names->count <= number) {
		PERUN_GROW(names->sources, names->count, names->room);
		names->sources[names->count++] = (struct source){.mapping = PERUN_NO_ID};
	}
	source = &names->sources[number];
	if (!source->looked_for)
		look_for(names, processes, &processes->objects[number], source);
	return source;
}

/* The address that the file itself gives to a place of the process. */
static uint64_t in_file(const struct perfdata_names *names, const struct source *source,
			const struct perfdata_map *map, uint64_t address)
{
	return source->fixed || !source->path ? address
					      : images_address(names->images, source->image,
							       address - map->start + map->offset);
}

struct cfi_rule perfdata_rule_at(struct perfdata_names *names,
				 const struct perfdata_processes *processes,
				 const struct perfdata_map *map, uint64_t back)
{
	struct source *source = source_of(names, processes, map->object);

	/* Generated code has no tables; most of it keeps frame pointers. */
	if (processes->objects[map->object].generated >= 0)
		return CFI_FRAME_POINTER;
	if (!source->path)
		return (struct cfi_rule){.base = CFI_UNKNOWN};
	return images_rule(names->images, source->image, in_file(names, source, map, back - 1) + 1);
}

/* ---- locations ------------------------------------------------------------------------------- */

/* Wherever a file was loaded, its places have the same addresses: those that their bytes have in the file. */
static bool is_moved(const struct perfdata_object *object, const struct perfdata_map *map)
{
	return !object->kernel && object->generated < 0 && map->start >= LOWEST_MOVED;
}

static perun_id mapping_of(struct perfdata_names *names, const struct perfdata_object *object,
			   struct source *source, const struct perfdata_map *map)
{
	struct perun_mapping mapping = {
		.start = map->start, .limit = map->limit, .offset = map->offset};

	if (source->mapping != PERUN_NO_ID)
		return source->mapping;
	if (is_moved(object, map)) {
		mapping.start = mapping.offset = 0;
		mapping.limit = (uint64_t)1 << 47;
	} else if (object->generated >= 0) {
		mapping.start = mapping.offset = 0;
		mapping.limit = UINT64_MAX;
	}
	mapping.file = perun_builder_text(names->builder, object->name);
	mapping.build_id = perun_builder_text(names->builder, object->build_id);
	mapping.has_functions = source->path || source->kernel;
	source->mapping = perun_builder_mapping(names->builder, &mapping);
	return source->mapping;
}

void perfdata_name_main(struct perfdata_names *names, const struct perfdata_processes *processes)
{
	const struct perfdata_map *map = &processes->main;

	if (map->limit)
		mapping_of(names, &processes->objects[map->object],
			   source_of(names, processes, map->object), map);
}

/* A function that has a name alone. */
static struct symbol name_alone(const char *name)
{
	struct symbol symbol = {.lines = perun_alloc_zero(1, sizeof *symbol.lines), .count = 1};

	symbol.lines[0].function = perun_strdup(name);
	symbol.lines[0].source = perun_strdup("");
	return symbol;
}

static struct symbol find_symbol(struct perfdata_names *names, const struct perfdata_object *object,
				 const struct source *source, uint64_t address)
{
	if (object->named)
		return name_alone(object->name);
	if (source->kernel)
		return collectors_symbols_find(names->symbols, COLLECTORS_KERNEL, address);
	if (source->path)
		return collectors_symbols_find(names->symbols, source->path, address);
	return (struct symbol){0};
}

static perun_id make_location(struct perfdata_names *names,
			      const struct perfdata_processes *processes,
			      const struct perfdata_map *map, struct source *source,
			      struct perun_location location, uint64_t address)
{
	const struct perfdata_object *object = &processes->objects[map->object];
	struct symbol symbol =
		find_symbol(names, object, source, in_file(names, source, map, address));
	bool named = collectors_symbol_lines(names->builder, &symbol, NULL, NULL, &location);
	perun_id id = perun_builder_location(names->builder, &location);

	if (named)
		perun_free((void *)location.lines);
	collectors_symbol_clear(&symbol);
	return id;
}

perun_id perfdata_location(struct perfdata_names *names, const struct perfdata_processes *processes,
			   const struct perfdata_map *map, uint64_t address)
{
	struct perun_location location = {.address = address, .mapping = PERUN_NO_ID};
	struct source *source;
	uint64_t hash;
	uint32_t known;

	if (!map)
		return perun_builder_location(names->builder, &location);
	source = source_of(names, processes, map->object);
	if (is_moved(&processes->objects[map->object], map))
		location.address = address - map->start + map->offset;
	hash = perun_hash_number(location.address ^ perun_hash_number(map->object));
	known = stacks_numbers_find(&names->known, hash);
	if (known != UINT32_MAX)
		return known;
	location.mapping = mapping_of(names, &processes->objects[map->object], source, map);
	known = make_location(names, processes, map, source, location, address);
	/* So many are of a few samples each: then it costs little to find some again. */
	if (names->known.count == MAX_KNOWN)
		stacks_numbers_free(&names->known);
	stacks_numbers_add(&names->known, hash, known);
	return known;
}
