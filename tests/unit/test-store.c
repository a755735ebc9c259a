/* SPDX-License-Identifier: BSD-3-Clause */
/* The store: indexes, objects, entries, changes. */
#include <time.h>

#include <perun/json.h>
#include <perun/lib/advice.h>

#include "tests/unit/store-help.h"

#define BODY                                                                                   \
	"{\"resources\": {}, \"header\": {\"type\": \"time\", \"cmd\": \"app\", \"args\": "    \
	"\"-x\", "                                                                             \
	"\"workload\": \"w\"}, \"collector_info\": {\"name\": \"time\"}, \"postprocessors\": " \
	"[{\"name\": \"a\"}, {\"name\": \"b\"}]}"

static struct perun_entry entry(const char *path, uint32_t time)
{
	struct perun_entry made = {.time = time,
				   .path = path,
				   .type = "time",
				   .cmd = "app",
				   .args = "",
				   .workload = "w",
				   .collector = "time",
				   .postprocessors = "a b"};

	strcpy(made.checksum, "00112233445566778899aabbccddeeff00112233");
	return made;
}

/* Little-endian, as indexes are on every machine. */
static void put_number(struct perun_buffer *out, uint32_t number)
{
	for (unsigned i = 0; i < 32; i += 8)
		perun_buffer_add_char(out, (char)(number >> i));
}

static void put_text(struct perun_buffer *out, const char *text)
{
	put_number(out, (uint32_t)strlen(text));
	perun_buffer_add(out, text, strlen(text));
}

/* An index with one entry; texts separated by '|', version 1 without. */
static void put_index(struct perun_buffer *out, uint32_t version, const char *checksum,
		      const char *path, const char *const *texts, size_t count)
{
	unsigned char bytes[20];

	perun_buffer_clear(out);
	perun_buffer_add(out, "pidx", 4);
	put_number(out, version);
	put_number(out, 1);
	put_number(out, 1700000000);
	perun_hex_decode(checksum, bytes);
	perun_buffer_add(out, bytes, 20);
	perun_buffer_add(out, path, strlen(path) + 1);
	for (size_t i = 0; i < count; i++)
		put_text(out, texts[i]);
}

static const char *const five[] = {"mixed", "cmd", "workload", "trace", "x y"};
static const char *const six[] = {"mixed", "cmd", "args", "workload", "trace", ""};

TEST(test_index_layouts)
{
	struct perun_buffer bytes = {0}, again = {0};
	struct perun_entries entries;
	enum perun_index_layout layout;
	struct perun_entry any = entry("p", 1);

	put_index(&bytes, 2, any.checksum, "p.perf", five, 5);
	CHECK_INT(perun_index_decode(help_ctx, "i", bytes.data, bytes.length, &entries, &layout),
		  0);
	CHECK_INT(layout, PERUN_INDEX_FIVE_TEXTS);
	CHECK_STR(entries.items[0].path, "p.perf");
	CHECK_STR(entries.items[0].checksum, any.checksum);
	CHECK_STR(entries.items[0].postprocessors, "x y");
	perun_index_encode(&entries, &again);
	CHECK(again.length == bytes.length && memcmp(again.data, bytes.data, bytes.length) == 0);
	perun_entries_free(&entries);
	put_index(&bytes, 2, any.checksum, "p.perf", six, 6);
	CHECK_INT(perun_index_decode(help_ctx, "i", bytes.data, bytes.length, &entries, &layout),
		  0);
	CHECK_INT(layout, PERUN_INDEX_SIX_TEXTS);
	CHECK_STR(entries.items[0].args, "args");
	CHECK_STR(entries.items[0].collector, "trace");
	perun_entries_free(&entries);
	/* What the Python program's rm makes of version 1. */
	put_index(&bytes, 1, any.checksum, "p.perf", five, 5);
	CHECK_INT(perun_index_decode(help_ctx, "i", bytes.data, bytes.length, &entries, &layout),
		  0);
	CHECK_INT(layout, PERUN_INDEX_FIVE_TEXTS);
	perun_entries_free(&entries);
	put_index(&bytes, 1, any.checksum, "p.perf", NULL, 0);
	CHECK_INT(perun_index_decode(help_ctx, "i", bytes.data, bytes.length, &entries, &layout),
		  0);
	CHECK_INT(layout, PERUN_INDEX_V1);
	perun_entries_free(&entries);
	perun_buffer_free(&bytes);
	perun_buffer_free(&again);
}

