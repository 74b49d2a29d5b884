/* SPDX-License-Identifier: MIT
 *
 * See tape.h. Values are kept in an array in the order in which operations pushed them, which is a topological order:
 * walking it from the end visits every value after all of its users.
 *
 *     values    x ── W ── linear ── norm (lazy) ── readout ── loss
 *                └ leaf, the model's memory    └ no data until it is first read
 *
 * Memory has two kinds of reuse besides the arena's. Backward returns a gradient to the list `unused` once it has been
 * walked past, and the next gradient takes it from there. A pass without gradients releases whole layers in the same
 * way (l2r_tape_release). Which memory a value gets never changes its numbers.
 *
 * A tape belongs to one thread; the kernels inside an operation may use many.
 */
#include "autograd/tape.h"

#include "base/decimal.h"
#include "base/memory.h"
#include "base/threads.h"
#include "kernels/norm.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct l2r_free_memory {
    l2r_real *memory;
    int64_t numbers;
};

/* A mask that is missing has node -1; a zeroed struct would name the tape's first value. */
static const struct l2r_masks no_masks = {.edges = {-1}, .columns = {-1}};

void l2r_tape_init(struct l2r_tape *tape)
{
    *tape = (struct l2r_tape){.nodes = L2R_NO_NODE,
                              .model_loss = L2R_NO_NODE,
                              .pass.masks = no_masks,
                              .gates = {.arcs = {-1}, .edges = {-1}}};
    l2r_arena_init(&tape->arena);
    l2r_arena_init(&tape->scratch);
    (void)l2r_work_failed(); /* earlier failures belong to other tapes */
}

void l2r_tape_clear(struct l2r_tape *tape)
{
    l2r_arena_clear(&tape->arena);
    l2r_arena_clear(&tape->scratch);
    l2r_free(tape->values);
    l2r_free(tape->unused);
    l2r_tape_init(tape);
}

void l2r_tape_reset(struct l2r_tape *tape)
{
    l2r_arena_reset(&tape->arena);
    tape->count = tape->n_unused = 0;
    tape->most_rows = 0;
    tape->nodes = tape->model_loss = L2R_NO_NODE;
    tape->pass.masks = no_masks;
    tape->gates.arcs = tape->gates.edges = L2R_NO_NODE;
    tape->pass.share = (struct l2r_share){0};
    tape->status = L2R_OK;
}

void l2r_tape_mode_train(struct l2r_tape *tape, uint64_t seed, uint64_t step)
{
    tape->pass.record = tape->pass.dropout = tape->pass.batch_statistics = tape->pass.update_statistics = true;
    tape->pass.frozen = false;
    tape->pass.random = l2r_rng_at(seed, L2R_RANDOM_DROPOUT, step);
}

void l2r_tape_mode_predict(struct l2r_tape *tape)
{
    tape->pass.record = tape->pass.dropout = tape->pass.batch_statistics = tape->pass.update_statistics = false;
    tape->pass.frozen = false;
}

void l2r_tape_mode_explain(struct l2r_tape *tape)
{
    l2r_tape_mode_predict(tape);
    tape->pass.record = tape->pass.frozen = true;
}

void l2r_tape_at(struct l2r_tape *tape, enum l2r_rows_of rows)
{
    tape->pass.share.at = rows;
}

struct l2r_rows l2r_tape_rows(struct l2r_tape *tape, int64_t rows, const char *op)
{
    static const char *const names[] = {"nodes", "graphs", "arcs"};
    enum l2r_rows_of at = tape->pass.share.at;
    const struct l2r_rows *known = &tape->pass.share.rows[at];
    l2r_tape_check(tape, rows == known->here,
                   "%s: %lld rows in a batch divided among ranks that has %lld %s here; this model cannot be trained "
                   "on several ranks",
                   op, (long long)rows, (long long)known->here, names[at]);
    return *known;
}

/* ---- values, checks and memory ---- */

static l2r_real *take_memory(struct l2r_tape *tape, int64_t numbers);

