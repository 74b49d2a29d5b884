/* SPDX-License-Identifier: MIT
 *
 * The tape: reverse-mode differentiation over matrices.
 *
 *     forward    each op computes its value and appends a record        x ── linear ── norm ── readout ── loss
 *     backward   the records are walked from the last to the first      dx ◄─────────────────────────────── 1
 *
 * Values live in the batch arena and are released with it; memory of a gradient that has been walked past serves the
 * next one. A parameter enters as a leaf whose value and gradient are the model's own memory. Operations are coarse (a
 * whole layer each), so the tape is short and its own cost is negligible. How a pass runs (training, prediction, …)
 * comes first below, the operations are in ops.h.
 *
 * Errors stick: after a shape error or out-of-memory every further op returns at once, and the train loop checks
 * tape->status once per batch. Files that build models contain no error handling.
 */
#ifndef L2R_AUTOGRAD_TAPE_H
#define L2R_AUTOGRAD_TAPE_H

#include "base/memory.h"
#include "base/rng.h"
#include "base/status.h"
#include "comm/comm.h"
#include "kernels/real.h"

#include <stdbool.h>

/* ---- how a pass runs ----
 *
 * The same network runs in several modes:
 *
 *                      record   dropout   statistics of norms   parameters
 *     training         yes      yes       the batch's, moving   trained
 *     prediction       no       no        running               constant
 *     look-ahead       no       no        the batch's           constant           (methods that weigh graphs)
 *     explanation      yes      no        running               constant; gradients flow to the masks alone
 *
 * A tape has one, set before the pass; operations read it, models rarely.
 */

/* A value on the tape. */
typedef struct {
    int32_t id;
} l2r_node;

#define L2R_NO_NODE ((l2r_node){-1})

/* Weights in 0..1 on the input of a network, for explanations and as gates of its own (nn/gates.h). An edge's mask
 * multiplies the messages that pass over it, in both directions and in every layer (a node's own part stays, and so do
 * degrees); a column's mask multiplies the contribution of a feature column to the encoding. */
struct l2r_masks {
    l2r_node edges;          /* [n_edges × 1]; L2R_NO_NODE: none */
    const int32_t *arc_edge; /* [n_arcs]: edge of each arc; pooling puts the smaller graph's here */
    int64_t n_arcs;
    l2r_node columns; /* [B × columns], a row for every graph, categorical columns first; L2R_NO_NODE: none */
};

/* Rows of a batch of which other ranks hold the rest: `here` of `total` rows, from number `first` on. */
struct l2r_rows {
    int64_t here, first, total;
};

/* A batch divided among ranks by graphs. Sums over the batch are sums over all ranks, and a row has the dropout that it
 * would have in the whole batch. Operations on rows of graphs or of arcs, not of nodes, run after l2r_tape_at(tape,
 * L2R_AT_GRAPHS) or (tape, L2R_AT_ARCS), until L2R_AT_NODES. */
enum l2r_rows_of { L2R_AT_NODES, L2R_AT_GRAPHS, L2R_AT_ARCS };
struct l2r_share {
    struct l2r_comm *comm;   /* NULL: the batch is whole */
    struct l2r_rows rows[3]; /* by enum l2r_rows_of */
    enum l2r_rows_of at;
};

struct l2r_pass {
    bool record;            /* gradients are wanted */
    bool dropout;           /* drop; otherwise dropout is the identity */
    bool batch_statistics;  /* batch norm normalises by the batch; otherwise by its running statistics */
    bool update_statistics; /* and moves the running statistics */
    bool frozen;            /* parameters are constants: gradients flow to the masks alone */
    struct l2r_rng random;  /* one draw of keys per dropout operation */
    struct l2r_masks masks; /* a reset of the tape takes them off */
    struct l2r_share share; /* of the current batch; a reset of the tape makes it whole */
    struct l2r_comm *ranks; /* that scoring many batches is divided among; NULL: alone */
};

/* ---- the tape ---- */

struct l2r_tape;
struct l2r_value;
struct l2r_affine;

/* Adds this op's share to the gradients of its inputs; out->grad holds d loss / d out (and may be overwritten). */
typedef void l2r_backward_fn(struct l2r_tape *tape, struct l2r_value *out);

enum { L2R_MAX_INPUTS = 4 };

struct l2r_value {
    l2r_real *data; /* [rows × cols] */
    l2r_real *grad; /* the same shape; NULL until something flows back */
    int64_t rows, cols;
    int64_t room;                  /* numbers that data has memory for */
    const struct l2r_affine *lazy; /* what makes data, which is then NULL until it is first read */
    bool needs_grad;
    bool grad_written; /* the next contribution adds instead of overwriting */
    const char *op;    /* for messages */
    l2r_backward_fn *backward;
    l2r_node input[L2R_MAX_INPUTS];
    void *saved; /* what backward needs besides inputs and output */
};

struct l2r_tape {
    struct l2r_arena arena;
    struct l2r_value *values;
    size_t count, capacity;

    struct l2r_arena scratch;       /* of the op whose backward runs */
    struct l2r_free_memory *unused; /* gradients and forgotten values that have done their work, for the next ones */
    size_t n_unused, unused_capacity;
    int64_t most_rows; /* rows of the largest value that l2r_tape_release sees; 0: not known */

    struct l2r_pass pass; /* how to run, set before the forward pass */

    /* Called by backward after each value: those from number `id` on are finished. NULL: not called. */
    struct {
        void (*call)(void *context, int32_t id);
        void *context;
    } on_passed;

