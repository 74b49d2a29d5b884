/* SPDX-License-Identifier: MIT
 *
 * The module l2r_draw (base/module.h): png.c on librsvg.
 *
 * This file is compiled twice: into the module, where it is the table of calls, and into the program, where the same
 * function loads the module on first use and passes the call on. Programs without PNG files never load the library.
 */
#include "base/module.h"
#include "draw/draw.h"

struct calls {
    struct l2r_module module;
    enum l2r_status (*paint)(char **png, size_t *length, const char *svg, double scale, struct l2r_error *error);
};

#ifdef L2R_INSIDE_MODULE

L2R_MODULE_TABLE struct calls l2r_draw_calls;
const struct calls l2r_draw_calls = {{L2R_VERSION}, l2r_svg_paint};

#else

static const struct calls *load(struct l2r_error *error)
{
    static const struct l2r_module *_Atomic kept;
    return (const struct calls *)l2r_module_load(&kept, "l2r_draw", "l2r_draw_calls", error);
}

enum l2r_status l2r_svg_paint(char **png, size_t *length, const char *svg, double scale, struct l2r_error *error)
{
    const struct calls *calls = load(error);
    return calls ? calls->paint(png, length, svg, scale, error) : L2R_ERR_MISSING;
}

#endif
