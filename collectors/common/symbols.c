/* SPDX-License-Identifier: BSD-3-Clause */
/* Names, files and lines of addresses in ELF files, with elfutils. */
#include <config.h>

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <elfutils/version.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <perun/lib/path.h>

#include "collectors/common/demangle.h"
#include "collectors/common/generated.h"
#include "collectors/common/scopes.h"
#include "collectors/common/symbol-cache.h"
#include "collectors/common/symbol-table.h"
#include "collectors/common/symbols.h"
#include "collectors/common/vdso.h"

/* [low, high) of a compilation unit. */
struct unit_range {
	Dwarf_Addr low, high, bias;
	Dwarf_Die *unit;
};

struct symbol_unit {
	uintptr_t key; /* the unit's data in libdw */
	struct scopes *scopes;
};

struct symbol_file {
	char *path;
	Dwfl *dwfl;
	Dwfl_Module *module;
	GElf_Addr bias;
	bool c_library;
	struct symbol_cache *cache; /* NULL: there is none */
	struct unit_range *ranges;  /* by address */
	size_t range_count, range_capacity;
	bool units_listed;
	struct symbol_unit *units; /* by key */
	size_t unit_count, unit_capacity;
	struct generated *generated;
	struct symbol_table *table; /* NULL: not read yet */
};

struct kernel_symbol {
	uint64_t address;
	char *name;
};

struct symbols {
	char *folder;
	struct symbol_file *files;
	size_t count, capacity;
	struct kernel_symbol *kernel; /* by address */
	size_t kernel_count, kernel_capacity;
	bool kernel_read;
	struct demangler *demangler; /* NULL: names stay as they are */
	bool whole;                  /* lines of the C library, too */
};

static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_build_id_find_elf,
	.find_debuginfo = dwfl_standard_find_debuginfo,
	.section_address = dwfl_offline_section_address,
};

struct symbols *collectors_symbols_new(const char *folder)
{
	struct symbols *symbols = perun_alloc_zero(1, sizeof *symbols);

	symbols->folder = perun_strdup(folder ? folder : "");
	symbols->demangler = demangler_new();
	return symbols;
}

void collectors_symbols_free(struct symbols *symbols)
{
	if (!symbols)
		return;
	for (size_t i = 0; i < symbols->count; i++) {
		for (size_t k = 0; k < symbols->files[i].unit_count; k++)
			scopes_free(symbols->files[i].units[k].scopes);
		symbol_cache_close(symbols->files[i].cache);
		perun_free(symbols->files[i].units);
		perun_free(symbols->files[i].ranges);
		dwfl_end(symbols->files[i].dwfl);
		symbol_table_free(symbols->files[i].table);
		collectors_generated_free(symbols->files[i].generated);
		perun_free(symbols->files[i].path);
	}
	demangler_free(symbols->demangler);
	for (size_t i = 0; i < symbols->kernel_count; i++)
		perun_free(symbols->kernel[i].name);
	perun_free(symbols->kernel);
	perun_free(symbols->files);
	perun_free(symbols->folder);
	perun_free(symbols);
}

void collectors_symbols_keep_mangled(struct symbols *symbols)
{
	demangler_free(symbols->demangler);
	symbols->demangler = NULL;
}

void collectors_symbols_read_all(struct symbols *symbols)
{
	symbols->whole = true;
}

static void open_file(struct symbol_file *file)
{
	size_t length = strlen(COLLECTORS_GENERATED);
	GElf_Addr bias;
	int memory = -1;

	if (strncmp(file->path, COLLECTORS_GENERATED, length) == 0) {
		file->generated = collectors_generated_read((int32_t)atoi(file->path + length));
		return;
	}
	file->dwfl = dwfl_begin(&callbacks);
	if (!file->dwfl)
		return;
	/* The library of the kernel is the same in all processes. */
	if (strcmp(file->path, COLLECTORS_VDSO) == 0)
		memory = collectors_vdso_open();
	file->module = dwfl_report_offline(file->dwfl, file->path, file->path, memory);
	if (!file->module && memory >= 0)
		close(memory);
	dwfl_report_end(file->dwfl, NULL, NULL);
	if (file->module && dwfl_module_getelf(file->module, &bias))
		file->bias = bias;
	else
		file->module = NULL;
}

/*
 * Of itself it has names alone: unpacking the debugging information of the C library takes longer than most programs, only to find the lines
 * of what starts them and of malloc().
 */
static bool is_c_library(const char *path)
{
	const char *name = perun_path_base_name(path);

	return strncmp(name, "libc.so.", 8) == 0 || strncmp(name, "ld-linux", 8) == 0;
}

