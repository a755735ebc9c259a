/* SPDX-License-Identifier: BSD-3-Clause */
/* What profiles of other tools are of: by which name, command and workload they make one history. */
#include <string.h>

#include <perun/lib/path.h>
#include <perun/lib/registry.h>

#include "commands/common/import-identity.h"

void commands_set_header(struct perun_json *document, const char *key, const char *text)
{
	struct perun_json *header = perun_json_get(document, "header");

	if (!text)
		return;
	if (!header) {
		perun_json_set(document, "header", perun_json_object());
		header = perun_json_get(document, "header");
	}
	perun_json_set(header, key, perun_json_text(text));
}

/* A name that says when, or that nobody gave: "2026-11-22T10-00.json", "tmp.Xy12ab", "-". */
static bool is_date_or_temporary(const char *name)
{
	size_t stem = strcspn(name, ".");
	bool digits = false;

	if (strcmp(name, "-") == 0 || strncmp(name, "tmp", 3) == 0 || name[0] == '/')
		return true;
	for (size_t i = 0; i < stem; i++) {
		if (!strchr("0123456789-_:+TZ", name[i]))
			return false;
		digits |= name[i] >= '0' && name[i] <= '9';
	}
	return digits;
}

/* Whether a part of a name between dots is a number, or a time such as 20261129T101500. */
static bool has_number(const char *name)
{
	for (name += strspn(name, ".-"); *name;) {
		size_t digits = strspn(name, "0123456789"), length = strcspn(name, ".");

		if (digits && name[digits] == 'T')
			digits += 1 + strspn(name + digits + 1, "0123456789");
		if (digits && digits == length)
			return true;
		name += length;
		name += *name == '.';
	}
	return false;
}

/* A name that the recorder itself gave, with the number of the process: "callgrind.out.27821". */
static bool is_of_recorder(struct perun_ctx *ctx, const char *name, const char *format)
{
	const struct perun_plugin_info *info = perun_registry_find(ctx, PERUN_KIND_FORMAT, format);

	for (const char *const *pattern = info ? info->patterns : NULL; pattern && *pattern;
	     pattern++) {
		size_t own = strcspn(*pattern, "*?[");

		if (own && strncmp(name, *pattern, own) == 0 && has_number(name + own))
			return true;
	}
	return false;
}

/* The program whose name most samples carry as label "comm"; NULL = none do. */
static const char *sampled_program(const struct perun_profile *profile)
{
	const struct perun_table *resources = perun_resources(profile);
	const struct perun_column *labels = perun_table_column(resources, "labels");
	perun_id key = perun_profile_find_string(profile, "comm", 4), best = PERUN_NO_ID;
	size_t rows = labels && key != PERUN_NO_ID ? perun_table_rows(resources) : 0, votes = 0;

	/* The majority: votes against the one at hand cancel out. */
	for (size_t row = 0; row < rows; row++) {
		size_t count;
		const struct perun_label *set =
			perun_profile_labels(profile, perun_column_id(labels, row), &count);

		for (size_t i = 0; i < count; i++) {
			if (set[i].key != key || set[i].text == PERUN_NO_ID)
				continue;
			if (votes == 0)
				best = set[i].text;
			votes += set[i].text == best ? 1 : (size_t)-1;
		}
	}
	return best == PERUN_NO_ID ? NULL : perun_profile_string(profile, best, NULL);
}

/* The program that a profile of samples is of, where it says no command: its first mapping, or the name of most samples. */
static const char *program_of(const struct perun_profile *profile)
{
	const struct perun_mapping *mapping =
		perun_profile_mappings(profile) ? perun_profile_mapping(profile, 0) : NULL;
	const char *file =
		mapping ? perun_path_base_name(perun_profile_string(profile, mapping->file, NULL))
			: "";
	const char *program;

	/* Kernels and libraries are not programs: the loader is the first that some recorders see. */
	if (*file && *file != '[' && !strstr(file, ".so"))
		return file;
	program = sampled_program(profile);
	return program || *file == '[' || !*file ? program : file;
}

/*
 * A command without the directory of its program, there and where arguments begin with it: a build in another directory is
 * the same program. NULL when the command names none; the caller frees it.
 */
static char *without_directory(const char *command)
{
	size_t word = strcspn(command, " "), length = word;
	struct perun_buffer text = {0};

	while (length && command[length - 1] != '/')
		length--;
	if (!length || length == word)
		return NULL;
	for (const char *at = command; *at;) {
		bool begins = at == command || at[-1] == ' ' || at[-1] == '=';

		if (begins && strncmp(at, command, length) == 0)
			at += length;
		else
			perun_buffer_add_char(&text, *at++);
	}
	return perun_buffer_take(&text);
}

static void set_command(const struct perun_profile *profile, struct perun_json *document)
{
	const char *command = perun_profile_text(profile, "/header/cmd");
	char *plain = *command ? without_directory(command) : NULL;

	commands_set_header(document, "cmd", plain ? plain : *command ? NULL : program_of(profile));
	perun_free(plain);
}

void commands_identify(struct perun_ctx *ctx, const struct perun_profile *profile,
		       struct perun_json *document, const char *file, const char *format)
{
	const char *base = perun_path_base_name(file);
	bool says_nothing = is_date_or_temporary(base) || is_of_recorder(ctx, base, format);
	const struct perun_json *header = perun_json_get(document, "header");
	const char *workload = perun_json_as_string(perun_json_get(header, "workload"), NULL);
	const char *collector = perun_json_as_string(
		perun_json_get(perun_json_get(document, "collector_info"), "name"), NULL);

	if (format && (!collector || !*collector) && strcmp(format, "perun") != 0) {
		struct perun_json *info = perun_json_object();

		perun_json_set(info, "name", perun_json_text(format));
		perun_json_set(info, "params", perun_json_object());
		perun_json_set(document, "collector_info", info);
	}
	set_command(profile, document);
	if (strcmp(base, "-") != 0)
		commands_set_header(document, "file", base);
	if (!workload || !*workload)
		commands_set_header(document, "workload", says_nothing ? "" : base);
	else if (strcmp(workload, base) == 0 && says_nothing)
		commands_set_header(document, "workload", "");
}
