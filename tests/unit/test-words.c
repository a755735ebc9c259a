/* SPDX-License-Identifier: BSD-3-Clause */
/* Splitting command lines; the note of the machine. */
#include <config.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <perun/collect.h>
#include <perun/json.h>
#include <perun/lib/program.h>
#include <perun/machine.h>

#include "core/job/machine-gpu.h"
#include "core/job/program.h"
#include "tests/unit/check.h"

/* The words joined by '|', or the error. */
static char *split(const char *text)
{
	struct perun_ctx *ctx = perun_ctx_new(NULL);
	struct perun_words words = {0};
	struct perun_buffer joined = {0};

	if (perun_split_words(ctx, text, &words) != PERUN_OK)
		perun_buffer_printf(&joined, "error: %s", perun_ctx_error(ctx));
	else
		for (size_t i = 0; i < words.count; i++)
			perun_buffer_printf(&joined, "%s%s", i ? "|" : "", words.items[i]);
	perun_words_free(&words);
	perun_ctx_free(ctx);
	return perun_buffer_take(&joined);
}

TEST(test_split)
{
	static const char *const cases[][2] = {
		{"", ""},
		{"  \t ", ""},
		{"ls -al /", "ls|-al|/"},
		{"a  'b c' \"d e\"", "a|b c|d e"},
		{"a'b'\"c\"d", "abcd"},
		{"''", ""},
		{"a '' b", "a||b"},
		{"a\\ b c\\\\", "a b|c\\"},
		{"'a\\b' \"a\\b\" \"a\\\"b\"", "a\\b|a\\b|a\"b"},
		{"$HOME `x` *.c", "$HOME|`x`|*.c"},
		{"'open", "error: a quote is not closed in: 'open"},
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char *got = split(cases[i][0]);

		CHECK_STR(got, cases[i][1]);
		perun_free(got);
	}
}

TEST(test_empty_word_counts)
{
	struct perun_words words = {0};

	CHECK_INT(perun_split_words(NULL, "''", &words), PERUN_OK);
	CHECK_INT(words.count, 1);
	CHECK_STR(words.items[0], "");
	CHECK(words.items[1] == NULL);
	perun_words_free(&words);
}

TEST(test_machine)
{
	struct perun_json *machine = perun_machine_document();
	int64_t physical = 0, total = 0;

	CHECK_STR(perun_json_as_string(perun_json_get(machine, "system"), NULL), "Linux");
	CHECK(perun_json_as_string(perun_json_get(machine, "architecture"), NULL) != NULL);
	CHECK(perun_json_as_int64(perun_json_path(machine, "/cpu/physical"), &physical));
	CHECK(perun_json_as_int64(perun_json_path(machine, "/cpu/total"), &total));
	CHECK(physical >= 1 && physical <= total);
	CHECK_CONTAINS(perun_json_as_string(perun_json_path(machine, "/memory/total_ram"), NULL),
		       "iB");
	perun_json_free(machine);
}

/* The program's own build: whatever it is, it says something, and damaged files tell nothing. */
TEST(test_program)
{
	static unsigned char image[70000];
	FILE *own = fopen("/proc/self/exe", "r"), *copy;
	size_t size = fread(image, 1, sizeof image, own);
	struct perun_json *machine = perun_json_object();
	char folder[] = "/tmp/perun-test-XXXXXX", *path;

	perun_describe_program("/proc/self/exe", "/", machine);
	CHECK(perun_json_get(machine, "linking") != NULL);
	CHECK_INT(perun_json_type(perun_json_get(machine, "libraries")), PERUN_JSON_TYPE_ARRAY);
	fclose(own);
	CHECK(mkdtemp(folder) != NULL);
	path = perun_format("%s/broken", folder);
	for (size_t i = 0; i < 400; i++) {
		size_t at = i % 200, kept = i < 200 ? size : at;
		unsigned char before = image[at];

		image[at] ^= (unsigned char)(1 + i * 37);
		copy = fopen(path, "w");
		fwrite(image, 1, kept, copy);
		fclose(copy);
		image[at] = before;
		perun_describe_program("./broken", folder, machine);
	}
	unlink(path);
	rmdir(folder);
	perun_free(path);
	perun_json_free(machine);
	machine = perun_json_object();
	perun_describe_program("/etc/passwd", "/", machine);
	perun_describe_program("no-such-program", "/", machine);
	perun_describe_program("/dev", "/", machine);
	CHECK_INT(perun_json_count(machine), 0);
	perun_json_free(machine);
}

static struct perun_profile *profile_on(const char *machine)
{
	struct perun_builder *builder = perun_builder_new();
	struct perun_json *document = perun_builder_document(builder), *note = NULL;
	struct perun_profile *profile = NULL;

	CHECK_INT(perun_json_parse(NULL, machine, strlen(machine), NULL, &note), PERUN_OK);
	perun_json_set(document, "machine", note);
	CHECK_INT(perun_builder_finish(NULL, builder, &profile), PERUN_OK);
	return profile;
}

