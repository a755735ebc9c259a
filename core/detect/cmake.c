/* SPDX-License-Identifier: BSD-3-Clause */
/* What CMake and Meson projects build and test. */
#include <config.h>

#include <string.h>

#include <perun/profile.h>

#include "core/detect/detect.h"

/* ---- CMake ----------------------------------------------------------------------------------- */

/* Where programs go: set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin), or beside their files. */
static char *cmake_output(const char *text)
{
	static const char *const roots[] = {"${CMAKE_BINARY_DIR}/", "${PROJECT_BINARY_DIR}/",
					    "${CMAKE_CURRENT_BINARY_DIR}/"};
	struct perun_words words = {0};
	char *folder = NULL;

	while (!folder && detect_call(&text, "set", &words)) {
		const char *value;

		if (words.count < 2 || strcmp(words.items[0], "CMAKE_RUNTIME_OUTPUT_DIRECTORY"))
			continue;
		value = detect_unquoted(words.items[1]);
		for (size_t i = 0; !folder && i < 3; i++) {
			size_t length = strlen(roots[i]);

			if (strncmp(value, roots[i], length) == 0 &&
			    detect_is_plain(value + length))
				folder = perun_strdup(value + length);
		}
	}
	perun_words_free(&words);
	return folder;
}

/* The name of the project stands for ${PROJECT_NAME}. NULL = it cannot be told; the caller's. */
static char *cmake_name(const char *argument, const char *project_name)
{
	const char *name = detect_unquoted(argument);

	if (strcmp(name, "${PROJECT_NAME}") == 0 || strcmp(name, "${CMAKE_PROJECT_NAME}") == 0)
		name = project_name ? project_name : "";
	return detect_is_plain(name) ? perun_strdup(name) : NULL;
}

static bool has_word(const struct perun_words *words, const char *word)
{
	for (size_t i = 1; i < words->count; i++) {
		if (strcmp(words->items[i], word) == 0)
			return true;
	}
	return false;
}

struct cmake {
	struct perun_detection *detected;
	const char *output; /* where all programs go, or NULL */
	char *project_name;
	struct perun_builder *names; /* of programs, numbered from 1 */
	struct perun_words paths;    /* of them */
};

static void cmake_programs(struct cmake *cmake, const char *file, const char *text)
{
	char *folder = detect_folder(file);
	struct perun_words words = {0};

	while (detect_call(&text, "add_executable", &words)) {
		char *name = words.count > 1 && !has_word(&words, "IMPORTED") &&
					     !has_word(&words, "ALIAS")
				     ? cmake_name(words.items[0], cmake->project_name)
				     : NULL;
		char *path;

		if (!name)
			continue;
		path = cmake->output ? perun_format("build/%s/%s", cmake->output, name)
				     : perun_format("build/%s%s", folder, name);
		if (perun_builder_string(cmake->names, name, strlen(name)) > cmake->paths.count)
			perun_words_add(&cmake->paths, path, strlen(path));
		detect_program(cmake->detected, path, perun_format("add_executable in %s", file));
		perun_free(name);
	}
	perun_words_free(&words);
	perun_free(folder);
}

/* The path of a program, NULL for another name. */
static const char *path_of(struct cmake *cmake, const char *name)
{
	/* Adds a name that is not there: its number is beyond the paths then. */
	perun_id number = perun_builder_string(cmake->names, name, strlen(name));

	return number > 0 && number <= cmake->paths.count ? cmake->paths.items[number - 1] : NULL;
}

/* add_test(NAME x COMMAND prog ARGUMENT...) with plain arguments: a way to run a program that works. */
static void cmake_tests(struct cmake *cmake, const char *file, const char *text)
{
	struct perun_words words = {0};

	while (detect_call(&text, "add_test", &words)) {
		struct perun_buffer line = {0};
		const char *path;
		size_t at = 1;

		while (at < words.count && strcmp(words.items[at], "COMMAND") != 0)
			at++;
		at = at < words.count ? at + 1 : 1;
		path = at < words.count ? path_of(cmake, words.items[at]) : NULL;
		if (!path)
			continue;
		perun_buffer_add_text(&line, path);
		for (at++; at < words.count; at++) {
			const char *word = detect_unquoted(words.items[at]);

			if (!strcmp(word, "WORKING_DIRECTORY") || !strcmp(word, "CONFIGURATIONS"))
				break;
			if (!detect_is_plain(word + strspn(word, "-")))
				break;
			perun_buffer_printf(&line, " %s", word);
		}
		if (at == words.count && strcmp(line.data, path) != 0)
			detect_propose(&cmake->detected->lists[PERUN_PROPOSED_COMMANDS],
				       perun_strdup(line.data),
				       perun_format("add_test in %s", file), false);
		perun_buffer_free(&line);
	}
	perun_words_free(&words);
}

