/* SPDX-License-Identifier: BSD-3-Clause */
/* The layouts of the view `tableof`. Expected texts are as Python's tabulate 0.9 lays tables out. */
#include <config.h>

#include "tests/unit/check.h"
#include "views/tableof/layout.h"
#include "views/common/text.h"

static const char *const headers[] = {"item", "qty", "price"};
static const char *const cells[][3] = {
	{"spam", "42", "0.5"}, {"a|b & <c>", "451", "1234567.25"}, {"", "", "3"}};

static char *lay_out(const char *name, unsigned precision, size_t rows)
{
	static const bool printed[3];
	struct texts texts = {.columns = 3, .printed = printed};
	struct table table = {.columns = 3, .headers = headers, .texts = &texts};
	struct layout_style style = {.precision = precision};
	struct perun_buffer text = {0};
	struct perun_output *output = perun_output_to_buffer(&text);

	for (size_t i = 0; i < rows; i++)
		for (size_t c = 0; c < 3; c++)
			texts_add(&texts, cells[i][c], strlen(cells[i][c]));
	CHECK_INT(layout_write(&table, name, &style, output), PERUN_OK);
	CHECK_INT(perun_output_commit(NULL, output), PERUN_OK);
	perun_output_close(output);
	texts_free(&texts);
	return perun_buffer_take(&text);
}

static void expect(const char *name, unsigned precision, size_t rows, const char *expected)
{
	char *text = lay_out(name, precision, rows);

	CHECK_STR(text, expected);
	perun_free(text);
}

TEST(test_plain)
{
	expect("simple", 6, 3,
	       "item         qty        price\n"
	       "---------  -----  -----------\n"
	       "spam          42  0.5\n"
	       "a|b & <c>    451  1.23457e+06\n"
	       "                  3\n");
	expect("simple", 0, 2,
	       "item         qty       price\n"
	       "---------  -----  ----------\n"
	       "spam          42        0.5\n"
	       "a|b & <c>    451  1234567.25\n");
	expect("simple", 6, 0,
	       "item    qty    price\n"
	       "------  -----  -------\n");
	expect("plain", 6, 1,
	       "item      qty    price\n"
	       "spam       42      0.5\n");
	expect("rst", 6, 1,
	       "======  =====  =======\n"
	       "item      qty    price\n"
	       "======  =====  =======\n"
	       "spam       42      0.5\n"
	       "======  =====  =======\n");
}

TEST(test_ruled)
{
	expect("github", 6, 1,
	       "| item   |   qty |   price |\n"
	       "|--------|-------|---------|\n"
	       "| spam   |    42 |     0.5 |\n");
	expect("markdown", 0, 2,
	       "| item       |   qty |      price |\n"
	       "|:-----------|------:|-----------:|\n"
	       "| spam       |    42 |       0.5  |\n"
	       "| a\\|b & <c> |   451 | 1234567.25 |\n");
	expect("grid", 6, 1,
	       "+--------+-------+---------+\n"
	       "| item   |   qty |   price |\n"
	       "+========+=======+=========+\n"
	       "| spam   |    42 |     0.5 |\n"
	       "+--------+-------+---------+\n");
	expect("psql", 6, 1,
	       "+--------+-------+---------+\n"
	       "| item   |   qty |   price |\n"
	       "|--------+-------+---------|\n"
	       "| spam   |    42 |     0.5 |\n"
	       "+--------+-------+---------+\n");
	expect("presto", 6, 1,
	       " item   |   qty |   price\n"
	       "--------+-------+---------\n"
	       " spam   |    42 |     0.5\n");
	expect("rounded_grid", 6, 1,
	       "╭────────┬───────┬─────────╮\n"
	       "│ item   │   qty │   price │\n"
	       "├────────┼───────┼─────────┤\n"
	       "│ spam   │    42 │     0.5 │\n"
	       "╰────────┴───────┴─────────╯\n");
	expect("double_outline", 6, 2,
	       "╔═══════════╦═══════╦═════════════╗\n"
	       "║ item      ║   qty ║       price ║\n"
	       "╠═══════════╬═══════╬═════════════╣\n"
	       "║ spam      ║    42 ║ 0.5         ║\n"
	       "║ a|b & <c> ║   451 ║ 1.23457e+06 ║\n"
	       "╚═══════════╩═══════╩═════════════╝\n");
	expect("mixed_grid", 6, 1,
	       "┍━━━━━━━━┯━━━━━━━┯━━━━━━━━━┑\n"
	       "│ item   │   qty │   price │\n"
	       "┝━━━━━━━━┿━━━━━━━┿━━━━━━━━━┥\n"
	       "│ spam   │    42 │     0.5 │\n"
	       "┕━━━━━━━━┷━━━━━━━┷━━━━━━━━━┙\n");
}

