/* SPDX-License-Identifier: BSD-3-Clause */
/* Fuzz targets: heads of requests to what perun serves, and the pages that it then serves. */
#include <string.h>
#include <strings.h>

#include <perun/lib/page.h>

#include "commands/common/server/guard.h"
#include "tests/fuzz/fuzz.h"

enum { PORT = 80 };

/* The value of a line "NAME: VALUE", without its end. */
static void read_line(char *line, struct server_head *head)
{
	const struct {
		const char *name, **value;
	} known[] = {{"Host:", &head->host},
		     {"Origin:", &head->origin},
		     {"Sec-Fetch-Site:", &head->site},
		     {"Authorization:", &head->authorization}};

	line[strcspn(line, "\r")] = '\0';
	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		size_t length = strlen(known[i].name);

		if (strncasecmp(line, known[i].name, length) == 0)
			*known[i].value = line + length + strspn(line + length, " \t");
	}
}

/* Without the token nothing is changed, and behind a guard nothing is read. */
void fuzz_http(const uint8_t *data, size_t size)
{
	static const char token[] = "a token of some length";
	const char *const hosts[] = {"proxy.example"};
	char *text = perun_strndup((const char *)data, size), *rest = text, *line;
	struct server_head head = {.method = strsep(&rest, " \n")};

	while ((line = strsep(&rest, "\n")))
		read_line(line, &head);
	for (int i = 0; i < 4; i++) {
		struct server_options options = {.token = i & 1 ? token : NULL,
						 .guarded = i & 2,
						 .hosts = hosts,
						 .host_count = 1};
		int code = server_guard(&options, PORT, &head);

		MUST(code || head.host);
		MUST(code || head.authorization ||
		     (!options.guarded && strcmp(head.method, "POST")));
	}
	perun_free(text);
}

void fuzz_page_policy(const uint8_t *data, size_t size)
{
	perun_free(perun_page_find_policy((const char *)data, size));
}
