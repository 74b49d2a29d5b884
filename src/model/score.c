/* SPDX-License-Identifier: MIT
 *
 * See score.h. A batch ends after batch_size graphs or MOST_NODES nodes, whichever comes first: where it ends follows
 * from the list of graphs alone. Ranks therefore form the same batches as a single process, only each rank its share,
 * and every output has the same bits however the work is divided.
 *
 * While one batch is in the network, the next is prepared on the prefetching thread (batch/batches.h). */
#include "model/score.h"

#include "base/memory.h"
#include "base/watch.h"
#include "batch/batches.h"
#include "data/features.h"

/* Outputs leave in the units of the labels: a regression is trained on standardised targets, and class weights may
 * count some classes more than the data does (l2r_network_unweighted). Both are undone here, so callers need not handle
 * them. */
static void keep(float *output, const struct l2r_network *network, struct l2r_tape *tape, l2r_node out)
{
    const struct l2r_signature *s = &network->signature;
    const struct l2r_value *value = l2r_value_of(tape, out);
    bool scaled = s->task == L2R_TASK_REGRESSION;
    for (int64_t i = 0; i < value->rows * value->cols; i++) {
        double number = (double)value->data[i];
        int64_t k = i % value->cols;
        output[i] = (float)(scaled ? l2r_target_unscaled(&s->target, k, number) : number);
    }
}

static void keep_rows(float *z, struct l2r_tape *tape, l2r_node node)
{
    const struct l2r_value *value = l2r_value_of(tape, node);
    for (int64_t i = 0; value->data && i < value->rows * value->cols; i++) z[i] = (float)value->data[i];
}

enum { MOST_NODES = 1 << 14 /* in a batch of several graphs; more sharing, but values no longer fit a cache */ };

/* Where the batch that starts at `begin` ends. A graph larger than MOST_NODES is a batch by itself. */
static int64_t batch_end(const struct l2r_dataset *data, const int32_t *graphs, int64_t begin, int64_t n,
                         int64_t batch_size)
{
    int64_t end = begin, nodes = 0;
    for (; end < n && end - begin < batch_size; end++) {
        nodes += l2r_dataset_nodes_of(data, graphs[end]);
        if (nodes > MOST_NODES && end > begin) break;
    }
    return end;
}

enum l2r_status l2r_score(float *output, const struct l2r_network *network, struct l2r_tape *tape,
                          const struct l2r_dataset *data, const int32_t *graphs, int64_t n, int64_t batch_size,
                          struct l2r_error *error)
{
    return l2r_score_represent(output, NULL, network, tape, data, graphs, n, batch_size, error);
}

static enum l2r_status score_batch(const struct l2r_layers *to, const struct l2r_network *network,
                                   struct l2r_tape *tape, const struct l2r_batch *batch, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    l2r_tape_reset(tape);
    l2r_tape_mode_predict(tape);
    bool alone = network->type->output && !to->z && !to->x; /* trees make their outputs without Z */
    l2r_node rows = alone ? L2R_NO_NODE : l2r_network_represent(network, tape, batch);
    l2r_node out = l2r_network_unweighted(network, tape, l2r_network_output(network, tape, batch, rows));
    if (tape->status != L2R_OK) L2R_FAIL(tape->status, "%s", tape->error.message);
    if (to->output) keep(to->output, network, tape, out);
    if (to->z) keep_rows(to->z, tape, rows);
    if (to->x) keep_rows(to->x, tape, l2r_network_head_input(network, tape, batch, rows));
    if (tape->status != L2R_OK) L2R_FAIL(tape->status, "%s", tape->error.message);
done:
    return status;
}

enum l2r_status l2r_score_batch(float *output, const struct l2r_network *network, struct l2r_tape *tape,
                                const struct l2r_batch *batch, struct l2r_error *error)
{
    return score_batch(&(struct l2r_layers){.output = output}, network, tape, batch, error);
}

