/* SPDX-License-Identifier: BSD-3-Clause */
/* Fuzz target: events of sampled programs, whose stacks and maps are whatever the programs made of them. */
#include "collectors/cpu/samples.h"
#include "tests/fuzz/fuzz.h"

struct bytes {
	const uint8_t *at;
	size_t left;
};

static uint64_t take(struct bytes *bytes, size_t size)
{
	uint64_t value = 0;

	size = size < bytes->left ? size : bytes->left;
	memcpy(&value, bytes->at, size);
	bytes->at += size;
	bytes->left -= size;
	return value;
}

/* An address near one of few, so that maps, chains and stacks meet. */
static uint64_t take_address(struct bytes *bytes)
{
	uint64_t word = take(bytes, 3);

	return word >> 23 ? UINT64_MAX - (word & 0xffff) : 0x400000 + word;
}

static void take_sample(struct bytes *bytes, struct perf_event *event, uint64_t chain[16])
{
	static _Alignas(8) char stack[256];

	event->ip = take_address(bytes);
	event->period = take(bytes, 4);
	event->chain_count = take(bytes, 1) % 17;
	for (uint64_t i = 0; i < event->chain_count; i++)
		chain[i] = take_address(bytes);
	event->chain = chain;
	event->has_stack = take(bytes, 1) % 2;
	event->pc = take_address(bytes);
	event->sp = take_address(bytes);
	event->bp = event->sp + take(bytes, 1);
	event->stack_size = take(bytes, 1);
	for (uint64_t i = 0; i < event->stack_size / 8; i++) {
		uint64_t word = take_address(bytes);

		memcpy(stack + 8 * i, &word, 8);
	}
	event->stack = stack;
}

void fuzz_cpu_samples(const uint8_t *data, size_t size)
{
	static const char *const names[] = {
		"/proc/self/exe", "/nowhere", "[heap]", "", "//anon", "[kernel.kallsyms]_text"};
	struct bytes bytes = {data, size};
	struct samples samples;
	uint64_t chain[16], handled = 0;

	samples_init(&samples, size % 2);
	while (bytes.left && handled++ < 500) {
		struct perf_event event = {.kind = take(&bytes, 1) % (PERF_END + 1),
					   .time = take(&bytes, 2),
					   .pid = (int32_t)take(&bytes, 1) % 4,
					   .name = ""};

		event.thread = event.pid + (int32_t)take(&bytes, 1) % 2;
		if (event.kind == PERF_SAMPLE || event.kind == PERF_WAIT)
			take_sample(&bytes, &event, chain);
		event.start = take_address(&bytes);
		event.length = take(&bytes, 3);
		event.offset = take(&bytes, 3);
		event.name = names[take(&bytes, 1) % (sizeof names / sizeof *names)];
		event.parent = (int32_t)take(&bytes, 1) % 4;
		event.lost = take(&bytes, 1);
		samples_handle(&samples, &event);
	}
	samples_end_waits(&samples, 100000);
	for (size_t i = 0; i < samples.row_count; i++)
		MUST(samples.rows[i].stack < samples.places.stack_count &&
		     samples.rows[i].name < samples.name_count);
	samples_free(&samples);
}
