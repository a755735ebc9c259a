/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What CMake projects build and test: their files are interpreted as far as they can be without running anything.
 * A condition that depends on the machine is unknown; what is built under it is proposed as a comment.
 */
#include <config.h>

#include <string.h>

#include <perun/lib/path.h>
#include <perun/profile.h>

#include "core/detect/detect.h"

#define MAX_COMMANDS 100000
#define MAX_NESTING  60
#define MAX_FILES    400
#define MAX_VALUE    65536      /* bytes of a variable */
#define MAX_WORK     (64 << 20) /* bytes of all values that were ever made */

/* What a reader can know of a condition; ordered, so that "and" is the least and "or" the greatest. */
enum truth { NO, UNKNOWN, YES };

static enum truth and (enum truth one, enum truth other) { return one < other ? one : other; }

static enum truth or (enum truth one, enum truth other) { return one > other ? one : other; }

static enum truth not(enum truth one) { return YES - one; }

/* What a name is: a variable, a macro or function, a program; of each one at a time. */
struct symbol {
	char *value;
	const char *body; /* of a macro, after its head; NULL = there is none */
	struct perun_words parameters;
	char *program; /* its path */
};

/* add_test(NAME x COMMAND program ARGUMENT...), looked up when all programs are known. */
struct test {
	char *file;
	struct perun_words words;
};

struct script {
	struct perun_detection *detected;
	const char *project;
	struct perun_builder *names;
	struct symbol *symbols; /* by number */
	size_t symbol_count, symbol_capacity;
	struct perun_words texts; /* of all files, which bodies are parts of */
	struct test *tests;
	size_t test_count, test_capacity;
	size_t commands, work;
	unsigned nesting;
	char *file; /* that is read */
};

/* May move script->symbols. */
static struct symbol *symbol_of(struct script *script, const char *name)
{
	perun_id number = perun_builder_string(script->names, name, strlen(name));

	while (script->symbol_count <= number) {
		PERUN_GROW(script->symbols, script->symbol_count, script->symbol_capacity);
		script->symbols[script->symbol_count++] = (struct symbol){0};
	}
	return &script->symbols[number];
}

/* NULL = it is not set. */
static const char *value_of(struct script *script, const char *name)
{
	return symbol_of(script, name)->value;
}

/* Takes `value`. */
static void set_value(struct script *script, const char *name, char *value)
{
	struct symbol *symbol = symbol_of(script, name);

	script->work += value ? strlen(value) : 0;
	perun_free(symbol->value);
	symbol->value = value;
}

static void set_default(struct script *script, const char *name, const char *value)
{
	if (!value_of(script, name))
		set_value(script, name, perun_strdup(value));
}

/* ---- arguments ------------------------------------------------------------------------------- */

/* ${NAME} becomes its value; what is not known stays as it is, so that the text is not a plain name. */
static char *expand(struct script *script, const char *text)
{
	struct perun_buffer out = {0};

	while (*text && out.length < MAX_VALUE) {
		const char *end = text[0] == '$' && text[1] == '{' ? strchr(text, '}') : NULL;
		char *name = end ? perun_strndup(text + 2, (size_t)(end - text - 2)) : NULL;
		const char *value = name ? value_of(script, name) : NULL;

		if (value) {
			perun_buffer_add_text(&out, value);
			text = end + 1;
		} else {
			perun_buffer_add_char(&out, *text++);
		}
		perun_free(name);
	}
	script->work += out.length;
	perun_buffer_add_char(&out, '\0');
	return perun_buffer_take(&out);
}

static void add_items(struct perun_words *words, const char *list)
{
	while (*list) {
		size_t length = strcspn(list, ";");

		if (length)
			perun_words_add(words, list, length);
		list += length + (list[length] == ';');
	}
}

/* The arguments of a command as it gets them: without quotes, variables expanded, lists split. */
static void expand_all(struct script *script, const struct perun_words *given,
		       struct perun_words *words)
{
	perun_words_free(words);
	for (size_t i = 0; i < given->count; i++) {
		const char *text = detect_unquoted(given->items[i]);
		char *value = expand(script, text);

		if (text != given->items[i])
			perun_words_add(words, value, strlen(value));
		else
			add_items(words, value);
		perun_free(value);
	}
}

static bool has_word(const struct perun_words *words, const char *word)
{
	for (size_t i = 1; i < words->count; i++) {
		if (strcmp(words->items[i], word) == 0)
			return true;
	}
	return false;
}

