/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Units of measured values, and how they convert. Of the growing part of the interface: see
 * perun/lib/version.h. All functions may be called on any thread.
 */
#ifndef PERUN_LIB_UNITS_H
#define PERUN_LIB_UNITS_H

#include <perun/lib/version.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Units of one kind convert into each other: time (ns ... h) and bytes (B ... PB, powers of 1024). */
enum perun_unit_kind {
	PERUN_UNIT_COUNT, /* no unit, or "count", "samples", "objects": numbers alone */
	PERUN_UNIT_TIME,  /* in nanoseconds when multiplied by the factor */
	PERUN_UNIT_BYTES, /* in bytes */
	PERUN_UNIT_OTHER  /* any other unit */
};

struct perun_unit {
	enum perun_unit_kind kind;
	long double factor;
	const char *name; /* as given; borrowed */
};

/* What is known of a unit; NULL is "". */
PERUN_EXPORT struct perun_unit perun_unit_of(const char *name);
/*
 * What an amount in `from` is multiplied with to be one in `to`; 0 when they do not convert. Quotients convert by
 * their parts: "ms/frame" to "us/frame", "MB/s" to "KB/ms".
 */
PERUN_EXPORT long double perun_unit_factor(const char *from, const char *to);
/*
 * Append an amount as people read it: four digits and the unit that suits it ("3.217 ms", "70 us/op"), whole counts in full, units
 * that nothing is known of as they are ("1.025/s", "12 frames").
 */
PERUN_EXPORT void perun_add_amount(struct perun_buffer *out, double amount, const char *unit);

#ifdef __cplusplus
}
#endif
#endif
