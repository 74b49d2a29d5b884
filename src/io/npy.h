/* SPDX-License-Identifier: MIT
 *
 * A matrix of floats as NumPy reads it (numpy.load), written row by row without knowing how many rows will come:
 *
 *     "\x93NUMPY" 1 0 | length of the header (2 bytes, little endian) | header | rows
 *     header: {'descr': '<f4', 'fortran_order': False, 'shape': (n, d), }
 *
 * The header is padded to 128 bytes, so that the number of rows can be filled in at the end.
 */
#ifndef L2R_IO_NPY_H
#define L2R_IO_NPY_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { L2R_NPY_HEADER = 128 };

/* Writes a header at the beginning of the stream and leaves the stream after it; false: it cannot be written. */
bool l2r_npy_header(FILE *stream, int64_t rows, int64_t columns);
/* Once all rows are written: writes the header again with their number, and leaves the stream at its end. */
bool l2r_npy_finish(FILE *stream, int64_t rows, int64_t columns);

#endif
