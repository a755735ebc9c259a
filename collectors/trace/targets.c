/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions and places that are to be traced, found in the symbols and lines of their files. */
#include <config.h>

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "collectors/common/images.h"
#include "collectors/common/symbols.h"
#include "decode.h"
#include "kept.h"
#include "targets.h"

/* Functions that the linker and the C library add to each program. */
static const char *const additions[] = {"_start",
					"_init",
					"_fini",
					"deregister_tm_clones",
					"register_tm_clones",
					"__do_global_dtors_aux",
					"frame_dummy",
					"_dl_relocate_static_pie",
					"__libc_csu_init",
					"__libc_csu_fini"};

struct finding {
	struct perun_ctx *ctx;
	const struct targets_wanted *wanted;
	struct targets *targets;
	struct symbols *symbols;
	struct images *images;
	uint32_t file;  /* at hand */
	uint32_t image; /* the same */
	bool *matched;  /* by pattern of functions */
	/* A symbol that is looked for. */
	const char *name;
	uint64_t address;
};

/* ---- names -------------------------------------------------------------------------------------- */

/* The length of a name without its parameters. */
static size_t bare_length(const char *name)
{
	const char *at = name;

	for (; (at = strchr(at, '(')); at++) {
		if (strncmp(at, "(anonymous namespace)", 21) == 0)
			continue;
		if (at - name >= 8 && strncmp(at - 8, "operator", 8) == 0 && at[1] == ')') {
			at++;
			continue;
		}
		return (size_t)(at - name);
	}
	return strlen(name);
}

bool targets_match(const char *pattern, const char *name)
{
	char *bare;
	bool good;

	if (fnmatch(pattern, name, 0) == 0)
		return true;
	bare = perun_strndup(name, bare_length(name));
	good = fnmatch(pattern, bare, 0) == 0;
	perun_free(bare);
	return good;
}

static bool is_addition(const char *name)
{
	for (size_t i = 0; i < sizeof additions / sizeof *additions; i++)
		if (strcmp(name, additions[i]) == 0)
			return true;
	return false;
}

static bool is_wanted(struct finding *finding, const struct symbol_function *function)
{
	const char *const *patterns = finding->wanted->functions;
	size_t length = strlen(function->linkage_name);
	bool wanted = false;

	/* Parts that are jumped to. */
	if (length > 5 && strcmp(function->linkage_name + length - 5, ".cold") == 0)
		return false;
	if (!patterns[0])
		return !finding->wanted->probes[0] && !is_addition(function->linkage_name);
	for (size_t i = 0; patterns[i]; i++)
		if (targets_match(patterns[i], function->name) ||
		    fnmatch(patterns[i], function->linkage_name, 0) == 0)
			wanted = finding->matched[i] = true;
	return wanted;
}

/* ---- functions ---------------------------------------------------------------------------------- */

static int find_size(const struct targets *targets, const char *name)
{
	for (size_t i = 0; i < targets->size_count; i++) {
		char *pattern = perun_strndup(targets->sizes[i].pattern, targets->sizes[i].length);
		bool good = targets_match(pattern, name);

		perun_free(pattern);
		if (good)
			return (int)i;
	}
	return -1;
}

static struct target *add_target(struct finding *finding, enum target_kind kind, uint64_t address,
				 const char *name, size_t length)
{
	struct targets *targets = finding->targets;
	struct target *target;

	PERUN_GROW(targets->items, targets->count, targets->capacity);
	target = &targets->items[targets->count++];
	*target = (struct target){
		.kind = kind,
		.file = finding->file,
		.address = address,
		.offset = images_offset(finding->images, finding->image, address),
		.name = perun_strndup(name, length),
		.size = -1,
	};
	target->size = find_size(targets, target->name);
	return target;
}

/* Where a function returns, or jumps to another. */
static bool find_exits(struct finding *finding, struct target *target, uint64_t size)
{
	const uint8_t *code = images_bytes(finding->images, finding->image, target->address, size);
	size_t capacity = 0;

	for (uint64_t at = 0; code && at < size;) {
		struct decoded decoded = decode_instruction(code + at, size - at);
		int64_t to = (int64_t)at + decoded.target;

		if (!decoded.length)
			return false;
		if (decoded.kind == DECODE_RETURN ||
		    (decoded.kind == DECODE_JUMP && (to <= 0 || to >= (int64_t)size))) {
			PERUN_GROW(target->exits, target->exit_count, capacity);
			target->exits[target->exit_count++] = target->offset + at;
		}
		at += decoded.length;
	}
	return code && size;
}

