/* SPDX-License-Identifier: MIT
 * The module l2r_fetch (base/module.h): download.c on libcurl, which brings thirty libraries along. */
#include "base/module.h"
#include "io/download.h"

struct calls {
    struct l2r_module module;
    enum l2r_status (*download)(struct l2r_download_end *end, const struct l2r_download *request,
                                struct l2r_error *error);
};

#ifdef L2R_INSIDE_MODULE

L2R_MODULE_TABLE struct calls l2r_fetch_calls;
const struct calls l2r_fetch_calls = {{L2R_VERSION}, l2r_download};

#else

enum l2r_status l2r_download(struct l2r_download_end *end, const struct l2r_download *request, struct l2r_error *error)
{
    static const struct l2r_module *_Atomic kept;
    const struct calls *calls = (const struct calls *)l2r_module_load(&kept, "l2r_fetch", "l2r_fetch_calls", error);
    *end = (struct l2r_download_end){0};
    return calls ? calls->download(end, request, error) : L2R_ERR_MISSING;
}

#endif
