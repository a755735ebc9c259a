/* SPDX-License-Identifier: BSD-3-Clause */
/* Problems as text. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "problem.h"

void afperf_report(struct afperf_problem *problem, uint64_t line, const char *record,
		   const char *field, const char *paragraph, const char *format, ...)
{
	va_list args;

	problem->line = line;
	problem->record = record;
	problem->field = field;
	problem->paragraph = paragraph;
	va_start(args, format);
	(void)perun_vsnprintf(problem->message, sizeof problem->message, format, args);
	va_end(args);
}

void afperf_problem_text(const struct afperf_problem *problem, struct perun_buffer *text)
{
	if (problem->line)
		perun_buffer_printf(text, "line %" PRIu64, problem->line);
	if (problem->record)
		perun_buffer_printf(text, ", %s", problem->record);
	if (problem->field)
		perun_buffer_printf(text, ", %s", problem->field);
	perun_buffer_printf(text, "%s%s", problem->line ? ": " : "", problem->message);
	if (problem->paragraph)
		perun_buffer_printf(text, " [%s]", problem->paragraph);
}

struct afperf_quoted afperf_quote(const char *data, size_t length)
{
	struct afperf_quoted quoted;
	size_t kept = length < 40 ? length : 40, n = 0;

	while (kept < length && kept > 0 && (data[kept] & 0xC0) == 0x80)
		kept--;
	quoted.text[n++] = '"';
	for (size_t i = 0; i < kept; i++)
		quoted.text[n++] = (unsigned char)data[i] < ' ' || data[i] == 0x7F ? '?' : data[i];
	quoted.text[n++] = '"';
	if (kept < length) {
		memcpy(quoted.text + n, "...", 3);
		n += 3;
	}
	quoted.text[n] = '\0';
	return quoted;
}
