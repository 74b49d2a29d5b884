/* SPDX-License-Identifier: MIT
 * See npy.h. */
#include "io/npy.h"

#include <string.h>

bool l2r_npy_header(FILE *stream, int64_t rows, int64_t columns)
{
    enum { PREFIX = 10 };
    static const char magic[PREFIX + 1] = "\x93NUMPY\x01\x00\x76\x00"; /* 0x76: 128 − 10 */
    char header[L2R_NPY_HEADER + 1];
    uint16_t probe = 1;
    memcpy(header, magic, PREFIX);
    int length = snprintf(header + PREFIX, sizeof header - PREFIX,
                          "{'descr': '%cf4', 'fortran_order': False, 'shape': (%lld, %lld), }",
                          *(const unsigned char *)&probe ? '<' : '>', (long long)rows, (long long)columns);
    if (length < 0 || length >= L2R_NPY_HEADER - PREFIX) return false;
    memset(header + PREFIX + length, ' ', (size_t)(L2R_NPY_HEADER - PREFIX - length));
    header[L2R_NPY_HEADER - 1] = '\n';
    return fwrite(header, 1, L2R_NPY_HEADER, stream) == L2R_NPY_HEADER;
}

bool l2r_npy_finish(FILE *stream, int64_t rows, int64_t columns)
{
    return fseeko(stream, 0, SEEK_SET) == 0 && l2r_npy_header(stream, rows, columns) &&
           fseeko(stream, 0, SEEK_END) == 0;
}