    struct {
        l2r_node arcs, edges; /* [n_arcs × 1], [n_edges × 1] */
        const int32_t *start; /* [n_graphs + 1]: where the edges of each graph begin */
        int64_t n_graphs;
    } gates; /* that a gated network has put on its graphs; L2R_NO_NODE: none */

    l2r_node nodes;      /* [N × D']: rows of the nodes that the last pass read out; L2R_NO_NODE: rows were shared */
    l2r_node model_loss; /* [1 × 1]: what the model itself adds to the training loss; L2R_NO_NODE: nothing */

    enum l2r_status status; /* sticky */
    struct l2r_error error;
};

void l2r_tape_init(struct l2r_tape *tape);
void l2r_tape_clear(struct l2r_tape *tape);
/* Releases all values in O(1); the settings stay, the status becomes L2R_OK. */
void l2r_tape_reset(struct l2r_tape *tape);
/* Settings for a training pass (dropout, batch statistics, gradients) drawing from the given stream, or for prediction,
 * or for the same prediction with gradients that reach the masks only. */
void l2r_tape_mode_train(struct l2r_tape *tape, uint64_t seed, uint64_t step);
void l2r_tape_mode_predict(struct l2r_tape *tape);
void l2r_tape_mode_explain(struct l2r_tape *tape);

/* The ops that follow work on these rows. */
void l2r_tape_at(struct l2r_tape *tape, enum l2r_rows_of rows);
/* The rows of an op with this number of rows; fails the tape if the share has other rows. Only for divided batches. */
struct l2r_rows l2r_tape_rows(struct l2r_tape *tape, int64_t rows, const char *op);

/* Leaves. A constant has no gradient; a parameter's gradient is ADDED to d_data. */
l2r_node l2r_constant(struct l2r_tape *tape, l2r_real *data, int64_t rows, int64_t cols);
l2r_node l2r_leaf(struct l2r_tape *tape, l2r_real *data, l2r_real *d_data, int64_t rows, int64_t cols);

/* Adds a [1 × 1] value to the model's own loss: for backbones that are trained with more than the task's (a pooling's,
 * a factor's). Without gradients (prediction, look-ahead) it is not read; `record` tells whether to compute it at
 * all. */
void l2r_tape_add_loss(struct l2r_tape *tape, l2r_node loss);

/* Runs backward from a 1 × 1 value. */
void l2r_tape_backward(struct l2r_tape *tape, l2r_node loss);
/* The same from any value, given the gradient that arrives there, [rows × cols]. */
void l2r_tape_backward_from(struct l2r_tape *tape, l2r_node node, const l2r_real *d_node);
/* Before a backward pass from a later value: adds d_node [rows × cols] to the gradient that will arrive at the node. A
 * node that needs no gradient is left alone. */
void l2r_tape_add_gradient(struct l2r_tape *tape, l2r_node node, const l2r_real *d_node);

/* ---- for ops and for reading results ---- */

/* Computes a lazy value first; data is NULL only when memory is out (and the tape has failed). */
struct l2r_value *l2r_value_of(struct l2r_tape *tape, l2r_node node);
/* The value as it is: for ops that can use `lazy` and save the memory. */
struct l2r_value *l2r_value_as_is(struct l2r_tape *tape, l2r_node node);
/* False once the tape has failed, and fails it for a missing node: an op then returns L2R_NO_NODE. */
bool l2r_tape_ready(struct l2r_tape *tape, l2r_node node);
/* The same without computing a lazy value. */
bool l2r_tape_ready_as_is(struct l2r_tape *tape, l2r_node node);
/* Fails the tape unless ok: "linear: weight is 300 × 128 but the input has 64 columns". Returns ok. */
bool l2r_tape_check(struct l2r_tape *tape, bool ok, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Memory of this batch; NULL (and the tape fails) when out of memory. */
void *l2r_tape_alloc(struct l2r_tape *tape, int64_t count, size_t size);

/* Memory until this op's backward returns. */
void *l2r_tape_scratch(struct l2r_tape *tape, int64_t count, size_t size);

/* Without gradients to come, releases the memory of all values from number `first` on, except those in `keep`: the
 * values pushed next use it again, so that prediction needs the memory of one layer, not of all. With gradients it does
 * nothing. */
void l2r_tape_release(struct l2r_tape *tape, size_t first, const l2r_node *keep, int n_keep);

/* A new value [rows × cols] with memory; inputs decide needs_grad. Unused inputs are L2R_NO_NODE. */
l2r_node l2r_tape_push(struct l2r_tape *tape, const char *op, int64_t rows, int64_t cols, l2r_backward_fn *backward,
                       const l2r_node *inputs, int n_inputs);

/* The same without memory: a lazy value, made of input 0 by `affine` when it is first read. */
l2r_node l2r_tape_push_lazy(struct l2r_tape *tape, const char *op, const struct l2r_affine *affine, int64_t rows,
                            l2r_backward_fn *backward, const l2r_node *inputs, int n_inputs);

/* Where an op adds its gradient for `node`: NULL when none is wanted; *beta is 0 for the first contribution (overwrite)
 * and 1 afterwards (add). */
l2r_real *l2r_grad_of(struct l2r_tape *tape, l2r_node node, l2r_real *beta);
/* The same for an op that may write d input over d out, both of one shape: the input takes over out->grad when it has
 * none yet, which saves memory and traffic. out->grad stays readable until then. */
l2r_real *l2r_grad_in_place(struct l2r_tape *tape, l2r_node node, struct l2r_value *out, l2r_real *beta);

#endif
