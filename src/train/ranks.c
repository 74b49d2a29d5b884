/* SPDX-License-Identifier: MIT
 * See ranks.h. */
#include "train/ranks.h"

#include "base/json.h"
#include "base/threads.h"
#include "data/dataset.h"
#include "data/options.h"

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

enum l2r_status l2r_ranks_join(struct l2r_trainer *t, struct l2r_comm *comm, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    L2R_TRY(l2r_comm_agree(comm, l2r_dataset_fingerprint(t->data), "has different data than rank 0", error));
    L2R_TRY(l2r_comm_agree(comm, l2r_split_fingerprint(t->split), "splits the data differently than rank 0", error));
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
