/* SPDX-License-Identifier: BSD-3-Clause */
/* What Cargo and Go projects build and measure. */
#include <config.h>

#include <ctype.h>
#include <string.h>

#include <perun/lib/path.h>

#include "core/detect/detect.h"
#include "perun/lib/advice.h"

static const char *text_of(const struct perun_json *object, const char *key)
{
	return perun_json_as_string(perun_json_get(object, key), NULL);
}

#define CRITERION "target/criterion"

/* "there are benchmarks: cargo bench writes FILE", and how that is kept. */
static char *note_benchmarks(void)
{
	const char *advice = perun_advice(PERUN_ADVICE_IMPORT_FILE);

	return perun_format("there are benchmarks: cargo bench with criterion writes %s%s%s",
			    CRITERION, advice, *advice ? CRITERION : "");
}

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
	const char *base = perun_path_base_name(file);
	const char *dot = strrchr(base, '.');

	return perun_strndup(base, dot ? (size_t)(dot - base) : strlen(base));
}

static void cargo_program(struct perun_detection *detected, const char *name, const char *file)
{
	if (detect_is_plain(name))
		detect_program(detected, perun_format("target/release/%s", name),
			       perun_format("a program of %s", file), file, true);
}

static void cargo_package(const char *project, const char *file, struct perun_detection *detected,
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
static void cargo_folder(struct perun_detection *detected, char *folder, const char *file)
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

/*
 * Cargo itself knows. It runs outside of the project, where no toolchain or configuration of the project counts,
 * and lists packages without running anything of them.
 */
static bool ask_cargo(const char *project, struct perun_detection *detected, size_t *benchmarks)
{
	struct perun_json *answer =
		detect_ask(detected, project, "/", "cargo",
			   "exec \"$TOOL\" metadata --offline --no-deps --format-version 1 "
			   "--manifest-path \"$PROJECT/Cargo.toml\" 2>/dev/null");
	const struct perun_json *packages = perun_json_get(perun_json_at(answer, 0), "packages");

	for (size_t i = 0; i < perun_json_count(packages); i++) {
		const struct perun_json *package = perun_json_at(packages, i);
		const struct perun_json *targets = perun_json_get(package, "targets");
		const char *path = text_of(package, "manifest_path");
		const char *file = path ? detect_inside(project, path) : NULL;

		for (size_t k = 0; file && k < perun_json_count(targets); k++) {
			const struct perun_json *target = perun_json_at(targets, k);
			const char *kind = perun_json_as_string(
				perun_json_at(perun_json_get(target, "kind"), 0), NULL);
			const char *name = text_of(target, "name");

			*benchmarks += kind && !strcmp(kind, "bench");
			if (kind && name && !strcmp(kind, "bin"))
				cargo_program(detected, name, file);
		}
	}
	perun_json_free(answer);
	return packages != NULL;
}

static void read_cargo(const char *project, struct perun_detection *detected, size_t *benchmarks)
{
	struct perun_words files = {0}, sources = {0};

	detect_find(project, "Cargo.toml", &files);
	for (size_t i = 0; i < files.count; i++)
		cargo_package(project, files.items[i], detected, benchmarks);
	detect_find(project, "*.rs", &sources);
	for (size_t i = 0; i < sources.count; i++) {
		char *folder = detect_folder(sources.items[i]), *name = stem(sources.items[i]);

		if (ends(folder, "benches/"))
			++*benchmarks;
		else if (ends(folder, "src/bin/"))
			cargo_program(detected, name, sources.items[i]);
		else if (!strcmp(name, "main"))
			cargo_folder(detected, folder, sources.items[i]);
		perun_free(folder);
		perun_free(name);
	}
	perun_words_free(&files);
	perun_words_free(&sources);
}

bool detect_cargo(const char *project, struct perun_detection *detected)
{
	size_t benchmarks = 0;

	if (!detect_exists(project, "Cargo.toml"))
		return false;
	detected->system = "Cargo";
	detected->file = perun_strdup("Cargo.toml");
	if (!ask_cargo(project, detected, &benchmarks))
		read_cargo(project, detected, &benchmarks);
	if (benchmarks)
		detect_propose(&detected->lists[PERUN_PROPOSED_NOTES], note_benchmarks(), NULL,
			       false);
	detect_propose(&detected->lists[PERUN_PROPOSED_BUILD],
		       perun_strdup("cargo build --release"), NULL, true);
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
	    slash[2 + strspn(slash + 2, "0123456789")] == '\0')
		*slash = '\0';
	name = perun_strdup(perun_path_base_name(path));
	perun_free(path);
	return name;
}

/* Whether a source belongs to a program; comments may be before "package main". */
static bool is_main(const char *text)
{
	const char *found = strstr(text, "package main");

	return found && (found == text || found[-1] == '\n') && !strstr(text, "//go:build ignore");
}

