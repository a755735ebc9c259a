/* SPDX-License-Identifier: BSD-3-Clause */
/* The parts of the view `alloclist`: which allocations are reported, each with a small call tree. */
#ifndef PERUN_VIEWS_ALLOCLIST_ALLOCLIST_H
#define PERUN_VIEWS_ALLOCLIST_ALLOCLIST_H

#include "views/common/allocations.h"

enum alloclist_mode {
	ALLOCLIST_ALL, /* as they were made */
	ALLOCLIST_TOP, /* the largest */
	ALLOCLIST_MAX, /* places that allocate most often */
	ALLOCLIST_SUM, /* places that allocate most memory */
	ALLOCLIST_FUNC /* those of one function, the largest first */
};

/* A call: the first is the place itself, those below it are its callers, or theirs. */
struct alloclist_call {
	struct views_frame frame;
	unsigned depth;
	double amount, count;
	bool last;     /* of the callers of one function */
	bool branches; /* one of several callers */
	size_t merged; /* represents this many small ones; `frame` is empty */
	size_t deeper; /* represents this many frames that are not shown */
};

/* One allocation, or all of one place. */
struct alloclist_entry {
	const struct views_allocation *first; /* the only one, or the first of the place */
	uint32_t *members; /* numbers of allocations, borrowed from alloclist.members */
	size_t member_count;
	double amount, count, largest;
	struct alloclist_call *calls;
	size_t call_count, call_capacity;
};

struct alloclist {
	const struct perun_options *options;
	const char *name; /* of the profile */
	enum alloclist_mode mode;
	bool grouped; /* entries are places */
	struct views_allocations allocations;
	uint32_t *members;
	struct alloclist_entry *entries; /* what is shown */
	size_t entry_count;
	size_t chosen;             /* allocations, or places, that the mode and the options chose */
	size_t chosen_allocations; /* allocations among them */
	double amount, count;      /* of all chosen */
	double whole;              /* what shares are shares of: everything that was allocated */
	size_t freed;              /* records of memory given back that are left out */
};

/* Choose and sort what is shown, and make its call trees. */
int alloclist_choose(struct perun_ctx *ctx, struct alloclist *list);
void alloclist_clear(struct alloclist *list);
/* The calls of an entry, at most `depth` of one below another. */
void alloclist_add_calls(const struct alloclist *list, struct alloclist_entry *entry,
			 unsigned depth);

/* "the 20 largest of 4,096 allocations, 32.1 KiB in all" */
void alloclist_add_summary(const struct alloclist *list, struct perun_buffer *out, bool ascii);
/* "list.c:88", "" where nothing is known. */
void alloclist_add_place(struct perun_buffer *out, const struct views_frame *frame);
/* What is beside the amount of an entry: "malloc at 0x55… · snapshot 3 · 0.004 s". */
void alloclist_add_facts(const struct alloclist *list, const struct alloclist_entry *entry,
			 struct perun_buffer *out);

int alloclist_write_text(const struct alloclist *list, const struct perun_canvas *canvas);
int alloclist_write_json(const struct alloclist *list, const struct perun_canvas *canvas);
int alloclist_write_html(const struct alloclist *list, const struct perun_canvas *canvas);

extern const unsigned char alloclist_page_html[], alloclist_page_css[], alloclist_page_js[];
extern const unsigned long alloclist_page_html_size, alloclist_page_css_size,
	alloclist_page_js_size;

#endif
