/* SPDX-License-Identifier: BSD-3-Clause */
/* What Cargo and Go projects build and measure. */
#include <config.h>

#include <ctype.h>
#include <string.h>

#include "cli/detect.h"

/* ---- Cargo ----------------------------------------------------------------------------------- */

/* A line of TOML: its section ("[package]", "[[bin]]") or a key and a text. */
struct toml {
	const char *at;
	char section[64];
	char key[64], value[256];
};

static void copy(char *to, size_t size, const char *from, size_t length)
{
	length = length < size ? length : size - 1;
	memcpy(to, from, length);
	to[length] = '\0';
}

/* The next section's beginning (key "") or key; values other than "texts" are "". False at the end. */
static bool next_entry(struct toml *toml)
{
	while (*toml->at) {
		const char *line = toml->at + strspn(toml->at, " \t");
		size_t length = strcspn(line, "\n");
		const char *equal = memchr(line, '=', length);

		toml->at = line + length + (line[length] == '\n');
		toml->key[0] = toml->value[0] = '\0';
		if (*line == '[') {
			copy(toml->section, sizeof toml->section, line, strcspn(line, " \t\n#"));
			return true;
		}
		if (*line == '#' || !equal)
			continue;
		copy(toml->key, sizeof toml->key, line, strcspn(line, " \t="));
		equal += 1 + strspn(equal + 1, " \t");
		if (*equal == '"')
			copy(toml->value, sizeof toml->value, equal + 1,
			     strcspn(equal + 1, "\"\n"));
		return true;
	}
	return false;
}

/* The name of src/bin/NAME.rs. */
static char *stem(const char *file)
{
	const char *slash = strrchr(file, '/');
	const char *base = slash ? slash + 1 : file;
	const char *dot = strrchr(base, '.');

	return perun_strndup(base, dot ? (size_t)(dot - base) : strlen(base));
}

static void cargo_program(struct cli_detected *detected, const char *name, const char *file)
{
	if (detect_is_plain(name))
		detect_program(detected, perun_format("target/release/%s", name),
			       perun_format("a program of %s", file));
}

static void cargo_package(const char *project, const char *file, struct cli_detected *detected,
			  size_t *benchmarks)
{
	char *text = detect_read(project, file), *folder = detect_folder(file);
	char *main_file = perun_format("%ssrc/main.rs", folder);
	struct toml toml = {.at = text ? text : ""};
	bool taken = !detect_exists(project, main_file);

	while (next_entry(&toml)) {
		bool program = !strcmp(toml.section, "[[bin]]");

		if (!strcmp(toml.section, "[[bench]]") && !*toml.key)
			++*benchmarks;
		if (program && !strcmp(toml.key, "name") && *toml.value)
			cargo_program(detected, toml.value, file);
		taken |= program && !strcmp(toml.key, "path") && !strcmp(toml.value, "src/main.rs");
		taken |= !strcmp(toml.key, "autobins");
	}
	/* Where no [[bin]] says something else, src/main.rs is called like its package. */
	toml = (struct toml){.at = text ? text : ""};
	while (!taken && next_entry(&toml)) {
		if (!strcmp(toml.section, "[package]") && !strcmp(toml.key, "name"))
			cargo_program(detected, toml.value, file);
	}
	perun_free(main_file);
	perun_free(folder);
	perun_free(text);
}

static bool ends(const char *folder, const char *with)
{
	size_t length = strlen(folder), tail = strlen(with);

	return length >= tail && strcmp(folder + length - tail, with) == 0;
}

/* src/bin/NAME/main.rs */
static void cargo_folder(struct cli_detected *detected, char *folder, const char *file)
{
	size_t length = strlen(folder);
	char *name, *above;

	if (length == 0)
		return;
	folder[length - 1] = '\0';
	above = detect_folder(folder);
	name = stem(folder);
	if (ends(above, "src/bin/"))
		cargo_program(detected, name, file);
	perun_free(above);
	perun_free(name);
}