bool detect_cmake(const char *project, struct perun_detection *detected)
{
	char *root = detect_read(project, "CMakeLists.txt"), *output;
	struct cmake cmake = {.detected = detected};
	struct perun_words files = {0}, words = {0};
	const char *at = root;

	if (!root)
		return false;
	cmake.names = perun_builder_new();
	detected->system = "CMake";
	detected->file = perun_strdup("CMakeLists.txt");
	output = cmake_output(root);
	cmake.output = output;
	if (detect_call(&at, "project", &words) && words.count &&
	    detect_is_plain(detect_unquoted(words.items[0])))
		cmake.project_name = perun_strdup(detect_unquoted(words.items[0]));
	detect_find(project, "CMakeLists.txt", &files);
	for (unsigned pass = 0; pass < 2; pass++) {
		for (size_t i = 0; i < files.count; i++) {
			char *text = detect_read(project, files.items[i]);

			if (text && pass == 0)
				cmake_programs(&cmake, files.items[i], text);
			else if (text)
				cmake_tests(&cmake, files.items[i], text);
			perun_free(text);
		}
	}
	detect_propose(&detected->lists[PERUN_PROPOSED_BUILD],
		       perun_strdup("cmake -S . -B build -DCMAKE_BUILD_TYPE=RelWithDebInfo"), NULL,
		       true);
	detect_propose(&detected->lists[PERUN_PROPOSED_BUILD],
		       perun_strdup("cmake --build build --parallel"), NULL, true);
	perun_words_free(&words);
	perun_words_free(&files);
	perun_builder_free(cmake.names);
	perun_words_free(&cmake.paths);
	perun_free(cmake.project_name);
	perun_free(output);
	perun_free(root);
	return true;
}

/* ---- Meson ----------------------------------------------------------------------------------- */

static void meson_programs(struct perun_detection *detected, const char *file, const char *text)
{
	char *folder = detect_folder(file);
	struct perun_words words = {0};

	while (detect_call(&text, "executable", &words)) {
		/* A name in quotes; a variable could be anything. */
		if (words.count < 2 || detect_unquoted(words.items[0]) == words.items[0] ||
		    !detect_is_plain(detect_unquoted(words.items[0])))
			continue;
		detect_program(detected,
			       perun_format("build/%s%s", folder, detect_unquoted(words.items[0])),
			       perun_format("executable in %s", file));
	}
	perun_words_free(&words);
	perun_free(folder);
}

static size_t count_calls(const char *text, const char *name)
{
	struct perun_words words = {0};
	size_t count = 0;

	while (detect_call(&text, name, &words))
		count++;
	perun_words_free(&words);
	return count;
}

/* Meson reads its files itself, without running what they say. */
static bool ask_meson(const char *project, struct perun_detection *detected)
{
	struct perun_json *answer = detect_ask(
		detected, project, "/", "meson",
		"exec \"$TOOL\" introspect --targets \"$PROJECT/meson.build\" 2>/dev/null");
	const struct perun_json *targets = perun_json_at(answer, 0);

	for (size_t i = 0; i < perun_json_count(targets); i++) {
		const struct perun_json *target = perun_json_at(targets, i);
		const char *name = perun_json_as_string(perun_json_get(target, "name"), NULL);
		const char *type = perun_json_as_string(perun_json_get(target, "type"), NULL);
		const char *path = perun_json_as_string(perun_json_get(target, "defined_in"), NULL);
		const char *file = path ? detect_inside(project, path) : NULL;

		if (file && name && type && !strcmp(type, "executable") && detect_is_plain(name)) {
			char *folder = detect_folder(file);

			detect_program(detected, perun_format("build/%s%s", folder, name),
				       perun_format("executable in %s", file));
			perun_free(folder);
		}
	}
	perun_json_free(answer);
	return answer != NULL;
}

bool detect_meson(const char *project, struct perun_detection *detected)
{
	struct perun_words files = {0};
	size_t benchmarks = 0;
	bool known;

	if (!detect_exists(project, "meson.build"))
		return false;
	detected->system = "Meson";
	detected->file = perun_strdup("meson.build");
	known = ask_meson(project, detected);
	detect_find(project, "meson.build", &files);
	for (size_t i = 0; i < files.count; i++) {
		char *text = detect_read(project, files.items[i]);

		if (text) {
			if (!known)
				meson_programs(detected, files.items[i], text);
			benchmarks += count_calls(text, "benchmark");
		}
		perun_free(text);
	}
	if (benchmarks)
		detect_propose(&detected->lists[PERUN_PROPOSED_COMMANDS],
			       perun_strdup("meson test -C build --benchmark"),
			       perun_format("%zu benchmark() in meson.build", benchmarks), false);
	detect_propose(&detected->lists[PERUN_PROPOSED_BUILD],
		       perun_strdup("meson setup build --buildtype=debugoptimized"), NULL, true);
	detect_propose(&detected->lists[PERUN_PROPOSED_BUILD],
		       perun_strdup("meson compile -C build"), NULL, true);
	perun_words_free(&files);
	return true;
}
