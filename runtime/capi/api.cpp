// SPDX-License-Identifier: Apache-2.0
// The C interface: what callers may give wrong is looked at here, the work is done by packages and contexts.
#include <cerrno>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/capi/context.h"

using namespace hidet;
using namespace hidet::capi;

namespace {

// ---- problems, as callers get them

hidet_status status_of(package::Code code) {
    using package::Code;
    switch (code) {
    case Code::Ok: return HIDET_OK;
    case Code::Memory: return HIDET_OUT_OF_MEMORY;
    case Code::Damaged: return HIDET_DAMAGED;
    case Code::Version: return HIDET_OTHER_VERSION;
    case Code::Input: return HIDET_BAD_INPUT;
    case Code::Refused: return HIDET_REFUSED;
    case Code::Unsupported: return HIDET_UNSUPPORTED;
    case Code::Failed: return HIDET_FAILED;
    case Code::Cancelled: return HIDET_CANCELLED;
    case Code::Untrusted: return HIDET_NOT_TRUSTED;
    case Code::File: return HIDET_NO_FILE;
    case Code::Argument: return HIDET_BAD_ARGUMENT;
    case Code::Device: return HIDET_NO_DEVICE;
    }
    return HIDET_FAILED;
}

// Of memory the message says only what it was for.
hidet_status failed(const package::Problem& problem, hidet_error* error) {
    const hidet_status status = problem.code == package::Code::Ok ? HIDET_FAILED : status_of(problem.code);
    if (!error)
        return status;
    error->status = status;
    package::TextWriter(error->message, sizeof error->message)
        .add(status == HIDET_OUT_OF_MEMORY ? "there is no memory left: " : "", package::text(problem.message));
    return status;
}

hidet_status fine(hidet_error* error) {
    if (error) {
        error->status = HIDET_OK;
        error->message[0] = '\0';
    }
    return HIDET_OK;
}

hidet_status ended(bool is_ok, const package::Problem& problem, hidet_error* error) {
    return is_ok ? fine(error) : failed(problem, error);
}

// ---- what callers give

Package& package_of(hidet_package* package) {
    return *reinterpret_cast<Package*>(package);
}
Context& context_of(hidet_context* context) {
    return *reinterpret_cast<Context*>(context);
}
const Context& context_of(const hidet_context* context) {
    return *reinterpret_cast<const Context*>(context);
}

// As much of the options as the caller's header has. False: their size is not set.
template <class T>
bool read_options(const T* given, T& options, Problem& problem) {
    options = {};
    options.size = sizeof options;
    if (!given)
        return true;
    if (given->size < sizeof given->size)
        return refuse(problem, package::Code::Argument, "the size of the options is not set");
    std::memcpy(&options, given, given->size < sizeof options ? given->size : sizeof options);
    return true;
}

bool missing(const char* what, Problem& problem) {
    return refuse(problem, package::Code::Argument, what, " is NULL");
}

bool open_bytes(Bytes bytes, void* mapping, const hidet_open_options* given, hidet_package** out, Problem& problem) {
    hidet_open_options options;
    if (!read_options(given, options, problem))
        return false;
    *out = reinterpret_cast<hidet_package*>(Package::open(bytes, mapping, options, problem));
    return *out != nullptr;
}

bool map_file(const char* path, Bytes& bytes, Problem& problem) {
    const auto unreadable = [&](const char* why) {
        return refuse(problem, package::Code::File, "'", path, "' cannot be read: ", why);
    };
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY); // nobody waits for the writer of a FIFO
    struct stat status = {};
    if (file < 0)
        return unreadable(std::strerror(errno));
    if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size <= 0) {
        close(file);
        return unreadable(S_ISREG(status.st_mode) ? "it is empty" : "it is no file");
    }
    const auto count = static_cast<std::size_t>(status.st_size);
    void* mapped = mmap(nullptr, count, PROT_READ, MAP_PRIVATE, file, 0);
    const int reason = errno;
    close(file);
    if (mapped == MAP_FAILED)
        return unreadable(std::strerror(reason));
    bytes = {static_cast<unsigned char*>(mapped), count};
    return true;
}

bool open_path(const char* path, const hidet_open_options* options, hidet_package** package, Problem& problem) {
    Bytes bytes;
    if (!map_file(path, bytes, problem))
        return false;
    auto* mapping = const_cast<unsigned char*>(bytes.data);
    if (open_bytes(bytes, mapping, options, package, problem))
        return true;
    munmap(mapping, bytes.count);
    return false;
}

} // namespace

uint32_t hidet_runtime_version(void) {
    return HIDET_RUNTIME_VERSION;
}

