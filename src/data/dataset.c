/* SPDX-License-Identifier: MIT
 *
 * Operations on a data set (dataset.h): its fingerprint, and the check that it is valid. reader.c (files, generators)
 * and builder.c (graphs in memory) make data sets.
 *
 * The checks guard everything that comes from outside: a cache file may be damaged in ways that its checksum does not
 * show (a bug in the writer, a hostile file), and all later code uses the indices unchecked. */
#include "data/dataset.h"

#include "base/memory.h"
#include "data/features.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <xxhash.h>

struct l2r_dataset *l2r_dataset_new(void)
{
    struct l2r_dataset *data = l2r_alloc(1, sizeof *data);
    if (!data) return NULL;
    data->features = l2r_features_new();
    data->last_names = l2r_alloc(1, sizeof *data->last_names);
    if (data->features && data->last_names) return data;
    l2r_dataset_free(data);
    return NULL;
}

struct l2r_dataset *l2r_dataset_share(const struct l2r_dataset *data)
{
    struct l2r_dataset *made = l2r_alloc(1, sizeof *made), *held;
    struct l2r_last_names *names = l2r_alloc(1, sizeof *names);
    if (!made || !names) {
        l2r_free(made);
        l2r_free(names);
        return NULL;
    }
    memcpy(&held, &data, sizeof held); /* read-only but for this count */
    atomic_fetch_add(&held->holders, 1);
    memcpy(made, data, sizeof *made);
    made->last_names = names;
    made->block = NULL;
    made->block_size = 0;
    made->cached = false;
    made->shared = held;
    atomic_init(&made->holders, 0);
    return made;
}

void l2r_dataset_free(struct l2r_dataset *data)
{
    if (!data || atomic_fetch_sub(&data->holders, 1) > 0) return;
    if (!data->shared) l2r_features_free(data->features);
    l2r_dataset_free(data->shared);
    l2r_free(data->last_names);
    if (data->cached)
        munmap(data->block, data->block_size);
    else
        l2r_free(data->block);
    l2r_free(data);
}

enum { PIECE = 1 << 12, MOST_PIECES = 256 /* of an array; a megabyte */ };

/* All of it, or pieces evenly spaced. */
static uint64_t hash_array(uint64_t hash, const void *data, int64_t bytes)
{
    const char *from = data;
    if (!data || bytes <= 0) return hash;
    if (bytes <= (int64_t)PIECE * MOST_PIECES) return XXH3_64bits_withSeed(data, (size_t)bytes, hash);
    for (int64_t k = 0; k < MOST_PIECES; k++)
        hash = XXH3_64bits_withSeed(from + (bytes - PIECE) / (MOST_PIECES - 1) * k, PIECE, hash);
    return hash;
}

static uint64_t add_categories(uint64_t hash, const struct l2r_categories *c, int64_t n)
{
    const int32_t sizes[] = {c->n_columns, c->n_types};
    hash = hash_array(hash, sizes, sizeof sizes);
    hash = hash_array(hash, c->vocabulary, (int64_t)c->n_columns * (int64_t)sizeof *c->vocabulary);
    hash = hash_array(hash, c->rows, (int64_t)c->n_types * c->n_columns * (int64_t)sizeof *c->rows);
    hash = hash_array(hash, c->real, (int64_t)c->n_types * c->n_reals * (int64_t)sizeof *c->real);
    return hash_array(hash, c->type, n * (int64_t)sizeof *c->type);
}

uint64_t l2r_dataset_fingerprint(const struct l2r_dataset *d)
{
    const int64_t sizes[] = {(int64_t)d->task, d->n_tasks, d->n_classes,   d->n_graphs,
                             d->n_nodes,       d->n_arcs,  d->n_node_reals};
    uint64_t hash = hash_array(0, sizes, sizeof sizes);
    hash = hash_array(hash, d->node_start, (d->n_graphs + 1) * (int64_t)sizeof *d->node_start);
    hash = hash_array(hash, d->arc_start, (d->n_nodes + 1) * (int64_t)sizeof *d->arc_start);
    hash = hash_array(hash, d->neighbour, d->n_arcs * (int64_t)sizeof *d->neighbour);
    hash = add_categories(hash, &d->nodes, d->n_nodes);
    hash = add_categories(hash, &d->arcs, d->n_arcs);
    hash = hash_array(hash, d->node_real, d->n_nodes * d->n_node_reals * (int64_t)sizeof *d->node_real);
    hash = hash_array(hash, d->weight, d->n_graphs * (int64_t)sizeof *d->weight);
    hash = hash_array(hash, d->bound, d->n_graphs * d->n_tasks);
    hash = hash_array(hash, d->graph_real, d->n_graphs * d->n_graph_reals * (int64_t)sizeof *d->graph_real);
    return hash_array(hash, d->labels, d->n_graphs * d->n_tasks * (int64_t)sizeof *d->labels);
}

