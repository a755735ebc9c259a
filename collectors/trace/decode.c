/* SPDX-License-Identifier: BSD-3-Clause */
/* The lengths of the instructions of x86_64. */
#include <config.h>

#include <stdbool.h>
#include <string.h>

#include "decode.h"

/* What follows an opcode. */
enum {
	MODRM = 1,    /* how its operands are addressed */
	BYTE = 2,     /* a number of one byte */
	WORD = 4,     /* of two */
	FULL = 8,     /* of four, or two with the prefix of operand size */
	ADDRESS = 16, /* of eight */
	WIDE = 32,    /* FULL, or eight with REX.W */
	GROUP = 64,   /* a number only in the first two of a group */
	INVALID = 128,
};

/* Ranges of opcodes of one byte. */
struct range {
	uint8_t first, last;
	uint8_t what;
};

static const struct range plain[] = {
	{0x50, 0x5f, 0},
	{0x63, 0x63, MODRM},
	{0x68, 0x68, FULL},
	{0x69, 0x69, MODRM | FULL},
	{0x6a, 0x6a, BYTE},
	{0x6b, 0x6b, MODRM | BYTE},
	{0x6c, 0x6f, 0},
	{0x70, 0x7f, BYTE},
	{0x80, 0x80, MODRM | BYTE},
	{0x81, 0x81, MODRM | FULL},
	{0x83, 0x83, MODRM | BYTE},
	{0x84, 0x8f, MODRM},
	{0x90, 0x99, 0},
	{0x9b, 0x9f, 0},
	{0xa0, 0xa3, ADDRESS},
	{0xa4, 0xa7, 0},
	{0xa8, 0xa8, BYTE},
	{0xa9, 0xa9, FULL},
	{0xaa, 0xaf, 0},
	{0xb0, 0xb7, BYTE},
	{0xb8, 0xbf, WIDE},
	{0xc0, 0xc1, MODRM | BYTE},
	{0xc2, 0xc2, WORD},
	{0xc3, 0xc3, 0},
	{0xc6, 0xc6, MODRM | BYTE},
	{0xc7, 0xc7, MODRM | FULL},
	{0xc8, 0xc8, WORD | BYTE},
	{0xc9, 0xc9, 0},
	{0xca, 0xca, WORD},
	{0xcb, 0xcc, 0},
	{0xcd, 0xcd, BYTE},
	{0xcf, 0xcf, 0},
	{0xd0, 0xd3, MODRM},
	{0xd7, 0xd7, 0},
	{0xd8, 0xdf, MODRM},
	{0xe0, 0xe7, BYTE},
	{0xe8, 0xe9, FULL},
	{0xeb, 0xeb, BYTE},
	{0xec, 0xef, 0},
	{0xf1, 0xf1, 0},
	{0xf4, 0xf5, 0},
	{0xf6, 0xf6, MODRM | BYTE | GROUP},
	{0xf7, 0xf7, MODRM | FULL | GROUP},
	{0xf8, 0xfd, 0},
	{0xfe, 0xff, MODRM},
};

/* Those of two bytes, the first of which is 0x0f; what is not among them has MODRM alone. */
static const struct range extended[] = {
	{0x04, 0x04, INVALID},
	{0x05, 0x09, 0},
	{0x0a, 0x0a, INVALID},
	{0x0b, 0x0b, 0},
	{0x0c, 0x0c, INVALID},
	{0x0e, 0x0e, 0},
	{0x0f, 0x0f, MODRM | BYTE},
	{0x30, 0x37, 0},
	{0x70, 0x73, MODRM | BYTE},
	{0x77, 0x77, 0},
	{0x80, 0x8f, FULL},
	{0xa0, 0xa2, 0},
	{0xa4, 0xa4, MODRM | BYTE},
	{0xa8, 0xaa, 0},
	{0xac, 0xac, MODRM | BYTE},
	{0xba, 0xba, MODRM | BYTE},
	{0xc2, 0xc2, MODRM | BYTE},
	{0xc4, 0xc6, MODRM | BYTE},
	{0xc8, 0xcf, 0},
};

struct reading {
	const uint8_t *code;
	size_t size, at;
	bool narrow, wide; /* the prefix of operand size, REX.W */
	bool vector;       /* VEX or EVEX */
	unsigned map;      /* 0 = one byte, 1 = 0f, 2 = 0f 38, 3 = 0f 3a */
};

static unsigned peek(const struct reading *reading, size_t further)
{
	return reading->at + further < reading->size ? reading->code[reading->at + further] : 0;
}

static unsigned look_up(const struct range *ranges, size_t count, unsigned opcode, unsigned other)
{
	for (size_t i = 0; i < count; i++)
		if (opcode >= ranges[i].first && opcode <= ranges[i].last)
			return ranges[i].what;
	return other;
}

static void skip_prefixes(struct reading *reading)
{
	static const char prefixes[] = "\x26\x2e\x36\x3e\x64\x65\x66\x67\xf0\xf2\xf3";

	while (reading->at < reading->size && memchr(prefixes, (int)peek(reading, 0), 11)) {
		reading->narrow |= peek(reading, 0) == 0x66;
		reading->at++;
	}
	if ((peek(reading, 0) & 0xf0) == 0x40) {
		reading->wide = peek(reading, 0) & 8;
		reading->at++;
	}
}

