/* SPDX-License-Identifier: MIT
 * See western.h. */
#include "io/western.h"

#include "base/memory.h"

#include <stdint.h>

/* The code point of a byte from 128 on; 0: it has none, or none that people write. */
static unsigned code_of(unsigned char byte)
{
    static const uint16_t low[32] = {0x20AC, 0,      0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021,
                                     0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0,      0x017D, 0,
                                     0,      0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
                                     0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0,      0x017E, 0x0178};
    if (byte < 128) return byte;
    return byte < 160 ? low[byte - 128] : byte < 255 ? byte : 0;
}

bool l2r_is_western(const char *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (code_of((unsigned char)bytes[i]) == 0) return false;
    return true;
}

bool l2r_western_read(char **text, size_t *room, size_t *length, const char *bytes)
{
    size_t n = 0;
    if (!l2r_reserve((void **)text, room, 3 * *length + 1, 1)) return false;
    char *out = *text;
    for (size_t i = 0; i < *length; i++) {
        unsigned code = code_of((unsigned char)bytes[i]);
        if (code < 0x80) {
            out[n++] = (char)code;
            continue;
        }
        if (code >= 0x800) out[n++] = (char)(0xE0 | code >> 12);
        out[n++] = (char)(code >= 0x800 ? 0x80 | (code >> 6 & 0x3F) : 0xC0 | code >> 6);
        out[n++] = (char)(0x80 | (code & 0x3F));
    }
    out[n] = '\0';
    *length = n;
    return true;
}