static void check_bad_index(const char *data, size_t size, const char *why)
{
	struct perun_entries entries;

	CHECK_INT(perun_index_decode(help_ctx, "the index", data, size, &entries, NULL),
		  PERUN_INPUT);
	CHECK_CONTAINS(help_error(), why);
	CHECK(entries.items == NULL);
}

TEST(test_bad_indexes)
{
	struct perun_buffer bytes = {0};
	struct perun_entry any = entry("p", 1);

	check_bad_index("", 0, "not an index");
	check_bad_index("pidx\2\0\0\0\0\0\0", 11, "not an index");
	check_bad_index("pidx\3\0\0\0\0\0\0\0", 12, "version 3");
	check_bad_index("pidx\2\0\0\0\xff\xff\xff\x7f", 12, "announces 2147483647 entries");
	check_bad_index("pidx\2\0\0\0\0\0\0\0x", 13, "do not fill");
	put_index(&bytes, 2, any.checksum, "p.perf", five, 5);
	for (size_t i = 12; i < bytes.length; i++) {
		struct perun_entries entries;

		CHECK(perun_index_decode(help_ctx, "i", bytes.data, i, &entries, NULL) ==
		      PERUN_INPUT);
		perun_ctx_clear(help_ctx);
	}
	perun_buffer_free(&bytes);
}

TEST(test_order)
{
	struct perun_entries entries;
	bool there;
	struct perun_entry b5 = entry("b", 5), a9 = entry("a", 9), c1 = entry("c", 1);

	perun_entries_start(&entries);
	perun_entries_append(&entries, &a9);
	perun_entries_append(&entries, &b5);
	perun_entries_append(&entries, &c1);
	struct perun_entry new = entry("b", 6);
	CHECK_INT(perun_entries_place(&entries, &new, &there), 2);
	CHECK(!there);
	new.time = 4;
	CHECK_INT(perun_entries_place(&entries, &new, &there), 1);
	new.time = 5;
	perun_entries_place(&entries, &new, &there);
	CHECK(there);
	new = entry("\xc3\xa9", 0);
	CHECK_INT(perun_entries_place(&entries, &new, &there), 3);
	perun_entries_free(&entries);
}

TEST(test_times)
{
	struct timespec half = {1700000000, 500000000}, odd = {1700000001, 500000000};
	const int64_t later = INT64_C(1) << 40; /* no time where these have 32 bits */
	struct timespec old = {-5, 0}, far = {(time_t)later, 0};

	CHECK_INT(perun_entry_time(&half, NULL), 1700000000);
	CHECK_INT(perun_entry_time(&odd, NULL), 1700000002);
	CHECK_INT(perun_entry_time(&old, NULL), 0);
	if (far.tv_sec == later)
		CHECK_INT(perun_entry_time(&far, NULL), UINT32_MAX);
	/* The hour that occurs twice. */
	setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1);
	tzset();
	struct timespec first = {1698539400, 0}, second = {1698543000, 0};
	uint32_t a = perun_entry_time(&first, NULL), b = perun_entry_time(&second, NULL);
	CHECK(a == b);
	setenv("TZ", "UTC", 1);
	tzset();
}

/* ---- objects --------------------------------------------------------------------------------- */

TEST(test_objects)
{
	struct perun_store *store = help_store("objects");
	char checksum[PERUN_CHECKSUM_SIZE];
	struct perun_object object;
	size_t length;
	char *text;

	help_profile_object(store, "time", BODY, checksum);
	CHECK_INT(perun_store_load_text(help_ctx, store, checksum, &text, &length), PERUN_OK);
	CHECK_STR(text, BODY);
	CHECK_INT(length, strlen(BODY));
	perun_free(text);
	CHECK_INT(perun_object_peek(help_ctx, store, checksum, &object), PERUN_OK);
	CHECK_STR(object.type, "time");
	CHECK_INT(object.length, strlen(BODY));
	perun_object_free(&object);
	CHECK_INT(perun_store_load_text(help_ctx, store, MINOR, &text, &length), PERUN_INPUT);
	CHECK_CONTAINS(help_error(), "object " MINOR " is missing");
	CHECK_INT(perun_store_load_text(help_ctx, store, "../../etc/passwd", &text, &length),
		  PERUN_USAGE);
	help_error();
	/* Raw UTF-8 of older stores: the length counts characters. */
	help_object(store, "profile mixed 3\0\"\xc3\xa9\"", 20, checksum);
	CHECK_INT(perun_store_load_text(help_ctx, store, checksum, &text, &length), PERUN_OK);
	CHECK_STR(text, "\"\xc3\xa9\"");
	perun_free(text);
	perun_store_close(store);
}

