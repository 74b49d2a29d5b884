/* SPDX-License-Identifier: MIT
 *
 * Options as data: a table of struct l2r_option declares names, kinds, defaults, ranges and help once; the command
 * line, the help pages, docs/cli.md, config files and the resolved config of a run all follow from it.
 *
 *     static const struct l2r_option options[] = {
 *         {.name = "layers", .kind = L2R_OPTION_INT, .fallback = "5", .min = 1, .max = 100, .help = "GNN layers"},
 *         {0}};
 *
 * A config holds one text value per declared option, checked when it is set. Values come from three places; the later
 * one wins, and the config remembers which it was, also through config.json (l2r_config_record):
 *
 *     default   the option's own, or that of the model or method (l2r_config_set_default)
 *     recipe    follows from the data or from another option (l2r_config_advise, struct l2r_implied)
 *     user      typed, or from a file (l2r_config_set, JSON)
 *
 * Who set a value never changes a number of a run: runs of equal values have the same bits.
 *
 * Code that uses many options reads them once into a struct: rows with .at = L2R_FIELD(struct, member) are filled in by
 * l2r_config_fill.
 *
 * Messages and help texts name an option as `layers`, or `readout=mean` with its value. The caller translates that into
 * its own language (--readout mean on the command line).
 *
 * Tables must outlive every config that declares them. A config is not protected against use by several threads.
 */
#ifndef L2R_BASE_CONFIG_H
#define L2R_BASE_CONFIG_H

#include "base/status.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct l2r_implied;
struct l2r_option {
    const char *name; /* as typed after "--": "batch-size" */
    enum l2r_option_kind kind;
    bool neutral;         /* changes no number of a run: a run with another value of it may be resumed or reused */
    const char *fallback; /* the default as text; NULL: no value unless set (TEXT, CHOICE) or false (FLAG) */
    double min, max;      /* accepted range of numbers, both included; ignored when max <= min */
    const char *choices;  /* CHOICE, LIST: "mean|sum|max"; TEXT: one of these, or a number above min and at most
                             max */
    const char *value;    /* how help names the value: "DIR", "N"; NULL: by kind */
    const char *group;    /* heading in help: "Optimiser"; NULL: the previous row's */
    const char *help;     /* one line, no full stop */
    const struct l2r_implied *implies; /* defaults of other options that come with its value; NULL: none */
    const char *needs; /* it has an effect only where all of these hold: "scope=batch|queues!=0"; NULL: always */
    size_t at;         /* L2R_FIELD of the struct that l2r_config_fill fills; 0: in none */
};
#define L2R_FIELD(type, member) (offsetof(type, member) + 1)

enum l2r_option_origin { L2R_FROM_DEFAULT, L2R_FROM_RECIPE, L2R_FROM_USER };
extern const char *const l2r_origin_names[]; /* as in config.json: "default", "recipe", "user" */
#define L2R_ORIGIN_KEY "origin"              /* of config.json */

/* Another default for an option, under a model or a method; tables of these end with a zero row. */
struct l2r_default {
    const char *option, *value; /* "readout", "diffpool" */
};

/* The same under a value of another option. */
struct l2r_implied {
    const char *under; /* the value that brings it; NULL: any value but the default */
    const char *option, *value;
};

/* Without any option; freed by l2r_config_free, copied by l2r_config_copy (l2r/options.h). */
enum l2r_status l2r_config_new(struct l2r_config **config, struct l2r_error *error);

/* Adds every row of a table that ends with a zero row and outlives the config. Declaring a name twice is an error,
 * unless the row is the same object. */
enum l2r_status l2r_config_declare(struct l2r_config *config, const struct l2r_option *table, struct l2r_error *error);

/* Values are set by name with l2r_config_set (l2r/options.h). This changes a default, for an option whose default
 * depends on the method (`readout` of stablegnn); the value follows unless the user has set it. */
enum l2r_status l2r_config_set_default(struct l2r_config *config, const char *name, const char *value,
                                       struct l2r_error *error);
/* The same for a default that depends on the data or on the recipe. */
enum l2r_status l2r_config_advise(struct l2r_config *config, const char *name, const char *value,
                                  struct l2r_error *error);
