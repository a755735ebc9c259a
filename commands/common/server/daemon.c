/* SPDX-License-Identifier: BSD-3-Clause */
/* Connections, requests and the threads that answer them. */
#include <config.h>

#include "commands/common/server/server.h"

#ifdef HAVE_MICROHTTPD

#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>

#include <perun/lib/page.h>

#include "commands/common/server/guard.h"

enum {
	MAX_CONNECTIONS = 2000,
	OTHER_FILES = 100, /* that the program has open besides */
	MAX_HEAD = 32768,
	MAX_QUEUED = 256,
	MAX_BODIES = 256 << 20, /* bytes of all requests together */
	IDLE_SECONDS = 10,
	HEAD_PATIENCE = 5000, /* milliseconds */
	BODY_PATIENCE = 120000,
	ANSWER_PATIENCE = 60000,
	TICK = 250
};

/* A connection, from its beginning to its end. */
struct link {
	int fd;
	int64_t until; /* when its request must be whole; 0: it is */
	struct link *previous, *next;
};

/* A request, until it is answered. */
struct exchange {
	struct server *server;
	struct MHD_Connection *connection;
	struct server_request request;
	struct server_argument *arguments;
	size_t capacity;
	char *path;
	struct perun_buffer body;
	size_t counted; /* of all bodies */
	struct server_answer answer;
	bool asked, done;
	struct exchange *next;
};

struct worker {
	struct server *server;
	unsigned number;
	int64_t until;
	pthread_t thread;
};

struct server {
	struct server_options options;
	unsigned port, limit;
	struct MHD_Daemon *daemon;
	pthread_mutex_t lock;
	pthread_cond_t work;
	struct exchange *first, *last;
	size_t queued, bodies, connections;
	struct link *links;
	struct worker *workers;
	unsigned running;
	bool stopping;
};

static int64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

const char *server_argument(const struct server_request *request, const char *name)
{
	for (size_t i = 0; i < request->argument_count; i++) {
		if (strcmp(request->arguments[i].name, name) == 0)
			return request->arguments[i].value;
	}
	return NULL;
}

/* ---- connections ----------------------------------------------------------------------------- */

static void on_connection(void *data, struct MHD_Connection *connection, void **context,
			  enum MHD_ConnectionNotificationCode code)
{
	struct server *server = data;
	struct link *link = *context;

	pthread_mutex_lock(&server->lock);
	if (code == MHD_CONNECTION_NOTIFY_STARTED) {
		link = perun_alloc_zero(1, sizeof *link);
		link->fd = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)
				   ->connect_fd;
		link->until = now() + HEAD_PATIENCE;
		link->next = server->links;
		if (link->next)
			link->next->previous = link;
		server->links = link;
		server->connections++;
		*context = link;
	} else if (link) {
		if (link->next)
			link->next->previous = link->previous;
		*(link->previous ? &link->previous->next : &server->links) = link->next;
		server->connections--;
		perun_free(link);
		*context = NULL;
	}
	pthread_mutex_unlock(&server->lock);
}

/* How long what is sent next may take; 0: as long as it wants. */
static void allow(struct server *server, struct MHD_Connection *connection, int64_t patience)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
	struct link *link = info ? info->socket_context : NULL;

	pthread_mutex_lock(&server->lock);
	if (link)
		link->until = patience ? now() + patience : 0;
	pthread_mutex_unlock(&server->lock);
}

/* Those that dribble are dropped, sooner where there are many. */
static void drop_slow(struct server *server)
{
	int64_t time = now();

	pthread_mutex_lock(&server->lock);
	if (server->connections > server->limit / 4 * 3)
		time += HEAD_PATIENCE - HEAD_PATIENCE / 10;
	for (struct link *link = server->links; link; link = link->next) {
		if (link->until && link->until < time)
			shutdown(link->fd, SHUT_RDWR);
	}
	pthread_mutex_unlock(&server->lock);
}

/* ---- answers --------------------------------------------------------------------------------- */

static bool is_printable(const char *text)
{
	for (; *text; text++) {
		if (*text < ' ' || *text > '~')
			return false;
	}
	return true;
}

/* A page's own policy; a page without one, such as a plugin's, neither runs nor loads anything. */
static void add_policy(struct MHD_Response *response, const struct server_answer *answer)
{
	char *policy = strncmp(answer->type, "text/html", 9) == 0
			       ? perun_page_find_policy(answer->body.data, answer->body.length)
			       : NULL;
	char *text = perun_format("%s; frame-ancestors 'self'",
				  policy && is_printable(policy)
					  ? policy
					  : "default-src 'none'; base-uri 'none'; form-action "
					    "'none'");

	MHD_add_response_header(response, "Content-Security-Policy", text);
	perun_free(text);
	perun_free(policy);
}

