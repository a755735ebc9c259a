/* SPDX-License-Identifier: BSD-3-Clause */
/* What a view writes to a terminal, as SVG: its text, colours and bars. */
#ifndef PERUN_VIEWS_COMMON_TEXT_SVG_H
#define PERUN_VIEWS_COMMON_TEXT_SVG_H

#include <perun/view.h>

/* As perun_view_ops.show. */
typedef int views_show(void *instance, struct perun_ctx *ctx, struct perun_profile *const *profiles,
		       const char *const *names, size_t count, const struct perun_canvas *canvas);

enum { VIEWS_TEXT_COLUMNS = 110, VIEWS_TEXT_LINES = 2000 };
/*
 * Call `show` with a canvas like a terminal of VIEWS_TEXT_COLUMNS columns with colours, and write what
 * it wrote to `canvas` as SVG: lines of letters of one width, blocks of bars as rectangles. Longer lines
 * make the picture wider. Of more than VIEWS_TEXT_LINES lines the first, and how many more there are.
 */
int views_show_svg(views_show *show, void *instance, struct perun_ctx *ctx,
		   struct perun_profile *const *profiles, const char *const *names, size_t count,
		   const struct perun_canvas *canvas);

#endif
