// SPDX-License-Identifier: Apache-2.0
#include "runtime/toolchain/locate.h"

#include <algorithm>
#include <filesystem>
#include <string_view>

#include <unistd.h>

#include "lang/base/text.h"

namespace hidet::toolchain {

namespace {

namespace fs = std::filesystem;

struct ToolInfo {
    Tool tool;
    const char* name;
    const char* variable;            // names the file outright
    std::string Places::*given;      // its value
    std::vector<std::string> files;  // best first
    std::vector<std::string> wheels; // folders of a wheel that may hold it
    const char* advice;
};

const ToolInfo& info(Tool tool) {
    static const std::vector<ToolInfo> all = {
        {Tool::Nvrtc,
         "NVRTC",
         "HIDET_NVRTC",
         &Places::nvrtc,
         {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"},
         {"nvidia/cu13/lib", "nvidia/cuda_nvrtc/lib"},
         "install a CUDA toolkit, or 'pip install nvidia-cuda-nvrtc==13.0.88', or let HIDET_NVRTC name libnvrtc.so"},
        {Tool::Nvdisasm,
         "nvdisasm",
         "HIDET_NVDISASM",
         &Places::nvdisasm,
         {"nvdisasm"},
         {"nvidia/cu13/bin", "nvidia/cuda_nvdisasm/bin", "triton/backends/nvidia/bin"},
         "install a CUDA toolkit, or 'pip install nvidia-cuda-nvdisasm', or let HIDET_NVDISASM name the program"},
        {Tool::Ptxas,
         "ptxas",
         "HIDET_PTXAS",
         &Places::ptxas,
         {"ptxas"},
         {"nvidia/cu13/bin", "nvidia/cuda_nvcc/bin", "triton/backends/nvidia/bin"},
         "install a CUDA toolkit, or 'pip install nvidia-cuda-nvcc==13.0.88', or let HIDET_PTXAS name the program; "
         "only PTX "
         "that was changed by hand needs it"},
        {Tool::Driver,
         "CUDA driver",
         "HIDET_LIBCUDA",
         &Places::driver,
         {"libcuda.so.1"},
         {},
         "install NVIDIA's driver; without one kernels are emulated"},
        {Tool::Cublas,
         "cuBLAS",
         "HIDET_CUBLAS",
         &Places::cublas,
         {"libcublas.so.13", "libcublas.so.12", "libcublas.so"},
         {"nvidia/cu13/lib", "nvidia/cublas/lib"},
         "install a CUDA toolkit, or 'pip install nvidia-cublas'; only comparisons with cuBLAS need it"},
        {Tool::Nccl,
         "NCCL",
         "HIDET_NCCL",
         &Places::nccl,
         {"libnccl.so.2"},
         {"nvidia/nccl/lib"},
         "'pip install nvidia-nccl-cu13', or let HIDET_NCCL name libnccl.so.2; only processes that exchange tensors of "
         "several GPUs need it"},
        {Tool::NsightCompute,
         "Nsight Compute",
         "HIDET_NCU",
         &Places::ncu,
         {"ncu"},
         {},
         "install Nsight Compute (it comes with a CUDA toolkit), or let HIDET_NCU name the program ncu"},
        {Tool::CxxCompiler,
         "C++ compiler",
         "CXX",
         &Places::cxx,
         {"c++", "g++", "clang++", "zig"},
         {"ziglang"},
         "install g++ or clang++, or 'pip install ziglang', or let CXX name one; without one functions for the CPU are "
         "interpreted"},
        {Tool::Z3,
         "Z3",
         "HIDET_Z3",
         &Places::z3,
         {"libz3.so.4", "libz3.so"},
         {"z3/lib"},
         "install libz3-4, or 'pip install z3-solver', or let HIDET_Z3 name libz3.so; only proofs need it"},
    };
    return all[static_cast<std::size_t>(tool)];
}

bool is_program(Tool tool) {
    return tool == Tool::Nvdisasm || tool == Tool::Ptxas || tool == Tool::NsightCompute || tool == Tool::CxxCompiler;
}

struct Folder {
    std::string path;
    const char* origin;
};

void add_root(std::vector<Folder>& folders, const std::string& root, const char* origin, bool program) {
    if (root.empty())
        return;
    if (program) {
        folders.push_back({root + "/bin", origin});
        return;
    }
    for (const char* name : {"/lib64", "/lib"})
        folders.push_back({root + name, origin});
}

std::vector<Folder> folders_of(const ToolInfo& info, const Places& places) {
    std::vector<Folder> folders;
    bool program = is_program(info.tool);
    if (info.tool != Tool::Driver && info.tool != Tool::CxxCompiler && info.tool != Tool::Z3) {
        add_root(folders, places.cuda_home, "HIDET_CUDA_HOME", program);
        for (const std::string& root : places.bundles) {
            folders.push_back({root, "bundle"});
            add_root(folders, root, "bundle", program);
        }
        for (const std::string& root : places.toolkits)
            add_root(folders, root, "toolkit", program);
    }
    for (const std::string& folder : program ? places.programs : places.libraries)
        folders.push_back({folder, "system"});
    if (info.tool == Tool::NsightCompute)
        for (const std::string& folder : places.profilers)
            folders.push_back({folder, "system"});
    if (!info.wheels.empty())
        for (const std::string& root : places.fetched)
            add_root(folders, root, "wheel", program);
    for (const std::string& site : places.wheels)
        for (const std::string& inner : info.wheels)
            folders.push_back({site + "/" + inner, "wheel"});
    return folders;
}

bool usable(const std::string& path, bool program) {
    std::error_code ignored;
    return access(path.c_str(), program ? X_OK : R_OK) == 0 && fs::is_regular_file(path, ignored);
}

void search(Finding& finding, const ToolInfo& info, const Places& places) {
    for (const Folder& folder : folders_of(info, places)) {
        finding.looked.push_back(folder.path);
        for (const std::string& file : info.files)
            if (std::string path = folder.path + "/" + file; usable(path, is_program(info.tool))) {
                finding.state = State::Found;
                finding.path = file == "zig" ? path + " c++" : path; // the driver of Clang that it has
                finding.origin = folder.origin;
                return;
            }
    }
    finding.problem = cat(info.name, " was not found");
}

// A compiler may be given as a name, or as a command: "clang++-16", "ccache g++".
std::string command_of(const std::string& given, const Places& places) {
    std::string_view rest = given;
    std::size_t end = usable(given, true) ? rest.size() : std::min(rest.find(' '), rest.size());
    std::string word(rest.substr(0, end));
    if (word.find('/') != std::string::npos)
        return usable(word, true) ? given : "";
    for (const std::string& folder : places.programs)
        if (std::string path = folder + "/" + word; usable(path, true))
            return path + std::string(rest.substr(end));
    return {};
}

void take_given(Finding& finding, const ToolInfo& info, const Places& places) {
    const std::string& given = places.*info.given;
    finding.origin = info.variable;
    finding.looked = {given};
    finding.path = info.tool == Tool::CxxCompiler         ? command_of(given, places)
                   : usable(given, is_program(info.tool)) ? given
                                                          : "";
    if (finding.path.empty())
        finding.problem = cat(info.variable, " names '", given, "', which is not a ",
                              is_program(info.tool) ? "program" : "file", " that can be used");
    else
        finding.state = State::Found;
}

} // namespace

Finding find(Tool tool, const Places& places) {
    const ToolInfo& row = info(tool);
    Finding finding;
    finding.what = tool;
    finding.name = row.name;
    if ((places.*row.given).empty())
        search(finding, row, places);
    else
        take_given(finding, row, places);
    if (finding.state != State::Found)
        finding.advice = row.advice;
    return finding;
}

} // namespace hidet::toolchain
