/* SPDX-License-Identifier: MIT
 * See passes.h. */
#include "bench/passes.h"

#include "base/clock.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/threads.h"
#include "bench/measure.h"
#include "fit/trainer.h"
#include "kernels/gemm.h"
#include "model/score.h"

#include <math.h>
#include <string.h>

/* ---- products alone ---- */

enum { WARM_UP = 2, RUNS = 7 };

static bool starts_with(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

static bool is_product(const struct l2r_param *p)
{
    size_t length = strlen(p->name);
    if (length < 7 || strcmp(p->name + length - 7, ".weight") != 0 || strstr(p->name, "embedding")) return false;
    return p->rows > 1 || starts_with(p->name, "head."); /* one row: a norm's or a root's */
}

/* Where the shape stands, or a new place for it; NULL: the list is full. */
static struct l2r_product_shape *place_of(struct l2r_products *p, const struct l2r_product_shape *wanted)
{
    for (int i = 0; i < p->n_shapes; i++) {
        struct l2r_product_shape *s = &p->shapes[i];
        if (s->in == wanted->in && s->out == wanted->out && s->per_graph == wanted->per_graph) return s;
    }
    if (p->n_shapes == L2R_MOST_SHAPES) return NULL;
    p->shapes[p->n_shapes] = *wanted;
    return &p->shapes[p->n_shapes++];
}

void l2r_products_of(struct l2r_products *products, const struct l2r_params *params, bool training)
{
    *products = (struct l2r_products){.training = training};
    for (size_t i = 0; i < params->count; i++) {
        const struct l2r_param *p = params->items[i];
        if (!is_product(p)) continue;
        struct l2r_product_shape wanted = {.in = p->cols,
                                           .out = p->rows,
                                           .per_graph =
                                               starts_with(p->name, "head.") || starts_with(p->name, "virtual.")};
        struct l2r_product_shape *shape = place_of(products, &wanted);
        if (shape) shape->count++;
    }
}

static double shape_flops(const struct l2r_products *p, const struct l2r_product_shape *s, double nodes, double graphs)
{
    double rows = s->per_graph ? graphs : nodes;
    return (p->training ? 6 : 2) * rows * (double)s->in * (double)s->out;
}

double l2r_products_flops(const struct l2r_products *p, double nodes, double graphs)
{
    double sum = 0;
    for (int i = 0; i < p->n_shapes; i++)
        sum += (double)p->shapes[i].count * shape_flops(p, &p->shapes[i], nodes, graphs);
    return sum;
}

/* y = x Wᵀ, and in training dx = dy W, dW = dyᵀ x: each once. */
static double time_products(l2r_real *x, l2r_real *w, l2r_real *y, int64_t rows, int64_t in, int64_t out, bool training)
{
    struct l2r_matrix x_is = {x, in, false}, w_is = {w, in, false}, y_is = {y, out, false};
    struct l2r_matrix w_turned = {w, in, true}, y_turned = {y, out, true};
    double start = l2r_clock_seconds();
    l2r_gemm(y, out, 0, x_is, w_turned, rows, out, in);
    if (training) {
        l2r_gemm(w, in, 0, y_turned, x_is, out, in, rows);
        l2r_gemm(x, in, 0, y_is, w_is, rows, in, out);
    }
    return l2r_clock_since(start);
}

static void fill(l2r_real *values, int64_t n, double scale)
{
    for (int64_t i = 0; i < n; i++) values[i] = (l2r_real)(scale * (double)(i % 17 - 8));
}

/* Median seconds of one weight's products. The matrices are refilled before each run: products of products would
 * overflow. */
static enum l2r_status time_shape(double *seconds, int64_t rows, const struct l2r_product_shape *s, bool training,
                                  struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    double runs[RUNS];
    l2r_real *x = l2r_alloc((size_t)(rows * s->in), sizeof *x), *w = l2r_alloc((size_t)(s->in * s->out), sizeof *w);
    l2r_real *y = l2r_alloc((size_t)(rows * s->out), sizeof *y);
    if (!x || !w || !y) {
        status = l2r_fail_memory(error, (size_t)(rows * (s->in + s->out)) * sizeof *x, "matrices to multiply");
        goto done;
    }
    for (int i = 0; i < WARM_UP + RUNS; i++) {
        fill(x, rows * s->in, 0.1);
        fill(w, s->in * s->out, 0.01);
        runs[i % RUNS] = time_products(x, w, y, rows, s->in, s->out, training);
    }
    *seconds = l2r_spread_of(runs, RUNS).median;
done:
    l2r_free(x);
    l2r_free(w);
    l2r_free(y);
    return status;
}

enum l2r_status l2r_products_peak(double *rate, const struct l2r_products *p, int64_t nodes, int64_t graphs,
                                  struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    double total = 0;
    *rate = 0;
    for (int i = 0; i < p->n_shapes; i++) {
        double seconds = 0;
        const struct l2r_product_shape *s = &p->shapes[i];
        L2R_TRY(time_shape(&seconds, s->per_graph ? graphs : nodes, s, p->training, error));
        total += (double)s->count * seconds;
    }
    if (total > 0) *rate = l2r_products_flops(p, (double)nodes, (double)graphs) / total;
done:
    return status;
}

/* ---- passes ---- */

/* What one pass works on. */
struct work {
    struct l2r_trainer trainer;
    float *output; /* infer: [graphs × outputs] */
    double tape_bytes;
    int64_t n_steps;
    double loss;
};

typedef enum l2r_status pass_fn(struct work *work, struct l2r_error *error);

/* Values and gradients that belong to the batch; parameters are the model's. */
static double bytes_on_tape(const struct l2r_tape *tape)
{
    double numbers = 0;
    for (size_t i = 0; i < tape->count; i++) {
        const struct l2r_value *value = &tape->values[i];
        if (value->backward) numbers += (double)(value->rows * value->cols) * (value->needs_grad ? 2 : 1);
    }
    return numbers * (double)sizeof(l2r_real);
}

/* What the method does between epochs, such as forming clusters. */
static enum l2r_status end_epoch(struct l2r_trainer *t, struct l2r_error *error)
{
    char note[256];
    if (!t->method->after_epoch) return L2R_OK;
    json_t *log = json_object();
    enum l2r_status status = t->method->after_epoch(t->method_state, t->at.epoch, log, note, error);
    json_decref(log);
    return status;
}

static enum l2r_status train_pass(struct work *work, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_trainer *t = &work->trainer;
    l2r_trainer_shuffle(t);
    while (t->at.batch < l2r_trainer_batches(t)) {
        L2R_TRY(l2r_trainer_step(t, error));
        work->tape_bytes += bytes_on_tape(&t->tape);
        work->n_steps++;
    }
    L2R_TRY(end_epoch(t, error));
    work->loss = t->at.loss_sum / (double)t->n_active;
    t->at.loss_sum = 0;
    t->at.batch = 0;
    t->at.epoch++;
done:
    return status;
}

static enum l2r_status infer_pass(struct work *work, struct l2r_error *error)
{
    struct l2r_trainer *t = &work->trainer;
    return l2r_score(work->output, &t->network, &t->tape, t->data, l2r_split_part(t->split, L2R_PART_TRAIN),
                     t->data->n_graphs, t->options.eval_batch_size, error);
}

static enum l2r_status measure_peak(double *rate, const struct l2r_passes *p, const struct l2r_products *products,
                                    struct l2r_error *error)
{
    int64_t nodes = (p->nodes + p->n_batches / 2) / p->n_batches, graphs = p->graphs / p->n_batches;
    return l2r_products_peak(rate, products, nodes > 0 ? nodes : 1, graphs > 0 ? graphs : 1, error);
}

static void describe(struct l2r_passes *p, const struct work *work, int64_t batch_size,
                     const struct l2r_products *products)
{
    const struct l2r_dataset *data = work->trainer.data;
    p->graphs = data->n_graphs;
    p->nodes = data->n_nodes;
    p->arcs = data->n_arcs;
    p->batch_size = batch_size;
    p->n_batches = l2r_chunk_count(p->graphs, batch_size);
    p->parameters = work->trainer.network.params.n_trainable;
    p->threads = l2r_threads_get();
    p->flops = l2r_products_flops(products, (double)p->nodes, (double)p->graphs);
}

static enum l2r_status measure(struct l2r_passes *p, struct work *work, pass_fn *pass, bool training, int64_t warm_up,
                               struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_products products;
    const struct l2r_trainer *t = &work->trainer;
    l2r_products_of(&products, &t->network.params, training);
    describe(p, work, training ? t->options.batch_size : t->options.eval_batch_size, &products);
    int64_t so_far = l2r_peak_memory(); /* reading the data is part of it, the matrices of the next line are not */
    L2R_TRY(measure_peak(&p->peak_before, p, &products, error));
    l2r_peak_memory_reset();
    p->memory_before = l2r_peak_memory();
    for (int64_t i = 0; i < warm_up; i++) L2R_TRY(pass(work, error));
    double processor = l2r_clock_process_seconds();
    for (int64_t i = 0; i < p->n; i++) {
        double start = l2r_clock_seconds();
        L2R_TRY(pass(work, error));
        p->seconds[i] = l2r_clock_since(start);
    }
    p->processor_seconds = (l2r_clock_process_seconds() - processor) / (double)p->n;
    p->peak_memory = l2r_peak_memory();
    if (so_far > p->peak_memory) p->peak_memory = so_far;
    L2R_TRY(measure_peak(&p->peak_after, p, &products, error));
    p->loss = work->loss;
    p->tape_bytes = work->n_steps > 0 ? work->tape_bytes / (double)work->n_steps : 0;
    p->batch_bytes = (int64_t)t->tape.arena.peak;
done:
    return status;
}

static enum l2r_status run(struct l2r_passes *p, const struct l2r_config *config, const struct l2r_workload_data *load,
                           bool training, int64_t warm_up, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct work work = {.loss = NAN};
    *p = (struct l2r_passes){.n = l2r_config_int(config, "epochs")};
    if (p->n < 1 || p->n > L2R_MOST_PASSES)
        return l2r_fail(error, L2R_ERR_ARGUMENT, "--epochs: %lld passes cannot be measured; expected 1 to %d",
                        (long long)p->n, L2R_MOST_PASSES);
    L2R_TRY(l2r_trainer_init(&work.trainer, config, &load->data, &load->split, error));
    if (!training) {
        size_t outputs = (size_t)l2r_signature_outputs(&work.trainer.network.signature);
        work.output = l2r_alloc((size_t)load->data.n_graphs * outputs, sizeof *work.output);
        if (!work.output)
            L2R_FAIL(L2R_ERR_MEMORY, "out of memory: the outputs of %lld graphs", (long long)load->data.n_graphs);
    }
    L2R_TRY(measure(p, &work, training ? train_pass : infer_pass, training, warm_up, error));
done:
    l2r_trainer_clear(&work.trainer);
    l2r_free(work.output);
    return status;
}

enum l2r_status l2r_passes_train(struct l2r_passes *passes, const struct l2r_config *config,
                                 const struct l2r_workload_data *load, int64_t warm_up, struct l2r_error *error)
{
    return run(passes, config, load, true, warm_up, error);
}

enum l2r_status l2r_passes_infer(struct l2r_passes *passes, const struct l2r_config *config,
                                 const struct l2r_workload_data *load, int64_t warm_up, struct l2r_error *error)
{
    return run(passes, config, load, false, warm_up, error);
}

struct l2r_spread l2r_passes_speed(const struct l2r_passes *p)
{
    struct l2r_spread s = l2r_spread_of(p->seconds, p->n);
    double graphs = (double)p->graphs;
    return (struct l2r_spread){graphs / s.median, graphs / s.most, graphs / s.least};
}

double l2r_passes_rate(const struct l2r_passes *p)
{
    return p->flops / l2r_spread_of(p->seconds, p->n).median;
}

double l2r_passes_share(const struct l2r_passes *p)
{
    return l2r_passes_rate(p) / ((p->peak_before + p->peak_after) / 2);
}

json_t *l2r_passes_to_json(const struct l2r_passes *p)
{
    struct l2r_spread speed = l2r_passes_speed(p);
    json_t *seconds = json_array();
    for (int64_t i = 0; i < p->n; i++) json_array_append_new(seconds, json_real(p->seconds[i]));
    return json_pack(
        "{s:I, s:I, s:I, s:I, s:I, s:i, s:o, s:{s:f, s:f, s:f}, s:f, s:f, s:o, s:f, s:o, s:f, s:f, s:o, s:f, "
        "s:I, s:I, s:I}",
        "graphs", (json_int_t)p->graphs, "nodes", (json_int_t)p->nodes, "arcs", (json_int_t)p->arcs, "batch_size",
        (json_int_t)p->batch_size, "parameters", (json_int_t)p->parameters, "threads", p->threads, "seconds", seconds,
        "graphs_per_second", "median", speed.median, "min", speed.least, "max", speed.most, "seconds_per_epoch",
        (double)p->graphs / speed.median, "cpu_seconds", p->processor_seconds, "loss", l2r_json_real(p->loss), "flops",
        p->flops, "gflops", l2r_json_real(1e-9 * l2r_passes_rate(p)), "product_gflops_before", 1e-9 * p->peak_before,
        "product_gflops_after", 1e-9 * p->peak_after, "share_of_products", l2r_json_real(l2r_passes_share(p)),
        "tape_bytes_per_batch", p->tape_bytes, "batch_bytes", (json_int_t)p->batch_bytes, "memory_before",
        (json_int_t)p->memory_before, "peak_memory", (json_int_t)p->peak_memory);
}
