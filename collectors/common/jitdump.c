/* SPDX-License-Identifier: BSD-3-Clause */
/* Records of a jitdump: numbers in the order of the machine, texts that end with a zero byte. */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "collectors/common/jitdump.h"

/* More is not read: the file is the program's. */
enum { MAX_RECORD = 64 << 20, MAGIC = 0x4a695444 };
enum { CODE_LOAD = 0, CODE_MOVE = 1, DEBUG_INFO = 2, CODE_CLOSE = 3 };

struct header {
	uint32_t magic, version, size, machine, unused, pid;
	uint64_t time, flags;
};

struct prefix {
	uint32_t kind, size;
	uint64_t time;
};

/* What follows the prefix of a record; texts come after it. */
struct load {
	uint32_t pid, thread;
	uint64_t virtual_address, address, size, number;
};

struct move {
	uint32_t pid, thread;
	uint64_t virtual_address, from, to, size, number;
};

struct debug {
	uint64_t address, count;
};

struct entry {
	uint64_t address;
	uint32_t line, discriminator;
};

static void read_load(const unsigned char *body, size_t size, const struct jitdump_handler *handler,
		      void *data)
{
	struct load load;
	const char *name = (const char *)body + sizeof load;

	if (size <= sizeof load || !memchr(name, '\0', size - sizeof load))
		return;
	memcpy(&load, body, sizeof load);
	handler->code(data, load.address, load.size, name);
}

static void read_move(const unsigned char *body, size_t size, const struct jitdump_handler *handler,
		      void *data)
{
	struct move move;

	if (size < sizeof move)
		return;
	memcpy(&move, body, sizeof move);
	handler->move(data, move.from, move.to, move.size);
}

/* V8 writes the bytes of objects for some names; no length of what follows is right then. */
static bool is_text(const char *name)
{
	for (; *name; name++) {
		if ((unsigned char)*name < ' ' || *name == '\x7f')
			return false;
	}
	return true;
}

/* A name of 0xff means the one before. */
static void read_debug(const unsigned char *body, size_t size,
		       const struct jitdump_handler *handler, void *data)
{
	struct debug debug;
	const char *file = "";

	if (size < sizeof debug)
		return;
	memcpy(&debug, body, sizeof debug);
	for (size_t at = sizeof debug; debug.count > 0 && size - at > sizeof(struct entry);
	     debug.count--) {
		struct entry entry;
		const char *name = (const char *)body + at + sizeof entry;
		const char *end = memchr(name, '\0', size - at - sizeof entry);

		if (!end || !is_text(name))
			return;
		memcpy(&entry, body + at, sizeof entry);
		if (strcmp(name, "\xff") != 0)
			file = name;
		handler->line(data, &(struct jitdump_line){entry.address, file, entry.line});
		at = (size_t)(end + 1 - (const char *)body);
	}
}

static bool read_header(FILE *file)
{
	struct header header;

	return fread(&header, sizeof header, 1, file) == 1 && header.magic == MAGIC &&
	       header.version == 1 && header.size >= sizeof header &&
	       fseek(file, (long)header.size, SEEK_SET) == 0;
}

bool jitdump_read(FILE *file, const struct jitdump_handler *handler, void *data)
{
	struct prefix prefix;
	unsigned char *body = NULL;

	if (!read_header(file))
		return false;
	while (fread(&prefix, sizeof prefix, 1, file) == 1 && prefix.size >= sizeof prefix &&
	       prefix.size <= MAX_RECORD && prefix.kind != CODE_CLOSE) {
		size_t size = prefix.size - sizeof prefix;

		body = perun_realloc_array(body, size + 1, 1);
		if (fread(body, 1, size, file) != size)
			break;
		if (prefix.kind == CODE_LOAD)
			read_load(body, size, handler, data);
		else if (prefix.kind == CODE_MOVE)
			read_move(body, size, handler, data);
		else if (prefix.kind == DEBUG_INFO)
			read_debug(body, size, handler, data);
	}
	perun_free(body);
	return true;
}
