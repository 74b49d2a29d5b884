/* SPDX-License-Identifier: MIT
 * See relay.h. One lock guards everything; it is not held while a callback of the caller runs. */
#include "train/relay.h"

#include "base/array.h"
#include "base/memory.h"
#include "base/text.h"
#include "train/watch.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum kind { EPOCH, NOTE };

struct event {
    enum kind kind;
    struct l2r_progress progress; /* EPOCH */
    char *sentence;               /* NOTE */
};

struct seat {
    struct l2r_relay *relay;
    struct l2r_callbacks callbacks;
    char heading[128];
    struct l2r_array events; /* struct event, in the order in which they happened */
    size_t delivered;
    struct l2r_progress batch;
    bool has_batch; /* not delivered yet */
    bool headed, ended;
};

struct l2r_relay {
    struct l2r_callbacks to;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int n, displayed;
    bool direct;
    bool asks;           /* a member wants to know whether to stop */
    bool stopped;        /* the answer was yes, or a member failed */
    bool failed;         /* out of memory for an event */
    struct seat seats[]; /* [n] */
};

/* ---- on the caller's thread ---- */

/* With the lock held, which is let go meanwhile. */
static void call(struct l2r_relay *r, struct seat *s, const struct event *event, const struct l2r_progress *batch)
{
    bool heads = event && !s->headed;
    s->headed = s->headed || heads;
    pthread_mutex_unlock(&r->lock);
    if (heads) l2r_watch_note(&r->to, s->heading);
    if (event && event->kind == NOTE) l2r_watch_note(&r->to, event->sentence);
    if (event && event->kind == EPOCH && r->to.epoch) r->to.epoch(r->to.context, &event->progress);
    if (batch && r->to.batch) r->to.batch(r->to.context, batch);
    pthread_mutex_lock(&r->lock);
}

/* Delivers one thing, with the lock held; false: there is nothing to do now. */
static bool deliver_one(struct l2r_relay *r)
{
    struct seat *s = &r->seats[r->displayed];
    if (r->asks) {
        r->asks = false;
        pthread_mutex_unlock(&r->lock);
        bool stop = r->to.stop && r->to.stop(r->to.context);
        pthread_mutex_lock(&r->lock);
        r->stopped = r->stopped || stop;
    } else if (s->delivered < s->events.n) {
        struct event event = ((struct event *)s->events.items)[s->delivered++];
        call(r, s, &event, NULL);
        l2r_free(event.sentence);
    } else if (s->has_batch) {
        struct l2r_progress batch = s->batch;
        s->has_batch = false;
        call(r, s, NULL, &batch);
    } else if (s->ended && r->displayed + 1 < r->n) {
        r->displayed++;
    } else {
        return false;
    }
    return true;
}

enum l2r_status l2r_relay_deliver(struct l2r_relay *r, struct l2r_error *error)
{
    pthread_mutex_lock(&r->lock);
    for (;;) {
        while (deliver_one(r)) continue;
        if (r->seats[r->displayed].ended) break; /* the last one: nothing is left */
        pthread_cond_wait(&r->changed, &r->lock);
    }
    bool failed = r->failed;
    pthread_mutex_unlock(&r->lock);
    return failed ? l2r_fail(error, L2R_ERR_MEMORY, "out of memory: the events of a committee") : L2R_OK;
}

/* ---- on the members' threads ---- */

/* After a change, with the lock held: where members run on the caller's thread it is delivered at once. */
static void changed(struct l2r_relay *r)
{
    while (r->direct && deliver_one(r)) continue;
    pthread_cond_signal(&r->changed);
}

static void add(struct seat *s, struct event event)
{
    struct l2r_relay *r = s->relay;
    pthread_mutex_lock(&r->lock);
    s->has_batch = false; /* older than the event */
    if (!l2r_array_add(&s->events, &event, 1, sizeof event)) {
        l2r_free(event.sentence);
        r->failed = r->stopped = true;
    }
    changed(r);
    pthread_mutex_unlock(&r->lock);
}

static void on_batch(void *context, const struct l2r_progress *progress)
{
    struct seat *s = context;
    struct l2r_relay *r = s->relay;
    pthread_mutex_lock(&r->lock);
    if (s == &r->seats[r->displayed]) {
        s->batch = *progress;
        s->has_batch = true;
        changed(r);
    }
    pthread_mutex_unlock(&r->lock);
}

static void on_epoch(void *context, const struct l2r_progress *progress)
{
    add(context, (struct event){.kind = EPOCH, .progress = *progress});
}

static void on_note(void *context, const char *sentence)
{
    struct seat *s = context;
    struct event event = {.kind = NOTE, .sentence = l2r_strdup(sentence)};
    if (event.sentence) {
        add(s, event);
        return;
    }
    pthread_mutex_lock(&s->relay->lock);
    s->relay->failed = s->relay->stopped = true;
    pthread_mutex_unlock(&s->relay->lock);
}

static bool on_stop(void *context)
{
    struct l2r_relay *r = ((struct seat *)context)->relay;
    pthread_mutex_lock(&r->lock);
    r->asks = r->to.stop != NULL;
    changed(r);
    bool stop = r->stopped;
    pthread_mutex_unlock(&r->lock);
    return stop;
}

void l2r_relay_end(struct l2r_relay *r, int k, bool failed)
{
    pthread_mutex_lock(&r->lock);
    r->seats[k].ended = true;
    r->stopped = r->stopped || failed;
    changed(r);
    pthread_mutex_unlock(&r->lock);
}

/* ---- making ---- */

const struct l2r_callbacks *l2r_relay_join(struct l2r_relay *r, int k, const char *heading)
{
    struct seat *s = &r->seats[k];
    snprintf(s->heading, sizeof s->heading, "%s", heading);
    return &s->callbacks;
}

enum l2r_status l2r_relay_new(struct l2r_relay **relay, const struct l2r_callbacks *to, int n, bool direct,
                              struct l2r_error *error)
{
    struct l2r_relay *r = *relay = l2r_alloc(1, sizeof *r + (size_t)n * sizeof *r->seats);
    if (!r) return l2r_fail(error, L2R_ERR_MEMORY, "out of memory: a committee");
    if (to) r->to = *to;
    r->n = n;
    r->direct = direct;
    pthread_mutex_init(&r->lock, NULL);
    pthread_cond_init(&r->changed, NULL);
    for (int k = 0; k < n; k++) {
        r->seats[k].relay = r;
        r->seats[k].callbacks = (struct l2r_callbacks){.size = sizeof(struct l2r_callbacks),
                                                       .context = &r->seats[k],
                                                       .batch = on_batch,
                                                       .epoch = on_epoch,
                                                       .note = on_note,
                                                       .stop = on_stop};
    }
    return L2R_OK;
}

void l2r_relay_free(struct l2r_relay *r)
{
    if (!r) return;
    for (int k = 0; k < r->n; k++) {
        struct event *events = r->seats[k].events.items;
        for (size_t i = r->seats[k].delivered; i < r->seats[k].events.n; i++) l2r_free(events[i].sentence);
        l2r_array_clear(&r->seats[k].events);
    }
    pthread_cond_destroy(&r->changed);
    pthread_mutex_destroy(&r->lock);
    l2r_free(r);
}
