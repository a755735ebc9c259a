/* SPDX-License-Identifier: BSD-3-Clause */
/* perun bisect --lines: what changes need, what programs have in common, single lines, trials that are kept. */
#include <config.h>

#include <elf.h>
#include <fcntl.h>
#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/dissect/dissect.h"
#include "core/dissect/evidence.h"
#include "tests/unit/check.h"

/* ---- what changes need ----------------------------------------------------------------------- */

#define FILE_OF(name) "diff --git a/" name " b/" name "\n--- a/" name "\n+++ b/" name "\n"
/* Words without brackets, which clang-format puts among strings as if they were some. */
#define A_C      FILE_OF("a.c")
#define A_GO     FILE_OF("a.go")
#define A_H      FILE_OF("a.h")
#define B_GO     FILE_OF("b.go")
#define MAKEFILE FILE_OF("Makefile")

static struct changes read_changes(const char *diff)
{
	struct perun_ctx *ctx = perun_ctx_new(NULL);
	struct changes changes;

	CHECK(changes_read(ctx, diff, strlen(diff), &changes) == PERUN_OK);
	perun_ctx_free(ctx);
	return changes;
}

/* "0>1 2>1": who needs whom, proved ones with a mark. */
static char *describe(const struct needs *needs)
{
	struct perun_buffer text = {0};

	for (size_t i = 0; i < needs->count; i++) {
		for (size_t k = 0; k < needs->count; k++) {
			for (size_t n = 0; n < needs->of[i].count; n++) {
				const struct need *need = &needs->of[i].items[n];

				if (need->change == k)
					perun_buffer_printf(&text, "%s%zu>%zu%s",
							    text.length ? " " : "", i, k,
							    need->proved ? "!" : "");
			}
		}
	}
	perun_buffer_add_text(&text, "");
	return perun_buffer_take(&text);
}

static void check_needs(const char *diff, const char *expected)
{
	struct changes changes = read_changes(diff);
	struct needs needs;
	char *text;

	needs_find(&changes, &needs);
	text = describe(&needs);
	CHECK_STR(text, expected);
	perun_free(text);
	needs_free(&needs);
	changes_free(&changes);
}

TEST(test_needs_of_what_is_added)
{
	/* Users need the declaration and the definition; a comment and a string are no use. */
	check_needs(A_H "@@ -1,0 +2 @@\n"
			"+int slowly(int n);\n" A_C "@@ -1,0 +2,4 @@\n"
			"+int slowly(int n)\n"
			"+{\n"
			"+\treturn n;\n"
			"+}\n"
			"@@ -9 +13 @@ int run(void)\n"
			"-\treturn 1;\n"
			"+\treturn slowly(1);\n"
			"@@ -20 +24 @@ int other(void)\n"
			"-\tputs(\"x\");\n"
			"+\tputs(\"slowly\"); /* slowly */\n",
		    "2>0 2>1");
	/* A variable of a function is nobody else's. */
	check_needs(A_C "@@ -3,0 +4 @@ int run(void)\n"
			"+\tint fresh = 0;\n"
			"@@ -9 +10 @@ int run(void)\n"
			"-\tf();\n"
			"+\tf(fresh);\n"
			"@@ -20 +21 @@ int other(void)\n"
			"-\tg();\n"
			"+\tg(fresh);\n",
		    "1>0");
}

TEST(test_needs_of_what_is_removed)
{
	/* The field can go only when its uses are gone, which may go without it. */
	check_needs(A_H "@@ -3 +2,0 @@ struct proto {\n"
			"-\tstruct closure *cache;\n" A_C "@@ -9 +8,0 @@ int run(struct proto *p)\n"
			"-\tp->cache = NULL;\n"
			"@@ -30 +28,0 @@ int stop(struct proto *p)\n"
			"-\tif (p->cache) f();\n",
		    "0>1 0>2");
}

