/* SPDX-License-Identifier: MIT
 * See sha256.h. The digest itself is libcrypto's. */
#include "io/sha256.h"

#include "base/memory.h"
#include "base/system.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <string.h>

bool l2r_is_sha256(const char *text)
{
    return strlen(text) == 64 && strspn(text, "0123456789abcdefABCDEF") == 64;
}

enum l2r_status l2r_file_sha256(char hex[65], const char *path, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    enum { CHUNK = 1 << 16 };
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned char *chunk = l2r_alloc_raw(CHUNK, 1);
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    int fd;
    FILE *stream = l2r_sys_stream(&fd, path, O_RDONLY);
    if (!stream) L2R_FAIL(L2R_ERR_IO, "%s: cannot be opened: %s", path, strerror(errno));
    if (!chunk || !context || EVP_DigestInit_ex(context, EVP_sha256(), NULL) != 1)
        L2R_FAIL(L2R_ERR_MEMORY, "out of memory for the checksum of %s", path);
    for (size_t n; (n = fread(chunk, 1, CHUNK, stream)) > 0;) EVP_DigestUpdate(context, chunk, n);
    if (ferror(stream)) L2R_FAIL(L2R_ERR_IO, "%s: cannot be read: %s", path, strerror(errno));
    EVP_DigestFinal_ex(context, digest, NULL);
    for (int i = 0; i < 32; i++) snprintf(hex + 2 * i, 3, "%02x", digest[i]);
done:
    if (stream) fclose(stream);
    EVP_MD_CTX_free(context);
    l2r_free(chunk);
    return status;
}