hidet_status hidet_open_file(const char* path, const hidet_open_options* options, hidet_package** package,
                             hidet_error* error) {
    Problem problem;
    if (!package)
        return ended(missing("package", problem), problem, error);
    *package = nullptr;
    return ended(path ? open_path(path, options, package, problem) : missing("path", problem), problem, error);
}

hidet_status hidet_open_memory(const void* bytes, size_t count, const hidet_open_options* options,
                               hidet_package** package, hidet_error* error) {
    Problem problem;
    if (!package)
        return ended(missing("package", problem), problem, error);
    *package = nullptr;
    const Bytes all{static_cast<const unsigned char*>(bytes), count};
    return ended(bytes ? open_bytes(all, nullptr, options, package, problem) : missing("bytes", problem), problem,
                 error);
}

void hidet_close(hidet_package* package) {
    if (package)
        package_of(package).drop();
}

hidet_status hidet_verify(hidet_package* package, hidet_error* error) {
    Problem problem;
    return ended(package ? package_of(package).verify(problem) : missing("package", problem), problem, error);
}

const char* hidet_describe(const hidet_package* package) {
    return package ? reinterpret_cast<const Package*>(package)->description() : "{}";
}

hidet_status hidet_create(hidet_package* package, const hidet_context_options* given, hidet_context** context,
                          hidet_error* error) {
    Problem problem;
    hidet_context_options options;
    if (!context)
        return ended(missing("context", problem), problem, error);
    *context = nullptr;
    if (!package || !given)
        return ended(missing(package ? "options" : "package", problem), problem, error);
    if (!read_options(given, options, problem))
        return failed(problem, error);
    if (options.allocator && (!options.allocator->allocate || !options.allocator->release))
        return ended(missing("a function of the allocator", problem), problem, error);
    *context = reinterpret_cast<hidet_context*>(Context::create(package_of(package), options, problem));
    return ended(*context != nullptr, problem, error);
}

void hidet_destroy(hidet_context* context) {
    if (context)
        context_of(context).destroy();
}

size_t hidet_input_count(const hidet_context* context) {
    return context ? context_of(context).plan().inputs.size() : 0;
}

size_t hidet_output_count(const hidet_context* context) {
    return context ? context_of(context).plan().outputs.size() : 0;
}

hidet_status hidet_input_info(const hidet_context* context, size_t input, hidet_value_info* info, hidet_error* error) {
    Problem problem;
    if (!context || !info)
        return ended(missing(context ? "info" : "context", problem), problem, error);
    return ended(context_of(context).input_info(input, *info, problem), problem, error);
}

hidet_status hidet_output_info(const hidet_context* context, size_t output, hidet_value_info* info,
                               hidet_error* error) {
    Problem problem;
    if (!context || !info)
        return ended(missing(context ? "info" : "context", problem), problem, error);
    return ended(context_of(context).output_info(output, *info, problem), problem, error);
}

hidet_status hidet_bind(hidet_context* context, const hidet_tensor* inputs, size_t count, hidet_error* error) {
    Problem problem;
    return ended(context ? context_of(context).bind(inputs, count, problem) : missing("context", problem), problem,
                 error);
}

hidet_status hidet_run(hidet_context* context, void* stream, hidet_error* error) {
    Problem problem;
    return ended(context ? context_of(context).run(stream, problem) : missing("context", problem), problem, error);
}

hidet_status hidet_output(hidet_context* context, size_t output, hidet_tensor* tensor, hidet_error* error) {
    Problem problem;
    if (!context || !tensor)
        return ended(missing(context ? "tensor" : "context", problem), problem, error);
    return ended(context_of(context).output(output, *tensor, problem), problem, error);
}

hidet_status hidet_copy_output(hidet_context* context, size_t output, const hidet_tensor* to, hidet_error* error) {
    Problem problem;
    if (!context || !to)
        return ended(missing(context ? "to" : "context", problem), problem, error);
    return ended(context_of(context).copy_output(output, *to, problem), problem, error);
}

hidet_status hidet_read_output(hidet_context* context, size_t output, void* to, size_t bytes, hidet_error* error) {
    Problem problem;
    if (!context || (!to && bytes > 0))
        return ended(missing(context ? "to" : "context", problem), problem, error);
    return ended(context_of(context).read_output(output, to, bytes, problem), problem, error);
}

hidet_status hidet_wait(hidet_context* context, hidet_error* error) {
    Problem problem;
    return ended(context ? context_of(context).wait(problem) : missing("context", problem), problem, error);
}

void hidet_memory(const hidet_context* context, hidet_memory_use* use) {
    if (use)
        *use = context ? hidet_memory_use{context_of(context).device().weight_bytes,
                                          context_of(context).device().activation_bytes}
                       : hidet_memory_use{};
}

const char* hidet_runs_on(const hidet_context* context) {
    return context ? context_of(context).device().name : "";
}
