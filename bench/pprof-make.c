/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A made-up profile.proto, the same at every run: pprof-make FILE [SAMPLES FUNCTIONS LOCATIONS [SEED]].
 * By default a million samples, 20,000 functions, 60,000 locations: some 67 MB, 30 MB compressed.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { DEEPEST = 34, KEPT = 16000 };

struct message {
	unsigned char bytes[65536];
	size_t size;
};

static uint64_t state;
static gzFile out;

/* xorshift64*: S. Vigna, "An experimental exploration of Marsaglia's xorshift generators" (2016). */
static uint64_t next_random(void)
{
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return state * 0x2545f4914f6cdd1du >> 11;
}

static double uniform(void)
{
	return (double)next_random() / 9007199254740992.0;
}

static void put(struct message *message, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		message->bytes[message->size++] = (unsigned char)(value | 0x80);
	message->bytes[message->size++] = (unsigned char)value;
}

static void put_number(struct message *message, unsigned field, uint64_t value)
{
	if (!value)
		return;
	put(message, field << 3);
	put(message, value);
}

static void put_bytes(struct message *message, unsigned field, const void *data, size_t size)
{
	put(message, field << 3 | 2);
	put(message, size);
	memcpy(message->bytes + message->size, data, size);
	message->size += size;
}

static void write_message(unsigned field, const struct message *message)
{
	static struct message whole;

	whole.size = 0;
	put(&whole, field << 3 | 2);
	put(&whole, message->size);
	gzwrite(out, whole.bytes, (unsigned)whole.size);
	if (message->size)
		gzwrite(out, message->bytes, (unsigned)message->size);
}

static void put_packed(struct message *message, unsigned field, const uint64_t *values,
		       size_t count)
{
	static struct message packed;

	packed.size = 0;
	for (size_t i = 0; i < count; i++)
		put(&packed, values[i]);
	put_bytes(message, field, packed.bytes, packed.size);
}

/* Stacks that later ones go on from: leaf last. */
static uint32_t paths[KEPT][DEEPEST];
static uint8_t depths[KEPT];

static void write_sample(uint64_t i, uint64_t locations)
{
	static struct message message, label;
	uint64_t place = i % KEPT, from = i ? next_random() % (i < KEPT ? i : KEPT) : 0;
	double skew = uniform();
	uint64_t ids[DEEPEST], values[2];
	unsigned depth = depths[from];

	memmove(paths[place], paths[from], sizeof paths[place]);
	if (depth == DEEPEST)
		depth = 1 + (unsigned)(next_random() % (DEEPEST - 1));
	paths[place][depth++] = (uint32_t)(1 + (uint64_t)(skew * skew * skew * (double)locations));
	depths[place] = (uint8_t)depth;
	for (unsigned k = 0; k < depth; k++)
		ids[k] = paths[place][depth - 1 - k];
	values[0] = 1 + next_random() % 20;
	values[1] = values[0] * 10000000;
	message.size = 0;
	put_packed(&message, 1, ids, depth);
	put_packed(&message, 2, values, 2);
	if (i % 5 == 0) {
		label.size = 0;
		put_number(&label, 1, 5);
		put_number(&label, 3, (uint64_t)8 << next_random() % 12);
		put_number(&label, 4, 5);
		put_bytes(&message, 3, label.bytes, label.size);
		label.size = 0;
		put_number(&label, 1, 6);
		put_number(&label, 2, 7 + next_random() % 32);
		put_bytes(&message, 3, label.bytes, label.size);
	}
	write_message(2, &message);
}

static void write_text(const char *text)
{
	static struct message message;

	message.size = strlen(text);
	memcpy(message.bytes, text, message.size);
	write_message(6, &message);
}

static void write_types(void)
{
	struct message message = {.size = 0};

	put_number(&message, 1, 1);
	put_number(&message, 2, 2);
	write_message(1, &message);
	message.size = 0;
	put_number(&message, 1, 3);
	put_number(&message, 2, 4);
	write_message(1, &message);
}

enum { FIRST_NAME = 41 };

static void write_places(uint64_t locations, uint64_t functions)
{
	static struct message message, line;

	message.size = 0;
	put_number(&message, 1, 1);
	put_number(&message, 2, 0x400000);
	put_number(&message, 3, 0x4000000);
	put_number(&message, 5, 39);
	put_number(&message, 6, 40);
	write_message(3, &message);
	for (uint64_t i = 1; i <= locations; i++) {
		message.size = 0;
		put_number(&message, 1, i);
		put_number(&message, 2, 1);
		put_number(&message, 3, 0x400000 + i * 16);
		for (unsigned k = 0; k < (i % 7 < 2 ? 2 : 1); k++) {
			line.size = 0;
			put_number(&line, 1, 1 + next_random() % functions);
			put_number(&line, 2, 10 + i % 900);
			put_bytes(&message, 4, line.bytes, line.size);
		}
		write_message(4, &message);
	}
	for (uint64_t i = 1; i <= functions; i++) {
		message.size = 0;
		put_number(&message, 1, i);
		put_number(&message, 2, FIRST_NAME + 2 * (i - 1));
		put_number(&message, 3, FIRST_NAME + 2 * (i - 1));
		put_number(&message, 4, FIRST_NAME + 2 * (i - 1) + 1);
		put_number(&message, 5, 1 + i % 500);
		write_message(5, &message);
	}
}

static void write_texts(uint64_t functions)
{
	static const char *const texts[] = {"",      "samples", "count", "cpu", "nanoseconds",
					    "bytes", "thread"};
	char text[128];

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		write_text(texts[i]);
	for (unsigned i = 0; i < 32; i++) {
		snprintf(text, sizeof text, "worker-%u", i);
		write_text(text);
	}
	write_text("/usr/bin/synthetic");
	write_text("00112233445566778899aabbccddeeff00112233");
	for (uint64_t i = 1; i <= functions; i++) {
		snprintf(text, sizeof text,
			 "example.com/mod%" PRIu64 "/pkg%" PRIu64 ".(*Type%" PRIu64
			 ").Method%" PRIu64,
			 i % 40, i % 700, i, i);
		write_text(text);
		snprintf(text, sizeof text, "/src/mod%" PRIu64 "/pkg%" PRIu64 "/file%" PRIu64 ".go",
			 i % 40, i % 700, i);
		write_text(text);
	}
}

int main(int argc, char **argv)
{
	uint64_t samples = argc > 2 ? strtoull(argv[2], NULL, 10) : 1000000;
	uint64_t functions = argc > 3 ? strtoull(argv[3], NULL, 10) : 20000;
	uint64_t locations = argc > 4 ? strtoull(argv[4], NULL, 10) : 60000;
	struct message rest = {.size = 0};

	state = (argc > 5 ? strtoull(argv[5], NULL, 10) : 1) * 0x9e3779b97f4a7c15u;
	if (argc < 2 || argc == 4 || !samples || !functions || !locations || !state) {
		fprintf(stderr, "usage: pprof-make FILE [SAMPLES FUNCTIONS LOCATIONS [SEED]]\n");
		return 2;
	}
	out = gzopen(argv[1], "wb6");
	if (!out) {
		perror(argv[1]);
		return 1;
	}
	write_types();
	for (uint64_t i = 0; i < samples; i++)
		write_sample(i, locations);
	write_places(locations, functions);
	write_texts(functions);
	put_number(&rest, 9, 1700000000000000000);
	put_number(&rest, 10, 30000000000);
	put_number(&rest, 12, 10000000);
	gzwrite(out, rest.bytes, (unsigned)rest.size);
	return gzclose(out) == Z_OK ? 0 : 1;
}
