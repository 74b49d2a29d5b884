/* SPDX-License-Identifier: MIT
 *
 * SVG text to PNG, by librsvg and cairo, in the painter's process (painter.c).
 */
#include "base/text.h"
#include "draw/draw.h"

#include <cairo.h>
#include <librsvg/rsvg.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LARGEST_SIDE = 20000 };

static cairo_status_t put_bytes(void *text, const unsigned char *bytes, unsigned n)
{
    l2r_text_add(text, (const char *)bytes, n);
    return CAIRO_STATUS_SUCCESS; /* a lack of memory sticks to the text */
}

static enum l2r_status paint(cairo_surface_t *surface, RsvgHandle *handle, double width, double height,
                             struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    GError *problem = NULL;
    cairo_t *cairo = cairo_create(surface);
    const RsvgRectangle page = {0, 0, width, height};
    cairo_set_source_rgb(cairo, 1, 1, 1);
    cairo_paint(cairo);
    if (!rsvg_handle_render_document(handle, cairo, &page, &problem))
        status = l2r_fail(error, L2R_ERR_FORMAT, "the drawing cannot be rendered: %s",
                          problem != NULL ? problem->message : "unknown reason");
    else if (cairo_status(cairo) != CAIRO_STATUS_SUCCESS)
        status = l2r_fail(error, L2R_ERR_MEMORY, "the drawing cannot be rendered: %s",
                          cairo_status_to_string(cairo_status(cairo)));
    if (problem != NULL) g_error_free(problem);
    cairo_destroy(cairo);
    return status;
}

static enum l2r_status render(cairo_surface_t **surface, RsvgHandle *handle, double scale, struct l2r_error *error)
{
    gdouble width = 0, height = 0;
    if (!rsvg_handle_get_intrinsic_size_in_pixels(handle, &width, &height) || !(width > 0 && height > 0))
        return l2r_fail(error, L2R_ERR_FORMAT, "the drawing has no size: expected width and height in its <svg>");
    width = ceil(width * scale);
    height = ceil(height * scale);
    if (!(width <= LARGEST_SIDE && height <= LARGEST_SIDE))
        return l2r_fail(error, L2R_ERR_ARGUMENT, "a picture of %.0f × %.0f pixels; at most %d per side", width, height,
                        (int)LARGEST_SIDE);
    *surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)width, (int)height);
    if (cairo_surface_status(*surface) != CAIRO_STATUS_SUCCESS)
        return l2r_fail_memory(error, (size_t)(4 * width * height), "a picture");
    return paint(*surface, handle, width, height, error);
}

enum l2r_status l2r_svg_paint(char **png, size_t *length, const char *svg, double scale, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    GError *problem = NULL;
    cairo_surface_t *surface = NULL;
    struct l2r_text bytes = {0};
    *png = NULL;
    *length = 0;
    RsvgHandle *handle = rsvg_handle_new_from_data((const guint8 *)svg, strlen(svg), &problem);
    if (handle == NULL)
        L2R_FAIL(L2R_ERR_FORMAT, "the drawing is not SVG: %s", problem != NULL ? problem->message : "unknown reason");
    L2R_TRY(render(&surface, handle, scale, error));
    cairo_status_t wrote = cairo_surface_write_to_png_stream(surface, put_bytes, &bytes);
    if (wrote != CAIRO_STATUS_SUCCESS) L2R_FAIL(L2R_ERR_MEMORY, "the PNG: %s", cairo_status_to_string(wrote));
    *length = bytes.length;
    L2R_TRY(l2r_text_finish(png, &bytes, "a PNG", error));
done:
    l2r_text_clear(&bytes);
    if (surface != NULL) cairo_surface_destroy(surface);
    if (handle != NULL) g_object_unref(handle);
    if (problem != NULL) g_error_free(problem);
    return status;
}
