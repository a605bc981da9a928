/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A library in the place of libhidet_runtime.so.1, for the tests of what stands on its interface: no packages, no compiler, no
 * GPU, and every status on demand. Its "packages" are text files: the line "hidet fake package", then lines of words:
 *
 *     targets cpu cuda      what there is code for; the "GPU" is memory of the CPU, there where HIDET_FAKE_GPU is set
 *     fail NAME STATUS      the function hidet_NAME fails with this status
 *     signature HEX         Ed25519 of all that stands before this line
 *
 * The entry "main" takes x, float32[-1, 3], and k, int64[]: "scaled" is k times x, "rows" the number of rows. The entry
 * "same" takes and gives every dtype, in vectors of any length. "rows" gives what it takes, float32[-1, 3], and fails where a
 * row begins with a negative number.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/capi/hidet_runtime.h"

enum { most_values = 12, most_dimensions = 2, most_text = 1 << 16 };

struct value {
    const char* name;
    hidet_dtype dtype;
    int32_t ndim;
    int64_t shape[most_dimensions];
};

struct entry {
    const char* name;
    size_t inputs, outputs;
    struct value input[most_values], output[most_values];
};

#define SAME_VALUES                                                                                                    \
    {"bool", {HIDET_BOOL, 8, 1}, 1, {-1}}, {"int8", {HIDET_INT, 8, 1}, 1, {-1}}, {"int16", {HIDET_INT, 16, 1}, 1, {-1}},    \
        {"int32", {HIDET_INT, 32, 1}, 1, {-1}}, {"int64", {HIDET_INT, 64, 1}, 1, {-1}},                                  \
        {"uint8", {HIDET_UINT, 8, 1}, 1, {-1}}, {"uint16", {HIDET_UINT, 16, 1}, 1, {-1}},                                \
        {"uint32", {HIDET_UINT, 32, 1}, 1, {-1}}, {"float16", {HIDET_FLOAT, 16, 1}, 1, {-1}},                            \
        {"bfloat16", {HIDET_BFLOAT, 16, 1}, 1, {-1}}, {"float32", {HIDET_FLOAT, 32, 1}, 1, {-1}}, {                      \
        "float64", {HIDET_FLOAT, 64, 1}, 1, { -1 }                                                                      \
    }

static const struct entry entries[] = {
    {"main",
     2,
     2,
     {{"x", {HIDET_FLOAT, 32, 1}, 2, {-1, 3}}, {"k", {HIDET_INT, 64, 1}, 0, {0}}},
     {{"scaled", {HIDET_FLOAT, 32, 1}, 2, {-1, 3}}, {"rows", {HIDET_INT, 64, 1}, 0, {0}}}},
    {"same", most_values, most_values, {SAME_VALUES}, {SAME_VALUES}},
    {"rows", 1, 1, {{"a", {HIDET_FLOAT, 32, 1}, 2, {-1, 3}}}, {{"b", {HIDET_FLOAT, 32, 1}, 2, {-1, 3}}}},
};
enum { entry_count = 3 };

struct hidet_package {
    char text[most_text], description[most_text];
    hidet_open_options options;
    int users, has_cpu, has_cuda;
};

struct held {
    void* data;
    size_t bytes;
    int64_t shape[most_dimensions];
};

struct hidet_context {
    hidet_package* package;
    const struct entry* entry;
    hidet_context_options options;
    hidet_allocator allocator;
    hidet_tensor bound[most_values];
    struct held input[most_values], output[most_values];
    int is_bound, has_run;
    void* stream;
    char runs_on[64];
};

static hidet_status fail(hidet_error* error, hidet_status status, const char* message) {
    if (error) {
        error->status = status;
        snprintf(error->message, sizeof error->message, "%s", message);
    }
    return status;
}

/* Whether the package says that this function fails. */
static hidet_status asked_to_fail(const hidet_package* package, const char* function, hidet_error* error) {
    char words[64], message[128];
    snprintf(words, sizeof words, "\nfail %s ", function);
    const char* found = strstr(package->text, words);
    if (!found)
        return HIDET_OK;
    snprintf(message, sizeof message, "%s was asked to fail", function);
    return fail(error, (hidet_status)atoi(found + strlen(words)), message);
}

