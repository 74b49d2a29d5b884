/* SPDX-License-Identifier: MIT
 *
 * See linear_fit.h. One pass over the rows, divided into chunks, serves value, gradient and Hessian product:
 *
 *     o = x_n B + b           slope_k = w ∂ℓ/∂o_k            gradient += x_n slopeᵀ
 *     u = x_n V + v           curve   = w ∂²ℓ/∂o² · u        product  += x_n curveᵀ
 */
#include "fit/linear_fit.h"

#include "base/threads.h"
#include "metrics/probability.h"

#include <math.h>
#include <string.h>

enum { MOST_CHUNKS = 16, LEAST_ROWS = 256, MOST_STEPS = 100, MOST_PRODUCTS = 500, MOST_HALVINGS = 34, LANES = 8 };
static const double tolerance = 1e-9;

/* ---- what is fitted ---- */

static void standardise(struct l2r_linear_fit *f, const float *raw)
{
    int64_t n = f->n, d = f->d;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < d; j++) f->mean[j] += (double)raw[i * d + j] / (double)n;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < d; j++) {
            double away = (double)raw[i * d + j] - f->mean[j];
            f->scale[j] += away * away / (double)n;
        }
    for (int64_t j = 0; j < d; j++) {
        double sd = sqrt(f->scale[j]);
        f->scale[j] = sd > 1e-6 * (fabs(f->mean[j]) + 1e-6) ? 1 / sd : 0;
    }
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < d; j++) f->x[i * d + j] = ((double)raw[i * d + j] - f->mean[j]) * f->scale[j];
}

static void copy_labels(struct l2r_linear_fit *f, const struct l2r_network *network, const struct l2r_dataset *data,
                        const int32_t *graphs)
{
    const struct l2r_signature *s = &network->signature;
    for (int64_t i = 0; i < f->n; i++) {
        int64_t from = (int64_t)graphs[i] * f->n_tasks;
        f->own[i] =
            data->weight && network->weight_scale > 0 ? (double)data->weight[graphs[i]] * network->weight_scale : 1;
        for (int32_t k = 0; k < f->n_tasks; k++) {
            float label = data->labels[from + k];
            bool scaled = f->task == L2R_TASK_REGRESSION;
            f->labels[i * f->n_tasks + k] = scaled ? (float)l2r_target_scaled(&s->target, k, (double)label) : label;
            if (f->bound && data->bound) f->bound[i * f->n_tasks + k] = data->bound[from + k];
        }
    }
}

static int64_t chunk_rows(const struct l2r_linear_fit *f)
{
    int64_t rows = l2r_chunk_count(f->n, MOST_CHUNKS);
    return rows > LEAST_ROWS ? rows : LEAST_ROWS;
}

/* Numbers of a head. */
static int64_t size_of(const struct l2r_linear_fit *f)
{
    return (f->d + 1) * f->outputs;
}

enum l2r_status l2r_linear_fit_init(struct l2r_linear_fit *f, const struct l2r_network *network,
                                    const struct l2r_dataset *data, const int32_t *graphs, const float *raw, int64_t n,
                                    int64_t d, struct l2r_error *error)
{
    *f = (struct l2r_linear_fit){.task = network->signature.task,
                                 .n = n,
                                 .d = d,
                                 .outputs = l2r_signature_outputs(&network->signature),
                                 .n_tasks = data->n_tasks,
                                 .class_weight = network->class_weight};
    size_t cells = (size_t)n * (size_t)f->n_tasks;
    l2r_arena_init(&f->arena);
    f->x = l2r_arena_alloc(&f->arena, (size_t)(n * d), sizeof *f->x);
    f->mean = l2r_arena_zeroed(&f->arena, (size_t)d + 1, sizeof *f->mean);
    f->scale = l2r_arena_zeroed(&f->arena, (size_t)d + 1, sizeof *f->scale);
    f->labels = l2r_arena_alloc(&f->arena, cells, sizeof *f->labels);
    if (data->bound) f->bound = l2r_arena_alloc(&f->arena, cells, sizeof *f->bound);
    f->own = l2r_arena_alloc(&f->arena, (size_t)n, sizeof *f->own);
    /* Per chunk a gradient and 3 rows of outputs; for the solver gradient, step, residual, direction, product, head. */
    f->scratch = l2r_arena_alloc(
        &f->arena, (size_t)((MOST_CHUNKS + 6) * (size_of(f) + 1) + MOST_CHUNKS * 3 * f->outputs), sizeof *f->scratch);
    if (!f->x || !f->mean || !f->scale || !f->labels || (data->bound && !f->bound) || !f->own || !f->scratch) {
        l2r_linear_fit_clear(f);
        return l2r_fail_memory(error, (size_t)(n * d) * sizeof *f->x, "the fit of a linear head");
    }
    standardise(f, raw);
    copy_labels(f, network, data, graphs);
    return L2R_OK;
}