static void add_headers(struct MHD_Response *response, const struct server_answer *answer)
{
	static const char *const headers[][2] = {{"Cache-Control", "no-cache"},
						 {"X-Content-Type-Options", "nosniff"},
						 {"Referrer-Policy", "no-referrer"},
						 {"X-Frame-Options", "SAMEORIGIN"},
						 {"Cross-Origin-Resource-Policy", "same-origin"}};

	for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
		MHD_add_response_header(response, headers[i][0], headers[i][1]);
	MHD_add_response_header(response, "Content-Type", answer->type);
	if (answer->code == 401)
		MHD_add_response_header(response, "WWW-Authenticate", "Basic realm=\"perun\"");
	if (answer->file && is_printable(answer->file) && !strpbrk(answer->file, "\"\\")) {
		char *text = perun_format("attachment; filename=\"%s\"", answer->file);

		MHD_add_response_header(response, "Content-Disposition", text);
		perun_free(text);
	}
	add_policy(response, answer);
}

static void free_body(void *body)
{
	perun_free(body);
}

static enum MHD_Result send_answer(struct MHD_Connection *connection, struct server_answer *answer)
{
	struct MHD_Response *response;
	enum MHD_Result result;
	size_t size = answer->body.length;
	char *body;

	answer->type = answer->type ? answer->type : server_type("");
	perun_buffer_reserve(&answer->body, 0);
	body = answer->body.data;
	response = MHD_create_response_from_buffer_with_free_callback(size, body, free_body);
	if (!response)
		return MHD_NO;
	add_headers(response, answer);
	answer->body = (struct perun_buffer){0};
	result = MHD_queue_response(connection, (unsigned)answer->code, response);
	MHD_destroy_response(response);
	return result;
}

static enum MHD_Result refuse(struct MHD_Connection *connection, int code)
{
	struct server_answer answer = {.code = code};

	perun_buffer_printf(&answer.body, "%s\n",
			    code == 401   ? "This needs the token."
			    : code == 413 ? "This is too large."
			    : code == 503 ? "Busy: try again later."
					  : "Unsupported request.");
	return send_answer(connection, &answer);
}

/* ---- requests -------------------------------------------------------------------------------- */

static enum MHD_Result add_argument(void *data, enum MHD_ValueKind kind, const char *name,
				    const char *value)
{
	struct exchange *exchange = data;
	size_t count = exchange->request.argument_count;

	(void)kind;
	PERUN_GROW(exchange->arguments, count, exchange->capacity);
	exchange->arguments[count] = (struct server_argument){name, value ? value : ""};
	exchange->request.argument_count++;
	return MHD_YES;
}

static struct exchange *exchange_new(struct server *server, struct MHD_Connection *connection,
				     const char *path, const char *method)
{
	struct exchange *exchange = perun_alloc_zero(1, sizeof *exchange);

	exchange->server = server;
	exchange->connection = connection;
	exchange->path = perun_strdup(path);
	MHD_get_connection_values(connection, MHD_GET_ARGUMENT_KIND, add_argument, exchange);
	exchange->request.path = exchange->path;
	exchange->request.arguments = exchange->arguments;
	exchange->request.post = strcmp(method, "POST") == 0;
	exchange->request.body = "";
	return exchange;
}

static void on_completed(void *data, struct MHD_Connection *connection, void **context,
			 enum MHD_RequestTerminationCode code)
{
	struct server *server = data;
	struct exchange *exchange = *context;

	(void)code;
	allow(server, connection, HEAD_PATIENCE); /* for the next one */
	if (!exchange)
		return;
	pthread_mutex_lock(&server->lock);
	server->bodies -= exchange->counted;
	pthread_mutex_unlock(&server->lock);
	perun_buffer_free(&exchange->body);
	perun_buffer_free(&exchange->answer.body);
	perun_free(exchange->answer.file);
	perun_free(exchange->arguments);
	perun_free(exchange->path);
	perun_free(exchange);
	*context = NULL;
}

static const char *header(struct MHD_Connection *connection, const char *name)
{
	return MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
}

static int examine(struct server *server, struct MHD_Connection *connection, const char *path,
		   const char *method)
{
	const struct server_head head = {.method = method,
					 .host = header(connection, "Host"),
					 .origin = header(connection, "Origin"),
					 .site = header(connection, "Sec-Fetch-Site"),
					 .authorization = header(connection, "Authorization")};
	const char *length = header(connection, "Content-Length");
	int code = server_guard(&server->options, server->port, &head);

	if (code)
		return code;
	if (*path != '/')
		return 400;
	if (length && strtoull(length, NULL, 10) > server->options.max_body)
		return 413;
	return 0;
}

