/* SPDX-License-Identifier: BSD-3-Clause */
/* What a project offers to be measured, according to its build files: perun init --detect. */
#include <config.h>

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <perun/json.h>
#include <perun/lib/advice.h>
#include <perun/lib/path.h>

#include "core/detect/detect.h"

#define MAX_BYTES    (1 << 20) /* of a file that is read */
#define MAX_FILES    400       /* of a name that are looked at */
#define MAX_DEPTH    5
#define MAX_PROPOSED 24

/* ---- proposals ------------------------------------------------------------------------------- */

/* Without what could end a line of a configuration or drive a terminal. `text` may be NULL, and is freed. */
static char *make_printable(char *text)
{
	char *printable = text ? perun_printable(text) : NULL;

	perun_free(text);
	return printable;
}

static bool add_proposal(struct proposals *list, char *text, char *reason, bool active,
			 enum detect_rank rank, bool certain)
{
	char *printable = perun_printable(text);
	bool dropped = list->count >= MAX_PROPOSED || strcmp(printable, text) != 0;

	perun_free(printable);
	reason = make_printable(reason);
	for (size_t i = 0; i < list->count; i++)
		dropped |= strcmp(list->items[i].line.text, text) == 0;
	if (dropped) {
		perun_free(text);
		perun_free(reason);
		return false;
	}
	PERUN_GROW(list->items, list->count, list->capacity);
	list->items[list->count++] =
		(struct proposed){.line = {sizeof(struct perun_proposal), text, reason, active},
				  .rank = rank,
				  .certain = certain};
	return true;
}

void detect_propose(struct proposals *list, char *text, char *reason, bool active)
{
	add_proposal(list, text, reason, active, DETECT_OTHER, active);
}

/* Whether a part of a path between slashes is one of the words, or its plural. */
static bool is_in_folder(const char *path, const char *word)
{
	const char *slash;
	size_t length = strlen(word);

	for (; (slash = strchr(path, '/')); path = slash + 1) {
		size_t part = (size_t)(slash - path);

		if (strncasecmp(path, word, length) == 0 &&
		    (part == length || (part == length + 1 && path[length] == 's')))
			return true;
	}
	return false;
}

static enum detect_rank rank_of(const char *text, const char *source)
{
	const char *name = perun_path_base_name(text);

	source = source ? source : "";
	if (strcasestr(text, "fuzz") || strcasestr(source, "fuzz"))
		return DETECT_FUZZER;
	if (strcasestr(text, "bench") || strcasestr(text, "perf") || is_in_folder(source, "bench"))
		return DETECT_BENCHMARK;
	if (strcasestr(name, "test") || strcasestr(name, "check") || is_in_folder(text, "test") ||
	    is_in_folder(source, "test"))
		return DETECT_TEST;
	if (strcasestr(name, "example") || strcasestr(name, "demo") ||
	    is_in_folder(text, "example") || is_in_folder(source, "example") ||
	    is_in_folder(source, "demo"))
		return DETECT_EXAMPLE;
	return DETECT_PROGRAM;
}

void detect_program(struct perun_detection *detected, char *text, char *reason, const char *source,
		    bool certain)
{
	struct proposals *list = &detected->lists[PERUN_PROPOSED_COMMANDS];
	enum detect_rank rank = rank_of(text, source);
	struct proposed item;
	size_t place;

	if (!add_proposal(list, text, reason, certain && rank <= DETECT_PROGRAM, rank, certain))
		return;
	place = list->count - 1;
	item = list->items[place];
	for (; place > 0 && list->items[place - 1].rank > rank; place--)
		list->items[place] = list->items[place - 1];
	list->items[place] = item;
}

void detect_rename(struct perun_detection *detected, const char *old, char *name)
{
	const struct proposals *list = &detected->lists[PERUN_PROPOSED_COMMANDS];

	for (size_t i = 0; i < list->count; i++) {
		if (strcmp(list->items[i].line.text, old) != 0)
			continue;
		perun_free((char *)list->items[i].line.text);
		list->items[i].line.text = name;
		return;
	}
	perun_free(name);
}

void detect_google_benchmark(struct perun_detection *detected, const char *text)
{
	const struct proposals *list = &detected->lists[PERUN_PROPOSED_COMMANDS];

	for (size_t i = 0; i < list->count; i++)
		list->items[i].is_google_benchmark |= strcmp(list->items[i].line.text, text) == 0;
}

