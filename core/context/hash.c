/* SPDX-License-Identifier: BSD-3-Clause */
/* The secret that the hashes of a process share. */
#include <config.h>

#include <sys/auxv.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include <perun/lib/hash.h>

#include "core/context/hash.h"

uint64_t perun_hash_secret, perun_hash_odd;

/* From the 16 random bytes that the kernel gives every process, without a system call. */
__attribute__((constructor)) static void make_secret(void)
{
	const void *random = (const void *)getauxval(AT_RANDOM);
	uint64_t words[2] = {0, 0};
	struct timespec now;

	if (random)
		memcpy(words, random, sizeof words);
	else if (getrandom(words, sizeof words, GRND_NONBLOCK) != (ssize_t)sizeof words)
		words[0] = (uint64_t)getpid();
	clock_gettime(CLOCK_MONOTONIC, &now);
	perun_hash_secret = perun_hash_mix(words[0] ^ PERUN_HASH_1,
					   words[1] ^ (uint64_t)now.tv_nsec ^ PERUN_HASH_2);
	perun_hash_odd = perun_hash_word(words[1], perun_hash_secret) | 1;
}

uint64_t perun_hash_number(uint64_t number)
{
	return perun_hash_word(number, perun_hash_secret);
}

uint64_t perun_hash_text(const char *text, size_t length)
{
	return perun_hash_bytes(text, length, perun_hash_secret);
}
