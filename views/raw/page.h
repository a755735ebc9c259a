/* SPDX-License-Identifier: BSD-3-Clause */
/* Profiles as a page whose parts unfold. */
#ifndef PERUN_VIEWS_RAW_PAGE_H
#define PERUN_VIEWS_RAW_PAGE_H

#include <perun/profile.h>
#include <perun/view.h>

/* Write the page; the texts are one JSON document for each of the names. */
int raw_write_page(const struct perun_buffer *texts, const char *const *names, size_t count,
		   struct perun_output *output);

#endif
