/* SPDX-License-Identifier: MIT
 * See gemm_libraries.h. */
#include "gemm_libraries.h"

#include <dlfcn.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>

struct candidate {
    const char *name, *file, *symbol;
};

/* Several names of one library: the first that opens counts. */
static const struct candidate candidates[] = {
    {"oneDNN", "libdnnl.so.3", "dnnl_sgemm"},        {"oneDNN", "libdnnl.so.2", "dnnl_sgemm"},
    {"BLIS", "libblis.so.4", "cblas_sgemm"},         {"BLIS", "libblis.so.3", "cblas_sgemm"},
    {"OpenBLAS", "libopenblas.so.0", "cblas_sgemm"}, {"OpenBLAS", "libopenblas.so", "cblas_sgemm"},
    {"MKL", "libmkl_rt.so.2", "cblas_sgemm"},        {NULL, NULL, NULL}};

/* A function pointer out of a data pointer, which ISO C has no cast for. */
static void symbol(void *function, void *handle, const char *name)
{
    void *address = dlsym(handle, name);
    memcpy(function, &address, sizeof address);
}

static void read_version(struct gemm_library *library, void *handle)
{
    const struct version {
        int major, minor, patch;
    } * (*dnnl)(void);
    const char *(*blis)(void);
    char *(*openblas)(void);
    symbol(&dnnl, handle, "dnnl_version");
    symbol(&blis, handle, "bli_info_get_version_str");
    symbol(&openblas, handle, "openblas_get_config");
    if (dnnl)
        snprintf(library->version, sizeof library->version, "%d.%d.%d", dnnl()->major, dnnl()->minor, dnnl()->patch);
    else if (openblas) /* "OpenBLAS 0.3.21 DYNAMIC_ARCH …" */
        sscanf(openblas(), "%*s %63s", library->version);
    else
        snprintf(library->version, sizeof library->version, "%s", blis ? blis() : "?");
}

/* The libraries' own threads are switched off: the blocks are handed out by the caller's threads. */
static void switch_threads_off(void *handle)
{
    void (*openblas)(int), (*blis)(long), (*mkl)(int);
    symbol(&openblas, handle, "openblas_set_num_threads");
    symbol(&blis, handle, "bli_thread_set_num_threads");
    symbol(&mkl, handle, "MKL_Set_Num_Threads");
    if (openblas) openblas(1);
    if (blis) blis(1);
    if (mkl) mkl(1);
}

int gemm_libraries_open(struct gemm_library found[GEMM_LIBRARIES])
{
    int n = 0;
    for (const struct candidate *c = candidates; c->name && n < GEMM_LIBRARIES; c++) {
        if (n > 0 && strcmp(found[n - 1].name, c->name) == 0) continue;
        void *handle = dlopen(c->file, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
        if (!handle) continue;
        found[n] = (struct gemm_library){.name = c->name, .file = c->file};
        if (strcmp(c->symbol, "dnnl_sgemm") == 0)
            symbol(&found[n].dnnl, handle, c->symbol);
        else
            symbol(&found[n].cblas, handle, c->symbol);
        if (!found[n].dnnl && !found[n].cblas) {
            dlclose(handle);
            continue;
        }
        read_version(&found[n], handle);
        switch_threads_off(handle);
        n++;
    }
    return n;
}

void gemm_library_call(const struct gemm_library *library, const struct gemm_call *p)
{
    enum { ROW_MAJOR = 101, PLAIN = 111, TRANSPOSED = 112 }; /* CBLAS */
    int threads = omp_get_max_threads();
    omp_set_num_threads(1); /* oneDNN asks OpenMP */
    if (library->dnnl)
        library->dnnl(p->a_transposed ? 'T' : 'N', p->b_transposed ? 'T' : 'N', p->m, p->n, p->k, 1, p->a, p->a_stride,
                      p->b, p->b_stride, 0, p->c, p->c_stride);
    else
        library->cblas(ROW_MAJOR, p->a_transposed ? TRANSPOSED : PLAIN, p->b_transposed ? TRANSPOSED : PLAIN, p->m,
                       p->n, p->k, 1, p->a, p->a_stride, p->b, p->b_stride, 0, p->c, p->c_stride);
    omp_set_num_threads(threads);
}
