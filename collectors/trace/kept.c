/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A file of lines. First the functions, if the file itself has them all: "=ADDRESS SIZE\tNAME\tREADABLE NAME". Then the code of some,
 * sorted: "ADDRESS FLAGS CALLEE...\tSOURCE\tFUNCTION\tFIRST\tLAST...".
 */
#include <config.h>

#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <gelf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <perun/lib/hash.h>
#include <perun/lib/path.h>
#include <perun/store.h>

#include "collectors/common/symbol-cache.h"
#include "kept.h"

/* Less is read again as fast, more is begun again; of more files the oldest goes. */
enum { MIN_BYTES = 16 << 10, MAX_BYTES = 64 << 20, MAX_FILES = 16 };
enum { CALLS = 1, LOOPS = 2, LINED = 4 };
/* Another version may read more of the same code. */
static const char first_line[] = "perun functions 1 " PACKAGE_VERSION "\n";

struct entry {
	uint64_t address;
	const char *line; /* in the text that was read; NULL: it is new */
	size_t start;     /* where a new one begins */
};

struct kept {
	char *folder, *path;
	bool whole; /* the file itself has its symbols: debug information that is installed later adds none */
	struct perun_buffer text, names, fresh; /* what was read, new functions, new code */
	size_t names_start, names_length;       /* in what was read */
	struct entry *entries, *added;          /* sorted by address; in the order of being added */
	size_t count, capacity, added_count, added_capacity;
};

/* ---- which file it is --------------------------------------------------------------------------- */

static bool has_symbols(Elf *elf)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(elf, section)))
		if (gelf_getshdr(section, &header) && header.sh_type == SHT_SYMTAB)
			return true;
	return false;
}

static void add_checksum(Elf *elf, struct perun_buffer *name)
{
	size_t size;
	const char *bytes = elf_rawfile(elf, &size);

	if (bytes)
		perun_buffer_printf(name, "%zx-%016" PRIx64, size,
				    perun_fnv1a(bytes, size, PERUN_FNV1A));
}

/* "" = nothing can be said of it. */
static void identify(const char *path, struct perun_buffer *name, bool *whole)
{
	int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat facts;
	Elf *elf = NULL;
	const void *note;
	ssize_t length;

	elf_version(EV_CURRENT);
	if (file >= 0 && fstat(file, &facts) == 0 && S_ISREG(facts.st_mode))
		elf = elf_begin(file, ELF_C_READ_MMAP, NULL);
	if (elf && elf_kind(elf) == ELF_K_ELF) {
		*whole = has_symbols(elf);
		length = dwelf_elf_gnu_build_id(elf, &note);
		for (ssize_t i = 0; i < length; i++)
			perun_buffer_printf(name, "%02x", ((const unsigned char *)note)[i]);
		if (length < 4)
			add_checksum(elf, name);
	}
	elf_end(elf);
	if (file >= 0)
		close(file);
}

char *kept_folder(void)
{
	struct perun_ctx *quiet = perun_ctx_new(NULL);
	struct perun_store *store = NULL;
	char *folder = NULL;

	if (perun_store_find(quiet, NULL, &store) == PERUN_OK && store)
		folder = perun_format("%s/cache/functions", perun_store_path(store));
	perun_store_close(store);
	perun_ctx_free(quiet);
	return folder;
}

/* ---- reading ------------------------------------------------------------------------------------ */

static void list_lines(struct kept *kept)
{
	const char *start = kept->text.data, *end = start + kept->text.length, *at = start;
	uint64_t last = 0;

	if (kept->text.length < sizeof first_line - 1 ||
	    memcmp(at, first_line, sizeof first_line - 1) != 0)
		return;
	kept->names_start = sizeof first_line - 1;
	for (at += sizeof first_line - 1; at < end;) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		char *rest;
		uint64_t address = newline && *at != '=' ? strtoull(at, &rest, 16) : 0;

		if (newline && *at == '=' && !kept->count) {
			kept->names_length = (size_t)(newline + 1 - start) - kept->names_start;
		} else if (!newline || *at == '=' || *rest != ' ' ||
			   (kept->count && address <= last)) {
			break;
		} else {
			PERUN_GROW(kept->entries, kept->count, kept->capacity);
			kept->entries[kept->count++] = (struct entry){address, at, 0};
			last = address;
		}
		at = newline + 1;
	}
}