uint32_t hidet_runtime_version(void) { return HIDET_RUNTIME_VERSION; }

/* ---- packages ---- */

static const char* dtype_name(hidet_dtype dtype) {
    static char name[16];
    const char* kinds[] = {"int", "uint", "float", "", "bfloat", "complex", "bool"};
    if (dtype.code == HIDET_BOOL)
        return "bool";
    snprintf(name, sizeof name, "%s%d", kinds[dtype.code], dtype.bits);
    return name;
}

static size_t describe_values(char* to, const struct value* values, size_t count) {
    size_t at = 0;
    for (size_t i = 0; i < count; ++i) {
        at += (size_t)sprintf(to + at, "%s{\"name\": \"%s\", \"dtype\": \"%s\", \"shape\": [", i ? ", " : "",
                              values[i].name, dtype_name(values[i].dtype));
        for (int d = 0; d < values[i].ndim; ++d)
            at += (size_t)sprintf(to + at, "%s%lld", d ? ", " : "", (long long)values[i].shape[d]);
        at += (size_t)sprintf(to + at, "]%s}",
                              values[i].ndim == 0   ? ""
                              : values[i].ndim == 1 ? ", \"dimensions\": [\"n\"]"
                                                    : ", \"dimensions\": [\"n\", \"3\"]");
    }
    return at;
}

static char* describe_target(char* to, const char* target, const char* architecture, const char* comma) {
    return to + sprintf(to,
                        "%s{\"target\": \"%s\", \"architecture\": \"%s\", \"steps\": 1, \"weightBytes\": 4096, \"code\": "
                        "[{\"kind\": \"object\", \"architecture\": \"%s\"}]}",
                        comma, target, architecture, architecture);
}

/* As the real library describes packages, so that programs that read it can be tested. */
static void describe(hidet_package* package) {
    char* to = package->description;
    to += sprintf(to, "{\"format\": 1, \"name\": \"fake\", \"writer\": \"a test\", \"signed\": %s, \"entries\": [",
                  strstr(package->text, "\nsignature ") ? "true" : "false");
    for (int i = 0; i < entry_count; ++i) {
        to += sprintf(to, "%s{\"name\": \"%s\", \"inputs\": [", i ? ", " : "", entries[i].name);
        to += describe_values(to, entries[i].input, entries[i].inputs);
        to += sprintf(to, "], \"outputs\": [");
        to += describe_values(to, entries[i].output, entries[i].outputs);
        to += sprintf(to, "], \"targets\": [");
        if (package->has_cuda)
            to = describe_target(to, "cuda", "sm_90a", "");
        if (package->has_cpu)
            to = describe_target(to, "cpu", "x86-64", package->has_cuda ? ", " : "");
        to += sprintf(to, "]}");
    }
    sprintf(to, "], \"facts\": {\"precision\": \"float32\"}, \"members\": [{\"name\": \"weights.bin\", \"bytes\": 4096}]}");
}

static size_t from_hex(const char* text, unsigned char* bytes, size_t most) {
    size_t count = 0;
    unsigned value;
    while (count < most && sscanf(text + 2 * count, "%2x", &value) == 1)
        bytes[count++] = (unsigned char)value;
    return count;
}

static hidet_status check_signature(hidet_package* package, hidet_error* error) {
    unsigned char signature[64];
    const char* line = strstr(package->text, "\nsignature ");
    if (!package->options.verify)
        return HIDET_OK;
    if (!line)
        return fail(error, HIDET_NOT_TRUSTED, "the package is not signed");
    size_t bytes = from_hex(line + 11, signature, sizeof signature);
    if (!package->options.verify(package->options.verify_self, package->text, (size_t)(line - package->text) + 1, signature, bytes))
        return fail(error, HIDET_NOT_TRUSTED, "the signature is not one of this package by the given key");
    return HIDET_OK;
}

