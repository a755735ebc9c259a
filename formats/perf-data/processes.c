/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory and names of processes, as records change them. */
#include <config.h>

#include <search.h>
#include <string.h>

#include <perun/lib/hash.h>

#include "collectors/common/generated.h"
#include "processes.h"

enum {
	IS_DATA = 1 << 13,
	IS_EXEC = 1 << 13, /* the same bit of another kind of record */
	HAS_BUILD_ID = 1 << 14,
	EXECUTABLE = 4
};

#define KERNEL_TEXT PERFDATA_KERNEL "_"

void perfdata_processes_init(struct perfdata_processes *processes, const struct perfdata *file)
{
	*processes = (struct perfdata_processes){.file = file};
	PERUN_GROW(processes->processes, processes->count, processes->room);
	processes->processes[processes->count++] = (struct perfdata_process){.pid = -1};
}

void perfdata_processes_free(struct perfdata_processes *processes)
{
	for (size_t i = 0; i < processes->object_count; i++) {
		perun_free(processes->objects[i].name);
		perun_free(processes->objects[i].symbol_name);
		if (*processes->objects[i].build_id)
			perun_free((char *)processes->objects[i].build_id);
	}
	for (size_t i = 0; i < processes->count; i++)
		tdestroy(processes->processes[i].maps, perun_free);
	for (size_t i = 0; i < processes->name_count; i++)
		perun_free(processes->names[i]);
	perun_free(processes->objects);
	perun_free(processes->processes);
	perun_free(processes->names);
	perun_free(processes->named);
	stacks_numbers_free(&processes->by_object);
	stacks_numbers_free(&processes->by_pid);
	stacks_numbers_free(&processes->by_name);
	stacks_numbers_free(&processes->by_thread);
}

static struct perfdata_process *find_process(struct perfdata_processes *processes, int32_t pid)
{
	uint32_t number = stacks_numbers_find(&processes->by_pid, (uint32_t)pid);

	if (number != UINT32_MAX)
		return &processes->processes[number];
	PERUN_GROW(processes->processes, processes->count, processes->room);
	processes->processes[processes->count] = (struct perfdata_process){.pid = pid};
	stacks_numbers_add(&processes->by_pid, (uint32_t)pid, (uint32_t)processes->count);
	return &processes->processes[processes->count++];
}

/* ---- memory ---------------------------------------------------------------------------------- */

static bool begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

/* The number of an object; one that was built again is another one. */
static uint32_t find_object(struct perfdata_processes *processes, const char *name, bool kernel,
			    const char *build_id)
{
	struct perfdata_object object = {.kernel = kernel, .generated = -1};
	uint64_t hash = perun_hash_text(name, strlen(name)) ^
			perun_hash_text(build_id, strlen(build_id)) ^ kernel;
	uint32_t known = stacks_numbers_find(&processes->by_object, hash);

	if (known != UINT32_MAX)
		return known;
	if (!*build_id)
		build_id = perfdata_build_id_of(processes->file, name);
	object.name = perun_strdup(name);
	object.build_id = *build_id ? perun_strdup(build_id) : "";
	stacks_numbers_add(&processes->by_object, hash, (uint32_t)processes->object_count);
	PERUN_GROW(processes->objects, processes->object_count, processes->object_room);
	processes->objects[processes->object_count] = object;
	return (uint32_t)processes->object_count++;
}

/* Maps that share an address are equal: what is in the tree shares none. */
static int compare_maps(const void *a, const void *b)
{
	const struct perfdata_map *one = a, *other = b;

	if (one->limit <= other->start)
		return -1;
	return one->start >= other->limit;
}

static void insert(struct perfdata_process *process, struct perfdata_map map)
{
	struct perfdata_map *copy;

	if (map.start >= map.limit)
		return;
	copy = perun_memdup(&map, sizeof map);
	if (!tsearch(copy, &process->maps, compare_maps))
		perun_free(copy);
}

/* A map takes the place of what was there; what is beside it stays. */
static void add_map(struct perfdata_process *process, struct perfdata_map map)
{
	void *node;

	while ((node = tfind(&map, &process->maps, compare_maps))) {
		struct perfdata_map *old = *(struct perfdata_map **)node;
		struct perfdata_map before = *old, after = *old;

		tdelete(old, &process->maps, compare_maps);
		perun_free(old);
		before.limit = map.start;
		insert(process, before);
		if (after.start < map.limit) {
			after.offset += map.limit - after.start;
			after.start = map.limit;
		}
		insert(process, after);
	}
	insert(process, map);
}