struct kept *kept_open(const char *folder, const char *path)
{
	struct perun_buffer name = {0};
	struct kept *kept = NULL;
	bool whole = false;

	if (folder)
		identify(path, &name, &whole);
	if (name.length) {
		kept = perun_alloc_zero(1, sizeof *kept);
		kept->folder = perun_strdup(folder);
		kept->path = perun_format("%s/%s", folder, name.data);
		kept->whole = whole;
		if (perun_path_read(kept->path, &kept->text) == 0) {
			list_lines(kept);
			/* Those that are used stay. */
			utimensat(AT_FDCWD, kept->path, NULL, AT_SYMLINK_NOFOLLOW);
		}
	}
	perun_buffer_free(&name);
	return kept;
}

static int by_address(const void *one, const void *other)
{
	const struct entry *a = one, *b = other;

	return (a->address > b->address) - (a->address < b->address);
}

/* The text up to a tab or the end of the line, as a text of its own; NULL: the line has no more. */
static char *next_field(const char **at)
{
	size_t length = strcspn(*at, "\t\n");
	char *field;

	if (**at == '\n')
		return NULL;
	field = perun_strndup(*at, length);
	*at += length + ((*at)[length] == '\t');
	return field;
}

/* Whether the line goes on, and well. */
static bool read_piece(const char **at, struct code *code)
{
	struct code_piece piece = {.source = next_field(at), .function = next_field(at)};
	char *first = next_field(at), *last = next_field(at);
	bool good = last != NULL;

	if (good) {
		piece.first = strtoll(first, NULL, 10);
		piece.last = strtoll(last, NULL, 10);
		good = piece.first > 0 && piece.last >= piece.first;
	}
	if (good) {
		PERUN_GROW(code->pieces, code->piece_count, code->piece_capacity);
		code->pieces[code->piece_count++] = piece;
	} else {
		perun_free(piece.source);
		perun_free(piece.function);
	}
	perun_free(first);
	perun_free(last);
	return good;
}

bool kept_find(const struct kept *kept, uint64_t address, bool lined, struct code *code)
{
	const struct entry wanted = {.address = address};
	const struct entry *found =
		kept && kept->count
			? bsearch(&wanted, kept->entries, kept->count, sizeof wanted, by_address)
			: NULL;
	const char *at = found ? strchr(found->line, ' ') : NULL;
	unsigned long flags;
	char *end;

	if (!at)
		return false;
	flags = strtoul(at, &end, 16);
	if (lined && !(flags & LINED))
		return false;
	*code = (struct code){
		.calls = flags & CALLS, .loops = flags & LOOPS, .lined = flags & LINED};
	while (*end == ' ') {
		PERUN_GROW(code->callees, code->callee_count, code->callee_capacity);
		code->callees[code->callee_count++] = strtoull(end, &end, 16);
	}
	at = end + (*end == '\t');
	while (*at != '\n' && read_piece(&at, code))
		;
	return true;
}

/* ---- writing ------------------------------------------------------------------------------------ */

static bool is_plain(const char *text)
{
	return *text && !strpbrk(text, "\t\n");
}

void kept_add(struct kept *kept, uint64_t address, const struct code *code)
{
	bool lines = code->lined &&
		     code->piece_count; /* without any, what is installed later may have them */
	struct perun_buffer *out;

	for (size_t i = 0; i < code->piece_count; i++)
		lines &= is_plain(code->pieces[i].source) && is_plain(code->pieces[i].function);
	if (!kept || kept->fresh.length > MAX_BYTES)
		return;
	out = &kept->fresh;
	PERUN_GROW(kept->added, kept->added_count, kept->added_capacity);
	kept->added[kept->added_count++] = (struct entry){address, NULL, out->length};
	perun_buffer_printf(out, "%" PRIx64 " %x", address,
			    (code->calls ? CALLS : 0u) | (code->loops ? LOOPS : 0u) |
				    (lines ? LINED : 0u));
	for (size_t i = 0; i < code->callee_count; i++)
		perun_buffer_printf(out, " %" PRIx64, code->callees[i]);
	for (size_t i = 0; lines && i < code->piece_count; i++)
		perun_buffer_printf(out, "\t%s\t%s\t%" PRId64 "\t%" PRId64, code->pieces[i].source,
				    code->pieces[i].function, code->pieces[i].first,
				    code->pieces[i].last);
	perun_buffer_add_char(out, '\n');
}

