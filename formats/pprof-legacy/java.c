/* SPDX-License-Identifier: BSD-3-Clause */
/* Profiles of Java: heap and contention as text, and the symbols that end these and the binary ones. */
#include <string.h>

#include "legacy.h"

enum { JAVA_HEAP_RATE = 524288 };

struct java {
	bool heap;  /* or contention */
	char *unit; /* what "resolution" says */
};

static bool is_word(char c)
{
	return legacy_is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
	       c == ' ';
}

/* "NAME=VALUE" anywhere in the line, of letters, digits, '_' and blanks. */
static bool parse_attribute(struct legacy_text line, struct legacy_text *name,
			    struct legacy_text *value)
{
	while (line.at < line.end) {
		name->at = line.at;
		while (line.at < line.end && is_word(*line.at))
			line.at++;
		name->end = line.at;
		if (name->at < name->end && line.end - line.at >= 2 && *line.at == '=' &&
		    is_word(line.at[1])) {
			value->at = value->end = line.at + 1;
			while (value->end < line.end && is_word(*value->end))
				value->end++;
			*name = legacy_trim(*name);
			*value = legacy_trim(*value);
			return true;
		}
		if (line.at < line.end)
			line.at++;
	}
	return false;
}

bool legacy_is_java(struct legacy_lines lines)
{
	struct legacy_text title = legacy_trim(lines.line), name, value;

	if (legacy_equals(title, "--- heapz 1 ---"))
		return true;
	if (!legacy_equals(title, "--- contentionz 1 ---"))
		return false;
	while (legacy_skip_empty(&lines) && parse_attribute(lines.line, &name, &value)) {
		if (legacy_equals(name, "format") || legacy_equals(name, "resolution"))
			return true;
	}
	return false;
}

static void set_unit(struct legacy_profile *profile, const struct java *java,
		     struct legacy_text value)
{
	perun_free(profile->word);
	profile->word = perun_strndup(value.at, legacy_length(value));
	profile->type_count = 0;
	legacy_add_type(profile, java->heap ? "inuse_objects" : "contentions", "count");
	legacy_add_type(profile, java->heap ? "inuse_space" : "delay", profile->word);
}

static int set_attribute(struct legacy_profile *profile, const struct legacy_lines *lines,
			 const struct java *java, struct legacy_text name, struct legacy_text value)
{
	bool period = !java->heap && legacy_equals(name, "sampling period");
	bool duration = !java->heap && legacy_equals(name, "ms since reset");
	char *quoted;
	int64_t number;
	int status;

	if (legacy_equals(name, "format")) {
		if (legacy_equals(value, "java"))
			return PERUN_OK;
		return legacy_fail(lines, "expected \"java\" as format");
	}
	if (legacy_equals(name, "resolution")) {
		set_unit(profile, java, value);
		return PERUN_OK;
	}
	if ((period || duration) && legacy_number(value, &number)) {
		if (duration) {
			profile->duration = legacy_multiply(number, 1000000);
			return PERUN_OK;
		}
		profile->period = number;
		profile->period_type = "contentions";
		profile->period_unit = "count";
		return PERUN_OK;
	}
	quoted = legacy_quote(period || duration ? value : name);
	status = legacy_fail(lines, "%s: found %s",
			     period || duration ? "expected a number of 64 bits after '='"
						: "expected the attribute \"format\" or "
						  "\"resolution\" (or, of contention, "
						  "\"sampling period\" or \"ms since reset\")",
			     quoted);
	perun_free(quoted);
	return status;
}

/* Like legacy_next_line(), for complete lines that are not empty, trimmed. */
static bool next_line(struct legacy_lines *lines)
{
	while (memchr(lines->rest.at, '\n', legacy_length(lines->rest))) {
		legacy_next_line(lines);
		lines->line = legacy_trim(lines->line);
		if (lines->line.at < lines->line.end)
			return true;
	}
	return false;
}

static int read_attributes(struct legacy_profile *profile, struct legacy_lines *lines,
			   const struct java *java)
{
	struct legacy_lines before = *lines;
	struct legacy_text name, value;

	while (next_line(lines)) {
		int status;

		if (!parse_attribute(lines->line, &name, &value)) {
			*lines = before;
			return PERUN_OK;
		}
		status = set_attribute(profile, lines, java, name, value);
		if (status)
			return status;
		before = *lines;
	}
	return PERUN_OK;
}

