/* SPDX-License-Identifier: BSD-3-Clause */
/* The rules by which an input becomes another one, and which of them is taken. */
#include <config.h>

#include <string.h>

#include <perun/json.h>
#include <perun/lib/yaml.h>

#include "core/fuzz/files.h"
#include "core/fuzz/rules.h"

/* In one of this number of choices all rules are alike. */
#define FLOOR 7
/* How much a try counts of those before: the last hundred matter. */
#define FADE 0.99

/* ---- the table ------------------------------------------------------------------------------- */

static struct fuzz_rule *add_rule(struct fuzz_rules *rules, char *name, unsigned contents)
{
	struct fuzz_rule *rule;

	PERUN_GROW(rules->items, rules->count, rules->capacity);
	rule = &rules->items[rules->count++];
	*rule = (struct fuzz_rule){.name = name, .contents = contents, .score = 0.1};
	return rule;
}

static void add_own(struct fuzz_rules *rules)
{
	const struct fuzz_structure *structure;
	const struct fuzz_operation *operation;

	for (size_t i = 0; (operation = fuzz_byte_operation(i)); i++)
		add_rule(rules, perun_strdup(operation->name), FUZZ_BYTES)->operation = (unsigned)i;
	for (size_t i = 0; (structure = fuzz_structure_at(i)); i++)
		for (size_t k = 0; (operation = fuzz_piece_operation(k)); k++) {
			struct fuzz_rule *rule;

			if (operation->nests && !structure->before)
				continue;
			rule = add_rule(rules,
					perun_format("%s %s", operation->name, structure->name),
					structure->contents);
			rule->structure = structure;
			rule->operation = (unsigned)k;
		}
}

static int add_users(struct perun_ctx *ctx, const char *file, const struct perun_json *document,
		     struct fuzz_rules *rules)
{
	size_t count = perun_json_count(document);

	if (perun_json_type(document) != PERUN_JSON_TYPE_OBJECT || !count)
		return perun_fail(ctx, PERUN_INPUT,
				  "%s: expected a map of expressions and their replacements", file);
	for (size_t i = 0; i < count; i++) {
		const char *expression = perun_json_key_at(document, i, NULL);
		const char *replacement = perun_json_as_string(perun_json_at(document, i), NULL);
		struct fuzz_rule *rule;
		int status;

		if (!replacement)
			return perun_fail(ctx, PERUN_INPUT,
					  "%s: the replacement of '%s' is not a text", file,
					  expression);
		rule = add_rule(rules, perun_format("replace %s", expression), FUZZ_BYTES);
		rule->user.replacement = perun_strdup(replacement);
		status = perun_regex_new(ctx, expression, 0, &rule->user.regex);
		if (status)
			return perun_fail(ctx, status, "%s", file);
	}
	return PERUN_OK;
}

int fuzz_rules_new(struct perun_ctx *ctx, const char *file, struct fuzz_rules *rules)
{
	struct perun_buffer text = {0};
	struct perun_json *document = NULL;
	int status;

	*rules = (struct fuzz_rules){0};
	add_own(rules);
	if (!file)
		return PERUN_OK;
	status = fuzz_read_file(ctx, file, &text);
	if (!status)
		status = perun_yaml_parse(ctx, file, text.data ? text.data : "", text.length,
					  &document);
	if (!status)
		status = add_users(ctx, file, document, rules);
	perun_json_free(document);
	perun_buffer_free(&text);
	if (status)
		fuzz_rules_free(rules);
	return status;
}

void fuzz_rules_free(struct fuzz_rules *rules)
{
	for (size_t i = 0; i < rules->count; i++) {
		perun_free(rules->items[i].name);
		perun_regex_free(rules->items[i].user.regex);
		perun_free(rules->items[i].user.replacement);
	}
	perun_free(rules->items);
	fuzz_dictionary_free(&rules->dictionary);
	*rules = (struct fuzz_rules){0};
}

int fuzz_rules_copy(struct perun_ctx *ctx, const struct fuzz_rules *rules, struct fuzz_rules *copy)
{
	int status = PERUN_OK;

	*copy = (struct fuzz_rules){0};
	for (size_t i = 0; i < rules->count && !status; i++) {
		const struct fuzz_rule *from = &rules->items[i];
		struct fuzz_rule *to = add_rule(copy, perun_strdup(from->name), from->contents);

		to->structure = from->structure;
		to->operation = from->operation;
		to->user.replacement = perun_strdup(from->user.replacement);
		if (from->user.regex)
			status = perun_regex_new(ctx, perun_regex_text(from->user.regex), 0,
						 &to->user.regex);
	}
	for (size_t i = 0; i < rules->dictionary.count; i++)
		fuzz_dictionary_add(&copy->dictionary, fuzz_dictionary_at(&rules->dictionary, i));
	return status;
}

/* ---- dictionaries ---------------------------------------------------------------------------- */

