/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The Content-Security-Policy of a page of HTML: nothing runs or styles it but the scripts and styles that
 * its writer put into it, which are named by their hashes; and texts in pages. Of the growing part of the interface:
 * see perun/lib/version.h.
 *
 * Style attributes and event handler attributes are blocked: use classes, presentation attributes of SVG,
 * and addEventListener() and element.style in a script. Data in elements <script type="application/json">
 * does not run and needs no hash.
 * Threads: pure functions, for any thread.
 */
#ifndef PERUN_LIB_PAGE_H
#define PERUN_LIB_PAGE_H

#include <perun/context.h>

#ifdef __cplusplus
extern "C" {
#endif

/* {0} allows nothing. */
struct perun_page_policy {
	struct perun_buffer scripts, styles; /* sources as the policy writes them */
};

/*
 * Allow a script or style element with exactly this text between its tags. Pass only text of the program,
 * never any that depends on what was read. The text has no '\r' and no '\0', which browsers replace.
 */
PERUN_EXPORT void perun_page_allow_script(struct perun_page_policy *policy, const void *text,
					  size_t size);
PERUN_EXPORT void perun_page_allow_style(struct perun_page_policy *policy, const void *text,
					 size_t size);
/* The policy of a page, the caller's; NULL unless its element is in the first 16 KB and before <title>. */
PERUN_EXPORT char *perun_page_find_policy(const char *page, size_t size);
/*
 * Allow the scripts and styles that the policy of `page` allows: for a page in an attribute srcdoc, which
 * obeys the policy of the page around it besides its own.
 */
PERUN_EXPORT void perun_page_allow_frame(struct perun_page_policy *policy, const char *page,
					 size_t size);
/* Append the element <meta>, which belongs in <head> before all scripts and styles, and reset the policy to {0}. */
PERUN_EXPORT void perun_page_add_policy(struct perun_page_policy *policy, struct perun_buffer *out);

/* What has a meaning in HTML and XML, within attributes as well. */
#define PERUN_PAGE_MARKS "&<>\"'"
/* Append `size` bytes, in which each character of `marks` (ASCII) is written as &#N;. */
PERUN_EXPORT void perun_page_add_text(struct perun_buffer *out, const char *text, size_t size,
				      const char *marks);
/* Append JSON for an element <script>: each '<', which only strings have, as an escape, so that nothing ends the element. */
PERUN_EXPORT void perun_page_add_json(struct perun_buffer *out, const char *json, size_t size);

#ifdef __cplusplus
}
#endif
#endif
