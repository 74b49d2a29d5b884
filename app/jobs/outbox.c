/* SPDX-License-Identifier: MIT
 * See outbox.h. */
#include "jobs/outbox.h"

#include "base/memory.h"

#include <string.h>

bool l2r_outbox_put(struct l2r_outbox *box, const struct l2r_outbox_message *message)
{
    if (!l2r_reserve((void **)&box->messages, &box->capacity, box->n + 1, sizeof *box->messages)) return false;
    box->messages[box->n++] = *message;
    return true;
}

bool l2r_outbox_take(struct l2r_outbox *box, struct l2r_outbox_message *message)
{
    if (box->n == 0) return false;
    *message = box->messages[0];
    memmove(box->messages, box->messages + 1, --box->n * sizeof *box->messages);
    return true;
}

void l2r_outbox_send(struct l2r_comm *comm, const struct l2r_outbox_message *message)
{
    l2r_comm_send(comm, message ? (const void *)message : "", message ? sizeof *message : 0, 0);
}

/* Checks a message: its run exists; the error text is terminated and gets no control characters. */
static bool check_message(struct l2r_outbox_message *m, const void *data, size_t bytes, size_t n_jobs)
{
    char sentence[sizeof m->error.message];
    int status;
    if (bytes != sizeof *m) return false;
    memcpy(m, data, sizeof *m);
    memcpy(&status, &m->status, sizeof status); /* any number, until it is checked */
    if (m->job >= n_jobs || m->threads < 0 || status < L2R_OK || status > L2R_ERR_MISSING) return false;
    memcpy(sentence, m->error.message, sizeof sentence);
    sentence[sizeof sentence - 1] = '\0';
    m->error = (struct l2r_error){0};
    if (m->status != L2R_OK)
        (void)l2r_fail(&m->error, m->status, "%s", sentence[0] ? sentence : "a rank gives no reason");
    return true;
}

bool l2r_outbox_receive(struct l2r_comm *comm, struct l2r_outbox_message *message, size_t n_jobs, int *left)
{
    void *data;
    size_t bytes;
    int from;
    if (!l2r_comm_receive(comm, &data, &bytes, &from, false)) return false;
    bool of_run = check_message(message, data, bytes, n_jobs);
    if (bytes == 0 && *left > 0) --*left;
    l2r_free(data);
    return of_run;
}
