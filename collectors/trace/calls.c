/* SPDX-License-Identifier: BSD-3-Clause */
/* The calls of a traced program, read from the files of its threads and put together. */
#include <config.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <perun/lib/hash.h>

#include "calls.h"

/* Where files were mapped in the process at hand. */
struct module {
	uint64_t start, limit, bias;
	uint32_t file;
};

struct loading {
	struct perun_ctx *ctx;
	const char *folder;
	struct calls *calls;
	struct module *modules;
	size_t module_count, module_capacity;
	char *process;   /* "PID-PROCESS" that the modules are of */
	uint32_t *known; /* functions, a hash table; UINT32_MAX = free */
	size_t known_size;
};

/* One thread's file, mapped. */
struct thread_file {
	const struct trace_header *header; /* a copy: the process may still run */
	const struct trace_frame *frames;
	const struct trace_node *nodes;
	const struct trace_record *records;
	uint32_t *translation; /* its nodes as ours */
};

/* ---- modules ------------------------------------------------------------------------------------ */

uint32_t calls_file(struct calls *calls, const char *path)
{
	for (size_t i = 0; i < calls->file_count; i++)
		if (strcmp(calls->files[i], path) == 0)
			return (uint32_t)i;
	PERUN_GROW(calls->files, calls->file_count, calls->file_capacity);
	calls->files[calls->file_count] = perun_strdup(path);
	return (uint32_t)calls->file_count++;
}

static void read_modules(struct loading *loading)
{
	char *name = perun_format("%s/modules-%s", loading->folder, loading->process);
	FILE *file = fopen(name, "re");
	char line[8192];

	perun_free(name);
	loading->module_count = 0;
	while (file && fgets(line, sizeof line, file)) {
		struct module module;
		char *at = line;

		line[strcspn(line, "\n")] = '\0';
		module.start = strtoull(at, &at, 16);
		module.limit = strtoull(at, &at, 16);
		module.bias = strtoull(at, &at, 16);
		if (*at != ' ' || module.limit <= module.start)
			continue;
		module.file = calls_file(loading->calls, at + 1);
		PERUN_GROW(loading->modules, loading->module_count, loading->module_capacity);
		loading->modules[loading->module_count++] = module;
	}
	if (file)
		fclose(file);
}

static uint32_t *place_of(const struct loading *loading, const struct calls_function *function)
{
	uint64_t hash = perun_hash_number(perun_hash_number(function->address) ^ function->file);
	size_t at = (size_t)hash & (loading->known_size - 1);

	for (; loading->known[at] != UINT32_MAX; at = (at + 1) & (loading->known_size - 1)) {
		const struct calls_function *known = &loading->calls->functions[loading->known[at]];

		if (known->address == function->address && known->file == function->file)
			break;
	}
	return &loading->known[at];
}

static void grow_known(struct loading *loading)
{
	loading->known_size = loading->known_size ? loading->known_size * 2 : 1024;
	loading->known =
		perun_realloc_array(loading->known, loading->known_size, sizeof *loading->known);
	memset(loading->known, 0xff, loading->known_size * sizeof *loading->known);
	for (size_t i = 0; i < loading->calls->function_count; i++)
		*place_of(loading, &loading->calls->functions[i]) = (uint32_t)i;
}

uint32_t calls_add_function(struct calls *calls, const struct calls_function *function)
{
	struct calls_function *added;

	PERUN_GROW(calls->functions, calls->function_count, calls->function_capacity);
	added = &calls->functions[calls->function_count];
	*added = *function;
	added->name = function->name ? perun_strdup(function->name) : NULL;
	return (uint32_t)calls->function_count++;
}

static uint32_t find_function(struct loading *loading, uint64_t address)
{
	struct calls *calls = loading->calls;
	struct calls_function function = {.address = address, .file = CALLS_NO_FILE};
	uint32_t *place;

	/* The latest list of modules is the last one. */
	for (size_t i = loading->module_count; i-- > 0;) {
		const struct module *module = &loading->modules[i];

		if (address - module->start < module->limit - module->start) {
			function.address -= module->bias;
			function.file = module->file;
			break;
		}
	}
	if (calls->function_count * 2 >= loading->known_size)
		grow_known(loading);
	place = place_of(loading, &function);
	if (*place != UINT32_MAX)
		return *place;
	return *place = calls_add_function(calls, &function);
}

/* ---- the tree ----------------------------------------------------------------------------------- */

static uint32_t add_node(struct calls *calls, uint32_t parent, uint32_t function)
{
	PERUN_GROW(calls->nodes, calls->node_count, calls->node_capacity);
	calls->nodes[calls->node_count] =
		(struct calls_node){.function = function, .parent = parent};
	return (uint32_t)calls->node_count++;
}

