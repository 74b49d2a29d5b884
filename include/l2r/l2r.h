/* SPDX-License-Identifier: MIT
 *
 * l2r: graph neural networks that keep working when the test graphs differ from the training graphs.
 *
 * This is the only header a program needs. Conventions, everywhere:
 *   - a call that can fail returns a status; the sentence for a person goes to the caller's struct l2r_error
 *     (which may be NULL);
 *   - a handle made by *_open, *_read or *_new belongs to the caller, who frees it with the matching *_free
 *     (NULL is fine);
 *   - the library never prints, never exits and keeps no global state: separate handles may be used from
 *     separate threads.
 */
#ifndef L2R_L2R_H
#define L2R_L2R_H

#include <stddef.h>
#include <stdint.h>

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
    L2R_ERR_NETWORK      /* a download failed */
};

struct l2r_error {
    enum l2r_status status;
    char message[1024]; /* one sentence: what, where (path:line), what was expected, a hint */
};

/* "1.2.3": the version of the library that is running. */
L2R_API const char *l2r_version(void);

#ifdef __cplusplus
}
#endif
#endif