/* "[kernel.kallsyms]_text": a symbol of the kernel, whose address is in the place of the offset. */
static void add_kernel(struct perfdata_processes *processes, struct perfdata_map map,
		       const char *name, const char *build_id)
{
	struct perfdata_object *object;

	map.object = find_object(processes, PERFDATA_KERNEL, true, build_id);
	object = &processes->objects[map.object];
	if (!object->symbol_name) {
		object->symbol_name = perun_strdup(name + strlen(KERNEL_TEXT) - 1);
		object->symbol = map.offset;
	}
	map.offset = map.start;
	add_map(&processes->processes[0], map);
}

static void map_file(struct perfdata_processes *processes, int32_t pid, uint16_t misc,
		     struct perfdata_map map, const char *name, const char *build_id)
{
	bool kernel = (misc & MODE) == MODE_KERNEL;
	char *own = NULL;

	if ((misc & MODE) == MODE_GUEST_KERNEL)
		return;
	if (kernel && begins(name, KERNEL_TEXT)) {
		add_kernel(processes, map, name, build_id);
		return;
	}
	if (!kernel && collectors_is_generated(name)) {
		name = own = perun_format("/tmp/perf-%d.map", (int)pid);
		map.offset = map.start;
	}
	map.object = find_object(processes, name, kernel, build_id);
	if (own)
		processes->objects[map.object].generated = pid;
	if (processes->executed && !processes->main.limit && !kernel && !own)
		processes->main = map;
	add_map(kernel ? &processes->processes[0] : find_process(processes, pid), map);
	perun_free(own);
}

static void take_build_id(struct cursor *cursor, char *text, size_t room)
{
	uint8_t size = (uint8_t)cursor_take(cursor, 1);
	const uint8_t *bytes;

	cursor_bytes(cursor, 3);
	bytes = cursor_bytes(cursor, 20);
	for (uint8_t i = 0; bytes && i < size && i < 20; i++)
		perun_snprintf(text + 2 * (size_t)i, room - 2 * (size_t)i, "%02x", bytes[i]);
}

static int read_map(struct perfdata_processes *processes, const struct perfdata_record *record)
{
	struct cursor cursor = {record->data, record->data + record->size,
				.big = processes->file->big};
	int32_t pid = (int32_t)cursor_32(&cursor);
	struct perfdata_map map = {0};
	char build_id[41] = "", *name;
	bool executable = !(record->misc & IS_DATA);
	size_t length;

	cursor_32(&cursor); /* the thread */
	map.start = cursor_64(&cursor);
	map.limit = map.start + cursor_64(&cursor);
	map.offset = cursor_64(&cursor);
	if (record->type == RECORD_MAP2) {
		if (record->misc & HAS_BUILD_ID)
			take_build_id(&cursor, build_id, sizeof build_id);
		else
			cursor_bytes(&cursor, 24); /* device and inode */
		executable = cursor_32(&cursor) & EXECUTABLE;
		cursor_32(&cursor);
	}
	if (cursor.truncated)
		return perfdata_wrong(processes->file, record->data, "expected a mapped file");
	/* The kernel's own are said to be of no memory that runs. */
	if (map.limit <= map.start || (!executable && (record->misc & MODE) != MODE_KERNEL))
		return PERUN_OK;
	name = (char *)cursor_text(&cursor, &length);
	name = perun_strndup(name, length);
	map_file(processes, pid, record->misc, map, name, build_id);
	perun_free(name);
	return PERUN_OK;
}

const struct perfdata_map *perfdata_map_at(struct perfdata_processes *processes, int32_t pid,
					   bool kernel, uint64_t address)
{
	const struct perfdata_map key = {.start = address, .limit = address + 1};
	void *node;

	if (address == UINT64_MAX)
		return NULL;
	node = tfind(&key,
		     kernel ? &processes->processes[0].maps : &find_process(processes, pid)->maps,
		     compare_maps);
	return node ? *(struct perfdata_map **)node : NULL;
}

/* ---- names ----------------------------------------------------------------------------------- */

