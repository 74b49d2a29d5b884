/* SPDX-License-Identifier: MIT
 *
 * Untrusted drawings: an SVG file becomes part of the report page with its tags, so it must only draw. This program
 * uses a small part of SVG, and only that is accepted:
 *
 *     one <svg class="l2r-figure"> with shapes, texts and titles in it      elements, attributes and style properties
 *     values of letters, digits and  . , # % ; : + - _ ( ) '                from lists
 *
 * No script, no handler, no link, no reference (href, url(…)), no declaration, no entity but those of < > & " '. A file
 * with anything else is not repaired: it is left out.
 */
#ifndef L2R_REPORT_DRAWING_CHECK_H
#define L2R_REPORT_DRAWING_CHECK_H

#include <stdbool.h>
#include <stddef.h>

bool l2r_drawing_is_safe(const char *svg, size_t length);

#endif
