/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers are inserted into a sorted list, from its beginning on: quadratic where they ascend. */
#include <stdint.h>
#include <stdlib.h>

struct node {
	int number;
	struct node *next;
};

int LLVMFuzzerTestOneInput(const uint8_t *text, size_t size);

static void insert(struct node **list, int number)
{
	struct node *made = malloc(sizeof *made);

	while (*list && (*list)->number < number)
		list = &(*list)->next;
	made->number = number;
	made->next = *list;
	*list = made;
}

int LLVMFuzzerTestOneInput(const uint8_t *text, size_t size)
{
	struct node *list = NULL;
	int number = 0, digits = 0;

	for (size_t i = 0; i <= size; i++) {
		if (i < size && text[i] >= '0' && text[i] <= '9') {
			number = (number * 10 + text[i] - '0') % 1000000;
			digits++;
		} else if (digits) {
			insert(&list, number);
			number = digits = 0;
		}
	}
	while (list) {
		struct node *next = list->next;

		free(list);
		list = next;
	}
	return 0;
}
