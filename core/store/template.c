/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of new profiles from a template: %collector%-%cmd%-%workload%-%date% */
#include <ctype.h>
#include <string.h>
#include <time.h>

#include <perun/json.h>
#include <perun/lib/path.h>
#include <perun/lib/program.h>

#include "core/store/store.h"

#define NAME_LIMIT 240 /* bytes; file systems allow 255, and a counter may follow */

/* Characters that become underscores; a slash or control character never gets into a name. */
static bool is_unusual(char c)
{
	return strchr("# %&{}\\<>*?/ $!'\":@", c) || (unsigned char)c < ' ' || c == 127;
}

static void add_clean(struct perun_buffer *out, const char *text)
{
	for (; *text; text++)
		perun_buffer_add_char(out, is_unusual(*text) ? '_' : *text);
}

static void add_or_underscore(struct perun_buffer *out, const char *text)
{
	if (text[0])
		add_clean(out, text);
	else
		perun_buffer_add_char(out, '_');
}

/* "[app]" of "/usr/bin/app"; "[]" when nothing follows the last slash; "[_]" of nothing. */
static void add_base_name(struct perun_buffer *out, const char *text)
{
	perun_buffer_add_char(out, '[');
	add_clean(out, perun_path_base_name(text));
	perun_buffer_add_char(out, ']');
}

static bool is_assignment(const char *word)
{
	size_t name = 0;

	while (isalnum((unsigned char)word[name]) || word[name] == '_')
		name++;
	return name > 0 && word[name] == '=';
}

/*
 * "[app]" of "/usr/bin/app data/in.txt": a command is called after its program. What a shell command sets before it
 * (NAME=value) is not a program.
 */
static void add_command(struct perun_buffer *out, const char *text)
{
	struct perun_ctx *quiet = perun_ctx_new(NULL);
	struct perun_words words = {0};
	size_t program = 0;

	if (perun_split_words(quiet, text, &words) || words.count == 0)
		perun_words_add(&words, text, strlen(text));
	while (program + 1 < words.count && is_assignment(words.items[program]))
		program++;
	add_base_name(out, words.items[program]);
	perun_words_free(&words);
	perun_ctx_free(quiet);
}

static void add_postprocessors(struct perun_buffer *out, const struct perun_profile *profile)
{
	const char *names = perun_profile_postprocessors(profile);

	if (!names[0]) {
		perun_buffer_add_char(out, '_');
		return;
	}
	perun_buffer_add_text(out, "after-");
	for (; *names; names++) {
		if (*names == ' ')
			perun_buffer_add_text(out, "-and-");
		else
			perun_buffer_add_char(out, is_unusual(*names) ? '_' : *names);
	}
}

static void add_date(struct perun_buffer *out)
{
	char text[64];
	time_t now = time(NULL);
	struct tm utc;

	if (gmtime_r(&now, &utc) && strftime(text, sizeof text, "%Y-%m-%d-%H-%M-%S", &utc))
		perun_buffer_add_text(out, text);
}

/* The parameters of the unit (collector or postprocessor) of a name, or NULL. */
static const struct perun_json *find_params(const struct perun_profile *profile, const char *unit,
					    size_t length)
{
	const struct perun_json *document = perun_profile_document(profile);
	const struct perun_json *units = perun_json_get(document, "postprocessors");
	const struct perun_json *found = NULL,
				*collector = perun_json_get(document, "collector_info");

	for (size_t i = 0; i <= perun_json_count(units); i++) {
		const struct perun_json *candidate = i ? perun_json_at(units, i - 1) : collector;
		const char *name = perun_json_as_string(perun_json_get(candidate, "name"), NULL);

		if (name && strlen(name) == length && memcmp(name, unit, length) == 0 && !found)
			found = perun_json_get(candidate, "params");
	}
	return found;
}

/* "%unit.param%" */
static void add_parameter(struct perun_buffer *out, const struct perun_profile *profile,
			  const char *word, size_t length)
{
	const char *dot = memchr(word, '.', length);
	const struct perun_json *value = NULL;
	struct perun_buffer text = {0};

	if (dot)
		value = perun_json_get_n(find_params(profile, word, (size_t)(dot - word)), dot + 1,
					 length - (size_t)(dot + 1 - word));
	if (perun_json_as_string(value, NULL))
		perun_buffer_add_text(&text, perun_json_as_string(value, NULL));
	else if (value)
		perun_json_print(value, &text, PERUN_JSON_PYTHON, 0);
	add_or_underscore(out, text.length ? text.data : "");
	perun_buffer_free(&text);
}

static bool is_word(const char *word, size_t length, const char *wanted)
{
	return strlen(wanted) == length && memcmp(word, wanted, length) == 0;
}

static bool add_field(struct perun_buffer *out, const struct perun_profile *profile,
		      const char *word, size_t length, unsigned counter)
{
	if (is_word(word, length, "collector"))
		add_or_underscore(out, perun_profile_text(profile, "/collector_info/name"));
	else if (is_word(word, length, "postprocessors"))
		add_postprocessors(out, profile);
	else if (is_word(word, length, "cmd"))
		add_command(out, perun_profile_text(profile, "/header/cmd"));
	else if (is_word(word, length, "workload"))
		add_base_name(out, perun_profile_text(profile, "/header/workload"));
	else if (is_word(word, length, "type"))
		add_or_underscore(out, perun_profile_text(profile, "/header/type"));
	else if (is_word(word, length, "label"))
		add_or_underscore(out, perun_profile_text(profile, "/header/label"));
	else if (is_word(word, length, "origin"))
		add_or_underscore(out, perun_profile_text(profile, "/origin"));
	else if (is_word(word, length, "date"))
		add_date(out);
	else if (is_word(word, length, "counter"))
		perun_buffer_printf(out, "%u", counter);
	else if (memchr(word, '.', length))
		add_parameter(out, profile, word, length);
	else
		return false;
	return true;
}

char *perun_expand_template(const struct perun_profile *profile, const char *name_template,
			    unsigned counter)
{
	struct perun_buffer out = {0};
	const char *at = name_template;

	while (*at) {
		const char *end = *at == '%' ? strchr(at + 1, '%') : NULL;

		if (end && add_field(&out, profile, at + 1, (size_t)(end - at) - 1, counter)) {
			at = end + 1;
			continue;
		}
		perun_buffer_add_char(&out, *at == '/' || (unsigned char)*at < ' ' ? '_' : *at);
		at++;
	}
	if (out.length > NAME_LIMIT) {
		size_t length = NAME_LIMIT;

		while (length > 0 && ((unsigned char)out.data[length] & 0xc0) == 0x80)
			length--;
		out.length = length;
	}
	if (out.length && out.data[0] == '.')
		out.data[0] = '_';
	perun_buffer_add_text(&out, ".perf");
	return perun_buffer_take(&out);
}
