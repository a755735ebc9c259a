/* SPDX-License-Identifier: BSD-3-Clause */
/* The format pprof-legacy: each kind of profile, the memory maps, and what is refused. */
#include <inttypes.h>
#include <stdlib.h>

#include <perun/format.h>
#include <perun/json.h>

#include "check.h"

static struct perun_ctx *ctx;
static struct perun_buffer warnings;

static void warn(void *data, const char *message)
{
	(void)data;
	perun_buffer_add_text(&warnings, message);
}

/* Read with probing: nothing else may take such a file for its own. */
static struct perun_profile *read_bytes(const void *data, size_t size)
{
	struct perun_input *input = perun_input_from_memory("x", data, size);
	struct perun_profile *profile;
	const char *used = "";

	perun_read_profile(ctx, input, NULL, NULL, &profile, &used);
	if (profile)
		CHECK_STR(used, "pprof-legacy");
	perun_input_close(input);
	return profile;
}

static void dump_header(const struct perun_profile *profile, struct perun_buffer *out)
{
	const struct perun_json *header = perun_json_get(perun_profile_document(profile), "header");

	perun_json_print(header, out, PERUN_JSON_COMPACT, 0);
	perun_buffer_add_char(out, '\n');
}

static void dump_samples(const struct perun_profile *profile, struct perun_buffer *out)
{
	const struct perun_table *table = perun_resources(profile);

	for (size_t row = 0; row < perun_table_rows(table); row++) {
		perun_id id = perun_column_id(perun_table_column(table, "stack"), row);
		size_t depth;
		const perun_id *stack = perun_profile_stack(profile, id, &depth);

		for (size_t i = 0; i < perun_table_columns(table); i++) {
			const struct perun_column *column = perun_table_column_at(table, i);

			if (perun_column_info(column)->type == PERUN_TYPE_STACK)
				continue;
			perun_column_print(column, row, out);
			perun_buffer_add_char(out, ' ');
		}
		perun_buffer_add_char(out, ':');
		for (size_t i = 0; i < depth; i++)
			perun_buffer_printf(out, " %" PRIu64,
					    perun_profile_location(profile, stack[i])->source_id);
		perun_buffer_add_char(out, '\n');
	}
}

static void dump_places(const struct perun_profile *profile, struct perun_buffer *out)
{
	for (perun_id id = 0; id < perun_profile_locations(profile); id++) {
		const struct perun_location *location = perun_profile_location(profile, id);

		perun_buffer_printf(out, "L%" PRIu64 " %" PRIx64, location->source_id,
				    location->address);
		if (location->mapping != PERUN_NO_ID)
			perun_buffer_printf(
				out, " M%" PRIu64,
				perun_profile_mapping(profile, location->mapping)->source_id);
		for (uint32_t i = 0; i < location->line_count; i++) {
			const struct perun_function *function =
				perun_profile_function(profile, location->lines[i].function);

			perun_buffer_printf(out, " F%" PRIu64 " %s %s:%" PRId64,
					    function->source_id,
					    perun_profile_string(profile, function->name, NULL),
					    perun_profile_string(profile, function->file, NULL),
					    location->lines[i].line);
		}
		perun_buffer_add_char(out, '\n');
	}
	for (perun_id id = 0; id < perun_profile_mappings(profile); id++) {
		const struct perun_mapping *mapping = perun_profile_mapping(profile, id);

		perun_buffer_printf(out, "M%" PRIu64 " %" PRIx64 "-%" PRIx64 "@%" PRIx64 " %s %s\n",
				    mapping->source_id, mapping->start, mapping->limit,
				    mapping->offset,
				    perun_profile_string(profile, mapping->file, NULL),
				    perun_profile_string(profile, mapping->build_id, NULL));
	}
}