/* What is too much is let pass, and refused at its end: an answer in between cannot be sent. */
static void take_body(struct exchange *exchange, const char *data, size_t size)
{
	struct server *server = exchange->server;

	pthread_mutex_lock(&server->lock);
	if (server->bodies + size > MAX_BODIES)
		exchange->answer.code = 503;
	else if (exchange->body.length + size > server->options.max_body)
		exchange->answer.code = 413;
	else {
		server->bodies += size;
		exchange->counted += size;
	}
	pthread_mutex_unlock(&server->lock);
	if (!exchange->answer.code)
		perun_buffer_add(&exchange->body, data, size);
}

/* Hand it to the threads that answer. The connection rests meanwhile. */
static bool ask(struct exchange *exchange)
{
	struct server *server = exchange->server;
	bool room;

	if (exchange->body.length) {
		exchange->request.body = exchange->body.data;
		exchange->request.size = exchange->body.length;
	}
	pthread_mutex_lock(&server->lock);
	room = server->queued < MAX_QUEUED && !server->stopping;
	if (room) {
		MHD_suspend_connection(exchange->connection);
		*(server->last ? &server->last->next : &server->first) = exchange;
		server->last = exchange;
		server->queued++;
		exchange->asked = true;
		pthread_cond_signal(&server->work);
	}
	pthread_mutex_unlock(&server->lock);
	return room;
}

static enum MHD_Result on_request(void *data, struct MHD_Connection *connection, const char *path,
				  const char *method, const char *version, const char *upload,
				  size_t *size, void **context)
{
	struct server *server = data;
	struct exchange *exchange = *context;

	(void)version;
	if (!exchange) {
		int code = examine(server, connection, path, method);

		if (code)
			return refuse(connection, code);
		*context = exchange_new(server, connection, path, method);
		allow(server, connection, BODY_PATIENCE);
		return MHD_YES;
	}
	if (*size) {
		take_body(exchange, upload, *size);
		*size = 0;
		return MHD_YES;
	}
	if (exchange->done)
		return send_answer(connection, &exchange->answer);
	if (exchange->asked)
		return MHD_YES;
	allow(server, connection, 0);
	if (exchange->answer.code)
		return refuse(connection, exchange->answer.code);
	return ask(exchange) ? MHD_YES : refuse(connection, 503);
}

/* ---- the threads that answer ----------------------------------------------------------------- */

/* The next request; NULL: none will come. */
static struct exchange *next_exchange(struct server *server)
{
	struct exchange *exchange;

	pthread_mutex_lock(&server->lock);
	while (!server->first && !server->stopping)
		pthread_cond_wait(&server->work, &server->lock);
	exchange = server->stopping ? NULL : server->first;
	if (exchange) {
		server->first = exchange->next;
		server->last = server->first ? server->last : NULL;
		server->queued--;
	}
	pthread_mutex_unlock(&server->lock);
	return exchange;
}

static bool is_overdue(void *data)
{
	const struct worker *worker = data;

	return now() > worker->until;
}

static void *work(void *data)
{
	struct worker *worker = data;
	struct server *server = worker->server;
	const struct perun_handlers handlers = {
		.struct_size = sizeof handlers, .data = worker, .cancelled = is_overdue};
	struct perun_ctx *ctx = perun_ctx_new(&handlers);
	struct exchange *exchange;

	while ((exchange = next_exchange(server))) {
		worker->until = now() + ANSWER_PATIENCE;
		exchange->answer.code = 200;
		server->options.answer(server->options.data, worker->number, ctx,
				       &exchange->request, &exchange->answer);
		perun_ctx_clear(ctx);
		perun_ctx_clear_losses(ctx);
		exchange->done = true;
		MHD_resume_connection(exchange->connection);
	}
	perun_ctx_free(ctx);
	return NULL;
}

/* ---- all of it ------------------------------------------------------------------------------- */

union address {
	struct sockaddr any;
	struct sockaddr_in four;
	struct sockaddr_in6 six;
};

static int read_address(struct perun_ctx *ctx, const struct server_options *options,
			union address *address)
{
	*address = (union address){0};
	if (inet_pton(AF_INET, options->address, &address->four.sin_addr) == 1) {
		address->four.sin_family = AF_INET;
		address->four.sin_port = htons((uint16_t)options->port);
		return PERUN_OK;
	}
	if (inet_pton(AF_INET6, options->address, &address->six.sin6_addr) == 1) {
		address->six.sin6_family = AF_INET6;
		address->six.sin6_port = htons((uint16_t)options->port);
		return PERUN_OK;
	}
	return perun_fail(ctx, PERUN_USAGE, "%s is not an address such as 127.0.0.1 or ::1",
			  options->address);
}

