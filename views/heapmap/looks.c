/* SPDX-License-Identifier: BSD-3-Clause */
/* What the map looks like in a terminal, printed or interactive. */
#include <config.h>

#include <inttypes.h>
#include <math.h>

#include "heapmap.h"
#include "views/common/bars.h"

void heap_add_bytes(struct perun_buffer *out, double bytes)
{
	const struct perun_unit unit = perun_unit_of("B");

	views_add_amount(out, bytes, &unit, false, true);
}

void heap_add_status(const struct heap *heap, size_t snapshot, struct perun_buffer *out)
{
	const struct heap_snapshot *one = &heap->snapshots[snapshot];

	perun_buffer_printf(out, "snapshot %" PRId64, one->number);
	if (heap->snapshot_count > 1)
		perun_buffer_printf(out, " (%zu of %zu)", snapshot + 1, heap->snapshot_count);
	if (!isnan(one->time)) {
		const struct perun_unit seconds = perun_unit_of("s");

		perun_buffer_add_text(out, " at ");
		views_add_amount(out, one->time, &seconds, false, true);
	}
	perun_buffer_add_text(out, ": ");
	heap_add_bytes(out, one->amount);
	perun_buffer_printf(out, " in %zu block%s, +%zu -%zu", one->blocks,
			    one->blocks == 1 ? "" : "s", one->allocated, one->freed);
}

double heap_heat(const struct heap_cell *cell, uint32_t hottest)
{
	return cell->heat ? log2(1 + cell->heat) / log2(1 + fmax(hottest, 1)) : 0;
}

const char *heap_bar(const struct heap *heap, size_t from, size_t to, bool ascii)
{
	double most = 0;

	for (size_t i = from; i < to; i++)
		most = heap->snapshots[i].amount > most ? heap->snapshots[i].amount : most;
	return views_height(heap->peak > 0 ? (size_t)(7 * most / heap->peak + 1.5) : 1, ascii);
}

/* From little to all of it. */
static const char *shade(double part, bool ascii)
{
	static const char *const blocks[] = {"░", "▒", "▓", "█"};
	static const char *const plain[] = {".", ":", "+", "#"};
	unsigned level = part < 0.25 ? 0 : part < 0.5 ? 1 : part < 0.95 ? 2 : 3;

	return (ascii ? plain : blocks)[level];
}

const char *heap_glyph(const struct heap_map *map, const struct heap_cell *cell, uint32_t hottest,
		       bool heat, bool color, bool ascii)
{
	static const char *const letters[] = {"A", "B", "C", "D", "E", "F", "G", "o"};

	if (heat)
		return cell->heat ? shade(heap_heat(cell, hottest), ascii) : " ";
	if (cell->block == UINT32_MAX)
		return ascii ? "." : "·";
	if (color)
		return shade(cell->covered, ascii);
	return letters[heap_color(&map->heap->blocks[cell->block])];
}
