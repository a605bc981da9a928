// SPDX-License-Identifier: Apache-2.0
#include "runtime/cuda/library.h"

#include <cstdlib>

#include <dlfcn.h>

namespace hidet::cuda {

std::vector<std::string> driver_places(const std::string& name) {
    return {name, "/usr/local/nvidia/lib64/" + name, "/usr/lib/wsl/lib/" + name};
}

Library::Library(const char* variable, const std::vector<std::string>& names) {
    std::vector<std::string> tried;
    if (const char* chosen = std::getenv(variable); chosen && *chosen)
        tried.push_back(chosen);
    else
        tried = names;
    for (const std::string& name : tried) {
        m_handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (!m_handle)
            continue;
        m_path = name;
        return;
    }
}

void* Library::symbol(const char* name) const {
    return m_handle ? dlsym(m_handle, name) : nullptr;
}

} // namespace hidet::cuda