TEST(test_data)
{
	char *page;

	expect("csv", 6, 3, "item,qty,price\nspam,42,0.5\na|b & <c>,451,1234567.25\n,,3\n");
	expect("tsv", 6, 1, "item\tqty\tprice\nspam\t42\t0.5\n");
	expect("latex", 6, 2,
	       "\\begin{tabular}{lrr}\n\\hline\nitem & qty & price \\\\\n\\hline\n"
	       "spam & 42 & 0.5 \\\\\n"
	       "a|b \\& \\textless{}c\\textgreater{} & 451 & 1234567.25 \\\\\n"
	       "\\hline\n\\end{tabular}\n");
	expect("latex_longtable", 6, 1,
	       "\\begin{longtable}{lrr}\n\\hline\nitem & qty & price \\\\\n\\hline\n\\endhead\n"
	       "spam & 42 & 0.5 \\\\\n\\hline\n\\end{longtable}\n");
	page = lay_out("html", 6, 2);
	CHECK_CONTAINS(page, "<!DOCTYPE html>");
	CHECK_CONTAINS(page, "<tr><td>a|b &#38; &#60;c&#62;</td><td class=\"n\">451</td>");
	CHECK(!strstr(page, "<c>"));
	perun_free(page);
}

TEST(test_every_layout_is_known)
{
	char *names = perun_strdup(LAYOUT_NAMES), *rest = names, *name;

	while ((name = strsep(&rest, " ")))
		if (strcmp(name, "json") != 0)
			perun_free(lay_out(name, 6, 3));
	perun_free(names);
}

/* Quotes, commas and new lines for CSV; control sequences never reach a terminal. */
TEST(test_hostile)
{
	const char *const header[] = {"x"};
	static const bool printed[1];
	const char *const words[] = {"a,\"b\"\n", "\033[31mred", "日本"};
	struct layout_style style = {.precision = 6};
	const char *const names[] = {"csv", "simple"};
	const char *const expected[] = {"x\n\"a,\"\"b\"\"\n\"\n\033[31mred\n日本\n", NULL};

	for (size_t n = 0; n < 2; n++) {
		struct texts texts = {.columns = 1, .printed = printed};
		struct table table = {.columns = 1, .headers = header, .texts = &texts};
		struct perun_buffer text = {0};
		struct perun_output *output = perun_output_to_buffer(&text);

		for (size_t i = 0; i < 3; i++)
			texts_add(&texts, words[i], strlen(words[i]));
		layout_write(&table, names[n], &style, output);
		CHECK_INT(perun_output_commit(NULL, output), PERUN_OK);
		perun_output_close(output);
		if (expected[n])
			CHECK_STR(text.data, expected[n]);
		else
			CHECK(!strchr(text.data, '\033'));
		perun_buffer_free(&text);
		texts_free(&texts);
	}
	CHECK_INT(views_width("日本"), 4);
	CHECK_INT(views_width("e\xcc\x81"), 1);
	CHECK_INT(views_width("\xff\xc3"), 2);
}

CHECK_MAIN(, )