/* "SIZE COUNT @ ADDRESSES" anywhere in the line. */
static bool parse_row(struct legacy_text line, struct legacy_text *size, struct legacy_text *count,
		      struct legacy_text *addresses)
{
	while (line.at < line.end) {
		struct legacy_text rest;

		*size = legacy_take_digits(&line);
		if (size->at == size->end) {
			line.at++;
			continue;
		}
		rest = line;
		legacy_take_spaces(&rest);
		*count = legacy_take_digits(&rest);
		if (rest.at == line.at || count->at == line.at || count->at == count->end)
			continue;
		if (!legacy_starts(rest, " "))
			continue;
		legacy_take_spaces(&rest);
		if (!legacy_take(&rest, "@ "))
			continue;
		legacy_take_spaces(&rest);
		addresses->at = addresses->end = rest.at;
		while (addresses->end < rest.end &&
		       (legacy_is_small_hex(*addresses->end) || *addresses->end == 'x' ||
			*addresses->end == ' '))
			addresses->end++;
		return true;
	}
	return false;
}

static int read_row(struct legacy_profile *profile, const struct legacy_lines *lines,
		    const struct java *java, struct legacy_text size, struct legacy_text count,
		    struct legacy_text addresses)
{
	struct legacy_sample sample = {.sized = java->heap};
	int64_t *values = sample.values;
	int status = legacy_push_addresses(profile, lines, addresses);

	if (status)
		return status;
	if (!legacy_number(count, &values[0]) || !legacy_number(size, &values[1]))
		return legacy_fail(lines, "expected two numbers of 64 bits before @");
	if (java->heap) {
		if (!values[0])
			return legacy_fail(lines, "the second number, of objects, is 0");
		sample.size = legacy_divide(values[1], values[0]);
		legacy_unsample(JAVA_HEAP_RATE, &values[0], &values[1]);
	} else if (profile->period) {
		values[0] = legacy_multiply(values[0], profile->period);
		values[1] = legacy_multiply(values[1], profile->period);
	}
	return legacy_add_sample(profile, LEGACY_NO_RETURNS, &sample);
}

static int read_rows(struct legacy_profile *profile, struct legacy_lines *lines,
		     const struct java *java)
{
	struct legacy_lines before = *lines;
	struct legacy_text size, count, addresses;

	while (next_line(lines)) {
		int status;

		if (!parse_row(lines->line, &size, &count, &addresses)) {
			*lines = before;
			return PERUN_OK;
		}
		if (!profile->type_count)
			return legacy_fail(lines, "a sample without the attribute \"resolution\" "
						  "before it, which gives the units");
		status = read_row(profile, lines, java, size, count, addresses);
		if (status)
			return status;
		before = *lines;
	}
	return PERUN_OK;
}

/* ---- symbols ------------------------------------------------------------------------------------ */

struct symbol {
	struct legacy_text function, file;
	int64_t line;
};

/* The last '(' with a blank before it, or NULL. */
static const char *last_parenthesis(struct legacy_text text)
{
	for (const char *at = text.end; at > text.at + 1; at--) {
		if (at[-1] == '(' && legacy_is_blank(at[-2]) && at[-2] != '\v')
			return at - 1;
	}
	return NULL;
}

/* ":LINE)" at the end of the text: where the ':' is, or NULL; LINE may be negative. */
static const char *find_line(struct legacy_text text, int64_t *line)
{
	struct legacy_text digits = {text.end - 1, text.end - 1};

	while (digits.at > text.at && legacy_is_digit(digits.at[-1]))
		digits.at--;
	if (digits.at == digits.end)
		return NULL;
	if (digits.at > text.at && digits.at[-1] == '-')
		digits.at--;
	if (digits.at == text.at || digits.at[-1] != ':')
		return NULL;
	if (!legacy_decimal(digits, line) || *line < 0)
		*line = 0;
	return digits.at - 1;
}

static struct legacy_text base_name(struct legacy_text path)
{
	struct legacy_text base;

	if (path.at == path.end) {
		static const char dot[] = ".";

		return (struct legacy_text){dot, dot + 1};
	}
	while (path.end > path.at + 1 && path.end[-1] == '/')
		path.end--;
	base = path;
	for (const char *at = path.at; at + 1 < path.end; at++) {
		if (*at == '/')
			base.at = at + 1;
	}
	return base;
}

/* "FUNCTION (FILE:LINE)", "FUNCTION (LIBRARY)", code made at run time, or "FUNCTION". */
static struct symbol parse_symbol(struct legacy_text text)
{
	struct symbol symbol = {.function = text};
	const char *open, *colon;

