/* SPDX-License-Identifier: BSD-3-Clause */
/* Which requests are let in, by their heads alone. */
#include <config.h>

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "commands/common/server/guard.h"

/* ---- hosts ----------------------------------------------------------------------------------- */

/* Where the name or address of "NAME:PORT" ends. */
static size_t name_length(const char *host)
{
	const char *end = *host == '[' ? strchr(host, ']') : NULL;

	return end ? (size_t)(end - host) + 1 : strcspn(host, ":");
}

static bool is_name(const char *host, size_t length, const char *name)
{
	return strlen(name) == length && strncasecmp(host, name, length) == 0;
}

/* Nobody can make an address point elsewhere, as is done with names. */
static bool is_address(const char *host, size_t length)
{
	unsigned char bytes[16];
	char text[64];

	if (length >= sizeof text || length < 2)
		return false;
	if (*host == '[') {
		memcpy(text, host + 1, length - 2);
		text[length - 2] = '\0';
		return inet_pton(AF_INET6, text, bytes) == 1;
	}
	memcpy(text, host, length);
	text[length] = '\0';
	return inet_pton(AF_INET, text, bytes) == 1;
}

/*
 * Browsers send the name they were asked for. Another one than that of this machine is a page of elsewhere
 * that had its own name point here, to read what is served.
 */
static bool is_host(const struct server_options *options, unsigned port, const char *host)
{
	size_t length = host ? name_length(host) : 0;

	for (size_t i = 0; i < options->host_count; i++) {
		if (length && is_name(host, length, options->hosts[i]))
			return true; /* of a proxy, perhaps on another port */
	}
	if (!length || host[length] != ':' || strtoul(host + length + 1, NULL, 10) != port)
		return false;
	if (options->guarded && is_address(host, length))
		return true;
	return is_name(host, length, "127.0.0.1") || is_name(host, length, "localhost") ||
	       is_name(host, length, "[::1]");
}

/* ---- tokens ---------------------------------------------------------------------------------- */

static int digit(char c)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const char *at = c ? strchr(digits, c) : NULL;

	return at ? (int)(at - digits) : -1;
}

/* The password of "USER:PASSWORD" in base64, which the caller frees. */
static char *password_of(const char *text)
{
	struct perun_buffer plain = {0};
	unsigned bits = 0, value = 0;
	char *colon, *password;

	for (; digit(*text) >= 0; text++) {
		value = (value << 6 | (unsigned)digit(*text)) & 0xffff;
		bits += 6;
		if (bits < 8)
			continue;
		bits -= 8;
		perun_buffer_add_char(&plain, (char)(value >> bits & 0xff));
	}
	perun_buffer_add_char(&plain, '\0');
	colon = strchr(plain.data, ':');
	password = colon ? perun_strdup(colon + 1) : NULL;
	perun_buffer_free(&plain);
	return password;
}

/* In a time that says nothing of where they differ. */
static bool is_token(const char *given, const char *token)
{
	size_t length = strlen(token);
	unsigned char differs = strlen(given) != length;

	for (size_t i = 0; i < length && given[i]; i++)
		differs |= (unsigned char)(given[i] ^ token[i]);
	return !differs;
}

/* Programs send "Bearer TOKEN"; browsers, which ask for a password, "Basic ...". */
static bool has_token(const struct server_options *options, const char *authorization)
{
	char *password;
	bool has;

	if (!options->token || !authorization)
		return false;
	if (strncasecmp(authorization, "Bearer ", 7) == 0)
		return is_token(authorization + 7, options->token);
	if (strncasecmp(authorization, "Basic ", 6) != 0)
		return false;
	password = password_of(authorization + 6);
	has = password && is_token(password, options->token);
	perun_free(password);
	return has;
}

/* ---- all of it ------------------------------------------------------------------------------- */

/* A page of elsewhere can have a browser send what its user may: with its own origin. */
static bool is_own_origin(const struct server_head *head)
{
	const char *slashes = head->origin ? strstr(head->origin, "://") : NULL;

	if (head->site && strcmp(head->site, "same-origin") != 0 && strcmp(head->site, "none") != 0)
		return false;
	return !head->origin || (slashes && strcasecmp(slashes + 3, head->host) == 0);
}

int server_guard(const struct server_options *options, unsigned port,
		 const struct server_head *head)
{
	bool post = strcmp(head->method, "POST") == 0;

	if (!post && strcmp(head->method, "GET") != 0 && strcmp(head->method, "HEAD") != 0)
		return 405;
	if (!is_host(options, port, head->host))
		return 403;
	if (post && !options->token)
		return 405;
	if (post && !is_own_origin(head))
		return 403;
	if ((post || options->guarded) && !has_token(options, head->authorization))
		return 401;
	return 0;
}
