/* SPDX-License-Identifier: BSD-3-Clause */
/* The format of valgrind's callgrind: self costs of lines, and calls with their inclusive costs. */
#ifndef CALLGRIND_H
#define CALLGRIND_H

#include <perun/lib/callgraph.h>
#include <perun/format.h>
#include <perun/json.h>

/* Where costs are, and whose: strings of the builder, 0 = not said. */
struct callgrind_place {
	perun_id object, file, function;
	perun_id home; /* the file that the function is in; `file` is that of the line */
	uint64_t address;
	int64_t line;
};

/* A function that was called, and the stack of it alone. */
struct callgrind_known {
	perun_id object, file, function, stack;
	bool used;
};

/* A function of the builder, and the texts that it is made of. */
struct callgrind_function {
	bool known;
	perun_id name, file, object;
	perun_id function, mapping;
};

/* The tables that are filled. */
struct callgrind_tables {
	struct callgrind_function last;
	struct callgrind_known *known; /* the last ones, by their names' numbers */
	struct perun_builder *builder;
	struct perun_table_builder *self, *calls;
	struct perun_column_builder *stack, *caller, *callee, *count;
	/* NULL until needed */
	struct perun_column_builder *self_home, *call_home, *entry_line, *entry_address;
	struct perun_column_builder **self_costs, **call_costs; /* one for each event */
	int64_t *factors; /* what the file's costs of each event are multiplied by */
	size_t events;
};
/*
 * The unit in parentheses at the end of an event's name, and how much of it a cost of 1 is: 10 "ns" for Xdebug's
 * "Time_(10ns)". NULL = there is none; the caller frees it.
 */
char *callgrind_named_unit(const char *event, int64_t *count);
/* The column of the event at place `i`, in order not to be one of the others that the tables have; the caller frees it. */
char *callgrind_column_name(const char *event, size_t i);
void callgrind_tables_begin(struct callgrind_tables *tables, struct perun_builder *builder,
			    char *const *events, char *const *meanings, size_t count);
void callgrind_tables_free(struct callgrind_tables *tables);
void callgrind_add_self(struct callgrind_tables *tables, const struct callgrind_place *place,
			const int64_t *costs);
/* The line and the address of `callee` are those where it is entered: a function is one callee. */
void callgrind_add_call(struct callgrind_tables *tables, const struct callgrind_place *caller,
			const struct callgrind_place *callee, int64_t count, const int64_t *costs);

int callgrind_read(void *instance, struct perun_ctx *ctx, struct perun_input *input,
		   struct perun_builder *builder);
int callgrind_write(void *instance, struct perun_ctx *ctx, const struct perun_profile *profile,
		    struct perun_output *output);

#endif
