/* SPDX-License-Identifier: MIT
 * See input.h. */
#include "io/input.h"

#include "base/array.h"
#include "base/memory.h"
#include "base/system.h"

#include <errno.h>
#include <string.h>

enum { MOST_KEPT = 64 << 20, BLOCK = 1 << 16 };

struct l2r_input {
    int descriptor;
    char *kept; /* [n] */
    size_t n, capacity;
    bool going_on; /* nothing more is kept */
};

/* The next bytes into `kept`; *got is 0 at the end. */
static enum l2r_status keep(struct l2r_input *in, size_t *got, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    if (in->n + BLOCK > MOST_KEPT)
        L2R_FAIL(L2R_ERR_FORMAT, "its first rows are longer than %d MB; is this a table of molecules?",
                 (int)(MOST_KEPT >> 20));
    if (!l2r_reserve((void **)&in->kept, &in->capacity, in->n + BLOCK, 1))
        return l2r_fail_memory(error, in->n + BLOCK, "the beginning of standard input");
    ssize_t n = l2r_sys_read(in->descriptor, in->kept + in->n, BLOCK);
    if (n < 0) L2R_FAIL(L2R_ERR_IO, "it cannot be read: %s", l2r_sys_reason(errno));
    in->n += (size_t)n;
    *got = (size_t)n;
done:
    return status;
}

enum l2r_status l2r_input_open(struct l2r_input **input, int descriptor, const char *path, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_error reason = {0};
    size_t got = 1;
    struct l2r_input *in = *input = l2r_alloc(1, sizeof *in);
    if (!in) return l2r_fail_memory(error, sizeof *in, "standard input");
    in->descriptor = descriptor;
    while (in->n < 2 && got > 0 && status == L2R_OK) status = keep(in, &got, &reason);
    if (status != L2R_OK) L2R_FAIL(status, "%s: %s", path, reason.message);
    if (in->n == 0) L2R_FAIL(L2R_ERR_FORMAT, "%s is empty; expected a table of molecules, one SMILES a line", path);
done:
    return status;
}

void l2r_input_free(struct l2r_input *in)
{
    if (!in) return;
    l2r_free(in->kept);
    l2r_free(in);
}

void l2r_input_read_on(struct l2r_input *in)
{
    in->going_on = true;
}

bool l2r_input_is_gzip(const struct l2r_input *in)
{
    return in->n >= 2 && (unsigned char)in->kept[0] == 0x1f && (unsigned char)in->kept[1] == 0x8b;
}

enum l2r_status l2r_input_read(struct l2r_input *in, int64_t *position, void *bytes, size_t size, size_t *got,
                               struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    *got = 0;
    if (*position == (int64_t)in->n && !in->going_on) L2R_TRY(keep(in, got, error));
    if (*position < (int64_t)in->n) {
        size_t left = in->n - (size_t)*position;
        *got = size < left ? size : left;
        memcpy(bytes, in->kept + *position, *got);
    } else if (in->going_on) {
        ssize_t n = l2r_sys_read(in->descriptor, bytes, size);
        if (n < 0) L2R_FAIL(L2R_ERR_IO, "it cannot be read: %s", l2r_sys_reason(errno));
        *got = (size_t)n;
    }
    *position += (int64_t)*got;
done:
    return status;
}
