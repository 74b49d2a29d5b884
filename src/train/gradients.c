/* SPDX-License-Identifier: MIT
 * See gradients.h. */
#include "train/gradients.h"

void l2r_gradients_init(struct l2r_gradients *g, struct l2r_comm *comm, struct l2r_params *params)
{
    int64_t n = params->n_trainable, bytes = n * (int64_t)sizeof(l2r_real);
    *g = (struct l2r_gradients){.comm = comm, .params = params, .n = (int)(bytes / L2R_BUCKET_BYTES)};
    if (g->n < 1) g->n = 1;
    if (g->n > L2R_BUCKETS) g->n = L2R_BUCKETS;
    for (int k = 0; k <= g->n; k++) g->start[k] = n * k / g->n;
}

/* Buckets whose parameters no value before number `id` uses; and a chance for those under way to move. */
static void passed(void *context, int32_t id)
{
    struct l2r_gradients *g = context;
    while (g->left > 0 && g->first_use[g->left - 1] + 1 >= id) {
        int64_t begin = g->start[--g->left];
        l2r_comm_start_sum(g->comm, g->params->grad + begin, g->start[g->left + 1] - begin, sizeof *g->params->grad);
    }
    l2r_comm_progress(g->comm);
}

void l2r_gradients_begin(struct l2r_gradients *g, struct l2r_tape *tape)
{
    if (!g->comm || tape->status != L2R_OK) return;
    for (int k = 0; k < g->n; k++) g->first_use[k] = (int32_t)tape->count;
    for (size_t id = tape->count; id-- > 0;) {
        const struct l2r_value *leaf = &tape->values[id];
        uintptr_t block = (uintptr_t)g->params->grad, at = (uintptr_t)leaf->grad;
        if (leaf->backward || at < block || at >= (uintptr_t)(g->params->grad + g->params->n_trainable)) continue;
        int64_t begin = (int64_t)((at - block) / sizeof *leaf->grad);
        for (int k = 0; k < g->n; k++)
            if (begin < g->start[k + 1] && begin + leaf->rows * leaf->cols > g->start[k]) g->first_use[k] = (int32_t)id;
    }
    g->left = g->n;
    tape->on_passed.call = passed;
    tape->on_passed.context = g;
}

void l2r_gradients_finish(struct l2r_gradients *g, struct l2r_tape *tape)
{
    if (!g->comm) return;
    tape->on_passed.call = NULL;
    if (tape->status != L2R_OK) return; /* this rank ends, and the others with it */
    passed(g, -1);
    l2r_comm_finish_sums(g->comm);
}