struct l2r_value *l2r_value_as_is(struct l2r_tape *tape, l2r_node node)
{
    return &tape->values[node.id];
}

/* Kernels return no status; their only possible failure is that the matrix library runs out of memory. This sets a
 * flag, which is checked wherever a value is pushed or read, so that the numbers are never used. */
static void check_kernels(struct l2r_tape *tape)
{
    if (l2r_work_failed() && tape->status == L2R_OK)
        tape->status = l2r_fail_memory(&tape->error, 0, "a matrix product; try a smaller `batch-size`");
}

struct l2r_value *l2r_value_of(struct l2r_tape *tape, l2r_node node)
{
    check_kernels(tape);
    struct l2r_value *value = &tape->values[node.id];
    if (value->data || !value->lazy) return value;
    value->room = value->rows * value->cols;
    value->data = take_memory(tape, value->room);
    if (value->data) l2r_affine_forward(value->data, value->lazy, value->rows);
    return value;
}

bool l2r_tape_ready_as_is(struct l2r_tape *tape, l2r_node node)
{
    return l2r_tape_check(tape, node.id >= 0 && (size_t)node.id < tape->count,
                          "an operation was given no value to work on");
}

bool l2r_tape_ready(struct l2r_tape *tape, l2r_node node)
{
    return l2r_tape_ready_as_is(tape, node) && l2r_value_of(tape, node) && tape->status == L2R_OK;
}

bool l2r_tape_check(struct l2r_tape *tape, bool ok, const char *format, ...)
{
    if (ok || tape->status != L2R_OK) return tape->status == L2R_OK; /* the first message stays */
    va_list args;
    va_start(args, format);
    l2r_decimal_vprint(tape->error.message, sizeof tape->error.message, format, args);
    va_end(args);
    tape->status = tape->error.status = L2R_ERR_ARGUMENT;
    return false;
}

static void *alloc_from(struct l2r_tape *tape, struct l2r_arena *arena, int64_t count, size_t size)
{
    void *memory = tape->status == L2R_OK ? l2r_arena_alloc(arena, (size_t)count, size) : NULL;
    if (!memory && tape->status == L2R_OK)
        tape->status =
            l2r_fail_memory(&tape->error, (size_t)count * size, "the values of a batch; try a smaller `batch-size`");
    return memory;
}

void *l2r_tape_alloc(struct l2r_tape *tape, int64_t count, size_t size)
{
    return alloc_from(tape, &tape->arena, count, size);
}

void *l2r_tape_scratch(struct l2r_tape *tape, int64_t count, size_t size)
{
    return alloc_from(tape, &tape->scratch, count, size);
}

/* The smallest memory no longer needed that has room, unless most of it would lie idle; else new memory. */
static l2r_real *take_memory(struct l2r_tape *tape, int64_t numbers)
{
    size_t best = tape->n_unused;
    for (size_t i = 0; i < tape->n_unused; i++) {
        int64_t room = tape->unused[i].numbers;
        if (room < numbers || room / 4 > numbers) continue;
        if (best == tape->n_unused || room < tape->unused[best].numbers) best = i;
    }
    if (best == tape->n_unused) return l2r_tape_alloc(tape, numbers, sizeof(l2r_real));
    l2r_real *memory = tape->unused[best].memory;
    tape->unused[best] = tape->unused[--tape->n_unused];
    return memory;
}

/* When the list itself cannot grow, this memory is not used again before the next reset; nothing else is lost. */
static void give_memory(struct l2r_tape *tape, l2r_real *memory, int64_t numbers)
{
    if (memory && l2r_reserve((void **)&tape->unused, &tape->unused_capacity, tape->n_unused + 1, sizeof *tape->unused))
        tape->unused[tape->n_unused++] = (struct l2r_free_memory){memory, numbers};
}

static void give_grad(struct l2r_tape *tape, struct l2r_value *value)
{
    give_memory(tape, value->grad, value->rows * value->cols);
    value->grad = NULL;
    value->grad_written = false;
}