/* Graphs begin .. end, of which the first begins a batch and the last ends one. */
static enum l2r_status score_range(const struct l2r_layers *to, const struct l2r_network *network,
                                   struct l2r_tape *tape, const struct l2r_dataset *data, const int32_t *graphs,
                                   int64_t begin, int64_t last, int64_t batch_size, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_batches *batches = NULL;
    struct l2r_watched loop;
    int32_t outputs = l2r_signature_outputs(&network->signature);
    l2r_watched_begin(&loop, "graphs scored", last - begin);
    L2R_TRY(l2r_batches_new(&batches, data, &network->sharing, error));
    int64_t end = batch_end(data, graphs, begin, last, batch_size);
    for (int64_t after; begin < last && !l2r_watched_stop(&loop); begin = end, end = after) {
        const struct l2r_batch *batch;
        after = batch_end(data, graphs, end, last, batch_size);
        L2R_TRY(l2r_batches_next(&batch, batches, graphs + begin, end - begin, graphs + end, after - end, error));
        const struct l2r_layers here = {.output = to->output ? to->output + begin * outputs : NULL,
                                        .z = to->z ? to->z + begin * network->width : NULL,
                                        .x = to->x ? to->x + begin * l2r_network_last_width(network) : NULL};
        L2R_TRY(score_batch(&here, network, tape, batch, error));
        l2r_watched_add(&loop, end - begin);
    }
done:
    l2r_batches_free(batches);
    return l2r_watched_end(&loop, status, error);
}

/* Whole batches for each rank, about equal in nodes: rank r scores graphs cut[r] .. cut[r+1]. */
static void cut_batches(int64_t *cut, int size, const struct l2r_dataset *data, const int32_t *graphs, int64_t n,
                        int64_t batch_size)
{
    int64_t total = 0, before = 0;
    for (int64_t i = 0; i < n; i++) total += 1 + l2r_dataset_nodes_of(data, graphs[i]);
    for (int r = 0; r <= size; r++) cut[r] = 0;
    for (int64_t begin = 0, end; begin < n; begin = end) {
        int64_t nodes = 0;
        end = batch_end(data, graphs, begin, n, batch_size);
        for (int64_t i = begin; i < end; i++) nodes += 1 + l2r_dataset_nodes_of(data, graphs[i]);
        cut[1 + (int64_t)((double)size * ((double)before + (double)nodes / 2) / (double)total)] = end;
        before += nodes;
    }
    for (int r = 1; r <= size; r++)
        if (cut[r] < cut[r - 1]) cut[r] = cut[r - 1];
}

static void gather(struct l2r_comm *comm, void *all, int64_t *bytes, const int64_t *cut, size_t row_bytes)
{
    for (int r = 0; r <= comm->size; r++) bytes[r] = cut[r] * (int64_t)row_bytes;
    if (all) l2r_comm_gather(comm, all, bytes);
}

/* The same batches as alone, each on one rank, so the same bits. */
static enum l2r_status score_divided(const struct l2r_layers *to, const struct l2r_network *network,
                                     struct l2r_tape *tape, const struct l2r_dataset *data, const int32_t *graphs,
                                     int64_t n, int64_t batch_size, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_comm *comm = tape->pass.ranks;
    size_t size = (size_t)comm->size + 1;
    int64_t *cut = l2r_alloc(2 * size, sizeof *cut);
    if (!cut) return l2r_fail_memory(error, 2 * size * sizeof *cut, "the ranks");
    cut_batches(cut, comm->size, data, graphs, n, batch_size);
    L2R_TRY(score_range(to, network, tape, data, graphs, cut[comm->rank], cut[comm->rank + 1], batch_size, error));
    int64_t outputs = l2r_signature_outputs(&network->signature), *bytes = cut + size;
    gather(comm, to->output, bytes, cut, (size_t)outputs * sizeof *to->output);
    gather(comm, to->z, bytes, cut, (size_t)network->width * sizeof *to->z);
    gather(comm, to->x, bytes, cut, (size_t)l2r_network_last_width(network) * sizeof *to->x);
done:
    l2r_free(cut);
    return status;
}

enum l2r_status l2r_score_layers(const struct l2r_layers *to, const struct l2r_network *network, struct l2r_tape *tape,
                                 const struct l2r_dataset *data, const int32_t *graphs, int64_t n, int64_t batch_size,
                                 struct l2r_error *error)
{
    enum l2r_status status = l2r_features_fill(data, graphs, n, error);
    if (status != L2R_OK) return status;
    if (tape->pass.ranks) return score_divided(to, network, tape, data, graphs, n, batch_size, error);
    return score_range(to, network, tape, data, graphs, 0, n, batch_size, error);
}

enum l2r_status l2r_score_represent(float *output, float *z, const struct l2r_network *network, struct l2r_tape *tape,
                                    const struct l2r_dataset *data, const int32_t *graphs, int64_t n,
                                    int64_t batch_size, struct l2r_error *error)
{
    const struct l2r_layers to = {output, z, NULL};
    return l2r_score_layers(&to, network, tape, data, graphs, n, batch_size, error);
}
