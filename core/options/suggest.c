/* SPDX-License-Identifier: BSD-3-Clause */
/* The nearest of some names, for "did you mean". */
#include <ctype.h>
#include <string.h>

#include <perun/lib/options.h>

/* Longer words are not compared: nobody mistypes them by a few letters. */
enum { LONGEST = 64 };

static int letter(char c)
{
	return c == '_' ? '-' : tolower((unsigned char)c);
}

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

size_t perun_word_distance(const char *one, const char *other)
{
	size_t rows[3][LONGEST + 1];
	size_t n = strlen(one), m = strlen(other);

	if (n > LONGEST || m > LONGEST)
		return strcmp(one, other) == 0 ? 0 : LONGEST;
	for (size_t j = 0; j <= m; j++)
		rows[0][j] = j;
	for (size_t i = 1; i <= n; i++) {
		size_t *row = rows[i % 3], *above = rows[(i + 2) % 3], *top = rows[(i + 1) % 3];

		row[0] = i;
		for (size_t j = 1; j <= m; j++) {
			bool same = letter(one[i - 1]) == letter(other[j - 1]);

			row[j] = least(above[j] + 1, row[j - 1] + 1);
			row[j] = least(row[j], above[j - 1] + !same);
			if (i > 1 && j > 1 && letter(one[i - 1]) == letter(other[j - 2]) &&
			    letter(one[i - 2]) == letter(other[j - 1]))
				row[j] = least(row[j], top[j - 2] + 1);
		}
	}
	return rows[n % 3][m];
}

const char *perun_suggest(const char *word, const char *const *names, size_t count)
{
	size_t length = strlen(word), best_distance = length / 3 + 1;
	const char *best = NULL;

	for (size_t i = 0; i < count; i++) {
		size_t distance = perun_word_distance(word, names[i]);

		/* "norm" means "normalizer", however many letters are missing. */
		if (length >= 3 && strncmp(word, names[i], length) == 0)
			distance = 1;
		if (distance < best_distance && distance < length) {
			best_distance = distance;
			best = names[i];
		}
	}
	return best;
}