void detect_make_comments(const struct proposals *list)
{
	for (size_t i = 0; i < list->count; i++)
		list->items[i].line.active = false;
}

static bool is_chosen_benchmark(const struct proposed *item)
{
	return item->is_google_benchmark && item->line.active;
}

/* The program runs for as long as it likes, so that its own results are what counts. */
static void run_google_benchmark(struct proposed *item)
{
	char *program = (char *)item->line.text;

	item->trial = perun_format("%s --benchmark_list_tests=true", program);
	item->line.text =
		perun_format("%s --benchmark_repetitions=5 --benchmark_format=json", program);
	perun_free(program);
}

/* Where one is built, all of these are measured, by the collector that reads their results, and nothing else is. */
static void choose_google_benchmarks(struct perun_detection *detected)
{
	const struct proposals *list = &detected->lists[PERUN_PROPOSED_COMMANDS];
	size_t chosen = 0;

	for (size_t i = 0; i < list->count; i++)
		chosen += is_chosen_benchmark(&list->items[i]);
	for (size_t i = 0; chosen && i < list->count; i++) {
		if (is_chosen_benchmark(&list->items[i]))
			run_google_benchmark(&list->items[i]);
		else
			list->items[i].line.active = false;
	}
	if (chosen)
		detected->collector = "benchmark";
}

/* Where there is neither a benchmark nor another program, the first test is better than nothing. */
static void choose_test(struct proposals *list)
{
	struct proposed *first = NULL;

	for (size_t i = 0; i < list->count; i++) {
		if (list->items[i].line.active)
			return;
		if (!first && list->items[i].rank == DETECT_TEST && list->items[i].certain)
			first = &list->items[i];
	}
	if (first)
		first->line.active = true;
}

static void free_list(struct proposals *list)
{
	for (size_t i = 0; i < list->count; i++) {
		perun_free((char *)list->items[i].line.text);
		perun_free((char *)list->items[i].line.reason);
		perun_free(list->items[i].trial);
	}
	perun_free(list->items);
}

static void clear(struct perun_detection *detected)
{
	for (int list = 0; list <= PERUN_PROPOSED_NOTES; list++)
		free_list(&detected->lists[list]);
	perun_free(detected->file);
	*detected = (struct perun_detection){0};
}

/* ---- files ----------------------------------------------------------------------------------- */

char *detect_read(const char *project, const char *name)
{
	char *path = perun_format("%s/%s", project, name);
	/* A FIFO would not open before somebody writes to it. */
	int descriptor = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	FILE *file = descriptor >= 0 ? fdopen(descriptor, "r") : NULL;
	struct stat info;
	char *text = NULL;

	perun_free(path);
	if (file && fstat(fileno(file), &info) == 0 && S_ISREG(info.st_mode) &&
	    info.st_size < MAX_BYTES) {
		size_t length;

		text = perun_alloc((size_t)info.st_size + 1);
		length = fread(text, 1, (size_t)info.st_size, file);
		text[length] = '\0';
	}
	if (file)
		fclose(file);
	return text;
}

bool detect_exists(const char *project, const char *name)
{
	char *path = perun_format("%s/%s", project, name);
	struct stat info;
	bool exists = stat(path, &info) == 0 && S_ISREG(info.st_mode);

	perun_free(path);
	return exists;
}

static bool is_foreign(const char *name, size_t length)
{
	static const char *const foreign[] = {
		"build",      "_build",   "builddir", "target",       "dist",
		"out",        "vendor",   "external", "third_party",  "third-party",
		"thirdparty", "3rdparty", "extern",   "node_modules", "subprojects",
		"CMakeFiles", "deps",     "_deps",    "obj"};

	if (name[0] == '.' || strncmp(name, "cmake-build", 11) == 0)
		return true;
	for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++) {
		if (strlen(foreign[i]) == length && strncmp(name, foreign[i], length) == 0)
			return true;
	}
	return false;
}

bool detect_is_foreign(const char *path)
{
	while (*path) {
		size_t length = strcspn(path, "/");

		if (length && is_foreign(path, length))
			return true;
		path += length + (path[length] == '/');
	}
	return false;
}

static bool is_wanted(const char *name, const char *wanted)
{
	size_t length = strlen(name), ending = strlen(wanted + 1);

	if (wanted[0] != '*')
		return strcmp(name, wanted) == 0;
	return length > ending && strcmp(name + length - ending, wanted + 1) == 0;
}