/* What is looked up for people, not by collectors: that has all that is known of an address. */
static void open_cache(const struct symbols *symbols, struct symbol_file *file)
{
	const unsigned char *id;
	GElf_Addr where;
	int length = file->module ? dwfl_module_build_id(file->module, &id, &where) : 0;
	struct perun_buffer digits = {0};

	if (!symbols->whole || length <= 0)
		return;
	for (int i = 0; i < length; i++)
		perun_buffer_printf(&digits, "%02x", id[i]);
	file->cache = symbol_cache_open(digits.data, symbols->demangler ? "readable" : "none");
	perun_buffer_free(&digits);
}

static struct symbol_file *find_file(struct symbols *symbols, const char *path)
{
	struct symbol_file *file;

	for (size_t i = 0; i < symbols->count; i++)
		if (strcmp(symbols->files[i].path, path) == 0)
			return &symbols->files[i];
	PERUN_GROW(symbols->files, symbols->count, symbols->capacity);
	file = &symbols->files[symbols->count++];
	*file = (struct symbol_file){.path = perun_strdup(path), .c_library = is_c_library(path)};
	open_file(file);
	open_cache(symbols, file);
	return file;
}

static char *readable(const struct symbols *symbols, const char *name)
{
	return name && symbols->demangler ? demangler_name(symbols->demangler, name)
					  : perun_strdup(name ? name : "");
}

/* A path that is relative to a folder which is relative itself: "../csu/start.c" in "./csu" is "csu/start.c". */
static char *join_relative(const char *folder, const char *path)
{
	size_t length;

	if (strncmp(folder, "./", 2) == 0)
		folder += 2;
	for (length = strlen(folder); length && strncmp(path, "../", 3) == 0; path += 3) {
		while (length && folder[length - 1] != '/')
			length--;
		length -= length > 0;
	}
	return perun_format("%.*s%s%s", (int)length, folder, length ? "/" : "", path);
}

static char *source_name(const struct symbols *symbols, Dwarf_Die *unit, const char *path)
{
	size_t length = strlen(symbols->folder);
	Dwarf_Attribute memory, *attribute;
	const char *folder;

	if (!path)
		return perun_strdup("");
	attribute = *path == '/' ? NULL : dwarf_attr(unit, DW_AT_comp_dir, &memory);
	folder = attribute ? dwarf_formstring(attribute) : NULL;
	if (folder && *folder != '/')
		return join_relative(folder, path);
	if (length && strncmp(path, symbols->folder, length) == 0 && path[length] == '/')
		path += length + 1;
	return perun_strdup(path);
}

static void add_line(struct symbol *symbol, char *function, char *source, int64_t line,
		     int64_t column)
{
	symbol->lines =
		perun_realloc_array(symbol->lines, symbol->count + 1, sizeof *symbol->lines);
	symbol->lines[symbol->count++] = (struct symbol_line){function, source, line, column};
}

/* ---- DWARF -------------------------------------------------------------------------------------- */

static int by_start(const void *one, const void *other)
{
	const struct unit_range *a = one, *b = other;

	return (a->low > b->low) - (a->low < b->low);
}

/* Of all units: not all compilers write the table of them. */
static void list_units(struct symbol_file *file)
{
	Dwarf_Die *unit = NULL;
	Dwarf_Addr bias, base, low, high;

	file->units_listed = true;
	while ((unit = dwfl_module_nextcu(file->module, unit, &bias))) {
		ptrdiff_t at = 0;

		while ((at = dwarf_ranges(unit, at, &base, &low, &high)) > 0) {
			if (low >= high)
				continue;
			PERUN_GROW(file->ranges, file->range_count, file->range_capacity);
			file->ranges[file->range_count++] =
				(struct unit_range){low + bias, high + bias, bias, unit};
		}
	}
	if (file->range_count)
		qsort(file->ranges, file->range_count, sizeof *file->ranges, by_start);
}

/* The compilation unit of an address. */
static Dwarf_Die *find_unit(struct symbol_file *file, Dwarf_Addr address, Dwarf_Addr *bias)
{
	Dwarf_Die *unit = dwfl_module_addrdie(file->module, address, bias);
	size_t low = 0, high;

	if (unit)
		return unit;
	if (!file->units_listed)
		list_units(file);
	high = file->range_count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (file->ranges[middle].low <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || address >= file->ranges[low - 1].high)
		return NULL;
	*bias = file->ranges[low - 1].bias;
	return file->ranges[low - 1].unit;
}

/* Functions and calls of a unit: of gcc -gsplit-dwarf the .dwo file has them, and the program but its lines. */
static Dwarf_Die *whole_unit(Dwarf_Die *unit, Dwarf_Die *memory)
{
#if _ELFUTILS_PREREQ(0, 171)
	if (dwarf_cu_info(unit->cu, NULL, NULL, NULL, memory, NULL, NULL, NULL) == 0 &&
	    memory->addr)
		return memory;
#else
	(void)memory;
#endif
	return unit;
}

