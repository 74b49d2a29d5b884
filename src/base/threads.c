/* SPDX-License-Identifier: MIT
 *
 * See threads.h. A team of workers for one calling thread. Written by hand instead of with OpenMP, whose waiting
 * threads spin for milliseconds: when another process shares a core, that made training several times slower.
 *
 *     state   generation of the job (upper half) | OPEN | number of workers inside
 *
 * The caller opens a job and takes chunks itself. A worker that notices the open job enters it by raising the count,
 * takes chunks until none is left, and leaves. The caller closes the job when no chunk is left and waits for the
 * workers inside: it does not wait for a worker that never entered (asleep, or its core in use by others).
 *
 * The prefetching thread at the end of the file is simpler: it wakes once per batch or block, not thousands of times a
 * second, so a lock and a condition variable suffice.
 */
#include "base/threads.h"

#include "base/memory.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

enum { MOST_THREADS = 1024, SPINS = 2000 /* some 50 µs: longer than the gap between two loops of a training step */ };

#define OPEN ((uint64_t)1 << 31)
#define INSIDE(state) ((state) & (OPEN - 1))
#define GENERATION(state) ((state) >> 32)

struct team {
    _Atomic uint64_t state;
    _Atomic int64_t next; /* chunk to be taken */
    int64_t n_chunks;
    l2r_chunk_fn *fn;
    void *context;

    _Atomic int numbered; /* workers that have taken a number */
    _Atomic int sleepers;
    _Atomic bool quit;
    _Atomic bool failed; /* a worker's chunk did */
    pthread_mutex_t lock;
    pthread_cond_t wake;
    int n_workers;
    pthread_t workers[]; /* [n_workers] */
};

static _Thread_local struct team *own_team;
static _Thread_local int wanted; /* threads, 0: not set */
static _Atomic int fallback;     /* of threads that come later; 0: one per core */
static _Thread_local bool inside_chunk;
static _Thread_local int worker;          /* number in the team */
static _Thread_local struct team *served; /* by this worker */
static _Thread_local bool failed;

static pthread_key_t team_key; /* ends the team with its thread */
static pthread_once_t team_key_once = PTHREAD_ONCE_INIT;

