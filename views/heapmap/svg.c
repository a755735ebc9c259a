/* SPDX-License-Identifier: BSD-3-Clause */
/* One snapshot of the map as SVG. */
#include <config.h>

#include <inttypes.h>

#include "heapmap.h"
#include "views/common/chart-svg.h"

enum { COLUMNS = 128, CELL = 7, LINE = 13, LEFT = 130, MARGIN = 14, MAX_LINES = 48 };
enum { WIDTH = LEFT + COLUMNS * CELL + MARGIN, LEVELS = 4 };

struct picture {
	const struct heap *heap;
	struct perun_buffer *out;
	struct heap_map map;
	size_t snapshot;
	bool heat;
	double y;
};

static void add_text(const struct picture *picture, const char *class, double x, double y,
		     const char *text, double room)
{
	perun_buffer_printf(picture->out, "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\">", class, x, y);
	views_add_fitted_markup(picture->out, text, room);
	perun_buffer_add_text(picture->out, "</text>\n");
}

/* What a cell looks like: neighbours that look alike are one rectangle. */
struct look {
	unsigned color, level; /* of the palette, or of the ramp; level 0: nothing is in use */
};

static struct look look_of(const struct picture *picture, const struct heap_cell *cell,
			   uint32_t hottest)
{
	double share = picture->heat ? heap_heat(cell, hottest) : cell->covered;
	struct look look = {0, 0};

	if (picture->heat ? cell->heat == 0 : cell->block == UINT32_MAX)
		return look;
	look.level = 1 + (unsigned)(share * (LEVELS - 1) + 0.5);
	if (look.level > LEVELS)
		look.level = LEVELS;
	if (!picture->heat)
		look.color = heap_color(&picture->heap->blocks[cell->block]);
	return look;
}

static void add_cells(const struct picture *picture, const struct heap_cell *cells,
		      uint32_t hottest)
{
	for (size_t first = 0, end; first < picture->map.columns; first = end) {
		const struct look look = look_of(picture, &cells[first], hottest);

		for (end = first + 1; end < picture->map.columns; end++) {
			const struct look next = look_of(picture, &cells[end], hottest);

			if (next.color != look.color || next.level != look.level)
				break;
		}
		perun_buffer_printf(picture->out,
				    "<rect class=\"%s%u\" x=\"%zu\" y=\"%.1f\" width=\"%zu\" "
				    "height=\"%d\"",
				    !look.level     ? "e"
				    : picture->heat ? "h"
						    : "f",
				    picture->heat ? look.level : look.color, LEFT + first * CELL,
				    picture->y, (end - first) * CELL, LINE - 2);
		if (look.level && !picture->heat && look.level < LEVELS)
			perun_buffer_printf(picture->out, " fill-opacity=\"%.2f\"",
					    0.25 + 0.75 * look.level / LEVELS);
		perun_buffer_add_text(picture->out, "/>\n");
	}
}

static void add_map(struct picture *picture)
{
	const struct heap_map *map = &picture->map;
	const size_t lines = map->lines < MAX_LINES ? map->lines : MAX_LINES;
	struct heap_cell *cells = perun_alloc_zero(lines * map->columns + 1, sizeof *cells);
	uint32_t hottest = heap_map_paint(map, picture->snapshot, 0, lines, cells);
	struct perun_buffer text = {0};

	for (size_t line = 0; line < lines; line++, picture->y += LINE) {
		uint64_t address, gap;

		perun_buffer_clear(&text);
		if (heap_map_line(map, line, &address, &gap)) {
			perun_buffer_printf(&text, "%#" PRIx64, address);
			add_cells(picture, cells + line * map->columns, hottest);
		} else {
			perun_buffer_add_text(&text, "⋯ ");
			heap_add_bytes(&text, (double)gap);
		}
		add_text(picture, "note end", LEFT - 8, picture->y + 10, text.data, LEFT - 16);
	}
	if (lines < map->lines) {
		perun_buffer_clear(&text);
		perun_buffer_printf(&text, "%zu more lines", map->lines - lines);
		add_text(picture, "note", LEFT, picture->y + 10, text.data, WIDTH - LEFT);
		picture->y += LINE;
	}
	perun_buffer_free(&text);
	perun_free(cells);
}

