/* SPDX-License-Identifier: MIT
 *
 * Any tensors as those of a forest (tree_input.h): refused with a sentence, or a forest whose answers are finite and
 * which is the same when saved.
 */
#include "nn/forest.h"
#include "base/threads.h"
#include "nn/trees.h"
#include "tree_input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void use(const struct l2r_forest *forest, const struct tree_input *in)
{
    static struct l2r_tape tape;
    l2r_real rows[ROWS * MOST_COLUMNS];
    struct l2r_batch batch = tree_rows(rows, in->signature.features.n);
    struct l2r_error error = {0};
    struct l2r_array saved = {0};
    l2r_tape_reset(&tape);
    l2r_node out = l2r_forest_output(forest, &tape, &batch);
    if (!l2r_tape_ready(&tape, out)) abort();
    const struct l2r_value *value = l2r_value_of(&tape, out);
    for (int64_t i = 0; i < value->rows * value->cols; i++)
        if (!isfinite(value->data[i])) abort();
    for (int32_t k = 0; k < l2r_signature_outputs(&in->signature); k++) (void)l2r_forest_can_predict(forest, k);
    if (l2r_forest_save(&saved, &tape.arena, forest, &error) != L2R_OK) abort();
    expect_same_tensors(in, &saved);
    l2r_array_clear(&saved);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct tree_input in;
    struct l2r_error error = {0};
    tree_input_read(&in, data, size, 0);
    l2r_threads_set(1);
    l2r_real rounds = (l2r_real)in.rounds;
    const struct l2r_param buffer = {.rows = 1, .cols = 1, .value = &rounds};
    bool classes = in.signature.task == L2R_TASK_MULTICLASS;
    struct l2r_forest forest = {.data = &in.signature,
                                .n_trees = in.kind & 8 ? 6 : 3,
                                .n_epochs = size % 7 ? 3 : 1000000,
                                .depth = 5,
                                .leaf = 1,
                                .n_groups = in.signature.n_tasks,
                                .n_outputs = classes ? in.signature.n_classes : 1,
                                .rounds = &buffer};
    if (l2r_forest_load(&forest, in.tensors, in.n, &error) == L2R_OK)
        use(&forest, &in);
    else
        expect_refusal(&error);
    l2r_forest_clear(&forest);
    return 0;
}
