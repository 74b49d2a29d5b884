/* SPDX-License-Identifier: MIT
 *
 * Errors: a function that can fail returns enum l2r_status and writes one sentence into the caller's struct l2r_error.
 * The sentence names the bad value, the accepted range, and the place in the input ("path:line: …"). Nothing is printed
 * here: the program decides what is shown. Each such function has one `done:` label, where everything it owns is freed
 * whether it succeeded or not:
 *
 *     enum l2r_status status = L2R_OK;
 *     L2R_TRY(l2r_file_read(&text, path, error));
 *     if (n < 1) L2R_FAIL(L2R_ERR_FORMAT, "%s:%ld: ...", path, line);
 *   done:
 *     l2r_free(text);
 *     return status;
 *
 * Control flow depends on the status, never on the text. Kernels cannot fail: their preconditions are asserts.
 */
#ifndef L2R_BASE_STATUS_H
#define L2R_BASE_STATUS_H

#include <l2r/data.h>

/* Writes the sentence (printf style) and returns `status`; `error` may be NULL. */
enum l2r_status l2r_fail(struct l2r_error *error, enum l2r_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* "out of memory: N bytes were needed for WHAT"; 0 bytes: the number is not known. */
enum l2r_status l2r_fail_memory(struct l2r_error *error, size_t bytes, const char *what);

#ifdef __clang_analyzer__
/* The static analyser sees one file at a time: these macros show it that the functions never return L2R_OK. */
#define l2r_fail(error, code, ...) ((l2r_fail)((error), (code), __VA_ARGS__), (code))
#define l2r_fail_memory(error, bytes, what) ((l2r_fail_memory)((error), (bytes), (what)), L2R_ERR_MEMORY)
#endif

/* Both need a variable `status` and a label `done`; L2R_FAIL also `error`. */
#define L2R_TRY(call)                                                                                                  \
    do {                                                                                                               \
        status = (call);                                                                                               \
        if (status != L2R_OK) goto done;                                                                               \
    } while (0)

#define L2R_FAIL(code, ...)                                                                                            \
    do {                                                                                                               \
        status = l2r_fail(error, (code), __VA_ARGS__);                                                                 \
        goto done;                                                                                                     \
    } while (0)

#endif
