/* SPDX-License-Identifier: MIT
 *
 * Bytes of a fuzzer as the tensors of trees (nn/tree.h), as a model file would hold them, and the rows that they are
 * asked about. The tensors' lengths fit each other but where the first byte says otherwise; their numbers are any.
 *
 *     task and damage, columns, outputs, rounds (a byte or a float), trees; the size of each tree; the base of each
 *     output (a float); for each node column, left, zero_left (a byte each), threshold and values (floats)
 */
#ifndef L2R_FUZZ_TREE_INPUT_H
#define L2R_FUZZ_TREE_INPUT_H

#include "autograd/tape.h"
#include "batch/batch.h"
#include "nn/signature.h"
#include "nn/tree.h"
#include "refusal.h"

#include <math.h>
#include <string.h>

enum { MOST_TREES = 24, MOST_NODES = 200, MOST_OUTPUTS = 4, MOST_COLUMNS = 6, ROWS = 3 };

struct tree_input {
    const uint8_t *at, *end;
    uint8_t kind;
    struct l2r_signature signature;
    double mean[MOST_OUTPUTS], sd[MOST_OUTPUTS], weight[MOST_OUTPUTS];
    float rounds;
    struct l2r_tensor tensors[7];
    size_t n;
    int32_t size[MOST_TREES], column[MOST_NODES], left[MOST_NODES];
    float threshold[MOST_NODES], value[MOST_NODES * MOST_OUTPUTS], base[MOST_OUTPUTS];
    uint8_t zero_left[MOST_NODES];
};

static inline uint8_t tree_byte(struct tree_input *in)
{
    return in->at < in->end ? *in->at++ : 0;
}

static inline float tree_float(struct tree_input *in)
{
    uint8_t bytes[4];
    float value;
    for (int i = 0; i < 4; i++) bytes[i] = tree_byte(in);
    memcpy(&value, bytes, sizeof value);
    return value;
}

static inline void tree_tensor(struct tree_input *in, const char *name, enum l2r_dtype dtype, const void *data,
                               int64_t n)
{
    in->tensors[in->n++] = (struct l2r_tensor){.name = name, .dtype = dtype, .n_dims = 1, .shape = {n}, .data = data};
}

/* width: values of a node; 0: as many as there are outputs. */
static inline void tree_input_read(struct tree_input *in, const uint8_t *data, size_t size, int32_t width)
{
    memset(in, 0, sizeof *in);
    in->at = data;
    in->end = data + size;
    struct l2r_signature *s = &in->signature;
    uint8_t kind = in->kind = tree_byte(in);
    s->task = (enum l2r_task)(kind % 3);
    s->features.n = 1 + tree_byte(in) % MOST_COLUMNS;
    int32_t outputs = 1 + tree_byte(in) % MOST_OUTPUTS;
    s->n_tasks = s->task == L2R_TASK_MULTICLASS ? 1 : outputs;
    s->n_classes = s->task == L2R_TASK_MULTICLASS ? outputs : 0;
    s->target.mean = in->mean;
    s->target.sd = in->sd;
    for (int k = 0; k < MOST_OUTPUTS; k++) in->sd[k] = in->weight[k] = 1 + k;
    if (kind & 128) s->class_weight = in->weight;
    if (width == 0) width = s->task == L2R_TASK_MULTICLASS ? outputs : 1;
    in->rounds = kind & 64 ? tree_float(in) : (float)tree_byte(in);
    int32_t trees = tree_byte(in) % (MOST_TREES + 1), nodes = 0;
    for (int32_t k = 0; k < trees; k++) in->size[k] = (int8_t)tree_byte(in);
    for (int32_t k = 0; k < outputs; k++) in->base[k] = tree_float(in);
    for (; nodes < MOST_NODES && in->at < in->end; nodes++) {
        in->column[nodes] = (int8_t)tree_byte(in);
        in->left[nodes] = (int8_t)tree_byte(in);
        in->zero_left[nodes] = tree_byte(in);
        in->threshold[nodes] = tree_float(in);
        for (int32_t c = 0; c < width; c++) in->value[nodes * width + c] = tree_float(in);
    }
    int64_t less = kind & 32 ? 1 : 0; /* the damage */
    int64_t own = 0;
    for (int32_t k = 0; k < trees; k++) own += in->size[k];
    if (!(kind & 16) && own >= 0 && own < nodes) nodes = (int32_t)own; /* mostly no nodes are left over */
    tree_tensor(in, "trees.size", L2R_DTYPE_I32, in->size, trees);
    tree_tensor(in, "trees.column", L2R_DTYPE_I32, in->column, nodes);
    tree_tensor(in, "trees.left", L2R_DTYPE_I32, in->left, nodes - (nodes > 0 ? less : 0));
    tree_tensor(in, "trees.threshold", L2R_DTYPE_F32, in->threshold, nodes);
    tree_tensor(in, "trees.value", L2R_DTYPE_F32, in->value, (int64_t)nodes * width);
    tree_tensor(in, "trees.zero_left", L2R_DTYPE_U8, in->zero_left, nodes);
    tree_tensor(in, "trees.base", L2R_DTYPE_F32, in->base, outputs);
}

/* Some rows, zeros and large numbers among them. */
static inline struct l2r_batch tree_rows(l2r_real rows[ROWS * MOST_COLUMNS], int32_t columns)
{
    static const float numbers[] = {0, 1, -1, 0.5F, 3e38F, -3e38F, 1e-40F, 2};
    for (int i = 0; i < ROWS * columns; i++) rows[i] = (l2r_real)numbers[(i * 5 + i / columns) % 8];
    return (struct l2r_batch){.n_graphs = ROWS, .features = rows, .n_features = columns};
}

/* Saved again, sound trees are the same tensors. */
static inline void expect_same_tensors(const struct tree_input *in, const struct l2r_array *saved)
{
    const struct l2r_tensor *tensors = saved->items;
    for (size_t i = 0; i < in->n; i++) {
        const struct l2r_tensor *a = &in->tensors[i];
        for (size_t k = 0; k < saved->n; k++) {
            const struct l2r_tensor *b = &tensors[k];
            if (strcmp(a->name, b->name) != 0) continue;
            if (a->dtype != b->dtype || a->shape[0] != b->shape[0]) abort();
            if (a->shape[0] > 0 && memcmp(a->data, b->data, l2r_tensor_bytes(a)) != 0) abort();
        }
    }
}

#endif
