/* SPDX-License-Identifier: BSD-3-Clause */
/* Which functions of a program have other machine code in another build of it. */
#include <config.h>

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include <perun/context.h>
#include <perun/lib/program.h>

#include "core/dissect/functions.h"
#include "core/dissect/image.h"
#include "core/dissect/file-list.h"

/* Data without a name is compared up to its first 0, or this number of bytes. */
#define MAX_DATA 4096
#define MIN_DATA 8

/* ---- symbols --------------------------------------------------------------------------------- */

struct symbol {
	const char *name;
	uint64_t address, size;
	bool function;
};

/* A program, and what is at its addresses. */
struct program {
	struct image image;
	const Elf64_Shdr *sections;
	size_t section_count;
	struct symbol *symbols; /* by address */
	struct symbol **named;  /* the functions, by name, then address */
	size_t count, capacity, named_count;
};

static int compare_addresses(const void *one, const void *other)
{
	const struct symbol *a = one, *b = other;

	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	/* Functions first, so that the last one at an address is what is found. */
	return (a->function < b->function) - (a->function > b->function);
}

static int compare_named(const void *one, const void *other)
{
	const struct symbol *a = *(struct symbol *const *)one, *b = *(struct symbol *const *)other;
	int order = strcmp(a->name, b->name);

	return order ? order : (a->address > b->address) - (a->address < b->address);
}

static void add_symbols(struct program *program, const Elf64_Shdr *table)
{
	const struct image *image = &program->image;
	const Elf64_Sym *symbols = (const void *)(image->data + table->sh_offset);

	if (table->sh_link >= program->section_count || table->sh_offset % 8 != 0 ||
	    !image_holds(image, table->sh_offset, table->sh_size))
		return;
	for (size_t i = 0; i < table->sh_size / sizeof *symbols; i++) {
		unsigned type = ELF64_ST_TYPE(symbols[i].st_info);
		const char *name =
			image_name(image, &program->sections[table->sh_link], symbols[i].st_name);

		if ((type != STT_FUNC && type != STT_OBJECT) || symbols[i].st_shndx == SHN_UNDEF ||
		    !*name)
			continue;
		PERUN_GROW(program->symbols, program->count, program->capacity);
		program->symbols[program->count++] =
			(struct symbol){name, symbols[i].st_value, symbols[i].st_size,
					type == STT_FUNC && symbols[i].st_size > 0};
	}
}

/* A program or a library with a table of its functions. */
static bool open_program(const char *path, struct program *program)
{
	const Elf64_Ehdr *header;

	*program = (struct program){0};
	if (!image_map(path, &program->image))
		return false;
	header = image_header(&program->image);
	if (header && header->e_type != ET_REL)
		program->sections = image_sections(&program->image, &program->section_count);
	for (size_t i = 0; i < program->section_count; i++) {
		if (program->sections[i].sh_type == SHT_SYMTAB)
			add_symbols(program, &program->sections[i]);
	}
	if (!program->count)
		return false;
	qsort(program->symbols, program->count, sizeof *program->symbols, compare_addresses);
	program->named = perun_alloc_zero(program->count, sizeof *program->named);
	for (size_t i = 0; i < program->count; i++) {
		if (program->symbols[i].function)
			program->named[program->named_count++] = &program->symbols[i];
	}
	qsort(program->named, program->named_count, sizeof *program->named, compare_named);
	return true;
}

static void close_program(struct program *program)
{
	perun_free(program->symbols);
	perun_free(program->named);
	image_unmap(&program->image);
	*program = (struct program){0};
}

/* ---- what is at an address ------------------------------------------------------------------- */