void l2r_linear_fit_clear(struct l2r_linear_fit *f)
{
    l2r_arena_clear(&f->arena);
    *f = (struct l2r_linear_fit){0};
}

/* ---- one row ---- */

/* slope [k] = ∂ℓ/∂o of row i at outputs o [k]; returns ℓ. With u not NULL: slope = ∂²ℓ/∂o² · u instead. */
static double class_row(double *slope, const struct l2r_linear_fit *f, int64_t i, const double *o, const double *u)
{
    float label = f->labels[i];
    int64_t y = isnan(label) ? 0 : (int64_t)label;
    double top = o[0], sum = 0, mean = 0, c = isnan(label) ? 0 : f->class_weight ? (double)f->class_weight[y] : 1;
    for (int32_t k = 1; k < f->outputs; k++) top = fmax(top, o[k]);
    for (int32_t k = 0; k < f->outputs; k++) sum += slope[k] = exp(o[k] - top);
    for (int32_t k = 0; k < f->outputs; k++) slope[k] /= sum;
    for (int32_t k = 0; u && k < f->outputs; k++) mean += slope[k] * u[k];
    for (int32_t k = 0; k < f->outputs; k++)
        slope[k] = c * (u ? slope[k] * (u[k] - mean) : slope[k] - (k == y ? 1 : 0));
    return c * (log(sum) + top - o[y]);
}

static double task_row(double *slope, const struct l2r_linear_fit *f, int64_t i, const double *o, const double *u)
{
    const float *y = f->labels + i * f->n_tasks;
    double loss = 0, known = 0;
    for (int32_t k = 0; k < f->n_tasks; k++) known += !isnan(y[k]);
    for (int32_t k = 0; k < f->n_tasks; k++) {
        double label = (double)y[k], share = 1 / fmax(known, 1), first = 0, second = 0;
        if (!isnan(y[k]) && f->task == L2R_TASK_BINARY) {
            double p = l2r_sigmoid(o[k]), c = f->class_weight ? (double)f->class_weight[k] : 1;
            loss += share * (c * label * l2r_softplus(-o[k]) + (1 - label) * l2r_softplus(o[k]));
            first = c * label * (p - 1) + (1 - label) * p;
            second = (c * label + 1 - label) * p * (1 - p);
        } else if (!isnan(y[k])) {
            double error = o[k] - label;
            bool counts = !f->bound || !(f->bound[i * f->n_tasks + k] * error > 0);
            loss += counts ? share * error * error : 0;
            first = counts ? 2 * error : 0;
            second = counts ? 2 : 0;
        }
        slope[k] = share * (u ? second * u[k] : first);
    }
    return loss;
}

/* ---- all rows ---- */

struct pass {
    const struct l2r_linear_fit *fit;
    const double *head, *along, *w; /* along NULL: value and gradient, else the Hessian's product with it */
    double *sums;                   /* [chunks × (size + 1)]: the value last */
};

