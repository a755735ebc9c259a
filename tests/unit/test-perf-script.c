/* SPDX-License-Identifier: BSD-3-Clause */
/* The format perf-script: the fields that perf prints, stacks, and what is refused. */
#include <perun/format.h>

#include "check.h"

static struct perun_ctx *ctx;

static struct perun_profile *read_text(const char *text)
{
	struct perun_input *input = perun_input_from_memory("x.txt", text, strlen(text));
	struct perun_profile *profile;

	perun_read_profile(ctx, input, NULL, NULL, &profile, NULL);
	perun_input_close(input);
	return profile;
}

/* The rows as lines of "column=value" of those columns that are there. */
static void check_rows(const char *text, const char *expected)
{
	struct perun_profile *profile = read_text(text);
	struct perun_buffer rows = {0};
	const struct perun_table *table;

	if (!profile) {
		CHECK_FAIL("%s", perun_ctx_error(ctx));
		perun_ctx_clear(ctx);
		return;
	}
	table = perun_resources(profile);
	for (size_t row = 0; row < perun_table_rows(table); row++) {
		for (size_t i = 0; i < perun_table_columns(table); i++) {
			const struct perun_column *column = perun_table_column_at(table, i);

			if (perun_column_absent(column, row))
				continue;
			perun_buffer_printf(&rows, "%s=", perun_column_info(column)->name);
			perun_column_print(column, row, &rows);
			perun_buffer_add_char(&rows, ' ');
		}
		perun_buffer_add_char(&rows, '\n');
	}
	perun_buffer_add(&rows, "", 1);
	CHECK_STR(rows.data, expected);
	perun_buffer_free(&rows);
	perun_profile_unref(profile);
}

static void check_refused(const char *text, const char *expected)
{
	struct perun_profile *profile = read_text(text);

	CHECK(profile == NULL);
	CHECK_CONTAINS(perun_ctx_error(ctx), expected);
	perun_ctx_clear(ctx);
	perun_profile_unref(profile);
}

#define STACK                                                                                   \
	"\t   55d0 inner+0x1f (/bin/a b)\n\t 7fff1 [unknown] ([unknown])\n\t  10 main (/bin/x " \
	"(deleted))\n\n"

TEST(test_fields)
{
	check_rows("sh 12/34 [003] 1.5:   250000 cpu-clock:u: \n" STACK,
		   "stack=main;0x7fff1;inner labels=comm=sh,pid=12,tid=34,cpu=3 time=1500000000 "
		   "cpu-clock:u=250000 \n");
	check_rows("my 1 thread 34 12.000001: cycles:\n" STACK,
		   "stack=main;0x7fff1;inner labels=comm=my 1 thread,tid=34 time=12000001000 "
		   "cycles=1 \n");
	check_rows(":7 7 [000] d..2. 1.000000000: sched:sched_switch: prev_comm=a b\n" STACK,
		   "stack=main;0x7fff1;inner labels=comm=:7,tid=7,cpu=0 time=1000000000 "
		   "sched:sched_switch=1 \n");
	check_rows("sh 34 77 cpu/event=0x3c/u:\n" STACK,
		   "stack=main;0x7fff1;inner labels=comm=sh,tid=34 cpu/event=0x3c/u=77 \n");
}

/* What is left when -F names fewer fields, and what other fields add. */
TEST(test_selections)
{
	check_rows("34 1.5:   250000 cpu-clock: \n" STACK,
		   "stack=main;0x7fff1;inner labels=tid=34 time=1500000000 cpu-clock=250000 \n");
	check_rows("1.5:   250000 cpu-clock: \n" STACK,
		   "stack=main;0x7fff1;inner labels= time=1500000000 cpu-clock=250000 \n");
	check_rows("12/34 cpu-clock: \n" STACK,
		   "stack=main;0x7fff1;inner labels=pid=12,tid=34 cpu-clock=1 \n");
	check_rows("   250000 cpu-clock: \n" STACK,
		   "stack=main;0x7fff1;inner labels= cpu-clock=250000 \n");
	check_rows("a b \n" STACK, "stack=main;0x7fff1;inner labels=comm=a b samples=1 \n");
	check_rows("\n" STACK "\n" STACK, "stack=main;0x7fff1;inner labels= samples=1 \n"
					  "stack=main;0x7fff1;inner labels= samples=1 \n");
	check_rows("12 34 5 KU     1.5:   250000 cpu-clock: \n" STACK,
		   "stack=main;0x7fff1;inner labels=comm=12 34,tid=5 time=1500000000 "
		   "cpu-clock=250000 \n");
	check_rows("  a 5 1.5: x:      10 f+0x1\n  a 5 1.6: x:      20 g+0x1\n",
		   "stack=f labels=comm=a,tid=5 time=1500000000 x=1 \n"
		   "stack=g labels=comm=a,tid=5 time=1600000000 x=1 \n");
	check_rows("  a 5 1.5: x:      10 f+0x1 (o) insn: 90 90\n  b.c:3\n  a 5 1.6: t:t: add on\n",
		   "stack=f labels=comm=a,tid=5 time=1500000000 x=1 \n"
		   "stack= labels=comm=a,tid=5 time=1600000000 t:t=1 \n");
	check_rows("  a 0 0.000000: PERF_RECORD_COMM: a:5/5\n  a 5 1.5: x:      10 f+0x1 (o)\n"
		   "  a 5 1.6: PERF_RECORD_EXIT(5:5):(5:5)\n",
		   "stack=f labels=comm=a,tid=5 time=1500000000 x=1 \n");
}