hidet_status hidet_open_memory(const void* bytes, size_t count, const hidet_open_options* options, hidet_package** package,
                               hidet_error* error) {
    *package = NULL;
    if (count >= most_text || count < 18 || memcmp(bytes, "hidet fake package", 18) != 0)
        return fail(error, HIDET_DAMAGED, "this is no package");
    hidet_package* made = calloc(1, sizeof *made);
    if (!made)
        return fail(error, HIDET_OUT_OF_MEMORY, "no memory for the package");
    memcpy(made->text, bytes, count);
    if (options)
        made->options = *options;
    made->users = 1;
    const char* targets = strstr(made->text, "\ntargets ");
    made->has_cpu = targets && strstr(targets, " cpu") != NULL;
    made->has_cuda = targets && strstr(targets, " cuda") != NULL;
    describe(made);
    hidet_status status = asked_to_fail(made, "open", error);
    if (!status)
        status = check_signature(made, error);
    if (status) {
        free(made);
        return status;
    }
    if (made->options.log)
        made->options.log(made->options.log_self, HIDET_LOG_INFO, "opened a fake package");
    *package = made;
    return HIDET_OK;
}

hidet_status hidet_open_file(const char* path, const hidet_open_options* options, hidet_package** package, hidet_error* error) {
    char text[most_text], message[512];
    *package = NULL;
    FILE* file = fopen(path, "rb");
    if (!file) {
        snprintf(message, sizeof message, "cannot read '%s'", path);
        return fail(error, HIDET_NO_FILE, message);
    }
    size_t count = fread(text, 1, sizeof text, file);
    fclose(file);
    return hidet_open_memory(text, count, options, package, error);
}

void hidet_close(hidet_package* package) {
    if (package && __atomic_sub_fetch(&package->users, 1, __ATOMIC_ACQ_REL) == 0)
        free(package);
}

hidet_status hidet_verify(hidet_package* package, hidet_error* error) { return asked_to_fail(package, "verify", error); }
const char* hidet_describe(const hidet_package* package) { return package->description; }

/* ---- contexts ---- */

static const struct entry* find_entry(const char* name) {
    for (int i = 0; i < entry_count; ++i)
        if (!name || strcmp(name, entries[i].name) == 0)
            return &entries[i];
    return NULL;
}

static hidet_status check_device(const hidet_package* package, const hidet_context_options* options, hidet_error* error) {
    if (options->device.type == HIDET_CUDA) {
        if (!package->has_cuda)
            return fail(error, HIDET_UNSUPPORTED, "the package has no code for GPUs");
        if (!getenv("HIDET_FAKE_GPU") || options->device.id != 0)
            return fail(error, HIDET_NO_DEVICE, "there is no such GPU");
        return HIDET_OK;
    }
    if (!package->has_cpu)
        return fail(error, HIDET_UNSUPPORTED, "the package has no code for CPUs");
    if (!options->runs_native_code)
        return fail(error, HIDET_NOT_TRUSTED, "native code of the package was not allowed");
    return HIDET_OK;
}

hidet_status hidet_create(hidet_package* package, const hidet_context_options* options, hidet_context** context,
                          hidet_error* error) {
    *context = NULL;
    const struct entry* entry = find_entry(options->entry);
    if (!entry)
        return fail(error, HIDET_BAD_ARGUMENT, "the package has no such entry: it has main, same, rows");
    hidet_status status = asked_to_fail(package, "create", error);
    if (!status)
        status = check_device(package, options, error);
    if (status)
        return status;
    hidet_context* made = calloc(1, sizeof *made);
    if (!made)
        return fail(error, HIDET_OUT_OF_MEMORY, "no memory for the context");
    made->package = package;
    made->entry = entry;
    made->options = *options;
    if (options->allocator)
        made->allocator = *options->allocator;
    snprintf(made->runs_on, sizeof made->runs_on, options->device.type == HIDET_CUDA ? "fake GPU" : "fake CPU, %d threads",
             options->threads ? options->threads : 1);
    __atomic_add_fetch(&package->users, 1, __ATOMIC_RELAXED);
    *context = made;
    return HIDET_OK;
}

static void* take(hidet_context* context, size_t bytes) {
    if (context->allocator.allocate)
        return context->allocator.allocate(context->allocator.self, context->options.device, bytes, 64, context->stream);
    return aligned_alloc(64, (bytes + 64) / 64 * 64);
}