static void check_bytes(const void *data, size_t size, const char *expected)
{
	struct perun_profile *profile = read_bytes(data, size);
	struct perun_buffer out = {0};

	if (!profile) {
		CHECK_FAIL("%s", perun_ctx_error(ctx));
		perun_ctx_clear(ctx);
		return;
	}
	dump_header(profile, &out);
	dump_samples(profile, &out);
	dump_places(profile, &out);
	CHECK_STR(out.data, expected);
	perun_buffer_free(&out);
	perun_profile_unref(profile);
}

static void check_text(const char *text, const char *expected)
{
	check_bytes(text, strlen(text), expected);
}

static void check_refused(const char *text, const char *expected)
{
	struct perun_input *input = perun_input_from_memory("x", text, strlen(text));
	struct perun_profile *profile;

	CHECK_INT(perun_read_profile(ctx, input, "pprof-legacy", NULL, &profile, NULL),
		  PERUN_INPUT);
	CHECK(profile == NULL);
	CHECK_CONTAINS(perun_ctx_error(ctx), expected);
	perun_ctx_clear(ctx);
	perun_profile_unref(profile);
	perun_input_close(input);
}

/* ---- heaps -------------------------------------------------------------------------------------- */

#define SPACE   ",\"period_type\":{\"type\":\"space\",\"unit\":\"bytes\"}}\n"
#define NOWHERE "M1 0-ffffffffffffffff@0  \n"

TEST(test_heap)
{
	/* 1 / (1 - exp(-1024 / 1024)) = 1.58; the size of an object is that of what is in use. */
	check_text("heap profile: 3: 3072 [ 9: 3072] @ heap_v2/1024\n"
		   "  2: 2048 [ 3: 3000] @ 0x11 0x21\n"
		   "  0: 0 [ 4: 400] @ 0x11\n",
		   "{\"default_metric\":\"inuse_space\",\"period\":1024" SPACE
		   "bytes=1024 4 4812 3 3239 : 1 2\n"
		   "bytes=100 42 4299 0 0 : 1\n"
		   "L1 10 M1\nL2 20 M1\n" NOWHERE);
	check_text("heap profile: 1: 4 [2: 8] @ heap/2\n#x\n\n 1: 4 [2: 8] @\n# x\n",
		   "{\"default_metric\":\"inuse_space\",\"period\":1" SPACE "bytes=4 2 8 1 4 :\n");
	check_text("heap profile:   3:  8 [  3:  8] @ heapprofile\n -3: -9 [0: 0] @ 0x1 0x0\n",
		   "{\"default_metric\":\"space\",\"period\":1" SPACE "bytes=3 -3 -9 : 1 2\n"
		   "L1 0\nL2 ffffffffffffffff M1\n" NOWHERE);
	check_text("heap profile: 1: 8 [0: 0] @ growthz\n1: 8 [1: 8] @ 0x1f",
		   "{\"default_metric\":\"space\",\"period\":1" SPACE
		   "bytes=8 1 8 : 1\nL1 1e M1\n" NOWHERE);
	check_refused("heap profile: 1: 8 [1: 8] @ heap_v3/1\n", "line 1: expected heap, heap_v2");
	check_refused("heap profile: 1: 8 [1: 8] @ heap_v2/1\n\n1: 8 [1: 8]\n",
		      "line 3: expected \"OBJECTS: BYTES [OBJECTS: BYTES] @ ADDRESSES\", found "
		      "\"1: 8 [1: 8]\"");
	check_refused("heap profile: 1: 8 [1: 8] @ heap_v2/1\n0: 8 [0: 0] @ 0x1\n",
		      "line 2: bytes of no objects");
	check_refused("heap profile: 1: 8 [1: 8] @ heap_v2/1\n1: 8 [0: 0] @ 0x12345678901234567\n",
		      "line 2: the address \"12345678901234567\" has more than 64 bits");
}

