/* SPDX-License-Identifier: MIT
 *
 * Models of other programs, from their files to models of ours.
 *
 *     model_0.pt … model_4.pt            one model with five members, whose mean answers
 *     a folder, a wheel (.whl), an archive  all .pt files in it, or else all .ckpt; those that predict the same columns
 *                                        are members of one model, named by the folder they lie in
 *
 * One model is written as a .safetensors file or as a folder with best.safetensors; several as a folder of such
 * folders, which `l2r predict` opens as a whole (model/collection.h).
 */
#ifndef L2R_MODEL_IMPORT_H
#define L2R_MODEL_IMPORT_H

#include "model/trained.h"

struct l2r_import {
    struct l2r_imported {
        struct l2r_trained *trained;
        char name[128]; /* of its folder */
    } * models;         /* [n] */
    size_t n, capacity;
};

/* To be cleared also after a failure. */
enum l2r_status l2r_import_read(struct l2r_import *import, const char *const *paths, int32_t n,
                                struct l2r_error *error);
/* out must not be there yet, unless it is an empty folder. */
enum l2r_status l2r_import_write(const struct l2r_import *import, const char *out, struct l2r_error *error);
void l2r_import_clear(struct l2r_import *import);

#endif
