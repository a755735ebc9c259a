/* SPDX-License-Identifier: BSD-3-Clause */
/* Adding and removing profiles, pending ones, checking and cleaning a store. */
#include <errno.h>
#include <time.h>

#include <perun/format.h>
#include <perun/json.h>

#include "core/store/pack.h"
#include "core/store/plain.h"
#include "tests/unit/store-help.h"

static const struct perun_add_options keep = {.struct_size = sizeof keep, .keep = true},
				      move = {.struct_size = sizeof move, .move = true};

/* A profile of one resource; `number` makes it different from others. */
static char *profile_text(int number, const char *origin)
{
	char *start = origin ? perun_format("\"origin\": \"%s\", ", origin) : perun_strdup("");
	char *text = perun_format(
		"{%s\"header\": {\"type\": \"time\", \"cmd\": \"app\", \"workload\": \"w%d\", "
		"\"units\": {\"time\": \"s\"}}, \"collector_info\": {\"name\": \"time\", "
		"\"params\": {}}, \"postprocessors\": [], \"resources\": {\"x#0\": {\"amount\": "
		"[%d, 0.5]}}, \"resource_type_map\": {\"x#0\": {\"type\": \"time\", \"uid\": "
		"\"x\"}}, \"models\": []}",
		start, number, number);

	perun_free(start);
	return text;
}

static void write_profile(const char *path, int number, const char *origin, time_t time)
{
	char *text = profile_text(number, origin);
	struct timespec times[2] = {{time, 0}, {time, 0}};

	help_text(path, text);
	utimensat(AT_FDCWD, path, times, 0);
	perun_free(text);
}

static int add_one(struct perun_store *store, const char *path,
		   const struct perun_add_options *options, struct perun_added *added)
{
	struct perun_additions *results = NULL;
	int status = perun_store_add(help_ctx, store, MINOR, &path, 1, options, &results);

	memset(added, 0, sizeof *added);
	if (results) {
		*added = *perun_additions_at(results, 0);
		added->path = added->error = NULL;
		perun_additions_free(results);
	}
	return status;
}

static struct perun_entries entries_of(struct perun_store *store)
{
	struct perun_entries entries;

	if (perun_store_entries(help_ctx, store, MINOR, &entries))
		CHECK_FAIL("entries: %s", help_error());
	return entries;
}

static bool is_whole(struct perun_store *store)
{
	uint64_t checked;

	if (perun_store_fsck(help_ctx, store, false, NULL, NULL, &checked) == PERUN_OK)
		return true;
	printf("# fsck: %s\n", help_error());
	return false;
}

/* ---- adding ---------------------------------------------------------------------------------- */

TEST(test_add)
{
	struct perun_store *store = help_store("add");
	struct perun_entries entries;
	struct perun_added added;
	char *text;
	size_t length;

	write_profile("one.perf", 1, MINOR, 1700000000);
	CHECK_INT(add_one(store, "one.perf", &move, &added), PERUN_OK);
	CHECK(access("one.perf", F_OK) != 0);
	CHECK(!added.already);
	entries = entries_of(store);
	REQUIRE(entries.count == 1);
	CHECK_STR(entries.items[0].path, "one.perf");
	CHECK_STR(entries.items[0].checksum, added.checksum);
	CHECK_STR(entries.items[0].workload, "w1");
	CHECK_INT(entries.items[0].time, 1700000000);
	perun_entries_free(&entries);
	CHECK_INT(perun_store_load_text(help_ctx, store, added.checksum, &text, &length), PERUN_OK);
	CHECK_STR(text,
		  "{\"resources\": {\"x#0\": {\"amount\": [1, 0.5]}}, \"resource_type_map\": "
		  "{\"x#0\": {\"type\": \"time\", \"uid\": \"x\"}}, \"models\": [], \"header\": "
		  "{\"type\": \"time\", \"cmd\": \"app\", \"workload\": \"w1\", \"units\": "
		  "{\"time\": \"s\"}}, \"collector_info\": {\"name\": \"time\", \"params\": {}}, "
		  "\"postprocessors\": []}");
	perun_free(text);
	/* Once more the same: nothing changes. */
	write_profile("one.perf", 1, MINOR, 1700000000);
	CHECK_INT(add_one(store, "one.perf", &keep, &added), PERUN_OK);
	CHECK(added.already);
	CHECK(access("one.perf", F_OK) == 0);
	/* Another content of the same name and time is not lost. */
	write_profile("one.perf", 2, MINOR, 1700000000);
	CHECK_INT(add_one(store, "one.perf", NULL, &added), PERUN_OK);
	CHECK(access("one.perf", F_OK) == 0);
	CHECK(!added.already);
	entries = entries_of(store);
	CHECK_INT(entries.count, 2);
	perun_entries_free(&entries);
	CHECK(is_whole(store));
	perun_store_close(store);
}