uint32_t calls_node(struct calls *calls, uint32_t parent, uint32_t function)
{
	uint32_t child = calls->nodes[parent].child;

	while (child && calls->nodes[child].function != function)
		child = calls->nodes[child].sibling;
	if (!child) {
		child = add_node(calls, parent, function);
		calls->nodes[child].sibling = calls->nodes[parent].child;
		calls->nodes[parent].child = child;
	}
	return child;
}

void calls_add_record(struct calls *calls, const struct calls_record *record)
{
	PERUN_GROW(calls->records, calls->record_count, calls->record_capacity);
	calls->records[calls->record_count++] = *record;
	calls->sizes |= record->size != TRACE_NO_SIZE;
}

static bool add_nodes(struct loading *loading, const struct thread_file *file)
{
	struct calls *calls = loading->calls;

	file->translation[0] = 0;
	for (uint32_t i = 1; i < file->header->node_count; i++) {
		const struct trace_node *node = &file->nodes[i];
		uint32_t ours;

		if (node->parent >= i)
			return false;
		ours = calls_node(calls, file->translation[node->parent],
				  find_function(loading, node->function));
		file->translation[i] = ours;
		calls->nodes[ours].count += node->calls;
		calls->nodes[ours].inclusive += node->inclusive;
		calls->nodes[ours].exclusive += node->exclusive;
		calls->total += node->calls;
		calls->functions[calls->nodes[ours].function].count += node->calls;
		calls->functions[calls->nodes[ours].function].inclusive += node->inclusive;
	}
	return true;
}

static bool add_records(struct loading *loading, const struct thread_file *file)
{
	struct calls *calls = loading->calls;

	for (uint64_t i = 0; i < file->header->record_count; i++) {
		const struct trace_record *record = &file->records[i];
		struct calls_record ours;

		if (record->node >= file->header->node_count)
			return false;
		ours = (struct calls_record){
			.start = record->start,
			.inclusive = record->inclusive,
			.exclusive = record->exclusive,
			.order = record->order,
			.size = record->size,
			.node = file->translation[record->node],
			.thread = file->header->thread,
		};
		calls_add_record(calls, &ours);
	}
	return true;
}

/* Calls that were open when the program ended: until the last event of their thread. */
static bool add_open(struct loading *loading, const struct thread_file *file, uint64_t base)
{
	struct calls *calls = loading->calls;
	uint64_t end = file->header->last, inner = 0;

	for (uint32_t i = file->header->depth; i > 0; i--) {
		const struct trace_frame *frame = &file->frames[i];
		uint64_t inclusive, children = frame->children + inner;
		struct calls_record record;
		struct calls_node *node;

		if (frame->node == 0 || frame->node >= file->header->node_count)
			return false;
		if (frame->start > end)
			end = frame->start;
		node = &calls->nodes[file->translation[frame->node]];
		inclusive = end - frame->start;
		inner = inclusive;
		children = children < inclusive ? children : inclusive;
		node->count++;
		node->inclusive += inclusive;
		node->exclusive += inclusive - children;
		calls->total++;
		record = (struct calls_record){
			.start = frame->start - base,
			.inclusive = inclusive,
			.exclusive = inclusive - children,
			.order = frame->order,
			.size = frame->size,
			.node = file->translation[frame->node],
			.thread = file->header->thread,
		};
		calls_add_record(calls, &record);
	}
	return true;
}

/* ---- files -------------------------------------------------------------------------------------- */

static bool part_fits(uint64_t at, uint64_t count, size_t size, uint64_t whole)
{
	return at % 8 == 0 && at <= whole && count <= (whole - at) / size;
}

static bool open_parts(struct thread_file *file, const struct trace_header *header,
		       const char *memory, uint64_t size)
{
	if (header->magic != TRACE_MAGIC || header->node_count == 0 ||
	    !part_fits(header->frames_at, (uint64_t)header->depth + 1, sizeof *file->frames,
		       size) ||
	    !part_fits(header->nodes_at, header->node_count, sizeof *file->nodes, size) ||
	    !part_fits(header->records_at, header->record_count, sizeof *file->records, size))
		return false;
	file->header = header;
	file->frames = (const void *)(memory + header->frames_at);
	file->nodes = (const void *)(memory + header->nodes_at);
	file->records = (const void *)(memory + header->records_at);
	return true;
}

