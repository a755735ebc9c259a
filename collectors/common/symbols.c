/* SPDX-License-Identifier: BSD-3-Clause */
/* Names, files and lines of addresses in ELF files, with elfutils. */
#include <config.h>

#include <dlfcn.h>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <elfutils/version.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <perun/lib/path.h>

#include "collectors/common/generated.h"
#include "collectors/common/symbols.h"

struct symbol_file {
	char *path;
	Dwfl *dwfl;
	Dwfl_Module *module;
	GElf_Addr bias;
	bool c_library;
	struct generated *generated;
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
	void *library;
	char *(*demangle)(const char *, char *, size_t *, int *);
	bool whole; /* lines of the C library, too */
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
	/* Programs in C++ have it; without it names stay as they are. */
	symbols->library = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL);
	if (symbols->library)
		*(void **)&symbols->demangle = dlsym(symbols->library, "__cxa_demangle");
	return symbols;
}

void collectors_symbols_free(struct symbols *symbols)
{
	if (!symbols)
		return;
	for (size_t i = 0; i < symbols->count; i++) {
		dwfl_end(symbols->files[i].dwfl);
		collectors_generated_free(symbols->files[i].generated);
		perun_free(symbols->files[i].path);
	}
	if (symbols->library)
		dlclose(symbols->library);
	for (size_t i = 0; i < symbols->kernel_count; i++)
		perun_free(symbols->kernel[i].name);
	perun_free(symbols->kernel);
	perun_free(symbols->files);
	perun_free(symbols->folder);
	perun_free(symbols);
}

void collectors_symbols_keep_mangled(struct symbols *symbols)
{
	symbols->demangle = NULL;
}

void collectors_symbols_read_all(struct symbols *symbols)
{
	symbols->whole = true;
}

static void open_file(struct symbol_file *file)
{
	size_t length = strlen(COLLECTORS_GENERATED);
	GElf_Addr bias;

	if (strncmp(file->path, COLLECTORS_GENERATED, length) == 0) {
		file->generated = collectors_generated_read((int32_t)atoi(file->path + length));
		return;
	}
	file->dwfl = dwfl_begin(&callbacks);
	if (!file->dwfl)
		return;
	file->module = dwfl_report_offline(file->dwfl, file->path, file->path, -1);
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
	return file;
}

static char *readable(const struct symbols *symbols, const char *name)
{
	char *text, *copy;
	int status;

	if (!name)
		return perun_strdup("");
	if (!symbols->demangle || strncmp(name, "_Z", 2) != 0)
		return perun_strdup(name);
	text = symbols->demangle(name, NULL, NULL, &status);
	copy = perun_strdup(text ? text : name);
	free(text);
	return copy;
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

/* The compilation unit of an address; not all compilers write the table of them. */
static Dwarf_Die *find_unit(Dwfl_Module *module, Dwarf_Addr address, Dwarf_Addr *bias)
{
	Dwarf_Die *unit = dwfl_module_addrdie(module, address, bias);

	if (unit)
		return unit;
	while ((unit = dwfl_module_nextcu(module, unit, bias)))
		if (dwarf_haspc(unit, address - *bias) > 0)
			return unit;
	return NULL;
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

/* The calls that were inlined at an address, and the function that they are in. */
static bool add_scopes(const struct symbols *symbols, struct symbol *symbol, Dwarf_Die *unit,
		       Dwarf_Addr address)
{
	Dwarf_Die memory, *whole = whole_unit(unit, &memory), *scopes = NULL, *parents = NULL;
	Dwarf_Line *place = dwarf_getsrc_die(unit, address);
	const char *source = place ? dwarf_linesrc(place, NULL, NULL) : NULL;
	int line = 0, column = 0, count = dwarf_getscopes(whole, address, &scopes);

	if (place) {
		dwarf_lineno(place, &line);
		dwarf_linecol(place, &column);
	}
	/* What an inlined function is in, instead of where it was written. */
	count = count > 0 ? dwarf_getscopes_die(&scopes[0], &parents) : 0;
	for (int i = 0; i < count; i++) {
		int tag = dwarf_tag(&parents[i]);

		if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_subprogram)
			continue;
		add_line(symbol, readable(symbols, function_name(&parents[i])),
			 source_name(symbols, unit, source), line, column);
		if (tag == DW_TAG_subprogram)
			break;
		source = call_file(whole, &parents[i]);
		line = (int)number_of(&parents[i], DW_AT_call_line);
		column = (int)number_of(&parents[i], DW_AT_call_column);
	}
	free(scopes);
	free(parents);
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

struct symbol collectors_symbols_find(struct symbols *symbols, const char *path, uint64_t address)
{
	struct symbol_file *file;
	struct symbol symbol = {0};
	Dwarf_Addr bias = 0, place;
	Dwarf_Die *unit;
	const char *name = NULL, *source = "";
	int64_t line = 0;
	char *text;

	if (strcmp(path, COLLECTORS_KERNEL) == 0) {
		add_line(&symbol, perun_strdup(kernel_name(symbols, address)), perun_strdup(path),
			 0, 0);
		return symbol;
	}
	file = find_file(symbols, path);
	place = address + file->bias;

	if (file->module) {
		unit = file->c_library && !symbols->whole ? NULL
							  : find_unit(file->module, place, &bias);
		if (unit && add_scopes(symbols, &symbol, unit, place - bias)) {
			if (file->c_library)
				rename_outermost(symbols, &symbol,
						 dwfl_module_addrname(file->module, place));
			return symbol;
		}
		name = dwfl_module_addrname(file->module, place);
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
