/* SPDX-License-Identifier: BSD-3-Clause */
/* What measuring itself costs on this machine: measured once, then remembered. */
#include <config.h>

#include <math.h>
#include <string.h>

#include <perun/format.h>
#include <perun/lib/path.h>

#include "collectors/common/overhead.h"

/* A larger file is none of ours. */
#define CACHE_LIMIT 65536

/* ---- the file that remembers -------------------------------------------------------------------- */

/* Another machine, kernel or version has other costs. The caller frees it. */
static char *key_of_machine(void)
{
	static const char *const facts[] = {"/architecture", "/host",      "/release",
					    "/cpu/model",    "/cpu/total", "/cpu/governor"};
	struct perun_json *machine = perun_machine_document();
	struct perun_buffer key = {0};

	perun_buffer_add_text(&key, PACKAGE_VERSION);
	for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
		const struct perun_json *fact = perun_json_path(machine, facts[i]);

		perun_buffer_add_text(&key, "; ");
		if (fact)
			perun_json_print(fact, &key, PERUN_JSON_PYTHON, 0);
	}
	perun_json_free(machine);
	return key.data;
}

/* {"machine": key, "costs": {name: amount}}; a new one when it is missing, damaged or of another machine. */
static struct perun_json *read_cache(struct perun_ctx *ctx, const char *path, const char *key)
{
	struct perun_json *document = NULL;
	struct perun_input *input;
	const char *machine;

	if (perun_input_open(ctx, path, &input) == PERUN_OK) {
		const void *text;
		size_t size;

		if (perun_input_map(ctx, input, CACHE_LIMIT, &text, &size) == PERUN_OK)
			perun_json_parse(ctx, text, size, NULL, &document);
		perun_input_close(input);
	}
	perun_ctx_clear(ctx);
	machine = perun_json_as_string(perun_json_path(document, "/machine"), NULL);
	if (machine && strcmp(machine, key) == 0 &&
	    perun_json_type(perun_json_path(document, "/costs")) == PERUN_JSON_TYPE_OBJECT)
		return document;
	perun_json_free(document);
	document = perun_json_object();
	perun_json_set(document, "machine", perun_json_text(key));
	perun_json_set(document, "costs", perun_json_object());
	return document;
}

/* What cannot be kept is measured again next time. */
static void write_cache(struct perun_ctx *ctx, const char *path, const struct perun_json *document)
{
	struct perun_buffer text = {0};
	struct perun_output *output;

	perun_json_print(document, &text, PERUN_JSON_PYTHON, 0);
	if (perun_path_ensure_parents(path, 0700) == 0 &&
	    perun_output_open(ctx, path, &output) == PERUN_OK) {
		perun_output_write(output, text.data, text.length);
		perun_output_commit(ctx, output);
		perun_output_close(output);
	}
	perun_ctx_clear(ctx);
	perun_buffer_free(&text);
}

bool collectors_overhead(struct perun_ctx *ctx, const char *name, collectors_measure *measure,
			 void *data, double *amount)
{
	char *path = perun_user_cache("overhead.json"), *key = key_of_machine();
	struct perun_json *document = path ? read_cache(ctx, path, key) : NULL, *costs;
	bool known;

	costs = perun_json_path(document, "/costs");
	known = perun_json_as_double(perun_json_get(costs, name), amount) && isfinite(*amount);
	if (!known && measure(ctx, data, amount) == PERUN_OK && isfinite(*amount)) {
		known = true;
		if (costs) {
			perun_json_set(costs, name, perun_json_double(*amount));
			write_cache(ctx, path, document);
		}
	}
	if (!known && !perun_cancelled(ctx))
		perun_ctx_clear(ctx);
	perun_json_free(document);
	perun_free(path);
	perun_free(key);
	return known;
}

void collectors_add_overhead(struct perun_json *header, double amount, const char *unit,
			     const char *per)
{
	struct perun_json *overhead = perun_json_object();

	perun_json_set(overhead, "amount", perun_json_double(amount));
	perun_json_set(overhead, "unit", perun_json_text(unit));
	perun_json_set(overhead, "per", perun_json_text(per));
	perun_json_set(header, "overhead", overhead);
}