	if (text.at < text.end && text.end[-1] == ')') {
		colon = find_line(text, &symbol.line);
		/* The file has at least one character, or it is taken for a library. */
		open = colon ? last_parenthesis((struct legacy_text){text.at, colon - 1}) : NULL;
		if (open) {
			symbol.function.end = open - 1;
			symbol.file = (struct legacy_text){open + 1, colon};
			return symbol;
		}
		symbol.line = 0;
		open = last_parenthesis((struct legacy_text){text.at, text.end - 1});
		if (open) {
			symbol.function.end = open - 1;
			symbol.file = base_name((struct legacy_text){open + 1, text.end - 1});
			return symbol;
		}
	}
	if (legacy_find(text, "generated stub/JIT")) {
		static const char stub[] = "STUB";

		symbol.function = (struct legacy_text){stub, stub + strlen(stub)};
	}
	return symbol;
}

/* Functions of one name are one; it has the file that is named first. */
static uint32_t find_function(struct legacy_profile *profile, struct stacks_numbers *by_name,
			      const struct symbol *symbol)
{
	perun_id name = perun_builder_string(profile->builder, symbol->function.at,
					     legacy_length(symbol->function));
	uint32_t index = stacks_numbers_find(by_name, name);
	struct legacy_function function = {.name = name};

	if (index != LEGACY_NONE)
		return index;
	if (symbol->file.at < symbol->file.end)
		function.file = perun_builder_string(profile->builder, symbol->file.at,
						     legacy_length(symbol->file));
	index = (uint32_t)profile->function_count;
	PERUN_GROW(profile->functions, profile->function_count, profile->function_capacity);
	profile->functions[profile->function_count++] = function;
	stacks_numbers_add(by_name, name, index);
	return index;
}

/* One for each location: all samples were read. */
static struct legacy_symbol *symbols_of(struct legacy_profile *profile)
{
	if (profile->symbols)
		return profile->symbols;
	profile->symbols = perun_alloc((profile->location_count + 1) * sizeof *profile->symbols);
	for (size_t i = 0; i < profile->location_count; i++)
		profile->symbols[i] = (struct legacy_symbol){.function = LEGACY_NONE};
	return profile->symbols;
}

/* "0xADDRESS SYMBOL"; what looks otherwise is passed over, and so are addresses of no sample. */
static int read_symbol(struct legacy_profile *profile, const struct legacy_lines *lines,
		       struct stacks_numbers *by_name)
{
	struct legacy_text text = legacy_trim(lines->line), digits;
	struct symbol symbol;
	uint64_t address;
	uint32_t index;

	if (!legacy_take(&text, "0x"))
		return PERUN_OK;
	digits = text;
	while (text.at < text.end && legacy_is_hex(*text.at))
		text.at++;
	digits.end = text.at;
	if (digits.at == digits.end || text.at == text.end || !legacy_is_blank(*text.at))
		return PERUN_OK;
	if (!legacy_hexadecimal(digits, &address)) {
		char *quoted = legacy_quote(digits);
		int status = legacy_fail(lines, "the address %s has more than 64 bits", quoted);

		perun_free(quoted);
		return status;
	}
	index = stacks_numbers_find(&profile->addresses, address);
	if (index == LEGACY_NONE)
		return PERUN_OK;
	symbol = parse_symbol(legacy_trim(text));
	symbols_of(profile)[index] =
		(struct legacy_symbol){find_function(profile, by_name, &symbol), symbol.line};
	return PERUN_OK;
}

int legacy_read_java_symbols(struct legacy_profile *profile, struct legacy_lines *lines)
{
	struct stacks_numbers by_name = {0};
	int status = PERUN_OK;

	while (!status && legacy_next_line(lines))
		status = read_symbol(profile, lines, &by_name);
	stacks_numbers_free(&by_name);
	if (!status)
		status = legacy_place(profile);
	profile->moving = true; /* code does while Java runs */
	return status;
}

int legacy_read_java(struct legacy_profile *profile, struct legacy_lines *lines)
{
	struct java java = {.heap = legacy_starts(legacy_trim(lines->line), "--- heapz")};
	int status = read_attributes(profile, lines, &java);

	if (!status)
		status = read_rows(profile, lines, &java);
	if (!status)
		status = legacy_read_java_symbols(profile, lines);
	return status;
}