TEST(test_machinery)
{
	struct perun_profile *profile = read_bytes("x profile: total 0\n", 19);

	CHECK_CONTAINS(perun_profile_text(profile, "/extra/pprof/drop_frames"), "prof_handler");
	CHECK_STR(perun_profile_text(profile, "/extra/pprof/keep_frames"), "");
	perun_profile_unref(profile);
	profile = read_bytes("--- mutex:\n", 11);
	CHECK_CONTAINS(perun_profile_text(profile, "/extra/pprof/drop_frames"), "(SpinLock::)?");
	perun_profile_unref(profile);
	profile = read_bytes("heap profile: 1: 8 [1: 8] @ heap/2\n", 35);
	CHECK_CONTAINS(perun_profile_text(profile, "/extra/pprof/drop_frames"), "|operator new");
	CHECK_CONTAINS(perun_profile_text(profile, "/extra/pprof/keep_frames"), "runtime\\.panic");
	perun_profile_unref(profile);
}

/* ---- counts, threads, contention ---------------------------------------------------------------- */

TEST(test_count)
{
	check_text("# made by hand\ngoroutine profile: total 3\n2 @ 0x11 0x21\n#\t0x10\tf+0x1\n\n"
		   "010 @ 0x21\n",
		   "{\"default_metric\":\"goroutine\",\"period\":1,\"period_type\":"
		   "{\"type\":\"goroutine\",\"unit\":\"count\"}}\n"
		   "2 : 1 2\n8 : 2\nL1 10 M1\nL2 20 M1\n" NOWHERE);
	check_text("stack profile: total 1\n1 @ 0x1\n",
		   "{\"default_metric\":\"stack#2\",\"period\":1,\"period_type\":"
		   "{\"type\":\"stack\",\"unit\":\"count\"}}\n"
		   "1 : 1\nL1 0\n");
	check_refused("goroutine profile: total 3\n2 @ \n",
		      "line 2: expected \"COUNT @ 0xADDRESS 0xADDRESS\", found \"2 @ \"");
	check_refused("goroutine profile: total 3\n09 @ 0x1\n", "line 2: expected \"COUNT @");
	check_refused("gorou\x01tine profile: total 3\n", "line 1: the type");
}

#define THREAD                                                                              \
	"{\"default_metric\":\"thread\",\"period\":1,\"period_type\":{\"type\":\"thread\"," \
	"\"unit\":\"count\"}}\n"

TEST(test_threads)
{
	check_text("--- threadz 1 ---\n\n--- Thread 7e0 (name: a/b/25) stack: ---\n"
		   "  PC:  0x0040: leaf\n  0x0040: leaf\n\n  0x51\n"
		   "--- Thread 7e1 (name: c/26) stack: ---\n  [same as previous thread]\n"
		   "--- Thread 7e2 (name: d/27) stack: ---\n  0x51 0x41\n"
		   "--- Memory map: ---\n",
		   THREAD "2 : 1 3\n1 : 4 1\nL1 40 M1\nL2 3f M1\nL3 50 M1\nL4 51 M1\n" NOWHERE);
	check_text("--- Thread 7e0 (name: a/25) stack: ---\n 0x1f\n---- no stack trace for 7e1\n"
		   "lost\nMAPPED_LIBRARIES:\n0-100: /x\n",
		   THREAD "1 : 1\nL1 1f M1\nM1 0-100@0 /x \n");
	check_refused("--- threadz 1 ---\n", "expected \"--- Thread ID (name: NAME/NUMBER) "
					     "stack: ---\"");
	check_refused("--- threadz 1 ---\n--- Thread 7e0 (name: a/25) stack: ---\n 0x1\n",
		      "line 3: the file ends where another thread");
}

TEST(test_contention)
{
	check_text("--- contentionz 1 ---\ncycles/second = 2000000000\nsampling period = 100\n"
		   "ms since reset = 0x10\ndiscarded samples = 0\n  30  2 @ 0x11 0x21\n71 @ 0x1\n"
		   "--- Memory map: ---\n",
		   "{\"default_metric\":\"delay\",\"duration\":16000000,\"period\":100,"
		   "\"period_type\":{\"type\":\"contentions\",\"unit\":\"count\"}}\n"
		   "200 1500 : 1 2\n100 350 : 3\nL1 10 M1\nL2 20 M1\nL3 0\n" NOWHERE);
	check_text("--- mutex:\ncycles/second=1000\nsampling period=1\n5 1 @ 0x11\n#\tx\n",
		   "{\"default_metric\":\"delay\",\"period\":1,\"period_type\":"
		   "{\"type\":\"contentions\",\"unit\":\"count\"}}\n"
		   "1 5000000 : 1\nL1 10 M1\n" NOWHERE);
	check_refused("--- mutex:\nsampling rate=1\n", "line 2: expected the attribute");
	check_refused("--- mutex:\nsampling period=one\n",
		      "line 2: expected a number of 64 bits after '=', found \"one\"");
	check_refused("--- mutex:\n5 1 0x11\n", "line 2: expected \"DELAY COUNT @ ADDRESSES\"");
}

