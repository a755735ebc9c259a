/* SPDX-License-Identifier: BSD-3-Clause */
/* What a recording says of itself: names of events, builds of files, the machine, the command. */
#include <inttypes.h>
#include <string.h>

#include <perun/json.h>
#include <perun/lib/hash.h>

#include "file.h"

enum {
	FEATURE_BUILD_ID = 2,
	FEATURE_HOST = 3,
	FEATURE_RELEASE = 4,
	FEATURE_VERSION = 5,
	FEATURE_ARCHITECTURE = 6,
	FEATURE_PROCESSOR = 8,
	FEATURE_MEMORY = 10,
	FEATURE_COMMAND = 11,
	FEATURE_EVENTS = 12,
	FEATURE_AUXILIARY = 18,
	FEATURE_FOLDER = 24,
	BUILD_ID = 20,
	BUILD_ID_ROOM = 24,
	HAS_SIZE = 1 << 15,
	MAX_WORDS = 1 << 16
};

/* A text with its room before it, which may be more than it needs. */
static const char *take_text(struct cursor *cursor, size_t *length)
{
	uint32_t room = cursor_32(cursor);
	const uint8_t *bytes = cursor_bytes(cursor, room);

	*length = bytes ? strnlen((const char *)bytes, room) : 0;
	return bytes ? (const char *)bytes : "";
}

static void comment(struct perfdata *file, const char *key, const char *text, size_t length)
{
	char *line = perun_format("%s : %.*s", key, (int)length, text);

	perun_json_append(file->comments, perun_json_text(line));
	perun_free(line);
}

static void read_command(struct perfdata *file, struct cursor *cursor)
{
	uint32_t count = cursor_32(cursor);
	struct perun_buffer words = {0};

	for (uint32_t i = 0; i < count && i < MAX_WORDS && !cursor->truncated; i++) {
		size_t length;
		const char *word = take_text(cursor, &length);

		perun_buffer_printf(&words, "%s%.*s", i ? " " : "", (int)length, word);
	}
	if (words.length && !file->command) {
		file->command = perun_strndup(words.data, words.length);
		comment(file, "cmdline", words.data, words.length);
	}
	perun_buffer_free(&words);
}

/* The names of events, by the ids of their records, else by their order. */
static void read_events(struct perfdata *file, struct cursor *cursor)
{
	uint32_t count = cursor_32(cursor), size = cursor_32(cursor);

	for (uint32_t i = 0; i < count && !cursor->truncated; i++) {
		size_t length, number = i;
		const char *name;
		uint32_t ids;

		cursor_bytes(cursor, size);
		ids = cursor_32(cursor);
		name = take_text(cursor, &length);
		for (uint32_t j = 0; j < ids && !cursor->truncated; j++) {
			uint32_t known = stacks_numbers_find(&file->ids, cursor_64(cursor));

			number = known == UINT32_MAX ? number : known;
		}
		if (!cursor->truncated && number < file->event_count && length &&
		    !file->events[number].name)
			file->events[number].name = perun_strndup(name, length);
	}
}

void perfdata_add_build_id(struct perfdata *file, uint16_t misc, struct cursor cursor)
{
	struct perfdata_build_id id = {0};
	size_t size = BUILD_ID, length;
	const uint8_t *bytes;
	const char *name;

	cursor_32(&cursor); /* the process */
	bytes = cursor_bytes(&cursor, BUILD_ID_ROOM);
	name = cursor_text(&cursor, &length);
	if (!bytes || !length)
		return;
	if (misc & HAS_SIZE && bytes[BUILD_ID] && bytes[BUILD_ID] < BUILD_ID)
		size = bytes[BUILD_ID];
	for (size_t i = 0; i < size; i++)
		perun_snprintf(id.text + 2 * i, 3, "%02x", bytes[i]);
	id.file = perun_strndup(name, length);
	stacks_numbers_add(&file->by_file, perun_hash_text(name, length),
			   (uint32_t)file->build_id_count);
	PERUN_GROW(file->build_ids, file->build_id_count, file->build_id_room);
	file->build_ids[file->build_id_count++] = id;
}

