/* SPDX-License-Identifier: BSD-3-Clause */
/* A figure as data. */
#ifndef PERUN_VIEWS_COMMON_CHART_JSON_H
#define PERUN_VIEWS_COMMON_CHART_JSON_H

#include "views/common/chart-draw.h"

/*
 * Members of an open object: title, subtitle, charts. For a page many points are packed, and lines
 * thinned to more than any screen shows. Safe inside a script element.
 */
void views_add_charts(const struct views_figure *figure, bool page, struct perun_buffer *out);
void views_add_base64(struct perun_buffer *out, const void *data, size_t size);

#endif
