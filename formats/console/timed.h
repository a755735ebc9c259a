/* SPDX-License-Identifier: BSD-3-Clause */
/* What time and timeit print of a whole program or a piece of one: shells', GNU's and BSD's time, Python's timeit, IPython. */
#ifndef PERUN_FORMATS_CONSOLE_TIMED_H
#define PERUN_FORMATS_CONSOLE_TIMED_H

#include "formats/common/benchmark.h"

struct timed {
	struct benchmark *benchmark; /* borrowed */
	char *command;               /* of the lines that follow; NULL = they do not say it */
};

/* "1:02:03.5", "0:00.01", "12.5": the bytes that it has, 0 = it is no time. A letter may follow: "0:00.01elapsed". */
size_t timed_clock(const char *text, double *seconds);
/* How sure it is that the first bytes are such, 0 to 100. */
int timed_probe(const struct perun_probe *probe);
/* Take a line, without blanks around it, which is changed; false: it is another one. */
bool timed_take(struct timed *timed, char *line);
void timed_end(struct timed *timed);

#endif
