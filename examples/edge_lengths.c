/* SPDX-License-Identifier: MIT
 *
 * Graphs from arrays whose edges have a length, a real number: small molecules of water in which one bond is stretched,
 * and an energy to learn that depends on the two lengths alone. A D-MPNN learns it; without the lengths it could not.
 *
 *     cc edge_lengths.c $(pkg-config --cflags --libs l2r) -o edge_lengths && ./edge_lengths
 */
#include <l2r/l2r.h>

#include <stdio.h>

enum { GRAPHS = 96, NODES = 3, EDGES = 2 };

/* A number in −1 … 1 for every i. */
static float length_of(int i)
{
    return (float)((i * 37 + 11) % 64) / 32 - 1;
}

static enum l2r_status make(struct l2r_dataset **data, struct l2r_error *error)
{
    static int64_t nodes[GRAPHS], edges[GRAPHS];
    static int32_t ends[GRAPHS * EDGES * 2], element[GRAPHS * NODES];
    static float length[GRAPHS * EDGES], energy[GRAPHS];
    struct l2r_arrays arrays = L2R_ARRAYS_INIT;
    for (int g = 0; g < GRAPHS; g++) {
        nodes[g] = NODES;
        edges[g] = EDGES;
        for (int e = 0; e < EDGES; e++) {
            ends[(g * EDGES + e) * 2] = 0; /* the oxygen, and a hydrogen */
            ends[(g * EDGES + e) * 2 + 1] = e + 1;
            length[g * EDGES + e] = length_of(2 * g + e);
        }
        element[g * NODES] = 1;
        energy[g] = length[g * EDGES] * length[g * EDGES] + length[g * EDGES + 1] * length[g * EDGES + 1];
    }
    arrays.name = "water";
    arrays.task = L2R_TASK_REGRESSION;
    arrays.n_tasks = 1;
    arrays.n_graphs = GRAPHS;
    arrays.node_counts = nodes;
    arrays.edge_counts = edges;
    arrays.edges = ends;
    arrays.n_node_columns = 1;
    arrays.node_rows = element;
    arrays.n_edge_reals = 1;
    arrays.edge_real = length;
    arrays.labels = energy;
    return l2r_dataset_from_arrays(data, &arrays, error);
}

int main(void)
{
    struct l2r_error error = L2R_ERROR_INIT;
    struct l2r_config *config = NULL;
    struct l2r_dataset *data = NULL;
    struct l2r_result *result = NULL;
    struct l2r_run run = L2R_RUN_INIT;
    int failed = make(&data, &error) || l2r_config_for_run(&config, "dmpnn", "erm", &error) ||
                 l2r_config_set_json(config,
                                     "{\"epochs\": 60, \"hidden\": 32, \"lr\": 0.005, \"batch-size\": 16,"
                                     " \"readout\": \"sum\", \"split\": \"random\"}",
                                     &error);
    run.config = config;
    run.data = data;
    if (!failed) failed = l2r_train(&result, NULL, &run, &error);
    if (!failed)
        printf("%d real column of edges; the first edge is %.3f long\nr2 of new graphs: %.2f\n",
               (int)l2r_dataset_n_edge_reals(data), (double)l2r_dataset_edge_real(data, 0)[0],
               l2r_result_score(result, L2R_PART_TEST, "r2"));
    if (failed) fprintf(stderr, "edge_lengths: %s\n", error.message);
    l2r_result_free(result);
    l2r_dataset_free(data);
    l2r_config_free(config);
    return failed ? 1 : 0;
}
