/* SPDX-License-Identifier: BSD-3-Clause */
/* -disasm: the machine code of functions, and what its instructions cost. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "commands/common/code/routines.h"
#include "commands/common/symbolize.h"
#include "report.h"

/* Instructions this long have their place on a line of its own. */
enum { TEXT_WIDTH = 40 };

/* "f w.cpp:5", where it is not that of the instruction before. */
static void add_place(const struct code_instruction *code, struct perun_buffer *out)
{
	if (*code->function)
		perun_buffer_printf(out, "%s ", code->function);
	if (!*code->file)
		return;
	pprof_add_base_name(code->file, out);
	if (code->line)
		perun_buffer_printf(out, ":%" PRId64, code->line);
}

static bool same_place(const struct code_instruction *a, const struct code_instruction *b)
{
	return a->line == b->line && strcmp(a->function, b->function) == 0 &&
	       strcmp(a->file, b->file) == 0;
}

static void add_instruction(const struct pprof_report *report, const struct code_cost *cost,
			    const char *place, struct perun_buffer *out)
{
	const struct code_instruction *code = &cost->code;
	bool beside = *place && strlen(code->text) < TEXT_WIDTH;

	if (*place && !beside)
		perun_buffer_printf(out, "%74s;%s\n", "", place);
	pprof_add_value_or_dot(report, cost->flat, out);
	perun_buffer_add_char(out, ' ');
	pprof_add_value_or_dot(report, cost->cumulative, out);
	perun_buffer_printf(out, " %10" PRIx64 ": ", code->address);
	if (beside)
		perun_buffer_printf(out, "%-*s;%s\n", TEXT_WIDTH, code->text, place);
	else
		perun_buffer_printf(out, "%s\n", code->text);
}

static void add_routine(const struct pprof_report *report, const struct code_routine *routine,
			struct perun_buffer *out)
{
	struct code_instruction before = {.function = "", .file = ""};

	for (size_t i = 0; i < routine->name_count; i++)
		perun_buffer_printf(out, "%s ======================== %s\n",
				    i ? "    AKA" : "ROUTINE", routine->names[i]);
	pprof_add_value_padded(report, routine->flat, 10, out);
	perun_buffer_add_char(out, ' ');
	pprof_add_value_padded(report, routine->cumulative, 10, out);
	perun_buffer_add_text(out, " (flat, cum) ");
	pprof_add_percentage(routine->cumulative, report->total, out);
	perun_buffer_add_text(out, " of Total\n");
	for (size_t i = 0; i < routine->count; i++) {
		const struct code_cost *cost = &routine->costs[i];
		struct perun_buffer place = {0};

		if (!same_place(&cost->code, &before))
			add_place(&cost->code, &place);
		before = cost->code;
		add_instruction(report, cost, place.length ? place.data : "", out);
		perun_buffer_free(&place);
	}
}

/* What the failure was for want of; PERUN_OK: there is code. */
static int explain(struct pprof_report *report, const struct code_routines *code, int status)
{
	const char *pattern = report->settings.pattern;

	if (status == PERUN_MISSING)
		return perun_fail(
			report->ctx, status,
			"-disasm needs objdump and nm (Debian: apt install binutils) and the "
			"postprocessor symbolize");
	if (status || code->count)
		return status;
	if (code->unread)
		return perun_fail(
			report->ctx, PERUN_INPUT,
			"no function matches -disasm=%s; %s cannot be read: give the program "
			"before the profile, or its folder in PPROF_BINARY_PATH",
			pattern, *code->unread_file ? code->unread_file : "the program");
	return perun_fail(report->ctx, PERUN_INPUT, "no function matches -disasm=%s", pattern);
}

int pprof_report_disasm(struct pprof_report *report)
{
	const char *pattern = report->settings.pattern;
	struct code_choice choice = {.stacks = report->stacks,
				     .tools = report->settings.tools,
				     .intel = report->settings.intel_syntax};
	struct perun_weight weight = {.values = report->values};
	struct perun_buffer out = {0};
	struct code_routines code = {0};
	char *end;
	uint64_t address = strtoull(pattern, &end, 0);
	int status = pprof_compile(report->ctx, "disasm", pattern, &choice.names);

	choice.address = *end ? 0 : address;
	if (!status)
		status = perun_stacks_weigh(report->ctx, report->stacks, &weight, 1,
					    PERUN_WEIGH_WRAP);
	if (!status)
		status = explain(report, &code,
				 commands_can_symbolize()
					 ? code_routines_read(report->ctx, &choice, &code)
					 : PERUN_MISSING);
	perun_buffer_add_text(&out, "Total: ");
	pprof_add_value(report, report->total, &out);
	perun_buffer_add_char(&out, '\n');
	for (size_t i = 0; i < code.count; i++)
		add_routine(report, &code.items[i], &out);
	if (!status)
		perun_output_write(report->output, out.data, out.length);
	code_routines_free(&code);
	perun_regex_free(choice.names);
	perun_buffer_free(&out);
	return status;
}
