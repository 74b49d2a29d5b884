/* SPDX-License-Identifier: MIT
 *
 * Scores the SMILES on its command line with a model that was trained on molecules, and says what could not be read.
 *
 *     l2r train --data my.csv --out runs/my
 *     cc score_smiles.c $(pkg-config --cflags --libs l2r) -o score_smiles && ./score_smiles runs/my CCO c1ccccc1O
 */
#include <l2r/l2r.h>

#include <stdio.h>
#include <stdlib.h>

static enum l2r_status score(struct l2r_predictor *model, const struct l2r_dataset *data, struct l2r_error *error)
{
    int64_t n = l2r_dataset_n_graphs(data);
    int32_t columns = l2r_predictor_n_outputs(model);
    float *output = (float *)malloc((size_t)n * (size_t)columns * sizeof *output);
    enum l2r_status status = output ? L2R_OK : L2R_ERR_MEMORY;
    if (status == L2R_OK) status = l2r_predictor_predict(output, model, data, NULL, n, error);
    if (status == L2R_OK) l2r_predictor_probabilities(output, model, n);
    for (int64_t i = 0; status == L2R_OK && i < n; i++) {
        printf("%s", l2r_dataset_smiles(data, i));
        for (int32_t k = 0; k < columns; k++) printf(" %.3f", (double)output[i * columns + k]);
        printf("\n");
    }
    free(output);
    return status;
}

int main(int argc, char **argv)
{
    struct l2r_error error = L2R_ERROR_INIT;
    struct l2r_predictor *model = NULL;
    struct l2r_dataset *data = NULL;
    if (argc < 3) return fprintf(stderr, "usage: score_smiles RUN SMILES...\n"), 2;
    struct l2r_smiles molecules = L2R_SMILES_INIT;
    molecules.smiles = (const char *const *)(argv + 2);
    molecules.n_rows = argc - 2;
    molecules.task = L2R_TASK_BINARY; /* of labels that are not there */
    molecules.n_tasks = 1;
    int failed = l2r_predictor_open(&model, argv[1], &error) ||
                 l2r_dataset_from_smiles(&data, &molecules, NULL, &error) || score(model, data, &error);
    for (int64_t i = 0; i < l2r_dataset_n_dropped(data); i++) {
        char reason[200];
        int64_t row;
        if (l2r_dataset_dropped_row(&row, reason, sizeof reason, data, i, NULL) == L2R_OK)
            printf("%s: %s\n", molecules.smiles[row], reason);
    }
    if (failed) fprintf(stderr, "score_smiles: %s\n", error.message);
    l2r_dataset_free(data);
    l2r_predictor_free(model);
    return failed ? 1 : 0;
}
