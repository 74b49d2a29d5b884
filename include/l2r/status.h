/* SPDX-License-Identifier: MIT
 *
 * What every call has in common: the status it returns, the sentence for a person, memory that the library hands over,
 * threads, and the version.
 */
#ifndef L2R_STATUS_H
#define L2R_STATUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A struct that knows its size, with all other members 0: what the _INIT macros stand for, in C and in C++. */
#ifdef __cplusplus
extern "C++" {
template <class T> inline T l2r_sized()
{
    T made = T();
    made.size = sizeof made;
    return made;
}
}
#define L2R_SIZED(type) l2r_sized<type>()
#else
#define L2R_SIZED(type)                                                                                                \
    {                                                                                                                  \
        .size = sizeof(type)                                                                                           \
    }
#endif

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define L2R_API __attribute__((visibility("default")))
#else
#define L2R_API
#endif

enum l2r_status {
    L2R_OK = 0,
    L2R_ERR_ARGUMENT,    /* a value given by the caller is outside its accepted range */
    L2R_ERR_IO,          /* the operating system refused: missing file, full disk, no permission */
    L2R_ERR_FORMAT,      /* a file's content is not what its format promises */
    L2R_ERR_MEMORY,      /* out of memory */
    L2R_ERR_DIVERGED,    /* a loss or tensor stopped being finite */
    L2R_ERR_INTERRUPTED, /* the caller asked to stop; what was reached is saved */
    L2R_ERR_NETWORK,     /* a download failed */
    L2R_ERR_MISSING      /* this build or machine has not what the call needs: a module, RDKit, XGBoost, MPI */
};

struct l2r_error {
    enum l2r_status status;
    char message[1024]; /* one sentence: what, where (path:line), what was expected, a hint */
    char option[64];    /* the option that it is about: "lr"; "": none, or not known */
    char path[512];     /* the file that it is about, cut off if it is longer; "": none, or not known */
    int64_t line;       /* of that file, from 1; 0: not known */
    int64_t graph;      /* of the data set, from 0; -1: none, or not known */
};

/* No error, as C and as C++ take it. */
#define L2R_ERROR_INIT                                                                                                 \
    {                                                                                                                  \
        L2R_OK, "", "", "", 0, -1                                                                                      \
    }

/* "argument", "io", … for a log or an exception's name; "unknown" for a number that is no status. Any thread. */
L2R_API const char *l2r_status_name(enum l2r_status status);

/* The version of this header. While the first number stays, programs that were compiled against it run with every later
 * library (docs/api/promises.md). */
#define L2R_VERSION_MAJOR 2
#define L2R_VERSION_MINOR 0
#define L2R_VERSION_PATCH 0

/* "1.2.3": the version of the library that is running. Any thread. */
L2R_API const char *l2r_version(void);

/* Everything that these headers declare, as JSON, from which a binding can be generated; the text is the library's.
 *
 *     "structs"    each with its size and its fields: name, type, offset, size; one that begins with a field `size` is
 *                  to be filled with zeros and that size
 *     "handles"    structs that are known by a pointer alone, each with the call that frees it, or null
 *     "enums"      names and values;  "constants": those of enums without a name, and the version of the header
 *     "functions"  what they return, and their arguments: name and type
 *
 * Types are written as in C: "int64_t", "const float *", "enum l2r_status", "char [1024]"; a pointer to a function has
 * "callback" beside it, which says what it returns and takes. Sizes and offsets are those of x86-64. Any thread. */
L2R_API const char *l2r_abi_json(void);

/* Frees a string that a call handed over (JSON, SVG); NULL is fine. Any thread. */
L2R_API void l2r_free(void *block);

/* Threads that calls from the calling thread may use, itself included; 0 or less: one per core. Results
 * are the same bits for any number. */
L2R_API void l2r_threads_set(int n);
/* The same, and for threads that have made no call yet, such as those of a pool: the only setting that threads
 * share. */
L2R_API void l2r_threads_set_default(int n);
/* How many the calling thread's calls may use, at least 1. */
L2R_API int l2r_threads_get(void);

/* ---- Calls that take long ----
 *
 * What a caller wants to see of them: reading data and SMILES, features of molecules, predictions and scores,
 * distances, explanations, decorrelation. Both functions run on the thread that made the call, now and then; they may
 * use any handle but those that the call was given, of which only the getters. */
struct l2r_watch {
    size_t size; /* L2R_WATCH_INIT sets it */
    void *context;
    /* what: "molecules read", "graphs scored", …; n: -1 where it is not known beforehand. NULL: not wanted */
    void (*progress)(void *context, const char *what, int64_t n_done, int64_t n);
    bool (*stop)(void *context); /* true: the call ends with L2R_ERR_INTERRUPTED and keeps nothing. NULL: never */
};
#define L2R_WATCH_INIT L2R_SIZED(struct l2r_watch)
/* For all further calls from the calling thread; the struct is copied. NULL: no longer. l2r_train has callbacks of its
 * own, and this one only sees it load its data. */
L2R_API enum l2r_status l2r_watch_set(const struct l2r_watch *watch, struct l2r_error *error);

/* Can calls use "rdkit" (molecules), "xgboost" (growing boosted trees) or "mpi" (several processes)? Loads the module,
 * so that true means that it is there and works; false for other words. Any thread. */
L2R_API bool l2r_has(const char *what);
/* The folder where modules are looked for first, beside this library or program, into folder [size], cut off if it is
 * longer; "": it cannot be found out. Any thread. */
L2R_API void l2r_module_folder(char *folder, size_t size);

/* The vector instructions in use: "avx512", "avx2" or "baseline"; where oneDNN computes the matrix products with others
 * than our loops have, both: "avx2/baseline". It is the widest that the processor has, or what the environment variable
 * L2R_VECTOR names, which is read once, before the first computation; a word that it cannot mean is an error of the
 * calls that train or open a model. Results of different widths differ by rounding. Any thread. */
L2R_API const char *l2r_vector_width(void);

#ifdef __cplusplus
}
#endif
#endif