/* From the word at `from` on, joined as CMake joins lists. */
static char *join(const struct perun_words *words, size_t from, size_t end)
{
	struct perun_buffer list = {0};

	for (size_t i = from; i < end; i++)
		perun_buffer_printf(&list, "%s%s", i > from ? ";" : "", words->items[i]);
	perun_buffer_add_char(&list, '\0');
	return perun_buffer_take(&list);
}

/* ---- conditions ------------------------------------------------------------------------------ */

static bool is_one_of(const char *text, const char *const *list)
{
	for (; *list; list++) {
		if (strcasecmp(text, *list) == 0)
			return true;
	}
	return false;
}

static bool ends_with(const char *text, const char *ending)
{
	size_t length = strlen(text), tail = strlen(ending);

	return length >= tail && strcasecmp(text + length - tail, ending) == 0;
}

static enum truth constant_truth(const char *text)
{
	static const char *const false_words[] = {"0", "off",    "no",       "false",
						  "n", "ignore", "notfound", NULL};

	return !*text || is_one_of(text, false_words) || ends_with(text, "-notfound") ? NO : YES;
}

/* Variables that the machine, the compiler or a search sets. */
static bool is_of_machine(const char *name)
{
	return strncmp(name, "CMAKE_", 6) == 0 || ends_with(name, "_FOUND") ||
	       strncmp(name, "HAVE_", 5) == 0 || strncmp(name, "HAS_", 4) == 0 || strchr(name, '$');
}

static enum truth word_truth(struct script *script, const char *word)
{
	static const char *const true_words[] = {"1", "on", "yes", "true", "y", NULL};
	const char *value = value_of(script, word);

	if (value)
		return strchr(value, '$') ? UNKNOWN : constant_truth(value);
	if (is_one_of(word, true_words))
		return YES;
	return is_of_machine(word) ? UNKNOWN : NO;
}

static enum truth compare(struct script *script, const char *left, const char *operator,
			  const char * right)
{
	const char *one = value_of(script, left), *other = value_of(script, right);

	one = one ? one : left;
	other = other ? other : right;
	if (strcmp(operator, "STREQUAL") != 0 && strcmp(operator, "EQUAL") != 0)
		return UNKNOWN;
	if (is_of_machine(one) || is_of_machine(other))
		return UNKNOWN;
	return strcmp(one, other) == 0 ? YES : NO;
}

static enum truth atom_truth(struct script *script, char *const *words, size_t count)
{
	if (count > 1 && strcmp(words[0], "NOT") == 0)
		return not(atom_truth(script, words + 1, count - 1));
	if (count == 1)
		return word_truth(script, words[0]);
	if (count == 2 && strcmp(words[0], "DEFINED") == 0)
		return value_of(script, words[1]) ? YES : is_of_machine(words[1]) ? UNKNOWN : NO;
	if (count == 2 && strcmp(words[0], "TARGET") == 0)
		return symbol_of(script, words[1])->program ? YES : UNKNOWN;
	return count == 3 ? compare(script, words[0], words[1], words[2]) : UNKNOWN;
}

/* The arguments of if(). Parentheses are not seen here: a mixture of AND and OR is unknown. */
static enum truth condition(struct script *script, const struct perun_words *words)
{
	bool any = has_word(words, "OR");
	enum truth all = any ? NO : YES;
	size_t from = 0;

	if (any && has_word(words, "AND"))
		return UNKNOWN;
	for (size_t i = 0; i <= words->count; i++) {
		enum truth one;

		if (i < words->count && strcmp(words->items[i], "AND") != 0 &&
		    strcmp(words->items[i], "OR") != 0)
			continue;
		one = i > from ? atom_truth(script, words->items + from, i - from) : NO;
		all = any ? or (all, one) : and(all, one);
		from = i + 1;
	}
	return all;
}

/* ---- commands -------------------------------------------------------------------------------- */

static void run_file(struct script *script, const char *file, enum truth live);

static const char *folder_of(const char *path)
{
	return strncmp(path, "./", 2) == 0 ? path + 2 : path;
}

static void run_project(struct script *script, const struct perun_words *words)
{
	char *top = perun_format("%s_IS_TOP_LEVEL", words->items[0]);

	set_value(script, "PROJECT_NAME", perun_strdup(words->items[0]));
	set_default(script, "CMAKE_PROJECT_NAME", words->items[0]);
	set_default(script, top, "ON");
	perun_free(top);
}