/* `folder` ends with a slash or is "". False when the visitor wants no more. */
static bool walk_in(const struct detect_walk *walk, const char *folder, unsigned depth)
{
	char *path = perun_format("%s/%s", walk->root, folder);
	struct dirent **names = NULL;
	int count = scandir(path, &names, NULL, alphasort);
	bool more = true;

	for (int i = 0; i < count; i++) {
		const char *name = names[i]->d_name;
		char *inside = perun_format("%s%s", folder, name);
		char *whole = perun_format("%s/%s", walk->root, inside);
		struct stat info;

		/* Links are not followed: they may lead anywhere. */
		if (more && strcmp(name, ".") != 0 && strcmp(name, "..") != 0 &&
		    lstat(whole, &info) == 0) {
			const bool enter = S_ISDIR(info.st_mode) && depth < walk->depth &&
					   !walk->is_left_out(name);
			char *below = enter ? perun_format("%s/", inside) : NULL;

			more = enter ? walk_in(walk, below, depth + 1)
				     : walk->visit(walk->data, inside, whole, &info);
			perun_free(below);
		}
		perun_free(whole);
		perun_free(inside);
		free(names[i]);
	}
	free(names);
	perun_free(path);
	return more;
}

void detect_walk(const struct detect_walk *walk)
{
	walk_in(walk, walk->folder, 0);
}

struct finding {
	const char *wanted;
	struct perun_words *files;
};

static bool add_file(void *data, const char *inside, const char *path, const struct stat *info)
{
	struct finding *finding = data;

	(void)path;
	if (S_ISREG(info->st_mode) && is_wanted(perun_path_base_name(inside), finding->wanted))
		perun_words_add(finding->files, inside, strlen(inside));
	return finding->files->count < MAX_FILES;
}

static bool is_foreign_folder(const char *name)
{
	return is_foreign(name, strlen(name));
}

static void find_in(const char *project, const char *folder, const char *wanted, unsigned depth,
		    struct perun_words *files)
{
	struct finding finding = {wanted, files};

	detect_walk(&(struct detect_walk){.root = project,
					  .folder = folder,
					  .depth = depth,
					  .is_left_out = is_foreign_folder,
					  .visit = add_file,
					  .data = &finding});
}

void detect_find(const char *project, const char *name, struct perun_words *files)
{
	find_in(project, "", name, MAX_DEPTH, files);
}

char *detect_folder(const char *file)
{
	const char *slash = strrchr(file, '/');

	return perun_strndup(file, slash ? (size_t)(slash + 1 - file) : 0);
}

/* ---- calls of CMake and Meson ---------------------------------------------------------------- */

