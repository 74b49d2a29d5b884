/* SPDX-License-Identifier: MIT
 *
 * One member of a committee as a model of its own: member MODEL K OUT, K from 1. */
#include <l2r/model.h>

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    struct l2r_error error = {0};
    struct l2r_predictor *all = NULL, *one = NULL;
    if (argc != 4) return 2;
    bool done = l2r_predictor_open(&all, argv[1], &error) == L2R_OK &&
                l2r_predictor_member(&one, all, atoi(argv[2]) - 1, &error) == L2R_OK &&
                l2r_predictor_save(one, argv[3], &error) == L2R_OK;
    if (!done) fprintf(stderr, "%s\n", error.message);
    l2r_predictor_free(one);
    l2r_predictor_free(all);
    return done ? 0 : 1;
}
