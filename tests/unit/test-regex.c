/* SPDX-License-Identifier: BSD-3-Clause */
/* Regular expressions: what RE2 knows, what it refuses, and bounded work. */
#include <perun/regex.h>

#include "check.h"

static struct perun_ctx *ctx;

static struct perun_regex *compile(const char *expression, unsigned flags)
{
	struct perun_regex *regex = NULL;

	if (perun_regex_new(ctx, expression, flags, &regex)) {
		CHECK_FAIL("%s", perun_ctx_error(ctx));
		perun_ctx_clear(ctx);
	}
	return regex;
}

static bool matches(const char *expression, unsigned flags, const char *text)
{
	struct perun_regex *regex = compile(expression, flags);
	bool result = regex && perun_regex_matches(regex, text, strlen(text));

	perun_regex_free(regex);
	return result;
}

TEST(test_re2_matches)
{
	static const struct {
		const char *expression, *yes, *no;
	} cases[] = {
		{"(?P<name>ab)+c", "xababc", "abab"},
		{"(?<name>a)\\z", "ba", "ab"},
		{"\\pN", "a1", "ab"},
		{"\\p{Greek}x", "\xce\xb1x", "ax"},
		{"\\PN", "a", "1"},
		{"\\Qa.b*\\E+c", "a.b**c", "axbc"},
		{"(?U)a+b", "aab", "b"},
		{"^[[:word:]]+$", "a_1", "a-"},
		{"[[:^alpha:]]", "1", "a"},
		{"a$", "ba", "a\n"},
		{"(?m)^a$", "b\na\nb", "ba"},
		{"(?i)MAIN", "main", "mein"},
		{"(?i:A)b", "ab", "aB"},
		{"(?s)a.b", "a\nb", "ab"},
		{"a.b", "axb", "a\nb"},
		{"\\v", "\x0b", "\n"},
		{"\\s", "\t", "\x0b"},
		{"[\\s]", "\t", "\x0b"},
		{"[\\S]", "\x0b", " "},
		{"\\x41\\x{42}\\103", "ABC", "abc"},
		{"[]a]b", "]b", "xb"},
		{"[^]a]b", "xb", "]b"},
		{"[[a]", "[", "b"},
		{"\\[[:ab:]]", "[:]", "[x]"},
		{"a{,3}", "a{,3}", "aaa"},
		{"a{2}$", "baa", "ba"},
		{"^*a", "ba", "b"},
		{"x|", "", NULL},
		{"operator\\(\\)", "operator()", "operator"},
		{"\\_\\-", "_-", "-"},
		{".", "\xff", ""},
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		if (!matches(cases[i].expression, PERUN_REGEX_RE2, cases[i].yes))
			CHECK_FAIL("'%s' does not match '%s'", cases[i].expression, cases[i].yes);
		if (cases[i].no && matches(cases[i].expression, PERUN_REGEX_RE2, cases[i].no))
			CHECK_FAIL("'%s' matches '%s'", cases[i].expression, cases[i].no);
	}
}

TEST(test_re2_refuses)
{
	static const struct {
		const char *expression, *why;
	} cases[] = {
		{"(a)\\1", "character 4: back references"},
		{"(?P<n>a)(?P=n)", "no such group"},
		{"\\k<n>", "no such escape"},
		{"a(?=b)", "character 2: lookahead"},
		{"(?!b)", "lookahead"},
		{"(?<=b)", "lookbehind"},
		{"(?<!b)", "lookbehind"},
		{"(?>b)", "no such group"},
		{"(?|a|b)", "no such group"},
		{"(?#x)", "no such group"},
		{"(?R)", "no such group"},
		{"(?x)a", "no such group"},
		{"(*UTF)a", "nothing precedes"},
		{"a*+", "repetition cannot be repeated"},
		{"a**", "repetition cannot be repeated"},
		{"a{2}{3}", "repetition cannot be repeated"},
		{"a{1001}", "more than 1000"},
		{"a{0,99999999999}", "more than 1000"},
		{"\\Z", "no such escape"},
		{"\\G", "no such escape"},
		{"\\K", "no such escape"},
		{"\\R", "no such escape"},
		{"\\C", "no such escape"},
		{"\\\xce\xb1", "no such escape"},
		{"\\x1", "hexadecimal"},
		{"a\\", "nothing follows"},
		{"[a", "']' is missing"},
		{"[[:nothing:]]", "no class of that name"},
		{"\\p", "name of a property"},
		{"\\p{No", "'}' is missing"},
		{"(a", "regular expression '(a'"},
		{"*a", "regular expression '*a'"},
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct perun_regex *regex = NULL;
		int status = perun_regex_new(ctx, cases[i].expression, PERUN_REGEX_RE2, &regex);

		CHECK_INT(status, PERUN_USAGE);
		CHECK(regex == NULL);
		CHECK_CONTAINS(perun_ctx_error(ctx), cases[i].why);
		perun_ctx_clear(ctx);
		perun_regex_free(regex);
	}
}