const char *l2r_task_name(enum l2r_task task)
{
    switch (task) {
    case L2R_TASK_MULTICLASS:
        return "multiclass";
    case L2R_TASK_BINARY:
        return "binary";
    case L2R_TASK_REGRESSION:
        return "regression";
    }
    return "unknown";
}

static const char *const part_names[] = {"train", "valid", "test", "id-valid", "id-test", "none"};

const char *l2r_part_name(int part)
{
    return part >= L2R_PART_TRAIN && part <= L2R_PART_NONE ? part_names[part] : "unknown";
}

int l2r_part_named(const char *name, size_t length)
{
    for (int p = L2R_PART_TRAIN; p <= L2R_PART_NONE; p++)
        if (strlen(part_names[p]) == length && memcmp(part_names[p], name, length) == 0) return p;
    return -1;
}

int64_t l2r_dataset_n_edges(const struct l2r_dataset *data)
{
    return data ? (data->n_arcs + data->n_self_loops) / 2 : 0;
}

int64_t l2r_dataset_n_graphs(const struct l2r_dataset *data)
{
    return data ? data->n_graphs : 0;
}

/* The same, starting at the last position: a loop over all names passes each once. Place and offset are one number, so
 * that any number of threads may use it. */
static const char *name_at(const struct l2r_dataset *data, enum l2r_name_list list, const char *names, int64_t i)
{
    enum { OFFSET_BITS = 40 };
    const uint64_t most = (UINT64_C(1) << OFFSET_BITS) - 1;
    if (!data->last_names) return l2r_names_at(names, i);
    uint64_t last = atomic_load_explicit(&data->last_names->at[list], memory_order_relaxed);
    int64_t place = (int64_t)(last >> OFFSET_BITS);
    if (place > i) place = 0, last = 0;
    const char *name = l2r_names_at(names + (last & most), i - place);
    uint64_t offset = (uint64_t)(name - names);
    if (offset <= most && i >> (63 - OFFSET_BITS) == 0)
        atomic_store_explicit(&data->last_names->at[list], (uint64_t)i << OFFSET_BITS | offset, memory_order_relaxed);
    return name;
}

const char *l2r_dataset_environment_name(const struct l2r_dataset *data, int32_t k)
{
    if (!data || k < 0 || k >= data->n_environments) return NULL;
    return name_at(data, L2R_ENVIRONMENT_NAMES, data->environment_names, k);
}

const char *l2r_names_at(const char *names, int64_t i)
{
    for (; i > 0; i--) names += strlen(names) + 1;
    return names;
}

const char *l2r_dataset_task_name(const struct l2r_dataset *data, int32_t task)
{
    if (!data || !data->task_names || task < 0 || task >= data->n_tasks) return NULL;
    return name_at(data, L2R_TASK_NAMES, data->task_names, task);
}

const char *l2r_dataset_class_name(const struct l2r_dataset *data, int32_t task, int32_t c)
{
    bool several = data && data->task == L2R_TASK_MULTICLASS;
    if (!data || !data->class_names || task < 0 || c < 0 || task >= data->n_tasks ||
        c >= (several ? data->n_classes : 2))
        return NULL;
    const char *name = name_at(data, L2R_CLASS_NAMES, data->class_names, several ? c : 2 * task + c);
    return *name ? name : NULL;
}

/* The checks. */

static enum l2r_status bad(const struct l2r_dataset *data, const char *what, int64_t at, struct l2r_error *error)
{
    return l2r_fail(error, L2R_ERR_FORMAT, "data set \"%.63s\": %s (at %lld)", data->name, what, (long long)at);
}

/* The first place where start[0 .. n] does not run from 0 to total without falling; -1: it does. */
static int64_t first_fall(const int64_t *start, int64_t n, int64_t total)
{
    if (start[0] != 0) return 0;
    if (start[n] != total) return n;
    for (int64_t i = 0; i < n; i++)
        if (start[i + 1] < start[i] || start[i + 1] > total) return i;
    return -1;
}