TEST(test_origin)
{
	struct perun_store *store = help_store("origin");
	const struct perun_add_options force = {.struct_size = sizeof force, .force = true};
	struct perun_added added;

	write_profile("o.perf", 1, "ffffffffffffffffffffffffffffffffffffffff", 1700000000);
	CHECK_INT(add_one(store, "o.perf", NULL, &added), PERUN_INPUT);
	CHECK_CONTAINS(help_error(), "cannot add o.perf: it was measured at fffff");
	CHECK(access("o.perf", F_OK) == 0);
	CHECK(access("origin/.perun/objects/01", F_OK) != 0);
	CHECK_INT(add_one(store, "o.perf", &force, &added), PERUN_OK);
	write_profile("p.perf", 1, NULL, 1700000000);
	CHECK_INT(add_one(store, "p.perf", NULL, &added), PERUN_OK);
	perun_store_close(store);
}

/* A vcs with SHA-256 has versions of 64 digits. */
TEST(test_long_names)
{
	const char *const minors[] = {MINOR "89abcdef0123456789abcdef", MINOR "89abcdef"};
	struct perun_store *store = help_store("long");
	struct perun_additions *results = NULL;
	struct perun_entries entries;
	const char *path = "l.perf";

	write_profile(path, 1, minors[0], 1700000000);
	CHECK_INT(perun_store_add(help_ctx, store, minors[0], &path, 1, &keep, &results), PERUN_OK);
	perun_additions_free(results);
	CHECK_INT(perun_store_entries(help_ctx, store, minors[0], &entries), PERUN_OK);
	CHECK_INT(entries.count, 1);
	perun_entries_free(&entries);
	entries = entries_of(store);
	CHECK_INT(entries.count, 0);
	perun_entries_free(&entries);
	CHECK(is_whole(store));
	CHECK_INT(perun_store_add(help_ctx, store, minors[1], &path, 1, &keep, &results),
		  PERUN_USAGE);
	CHECK_CONTAINS(help_error(), "40 or 64 hexadecimal digits");
	perun_store_close(store);
}

TEST(test_some_fail)
{
	struct perun_store *store = help_store("some");
	static const char *const paths[] = {"a.perf", "none.perf", "bad.perf", "b.perf", "a.perf"};
	struct perun_additions *results = NULL;
	struct perun_entries entries;

	write_profile("a.perf", 1, NULL, 1700000000);
	write_profile("b.perf", 2, NULL, 1700000000);
	help_text("bad.perf", "{\"header\": {");
	CHECK_INT(perun_store_add(help_ctx, store, MINOR, paths, 5, &move, &results), PERUN_INPUT);
	CHECK_CONTAINS(help_error(), "cannot add none.perf: cannot open it: No such file");
	REQUIRE(results);
	CHECK_INT(perun_additions_at(results, 0)->status, PERUN_OK);
	CHECK_INT(perun_additions_at(results, 1)->status, PERUN_INPUT);
	CHECK_CONTAINS(perun_additions_at(results, 2)->error, "bad.perf: line 1");
	CHECK_INT(perun_additions_at(results, 3)->status, PERUN_OK);
	CHECK_INT(perun_additions_at(results, 4)->status, PERUN_OK);
	CHECK(perun_additions_at(results, 4)->already != perun_additions_at(results, 0)->already);
	perun_additions_free(results);
	entries = entries_of(store);
	CHECK_INT(entries.count, 2);
	CHECK_STR(entries.items[0].path, "a.perf");
	perun_entries_free(&entries);
	CHECK(access("bad.perf", F_OK) == 0);
	CHECK(access("b.perf", F_OK) != 0);
	CHECK(is_whole(store));
	perun_store_close(store);
}

