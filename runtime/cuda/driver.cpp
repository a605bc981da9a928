// SPDX-License-Identifier: Apache-2.0
#include "runtime/cuda/driver.h"

#include <cstdlib>
#include <vector>

#include <dlfcn.h>

#include "lang/base/text.h"
#include "runtime/cuda/library.h"

namespace hidet::cuda {

namespace {

constexpr const char* emulate_advice = "kernels can be emulated: --target emulate";

std::vector<std::string> candidates(const std::string& path) {
    if (!path.empty())
        return {path};
    const char* variable = std::getenv("HIDET_LIBCUDA");
    return variable && *variable ? std::vector<std::string>{variable} : driver_places("libcuda.so.1");
}

Error missing(const std::string& path, const std::string& why) {
    return {"driver-missing",
            cat("no NVIDIA driver: ", path, " cannot be loaded (", why,
                "); install the driver of the GPU, or say where it is with HIDET_LIBCUDA; ", emulate_advice)};
}

Error too_old(const std::string& what) {
    return {"driver-too-old", cat("the NVIDIA driver is too old: ", what, "; CUDA ", version_text(oldest_driver),
                                  " is needed, which driver 525 and later have; update the driver; ", emulate_advice)};
}

Error no_gpu(const std::string& what) {
    const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
    std::string hint = visible ? cat(" (CUDA_VISIBLE_DEVICES is '", visible, "')") : std::string();
    return {"no-gpu", cat(what, hint, "; ", emulate_advice)};
}

Error init_error(Status status) {
    if (status == Status::NoDevice)
        return no_gpu("the NVIDIA driver is there, but it sees no GPU");
    Error error = error_of(status, "starting the NVIDIA driver");
    error.message += cat("; ", emulate_advice);
    return error;
}

} // namespace

Driver::~Driver() {
    // The library stays loaded: the driver has threads and exit handlers of its own.
}

std::string Driver::bind() {
#define HIDET_CUDA_FUNCTION(member, symbol, need, params)                                                              \
    m_api.member = reinterpret_cast<decltype(m_api.member)>(dlsym(m_library, #symbol));                                \
    if (!m_api.member && need)                                                                                         \
        return #symbol;
    constexpr bool Required = true, Optional = false;
#include "runtime/cuda/driver_functions.def"
#undef HIDET_CUDA_FUNCTION
    return {};
}

Result<std::shared_ptr<const Driver>> Driver::load(const std::string& path) {
    std::shared_ptr<Driver> driver(new Driver);
    std::vector<std::string> places = candidates(path);
    std::string why;
    for (const std::string& place : places) {
        driver->m_library = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL);
        driver->m_path = place;
        if (driver->m_library)
            break;
        const char* reason = dlerror();
        if (why.empty()) // of the usual name: that the others are not there either is no news
            why = reason ? reason : "unknown reason";
    }
    if (!driver->m_library)
        return missing(places.front(), why);
    std::string absent = driver->bind();
    const Api& api = driver->m_api;
    if (!api.init || !api.driver_get_version)
        return Error{"driver-missing", cat(driver->m_path, " is not an NVIDIA driver: it has no '", absent, "'")};
    if (api.driver_get_version(&driver->m_version) == Status::Success && driver->m_version < oldest_driver)
        return too_old(cat("it supports CUDA ", version_text(driver->m_version)));
    if (!absent.empty())
        return too_old(cat("it has no '", absent, "'"));
    if (Status status = api.init(0); status != Status::Success)
        return init_error(status);
    int count = 0;
    if (Status status = api.device_get_count(&count); status != Status::Success)
        return init_error(status);
    if (count == 0)
        return no_gpu("the NVIDIA driver is there, but it sees no GPU");
    return std::shared_ptr<const Driver>(std::move(driver));
}

} // namespace hidet::cuda
