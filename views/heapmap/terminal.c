/* SPDX-License-Identifier: BSD-3-Clause */
/* The map as an interactive program of the terminal, by ncurses. */
#include <config.h>

#include "heapmap.h"

#ifdef HAVE_NCURSES

#include <inttypes.h>
#include <ncurses.h>
#include <stdlib.h>
#include <string.h>

#include "views/common/chart-draw.h"
#include "views/common/text.h"

enum { TOP = 4, BOTTOM = 8, ADDRESS = 15, MIN_LINES = 3, MIN_COLUMNS = 16 };
enum { RAMP = 8, PAIR_PLACE = 1, PAIR_HEAT = PAIR_PLACE + HEAP_OTHERS + 1, PAIR_FREE = 24 };
enum { TICK = 100 }; /* milliseconds */

struct screen {
	struct perun_ctx *ctx;
	const struct heap *heap;
	struct heap_map map;
	struct heap_cell *cells; /* of the lines that are seen */
	size_t snapshot;
	uint64_t address;           /* where the cursor is, which stays when the map changes */
	size_t line, column, first; /* of the cursor; the first line that is seen */
	size_t seen;
	uint64_t cell; /* bytes; 0 = as little as possible */
	bool heat, playing, ascii, color;
	unsigned waited; /* ticks since the last step */
};

/* ---- colours --------------------------------------------------------------------------------- */

/* The nearest of the eight colours that every terminal has. */
static short plain_color(struct views_rgb rgb)
{
	return (short)((rgb.red > 127 ? COLOR_RED : 0) | (rgb.green > 127 ? COLOR_GREEN : 0) |
		       (rgb.blue > 127 ? COLOR_BLUE : 0));
}

static void make_pair(int pair, struct views_rgb rgb)
{
	short color = COLORS >= 256 ? (short)views_terminal_color(rgb) : plain_color(rgb);

	init_pair((short)pair, color ? color : COLOR_WHITE, -1);
}

static void start_colors(struct screen *screen)
{
	screen->color = has_colors() && !getenv("NO_COLOR");
	if (!screen->color)
		return;
	start_color();
	use_default_colors();
	for (unsigned i = 0; i <= HEAP_OTHERS; i++)
		make_pair(PAIR_PLACE + (int)i, views_palette(i, true));
	for (int i = 0; i < RAMP; i++)
		make_pair(PAIR_HEAT + i, views_ramp(0.15 + 0.85 * i / (RAMP - 1)));
	make_pair(PAIR_FREE, (struct views_rgb){0x60, 0x60, 0x60});
}

static attr_t cell_look(const struct screen *screen, const struct heap_cell *cell, uint32_t hottest)
{
	if (!screen->color)
		return A_NORMAL;
	if (screen->heat)
		return COLOR_PAIR(PAIR_HEAT + (int)(heap_heat(cell, hottest) * (RAMP - 1)));
	if (cell->block == UINT32_MAX)
		return COLOR_PAIR(PAIR_FREE);
	return COLOR_PAIR(PAIR_PLACE + (int)heap_color(&screen->heap->blocks[cell->block]));
}

/* ---- where the cursor is --------------------------------------------------------------------- */

static void place_cursor(struct screen *screen)
{
	uint64_t address, gap;
	const uint64_t bytes = screen->map.cell * screen->map.columns;

	screen->line = heap_map_find(&screen->map, screen->address);
	heap_map_line(&screen->map, screen->line, &address, &gap);
	screen->column = screen->address >= address && screen->address - address < bytes
				 ? (size_t)((screen->address - address) / screen->map.cell)
				 : 0;
	if (screen->line < screen->first)
		screen->first = screen->line;
	if (screen->line >= screen->first + screen->seen)
		screen->first = screen->line - screen->seen + 1;
	if (screen->first + screen->seen > screen->map.lines)
		screen->first =
			screen->map.lines > screen->seen ? screen->map.lines - screen->seen : 0;
}

/* From the cursor's line to another, over gaps. */
static void move_line(struct screen *screen, long change)
{
	const long last = (long)screen->map.lines - 1;
	long line = (long)screen->line + change;
	uint64_t address, gap;

	line = line < 0 ? 0 : line > last ? last : line;
	if (!heap_map_line(&screen->map, (size_t)line, &address, &gap))
		line += change < 0 ? -1 : 1;
	heap_map_line(&screen->map, (size_t)line, &address, &gap);
	screen->address = address + screen->column * screen->map.cell;
}

static void move_column(struct screen *screen, long change)
{
	const long column = (long)screen->column + change;

	if (column < 0 && screen->line > 0) {
		screen->column = screen->map.columns - 1;
		move_line(screen, -1);
	} else if (column >= (long)screen->map.columns && screen->line + 1 < screen->map.lines) {
		screen->column = 0;
		move_line(screen, 1);
	} else if (column >= 0 && column < (long)screen->map.columns) {
		screen->column = (size_t)column;
		move_line(screen, 0);
	}
}

