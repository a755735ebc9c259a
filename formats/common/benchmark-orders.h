/* SPDX-License-Identifier: BSD-3-Clause */
/* The order of a measurement among those of its series: a benchmark, what is measured, and what part of it. */
#ifndef PERUN_FORMATS_COMMON_BENCHMARK_ORDERS_H
#define PERUN_FORMATS_COMMON_BENCHMARK_ORDERS_H

#include <perun/profile.h>

#include <stdint.h>

/* By texts of the builder. */
struct series {
	perun_id uid, type, subtype;
};

struct measured {
	perun_id type, subtype;
};

enum { ORDERS_FIRSTS = 3, ORDERS_LAST = 8 };

/* Series as they came, of few bytes each. */
struct orders_packed {
	unsigned char **blocks, *at, *end; /* where the next one goes */
	size_t block_count, block_room;
	size_t count;
	struct series last[ORDERS_LAST];
	perun_id highest; /* type */
	/* Of the last benchmark: how many series it has, and the highest type and subtype of these but the first. */
	size_t own;
	perun_id own_type, own_subtype;
	/* These, and what followed them in the benchmark before, all different. */
	struct measured *pattern;
	size_t pattern_count, pattern_room;
	uint32_t *own_slots; /* of many: numbers of these + 1, by their hash; a power of two */
	size_t own_slot_count;
};

/* {0} is one of no measurements, to be freed with orders_free(). */
struct orders {
	/* Until a series is met again, or a benchmark after others: all measurements, packed. Names are numbered as they come. */
	struct orders_packed packed;
	uint64_t end; /* one more than the highest uid */
	bool counted; /* all are in what follows */
	struct counted_first
		*firsts[ORDERS_FIRSTS]; /* by uid each: the first series of a benchmark */
	size_t first_sizes[ORDERS_FIRSTS];
	struct counted_series *others; /* all others, in the order in which they came */
	size_t other_count, other_room;
	uint32_t *slots; /* by their hash; a power of two */
	size_t slot_count;
};

/* The order of the first one of `count` measurements that follow each other. */
uint32_t orders_next(struct orders *orders, const struct series *series, uint32_t count);
void orders_free(struct orders *orders);

#endif