static void give_back(hidet_context* context, struct held* held) {
    if (held->data && context->allocator.allocate)
        context->allocator.release(context->allocator.self, context->options.device, held->data, held->bytes, context->stream);
    else
        free(held->data);
    held->data = NULL;
}

static void unbind(hidet_context* context) {
    for (size_t i = 0; i < most_values; ++i)
        give_back(context, &context->output[i]);
    context->is_bound = context->has_run = 0;
}

void hidet_destroy(hidet_context* context) {
    if (!context)
        return;
    unbind(context);
    hidet_close(context->package);
    free(context);
}

size_t hidet_input_count(const hidet_context* context) { return context->entry->inputs; }
size_t hidet_output_count(const hidet_context* context) { return context->entry->outputs; }

static hidet_status info_of(const struct value* values, size_t count, size_t index, hidet_value_info* info, hidet_error* error) {
    if (index >= count)
        return fail(error, HIDET_BAD_ARGUMENT, "there is no such value");
    *info = (hidet_value_info){values[index].name, values[index].dtype, values[index].ndim, values[index].shape};
    return HIDET_OK;
}

hidet_status hidet_input_info(const hidet_context* context, size_t input, hidet_value_info* info, hidet_error* error) {
    return info_of(context->entry->input, context->entry->inputs, input, info, error);
}
hidet_status hidet_output_info(const hidet_context* context, size_t output, hidet_value_info* info, hidet_error* error) {
    return info_of(context->entry->output, context->entry->outputs, output, info, error);
}

static size_t bytes_of(const struct value* value, const int64_t* shape) {
    size_t bytes = value->dtype.bits / 8;
    for (int32_t d = 0; d < value->ndim; ++d)
        bytes *= (size_t)shape[d];
    return bytes;
}

static const char* misfit(const hidet_context* context, const hidet_tensor* tensor, const struct value* value) {
    if (memcmp(&tensor->dtype, &value->dtype, sizeof value->dtype) != 0)
        return "has another dtype";
    if (tensor->ndim != value->ndim)
        return "has another number of dimensions";
    for (int32_t d = 0; d < value->ndim; ++d)
        if (value->shape[d] >= 0 && value->shape[d] != tensor->shape[d])
            return "has another shape";
    if (tensor->device.type != HIDET_CPU && tensor->device.type != context->options.device.type)
        return "is on another device";
    return NULL;
}

static hidet_status make_output(hidet_context* context, size_t output, hidet_error* error) {
    struct held* held = &context->output[output];
    const struct value* value = &context->entry->output[output];
    const hidet_tensor* like = &context->bound[value->ndim ? output : 0];
    for (int32_t d = 0; d < value->ndim; ++d)
        held->shape[d] = like->shape[d];
    held->bytes = bytes_of(value, held->shape);
    held->data = take(context, held->bytes);
    return held->data ? HIDET_OK : fail(error, HIDET_OUT_OF_MEMORY, "no memory for results");
}

hidet_status hidet_bind(hidet_context* context, const hidet_tensor* inputs, size_t count, hidet_error* error) {
    char message[256];
    hidet_status status = asked_to_fail(context->package, "bind", error);
    if (status)
        return status;
    if (count != context->entry->inputs)
        return fail(error, HIDET_BAD_INPUT, "the model takes another number of inputs");
    for (size_t i = 0; i < count; ++i) {
        const char* why = misfit(context, &inputs[i], &context->entry->input[i]);
        if (why) {
            snprintf(message, sizeof message, "input '%s' %s", context->entry->input[i].name, why);
            return fail(error, HIDET_BAD_INPUT, message);
        }
    }
    unbind(context);
    for (size_t i = 0; i < count; ++i) {
        context->bound[i] = inputs[i];
        for (int32_t d = 0; d < inputs[i].ndim; ++d)
            context->input[i].shape[d] = inputs[i].shape[d];
        context->bound[i].shape = context->input[i].shape;
    }
    for (size_t i = 0; i < context->entry->outputs; ++i)
        if ((status = make_output(context, i, error)))
            return status;
    context->is_bound = 1;
    return HIDET_OK;
}