/* set(NAME VALUE... [CACHE TYPE TEXT | PARENT_SCOPE]) */
static void run_set(struct script *script, const struct perun_words *words)
{
	size_t end = 1;

	while (end < words->count && strcmp(words->items[end], "CACHE") != 0 &&
	       strcmp(words->items[end], "PARENT_SCOPE") != 0)
		end++;
	if (end < words->count && !strcmp(words->items[end], "CACHE") &&
	    value_of(script, words->items[0]))
		return;
	set_value(script, words->items[0], join(words, 1, end));
}

static void run_list(struct script *script, const struct perun_words *words)
{
	const char *name = words->count > 2 ? words->items[1] : NULL, *value;
	char *more;

	if (!name || strcmp(words->items[0], "APPEND") != 0)
		return;
	more = join(words, 2, words->count);
	value = value_of(script, name);
	if (!value || strlen(value) < MAX_VALUE)
		set_value(script, name,
			  perun_format("%s%s%s", value ? value : "", value && *value ? ";" : "",
				       more));
	perun_free(more);
}

static void run_include(struct script *script, const struct perun_words *words, enum truth live)
{
	if (strcmp(words->items[0], "CTest") == 0)
		set_default(script, "BUILD_TESTING", "ON");
	else if (ends_with(words->items[0], ".cmake") && words->items[0][0] != '/')
		run_file(script, folder_of(words->items[0]), live);
}

static void run_add_subdirectory(struct script *script, const struct perun_words *words,
				 enum truth live)
{
	static const char *const kept[] = {"CMAKE_CURRENT_SOURCE_DIR", "CMAKE_CURRENT_BINARY_DIR",
					   "PROJECT_NAME"};
	char *folder = detect_folder(script->file), *file, *outer[3];
	const char *below = folder_of(words->items[0]);

	if (!detect_is_plain(below) || below[0] == '/' || strstr(below, "..") ||
	    detect_is_foreign(below)) {
		perun_free(folder);
		return;
	}
	/* ${CMAKE_CURRENT_SOURCE_DIR}/x begins at the root, x here. */
	if (strncmp(words->items[0], "./", 2) == 0)
		folder[0] = '\0';
	for (size_t i = 0; i < 3; i++) {
		const char *value = value_of(script, kept[i]);

		outer[i] = value ? perun_strdup(value) : NULL;
	}
	set_value(script, kept[0], perun_format("./%s%s", folder, below));
	set_value(script, kept[1], perun_format("build/%s%s", folder, below));
	file = perun_format("%s%s/CMakeLists.txt", folder, below);
	run_file(script, file, has_word(words, "EXCLUDE_FROM_ALL") ? and(live, UNKNOWN) : live);
	for (size_t i = 0; i < 3; i++)
		set_value(script, kept[i], outer[i]);
	perun_free(file);
	perun_free(folder);
}

/* Where programs go: the directory that the project chose, or that of the files which describe them. */
static char *program_path(struct script *script, const char *name)
{
	const char *chosen = value_of(script, "CMAKE_RUNTIME_OUTPUT_DIRECTORY");
	char *path;

	if (!chosen)
		chosen = value_of(script, "EXECUTABLE_OUTPUT_PATH");
	if (!chosen)
		chosen = value_of(script, "CMAKE_CURRENT_BINARY_DIR");
	path = perun_format("%s/%s", folder_of(chosen), name);
	if (!detect_is_plain(name) || !detect_is_plain(path) || path[0] == '/') {
		perun_free(path);
		path = NULL;
	}
	return path;
}

static void run_add_executable(struct script *script, const struct perun_words *words,
			       enum truth live)
{
	const char *source = NULL;
	struct symbol *symbol;
	char *path = program_path(script, words->items[0]);

	if (!path || has_word(words, "IMPORTED") || has_word(words, "ALIAS")) {
		perun_free(path);
		return;
	}
	for (size_t i = words->count; i > 1; i--)
		source = words->items[i - 1];
	if (has_word(words, "EXCLUDE_FROM_ALL"))
		live = UNKNOWN;
	symbol = symbol_of(script, words->items[0]);
	perun_free(symbol->program);
	symbol->program = perun_strdup(path);
	detect_program(script->detected, path,
		       perun_format("add_executable in %s%s", script->file,
				    live == YES ? "" : ", under a condition"),
		       source, live == YES);
}