/* As many connections as there may be open files. */
static unsigned find_limit(void)
{
	struct rlimit files;

	if (getrlimit(RLIMIT_NOFILE, &files) != 0)
		return OTHER_FILES;
	if (files.rlim_cur < MAX_CONNECTIONS + OTHER_FILES) {
		files.rlim_cur = files.rlim_max < MAX_CONNECTIONS + OTHER_FILES
					 ? files.rlim_max
					 : MAX_CONNECTIONS + OTHER_FILES;
		setrlimit(RLIMIT_NOFILE, &files);
	}
	return files.rlim_cur > 2 * OTHER_FILES ? (unsigned)files.rlim_cur - OTHER_FILES
						: OTHER_FILES;
}

int server_open(struct perun_ctx *ctx, const struct server_options *options, struct server **server)
{
	struct server *one = perun_alloc_zero(1, sizeof *one);
	union address address;
	int status = read_address(ctx, options, &address);
	bool six = address.any.sa_family == AF_INET6;

	*server = one;
	one->options = *options;
	pthread_mutex_init(&one->lock, NULL);
	pthread_cond_init(&one->work, NULL);
	if (status)
		return status;
	one->limit = find_limit();
	errno = 0;
	one->daemon = MHD_start_daemon(
		MHD_USE_AUTO_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | (six ? MHD_USE_IPv6 : 0),
		(uint16_t)options->port, NULL, NULL, on_request, one, MHD_OPTION_SOCK_ADDR,
		&address.any, MHD_OPTION_LISTEN_BACKLOG_SIZE, 512u, MHD_OPTION_CONNECTION_LIMIT,
		one->limit, MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)IDLE_SECONDS,
		MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)MAX_HEAD, MHD_OPTION_NOTIFY_CONNECTION,
		on_connection, one, MHD_OPTION_NOTIFY_COMPLETED, on_completed, one, MHD_OPTION_END);
	if (!one->daemon)
		return perun_fail_errno(ctx, PERUN_INPUT, errno ? errno : EADDRINUSE,
					"cannot listen on port %u of %s", options->port,
					options->address);
	one->port = MHD_get_daemon_info(one->daemon, MHD_DAEMON_INFO_BIND_PORT)->port;
	return PERUN_OK;
}

unsigned server_port(const struct server *server)
{
	return server->port;
}

int server_run(struct perun_ctx *ctx, struct server *server)
{
	const struct timespec tick = {.tv_nsec = TICK * 1000000L};

	server->workers = perun_alloc_zero(server->options.threads, sizeof *server->workers);
	for (unsigned i = 0; i < server->options.threads; i++) {
		server->workers[i] = (struct worker){.server = server, .number = i};
		if (pthread_create(&server->workers[i].thread, NULL, work, &server->workers[i]))
			break;
		server->running++;
	}
	if (!server->running)
		return perun_fail(ctx, PERUN_INPUT, "cannot start a thread");
	while (!perun_cancelled(ctx)) {
		nanosleep(&tick, NULL);
		drop_slow(server);
	}
	return PERUN_OK;
}

void server_close(struct server *server)
{
	if (!server)
		return;
	pthread_mutex_lock(&server->lock);
	server->stopping = true;
	pthread_cond_broadcast(&server->work);
	pthread_mutex_unlock(&server->lock);
	for (unsigned i = 0; i < server->running; i++)
		pthread_join(server->workers[i].thread, NULL);
	/* A daemon that stops must have no connection at rest; one that goes on may end at once. */
	for (struct exchange *exchange = server->first, *next; exchange; exchange = next) {
		next = exchange->next;
		exchange->answer.code = 503;
		exchange->done = true;
		MHD_resume_connection(exchange->connection);
	}
	if (server->daemon)
		MHD_stop_daemon(server->daemon);
	perun_free(server->workers);
	pthread_cond_destroy(&server->work);
	pthread_mutex_destroy(&server->lock);
	perun_free(server);
}

#else

int server_open(struct perun_ctx *ctx, const struct server_options *options, struct server **server)
{
	(void)options;
	*server = NULL;
	return perun_fail(ctx, PERUN_MISSING,
			  "this perun was built without libmicrohttpd and serves no pages");
}

unsigned server_port(const struct server *server)
{
	(void)server;
	return 0;
}

int server_run(struct perun_ctx *ctx, struct server *server)
{
	(void)ctx;
	(void)server;
	return PERUN_MISSING;
}

void server_close(struct server *server)
{
	(void)server;
}

#endif
