// SPDX-License-Identifier: Apache-2.0
// Where the libraries and programs of others are: NVRTC, nvdisasm, ptxas, the driver, cuBLAS, NCCL, Nsight Compute, a C++ compiler, Z3.
// Searching opens no library and starts no program; asking a tool for its version does, and only `hidetc doctor` pays for it (toolchain.h).
#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "lang/base/result.h"

namespace hidet::toolchain {

enum class Tool : std::uint8_t { Nvrtc, Nvdisasm, Ptxas, Driver, Cublas, Nccl, NsightCompute, CxxCompiler, Z3 };
enum class State : std::uint8_t { Found, Missing, Broken };

struct Finding {
    Tool what{};
    State state = State::Missing;
    std::string name;                // "NVRTC"
    std::string path;                // of the library or program
    std::string version;             // "13.0"; empty: nobody asked
    std::string origin;              // why there: "HIDET_NVRTC", "bundle", "toolkit", "wheel", "system"
    std::string problem;             // Missing, Broken: a sentence
    std::string advice;              // how to get it
    std::vector<std::string> looked; // folders and files, in order
};

// The folders to search, in this order; a path given outright is the only one that counts.
struct Places {
    std::string nvrtc, nvdisasm, ptxas, driver, cublas, nccl, ncu, cxx,
        z3;                             // given outright: HIDET_NVRTC, HIDET_NVDISASM, HIDET_LIBCUDA, ...
    std::string cuda_home;              // HIDET_CUDA_HOME: a toolkit that goes before everything else
    std::vector<std::string> bundles;   // roots with lib and bin, beside the program
    std::vector<std::string> fetched;   // roots with lib and bin: what ./studio fetched
    std::vector<std::string> toolkits;  // roots with lib64 or lib, and bin
    std::vector<std::string> libraries; // folders that the linker knows
    std::vector<std::string> programs;  // PATH
    std::vector<std::string> profilers; // folders of Nsight Compute itself, the newest first
    std::vector<std::string> wheels;    // folders "site-packages" of Python installations
};

using Variables = std::function<std::string(const char* name)>; // an environment; "" where a variable is not set
Variables environment_variables();                              // of this process

// `program_folder` holds the running program; empty: there is none to look beside.
Places places_in(const Variables& variables, const std::string& program_folder);
Places default_places(); // of this process

// Places that are made when somebody first asks, from any thread: making them reads some hundred folders.
class LazyPlaces {
public:
    explicit LazyPlaces(std::optional<Places> known = {}) : m_places(std::move(known)) {}
    const Places& get();

private:
    std::once_flag m_asked;
    std::optional<Places> m_places;
};

Finding find(Tool tool, const Places& places);

} // namespace hidet::toolchain
