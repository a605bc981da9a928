// SPDX-License-Identifier: Apache-2.0
// A shared library that may be there or not.
#pragma once

#include <string>
#include <vector>

namespace hidet::cuda {

// Where a library of the driver lies: by its name alone, and in the folders of containers and of Windows' Linux that not
// every loader knows.
std::vector<std::string> driver_places(const std::string& name);

class Library {
public:
    // The first of the names or paths that can be loaded; a variable of the environment that is set goes before them.
    Library(const char* variable, const std::vector<std::string>& names);
    explicit operator bool() const { return m_handle != nullptr; }
    const std::string& path() const { return m_path; }
    void* symbol(const char* name) const;
    template <class F>
    bool bind(F& function, const char* name) const {
        function = reinterpret_cast<F>(symbol(name));
        return function != nullptr;
    }

private:
    void* m_handle = nullptr; // never closed: these libraries have threads of their own
    std::string m_path;
};

} // namespace hidet::cuda