/* Is the value one of those, or the input of a lazy one of them? */
static bool is_kept(const struct l2r_tape *tape, int32_t id, const l2r_node *keep, int n_keep)
{
    for (int k = 0; k < n_keep; k++) {
        const struct l2r_value *value = keep[k].id < 0 ? NULL : &tape->values[keep[k].id];
        if (keep[k].id == id || (value && !value->data && value->input[0].id == id)) return true;
    }
    return false;
}

void l2r_tape_release(struct l2r_tape *tape, size_t first, const l2r_node *keep, int n_keep)
{
    if (tape->pass.record || tape->status != L2R_OK) return;
    for (size_t id = first; id < tape->count; id++) {
        struct l2r_value *value = &tape->values[id];
        /* Leaves are not the tape's. */
        if (!value->backward || !value->data || is_kept(tape, (int32_t)id, keep, n_keep)) continue;
#ifndef NDEBUG /* makes later reads noticeable */
        memset(value->data, 0xA5, (size_t)(value->rows * value->cols) * sizeof *value->data);
#endif
        give_memory(tape, value->data, value->room);
        value->data = NULL;
    }
}

/* Values that will be released get the size of the largest of them, so that each can reuse another's memory. */
static int64_t room_for(const struct l2r_tape *tape, int64_t rows)
{
    return !tape->pass.record && rows < tape->most_rows && rows > tape->most_rows / 16 ? tape->most_rows : rows;
}

/* ---- pushing values ---- */

/* A value without memory of its own. Pointers to other values are invalid afterwards: the array may have moved. So
 * operations call l2r_value_of again after a push. */
static l2r_node append(struct l2r_tape *tape, const char *op, int64_t rows, int64_t cols)
{
    check_kernels(tape);
    if (tape->status != L2R_OK) return L2R_NO_NODE;
    if (!l2r_reserve((void **)&tape->values, &tape->capacity, tape->count + 1, sizeof *tape->values)) {
        tape->status = l2r_fail_memory(&tape->error, sizeof *tape->values, "the tape");
        return L2R_NO_NODE;
    }
    tape->values[tape->count] = (struct l2r_value){.op = op, .rows = rows, .cols = cols};
    for (int i = 0; i < L2R_MAX_INPUTS; i++) tape->values[tape->count].input[i] = L2R_NO_NODE;
    return (l2r_node){(int32_t)tape->count++};
}

l2r_node l2r_constant(struct l2r_tape *tape, l2r_real *data, int64_t rows, int64_t cols)
{
    l2r_node node = append(tape, "constant", rows, cols);
    if (node.id >= 0) l2r_value_as_is(tape, node)->data = data;
    return node;
}

l2r_node l2r_leaf(struct l2r_tape *tape, l2r_real *data, l2r_real *d_data, int64_t rows, int64_t cols)
{
    l2r_node node = append(tape, "parameter", rows, cols);
    if (node.id < 0) return node;
    struct l2r_value *value = l2r_value_as_is(tape, node);
    value->data = data;
    value->grad = d_data;
    value->needs_grad = tape->pass.record && d_data;
    value->grad_written = true; /* a parameter's gradient is always added to */
    return node;
}

/* A value needs a gradient when one of its inputs does: constants, and all that follows from them alone, are skipped on
 * the way back. */
static void join(struct l2r_tape *tape, struct l2r_value *value, l2r_backward_fn *backward, const l2r_node *inputs,
                 int n_inputs)
{
    value->backward = backward;
    for (int i = 0; i < n_inputs; i++) {
        value->input[i] = inputs[i];
        if (tape->pass.record && inputs[i].id >= 0 && l2r_value_as_is(tape, inputs[i])->needs_grad)
            value->needs_grad = true;
    }
}

