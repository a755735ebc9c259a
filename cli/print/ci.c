/* SPDX-License-Identifier: BSD-3-Clause */
/* The verdict of perun ci as Markdown and as JUnit XML. */
#include <config.h>

#include <string.h>

#include <perun/lib/lookup.h>

#include "cli/print/ci.h"
#include "commands/common/lines-offer.h"
#include "commands/common/markup.h"

/* Commits that are listed; the rest is a number. */
enum { MAX_COMMITS = 10 };

enum cli_ci_kind cli_ci_kind(const struct perun_change *change)
{
	if (perun_result_is_degradation(change->result))
		return CLI_CI_WORSE;
	if (perun_result_is_optimization(change->result))
		return CLI_CI_BETTER;
	if (perun_change_is_failure(change))
		return CLI_CI_FAILED;
	if (change->result == PERUN_RESULT_UNKNOWN)
		return CLI_CI_CHANGED;
	if (change->result == PERUN_RESULT_INCONCLUSIVE ||
	    change->result == PERUN_RESULT_MAYBE_DEGRADATION ||
	    change->result == PERUN_RESULT_MAYBE_OPTIMIZATION)
		return CLI_CI_OPEN;
	return change->result == PERUN_RESULT_NO_CHANGE ? CLI_CI_SAME : CLI_CI_OTHER;
}

bool cli_ci_compared(const struct cli_ci *ci)
{
	return ci->found->nothing == PERUN_NOTHING_NONE;
}

void cli_ci_headline(const struct cli_ci *ci, struct perun_buffer *out)
{
	const char *worse = ci->untimed ? "worse" : "slower";
	const char *better = ci->untimed ? "better" : "faster";
	const struct {
		size_t count;
		const char *one, *many;
	} parts[] = {{ci->worse, worse, worse},
		     {ci->better, better, better},
		     {ci->failed, "failed", "failed"},
		     {ci->changed, "changed", "changed"},
		     {ci->open, "undecided", "undecided"},
		     {ci->known, "known change", "known changes"},
		     {ci->other, "new or gone", "new or gone"},
		     {ci->same, "unchanged", "unchanged"},
		     {ci->found->unpaired_count, "profile measured at one version only",
		      "profiles measured at one version only"}};
	bool any = !cli_ci_compared(ci);

	if (any)
		perun_buffer_add_text(out, "nothing was compared");
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		if (!parts[i].count)
			continue;
		perun_buffer_printf(out, "%s%zu %s", any ? ", " : "", parts[i].count,
				    parts[i].count == 1 ? parts[i].one : parts[i].many);
		any = true;
	}
}

bool cli_ci_offer(const struct cli_ci *ci, struct perun_buffer *out)
{
	bool offered = false;

	for (size_t i = 0; !offered && i < ci->count; i++) {
		const struct perun_stored_change *stored = ci->items[i].stored;

		offered = !ci->items[i].known && cli_ci_kind(stored->change) == CLI_CI_WORSE &&
			  commands_add_lines_offer(
				  out,
				  &(struct commands_lines_offer){
					  perun_between_count(ci->between) == 1 ? NULL : ci->base,
					  ci->head, stored->command, stored->change->location,
					  commands_change_metric(stored->change)});
	}
	return offered;
}

/* ---- Markdown -------------------------------------------------------------------------------- */

static void add_place(struct perun_buffer *out, const char *location, bool cell)
{
	char *place = commands_place(location);

	commands_add_code(out, place, cell);
	perun_free(place);
}

/* "+417 %, 5.2× (95 % CI +409…+441 %)". */
static void add_change(struct perun_buffer *out, const struct perun_change *change)
{
	struct perun_buffer interval = {0};

	if (commands_add_size(out, change, true) && commands_add_interval(&interval, change, true))
		perun_buffer_printf(out, " (%s)", interval.data);
	perun_buffer_free(&interval);
}