/* Several sums at once, in an order that no compiler option changes. */
L2R_CLONES_OF(double, dot, (const double *a, const double *b, int64_t n), (a, b, n))
{
    double lanes[LANES] = {0}, sum = 0;
    int64_t j = 0;
    for (; j + LANES <= n; j += LANES)
        for (int k = 0; k < LANES; k++) lanes[k] += a[j + k] * b[j + k];
    for (; j < n; j++) sum += a[j] * b[j];
    for (int k = 0; k < LANES; k++) sum += lanes[k];
    return sum;
}

L2R_CLONES(static, add_scaled, (double *to, double factor, const double *from, int64_t n), (to, factor, from, n))
{
    for (int64_t j = 0; j < n; j++) to[j] += factor * from[j];
}

/* A head is stored output by output here: [k × (d + 1)], so that each output of a row is one dot product. */
static void outputs_of(double *o, const struct l2r_linear_fit *f, const double *head, int64_t i)
{
    for (int32_t k = 0; k < f->outputs; k++) {
        const double *column = head + k * (f->d + 1);
        o[k] = dot(f->x + i * f->d, column, f->d) + column[f->d];
    }
}

static void pass_chunk(void *context, int64_t chunk)
{
    struct pass *p = context;
    const struct l2r_linear_fit *f = p->fit;
    int64_t begin, end, size = size_of(f) + 1, k3 = 3 * (int64_t)f->outputs;
    double *sums = p->sums + chunk * size, *o = p->sums + MOST_CHUNKS * size + chunk * k3;
    double *u = o + f->outputs, *slope = u + f->outputs;
    l2r_chunk_range(&begin, &end, f->n, chunk_rows(f), chunk);
    memset(sums, 0, (size_t)size * sizeof *sums);
    for (int64_t i = begin; i < end; i++) {
        double w = (p->w ? p->w[i] : 1) * f->own[i] / (double)f->n;
        outputs_of(o, f, p->head, i);
        if (p->along) outputs_of(u, f, p->along, i);
        double loss = f->task == L2R_TASK_MULTICLASS ? class_row(slope, f, i, o, p->along ? u : NULL)
                                                     : task_row(slope, f, i, o, p->along ? u : NULL);
        sums[size - 1] += w * loss;
        for (int32_t k = 0; k < f->outputs; k++) {
            add_scaled(sums + k * (f->d + 1), w * slope[k], f->x + i * f->d, f->d);
            sums[k * (f->d + 1) + f->d] += w * slope[k];
        }
    }
}

/* Gradient at head, or the Hessian there times `along`, into out; returns F. */
static double pass_rows(double *out, struct l2r_linear_fit *f, const double *head, const double *along, const double *w,
                        double penalty)
{
    struct pass p = {f, head, along, w, f->scratch};
    int64_t chunks = l2r_chunk_count(f->n, chunk_rows(f)), size = size_of(f);
    const double *point = along ? along : head;
    double value = 0, square = 0;
    l2r_parallel(chunks, pass_chunk, &p);
    memset(out, 0, (size_t)size * sizeof *out);
    for (int64_t c = 0; c < chunks; c++) {
        add_scaled(out, 1, p.sums + c * (size + 1), size);
        value += p.sums[c * (size + 1) + size];
    }
    for (int64_t i = 0; i < size; i++) {
        if (i % (f->d + 1) == f->d) continue; /* b is free */
        out[i] += penalty * point[i];
        square += head[i] * head[i];
    }
    return value + 0.5 * penalty * square;
}

/* ---- Newton ---- */

