/* SPDX-License-Identifier: BSD-3-Clause */
/* A thread that does one job after the other beside the caller's. */
#include <pthread.h>

#include "core/context/context.h"

struct perun_worker {
	size_t room;
	void (*work)(void *job, void *data);
	void *data;
	bool started, alone; /* the thread runs; there is none, and none is tried */
	struct perun_thread thread;

	pthread_mutex_t lock; /* of what follows */
	pthread_cond_t changed;
	void **jobs;        /* a ring of `room` */
	size_t given, done; /* so far */
	bool ended;
};

static void do_jobs(void *data)
{
	struct perun_worker *worker = data;

	pthread_mutex_lock(&worker->lock);
	for (;;) {
		void *job;

		while (worker->done == worker->given && !worker->ended)
			pthread_cond_wait(&worker->changed, &worker->lock);
		if (worker->done == worker->given)
			break;
		job = worker->jobs[worker->done % worker->room];
		pthread_mutex_unlock(&worker->lock);
		worker->work(job, worker->data);
		pthread_mutex_lock(&worker->lock);
		worker->done++;
		pthread_cond_signal(&worker->changed);
	}
	pthread_mutex_unlock(&worker->lock);
}

struct perun_worker *perun_worker_new(size_t room, void (*work)(void *job, void *data), void *data)
{
	struct perun_worker *worker = perun_alloc_zero(1, sizeof *worker);

	worker->room = room ? room : 1;
	worker->work = work;
	worker->data = data;
	worker->jobs = perun_alloc_zero(worker->room, sizeof *worker->jobs);
	pthread_mutex_init(&worker->lock, NULL);
	pthread_cond_init(&worker->changed, NULL);
	return worker;
}

/* The thread is made when there is a first job. */
static bool is_running(struct perun_worker *worker)
{
	if (!worker->started && !worker->alone) {
		worker->started = perun_thread_count(2) > 1 &&
				  perun_thread_start(&worker->thread, do_jobs, worker);
		worker->alone = !worker->started;
	}
	return worker->started;
}

void perun_worker_give(struct perun_worker *worker, void *job)
{
	if (!is_running(worker)) {
		worker->work(job, worker->data);
		return;
	}
	pthread_mutex_lock(&worker->lock);
	while (worker->given - worker->done == worker->room)
		pthread_cond_wait(&worker->changed, &worker->lock);
	worker->jobs[worker->given++ % worker->room] = job;
	pthread_cond_signal(&worker->changed);
	pthread_mutex_unlock(&worker->lock);
}

void perun_worker_wait(struct perun_worker *worker)
{
	if (!worker->started)
		return;
	pthread_mutex_lock(&worker->lock);
	while (worker->done != worker->given)
		pthread_cond_wait(&worker->changed, &worker->lock);
	pthread_mutex_unlock(&worker->lock);
}

void perun_worker_free(struct perun_worker *worker)
{
	if (!worker)
		return;
	if (worker->started) {
		pthread_mutex_lock(&worker->lock);
		worker->ended = true;
		pthread_cond_signal(&worker->changed);
		pthread_mutex_unlock(&worker->lock);
		perun_thread_join(&worker->thread);
	}
	pthread_mutex_destroy(&worker->lock);
	pthread_cond_destroy(&worker->changed);
	perun_free(worker->jobs);
	perun_free(worker);
}
