/* SPDX-License-Identifier: MIT
 *
 * Server-sent events about runs (runs.h). Each look compares the stamps of all run folders with those of the look
 * before; what differs is one event to all who watch:
 *
 *     event: runs
 *     data: {"changed": ["a/seed-0"], "gone": []}
 */
#include "serve/run_folders.h"
#include "serve/runs.h"

#include "base/clock.h"
#include "base/memory.h"
#include "serve/reply.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_WATCHERS = 64, SECONDS_OF_SILENCE = 15, UNREAD = 1 << 20 };

struct l2r_run_watch {
    const char *dir;
    pthread_mutex_t lock;
    struct l2r_exchange *watchers[MOST_WATCHERS];
    int n;
    bool stop;
    struct l2r_run_folders before; /* of the last look, by the thread that looks */
    bool looked;
    double said; /* when something was written last */
};

struct l2r_run_watch *l2r_run_watch_new(const char *dir)
{
    struct l2r_run_watch *w = l2r_alloc(1, sizeof *w);
    if (!w) return NULL;
    w->dir = dir;
    pthread_mutex_init(&w->lock, NULL);
    return w;
}

void l2r_run_watch_add(struct l2r_run_watch *w, struct l2r_exchange *exchange, struct l2r_counters *counters)
{
    static const char hello[] = "retry: 2000\n\n";
    const struct l2r_http_reply reply = {
        .code = 200, .type = "text/event-stream", .body = hello, .length = sizeof hello - 1};
    pthread_mutex_lock(&w->lock);
    int code = w->stop ? 503 : w->n == MOST_WATCHERS ? 429 : 0;
    if (code == 0) {
        l2r_counters_code(counters, 200);
        l2r_exchange_begin(exchange, &reply);
        w->watchers[w->n++] = exchange;
    }
    pthread_mutex_unlock(&w->lock);
    if (code != 0)
        l2r_reply_error(exchange, counters, code, code == 429 ? "too many pages watch the runs" : "the server is %s",
                        "stopping");
}

/* Writes to all who are there, and lets go of those who have left or do not read. */
static void tell(struct l2r_run_watch *w, const char *text)
{
    size_t length = strlen(text);
    for (int i = 0; i < w->n;) {
        struct l2r_exchange *x = w->watchers[i];
        if (l2r_exchange_is_open(x) && l2r_exchange_waiting(x) < UNREAD) {
            l2r_exchange_write(x, text, length);
            i++;
            continue;
        }
        l2r_exchange_end(x, true);
        w->watchers[i] = w->watchers[--w->n];
    }
    w->said = l2r_clock_seconds();
}

/* Both lists are sorted by name. False: nothing differs. */
static bool compare(json_t *changed, json_t *gone, const struct l2r_run_folders *before,
                    const struct l2r_run_folders *now)
{
    for (size_t i = 0, k = 0; i < before->n || k < now->n;) {
        int order = i == before->n ? 1 : k == now->n ? -1 : strcmp(before->items[i].name, now->items[k].name);
        if (order < 0) l2r_json_append(gone, l2r_json_name(before->items[i].name));
        if (order > 0 || (order == 0 && before->items[i].stamp != now->items[k].stamp))
            l2r_json_append(changed, l2r_json_name(now->items[k].name));
        i += order <= 0;
        k += order >= 0;
    }
    return json_array_size(changed) + json_array_size(gone) > 0;
}

void l2r_run_watch_look(struct l2r_run_watch *w)
{
    struct l2r_error error;
    struct l2r_run_folders now = {0};
    pthread_mutex_lock(&w->lock);
    bool watched = w->n > 0;
    pthread_mutex_unlock(&w->lock);
    if (!watched) w->looked = false;
    if (!watched || l2r_run_folders_find(&now, w->dir, &error) != L2R_OK) return;
    json_t *event = json_object(), *changed = json_array(), *gone = json_array();
    l2r_json_put(event, "changed", changed);
    l2r_json_put(event, "gone", gone);
    bool differs = !w->looked || compare(changed, gone, &w->before, &now); /* the first look: read it all anew */
    char *text = differs ? json_dumps(event, JSON_COMPACT) : NULL;
    json_decref(event);
    l2r_run_folders_clear(&w->before);
    w->before = now;
    w->looked = true;
    pthread_mutex_lock(&w->lock);
    if (text) {
        struct l2r_text line = {0};
        l2r_text_print(&line, "event: runs\ndata: %s\n\n", text);
        if (line.text) tell(w, line.text);
        l2r_text_clear(&line);
    } else if (l2r_clock_since(w->said) > SECONDS_OF_SILENCE) {
        tell(w, ": still here\n\n");
    }
    pthread_mutex_unlock(&w->lock);
    free(text);
}

void l2r_run_watch_stop(struct l2r_run_watch *w)
{
    pthread_mutex_lock(&w->lock);
    w->stop = true;
    while (w->n > 0) l2r_exchange_end(w->watchers[--w->n], true);
    pthread_mutex_unlock(&w->lock);
}

void l2r_run_watch_free(struct l2r_run_watch *w)
{
    if (!w) return;
    l2r_run_folders_clear(&w->before);
    pthread_mutex_destroy(&w->lock);
    l2r_free(w);
}