static enum l2r_status check_categories(const struct l2r_dataset *data, const struct l2r_categories *c, int64_t n_items,
                                        struct l2r_error *error)
{
    int64_t values = 0;
    if (c->n_columns < 0 || c->n_types < 1) return bad(data, "a table of types is empty", c->n_types, error);
    if (c->n_reals < 0) return bad(data, "a number of real features is negative", c->n_reals, error);
    if (c->n_columns + c->n_reals == 0 && c->n_types > 1)
        return bad(data, "types without columns cannot differ", c->n_types, error);
    for (int32_t k = 0; k < c->n_columns; k++) {
        if (c->vocabulary[k] < 1) return bad(data, "a vocabulary is empty", k, error);
        values += c->vocabulary[k];
    }
    if (c->n_values != 0 && c->n_values != values) return bad(data, "a vocabulary lacks names", c->n_values, error);
    for (int64_t t = 0; t < c->n_types; t++)
        for (int32_t k = 0; k < c->n_columns; k++)
            if (c->rows[t * c->n_columns + k] < 0 || c->rows[t * c->n_columns + k] >= c->vocabulary[k])
                return bad(data, "a feature is outside its vocabulary", t, error);
    for (int64_t i = 0; i < (int64_t)c->n_types * c->n_reals; i++)
        if (!isfinite(c->real[i])) return bad(data, "a real feature is not finite", i, error);
    for (int64_t i = 0; i < n_items; i++)
        if ((uint32_t)c->type[i] >= (uint32_t)c->n_types) return bad(data, "a type number has no row", i, error);
    return L2R_OK;
}

static enum l2r_status check_labels(const struct l2r_dataset *data, struct l2r_error *error)
{
    if (data->n_tasks < 1) return bad(data, "there are no label columns", data->n_tasks, error);
    if ((unsigned)data->task > L2R_TASK_REGRESSION) return bad(data, "the task is unknown", (int64_t)data->task, error);
    if (data->task == L2R_TASK_MULTICLASS && data->n_tasks != 1)
        return bad(data, "a multi-class set needs one label column", data->n_tasks, error);
    for (int64_t i = 0; i < data->n_graphs * data->n_tasks; i++) {
        float label = data->labels[i];
        bool good = !isinf(label);
        if (data->task == L2R_TASK_MULTICLASS)
            good = isnan(label) || (label >= 0 && label < (float)data->n_classes && label == floorf(label));
        if (data->task == L2R_TASK_BINARY) good = isnan(label) || label == 0 || label == 1;
        if (!good) return bad(data, "a label is not one of its task", i, error);
    }
    for (int64_t g = 0; data->official && g < data->n_graphs; g++)
        if (data->official[g] > L2R_PART_NONE) return bad(data, "a graph's part of the split is unknown", g, error);
    for (int64_t g = 0; data->weight && g < data->n_graphs; g++)
        if (!(data->weight[g] >= 0) || isinf(data->weight[g]))
            return bad(data, "a graph's weight is negative or not finite", g, error);
    for (int64_t i = 0; data->bound && i < data->n_graphs * data->n_tasks; i++)
        if (data->bound[i] < -1 || data->bound[i] > 1) return bad(data, "a label is no kind of bound", i, error);
    return L2R_OK;
}

/* numbers[n_graphs], each below n_graphs: there are never more groups than graphs. Rules allocate by the largest. */
static bool are_groups(const int32_t *numbers, int64_t n_graphs)
{
    for (int64_t g = 0; numbers && g < n_graphs; g++)
        if (numbers[g] < 0 || numbers[g] >= n_graphs) return false;
    return true;
}

/* Texts end with 0, and there are as many as there should be. */
static bool are_names(const char *names, int64_t bytes, int64_t n)
{
    for (int64_t i = 0; i < bytes; i++) n -= names[i] == '\0';
    return n == 0 && names[bytes - 1] == '\0';
}

static enum l2r_status check_origin(const struct l2r_dataset *data, struct l2r_error *error)
{
    int64_t at;
    if (!are_groups(data->scaffold, data->n_graphs)) return bad(data, "a scaffold's number is too high", 0, error);
    if (!are_groups(data->molecule, data->n_graphs)) return bad(data, "a molecule's number is too high", 0, error);
    if (!are_groups(data->rank, data->n_graphs)) return bad(data, "a rank is too high", 0, error);
    if (data->smiles) {
        if ((at = first_fall(data->smiles_start, data->n_graphs, data->n_smiles)) >= 0)
            return bad(data, "smiles_start is not a partition of the SMILES", at, error);
        for (int64_t g = 0; g < data->n_graphs; g++) {
            int64_t end = data->smiles_start[g + 1];
            if (end == data->smiles_start[g] || data->smiles[end - 1] != '\0')
                return bad(data, "a SMILES has no end", g, error);
        }
    }
    if (data->task_names && !are_names(data->task_names, data->n_task_names, data->n_tasks))
        return bad(data, "the tasks lack names", data->n_task_names, error);
    if (data->n_graph_reals > 0 && !are_names(data->graph_real_names, data->n_graph_real_names, data->n_graph_reals))
        return bad(data, "the feature columns lack names", data->n_graph_real_names, error);
    if (data->n_environments > 0 &&
        (!data->environment_names ||
         !are_names(data->environment_names, data->n_environment_names, data->n_environments)))
        return bad(data, "the environments lack names", data->n_environment_names, error);
    for (int64_t g = 0; data->environment && g < data->n_graphs; g++)
        if (data->environment[g] < 0 || data->environment[g] >= data->n_environments)
            return bad(data, "a graph's environment has no name", g, error);
    int64_t classes = data->task == L2R_TASK_MULTICLASS ? data->n_classes : 2 * (int64_t)data->n_tasks;
    if (data->class_names && !are_names(data->class_names, data->n_class_names, classes))
        return bad(data, "the classes lack names", data->n_class_names, error);
    if (data->notes && !are_names(data->notes, data->n_notes, 1))
        return bad(data, "the notes are not one text", data->n_notes, error);
    return L2R_OK;
}

