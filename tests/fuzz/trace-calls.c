/* SPDX-License-Identifier: BSD-3-Clause */
/* Fuzz target: the files that the runtime of the collector trace leaves, of one thread and its modules. */
#include "collectors/trace/calls.h"
#include "tests/fuzz/place.h"

/* The input: a byte, how many bytes (times 64) of the rest are the file of modules; then the thread's. */
void fuzz_trace_calls(const uint8_t *data, size_t size)
{
	static const char *folder;
	struct perun_ctx *ctx = perun_ctx_new(NULL);
	struct calls calls;
	size_t text;
	int status;

	if (size == 0) {
		perun_ctx_free(ctx);
		return;
	}
	text = (size_t)data[0] * 64;
	text = text < size - 1 ? text : size - 1;
	if (!folder)
		folder = fuzz_folder();
	fuzz_empty(folder);
	fuzz_write(folder, "modules-1-1", data + 1, text);
	fuzz_write(folder, "excluded-1-1", data + 1, text / 2);
	fuzz_write(folder, "thread-1-1-0", data + 1 + text, size - 1 - text);
	calls_init(&calls);
	status = calls_read(ctx, folder, 0, &calls);
	MUST(status == PERUN_OK || status == PERUN_INPUT);
	MUST((status == PERUN_OK) == (perun_ctx_error(ctx) == NULL));
	for (size_t i = 1; i < calls.node_count; i++) {
		MUST(calls.nodes[i].parent < i);
		MUST(calls.nodes[i].function < calls.function_count);
	}
	for (size_t i = 0; i < calls.record_count; i++)
		MUST(calls.records[i].node < calls.node_count);
	calls_free(&calls);
	perun_ctx_free(ctx);
}
