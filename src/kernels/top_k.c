/* SPDX-License-Identifier: MIT
 *
 * See top_k.h. The k-th largest score is found by quickselect; one pass in the order of the nodes then takes all that
 * are above it and as many equal ones, lowest numbers first, as there is room for. The subgraph keeps the arcs whose
 * two ends stay, in the order of the old lists: lists that were symmetric and rising stay so.
 */
#include "kernels/top_k.h"

#include "base/threads.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* ---- the choice ---- */

enum { SEGMENTS_A_CHUNK = 4, STEPS = 4096 };

int64_t l2r_keep_count(double ratio, int64_t n)
{
    /* The product errs by 2⁻⁵² of itself at most; a decimal ratio of a few digits never comes this near an integer from
     * above. */
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

struct choice {
    int32_t *keep, *place;
    const l2r_real *score;
    const int32_t *start, *kept_start;
    l2r_real *scratch;
    int64_t n_segments;
};

static void choose_chunk(void *context, int64_t chunk)
{
    const struct choice *w = context;
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
    struct choice w = {keep, place, score, start, kept_start, scratch, n_segments};
    l2r_parallel(l2r_chunk_count(n_segments, SEGMENTS_A_CHUNK), choose_chunk, &w);
}

/* ---- the subgraph ---- */

enum { NODES_A_CHUNK = 1024 };

struct subgraph {
    int32_t *arc_start, *neighbour, *arc_type;
    l2r_real *inverse_root_degree;
    const struct l2r_adjacency *graph;
    const int32_t *keep, *place;
    int64_t n;
};

/* arc_start[i + 1] becomes the number of arcs of node i. */
static void count_chunk(void *context, int64_t chunk)
{
    const struct subgraph *w = context;
    int64_t begin, end;
    l2r_chunk_range(&begin, &end, w->n, NODES_A_CHUNK, chunk);
    for (int64_t i = begin; i < end; i++) {
        int32_t arcs = 0;
        for (int64_t e = w->graph->arc_start[w->keep[i]]; e < w->graph->arc_start[w->keep[i] + 1]; e++)
            arcs += w->place[w->graph->neighbour[e]] >= 0;
        w->arc_start[i + 1] = arcs;
    }
}

int64_t l2r_subgraph_arcs(int32_t *arc_start, const struct l2r_adjacency *graph, const int32_t *keep,
                          const int32_t *place, int64_t n_kept)
{
    struct subgraph w = {.arc_start = arc_start, .graph = graph, .keep = keep, .place = place, .n = n_kept};
    l2r_parallel(l2r_chunk_count(n_kept, NODES_A_CHUNK), count_chunk, &w);
    arc_start[0] = 0;
    for (int64_t i = 0; i < n_kept; i++) arc_start[i + 1] += arc_start[i];
    return arc_start[n_kept];
}

static void fill_chunk(void *context, int64_t chunk)
{
    const struct subgraph *w = context;
    int64_t begin, end;
    l2r_chunk_range(&begin, &end, w->n, NODES_A_CHUNK, chunk);
    for (int64_t i = begin; i < end; i++) {
        int64_t at = w->arc_start[i], others = 0;
        for (int64_t e = w->graph->arc_start[w->keep[i]]; e < w->graph->arc_start[w->keep[i] + 1]; e++) {
            int32_t u = w->place[w->graph->neighbour[e]];
            if (u < 0) continue;
            w->neighbour[at] = u;
            w->arc_type[at++] = w->graph->arc_type[e];
            others += u != i;
        }
        w->inverse_root_degree[i] = (l2r_real)(1 / sqrt((double)(others + 1)));
    }
}

void l2r_subgraph_fill(int32_t *neighbour, int32_t *arc_type, l2r_real *inverse_root_degree, int32_t *arc_start,
                       const struct l2r_adjacency *graph, const int32_t *keep, const int32_t *place, int64_t n_kept)
{
    struct subgraph w = {arc_start, neighbour, arc_type, inverse_root_degree, graph, keep, place, n_kept};
    l2r_parallel(l2r_chunk_count(n_kept, NODES_A_CHUNK), fill_chunk, &w);
}

/* ---- the gate ---- */

enum { ROWS_A_CHUNK = 256 };

struct gate {
    l2r_real *y, *gate_out, *d_score;
    const l2r_real *x, *score, *gate, *d_y;
    const int32_t *row; /* forward: keep, backward: place */
    l2r_real beta_x, beta_s;
    int64_t n, dim;
};

L2R_CLONES(static, scale_row,
           (l2r_real *restrict y, l2r_real beta, l2r_real scale, const l2r_real *restrict x, int64_t n),
           (y, beta, scale, x, n))
{
    if (beta == 0)
        for (int64_t j = 0; j < n; j++) y[j] = scale * x[j];
    else
        for (int64_t j = 0; j < n; j++) y[j] = beta * y[j] + scale * x[j];
}

L2R_CLONES_OF(l2r_real, dot_row, (const l2r_real *a, const l2r_real *b, int64_t n), (a, b, n))
{
    return l2r_row_dot(a, b, n);
}

static void gate_chunk(void *context, int64_t chunk)
{
    const struct gate *w = context;
    int64_t begin, end;
    l2r_chunk_range(&begin, &end, w->n, ROWS_A_CHUNK, chunk);
    for (int64_t i = begin; i < end; i++) {
        w->gate_out[i] = (l2r_real)tanh((double)w->score[w->row[i]]);
        scale_row(w->y + i * w->dim, 0, w->gate_out[i], w->x + w->row[i] * w->dim, w->dim);
    }
}

void l2r_gate_forward(l2r_real *y, l2r_real *gate, const l2r_real *x, const l2r_real *score, const int32_t *keep,
                      int64_t n_kept, int64_t dim)
{
    struct gate w = {.y = y, .gate_out = gate, .x = x, .score = score, .row = keep, .n = n_kept, .dim = dim};
    l2r_parallel(l2r_chunk_count(n_kept, ROWS_A_CHUNK), gate_chunk, &w);
}

static void gate_back_chunk(void *context, int64_t chunk)
{
    const struct gate *w = context;
    int64_t begin, end;
    l2r_chunk_range(&begin, &end, w->n, ROWS_A_CHUNK, chunk);
    for (int64_t k = begin; k < end; k++) {
        int64_t i = w->row[k];
        if (w->y && i >= 0)
            scale_row(w->y + k * w->dim, w->beta_x, w->gate[i], w->d_y + i * w->dim, w->dim);
        else if (w->y && w->beta_x == 0)
            memset(w->y + k * w->dim, 0, (size_t)w->dim * sizeof *w->y);
        if (!w->d_score) continue;
        l2r_real own = 0;
        if (i >= 0) own = (1 - w->gate[i] * w->gate[i]) * dot_row(w->d_y + i * w->dim, w->x + k * w->dim, w->dim);
        w->d_score[k] = w->beta_s == 0 ? own : w->beta_s * w->d_score[k] + own;
    }
}

void l2r_gate_backward(l2r_real *d_x, l2r_real beta_x, l2r_real *d_score, l2r_real beta_s, const l2r_real *d_y,
                       const l2r_real *x, const l2r_real *gate, const int32_t *place, int64_t n_rows, int64_t dim)
{
    struct gate w = {.y = d_x,
                     .beta_x = beta_x,
                     .d_score = d_score,
                     .beta_s = beta_s,
                     .d_y = d_y,
                     .x = x,
                     .gate = gate,
                     .row = place,
                     .n = n_rows,
                     .dim = dim};
    l2r_parallel(l2r_chunk_count(n_rows, ROWS_A_CHUNK), gate_back_chunk, &w);
}