/* Neighbours ascend strictly, so a list without repetition is one walk; self loops are counted on the way. */
static enum l2r_status check_neighbours(const struct l2r_dataset *data, struct l2r_error *error)
{
    int64_t self_loops = 0;
    for (int64_t g = 0; g < data->n_graphs; g++) {
        int64_t first = data->node_start[g], n = l2r_dataset_nodes_of(data, g);
        if (n > INT32_MAX) return bad(data, "a graph has more than 2147483647 nodes", g, error);
        for (int64_t v = 0; v < n; v++) {
            int64_t before = -1;
            for (int64_t a = data->arc_start[first + v]; a < data->arc_start[first + v + 1]; a++) {
                int64_t u = data->neighbour[a];
                if (u <= before || u >= n) return bad(data, "a neighbour is out of range or order", a, error);
                self_loops += u == v;
                before = u;
            }
        }
    }
    if (self_loops != data->n_self_loops) return bad(data, "the number of self loops is wrong", self_loops, error);
    return L2R_OK;
}

/* In this order, because each check indexes only through arrays that an earlier one has found sound. */
enum l2r_status l2r_dataset_check_ranges(const struct l2r_dataset *data, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    int64_t at;
    if (!memchr(data->name, '\0', sizeof data->name)) L2R_FAIL(L2R_ERR_FORMAT, "the data set's name is not terminated");
    if (data->n_graphs < 1) L2R_FAIL(L2R_ERR_FORMAT, "data set \"%s\" has no graphs", data->name);
    if ((at = first_fall(data->node_start, data->n_graphs, data->n_nodes)) >= 0)
        return bad(data, "node_start is not a partition of the nodes", at, error);
    if ((at = first_fall(data->arc_start, data->n_nodes, data->n_arcs)) >= 0)
        return bad(data, "arc_start is not a partition of the arcs", at, error);
    L2R_TRY(check_neighbours(data, error));
    L2R_TRY(check_categories(data, &data->nodes, data->n_nodes, error));
    L2R_TRY(check_categories(data, &data->arcs, data->n_arcs, error));
    L2R_TRY(check_labels(data, error));
    L2R_TRY(check_origin(data, error));
done:
    return status;
}

/* Walking u upwards, the arcs u→v must meet the entries of v's ascending list in order: a cursor per node instead of a
 * search per arc keeps it linear. */
static int64_t first_lonely_arc(const struct l2r_dataset *data, int64_t graph, int64_t *cursor)
{
    int64_t first = data->node_start[graph], n = l2r_dataset_nodes_of(data, graph);
    for (int64_t v = 0; v < n; v++) cursor[v] = data->arc_start[first + v];
    for (int64_t u = 0; u < n; u++) {
        for (int64_t a = data->arc_start[first + u]; a < data->arc_start[first + u + 1]; a++) {
            int64_t v = data->neighbour[a], b = cursor[v]++;
            if (b >= data->arc_start[first + v + 1] || data->neighbour[b] != u ||
                data->arcs.type[a] != data->arcs.type[b])
                return a;
        }
    }
    return -1;
}

enum l2r_status l2r_dataset_check_symmetry(const struct l2r_dataset *data, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    int64_t largest = 0, *cursor = NULL;
    for (int64_t g = 0; g < data->n_graphs; g++)
        if (l2r_dataset_nodes_of(data, g) > largest) largest = l2r_dataset_nodes_of(data, g);
    cursor = l2r_alloc_raw((size_t)largest, sizeof *cursor);
    if (!cursor) return l2r_fail_memory(error, (size_t)largest * sizeof *cursor, "a check");
    for (int64_t g = 0; g < data->n_graphs && status == L2R_OK; g++) {
        int64_t arc = first_lonely_arc(data, g, cursor);
        if (arc >= 0) status = bad(data, "an arc has no equal opposite", arc, error);
    }
    l2r_free(cursor);
    return status;
}
