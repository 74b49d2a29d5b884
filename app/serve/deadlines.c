/* SPDX-License-Identifier: MIT
 * See deadlines.h. */
#include "serve/deadlines.h"

#include "base/clock.h"
#include "base/memory.h"

#include <sys/socket.h>

void l2r_deadlines_init(struct l2r_deadlines *all)
{
    *all = (struct l2r_deadlines){0};
    pthread_mutex_init(&all->lock, NULL);
}

void l2r_deadlines_clear(struct l2r_deadlines *all)
{
    pthread_mutex_destroy(&all->lock);
}

struct l2r_connection *l2r_deadlines_begin(struct l2r_deadlines *all, int socket, double seconds)
{
    struct l2r_connection *c = l2r_alloc(1, sizeof *c);
    if (!c) return NULL;
    pthread_mutex_lock(&all->lock);
    *c = (struct l2r_connection){.next = all->first, .socket = socket, .deadline = l2r_clock_seconds() + seconds};
    if (c->next) c->next->previous = c;
    all->first = c;
    all->n++;
    pthread_mutex_unlock(&all->lock);
    return c;
}

void l2r_deadlines_end(struct l2r_deadlines *all, struct l2r_connection *c)
{
    if (!c) return;
    pthread_mutex_lock(&all->lock);
    if (c->previous)
        c->previous->next = c->next;
    else
        all->first = c->next;
    if (c->next) c->next->previous = c->previous;
    all->n--;
    pthread_mutex_unlock(&all->lock);
    l2r_free(c);
}

void l2r_deadlines_set(struct l2r_deadlines *all, struct l2r_connection *c, double seconds)
{
    if (!c) return;
    pthread_mutex_lock(&all->lock);
    c->deadline = seconds > 0 ? l2r_clock_seconds() + seconds : 0;
    pthread_mutex_unlock(&all->lock);
}

void l2r_deadlines_sweep(struct l2r_deadlines *all)
{
    double now = l2r_clock_seconds();
    pthread_mutex_lock(&all->lock);
    for (struct l2r_connection *c = all->first; c; c = c->next)
        if (c->deadline > 0 && now > c->deadline && c->socket >= 0) {
            (void)shutdown(c->socket, SHUT_RDWR);
            c->deadline = 0;
        }
    pthread_mutex_unlock(&all->lock);
}

unsigned l2r_deadlines_count(struct l2r_deadlines *all)
{
    pthread_mutex_lock(&all->lock);
    unsigned n = all->n;
    pthread_mutex_unlock(&all->lock);
    return n;
}
