/* SPDX-License-Identifier: MIT
 *
 * Options by the names of the command line: how data is read and split, how a model is trained, how it is explained.
 *
 *     l2r_config_for_run(&config, "gin", "l2r", &error);
 *     l2r_config_set(config, "epochs", "50", &error);
 *
 * A config holds one checked value for every option it was made with; docs/cli.md describes them all, and so does
 * l2r_config_describe. A config may be read by several threads at once, and changed by one that has it alone.
 */
#ifndef L2R_OPTIONS_H
#define L2R_OPTIONS_H

#include <l2r/status.h>

#ifdef __cplusplus
extern "C" {
#endif

struct l2r_config;

/* The options of a training run with this model and method, at their defaults; NULL: "gin" and "erm". The two decide
 * which options there are and cannot be changed afterwards. Where `model` is NULL and the run is on a table of
 * molecules, a committee is trained as `l2r train` does, which begins with a D-MPNN (`members` is "auto"; set it to "1"
 * for one GIN). */
L2R_API enum l2r_status l2r_config_for_run(struct l2r_config **config, const char *model, const char *method,
                                           struct l2r_error *error);
/* The options of reading and splitting data alone: smiles-column, target-columns, delimiter, split, …, cache. */
L2R_API enum l2r_status l2r_config_for_data(struct l2r_config **config, struct l2r_error *error);
/* The options of a generator (L2R_GENERATORS), for l2r_dataset_generate: mu, seed, … */
L2R_API enum l2r_status l2r_config_for_generator(struct l2r_config **config, const char *generator,
                                                 struct l2r_error *error);
/* The options of an explanation (l2r_explanation_new): steps, restarts, lr, target, … */
L2R_API enum l2r_status l2r_config_for_explanation(struct l2r_config **config, struct l2r_error *error);
/* A copy that shares nothing with the original. */
L2R_API enum l2r_status l2r_config_copy(struct l2r_config **copy, const struct l2r_config *config,
                                        struct l2r_error *error);
/* NULL is fine. */
L2R_API void l2r_config_free(struct l2r_config *config);

/* Sets an option; the value is text as on the command line, "true" or "false" for flags. A refused value leaves the old
 * one, and the error names the range, the choices, or the option that was probably meant. */
L2R_API enum l2r_status l2r_config_set(struct l2r_config *config, const char *name, const char *value,
                                       struct l2r_error *error);
/* The value as text; NULL: it has none. It lives until the option is set again. */
L2R_API enum l2r_status l2r_config_get(const char **value, const struct l2r_config *config, const char *name,
                                       struct l2r_error *error);
/* Every option with its value as a JSON object; free the text with l2r_free. */
L2R_API enum l2r_status l2r_config_json(char **json, const struct l2r_config *config, struct l2r_error *error);
/* Sets every option that the JSON object names, or none of them when one is refused. */
L2R_API enum l2r_status l2r_config_set_json(struct l2r_config *config, const char *json, struct l2r_error *error);

enum l2r_option_kind {
    L2R_OPTION_FLAG, /* "true" or "false" */
    L2R_OPTION_INT,
    L2R_OPTION_REAL,
    L2R_OPTION_TEXT,
    L2R_OPTION_CHOICE,
    L2R_OPTION_LIST /* some of the choices, separated by commas */
};

/* What is known about one option. Texts live as long as the config; any may be NULL but the name. */
struct l2r_option_info {
    size_t size; /* L2R_OPTION_INFO_INIT sets it */
    const char *name;
    enum l2r_option_kind kind;
    bool is_set;          /* by l2r_config_set; otherwise `value` is the default */
    bool neutral;         /* changes no number of a run */
    const char *value;    /* as it is */
    const char *fallback; /* the default */
    double min, max;      /* accepted range of numbers; both 0: any */
    const char *choices;  /* "mean|sum|max" */
    const char *unit;     /* how help names the value: "DIR", "N" */
    const char *group;    /* the heading under which help shows it */
    const char *help;     /* one line */
};
#define L2R_OPTION_INFO_INIT L2R_SIZED(struct l2r_option_info)

/* How many options there are; 0 for NULL. */
L2R_API size_t l2r_config_n_options(const struct l2r_config *config);
/* Describes option i = 0 … count-1, in the order of help. */
L2R_API enum l2r_status l2r_config_describe(struct l2r_option_info *info, const struct l2r_config *config, size_t i,
                                            struct l2r_error *error);

/* What a user can choose by name. */
enum l2r_registry {
    L2R_MODELS,
    L2R_METHODS,
    L2R_METRICS,
    L2R_READOUTS,
    L2R_ACTIVATIONS,
    L2R_OPTIMISERS,
    L2R_SCHEDULES,
    L2R_READERS,
    L2R_GENERATORS,
    L2R_SPLIT_RULES,
    L2R_CALIBRATORS, /* of the option calibrate */
    L2R_EXPLAINERS,  /* of the option explainer */
    L2R_FEATURES     /* blocks of molecule features: of the option features, and l2r_dataset_features */
};
/* Entries of a registry; 0 for a number that is none. Any thread. */
L2R_API size_t l2r_registry_n_entries(enum l2r_registry registry);
/* The name of entry i as it is typed; NULL past the end. Any thread. */
L2R_API const char *l2r_registry_name(enum l2r_registry registry, size_t i);
/* One line about entry i; NULL past the end. Any thread. */
L2R_API const char *l2r_registry_help(enum l2r_registry registry, size_t i);

#ifdef __cplusplus
}
#endif
#endif
