/* SPDX-License-Identifier: BSD-3-Clause */
/* The .plugin text: what is known of a plugin without loading it. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <perun/check.h>
#include <perun/collect.h>
#include <perun/command.h>
#include <perun/format.h>

#include "core/registry/registry-private.h"

/*
 * A line is a word and its value; the first line names the form of the text:
 *
 *	perun-plugin 1
 *	kind format
 *	name pprof
 *	summary profiles of Go and others
 *	abi 1.0
 *	version 0.9.0
 *	license BSD-3-Clause
 *	pattern *.pb.gz
 *	magic 0 1f8b
 *	contains 7b22
 *	directories yes
 *	alias pp
 *	command pprof read profiles as pprof does
 *
 * All but one of the last six may appear more than once; "contains" alone is an empty list. Unknown words are passed over.
 */

static void add_text(const char ***list, size_t *count, size_t *capacity, const char *text)
{
	PERUN_GROW(*list, *count + 1, *capacity);
	(*list)[(*count)++] = text;
	(*list)[*count] = NULL;
}

/* NULL: the list is there, though it may stay empty. */
static void add_contained(struct plugin_text *facts, const char *text)
{
	PERUN_GROW(facts->contains, facts->contains_count + 1, facts->contains_capacity);
	if (text)
		facts->contains[facts->contains_count++] = text;
	facts->contains[facts->contains_count] = NULL;
}

static void add_magic(struct plugin_text *facts, const void *bytes, uint32_t size, uint32_t offset)
{
	PERUN_GROW(facts->magic, facts->magic_count + 1, facts->magic_capacity);
	facts->magic[facts->magic_count++] = (struct perun_magic){bytes, size, offset};
	facts->magic[facts->magic_count] = (struct perun_magic){0};
}

/* The words of a plugin, of which a copy is cut. */
static void add_words(struct plugin_text *facts, const char *words, const char ***list,
		      size_t *count, size_t *capacity)
{
	char *rest = facts->words = words ? perun_strdup(words) : NULL, *word;

	while ((word = strsep(&rest, " "))) {
		if (*word)
			add_text(list, count, capacity, word);
	}
}

void plugin_text_free(struct plugin_text *facts)
{
	perun_free(facts->patterns);
	perun_free(facts->aliases);
	perun_free(facts->commands);
	perun_free(facts->contains);
	perun_free(facts->magic);
	perun_free(facts->words);
	*facts = (struct plugin_text){.kind = PERUN_KINDS};
}

/* ---- from a plugin --------------------------------------------------------------------------- */

void plugin_text_from(const struct perun_plugin *plugin, struct plugin_text *facts)
{
	struct perun_format_ops format;
	struct perun_check_ops check;
	struct perun_collect_ops collect;

	*facts = (struct plugin_text){.kind = plugin->kind,
				      .name = plugin->name,
				      .summary = plugin->summary ? plugin->summary : "",
				      .version = plugin->version,
				      .license = plugin->license,
				      .abi_major = plugin->abi_major,
				      .abi_minor = plugin->abi_minor};
	if (plugin->kind == PERUN_KIND_FORMAT) {
		perun_plugin_ops(plugin, &format, sizeof format);
		add_words(facts, format.patterns, &facts->patterns, &facts->pattern_count,
			  &facts->pattern_capacity);
		for (const struct perun_magic *magic = format.magic; magic && magic->size; magic++)
			add_magic(facts, magic->bytes, magic->size, magic->offset);
		if (format.contains)
			add_contained(facts, NULL);
		for (const char *const *one = format.contains; one && *one; one++)
			add_contained(facts, *one);
		facts->reads_directories = format.reads_directories;
	} else if (plugin->kind == PERUN_KIND_CHECK) {
		perun_plugin_ops(plugin, &check, sizeof check);
		add_words(facts, check.aliases, &facts->aliases, &facts->alias_count,
			  &facts->alias_capacity);
	} else if (plugin->kind == PERUN_KIND_COLLECT) {
		perun_plugin_ops(plugin, &collect, sizeof collect);
		add_words(facts, collect.aliases, &facts->aliases, &facts->alias_count,
			  &facts->alias_capacity);
	}
	for (const struct perun_command *command = plugin->commands; command && command->name;
	     command++) {
		add_text(&facts->commands, &facts->command_count, &facts->command_capacity,
			 command->name);
		add_text(&facts->commands, &facts->command_count, &facts->command_capacity,
			 command->summary ? command->summary : "");
	}
}