/* To the next block that is in use after the cursor's cell, or before it. */
static void move_block(struct screen *screen, bool back)
{
	const struct heap *heap = screen->heap;
	const uint64_t here = screen->address / screen->map.cell;
	uint64_t best = UINT64_MAX;

	for (size_t i = 0; i < heap->count; i++) {
		const uint64_t there = heap->blocks[i].start / screen->map.cell;

		if (!heap_has(&heap->blocks[i], screen->snapshot))
			continue;
		if (!back && there > here && (best == UINT64_MAX || there < best))
			best = there;
		if (back && there < here && (best == UINT64_MAX || there > best))
			best = there;
	}
	if (best != UINT64_MAX)
		screen->address = best * screen->map.cell;
}

/* ---- drawing --------------------------------------------------------------------------------- */

static void add_text(const struct screen *screen, int y, int x, attr_t look, const char *text)
{
	struct perun_buffer fitted = {0};

	if (x >= COLS || y < 0 || y >= LINES)
		return;
	views_add_clipped(&fitted, text, (size_t)(COLS - x), screen->ascii);
	attrset(look);
	mvaddstr(y, x, fitted.data ? fitted.data : "");
	attrset(A_NORMAL);
	perun_buffer_free(&fitted);
}

static void draw_head(const struct screen *screen)
{
	struct perun_buffer text = {0};

	perun_buffer_printf(&text, " heap of %s%s%s", screen->heap->name,
			    screen->heat ? "  [heat]" : "", screen->playing ? "  [playing]" : "");
	attrset(A_REVERSE);
	mvhline(0, 0, ' ', COLS);
	attrset(A_NORMAL);
	add_text(screen, 0, 0, A_REVERSE | A_BOLD, text.data);
	perun_buffer_clear(&text);
	heap_add_status(screen->heap, screen->snapshot, &text);
	add_text(screen, 1, 0, A_NORMAL, text.data);
	perun_buffer_free(&text);
}

/* The amounts of the snapshots as bars; that of the one that is shown is highlighted. */
static void draw_history(const struct screen *screen)
{
	const struct heap *heap = screen->heap;
	const size_t count = heap->snapshot_count, room = (size_t)(COLS - ADDRESS);
	const size_t columns = count < room ? count : room;
	struct perun_buffer peak = {0};

	heap_add_bytes(&peak, heap->peak);
	move(2, 0);
	attrset(A_DIM);
	printw("%*s ", ADDRESS - 1, peak.data);
	for (size_t i = 0; i < columns; i++) {
		const size_t from = i * count / columns, to = (i + 1) * count / columns;

		attrset(screen->snapshot >= from && screen->snapshot < to ? A_REVERSE | A_BOLD
									  : A_NORMAL);
		addstr(heap_bar(heap, from, to, screen->ascii));
	}
	attrset(A_NORMAL);
	perun_buffer_free(&peak);
}

static void draw_line(const struct screen *screen, size_t row, uint32_t hottest)
{
	const size_t line = screen->first + row;
	const struct heap_cell *cells = screen->cells + row * screen->map.columns;
	struct perun_buffer text = {0};
	uint64_t address, gap;

	if (!heap_map_line(&screen->map, line, &address, &gap)) {
		perun_buffer_printf(&text, "%*s", ADDRESS, screen->ascii ? "... " : "⋯ ");
		heap_add_bytes(&text, (double)gap);
		add_text(screen, TOP + (int)row, 0, A_DIM, text.data);
		perun_buffer_free(&text);
		return;
	}
	attrset(A_DIM);
	mvprintw(TOP + (int)row, 0, "%#*" PRIx64 " ", ADDRESS - 1, address);
	for (size_t i = 0; i < screen->map.columns; i++) {
		const bool here = line == screen->line && i == screen->column;

		attrset(cell_look(screen, &cells[i], hottest) | (here ? A_REVERSE | A_BOLD : 0));
		addstr(heap_glyph(&screen->map, &cells[i], hottest, screen->heat, screen->color,
				  screen->ascii));
	}
	attrset(A_NORMAL);
}

/* "0x55…: 64 B by malloc in snapshot 2 at 3.00 ms, 16 B from its start" */
static void add_block(const struct screen *screen, const struct heap_cell *cell,
		      struct perun_buffer *text)
{
	const struct heap_block *block = &screen->heap->blocks[cell->block];
	const struct views_allocation *one = &screen->heap->allocations.items[block->allocation];

