/* SPDX-License-Identifier: BSD-3-Clause */
/* The postprocessor `symbolize`: addresses get names, files, lines and inlined calls, from the files they are of. */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include <perun/lib/path.h>
#include <perun/postprocess.h>

#include "collectors/common/images.h"
#include "collectors/common/symbol-lines.h"
#include "collectors/common/symbols.h"
#include "collectors/common/binaries.h"
#include "commands/common/code/short-name.h"

/* What a mapping is read from. */
struct binary {
	char *path; /* NULL: it was not found */
	uint32_t image;
	perun_id located; /* the mapping of its own addresses; PERUN_NO_ID: not made yet */
	bool fixed, looked_for, kernel, generated; /* generated: code without a file */
	size_t missing;                            /* addresses without a name */
	size_t unplaced; /* of these: it is not known where the file was loaded */
};

struct work {
	const struct perun_options *options;
	const struct perun_profile *profile;
	struct perun_builder *builder;
	struct symbols *symbols;
	struct images *images;
	struct binary *binaries; /* of each mapping */
	perun_id *renumbered;    /* of each location: itself, or the one with names */
	size_t named, missing, located;
	bool shorten, templates; /* names */
	bool locate, force, rename;
	size_t renamed;
};

static const struct perun_option symbolize_options[] = {
	{.name = "binary",
	 .metavar = "PATH",
	 .type = PERUN_OPTION_PATH,
	 .flags = PERUN_OPTION_REPEATABLE,
	 .help = "a program or library of the profile, wherever it is now"},
	{.name = "kernel",
	 .help = "addresses of the kernel are this machine's, since it was started last"},
	{.name = "demangle",
	 .type = PERUN_OPTION_CHOICE,
	 .metavar = "MODE",
	 .choices = "full templates short none",
	 .default_value = "full",
	 .help = "names of C++ and Rust: whole, without parameters, also without arguments of "
		 "templates, or as compilers make them"},
	{.name = "force", .help = "look up also what has names"},
	{.name = "rename", .help = "write also the names that are there as --demangle says"},
	{.name = "locate",
	 .help = "replace addresses by those that the files themselves have, and files by "
		 "their paths"},
	{.name = "quiet", .help = "report only what stays without a name"},
	{0}};

static const char *text_of(const struct work *work, perun_id id)
{
	return id == PERUN_NO_ID ? "" : perun_profile_string(work->profile, id, NULL);
}

/* "0x4f2a" in the place of a name. */
static bool is_named(const struct work *work, const struct perun_location *location)
{
	for (uint32_t i = 0; i < location->line_count; i++) {
		perun_id id = location->lines[i].function;
		const char *name =
			id == PERUN_NO_ID
				? ""
				: text_of(work, perun_profile_function(work->profile, id)->name);

		if (*name && strncmp(name, "0x", 2) != 0)
			return true;
	}
	return false;
}

/* "perf-PID.map" or "jit-PID.dump", where a process writes down what code it generates; NULL: the file is another one. */
static char *generated_code(const char *file)
{
	static const char *const names[][2] = {{"perf-", ".map"}, {"jit-", ".dump"}};
	const char *name = perun_path_base_name(file);

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		size_t start = strlen(names[i][0]), digits;

		if (strncmp(name, names[i][0], start) != 0)
			continue;
		digits = strspn(name + start, "0123456789");
		if (digits && strcmp(name + start + digits, names[i][1]) == 0)
			return perun_format(COLLECTORS_GENERATED "%.*s", (int)digits, name + start);
	}
	return NULL;
}

static struct binary *binary_of(struct work *work, perun_id id)
{
	const struct perun_mapping *mapping = perun_profile_mapping(work->profile, id);
	struct binaries_wanted wanted = {.file = text_of(work, mapping->file),
					 .build_id = text_of(work, mapping->build_id),
					 .main = id == 0};
	size_t count = perun_option_count(work->options, "binary");
	struct binary *binary = &work->binaries[id];
	const char **given;

	if (binary->looked_for)
		return binary;
	binary->looked_for = true;
	binary->path = generated_code(wanted.file);
	if (binary->path) {
		binary->fixed = binary->generated = true;
		return binary;
	}
	if (strncmp(wanted.file, "[kernel", 7) == 0) {
		binary->kernel = perun_option_flag(work->options, "kernel");
		return binary;
	}
	given = perun_alloc_zero(count + 1, sizeof *given);
	for (size_t i = 0; i < count; i++)
		given[i] = perun_option_string_at(work->options, "binary", i);
	binary->path = binaries_find(&wanted, given, count);
	perun_free((void *)given);
	if (binary->path) {
		binary->image = images_find(work->images, binary->path);
		binary->fixed = binaries_is_fixed(binary->path);
	}
	return binary;
}

