/* SPDX-License-Identifier: MIT
 *
 * Trains a committee of three networks in memory and keeps its bytes, as a program with a store of its own would. The
 * model that is made of the bytes predicts the same, and each of its members can be had alone.
 *
 *     cc committee.c $(pkg-config --cflags --libs l2r) -o committee && ./committee motif
 */
#include <l2r/l2r.h>

#include <stdio.h>

enum { MEMBERS = 3, CLASSES = 2 };

/* The graph, as all members together and as each sees it. */
static enum l2r_status show(struct l2r_predictor *model, const struct l2r_dataset *data, int64_t graph,
                            struct l2r_error *error)
{
    float output[CLASSES], members[MEMBERS * CLASSES], spread[CLASSES];
    enum l2r_status status = l2r_predictor_predict(output, model, data, &graph, 1, error);
    if (status == L2R_OK) status = l2r_predictor_predict_members(members, spread, model, data, &graph, 1, error);
    if (status != L2R_OK) return status;
    l2r_predictor_probabilities(output, model, 1);
    printf("graph %lld: p %.3f, spread %.3f, logits of the members", (long long)graph, (double)output[1],
           (double)spread[1]);
    for (int k = 0; k < MEMBERS; k++) printf(" %.3f", (double)members[k * CLASSES + 1]);
    printf("\n");
    return L2R_OK;
}

int main(int argc, char **argv)
{
    struct l2r_error error = L2R_ERROR_INIT;
    struct l2r_config *config = NULL;
    struct l2r_dataset *data = NULL;
    struct l2r_result *result = NULL;
    struct l2r_predictor *model = NULL, *again = NULL, *second = NULL;
    struct l2r_run run = L2R_RUN_INIT;
    void *bytes = NULL;
    size_t n_bytes = 0;
    if (argc != 2) return fprintf(stderr, "usage: committee DATA\n"), 2;
    int failed =
        l2r_config_for_run(&config, "gin", "erm", &error) ||
        l2r_config_set_json(config, "{\"members\": \"3\", \"epochs\": 3, \"hidden\": 16, \"layers\": 2}", &error) ||
        l2r_dataset_open(&data, argv[1], NULL, &error);
    run.config = config;
    run.data = data;
    failed = failed || l2r_train(&result, &model, &run, &error) || show(model, data, 0, &error) ||
             l2r_predictor_to_bytes(&bytes, &n_bytes, model, &error) ||
             l2r_predictor_from_bytes(&again, bytes, n_bytes, &error) || show(again, data, 0, &error) ||
             l2r_predictor_member(&second, again, 1, &error);
    if (!failed)
        printf("%d members in %lu bytes; the second alone is a model of %d\n", (int)l2r_predictor_n_members(again),
               (unsigned long)n_bytes, (int)l2r_predictor_n_members(second));
    if (failed) fprintf(stderr, "committee: %s\n", error.message);
    l2r_free(bytes);
    l2r_predictor_free(second);
    l2r_predictor_free(again);
    l2r_predictor_free(model);
    l2r_result_free(result);
    l2r_dataset_free(data);
    l2r_config_free(config);
    return failed ? 1 : 0;
}
