/* SPDX-License-Identifier: MIT
 * How the trees of a forest grow (forest.h). A node is a range of the drawn graphs, which its split divides in place;
 * open nodes are on a stack. */
#include "nn/forest.h"

#include "base/memory.h"
#include "base/rng.h"
#include "base/threads.h"

#include <string.h>

/* A range of drawn graphs that becomes node `node`. Columns found to be constant in it are at the end of the list of
 * columns, as for all ranges within it: `alive` is where they begin. */
struct range {
    int64_t begin, end;
    int32_t node, depth, alive;
};

/* Graphs of a range in one bin of a column, and Σ y of them. */
struct bin {
    double sum;
    int64_t count;
};

/* Scratch memory of one thread. */
struct scratch {
    int32_t *row;                    /* [n]: drawn graphs, as rows of the bins */
    float *label;                    /* [n]: theirs */
    int32_t *column;                 /* [columns]: in the order in which they are tried */
    struct bin bin[L2R_FOREST_BINS]; /* one output: 0 between two columns */
    double *sum;                     /* [bins × outputs]: Σ y of the range in each bin; 0 between two columns */
    int64_t *count;                  /* [bins], the same */
    double *all, *of;                /* [outputs]: Σ y of the range, and of its left part */
    struct l2r_array stack;
};

struct work {
    struct l2r_tree *trees;
    const struct l2r_forest_labels *from;
};

struct split {
    double gain;
    int32_t column, bin;
};

static bool scratch_make(struct scratch *s, const struct l2r_forest_labels *from)
{
    size_t n = (size_t)from->n, columns = (size_t)from->bins->n_columns, outputs = (size_t)from->n_outputs;
    *s = (struct scratch){.row = l2r_alloc_raw(n, sizeof *s->row), .label = l2r_alloc_raw(n, sizeof *s->label)};
    s->column = l2r_alloc_raw(columns, sizeof *s->column);
    s->sum = l2r_alloc(L2R_FOREST_BINS * outputs, sizeof *s->sum);
    s->count = l2r_alloc(L2R_FOREST_BINS, sizeof *s->count);
    s->all = l2r_alloc_raw(2 * outputs, sizeof *s->all);
    s->of = s->all ? s->all + outputs : NULL;
    return s->row && s->label && s->column && s->sum && s->count && s->all;
}

static void scratch_clear(struct scratch *s)
{
    l2r_free(s->row);
    l2r_free(s->label);
    l2r_free(s->column);
    l2r_free(s->sum);
    l2r_free(s->count);
    l2r_free(s->all);
    l2r_array_clear(&s->stack);
}

/* Σ y of a range: a label is a value or, with several outputs, the number of a class. */
static void add_label(double *sum, float label, int32_t outputs)
{
    if (outputs == 1)
        sum[0] += (double)label;
    else
        sum[(int32_t)label] += 1;
}

static double square(const double *sum, int32_t outputs)
{
    double all = 0;
    for (int32_t c = 0; c < outputs; c++) all += sum[c] * sum[c];
    return all;
}

/* The sums of the range by bins of column j. Returns which bins are not empty, a bit for each. */
static uint64_t fill(struct scratch *s, const struct l2r_forest_labels *from, int32_t j, struct range r)
{
    const uint8_t *code = from->bins->code + (int64_t)j * from->bins->n_rows;
    uint64_t filled = 0;
    for (int64_t i = r.begin; i < r.end; i++) {
        uint8_t b = code[s->row[i]];
        filled |= UINT64_C(1) << b;
        s->count[b]++;
        add_label(s->sum + b * from->n_outputs, s->label[i], from->n_outputs);
    }
    return filled;
}