/* As records, each with a head. */
static void read_build_ids(struct perfdata *file, struct cursor *cursor)
{
	while (cursor_left(cursor) >= 8) {
		struct cursor one = {.big = file->big};
		uint16_t misc, size;

		cursor_32(cursor);
		misc = (uint16_t)cursor_take(cursor, 2);
		size = (uint16_t)cursor_take(cursor, 2);
		if (size < 8 || !(one.at = cursor_bytes(cursor, size - 8u)))
			return;
		one.end = one.at + size - 8;
		perfdata_add_build_id(file, misc, one);
	}
}

static void read_text(struct perfdata *file, const char *key, struct cursor *cursor)
{
	size_t length;
	const char *text = take_text(cursor, &length);

	if (!length)
		return;
	comment(file, key, text, length);
	if (strcmp(key, "os release") == 0 && !file->release)
		file->release = perun_strndup(text, length);
	if (strcmp(key, "arch") == 0)
		file->foreign = length != strlen("x86_64") || memcmp(text, "x86_64", length) != 0;
}

static void read_memory(struct perfdata *file, struct cursor *cursor)
{
	char text[32];

	perun_snprintf(text, sizeof text, "%" PRIu64 " kB", cursor_64(cursor));
	comment(file, "total memory", text, strlen(text));
}

void perfdata_read_feature(struct perfdata *file, unsigned number, struct cursor cursor)
{
	switch (number) {
	case FEATURE_BUILD_ID:
		read_build_ids(file, &cursor);
		break;
	case FEATURE_HOST:
		read_text(file, "hostname", &cursor);
		break;
	case FEATURE_RELEASE:
		read_text(file, "os release", &cursor);
		break;
	case FEATURE_VERSION:
		read_text(file, "perf version", &cursor);
		break;
	case FEATURE_ARCHITECTURE:
		read_text(file, "arch", &cursor);
		break;
	case FEATURE_PROCESSOR:
		read_text(file, "cpudesc", &cursor);
		break;
	case FEATURE_MEMORY:
		read_memory(file, &cursor);
		break;
	case FEATURE_COMMAND:
		read_command(file, &cursor);
		break;
	case FEATURE_EVENTS:
		read_events(file, &cursor);
		break;
	case FEATURE_AUXILIARY:
		file->beyond = "what a processor traced (AUX data)";
		break;
	case FEATURE_FOLDER:
		file->beyond = "records in several files";
		break;
	}
}

/* What the kernel calls events of the types 0 and 1, by their numbers. */
static const char *const hardware[] = {"cycles",
				       "instructions",
				       "cache-references",
				       "cache-misses",
				       "branches",
				       "branch-misses",
				       "bus-cycles",
				       "stalled-cycles-frontend",
				       "stalled-cycles-backend",
				       "ref-cycles"};
static const char *const software[] = {
	"cpu-clock",        "task-clock",   "page-faults",  "context-switches",
	"cpu-migrations",   "minor-faults", "major-faults", "alignment-faults",
	"emulation-faults", "dummy",        "bpf-output",   "cgroup-switches"};

void perfdata_name_events(struct perfdata *file)
{
	for (size_t i = 0; i < file->event_count; i++) {
		struct perfdata_event *event = &file->events[i];
		uint64_t number = event->configuration;

		if (event->name)
			continue;
		if (event->type == 0 && number < sizeof hardware / sizeof *hardware)
			event->name = perun_strdup(hardware[number]);
		else if (event->type == 1 && number < sizeof software / sizeof *software)
			event->name = perun_strdup(software[number]);
		else if (event->type == 4)
			event->name = perun_format("raw 0x%" PRIx64, number);
		else
			event->name =
				perun_format("event %" PRIu32 ":%" PRIu64, event->type, number);
	}
}
