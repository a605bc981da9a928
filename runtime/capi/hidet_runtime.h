/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs compiled models: packages (x.hidet), as runtime/package/FORMAT.md describes them.
 *
 *     hidet_package* package;
 *     hidet_context* context;
 *     hidet_error error;
 *     hidet_context_options options = {.size = sizeof options, .device = {HIDET_CPU, 0}, .runs_native_code = 1};
 *     if (hidet_open_file("model.hidet", NULL, &package, &error) || hidet_create(package, &options, &context, &error) ||
 *         hidet_bind(context, inputs, 1, &error) || hidet_run(context, NULL, &error) ||
 *         hidet_read_output(context, 0, result, sizeof result, &error))
 *         fprintf(stderr, "%s\n", error.message);
 *
 * Every function that can fail returns a hidet_status and writes why into its last argument, which may be NULL. Nothing here
 * exits, throws, prints, or keeps memory after a failure. What was not made is NULL, and may be closed.
 *
 * Threads: a package may be used by many at once, and serves many contexts; a context by one at a time.
 *
 * The interface only grows: a struct begins with its size, which the caller sets, and what a caller does not know is as if it
 * were zero; so a program that was built with an older header goes on working.
 */
#ifndef HIDET_RUNTIME_H
#define HIDET_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HIDET_RUNTIME_VERSION 1

#if defined(__GNUC__)
#define HIDET_API __attribute__((visibility("default")))
#else
#define HIDET_API
#endif

typedef enum hidet_status {
    HIDET_OK = 0,
    HIDET_OUT_OF_MEMORY = 1,
    HIDET_DAMAGED = 2,       /* the file is no package, or not the bytes that were written */
    HIDET_OTHER_VERSION = 3, /* of the format: the message says which is there and which is read */
    HIDET_BAD_INPUT = 4,     /* a tensor does not fit what the model takes */
    HIDET_REFUSED = 5,       /* a requirement of the model does not hold, or a size cannot be */
    HIDET_UNSUPPORTED = 6,   /* this machine or this library cannot do it */
    HIDET_FAILED = 7,        /* what was run failed */
    HIDET_CANCELLED = 8,
    HIDET_NOT_TRUSTED = 9,   /* native code that was not allowed, or a signature that does not hold */
    HIDET_NO_FILE = 10,      /* it cannot be read */
    HIDET_BAD_ARGUMENT = 11, /* of a call: a programming mistake */
    HIDET_NO_DEVICE = 12     /* no driver, or no such device */
} hidet_status;

typedef struct hidet_error {
    int32_t status;
    char message[1020]; /* a lower-case sentence in UTF-8 */
} hidet_error;

/* Devices, dtypes and tensors are DLPack's, bit for bit: a DLTensor* may be given where a hidet_tensor* is wanted. */
enum { HIDET_CPU = 1, HIDET_CUDA = 2 };

typedef struct hidet_device {
    int32_t type; /* HIDET_CPU, HIDET_CUDA */
    int32_t id;
} hidet_device;

enum {
    HIDET_INT = 0,
    HIDET_UINT = 1,
    HIDET_FLOAT = 2,
    HIDET_BFLOAT = 4,
    HIDET_COMPLEX = 5,
    HIDET_BOOL = 6,
    HIDET_FLOAT8_E4M3FN = 10,
    HIDET_FLOAT8_E5M2 = 12
};

typedef struct hidet_dtype {
    uint8_t code;
    uint8_t bits;
    uint16_t lanes;
} hidet_dtype;

typedef struct hidet_tensor {
    void* data;
    hidet_device device;
    int32_t ndim;
    hidet_dtype dtype;
    int64_t* shape;
    int64_t* strides; /* in elements; NULL: row after row */
    uint64_t byte_offset;
} hidet_tensor;

typedef struct hidet_package hidet_package;
typedef struct hidet_context hidet_context;

/* The version of the interface that the library has. */
HIDET_API uint32_t hidet_runtime_version(void);

/* ---- packages ---- */

enum { HIDET_LOG_INFO = 0, HIDET_LOG_WARNING = 1 };

typedef struct hidet_open_options {
    size_t size; /* of this struct */
    /* What was chosen, and what was tried and did without: on the thread that calls. */
    void (*log)(void* self, int level, const char* message);
    void* log_self;
    /* Whether this signature is one of the manifest that the caller trusts: 0: no. With it, hidet_open_* also compares the
     * SHA-256 of every member, and refuses packages that are not signed. */
    int (*verify)(void* self, const void* manifest, size_t manifest_bytes, const void* signature,
                  size_t signature_bytes);
    void* verify_self;
} hidet_open_options;

/* Opening runs nothing of the package. The checksums of weights and code are compared when they are first used. */
HIDET_API hidet_status hidet_open_file(const char* path, const hidet_open_options* options, hidet_package** package,
                                       hidet_error* error);
/* The bytes stay where they are, and as they are, until the package and all its contexts are closed. */
HIDET_API hidet_status hidet_open_memory(const void* bytes, size_t count, const hidet_open_options* options,
                                         hidet_package** package, hidet_error* error);
/* Contexts of it live on. */
HIDET_API void hidet_close(hidet_package* package);

/* All checksums, of weights and code too, and every plan. */
HIDET_API hidet_status hidet_verify(hidet_package* package, hidet_error* error);

/* JSON: name, entries with inputs, outputs and what they are compiled for, how it was made. Valid until the package is
 * closed. */
HIDET_API const char* hidet_describe(const hidet_package* package);

/* ---- contexts: an entry of a package, ready to run on a device ---- */