l2r_node l2r_tape_push(struct l2r_tape *tape, const char *op, int64_t rows, int64_t cols, l2r_backward_fn *backward,
                       const l2r_node *inputs, int n_inputs)
{
    l2r_node node = append(tape, op, rows, cols);
    int64_t room = room_for(tape, rows) * cols;
    l2r_real *data = node.id < 0 ? NULL : take_memory(tape, room);
    if (!data) return L2R_NO_NODE;
    struct l2r_value *value = l2r_value_as_is(tape, node);
    value->data = data;
    value->room = room;
    join(tape, value, backward, inputs, n_inputs);
    return node;
}

l2r_node l2r_tape_push_lazy(struct l2r_tape *tape, const char *op, const struct l2r_affine *affine, int64_t rows,
                            l2r_backward_fn *backward, const l2r_node *inputs, int n_inputs)
{
    l2r_node node = append(tape, op, rows, affine->cols);
    if (node.id < 0) return node;
    struct l2r_value *value = l2r_value_as_is(tape, node);
    value->lazy = affine;
    join(tape, value, backward, inputs, n_inputs);
    return node;
}

/* ---- backward ---- */

l2r_real *l2r_grad_of(struct l2r_tape *tape, l2r_node node, l2r_real *beta)
{
    *beta = 0;
    if (node.id < 0 || tape->status != L2R_OK) return NULL;
    struct l2r_value *value = l2r_value_as_is(tape, node);
    if (!value->needs_grad) return NULL;
    if (!value->grad) value->grad = take_memory(tape, value->rows * value->cols);
    *beta = value->grad_written ? 1 : 0;
    value->grad_written = true;
    return value->grad;
}

l2r_real *l2r_grad_in_place(struct l2r_tape *tape, l2r_node node, struct l2r_value *out, l2r_real *beta)
{
    struct l2r_value *value = node.id < 0 ? NULL : l2r_value_as_is(tape, node);
    if (value && value->needs_grad && !value->grad && value->rows == out->rows && value->cols == out->cols) {
        value->grad = out->grad;
        out->grad = NULL;
    }
    return l2r_grad_of(tape, node, beta);
}

void l2r_tape_backward(struct l2r_tape *tape, l2r_node loss)
{
    if (!l2r_tape_ready(tape, loss)) return;
    struct l2r_value *last = l2r_value_of(tape, loss);
    if (!l2r_tape_check(tape, last->rows == 1 && last->cols == 1, "backward: the loss is %lld × %lld, not 1 × 1",
                        (long long)last->rows, (long long)last->cols))
        return;
    const l2r_real one = 1;
    l2r_tape_backward_from(tape, loss, &one);
}

void l2r_tape_add_gradient(struct l2r_tape *tape, l2r_node node, const l2r_real *d_node)
{
    if (!l2r_tape_ready(tape, node)) return;
    l2r_real beta, *grad = l2r_grad_of(tape, node, &beta);
    const struct l2r_value *value = l2r_value_as_is(tape, node);
    for (int64_t i = 0; grad && i < value->rows * value->cols; i++) grad[i] = (beta != 0 ? grad[i] : 0) + d_node[i];
}

void l2r_tape_backward_from(struct l2r_tape *tape, l2r_node node, const l2r_real *d_node)
{
    if (!l2r_tape_ready(tape, node)) return;
    l2r_real beta, *grad = l2r_grad_of(tape, node, &beta);
    const struct l2r_value *start = l2r_value_as_is(tape, node);
    if (!grad) return;
    memcpy(grad, d_node, (size_t)(start->rows * start->cols) * sizeof *grad);
    for (int32_t id = node.id; id >= 0 && tape->status == L2R_OK; id--) {
        struct l2r_value *value = &tape->values[id];
        if (value->backward && value->grad_written) { /* a value that nothing flowed back to has no share */
            if (value->grad) value->backward(tape, value);
            give_grad(tape, value);
            l2r_arena_reset(&tape->scratch);
        }
        if (tape->on_passed.call) tape->on_passed.call(tape->on_passed.context, id);
    }
    check_kernels(tape);
}
