/* SPDX-License-Identifier: BSD-3-Clause */
/* A format for the tests of probing. */
#define FORMAT three
#define LETTER 'x'
#define SURE   100
#include "tests/abi/format.h"
