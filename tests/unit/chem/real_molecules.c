/* SPDX-License-Identifier: MIT
 *
 * OGB's molecule sets: every SMILES of three sets is read and has the atoms and bonds of its graph, in the graph's
 * order. The data is looked for as in unit_data_real_data; without it, or without RDKit, the test is skipped.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"
#include "chem/molecule.h"
#include "data/dataset.h"
#include "io/file.h"
#include "support/data_sets.h"

#include <stdio.h>
#include <stdlib.h>

static struct l2r_error error;
static char path[4096];

static const char *place_of(const char *name)
{
    const char *root = getenv("L2R_DATA") ? getenv("L2R_DATA") : L2R_TEST_DIR "/../../shared/data";
    snprintf(path, sizeof path, "%s/ogb/%s", root, name);
    return path;
}

static void check_set(const char *name)
{
    struct l2r_dataset *data = NULL;
    assert_int_equal(l2r_dataset_load(&data, place_of(name), false, &error), L2R_OK);
    int64_t n = data->n_graphs;
    int32_t *edges = l2r_alloc((size_t)data->n_arcs, sizeof *edges);
    for (int64_t i = 0; i < n; i++) {
        struct l2r_molecule *molecule = NULL;
        const char *smiles = l2r_dataset_smiles(data, i);
        int64_t n_edges = graph_edges(edges, data, i);
        if (l2r_molecule_parse(&molecule, smiles, &error) != L2R_OK ||
            l2r_molecule_matches(molecule, (int32_t)l2r_dataset_nodes_of(data, i), edges, n_edges, &error) != L2R_OK)
            fail_msg("%s, graph %d, %s: %s", name, (int)i, smiles, error.message);
        l2r_molecule_free(molecule);
    }
    l2r_free(edges);
    l2r_dataset_free(data);
}

static void bace(void **state)
{
    (void)state;
    check_set("bace");
}

static void bbbp(void **state)
{
    (void)state;
    check_set("bbbp");
}

static void esol(void **state)
{
    (void)state;
    check_set("esol");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(bace), cmocka_unit_test(bbbp), cmocka_unit_test(esol)};
    if (l2r_chem_version() == NULL || !l2r_path_is_dir(place_of("bace"))) {
        printf("no RDKit, or no data: set L2R_DATA to the folder of the data sets\n");
        return getenv("L2R_REQUIRE_DATA") && l2r_chem_version() ? 1 : 77;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