static void add_row(struct perun_buffer *out, const struct cli_ci_item *item)
{
	const struct perun_change *change = item->stored->change;
	const char *amounts[] = {change->from_baseline, change->to_target};

	perun_buffer_printf(out, "| %s", perun_change_words(change));
	if (item->known) {
		perun_buffer_add_text(out, ", known: ");
		commands_add_prose(out, item->known, true);
	}
	perun_buffer_add_text(out, " | ");
	commands_add_code(out, commands_change_metric(change), true);
	perun_buffer_add_text(out, " | ");
	if (strcmp(change->location, item->stored->command) != 0)
		add_place(out, change->location, true);
	perun_buffer_add_text(out, " | ");
	commands_add_code(out, item->stored->command, true);
	for (size_t i = 0; i < 2; i++) {
		struct perun_buffer amount = {0};

		commands_add_amount(&amount, amounts[i]);
		perun_buffer_add_text(out, " | ");
		commands_add_prose(out, amount.data ? amount.data : "", true);
		perun_buffer_free(&amount);
	}
	perun_buffer_add_text(out, " | ");
	if (cli_ci_kind(change) != CLI_CI_OTHER)
		add_change(out, change);
	perun_buffer_add_text(out, " | ");
	if (perun_result_is_change(change->result))
		commands_add_p(out, change);
	perun_buffer_add_text(out, " |\n");
}

/* The items of these kinds, the worst first; of functions that are counted the largest alone. */
static void add_rows(const struct cli_ci *ci, enum cli_ci_kind first, enum cli_ci_kind last,
		     struct perun_buffer *out)
{
	size_t counted[COMMANDS_CHANGE_KINDS] = {0};
	struct perun_buffer left = {0};
	bool any = false;

	for (unsigned kind = first; kind <= last; kind++) {
		for (size_t i = 0; i < ci->count; i++) {
			const struct cli_ci_item *item = &ci->items[i];

			if (cli_ci_kind(item->stored->change) != (enum cli_ci_kind)kind ||
			    commands_leave_out(item->stored->change, counted))
				continue;
			if (!any)
				perun_buffer_add_text(
					out,
					"\n| verdict | metric | where | workload | before | after "
					"| change | p |\n|---|---|---|---|--:|--:|--:|--:|\n");
			any = true;
			add_row(out, item);
		}
	}
	commands_add_left_out(counted, &left);
	if (left.length)
		perun_buffer_printf(out, "\n%s", left.data);
	perun_buffer_free(&left);
}

static void add_commit(const struct cli_ci *ci, size_t i, const char *note,
		       struct perun_buffer *out)
{
	char *subject = perun_version_subject(perun_between_at(ci->between, i));

	perun_buffer_printf(out, "- %.8s ", perun_between_at(ci->between, i)->checksum);
	commands_add_prose(out, subject, false);
	if (note) {
		perun_buffer_add_text(out, ": ");
		commands_add_prose(out, note, false);
	}
	perun_buffer_add_text(out, "\n");
	perun_free(subject);
}

/* Those that the history knows; else commits that were not measured may be the change as well. */
static void add_candidates(const struct cli_ci *ci, struct perun_buffer *out)
{
	size_t count = perun_between_count(ci->between);

	if ((!ci->worse && !ci->better) || count < 2)
		return;
	if (ci->notes.any)
		perun_buffer_printf(out, "\nChanged by these of the %zu commits:\n\n", count);
	for (size_t i = count; ci->notes.any && i-- > 0;) {
		if (ci->notes.texts[i])
			add_commit(ci, i, ci->notes.texts[i], out);
	}
	if (ci->notes.all)
		return;
	perun_buffer_printf(out, "\nIt may be any of these %zu commits:\n\n", count);
	for (size_t i = count; i-- > 0;) {
		if (count > MAX_COMMITS && i > 0 && i <= count - MAX_COMMITS) {
			perun_buffer_printf(out, "- %zu more\n", i);
			i = 1;
			continue;
		}
		add_commit(ci, i, NULL, out);
	}
}

/* A version, with a link to its page where a site is published. */
static void add_version(const struct cli_ci *ci, const char *checksum, struct perun_buffer *out)
{
	size_t length = ci->site ? strlen(ci->site) : 0;

	while (length && ci->site[length - 1] == '/')
		length--;
	if (length)
		perun_buffer_printf(out, "[%.8s](<%.*s/version/%s.html>)", checksum, (int)length,
				    ci->site, checksum);
	else
		perun_buffer_printf(out, "%.8s", checksum);
}