/* Of PROPERTY VALUE... from `at` on: what a program is called, or where it goes. */
static void change_program(struct script *script, const char *target,
			   const struct perun_words *words, size_t at)
{
	struct symbol *symbol = symbol_of(script, target);
	const char *name = NULL, *folder = NULL;
	char *path;

	for (; at + 1 < words->count; at += 2) {
		if (strcmp(words->items[at], "OUTPUT_NAME") == 0)
			name = words->items[at + 1];
		else if (strcmp(words->items[at], "RUNTIME_OUTPUT_DIRECTORY") == 0)
			folder = folder_of(words->items[at + 1]);
	}
	if (!symbol->program || (!name && !folder))
		return;
	name = name ? name : perun_path_base_name(symbol->program);
	path = folder ? perun_format("%s/%s", folder, name)
		      : perun_format("%.*s%s",
				     (int)(perun_path_base_name(symbol->program) - symbol->program),
				     symbol->program, name);
	if (!detect_is_plain(path) || path[0] == '/') {
		perun_free(path);
		return;
	}
	detect_rename(script->detected, symbol->program, perun_strdup(path));
	perun_free(symbol->program);
	symbol->program = path;
}

/* set_target_properties(TARGET... PROPERTIES NAME VALUE...), set_property(TARGET TARGET... PROPERTY NAME VALUE...) */
static void run_set_properties(struct script *script, const struct perun_words *words, size_t first,
			       const char *from)
{
	size_t at = first;

	while (at < words->count && strcmp(words->items[at], from) != 0)
		at++;
	for (size_t i = first; i < at; i++)
		change_program(script, words->items[i], words, at + 1);
}

/* target_link_libraries(TARGET LIBRARY...) */
static void run_link_libraries(struct script *script, const struct perun_words *words)
{
	const struct symbol *symbol = symbol_of(script, words->items[0]);

	if (symbol->program && (has_word(words, "benchmark") || has_word(words, "benchmark_main") ||
				has_word(words, "benchmark::benchmark") ||
				has_word(words, "benchmark::benchmark_main")))
		detect_google_benchmark(script->detected, symbol->program);
}

static void run_add_test(struct script *script, const struct perun_words *words)
{
	struct test test = {.file = perun_strdup(script->file)};
	size_t at = 1;

	while (at < words->count && strcmp(words->items[at], "COMMAND") != 0)
		at++;
	for (at = at < words->count ? at + 1 : 1; at < words->count; at++)
		perun_words_add(&test.words, words->items[at], strlen(words->items[at]));
	PERUN_GROW(script->tests, script->test_count, script->test_capacity);
	script->tests[script->test_count++] = test;
}

/* option(NAME TEXT [VALUE]), cmake_dependent_option(NAME TEXT VALUE CONDITION OTHERWISE) */
static void run_option(struct script *script, const struct perun_words *words)
{
	set_default(script, words->items[0], words->count > 2 ? words->items[2] : "OFF");
}

static const char *run_block(struct script *script, const char *at, enum truth live,
			     struct perun_buffer *end, struct perun_words *arguments);

static void call_macro(struct script *script, const struct symbol *symbol,
		       const struct perun_words *words, enum truth live)
{
	struct perun_buffer end = {0};
	struct perun_words ignored = {0}, names = symbol->parameters;
	const char *body = symbol->body;

	for (size_t i = 0; i < names.count; i++)
		set_value(script, names.items[i],
			  perun_strdup(i < words->count ? words->items[i] : ""));
	set_value(
		script, "ARGN",
		join(words, names.count < words->count ? names.count : words->count, words->count));
	run_block(script, body, live, &end, &ignored);
	perun_buffer_free(&end);
	perun_words_free(&ignored);
}

static void run_command(struct script *script, const char *name, const struct perun_words *words,
			enum truth live)
{
	const struct symbol *symbol;