static void check_bad_object(struct perun_store *store, const char *raw, size_t size,
			     const char *why)
{
	char checksum[PERUN_CHECKSUM_SIZE];
	struct perun_object object;

	help_object(store, raw, size, checksum);
	CHECK_INT(perun_object_read(help_ctx, store, checksum, true, &object), PERUN_INPUT);
	CHECK_CONTAINS(help_error(), why);
	CHECK_INT(perun_object_read(help_ctx, store, checksum, false, &object), PERUN_INPUT);
	CHECK_CONTAINS(help_error(), why);
}

TEST(test_bad_objects)
{
	struct perun_store *store = help_store("bad-objects");
	char big[3000], checksum[PERUN_CHECKSUM_SIZE];
	struct perun_object object;

	check_bad_object(store, "", 0, "header");
	check_bad_object(store, "profile time 2{}", 16, "header");
	check_bad_object(store, "profile time\0{}", 15, "header");
	check_bad_object(store, "profile time x\0{}", 17, "header");
	check_bad_object(store, "profil time 2\0{}", 16, "header");
	check_bad_object(store, "profile time 3\0{}", 17, "length");
	check_bad_object(store, "profile time 0\0{}", 17, "more bytes");
	check_bad_object(store, "profile time 9999999999\0{}", 26, "can hold");
	check_bad_object(store, "profile time 999999999999999999999999\0{}", 40, "header");
	check_bad_object(store, "attachment a b 1\0{}", 19, "more bytes");
	memset(big, 'x', sizeof big);
	check_bad_object(store, big, sizeof big, "header");
	help_profile_object(store, "time", BODY, checksum);
	help_text(help_object_path(store, checksum, ""), "no zlib");
	CHECK_INT(perun_object_read(help_ctx, store, checksum, true, &object), PERUN_INPUT);
	CHECK_CONTAINS(help_error(), "damaged: incorrect header check");
	help_text(help_object_path(store, checksum, ""), "x");
	CHECK_INT(perun_object_read(help_ctx, store, checksum, true, &object), PERUN_INPUT);
	CHECK_CONTAINS(help_error(), "ends too early");
	help_text(help_object_path(store, checksum, ""), "");
	CHECK_INT(perun_object_read(help_ctx, store, checksum, true, &object), PERUN_INPUT);
	CHECK_CONTAINS(help_error(), "damaged: it is empty");
	perun_store_close(store);
}

/* Each bit of an object turned: an error, or the very same content. */
TEST(test_flipped_objects)
{
	struct perun_store *store = help_store("flipped-objects");
	char checksum[PERUN_CHECKSUM_SIZE];
	const char *path;
	size_t size, harmless = 0;
	char *data;

	help_profile_object(store, "time", BODY, checksum);
	path = help_object_path(store, checksum, "");
	data = help_read(path, &size);
	REQUIRE(data);
	for (size_t bit = 0; bit < size * 8; bit++) {
		size_t length;
		char *text;

		data[bit / 8] ^= (char)(1 << bit % 8);
		help_write(path, data, size);
		if (perun_store_load_text(help_ctx, store, checksum, &text, &length) == PERUN_OK) {
			CHECK_STR(text, BODY);
			perun_free(text);
			harmless++;
		}
		perun_ctx_clear(help_ctx);
		data[bit / 8] ^= (char)(1 << bit % 8);
	}
	CHECK(harmless <= 8); /* the last bits of the stream are padding */
	help_write(path, data, size);
	for (size_t cut = 0; cut < size; cut++) {
		struct perun_object object;

		help_write(path, data, cut);
		CHECK_INT(perun_object_read(help_ctx, store, checksum, false, &object),
			  PERUN_INPUT);
		perun_ctx_clear(help_ctx);
	}
	free(data);
	perun_store_close(store);
}

