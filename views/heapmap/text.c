/* SPDX-License-Identifier: BSD-3-Clause */
/* One snapshot of the map as text. */
#include <config.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "heapmap.h"
#include "views/common/bars.h"
#include "views/common/chart-draw.h"
#include "views/common/text.h"

enum { ADDRESS = 15, MIN_COLUMNS = 16, LINES = 24, MAX_LEGEND = HEAP_COLORS };

struct writing {
	const struct heap *heap;
	const struct perun_canvas *canvas;
	struct perun_buffer *out;
	struct heap_map map;
	size_t snapshot;
	bool heat;
	size_t width;
};

static void add_line(const struct writing *writing, enum views_color color, const char *text)
{
	views_add_color(writing->out, writing->canvas, color);
	views_add_clipped(writing->out, text, writing->width, writing->canvas->ascii);
	views_add_color(writing->out, writing->canvas, VIEWS_PLAIN);
	perun_buffer_add_char(writing->out, '\n');
}

static void begin_color(const struct writing *writing, struct views_rgb rgb)
{
	if (writing->canvas->color)
		perun_buffer_printf(writing->out, "\033[38;5;%um", views_terminal_color(rgb));
}

static void end_color(const struct writing *writing)
{
	if (writing->canvas->color)
		perun_buffer_add_text(writing->out, "\033[0m");
}

/* ---- the map --------------------------------------------------------------------------------- */

static struct views_rgb cell_color(const struct writing *writing, const struct heap_cell *cell,
				   uint32_t hottest)
{
	if (writing->heat)
		return views_ramp(0.15 + 0.85 * heap_heat(cell, hottest));
	if (cell->block == UINT32_MAX)
		return (struct views_rgb){0x60, 0x60, 0x60};
	return views_palette(heap_color(&writing->heap->blocks[cell->block]), true);
}

static void add_cells(const struct writing *writing, const struct heap_cell *cells,
		      uint32_t hottest)
{
	struct views_rgb now = {0, 0, 0};
	bool begun = false;

	for (size_t i = 0; i < writing->map.columns; i++) {
		const struct views_rgb rgb = cell_color(writing, &cells[i], hottest);

		if (!begun || memcmp(&rgb, &now, sizeof rgb) != 0)
			begin_color(writing, rgb);
		now = rgb;
		begun = true;
		perun_buffer_add_text(writing->out,
				      heap_glyph(&writing->map, &cells[i], hottest, writing->heat,
						 writing->canvas->color, writing->canvas->ascii));
	}
	end_color(writing);
}

static void add_gap(const struct writing *writing, uint64_t gap)
{
	struct perun_buffer text = {0};

	perun_buffer_printf(&text, "%*s", ADDRESS, writing->canvas->ascii ? "... " : "⋯ ");
	heap_add_bytes(&text, (double)gap);
	add_line(writing, VIEWS_DIM, text.data);
	perun_buffer_free(&text);
}

static void add_map(const struct writing *writing, size_t limit)
{
	const struct heap_map *map = &writing->map;
	const size_t lines = map->lines < limit ? map->lines : limit;
	struct heap_cell *cells = perun_alloc_zero(lines * map->columns, sizeof *cells);
	uint32_t hottest = heap_map_paint(map, writing->snapshot, 0, lines, cells);

	for (size_t line = 0; line < lines; line++) {
		uint64_t address, gap;

		if (!heap_map_line(map, line, &address, &gap)) {
			add_gap(writing, gap);
			continue;
		}
		views_add_color(writing->out, writing->canvas, VIEWS_DIM);
		perun_buffer_printf(writing->out, "%#*" PRIx64 " ", ADDRESS - 1, address);
		views_add_color(writing->out, writing->canvas, VIEWS_PLAIN);
		add_cells(writing, cells + line * map->columns, hottest);
		perun_buffer_add_char(writing->out, '\n');
	}
	if (lines < map->lines)
		perun_buffer_printf(writing->out, "%*s%zu more lines\n", ADDRESS, "",
				    map->lines - lines);
	perun_free(cells);
}

/* ---- the legend ------------------------------------------------------------------------------ */

static void add_key(const struct writing *writing, unsigned color)
{
	begin_color(writing, views_palette(color, true));
	if (writing->canvas->color)
		perun_buffer_add_text(writing->out, writing->canvas->ascii ? "#" : "█");
	else
		perun_buffer_add_char(writing->out,
				      color < HEAP_OTHERS ? (char)('A' + color) : 'o');
	end_color(writing);
	perun_buffer_add_char(writing->out, ' ');
}

static void add_place(const struct writing *writing, size_t number, double amount)
{
	const struct views_frame *frame = &writing->heap->places[number].frame;
	struct perun_buffer bytes = {0};
	const size_t room = writing->width > 40 ? writing->width - 14 : 26;

	heap_add_bytes(&bytes, amount);
	add_key(writing, (unsigned)number);
	perun_buffer_printf(writing->out, "%9s  ", bytes.data);
	views_add_fitted(writing->out, *frame->function ? frame->function : "(unknown)", room,
			 writing->canvas->ascii);
	perun_buffer_add_char(writing->out, '\n');
	perun_buffer_free(&bytes);
}

