/* SPDX-License-Identifier: BSD-3-Clause */
/* What projects build with Make, alone or made by Automake. */
#include <config.h>

#include <ctype.h>
#include <string.h>

#include "core/detect/detect.h"

/* ---- makefiles ------------------------------------------------------------------------------- */

/* The next line, continued ones joined, without comment; false at the end. */
static bool next_line(const char **at, struct perun_buffer *line)
{
	perun_buffer_clear(line);
	if (!**at)
		return false;
	for (; **at && **at != '\n'; ++*at) {
		if (**at == '#') {
			*at += strcspn(*at, "\n");
			break;
		}
		if (**at == '\\' && (*at)[1] == '\n') {
			perun_buffer_add_char(line, ' ');
			++*at;
			continue;
		}
		perun_buffer_add_char(line, **at);
	}
	*at += **at == '\n';
	perun_buffer_add_char(line, '\0');
	line->length--;
	return true;
}

static void split_blanks(const char *text, struct perun_words *words)
{
	while (*text) {
		size_t length;

		text += strspn(text, " \t");
		length = strcspn(text, " \t");
		if (length)
			perun_words_add(words, text, length);
		text += length;
	}
}

/* The words of a variable, "NAME = words" or "NAME := words"; "+=" adds. */
static void read_variable(const char *makefile, const char *name, size_t length,
			  struct perun_words *words)
{
	struct perun_buffer line = {0};

	while (next_line(&makefile, &line)) {
		const char *at = line.data + strspn(line.data, " ");

		if (strncmp(at, name, length) != 0)
			continue;
		at += length + strspn(at + length, " \t");
		at += *at == ':' || *at == '?' || *at == '+';
		if (*at == '=')
			split_blanks(at + 1, words);
	}
	perun_buffer_free(&line);
}

static bool has(const struct perun_words *words, const char *word)
{
	for (size_t i = 0; i < words->count; i++) {
		if (strcmp(words->items[i], word) == 0)
			return true;
	}
	return false;
}

/* Words with variables replaced by theirs, once. */
static void expand(const char *makefile, const struct perun_words *words, struct perun_words *all)
{
	for (size_t i = 0; i < words->count; i++) {
		const char *word = words->items[i];
		size_t length = strlen(word);

		if (length > 3 && word[0] == '$' && strchr("({", word[1]) &&
		    strchr(")}", word[length - 1]))
			read_variable(makefile, word + 2, length - 3, all);
		else
			perun_words_add(all, word, length);
	}
}

/* What a target needs; the same target may have several. */
struct rule {
	char *target;
	struct perun_words needs;
};

struct makefile {
	const char *text;
	struct rule *rules;
	size_t count, capacity;
	struct perun_words phony, benchmarks;
	struct perun_words linked; /* targets whose commands say "-o" */
	struct perun_words made;   /* what the default target makes, itself included */
};

static void note_target(struct makefile *makefile, const char *target, const char *needs)
{
	struct perun_words words = {0};
	struct rule *rule;

	split_blanks(needs, &words);
	if (strcmp(target, ".PHONY") == 0) {
		expand(makefile->text, &words, &makefile->phony);
	} else if (target[0] != '.' && !strchr(target, '%')) {
		if (!strcmp(target, "bench") || !strcmp(target, "benchmark") ||
		    !strcmp(target, "benchmarks") || !strcmp(target, "perf"))
			perun_words_add(&makefile->benchmarks, target, strlen(target));
		PERUN_GROW(makefile->rules, makefile->count, makefile->capacity);
		rule = &makefile->rules[makefile->count++];
		*rule = (struct rule){.target = perun_strdup(target)};
		expand(makefile->text, &words, &rule->needs);
	}
	perun_words_free(&words);
}

/* Everything that the first target needs, and what these need. */
static void find_made(struct makefile *makefile)
{
	if (makefile->count)
		perun_words_add(&makefile->made, makefile->rules[0].target,
				strlen(makefile->rules[0].target));
	for (size_t i = 0; i < makefile->made.count; i++) {
		for (size_t j = 0; j < makefile->count; j++) {
			const struct rule *rule = &makefile->rules[j];

			if (strcmp(rule->target, makefile->made.items[i]) != 0)
				continue;
			for (size_t k = 0; k < rule->needs.count; k++) {
				if (!has(&makefile->made, rule->needs.items[k]))
					perun_words_add(&makefile->made, rule->needs.items[k],
							strlen(rule->needs.items[k]));
			}
		}
	}
}

/* "$@" and "-o" in the commands of a rule whose target is a program's name. */
static bool links(const char *command)
{
	const char *option = strstr(command, "-o ");

	return option && !strstr(command, " -c ") && !strstr(command, "-shared");
}

static void read_rules(struct makefile *makefile)
{
	const char *at = makefile->text;
	struct perun_buffer line = {0};
	struct perun_words targets = {0}, raw = {0};

	while (next_line(&at, &line)) {
		char *colon = strchr(line.data, ':');

		if (line.data[0] == '\t') {
			for (size_t i = 0; links(line.data) && i < targets.count; i++)
				perun_words_add(&makefile->linked, targets.items[i],
						strlen(targets.items[i]));
			continue;
		}
		if (!colon || colon[1] == '=' || strchr(colon, '='))
			continue;
		*colon = '\0';
		perun_words_free(&raw);
		perun_words_free(&targets);
		split_blanks(line.data, &raw);
		expand(makefile->text, &raw, &targets);
		for (size_t i = 0; i < targets.count; i++)
			note_target(makefile, targets.items[i], colon + 1 + (colon[1] == ':'));
	}
	perun_buffer_free(&line);
	perun_words_free(&raw);
	perun_words_free(&targets);
}