/* The places, and what each has in use. */
static void add_legend(struct picture *picture)
{
	const struct heap *heap = picture->heap;
	const size_t shown = heap->place_count < HEAP_COLORS ? heap->place_count : HEAP_COLORS;
	double *amounts = perun_alloc_zero(heap->place_count + 1, sizeof *amounts), others = 0;
	struct perun_buffer text = {0};

	for (size_t i = 0; i < heap->count; i++) {
		if (heap_has(&heap->blocks[i], picture->snapshot))
			amounts[heap->blocks[i].place] += (double)heap->blocks[i].size;
	}
	for (size_t i = shown; i < heap->place_count; i++)
		others += amounts[i];
	for (size_t i = 0; i < shown + (heap->place_count > shown); i++) {
		const char *name = i < shown ? heap->places[i].frame.function : "other places";

		perun_buffer_clear(&text);
		heap_add_bytes(&text, i < shown ? amounts[i] : others);
		perun_buffer_printf(
			picture->out,
			"<rect class=\"f%zu\" x=\"%d\" y=\"%.1f\" width=\"11\" height=\"11\"/>\n",
			i, LEFT, picture->y);
		add_text(picture, "end", LEFT - 8, picture->y + 10, text.data, LEFT - 16);
		add_text(picture, "name", LEFT + 18, picture->y + 10, *name ? name : "(unknown)",
			 WIDTH - LEFT - 30);
		picture->y += 17;
	}
	perun_buffer_free(&text);
	perun_free(amounts);
}

static void add_style(const struct picture *picture, struct perun_buffer *out)
{
	views_svg_style(out);
	perun_buffer_add_text(out, "<style>.e0{fill:#8883}");
	for (unsigned i = 0; picture->heat && i <= LEVELS; i++) {
		struct views_rgb rgb = views_ramp(0.1 + 0.9 * i / LEVELS);

		perun_buffer_printf(out, ".e%u{fill:#8883}.h%u{fill:#%02x%02x%02x}", i, i, rgb.red,
				    rgb.green, rgb.blue);
	}
	perun_buffer_add_text(out, "</style>\n");
}

static void add_notes(struct picture *picture)
{
	struct perun_buffer text = {0};

	perun_buffer_printf(&text, "heap of %s", picture->heap->name);
	add_text(picture, "h1", MARGIN, 26, text.data, WIDTH - 2 * MARGIN);
	perun_buffer_clear(&text);
	heap_add_status(picture->heap, picture->snapshot, &text);
	perun_buffer_add_text(&text, "; a cell is ");
	heap_add_bytes(&text, (double)picture->map.cell);
	if (picture->heat)
		perun_buffer_add_text(&text, ", the brighter the more often it was allocated");
	add_text(picture, "note", MARGIN, 46, text.data, WIDTH - 2 * MARGIN);
	perun_buffer_free(&text);
	picture->y = 60;
}

int heapmap_write_svg(const struct heap *heap, const struct heapmap *heapmap,
		      const struct perun_canvas *canvas)
{
	struct perun_buffer body = {0}, out = {0};
	struct picture picture = {.heap = heap, .out = &body, .heat = heapmap->heat};
	int status = heap_choose_snapshot(heap, heapmap->options, &picture.snapshot);

	if (status)
		return status;
	heap_map_make(heap, perun_option_size(heapmap->options, "cell"), COLUMNS, MAX_LINES,
		      &picture.map);
	add_notes(&picture);
	add_map(&picture);
	picture.y += 10;
	if (!picture.heat)
		add_legend(&picture);
	perun_buffer_printf(
		&out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%.0f\" "
		"viewBox=\"0 0 %d %.0f\" role=\"img\">\n<title>",
		WIDTH, picture.y, WIDTH, picture.y);
	views_add_markup(&out, "map of memory");
	perun_buffer_add_text(&out, "</title>\n");
	add_style(&picture, &out);
	perun_buffer_printf(&out, "<rect class=\"paper\" width=\"%d\" height=\"%.0f\"/>\n", WIDTH,
			    picture.y);
	perun_buffer_add(&out, body.data, body.length);
	perun_buffer_add_text(&out, "</svg>\n");
	status = perun_output_write(canvas->output, out.data, out.length);
	heap_map_clear(&picture.map);
	perun_buffer_free(&body);
	perun_buffer_free(&out);
	return status;
}
