/* SPDX-License-Identifier: BSD-3-Clause */
/* The longest path, in edges, that files of the command line take: by it searches are compared. A thousand millions are the end. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { LIMIT = 1000000000 };

int LLVMFuzzerTestOneInput(const uint8_t *text, size_t size);
void __sanitizer_cov_trace_pc(void);

static uint64_t edges;

void __sanitizer_cov_trace_pc(void)
{
	if (++edges < LIMIT)
		return;
	printf("%d\n", LIMIT);
	exit(0);
}

int main(int argc, char **argv)
{
	static uint8_t text[1 << 20];
	uint64_t most = 0;

	for (int i = 1; i < argc; i++) {
		FILE *file = fopen(argv[i], "rb");
		size_t size = file ? fread(text, 1, sizeof text, file) : 0;

		if (file)
			fclose(file);
		edges = 0;
		LLVMFuzzerTestOneInput(text, size);
		most = edges > most ? edges : most;
	}
	printf("%llu\n", (unsigned long long)most);
	return 0;
}