	perun_buffer_printf(text, "%#" PRIx64 ": ", block->start);
	heap_add_bytes(text, (double)block->size);
	perun_buffer_printf(text, " by %s in snapshot %" PRId64,
			    *one->kind ? one->kind : "allocation",
			    screen->heap->snapshots[block->born].number);
	if (block->died < screen->heap->snapshot_count)
		perun_buffer_printf(text, ", freed in %" PRId64,
				    screen->heap->snapshots[block->died].number);
	else
		perun_buffer_add_text(text, ", never freed");
}

static void draw_stack(const struct screen *screen, const struct heap_cell *cell, int y)
{
	const struct heap_block *block = &screen->heap->blocks[cell->block];
	const struct views_allocation *one = &screen->heap->allocations.items[block->allocation];
	const int room = LINES - 1 - y;
	size_t count;
	struct views_frame *frames =
		views_allocation_frames(&screen->heap->allocations, one, &count);

	for (int i = 0; i < room && (size_t)i < count; i++) {
		struct perun_buffer text = {0};

		if (i + 1 == room && count > (size_t)room) {
			perun_buffer_printf(&text, "  %zu more calls", count - (size_t)i);
			add_text(screen, y + i, 0, A_DIM, text.data);
			perun_buffer_free(&text);
			break;
		}
		perun_buffer_add_text(&text, i ? screen->ascii ? "< " : "← " : "  ");
		views_add_fitted(&text, *frames[i].function ? frames[i].function : "(unknown)",
				 COLS > 60 ? (size_t)COLS - 32 : (size_t)COLS - 2, screen->ascii);
		if (*frames[i].file)
			perun_buffer_printf(&text, "  %s:%" PRId64, frames[i].file, frames[i].line);
		add_text(screen, y + i, 0, A_NORMAL, text.data);
		perun_buffer_free(&text);
	}
	perun_free(frames);
}

/* What the cursor is at. */
static void draw_details(const struct screen *screen)
{
	const size_t row = screen->line - screen->first;
	const struct heap_cell *cell = &screen->cells[row * screen->map.columns + screen->column];
	const int y = LINES - BOTTOM;
	struct perun_buffer text = {0};

	attrset(A_DIM);
	if (screen->ascii)
		mvhline(y, 0, '-', COLS);
	else
		for (int i = 0; i < COLS; i++)
			mvaddstr(y, i, "─");
	attrset(A_NORMAL);
	perun_buffer_printf(&text, "%#" PRIx64 ", a cell is ",
			    screen->address / screen->map.cell * screen->map.cell);
	heap_add_bytes(&text, (double)screen->map.cell);
	perun_buffer_printf(&text, ", allocated %" PRIu32 " time%s until now", cell->heat,
			    cell->heat == 1 ? "" : "s");
	add_text(screen, y + 1, 0, A_DIM, text.data);
	perun_buffer_clear(&text);
	if (cell->block == UINT32_MAX) {
		add_text(screen, y + 2, 0, A_NORMAL, "not in use");
	} else {
		add_block(screen, cell, &text);
		add_text(screen, y + 2, 0, A_BOLD, text.data);
		draw_stack(screen, cell, y + 3);
	}
	perun_buffer_free(&text);
}

static void draw(struct screen *screen)
{
	const size_t columns = ((size_t)COLS - ADDRESS) / 16 * 16; /* round addresses */
	uint32_t hottest;

	screen->seen = (size_t)(LINES - TOP - BOTTOM);
	heap_map_clear(&screen->map);
	heap_map_make(screen->heap, screen->cell, columns, screen->seen, &screen->map);
	place_cursor(screen);
	perun_free(screen->cells);
	screen->cells = perun_alloc_zero(screen->seen * columns, sizeof *screen->cells);
	hottest = heap_map_paint(&screen->map, screen->snapshot, screen->first, screen->seen,
				 screen->cells);
	erase();
	draw_head(screen);
	draw_history(screen);
	for (size_t i = 0; i < screen->seen && screen->first + i < screen->map.lines; i++)
		draw_line(screen, i, hottest);
	draw_details(screen);
	add_text(screen, LINES - 1, 0, A_REVERSE,
		 screen->ascii ? " Arrows move  Tab next block  n p snapshot  Space play  h heat  "
				 "+ - zoom  q quit "
			       : " ←↑↓→ move  Tab next block  n p snapshot  Space play  h heat  "
				 "+ - zoom  q quit ");
	move(TOP + (int)(screen->line - screen->first), ADDRESS + (int)screen->column);
	refresh();
}

/* ---- keys ------------------------------------------------------------------------------------ */

static void step(struct screen *screen, long change)
{
	const long last = (long)screen->heap->snapshot_count - 1;
	const long to = (long)screen->snapshot + change;

	screen->snapshot = (size_t)(to < 0 ? 0 : to > last ? last : to);
}

