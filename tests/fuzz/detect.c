/* SPDX-License-Identifier: BSD-3-Clause */
/* Fuzz target: build files of a project, from which perun init --detect proposes settings. */
#include <stdlib.h>
#include <unistd.h>

#include <perun/lib/detect.h>

#include "core/config/config.h"
#include "tests/fuzz/place.h"

/* The first byte chooses the file. What is proposed is YAML. */
void fuzz_detect(const uint8_t *data, size_t size)
{
	static const char *const names[] = {"CMakeLists.txt", "meson.build", "Makefile",
					    "Makefile.am",    "Cargo.toml",  "go.mod"};
	static const char *place;
	struct perun_ctx *ctx;
	struct perun_json *document;
	struct perun_detection *detected;
	struct perun_buffer text = {0};
	const char *name;

	if (size == 0)
		return;
	if (!place) {
		place = fuzz_folder();
		/* Without the tools themselves: the files are read. */
		setenv("PATH", place, 1);
		fuzz_write(place, "x_test.go", "func BenchmarkX(", 16);
	}
	ctx = perun_ctx_new(NULL);
	name = names[data[0] % (sizeof names / sizeof *names)];
	fuzz_write(place, name, data + 1, size - 1);
	detected = perun_detect(ctx, place, NULL);
	perun_detection_yaml(detected, &text);
	MUST(perun_yaml_parse(ctx, "proposals", text.data, text.length, &document) == PERUN_OK);
	perun_json_free(document);
	perun_ctx_free(ctx);
	perun_buffer_free(&text);
	perun_detection_free(detected);
	name = perun_format("%s/%s", place, name);
	unlink(name);
	perun_free((void *)name);
}
