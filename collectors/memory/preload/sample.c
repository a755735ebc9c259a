/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sampling by bytes: each byte that is allocated is a sample with the same small probability, so that the
 * bytes between samples follow the exponential distribution (a Poisson process). An allocation is
 * recorded if one of its bytes is.
 */
#include <sys/mman.h>

#include "preload.h"

#define ADDRESSES ((size_t)1 << 20)
#define REMOVED   1u

__thread uint64_t sample_left __attribute__((tls_model("initial-exec")));
_Atomic uint8_t sample_classes[SAMPLE_CLASSES];

static __thread uint64_t random_state __attribute__((tls_model("initial-exec")));
static _Atomic(_Atomic uintptr_t *) addresses;

/* xorshift64* (Vigna 2016), in (0, 1]. */
static double next_random(void)
{
	uint64_t x = random_state;

	if (!x)
		x = collectors_clock(1) * 0x9e3779b97f4a7c15u ^ (uintptr_t)&random_state;
	x ^= x >> 12;
	x ^= x << 25;
	x ^= x >> 27;
	random_state = x;
	return (double)((x * 0x2545f4914f6cdd1du >> 11) + 1) * 0x1p-53;
}

/* The natural logarithm in (0, 1], to nine digits: the program need not load the library libm. */
static double logarithm(double x)
{
	double sum = 0, ratio, square, power;
	int doublings = 0;

	for (; x < 0.70710678118654752; x *= 2)
		doublings++;
	ratio = power = (x - 1) / (x + 1);
	square = ratio * ratio;
	for (int i = 1; i < 14; i += 2, power *= square)
		sum += power / i;
	return 2 * sum - doublings * 0.69314718055994531;
}

static uint64_t next_distance(void)
{
	double distance = -logarithm(next_random()) * (double)recorder_session->sample;

	return distance < 1 ? 1 : (uint64_t)distance;
}

bool sample_take(size_t bytes)
{
	/* A thread that begins has no distance yet. */
	if (!random_state) {
		sample_left = next_distance();
		if (sample_passes(bytes))
			return false;
	}
	sample_left = next_distance();
	return true;
}

static _Atomic uintptr_t *table(void)
{
	_Atomic uintptr_t *known = atomic_load(&addresses), *none = NULL;
	void *memory;

	if (known)
		return known;
	memory = mmap(NULL, ADDRESSES * sizeof *known, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (memory == MAP_FAILED)
		return NULL;
	if (atomic_compare_exchange_strong(&addresses, &none, memory))
		return memory;
	munmap(memory, ADDRESSES * sizeof *known);
	return none;
}

static size_t place_of(uintptr_t address)
{
	return (address >> 4) * 0x9e3779b97f4a7c15u >> 44 & (ADDRESSES - 1);
}

void sample_add(uintptr_t address)
{
	_Atomic uintptr_t *known = table();
	_Atomic uint8_t *class = &sample_classes[sample_class(address)];

	if (!known)
		return;
	for (size_t i = 0; i < ADDRESSES; i++) {
		_Atomic uintptr_t *entry = &known[(place_of(address) + i) & (ADDRESSES - 1)];
		uintptr_t old = atomic_load_explicit(entry, memory_order_relaxed);

		if (old <= REMOVED && atomic_compare_exchange_strong(entry, &old, address)) {
			/* A class that is full stays so: its addresses are looked up always. */
			if (atomic_load(class) < UINT8_MAX)
				atomic_fetch_add(class, 1);
			return;
		}
	}
}

bool sample_remove(uintptr_t address)
{
	_Atomic uintptr_t *known = atomic_load(&addresses);
	_Atomic uint8_t *class = &sample_classes[sample_class(address)];

	for (size_t i = 0; known && i < ADDRESSES; i++) {
		_Atomic uintptr_t *entry = &known[(place_of(address) + i) & (ADDRESSES - 1)];
		uintptr_t old = atomic_load_explicit(entry, memory_order_relaxed);

		if (old == 0)
			break;
		if (old == address && atomic_compare_exchange_strong(entry, &old, REMOVED)) {
			if (atomic_load(class) < UINT8_MAX)
				atomic_fetch_sub(class, 1);
			return true;
		}
	}
	return false;
}