TEST(test_order_of_many)
{
	struct perun_store *store = help_store("many");
	const char *paths[100];
	struct perun_entries entries;

	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < 100; i++) {
			char *path = perun_format("m%02d.perf", (i * 37) % 100);

			write_profile(path, i, NULL, 1700000000 - round);
			paths[i] = path;
		}
		CHECK_INT(perun_store_add(help_ctx, store, MINOR, paths, 100, NULL, NULL), 0);
		for (int i = 0; i < 100; i++)
			perun_free((char *)paths[i]);
	}
	entries = entries_of(store);
	CHECK_INT(entries.count, 200);
	for (size_t i = 1; i < entries.count; i++) {
		int order = strcmp(entries.items[i - 1].path, entries.items[i].path);

		CHECK(order < 0 ||
		      (order == 0 && entries.items[i - 1].time < entries.items[i].time));
	}
	perun_entries_free(&entries);
	CHECK(is_whole(store));
	perun_store_close(store);
}

/* An object that is there but damaged is written again. */
TEST(test_repair)
{
	struct perun_store *store = help_store("repair");
	struct perun_added added;
	struct perun_object object;

	write_profile("r.perf", 1, NULL, 1700000000);
	CHECK_INT(add_one(store, "r.perf", &keep, &added), PERUN_OK);
	help_text(help_object_path(store, added.checksum, ""), "damaged");
	CHECK(!is_whole(store));
	CHECK_INT(add_one(store, "r.perf", &keep, &added), PERUN_OK);
	CHECK_CONTAINS(help_warnings, "written again");
	CHECK_INT(perun_object_read(help_ctx, store, added.checksum, false, &object), PERUN_OK);
	perun_object_free(&object);
	CHECK(is_whole(store));
	perun_store_close(store);
}

TEST(test_remove)
{
	struct perun_store *store = help_store("remove");
	struct perun_entries entries;
	const struct perun_entry *first;
	struct perun_added added;
	size_t size;
	char *index;

	write_profile("a.perf", 1, NULL, 1700000000);
	CHECK_INT(add_one(store, "a.perf", NULL, &added), PERUN_OK);
	entries = entries_of(store);
	first = perun_entries_at(&entries, 0);
	CHECK_INT(perun_store_remove(help_ctx, store, MINOR, &first, 1), PERUN_OK);
	CHECK_INT(perun_store_remove(help_ctx, store, MINOR, &first, 1), PERUN_USAGE);
	CHECK_CONTAINS(help_error(), "a.perf is not registered with " MINOR);
	perun_entries_free(&entries);
	index = help_read(help_object_path(store, MINOR, ""), &size);
	CHECK_INT(size, 12);
	free(index);
	CHECK(is_whole(store));
	perun_store_close(store);
}

/* ---- packing --------------------------------------------------------------------------------- */

#define PACKED_LIMIT 10000000

static void write_pieces(const struct perun_store *store, const char *checksum,
			 const struct perun_piece *pieces, size_t count)
{
	char directory[300];
	FILE *file;

	snprintf(directory, sizeof directory, "%s/objects/%.2s", perun_store_path(store), checksum);
	mkdir(directory, 0777);
	file = fopen(help_object_path(store, checksum, ""), "w");
	setvbuf(file, NULL, _IONBF, 0);
	for (size_t i = 0; i < count; i++) {
		if (pieces[i].data)
			fwrite(pieces[i].data, 1, pieces[i].size, file);
		else
			CHECK_INT(perun_copy_all(pieces[i].fd, fileno(file), pieces[i].size), 0);
	}
	fclose(file);
}

