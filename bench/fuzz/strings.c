/* SPDX-License-Identifier: BSD-3-Clause */
/* A text is put together word by word, and copied each time: quadratic in the number of words. */
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *text, size_t size);

static char *join(char *text, size_t *length, const uint8_t *word, size_t size)
{
	char *longer = malloc(*length + size + 1);

	for (size_t i = 0; i < *length; i++)
		longer[i] = text[i];
	for (size_t i = 0; i < size; i++)
		longer[*length + i] = (char)word[i];
	*length += size;
	free(text);
	return longer;
}

/* Words are between commas; others than those in quotes are passed over. */
int LLVMFuzzerTestOneInput(const uint8_t *text, size_t size)
{
	char *joined = NULL;
	size_t length = 0;

	for (size_t i = 0; i < size; i++) {
		size_t end = i;

		while (end < size && text[end] != ',')
			end++;
		if (end > i + 1 && text[i] == '"' && text[end - 1] == '"')
			joined = join(joined, &length, text + i, end - i);
		i = end;
	}
	free(joined);
	return 0;
}