typedef struct hidet_allocator {
    void* self;
    /* NULL: there is none left. Memory on the GPU is used on `stream` from then on. */
    void* (*allocate)(void* self, hidet_device device, size_t bytes, size_t alignment, void* stream);
    void (*release)(void* self, hidet_device device, void* data, size_t bytes, void* stream);
} hidet_allocator;

typedef struct hidet_step_time {
    const char* name; /* kernels, "+" between them */
    double microseconds;
} hidet_step_time;

/* What processes that share a model make of their tensors, row after row, in the memory of the CPU, or where the options say so of
 * the GPU. */
typedef struct hidet_exchange {
    const char* what;      /* "AllReduce", "AllGather", "ReduceScatter", "AllToAll", "BroadcastFrom" */
    const char* reduction; /* "sum", "prod", "min", "max", "avg"; "": nothing is reduced */
    int32_t root;          /* BroadcastFrom: whose tensor it is, by its place among those who exchange */
    int32_t size,
        step; /* who exchange: so many processes whose ranks are `step` apart; that of rank r has the place r / step % size */
    const hidet_tensor* given;
    const hidet_tensor* made; /* is written to */
    void* stream;             /* on a GPU: work that reads and writes the tensors goes there, and nobody waits for it */
} hidet_exchange;

typedef struct hidet_context_options {
    size_t size;       /* of this struct */
    const char* entry; /* NULL: the first */
    hidet_device device;
    int32_t runs_native_code; /* CPU: the package's machine code may be loaded into this process. Not 0: yes */
    int32_t threads;          /* CPU: 0: one for each processor that this process may use */
    /* CUDA: not 0: inputs on the GPU are copied at the beginning of each run, so that other addresses need no other graph. */
    int32_t copies_inputs;
    /* CUDA: not 0: indices among the inputs are not looked at, for which a run waits where they lie on the GPU. A kernel that meets
     * one that is outside reads nothing there, so that results are wrong and nothing is told. */
    int32_t trusts_indices;
    const hidet_allocator* allocator; /* NULL: aligned_alloc, cuMemAlloc. What it points at is copied */
    /* Called after each step with its time; the run then waits after each. */
    void (*profile)(void* self, const hidet_step_time* step);
    void* profile_self;
    /* Looked at before each step of a run that is not one CUDA graph. */
    int (*is_cancelled)(void* self);
    void* is_cancelled_self;
    void*
        stream; /* CUDA: on which weights are uploaded and runs are made unless they name another; NULL: one of its own */
    /* Of an entry "NAME.rankN", one process each, which all run alike: exchanges with the others, in a run. Not HIDET_OK: the run
     * fails, and the error says why. */
    hidet_status (*exchange)(void* self, const hidet_exchange* exchange, hidet_error* error);
    void* exchange_self;
    int exchanges_on_gpu; /* CUDA: 1: `exchange` takes tensors where they are, as NCCL does */
} hidet_context_options;

HIDET_API hidet_status hidet_create(hidet_package* package, const hidet_context_options* options,
                                    hidet_context** context, hidet_error* error);
HIDET_API void hidet_destroy(hidet_context* context);

typedef struct hidet_value_info {
    const char* name;
    hidet_dtype dtype;
    int32_t ndim;
    const int64_t* shape; /* -1: it depends on the inputs */
} hidet_value_info;

HIDET_API size_t hidet_input_count(const hidet_context* context);
HIDET_API size_t hidet_output_count(const hidet_context* context);
/* What they point at lives as long as the context. */
HIDET_API hidet_status hidet_input_info(const hidet_context* context, size_t input, hidet_value_info* info,
                                        hidet_error* error);
HIDET_API hidet_status hidet_output_info(const hidet_context* context, size_t output, hidet_value_info* info,
                                         hidet_error* error);

/* Inputs are row after row and stay the caller's. Those on the context's device are read where they are, at every run until
 * others are bound; those on the CPU, for a context on a GPU, are copied there at the beginning of each run. To bind others of
 * the same dtypes and shapes costs little. */
HIDET_API hidet_status hidet_bind(hidet_context* context, const hidet_tensor* inputs, size_t count, hidet_error* error);

/* On the CPU it has ended when it returns. On a GPU the work is in the stream (a CUstream; NULL: the context's own, which waits
 * for no other, so that inputs on the GPU have to be there before), and the
 * inputs are read as it goes; from the second run of what is bound on it is one CUDA graph where the model allows that. */
HIDET_API hidet_status hidet_run(hidet_context* context, void* stream, hidet_error* error);

/* On the context's device, until the next bind or destroy; the next run writes there again. */
HIDET_API hidet_status hidet_output(hidet_context* context, size_t output, hidet_tensor* tensor, hidet_error* error);
/* Copies to `to`, of the same dtype and shape, on the CPU or the context's device; in the stream of the last run. A copy to
 * the CPU has ended when it returns. */
HIDET_API hidet_status hidet_copy_output(hidet_context* context, size_t output, const hidet_tensor* to,
                                         hidet_error* error);
/* The same, to `bytes` of memory of the CPU. */
HIDET_API hidet_status hidet_read_output(hidet_context* context, size_t output, void* to, size_t bytes,
                                         hidet_error* error);
/* Waits for the last run. */
HIDET_API hidet_status hidet_wait(hidet_context* context, hidet_error* error);

typedef struct hidet_memory_use {
    uint64_t weights;     /* on the device, or mapped from the file; shared by the package's contexts there */
    uint64_t activations; /* of this context */
} hidet_memory_use;

HIDET_API void hidet_memory(const hidet_context* context, hidet_memory_use* use);
/* What runs it: "NVIDIA H200 (sm_90a)", "CPU, 8 threads (x86-64-v4)". */
HIDET_API const char* hidet_runs_on(const hidet_context* context);

#ifdef __cplusplus
}
#endif
#endif
