/* SPDX-License-Identifier: BSD-3-Clause */
/* What projects build with Make, alone or made by Automake. */
#include <config.h>

#include <ctype.h>
#include <string.h>

#include <perun/lib/path.h>
#include <perun/profile.h>

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

/* A list of names in makefile->words. */
struct names {
	size_t first, count;
};

/* What a line says of its targets. */
struct rule {
	struct names needs;
	bool seen; /* by find_made() */
};

/* A target, something that one needs, or a variable. */
struct name {
	struct perun_buffer value; /* of the variable; assignments add up */
	size_t first, last; /* rules of the target: 1 + an index into makefile->links, 0 = none */
	bool phony, linked, made;
};

struct makefile {
	const char *text;
	struct perun_builder *pool; /* names and their numbers */
	struct name *known;         /* by number */
	size_t known_count, known_capacity;
	uint32_t *words; /* numbers of names: of lists, one after the other */
	size_t word_count, word_capacity;
	struct rule *rules;
	size_t rule_count, rule_capacity;
	struct link {
		size_t rule, next; /* next: as in struct name */
	} * links;
	size_t link_count, link_capacity;
	struct submake {
		size_t rule;
		char *folder, *target; /* NULL = those of the rule, "" = its first one */
	} * submakes;                  /* "$(MAKE) -C folder target" */
	size_t submake_count, submake_capacity;
	struct perun_words benchmarks;
	struct perun_words linked; /* targets whose commands say "-o" */
	uint32_t *made;            /* what the default target makes, itself included */
	size_t made_count, made_capacity;
	uint32_t first; /* the default target, 0 = none */
};

/* Lists may repeat a variable's words without end. */
#define MAX_WORDS         1000000
#define MAX_SUBMAKES      8 /* of one makefile */
#define MAX_SUBMAKE_DEPTH 2

/* May move makefile->known. */
static uint32_t number_of(struct makefile *makefile, const char *text, size_t length)
{
	uint32_t number = perun_builder_string(makefile->pool, text, length);

	while (makefile->known_count <= number) {
		PERUN_GROW(makefile->known, makefile->known_count, makefile->known_capacity);
		makefile->known[makefile->known_count++] = (struct name){0};
	}
	return number;
}

static const char *text_of(const struct makefile *makefile, uint32_t number)
{
	return perun_builder_string_at(makefile->pool, number, NULL);
}

