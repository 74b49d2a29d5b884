/* SPDX-License-Identifier: MIT
 *
 * Loads a trained model and scores graphs with it: first those of a data set, then one made in memory.
 *
 *     l2r train --data motif --model gin --hidden 64 --epochs 20 --out runs/motif
 *     cc predict.c $(pkg-config --cflags --libs l2r) -o predict && ./predict runs/motif motif
 */
#include <l2r/l2r.h>

#include <stdio.h>
#include <stdlib.h>

static int show(struct l2r_predictor *model, const struct l2r_dataset *data, int64_t n, struct l2r_error *error)
{
    int32_t columns = l2r_predictor_n_outputs(model);
    int64_t graphs[3] = {0, 1, 2};
    float *output = (float *)malloc((size_t)n * (size_t)columns * sizeof *output);
    int status = L2R_ERR_MEMORY;
    if (output) status = (int)l2r_predictor_predict(output, model, data, graphs, n, error);
    if (status == L2R_OK) l2r_predictor_probabilities(output, model, n);
    for (int64_t i = 0; status == L2R_OK && i < n; i++) {
        printf("graph %lld:", (long long)i);
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
    struct l2r_dataset *data = NULL, *mine = NULL;
    struct l2r_builder *builder = NULL;
    if (argc != 3) return fprintf(stderr, "usage: predict RUN DATA\n"), 2;
    int failed = l2r_predictor_open(&model, argv[1], &error) || l2r_dataset_open(&data, argv[2], NULL, &error);
    if (!failed) failed = show(model, data, l2r_dataset_n_graphs(data) < 3 ? l2r_dataset_n_graphs(data) : 3, &error);

    /* A triangle whose nodes have a number each, as the motif graphs do; it has no label. */
    const int32_t edges[] = {0, 1, 1, 2, 2, 0};
    const float real[] = {0.1f, 0.5f, 0.9f};
    struct l2r_schema schema = L2R_SCHEMA_INIT;
    struct l2r_graph_view triangle = L2R_GRAPH_VIEW_INIT;
    schema.n_tasks = schema.n_node_reals = 1;
    triangle.n_nodes = triangle.n_edges = 3;
    triangle.edges = edges;
    triangle.node_real = real;
    triangle.part = L2R_PART_NONE;
    if (!failed)
        failed = l2r_builder_new(&builder, &schema, &error) || l2r_builder_add(builder, &triangle, &error) ||
                 l2r_builder_finish(&mine, builder, &error) || show(model, mine, 1, &error);
    if (failed) fprintf(stderr, "predict: %s\n", error.message);
    l2r_builder_free(builder);
    l2r_dataset_free(mine);
    l2r_dataset_free(data);
    l2r_predictor_free(model);
    return failed ? 1 : 0;
}