static const char *function_name(Dwarf_Die *die)
{
	Dwarf_Attribute memory, *attribute;

	attribute = dwarf_attr_integrate(die, DW_AT_linkage_name, &memory);
	if (!attribute)
		attribute = dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &memory);
	return attribute ? dwarf_formstring(attribute) : dwarf_diename(die);
}

static int64_t number_of(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute memory, *attribute = dwarf_attr(die, name, &memory);
	Dwarf_Word value;

	return attribute && dwarf_formudata(attribute, &value) == 0 ? (int64_t)value : 0;
}

static const char *call_file(Dwarf_Die *unit, Dwarf_Die *die)
{
	Dwarf_Files *files;
	size_t count, number = (size_t)number_of(die, DW_AT_call_file);

	if (dwarf_getsrcfiles(unit, &files, &count) != 0 || number >= count)
		return NULL;
	return dwarf_filesrc(files, number, NULL, NULL);
}

/* The functions of a unit, by the unit's own data; what was read is kept. */
static struct scopes *scopes_of(struct symbol_file *file, Dwarf_Die *unit)
{
	size_t low = 0, high = file->unit_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (file->units[middle].key < (uintptr_t)unit->cu)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == file->unit_count || file->units[low].key != (uintptr_t)unit->cu) {
		PERUN_GROW(file->units, file->unit_count, file->unit_capacity);
		memmove(&file->units[low + 1], &file->units[low],
			(file->unit_count++ - low) * sizeof *file->units);
		file->units[low] = (struct symbol_unit){(uintptr_t)unit->cu, scopes_new(unit)};
	}
	return file->units[low].scopes;
}

/* The calls that were inlined at an address, and the function that they are in. */
static bool add_scopes(const struct symbols *symbols, struct symbol_file *file,
		       struct symbol *symbol, Dwarf_Die *unit, Dwarf_Addr address)
{
	Dwarf_Die memory, *whole = whole_unit(unit, &memory);
	Dwarf_Line *place = dwarf_getsrc_die(unit, address);
	const char *source = place ? dwarf_linesrc(place, NULL, NULL) : NULL;
	struct scope *scope = scopes_find(scopes_of(file, whole), address);
	int line = 0, column = 0;

	if (place) {
		dwarf_lineno(place, &line);
		dwarf_linecol(place, &column);
	}
	for (; scope; scope = scope->parent) {
		if (!scope->name)
			scope->name = readable(symbols, function_name(&scope->die));
		add_line(symbol, perun_strdup(scope->name), source_name(symbols, unit, source),
			 line, column);
		if (!scope->parent)
			break;
		source = call_file(whole, &scope->die);
		line = (int)number_of(&scope->die, DW_AT_call_line);
		column = (int)number_of(&scope->die, DW_AT_call_column);
	}
	return symbol->count > 0;
}

/* ---- the kernel --------------------------------------------------------------------------------- */

static int by_address(const void *a, const void *b)
{
	const struct kernel_symbol *x = a, *y = b;

	return x->address < y->address ? -1 : x->address > y->address;
}

/* Addresses are zero for users who must not know them. */
static void read_kernel(struct symbols *symbols)
{
	FILE *file = fopen("/proc/kallsyms", "re");
	char line[1024];

	symbols->kernel_read = true;
	while (file && fgets(line, sizeof line, file)) {
		/* "ffffffff81000000 T name [module]", hundred thousands of them: sscanf() is slow. */
		char *name, *end;
		unsigned long long address = strtoull(line, &end, 16);

		if (!address || end[0] != ' ' || !end[1] || !strchr("tTwW", end[1]) ||
		    end[2] != ' ')
			continue;
		name = end + 3;
		name[strcspn(name, " \t\n")] = '\0';
		PERUN_GROW(symbols->kernel, symbols->kernel_count, symbols->kernel_capacity);
		symbols->kernel[symbols->kernel_count++] =
			(struct kernel_symbol){address, perun_strdup(name)};
	}
	if (file)
		fclose(file);
	if (symbols->kernel_count)
		qsort(symbols->kernel, symbols->kernel_count, sizeof *symbols->kernel, by_address);
}

uint64_t collectors_symbols_kernel(struct symbols *symbols, const char *name)
{
	if (!symbols->kernel_read)
		read_kernel(symbols);
	for (size_t i = 0; i < symbols->kernel_count; i++)
		if (strcmp(symbols->kernel[i].name, name) == 0)
			return symbols->kernel[i].address;
	return 0;
}