/* ---- Java --------------------------------------------------------------------------------------- */

TEST(test_java)
{
	check_text("--- heapz 1 ---\nformat = java\nresolution = bytes\n"
		   " 1048576 2 @ 0x3 0x4 0x5 0x6\n\n"
		   " 0x3 a.B.c (B.java:12)\n 0x4 d (/usr/lib/libjvm.so)\n 0x9 unused (X.java:1)\n"
		   " 0x6 a.B.c (Other.java:-3)",
		   "{\"default_metric\":\"inuse_space\"}\n"
		   "bytes=524288 3 1658822 : 1 2 3 4\n"
		   "L1 0 F1 a.B.c B.java:12\nL2 0 F2 d libjvm.so:0\nL3 0 M1\n"
		   "L4 0 F1 a.B.c B.java:0\n" NOWHERE);
	check_text("--- contentionz 1 ---\nformat = java\nresolution = microseconds\n"
		   "sampling period = 10\nms since reset = 2\n 5 1 @ 0x3 0x4\n"
		   " 0x3 generated stub/JIT\n 0x4 plain name\n",
		   "{\"default_metric\":\"delay\",\"duration\":2000000,\"period\":10,"
		   "\"period_type\":{\"type\":\"contentions\",\"unit\":\"count\"}}\n"
		   "10 50 : 1 2\nL1 0 F1 STUB :0\nL2 0 F2 plain name :0\n");
	check_refused("--- heapz 1 ---\nformat = c\n", "line 2: expected \"java\" as format");
	check_refused("--- heapz 1 ---\nformat = java\n 5 1 @ 0x3\n",
		      "line 3: a sample without the attribute \"resolution\"");
	check_refused("--- heapz 1 ---\nresolution = bytes\n 5 0 @ 0x3\n",
		      "line 3: the second number");
}

/* ---- binary ------------------------------------------------------------------------------------- */

/* Words of 4 or 8 bytes; those that are -1 end them, and text follows. */
static size_t put_words(unsigned char *out, unsigned size, bool big, const int *words)
{
	size_t length = 0;

	for (; *words >= 0; words++) {
		for (unsigned i = 0; i < size; i++) {
			unsigned shift = 8 * (big ? size - 1 - i : i);

			out[length++] = shift < 32 ? (unsigned char)((unsigned)*words >> shift) : 0;
		}
	}
	return length;
}

static void check_words(unsigned size, bool big, const int *words, const char *text,
			const char *expected)
{
	unsigned char data[2048];
	size_t length = put_words(data, size, big, words);

	memcpy(data + length, text, strlen(text));
	check_bytes(data, length + strlen(text), expected);
}

#define CPU                                                                                  \
	"{\"default_metric\":\"cpu\",\"period\":10000000,\"period_type\":{\"type\":\"cpu\"," \
	"\"unit\":\"nanoseconds\"}}\n"