static bool is_name(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* After a quoted text; it is copied with its opening quote. */
static const char *copy_quoted(const char *at, struct perun_buffer *word)
{
	char quote = *at;

	perun_buffer_add_char(word, quote);
	for (at++; *at && *at != quote; at++) {
		if (*at == '\\' && at[1])
			at++;
		perun_buffer_add_char(word, *at);
	}
	return *at ? at + 1 : at;
}

static void end_word(struct perun_buffer *word, struct perun_words *arguments)
{
	if (word->length)
		perun_words_add(arguments, word->data, word->length);
	perun_buffer_clear(word);
}

/* From after the opening parenthesis to after the closing one. */
static const char *read_arguments(const char *at, struct perun_words *arguments)
{
	struct perun_buffer word = {0};
	unsigned depth = 1;

	for (; *at && depth > 0;) {
		if (*at == '#') {
			at += strcspn(at, "\n");
		} else if (*at == '"' || *at == '\'') {
			end_word(&word, arguments);
			at = copy_quoted(at, &word);
			end_word(&word, arguments);
		} else if (isspace((unsigned char)*at) || strchr(",:;[]()", *at)) {
			end_word(&word, arguments);
			depth += *at == '(';
			depth -= *at == ')';
			at++;
		} else {
			perun_buffer_add_char(&word, *at++);
		}
	}
	perun_buffer_free(&word);
	return at;
}

bool detect_call(const char **at, const char *name, struct perun_words *arguments)
{
	size_t length = strlen(name);
	bool fresh = true; /* not within a word */

	perun_words_free(arguments);
	while (**at) {
		const char *here = *at;

		if (*here == '#') {
			*at += strcspn(here, "\n");
			continue;
		}
		if (fresh && strncasecmp(here, name, length) == 0 && !is_name(here[length])) {
			const char *open = here + length + strspn(here + length, " \t");

			if (*open == '(') {
				*at = read_arguments(open + 1, arguments);
				return true;
			}
		}
		fresh = !is_name(*here) && *here != '.';
		++*at;
	}
	return false;
}

bool detect_command(const char **at, struct perun_buffer *name, struct perun_words *arguments)
{
	perun_words_free(arguments);
	for (;;) {
		const char *begin, *open;

		*at += strspn(*at, " \t\r\n");
		if (**at == '#') {
			*at += strcspn(*at, "\n");
			continue;
		}
		for (begin = *at; is_name(**at);)
			++*at;
		open = *at + strspn(*at, " \t");
		if (begin < *at && *open == '(') {
			perun_buffer_clear(name);
			perun_buffer_add(name, begin, (size_t)(*at - begin));
			perun_buffer_add_char(name, '\0');
			*at = read_arguments(open + 1, arguments);
			return true;
		}
		if (!**at)
			return false;
		*at += begin == *at;
	}
}

const char *detect_unquoted(const char *argument)
{
	return *argument == '"' || *argument == '\'' ? argument + 1 : argument;
}

bool detect_is_plain(const char *text)
{
	return *text && *text != '-' && !text[strcspn(text, "$@{}<>()*?%=:;&|`'\"\\ \t\n")];
}

/* ---- workloads ------------------------------------------------------------------------------- */

/* Inputs are not sources, scripts or texts for people. */
static bool is_input(const char *name)
{
	static const char *const others[] = {
		".md", ".rst", ".c",     ".h",     ".cc", ".cpp", ".hpp",  ".py", ".sh", ".rs",
		".go", ".mk",  ".cmake", ".build", ".in", ".am",  ".toml", "~",   ".o",  ".lock"};
	const char *base = perun_path_base_name(name);

	if (*base == '.' || !strncasecmp(base, "readme", 6) || !strncasecmp(base, "makefile", 8) ||
	    !strncasecmp(base, "license", 7) || !strcmp(base, "CMakeLists.txt"))
		return false;
	for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
		size_t length = strlen(others[i]);

		if (strlen(base) > length && !strcmp(base + strlen(base) - length, others[i]))
			return false;
	}
	return true;
}

static void find_workloads(const char *project, struct perun_detection *detected)
{
	/* The first ones are named for the purpose; what lies in the others may be anything. */
	static const char *const folders[] = {
		"workload",   "workloads",    "payload",        "payloads",        "inputs",
		"bench/data", "bench/inputs", "benchmark/data", "benchmarks/data", "input",
		"data",       "testdata",     "samples",        "examples"};

	for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
		char *below = perun_format("%s/", folders[i]);
		struct perun_words files = {0};

		find_in(project, below, "*", 0, &files);
		for (size_t j = 0; j < files.count; j++) {
			if (is_input(files.items[j]))
				detect_propose(&detected->lists[PERUN_PROPOSED_WORKLOADS],
					       perun_strdup(files.items[j]),
					       perun_format("a file of %s", below), i < 9);
		}
		perun_words_free(&files);
		perun_free(below);
		if (detected->lists[PERUN_PROPOSED_WORKLOADS].count)
			return;
	}
}

/* ---- all of it ------------------------------------------------------------------------------- */

/* Versions are built from the root of the repository; from where no line of text can name, nothing is proposed. */
static void build_from(struct proposals *build, const char *way)
{
	struct perun_buffer quoted = {0};
	char *printable = perun_printable(way);

	if (strcmp(printable, way) != 0) {
		free_list(build);
		*build = (struct proposals){0};
	}
	perun_free(printable);
	/* For a shell, whatever the directories are called. */
	for (; *way; way++) {
		perun_buffer_add_text(&quoted, *way == '\'' ? "'\\'" : "");
		perun_buffer_add_char(&quoted, *way);
	}
	for (size_t i = 0; i < build->count; i++) {
		char *text = perun_format("cd '%s' && %s", quoted.data, build->items[i].line.text);

		perun_free((char *)build->items[i].line.text);
		build->items[i].line.text = text;
	}
	perun_buffer_free(&quoted);
}

struct perun_detection *perun_detect(struct perun_ctx *ctx, const char *project, const char *way)
{
	static detect_system *const systems[] = {detect_cmake, detect_meson, detect_cargo,
						 detect_go, detect_make};
	struct perun_detection *detected = perun_alloc_zero(1, sizeof *detected);