/* What each place has in use in the snapshot; small ones together. */
static void add_legend(const struct writing *writing)
{
	const struct heap *heap = writing->heap;
	double *amounts = perun_alloc_zero(heap->place_count + 1, sizeof *amounts), others = 0;

	for (size_t i = 0; i < heap->count; i++) {
		if (heap_has(&heap->blocks[i], writing->snapshot))
			amounts[heap->blocks[i].place] += (double)heap->blocks[i].size;
	}
	for (size_t i = 0; i < heap->place_count; i++) {
		if (i >= MAX_LEGEND)
			others += amounts[i];
		else
			add_place(writing, i, amounts[i]);
	}
	if (heap->place_count > MAX_LEGEND) {
		struct perun_buffer bytes = {0};

		heap_add_bytes(&bytes, others);
		add_key(writing, HEAP_OTHERS);
		perun_buffer_printf(writing->out, "%9s  %zu other places\n", bytes.data,
				    heap->place_count - MAX_LEGEND);
		perun_buffer_free(&bytes);
	}
	perun_free(amounts);
}

static void add_explanation(const struct writing *writing)
{
	const bool ascii = writing->canvas->ascii;
	struct perun_buffer text = {0};

	perun_buffer_add_text(&text, "A cell is ");
	heap_add_bytes(&text, (double)writing->map.cell);
	if (writing->heat)
		perun_buffer_printf(&text, "; %s seldom to %s often allocated until now",
				    ascii ? "." : "░", ascii ? "#" : "█");
	else if (writing->canvas->color)
		perun_buffer_printf(&text, ", %s partly to %s fully in use, %s not",
				    ascii ? "." : "░", ascii ? "#" : "█", ascii ? "." : "·");
	else
		perun_buffer_printf(&text, ", its letter a place; %s is free", ascii ? "." : "·");
	perun_buffer_add_char(writing->out, '\n');
	add_line(writing, VIEWS_DIM, text.data);
	perun_buffer_free(&text);
}

/* ---- the growth of the heap ------------------------------------------------------------------ */

/* The amounts of the snapshots as a line of bars, the one that is shown marked below. */
static void add_history(const struct writing *writing)
{
	const struct heap *heap = writing->heap;
	const size_t room = writing->width - ADDRESS, count = heap->snapshot_count;
	const size_t columns = count < room ? count : room;
	struct perun_buffer peak = {0};

	if (count < 2)
		return;
	heap_add_bytes(&peak, heap->peak);
	perun_buffer_printf(writing->out, "%*s ", ADDRESS - 1, peak.data);
	for (size_t i = 0; i < columns; i++)
		perun_buffer_add_text(writing->out,
				      heap_bar(heap, i * count / columns, (i + 1) * count / columns,
					       writing->canvas->ascii));
	perun_buffer_add_char(writing->out, '\n');
	views_add_repeated(writing->out, " ", ADDRESS + writing->snapshot * columns / count);
	perun_buffer_add_text(writing->out, writing->canvas->ascii ? "^\n" : "▲\n");
	perun_buffer_free(&peak);
}

/* ---- all ------------------------------------------------------------------------------------- */

int heap_choose_snapshot(const struct heap *heap, const struct perun_options *options,
			 size_t *number)
{
	struct perun_ctx *ctx = heap->allocations.ctx;
	const int64_t wanted = perun_option_integer(options, "snapshot");

	*number = 0;
	if (!perun_option_given(options, "snapshot")) {
		for (size_t i = 1; i < heap->snapshot_count; i++) {
			if (heap->snapshots[i].amount > heap->snapshots[*number].amount)
				*number = i;
		}
		return PERUN_OK;
	}
	for (size_t i = 0; i < heap->snapshot_count; i++) {
		if (heap->snapshots[i].number == wanted) {
			*number = i;
			return PERUN_OK;
		}
	}
	return perun_fail(ctx, PERUN_USAGE,
			  "%s has no snapshot %" PRId64 " with allocations, only %" PRId64
			  " to %" PRId64,
			  heap->name, wanted, heap->snapshots[0].number,
			  heap->snapshots[heap->snapshot_count - 1].number);
}

int heapmap_write_text(const struct heap *heap, const struct heapmap *heapmap,
		       const struct perun_canvas *canvas)
{
	const size_t limit = (size_t)perun_option_integer(heapmap->options, "height");
	struct perun_buffer out = {0}, text = {0};
	struct writing writing = {.heap = heap,
				  .canvas = canvas,
				  .out = &out,
				  .heat = heapmap->heat,
				  .width = canvas->width ? canvas->width : 80};
	size_t columns;
	int status = heap_choose_snapshot(heap, heapmap->options, &writing.snapshot);

	if (status)
		return status;
	if (writing.width < ADDRESS + MIN_COLUMNS)
		writing.width = ADDRESS + MIN_COLUMNS;
	columns = (writing.width - ADDRESS) / 16 * 16; /* round addresses */
	heap_map_make(heap, perun_option_size(heapmap->options, "cell"), columns, limit,
		      &writing.map);
	perun_buffer_printf(&text, "heap of %s", heap->name);
	add_line(&writing, VIEWS_BOLD, text.data);
	perun_buffer_clear(&text);
	heap_add_status(heap, writing.snapshot, &text);
	add_line(&writing, VIEWS_PLAIN, text.data);
	perun_buffer_add_char(&out, '\n');
	add_history(&writing);
	add_map(&writing, limit);
	add_explanation(&writing);
	if (!writing.heat)
		add_legend(&writing);
	status = perun_output_write(canvas->output, out.data, out.length);
	heap_map_clear(&writing.map);
	perun_buffer_free(&text);
	perun_buffer_free(&out);
	return status;
}