TEST(test_flags)
{
	struct perun_regex *regex = compile("a|ab", PERUN_REGEX_WHOLE);

	CHECK(perun_regex_matches(regex, "ab", 2));
	CHECK(!perun_regex_matches(regex, "abc", 3));
	CHECK(!perun_regex_matches(regex, "xa", 2));
	CHECK_STR(perun_regex_text(regex), "a|ab");
	perun_regex_free(regex);
	CHECK(matches("MAIN", PERUN_REGEX_NO_CASE, "main"));
	CHECK(matches("(a)\\1", 0, "aa"));
	CHECK(!matches(".", 0, "\xff"));
	perun_regex_free(NULL);
}

TEST(test_groups)
{
	struct perun_regex *regex = compile("(a+)(b)?(?P<n>c)", PERUN_REGEX_RE2);
	struct perun_regex_group groups[5];

	CHECK(perun_regex_find(regex, "xaacx", 5, groups, 5));
	CHECK(groups[0].first == 1 && groups[0].end == 4);
	CHECK(groups[1].first == 1 && groups[1].end == 3);
	CHECK(groups[2].first == SIZE_MAX);
	CHECK(groups[3].first == 3 && groups[3].end == 4);
	CHECK(groups[4].first == SIZE_MAX);
	CHECK(!perun_regex_find(regex, "x", 1, groups, 1));
	CHECK(groups[0].first == SIZE_MAX);
	perun_regex_free(regex);
}

TEST(test_limits)
{
	struct perun_regex *regex = compile("^(a+)+$", PERUN_REGEX_RE2);
	char text[64], *large = perun_alloc_zero(1, 70000);

	memset(text, 'a', sizeof text);
	text[sizeof text - 1] = 'b';
	CHECK(!perun_regex_matches(regex, text, sizeof text));
	CHECK(perun_regex_matches(regex, text, sizeof text - 1));
	CHECK(!perun_regex_exhausted(regex));
	perun_regex_free(regex);
	/* Perl's syntax cannot be matched otherwise; neither can what is too long. */
	regex = compile("^(a+)+$", 0);
	CHECK(!perun_regex_matches(regex, text, sizeof text));
	CHECK(perun_regex_exhausted(regex));
	perun_regex_free(regex);
	memset(large, 'a', 2000);
	large[2000] = 'b';
	regex = compile("^(a+)+$", PERUN_REGEX_RE2);
	for (int i = 0; i < 1000; i++)
		CHECK(!perun_regex_matches(regex, large, 2001));
	CHECK(perun_regex_exhausted(regex));
	CHECK(perun_regex_matches(regex, text, sizeof text - 1));
	perun_regex_free(regex);
	memset(large, 'a', 69999);
	CHECK_INT(perun_regex_new(ctx, large, 0, &regex), PERUN_USAGE);
	CHECK_CONTAINS(perun_ctx_error(ctx), "too long");
	perun_ctx_clear(ctx);
	perun_free(large);
}

/* Nonsense is refused or matched, and nothing else happens (run it with sanitizers). */
TEST(test_nonsense)
{
	static const char letters[] = "ab\\[](){}*+?|^$.-:P<>=!,0129QEpNxsSdvzi&#\xce\xb1\xff";
	uint64_t state = 7;
	size_t compiled = 0;

	for (int round = 0; round < 30000; round++) {
		struct perun_regex *regex = NULL;
		char expression[16];
		size_t length = 1 + round % 14;

		for (size_t i = 0; i < length; i++) {
			state = state * 6364136223846793005u + 1442695040888963407u;
			expression[i] = letters[(state >> 33) % (sizeof letters - 1)];
		}
		expression[length] = '\0';
		if (perun_regex_new(ctx, expression, PERUN_REGEX_RE2, &regex) == PERUN_OK) {
			perun_regex_matches(regex,
					    "a\xff"
					    "b",
					    3);
			compiled++;
		} else {
			CHECK(regex == NULL);
			perun_ctx_clear(ctx);
		}
		perun_regex_free(regex);
	}
	CHECK(compiled > 1000);
}

CHECK_MAIN(ctx = perun_ctx_new(NULL), perun_ctx_free(ctx))
