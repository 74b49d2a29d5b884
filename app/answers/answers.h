/* SPDX-License-Identifier: MIT
 *
 * Predictions as columns of a CSV, each preceded by the delimiter:
 *
 *     multi-class   class, p_A, p_B …          one probability per class, named by the source's word or integer
 *     binary        class, p                   several tasks: class_0, class_1, …, p_0, p_1, …, or by name p_NR-AR, …
 *     regression    value                      several tasks: value_0, value_1, …, or by name
 *     ensemble      the same names once more, with the suffix _sd
 *     intervals     value_low, value_high      of a regression whose model has them
 *     domain        distance, applicability, unseen
 *
 * With logits, `logit` takes the place of p. As JSON, the same names are the keys of an object.
 */
#ifndef L2R_ANSWERS_ANSWERS_H
#define L2R_ANSWERS_ANSWERS_H

#include "base/json.h"

#include <l2r/model.h>

#include <stdio.h>

/* The models, and which of their predictions are wanted. */
struct l2r_question {
    struct l2r_ensemble *ensemble;
    const struct l2r_predictor *model; /* the first: all models predict the same targets */
    enum l2r_task task;
    int32_t n_outputs;
    bool many;     /* models: there is a spread */
    bool logits;   /* instead of probabilities */
    bool json;     /* instead of CSV */
    bool measured; /* distance and applicability */
    bool bounded;  /* intervals */
    double coverage;
    bool by_spread; /* intervals follow it */
    struct l2r_comm *comm;
    /* Of one of several models whose columns stand side by side: a single output is named by its task, too, and all
     * names begin with this. NULL: it is alone. */
    const char *together;
};

/* Room for the answers about n graphs; to be cleared also after a failure. */
enum l2r_status l2r_answers_make(struct l2r_answers *answers, const struct l2r_question *question, int64_t n,
                                 struct l2r_error *error);
void l2r_answers_clear(struct l2r_answers *answers);
/* Are all outputs of the models for graph i finite? */
bool l2r_answers_are_finite(const struct l2r_answers *answers, const struct l2r_question *question, int64_t i);

struct l2r_columns {
    const struct l2r_question *question;
    char delimiter;
    const char *prefix; /* of every name; "" unless the table has such columns already */
};

void l2r_columns_output_names(FILE *out, const struct l2r_columns *columns);
void l2r_columns_domain_names(FILE *out, const struct l2r_columns *columns);
/* The fields of graph i; answers NULL: empty fields. */
void l2r_columns_output(FILE *out, const struct l2r_columns *columns, const struct l2r_answers *answers, int64_t i);
void l2r_columns_domain(FILE *out, const struct l2r_columns *columns, const struct l2r_answers *answers, int64_t i);
/* All of them as members of `row`, and then `problem` (NULL: there is none). What is missing is null. */
void l2r_columns_json(json_t *row, const struct l2r_columns *columns, const struct l2r_answers *answers, int64_t i,
                      const char *problem);
/* One row as a line of JSON, which takes the reference. */
void l2r_json_line(FILE *out, json_t *row);

#endif
