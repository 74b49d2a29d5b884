/* SPDX-License-Identifier: MIT
 *
 * Any tensors as those of boosted trees (tree_input.h): refused with a sentence, or trees that answer, say what each
 * feature contributes, and are the same when saved.
 */
#include "base/threads.h"
#include "nn/trees.h"
#include "tree_input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void use(const struct l2r_trees *trees, const struct tree_input *in)
{
    static struct l2r_tape tape;
    l2r_real rows[ROWS * MOST_COLUMNS];
    double share[MOST_COLUMNS + 1] = {0};
    int32_t columns = in->signature.features.n;
    struct l2r_batch batch = tree_rows(rows, columns);
    struct l2r_error error = {0};
    struct l2r_array saved = {0};
    l2r_tape_reset(&tape);
    if (!l2r_tape_ready(&tape, l2r_trees_output(trees, &tape, &batch))) abort();
    for (int32_t k = 0; k < l2r_signature_outputs(&in->signature); k++) (void)l2r_trees_can_predict(trees, k);
    for (size_t k = 0; k < trees->trees.n; k++)
        if (l2r_tree_shap(share, (const struct l2r_tree *)trees->trees.items + k, rows, columns, &error) != L2R_OK)
            abort();
    if (l2r_trees_save(&saved, &tape.arena, trees, &error) != L2R_OK) abort();
    expect_same_tensors(in, &saved);
    l2r_array_clear(&saved);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct tree_input in;
    float base[MOST_OUTPUTS];
    struct l2r_error error = {0};
    tree_input_read(&in, data, size, L2R_BOOSTED_WIDTH);
    l2r_threads_set(1);
    l2r_real rounds = (l2r_real)in.rounds;
    const struct l2r_param buffer = {.rows = 1, .cols = 1, .value = &rounds};
    bool classes = in.signature.task == L2R_TASK_MULTICLASS;
    struct l2r_trees trees = {.data = &in.signature,
                              .per_epoch = in.kind & 8 ? 2 : 1,
                              .depth = 5,
                              .n_boosters = in.signature.n_tasks,
                              .n_outputs = classes ? in.signature.n_classes : 1,
                              .base = base,
                              .rounds = &buffer};
    if (l2r_trees_load(&trees, in.tensors, in.n, &error) == L2R_OK)
        use(&trees, &in);
    else
        expect_refusal(&error);
    l2r_trees_clear(&trees);
    return 0;
}
