/* SPDX-License-Identifier: MIT
 *
 * The models that are served. Each is the folder of a run, a .safetensors file, or a folder of seeds: the mean of their
 * predictions.
 * A model file that changes is loaded beside the old one, which answers until it is replaced and goes when the last
 * request that holds it has been answered; one that cannot be loaded leaves the old one in place.
 *
 *     l2r_shelf_watch   ──file changed──►  load  ──swap──►  take, put: counted holders
 */
#ifndef L2R_SERVE_MODELS_H
#define L2R_SERVE_MODELS_H

#include "answers/answers.h"
#include "base/json.h"
#include "model/ensemble.h"

#include <pthread.h>

enum { L2R_MOST_SERVED = 32 };

/* What the training graphs were, where the data of the run can be read: for percentiles, and neighbours. */
struct l2r_backdrop {
    struct l2r_dataset *data;
    struct l2r_split split;
};

/* One model as it was loaded. Only one thread at a time may score with it (l2r_served_model.scoring). */
struct l2r_served_model {
    const char *name, *path; /* the shelf's */
    char **files;            /* [n_files]: runs or model files */
    int n_files;
    struct l2r_question question;
    unsigned describe; /* blocks of molecule features that its members read */
    bool molecules;    /* it reads graphs that are made of SMILES; otherwise those of its data alone (graphs.h) */
    bool largest_fragment;
    const char *feature_columns; /* NULL: it reads no columns of a table */
    pthread_mutex_t scoring;
    _Atomic(struct l2r_backdrop *) backdrop; /* NULL: not read yet, or cannot be */
    _Atomic int holders;
    uint64_t stamp; /* of its files */
    int version;    /* 1, 2, … */
};

struct l2r_shelf {
    pthread_mutex_t lock;
    struct l2r_served_model *models[L2R_MOST_SERVED];
    char *names[L2R_MOST_SERVED], *paths[L2R_MOST_SERVED];
    char problems[L2R_MOST_SERVED][300]; /* why the file that is there now is not the one that is served; "": it is */
    uint64_t refused[L2R_MOST_SERVED];   /* the stamp of that file */
    _Atomic int n;                       /* grows while the server runs; what lies below it stays */
};

void l2r_shelf_init(struct l2r_shelf *shelf);
void l2r_shelf_clear(struct l2r_shelf *shelf);
/* files [n]: what `path` stands for. The name is the last part of the path, made unique by a number. One thread at a
 * time adds; others may use the shelf meanwhile. */
enum l2r_status l2r_shelf_add(struct l2r_shelf *shelf, const char *path, const char *const *files, int n,
                              struct l2r_error *error);
/* Loads again what has changed, and reads the data of runs; prints what happened. */
void l2r_shelf_watch(struct l2r_shelf *shelf, bool (*stop)(void *context), void *context);

/* The number of a model; -1: there is none of that name. */
int l2r_shelf_find(const struct l2r_shelf *shelf, const char *name, size_t length);
/* Model k as it is now, to be put back. */
struct l2r_served_model *l2r_shelf_take(struct l2r_shelf *shelf, int k);
void l2r_shelf_put(struct l2r_served_model *model);
/* New reference: [{"name": …, "task": …, "outputs": […], …}, …]. */
json_t *l2r_shelf_to_json(struct l2r_shelf *shelf);

#endif