/* ---- entries --------------------------------------------------------------------------------- */

TEST(test_entries)
{
	struct perun_store *store = help_store("entries");
	struct perun_buffer bytes = {0};
	struct perun_entries entries;
	char checksum[PERUN_CHECKSUM_SIZE], directory[300];

	CHECK_INT(perun_store_entries(help_ctx, store, MINOR, &entries), PERUN_OK);
	CHECK_INT(entries.count, 0);
	CHECK(!perun_store_has_index(help_ctx, store, MINOR));
	perun_entries_free(&entries);
	CHECK_INT(perun_store_entries(help_ctx, store, "HEAD", &entries), PERUN_USAGE);
	help_error();
	help_profile_object(store, "time", BODY, checksum);
	snprintf(directory, sizeof directory, "%s/objects/01", perun_store_path(store));
	mkdir(directory, 0777);
	/* Version 1: the texts come from the object. */
	put_index(&bytes, 1, checksum, "p.perf", NULL, 0);
	help_write(help_object_path(store, MINOR, ""), bytes.data, bytes.length);
	CHECK_INT(perun_store_entries(help_ctx, store, MINOR, &entries), PERUN_OK);
	REQUIRE(entries.count == 1);
	CHECK_STR(entries.items[0].type, "time");
	CHECK_STR(entries.items[0].cmd, "app");
	CHECK_STR(entries.items[0].args, "-x");
	CHECK_STR(entries.items[0].collector, "time");
	CHECK_STR(entries.items[0].postprocessors, "a b");
	perun_entries_free(&entries);
	perun_names_forget(store);
	CHECK(perun_store_has_index(help_ctx, store, MINOR));
	CHECK(!perun_store_has_index(help_ctx, store,
				     "01"
				     "11111111111111111111111111111111111111"));
	unlink(help_object_path(store, checksum, ""));
	CHECK_INT(perun_store_entries(help_ctx, store, MINOR, &entries), PERUN_INPUT);
	CHECK_CONTAINS(help_error(), "p.perf: object");
	perun_buffer_free(&bytes);
	perun_store_close(store);
}

static void append(struct perun_entries *entries, const char *path, uint32_t time, const char *cmd)
{
	struct perun_entry made = entry(path, time);

	made.cmd = cmd;
	perun_entries_append(entries, &made);
}

TEST(test_sort)
{
	struct perun_store *store = help_store("sort");
	struct perun_entries entries;

	perun_entries_start(&entries);
	append(&entries, "a", 5, "x");
	append(&entries, "b", 7, "z");
	append(&entries, "c", 5, "y");
	CHECK_INT(perun_store_sort(help_ctx, store, &entries, NULL), PERUN_OK);
	CHECK_STR(entries.items[0].path, "b");
	CHECK_STR(entries.items[1].path, "a");
	CHECK_STR(entries.items[2].path, "c");
	CHECK_INT(perun_store_sort(help_ctx, store, &entries, "cmd"), PERUN_OK);
	CHECK_STR(entries.items[1].path, "c");
	CHECK_INT(perun_store_sort(help_ctx, store, &entries, "colour"), PERUN_USAGE);
	CHECK_CONTAINS(help_error(), "choose one of");
	perun_entries_free(&entries);
	perun_store_close(store);
}

/* ---- changes --------------------------------------------------------------------------------- */

#define LINE1                                                                                     \
	"L::insert(int) PerformanceChange.Optimization - quadratic quadratic -0.67 r_square 1.0 " \
	"0.0 " MINOR " ./bin/app input.txt"
#define LINE2 "a b c PerformanceChange.Degradation quadratic  1ms 2ms 2.5 no 0 0.0 " MINOR " app"

