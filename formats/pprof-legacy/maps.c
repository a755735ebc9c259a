/* SPDX-License-Identifier: BSD-3-Clause */
/* The lines of a memory map: /proc/PID/maps, the brief form of others, and NAME=VALUE for $NAME. */
#include <string.h>

#include "legacy.h"

enum { MAX_VARIABLES = 1000, LONGEST_LINE = 1 << 20 };

/* Texts to be replaced in the lines that follow. */
struct variables {
	struct variable {
		char *name, *value; /* the name with its '$' */
		size_t name_length;
	} * items;
	size_t count, capacity;
	struct perun_buffer line;
};

bool legacy_is_map_start(struct legacy_text line)
{
	/* Few lines have the letter that both have. */
	return memchr(line.at, 'M', legacy_length(line)) &&
	       (legacy_find(line, "--- Memory map: ---") || legacy_find(line, "MAPPED_LIBRARIES:"));
}

/* ---- one entry ---------------------------------------------------------------------------------- */

/* What a line says; all are parts of it, and empty when they are missing. */
struct entry {
	struct legacy_text start, limit, permissions, offset, file, build_id;
};

static struct legacy_text take_hex(struct legacy_text *text)
{
	struct legacy_text digits = {text->at, text->at};

	while (digits.end < text->end && legacy_is_hex(*digits.end))
		digits.end++;
	text->at = digits.end;
	return digits;
}

static bool is_present(struct legacy_text text)
{
	return text.at < text.end;
}

/* At least one blank. */
static bool take_blanks(struct legacy_text *text)
{
	const char *start = text->at;

	while (text->at < text->end && legacy_is_blank(*text->at) && *text->at != '\v')
		text->at++;
	return text->at > start;
}

/* Hexadecimal digits, perhaps with 0x before them. */
static struct legacy_text take_prefixed(struct legacy_text *text)
{
	struct legacy_text rest = *text, digits;

	if (legacy_take(&rest, "0x")) {
		digits = take_hex(&rest);
		if (is_present(digits)) {
			*text = rest;
			return digits;
		}
	}
	return take_hex(text);
}

/* Blanks and hexadecimal digits. */
static bool take_blanks_hex(struct legacy_text *text, struct legacy_text *digits)
{
	struct legacy_text rest = *text;

	if (!take_blanks(&rest))
		return false;
	*digits = take_hex(&rest);
	if (!is_present(*digits))
		return false;
	*text = rest;
	return true;
}

static void take_permissions(struct legacy_text *text, struct entry *entry)
{
	struct legacy_text rest = *text;
	const char *start;

	if (!take_blanks(&rest))
		return;
	start = rest.at;
	while (rest.at < rest.end && strchr("-rwxp", *rest.at) && *rest.at)
		rest.at++;
	if (rest.at == start)
		return;
	entry->permissions = (struct legacy_text){start, rest.at};
	*text = rest;
}

static void take_word(struct legacy_text *text, struct legacy_text *word)
{
	struct legacy_text rest = *text;

	if (!take_blanks(&rest) || !is_present(rest))
		return;
	word->at = rest.at;
	while (rest.at < rest.end && (!legacy_is_blank(*rest.at) || *rest.at == '\v'))
		rest.at++;
	word->end = rest.at;
	*text = rest;
}

/* After the range: "PERM OFFSET DEV:DEV INODE FILE", where PERM, OFFSET and FILE may be missing. */
static bool parse_proc_tail(struct legacy_text text, struct entry *entry)
{
	struct legacy_text major, minor;

	take_permissions(&text, entry);
	if (!take_blanks_hex(&text, &major))
		return false;
	if (text.at < text.end && *text.at != ':') {
		entry->offset = major;
		if (!take_blanks_hex(&text, &major))
			return false;
	}
	if (!legacy_take(&text, ":"))
		return false;
	minor = take_hex(&text);
	if (!is_present(minor) || !take_blanks(&text) || !is_present(legacy_take_digits(&text)))
		return false;
	take_word(&text, &entry->file);
	return true;
}