	if (words->count == 0)
		return;
	if (strcasecmp(name, "project") == 0)
		run_project(script, words);
	else if (strcasecmp(name, "set") == 0)
		run_set(script, words);
	else if (strcasecmp(name, "unset") == 0)
		set_value(script, words->items[0], NULL);
	else if (strcasecmp(name, "list") == 0)
		run_list(script, words);
	else if (strcasecmp(name, "option") == 0 || strcasecmp(name, "cmake_dependent_option") == 0)
		run_option(script, words);
	else if (strcasecmp(name, "include") == 0)
		run_include(script, words, live);
	else if (strcasecmp(name, "add_subdirectory") == 0)
		run_add_subdirectory(script, words, live);
	else if (strcasecmp(name, "add_executable") == 0)
		run_add_executable(script, words, live);
	else if (strcasecmp(name, "target_link_libraries") == 0)
		run_link_libraries(script, words);
	else if (strcasecmp(name, "set_target_properties") == 0)
		run_set_properties(script, words, 0, "PROPERTIES");
	else if (strcasecmp(name, "set_property") == 0 && strcmp(words->items[0], "TARGET") == 0)
		run_set_properties(script, words, 1, "PROPERTY");
	else if (strcasecmp(name, "add_test") == 0)
		run_add_test(script, words);
	else if ((symbol = symbol_of(script, name))->body)
		call_macro(script, symbol, words, live);
}

/* ---- blocks ---------------------------------------------------------------------------------- */

static bool ends_block(const char *name)
{
	static const char *const ends[] = {"elseif",   "else",        "endif",    "endforeach",
					   "endmacro", "endfunction", "endwhile", NULL};

	return is_one_of(name, ends);
}

static const char *run_if(struct script *script, const char *at, enum truth live,
			  struct perun_words *given)
{
	struct perun_words words = {0};
	struct perun_buffer end = {0};
	enum truth taken = NO, now;

	expand_all(script, given, &words);
	now = condition(script, &words);
	for (;;) {
		at = run_block(script, at, and(live, and(now, not(taken))), &end, given);
		taken = or (taken, now);
		if (!end.length || (strcasecmp(end.data, "else") && strcasecmp(end.data, "elseif")))
			break;
		expand_all(script, given, &words);
		now = strcasecmp(end.data, "else") == 0 ? YES : condition(script, &words);
	}
	perun_buffer_free(&end);
	perun_words_free(&words);
	return at;
}

/* foreach(NAME ITEM...), foreach(NAME IN LISTS LIST...), foreach(NAME IN ITEMS ITEM...) */
static void read_items(struct script *script, const struct perun_words *words,
		       struct perun_words *items)
{
	bool in = words->count > 2 && strcmp(words->items[1], "IN") == 0;
	bool lists = in && strcmp(words->items[2], "LISTS") == 0;

	for (size_t i = in ? 3 : 1; i < words->count; i++) {
		const char *word = words->items[i], *value = lists ? value_of(script, word) : word;

		if (value && !strchr(value, '$'))
			add_items(items, value);
	}
}

static const char *run_foreach(struct script *script, const char *at, enum truth live,
			       struct perun_words *given)
{
	struct perun_words words = {0}, items = {0};
	struct perun_buffer end = {0};
	const char *next = NULL;

	expand_all(script, given, &words);
	if (words.count && live != NO)
		read_items(script, &words, &items);
	for (size_t i = 0; i < items.count; i++) {
		set_value(script, words.items[0], perun_strdup(items.items[i]));
		next = run_block(script, at, live, &end, given);
	}
	if (!next)
		next = run_block(script, at, NO, &end, given);
	perun_buffer_free(&end);
	perun_words_free(&items);
	perun_words_free(&words);
	return next;
}

static const char *define_macro(struct script *script, const char *at, enum truth live,
				struct perun_words *given)
{
	struct perun_buffer end = {0};

	if (live != NO && given->count) {
		struct symbol *symbol = symbol_of(script, given->items[0]);

		perun_words_free(&symbol->parameters);
		for (size_t i = 1; i < given->count; i++)
			perun_words_add(&symbol->parameters, given->items[i],
					strlen(given->items[i]));
		symbol->body = at;
	}
	at = run_block(script, at, NO, &end, given);
	perun_buffer_free(&end);
	return at;
}

/* Run commands until one ends the block; its name and arguments are `end` and `given`. What is not live is passed. */
static const char *run_block(struct script *script, const char *at, enum truth live,
			     struct perun_buffer *end, struct perun_words *given)
{
	struct perun_words words = {0};

