/* SPDX-License-Identifier: BSD-3-Clause */
/* What perun init --detect proposes, for people and programs. */
#include <config.h>

#include <string.h>

#include "commands/common/output.h"
#include "proposals.h"

/* ---- for programs ----------------------------------------------------------------------------- */

static struct perun_json *list_json(const struct perun_detection *detected,
				    enum perun_proposed list)
{
	struct perun_json *facts = perun_json_array();

	for (size_t i = 0; i < perun_detection_count(detected, list); i++) {
		const struct perun_proposal *item = perun_detection_at(detected, list, i);
		struct perun_json *fact = perun_json_object();

		perun_json_set(fact, "text", commands_text(item->text));
		perun_json_set(fact, "reason", commands_text(item->reason));
		perun_json_set(fact, "active", perun_json_bool(item->active));
		perun_json_append(facts, fact);
	}
	return facts;
}

struct perun_json *init_proposals_json(const struct perun_detection *detected)
{
	static const char *const names[] = {"cmds", "workloads", "pre_run", "notes"};
	struct perun_json *facts = perun_json_object();

	perun_json_set(facts, "system", commands_text(perun_detection_system(detected)));
	perun_json_set(facts, "file", commands_text(perun_detection_file(detected)));
	for (enum perun_proposed list = 0; list <= PERUN_PROPOSED_NOTES; list++)
		perun_json_set(facts, names[list], list_json(detected, list));
	return facts;
}

/* ---- for people ------------------------------------------------------------------------------- */

/* The active ones; returns the number of the others. */
static size_t print_list(const struct perun_command_call *call, const char *what,
			 const struct perun_detection *detected, enum perun_proposed list)
{
	size_t others = 0;

	for (size_t i = 0; i < perun_detection_count(detected, list); i++) {
		const struct perun_proposal *item = perun_detection_at(detected, list, i);

		if (!item->active) {
			others++;
			continue;
		}
		perun_output_printf(call->output, "  %-9s ", i == others ? what : "");
		commands_print_safe(call, item->text);
		if (item->reason) {
			perun_output_text(call->output, "  (");
			commands_print_safe(call, item->reason);
			perun_output_text(call->output, ")");
		}
		perun_output_text(call->output, "\n");
	}
	return others;
}

/* Programs without arguments and input are measured while they do little. */
static void print_lack_of_input(const struct perun_command_call *call,
				const struct perun_detection *detected)
{
	const struct perun_proposal *first =
		perun_detection_at(detected, PERUN_PROPOSED_COMMANDS, 0);

	if (perun_detection_count(detected, PERUN_PROPOSED_WORKLOADS) == 0 && first->active &&
	    !strchr(first->text, ' '))
		perun_output_text(call->output, "  workload  (perun config set workloads '[FILE]' "
						"gives the command an input)\n");
}

static void print_next(const struct perun_command_call *call,
		       const struct perun_detection *detected, enum init_proposed what, bool active)
{
	struct perun_buffer text = {0};

	if (what == INIT_EXISTED) {
		perun_detection_yaml(detected, &text);
		perun_output_printf(
			call->output,
			"The existing configuration stays as it is. It could have:\n\n%s",
			text.data);
		perun_buffer_free(&text);
		return;
	}
	perun_output_text(call->output, "This is in .perun/local.yml (perun config edit).\n");
	if (!active)
		perun_output_text(
			call->output,
			"Next: perun help choosing  says what can be measured, and how\n");
	else
		perun_output_text(call->output, "Next: perun run -m HEAD matrix  builds and "
						"measures the current commit\n");
	if (what == INIT_PROPOSED)
		perun_output_text(call->output,
				  "      perun init --detect --run  tries the proposals first\n");
}

void init_print_proposals(const struct perun_command_call *call,
			  const struct perun_detection *detected, enum init_proposed what)
{
	const char *system = perun_detection_system(detected);
	size_t others, active;

	if (!system)
		perun_output_text(call->output, "No build files of CMake, Meson, Cargo, Go, "
						"Autotools or Make were found.\n");
	else
		perun_output_printf(call->output, "This is a %s project (%s)%s:\n", system,
				    perun_detection_file(detected),
				    what == INIT_TRIED ? ", built and tried" : "");
	others = print_list(call, "command", detected, PERUN_PROPOSED_COMMANDS);
	active = perun_detection_count(detected, PERUN_PROPOSED_COMMANDS) - others;
	others += print_list(call, "workload", detected, PERUN_PROPOSED_WORKLOADS);
	if (active)
		print_lack_of_input(call, detected);
	others += print_list(call, "build", detected, PERUN_PROPOSED_BUILD);
	if (others && what != INIT_EXISTED)
		perun_output_printf(call->output, "  and %zu more as comment%s\n", others,
				    others == 1 ? "" : "s");
	for (size_t i = 0; i < perun_detection_count(detected, PERUN_PROPOSED_NOTES); i++)
		perun_output_printf(call->output, "Note: %s.\n",
				    perun_detection_at(detected, PERUN_PROPOSED_NOTES, i)->text);
	if (system && !active)
		perun_output_printf(call->output,
				    "No program %s: list what to measure under cmds "
				    "('perun config edit').\n",
				    what == INIT_TRIED ? "runs without arguments or input"
						       : "was recognized");
	print_next(call, detected, what, active > 0);
}
