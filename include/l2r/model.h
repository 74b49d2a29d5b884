/* SPDX-License-Identifier: MIT
 *
 * Trained models: from the folder of a run or a file to outputs, probabilities and representations of
 * graphs, to scores against labels, distances from the training graphs, and explanations.
 */
#ifndef L2R_MODEL_H
#define L2R_MODEL_H

#include <l2r/data.h>

#ifdef __cplusplus
extern "C" {
#endif

struct l2r_predictor; /* one thread at a time; l2r_predictor_copy gives another thread its own */

/* path: the folder of a finished run or a .safetensors file. */
L2R_API enum l2r_status l2r_predictor_open(struct l2r_predictor **predictor, const char *path, struct l2r_error *error);
/* bytes [n_bytes]: the content of a .safetensors file, which is copied. */
L2R_API enum l2r_status l2r_predictor_from_bytes(struct l2r_predictor **predictor, const void *bytes, size_t n_bytes,
                                                 struct l2r_error *error);
/* The same content: *bytes [*n_bytes], to be freed with l2r_free. Equal models give equal bytes, those of the file that
 * l2r_predictor_save writes. */
L2R_API enum l2r_status l2r_predictor_to_bytes(void **bytes, size_t *n_bytes, const struct l2r_predictor *predictor,
                                               struct l2r_error *error);
/* Writes a .safetensors file that l2r_predictor_open and the program read; it appears whole or not at all. */
L2R_API enum l2r_status l2r_predictor_save(const struct l2r_predictor *predictor, const char *path,
                                           struct l2r_error *error);
/* Makes models of those of another program: chemprop 2, checkpoints (.pt, .ckpt), folders or wheels of several. paths
 * [n]. Files that predict the same columns become the members of one model. out: a new .safetensors file, or a new
 * folder: of the model or, where there are several, of a folder for each. Nothing in the files is executed. */
L2R_API enum l2r_status l2r_predictor_import(const char *out, const char *const *paths, int32_t n,
                                             struct l2r_error *error);
/* Writes the model as an ONNX graph (operator set 18), for programs without this library; docs/interchange.md has its
 * inputs. The graph of a committee has the mean of its members; l2r_predictor_member has one of them alone.
 * L2R_ERR_ARGUMENT names what cannot be written. */
L2R_API enum l2r_status l2r_predictor_export(const struct l2r_predictor *predictor, const char *path,
                                             struct l2r_error *error);
/* A model that shares nothing with the first, for another thread. */
L2R_API enum l2r_status l2r_predictor_copy(struct l2r_predictor **copy, const struct l2r_predictor *predictor,
                                           struct l2r_error *error);
/* Networks and trees whose mean the model is: more than one is a committee; 0 for NULL. */
L2R_API int32_t l2r_predictor_n_members(const struct l2r_predictor *predictor);
/* Member k = 0 … members-1 alone, not calibrated, as a model that shares nothing with the first. */
L2R_API enum l2r_status l2r_predictor_member(struct l2r_predictor **member, const struct l2r_predictor *predictor,
                                             int32_t k, struct l2r_error *error);
/* NULL is fine. */
L2R_API void l2r_predictor_free(struct l2r_predictor *predictor);
L2R_API enum l2r_task l2r_predictor_task(const struct l2r_predictor *predictor);
/* Columns of the output: classes, or tasks. */
L2R_API int32_t l2r_predictor_n_outputs(const struct l2r_predictor *predictor);
/* The source's integer for class k (multi-class); INT64_MIN: there is no such class. */
L2R_API int64_t l2r_predictor_class(const struct l2r_predictor *predictor, int32_t k);
/* The word that the data of training has for class k of a task (multi-class: task 0; binary: k is 0 or 1); NULL: it has
 * numbers. */
L2R_API const char *l2r_predictor_class_name(const struct l2r_predictor *predictor, int32_t task, int32_t k);

/* ---- What models say of graphs ----
 *
 * graphs [n]: numbers of graphs of the data, in any order; NULL: all of them, and n is their number. Rows of outputs
 * are in the same order. Uses all threads of the caller. */

/* Logits, or values in the targets' own units: output [n × n_outputs]. An error names the first property of the data
 * that the model was not trained for, or (L2R_ERR_DIVERGED) the first graph with an output that is not a finite number;
 * in the latter case all outputs are in place, and rows without such a number hold. */
L2R_API enum l2r_status l2r_predictor_predict(float *output, struct l2r_predictor *predictor,
                                              const struct l2r_dataset *data, const int64_t *graphs, int64_t n,
                                              struct l2r_error *error);
/* The same of each member of a committee, before calibration: members [n_members × n × n_outputs], or NULL; and how far
 * they are apart: spread [n × n_outputs], or NULL: the standard deviation of their probabilities or values, NaN for one
 * member. */
L2R_API enum l2r_status l2r_predictor_predict_members(float *members, float *spread, struct l2r_predictor *predictor,
                                                      const struct l2r_dataset *data, const int64_t *graphs, int64_t n,
                                                      struct l2r_error *error);
/* The width of the learned representation Z: the row that the last linear layer is applied to, of the first member. */
L2R_API int32_t l2r_predictor_width(const struct l2r_predictor *predictor);
/* z [n × width], and output [n × n_outputs] as above in the same pass; either may be NULL. */
L2R_API enum l2r_status l2r_predictor_embed(float *z, float *output, struct l2r_predictor *predictor,
                                            const struct l2r_dataset *data, const int64_t *graphs, int64_t n,
                                            struct l2r_error *error);
/* From now on at most so many graphs at a time, where the run's own batches (the option eval-batch-size) are larger:
 * saves memory, costs a little speed. Outputs of other batches may differ in their last bits, because matrix products
 * of other sizes are summed in another order. */
L2R_API void l2r_predictor_limit_batch(struct l2r_predictor *predictor, int64_t graphs);
/* In place: softmax (multi-class), sigmoid (binary), unchanged (regression). Outputs are those of classes as often as
 * they are, whatever class weights training used, calibrated if the run was told to. What is not finite becomes NaN:
 * there is no probability, and no class. */
L2R_API void l2r_predictor_probabilities(float *output, const struct l2r_predictor *predictor, int64_t n);

/* The intervals of a regression around output [n × n_outputs]: low and high [n × n_outputs], between which a new graph
 * like the validation graphs lies with probability `coverage` (0 … 1; 0: what the model was trained with), infinite
 * where these were too few to promise it. Fails for other tasks, and for models trained without validation graphs. */
L2R_API enum l2r_status l2r_predictor_intervals(float *low, float *high, const float *output,
                                                const struct l2r_predictor *predictor, int64_t n, double coverage,
                                                struct l2r_error *error);

/* What the training data calls task k; NULL: nothing. */
L2R_API const char *l2r_predictor_task_name(const struct l2r_predictor *predictor, int32_t k);
/* The options that build it, and by which its data was read and split; lent. Those of its training are in the result of
 * the run (l2r_result_config). */
L2R_API const struct l2r_config *l2r_predictor_config(const struct l2r_predictor *predictor);
/* What the model remembers of its data, as JSON; free the text with l2r_free. */
L2R_API enum l2r_status l2r_predictor_signature_json(char **json, const struct l2r_predictor *predictor,
                                                     struct l2r_error *error);

/* Scores of graphs against their labels, by every metric that suits the task. */
struct l2r_evaluation;
/* metrics: names with commas between them; NULL: all that suit the task. */
L2R_API enum l2r_status l2r_predictor_evaluate(struct l2r_evaluation **evaluation, struct l2r_predictor *predictor,
                                               const struct l2r_dataset *data, const int64_t *graphs, int64_t n,
                                               const char *metrics, struct l2r_error *error);
/* NULL is fine. */
L2R_API void l2r_evaluation_free(struct l2r_evaluation *evaluation);
/* How many graphs were scored, by how many metrics ("loss" is the last), and over how many label columns, each of which
 * has scores of its own; 0 for NULL. */
L2R_API int64_t l2r_evaluation_n_graphs(const struct l2r_evaluation *evaluation);
L2R_API int32_t l2r_evaluation_n_metrics(const struct l2r_evaluation *evaluation);
L2R_API int32_t l2r_evaluation_n_tasks(const struct l2r_evaluation *evaluation);
/* The name of metric i; NULL: there is no such. */
L2R_API const char *l2r_evaluation_metric(const struct l2r_evaluation *evaluation, int32_t i);
/* The score by a metric over all label columns (task -1), or of one of them. NaN: it is not defined on these labels, or
 * there is no such metric or column. */
L2R_API double l2r_evaluation_value(const struct l2r_evaluation *evaluation, const char *metric, int32_t task);
/* What the data calls label column `task`; NULL: nothing. And how many graphs have a label in it; 0: there is no such
 * column. */
L2R_API const char *l2r_evaluation_task_name(const struct l2r_evaluation *evaluation, int32_t task);
L2R_API int64_t l2r_evaluation_n_labels(const struct l2r_evaluation *evaluation, int32_t task);
/* Members of the committee that was evaluated, and what member k scores by itself; 0 and NaN for a single model. */
L2R_API int32_t l2r_evaluation_n_members(const struct l2r_evaluation *evaluation);
L2R_API double l2r_evaluation_member_value(const struct l2r_evaluation *evaluation, int32_t k, const char *metric);
/* Graphs of one class in one environment, where the data has environments. */
struct l2r_group_score {
    size_t size;             /* L2R_GROUP_SCORE_INIT sets it */
    const char *class_name;  /* "12" where the class has no word; NULL: of a regression */
    const char *environment; /* its name */
    int64_t n;               /* graphs */
    const char *metric;      /* "accuracy", "rmse" or "nrmse" */
    double value;
};
#define L2R_GROUP_SCORE_INIT L2R_SIZED(struct l2r_group_score)
/* How many groups there are; the list is empty for more than 200. Texts live as long as the evaluation. */
L2R_API int32_t l2r_evaluation_n_groups(const struct l2r_evaluation *evaluation);
L2R_API enum l2r_status l2r_evaluation_group(struct l2r_group_score *group, const struct l2r_evaluation *evaluation,
                                             int32_t i, struct l2r_error *error);
/* All of it as JSON: {"rocauc": 0.79, …, "loss": 0.5, "n": 152, "tasks": [{"task": 0, "name": …, "n": …, "rocauc": …},
 * …]}, null where a metric is not defined on the labels; "tasks" is there when there are several, "groups" when the
 * data has environments: {"score": "accuracy", "worst": 0.3, "mean": 0.8, "groups": [{"class": 0, "environment":
 * "tree", "n": 33, "accuracy": 0.9}, …]}, where a class is its word or its number, and "members" for a committee:
 * [{"member": 1, "model": "gin", "rocauc": 0.77, …}, …], what each scores by itself. Free the text with l2r_free. */
L2R_API enum l2r_status l2r_evaluation_json(char **json, const struct l2r_evaluation *evaluation,
                                            struct l2r_error *error);

/* How far graphs lie from the training graphs: distance [n] (1 is usual in training), and applicability [n], the share
 * of validation graphs that lie at least as far out, 0 for graphs with an element, charge, bond or other category that
 * no training graph had; either may be NULL. A model of l2r_training_predictor has no distances. */
L2R_API enum l2r_status l2r_predictor_applicability(float *distance, float *applicability,
                                                    struct l2r_predictor *predictor, const struct l2r_dataset *data,
                                                    const int64_t *graphs, int64_t n, struct l2r_error *error);

/* Are these the graphs and labels that the model was trained on, split in whatever way? False for models of versions
 * that did not keep this. */
L2R_API bool l2r_predictor_trained_on(const struct l2r_predictor *predictor, const struct l2r_dataset *data);
/* The split that the model was trained with, from the folder of its run, for the data that it was trained on; a file
 * that was changed since is L2R_ERR_FORMAT, a model outside of the folder of a run L2R_ERR_ARGUMENT. */
L2R_API enum l2r_status l2r_predictor_split(struct l2r_split **split, const struct l2r_predictor *predictor,
                                            const struct l2r_dataset *data, struct l2r_error *error);
/* weights [graphs of the data]: what the run's method gave its training graphs last, 1 for the others. Fails
 * where the method weighs all graphs equally, and for data with another number of graphs. */
L2R_API enum l2r_status l2r_predictor_weights(float *weights, const struct l2r_predictor *predictor,
                                              const struct l2r_dataset *data, struct l2r_error *error);

/* A category of nodes or edges in words: "element U", "charge -3", "node label 7"; "" where there is no such. */
L2R_API void l2r_predictor_category(char *out, size_t size, const struct l2r_predictor *predictor, int32_t category);

/* ---- Inside a model ---- */

/* A parameter, lent: it may be read and written where the object that lends it is not at work. */
struct l2r_parameter {
    size_t size; /* L2R_PARAMETER_INIT sets it */
    const char *name;
    int64_t rows, columns;
    float *value;    /* [rows × columns] */
    float *gradient; /* the same shape, of the last step of a training; NULL: there is none, as of running statistics */
};
#define L2R_PARAMETER_INIT L2R_SIZED(struct l2r_parameter)
/* Parameters of member k = 0 … n_members-1 (a single model is its member 0); 0: there is no such member. Trees have
 * none. */
L2R_API size_t l2r_predictor_n_parameters(const struct l2r_predictor *predictor, int32_t member);
/* Parameter i of a member. After a change calibration, distances and intervals are those of the model before it. */
L2R_API enum l2r_status l2r_predictor_parameter(struct l2r_parameter *parameter, struct l2r_predictor *predictor,
                                                int32_t member, size_t i, struct l2r_error *error);
/* The same by its name. */
L2R_API enum l2r_status l2r_predictor_find(struct l2r_parameter *parameter, struct l2r_predictor *predictor,
                                           int32_t member, const char *name, struct l2r_error *error);

/* Calibrates anew on these graphs and their labels, which the model should not have trained on. method: of
 * L2R_CALIBRATORS, or "none"; a regression gets intervals of this coverage (0 … 1; 0: as before, or 0.9), whatever the
 * method. */
L2R_API enum l2r_status l2r_predictor_calibrate(struct l2r_predictor *predictor, const char *method, double coverage,
                                                const struct l2r_dataset *data, const int64_t *graphs, int64_t n,
                                                struct l2r_error *error);

/* Features of graphs as a whole that a member reads: how many, and their names ("tpsa", "morgan_17", a column of the
 * data); 0 and "": there is no such. */
L2R_API int32_t l2r_predictor_n_features(const struct l2r_predictor *predictor, int32_t member);
L2R_API void l2r_predictor_feature_name(char *name, size_t size, const struct l2r_predictor *predictor, int32_t member,
                                        int32_t i);
/* What each of these features adds to the output of a member that is made of trees: contributions [n × n_outputs ×
 * (n_features + 1)], the constant last, and values [n × n_features] of the features, NaN: unknown; either may be NULL.
 * They add up to the output, a value in its own units or a logit (SHAP values of boosted trees), or of the probability
 * (of forests), before calibration. Fails for other members. */
L2R_API enum l2r_status l2r_predictor_contributions(float *contributions, float *values,
                                                    const struct l2r_predictor *predictor, int32_t member,
                                                    const struct l2r_dataset *data, const int64_t *graphs, int64_t n,
                                                    struct l2r_error *error);

/* ---- Several models that answer together ---- */

struct l2r_ensemble; /* one thread at a time */

/* paths [n]: folders of runs or .safetensors files, which may differ in everything but what they answer. */
L2R_API enum l2r_status l2r_ensemble_open(struct l2r_ensemble **ensemble, const char *const *paths, int32_t n,
                                          struct l2r_error *error);
/* The same of models in memory [n], which are copied. */
L2R_API enum l2r_status l2r_ensemble_from_models(struct l2r_ensemble **ensemble,
                                                 const struct l2r_predictor *const *models, int32_t n,
                                                 struct l2r_error *error);
/* NULL is fine. */
L2R_API void l2r_ensemble_free(struct l2r_ensemble *ensemble);
/* How many models there are; 0 for NULL. Model k, lent: what it answers (task, outputs, classes, names) is what all
 * answer. NULL: there is no such model. */
L2R_API int32_t l2r_ensemble_n_models(const struct l2r_ensemble *ensemble);
L2R_API const struct l2r_predictor *l2r_ensemble_model(const struct l2r_ensemble *ensemble, int32_t k);

struct l2r_comm; /* l2r/train.h */

/* What is wanted of n graphs, and room for the answers: members that are NULL are not wanted. */
struct l2r_answers {
    size_t size;     /* L2R_ANSWERS_INIT sets it */
    float *output;   /* [n × n_outputs]: means over the models of probabilities, or of values; NaN or infinite where
                              one model's is */
    float *spread;   /* [n × n_outputs]: the standard deviation over the models; NaN for one model */
    float *distance; /* [n]: means over the models of what l2r_predictor_applicability says */
    float *applicability; /* [n] */
    int32_t *unseen;      /* [n]: a category that the graph has and no training graph of some model had, for
                              l2r_predictor_category of model 0; -1: none. Such a graph has applicability 0 */
    float *low, *high; /* [n × n_outputs]: the intervals of a regression around the mean; as l2r_predictor_intervals */
    double coverage;   /* of these; 0: what the models were trained with */
    int32_t *choice;   /* the class that the outputs speak for; -1: they are not finite. Of several classes [n],
                              0 … n_outputs-1: where weight · p is largest; of binary tasks [n × n_outputs], 0 or 1: 1
                              where weight · p > 1 − p. Weights are the class weights of training, 1 without */
    bool logits;       /* logits of the answer instead of probabilities */
    int64_t batch_size;    /* as l2r_predictor_limit_batch; 0: the models' own */
    struct l2r_comm *comm; /* the graphs are divided among these processes, which all make the same call; NULL: alone */
    bool by_spread;        /* low and high follow the spread, which is then wanted too: wide where the models disagree,
                              scaled on the validation graphs of the runs. Needs several models with one split, or a
                              committee, and the data that they were trained on */
};
#define L2R_ANSWERS_INIT L2R_SIZED(struct l2r_answers)
L2R_API enum l2r_status l2r_ensemble_predict(const struct l2r_answers *answers, struct l2r_ensemble *ensemble,
                                             const struct l2r_dataset *data, const int64_t *graphs, int64_t n,
                                             struct l2r_error *error);
/* Fails where a model has no distances; the first l2r_ensemble_predict that wants them does so otherwise. */
L2R_API enum l2r_status l2r_ensemble_find_applicability(struct l2r_ensemble *ensemble, struct l2r_error *error);

/* Scores the ensemble's mean answers against labels, as l2r_predictor_evaluate does for one model. */
L2R_API enum l2r_status l2r_ensemble_evaluate(struct l2r_evaluation **evaluation, struct l2r_ensemble *ensemble,
                                              const struct l2r_dataset *data, const int64_t *graphs, int64_t n,
                                              const char *metrics, struct l2r_error *error);
/* Were all models trained, validated and tested on the same graphs? Otherwise the test graphs of one trained others. */
L2R_API bool l2r_ensemble_shares_split(const struct l2r_ensemble *ensemble);

/* ---- Explanations ---- */

struct l2r_explanation; /* read-only */

/* Which edges, nodes and feature columns the model's answer for a graph rests on (GNNExplainer), or by how much each
 * edge and node moves it (option "explainer": occlusion, shapley), or how open the gates are that a model has on its
 * edges (gates). Of a committee occlusion and shapley explain the mean of all members that read the graph, the others
 * one network: the first that they can explain. Members that read features of the whole molecule alone (mlp, boost,
 * forest) are never part of it; the score "answer" is what all say together. options: of l2r_config_for_explanation;
 * NULL: the defaults. The same call gives the same bits. */
L2R_API enum l2r_status l2r_explanation_new(struct l2r_explanation **explanation, const struct l2r_predictor *predictor,
                                            const struct l2r_dataset *data, int64_t graph,
                                            const struct l2r_config *options, struct l2r_error *error);
/* Explains graphs [n] on all threads of the caller: explanations [n], each to be freed. An explanation has the same
 * bits alone and among others. graphs NULL: all of the data. */
L2R_API enum l2r_status l2r_explain(struct l2r_explanation **explanations, const struct l2r_predictor *predictor,
                                    const struct l2r_dataset *data, const int64_t *graphs, int64_t n,
                                    const struct l2r_config *options, struct l2r_error *error);
/* NULL is fine. */
L2R_API void l2r_explanation_free(struct l2r_explanation *explanation);
/* [edges × 2]: the undirected edges, the lower end first; *n is their number. */
L2R_API const int32_t *l2r_explanation_ends(int64_t *n, const struct l2r_explanation *explanation);
/* Importance in 0 … 1 of edges, nodes and feature columns (categorical ones, then real ones); *n is their number. */
L2R_API const float *l2r_explanation_edges(int64_t *n, const struct l2r_explanation *explanation);
L2R_API const float *l2r_explanation_nodes(int64_t *n, const struct l2r_explanation *explanation);
L2R_API const float *l2r_explanation_columns(int64_t *n, const struct l2r_explanation *explanation);
/* Contributions of edges and of nodes, with a sign (explainer "occlusion" or "shapley"): by how much each moves the
 * value or log-odds that is explained. Those of the nodes add up to "value" − "baseline" for shapley; for occlusion
 * they need not. NULL and 0 for masks, which have none. */
L2R_API const float *l2r_explanation_edge_effects(int64_t *n, const struct l2r_explanation *explanation);
L2R_API const float *l2r_explanation_node_effects(int64_t *n, const struct l2r_explanation *explanation);
/* The graph that is explained; -1 for NULL. */
L2R_API int64_t l2r_explanation_graph(const struct l2r_explanation *explanation);
/* "p": the probability of the target; "fidelity_plus": how much it drops when the important edges are removed;
 * "fidelity_minus": when only they are kept; "sparsity": the share of edges that are not important; "value" and
 * "baseline": the answer that is explained, a value or log-odds, and the one for nothing at all; "answer": what the
 * whole model says, as l2r_predictor_predict and l2r_predictor_probabilities have it: a value, the probability of class
 * 1, or of the target among several classes; and where the data marks motifs, "node_auc", "node_precision", "edge_auc",
 * "edge_precision". NaN: not defined, or no such score. */
L2R_API double l2r_explanation_score(const struct l2r_explanation *explanation, const char *name);
/* Everything about it, as in the explanations.json of the program; free the text with l2r_free. predictor and data are
 * those that it was made with. */
L2R_API enum l2r_status l2r_explanation_json(char **json, const struct l2r_explanation *explanation,
                                             const struct l2r_predictor *predictor, const struct l2r_dataset *data,
                                             struct l2r_error *error);
/* Which building blocks of molecules matter over explanations [n], each of one task, of graphs that have SMILES. Those
 * of several molecules come first, large and frequent ones before others. */
struct l2r_fragments;
struct l2r_fragment_score {
    size_t size;         /* L2R_FRAGMENT_SCORE_INIT sets it */
    const char *smiles;  /* "*c1ccccc1"; it lives as long as the fragments */
    int32_t target;      /* the class that is explained, for l2r_predictor_class; -1: the task has no several */
    int64_t n_molecules; /* that have it */
    int64_t n;           /* how often it is there */
    double mean;         /* by how much the answer (a value, or log-odds; of a committee that of all members that read
                            the graph) drops without it */
    double sd, min, max; /* of these drops; sd is NaN for one */
};
#define L2R_FRAGMENT_SCORE_INIT L2R_SIZED(struct l2r_fragment_score)
L2R_API enum l2r_status l2r_fragments_new(struct l2r_fragments **fragments, struct l2r_explanation *const *explanations,
                                          int64_t n, const struct l2r_predictor *predictor,
                                          const struct l2r_dataset *data, struct l2r_error *error);
/* NULL is fine. */
L2R_API void l2r_fragments_free(struct l2r_fragments *fragments);
/* How many there are; 0 for NULL. */
L2R_API int64_t l2r_fragments_n_entries(const struct l2r_fragments *fragments);
L2R_API enum l2r_status l2r_fragments_entry(struct l2r_fragment_score *entry, const struct l2r_fragments *fragments,
                                            int64_t i, struct l2r_error *error);
/* [{"fragment": "*c1ccccc1", "class": null, "molecules": 12, "count": 14, "mean": -0.4, "sd": 0.1, "min": -0.7, "max":
 * 0.2}, …]; free the text with l2r_free. predictor is that of the explanations. */
L2R_API enum l2r_status l2r_fragments_json(char **json, const struct l2r_fragments *fragments,
                                           const struct l2r_predictor *predictor, struct l2r_error *error);
/* A drawing as SVG text: the important subgraph dark and thick, a molecule as its structural formula where the data has
 * SMILES; free it with l2r_free. Equal explanations give equal bytes. */
L2R_API enum l2r_status l2r_explanation_svg(char **svg, const struct l2r_explanation *explanation,
                                            struct l2r_predictor *predictor, const struct l2r_dataset *data,
                                            struct l2r_error *error);

#ifdef __cplusplus
}
#endif
#endif
