/* SPDX-License-Identifier: BSD-3-Clause */
/* Parts of the collector trace: lengths of instructions, and events as calls. */
#include <config.h>

#include <string.h>

#include "collectors/trace/calls.h"
#include "collectors/trace/decode.h"
#include "collectors/trace/pairing.h"
#include "tests/unit/check.h"

/* ---- instructions ------------------------------------------------------------------------------- */

TEST(test_lengths)
{
	static const struct {
		const char *code;
		size_t length;
		enum decode_kind kind;
	} cases[] = {
		{"\x90", 1, DECODE_OTHER},
		{"\xc3", 1, DECODE_RETURN},
		{"\xf3\xc3", 2, DECODE_RETURN},
		{"\xc2\x08\x00", 3, DECODE_RETURN},
		{"\xf3\x0f\x1e\xfa", 4, DECODE_OTHER},                 /* endbr64 */
		{"\x48\x89\xe5", 3, DECODE_OTHER},                     /* mov %rsp,%rbp */
		{"\x48\xb8\1\2\3\4\5\6\7\x8", 10, DECODE_OTHER},       /* mov $...,%rax */
		{"\x66\xb8\1\2", 4, DECODE_OTHER},                     /* mov $...,%ax */
		{"\xb8\1\2\3\4", 5, DECODE_OTHER},                     /* mov $...,%eax */
		{"\x8b\x04\x25\1\2\3\4", 7, DECODE_OTHER},             /* mov ...,%eax */
		{"\x8b\x84\x24\1\2\3\4", 7, DECODE_OTHER},             /* mov ...(%rsp),%eax */
		{"\xf6\xc1\x01", 3, DECODE_OTHER},                     /* test $1,%cl */
		{"\xf7\xd9", 2, DECODE_OTHER},                         /* neg %ecx */
		{"\xe8\1\2\3\4", 5, DECODE_CALL},                      /* call */
		{"\xff\xd0", 2, DECODE_AWAY},                          /* call *%rax */
		{"\xff\x25\1\2\3\4", 6, DECODE_AWAY},                  /* jmp *...(%rip) */
		{"\xff\xc0", 2, DECODE_OTHER},                         /* inc %eax */
		{"\x0f\x84\1\2\3\4", 6, DECODE_BRANCH},                /* je */
		{"\x74\xfe", 2, DECODE_BRANCH},                        /* je */
		{"\xf3\xa4", 2, DECODE_STRING},                        /* rep movsb */
		{"\x66\x0f\x3a\x0f\xc1\x08", 6, DECODE_OTHER},         /* palignr */
		{"\xc5\xf8\x77", 3, DECODE_OTHER},                     /* vzeroupper */
		{"\xc4\xe3\x7d\x19\xc1\x01", 6, DECODE_OTHER},         /* vextractf128 */
		{"\x62\xf1\x7c\x48\x10\x44\x24\x01", 8, DECODE_OTHER}, /* vmovups */
		{"\xeb\x05", 2, DECODE_JUMP},
		{"\xe9\xfb\xff\xff\xff", 5, DECODE_JUMP},
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const uint8_t *code = (const uint8_t *)cases[i].code;
		struct decoded decoded =
			decode_instruction(code, 15 < cases[i].length ? 15 : cases[i].length);

		CHECK_INT(decoded.length, cases[i].length);
		CHECK_INT(decoded.kind, cases[i].kind);
		/* What is cut off is no instruction. */
		for (size_t size = 0; size < cases[i].length; size++)
			CHECK(decode_instruction(code, size).length <= size);
	}
	CHECK_INT(decode_instruction((const uint8_t *)"\xeb\x05", 2).target, 7);
	CHECK_INT(decode_instruction((const uint8_t *)"\xe9\xfb\xff\xff\xff", 5).target, 0);
	CHECK_INT(decode_instruction((const uint8_t *)"\x74\xfe", 2).target, 0);
	CHECK_INT(decode_instruction((const uint8_t *)"\x0f\x84\1\0\0\0", 6).target, 7);
	CHECK_INT(decode_instruction((const uint8_t *)"\xe8\0\1\0\0", 5).target, 261);
	CHECK_INT(decode_instruction((const uint8_t *)"\x06", 1).length, 0);
}

/* ---- calls -------------------------------------------------------------------------------------- */

struct run {
	struct calls calls;
	struct pairing *pairing;
	uint32_t f, g;
};

static void start(struct run *run, uint64_t limit)
{
	const struct pairing_options options = {.base = 0, .limit = limit, .every = 1};
	const struct calls_function function = {.file = CALLS_NO_FILE};

	calls_init(&run->calls);
	run->f = calls_add_function(&run->calls, &function);
	run->g = calls_add_function(&run->calls, &function);
	run->pairing = pairing_new(&options, &run->calls);
}

static struct pairing_event event(uint64_t time, uint32_t function, uint64_t stack)
{
	return (struct pairing_event){.time = time,
				      .process = 1,
				      .thread = 1,
				      .function = function,
				      .stack = stack,
				      .back = 77,
				      .size = TRACE_NO_SIZE,
				      .hooked = true};
}

static void enter(struct run *run, uint64_t time, uint32_t function, uint64_t stack)
{
	struct pairing_event entry = event(time, function, stack);

	pairing_enter(run->pairing, &entry);
}

static void leave(struct run *run, uint64_t time, uint32_t function, uint64_t stack)
{
	struct pairing_event end = event(time, function, stack);

	pairing_leave(run->pairing, &end);
}

