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

bool l2r_outbox_receive(struct l2r_comm *comm, struct l2r_outbox_message *message, int *left)
{
    void *data;
    size_t bytes;
    int from;
    if (!l2r_comm_receive(comm, &data, &bytes, &from, false)) return false;
    bool of_run = bytes == sizeof *message;
    if (of_run)
        memcpy(message, data, sizeof *message);
    else
        --*left;
    l2r_free(data);
    return of_run;
}