static void name_thread(struct perfdata_processes *processes, int32_t thread, uint32_t name)
{
	uint32_t place = stacks_numbers_find(&processes->by_thread, (uint32_t)thread);

	if (place == UINT32_MAX) {
		place = (uint32_t)processes->thread_count;
		stacks_numbers_add(&processes->by_thread, (uint32_t)thread, place);
		PERUN_GROW(processes->named, processes->thread_count, processes->thread_room);
		processes->thread_count++;
	}
	processes->named[place] = name;
}

static uint32_t find_name(struct perfdata_processes *processes, const char *name, size_t length)
{
	uint64_t hash = perun_hash_text(name, length);
	uint32_t known = stacks_numbers_find(&processes->by_name, hash);

	if (known != UINT32_MAX)
		return known;
	stacks_numbers_add(&processes->by_name, hash, (uint32_t)processes->name_count);
	PERUN_GROW(processes->names, processes->name_count, processes->name_room);
	processes->names[processes->name_count] = perun_strndup(name, length);
	return (uint32_t)processes->name_count++;
}

const char *perfdata_thread_name(struct perfdata_processes *processes, int32_t thread)
{
	uint32_t place = stacks_numbers_find(&processes->by_thread, (uint32_t)thread);

	if (place != UINT32_MAX)
		return processes->names[processes->named[place]];
	return thread == 0 ? "swapper" : "";
}

static void forget_maps(struct perfdata_process *process)
{
	tdestroy(process->maps, perun_free);
	process->maps = NULL;
}

/* A program that is executed has nothing of what was there before it. */
static void read_name(struct perfdata_processes *processes, const struct perfdata_record *record)
{
	struct cursor cursor = {record->data, record->data + record->size,
				.big = processes->file->big};
	int32_t pid = (int32_t)cursor_32(&cursor), thread = (int32_t)cursor_32(&cursor);
	size_t length;
	const char *name = cursor_text(&cursor, &length);

	name_thread(processes, thread, find_name(processes, name, length));
	processes->executed |= record->misc & IS_EXEC;
	if (record->misc & IS_EXEC)
		forget_maps(find_process(processes, pid));
}

static void copy_map(const void *node, VISIT visit, void *child)
{
	if (visit == preorder || visit == leaf)
		insert(child, **(struct perfdata_map *const *)node);
}

static void read_fork(struct perfdata_processes *processes, const struct perfdata_record *record)
{
	struct cursor cursor = {record->data, record->data + record->size,
				.big = processes->file->big};
	int32_t pid = (int32_t)cursor_32(&cursor), parent = (int32_t)cursor_32(&cursor);
	int32_t thread = (int32_t)cursor_32(&cursor), from = (int32_t)cursor_32(&cursor);
	uint32_t place = stacks_numbers_find(&processes->by_thread, (uint32_t)from);
	struct perfdata_process *child, *old;

	if (cursor.truncated)
		return;
	if (place != UINT32_MAX)
		name_thread(processes, thread, processes->named[place]);
	if (pid == parent)
		return;
	find_process(processes, pid);
	old = find_process(processes, parent);
	child = find_process(processes, pid);
	forget_maps(child);
	twalk_r(old->maps, copy_map, child);
}

static void read_kernel_symbol(struct perfdata_processes *processes,
			       const struct perfdata_record *record)
{
	struct cursor cursor = {record->data, record->data + record->size,
				.big = processes->file->big};
	struct perfdata_map map = {.start = cursor_64(&cursor)};
	size_t length;
	char *name;

	map.limit = map.start + cursor_32(&cursor);
	map.offset = map.start;
	cursor_32(&cursor); /* what it is, and whether it is gone */
	name = (char *)cursor_text(&cursor, &length);
	if (cursor.truncated || !length || map.limit <= map.start)
		return;
	name = perun_strndup(name, length);
	map.object = find_object(processes, name, true, "");
	processes->objects[map.object].named = true;
	add_map(&processes->processes[0], map);
	perun_free(name);
}

int perfdata_processes_read(struct perfdata_processes *processes,
			    const struct perfdata_record *record)
{
	switch (record->type) {
	case RECORD_MAP:
	case RECORD_MAP2:
		return read_map(processes, record);
	case RECORD_NAME:
		read_name(processes, record);
		break;
	case RECORD_FORK:
		read_fork(processes, record);
		break;
	case RECORD_KERNEL_SYMBOL:
		read_kernel_symbol(processes, record);
		break;
	}
	return PERUN_OK;
}
