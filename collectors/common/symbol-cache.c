/* SPDX-License-Identifier: BSD-3-Clause */
/* Files of lines "ADDRESS\tFUNCTION\tSOURCE\tLINE\tCOLUMN...", sorted by address: a frame for each inlined call. */
#include <config.h>

#include <dirent.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <perun/lib/path.h>

#include "collectors/common/symbol-cache.h"

/* More is begun again; of more files the oldest goes. */
enum { MAX_BYTES = 64 << 20, MAX_FILES = 64 };
static const char first_line[] = "perun symbols 1\n";

struct entry {
	uint64_t address;
	const char *line; /* in the text that was read; NULL: it is new */
	size_t length;    /* of the line, or where it begins in what is new */
};

struct symbol_cache {
	char *folder, *path;
	struct perun_buffer text, fresh; /* what was read; new lines */
	struct entry *entries;           /* sorted by address */
	size_t count, capacity;
	struct entry *added; /* in the order of being added */
	size_t added_count, added_capacity;
};

/* ---- reading ---------------------------------------------------------------------------------- */

static void list_lines(struct symbol_cache *cache)
{
	const char *at = cache->text.data, *end = at + cache->text.length;
	uint64_t last = 0;

	if (cache->text.length < sizeof first_line - 1 ||
	    memcmp(at, first_line, sizeof first_line - 1) != 0)
		return;
	for (at += sizeof first_line - 1; at < end;) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		char *rest;
		uint64_t address = newline ? strtoull(at, &rest, 16) : 0;

		/* A file that somebody else wrote is not trusted to be sorted. */
		if (!newline || *rest != '\t' || (cache->count && address <= last))
			break;
		PERUN_GROW(cache->entries, cache->count, cache->capacity);
		cache->entries[cache->count++] =
			(struct entry){address, at, (size_t)(newline + 1 - at)};
		last = address;
		at = newline + 1;
	}
}

struct symbol_cache *symbol_cache_open(const char *build_id, const char *kind)
{
	char *folder = strlen(build_id) < 8 ? NULL : perun_user_cache("symbols");
	struct symbol_cache *cache;

	if (!folder)
		return NULL;
	cache = perun_alloc_zero(1, sizeof *cache);
	cache->folder = folder;
	cache->path = perun_format("%s/%s-%s", cache->folder, build_id, kind);
	if (perun_path_read(cache->path, &cache->text) == 0)
		list_lines(cache);
	return cache;
}

static int by_address(const void *one, const void *other)
{
	const struct entry *a = one, *b = other;

	return (a->address > b->address) - (a->address < b->address);
}

/* The text up to a tab or the end of the line; false: the line has no more. */
static bool next_field(const char **at, const char *end, const char **field, size_t *length)
{
	const char *tab;

	if (*at >= end)
		return false;
	tab = memchr(*at, '\t', (size_t)(end - *at));
	*field = *at;
	*length = (size_t)((tab ? tab : end) - *at);
	*at = tab ? tab + 1 : end;
	return true;
}

static bool next_number(const char **at, const char *end, int64_t *number)
{
	const char *field;
	size_t length;

	if (!next_field(at, end, &field, &length))
		return false;
	*number = strtoll(field, NULL, 10);
	return true;
}

bool symbol_cache_find(const struct symbol_cache *cache, uint64_t address, struct symbol *symbol)
{
	struct entry wanted = {.address = address};
	const struct entry *found = cache->count ? bsearch(&wanted, cache->entries, cache->count,
							   sizeof wanted, by_address)
						 : NULL;
	const char *at, *end, *function, *source;
	size_t function_length, source_length;

	if (!found)
		return false;
	end = found->line + found->length - 1;
	at = (const char *)memchr(found->line, '\t', found->length) + 1;
	while (next_field(&at, end, &function, &function_length)) {
		struct symbol_line line;

		if (!next_field(&at, end, &source, &source_length) ||
		    !next_number(&at, end, &line.line) || !next_number(&at, end, &line.column))
			break;
		line.function = perun_strndup(function, function_length);
		line.source = perun_strndup(source, source_length);
		symbol->lines = perun_realloc_array(symbol->lines, symbol->count + 1,
						    sizeof *symbol->lines);
		symbol->lines[symbol->count++] = line;
	}
	return symbol->count > 0;
}