static const void* data_of(const hidet_tensor* tensor) { return (const char*)tensor->data + tensor->byte_offset; }

static void run_main(hidet_context* context) {
    int64_t rows = context->bound[0].shape[0];
    const float* x = data_of(&context->bound[0]);
    int64_t k = *(const int64_t*)data_of(&context->bound[1]);
    for (int64_t i = 0; i < rows * 3; ++i)
        ((float*)context->output[0].data)[i] = (float)k * x[i];
    memcpy(context->output[1].data, &rows, sizeof rows);
}

static int has_negative_row(const hidet_context* context) {
    const float* a = data_of(&context->bound[0]);
    for (int64_t i = 0; i < context->bound[0].shape[0]; ++i)
        if (a[3 * i] < 0)
            return 1;
    return 0;
}

hidet_status hidet_run(hidet_context* context, void* stream, hidet_error* error) {
    if (!context->is_bound)
        return fail(error, HIDET_BAD_ARGUMENT, "nothing is bound");
    hidet_status status = asked_to_fail(context->package, "run", error);
    if (status)
        return status;
    if (context->options.is_cancelled && context->options.is_cancelled(context->options.is_cancelled_self))
        return fail(error, HIDET_CANCELLED, "cancelled");
    context->stream = stream;
    if (context->entry == entries + 2 && has_negative_row(context))
        return fail(error, HIDET_FAILED, "a row begins with a negative number");
    if (context->entry == entries)
        run_main(context);
    else
        for (size_t i = 0; i < context->entry->outputs; ++i)
            memcpy(context->output[i].data, data_of(&context->bound[i]), context->output[i].bytes);
    context->has_run = 1;
    if (context->options.profile) {
        hidet_step_time step = {"scale", 12.5};
        context->options.profile(context->options.profile_self, &step);
    }
    return HIDET_OK;
}

static hidet_status result_of(hidet_context* context, size_t output, hidet_error* error) {
    if (output >= context->entry->outputs)
        return fail(error, HIDET_BAD_ARGUMENT, "there is no such output");
    return context->has_run ? HIDET_OK : fail(error, HIDET_BAD_ARGUMENT, "nothing has run");
}

hidet_status hidet_output(hidet_context* context, size_t output, hidet_tensor* tensor, hidet_error* error) {
    hidet_status status = result_of(context, output, error);
    if (status)
        return status;
    const struct value* value = &context->entry->output[output];
    struct held* held = &context->output[output];
    *tensor = (hidet_tensor){held->data, context->options.device, value->ndim, value->dtype, held->shape, NULL, 0};
    return HIDET_OK;
}

hidet_status hidet_copy_output(hidet_context* context, size_t output, const hidet_tensor* to, hidet_error* error) {
    hidet_tensor from;
    hidet_status status = hidet_output(context, output, &from, error);
    if (status)
        return status;
    if (memcmp(&to->dtype, &from.dtype, sizeof from.dtype) != 0 || to->ndim != from.ndim ||
        (to->ndim && memcmp(to->shape, from.shape, (size_t)to->ndim * sizeof *to->shape) != 0))
        return fail(error, HIDET_BAD_ARGUMENT, "the copy has another dtype or shape");
    memcpy((char*)to->data + to->byte_offset, from.data, context->output[output].bytes);
    return HIDET_OK;
}

hidet_status hidet_read_output(hidet_context* context, size_t output, void* to, size_t bytes, hidet_error* error) {
    hidet_status status = result_of(context, output, error);
    if (status)
        return status;
    if (bytes != context->output[output].bytes)
        return fail(error, HIDET_BAD_ARGUMENT, "the output has another number of bytes");
    memcpy(to, context->output[output].data, bytes);
    return HIDET_OK;
}

hidet_status hidet_wait(hidet_context* context, hidet_error* error) { return asked_to_fail(context->package, "wait", error); }

void hidet_memory(const hidet_context* context, hidet_memory_use* use) {
    use->weights = 4096;
    use->activations = context->is_bound ? 128 : 0;
}

const char* hidet_runs_on(const hidet_context* context) { return context->runs_on; }
