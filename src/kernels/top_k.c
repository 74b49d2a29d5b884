/* SPDX-License-Identifier: MIT
 * See top_k.h. The k-th largest score is found by quickselect; one pass in the order of the nodes then takes all that are
 * above it and as many equal ones, lowest numbers first, as there is room for. */
#include "kernels/top_k.h"

#include "base/threads.h"

#include <math.h>
#include <stdbool.h>

enum { SEGMENTS_A_CHUNK = 4, STEPS = 4096 };

int64_t l2r_keep_count(double ratio, int64_t n)
{
    /* The product errs by 2⁻⁵² of itself at most; a decimal ratio of a few digits never comes this near an integer from above. */
    int64_t count = (int64_t)ceil(ratio * (double)n * (1 - 1e-12));
    if (count > n) count = n;
    return count < 1 && n > 0 ? 1 : count;
}

static l2r_real middle_of(l2r_real a, l2r_real b, l2r_real c)
{
    if (a > b) return b > c ? b : (a > c ? c : a);
    return a > c ? a : (b > c ? c : b);
}

/* The value at place k (from 0) if x were sorted from the largest down; x is reordered. */
static l2r_real kth_largest(l2r_real *x, int64_t n, int64_t k)
{
    int64_t low = 0, high = n - 1;
    while (low < high) {
        l2r_real pivot = middle_of(x[low], x[(low + high) / 2], x[high]);
        int64_t i = low, j = high;
        while (i <= j) {
            while (x[i] > pivot) i++;
            while (x[j] < pivot) j--;
            if (i > j) break;
            l2r_real swap = x[i];
            x[i++] = x[j];
            x[j--] = swap;
        }
        if (k <= j)
            high = j;
        else if (k >= i)
            low = i;
        else
            break; /* between the two parts all are equal to the pivot */
    }
    return x[k];
}

/* The size of a step: a power of two, so that it stays the same when the largest score moves a little. */
static double step_of(const l2r_real *score, int64_t n)
{
    double largest = 0;
    int exponent;
    for (int64_t i = 0; i < n; i++)
        if (isfinite((double)score[i])) largest = fmax(largest, fabs((double)score[i]));
    frexp(largest, &exponent);
    return largest > 0 ? ldexp(1.0 / STEPS, exponent) : 1;
}

static l2r_real rank_of(l2r_real score, double step)
{
    return isnan((double)score) ? (l2r_real)INFINITY : (l2r_real)rint((double)score / step);
}

static void choose(int32_t *keep, int32_t *place, const l2r_real *score, l2r_real *scratch, int64_t begin, int64_t end,
                   int64_t first_kept, int64_t count)
{
    double step = step_of(score + begin, end - begin);
    for (int64_t i = begin; i < end; i++) scratch[i] = rank_of(score[i], step);
    l2r_real least = kth_largest(scratch + begin, end - begin, count - 1);
    int64_t above = 0;
    for (int64_t i = begin; i < end; i++) above += rank_of(score[i], step) > least;
    int64_t equals = count - above, at = first_kept;
    for (int64_t i = begin; i < end; i++) {
        l2r_real rank = rank_of(score[i], step);
        bool stays = rank > least || (rank == least && equals-- > 0);
        place[i] = stays ? (int32_t)at : -1;
        if (stays) keep[at++] = (int32_t)i;
    }
}

struct work {
    int32_t *keep, *place;
    const l2r_real *score;
    const int32_t *start, *kept_start;
    l2r_real *scratch;
    int64_t n_segments;
};

static void choose_chunk(void *context, int64_t chunk)
{
    const struct work *w = context;
    int64_t first, last;
    l2r_chunk_range(&first, &last, w->n_segments, SEGMENTS_A_CHUNK, chunk);
    for (int64_t g = first; g < last; g++)
        if (w->start[g] < w->start[g + 1])
            choose(w->keep, w->place, w->score, w->scratch, w->start[g], w->start[g + 1], w->kept_start[g],
                   w->kept_start[g + 1] - w->kept_start[g]);
}

void l2r_top_k(int32_t *keep, int32_t *place, const l2r_real *score, const int32_t *start, const int32_t *kept_start,
               l2r_real *scratch, int64_t n_segments)
{
    struct work w = {keep, place, score, start, kept_start, scratch, n_segments};
    l2r_parallel(l2r_chunk_count(n_segments, SEGMENTS_A_CHUNK), choose_chunk, &w);
}
