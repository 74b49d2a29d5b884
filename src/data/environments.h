/* SPDX-License-Identifier: MIT
 *
 * Environments: one integer per graph for its origin. Methods that look for stable relations across environments
 * (GroupDRO, IRM, V-REx, CORAL) use them, and scores by group (class × environment) show where a model fails.
 *
 *     --environments   given      came with the data: a generator's base, DrugOOD's domain, --environment-column,
 *                                 NAME_environments.txt
 *                      split      from the split rule (data/splits/rule.h) or a split file
 *                      scaffold   the molecule's scaffold
 *                      size       bins of the number of nodes, equally full of training graphs
 *                      kmeans     clusters of Z of a trained model (fit/environments.h)
 *                      auto       given if the data has them, else the split's, else none
 *
 * Every graph of the data set has a number, whatever its part: bins and clusters are made from the training graphs and
 * then applied to the others. An environment may have no training graph at all.
 */
#ifndef L2R_DATA_ENVIRONMENTS_H
#define L2R_DATA_ENVIRONMENTS_H

#include "base/config.h"
#include "base/json.h"
#include "data/dataset.h"

struct l2r_split; /* data/splits/split.h */

struct l2r_environments {
    const char *rule;  /* "given", "split", "scaffold", …; "none" */
    int32_t n;         /* 0: there are none */
    int32_t *of_graph; /* [n_graphs of the data set]; NULL: there are none */
    char *names;       /* n names, each ending with 0 */
};

/* --environments, --n-environments, --environments-from; ends with a zero row. */
extern const struct l2r_option l2r_environment_options[];

/* By the rules that need only the data and its split; kmeans comes later. Clear it after a failure, too. */
enum l2r_status l2r_environments_make(struct l2r_environments *environments, const struct l2r_config *config,
                                      const struct l2r_dataset *data, const struct l2r_split *split,
                                      struct l2r_error *error);
void l2r_environments_clear(struct l2r_environments *environments);
/* Those of the data; an error if it has none. */
enum l2r_status l2r_environments_given(struct l2r_environments *environments, const struct l2r_dataset *data,
                                       struct l2r_error *error);
/* Room for n_graphs numbers, and the names "PREFIX 0" … of n environments, or those given. */
enum l2r_status l2r_environments_init(struct l2r_environments *environments, const char *rule, const char *prefix,
                                      int32_t n, int64_t n_graphs, struct l2r_error *error);
enum l2r_status l2r_environments_name_all(struct l2r_environments *environments, const char *rule,
                                          const char *const *names, int32_t n, int64_t n_graphs,
                                          struct l2r_error *error);
enum l2r_status l2r_environments_copy(struct l2r_environments *copy, const struct l2r_environments *environments,
                                      int64_t n_graphs, struct l2r_error *error);
/* {"names": […], "of_graph": […]}, in a split's file. New reference; NULL: out of memory. Read, their rule is "split";
 * path names the file in errors. */
json_t *l2r_environments_to_json(const struct l2r_environments *environments, int64_t n_graphs);
enum l2r_status l2r_environments_from_json(struct l2r_environments *environments, const json_t *object,
                                           const char *path, int64_t n_graphs, struct l2r_error *error);
/* Makes these the environments of the data set; they must outlive it. */
void l2r_environments_lend(const struct l2r_environments *environments, struct l2r_dataset *data);

/* NULL: there is no environment k. */
const char *l2r_environments_name(const struct l2r_environments *environments, int32_t k);

static inline int32_t l2r_environment_of(const struct l2r_environments *environments, int64_t graph)
{
    return environments->n > 0 ? environments->of_graph[graph] : 0;
}

/* For methods that need environments: fails, with a hint, unless at least two have training graphs. */
enum l2r_status l2r_environments_need(const struct l2r_environments *environments, const struct l2r_dataset *data,
                                      const int32_t *train, int64_t n_train, const char *method,
                                      struct l2r_error *error);

/* ---- Groups: class × environment ---- */

/* Classes of the first label: a multi-class set's, 2 of a binary one, 1 of a regression. */
int32_t l2r_dataset_label_classes(const struct l2r_dataset *data);
/* The class of a graph's first label, 0 in regression; -1: it is missing. */
int32_t l2r_dataset_label_class(const struct l2r_dataset *data, int64_t graph);

static inline int32_t l2r_group_count(const struct l2r_environments *environments, const struct l2r_dataset *data)
{
    return l2r_dataset_label_classes(data) * (environments->n > 0 ? environments->n : 1);
}

/* Group of a graph: class · n + environment; -1: its label is missing. */
static inline int32_t l2r_group_of(const struct l2r_environments *environments, const struct l2r_dataset *data,
                                   int64_t graph)
{
    int32_t class = l2r_dataset_label_class(data, graph), n = environments->n > 0 ? environments->n : 1;
    return class < 0 ? -1 : class * n + l2r_environment_of(environments, graph);
}

#endif