static void relax(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

/* Which thread takes which chunk varies; what a chunk computes does not. */
static void take_chunks(struct team *team)
{
    int64_t chunk;
    while ((chunk = atomic_fetch_add(&team->next, 1)) < team->n_chunks) team->fn(team->context, chunk);
}

/* Sleeps until there is a job newer than `seen`, or the end. */
static void sleep_until_called(struct team *team, uint64_t seen)
{
    pthread_mutex_lock(&team->lock);
    atomic_fetch_add(&team->sleepers, 1);
    while (GENERATION(atomic_load(&team->state)) == seen && !atomic_load(&team->quit))
        pthread_cond_wait(&team->wake, &team->lock);
    atomic_fetch_sub(&team->sleepers, 1);
    pthread_mutex_unlock(&team->lock);
}

/* The loop of a worker: spin for a moment, since the next job usually follows at once, then sleep; enter open jobs. A
 * job that was already closed is only noted, so that the worker does not wait for it again. */
static void *work(void *argument)
{
    struct team *team = argument;
    uint64_t seen = 0;
    int spins = 0;
    inside_chunk = true;
    served = team;
    worker = 1 + atomic_fetch_add(&team->numbered, 1);
    while (!atomic_load(&team->quit)) {
        uint64_t state = atomic_load(&team->state);
        if (GENERATION(state) == seen) {
            if (spins++ < SPINS)
                relax();
            else
                sleep_until_called(team, seen);
            continue;
        }
        spins = 0;
        if (!(state & OPEN)) {
            seen = GENERATION(state);
        } else if (atomic_compare_exchange_weak(&team->state, &state, state + 1)) {
            seen = GENERATION(state);
            take_chunks(team);
            atomic_fetch_sub(&team->state, 1);
        }
    }
    return NULL;
}

static void end_team(void *argument)
{
    struct team *team = argument;
    pthread_mutex_lock(&team->lock);
    atomic_store(&team->quit, true);
    pthread_cond_broadcast(&team->wake);
    pthread_mutex_unlock(&team->lock);
    for (int i = 0; i < team->n_workers; i++) pthread_join(team->workers[i], NULL);
    pthread_cond_destroy(&team->wake);
    pthread_mutex_destroy(&team->lock);
    l2r_free(team);
}

/* In a child of fork only the thread that forked is left: the workers of its team are gone, and so is the thread that
 * held the lock. The next loop starts a new team. */
static void drop_team(void)
{
    if (!own_team) return;
    l2r_free(own_team);
    own_team = NULL;
    pthread_setspecific(team_key, NULL);
}

static void make_key(void)
{
    pthread_key_create(&team_key, end_team);
    pthread_atfork(NULL, NULL, drop_team);
}

/* A team of up to n threads, the caller included; fewer when the system gives no more. NULL: the caller works alone. */
static struct team *start_team(int n)
{
    struct team *team = l2r_alloc(1, sizeof *team + (size_t)(n - 1) * sizeof team->workers[0]);
    if (!team) return NULL;
    pthread_mutex_init(&team->lock, NULL);
    pthread_cond_init(&team->wake, NULL);
    while (team->n_workers < n - 1 && pthread_create(&team->workers[team->n_workers], NULL, work, team) == 0)
        team->n_workers++;
    pthread_once(&team_key_once, make_key);
    pthread_setspecific(team_key, team);
    return team;
}

int l2r_threads_get(void)
{
    if (wanted == 0) l2r_threads_set(atomic_load(&fallback));
    return wanted;
}

void l2r_threads_set_default(int n)
{
    atomic_store(&fallback, n > 0 ? n : 0);
    l2r_threads_set(n);
}

void l2r_work_fail(void)
{
    failed = true;
    if (served) atomic_store(&served->failed, true);
}

bool l2r_work_failed(void)
{
    bool answer = failed;
    failed = false;
    return answer;
}

bool l2r_threads_alone(void)
{
    return inside_chunk || l2r_threads_get() == 1;
}

int l2r_worker(void)
{
    return worker;
}

void l2r_threads_set(int n)
{
    if (n <= 0) {
        cpu_set_t cores;
        n = sched_getaffinity(0, sizeof cores, &cores) == 0 ? CPU_COUNT(&cores) : 1;
    }
    wanted = n < MOST_THREADS ? n : MOST_THREADS;
    if (!own_team || own_team->n_workers == wanted - 1) return;
    end_team(own_team);
    own_team = NULL;
    pthread_setspecific(team_key, NULL);
}

static void run_alone(int64_t n_chunks, l2r_chunk_fn *fn, void *context)
{
    bool nested = inside_chunk;
    int number = worker;
    inside_chunk = true;
    worker = 0; /* of this loop, which has no other worker */
    for (int64_t chunk = 0; chunk < n_chunks; chunk++) fn(context, chunk);
    inside_chunk = nested;
    worker = number;
}

/* The workers inside are busy with a last chunk each: waiting is short unless their core is taken. */
static void wait_for_workers(struct team *team)
{
    for (int spins = 0; INSIDE(atomic_load(&team->state)) > 0; spins++) {
        if (spins < SPINS)
            relax();
        else
            sched_yield();
    }
}

void l2r_parallel(int64_t n_chunks, l2r_chunk_fn *fn, void *context)
{
    if (n_chunks <= 1 || inside_chunk || l2r_threads_get() == 1) {
        run_alone(n_chunks, fn, context);
        return;
    }
    if (!own_team) own_team = start_team(wanted);
    struct team *team = own_team;
    if (!team) {
        run_alone(n_chunks, fn, context);
        return;
    }
    /* No worker is inside now: the last call waited for that. So the job may be described before it is opened. */
    team->fn = fn;
    team->context = context;
    team->n_chunks = n_chunks;
    atomic_store(&team->next, 0);
    uint64_t generation = (GENERATION(atomic_load(&team->state)) + 1) & UINT32_MAX;
    atomic_store(&team->state, generation << 32 | OPEN);
    if (atomic_load(&team->sleepers) > 0) {
        pthread_mutex_lock(&team->lock);
        pthread_cond_broadcast(&team->wake);
        pthread_mutex_unlock(&team->lock);
    }
    inside_chunk = true;
    take_chunks(team);
    inside_chunk = false;
    atomic_fetch_and(&team->state, ~OPEN);
    wait_for_workers(team);
    if (atomic_load(&team->failed)) failed = true;
    atomic_store(&team->failed, false);
}

/* ---- Working ahead: two counters under one lock are the whole protocol; made <= wanted, and neither decreases ---- */

struct l2r_prefetch {
    void (*make)(void *context, size_t k);
    void *context;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    size_t wanted, made;
    bool quit;
};

static void *make_ahead(void *argument)
{
    struct l2r_prefetch *p = argument;
    pthread_mutex_lock(&p->lock);
    for (;;) {
        while (p->made == p->wanted && !p->quit) pthread_cond_wait(&p->changed, &p->lock);
        if (p->quit) break;
        size_t k = p->made;
        pthread_mutex_unlock(&p->lock);
        p->make(p->context, k);
        pthread_mutex_lock(&p->lock);
        p->made = k + 1;
        pthread_cond_broadcast(&p->changed);
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

enum l2r_status l2r_prefetch_new(struct l2r_prefetch **prefetch, void (*make)(void *context, size_t k), void *context,
                                 struct l2r_error *error)
{
    struct l2r_prefetch *p = l2r_alloc(1, sizeof *p);
    *prefetch = NULL;
    if (!p) return l2r_fail_memory(error, sizeof *p, "a prefetching thread");
    p->make = make;
    p->context = context;
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->changed, NULL);
    if (pthread_create(&p->thread, NULL, make_ahead, p) != 0) {
        pthread_mutex_destroy(&p->lock);
        pthread_cond_destroy(&p->changed);
        l2r_free(p);
        return l2r_fail(error, L2R_ERR_MEMORY,
                        "cannot start a thread for prefetching; is the number of threads limited?");
    }
    *prefetch = p;
    return L2R_OK;
}

void l2r_prefetch_request(struct l2r_prefetch *p)
{
    pthread_mutex_lock(&p->lock);
    p->wanted++;
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->lock);
}

void l2r_prefetch_wait(struct l2r_prefetch *p, size_t k)
{
    pthread_mutex_lock(&p->lock);
    while (p->made <= k) pthread_cond_wait(&p->changed, &p->lock);
    pthread_mutex_unlock(&p->lock);
}

void l2r_prefetch_free(struct l2r_prefetch *p)
{
    if (!p) return;
    pthread_mutex_lock(&p->lock);
    p->quit = true;
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->lock);
    pthread_join(p->thread, NULL);
    pthread_mutex_destroy(&p->lock);
    pthread_cond_destroy(&p->changed);
    l2r_free(p);
}