/* Old and new lines in one order; new ones say more. */
static void merge(struct kept *kept, struct perun_buffer *out)
{
	size_t old = 0, fresh = 0;

	if (kept->added_count)
		qsort(kept->added, kept->added_count, sizeof *kept->added, by_address);
	while (old < kept->count || fresh < kept->added_count) {
		const struct entry *a = old < kept->count ? &kept->entries[old] : NULL;
		const struct entry *b = fresh < kept->added_count ? &kept->added[fresh] : NULL;
		bool is_new = !a || (b && b->address <= a->address);
		const char *line = is_new ? kept->fresh.data + b->start : a->line;
		uint64_t address = is_new ? b->address : a->address;

		perun_buffer_add(out, line, strcspn(line, "\n") + 1);
		while (old < kept->count && kept->entries[old].address == address)
			old++;
		while (fresh < kept->added_count && kept->added[fresh].address == address)
			fresh++;
	}
}

static void write_all(struct kept *kept)
{
	struct perun_buffer out = {0};

	if (kept->text.length + kept->names.length + kept->fresh.length > MAX_BYTES)
		kept->count = kept->names_length = 0;
	perun_buffer_add_text(&out, first_line);
	if (kept->names.length)
		perun_buffer_add(&out, kept->names.data, kept->names.length);
	else if (kept->names_length)
		perun_buffer_add(&out, kept->text.data + kept->names_start, kept->names_length);
	merge(kept, &out);
	if (out.length >= MIN_BYTES && out.length <= MAX_BYTES &&
	    perun_path_ensure_directories(kept->folder, 0777) == 0 &&
	    perun_path_replace(kept->path, out.data, out.length, 0666) == 0)
		symbol_cache_remove_oldest(kept->folder, MAX_FILES);
	perun_buffer_free(&out);
}

void kept_close(struct kept *kept)
{
	if (!kept)
		return;
	if (kept->added_count || kept->names.length)
		write_all(kept);
	perun_buffer_free(&kept->text);
	perun_buffer_free(&kept->names);
	perun_buffer_free(&kept->fresh);
	perun_free(kept->entries);
	perun_free(kept->added);
	perun_free(kept->folder);
	perun_free(kept->path);
	perun_free(kept);
}

/* ---- functions ---------------------------------------------------------------------------------- */

struct listing {
	struct kept *kept;
	symbols_handler *handler;
	void *data;
	bool plain;
};

static void list_function(void *data, const struct symbol_function *function)
{
	struct listing *listing = data;
	bool same = strcmp(function->name, function->linkage_name) == 0;

	listing->plain &= is_plain(function->linkage_name) && is_plain(function->name);
	perun_buffer_printf(&listing->kept->names, "=%" PRIx64 " %" PRIx64 "\t%s\t%s\n",
			    function->address, function->size, function->linkage_name,
			    same ? "" : function->name);
	listing->handler(listing->data, function);
}

static void replay(struct kept *kept, symbols_handler *handler, void *data)
{
	char *at = kept->text.data + kept->names_start, *end = at + kept->names_length;

	while (at < end) {
		struct symbol_function function;
		char *newline = memchr(at, '\n', (size_t)(end - at)), *tab, *next;

		function.address = strtoull(at + 1, &next, 16);
		function.size = strtoull(next, &next, 16);
		tab = *next == '\t' ? strchr(next + 1, '\t') : NULL;
		if (!tab || tab > newline)
			break;
		*tab = *newline = '\0';
		function.linkage_name = next + 1;
		function.name = tab[1] ? tab + 1 : next + 1;
		handler(data, &function);
		*tab = '\t';
		*newline = '\n';
		at = newline + 1;
	}
}

bool kept_functions(struct kept *kept, struct symbols *symbols, const char *path,
		    symbols_handler *handler, void *data)
{
	struct listing listing = {kept, handler, data, true};
	bool any;

	if (!kept || !kept->whole)
		return collectors_symbols_functions(symbols, path, handler, data);
	if (kept->names_length) {
		replay(kept, handler, data);
		return true;
	}
	perun_buffer_clear(&kept->names);
	any = collectors_symbols_functions(symbols, path, list_function, &listing);
	if (!listing.plain)
		perun_buffer_clear(&kept->names);
	return any;
}
