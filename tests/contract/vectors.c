/* SPDX-License-Identifier: MIT
 *
 * Every registered model at every width of vectors that this machine has: loss and gradients are the same bits. No loop
 * on this way is fused or reassociated (kernels/vector.h), and the products, which differ between widths, keep the one
 * that oneDNN has in this process. tests/unit/kernels/vector.c compares single loops, tests/cli/vector.sh the products.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kernels/vector.h"

#include "support/model_trial.h"

#include <stdlib.h>

enum { N_GRAPHS = 12 };

static void widths_give_the_same_bits(const struct l2r_model_type *type, const struct variant *variant,
                                      enum graph_kind kind)
{
    struct test_graph graphs[N_GRAPHS];
    l2r_real weights[N_GRAPHS];
    struct l2r_rng rng = l2r_rng_at(11, L2R_RANDOM_TEST, (uint64_t)kind);
    for (int i = 0; i < N_GRAPHS; i++) {
        int64_t n = 4 + (int64_t)l2r_rng_below(&rng, 12);
        graphs[i] = draw_graph(kind, n, 2 * n, &rng);
        weights[i] = 1;
    }
    struct l2r_dataset *data = data_set_of(graphs, N_GRAPHS, kind);
    struct trial t = trial_open(type, variant, data, "20", "0.5"); /* 20: whole vectors and a rest */
    const struct l2r_params *params = &t.network.params;
    size_t bytes = (size_t)params->n_trainable * sizeof(l2r_real), rest = (size_t)params->n_buffer * sizeof(l2r_real);
    l2r_real *gradient = malloc(bytes), *buffer = malloc(rest + 1);
    memcpy(buffer, params->buffer, rest); /* running statistics, which every pass changes */
    double loss = 0;
    for (int width = L2R_VECTOR_BASELINE; width <= (int)l2r_vector_widest(); width++) {
        l2r_vector_use((enum l2r_vector)width);
        memcpy(params->buffer, buffer, rest);
        double own = trial_loss(&t, data, t.graphs, N_GRAPHS, weights, 0, true);
        if (!isfinite(own)) fail_msg("%s: width %d: the loss is not finite", where, width);
        if (width == L2R_VECTOR_BASELINE) {
            loss = own;
            memcpy(gradient, params->grad, bytes);
        }
        if (own != loss) fail_msg("%s: width %d: loss %.9g instead of %.9g", where, width, own, loss);
        if (memcmp(gradient, params->grad, bytes) != 0) fail_msg("%s: width %d: other gradients", where, width);
    }
    free(gradient);
    free(buffer);
    trial_close(&t);
    l2r_dataset_free(data);
}

static void all_models(void **state)
{
    (void)state;
    for_all_models(widths_give_the_same_bits);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_models)};
    return cmocka_run_group_tests_name("vectors", tests, NULL, NULL);
}