/* try_column where there is one output, which is nearly always and where a forest spends its time. */
static bool try_values(struct split *best, struct scratch *s, const struct l2r_forest_labels *from, int32_t j,
                       struct range r)
{
    const uint8_t *code = from->bins->code + (int64_t)j * from->bins->n_rows;
    const int32_t *row = s->row;
    const float *label = s->label;
    struct bin *bins = s->bin;
    uint64_t filled = 0;
    for (int64_t i = r.begin; i < r.end; i++) {
        uint8_t b = code[row[i]];
        if (b == 0) continue; /* most counts are 0, and what is left of the sums is theirs */
        filled |= UINT64_C(1) << b;
        bins[b].count++;
        bins[b].sum += (double)label[i];
    }
    int64_t n = r.end - r.begin, left = n, leaf = from->leaf;
    double all = s->all[0], of = all;
    for (uint64_t rest = filled; rest; rest &= rest - 1) {
        left -= bins[__builtin_ctzll(rest)].count;
        of -= bins[__builtin_ctzll(rest)].sum;
    }
    bool varies = (filled & (filled - 1)) != 0 || (filled && left > 0);
    for (int b = 0;; filled &= filled - 1) { /* the left part ends with bin b */
        if (left >= leaf && n - left >= leaf) {
            double gain = of * of / (double)left + (all - of) * (all - of) / (double)(n - left);
            if (gain > best->gain) *best = (struct split){gain, j, b};
        }
        if (!filled) break;
        b = __builtin_ctzll(filled);
        left += bins[b].count;
        of += bins[b].sum;
        bins[b] = (struct bin){0};
    }
    return varies;
}

/* The best threshold of column j, if it beats what was found so far; false: the column is constant in this range. */
static bool try_column(struct split *best, struct scratch *s, const struct l2r_forest_labels *from, int32_t j,
                       struct range r)
{
    int32_t outputs = from->n_outputs;
    if (outputs == 1) return try_values(best, s, from, j, r);
    int64_t n = r.end - r.begin, left = 0;
    uint64_t filled = fill(s, from, j, r);
    bool varies = (filled & (filled - 1)) != 0;
    for (int32_t c = 0; c < outputs; c++) s->of[c] = 0;
    for (; filled; filled &= filled - 1) {
        int b = __builtin_ctzll(filled);
        double rest = 0;
        left += s->count[b];
        for (int32_t c = 0; c < outputs; c++) {
            s->of[c] += s->sum[b * outputs + c];
            rest += (s->all[c] - s->of[c]) * (s->all[c] - s->of[c]);
            s->sum[b * outputs + c] = 0;
        }
        s->count[b] = 0;
        if (left < from->leaf || n - left < from->leaf) continue;
        double gain = square(s->of, outputs) / (double)left + rest / (double)(n - left);
        if (gain > best->gain) *best = (struct split){gain, j, b};
    }
    return varies;
}

/* Among columns drawn at random, as many of those that vary as n_tried of all would have; at least one that varies. */
static struct split find_split(struct scratch *s, const struct l2r_forest_labels *from, struct l2r_rng *rng,
                               struct range *r)
{
    int32_t outputs = from->n_outputs, tries = 0;
    int64_t enough = ((int64_t)from->n_tried * r->alive + from->bins->n_columns - 1) / from->bins->n_columns;
    struct split best = {.column = -1};
    bool varied = false;
    for (int32_t c = 0; c < outputs; c++) s->all[c] = 0;
    for (int64_t i = r->begin; i < r->end; i++) add_label(s->all, s->label[i], outputs);
    double before = square(s->all, outputs) / (double)(r->end - r->begin);
    best.gain = before + 1e-9 * (before + 1e-9);
    for (int32_t k = 0; k < r->alive && (tries < enough || !varied); tries++) {
        int32_t other = k + (int32_t)l2r_rng_below(rng, (uint64_t)(r->alive - k)), j = s->column[other];
        bool varies = try_column(&best, s, from, j, *r);
        int32_t to = varies ? k++ : --r->alive;
        s->column[other] = s->column[to];
        s->column[to] = j;
        varied = varied || varies;
    }
    return best;
}

/* Brings the graphs of the left part to the front; returns where the right one begins. */
static int64_t divide(struct scratch *s, const struct l2r_forest_labels *from, struct range r, struct split split)
{
    const uint8_t *code = from->bins->code + (int64_t)split.column * from->bins->n_rows;
    int64_t middle = r.begin;
    for (int64_t i = r.begin; i < r.end; i++) {
        int32_t row = s->row[i];
        float label = s->label[i];
        if (code[row] > split.bin) continue;
        s->row[i] = s->row[middle];
        s->label[i] = s->label[middle];
        s->row[middle] = row;
        s->label[middle++] = label;
    }
    return middle;
}

