/* SPDX-License-Identifier: BSD-3-Clause */
/* What Meson projects build. */
#include <config.h>

#include <string.h>

#include "core/detect/detect.h"

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
			       perun_format("executable in %s", file), file, true);
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
				       perun_format("executable in %s", file), file, true);
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
