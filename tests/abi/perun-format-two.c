/* SPDX-License-Identifier: BSD-3-Clause */
/* A format for the tests of probing. */
#define FORMAT two
#define LETTER 'x'
#define SURE   60
#include "tests/abi/format.h"