static bool add_thread(struct loading *loading, const char *memory, uint64_t size, uint64_t base)
{
	struct calls *calls = loading->calls;
	struct trace_header header;
	struct thread_file file;
	bool good;

	if (size < sizeof header)
		return true; /* of a process that just began */
	memcpy(&header, memory, sizeof header);
	if (header.magic == 0)
		return true;
	if (!open_parts(&file, &header, memory, size))
		return false;
	if (header.node_count == 1 && header.depth == 0)
		return true; /* only calibrated */
	file.translation = perun_alloc_zero(file.header->node_count, sizeof *file.translation);
	good = add_nodes(loading, &file) && add_records(loading, &file) &&
	       add_open(loading, &file, base);
	perun_free(file.translation);
	calls->threads++;
	calls->deep += file.header->deep;
	calls->full += file.header->full;
	calls->unmatched += file.header->unmatched;
	return good;
}

/* Functions of the process at hand that were traced no longer. */
static void read_excluded(struct loading *loading)
{
	char *name = perun_format("%s/excluded-%s", loading->folder, loading->process);
	FILE *file = fopen(name, "re");
	unsigned long long address, time;

	perun_free(name);
	while (file && fscanf(file, "%llx %llx", &address, &time) == 2) {
		uint32_t function = find_function(loading, address);

		if (!loading->calls->functions[function].excluded)
			loading->calls->functions[function].excluded = time ? time : 1;
	}
	if (file)
		fclose(file);
}

static int read_thread(struct loading *loading, const char *name, uint64_t base)
{
	char *path = perun_format("%s/%s", loading->folder, name);
	int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW), status = PERUN_OK;
	const char *process = name + strlen("thread-"), *end = strrchr(name, '-');
	void *memory = MAP_FAILED;
	struct stat facts;

	if (file >= 0 && fstat(file, &facts) == 0 && facts.st_size == 0) {
		close(file);
		perun_free(path);
		return PERUN_OK;
	}
	if (file >= 0)
		memory = mmap(NULL, (size_t)facts.st_size, PROT_READ, MAP_SHARED, file, 0);
	if (memory == MAP_FAILED) {
		status = perun_fail_errno(loading->ctx, PERUN_INPUT, errno, "cannot read %s", path);
	} else {
		if (!loading->process ||
		    strncmp(loading->process, process, (size_t)(end - process)) != 0 ||
		    strlen(loading->process) != (size_t)(end - process)) {
			perun_free(loading->process);
			loading->process = perun_strndup(process, (size_t)(end - process));
			loading->calls->processes++;
			read_modules(loading);
			read_excluded(loading);
		}
		if (!add_thread(loading, memory, (uint64_t)facts.st_size, base))
			status = perun_fail(loading->ctx, PERUN_INPUT,
					    "%s: the program wrote over what was recorded", path);
		munmap(memory, (size_t)facts.st_size);
	}
	if (file >= 0)
		close(file);
	perun_free(path);
	return status;
}

static int is_thread(const struct dirent *entry)
{
	const char *name = entry->d_name;

	return strncmp(name, "thread-", 7) == 0 && strchr(name + 7, '-') &&
	       strrchr(name, '-') > strchr(name + 7, '-');
}

static int by_order(const void *a, const void *b)
{
	const struct calls_record *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start ? 1 : x->order < y->order ? -1 : 1;
}

void calls_sort(struct calls *calls)
{
	if (calls->record_count)
		qsort(calls->records, calls->record_count, sizeof *calls->records, by_order);
}

void calls_init(struct calls *calls)
{
	*calls = (struct calls){0};
	add_node(calls, 0, UINT32_MAX);
}

int calls_read(struct perun_ctx *ctx, const char *folder, uint64_t base, struct calls *calls)
{
	struct loading loading = {.ctx = ctx, .folder = folder, .calls = calls};
	struct dirent **names;
	int count = scandir(folder, &names, is_thread, versionsort), status = PERUN_OK;

	if (count < 0)
		return perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot read %s", folder);
	for (int i = 0; i < count; i++) {
		if (!status)
			status = read_thread(&loading, names[i]->d_name, base);
		free(names[i]);
	}
	free(names);
	calls_sort(calls);
	perun_free(loading.modules);
	perun_free(loading.process);
	perun_free(loading.known);
	return status;
}

void calls_free(struct calls *calls)
{
	for (size_t i = 0; i < calls->file_count; i++)
		perun_free(calls->files[i]);
	for (size_t i = 0; i < calls->function_count; i++)
		perun_free(calls->functions[i].name);
	perun_free(calls->files);
	perun_free(calls->functions);
	perun_free(calls->nodes);
	perun_free(calls->records);
}