/* One more node, with the mean of its range. */
static bool add_node(struct l2r_tree *tree, struct scratch *s, struct range *r, int32_t outputs)
{
    const struct l2r_tree_node leaf = {.column = -1};
    r->node = (int32_t)tree->nodes.n;
    for (int32_t c = 0; c < outputs; c++) s->of[c] = 0;
    for (int64_t i = r->begin; i < r->end; i++) add_label(s->of, s->label[i], outputs);
    bool added = l2r_array_add(&tree->nodes, &leaf, 1, sizeof leaf) && l2r_array_add(&s->stack, r, 1, sizeof *r);
    for (int32_t c = 0; added && c < outputs; c++) {
        float mean = (float)(s->of[c] / (double)(r->end - r->begin));
        added = l2r_array_add(&tree->values, &mean, 1, sizeof mean);
    }
    return added;
}

/* Nothing is left to learn, as where one graph was drawn several times. */
static bool is_pure(const struct scratch *s, struct range r)
{
    int64_t i = r.begin + 1;
    while (i < r.end && s->label[i] == s->label[r.begin]) i++;
    return i >= r.end;
}

/* A graph, with a probability in proportion to its weight. */
static int64_t draw(const struct l2r_forest_labels *from, struct l2r_rng *rng)
{
    int64_t low = 0, high = from->n - 1;
    if (!from->until) return (int64_t)l2r_rng_below(rng, (uint64_t)from->n);
    double place = l2r_rng_uniform(rng) * from->until[high];
    while (low < high) {
        int64_t middle = (low + high) / 2;
        if (place < from->until[middle])
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static bool grow(struct l2r_tree *tree, struct scratch *s, const struct l2r_forest_labels *from, struct l2r_rng *rng)
{
    struct range root = {.end = from->n};
    for (int64_t i = 0; i < from->n; i++) {
        int64_t k = draw(from, rng);
        s->row[i] = from->rows[k];
        s->label[i] = from->label[k];
    }
    for (int32_t j = 0; j < from->bins->n_columns; j++)
        if (from->bins->n_bins[j] > 1) s->column[root.alive++] = j;
    bool grown = add_node(tree, s, &root, from->n_outputs);
    while (grown && s->stack.n > 0) {
        struct range r = ((struct range *)s->stack.items)[--s->stack.n];
        if (r.end - r.begin < 2 * (int64_t)from->leaf || r.depth >= from->depth || is_pure(s, r)) continue;
        struct split split = find_split(s, from, rng, &r);
        if (split.column < 0) continue;
        int64_t middle = divide(s, from, r, split);
        struct range left = {r.begin, middle, 0, r.depth + 1, r.alive}, right = left;
        right.begin = middle;
        right.end = r.end;
        grown = add_node(tree, s, &left, from->n_outputs) && add_node(tree, s, &right, from->n_outputs);
        if (grown)
            ((struct l2r_tree_node *)tree->nodes.items)[r.node] = (struct l2r_tree_node){
                split.column, left.node, from->bins->edge[(int64_t)split.column * L2R_FOREST_BINS + split.bin], 0};
    }
    return grown;
}

static void grow_one(void *context, int64_t k)
{
    const struct work *w = context;
    struct scratch s;
    struct l2r_rng rng = l2r_rng_at(w->from->seed, L2R_RANDOM_TREES, w->from->place + (uint64_t)k);
    if (!scratch_make(&s, w->from) || !grow(&w->trees[k], &s, w->from, &rng)) l2r_work_fail();
    l2r_tree_trim(&w->trees[k]);
    scratch_clear(&s);
}

enum l2r_status l2r_forest_grow(struct l2r_tree *trees, int64_t n, const struct l2r_forest_labels *from,
                                struct l2r_error *error)
{
    struct work w = {trees, from};
    (void)l2r_work_failed();
    l2r_parallel(n, grow_one, &w);
    return l2r_work_failed() ? l2r_fail(error, L2R_ERR_MEMORY, "out of memory: growing trees") : L2R_OK;
}
