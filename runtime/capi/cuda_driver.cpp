// SPDX-License-Identifier: Apache-2.0
#include "runtime/capi/cuda_driver.h"

#include <cstdlib>

#include <dlfcn.h>
#include <pthread.h>

namespace hidet::capi {

using package::Code;
using package::refuse;

namespace {

constexpr bool Sticky = true, Passing = false, Required = true, Optional = false;

struct ResultRow {
    int value;
    const char *name, *code;
    bool is_sticky;
    const char* meaning;
};
constexpr ResultRow result_rows[] = {
#define HIDET_CUDA_RESULT(value, name, code, sticky, meaning) {value, #name, code, sticky, meaning},
#include "runtime/cuda/results.def"
#undef HIDET_CUDA_RESULT
};

bool is_one_of(const char* code, const char* first, const char* second) {
    return std::strcmp(code, first) == 0 || std::strcmp(code, second) == 0;
}

Code code_of(const char* code) {
    if (std::strcmp(code, "out-of-device-memory") == 0)
        return Code::Memory;
    if (is_one_of(code, "no-gpu", "driver-missing"))
        return Code::Device;
    return is_one_of(code, "driver-too-old", "wrong-arch") ? Code::Unsupported : Code::Failed;
}

// Null: it cannot be loaded.
void* open_library(Problem& problem) {
    const char* const chosen = secure_getenv("HIDET_LIBCUDA");
    const char* const usual[] = {"libcuda.so.1", "/usr/local/nvidia/lib64/libcuda.so.1",
                                 "/usr/lib/wsl/lib/libcuda.so.1"};
    const bool is_chosen = chosen && *chosen;
    for (const char* name : usual) {
        if (void* library = dlopen(is_chosen ? chosen : name, RTLD_NOW | RTLD_LOCAL))
            return library;
        const char* const reason = dlerror();
        if (problem.code == Code::Ok) // that the others are not there either is no news
            refuse(problem, Code::Device, "no NVIDIA driver: ", is_chosen ? chosen : name, " cannot be loaded (",
                   reason ? reason : "unknown reason",
                   "); install the driver of the GPU, or say where it is with HIDET_LIBCUDA");
    }
    return nullptr;
}

// The first function that is not there, and is needed. Null: none.
const char* bind_driver(void* library, Api& api) {
#define HIDET_CUDA_FUNCTION(member, symbol, need, params)                                                              \
    api.member = reinterpret_cast<decltype(api.member)>(dlsym(library, #symbol));                                      \
    if (!api.member && need)                                                                                           \
        return #symbol;
#include "runtime/cuda/driver_functions.def"
#undef HIDET_CUDA_FUNCTION
    return nullptr;
}

template <class... Parts>
bool driver_too_old(Problem& problem, const Parts&... what) {
    return refuse(problem, Code::Unsupported, "the NVIDIA driver is too old: ", what..., "; CUDA ",
                  oldest_driver / 1000, ".", oldest_driver % 1000 / 10,
                  " is needed, which driver 525 and later have; update the driver");
}

bool is_new_enough(void* library, Driver& driver, Problem& problem) {
    const char* const absent = bind_driver(library, driver.api);
    const Api& api = driver.api;
    if (!api.init || !api.driver_get_version)
        return refuse(problem, Code::Device, "no NVIDIA driver: the library has no '", absent, "'");
    if (api.driver_get_version(&driver.version) == Status::Success && driver.version < oldest_driver)
        return driver_too_old(problem, "it supports CUDA ", driver.version / 1000, ".", driver.version % 1000 / 10);
    return !absent || driver_too_old(problem, "it has no '", absent, "'");
}

bool start_driver(const Driver& driver, Problem& problem) {
    const Status status = driver.api.init(0);
    if (status == Status::NoDevice)
        return refuse(problem, Code::Device, "the NVIDIA driver is there, but it sees no GPU");
    return succeeds(status, problem, "starting the NVIDIA driver");
}

pthread_mutex_t driver_mutex = PTHREAD_MUTEX_INITIALIZER;
Driver the_driver;
bool has_driver = false;

} // namespace

ResultWords words_of(Status status) {
    for (const ResultRow& row : result_rows)
        if (row.value == static_cast<int>(status))
            return {row.name, row.meaning, code_of(row.code),
                    is_one_of(row.code, "kernel-fault", "launch-failed") ||
                        std::strcmp(row.code, "kernel-timeout") == 0,
                    row.is_sticky};
    return {"a result without a name here", "the driver reports an error", Code::Failed, false, false};
}

const Driver* cuda_driver(Problem& problem) {
    problem.clear();
    pthread_mutex_lock(&driver_mutex);
    if (!has_driver) {
        void* const library = open_library(problem);
        const bool is_driver = library && is_new_enough(library, the_driver, problem);
        if (library && !is_driver)
            dlclose(library);
        has_driver = is_driver && start_driver(the_driver, problem);
    }
    const bool is_there = has_driver;
    pthread_mutex_unlock(&driver_mutex);
    return is_there ? &the_driver : nullptr;
}

} // namespace hidet::capi
