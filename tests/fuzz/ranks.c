/* SPDX-License-Identifier: MIT
 *
 * Any bytes as what another rank sends and brings: rank 0 of a job of three hears of runs that do not exist, of states
 * that there are not, of texts without an end. Runs are counted once, sentences are one line, and nothing is read
 * behind a message.
 */
#include "base/memory.h"
#include "comm/comm.h"
#include "jobs/outbox.h"
#include "refusal.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { JOBS = 7, RANKS = 3 };

struct input {
    const uint8_t *at;
    size_t left;
};

static size_t take(void *out, struct input *input, size_t n)
{
    if (n > input->left) n = input->left;
    if (n > 0) memcpy(out, input->at, n);
    input->at += n;
    input->left -= n;
    return n;
}

static void gather(void *state, void *all, const int64_t *start)
{
    (void)take((char *)all + start[1], state, (size_t)(start[RANKS] - start[1])); /* rank 0 keeps its own */
}

static void broadcast(void *state, void *data, size_t bytes)
{
    (void)state, (void)data, (void)bytes; /* it comes from rank 0 */
}

/* A byte that says how long: 255 is as long as a message about a run. */
static bool receive(void *state, void **data, size_t *bytes, int *from, bool wait)
{
    struct input *input = state;
    uint8_t length;
    (void)wait;
    if (take(&length, input, 1) == 0) return false;
    *bytes = length == 255 ? sizeof(struct l2r_outbox_message) : length;
    *data = l2r_alloc(*bytes, 1);
    if (!*data) abort();
    (void)take(*data, input, *bytes);
    *from = 1;
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct l2r_comm_calls calls = {.gather = gather, .broadcast = broadcast, .receive = receive};
    struct input input = {data, size};
    struct l2r_comm comm = {.size = RANKS, .rank = 0, .calls = &calls, .state = &input};
    struct l2r_error error = {0};
    int left = RANKS - 1;
    if (l2r_comm_complain(&comm, "", &error) != L2R_OK) expect_refusal(&error);
    while (input.left > 0) {
        struct l2r_outbox_message message;
        if (!l2r_outbox_receive(&comm, &message, JOBS, &left)) continue;
        if (message.job >= JOBS || message.threads < 0) abort();
        if (message.status != L2R_OK) expect_refusal(&message.error);
    }
    if (left < 0) abort();
    return 0;
}