static void add_line(struct perun_buffer *text, const char *word, const char *value)
{
	if (!value || !*value)
		return;
	perun_buffer_printf(text, "%s ", word);
	for (; *value; value++)
		perun_buffer_add_char(text, iscntrl((unsigned char)*value) ? ' ' : *value);
	perun_buffer_add_char(text, '\n');
}

static void add_hex(struct perun_buffer *text, const char *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		perun_buffer_printf(text, "%02x", (unsigned char)bytes[i]);
	perun_buffer_add_char(text, '\n');
}

static void describe_content(const struct plugin_text *facts, struct perun_buffer *text)
{
	for (size_t i = 0; i < facts->magic_count; i++) {
		perun_buffer_printf(text, "magic %u ", (unsigned)facts->magic[i].offset);
		add_hex(text, facts->magic[i].bytes, facts->magic[i].size);
	}
	if (facts->contains && !facts->contains_count)
		perun_buffer_add_text(text, "contains\n");
	for (size_t i = 0; i < facts->contains_count; i++) {
		perun_buffer_add_text(text, "contains ");
		add_hex(text, facts->contains[i], strlen(facts->contains[i]));
	}
	if (facts->reads_directories)
		perun_buffer_add_text(text, "directories yes\n");
}

void perun_plugin_describe(const struct perun_plugin *plugin, struct perun_buffer *text)
{
	struct plugin_text facts;

	plugin_text_from(plugin, &facts);
	perun_buffer_add_text(text, "perun-plugin 1\n");
	add_line(text, "kind", perun_kind_name(facts.kind));
	add_line(text, "name", facts.name);
	add_line(text, "summary", facts.summary);
	perun_buffer_printf(text, "abi %u.%u\n", facts.abi_major, facts.abi_minor);
	add_line(text, "version", facts.version);
	add_line(text, "license", facts.license);
	for (size_t i = 0; i < facts.pattern_count; i++)
		add_line(text, "pattern", facts.patterns[i]);
	describe_content(&facts, text);
	for (size_t i = 0; i < facts.alias_count; i++)
		add_line(text, "alias", facts.aliases[i]);
	for (size_t i = 0; i + 1 < facts.command_count; i += 2) {
		char *value = perun_format("%s %s", facts.commands[i], facts.commands[i + 1]);

		add_line(text, "command", value);
		perun_free(value);
	}
	plugin_text_free(&facts);
}

/* ---- the file ------------------------------------------------------------------------------- */

/* A longer text is cut: it is damaged anyway. */
enum { TEXT_LIMIT = 1 << 20 };

char *plugin_text_path(const char *file)
{
	return perun_format("%.*s.plugin", (int)(strlen(file) - strlen(".so")), file);
}

char *plugin_text_read(const char *path)
{
	struct perun_buffer buffer = {0};
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat status;
	ssize_t got;

	if (fd < 0)
		return NULL;
	if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) {
		close(fd);
		return NULL;
	}
	do {
		got = read(fd, perun_buffer_reserve(&buffer, 4096), 4096);
		if (got > 0)
			buffer.length += (size_t)got;
	} while ((got > 0 && buffer.length < TEXT_LIMIT) || (got < 0 && errno == EINTR));
	close(fd);
	if (got < 0) {
		perun_buffer_free(&buffer);
		return NULL;
	}
	return perun_buffer_take(&buffer);
}

/* ---- parsing --------------------------------------------------------------------------------- */

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The bytes that the digits say, in their place and with a NUL. */
static bool parse_hex(char *text, size_t *size)
{
	char *to = text;

	for (const char *from = text; *from; from += 2) {
		int high = hex_digit(from[0]), low = high < 0 ? -1 : hex_digit(from[1]);

		if (low < 0)
			return false;
		*to++ = (char)(high << 4 | low);
	}
	*to = '\0';
	*size = (size_t)(to - text);
	return true;
}