/* step: H step = −gradient, to the tolerance `enough`; r, d, q [size] are scratch. Returns the products it took. */
static int conjugate_gradients(double *step, struct l2r_linear_fit *f, const double *head, const double *gradient,
                               const double *w, double penalty, double enough, double *r)
{
    int64_t size = size_of(f);
    double *d = r + size, *q = d + size, rr = dot(gradient, gradient, size);
    int taken = 0;
    memset(step, 0, (size_t)size * sizeof *step);
    for (int64_t i = 0; i < size; i++) d[i] = r[i] = -gradient[i];
    while (taken < MOST_PRODUCTS && rr > enough * enough) {
        pass_rows(q, f, head, d, w, penalty);
        taken++;
        double curve = dot(d, q, size), before = rr;
        if (!(curve > 0)) break; /* flat: rounding, or the constant that cancels in the softmax */
        add_scaled(step, rr / curve, d, size);
        add_scaled(r, -rr / curve, q, size);
        rr = dot(r, r, size);
        for (int64_t i = 0; i < size; i++) d[i] = r[i] + rr / before * d[i];
    }
    return taken;
}

static double largest(const double *v, int64_t n)
{
    double most = 0;
    for (int64_t i = 0; i < n; i++) most = fmax(most, fabs(v[i]));
    return most;
}

/* [(d + 1) × k] to [k × (d + 1)], or back. */
static void transpose(double *to, const double *from, int64_t rows, int64_t cols)
{
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < cols; j++) to[j * rows + i] = from[i * cols + j];
}

double l2r_linear_fit_value(double *gradient, struct l2r_linear_fit *f, const double *head, const double *w,
                            double penalty)
{
    int64_t size = size_of(f);
    double *room = f->scratch + MOST_CHUNKS * (size + 1 + 3 * (int64_t)f->outputs), *at = room + size;
    transpose(at, head, f->d + 1, f->outputs);
    double value = pass_rows(room, f, at, NULL, w, penalty);
    if (gradient) transpose(gradient, room, f->outputs, f->d + 1);
    return value;
}

void l2r_linear_fit_solve(double *head, struct l2r_linear_report *report, struct l2r_linear_fit *f, const double *w,
                          double penalty)
{
    int64_t size = size_of(f);
    double *gradient = f->scratch + MOST_CHUNKS * (size + 1 + 3 * (int64_t)f->outputs), *step = gradient + size;
    double *r = step + size, *at = r + 3 * size;
    memset(at, 0, (size_t)size * sizeof *at);
    *report = (struct l2r_linear_report){0};
    pass_rows(gradient, f, at, NULL, w, penalty);
    double first = sqrt(dot(gradient, gradient, size));
    transpose(at, head, f->d + 1, f->outputs);
    report->value = pass_rows(gradient, f, at, NULL, w, penalty);
    for (; report->steps < MOST_STEPS; report->steps++) {
        double norm = sqrt(dot(gradient, gradient, size)), length = 1, value = report->value;
        if (!(norm > tolerance * first)) break;
        /* Far from the solution a rough step is good enough. */
        double enough = norm * fmin(0.1, sqrt(norm / fmax(first, 1e-300)));
        report->products += conjugate_gradients(step, f, at, gradient, w, penalty, enough, r);
        double fall = dot(gradient, step, size);
        add_scaled(at, 1, step, size);
        int halvings = 0;
        for (; halvings < MOST_HALVINGS; halvings++, length /= 2) {
            value = pass_rows(r, f, at, NULL, w, penalty);
            if (value <= report->value + 1e-4 * length * fall) break;
            add_scaled(at, -length / 2, step, size);
        }
        if (halvings == MOST_HALVINGS || !(fall < 0)) { /* no digit left to gain */
            add_scaled(at, -length, step, size);
            break;
        }
        report->value = value;
        memcpy(gradient, r, (size_t)size * sizeof *r);
    }
    report->slope = largest(gradient, size);
    transpose(head, at, f->outputs, f->d + 1);
}

void l2r_linear_fit_unscale(l2r_real *weight, l2r_real *bias, const struct l2r_linear_fit *f, const double *head)
{
    for (int32_t k = 0; k < f->outputs; k++) {
        double offset = head[f->d * f->outputs + k];
        for (int64_t j = 0; j < f->d; j++) {
            double slope = head[j * f->outputs + k] * f->scale[j];
            weight[k * f->d + j] = (l2r_real)slope;
            offset -= slope * f->mean[j];
        }
        bias[k] = (l2r_real)offset;
    }
}