TEST(test_needs_of_go)
{
	check_needs(A_GO "@@ -3,0 +4 @@ import (\n"
			 "+\t\"context\"\n"
			 "@@ -9 +10 @@ func Run() {\n"
			 "-\tf()\n"
			 "+\tf(context.Background())\n" B_GO "@@ -9 +10 @@ func Go() {\n"
			 "-\tf()\n"
			 "+\tf(context.TODO())\n",
		    "1>0");
}

TEST(test_needs_of_texts)
{
	/* A text for readers defines nothing, whatever it shows. */
	check_needs(FILE_OF("todo.md") "@@ -3,0 +4 @@\n"
				       "+type Node interface {\n" A_GO "@@ -9 +9 @@ func Run() {\n"
				       "-\tf()\n"
				       "+\tf(Node)\n",
		    "");
}

TEST(test_needs_of_files)
{
	check_needs("diff --git a/new.c b/new.c\n"
		    "new file mode 100644\n"
		    "--- /dev/null\n"
		    "+++ b/new.c\n"
		    "@@ -0,0 +1 @@\n"
		    "+int fresh(void) { return 1; }\n" MAKEFILE "@@ -1 +1 @@\n"
		    "-prog: a.o\n"
		    "+prog: a.o new.o\n" A_C "@@ -9 +9 @@ int run(void)\n"
		    "-\treturn 1;\n"
		    "+\treturn fresh();\n",
		    "0>1 1>0 2>0");
}

static void check_learned(const char *diff, const bool *set, const char *output,
			  const char *expected)
{
	struct changes changes = read_changes(diff);
	struct needs needs = {perun_alloc_zero(changes.count + 1, sizeof *needs.of), changes.count,
			      0};
	char *text;

	needs_learn(&changes, set, output, &needs);
	text = describe(&needs);
	CHECK_STR(text, expected);
	perun_free(text);
	needs_free(&needs);
	changes_free(&changes);
}

TEST(test_complaints)
{
	static const char diff[] = A_GO "@@ -3,0 +4 @@ type T struct {\n+\tfresh int\n"
					"@@ -9,0 +11 @@ func Run() {\n+\tuse(t.fresh)\n"
					"@@ -19,0 +22 @@ func Stop() {\n+\tuse(t.fresh)\n";
	static const bool user[] = {false, true, false, false}, both[] = {false, true, true, false};

	check_learned(diff, user,
		      "a.go:11:8: t.fresh undefined (type T has no field or method fresh)\n",
		      "1>0!");
	check_learned(diff, both, "./a.go:11:8: undefined: fresh\n", "1>0! 2>0!");
	check_learned(diff, user, "a.c:1: warning: 'fresh' is not used\n", "");
	check_learned(diff, user,
		      "a.c: error: \xe2\x80\x98struct T\xe2\x80\x99 has no member named "
		      "\xe2\x80\x98"
		      "fresh\xe2\x80\x99\n",
		      "1>0!");
	check_learned(diff, user, "", "");
}

/* Who returns more needs the function that says so, and the other way round; other functions have no part in it. */
TEST(test_complaints_of_places)
{
	static const char diff[] = FILE_OF(
		"lib/a.go") "@@ -9 +9 @@ type T int\n-func Run() int {\n+func Run() (int, error) "
			    "{\n"
			    "@@ -11,0 +12 @@ func Run() int {\n+\tuse()\n"
			    "@@ -14 +15 @@ func Run() int {\n-\treturn 1\n+\treturn 1, nil\n"
			    "@@ -29 +30 @@ func Stop() int {\n-\treturn 1\n+\treturn 2\n";
	static const bool inner[] = {false, true, true, true, false};
	static const bool outer[] = {true, false, false, true, false};

	check_learned(diff, inner, "lib/a.go:15:12: too many return values\n", "2>0!");
	check_learned(diff, outer, "./a.go:14:9: not enough return values\n", "0>2!");
	check_learned(diff, outer, "./a.go:13:9: not enough return values\n", "");
	check_learned(diff, outer, "b.go:14:9: not enough return values\n", "");
}

