/* SPDX-License-Identifier: BSD-3-Clause */
/* A table of words by a hash that is the sum of their letters: words of the same letters are in one list. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { LISTS = 1024 };

struct entry {
	struct entry *next;
	const uint8_t *word;
	size_t length, count;
};

int LLVMFuzzerTestOneInput(const uint8_t *text, size_t size);

static int is_same(const struct entry *entry, const uint8_t *word, size_t length)
{
	if (entry->length != length)
		return 0;
	for (size_t i = 0; i < length; i++)
		if (entry->word[i] != word[i])
			return 0;
	return 1;
}

static void count(struct entry **lists, const uint8_t *word, size_t length)
{
	unsigned hash = 0;
	struct entry **at;

	for (size_t i = 0; i < length; i++)
		hash += word[i];
	for (at = &lists[hash % LISTS]; *at; at = &(*at)->next)
		if (is_same(*at, word, length)) {
			(*at)->count++;
			return;
		}
	*at = calloc(1, sizeof **at);
	(*at)->word = word;
	(*at)->length = length;
}

int LLVMFuzzerTestOneInput(const uint8_t *text, size_t size)
{
	static struct entry *lists[LISTS];
	size_t begin = 0;

	memset(lists, 0, sizeof lists);
	for (size_t i = 0; i <= size; i++) {
		if (i < size && text[i] != ' ' && text[i] != '\n')
			continue;
		if (i > begin)
			count(lists, text + begin, i - begin);
		begin = i + 1;
	}
	for (size_t i = 0; i < LISTS; i++)
		while (lists[i]) {
			struct entry *next = lists[i]->next;

			free(lists[i]);
			lists[i] = next;
		}
	return 0;
}