/* What differs, or "" */
static void check_difference(const char *one, const char *other, const char *wanted)
{
	struct perun_profile *profiles[] = {profile_on(one), profile_on(other)};
	char *difference = perun_machine_difference(profiles[0], profiles[1]);

	CHECK_STR(difference ? difference : "", wanted);
	perun_free(difference);
	perun_profile_unref(profiles[0]);
	perun_profile_unref(profiles[1]);
}

TEST(test_machine_classes)
{
	check_difference("{}", "{\"architecture\": \"x\"}", "");
	check_difference("{\"architecture\": \"y\"}", "{\"architecture\": \"x\"}",
			 "architecture 'y' and 'x'");
	check_difference("{\"cpu\": {\"total\": 2}}", "{\"cpu\": {\"total\": 16}}",
			 "number of processors '2' and '16'");
	check_difference("{\"cpu\": {\"frequency\": \"1Mhz\"}}",
			 "{\"cpu\": {\"frequency\": \"2Mhz\"}}", "");
	check_difference("{\"memory\": {\"total_ram\": \"1000.0 MiB\"}}",
			 "{\"memory\": {\"total_ram\": \"1.0 GiB\"}}", "");
	check_difference("{\"memory\": {\"total_ram\": \"lots\"}}",
			 "{\"memory\": {\"total_ram\": \"1.0 GiB\"}}", "");
	check_difference("{\"memory\": {\"total_ram\": \"16.0 GiB\"}}",
			 "{\"memory\": {\"total_ram\": \"11.9 GiB\"}}",
			 "size of memory '16.0 GiB' and '11.9 GiB'");
	check_difference("{\"virtualization\": \"kvm\"}", "{\"virtualization\": \"none\"}",
			 "virtualization 'kvm' and 'none'");
}

/* ---- graphics processors ------------------------------------------------------------------------- */

static void check_gpus(const char *root, const char *wanted)
{
	char *found = machine_gpus(root);

	CHECK_STR(found ? found : "unknown", wanted);
	perun_free(found);
}

/* Write a file of a stand-in for /proc and /sys. */
static void put(const char *root, const char *name, const char *text)
{
	char *command = perun_format("mkdir -p \"$(dirname '%s/%s')\"", root, name);
	char *path = perun_format("%s/%s", root, name);
	FILE *file;

	CHECK(system(command) == 0);
	file = fopen(path, "w");
	CHECK(file && fputs(text, file) >= 0 && fclose(file) == 0);
	perun_free(command);
	perun_free(path);
}

TEST(test_gpus)
{
	static const char *const information =
		"Model: \t\t NVIDIA A100-SXM4-40GB\nIRQ:   \t\t 184\nGPU UUID: \t GPU-1\n";
	char root[] = "/tmp/perun-gpus.XXXXXX", *command;

	CHECK(mkdtemp(root));
	check_gpus(root, "unknown");
	/* What a server shows its console with does not compute; a connector is no card. */
	put(root, "sys/class/drm/card0/device/vendor", "0x1a03\n");
	put(root, "sys/class/drm/card0/device/device", "0x2000\n");
	put(root, "sys/class/drm/card1-HDMI-A-1/device/vendor", "0x1002\n");
	put(root, "sys/class/drm/version", "drm 1.1.0\n");
	check_gpus(root, "none");
	put(root, "sys/class/drm/card1/device/vendor", "0x10de\n");
	put(root, "sys/class/drm/card1/device/device", "0x20b0\n");
	check_gpus(root, "NVIDIA 0x20b0");
	/* Its own driver says more, of each one. */
	put(root, "proc/driver/nvidia/gpus/0000:01:00.0/information", information);
	put(root, "proc/driver/nvidia/gpus/0000:02:00.0/information", information);
	check_gpus(root, "2 x NVIDIA A100-SXM4-40GB");
	put(root, "sys/class/drm/card2/device/vendor", "0x1002\n");
	put(root, "sys/class/drm/card2/device/product_name", "Instinct MI210\n");
	put(root, "sys/class/drm/card3/device/vendor", "0x8086\n");
	put(root, "sys/class/drm/card3/device/device", "0x56c0\n");
	check_gpus(root, "Instinct MI210, Intel 0x56c0, 2 x NVIDIA A100-SXM4-40GB");
	command = perun_format("rm -rf '%s'", root);
	CHECK(system(command) == 0);
	perun_free(command);
	check_difference("{\"gpu\": \"none\"}", "{\"gpu\": \"2 x A100\"}",
			 "graphics processors 'none' and '2 x A100'");
	check_difference("{\"gres\": \"gpu:1\"}", "{\"gres\": \"gpu:4\"}",
			 "generic resources 'gpu:1' and 'gpu:4'");
	check_difference("{}", "{\"gpu\": \"2 x A100\"}", "");
}

CHECK_MAIN(, )