static void add_function(void *data, const struct symbol_function *function)
{
	struct finding *finding = data;

	struct target *target;

	if (!is_wanted(finding, function) ||
	    images_offset(finding->images, finding->image, function->address) == UINT64_MAX)
		return;
	target = add_target(finding, TARGET_FUNCTION, function->address, function->name,
			    strlen(function->name));
	target->length = function->size;
	if (finding->wanted->exits && !find_exits(finding, target, function->size)) {
		finding->targets->unclear++;
		finding->targets->count--;
		perun_free(target->name);
		perun_free(target->exits);
	}
}

static int by_address(const void *a, const void *b)
{
	const struct target *x = a, *y = b;

	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* A function may have several names. */
static void keep_one_each(struct targets *targets)
{
	size_t used = 0;

	if (targets->count)
		qsort(targets->items, targets->count, sizeof *targets->items, by_address);
	for (size_t i = 0; i < targets->count; i++) {
		struct target *target = &targets->items[i];

		if (used && targets->items[used - 1].file == target->file &&
		    targets->items[used - 1].address == target->address) {
			perun_free(target->name);
			perun_free(target->exits);
		} else {
			targets->items[used++] = *target;
		}
	}
	targets->count = used;
}

static int find_functions(struct finding *finding, const char *path)
{
	struct targets *targets = finding->targets;

	PERUN_GROW(targets->files, targets->file_count, targets->file_capacity);
	finding->file = (uint32_t)targets->file_count;
	targets->kept =
		perun_realloc_array(targets->kept, targets->file_count + 1, sizeof *targets->kept);
	targets->kept[targets->file_count] = kept_open(finding->wanted->kept, path);
	targets->files[targets->file_count++] = perun_strdup(path);
	finding->image = images_find(finding->images, path);
	if (kept_functions(targets->kept[finding->file], finding->symbols, path, add_function,
			   finding) ||
	    finding->wanted->probes[0])
		return PERUN_OK;
	return perun_fail(finding->ctx, PERUN_INPUT,
			  "%s has no symbols of functions (it was stripped, or is not a program): "
			  "install its debug information, build it without stripping, or name "
			  "addresses with --probe",
			  path);
}

/* ---- places ------------------------------------------------------------------------------------- */

static void look_for(void *data, const struct symbol_function *function)
{
	struct finding *finding = data;

	if (!finding->address && (strcmp(function->linkage_name, finding->name) == 0 ||
				  targets_match(finding->name, function->name)))
		finding->address = function->address;
}

/* A symbol with an offset, in the files by their order. */
static bool find_symbol(struct finding *finding, const char *text, uint64_t *address)
{
	const char *plus = strrchr(text, '+');
	char *name, *end = NULL;
	uint64_t offset = plus ? strtoull(plus + 1, &end, 0) : 0;

	if (plus && (end == plus + 1 || *end))
		plus = NULL, offset = 0;
	name = perun_strndup(text, plus ? (size_t)(plus - text) : strlen(text));
	finding->name = name;
	finding->address = 0;
	collectors_symbols_functions(finding->symbols, finding->targets->files[finding->file],
				     look_for, finding);
	*address = finding->address + offset;
	finding->name = NULL;
	perun_free(name);
	return finding->address != 0;
}

static bool find_line(struct finding *finding, const char *text, uint64_t *address)
{
	const char *colon = strrchr(text, ':');
	char *source, *end;
	long line = colon ? strtol(colon + 1, &end, 10) : 0;

	if (line <= 0 || line > INT32_MAX || *end || colon == text)
		return false;
	source = perun_strndup(text, (size_t)(colon - text));
	*address = collectors_symbols_line(finding->symbols, finding->targets->files[finding->file],
					   source, (int)line);
	perun_free(source);
	return *address != 0;
}

static bool find_place_here(struct finding *finding, const char *text, uint64_t *address)
{
	char *end;

	if (strncmp(text, "0x", 2) == 0) {
		*address = strtoull(text, &end, 16);
		if (!*end)
			return true;
	}
	return find_line(finding, text, address) || find_symbol(finding, text, address);
}

static int add_place(struct finding *finding, enum target_kind kind, const char *probe,
		     const char *text)
{
	const char *equals = strchr(probe, '=');
	uint64_t address;

	for (uint32_t i = 0; i < finding->targets->file_count; i++) {
		finding->file = i;
		finding->image = images_find(finding->images, finding->targets->files[i]);
		if (!find_place_here(finding, text, &address) ||
		    images_offset(finding->images, finding->image, address) == UINT64_MAX)
			continue;
		add_target(finding, kind, address, probe, (size_t)(equals - probe));
		return PERUN_OK;
	}
	return perun_fail(finding->ctx, PERUN_INPUT,
			  "--probe %s: there is no code at %s (an address such as 0x1139, a "
			  "function, a function+offset, or source.c:line)",
			  probe, text);
}

static int add_probe(struct finding *finding, const char *probe)
{
	const char *equals = strchr(probe, '='), *dots;
	char *start;
	int status;

	if (!equals || equals == probe || !equals[1])
		return perun_fail(finding->ctx, PERUN_USAGE,
				  "--probe %s: expected NAME=PLACE or NAME=PLACE..PLACE", probe);
	dots = strstr(equals, "..");
	if (!dots)
		return add_place(finding, TARGET_POINT, probe, equals + 1);
	start = perun_strndup(equals + 1, (size_t)(dots - equals - 1));
	status = add_place(finding, TARGET_START, probe, start);
	if (!status)
		status = add_place(finding, TARGET_END, probe, dots + 2);
	perun_free(start);
	return status;
}

/* ---- sizes -------------------------------------------------------------------------------------- */

/* argN, *argN, *(argN+OFFSET), each with :4 or :8 after it for the number of its bytes. */
static bool parse_size(const char *text, struct target_size *size)
{
	char *end;
	bool braces;

	size->memory = *text == '*';
	text += size->memory;
	braces = size->memory && *text == '(';
	text += braces;
	if (strncmp(text, "arg", 3) != 0 || text[3] < '1' || text[3] > '6')
		return false;
	size->argument = (unsigned)(text[3] - '0');
	text += 4;
	if (braces && (*text == '+' || *text == '-')) {
		size->offset = strtoll(text, &end, 0);
		text = end;
	}
	if (braces && *text++ != ')')
		return false;
	size->bytes = 8;
	if (*text == ':') {
		if (text[1] != '4' && text[1] != '8')
			return false;
		size->bytes = (unsigned)(text[1] - '0');
		text += 2;
	}
	return !*text;
}

static int add_sizes(struct finding *finding)
{
	struct targets *targets = finding->targets;

	for (size_t i = 0; finding->wanted->sizes[i]; i++) {
		const char *text = finding->wanted->sizes[i], *equals = strrchr(text, '=');
		struct target_size size = {.pattern = text};

		if (!equals || equals == text || !parse_size(equals + 1, &size))
			return perun_fail(finding->ctx, PERUN_USAGE,
					  "--size %s: expected FUNCTION=argN (N from 1 to 6), "
					  "FUNCTION=*argN or FUNCTION=*(argN+OFFSET), with :4 "
					  "after it for numbers of four bytes",
					  text);
		size.length = (size_t)(equals - text);
		PERUN_GROW(targets->sizes, targets->size_count, targets->size_capacity);
		targets->sizes[targets->size_count++] = size;
	}
	return PERUN_OK;
}

/* ---- all of it ---------------------------------------------------------------------------------- */

static int check_found(const struct finding *finding)
{
	const struct targets_wanted *wanted = finding->wanted;

	for (size_t i = 0; wanted->functions[i]; i++)
		if (!finding->matched[i])
			return perun_fail(finding->ctx, PERUN_INPUT,
					  "%s has no function %s (--binary names further files)",
					  wanted->files[0], wanted->functions[i]);
	return PERUN_OK;
}

int targets_find(struct perun_ctx *ctx, const struct targets_wanted *wanted,
		 struct targets *targets)
{
	struct finding finding = {.ctx = ctx, .wanted = wanted, .targets = targets};
	size_t patterns = 0;
	int status;

	*targets = (struct targets){0};
	finding.symbols = collectors_symbols_new(NULL);
	finding.images = images_new();
	while (wanted->functions[patterns])
		patterns++;
	finding.matched = perun_alloc_zero(patterns + 1, sizeof *finding.matched);
	status = add_sizes(&finding);
	for (size_t i = 0; !status && wanted->files[i]; i++)
		status = find_functions(&finding, wanted->files[i]);
	keep_one_each(targets);
	if (!status)
		status = check_found(&finding);
	for (size_t i = 0; !status && wanted->probes[i]; i++)
		status = add_probe(&finding, wanted->probes[i]);
	perun_free(finding.matched);
	images_free(finding.images);
	collectors_symbols_free(finding.symbols);
	return status;
}

void targets_free(struct targets *targets)
{
	for (size_t i = 0; i < targets->count; i++) {
		perun_free(targets->items[i].name);
		perun_free(targets->items[i].exits);
	}
	for (size_t i = 0; i < targets->file_count; i++) {
		perun_free(targets->files[i]);
		if (targets->kept)
			kept_close(targets->kept[i]);
	}
	perun_free(targets->kept);
	perun_free(targets->items);
	perun_free(targets->files);
	perun_free(targets->sizes);
}