	for (size_t i = 0; i < sizeof systems / sizeof *systems; i++) {
		struct perun_detection other = {.ctx = ctx, .first = !detected->system};

		if (!systems[i](project, &other))
			continue;
		if (!detected->system) {
			*detected = other;
			continue;
		}
		detect_propose(&detected->lists[PERUN_PROPOSED_NOTES],
			       perun_format("%s would work, too (%s)", other.system, other.file),
			       NULL, false);
		clear(&other);
	}
	detected->file = make_printable(detected->file);
	choose_google_benchmarks(detected);
	choose_test(&detected->lists[PERUN_PROPOSED_COMMANDS]);
	find_workloads(project, detected);
	/* Benchmarks bring their own. */
	if (detected->collector)
		detect_make_comments(&detected->lists[PERUN_PROPOSED_WORKLOADS]);
	if (way && *way && strcmp(way, ".") != 0)
		build_from(&detected->lists[PERUN_PROPOSED_BUILD], way);
	return detected;
}

void perun_detection_free(struct perun_detection *detected)
{
	if (detected)
		clear(detected);
	perun_free(detected);
}

const char *perun_detection_system(const struct perun_detection *detected)
{
	return detected->system;
}

const char *perun_detection_file(const struct perun_detection *detected)
{
	return detected->file;
}

size_t perun_detection_count(const struct perun_detection *detected, enum perun_proposed list)
{
	return detected->lists[list].count;
}

const struct perun_proposal *perun_detection_at(const struct perun_detection *detected,
						enum perun_proposed list, size_t i)
{
	return &detected->lists[list].items[i].line;
}

static bool has_active(const struct proposals *list)
{
	for (size_t i = 0; i < list->count; i++) {
		if (list->items[i].line.active)
			return true;
	}
	return false;
}

static void put_lines(struct perun_buffer *out, const char *key, const struct proposals *list,
		      const char *indent, const char *example)
{
	struct perun_buffer quoted = {0};
	const bool active = has_active(list);

	perun_buffer_printf(out, "%s%s%s:\n", active ? "" : "# ", indent, key);
	for (size_t i = 0; i < list->count; i++) {
		const struct perun_proposal *item = &list->items[i].line;

		perun_buffer_clear(&quoted);
		perun_json_quote(&quoted, item->text, strlen(item->text));
		perun_buffer_printf(out, "%s%s  - %s%s%s\n", item->active ? "" : "# ", indent,
				    quoted.data, item->reason ? "  # " : "",
				    item->reason ? item->reason : "");
	}
	if (list->count == 0)
		perun_buffer_printf(out, "# %s  - %s\n", indent, example);
	perun_buffer_free(&quoted);
}

void perun_detection_yaml(const struct perun_detection *detected, struct perun_buffer *out)
{
	const struct proposals *build = &detected->lists[PERUN_PROPOSED_BUILD];

	if (detected->system)
		perun_buffer_printf(out, "# Proposed by what %s says (%s); please look it over.\n",
				    detected->file, detected->system);
	for (size_t i = 0; i < detected->lists[PERUN_PROPOSED_NOTES].count; i++)
		perun_buffer_printf(out, "# Note: %s.\n",
				    detected->lists[PERUN_PROPOSED_NOTES].items[i].line.text);
	perun_buffer_add_text(out, "# The programs to measure, and what they are given.\n");
	put_lines(out, "cmds", &detected->lists[PERUN_PROPOSED_COMMANDS], "", "./program --option");
	put_lines(out, "workloads", &detected->lists[PERUN_PROPOSED_WORKLOADS], "", "input.txt");
	perun_buffer_printf(
		out,
		"\n# How to measure: collectors and their parameters%s.\n"
		"collectors:\n  - name: %s\n%s"
		"\n# Register new profiles with the current version at once.\n"
		"profiles:\n  register_after_run: true\n",
		perun_advice(PERUN_ADVICE_HELP_COLLECTORS),
		detected->collector ? detected->collector : "time",
		detected->collector ? "" : "    params:\n      warmup: 3\n      repeat: 10\n");
	if (build->count) {
		perun_buffer_printf(
			out, "\n# How a version is built, in files of its own.\n%sexecute:\n",
			has_active(build) ? "" : "# ");
		put_lines(out, "pre_run", build, "  ", "make");
	}
}
