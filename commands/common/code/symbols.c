/* SPDX-License-Identifier: BSD-3-Clause */
/* The lists that nm prints, of names as they are and as the source has them. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "commands/common/code/symbols.h"
#include "commands/common/code/tool.h"

/* A line of nm. */
struct line {
	uint64_t address;
	uint64_t size; /* 0: not printed */
	const char *name;
};

/* "0000000000001c30 T main", "00001c30 000002f0 T main": the line is cut at its end. False: it is another one. */
static bool read_line(char **at, struct line *line)
{
	char *text = *at, *end = strchr(text, '\n'), *rest;

	*at = end ? end + 1 : text + strlen(text);
	if (end)
		*end = '\0';
	if (!isxdigit((unsigned char)*text))
		return false;
	*line = (struct line){.address = strtoull(text, &rest, 16)};
	if (rest[0] == ' ' && isxdigit((unsigned char)rest[1]) && isxdigit((unsigned char)rest[2]))
		line->size = strtoull(rest + 1, &rest, 16);
	if (rest[0] != ' ' || !rest[1] || rest[2] != ' ' || !rest[3])
		return false;
	line->name = rest + 3;
	return true;
}

static void add_symbol(struct code_symbols *symbols, const struct line *line)
{
	struct code_symbol *last = symbols->count ? &symbols->items[symbols->count - 1] : NULL;

	PERUN_GROW(symbols->names, symbols->name_count, symbols->name_capacity);
	symbols->names[symbols->name_count++] = perun_strdup(line->name);
	if (last && last->start == line->address) {
		last->count++;
		return;
	}
	if (last && last->end > line->address)
		last->end = line->address;
	PERUN_GROW(symbols->items, symbols->count, symbols->capacity);
	symbols->items[symbols->count++] = (struct code_symbol){
		line->address, line->size ? line->address + line->size : UINT64_MAX,
		symbols->name_count - 1, 1};
}

/* What to ask nm for. */
enum list { NAMES, PLAIN_NAMES, DYNAMIC_NAMES, PLAIN_DYNAMIC_NAMES };

static int list_symbols(struct perun_ctx *ctx, const char *nm, const char *file, enum list which,
			struct perun_buffer *list)
{
	static const char *const options[] = {[NAMES] = "-n",
					      [PLAIN_NAMES] = "-nC",
					      [DYNAMIC_NAMES] = "-nDS",
					      [PLAIN_DYNAMIC_NAMES] = "-nCDS"};
	char *path = tool_path(file);
	const char *const arguments[] = {nm, options[which], path, NULL};
	int status;

	perun_buffer_clear(list);
	status = tool_run(ctx, arguments, NULL, list);
	perun_buffer_add_char(list, '\0');
	perun_free(path);
	return status;
}

/* Of those that others are linked with, only some are listed: without a size their end is not known. */
static bool is_taken(const struct line *line, enum list which)
{
	return which < DYNAMIC_NAMES || line->size;
}

static void add_names(struct code_symbols *symbols, enum list which, char *list)
{
	struct line line;

	while (*list) {
		if (read_line(&list, &line) && is_taken(&line, which))
			add_symbol(symbols, &line);
	}
}

/* Of each name the one of the source: nm lists them in the same order. */
static void add_plain_names(struct code_symbols *symbols, enum list which, char *list)
{
	size_t count = 0;
	struct line line;

	symbols->plain = perun_alloc_zero(symbols->name_count + 1, sizeof *symbols->plain);
	while (*list && count < symbols->name_count) {
		if (read_line(&list, &line) && is_taken(&line, which))
			symbols->plain[count++] = perun_strdup(line.name);
	}
	while (count < symbols->name_count) {
		symbols->plain[count] = perun_strdup(symbols->names[count]);
		count++;
	}
}

int code_symbols_read(struct perun_ctx *ctx, const char *tools, const char *file,
		      struct code_symbols *symbols)
{
	static const char *const names[] = {"llvm-nm", "nm", NULL};
	struct perun_buffer list = {0};
	char *nm = tool_find(tools, names);
	int status = nm ? PERUN_OK : PERUN_MISSING;

	*symbols = (struct code_symbols){0};
	/* Of a stripped library those are left that others are linked with. */
	for (enum list which = NAMES; !status && !symbols->count && which <= DYNAMIC_NAMES;
	     which += DYNAMIC_NAMES - NAMES) {
		status = list_symbols(ctx, nm, file, which, &list);
		if (!status)
			add_names(symbols, which, list.data);
		if (!status && symbols->count) {
			status = list_symbols(ctx, nm, file, which + 1, &list);
			if (!status)
				add_plain_names(symbols, which, list.data);
		}
	}
	perun_buffer_free(&list);
	perun_free(nm);
	return status;
}

void code_symbols_free(struct code_symbols *symbols)
{
	for (size_t i = 0; i < symbols->name_count; i++) {
		perun_free(symbols->names[i]);
		if (symbols->plain)
			perun_free(symbols->plain[i]);
	}
	perun_free(symbols->names);
	perun_free(symbols->plain);
	perun_free(symbols->items);
	*symbols = (struct code_symbols){0};
}

const struct code_symbol *code_symbols_find(const struct code_symbols *symbols, uint64_t address)
{
	size_t low = 0, high = symbols->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (symbols->items[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low && address < symbols->items[low - 1].end ? &symbols->items[low - 1] : NULL;
}