/* The address that the file itself gives to a place of the process. False: where it was loaded is not known. */
static bool address_in_file(const struct work *work, const struct binary *binary,
			    const struct perun_mapping *mapping, uint64_t address, uint64_t *found)
{
	bool known = mapping->limit > mapping->start && address >= mapping->start &&
		     address < mapping->limit;

	*found = address;
	if (!known || binary->fixed)
		return binary->fixed;
	*found = images_address(work->images, binary->image,
				address - mapping->start + mapping->offset);
	return true;
}

static perun_id name_of(void *data, const char *name)
{
	const struct work *work = data;
	char *text = work->shorten ? shorten_name(name, work->templates) : NULL;
	perun_id id = perun_builder_text(work->builder, text ? text : name);

	perun_free(text);
	return id;
}

/* The place as its file has it: the mapping is the file where it was found, and begins at 0. */
static void locate(struct work *work, struct binary *binary, uint64_t address,
		   struct perun_location *location)
{
	if (binary->located == PERUN_NO_ID) {
		struct perun_mapping mapping =
			*perun_profile_mapping(work->profile, location->mapping);
		char *path = realpath(binary->path, NULL);

		mapping.start = mapping.limit = mapping.offset = 0;
		mapping.file = perun_builder_text(work->builder, path ? path : binary->path);
		binary->located = perun_builder_mapping(work->builder, &mapping);
		free(path);
	}
	location->mapping = binary->located;
	location->address = address;
	work->located++;
}

/* The names of an address; none where the file has none. */
static bool find_names(struct work *work, const char *file, uint64_t address,
		       struct perun_location *location)
{
	struct symbol symbol = collectors_symbols_find(work->symbols, file, address);
	bool found = collectors_symbol_lines(work->builder, &symbol, name_of, work, location);

	collectors_symbol_clear(&symbol);
	return found;
}

/* The names that a place has in the wanted form. */
static void rename_lines(struct work *work, struct perun_location *location)
{
	struct perun_line *lines = perun_alloc_zero(location->line_count + 1, sizeof *lines);

	for (uint32_t i = 0; i < location->line_count; i++) {
		struct perun_function function;

		lines[i] = location->lines[i];
		if (lines[i].function == PERUN_NO_ID)
			continue;
		function = *perun_profile_function(work->profile, lines[i].function);
		function.name = function.system_name = name_of(work, text_of(work, function.name));
		lines[i].function = perun_builder_function(work->builder, &function);
	}
	location->lines = lines;
}

/* The place in its file, and the names that it has there if they are wanted: whether it got names. */
static bool look_up(struct work *work, struct perun_location *location, bool names)
{
	const struct perun_mapping *mapping =
		perun_profile_mapping(work->profile, location->mapping);
	struct binary *binary = binary_of(work, location->mapping);
	uint64_t address = location->address;

	if (!binary->kernel) {
		if (!binary->path ||
		    !address_in_file(work, binary, mapping, location->address, &address)) {
			binary->unplaced += binary->path != NULL;
			return false;
		}
		if (work->locate && !binary->generated)
			locate(work, binary, address, location);
	}
	return names && find_names(work, binary->kernel ? COLLECTORS_KERNEL : binary->path, address,
				   location);
}

static void symbolize(struct work *work, perun_id id)
{
	struct perun_location_room room;
	const struct perun_location *old = perun_profile_location_in(work->profile, id, &room);
	bool named = is_named(work, old), names = !named || work->force;
	bool rename = named && work->rename && work->shorten && !work->force;
	struct perun_location location = *old;
	bool found = false;

	work->renumbered[id] = id;
	if (rename)
		rename_lines(work, &location);
	if (old->address && (names || work->locate)) {
		if (old->mapping != PERUN_NO_ID)
			found = look_up(work, &location, names);
		work->named += found;
		if (!found && !named) {
			work->missing++;
			if (old->mapping != PERUN_NO_ID)
				work->binaries[old->mapping].missing++;
		}
	}
	if (rename || found || location.mapping != old->mapping)
		work->renumbered[id] = perun_builder_location(work->builder, &location);
	if (rename || found)
		perun_free((void *)location.lines);
	work->renamed += rename;
}

static perun_id renumber(void *data, perun_id location)
{
	return ((const struct work *)data)->renumbered[location];
}

/* `quiet`: of a view, which has no such options itself. */
static const char *reason(const struct binary *binary, const char *file, bool quiet)
{
	if (binary->unplaced)
		return ", which was loaded at an address that the profile does not have";
	if (binary->path || binary->kernel)
		return ", which has no symbols for them";
	if (strncmp(file, "[kernel", 7) == 0)
		return quiet ? " (perun postprocessby PROFILE symbolize --kernel names them on the "
			       "machine itself)"
			     : " (--kernel, on the machine itself)";
	return quiet ? ", which was not found (perun convert --symbolize --binary PATH names them)"
		     : ", which was not found (--binary PATH)";
}

