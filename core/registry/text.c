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

static void add_text(char ***list, size_t *count, size_t *capacity, char *text)
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
		facts->contains[facts->contains_count++] = perun_strdup(text);
	facts->contains[facts->contains_count] = NULL;
}

static void add_magic(struct plugin_text *facts, const void *bytes, uint32_t size, uint32_t offset)
{
	PERUN_GROW(facts->magic, facts->magic_count + 1, facts->magic_capacity);
	facts->magic[facts->magic_count++] =
		(struct perun_magic){perun_memdup(bytes, size), size, offset};
	facts->magic[facts->magic_count] = (struct perun_magic){0};
}

static void add_words(const char *words, char ***list, size_t *count, size_t *capacity)
{
	while (words && *(words += strspn(words, " "))) {
		size_t length = strcspn(words, " ");

		add_text(list, count, capacity, perun_strndup(words, length));
		words += length;
	}
}

void plugin_text_free(struct plugin_text *facts)
{
	char **lists[] = {facts->patterns, facts->aliases, facts->commands, facts->contains};

	for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
		for (char **text = lists[i]; text && *text; text++)
			perun_free(*text);
		perun_free(lists[i]);
	}
	for (size_t i = 0; i < facts->magic_count; i++)
		perun_free((void *)facts->magic[i].bytes);
	perun_free(facts->magic);
	perun_free(facts->name);
	perun_free(facts->summary);
	perun_free(facts->version);
	perun_free(facts->license);
	*facts = (struct plugin_text){.kind = PERUN_KINDS};
}

/* ---- from a plugin --------------------------------------------------------------------------- */

void plugin_text_from(const struct perun_plugin *plugin, struct plugin_text *facts)
{
	struct perun_format_ops format;
	struct perun_check_ops check;
	struct perun_collect_ops collect;

	*facts = (struct plugin_text){.kind = plugin->kind,
				      .name = perun_strdup(plugin->name),
				      .summary =
					      perun_strdup(plugin->summary ? plugin->summary : ""),
				      .version = perun_strdup(plugin->version),
				      .license = perun_strdup(plugin->license),
				      .abi_major = plugin->abi_major,
				      .abi_minor = plugin->abi_minor};
	if (plugin->kind == PERUN_KIND_FORMAT) {
		perun_plugin_ops(plugin, &format, sizeof format);
		add_words(format.patterns, &facts->patterns, &facts->pattern_count,
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
		add_words(check.aliases, &facts->aliases, &facts->alias_count,
			  &facts->alias_capacity);
	} else if (plugin->kind == PERUN_KIND_COLLECT) {
		perun_plugin_ops(plugin, &collect, sizeof collect);
		add_words(collect.aliases, &facts->aliases, &facts->alias_count,
			  &facts->alias_capacity);
	}
	for (const struct perun_command *command = plugin->commands; command && command->name;
	     command++) {
		add_text(&facts->commands, &facts->command_count, &facts->command_capacity,
			 perun_strdup(command->name));
		add_text(&facts->commands, &facts->command_count, &facts->command_capacity,
			 perun_strdup(command->summary ? command->summary : ""));
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

static bool parse_hex(const char *text, struct perun_buffer *bytes)
{
	char *to = perun_buffer_reserve(bytes, strlen(text) / 2 + 1);

	for (; *text; text += 2) {
		int high = hex_digit(text[0]), low = high < 0 ? -1 : hex_digit(text[1]);

		if (low < 0)
			return false;
		to[bytes->length++] = (char)(high << 4 | low);
	}
	to[bytes->length] = '\0';
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
	struct perun_buffer bytes = {0};
	char *end;
	unsigned long offset = strtoul(value, &end, 10);
	bool good =
		end != value && *end == ' ' && offset <= UINT32_MAX && parse_hex(end + 1, &bytes);

	if (good && bytes.length)
		add_magic(facts, bytes.data, (uint32_t)bytes.length, (uint32_t)offset);
	perun_buffer_free(&bytes);
	return good;
}

static bool parse_contained(struct plugin_text *facts, const char *value)
{
	struct perun_buffer bytes = {0};
	bool good = parse_hex(value, &bytes) &&
		    (!bytes.length || !memchr(bytes.data, '\0', bytes.length));

	if (good)
		add_contained(facts, bytes.length ? bytes.data : NULL);
	perun_buffer_free(&bytes);
	return good;
}

static void set_text(char **text, const char *value)
{
	perun_free(*text);
	*text = perun_strdup(value);
}

/* Lines are many and words differ in their first letters. */
static bool is(const char *word, const char *other)
{
	return *word == *other && strcmp(word, other) == 0;
}

static bool parse_line(struct plugin_text *facts, const char *word, const char *value)
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
		set_text(&facts->name, value);
	} else if (is(word, "summary")) {
		set_text(&facts->summary, value);
	} else if (is(word, "version")) {
		set_text(&facts->version, value);
	} else if (is(word, "license")) {
		set_text(&facts->license, value);
	} else if (is(word, "pattern")) {
		add_text(&facts->patterns, &facts->pattern_count, &facts->pattern_capacity,
			 perun_strdup(value));
	} else if (is(word, "alias")) {
		add_text(&facts->aliases, &facts->alias_count, &facts->alias_capacity,
			 perun_strdup(value));
	} else if (is(word, "command")) {
		size_t length = strcspn(value, " ");

		add_text(&facts->commands, &facts->command_count, &facts->command_capacity,
			 perun_strndup(value, length));
		add_text(&facts->commands, &facts->command_count, &facts->command_capacity,
			 perun_strdup(value + length + (value[length] == ' ')));
	}
	return true;
}

int plugin_text_parse(struct perun_ctx *ctx, const char *text, struct plugin_text *facts)
{
	char *copy = perun_strdup(text), *rest = copy, *line;
	int number = 0, status = PERUN_OK;

	*facts = (struct plugin_text){.kind = PERUN_KINDS};
	while (status == PERUN_OK && (line = strsep(&rest, "\n"))) {
		char *value = strchr(line, ' ');

		number++;
		if (value)
			*value++ = '\0';
		else
			value = line + strlen(line);
		if (number == 1 && (strcmp(line, "perun-plugin") != 0 || strcmp(value, "1") != 0))
			status =
				perun_fail(ctx, PERUN_INPUT, "line 1: expected \"perun-plugin 1\"");
		else if (!parse_line(facts, line, value))
			status = perun_fail(ctx, PERUN_INPUT, "line %d: bad value for %s", number,
					    line);
	}
	if (status == PERUN_OK && (facts->kind == PERUN_KINDS || !facts->name))
		status = perun_fail(ctx, PERUN_INPUT, "no kind or no name");
	if (!facts->summary)
		facts->summary = perun_strdup("");
	perun_free(copy);
	if (status != PERUN_OK)
		plugin_text_free(facts);
	return status;
}