TEST(test_samples)
{
	/* Two events, a comment, CRLF, and no empty line at the end. */
	check_rows("# captured on: today\n#\na 1 2.0: x:\r\n\t10 f+0x1 (o)\r\n\r\n"
		   "b 1 2.1: 5 y:\n\t20 g (o)\n\t30 h (o)",
		   "stack=f labels=comm=a,tid=1 time=2000000000 x=1 \n"
		   "stack=h;g labels=comm=b,tid=1 time=2100000000 y=5 \n");
	/* Without call chains the frame is on the line. */
	check_rows("   a  1 2.0:  3 x:  10 f+0x1 (o)\n   b  1 2.1:  4 x:  20 g+0x1 (o)\n",
		   "stack=f labels=comm=a,tid=1 time=2000000000 x=3 \n"
		   "stack=g labels=comm=b,tid=1 time=2100000000 x=4 \n");
	/* A sample without frames. */
	check_rows("a 1 2.0: x:\n\nb 1 2.1: x:\n\t20 g (o)\n\n",
		   "stack= labels=comm=a,tid=1 time=2000000000 x=1 \n"
		   "stack=g labels=comm=b,tid=1 time=2100000000 x=1 \n");
	/* A metric may have the name of another column. */
	check_rows("a 1 2.0: 9 time:\n\t20 g (o)\n\n",
		   "stack=g labels=comm=a,tid=1 time=2000000000 time#2=9 \n");
}

TEST(test_frames)
{
	struct perun_profile *profile =
		read_text("a 1 2.0: x:\n"
			  "\t10 std::f(int) const+0x1a (inlined)\n"
			  "  f.h:12 (inlined)\n"
			  "\t10 main+0x2 (/bin/x)\n"
			  "  main.c:3\n"
			  "\tffffffff81000000 operator()+0xf ([kernel.kallsyms])\n"
			  "  [kernel.kallsyms][ffffffff81000000]\n insn: 90\n\n");
	const struct perun_location *location;
	const struct perun_function *function;

	CHECK(profile != NULL);
	CHECK_INT(perun_profile_locations(profile), 2);
	location = perun_profile_location(profile, 0);
	CHECK_INT(location->address, 0x10);
	CHECK_INT(location->line_count, 2);
	CHECK_INT(location->lines[0].line, 12);
	function = perun_profile_function(profile, location->lines[0].function);
	CHECK_STR(perun_profile_string(profile, function->name, NULL), "std::f(int) const");
	CHECK_STR(perun_profile_string(profile, function->file, NULL), "f.h");
	function = perun_profile_function(profile, location->lines[1].function);
	CHECK_STR(perun_profile_string(profile, function->name, NULL), "main");
	CHECK_INT(location->lines[1].line, 3);
	location = perun_profile_location(profile, 1);
	CHECK_INT(location->address == 0xffffffff81000000u, 1);
	CHECK_STR(perun_profile_string(
			  profile, perun_profile_mapping(profile, location->mapping)->file, NULL),
		  "[kernel.kallsyms]");
	perun_profile_unref(profile);
}

TEST(test_refused)
{
	check_refused("a 1 2.0: x:\n\tzz f (o)\n",
		      "x.txt: line 2: expected a frame (address symbol "
		      "(object)) or an empty line, found ");
	check_refused("a 1 2.0: x:\n\t10 f (o)\n\nnothing \n",
		      "x.txt: line 4: expected the first line of a sample");
	check_refused("a 1 2.0: x:\n\t10 f (o)\n\nnothing \nmore",
		      "x.txt: line 4: expected the first line of a sample");
	check_refused("a 1 2.0: x:\n\t10 f (o)\n\nnothing of perf\n",
		      "x.txt: line 4: expected the first line of a sample");
}

CHECK_MAIN(ctx = perun_ctx_new(NULL), perun_ctx_free(ctx))
