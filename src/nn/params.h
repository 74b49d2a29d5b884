/* SPDX-License-Identifier: MIT
 *
 * The numbers of a model. Trainable values lie in one block, their gradients in another, so that clearing, clipping,
 * stepping and saving are single loops; buffers (running statistics) lie in a third.
 *
 *     declare   p = l2r_params_add(params, out, in, L2R_INIT_UNIFORM, 1 / sqrt(in), "head.weight");     [out × in]
 *     finish    memory is allocated and initialised, each tensor from its own random stream
 *     use       l2r_use(tape, p) puts it on the tape
 *
 * Names are declared under a prefix: a second backbone has the first one's names after it.
 *
 * Errors stick until l2r_params_finish reports them.
 */
#ifndef L2R_NN_PARAMS_H
#define L2R_NN_PARAMS_H

#include "autograd/tape.h"

enum l2r_init { L2R_INIT_CONSTANT, L2R_INIT_UNIFORM /* in ±scale */ };

struct l2r_param {
    char name[96];
    int64_t rows, cols;
    enum l2r_init init;
    double scale;           /* the constant, or the bound */
    bool trainable;         /* false: a buffer */
    l2r_real *value, *grad; /* [rows × cols]; grad NULL for buffers */
};

struct l2r_params {
    struct l2r_arena arena; /* the model's lifetime */
    struct l2r_param **items;
    size_t count, capacity;
    char prefix[32];        /* of the names of what is declared next; "": none */
    l2r_real *value, *grad; /* [n_trainable] */
    l2r_real *buffer;       /* [n_buffer] */
    int64_t n_trainable, n_buffer;
    enum l2r_status status;
    struct l2r_error error;
};

void l2r_params_init(struct l2r_params *params);
void l2r_params_clear(struct l2r_params *params);

/* NULL after a failure (it is never used then: l2r_params_finish reports). The name may hold printf directives for the
 * trailing arguments. */
const struct l2r_param *l2r_params_add(struct l2r_params *params, int64_t rows, int64_t cols, enum l2r_init init,
                                       double scale, const char *name, ...) __attribute__((format(printf, 6, 7)));
const struct l2r_param *l2r_params_add_buffer(struct l2r_params *params, int64_t cols, double value, const char *name,
                                              ...) __attribute__((format(printf, 4, 5)));
/* Memory of the model's lifetime, zeroed; NULL and sticky failure when out of memory. */
void *l2r_params_memory(struct l2r_params *params, size_t count, size_t size);

/* Fails the build: the error sticks, and l2r_params_finish reports it. */
void l2r_params_fail(struct l2r_params *params, enum l2r_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

enum l2r_status l2r_params_finish(struct l2r_params *params, uint64_t seed, struct l2r_error *error);
/* Resets to the initial values of l2r_params_finish. */
void l2r_params_fill(struct l2r_params *params, uint64_t seed);
void l2r_params_zero_grad(struct l2r_params *params);

l2r_node l2r_use(struct l2r_tape *tape, const struct l2r_param *param);

#endif
