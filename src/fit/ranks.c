/* SPDX-License-Identifier: MIT
 * See ranks.h. */
#include "fit/ranks.h"

#include "base/json.h"
#include "base/threads.h"
#include "data/dataset.h"
#include "data/reader.h"
#include "fit/trainer.h"

enum l2r_status l2r_ranks_load(struct l2r_dataset **data, const struct l2r_config *config, struct l2r_comm *comm,
                               struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    bool cached = l2r_config_flag(config, "cache"), leads = l2r_comm_leads(comm);
    if (!leads && cached) l2r_comm_barrier(comm);
    L2R_TRY(l2r_dataset_load_with(data, l2r_config_text(config, "data"), config, cached, error));
    if (leads && cached) l2r_comm_barrier(comm);
done:
    return status;
}

enum l2r_status l2r_ranks_agree(struct l2r_comm *comm, const struct l2r_dataset *data, const struct l2r_split *split,
                                struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    L2R_TRY(l2r_comm_agree(comm, l2r_dataset_fingerprint(data), "has different data than rank 0", error));
    L2R_TRY(l2r_comm_agree(comm, l2r_split_fingerprint(split), "splits the data differently than rank 0", error));
done:
    return status;
}

enum l2r_status l2r_ranks_join(struct l2r_trainer *t, struct l2r_comm *comm, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    L2R_TRY(l2r_comm_agree(comm, (uint64_t)t->at.step,
                           "is at a different checkpoint than rank 0; can all ranks see the folder of the run?",
                           error));
    l2r_trainer_divide(t, comm);
    L2R_TRY(l2r_trainer_compare(t, error));
done:
    return status;
}

json_t *l2r_ranks_traffic(const struct l2r_comm *comm, const struct l2r_traffic *traffic, int64_t steps, double seconds)
{
    double n = steps > 0 ? (double)steps : 1;
    return json_pack("{s:i,s:i,s:o,s:o,s:o}", "n", comm->size, "threads", l2r_threads_get(), "bytes_a_step",
                     l2r_json_real((double)traffic->bytes / n), "calls_a_step",
                     l2r_json_real((double)traffic->calls / n), "share_of_time",
                     l2r_json_real(traffic->seconds / seconds));
}

void l2r_gradients_init(struct l2r_gradients *g, struct l2r_comm *comm, struct l2r_params *params)
{
    int64_t n = params->n_trainable, bytes = n * (int64_t)sizeof(l2r_real);
    *g = (struct l2r_gradients){.comm = comm, .params = params, .n = (int)(bytes / L2R_BUCKET_BYTES)};
    if (g->n < 1) g->n = 1;
    if (g->n > L2R_BUCKETS) g->n = L2R_BUCKETS;
    for (int k = 0; k <= g->n; k++) g->start[k] = n * k / g->n;
}

/* Buckets whose parameters no value before number `id` uses; and lets those under way progress. */
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
