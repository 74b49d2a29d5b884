/* SPDX-License-Identifier: MIT
 * See params.h. */
#include "nn/params.h"

#include "base/decimal.h"
#include "base/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void l2r_params_init(struct l2r_params *params)
{
    *params = (struct l2r_params){0};
    l2r_arena_init(&params->arena);
}

void l2r_params_clear(struct l2r_params *params)
{
    l2r_arena_clear(&params->arena);
    l2r_free(params->items);
    l2r_params_init(params);
}

void *l2r_params_memory(struct l2r_params *params, size_t count, size_t size)
{
    void *memory = params->status == L2R_OK ? l2r_arena_zeroed(&params->arena, count, size) : NULL;
    if (!memory && params->status == L2R_OK)
        params->status = l2r_fail_memory(&params->error, count * size, "the model");
    return memory;
}

void l2r_params_fail(struct l2r_params *params, enum l2r_status status, const char *format, ...)
{
    if (params->status != L2R_OK) return;
    va_list args;
    va_start(args, format);
    l2r_decimal_vprint(params->error.message, sizeof params->error.message, format, args);
    va_end(args);
    params->status = params->error.status = status;
}

static struct l2r_param *declare(struct l2r_params *params, int64_t rows, int64_t cols, const char *name, va_list args)
{
    struct l2r_param *param = l2r_params_memory(params, 1, sizeof *param);
    if (!param) return NULL;
    if (!l2r_reserve((void **)&params->items, &params->capacity, params->count + 1, sizeof *params->items)) {
        params->status = l2r_fail_memory(&params->error, sizeof *params->items, "the list of parameters");
        return NULL;
    }
    size_t length = strlen(params->prefix);
    memcpy(param->name, params->prefix, length);
    vsnprintf(param->name + length, sizeof param->name - length, name, args);
    param->rows = rows;
    param->cols = cols;
    params->items[params->count++] = param;
    return param;
}

const struct l2r_param *l2r_params_add(struct l2r_params *params, int64_t rows, int64_t cols, enum l2r_init init,
                                       double scale, const char *name, ...)
{
    va_list args;
    va_start(args, name);
    struct l2r_param *param = declare(params, rows, cols, name, args);
    va_end(args);
    if (!param) return NULL;
    param->init = init;
    param->scale = scale;
    param->trainable = true;
    if (__builtin_mul_overflow(rows, cols, &rows) ||
        __builtin_add_overflow(params->n_trainable, rows, &params->n_trainable))
        l2r_params_fail(params, L2R_ERR_MEMORY, "out of memory: the model has more parameters than can be counted");
    return param;
}

const struct l2r_param *l2r_params_add_buffer(struct l2r_params *params, int64_t cols, double value, const char *name,
                                              ...)
{
    va_list args;
    va_start(args, name);
    struct l2r_param *param = declare(params, 1, cols, name, args);
    va_end(args);
    if (!param) return NULL;
    param->init = L2R_INIT_CONSTANT;
    param->scale = value;
    params->n_buffer += cols;
    return param;
}

static void fill(struct l2r_param *param, uint64_t seed, uint64_t place)
{
    struct l2r_rng rng = l2r_rng_at(seed, L2R_RANDOM_INIT, place);
    for (int64_t i = 0; i < param->rows * param->cols; i++)
        param->value[i] = param->init == L2R_INIT_CONSTANT ? (l2r_real)param->scale
                                                           : (l2r_real)(param->scale * (2 * l2r_rng_uniform(&rng) - 1));
}

enum l2r_status l2r_params_finish(struct l2r_params *params, uint64_t seed, struct l2r_error *error)
{
    params->value = l2r_params_memory(params, (size_t)params->n_trainable, sizeof *params->value);
    params->grad = l2r_params_memory(params, (size_t)params->n_trainable, sizeof *params->grad);
    params->buffer = l2r_params_memory(params, (size_t)params->n_buffer, sizeof *params->buffer);
    if (params->status != L2R_OK) return l2r_fail(error, params->status, "%s", params->error.message);
    l2r_real *value = params->value, *grad = params->grad, *buffer = params->buffer;
    for (size_t i = 0; i < params->count; i++) {
        struct l2r_param *param = params->items[i];
        int64_t size = param->rows * param->cols;
        if (param->trainable) {
            param->value = value, value += size;
            param->grad = grad, grad += size;
        } else {
            param->value = buffer, buffer += size;
        }
    }
    l2r_params_fill(params, seed);
    return L2R_OK;
}

void l2r_params_fill(struct l2r_params *params, uint64_t seed)
{
    for (size_t i = 0; i < params->count; i++) fill(params->items[i], seed, i);
}

void l2r_params_zero_grad(struct l2r_params *params)
{
    memset(params->grad, 0, (size_t)params->n_trainable * sizeof *params->grad);
}

l2r_node l2r_use(struct l2r_tape *tape, const struct l2r_param *param)
{
    l2r_real *grad = tape->pass.frozen ? NULL : param->grad;
    return l2r_leaf(tape, param->value, grad, param->rows, param->cols);
}