/* Sets the value and fixes it. */
void l2r_config_fix(struct l2r_config *config, const char *name);
void l2r_config_swap(struct l2r_config *a, struct l2r_config *b);
/* Fails if there is no such option, and suggests the nearest name. */
enum l2r_status l2r_config_need(const struct l2r_config *config, const char *name, struct l2r_error *error);
/* By the user or from a file, so that no default changes it. */
bool l2r_config_was_set(const struct l2r_config *config, const char *name);
enum l2r_option_origin l2r_config_origin(const struct l2r_config *config, const char *name);
/* The default as text, changed or the option's own; NULL: none. */
const char *l2r_config_default(const struct l2r_config *config, const char *name);
/* Has l2r_config_set_default changed it? */
bool l2r_config_is_changed(const struct l2r_config *config, const char *name);

/* Getters: the name must be declared (assert). Text may be NULL. */
int64_t l2r_config_int(const struct l2r_config *config, const char *name);
double l2r_config_real(const struct l2r_config *config, const char *name);
bool l2r_config_flag(const struct l2r_config *config, const char *name);
const char *l2r_config_text(const struct l2r_config *config, const char *name);
bool l2r_config_is(const struct l2r_config *config, const char *name, const char *choice);
/* Of a LIST: bit k is set when choice k is in it. */
unsigned l2r_config_list(const struct l2r_config *config, const char *name);
bool l2r_config_has(const struct l2r_config *config, const char *name); /* declared at all? */
/* Fills the fields of a struct from the rows of its table that have one: bool, int64_t, double, const char * (as long
 * as the config), int32_t for the number of a CHOICE (-1: none) and unsigned for the bits of a LIST. */
void l2r_config_fill(void *options, const struct l2r_option *table, const struct l2r_config *config);
/* Refuses an option that was set to another value than its default and has no effect with the others (needs). */
enum l2r_status l2r_config_check_effects(const struct l2r_config *config, struct l2r_error *error);
/* Of a TEXT, epochs: "5", or "20%" of `all`, rounded down. */
enum l2r_status l2r_config_epochs(int64_t *epochs, const struct l2r_config *config, const char *name, int64_t all,
                                  struct l2r_error *error);
bool l2r_config_is_neutral(const struct l2r_config *config, const char *name); /* declared, and neutral? */

/* {"layers": 5, "dropout": 0.5, …}: typed, in declaration order; options without a value are left out. New
 * reference. */
json_t *l2r_config_to_json(const struct l2r_config *config);
/* The same with "origin": {"epochs": "user", …}, without what is at its default. New reference. */
json_t *l2r_config_record(const struct l2r_config *config);
/* JSON holds UTF-8 alone; the names of files may be any bytes. */
enum l2r_status l2r_config_check_texts(const struct l2r_config *config, struct l2r_error *error);
/* Sets every key of the object as if typed by the user, or with the origins that it records; `where` names the file in
 * errors. */
enum l2r_status l2r_config_from_json(struct l2r_config *config, const json_t *object, const char *where,
                                     struct l2r_error *error);

/* Walks the declared options: i = 0, 1, … until NULL. */
const struct l2r_option *l2r_config_option(const struct l2r_config *config, size_t i);

/* ---- One option alone (option.c): which values its row accepts, and the nearest name to a mistyped one ---- */

/* Is `value` acceptable for the option? The error begins with "`name`". */
enum l2r_status l2r_option_check(const struct l2r_option *option, const char *value, struct l2r_error *error);

/* Appends a name to a list such as "gin, gcn", for messages that list the choices. */
void l2r_name_add(char *list, size_t size, const char *name);

/* Which of "mean|sum|max" the first `length` letters of `word` are, from 0; -1: none. */
int l2r_choice_number(const char *choices, const char *word, size_t length);

/* Whole-text parsing, independent of the locale: false unless the text is one number and nothing else. */
bool l2r_parse_int(int64_t *number, const char *text);
bool l2r_parse_real(double *number, const char *text); /* infinities and NaN parse; the check refuses them */

/* The distance between `typed` and `known`, or -1 if they are too far apart for a suggestion. A missing ending costs
 * little. */
int l2r_name_distance(const char *typed, const char *known);

#endif