static const struct calls_record *record_of(const struct run *run, uint32_t function)
{
	for (size_t i = 0; i < run->calls.record_count; i++)
		if (run->calls.nodes[run->calls.records[i].node].function == function)
			return &run->calls.records[i];
	return NULL;
}

TEST(test_nested)
{
	struct run run;

	start(&run, 10);
	enter(&run, 100, run.f, 1000);
	enter(&run, 110, run.g, 900);
	leave(&run, 130, run.g, 900);
	leave(&run, 150, run.f, 1000);
	pairing_free(run.pairing);
	CHECK_INT(run.calls.total, 2);
	CHECK_INT(record_of(&run, run.f)->inclusive, 50);
	CHECK_INT(record_of(&run, run.f)->exclusive, 30);
	CHECK_INT(record_of(&run, run.g)->inclusive, 20);
	CHECK_INT(record_of(&run, run.g)->order, 1);
	CHECK_INT(run.calls.nodes[record_of(&run, run.g)->node].parent,
		  record_of(&run, run.f)->node);
	calls_free(&run.calls);
}

TEST(test_jumps)
{
	struct run run;

	start(&run, 10);
	pairing_trampoline(run.pairing, 0x4000);
	enter(&run, 100, run.f, 1000);
	enter(&run, 110, run.g, 900);
	enter(&run, 120, run.g, 800);
	/* A long jump to f, which then calls g again, at the same place of the stack. */
	enter(&run, 130, run.g, 900);
	leave(&run, 140, run.g, 900);
	leave(&run, 150, run.f, 1000);
	leave(&run, 160, run.f, 2000);
	pairing_free(run.pairing);
	CHECK_INT(run.calls.total, 4);
	CHECK_INT(run.calls.unmatched, 1);
	CHECK_INT(run.calls.functions[run.g].count, 3);
	CHECK_INT(run.calls.functions[run.g].inclusive, 20 + 10 + 10);
	CHECK_INT(record_of(&run, run.f)->exclusive, 50 - 20 - 10);
	calls_free(&run.calls);
}

TEST(test_tail_call)
{
	struct run run;
	struct pairing_event tail;

	start(&run, 10);
	pairing_trampoline(run.pairing, 0x4000);
	enter(&run, 100, run.f, 1000);
	tail = event(110, run.g, 1000);
	tail.back = 0x4010;
	pairing_enter(run.pairing, &tail);
	leave(&run, 130, run.g, 1000);
	leave(&run, 131, run.f, 1000);
	pairing_free(run.pairing);
	CHECK_INT(run.calls.total, 2);
	CHECK_INT(record_of(&run, run.f)->inclusive, 31);
	CHECK_INT(run.calls.nodes[record_of(&run, run.g)->node].parent,
		  record_of(&run, run.f)->node);
	calls_free(&run.calls);
}

TEST(test_open_calls)
{
	struct run run;

	start(&run, 1);
	enter(&run, 100, run.f, 1000);
	enter(&run, 110, run.g, 900);
	pairing_end(run.pairing, 1, 200);
	pairing_end(run.pairing, 5, 200);
	enter(&run, 300, run.f, 1000);
	enter(&run, 310, run.g, 900);
	pairing_free(run.pairing);
	CHECK_INT(run.calls.total, 4);
	CHECK_INT(run.calls.record_count, 1);
	CHECK_INT(run.calls.threads, 1);
	CHECK_INT(run.calls.functions[run.f].inclusive, 100 + 10);
	CHECK_INT(run.calls.functions[run.g].inclusive, 90 + 0);
	calls_free(&run.calls);
}

/* The kernel's clock may step back: what adds up must still add up. */
TEST(test_clock_steps_back)
{
	struct run run;

	start(&run, 10);
	enter(&run, 100, run.f, 1000);
	enter(&run, 110, run.g, 900);
	leave(&run, 160, run.g, 900);
	enter(&run, 130, run.g, 900);
	leave(&run, 150, run.g, 900);
	enter(&run, 170, run.g, 900);
	leave(&run, 190, run.g, 900);
	leave(&run, 185, run.f, 1000);
	pairing_end(run.pairing, 1, 120);
	pairing_free(run.pairing);
	CHECK_INT(run.calls.functions[run.g].inclusive, 50 + 0 + 20);
	CHECK_INT(record_of(&run, run.f)->inclusive, 90);
	CHECK_INT(record_of(&run, run.f)->exclusive, 90 - 50 - 20);
	calls_free(&run.calls);
}

TEST(test_places)
{
	struct run run;
	struct pairing_event pass;

	start(&run, 10);
	enter(&run, 100, run.f, 1000);
	pass = event(110, run.g, 0);
	pairing_point(run.pairing, &pass, false);
	pass.time = 140;
	pairing_point(run.pairing, &pass, false);
	leave(&run, 150, run.f, 1000);
	pass.time = 200;
	pairing_start(run.pairing, &pass);
	pass.time = 260;
	pairing_point(run.pairing, &pass, true);
	/* The end of a pair that did not begin is none. */
	pairing_point(run.pairing, &pass, true);
	pairing_free(run.pairing);
	CHECK_INT(run.calls.unmatched, 1);
	CHECK_INT(run.calls.functions[run.g].inclusive, 0 + 30 + 0 + 60);
	CHECK_INT(record_of(&run, run.f)->exclusive, 50);
	calls_free(&run.calls);
}

CHECK_MAIN(, )
