/* SPDX-License-Identifier: BSD-3-Clause */
/* The output of GNU's and of LLVM's objdump: instructions below the functions and lines that they are of. */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "commands/common/code/instructions.h"
#include "commands/common/code/tool.h"

/* What the lines above an instruction say of it. */
struct place {
	const char *function, *file;
	int64_t line;
};

/* "    1c30:  movq (%rdi), %r8": returns the text, cut at its end, or NULL. */
static const char *read_instruction(char *line, uint64_t *address)
{
	char *rest;

	if (!isxdigit((unsigned char)*line))
		return NULL;
	*address = strtoull(line, &rest, 16);
	if (*rest != ':' || !isspace((unsigned char)rest[1]))
		return NULL;
	rest += 1 + strspn(rest + 1, " \t");
	return *rest ? rest : NULL;
}

/* "; /src/w.cpp:12 (discriminator 3)", which GNU's has without "; ". */
static bool read_file_line(char *line, struct place *place)
{
	char *colon = NULL;

	for (char *at = line; *at; at++) {
		if (*at == ':' && isdigit((unsigned char)at[1]))
			colon = at;
	}
	if (!colon)
		return false;
	*colon = '\0';
	place->file = line;
	place->line = strtoll(colon + 1, NULL, 10);
	return true;
}

/* "; f(int)():" above the instructions of a function; "0000000000001c30 <f>:" at its start. */
static bool read_function(char *line, struct place *place)
{
	size_t length = strlen(line);

	if (length < 2 || line[length - 1] != ':')
		return false;
	if (length > 3 && strcmp(line + length - 3, "():") == 0)
		line[length - 3] = '\0';
	else
		line[length - 1] = '\0';
	place->function = line;
	return true;
}

static char *without_blanks(char *line)
{
	size_t length;

	line += strspn(line, " \t\r");
	length = strlen(line);
	while (length && strchr(" \t\r", line[length - 1]))
		length--;
	line[length] = '\0';
	return line;
}

static void read_one(struct code_instructions *instructions, char *line, struct place *place)
{
	uint64_t address;
	const char *text;

	line = without_blanks(line);
	text = read_instruction(line, &address);
	if (text) {
		PERUN_GROW(instructions->items, instructions->count, instructions->capacity);
		instructions->items[instructions->count++] = (struct code_instruction){
			address, text, place->function, place->file, place->line};
		return;
	}
	if (*line == ';')
		line += 1 + (line[1] == ' ');
	if (!read_file_line(line, place) && !read_function(line, place))
		*place = (struct place){"", "", 0};
}

static void read_all(struct code_instructions *instructions)
{
	struct place place = {"", "", 0};

	for (char *at = instructions->text.data; *at;) {
		char *end = strchr(at, '\n'), *next = end ? end + 1 : at + strlen(at);

		if (end)
			*end = '\0';
		read_one(instructions, at, &place);
		at = next;
	}
}

/* Whether the program is LLVM's, by its version; false with PERUN_MISSING in `status`: it is neither. */
static bool is_llvm(struct perun_ctx *ctx, const char *objdump, int *status)
{
	const char *const arguments[] = {objdump, "--version", NULL};
	struct perun_buffer text = {0};
	bool llvm;

	*status = tool_run(ctx, arguments, NULL, &text);
	perun_buffer_add_char(&text, '\0');
	llvm = strstr(text.data, "LLVM") != NULL;
	perun_buffer_free(&text);
	return llvm;
}

int code_instructions_read(struct perun_ctx *ctx, const char *tools, const struct code_range *range,
			   struct code_instructions *instructions)
{
	static const char *const names[] = {"llvm-objdump", "objdump", NULL};
	char *objdump = tool_find(tools, names), *path = tool_path(range->file);
	char *start = perun_format("--start-address=0x%" PRIx64, range->start);
	char *end = perun_format("--stop-address=0x%" PRIx64, range->end);
	int status = PERUN_MISSING;

	*instructions = (struct code_instructions){0};
	if (objdump) {
		bool llvm = is_llvm(ctx, objdump, &status);
		const char *const arguments[] = {objdump,
						 "--disassemble",
						 "--demangle",
						 "--no-show-raw-insn",
						 "--line-numbers",
						 start,
						 end,
						 path,
						 !range->intel ? NULL
						 : llvm        ? "--x86-asm-syntax=intel"
							       : "--disassembler-options=intel",
						 NULL};

		if (!status)
			status = tool_run(ctx, arguments, NULL, &instructions->text);
		perun_buffer_add_char(&instructions->text, '\0');
		if (!status)
			read_all(instructions);
	}
	perun_free(objdump);
	perun_free(path);
	perun_free(start);
	perun_free(end);
	return status;
}

void code_instructions_free(struct code_instructions *instructions)
{
	perun_free(instructions->items);
	perun_buffer_free(&instructions->text);
	*instructions = (struct code_instructions){0};
}