/* A program in `folder` ("" or "cmd/tool"), which is called like that, or like the module. */
static void go_program(struct perun_detection *detected, const char *folder, const char *module,
		       const char *where)
{
	char *name = *folder ? stem(folder) : perun_strdup(module);

	if (name && detect_is_plain(name) && detect_is_plain(*folder ? folder : "x")) {
		detect_program(detected, perun_format("bin/%s", name),
			       perun_format("package main in %s", where), where, true);
		detect_propose(&detected->lists[PERUN_PROPOSED_BUILD],
			       *folder ? perun_format("go build -o bin/%s ./%s", name, folder)
				       : perun_format("go build -o bin/%s .", name),
			       NULL, true);
	}
	perun_free(name);
}

static bool has_benchmark(const char *project, const char *file)
{
	char *text = detect_read(project, file);
	bool has = text && strstr(text, "\nfunc Benchmark");

	perun_free(text);
	return has;
}

static size_t count_benchmarks(const char *project, const char *folder,
			       const struct perun_json *files)
{
	size_t count = 0;

	for (size_t i = 0; i < perun_json_count(files); i++) {
		const char *name = perun_json_as_string(perun_json_at(files, i), NULL);
		char *file = perun_format("%s%s%s", folder, *folder ? "/" : "", name ? name : "");

		count += has_benchmark(project, file);
		perun_free(file);
	}
	return count;
}

/* Go lists packages without building anything, here without the network, other toolchains, and git. */
static bool ask_go(const char *project, const char *module, struct perun_detection *detected,
		   size_t *benchmarks)
{
	struct perun_json *answer =
		detect_ask(detected, project, project, "go",
			   "GOTOOLCHAIN=local GOPROXY=off GOWORK=off GOFLAGS=-buildvcs=false "
			   "GOENV=off CGO_ENABLED=0 exec "
			   "\"$TOOL\" list -e -json ./... 2>/dev/null");

	for (size_t i = 0; i < perun_json_count(answer); i++) {
		const struct perun_json *package = perun_json_at(answer, i);
		const char *name = text_of(package, "Name"), *path = text_of(package, "Dir");
		const char *folder = path && !strcmp(path, project) ? ""
				     : path                         ? detect_inside(project, path)
								    : NULL;

		if (!folder)
			continue;
		*benchmarks +=
			count_benchmarks(project, folder, perun_json_get(package, "TestGoFiles")) +
			count_benchmarks(project, folder, perun_json_get(package, "XTestGoFiles"));
		if (name && !strcmp(name, "main"))
			go_program(detected, folder, module, *folder ? folder : "the module");
	}
	perun_json_free(answer);
	return answer != NULL;
}

static void go_source(const char *project, const char *file, const char *module,
		      struct perun_detection *detected, size_t *benchmarks)
{
	char *text, *folder;

	if (strlen(file) > 8 && !strcmp(file + strlen(file) - 8, "_test.go")) {
		*benchmarks += has_benchmark(project, file);
		return;
	}
	text = detect_read(project, file);
	folder = detect_folder(file);
	if (text && is_main(text)) {
		if (*folder)
			folder[strlen(folder) - 1] = '\0';
		go_program(detected, folder, module, file);
	}
	perun_free(folder);
	perun_free(text);
}

/* Benchmarks come before programs, which become comments: they are measured by another collector, and built. */
static void propose_benchmarks(struct perun_detection *detected)
{
	struct proposals *commands = &detected->lists[PERUN_PROPOSED_COMMANDS],
			 programs = *commands;

	detect_make_comments(&programs);
	detect_make_comments(&detected->lists[PERUN_PROPOSED_BUILD]);
	*commands = (struct proposals){0};
	detect_propose(commands,
		       perun_strdup("go test -run=NONE -bench=. -benchtime=0.1s -count=10 ./..."),
		       perun_strdup("benchmarks of the tests"), true);
	commands->items[0].trial = perun_strdup("go test -run=NONE -bench=. -benchtime=1x ./...");
	detected->collector = "benchmark";
	for (size_t i = 0; i < programs.count; i++) {
		PERUN_GROW(commands->items, commands->count, commands->capacity);
		commands->items[commands->count++] = programs.items[i];
	}
	if (programs.count)
		detect_propose(
			&detected->lists[PERUN_PROPOSED_NOTES],
			perun_strdup("to measure the programs instead, uncomment their lines "
				     "under cmds and pre_run, and name the collector time"),
			NULL, false);
	perun_free(programs.items);
}

bool detect_go(const char *project, struct perun_detection *detected)
{
	char *text = detect_read(project, "go.mod"), *module;
	struct perun_words files = {0};
	size_t benchmarks = 0;

	if (!text)
		return false;
	detected->system = "Go";
	detected->file = perun_strdup("go.mod");
	module = module_name(text);
	if (!ask_go(project, module, detected, &benchmarks))
		detect_find(project, "*.go", &files);
	for (size_t i = 0; i < files.count; i++)
		go_source(project, files.items[i], module, detected, &benchmarks);
	if (benchmarks)
		propose_benchmarks(detected);
	perun_words_free(&files);
	perun_free(module);
	perun_free(text);
	return true;
}