static const char *kernel_name(struct symbols *symbols, uint64_t address)
{
	size_t low = 0, high;

	if (!symbols->kernel_read)
		read_kernel(symbols);
	high = symbols->kernel_count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (symbols->kernel[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? symbols->kernel[low - 1].name : COLLECTORS_KERNEL;
}

/* "free@GLIBC_2.2.5" */
static void without_version(char *name)
{
	name[strcspn(name, "@")] = '\0';
}

/* What programs call "free" is "__libc_free" where it is written. */
static void rename_outermost(const struct symbols *symbols, struct symbol *symbol, const char *name)
{
	struct symbol_line *line = &symbol->lines[symbol->count - 1];

	if (!name)
		return;
	perun_free(line->function);
	line->function = readable(symbols, name);
	without_version(line->function);
}

static const char *name_at(struct symbol_file *file, GElf_Addr place)
{
	if (!file->table)
		file->table = symbol_table_new(file->module);
	return symbol_table_name(file->table, place);
}

/* Without what was found before. */
static struct symbol look_up(struct symbols *symbols, struct symbol_file *file, uint64_t address)
{
	struct symbol symbol = {0};
	Dwarf_Addr bias = 0, place = address + file->bias;
	const char *name = NULL, *source = "";
	int64_t line = 0;
	Dwarf_Die *unit;
	char *text;

	if (file->module) {
		unit = file->c_library && !symbols->whole ? NULL : find_unit(file, place, &bias);
		if (unit && add_scopes(symbols, file, &symbol, unit, place - bias)) {
			if (file->c_library)
				rename_outermost(symbols, &symbol, name_at(file, place));
			return symbol;
		}
		name = name_at(file, place);
	} else if (file->generated) {
		name = collectors_generated_name(file->generated, address);
		source = collectors_generated_line(file->generated, address, &line);
	}
	text = readable(symbols, name);
	if (file->c_library)
		without_version(text);
	add_line(&symbol, text, perun_strdup(source), line, 0);
	return symbol;
}

/* Debugging information that is installed later would say more. */
static bool has_debugging(const struct symbol_file *file)
{
	Dwarf_Addr bias;

	return dwfl_module_getdwarf(file->module, &bias) != NULL;
}

struct symbol collectors_symbols_find(struct symbols *symbols, const char *path, uint64_t address)
{
	struct symbol symbol = {0};
	struct symbol_file *file;

	if (strcmp(path, COLLECTORS_KERNEL) == 0) {
		add_line(&symbol, perun_strdup(kernel_name(symbols, address)), perun_strdup(path),
			 0, 0);
		return symbol;
	}
	file = find_file(symbols, path);
	if (file->cache && symbol_cache_find(file->cache, address, &symbol))
		return symbol;
	symbol = look_up(symbols, file, address);
	if (file->cache && has_debugging(file))
		symbol_cache_add(file->cache, address, &symbol);
	return symbol;
}

void collectors_symbol_clear(struct symbol *symbol)
{
	for (size_t i = 0; i < symbol->count; i++) {
		perun_free(symbol->lines[i].function);
		perun_free(symbol->lines[i].source);
	}
	perun_free(symbol->lines);
	*symbol = (struct symbol){0};
}

/* ---- functions and lines by name ---------------------------------------------------------------- */

bool collectors_symbols_functions(struct symbols *symbols, const char *path,
				  symbols_handler *handler, void *data)
{
	struct symbol_file *file = find_file(symbols, path);
	int count = file->module ? dwfl_module_getsymtab(file->module) : 0;
	bool any = false;

	for (int i = 1; i < count; i++) {
		GElf_Sym symbol;
		GElf_Addr address;
		GElf_Word section;
		const char *name = dwfl_module_getsym_info(file->module, i, &symbol, &address,
							   &section, NULL, NULL);
		struct symbol_function function;
		char *text;

		if (!name || !*name || section == SHN_UNDEF || symbol.st_value == 0 ||
		    GELF_ST_TYPE(symbol.st_info) != STT_FUNC)
			continue;
		any = true;
		text = readable(symbols, name);
		function = (struct symbol_function){.name = text,
						    .linkage_name = name,
						    .address = address - file->bias,
						    .size = symbol.st_size};
		handler(data, &function);
		perun_free(text);
	}
	return any;
}

uint64_t collectors_symbols_line(struct symbols *symbols, const char *path, const char *source,
				 int line)
{
	struct symbol_file *file = find_file(symbols, path);
	Dwfl_Line **lines = NULL;
	uint64_t found = 0;
	size_t count = 0;

	if (!file->module ||
	    dwfl_module_getsrc_file(file->module, source, line, 0, &lines, &count) != 0)
		return 0;
	for (size_t i = 0; i < count; i++) {
		Dwarf_Addr address;
		int real = 0;

		/* What was found may be the next line that has code. */
		if (dwfl_lineinfo(lines[i], &address, &real, NULL, NULL, NULL) && real == line &&
		    (!found || address - file->bias < found))
			found = address - file->bias;
	}
	free(lines);
	return found;
}