	perun_buffer_clear(end);
	script->nesting++;
	while (script->nesting < MAX_NESTING && script->commands++ < MAX_COMMANDS &&
	       script->work < MAX_WORK && detect_command(&at, end, given)) {
		const char *name = end->data;

		if (ends_block(name))
			goto ended;
		if (strcasecmp(name, "if") == 0)
			at = run_if(script, at, live, given);
		else if (strcasecmp(name, "foreach") == 0)
			at = run_foreach(script, at, live, given);
		else if (strcasecmp(name, "macro") == 0 || strcasecmp(name, "function") == 0)
			at = define_macro(script, at, live, given);
		else if (strcasecmp(name, "while") == 0)
			at = define_macro(script, at, NO, given);
		else if (live != NO) {
			expand_all(script, given, &words);
			run_command(script, name, &words, live);
		}
	}
	perun_buffer_clear(end);
ended:
	script->nesting--;
	perun_words_free(&words);
	return at;
}

static void run_file(struct script *script, const char *file, enum truth live)
{
	char *text = NULL, *outer = script->file;
	struct perun_buffer end = {0};
	struct perun_words ignored = {0};

	if (script->texts.count < MAX_FILES)
		text = detect_read(script->project, file);
	if (!text)
		return;
	perun_words_add(&script->texts, "", 0);
	perun_free(script->texts.items[script->texts.count - 1]);
	script->texts.items[script->texts.count - 1] = text;
	script->file = perun_strdup(file);
	run_block(script, text, live, &end, &ignored);
	perun_free(script->file);
	script->file = outer;
	perun_buffer_free(&end);
	perun_words_free(&ignored);
}

/* ---- a project ------------------------------------------------------------------------------- */

/* A test with plain arguments is a way to run a program that works. */
static void propose_test(struct script *script, const struct test *test)
{
	struct perun_buffer line = {0};
	const char *path =
		test->words.count ? symbol_of(script, test->words.items[0])->program : NULL;
	size_t at = 1;

	for (; path && at < test->words.count; at++) {
		const char *word = test->words.items[at];

		if (!strcmp(word, "WORKING_DIRECTORY") || !strcmp(word, "CONFIGURATIONS") ||
		    !detect_is_plain(word + strspn(word, "-")))
			break;
		perun_buffer_printf(&line, " %s", word);
	}
	if (line.length && at == test->words.count)
		detect_propose(&script->detected->lists[PERUN_PROPOSED_COMMANDS],
			       perun_format("%s%s", path, line.data),
			       perun_format("add_test in %s", test->file), false);
	perun_buffer_free(&line);
}

static void free_script(struct script *script)
{
	for (size_t i = 0; i < script->symbol_count; i++) {
		perun_free(script->symbols[i].value);
		perun_free(script->symbols[i].program);
		perun_words_free(&script->symbols[i].parameters);
	}
	for (size_t i = 0; i < script->test_count; i++) {
		perun_free(script->tests[i].file);
		perun_words_free(&script->tests[i].words);
	}
	perun_free(script->symbols);
	perun_free(script->tests);
	perun_words_free(&script->texts);
	perun_builder_free(script->names);
}

bool detect_cmake(const char *project, struct perun_detection *detected)
{
	static const char *const known[][2] = {{"UNIX", "1"},
					       {"CMAKE_SOURCE_DIR", "."},
					       {"PROJECT_SOURCE_DIR", "."},
					       {"CMAKE_CURRENT_SOURCE_DIR", "."},
					       {"CMAKE_CURRENT_LIST_DIR", "."},
					       {"CMAKE_BINARY_DIR", "build"},
					       {"PROJECT_BINARY_DIR", "build"},
					       {"CMAKE_CURRENT_BINARY_DIR", "build"},
					       {"PROJECT_IS_TOP_LEVEL", "ON"},
					       {"CMAKE_BUILD_TYPE", "RelWithDebInfo"},
					       {"CMAKE_EXECUTABLE_SUFFIX", ""}};
	struct script script = {.detected = detected, .project = project};

	if (!detect_exists(project, "CMakeLists.txt"))
		return false;
	detected->system = "CMake";
	detected->file = perun_strdup("CMakeLists.txt");
	script.names = perun_builder_new();
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		set_default(&script, known[i][0], known[i][1]);
	run_file(&script, "CMakeLists.txt", YES);
	for (size_t i = 0; i < script.test_count; i++)
		propose_test(&script, &script.tests[i]);
	detect_propose(&detected->lists[PERUN_PROPOSED_BUILD],
		       perun_strdup("cmake -S . -B build -DCMAKE_BUILD_TYPE=RelWithDebInfo"), NULL,
		       true);
	detect_propose(&detected->lists[PERUN_PROPOSED_BUILD],
		       perun_strdup("cmake --build build --parallel"), NULL, true);
	free_script(&script);
	return true;
}