/* Which table the opcode is in, and where. */
static void find_map(struct reading *reading)
{
	unsigned first = peek(reading, 0);

	reading->vector = first == 0xc4 || first == 0xc5 || first == 0x62;
	if (first == 0xc5) {
		reading->map = 1;
		reading->at += 2;
	} else if (first == 0xc4) {
		reading->map = peek(reading, 1) & 0x1f;
		reading->at += 3;
	} else if (first == 0x62) {
		reading->map = peek(reading, 1) & 7;
		reading->at += 4;
	} else if (first == 0x0f) {
		unsigned second = peek(reading, 1);

		reading->map = second == 0x38 ? 2 : second == 0x3a ? 3 : 1;
		reading->at += reading->map == 1 ? 1 : 2;
	}
}

static unsigned operands_of(const struct reading *reading, unsigned opcode)
{
	if (reading->map == 0) {
		/* Arithmetic: six forms of each of eight operations. */
		if (opcode < 0x40)
			return (opcode & 7) < 4    ? MODRM
			       : (opcode & 7) == 4 ? BYTE
			       : (opcode & 7) == 5 ? FULL
						   : INVALID;
		return look_up(plain, sizeof plain / sizeof *plain, opcode, INVALID);
	}
	if (reading->map == 1)
		return look_up(extended, sizeof extended / sizeof *extended, opcode, MODRM);
	if (reading->map == 3)
		return MODRM | BYTE;
	/* 5 and 6 are those of half precision. */
	return reading->map == 2 || (reading->vector && reading->map <= 6) ? MODRM : INVALID;
}

static void skip_address(struct reading *reading)
{
	unsigned form = peek(reading, 0), mode = form >> 6, base = form & 7;

	reading->at++;
	if (mode == 3)
		return;
	if (base == 4) {
		base = peek(reading, 0) & 7;
		reading->at++;
	}
	if (mode == 1)
		reading->at++;
	else if (mode == 2 || base == 5)
		reading->at += 4;
}

static void skip_operands(struct reading *reading, unsigned opcode, unsigned what)
{
	/* Calls and jumps keep their four bytes. */
	bool narrow = reading->narrow && !reading->wide && opcode != 0xe8 && opcode != 0xe9;

	if (what & GROUP && (peek(reading, 0) >> 3 & 7) > 1)
		what &= ~(unsigned)(BYTE | FULL);
	if (what & MODRM)
		skip_address(reading);
	if (what & BYTE)
		reading->at++;
	if (what & WORD)
		reading->at += 2;
	if (what & FULL)
		reading->at += narrow ? 2 : 4;
	if (what & ADDRESS)
		reading->at += 8;
	if (what & WIDE)
		reading->at += reading->wide ? 8 : narrow ? 2 : 4;
}

/* Little-endian, whatever the processor is that runs this. */
static int32_t distance_at(const uint8_t *code)
{
	return (int32_t)(code[0] | (uint32_t)code[1] << 8 | (uint32_t)code[2] << 16 |
			 (uint32_t)code[3] << 24);
}

/* A jump within 128 bytes, or a call of any. */
static int64_t target_of(const struct reading *reading, size_t bytes)
{
	const uint8_t *end = reading->code + reading->at;

	if (bytes == 1)
		return (int64_t)reading->at + (int8_t)end[-1];
	return (int64_t)reading->at + distance_at(end - 4);
}

/* What it does with the flow of control; of the maps after the second nothing does. */
static enum decode_kind kind_of(const struct reading *reading, unsigned opcode, unsigned form,
				size_t *bytes)
{
	unsigned operation = form >> 3 & 7;

	*bytes = 0;
	if (reading->map == 1 && opcode >= 0x80 && opcode <= 0x8f && !reading->vector) {
		*bytes = 4;
		return DECODE_BRANCH;
	}
	if (reading->map != 0)
		return DECODE_OTHER;
	if (opcode == 0xc3 || opcode == 0xc2)
		return DECODE_RETURN;
	if ((opcode >= 0xa4 && opcode <= 0xa7) || (opcode >= 0xaa && opcode <= 0xaf))
		return DECODE_STRING;
	if (opcode == 0xff)
		return operation >= 2 && operation <= 5 ? DECODE_AWAY : DECODE_OTHER;
	*bytes = opcode == 0xe8 || opcode == 0xe9 ? 4 : 1;
	if (opcode == 0xeb || opcode == 0xe9)
		return DECODE_JUMP;
	if (opcode == 0xe8)
		return DECODE_CALL;
	if ((opcode >= 0x70 && opcode <= 0x7f) || (opcode >= 0xe0 && opcode <= 0xe3))
		return DECODE_BRANCH;
	*bytes = 0;
	return DECODE_OTHER;
}

struct decoded decode_instruction(const uint8_t *code, size_t size)
{
	struct reading reading = {.code = code, .size = size};
	struct decoded decoded = {0};
	unsigned opcode, form, what;
	size_t bytes;

	skip_prefixes(&reading);
	find_map(&reading);
	opcode = peek(&reading, 0);
	reading.at++;
	form = peek(&reading, 0);
	what = operands_of(&reading, opcode);
	if (what & INVALID)
		return decoded;
	skip_operands(&reading, opcode, what);
	if (reading.at > size)
		return decoded;
	decoded.length = reading.at;
	decoded.kind = kind_of(&reading, opcode, form, &bytes);
	if (bytes)
		decoded.target = target_of(&reading, bytes);
	return decoded;
}