bool detect_cargo(const char *project, struct cli_detected *detected)
{
	struct perun_words files = {0}, sources = {0};
	size_t benchmarks = 0;

	if (!detect_exists(project, "Cargo.toml"))
		return false;
	detected->system = "Cargo";
	detected->file = perun_strdup("Cargo.toml");
	detect_find(project, "Cargo.toml", &files);
	for (size_t i = 0; i < files.count; i++)
		cargo_package(project, files.items[i], detected, &benchmarks);
	detect_find(project, "*.rs", &sources);
	for (size_t i = 0; i < sources.count; i++) {
		char *folder = detect_folder(sources.items[i]), *name = stem(sources.items[i]);

		if (ends(folder, "benches/"))
			benchmarks++;
		else if (ends(folder, "src/bin/"))
			cargo_program(detected, name, sources.items[i]);
		else if (!strcmp(name, "main"))
			cargo_folder(detected, folder, sources.items[i]);
		perun_free(folder);
		perun_free(name);
	}
	if (benchmarks)
		detect_propose(&detected->notes,
			       perun_strdup("there are benchmarks: what cargo bench writes with "
					    "criterion is kept by 'perun import target/criterion'"),
			       NULL, false);
	detect_propose(&detected->build, perun_strdup("cargo build --release"), NULL, true);
	perun_words_free(&files);
	perun_words_free(&sources);
	return true;
}

/* ---- Go -------------------------------------------------------------------------------------- */

/* The last part of the module's path, without a version: "tool" of "example.com/tool/v2". */
static char *module_name(const char *text)
{
	const char *line = text ? strstr(text, "module ") : NULL;
	char *path, *slash, *name;

	if (!line || (line != text && line[-1] != '\n'))
		return NULL;
	line += 7 + strspn(line + 7, " \t\"");
	path = perun_strndup(line, strcspn(line, " \t\r\n\""));
	slash = strrchr(path, '/');
	if (slash && slash[1] == 'v' && isdigit((unsigned char)slash[2]) &&
	    slash[2 + strspn(slash + 2, "0123456789")] == '\0') {
		*slash = '\0';
		slash = strrchr(path, '/');
	}
	name = perun_strdup(slash ? slash + 1 : path);
	perun_free(path);
	return name;
}

/* Whether a source belongs to a program; comments may stand before "package main". */
static bool is_main(const char *text)
{
	const char *found = strstr(text, "package main");

	return found && (found == text || found[-1] == '\n') && !strstr(text, "//go:build ignore");
}

static void go_source(const char *project, const char *file, const char *module,
		      struct cli_detected *detected, size_t *benchmarks)
{
	char *text = detect_read(project, file), *folder = detect_folder(file);
	size_t length = strlen(folder);

	if (text && strlen(file) > 8 && !strcmp(file + strlen(file) - 8, "_test.go")) {
		*benchmarks += strstr(text, "\nfunc Benchmark") != NULL;
	} else if (text && is_main(text)) {
		char *name = NULL;

		if (length) {
			folder[length - 1] = '\0';
			name = stem(folder);
		} else if (module) {
			name = perun_strdup(module);
		}
		if (name && detect_is_plain(name) && detect_is_plain(length ? folder : "x")) {
			detect_program(detected, perun_format("bin/%s", name),
				       perun_format("package main in %s", file));
			detect_propose(
				&detected->build,
				length ? perun_format("go build -o bin/%s ./%s", name, folder)
				       : perun_format("go build -o bin/%s .", name),
				NULL, true);
		}
		perun_free(name);
	}
	perun_free(folder);
	perun_free(text);
}

bool detect_go(const char *project, struct cli_detected *detected)
{
	char *text = detect_read(project, "go.mod"), *module;
	struct perun_words files = {0};
	size_t benchmarks = 0;

	if (!text)
		return false;
	detected->system = "Go";
	detected->file = perun_strdup("go.mod");
	module = module_name(text);
	detect_find(project, "*.go", &files);
	for (size_t i = 0; i < files.count; i++)
		go_source(project, files.items[i], module, detected, &benchmarks);
	if (benchmarks)
		detect_propose(
			&detected->notes,
			perun_strdup("there are benchmarks: 'go test -bench . -count 10 ./... "
				     ">bench.txt; perun import bench.txt' keeps them"),
			NULL, false);
	perun_words_free(&files);
	perun_free(module);
	perun_free(text);
	return true;
}
