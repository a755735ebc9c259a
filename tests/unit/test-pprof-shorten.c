/* SPDX-License-Identifier: BSD-3-Clause */
/* Short names of functions in drawings. */
#include "check.h"
#include "commands/pprof/shorten.h"

TEST(test_names)
{
	static const struct {
		const char *name, *expected;
	} cases[] = {
		{"main", "main"},
		{"", ""},
		/* Go */
		{"runtime.mallocgc", "runtime.mallocgc"},
		{"example.com/a/b.F", "b.F"},
		{"example.com/a/b.(*T).M", "b.(*T).M"},
		{"example.com/a/v2.F", "a.F"},
		{"example.com/a/v2/b.F", "b.F"},
		{"example.com/a/v1.F", "v1.F"},
		{"example.com/a-b/c.init.0", "c.init.0"},
		/* Java */
		{"com.example.Thing.work(int, String)", "Thing.work"},
		{"com.example.Thing.<init>", "Thing.<init>"},
		{"com.example.Thing$Inner.run$1", "Thing$Inner.run$1"},
		{"java.lang.Thread.run", "Thread.run"},
		/* C++ */
		{"a::b::Thing::work(int)", "Thing::work"},
		{"a::Thing::~Thing()", "Thing::~Thing"},
		{"a::Thing::work<int, b<c>>(x)", "Thing::work<int, b<c>>"},
		{"(anonymous namespace)::a::Thing::f", "Thing::f"},
		{"a::b::f", "a::b::f"},
		{"__libc_start_main", "__libc_start_main"},
	};
	struct perun_ctx *ctx = perun_ctx_new(NULL);
	struct pprof_shortener shortener;

	REQUIRE(pprof_shortener_init(ctx, &shortener) == PERUN_OK);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct perun_buffer text = {0};

		pprof_shorten(&shortener, cases[i].name, &text);
		if (strcmp(text.data ? text.data : "", cases[i].expected) != 0)
			CHECK_FAIL("'%s' became '%s', not '%s'", cases[i].name, text.data,
				   cases[i].expected);
		perun_buffer_free(&text);
	}
	pprof_shortener_clear(&shortener);
	perun_ctx_free(ctx);
}

CHECK_MAIN(, )
