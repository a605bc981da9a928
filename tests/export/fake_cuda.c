/* SPDX-License-Identifier: Apache-2.0 */
/* A driver that launches nothing: exported launchers call it as libcuda.so.1. What they ask for is written to the file that
 * FAKE_CUDA_LOG names, a line each. A kernel called vector_add is computed, on host memory, for floats. FAKE_CUDA_REFUSES names a
 * function that fails, with error 999. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct attribute {
    int id, pad;
    union {
        unsigned dims[3];
        int flag;
        uint64_t words[8];
    } value;
};
struct config {
    unsigned grid[3], block[3], shared;
    void* stream;
    struct attribute* attributes;
    unsigned count;
};

static char g_names[64][128];
static int g_count;
static int g_context = 1;

static int begin(const char* function)
{
    const char* refused = getenv("FAKE_CUDA_REFUSES");
    return refused && !strcmp(refused, function) ? 999 : 0;
}

static FILE* log_file(void)
{
    const char* path = getenv("FAKE_CUDA_LOG");
    return fopen(path ? path : "/dev/null", "a");
}

int cuInit(unsigned flags)
{
    (void)flags;
    return begin("cuInit");
}

int cuLibraryLoadData(void** library, const void* image, int* a, void** b, unsigned c, int* d, void** e, unsigned f)
{
    const unsigned char* bytes = image;
    (void)a, (void)b, (void)c, (void)d, (void)e, (void)f;
    if (memcmp(bytes, "\177ELF", 4) && memcmp(bytes, "\x50\xed\x55\xba", 4))
        return 200;
    *library = (void*)bytes;
    return begin("cuLibraryLoadData");
}

int cuLibraryUnload(void* library)
{
    (void)library;
    return 0;
}

int cuLibraryGetKernel(void** kernel, void* library, const char* name)
{
    (void)library;
    snprintf(g_names[g_count % 64], sizeof g_names[0], "%s", name);
    *kernel = g_names[g_count++ % 64];
    return begin("cuLibraryGetKernel");
}

int cuKernelSetAttribute(int attribute, int value, void* kernel, int device)
{
    FILE* log = log_file();
    fprintf(log, "set %s attribute %d to %d on GPU %d\n", (const char*)kernel, attribute, value, device);
    fclose(log);
    return begin("cuKernelSetAttribute");
}

int cuCtxGetDevice(int* device)
{
    *device = 0;
    return g_context ? 0 : 201;
}

int cuCtxGetCurrent(void** context)
{
    *context = g_context ? (void*)&g_context : NULL;
    return 0;
}

int cuDeviceGet(int* device, int ordinal)
{
    *device = ordinal;
    return ordinal ? 101 : 0;
}

int cuDevicePrimaryCtxRetain(void** context, int device)
{
    (void)device;
    *context = &g_context;
    return 0;
}

int cuCtxSetCurrent(void* context)
{
    g_context = context != NULL;
    return 0;
}

int cuTensorMapEncodeTiled(void* map, int type, unsigned rank, void* address, const uint64_t* extents, const uint64_t* strides, const unsigned* box,
                           const unsigned* steps, int interleave, int swizzle, int promotion, int fill)
{
    FILE* log = log_file();
    unsigned d;
    (void)steps, (void)fill;
    fprintf(log, "map of type %d, %d %d %d:", type, interleave, swizzle, promotion);
    for (d = 0; d < rank; ++d)
        fprintf(log, " %llu by %u", (unsigned long long)extents[d], box[d]);
    for (d = 0; d + 1 < rank; ++d)
        fprintf(log, " step %llu", (unsigned long long)strides[d]);
    fprintf(log, "\n");
    fclose(log);
    memset(map, 0, 128);
    memcpy(map, &address, sizeof address);
    return (uintptr_t)map % 64 ? 1 : begin("cuTensorMapEncodeTiled");
}

int cuTensorMapEncodeIm2col(void)
{
    return 801;
}

int cuMemAlloc_v2(uint64_t* address, size_t bytes)
{
    void* memory = NULL;
    const int failed = posix_memalign(&memory, 256, bytes);
    *address = (uint64_t)(uintptr_t)memory;
    return failed ? 2 : begin("cuMemAlloc_v2");
}

int cuMemcpyHtoD_v2(uint64_t to, const void* from, size_t bytes)
{
    memcpy((void*)(uintptr_t)to, from, bytes);
    return 0;
}

int cuMemcpyDtoH_v2(void* to, uint64_t from, size_t bytes)
{
    memcpy(to, (const void*)(uintptr_t)from, bytes);
    return 0;
}

int cuLaunchKernelEx(const struct config* config, void* kernel, void** arguments, void** extra)
{
    FILE* log = log_file();
    unsigned i;
    (void)extra;
    fprintf(log, "launch %s grid %u %u %u block %u %u %u shared %u stream %d", (const char*)kernel, config->grid[0], config->grid[1], config->grid[2],
            config->block[0], config->block[1], config->block[2], config->shared, config->stream != NULL);
    for (i = 0; i < config->count; ++i)
        if (config->attributes[i].id == 4)
            fprintf(log, " cluster %u %u %u", config->attributes[i].value.dims[0], config->attributes[i].value.dims[1],
                    config->attributes[i].value.dims[2]);
        else
            fprintf(log, " attribute %d", config->attributes[i].id);
    fprintf(log, "\n");
    fclose(log);
    if (!g_context)
        return 201;
    if (!strcmp(kernel, "vector_add")) {
        const float *a = *(float**)arguments[0], *b = *(float**)arguments[1];
        float* c = *(float**)arguments[2];
        for (i = 0; i < config->grid[0] * config->block[0] && i < 1000; ++i)
            c[i] = a[i] + b[i];
    }
    return begin("cuLaunchKernelEx");
}