/* ---- writing ---------------------------------------------------------------------------------- */

static bool is_plain(const char *text)
{
	return !strpbrk(text, "\t\n");
}

void symbol_cache_add(struct symbol_cache *cache, uint64_t address, const struct symbol *symbol)
{
	bool plain = symbol->count > 0;
	size_t start = cache->fresh.length;

	for (size_t i = 0; i < symbol->count && plain; i++)
		plain = is_plain(symbol->lines[i].function) && is_plain(symbol->lines[i].source);
	if (!plain || start > MAX_BYTES)
		return;
	perun_buffer_printf(&cache->fresh, "%" PRIx64, address);
	for (size_t i = 0; i < symbol->count; i++)
		perun_buffer_printf(&cache->fresh, "\t%s\t%s\t%" PRId64 "\t%" PRId64,
				    symbol->lines[i].function, symbol->lines[i].source,
				    symbol->lines[i].line, symbol->lines[i].column);
	perun_buffer_add_char(&cache->fresh, '\n');
	PERUN_GROW(cache->added, cache->added_count, cache->added_capacity);
	cache->added[cache->added_count++] = (struct entry){address, NULL, start};
}

static void add_line(const struct symbol_cache *cache, const struct entry *entry,
		     struct perun_buffer *out)
{
	const char *line = entry->line ? entry->line : cache->fresh.data + entry->length;
	size_t length = entry->line ? entry->length : (size_t)(strchr(line, '\n') + 1 - line);

	perun_buffer_add(out, line, length);
}

/* Old and new lines in one order; each address once. */
static void merge(struct symbol_cache *cache, struct perun_buffer *out)
{
	size_t old = 0, fresh = 0;

	if (cache->text.length + cache->fresh.length > MAX_BYTES)
		cache->count = 0;
	qsort(cache->added, cache->added_count, sizeof *cache->added, by_address);
	perun_buffer_add_text(out, first_line);
	while (old < cache->count || fresh < cache->added_count) {
		const struct entry *a = old < cache->count ? &cache->entries[old] : NULL;
		const struct entry *b = fresh < cache->added_count ? &cache->added[fresh] : NULL;
		int order = !a ? 1 : !b ? -1 : by_address(a, b);

		add_line(cache, order <= 0 ? a : b, out);
		old += order <= 0;
		for (uint64_t address = order <= 0 ? a->address : b->address;
		     fresh < cache->added_count && cache->added[fresh].address == address;)
			fresh++;
	}
}

void symbol_cache_remove_oldest(const char *folder, size_t most)
{
	DIR *directory = opendir(folder);
	char *oldest = NULL;
	time_t when = 0;
	size_t count = 0;

	for (const struct dirent *entry; directory && (entry = readdir(directory));) {
		char *path = perun_format("%s/%s", folder, entry->d_name);
		struct stat facts;
		bool file = lstat(path, &facts) == 0 && S_ISREG(facts.st_mode);

		count += file;
		if (file && (!oldest || facts.st_mtime < when)) {
			perun_free(oldest);
			oldest = path;
			when = facts.st_mtime;
			path = NULL;
		}
		perun_free(path);
	}
	if (directory)
		closedir(directory);
	if (oldest && count > most)
		perun_path_unlink(oldest);
	perun_free(oldest);
}

void symbol_cache_close(struct symbol_cache *cache)
{
	struct perun_buffer out = {0};

	if (!cache)
		return;
	if (cache->added_count) {
		merge(cache, &out);
		if (perun_path_ensure_directories(cache->folder, 0700) == 0 &&
		    perun_path_replace(cache->path, out.data, out.length, 0600) == 0)
			symbol_cache_remove_oldest(cache->folder, MAX_FILES);
	}
	perun_buffer_free(&out);
	perun_buffer_free(&cache->text);
	perun_buffer_free(&cache->fresh);
	perun_free(cache->entries);
	perun_free(cache->added);
	perun_free(cache->folder);
	perun_free(cache->path);
	perun_free(cache);
}