static bool parse_abi(struct plugin_text *facts, const char *value)
{
	char *end;
	unsigned long major = strtoul(value, &end, 10), minor;

	if (end == value || *end != '.')
		return false;
	value = end + 1;
	minor = strtoul(value, &end, 10);
	facts->abi_major = (uint16_t)major;
	facts->abi_minor = (uint16_t)minor;
	return end != value && major <= UINT16_MAX && minor <= UINT16_MAX;
}

static bool parse_magic(struct plugin_text *facts, const char *value)
{
	char *end;
	unsigned long offset = strtoul(value, &end, 10);
	size_t size;
	bool good =
		end != value && *end == ' ' && offset <= UINT32_MAX && parse_hex(end + 1, &size);

	if (good && size)
		add_magic(facts, end + 1, (uint32_t)size, (uint32_t)offset);
	return good;
}

static bool parse_contained(struct plugin_text *facts, char *value)
{
	size_t size;
	bool good = parse_hex(value, &size) && strlen(value) == size;

	if (good)
		add_contained(facts, size ? value : NULL);
	return good;
}

/* Lines are many and words differ in their first letters. */
static bool is(const char *word, const char *other)
{
	return *word == *other && strcmp(word, other) == 0;
}

static bool parse_line(struct plugin_text *facts, const char *word, char *value)
{
	/* Most lines are of the first two. */
	if (is(word, "contains"))
		return parse_contained(facts, value);
	if (is(word, "magic"))
		return parse_magic(facts, value);
	if (is(word, "kind")) {
		facts->kind = perun_kind_from_name(value);
		return facts->kind != PERUN_KINDS;
	}
	if (is(word, "directories")) {
		facts->reads_directories = strcmp(value, "yes") == 0;
		return facts->reads_directories;
	}
	if (is(word, "abi"))
		return parse_abi(facts, value);
	if (is(word, "name")) {
		facts->name = value;
	} else if (is(word, "summary")) {
		facts->summary = value;
	} else if (is(word, "version")) {
		facts->version = value;
	} else if (is(word, "license")) {
		facts->license = value;
	} else if (is(word, "pattern")) {
		add_text(&facts->patterns, &facts->pattern_count, &facts->pattern_capacity, value);
	} else if (is(word, "alias")) {
		add_text(&facts->aliases, &facts->alias_count, &facts->alias_capacity, value);
	} else if (is(word, "command")) {
		char *summary = strchrnul(value, ' ');

		if (*summary)
			*summary++ = '\0';
		add_text(&facts->commands, &facts->command_count, &facts->command_capacity, value);
		add_text(&facts->commands, &facts->command_count, &facts->command_capacity,
			 summary);
	}
	return true;
}

int plugin_text_parse(struct perun_ctx *ctx, char *text, struct plugin_text *facts)
{
	int number = 0, status = PERUN_OK;
	char *line;

	*facts = (struct plugin_text){.kind = PERUN_KINDS, .summary = ""};
	while (status == PERUN_OK && (line = text)) {
		char *end = strchr(line, '\n'), *value;

		if (end)
			*end++ = '\0';
		text = end;
		value = strchrnul(line, ' ');
		number++;
		if (*value)
			*value++ = '\0';
		if (number == 1 && (strcmp(line, "perun-plugin") != 0 || strcmp(value, "1") != 0))
			status =
				perun_fail(ctx, PERUN_INPUT, "line 1: expected \"perun-plugin 1\"");
		else if (!parse_line(facts, line, value))
			status = perun_fail(ctx, PERUN_INPUT, "line %d: bad value for %s", number,
					    line);
	}
	if (status == PERUN_OK && (facts->kind == PERUN_KINDS || !facts->name))
		status = perun_fail(ctx, PERUN_INPUT, "no kind or no name");
	if (status != PERUN_OK)
		plugin_text_free(facts);
	return status;
}
