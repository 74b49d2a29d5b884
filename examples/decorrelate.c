/* SPDX-License-Identifier: MIT
 *
 * Reweighting alone: a matrix of numbers from anywhere in, a weight for each row out. Column 0 decides the label, and
 * column 1 goes along with it in nine of ten rows, so that a model would lean on both. Under the learned weights the
 * two correlate less; the label keeps its share of the sample.
 *
 *     cc decorrelate.c $(pkg-config --cflags --libs l2r) -lm -o decorrelate && ./decorrelate
 */
#include <l2r/l2r.h>

#include <math.h>
#include <stdio.h>

enum { N = 600, D = 4 };

/* A number in −1 … 1 that follows the one before, as a generator of random numbers would give. */
static float noise(void)
{
    static uint32_t state = 12345;
    state = state * 1664525U + 1013904223U;
    return (float)(state >> 8) / (float)(1 << 23) - 1;
}

/* Of columns 0 and 1, under w; NULL: equal weights. */
static double correlation(const float *z, const float *w)
{
    double n = 0, a = 0, b = 0, aa = 0, bb = 0, ab = 0;
    for (int i = 0; i < N; i++) {
        double x = (double)z[i * D], y = (double)z[i * D + 1], weight = w ? (double)w[i] : 1;
        n += weight, a += weight * x, b += weight * y;
        aa += weight * x * x, bb += weight * y * y, ab += weight * x * y;
    }
    return (ab / n - a * b / n / n) / sqrt((aa / n - a * a / n / n) * (bb / n - b * b / n / n));
}

int main(void)
{
    static float z[N * D], w[N];
    static int64_t labels[N];
    struct l2r_error error = L2R_ERROR_INIT;
    struct l2r_reweight_options options = L2R_REWEIGHT_OPTIONS_INIT;
    struct l2r_decorrelation found = L2R_DECORRELATION_INIT;
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < D; j++) z[i * D + j] = noise();
        labels[i] = i % 2;
        z[i * D] += labels[i] ? 1 : -1;
        z[i * D + 1] += (i % 10 == 0) == (labels[i] == 1) ? -1 : 1;
    }
    options.ess = 0.5; /* the weights may cost half of the sample */
    options.seed = 1;
    if (l2r_decorrelate(w, &found, z, labels, N, D, &options, &error) != L2R_OK)
        return fprintf(stderr, "decorrelate: %s\n", error.message), 1;
    printf("dependence %.3f -> %.3f (the same weights shuffled: %.3f)\n", found.dependence_before,
           found.dependence_after, found.dependence_shuffled);
    printf("correlation %.3f -> %.3f\n", correlation(z, NULL), correlation(z, w));
    printf("effective sample size %.3f\n", l2r_ess(w, N));
    return 0;
}