/* After the range: "PERM FILE (@OFFSET) BUILDID", all of which may be missing. */
static void parse_brief_tail(struct legacy_text text, struct entry *entry)
{
	struct legacy_text rest;

	take_permissions(&text, entry);
	take_word(&text, &entry->file);
	rest = text;
	if (take_blanks(&rest) && legacy_take(&rest, "(@")) {
		struct legacy_text digits = take_hex(&rest);

		if (is_present(digits) && legacy_take(&rest, ")")) {
			entry->offset = digits;
			text = rest;
		}
	}
	if (!take_blanks_hex(&text, &entry->build_id))
		entry->build_id.at = entry->build_id.end = NULL;
}

/*
 * "START-LIMIT:", where the '-' may be a blank, or missing when only one number can be seen: then its
 * last digit (from which "0xLIMIT" may start) is the limit. Way 0, 1, 2: what is tried, in this order.
 */
static bool parse_range(struct legacy_text *text, int way, struct entry *entry)
{
	struct legacy_text rest = *text;

	take_blanks(&rest);
	entry->start = take_prefixed(&rest);
	if (!is_present(entry->start))
		return false;
	if (way == 0) {
		if (rest.at < rest.end && *rest.at == '-')
			rest.at++;
		take_blanks(&rest);
	} else {
		rest.at = --entry->start.end;
		if (!is_present(entry->start))
			return false;
	}
	entry->limit = way == 2 ? take_hex(&rest) : take_prefixed(&rest);
	if (!is_present(entry->limit))
		return false;
	legacy_take(&rest, ":");
	*text = rest;
	return true;
}

static bool parse_entry(struct legacy_text line, struct entry *entry)
{
	for (int way = 0; way < 3; way++) {
		struct legacy_text rest = line;

		*entry = (struct entry){0};
		if (parse_range(&rest, way, entry) && parse_proc_tail(rest, entry))
			return true;
	}
	for (int way = 0; way < 3; way++) {
		struct legacy_text rest = line;

		*entry = (struct entry){0};
		if (parse_range(&rest, way, entry)) {
			parse_brief_tail(rest, entry);
			return true;
		}
	}
	return false;
}

/* ---- lines -------------------------------------------------------------------------------------- */

/* What a logger puts before a line: "anything:123] ". */
static struct legacy_text strip_log_prefix(struct legacy_text line)
{
	const char *at = line.at, *digit;

	while (at < line.end && *at != '[' && *at != ']')
		at++;
	if (line.end - at < 2 || *at != ']' || !strchr(" \t\n\f\r", at[1]) || !at[1])
		return line;
	digit = at;
	while (digit > line.at && legacy_is_digit(digit[-1]))
		digit--;
	if (digit < at && digit - line.at >= 2 && digit[-1] == ':')
		line.at = at + 2;
	return line;
}

/* The line with the variables replaced by their values; false when it becomes too long. */
static bool replace(struct variables *variables, struct legacy_text *line)
{
	const char *at = line->at, *dollar;

	if (!variables->count || !memchr(at, '$', legacy_length(*line)))
		return true;
	perun_buffer_clear(&variables->line);
	while (at < line->end && (dollar = memchr(at, '$', (size_t)(line->end - at))) != NULL) {
		const struct variable *variable = NULL;

		perun_buffer_add(&variables->line, at, (size_t)(dollar - at));
		for (size_t i = 0; i < variables->count && !variable; i++) {
			const struct variable *candidate = &variables->items[i];

			if ((size_t)(line->end - dollar) >= candidate->name_length &&
			    memcmp(dollar, candidate->name, candidate->name_length) == 0)
				variable = candidate;
		}
		if (variable)
			perun_buffer_add_text(&variables->line, variable->value);
		else
			perun_buffer_add_char(&variables->line, '$');
		at = dollar + (variable ? variable->name_length : 1);
		if (variables->line.length > LONGEST_LINE)
			return false;
	}
	perun_buffer_add(&variables->line, at, (size_t)(line->end - at));
	line->at = variables->line.data;
	line->end = line->at + variables->line.length;
	return true;
}

