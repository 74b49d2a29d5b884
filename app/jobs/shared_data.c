/* SPDX-License-Identifier: MIT
 *
 * See shared_data.h. A set is loaded with the lock held: runs that need another set wait for it too, but no two threads
 * ever load the same graphs, and the memory of two large readers at a time is never needed.
 */
#include "jobs/shared_data.h"

#include "base/memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <xxhash.h>

bool l2r_data_is_generated(const char *data)
{
    return strchr(data, ':') != NULL;
}

void l2r_shared_data_init(struct l2r_shared_data *shared)
{
    *shared = (struct l2r_shared_data){0};
    pthread_mutex_init(&shared->lock, NULL);
}

void l2r_shared_data_clear(struct l2r_shared_data *shared)
{
    for (size_t i = 0; i < shared->n; i++) {
        l2r_free(shared->sets[i].where);
        l2r_free(shared->sets[i].key);
        l2r_config_free(shared->sets[i].options);
        l2r_dataset_free(shared->sets[i].data);
    }
    l2r_free(shared->sets);
    pthread_mutex_destroy(&shared->lock);
}

enum l2r_status l2r_shared_data_add(size_t *number, struct l2r_shared_data *shared, const char *where,
                                    const struct l2r_config *options, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    char *key = l2r_data_options_text(options);
    struct l2r_shared_set *set = NULL;
    if (key == NULL) L2R_FAIL(L2R_ERR_MEMORY, "out of memory for the list of data sets");
    for (*number = 0; *number < shared->n; ++*number) {
        set = &shared->sets[*number];
        if (strcmp(set->where, where) != 0 || strcmp(set->key, key) != 0) continue;
        set->users++;
        goto done;
    }
    if (!l2r_reserve((void **)&shared->sets, &shared->capacity, shared->n + 1, sizeof *shared->sets))
        L2R_FAIL(L2R_ERR_MEMORY, "out of memory for the list of data sets");
    set = &shared->sets[shared->n++];
    *set = (struct l2r_shared_set){.where = l2r_strdup(where), .key = key, .users = 1};
    key = NULL;
    if (set->where == NULL) L2R_FAIL(L2R_ERR_MEMORY, "out of memory for the list of data sets");
    L2R_TRY(l2r_config_copy(&set->options, options, error));
done:
    l2r_free(key);
    return status;
}

enum l2r_status l2r_shared_data_get(const struct l2r_dataset **data, struct l2r_shared_data *shared, size_t number,
                                    struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    pthread_mutex_lock(&shared->lock);
    struct l2r_shared_set *set = &shared->sets[number];
    if (set->data == NULL) status = l2r_dataset_load_with(&set->data, set->where, set->options, true, error);
    *data = set->data;
    pthread_mutex_unlock(&shared->lock);
    return status;
}

void l2r_shared_data_release(struct l2r_shared_data *shared, size_t number)
{
    pthread_mutex_lock(&shared->lock);
    struct l2r_shared_set *set = &shared->sets[number];
    if (--set->users <= 0) {
        l2r_dataset_free(set->data);
        set->data = NULL;
    }
    pthread_mutex_unlock(&shared->lock);
}

/* ---- fingerprints: everything in the graphs that training can see, in one fixed order ---- */

static void add_categories(XXH3_state_t *state, const struct l2r_categories *c, int64_t n)
{
    const int32_t sizes[] = {c->n_columns, c->n_types};
    XXH3_64bits_update(state, sizes, sizeof sizes);
    if (c->n_columns + c->n_reals == 0) return;
    XXH3_64bits_update(state, c->vocabulary, (size_t)c->n_columns * sizeof *c->vocabulary);
    XXH3_64bits_update(state, c->rows, (size_t)c->n_types * (size_t)c->n_columns * sizeof *c->rows);
    if (c->n_reals > 0) XXH3_64bits_update(state, c->real, (size_t)c->n_types * (size_t)c->n_reals * sizeof *c->real);
    XXH3_64bits_update(state, c->type, (size_t)n * sizeof *c->type);
}

static uint64_t hash_graphs(XXH3_state_t *state, const struct l2r_dataset *d)
{
    const int64_t sizes[] = {(int64_t)d->task, d->n_tasks, d->n_classes,   d->n_graphs,
                             d->n_nodes,       d->n_arcs,  d->n_node_reals};
    XXH3_64bits_reset(state);
    XXH3_64bits_update(state, sizes, sizeof sizes);
    XXH3_64bits_update(state, d->node_start, (size_t)(d->n_graphs + 1) * sizeof *d->node_start);
    XXH3_64bits_update(state, d->arc_start, (size_t)(d->n_nodes + 1) * sizeof *d->arc_start);
    XXH3_64bits_update(state, d->neighbour, (size_t)d->n_arcs * sizeof *d->neighbour);
    add_categories(state, &d->nodes, d->n_nodes);
    add_categories(state, &d->arcs, d->n_arcs);
    if (d->n_node_reals > 0)
        XXH3_64bits_update(state, d->node_real, (size_t)d->n_nodes * (size_t)d->n_node_reals * sizeof *d->node_real);
    XXH3_64bits_update(state, d->labels, (size_t)d->n_graphs * (size_t)d->n_tasks * sizeof *d->labels);
    if (d->weight != NULL) XXH3_64bits_update(state, d->weight, (size_t)d->n_graphs * sizeof *d->weight);
    if (d->bound != NULL) XXH3_64bits_update(state, d->bound, (size_t)d->n_graphs * (size_t)d->n_tasks);
    if (d->official != NULL) XXH3_64bits_update(state, d->official, (size_t)d->n_graphs);
    return XXH3_64bits_digest(state);
}

static void write_hash(char out[17], uint64_t hash)
{
    snprintf(out, 17, "%016" PRIx64, hash);
}

enum l2r_status l2r_data_fingerprint(char out[17], const struct l2r_dataset *data, struct l2r_error *error)
{
    XXH3_state_t *state = XXH3_createState();
    if (state == NULL) return l2r_fail(error, L2R_ERR_MEMORY, "out of memory for a fingerprint of %s", data->name);
    write_hash(out, hash_graphs(state, data));
    XXH3_freeState(state);
    return L2R_OK;
}

enum l2r_status l2r_shared_data_fingerprint(char out[17], struct l2r_shared_data *shared, size_t number,
                                            struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_shared_set *set = &shared->sets[number];
    if (set->fingerprint[0] == '\0') {
        const struct l2r_dataset *data;
        if (l2r_data_is_generated(set->where)) {
            write_hash(set->fingerprint, XXH3_64bits(set->where, strlen(set->where)));
        } else {
            L2R_TRY(l2r_shared_data_get(&data, shared, number, error));
            L2R_TRY(l2r_data_fingerprint(set->fingerprint, data, error));
        }
    }
    memcpy(out, set->fingerprint, sizeof set->fingerprint);
done:
    return status;
}