/* A body that is packed comes back as it was. */
static void check_packing(struct perun_store *store, struct perun_packer *packer, const char *data,
			  size_t size)
{
	struct perun_piece pieces[PERUN_PACKED_PIECES];
	char checksum[PERUN_CHECKSUM_SIZE];
	struct perun_object object;
	size_t at = 0;

	perun_packer_start(packer);
	while (at < size) {
		size_t part = (at * 7 + 1) % 70000 + 1;

		if (part > size - at)
			part = size - at;
		perun_packer_add(help_ctx, packer, data + at, part);
		at += part;
	}
	CHECK_INT(perun_packer_name(help_ctx, packer, PERUN_OBJECT_PROFILE, "time", checksum),
		  PERUN_OK);
	write_pieces(store, checksum, pieces, perun_packer_pack(packer, pieces));
	if (perun_object_read(help_ctx, store, checksum, true, &object)) {
		CHECK_FAIL("%zu bytes: %s", size, help_error());
		return;
	}
	CHECK(object.length == size && memcmp(object.body, data, size) == 0);
	perun_object_free(&object);
}

/* Bodies around the sizes at which the packer changes its ways. */
TEST(test_packing)
{
	static const size_t sizes[] = {0,
				       1,
				       100000,
				       (1 << 20) - 1,
				       1 << 20,
				       (1 << 20) + 1,
				       (4 << 20),
				       (4 << 20) + 1,
				       PACKED_LIMIT - 1};
	struct perun_store *store = help_store("packing");
	struct perun_packer *packer = perun_packer_new(store, false);
	char *data = malloc(PACKED_LIMIT);

	for (size_t i = 0; i < PACKED_LIMIT; i++)
		data[i] = (char)(' ' + (i * i / 7 + i / 3000) % 90);
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
		check_packing(store, packer, data, sizes[i]);
	perun_packer_free(packer);
	free(data);
	perun_store_close(store);
}

/* Of thousands small ones share their codes, whatever the one was like that these were made for. */
TEST(test_packing_many)
{
	struct perun_store *store = help_store("many");
	struct perun_packer *packer = perun_packer_new(store, true);
	char data[5000];

	for (unsigned i = 0; i < 600; i++) {
		uint32_t random = i + 1;

		for (size_t j = 0; j < sizeof data; j++) {
			random = random * 1103515245 + 12345;
			/* One letter, few, all bytes. */
			data[j] = (char)(i % 3 == 0   ? 'a'
					 : i % 3 == 1 ? 'a' + (random >> 28)
						      : random >> 24);
		}
		check_packing(store, packer, data, i < 500 ? i * 7 : 3900 + i);
	}
	perun_packer_free(packer);
	perun_store_close(store);
}

/* ---- the short way of plain profiles --------------------------------------------------------- */

/* What the format's own reader and writer make of a text; false when they refuse it. */
static bool store_slowly(const char *text, size_t length, struct perun_buffer *out)
{
	static const char *const stored[] = {"stored=yes", NULL};
	struct perun_input *input = perun_input_from_memory("t.perf", text, length);
	struct perun_output *output = perun_output_to_buffer(out);
	struct perun_profile *profile = NULL;
	int status = perun_read_profile(help_ctx, input, "perun", NULL, &profile, NULL);

	perun_buffer_clear(out);
	if (!status)
		status = perun_write_profile(help_ctx, profile, "perun", stored, output);
	perun_profile_unref(profile);
	perun_output_close(output);
	perun_input_close(input);
	perun_ctx_clear(help_ctx);
	return status == PERUN_OK;
}

/* 1 when the short way takes it and gives the same, 0 when it leaves it to the other. */
static int compare_ways(struct perun_plain *plain, const char *text, size_t length)
{
	struct perun_buffer slow = {0};
	const struct perun_buffer *body;
	struct perun_facts facts;
	const char *origin;
	int took = perun_plain_read(plain, text, length, &body, &facts, &origin);

	if (took) {
		if (!store_slowly(text, length, &slow))
			CHECK_FAIL("only the short way takes: %.*s", (int)length, text);
		else if (slow.length != body->length ||
			 memcmp(slow.data, body->data, body->length) != 0)
			CHECK_FAIL("of %.*s\n# short: %s\n# slow:  %s", (int)length, text,
				   body->data, slow.data);
		perun_facts_free(&facts);
	}
	perun_buffer_free(&slow);
	return took;
}

