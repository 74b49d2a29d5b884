/* SPDX-License-Identifier: MIT
 * A table of made-up molecules, for tests that train on one. The label: is there more than one oxygen? */
#ifndef L2R_TESTS_OXYGENS_H
#define L2R_TESTS_OXYGENS_H

#include <stdbool.h>
#include <stdio.h>

static inline void write_oxygens(const char *path, int n)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("smiles,y\n", file);
    for (int i = 0; i < n; i++) {
        int oxygens = i % 5 == 0;
        for (int k = 0; k < 2 + i % 7; k++) {
            bool oxygen = (i + k) % 3 == 0;
            fputs(oxygen ? "CO" : "C", file);
            oxygens += oxygen;
        }
        fprintf(file, "%s,%d\n", i % 2 ? "c1ccccc1" : i % 5 ? "CN" : "CO", oxygens > 1);
    }
    assert_int_equal(fclose(file), 0);
}

#endif