/* NAME=VALUE; anything else is passed over. */
static bool add_variable(struct variables *variables, struct legacy_text line)
{
	const char *equals = memchr(line.at, '=', legacy_length(line));
	struct variable *variable;
	struct legacy_text name, value;

	if (!equals)
		return true;
	if (variables->count == MAX_VARIABLES)
		return false;
	name = legacy_trim((struct legacy_text){line.at, equals});
	value = legacy_trim((struct legacy_text){equals + 1, line.end});
	PERUN_GROW(variables->items, variables->count, variables->capacity);
	variable = &variables->items[variables->count++];
	variable->name_length = legacy_length(name) + 1;
	variable->name = perun_alloc(variable->name_length + 1);
	variable->name[0] = '$';
	memcpy(variable->name + 1, name.at, legacy_length(name));
	variable->name[variable->name_length] = '\0';
	variable->value = perun_strndup(value.at, legacy_length(value));
	return true;
}

static void free_variables(struct variables *variables)
{
	for (size_t i = 0; i < variables->count; i++) {
		perun_free(variables->items[i].name);
		perun_free(variables->items[i].value);
	}
	perun_free(variables->items);
	perun_buffer_free(&variables->line);
}

static perun_id intern(struct legacy_profile *profile, struct legacy_text text)
{
	return is_present(text)
		       ? perun_builder_string(profile->builder, text.at, legacy_length(text))
		       : 0;
}

/* False when the line is not an entry. Entries without code are passed over. */
static bool add_entry(struct legacy_profile *profile, struct legacy_text line)
{
	struct perun_mapping mapping = {0};
	struct entry entry;

	if (!parse_entry(line, &entry))
		return false;
	if (is_present(entry.permissions) &&
	    !memchr(entry.permissions.at, 'x', legacy_length(entry.permissions)))
		return true;
	if (!legacy_hexadecimal(entry.start, &mapping.start) ||
	    !legacy_hexadecimal(entry.limit, &mapping.limit))
		return false;
	if (is_present(entry.offset) && !legacy_hexadecimal(entry.offset, &mapping.offset))
		return false;
	mapping.file = intern(profile, entry.file);
	mapping.build_id = intern(profile, entry.build_id);
	PERUN_GROW(profile->mappings, profile->mapping_count, profile->mapping_capacity);
	profile->mappings[profile->mapping_count++] = mapping;
	return true;
}

int legacy_read_map(struct legacy_profile *profile, struct legacy_lines *lines)
{
	struct variables variables = {0};
	int status = PERUN_OK;

	while (!status && legacy_next_line(lines)) {
		struct legacy_text line = strip_log_prefix(lines->line);

		variables.line.length = 0;
		if (!replace(&variables, &line))
			status = legacy_fail(lines,
					     "longer than %d bytes with its variables "
					     "replaced",
					     LONGEST_LINE);
		else if (variables.line.length > profile->expansion_left)
			status = legacy_fail(lines,
					     "lines are longer with their variables replaced than "
					     "the option expansion-limit allows");
		else if (!add_entry(profile, line) && !add_variable(&variables, line))
			status = legacy_fail(lines, "more than %d variables", MAX_VARIABLES);
		profile->expansion_left -= variables.line.length;
	}
	free_variables(&variables);
	return status ? status : legacy_place(profile);
}

int legacy_find_map(struct legacy_profile *profile, struct legacy_lines *lines)
{
	while (!legacy_is_map_start(lines->line) && legacy_next_line(lines))
		;
	return legacy_read_map(profile, lines);
}
