/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading the code of functions, instruction by instruction. */
#include <config.h>

#include <string.h>

#include "code.h"
#include "decode.h"

static void add_callee(struct code *code, uint64_t address)
{
	code->calls = true;
	if (code->callee_count && code->callees[code->callee_count - 1] == address)
		return;
	PERUN_GROW(code->callees, code->callee_count, code->callee_capacity);
	code->callees[code->callee_count++] = address;
}

static void take_instruction(struct code *code, uint64_t address, uint64_t length, uint64_t place,
			     const struct decoded *decoded)
{
	int64_t to = (int64_t)place + decoded->target;
	bool inside = to >= 0 && (uint64_t)to < length;

	switch (decoded->kind) {
	case DECODE_CALL:
		add_callee(code, address + (uint64_t)to);
		break;
	case DECODE_JUMP:
	case DECODE_BRANCH:
		if (!inside)
			add_callee(code, address + (uint64_t)to);
		else if (to <= (int64_t)place)
			code->loops = true;
		break;
	case DECODE_AWAY:
		code->calls = true;
		break;
	case DECODE_STRING:
		code->loops = true;
		break;
	default:
		break;
	}
}

static void add_line(struct code *code, const struct symbol_line *line)
{
	struct code_piece *piece;

	if (!*line->source || line->line < 1)
		return;
	for (size_t i = code->piece_count; i-- > 0;) {
		piece = &code->pieces[i];
		if (strcmp(piece->function, line->function) != 0 ||
		    strcmp(piece->source, line->source) != 0)
			continue;
		piece->first = line->line < piece->first ? line->line : piece->first;
		piece->last = line->line > piece->last ? line->line : piece->last;
		return;
	}
	PERUN_GROW(code->pieces, code->piece_count, code->piece_capacity);
	code->pieces[code->piece_count++] = (struct code_piece){
		perun_strdup(line->source), perun_strdup(line->function), line->line, line->line};
}

static void add_lines(struct code *code, struct symbols *symbols, const char *path,
		      uint64_t address)
{
	struct symbol symbol = collectors_symbols_find(symbols, path, address);

	for (size_t i = 0; i < symbol.count; i++)
		add_line(code, &symbol.lines[i]);
	collectors_symbol_clear(&symbol);
}

void code_read(struct code *code, uint64_t address, uint64_t length, struct images *images,
	       const char *path, struct symbols *symbols)
{
	uint32_t image = images_find(images, path);
	const uint8_t *bytes = images_bytes(images, image, address, length);

	*code = (struct code){.lined = symbols != NULL};
	for (uint64_t place = 0; bytes && place < length;) {
		struct decoded decoded = decode_instruction(bytes + place, length - place);

		if (symbols)
			add_lines(code, symbols, path, address + place);
		if (!decoded.length)
			bytes = NULL;
		take_instruction(code, address, length, place, &decoded);
		place += decoded.length;
	}
	if (!bytes || !length)
		code->calls = true;
}

void code_clear(struct code *code)
{
	for (size_t i = 0; i < code->piece_count; i++) {
		perun_free(code->pieces[i].source);
		perun_free(code->pieces[i].function);
	}
	perun_free(code->pieces);
	perun_free(code->callees);
	*code = (struct code){0};
}
