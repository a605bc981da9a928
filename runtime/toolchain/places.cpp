// SPDX-License-Identifier: Apache-2.0
#include "runtime/toolchain/locate.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include <dlfcn.h>
#include <glob.h>
#include <unistd.h>

#include "lang/base/files.h"
#include "lang/base/text.h"
#include "runtime/toolchain/user_folder.h"

namespace hidet::toolchain {

namespace {

namespace fs = std::filesystem;

bool is_folder(const std::string& path) {
    std::error_code ignored;
    return fs::is_directory(path, ignored);
}

std::string resolved(const std::string& path) {
    std::error_code failed;
    fs::path real = fs::canonical(path, failed);
    return failed ? path : real.string();
}

void add_folder(std::vector<std::string>& folders, const std::string& path) {
    if (!path.empty() && is_folder(path) && std::ranges::find(folders, path) == folders.end())
        folders.push_back(path);
}

std::vector<std::string> expand(const std::string& pattern) {
    glob_t found{};
    std::vector<std::string> paths;
    if (glob(pattern.c_str(), GLOB_NOSORT, nullptr, &found) == 0)
        paths.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
    globfree(&found);
    std::ranges::sort(paths);
    return paths;
}

// "cuda-12.9" before "cuda-12.10" would be wrong: numbers compare as numbers.
bool newer_first(const std::string& a, const std::string& b) {
    return strverscmp(a.c_str(), b.c_str()) > 0;
}

std::vector<std::string> newest(const std::string& pattern) {
    std::vector<std::string> paths = expand(pattern);
    std::ranges::sort(paths, newer_first);
    return paths;
}

std::vector<std::string> folders_in(const std::string& list) {
    std::vector<std::string> folders;
    for (const std::string& path : split(list, ':'))
        if (!path.empty() && path.front() == '/')
            add_folder(folders, path);
    return folders;
}

// Where NVIDIA's own packages of Nsight Compute put it.
std::vector<std::string> profiler_folders() {
    std::vector<std::string> folders;
    for (const char* pattern :
         {"/opt/nvidia/nsight-compute/*", "/usr/lib/nsight-compute", "/opt/nvidia/nsight_compute*"})
        for (const std::string& path : expand(pattern))
            add_folder(folders, path);
    std::ranges::sort(folders, newer_first);
    return folders;
}

// Follows `include` lines; a loop of them ends at the depth.
void read_linker_configuration(const std::string& path, std::vector<std::string>& folders, int depth = 0) {
    const Result<std::string> text = read_file(path);
    if (!text || depth == 8)
        return;
    for (std::string line : split(text.value(), '\n')) {
        line.erase(std::min(line.find('#'), line.size()));
        while (!line.empty() && std::isspace(static_cast<unsigned char>(line.back())))
            line.pop_back();
        if (line.rfind("include ", 0) == 0)
            for (const std::string& included : expand(line.substr(8)))
                read_linker_configuration(included, folders, depth + 1);
        else if (!line.empty() && line.front() == '/')
            add_folder(folders, line);
    }
}

std::vector<std::string> linker_folders(const Variables& variables) {
    std::vector<std::string> folders;
    for (const std::string& folder : folders_in(variables("LD_LIBRARY_PATH")))
        if (fs::path(folder).filename() != "stubs") // what a toolkit links with is no driver
            add_folder(folders, folder);
    read_linker_configuration("/etc/ld.so.conf", folders);
    for (const char* folder :
         {"/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib/aarch64-linux-gnu", "/usr/lib/aarch64-linux-gnu",
          "/lib64", "/usr/lib64", "/lib", "/usr/lib", "/usr/lib/wsl/lib", "/run/opengl-driver/lib"})
        add_folder(folders, folder);
    return folders;
}

std::vector<std::string> toolkit_roots(const Variables& variables, const std::vector<std::string>& programs) {
    std::vector<std::string> roots;
    for (const char* name : {"CUDA_HOME", "CUDA_PATH", "CONDA_PREFIX"})
        add_folder(roots, variables(name));
    for (const std::string& folder : programs)
        if (std::string nvcc = folder + "/nvcc"; access(nvcc.c_str(), X_OK) == 0)
            add_folder(roots, fs::path(resolved(nvcc)).parent_path().parent_path());
    add_folder(roots, "/usr/local/cuda");
    for (const char* pattern : {"/usr/local/cuda-*", "/opt/cuda*"})
        for (const std::string& root : newest(pattern))
            add_folder(roots, root);
    return roots;
}

// Of NVIDIA, a C++ compiler, or a solver.
bool has_wheels(const std::string& folder) {
    return is_folder(folder + "/nvidia") || is_folder(folder + "/ziglang") || is_folder(folder + "/z3");
}

// Python is not asked: starting it takes longer than a compilation.
std::vector<std::string> wheel_folders(const Variables& variables, const std::vector<std::string>& programs) {
    std::vector<std::string> roots;
    for (const char* name : {"VIRTUAL_ENV", "CONDA_PREFIX"})
        add_folder(roots, variables(name));
    for (const std::string& folder : programs)
        if (access((folder + "/python3").c_str(), X_OK) == 0) {
            add_folder(roots, fs::path(folder).parent_path());
            add_folder(roots, fs::path(resolved(folder + "/python3")).parent_path().parent_path());
        }
    std::string home = variables("HOME");
    if (!home.empty())
        add_folder(roots, home + "/.local");
    std::string pyenv = variables("PYENV_ROOT");
    for (const std::string& root : expand((pyenv.empty() ? home + "/.pyenv" : pyenv) + "/versions/*"))
        add_folder(roots, root);
    std::vector<std::string> folders;
    for (const std::string& root : roots)
        for (const char* pattern : {"/lib/python3*/site-packages", "/lib/python3*/dist-packages"})
            for (const std::string& folder : newest(root + pattern))
                if (has_wheels(folder))
                    add_folder(folders, folder);
    return folders;
}

// Of a library that a program of others has loaded, the library's.
std::string program_folder() {
    std::error_code failed;
    Dl_info own{};
    if (dladdr(reinterpret_cast<void*>(&program_folder), &own) != 0 && std::string_view(own.dli_fname).ends_with(".so"))
        return fs::absolute(own.dli_fname, failed).parent_path().string();
    fs::path program = fs::read_symlink("/proc/self/exe", failed);
    return failed ? std::string() : program.parent_path().string();
}

} // namespace

Places places_in(const Variables& variables, const std::string& program_folder) {
    Places places;
    places.nvrtc = variables("HIDET_NVRTC");
    places.nvdisasm = variables("HIDET_NVDISASM");
    places.driver = variables("HIDET_LIBCUDA");
    places.cublas = variables("HIDET_CUBLAS");
    places.nccl = variables("HIDET_NCCL");
    places.ptxas = variables("HIDET_PTXAS");
    places.ncu = variables("HIDET_NCU");
    places.cxx = variables("CXX");
    places.z3 = variables("HIDET_Z3");
    places.cuda_home = variables("HIDET_CUDA_HOME");
    places.programs = folders_in(variables("PATH"));
    if (!program_folder.empty()) {
        // A bundle has bin/hidetc with lib beside bin, or everything in one folder; builds of the tree share what was
        // fetched: build/dev/bin/hidetc and build/wheels.
        add_folder(places.bundles, program_folder);
        add_folder(places.bundles, fs::path(program_folder).parent_path());
        add_folder(places.fetched, (fs::path(program_folder) / "../../wheels").lexically_normal());
    }
    places.toolkits = toolkit_roots(variables, places.programs);
    places.libraries = linker_folders(variables);
    places.profilers = profiler_folders();
    if (const std::string site = fs::path(program_folder).parent_path(); !site.empty() && has_wheels(site))
        add_folder(places.wheels, site); // we are a wheel, too
    for (const std::string& folder : wheel_folders(variables, places.programs))
        add_folder(places.wheels, folder);
    return places;
}

std::string user_folder(const Variables& variables, const char* variable, const char* below_home) {
    if (std::string base = variables(variable); base.starts_with('/'))
        return base;
    const std::string home = variables("HOME");
    return home.starts_with('/') ? home + "/" + below_home : "";
}

Variables environment_variables() {
    return [](const char* name) {
        const char* value = std::getenv(name);
        return std::string(value ? value : "");
    };
}

const Places& LazyPlaces::get() {
    std::call_once(m_asked, [this] {
        if (!m_places)
            m_places = default_places();
    });
    return *m_places;
}

Places default_places() {
    return places_in(environment_variables(), program_folder());
}

} // namespace hidet::toolchain