TEST(test_sets)
{
	struct needs needs = {perun_alloc_zero(4, sizeof *needs.of), 3, 0};
	bool all[] = {true, true, true, false}, set[] = {false, false, true, false};

	CHECK(needs_add(&needs, 2, 1, false) && needs_add(&needs, 1, 0, true));
	CHECK(!needs_add(&needs, 2, 1, false) && !needs_add(&needs, 1, 1, true));
	needs_close(&needs, all, true, set);
	CHECK(!set[0] && !set[1] && set[2]);
	needs_close(&needs, all, false, set);
	CHECK(set[0] && set[1] && set[2]);
	needs_leave_out(&needs, 1, set);
	CHECK(set[0] && !set[1] && !set[2]);
	needs_free(&needs);
}

/* ---- evidence -------------------------------------------------------------------------------- */

static void check_name(const char *line, const char *expected)
{
	const char *name = "";
	size_t length = 0;
	char *text;

	evidence_function_name(line, &name, &length);
	text = perun_strndup(name, length);
	CHECK_STR(text, expected);
	perun_free(text);
}

TEST(test_evidence)
{
	struct changes changes = read_changes(FILE_OF(
		"a.c") "@@ -3 +3 @@ int same(void)\n-\tf(1);\n+\tf(2);\n"
		       "@@ -9 +9 @@ int other(int n)\n-\tg(1);\n+\tg(2);\n"
		       "@@ -19 +19 @@ int other(int n)\n-\t/* one */\n+\t/* two */\n" FILE_OF(
			       "a_test.go") "@@ -1 +1 @@\n-x\n+y\n");
	struct function items[] = {{(char *)"other", true, true}, {(char *)"same", false, true}};
	const struct functions functions = {items, 2, 2};
	struct perun_dissect_function costs_of[] = {
		{.name = "other", .self = {1, 9}, .total = {1, 9}}};
	const struct costs costs = {.functions = costs_of, .function_count = 1};
	double weights[5];
	bool acquitted[5];

	evidence_weigh(&changes, &functions, &costs, weights, acquitted);
	CHECK(acquitted[0] && !acquitted[1] && acquitted[2] && acquitted[3]);
	CHECK(weights[1] > 10 && weights[0] < 1 && weights[2] < 1);
	changes_free(&changes);
	check_name("static int name(long x)", "name");
	check_name("func (t *T) name() {", "name");
	check_name("struct x {", "");
}

/* ---- programs -------------------------------------------------------------------------------- */

/* The smallest program with two functions, "one" and "two", which return `value`. */
struct program_file {
	Elf64_Ehdr header;
	Elf64_Shdr sections[4]; /* none, code, symbols, names */
	Elf64_Sym symbols[3];
	unsigned char code[16];
	char names[9];
};

static struct program_file make_program(unsigned char value)
{
	struct program_file file = {.names = "\0one\0two"};
	const Elf64_Off base = 0;

	memcpy(file.header.e_ident, ELFMAG, SELFMAG);
	file.header.e_ident[EI_CLASS] = ELFCLASS64;
	file.header.e_type = ET_DYN;
	file.header.e_machine = EM_X86_64;
	file.header.e_shoff = base + offsetof(struct program_file, sections);
	file.header.e_shentsize = sizeof(Elf64_Shdr);
	file.header.e_shnum = 4;
	file.sections[1] = (Elf64_Shdr){.sh_type = SHT_PROGBITS,
					.sh_flags = SHF_ALLOC | SHF_EXECINSTR,
					.sh_addr = 0x1000,
					.sh_offset = offsetof(struct program_file, code),
					.sh_size = sizeof file.code};
	file.sections[2] = (Elf64_Shdr){.sh_type = SHT_SYMTAB,
					.sh_link = 3,
					.sh_offset = offsetof(struct program_file, symbols),
					.sh_size = sizeof file.symbols};
	file.sections[3] = (Elf64_Shdr){.sh_type = SHT_STRTAB,
					.sh_offset = offsetof(struct program_file, names),
					.sh_size = sizeof file.names};
	for (unsigned i = 0; i < 2; i++)
		file.symbols[i + 1] = (Elf64_Sym){.st_name = 1 + 4 * i,
						  .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
						  .st_shndx = 1,
						  .st_value = 0x1000 + 8 * i,
						  .st_size = 6};
	/* mov $VALUE, %eax; ret */
	memcpy(file.code, "\xb8\1\0\0\0\xc3\0\0\xb8\2\0\0\0\xc3", 14);
	file.code[9] = value;
	return file;
}