#define HEAD                                                                          \
	"\"header\": {\"type\": \"time\", \"cmd\": \"\\u00e9\", \"workload\": 1E5}, " \
	"\"collector_info\": {\"name\": \"c\", \"params\": {\"x\": [NaN, -0]}}, "     \
	"\"postprocessors\": [{\"name\": \"p\"}]"

TEST(test_plain)
{
	static const char *const taken[] = {
		"{" HEAD ", \"resources\": {\"x#0\": {\"amount\": [1, 0.50, 1e3]}}, "
		"\"resource_type_map\": {\"x#0\": {\"type\": \"time\", \"uid\": {\"function\": "
		"\"f\", \"line\": 3}}}, \"models\": [], \"origin\": \"abc\"}",
		"{\"machine\": {\"b\": 1, \"a\": null}, \"resource_type_map\": {\"\\u00e9#0\": "
		"{\"uid\": \"\\u00e9\"}, \"b#0\": {\"uid\": \"b\", \"trace\": [{\"f\": 1}]}}, "
		"\"models\": [], \"resources\": {\"\xc3\xa9#0\": {\"order\": [1, 2], \"amount\": "
		"[12345678901234567890123, -0.0]}, \"b#0\": {\"amount\": [7]}}, " HEAD "}",
		"{" HEAD ", \"resources\": {}, \"resource_type_map\": {}, \"models\": []}",
	};
	static const char characters[] = "{}[]\",: 0123456789.-+eEabcuNn\\\0\x80";
	struct perun_plain *plain = perun_plain_new();
	uint64_t random = 1;
	unsigned long took = 0;

	for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
		CHECK(compare_ways(plain, taken[i], strlen(taken[i])));
	/* Damaged in every way: whatever is still taken must come out the same. */
	for (int round = 0; round < 20000 && !check_bad; round++) {
		char *text = perun_strdup(taken[round % 2]);
		size_t length = strlen(text);

		for (int change = 0; change <= round % 3; change++) {
			random = random * 6364136223846793005U + 1442695040888963407U;
			size_t at = (random >> 33) % length, from = (random >> 20) % length;
			size_t part = (random >> 50) % 8, room = length - (at > from ? at : from);

			if (random >> 62 == 0)
				memmove(text + at, text + from, part < room ? part : room);
			else
				text[at] = characters[(random >> 40) % (sizeof characters - 1)];
		}
		took += (unsigned long)compare_ways(plain, text, length);
		perun_free(text);
	}
	CHECK(took > 500);
	perun_plain_free(plain);
}

/* ---- pending --------------------------------------------------------------------------------- */

static struct perun_profile *read_one(int number)
{
	struct perun_profile *profile = NULL;
	char *text = profile_text(number, MINOR);
	struct perun_input *input = perun_input_from_memory("t.perf", text, strlen(text));

	if (perun_read_profile(help_ctx, input, "perun", NULL, &profile, NULL))
		CHECK_FAIL("%s", help_error());
	perun_input_close(input);
	perun_free(text);
	return profile;
}