void fuzz_dictionary_add(struct fuzz_dictionary *dictionary, struct fuzz_bytes word)
{
	PERUN_GROW(dictionary->ends, dictionary->count, dictionary->capacity);
	perun_buffer_add(&dictionary->text, word.bytes, word.size);
	dictionary->ends[dictionary->count++] = dictionary->text.length;
}

struct fuzz_bytes fuzz_dictionary_at(const struct fuzz_dictionary *dictionary, size_t i)
{
	size_t begin = i ? dictionary->ends[i - 1] : 0;

	return (struct fuzz_bytes){dictionary->text.data + begin, dictionary->ends[i] - begin};
}

void fuzz_dictionary_free(struct fuzz_dictionary *dictionary)
{
	perun_buffer_free(&dictionary->text);
	perun_free(dictionary->ends);
	*dictionary = (struct fuzz_dictionary){0};
}

static int hexadecimal(char c)
{
	const char *digits = "0123456789abcdef", *found = c ? strchr(digits, c | 0x20) : NULL;

	return found ? (int)(found - digits) : -1;
}

/* What is between the quotes of a line, \xHH, \\ and \" understood; false if it is none. */
static bool read_word(const char *line, size_t length, struct perun_buffer *word)
{
	const char *quote = memchr(line, '"', length), *end = line + length;

	perun_buffer_clear(word);
	if (!quote)
		return false;
	for (const char *c = quote + 1; c < end; c++) {
		if (*c == '"')
			return word->length > 0;
		if (*c != '\\' || c + 1 == end) {
			perun_buffer_add_char(word, *c);
		} else if (c[1] != 'x') {
			perun_buffer_add_char(word, *++c);
		} else if (c + 3 < end && hexadecimal(c[2]) >= 0 && hexadecimal(c[3]) >= 0) {
			perun_buffer_add_char(word,
					      (char)(hexadecimal(c[2]) * 16 + hexadecimal(c[3])));
			c += 3;
		} else {
			return false;
		}
	}
	return false;
}

int fuzz_rules_dictionary(struct perun_ctx *ctx, const char *file, struct fuzz_rules *rules)
{
	struct perun_buffer text = {0}, word = {0};
	size_t line = 1;
	int status = fuzz_read_file(ctx, file, &text);

	for (size_t first = 0, end; !status && first < text.length; first = end + 1, line++) {
		const char *newline = memchr(text.data + first, '\n', text.length - first);

		end = newline ? (size_t)(newline - text.data) : text.length;
		if (end == first || text.data[first] == '#')
			continue;
		if (read_word(text.data + first, end - first, &word))
			fuzz_dictionary_add(&rules->dictionary,
					    (struct fuzz_bytes){word.data, word.length});
		else
			status = perun_fail(
				ctx, PERUN_INPUT,
				"%s: line %zu: expected a word in quotes, as NAME=\"WORD\"", file,
				line);
	}
	perun_buffer_free(&text);
	perun_buffer_free(&word);
	return status;
}

/* ---- which rule ------------------------------------------------------------------------------ */

size_t fuzz_rules_choose(const struct fuzz_rules *rules, struct fuzz_random *random,
			 unsigned contents)
{
	bool any = fuzz_random_below(random, FLOOR) == 0;
	double total = 0, point;
	size_t last = SIZE_MAX;

	for (size_t i = 0; i < rules->count; i++)
		if (rules->items[i].contents & contents)
			total += any ? 1 : rules->items[i].score;
	point = total * fuzz_random_unit(random);
	for (size_t i = 0; i < rules->count; i++) {
		if (!(rules->items[i].contents & contents))
			continue;
		last = i;
		point -= any ? 1 : rules->items[i].score;
		if (point < 0)
			break;
	}
	return last;
}

void fuzz_rules_judge(struct fuzz_rules *rules, size_t rule, bool used)
{
	struct fuzz_rule *judged = &rules->items[rule];

	judged->tried++;
	judged->used += used;
	/* Never 0, so that chance can bring it back. */
	judged->score = judged->score * FADE + (1 - FADE) * (used ? 1 : 0.002);
}

bool fuzz_rule_apply(const struct fuzz_rules *rules, size_t rule, struct fuzz_random *random,
		     struct fuzz_bytes input, struct fuzz_bytes other, size_t most,
		     struct perun_buffer *out)
{
	const struct fuzz_rule *applied = &rules->items[rule];
	struct fuzz_change change = {.random = random,
				     .input = input,
				     .other = other,
				     .most = most,
				     .dictionary = &rules->dictionary,
				     .structure = applied->structure,
				     .out = out};
	bool done = false;

	if (applied->user.regex)
		return fuzz_apply_user_rule(&change, &applied->user);
	if (!applied->structure)
		return fuzz_byte_operation(applied->operation)->apply(&change);
	applied->structure->find(input.bytes, input.size, &change.pieces);
	if (change.pieces.count)
		done = fuzz_piece_operation(applied->operation)->apply(&change);
	fuzz_pieces_free(&change.pieces);
	return done;
}