static char scratch[] = "/tmp/perun-test-dissect-XXXXXX";

static void write_program(const char *side, const void *data, size_t size)
{
	char *path = perun_format("%s/%s/prog", scratch, side);
	int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0777);

	CHECK(file >= 0 && write(file, data, size) == (ssize_t)size);
	close(file);
	perun_free(path);
}

/* "one two!": the functions, those that changed with a mark. */
static char *compare_programs(void)
{
	char *roots[2] = {perun_format("%s/a", scratch), perun_format("%s/b", scratch)};
	struct perun_buffer text = {0};
	struct functions functions;

	functions_compare((const char *const *)roots, &functions);
	for (size_t i = 0; i < functions.count; i++)
		perun_buffer_printf(&text, "%s%s%s", i ? " " : "", functions.items[i].name,
				    functions.items[i].changed ? "!" : "");
	perun_buffer_add_text(&text, "");
	functions_free(&functions);
	perun_free(roots[0]);
	perun_free(roots[1]);
	return perun_buffer_take(&text);
}

static void check_programs(const char *expected)
{
	char *text = compare_programs();

	CHECK_STR(text, expected);
	perun_free(text);
}

TEST(test_functions)
{
	struct program_file one = make_program(2), two = make_program(3);

	write_program("a", &one, sizeof one);
	write_program("b", &one, sizeof one);
	check_programs("one two");
	write_program("b", &two, sizeof two);
	check_programs("one two!");
	two.symbols[2].st_name = 5 + 1; /* "wo" */
	write_program("b", &two, sizeof two);
	check_programs("one two! wo!");
}

/* Cut off anywhere, or with any byte of its headers and tables another one: it ends, and nothing is read beyond it. */
TEST(test_broken_programs)
{
	static const unsigned char bytes[] = {0, 1, 0x7f, 0xff};
	struct program_file whole = make_program(2);
	size_t headers = offsetof(struct program_file, code);

	write_program("a", &whole, sizeof whole);
	for (size_t length = 0; length < sizeof whole; length += 5) {
		write_program("b", &whole, length);
		perun_free(compare_programs());
	}
	for (size_t i = 0; i < headers; i++) {
		struct program_file broken = whole;

		((unsigned char *)&broken)[i] = bytes[i % 4];
		write_program("b", &broken, sizeof broken);
		perun_free(compare_programs());
	}
}

static void check_last_name(const char *symbol, const char *expected)
{
	size_t length;
	const char *name = function_last_name(symbol, &length);
	char *text = perun_strndup(name, length);

	CHECK_STR(text, expected);
	perun_free(text);
}

TEST(test_last_names)
{
	check_last_name("a/b.(*T).name", "name");
	check_last_name("space::name(int, char)", "name");
	check_last_name("name.constprop.0", "name");
	check_last_name("main.run.func1", "run");
	check_last_name("name", "name");
}

/* ---- trials that are kept -------------------------------------------------------------------- */

static struct perun_dissect search_of(size_t changes, const char *path)
{
	return (struct perun_dissect){.changes = {.count = changes}, .kept_path = (char *)path};
}

static void free_trials(struct perun_dissect *search)
{
	for (size_t i = 0; i < search->trial_count; i++) {
		perun_free(search->trials[i].set);
		perun_free((char *)search->trials[i].trial.reason);
	}
	perun_free(search->trials);
	search->trials = NULL;
	search->trial_count = search->trial_capacity = 0;
}