void cli_ci_markdown(const struct cli_ci *ci, struct perun_buffer *out)
{
	struct perun_buffer offer = {0};

	perun_buffer_add_text(out, "### Performance: ");
	cli_ci_headline(ci, out);
	perun_buffer_add_text(out, "\n\n");
	add_version(ci, ci->head, out);
	perun_buffer_add_text(out, " compared with ");
	add_version(ci, ci->base, out);
	perun_buffer_add_text(out, ".\n");
	add_rows(ci, CLI_CI_WORSE, CLI_CI_CHANGED, out);
	add_candidates(ci, out);
	if (cli_ci_offer(ci, &offer)) {
		perun_buffer_add_text(out, "\n");
		commands_add_code(out, offer.data, false);
		perun_buffer_add_text(out, "\n");
	}
	perun_buffer_free(&offer);
	for (size_t i = 0; i < ci->found->unpaired_count; i++) {
		perun_buffer_add_text(out, "\n- not compared: ");
		commands_add_code(out, ci->found->unpaired[i].what, false);
		perun_buffer_printf(out, ": not measured at %.8s",
				    ci->found->unpaired[i].result == PERUN_RESULT_NOT_IN_BASELINE
					    ? ci->base
					    : ci->head);
	}
	if (ci->found->unpaired_count)
		perun_buffer_add_text(out, "\n");
	if (ci->count == 0)
		return;
	perun_buffer_add_text(out, "\n<details><summary>Details</summary>\n");
	add_rows(ci, CLI_CI_OPEN, CLI_CI_OTHER, out);
	for (size_t i = 0; i < ci->count; i++) {
		const struct perun_change *change = ci->items[i].stored->change;

		if (!change->explanation || !*change->explanation)
			continue;
		perun_buffer_add_text(out, "\n- ");
		add_place(out, change->location, false);
		perun_buffer_add_text(out, " ");
		commands_add_code(out, change->metric, false);
		perun_buffer_add_text(out, ": ");
		commands_add_prose(out, change->explanation, false);
	}
	perun_buffer_add_text(out, "\n\n</details>\n");
}

/* ---- JUnit ----------------------------------------------------------------------------------- */

#define XML "&<>\"'"

static void add_reason(struct perun_buffer *out, const char *element,
		       const struct cli_ci_item *item)
{
	const struct perun_change *change = item->stored->change;
	struct perun_buffer words = {0};

	commands_add_amount(&words, change->from_baseline);
	perun_buffer_add_text(&words, " to ");
	commands_add_amount(&words, change->to_target);
	perun_buffer_add_text(&words, ", ");
	if (!commands_add_size(&words, change, true))
		words.data[words.length -= 2] = '\0';
	perun_buffer_printf(out, ">\n    <%s message=\"%s: ", element, perun_change_words(change));
	commands_add_escaped(out, words.data, XML);
	perun_buffer_free(&words);
	if (item->known) {
		perun_buffer_add_text(out, ", known: ");
		commands_add_escaped(out, item->known, XML);
	}
	perun_buffer_add_text(out, "\">");
	commands_add_escaped(out, change->explanation, XML);
	perun_buffer_printf(out, "</%s>\n  </testcase>\n", element);
}

void cli_ci_junit(const struct cli_ci *ci, struct perun_buffer *out)
{
	const bool compared = cli_ci_compared(ci);

	perun_buffer_printf(out,
			    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"perun\" "
			    "tests=\"%zu\" failures=\"%zu\" skipped=\"%zu\" errors=\"%d\">\n",
			    ci->count + !compared, ci->worse,
			    ci->failed + ci->open + ci->changed + ci->known, !compared);
	if (!compared)
		perun_buffer_add_text(out,
				      "  <testcase classname=\"perun\" name=\"comparison\">\n    "
				      "<error message=\"nothing was compared\"/>\n  </testcase>\n");
	for (size_t i = 0; i < ci->count; i++) {
		const struct cli_ci_item *item = &ci->items[i];
		const struct perun_change *change = item->stored->change;
		enum cli_ci_kind kind = cli_ci_kind(change);
		char *place;

		perun_buffer_add_text(out, "  <testcase classname=\"");
		commands_add_escaped(out, item->stored->command, XML);
		perun_buffer_add_text(out, "\" name=\"");
		place = commands_place(change->location);
		commands_add_escaped(out, place, XML);
		perun_buffer_add_text(out, *place ? " " : "");
		commands_add_escaped(out, commands_change_metric(change), XML);
		perun_free(place);
		perun_buffer_add_char(out, '"');
		if (item->known || kind == CLI_CI_OPEN || kind == CLI_CI_CHANGED ||
		    kind == CLI_CI_FAILED)
			add_reason(out, "skipped", item);
		else if (kind == CLI_CI_WORSE)
			add_reason(out, "failure", item);
		else
			perun_buffer_add_text(out, "/>\n");
	}
	perun_buffer_add_text(out, "</testsuite>\n");
}