/* A name that a program may have: no object, library, text or picture. */
static bool is_program(const char *name)
{
	const char *base = strrchr(name, '/'), *dot;

	base = base ? base + 1 : name;
	dot = strchr(base, '.');
	return detect_is_plain(name) && name[0] != '/' && strncmp(name, "..", 2) != 0 &&
	       (!dot || !strcmp(dot, ".exe") || !strcmp(dot, ".out"));
}

static void free_makefile(struct makefile *makefile)
{
	for (size_t i = 0; i < makefile->count; i++) {
		perun_free(makefile->rules[i].target);
		perun_words_free(&makefile->rules[i].needs);
	}
	perun_free(makefile->rules);
	perun_words_free(&makefile->phony);
	perun_words_free(&makefile->benchmarks);
	perun_words_free(&makefile->linked);
	perun_words_free(&makefile->made);
}

/* Whether a target has a rule, or a source that make's own rules link. */
static bool is_target(const struct makefile *makefile, const char *name)
{
	for (size_t i = 0; i < makefile->count; i++) {
		if (strcmp(makefile->rules[i].target, name) == 0)
			return true;
	}
	return false;
}

static void propose_made(struct perun_detection *detected, struct makefile *makefile)
{
	const char *file = detected->file;

	for (size_t i = 0; i < makefile->made.count; i++) {
		const char *name = makefile->made.items[i];
		bool linked = has(&makefile->linked, name);

		/* What is not linked before our eyes is taken for a program where targets that are none
		 * are told. */
		if (is_program(name) && !has(&makefile->phony, name) &&
		    (linked || (makefile->phony.count && is_target(makefile, name))))
			detect_program(detected, perun_format("./%s", name),
				       perun_format("made by default in %s", file));
	}
	for (size_t i = 0; i < makefile->linked.count; i++) {
		const char *name = makefile->linked.items[i];

		if (is_program(name) && !has(&makefile->made, name))
			detect_propose(&detected->lists[PERUN_PROPOSED_COMMANDS],
				       perun_format("./%s", name),
				       perun_format("a target in %s, not made by default", file),
				       false);
	}
	for (size_t i = 0; i < makefile->benchmarks.count; i++)
		detect_propose(&detected->lists[PERUN_PROPOSED_COMMANDS],
			       perun_format("make %s", makefile->benchmarks.items[i]),
			       perun_format("a target in %s; make itself is measured, too", file),
			       false);
}

/* ---- Automake -------------------------------------------------------------------------------- */

static void propose_automake(const char *project, struct perun_detection *detected)
{
	static const char *const variables[] = {"bin_PROGRAMS", "noinst_PROGRAMS", "EXTRA_PROGRAMS",
						"check_PROGRAMS"};
	struct perun_words files = {0};

	detect_find(project, "Makefile.am", &files);
	for (size_t i = 0; i < files.count; i++) {
		char *text = detect_read(project, files.items[i]);
		char *folder = detect_folder(files.items[i]);

		for (size_t j = 0; text && j < 4; j++) {
			struct perun_words names = {0};

			read_variable(text, variables[j], strlen(variables[j]), &names);
			for (size_t k = 0; k < names.count; k++) {
				if (is_program(names.items[k]) && j < 2)
					detect_program(
						detected,
						perun_format("./%s%s", folder, names.items[k]),
						perun_format("%s in %s", variables[j],
							     files.items[i]));
			}
			perun_words_free(&names);
		}
		perun_free(folder);
		perun_free(text);
	}
	perun_words_free(&files);
}

static bool detect_automake(const char *project, struct perun_detection *detected)
{
	if (!detect_exists(project, "configure.ac") && !detect_exists(project, "configure.in"))
		return false;
	detected->system = "Autotools";
	detected->file = perun_strdup("configure.ac");
	propose_automake(project, detected);
	detect_propose(&detected->lists[PERUN_PROPOSED_BUILD], perun_strdup("autoreconf -i"), NULL,
		       true);
	detect_propose(&detected->lists[PERUN_PROPOSED_BUILD], perun_strdup("./configure"), NULL,
		       true);
	detect_propose(&detected->lists[PERUN_PROPOSED_BUILD], perun_strdup("make -j\"$(nproc)\""),
		       NULL, true);
	return true;
}

bool detect_make(const char *project, struct perun_detection *detected)
{
	static const char *const names[] = {"GNUmakefile", "makefile", "Makefile"};

	if (detect_automake(project, detected))
		return true;
	for (size_t i = 0; i < 3; i++) {
		char *text = detect_read(project, names[i]);
		struct makefile makefile = {.text = text};

		if (!text)
			continue;
		detected->system = "Make";
		detected->file = perun_strdup(names[i]);
		read_rules(&makefile);
		find_made(&makefile);
		propose_made(detected, &makefile);
		detect_propose(&detected->lists[PERUN_PROPOSED_BUILD],
			       perun_strdup("make -j\"$(nproc)\""), NULL, true);
		free_makefile(&makefile);
		perun_free(text);
		return true;
	}
	return false;
}