/* The file that most addresses without a name are of; NULL: they are of none. */
static const struct binary *worst_of(const struct work *work)
{
	const struct binary *worst = NULL;
	size_t mappings = perun_profile_mappings(work->profile);

	for (size_t i = 0; i < mappings; i++) {
		const struct binary *binary = &work->binaries[i];

		if (binary->missing && (!worst || binary->missing > worst->missing))
			worst = binary;
	}
	return worst;
}

/* One line: how many got names, and which file most of the others are of. */
static void report(const struct work *work, struct perun_ctx *ctx)
{
	const struct binary *worst = work->missing ? worst_of(work) : NULL;
	struct perun_location_room room;
	size_t all = 0;
	bool quiet = perun_option_flag(work->options, "quiet");
	struct perun_buffer text = {0};

	if (quiet && !work->missing)
		return;
	for (size_t i = 0; i < perun_profile_locations(work->profile); i++)
		all += perun_profile_location_in(work->profile, (perun_id)i, &room)->address != 0;
	if (quiet)
		perun_buffer_printf(&text, "%zu of %zu addresses have no name", work->missing, all);
	else
		perun_buffer_printf(&text, "named %zu of %zu addresses", work->named,
				    work->named + work->missing);
	if (worst) {
		perun_id id = (perun_id)(worst - work->binaries);
		const char *file = text_of(work, perun_profile_mapping(work->profile, id)->file);

		perun_buffer_printf(&text, "; %zu of %s in %s%s", worst->missing,
				    !quiet                ? "the others"
				    : worst->missing == 1 ? "them is"
							  : "them are",
				    *file ? file : "a file without a name",
				    reason(worst, file, quiet));
	} else if (work->missing) {
		perun_buffer_add_text(&text, quiet ? "; their files are not known"
						   : "; the others are of no file");
	}
	perun_note(ctx, "%s", text.data);
	perun_buffer_free(&text);
}

static int symbolize_run(void *instance, struct perun_ctx *ctx, struct perun_profile *profile,
			 struct perun_builder *builder)
{
	size_t locations = perun_profile_locations(profile);
	size_t mappings = perun_profile_mappings(profile);
	struct work work = {.options = instance,
			    .profile = profile,
			    .builder = builder,
			    .symbols = collectors_symbols_new(NULL),
			    .images = images_new()};
	const char *names = perun_option_string(instance, "demangle");
	int status = PERUN_OK;

	work.templates = strcmp(names, "templates") == 0;
	work.shorten = work.templates || strcmp(names, "short") == 0;
	collectors_symbols_read_all(work.symbols);
	if (strcmp(names, "none") == 0)
		collectors_symbols_keep_mangled(work.symbols);
	work.force = perun_option_flag(instance, "force");
	work.locate = perun_option_flag(instance, "locate");
	work.rename = perun_option_flag(instance, "rename");
	work.binaries = perun_alloc_zero(mappings + 1, sizeof *work.binaries);
	for (size_t i = 0; i < mappings; i++)
		work.binaries[i].located = PERUN_NO_ID;
	work.renumbered = perun_alloc_zero(locations + 1, sizeof *work.renumbered);
	for (size_t i = 0; !status && i < locations; i++) {
		symbolize(&work, (perun_id)i);
		if (i % 1024 == 0 && perun_cancelled(ctx))
			status = PERUN_CANCELLED;
	}
	if (!status && (work.named || work.located || work.renamed))
		perun_builder_renumber_stacks(builder, renumber, &work);
	if (!status)
		report(&work, ctx);
	for (size_t i = 0; i < mappings; i++)
		perun_free(work.binaries[i].path);
	perun_free(work.binaries);
	perun_free(work.renumbered);
	collectors_symbols_free(work.symbols);
	images_free(work.images);
	return status;
}

static int symbolize_open(struct perun_ctx *ctx, const struct perun_options *options,
			  const char *subcommand, void **instance)
{
	(void)ctx;
	(void)subcommand;
	*instance = (void *)options;
	return PERUN_OK;
}

static const struct perun_postprocess_ops symbolize_ops = {
	.open = symbolize_open,
	.run = symbolize_run,
};

PERUN_PLUGIN(postprocess, symbolize) = {
	PERUN_PLUGIN_HEAD(PERUN_KIND_POSTPROCESS, "symbolize",
			  "names, lines and inlined calls of addresses"),
	.version = PACKAGE_VERSION,
	.license = "BSD-3-Clause",
	PERUN_PLUGIN_OPTIONS(symbolize_options),
	PERUN_PLUGIN_OPS(symbolize_ops),
};