TEST(test_pending)
{
	struct perun_store *store = help_store("pending");
	struct perun_profile *profile = read_one(7), *loaded;
	const struct perun_entry *two[2];
	struct perun_entries entries;
	char *paths[2], *name;
	struct stat before, after;

	name = perun_expand_template(profile,
				     "%collector%-%cmd%-%workload%-%type%-%x%-%time.no%-"
				     "%postprocessors%-%counter%",
				     3);
	CHECK_STR(name, "time-[app]-[w7]-time-%x%-_-_-3.perf");
	perun_free(name);
	for (int i = 0; i < 2; i++)
		CHECK_INT(perun_store_save_pending(help_ctx, store, profile, "%cmd%", &paths[i]),
			  0);
	CHECK_CONTAINS(paths[0], "/pending/.perun/jobs/[app].perf");
	CHECK_CONTAINS(paths[1], "/pending/.perun/jobs/[app]-1.perf");
	help_text("pending/.perun/jobs/broken.perf", "{");
	write_profile("pending/.perun/jobs/by-hand.perf", 9, NULL, 1700000000);
	stat("pending/.perun/jobs/.index", &before);
	CHECK_INT(perun_store_pending(help_ctx, store, &entries), PERUN_OK);
	stat("pending/.perun/jobs/.index", &after);
	CHECK(before.st_ino == after.st_ino);
	REQUIRE(entries.count == 3);
	CHECK_STR(entries.items[0].path, "[app]-1.perf");
	CHECK_STR(entries.items[2].path, "by-hand.perf");
	CHECK_STR(entries.items[2].workload, "w9");
	CHECK_CONTAINS(help_warnings, "pending profile left out: ");
	CHECK_INT(perun_store_load_pending(help_ctx, store, "by-hand.perf", &loaded), PERUN_OK);
	perun_profile_unref(loaded);
	CHECK_INT(perun_store_load_pending(help_ctx, store, "../local.yml", &loaded), PERUN_USAGE);
	help_error();
	two[0] = perun_entries_at(&entries, 0);
	two[1] = perun_entries_at(&entries, 1);
	CHECK_INT(perun_store_remove_pending(help_ctx, store, two, 2), PERUN_OK);
	perun_entries_free(&entries);
	CHECK_INT(perun_store_pending(help_ctx, store, &entries), PERUN_OK);
	CHECK_INT(entries.count, 1);
	perun_entries_free(&entries);
	CHECK(is_whole(store));
	perun_free(paths[0]);
	perun_free(paths[1]);
	perun_profile_unref(profile);
	perun_store_close(store);
}

/* ---- other programs -------------------------------------------------------------------------- */

static void rewrite(const char *path, size_t at, char with, const struct timespec *time)
{
	size_t size;
	char *data = help_read(path, &size);

	if (!data || at >= size) {
		CHECK_FAIL("cannot change %s", path);
		free(data);
		return;
	}
	data[at] = with;
	help_write(path, data, size);
	if (time)
		utimensat(AT_FDCWD, path, (struct timespec[2]){*time, *time}, 0);
	free(data);
}

TEST(test_foreign_index)
{
	struct perun_store *store = help_store("foreign");
	struct perun_entries entries;
	struct perun_added added;
	const char *index = help_object_path(store, MINOR, "");
	struct stat info;
	size_t size;
	char *data;

	write_profile("a.perf", 1, NULL, 1700000000);
	write_profile("b.perf", 2, NULL, 1700000000);
	CHECK_INT(add_one(store, "a.perf", NULL, &added), PERUN_OK);
	stat(index, &info);
	/* The time of the entry, at the recorded time of the file: damage. */
	rewrite(index, 12, 'x', &info.st_mtim);
	CHECK_INT(perun_store_entries(help_ctx, store, MINOR, &entries), PERUN_INPUT);
	CHECK_CONTAINS(help_error(), "is damaged: its checksum is not the recorded one");
	CHECK(!is_whole(store));
	CHECK_INT(add_one(store, "b.perf", NULL, &added), PERUN_INPUT);
	CHECK_CONTAINS(help_error(), "is damaged");
	/* At another time: some other program. */
	help_warnings[0] = '\0';
	rewrite(index, 12, 'x', NULL);
	CHECK_INT(perun_store_entries(help_ctx, store, MINOR, &entries), PERUN_OK);
	perun_entries_free(&entries);
	CHECK_CONTAINS(help_warnings, "was changed by another program");
	CHECK(!is_whole(store)); /* the same size: it may be damage as well */
	/* The type of the entry is not that of its object. */
	data = help_read(index, &size);
	rewrite(index, 12 + 24 + 7 + 4, 'x', NULL);
	CHECK_INT(perun_store_entries(help_ctx, store, MINOR, &entries), PERUN_INPUT);
	CHECK_CONTAINS(help_error(), "the index says type xime");
	help_write(index, data, size);
	free(data);
	/* The next write takes it over. */
	CHECK_INT(add_one(store, "b.perf", NULL, &added), PERUN_OK);
	help_warnings[0] = '\0';
	entries = entries_of(store);
	CHECK_INT(entries.count, 2);
	CHECK_STR(help_warnings, "");
	perun_entries_free(&entries);
	CHECK(is_whole(store));
	perun_store_close(store);
}

CHECK_MAIN(help_begin(), help_end())
