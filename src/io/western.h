/* SPDX-License-Identifier: MIT
 *
 * Windows-1252, the one-byte letters of western Europe: the encoding of Excel's "CSV" on most Windows machines. Bytes
 * below 128 are ASCII, the others are letters and signs, five of which are not used.
 *
 *     4C F6 73 75 6E 67   ->   4C C3 B6 73 75 6E 67   "Lösung"
 */
#ifndef L2R_IO_WESTERN_H
#define L2R_IO_WESTERN_H

#include <stdbool.h>
#include <stddef.h>

/* May the bytes be such a text? Not if one is 0, unused, or 255, which people do not write (ÿ). */
bool l2r_is_western(const char *bytes, size_t length);
/* The text as UTF-8, ending with 0, in *text, which has *room bytes and grows (l2r_reserve); *length: of the bytes,
 * then of the text. False: out of memory. */
bool l2r_western_read(char **text, size_t *room, size_t *length, const char *bytes);

#endif