TEST(test_cpu)
{
	/* 0x91 is the handler; the leaf 0x21 is in the second stack twice. */
	static const int words[] = {0, 3, 0,    10000, 0,    2,    3, 0x11, 0x91, 0x31,
				    5, 4, 0x21, 0x91,  0x21, 0x31, 0, 1,    0,    -1};
	static const int java[] = {0, 3, 1, 10000, 0, 2, 2, 3, 4, 0, 1, 0, -1};
	static const char expected[] =
		CPU "2 20000000 : 1 2\n5 50000000 : 3 2\nL1 11 M1\nL2 30 M1\nL3 21 M1\nL4 20 M1\n"
		    "M1 0-100@0 prog \n";

	for (unsigned i = 0; i < 4; i++) {
		check_words(i < 2 ? 4 : 8, i % 2, words, "0-100 r-xp 0 1:2 3 prog\n", expected);
		check_words(i < 2 ? 4 : 8, i % 2, java, " 0x3 f (F.java:1)\n",
			    CPU "2 20000000 : 1 2\nL1 0 F1 f F.java:1\nL2 0 M1\n" NOWHERE);
	}
	CHECK(warnings.length == 0);
}

TEST(test_cpu_damage)
{
	static const int long_record[] = {0, 3, 0, 1, 0, 2, 9, 1, -1};
	static const int no_end[] = {0, 3, 0, 10000, 0, 2, 1, 0x11, -1};
	static const int half[] = {0, 3, 0, 10000, 0, 2, -1};
	char data[256];

	check_words(8, false, no_end, "", CPU "2 20000000 : 1\nL1 11 M1\n" NOWHERE);
	CHECK_CONTAINS(warnings.data, "the record that ends the samples is missing");
	perun_buffer_clear(&warnings);
	memset(data, 0, sizeof data);
	CHECK(read_bytes(data, put_words((unsigned char *)data, 4, false, long_record)) == NULL);
	CHECK_CONTAINS(perun_ctx_error(ctx), "byte 20: the record has more addresses");
	perun_ctx_clear(ctx);
	CHECK(read_bytes(data, put_words((unsigned char *)data, 8, true, half)) == NULL);
	CHECK_CONTAINS(perun_ctx_error(ctx), "byte 40: the file ends within a record");
	perun_ctx_clear(ctx);
}

/* ---- memory maps -------------------------------------------------------------------------------- */

static void check_map(const char *addresses, const char *map, const char *expected)
{
	char *text =
		perun_format("t profile: total 1\n1 @ %s\n--- Memory map: ---\n%s", addresses, map);
	char *all = perun_format("{\"default_metric\":\"t\",\"period\":1,\"period_type\":"
				 "{\"type\":\"t\",\"unit\":\"count\"}}\n%s",
				 expected);

	check_text(text, all);
	perun_free(text);
	perun_free(all);
}

TEST(test_map_lines)
{
	check_map("0x11 0x101 0x201 0x301",
		  "00000010-00000100 r-xp 00000080 08:01 12 /bin/a b\n"
		  "100-200 rw-p 00000080 08:01 12 /bin/data\n"
		  "  0x200-0x300: /lib/b.so (@40) feed01\n"
		  "file.c:12] 300 400 $home/c\n",
		  "1 : 1 2 3 4\nL1 10 M1\nL2 100 M4\nL3 200 M2\nL4 300 M3\n"
		  "M1 10-100@80 /bin/a \nM2 200-300@40 /lib/b.so feed01\n"
		  "M3 300-400@0 $home/c \nM4 0-ffffffffffffffff@0  \n");
	check_map("0x11", "home = /h\nroot=$home/r\n10-20: $home/$root$x",
		  "1 : 1\nL1 10 M1\nM1 10-20@0 /h//h/r$x \n");
	/* One number is two: its last digit is the limit. */
	check_map("0x11", "100 - 200 /x\n1f\nr=1\n",
		  "1 : 1\nL1 10 M2\nM1 1-f@0  \n"
		  "M2 0-ffffffffffffffff@0  \n");
}