static void zoom(struct screen *screen, bool in)
{
	const uint64_t cell = screen->map.cell;

	if (in && cell > HEAP_MIN_CELL)
		screen->cell = cell / 2;
	/* Further out all would be one line. */
	if (!in && screen->map.lines > 1)
		screen->cell = cell * 2;
}

static void move_by_key(struct screen *screen, int key)
{
	switch (key) {
	case KEY_UP:
		move_line(screen, -1);
		break;
	case KEY_DOWN:
		move_line(screen, 1);
		break;
	case KEY_LEFT:
		move_column(screen, -1);
		break;
	case KEY_RIGHT:
		move_column(screen, 1);
		break;
	case KEY_PPAGE:
		move_line(screen, -(long)screen->seen);
		break;
	case KEY_NPAGE:
		move_line(screen, (long)screen->seen);
		break;
	case '\t':
		move_block(screen, false);
		break;
	case KEY_BTAB:
		move_block(screen, true);
		break;
	default:
		break;
	}
}

/* Whether to go on. */
static bool act(struct screen *screen, int key)
{
	switch (key) {
	case 'q':
	case 27:
		return false;
	case 'n':
	case 'p':
		step(screen, key == 'n' ? 1 : -1);
		screen->playing = false;
		break;
	case KEY_HOME:
	case 'g':
		screen->snapshot = 0;
		break;
	case KEY_END:
	case 'G':
		screen->snapshot = screen->heap->snapshot_count - 1;
		break;
	case ' ':
		screen->playing = !screen->playing;
		if (screen->playing && screen->snapshot + 1 == screen->heap->snapshot_count)
			screen->snapshot = 0;
		break;
	case 'h':
		screen->heat = !screen->heat;
		break;
	case '+':
	case '=':
	case '-':
		zoom(screen, key != '-');
		break;
	default:
		move_by_key(screen, key);
		break;
	}
	return true;
}

/* A whole run takes ten seconds at most, a step half a second at most. */
static void play(struct screen *screen)
{
	const size_t count = screen->heap->snapshot_count;

	if (++screen->waited < 3)
		return;
	screen->waited = 0;
	step(screen, count > 34 ? (long)(count / 34) : 1);
	if (screen->snapshot + 1 == count)
		screen->playing = false;
}

static bool is_too_small(void)
{
	return LINES < TOP + BOTTOM + MIN_LINES || COLS < ADDRESS + MIN_COLUMNS;
}

static void run(struct screen *screen)
{
	bool changed = true;

	for (;;) {
		int key;

		if (is_too_small()) {
			erase();
			mvaddnstr(0, 0, "Too small", COLS);
			refresh();
		} else if (changed) {
			draw(screen);
		}
		key = getch();
		if (perun_cancelled(screen->ctx))
			return;
		changed = key != ERR || screen->playing;
		/* Without a map there is nothing to move on. */
		if (is_too_small() || !screen->cells) {
			if (key == 'q')
				return;
			continue;
		}
		if (key != ERR && !act(screen, key))
			return;
		if (key == ERR && screen->playing)
			play(screen);
	}
}

/* ---- the terminal ---------------------------------------------------------------------------- */

bool heapmap_can_interact(void)
{
	return true;
}

int heapmap_interact(struct perun_ctx *ctx, const struct heap *heap, const struct heapmap *heapmap,
		     const struct perun_canvas *canvas)
{
	struct screen screen = {.ctx = ctx,
				.heap = heap,
				.heat = heapmap->heat,
				.ascii = canvas->ascii,
				.cell = perun_option_size(heapmap->options, "cell"),
				.address = heap->blocks[0].start};
	FILE *terminal = fopen("/dev/tty", "r+");
	SCREEN *curses = NULL;
	int status = PERUN_OK;

	if (terminal)
		curses = newterm(NULL, terminal, terminal);
	if (curses) {
		set_term(curses);
		set_escdelay(25);
		cbreak();
		noecho();
		keypad(stdscr, TRUE);
		timeout(TICK);
		start_colors(&screen);
		run(&screen);
		endwin();
		delscreen(curses);
	} else {
		status = perun_fail(ctx, PERUN_INPUT,
				    "this terminal cannot show an interactive map; --snapshot N "
				    "prints one snapshot");
	}
	if (terminal)
		fclose(terminal);
	heap_map_clear(&screen.map);
	perun_free(screen.cells);
	return status;
}

#else

bool heapmap_can_interact(void)
{
	return false;
}

int heapmap_interact(struct perun_ctx *ctx, const struct heap *heap, const struct heapmap *heapmap,
		     const struct perun_canvas *canvas)
{
	(void)heap;
	(void)heapmap;
	(void)canvas;
	return perun_fail(ctx, PERUN_MISSING, "perun was built without ncurses");
}

#endif
