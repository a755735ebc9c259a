/* SPDX-License-Identifier: BSD-3-Clause */
/* Quicksort of numbers that takes the first as the pivot: quadratic where they are sorted already. */
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *text, size_t size);

static void sort(int *numbers, size_t count)
{
	while (count > 1) {
		int pivot = numbers[0];
		size_t less = 0;

		for (size_t i = 1; i < count; i++)
			if (numbers[i] < pivot) {
				int number = numbers[i];

				less++;
				numbers[i] = numbers[less];
				numbers[less] = number;
			}
		numbers[0] = numbers[less];
		numbers[less] = pivot;
		if (less < count - less) {
			sort(numbers, less);
			numbers += less + 1;
			count -= less + 1;
		} else {
			sort(numbers + less + 1, count - less - 1);
			count = less;
		}
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *text, size_t size)
{
	int *numbers = malloc((size + 1) * sizeof *numbers), number = 0, digits = 0;
	size_t count = 0;

	for (size_t i = 0; i <= size; i++) {
		if (i < size && text[i] >= '0' && text[i] <= '9') {
			number = (number * 10 + text[i] - '0') % 1000000;
			digits++;
		} else if (digits) {
			numbers[count++] = number;
			number = digits = 0;
		}
	}
	sort(numbers, count);
	free(numbers);
	return 0;
}