TEST(test_metrics)
{
	const struct ends real = {.before = 0.075, .after = 0.105, .delta = 0.03};
	const struct ends processor = {.before = 0.022, .after = 0.0315, .delta = 0.0095};
	const struct ends most = {.before = 0.07, .after = 0.095, .delta = 0.025};
	const struct ends little = {.before = 0.002, .after = 0.003, .delta = 0.001};

	CHECK(measure_shows_as_much(&most, &real, false));
	/* A third of the difference, by the same factor: the rest is waiting, if others wanted the processors. */
	CHECK(measure_shows_as_much(&processor, &real, true));
	CHECK(!measure_shows_as_much(&processor, &real, false));
	CHECK(!measure_shows_as_much(&little, &real, true));
}

TEST(test_least_shares)
{
	const struct ends doubled = {.before = 1, .after = 2, .delta = 1};
	const struct ends third = {.before = 3, .after = 4, .delta = 1};
	const struct ends tenth = {.before = 10, .after = 11, .delta = 1};

	CHECK(measure_least_share(&doubled, 0.02, true) == 0.08);
	/* 4.5 % of the time would be 13.5 % of the slowdown. */
	CHECK(fabs(measure_least_share(&third, 0.02, true) - 0.15) < 1e-9);
	CHECK(measure_least_share(&third, 0.02, false) == 0.08);
	CHECK(fabs(measure_least_share(&tenth, 0.001, true) - 0.2) < 1e-9);
}

TEST(test_kept_trials)
{
	char *path = perun_format("%s/trials", scratch);
	struct perun_dissect search = search_of(3, path), again = search_of(3, path),
			     other = search_of(4, path);
	const bool sets[2][4] = {{true, false, true, false}, {false, true, false, false}};
	struct kept_trial *kept = trial_add(&search, sets[0]);
	int file;

	kept->trial.number = 1;
	kept->trial.share = 0.75;
	kept->trial.uncertain = 0.125;
	kept = trial_add(&search, sets[1]);
	kept->trial.number = 2;
	kept->trial.answer = PERUN_DISSECT_UNRESOLVED;
	kept->trial.reason = perun_strdup("it does not build");
	kept_save(&search);
	kept_load(&again);
	CHECK_INT(again.trial_count, 2);
	kept = trial_find(&again, sets[0]);
	CHECK(kept && kept->trial.share == 0.75 && kept->trial.uncertain == 0.125);
	kept = trial_find(&again, sets[1]);
	CHECK(kept && kept->trial.answer == PERUN_DISSECT_UNRESOLVED);
	CHECK_INT(again.facts.resumed, 2);
	/* Sets of other changes, and what is cut off, are as if they were not there. */
	kept_load(&other);
	CHECK_INT(other.trial_count, 0);
	free_trials(&again);
	CHECK(truncate(path, 20) == 0);
	kept_load(&again);
	CHECK_INT(again.trial_count, 0);
	file = open(path, O_WRONLY | O_TRUNC);
	CHECK(write(file, "[{\"set\":\"012\"},{\"set\":5},7,{\"set\":\"110\",\"share\":1}]", 49) >
	      0);
	close(file);
	kept_load(&again);
	CHECK_INT(again.trial_count, 0);
	kept_forget(&again);
	CHECK(access(path, F_OK) < 0);
	free_trials(&search);
	free_trials(&again);
	free_trials(&other);
	perun_free(path);
}

/* ---- all ------------------------------------------------------------------------------------- */

static bool make_folders(void)
{
	char *path = mkdtemp(scratch) ? perun_format("%s/a", scratch) : NULL;
	bool made = path && mkdir(path, 0777) == 0;

	if (path)
		path[strlen(path) - 1] = 'b';
	made = made && mkdir(path, 0777) == 0;
	perun_free(path);
	return made;
}

static void remove_folders(void)
{
	static const char *const names[] = {"a/prog", "b/prog", "a", "b", ""};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		char *path = perun_format("%s/%s", scratch, names[i]);

		if (unlink(path) < 0)
			rmdir(path);
		perun_free(path);
	}
}

CHECK_MAIN(if (!make_folders()) return 1, remove_folders())