static const struct symbol *find_symbol(const struct program *program, uint64_t address)
{
	size_t low = 0, high = program->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (program->symbols[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return NULL;
	return address - program->symbols[low - 1].address < program->symbols[low - 1].size
		       ? &program->symbols[low - 1]
		       : NULL;
}

/* The bytes from an address on, `*length` of them to the end of their section; NULL = not in the file. */
static const unsigned char *find_bytes(const struct program *program, uint64_t address,
				       size_t *length)
{
	for (size_t i = 0; i < program->section_count; i++) {
		const Elf64_Shdr *section = &program->sections[i];
		uint64_t inside = address - section->sh_addr;

		if (!(section->sh_flags & SHF_ALLOC) || section->sh_type == SHT_NOBITS ||
		    address < section->sh_addr || inside >= section->sh_size ||
		    !image_holds(&program->image, section->sh_offset, section->sh_size))
			continue;
		*length = section->sh_size - inside;
		return program->image.data + section->sh_offset + inside;
	}
	return NULL;
}

/* What the loader puts at an address: the name of a function or object of a library, or NULL. */
static const char *find_loaded(const struct program *program, uint64_t address)
{
	for (size_t i = 0; i < program->section_count; i++) {
		const Elf64_Shdr *section = &program->sections[i], *names;
		const Elf64_Rela *relocations =
			(const void *)(program->image.data + section->sh_offset);
		const Elf64_Sym *symbols;
		const Elf64_Shdr *table;

		if (section->sh_type != SHT_RELA || section->sh_link >= program->section_count ||
		    section->sh_offset % 8 != 0 ||
		    !image_holds(&program->image, section->sh_offset, section->sh_size))
			continue;
		table = &program->sections[section->sh_link];
		if (table->sh_type != SHT_DYNSYM || table->sh_link >= program->section_count ||
		    table->sh_offset % 8 != 0 ||
		    !image_holds(&program->image, table->sh_offset, table->sh_size))
			continue;
		names = &program->sections[table->sh_link];
		symbols = (const void *)(program->image.data + table->sh_offset);
		for (size_t k = 0; k < section->sh_size / sizeof *relocations; k++) {
			size_t symbol = ELF64_R_SYM(relocations[k].r_info);

			if (relocations[k].r_offset == address && symbol &&
			    symbol < table->sh_size / sizeof *symbols)
				return image_name(&program->image, names, symbols[symbol].st_name);
		}
	}
	return NULL;
}

/* The name that an address has: of a slot of the loader's, or of a jump through one. */
static const char *find_import(const struct program *program, uint64_t address)
{
	const char *name = find_loaded(program, address);
	size_t length;
	const unsigned char *bytes = name ? NULL : find_bytes(program, address, &length);

	/* jmp *SLOT(%rip), after endbr64 and bnd. */
	for (size_t i = 0; bytes && i + 6 <= length && i <= 6; i++) {
		int32_t distance;

		if (bytes[i] != 0xff || bytes[i + 1] != 0x25)
			continue;
		memcpy(&distance, bytes + i + 2, sizeof distance);
		return find_loaded(program, address + i + 6 + (uint64_t)(int64_t)distance);
	}
	return name;
}

static bool is_same_data(const struct program *const programs[2], const uint64_t addresses[2])
{
	size_t lengths[2], most, same = 0;
	const unsigned char *bytes[2];

	for (int side = 0; side < 2; side++) {
		bytes[side] = find_bytes(programs[side], addresses[side], &lengths[side]);
		if (!bytes[side])
			return false;
	}
	most = lengths[0] < lengths[1] ? lengths[0] : lengths[1];
	while (same < most && same < MAX_DATA && bytes[0][same] == bytes[1][same] &&
	       (bytes[0][same] || same < MIN_DATA))
		same++;
	return same >= MIN_DATA && (same == most || same == MAX_DATA || !bytes[0][same]) &&
	       (same == most || bytes[0][same] == bytes[1][same]);
}

/* Whether two addresses mean the same. */
static bool is_same_place(const struct program *const programs[2], const uint64_t addresses[2])
{
	const struct symbol *symbols[2];
	const char *imports[2];

	for (int side = 0; side < 2; side++) {
		symbols[side] = find_symbol(programs[side], addresses[side]);
		imports[side] = symbols[side] ? NULL : find_import(programs[side], addresses[side]);
	}
	if (symbols[0] && symbols[1])
		return strcmp(symbols[0]->name, symbols[1]->name) == 0 &&
		       addresses[0] - symbols[0]->address == addresses[1] - symbols[1]->address;
	if (imports[0] || imports[1])
		return imports[0] && imports[1] && strcmp(imports[0], imports[1]) == 0;
	return !symbols[0] && !symbols[1] && is_same_data(programs, addresses);
}

/* ---- code ------------------------------------------------------------------------------------ */

/* Whether four bytes, which end `more` bytes before the end of their instruction, are distances to the same place. */
static bool is_same_distance(const struct program *const programs[2],
			     const struct symbol *const functions[2],
			     const unsigned char *const code[2], size_t at, size_t more)
{
	uint64_t addresses[2];

	for (int side = 0; side < 2; side++) {
		int32_t distance;

		memcpy(&distance, code[side] + at, sizeof distance);
		addresses[side] = functions[side]->address + at + sizeof distance + more +
				  (uint64_t)(int64_t)distance;
	}
	return is_same_place(programs, addresses);
}

static bool is_same_function(const struct program *const programs[2],
			     const struct symbol *const functions[2])
{
	/* The bytes of a value that some instructions have after the distance. */
	static const size_t values[] = {0, 1, 4, 2};
	const unsigned char *code[2];
	size_t size = functions[0]->size, lengths[2], done = 0;
	bool distances = image_header(&programs[0]->image)->e_machine == EM_X86_64;

	for (int side = 0; side < 2; side++) {
		code[side] = find_bytes(programs[side], functions[side]->address, &lengths[side]);
		if (!code[side] || functions[side]->size != size || lengths[side] < size)
			return false;
	}
	while (done < size) {
		size_t first, at = 0;
		bool found = false;

		if (code[0][done] == code[1][done]) {
			done++;
			continue;
		}
		first = done < 3 ? 0 : done - 3;
		for (size_t i = done + 1; distances && !found && i-- > first;) {
			for (size_t k = 0; !found && k < sizeof values / sizeof *values; k++) {
				found = i + 4 + values[k] <= size &&
					is_same_distance(programs, functions, code, i, values[k]);
				at = i + 4;
			}
		}
		if (!found)
			return false;
		done = at;
	}
	return true;
}

/* ---- all of them ----------------------------------------------------------------------------- */

const char *function_last_name(const char *symbol, size_t *length)
{
	const char *start = symbol;
	size_t end = strcspn(symbol, "(<[");

	/* "a/b.(*T).name": what is after the parentheses. */
	while (symbol[end] == '(' && end && symbol[end - 1] == '.' && strchr(symbol + end, ')')) {
		start = strchr(symbol + end, ')') + 1;
		start += *start == '.';
		end = (size_t)(start - symbol) + strcspn(start, "(<[");
	}
	for (const char *at = start; at < symbol + end; at++) {
		bool ends = at[0] == '.' &&
			    (isdigit((unsigned char)at[1]) || strncmp(at, ".constprop", 10) == 0 ||
			     strncmp(at, ".isra", 5) == 0 || strncmp(at, ".part", 5) == 0 ||
			     strncmp(at, ".cold", 5) == 0 || strncmp(at, ".func", 5) == 0);

		if (ends && at > start) {
			end = (size_t)(at - symbol);
			break;
		}
		if ((*at == '.' || *at == '/' || *at == ':') && at + 1 < symbol + end)
			start = at + 1;
	}
	*length = (size_t)(symbol + end - start);
	return start;
}

static void add_function(struct functions *functions, const struct symbol *symbol, bool changed,
			 bool common)
{
	size_t length;
	const char *name = function_last_name(symbol->name, &length);

	PERUN_GROW(functions->items, functions->count, functions->capacity);
	functions->items[functions->count++] =
		(struct function){perun_strndup(name, length), changed, common};
}

/* Functions of both by name; those with the same name in the order of their addresses. */
static void compare_programs(const struct program *const programs[2], struct functions *functions)
{
	size_t next[2] = {0, 0};

	while (next[0] < programs[0]->named_count || next[1] < programs[1]->named_count) {
		const struct symbol *symbols[2] = {NULL, NULL};
		int order;

		for (int side = 0; side < 2; side++) {
			if (next[side] < programs[side]->named_count)
				symbols[side] = programs[side]->named[next[side]];
		}
		order = !symbols[0]   ? 1
			: !symbols[1] ? -1
				      : strcmp(symbols[0]->name, symbols[1]->name);
		add_function(functions, order <= 0 ? symbols[0] : symbols[1],
			     order != 0 || !is_same_function(programs, symbols), order == 0);
		next[0] += order <= 0;
		next[1] += order >= 0;
	}
}

static int compare_functions(const void *one, const void *other)
{
	return strcmp(((const struct function *)one)->name, ((const struct function *)other)->name);
}

/* One entry a name. */
static void merge(struct functions *functions)
{
	size_t kept = 0;

	if (functions->count)
		qsort(functions->items, functions->count, sizeof *functions->items,
		      compare_functions);
	for (size_t i = 0; i < functions->count; i++) {
		struct function *function = &functions->items[i],
				*last = kept ? &functions->items[kept - 1] : NULL;

		if (last && strcmp(last->name, function->name) == 0) {
			last->changed |= function->changed;
			last->common |= function->common;
			perun_free(function->name);
		} else {
			functions->items[kept++] = *function;
		}
	}
	functions->count = kept;
}

void functions_compare(const char *const roots[2], struct functions *functions)
{
	struct perun_words names = {0};

	*functions = (struct functions){0};
	tree_list(roots[0], &names, NULL);
	for (size_t i = 0; i < names.count; i++) {
		struct program programs[2];
		bool open[2];

		for (int side = 0; side < 2; side++) {
			char *path = perun_format("%s/%s", roots[side], names.items[i]);

			open[side] = (!side || open[0]) && open_program(path, &programs[side]);
			perun_free(path);
			if (side && !open[0])
				programs[1] = (struct program){0};
		}
		if (open[0] && open[1])
			compare_programs(
				(const struct program *const[2]){&programs[0], &programs[1]},
				functions);
		close_program(&programs[0]);
		close_program(&programs[1]);
	}
	perun_words_free(&names);
	merge(functions);
}

const struct function *functions_find(const struct functions *functions, const char *name,
				      size_t length)
{
	char *copy = perun_strndup(name, length);
	const struct function key = {.name = copy}, *found = NULL;

	if (functions->count)
		found = bsearch(&key, functions->items, functions->count, sizeof *functions->items,
				compare_functions);
	perun_free(copy);
	return found;
}

void functions_free(struct functions *functions)
{
	for (size_t i = 0; i < functions->count; i++)
		perun_free(functions->items[i].name);
	perun_free(functions->items);
	*functions = (struct functions){0};
}