TEST(test_changes)
{
	struct perun_store *store = help_store("changes");
	struct perun_stored_changes changes;
	const struct perun_change change = {.struct_size = sizeof change,
					    .result = PERUN_RESULT_MAYBE_DEGRADATION,
					    .location = "L::insert(int)",
					    .type = "-",
					    .from_baseline = "10 ms",
					    .to_target = "",
					    .rate = 1e-05,
					    .confidence_type = "r_square",
					    .confidence_rate = 0.5};
	const struct perun_stored_change more = {sizeof more, &change, MINOR,
						 "./bin/app input.txt"};
	const struct perun_stored_change *const added = &more;
	char directory[300], *text;
	size_t size;

	snprintf(directory, sizeof directory, "%s/objects/01", perun_store_path(store));
	mkdir(directory, 0777);
	help_text(help_object_path(store, MINOR, ".changes"), LINE1 "\n" LINE2 "\nrubbish");
	CHECK_INT(perun_store_changes(help_ctx, store, MINOR, &changes), PERUN_OK);
	REQUIRE(changes.count == 2);
	CHECK_STR(changes.items[0].change->location, "L::insert(int)");
	CHECK_DOUBLE(changes.items[0].change->rate, -0.67, 0);
	CHECK_STR(changes.items[0].command, "./bin/app input.txt");
	CHECK_STR(changes.items[1].change->location, "a b c");
	CHECK_STR(changes.items[1].change->type, "quadratic");
	CHECK_STR(changes.items[1].change->from_baseline, "1ms");
	CHECK_STR(changes.items[1].minor, MINOR);
	CHECK_CONTAINS(help_warnings, "1 lines of the changes");
	perun_stored_changes_free(&changes);
	CHECK_INT(perun_store_save_changes(help_ctx, store, MINOR, &added, 1), PERUN_OK);
	text = help_read(help_object_path(store, MINOR, ".changes"), &size);
	CHECK_STR(text,
		  "L::insert(int) PerformanceChange.MaybeDegradation - 10_ms - 1e-05 r_square "
		  "0.5 0.0 " MINOR " ./bin/app input.txt\n" LINE2 "\nrubbish");
	free(text);
	perun_store_close(store);
}

TEST(test_empty_changes)
{
	struct perun_store *store = help_store("no-changes");
	struct perun_stored_changes changes;

	CHECK_INT(perun_store_changes(help_ctx, store, MINOR, &changes), PERUN_OK);
	CHECK_INT(changes.count, 0);
	perun_stored_changes_free(&changes);
	CHECK_INT(perun_store_save_changes(help_ctx, store, MINOR, NULL, 0), PERUN_OK);
	CHECK(access(help_object_path(store, MINOR, ".changes"), F_OK) == 0);
	perun_store_close(store);
}

/* ---- finding --------------------------------------------------------------------------------- */

TEST(test_find)
{
	static const char *const words[] = {[PERUN_ADVICE_INIT] = "; make one"};
	struct perun_store *store = help_store("find"), *found;

	mkdir("find/sub", 0777);
	CHECK_INT(perun_store_find(help_ctx, "find/sub", &found), PERUN_OK);
	REQUIRE(found);
	CHECK_STR(perun_store_root(found), perun_store_root(store));
	CHECK_CONTAINS(perun_store_path(found), "/find/.perun");
	perun_store_close(found);
	CHECK_INT(perun_store_find(help_ctx, "/", &found), PERUN_OK);
	CHECK(found == NULL);
	CHECK_INT(perun_store_open(help_ctx, "/", &found), PERUN_USAGE);
	CHECK_STR(help_error(), "there is no .perun in / or above");
	/* What helps, the host says. */
	perun_advice_set(words, PERUN_ADVICE_INIT + 1);
	CHECK_INT(perun_store_open(help_ctx, "/", &found), PERUN_USAGE);
	CHECK_CONTAINS(help_error(), "there is no .perun in / or above; make one");
	CHECK_STR(perun_advice(PERUN_ADVICE_STATUS), "");
	perun_advice_set(NULL, 0);
	/* Initializing again keeps what is there. */
	help_text("find/.perun/local.yml", "a: 1\n");
	CHECK_INT(perun_store_init(help_ctx, "find", "b: 2\n", &found), PERUN_OK);
	perun_store_close(found);
	size_t size;
	char *text = help_read("find/.perun/local.yml", &size);
	CHECK_STR(text, "a: 1\n");
	free(text);
	perun_store_close(store);
}

CHECK_MAIN(help_begin(), help_end())
