// SPDX-License-Identifier: Apache-2.0
#include "runtime/toolchain/confinement.h"

#include <cstdlib>
#include <filesystem>

#include "runtime/process/spawn.h"

namespace hidet::toolchain {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t most_memory = std::uint64_t{4} << 30, longest_file = std::uint64_t{2} << 30;
constexpr double most_cpu_seconds = 900;

process::Confinement limited() {
    process::Confinement out = process::system_confinement();
    out.memory_bytes = most_memory;
    out.file_bytes = longest_file;
    out.cpu_seconds = most_cpu_seconds;
    return out;
}

// The folders of an installation that lies outside of the system's. A home folder has such folders as well, and more in them.
void add_installation(process::Confinement& confinement, const fs::path& folder) {
    confinement.runnable.push_back(folder);
    const fs::path root = folder.parent_path();
    const char* home = std::getenv("HOME");
    std::error_code failed;
    if (home && fs::equivalent(root, home, failed))
        return;
    for (const char* part : {"lib", "lib64", "libexec", "include", "nvvm"})
        confinement.runnable.push_back(root / part);
    for (const fs::directory_entry& entry : fs::directory_iterator(root, failed))
        if (const std::string name = entry.path().filename(); name.find("-linux-") != std::string::npos)
            confinement.runnable.push_back(entry.path()); // of a compiler for one target
}

} // namespace

process::Confinement confinement_of(const std::string& program, const std::string& folder) {
    process::Confinement out = limited();
    out.starts_programs = true;
    const std::string path = process::program_path(program);
    std::error_code failed;
    const fs::path real = fs::canonical(path, failed);
    add_installation(out, fs::path(path).parent_path());
    if (!failed && real.parent_path() != fs::path(path).parent_path())
        add_installation(out, real.parent_path());
    if (!folder.empty())
        out.writable.push_back(folder);
    return out;
}

process::Confinement confinement_of_libraries(const std::vector<std::string>& paths) {
    process::Confinement out = limited();
    out.cpu_seconds = 0; // a process for many requests; who asks limits each
    for (const std::string& path : paths) {
        std::error_code failed;
        const fs::path real = path.empty() ? fs::path() : fs::canonical(path, failed);
        if (failed || real.empty())
            continue;
        out.readable.push_back(real.parent_path());
        out.readable.push_back(real.parent_path().parent_path() / "include"); // NVRTC's, beside its folder
    }
    return out;
}

void add_gpu(process::Confinement& confinement) {
    std::error_code failed;
    for (const fs::directory_entry& entry : fs::directory_iterator("/dev", failed))
        if (entry.path().filename().string().starts_with("nvidia"))
            confinement.devices.push_back(entry.path());
    confinement.devices.emplace_back("/proc/self"); // where it names its threads
    confinement.listens_locally = true;
    for (const char* path : {"/sys", "/proc/driver", "/proc/devices", "/proc/modules", "/etc/nvidia"})
        confinement.readable.emplace_back(path);
}

} // namespace hidet::toolchain