TEST(test_map_order)
{
	/* Parts of one file are joined, unless their offsets tell otherwise. */
	check_map("0x11 0x25",
		  "10-20 /lib/a.so (@10)\n20-30 /lib/a.so (@20)\n30-40 /lib/a.so (@99)\n",
		  "1 : 1 2\nL1 10 M1\nL2 24 M1\nM1 10-30@10 /lib/a.so \nM2 30-40@99 /lib/a.so \n");
	/* The main program comes first; it starts at the usual address; the rest of it is found. */
	check_map("0x11 0x400001 0x700101",
		  "10-20 /lib/a.so.1\n400010-500000 /bin/p (@10)\n700200-700300 /lib/b.so (@200)\n",
		  "1 : 1 2 3\nL1 10 M2\nL2 400000 M1\nL3 700100 M3\n"
		  "M1 400000-500000@0 /bin/p \nM2 10-20@0 /lib/a.so.1 \n"
		  "M3 700000-700300@0 /lib/b.so \n");
	check_map("0x11", "0-20 /anon_hugepage\n20-30 /bin/p\n",
		  "1 : 1\nL1 10 M2\nM1 20-30@0 /bin/p \nM2 0-ffffffffffffffff@0  \n");
}

struct area {
	uint64_t start, limit, offset;
};

/* The first that covers the address; else the first that an offset lets begin before it; else NULL. */
static struct area *find_area(struct area *areas, size_t count, uint64_t address)
{
	for (size_t i = 0; i < count; i++) {
		if (areas[i].start <= address && address < areas[i].limit)
			return &areas[i];
	}
	for (size_t i = 0; i < count; i++) {
		if (areas[i].offset && areas[i].start - areas[i].offset <= address &&
		    address < areas[i].start) {
			areas[i].start -= areas[i].offset;
			areas[i].offset = 0;
			return &areas[i];
		}
	}
	return NULL;
}

/* The map's lines, and areas as they say; each file has another name, so that none are joined. */
static void make_areas(struct area *areas, size_t count, struct perun_buffer *text)
{
	for (size_t i = 0; i < count; i++) {
		areas[i].start = 1 + (uint64_t)rand() % 200;
		areas[i].limit = (areas[i].start + (uint64_t)rand() % 40) - (uint64_t)(rand() % 2);
		areas[i].offset = rand() % 2 ? 0 : (uint64_t)rand() % 300;
		perun_buffer_printf(text,
				    "%" PRIx64 "-%" PRIx64 " r-xp %" PRIx64 " 00:00 1 /%zu.so\n",
				    areas[i].start, areas[i].limit, areas[i].offset, i);
	}
}

TEST(test_map_random)
{
	srand(1);
	for (int round = 0; round < 300; round++) {
		struct perun_buffer text = {0};
		struct area areas[20];
		size_t count = (size_t)(rand() % 20);
		struct perun_profile *profile;

		perun_buffer_add_text(&text, "t profile: total 1\n1 @");
		for (int i = 0; i < 60; i++)
			perun_buffer_printf(&text, " 0x%x", 2 + rand() % 260);
		perun_buffer_add_text(&text, "\n--- Memory map: ---\n");
		make_areas(areas, count, &text);
		profile = read_bytes(text.data, text.length);
		CHECK(profile);
		for (perun_id id = 0; profile && id < perun_profile_locations(profile); id++) {
			const struct perun_location *location = perun_profile_location(profile, id);
			struct area *area = find_area(areas, count, location->address);
			uint64_t expected = area ? (uint64_t)(area - areas) + 1 : count + 1;

			CHECK_INT(location->source_id, id + 1);
			CHECK_INT(perun_profile_mapping(profile, location->mapping)->source_id,
				  expected);
			/* From now on this one covers all others. */
			if (!area)
				areas[count++] = (struct area){0, UINT64_MAX, 0};
		}
		perun_profile_unref(profile);
		perun_buffer_free(&text);
	}
}

TEST(test_recognition)
{
	check_refused("", "the file is empty");
	check_refused("profile: total 3\n", "expected the header of a CPU profile");
	check_refused("\n\n# nothing\n", "expected the header of a CPU profile");
}

int main(void)
{
	const struct perun_handlers handlers = {.struct_size = sizeof handlers, .warn = warn};

	ctx = perun_ctx_new(&handlers);
	check_all();
	perun_ctx_free(ctx);
	perun_buffer_free(&warnings);
	return check_done();
}