/* The words of a variable in a file, "NAME = words" or "NAME := words"; "+=" adds. */
static void read_variable(const char *text, const char *name, struct perun_words *words)
{
	struct perun_buffer line = {0};
	size_t length = strlen(name);

	while (next_line(&text, &line)) {
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

static void read_variables(struct makefile *makefile)
{
	struct perun_buffer line = {0};
	const char *text = makefile->text;

	while (next_line(&text, &line)) {
		const char *name = line.data + strspn(line.data, " "), *at;
		size_t length = strcspn(name, " \t:?+=");
		struct perun_buffer *value;
		uint32_t number;

		at = name + length + strspn(name + length, " \t");
		at += *at == ':' || *at == '?' || *at == '+';
		if (*at != '=' || length == 0)
			continue;
		number = number_of(makefile, name, length);
		value = &makefile->known[number].value;
		perun_buffer_add_char(value, ' ');
		perun_buffer_add_text(value, at + 1);
	}
	perun_buffer_free(&line);
}

static void add_words(struct makefile *makefile, const char *text, bool expand)
{
	while (*text && makefile->word_count < MAX_WORDS) {
		const char *word = text + strspn(text, " \t");
		size_t length = strcspn(word, " \t");
		uint32_t number;

		text = word + length;
		if (expand && length > 3 && word[0] == '$' && strchr("({", word[1]) &&
		    strchr(")}", word[length - 1])) {
			number = number_of(makefile, word + 2, length - 3);
			if (makefile->known[number].value.length)
				add_words(makefile, makefile->known[number].value.data, false);
		} else if (length) {
			number = number_of(makefile, word, length);
			PERUN_GROW(makefile->words, makefile->word_count, makefile->word_capacity);
			makefile->words[makefile->word_count++] = number;
		}
	}
}

/* The words of a text, with variables replaced by theirs, once. */
static struct names read_names(struct makefile *makefile, const char *text)
{
	struct names names = {.first = makefile->word_count};

	add_words(makefile, text, true);
	names.count = makefile->word_count - names.first;
	return names;
}

static void add_rule(struct makefile *makefile, uint32_t number)
{
	struct name *target = &makefile->known[number];
	const char *text = text_of(makefile, number);

	if (text[0] == '.' || strchr(text, '%'))
		return;
	if (!strcmp(text, "bench") || !strcmp(text, "benchmark") || !strcmp(text, "benchmarks") ||
	    !strcmp(text, "perf"))
		perun_words_add(&makefile->benchmarks, text, strlen(text));
	if (!makefile->first)
		makefile->first = number;
	PERUN_GROW(makefile->links, makefile->link_count, makefile->link_capacity);
	makefile->links[makefile->link_count++] = (struct link){makefile->rule_count - 1, 0};
	if (target->last)
		makefile->links[target->last - 1].next = makefile->link_count;
	else
		target->first = makefile->link_count;
	target->last = makefile->link_count;
}

static void note_targets(struct makefile *makefile, struct names targets, const char *needs)
{
	struct rule rule = {.needs = read_names(makefile, needs)};

	PERUN_GROW(makefile->rules, makefile->rule_count, makefile->rule_capacity);
	makefile->rules[makefile->rule_count++] = rule;
	for (size_t i = 0; i < targets.count; i++) {
		uint32_t number = makefile->words[targets.first + i];

		for (size_t k = 0;
		     !strcmp(text_of(makefile, number), ".PHONY") && k < rule.needs.count; k++)
			makefile->known[makefile->words[rule.needs.first + k]].phony = true;
		add_rule(makefile, number);
	}
}

static void note_made(struct makefile *makefile, uint32_t number)
{
	if (makefile->known[number].made)
		return;
	makefile->known[number].made = true;
	PERUN_GROW(makefile->made, makefile->made_count, makefile->made_capacity);
	makefile->made[makefile->made_count++] = number;
}

/* Everything that the wanted targets, or the first one, need, and what these need. */
static void find_made(struct makefile *makefile, const struct perun_words *wanted)
{
	for (size_t i = 0; i < wanted->count; i++)
		note_made(makefile,
			  number_of(makefile, wanted->items[i], strlen(wanted->items[i])));
	if (makefile->first && !wanted->count)
		note_made(makefile, makefile->first);
	for (size_t i = 0; i < makefile->made_count; i++) {
		size_t link = makefile->known[makefile->made[i]].first;

		for (; link; link = makefile->links[link - 1].next) {
			struct rule *rule = &makefile->rules[makefile->links[link - 1].rule];

			for (size_t k = 0; !rule->seen && k < rule->needs.count; k++)
				note_made(makefile, makefile->words[rule->needs.first + k]);
			rule->seen = true;
		}
	}
}

/* "-o" in the commands of a rule, which links. */
static bool links(const char *command)
{
	const char *option = strstr(command, "-o ");

	return option && !strstr(command, " -c ") && !strstr(command, "-shared");
}

static void note_linked(struct makefile *makefile, struct names targets)
{
	for (size_t i = 0; i < targets.count; i++) {
		uint32_t number = makefile->words[targets.first + i];
		const char *text = text_of(makefile, number);

		makefile->known[number].linked = true;
		perun_words_add(&makefile->linked, text, strlen(text));
	}
}

/* Whether make links the target from one source by a rule of its own: "wordcount: wordcount.c". */
static bool has_source(const struct makefile *makefile, struct names targets, struct names needs)
{
	static const char *const endings[] = {".c", ".cc", ".cpp", ".cxx", ".o"};
	const char *name =
		targets.count == 1 ? text_of(makefile, makefile->words[targets.first]) : "";
	size_t length = strlen(name);

	for (size_t i = 0; *name && i < needs.count; i++) {
		const char *need = text_of(makefile, makefile->words[needs.first + i]);

		for (size_t k = 0; k < sizeof endings / sizeof *endings; k++) {
			if (!strncmp(need, name, length) && !strcmp(need + length, endings[k]))
				return true;
		}
	}
	return false;
}

/* A word of a command with its first variable replaced; the caller's. */
static char *command_word(struct makefile *makefile, const char **at)
{
	struct perun_buffer word = {0};
	const char *text = *at + strspn(*at, " \t");
	size_t length = strcspn(text, " \t;&|"), name;

	*at = text + length;
	while (length) {
		name = text[0] == '$' && text[1] == '(' ? strcspn(text, ")") : length;
		if (name + 1 <= length && name > 2) {
			const struct perun_buffer *value =
				&makefile->known[number_of(makefile, text + 2, name - 2)].value;
			const char *first = value->length ? value->data : "";
			size_t blank = strspn(first, " \t");

			perun_buffer_add(&word, first + blank, strcspn(first + blank, " \t"));
			text += name + 1;
			length -= name + 1;
		} else {
			perun_buffer_add_char(&word, *text++);
			length--;
		}
	}
	perun_buffer_add_char(&word, '\0');
	return perun_buffer_take(&word);
}

/* "$(MAKE) -C folder target" */
static void note_submake(struct makefile *makefile, const char *command)
{
	const char *at = strstr(command, "$(MAKE)");
	struct submake submake = {.rule = makefile->rule_count - 1};

	at = at ? at : strstr(command, "${MAKE}");
	at = at ? strstr(at, " -C") : NULL;
	if (!at || !makefile->rule_count)
		return;
	at += 3;
	submake.folder = command_word(makefile, &at);
	at += strspn(at, " \t");
	while (*at == '-') {
		at += strcspn(at, " \t");
		at += strspn(at, " \t");
	}
	if (strncmp(at, "$@", 2) != 0) {
		submake.target = command_word(makefile, &at);
		if (!detect_is_plain(submake.target))
			submake.target[0] = '\0';
	}
	PERUN_GROW(makefile->submakes, makefile->submake_count, makefile->submake_capacity);
	makefile->submakes[makefile->submake_count++] = submake;
}

/*
 * A command that links: the targets, "-o $@", or a file of another name, which a single target makes: "all:" with "-o app". After
 * the first one that names the targets no other does.
 */
static void note_link(struct makefile *makefile, const char *command, struct names *targets)
{
	const char *at = strstr(command, "-o ") + 3;
	char *file = command_word(makefile, &at);
	const char *name = strncmp(file, "./", 2) == 0 ? file + 2 : file;

	if (targets->count == 1 && detect_is_plain(name) &&
	    strcmp(text_of(makefile, makefile->words[targets->first]), name) != 0) {
		note_targets(makefile, *targets, name);
		note_linked(makefile, makefile->rules[makefile->rule_count - 1].needs);
	} else {
		note_linked(makefile, *targets);
		targets->count = 0;
	}
	perun_free(file);
}

static void read_rules(struct makefile *makefile)
{
	const char *at = makefile->text;
	struct perun_buffer line = {0};
	struct names targets = {0};

	while (next_line(&at, &line)) {
		char *colon = strchr(line.data, ':');

		if (line.data[0] == '\t') {
			note_submake(makefile, line.data);
			if (targets.count && links(line.data))
				note_link(makefile, line.data, &targets);
			continue;
		}
		if (!colon || colon[1] == '=' || strchr(colon, '='))
			continue;
		*colon = '\0';
		targets = read_names(makefile, line.data);
		note_targets(makefile, targets, colon + 1 + (colon[1] == ':'));
		if (has_source(makefile, targets, makefile->rules[makefile->rule_count - 1].needs))
			note_linked(makefile, targets);
	}
	perun_buffer_free(&line);
}

/* A name that a program may have: no object, library, text or picture. */
static bool is_program(const char *name)
{
	const char *dot = strchr(perun_path_base_name(name), '.');

	return detect_is_plain(name) && name[0] != '/' && strncmp(name, "..", 2) != 0 &&
	       (!dot || !strcmp(dot, ".exe") || !strcmp(dot, ".out"));
}

static void free_makefile(struct makefile *makefile)
{
	for (size_t i = 0; i < makefile->known_count; i++)
		perun_buffer_free(&makefile->known[i].value);
	perun_builder_free(makefile->pool);
	perun_free(makefile->known);
	perun_free(makefile->words);
	perun_free(makefile->rules);
	perun_free(makefile->links);
	perun_free(makefile->made);
	for (size_t i = 0; i < makefile->submake_count; i++) {
		perun_free(makefile->submakes[i].folder);
		perun_free(makefile->submakes[i].target);
	}
	perun_free(makefile->submakes);
	perun_words_free(&makefile->benchmarks);
	perun_words_free(&makefile->linked);
}

static void propose_made(struct perun_detection *detected, const struct makefile *makefile,
			 const char *folder, const char *file)
{
	bool knows_phony = false;

	for (size_t i = 0; i < makefile->known_count; i++)
		knows_phony |= makefile->known[i].phony;
	for (size_t i = 0; i < makefile->made_count; i++) {
		const struct name *target = &makefile->known[makefile->made[i]];
		const char *name = text_of(makefile, makefile->made[i]);

		/*
		 * A target without a command that links is taken for a program only in a makefile that says
		 * which targets are not files.
		 */
		if (is_program(name) && !target->phony &&
		    (target->linked || (knows_phony && target->first)))
			detect_program(
				detected, perun_format("%s%s%s", *folder ? "" : "./", folder, name),
				perun_format("made by default in %s%s", folder, file), NULL, true);
	}
	for (size_t i = 0; !*folder && i < makefile->linked.count; i++) {
		const char *name = makefile->linked.items[i];
		uint32_t number = perun_builder_string(makefile->pool, name, strlen(name));

		if (is_program(name) && !makefile->known[number].made)
			detect_propose(&detected->lists[PERUN_PROPOSED_COMMANDS],
				       perun_format("./%s", name),
				       perun_format("a target in %s, not made by default", file),
				       false);
	}
	for (size_t i = 0; !*folder && i < makefile->benchmarks.count; i++)
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

			read_variable(text, variables[j], &names);
			for (size_t k = 0; k < names.count; k++) {
				if (is_program(names.items[k]) && j < 2)
					detect_program(
						detected,
						perun_format("./%s%s", folder, names.items[k]),
						perun_format("%s in %s", variables[j],
							     files.items[i]),
						files.items[i], true);
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

/* What a makefile makes by default, and those that it calls for that. False: there is none in the folder. */
static bool read_makefile(struct perun_detection *detected, const char *project, const char *folder,
			  const struct perun_words *wanted, unsigned depth);

/* Of the rules that are followed. */
static void read_submakes(struct perun_detection *detected, const char *project, const char *folder,
			  const struct makefile *makefile, unsigned depth)
{
	for (size_t i = 0; i < makefile->submake_count && i < MAX_SUBMAKES; i++) {
		const struct submake *submake = &makefile->submakes[i];
		const char *given = submake->folder;
		struct perun_words wanted = {0};
		char *below = perun_format("%s%s/", folder, given);

		for (size_t k = 0; !submake->target && k < makefile->made_count; k++) {
			const char *name = text_of(makefile, makefile->made[k]);

			perun_words_add(&wanted, name, strlen(name));
		}
		if (submake->target && *submake->target)
			perun_words_add(&wanted, submake->target, strlen(submake->target));
		if (makefile->rules[submake->rule].seen && detect_is_plain(given) &&
		    given[0] != '/' && !strstr(given, "..") && !detect_is_foreign(given))
			read_makefile(detected, project, below, &wanted, depth + 1);
		perun_words_free(&wanted);
		perun_free(below);
	}
}

static bool read_makefile(struct perun_detection *detected, const char *project, const char *folder,
			  const struct perun_words *wanted, unsigned depth)
{
	static const char *const names[] = {"GNUmakefile", "makefile", "Makefile"};

	for (size_t i = 0; i < 3; i++) {
		char *path = perun_format("%s%s", folder, names[i]);
		char *text = detect_read(project, path);
		struct makefile makefile = {.text = text};

		perun_free(path);
		if (!text)
			continue;
		if (!detected->file)
			detected->file = perun_strdup(names[i]);
		makefile.pool = perun_builder_new();
		read_variables(&makefile);
		read_rules(&makefile);
		find_made(&makefile, wanted);
		propose_made(detected, &makefile, folder, names[i]);
		if (depth < MAX_SUBMAKE_DEPTH)
			read_submakes(detected, project, folder, &makefile, depth);
		free_makefile(&makefile);
		perun_free(text);
		return true;
	}
	return false;
}

bool detect_make(const char *project, struct perun_detection *detected)
{
	const struct perun_words first = {0};

	if (detect_automake(project, detected))
		return true;
	if (!read_makefile(detected, project, "", &first, 0))
		return false;
	detected->system = "Make";
	detect_propose(&detected->lists[PERUN_PROPOSED_BUILD], perun_strdup("make -j\"$(nproc)\""),
		       NULL, true);
	return true;
}
