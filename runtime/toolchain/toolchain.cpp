// SPDX-License-Identifier: Apache-2.0
#include "runtime/toolchain/toolchain.h"

#include "lang/base/text.h"
#include "runtime/distributed/nccl.h"
#include "runtime/process/run.h"
#include "runtime/toolchain/files.h"
#include "runtime/toolchain/library.h"
#include "runtime/toolchain/words.h"
#include "runtime/toolchain/z3.h"

namespace hidet::toolchain {

namespace {

void break_down(Finding& finding, const std::string& problem, const char* advice) {
    finding.state = State::Broken;
    finding.problem = problem;
    finding.advice = advice;
}

void ask_nvdisasm(Finding& finding) {
    auto outcome = process::run_to_end({.words = {finding.path, "--version"}, .seconds = 10});
    std::string problem;
    if (!outcome)
        problem = outcome.error().message;
    else if (!outcome.value().succeeded())
        problem = cat("'", finding.path, "' ", outcome.value().story());
    else if (finding.version = release_in(outcome.value().output, "CUDA disassembler"); finding.version.empty())
        problem = cat("'", finding.path, "' is not nvdisasm");
    if (!problem.empty())
        break_down(finding, problem, "install another with 'pip install nvidia-cuda-nvdisasm'");
}

// "Version 2025.3.1.0 (build 36398880)" is its last line.
void ask_ncu(Finding& finding) {
    auto outcome = process::run_to_end({.words = {finding.path, "--version"}, .seconds = 10});
    std::string problem;
    if (!outcome)
        problem = outcome.error().message;
    else if (const std::string& text = outcome.value().output; text.find("Version ") == std::string::npos)
        problem = cat("'", finding.path, "' is not Nsight Compute");
    else
        finding.version = text.substr(text.find("Version ") + 8,
                                      text.substr(text.find("Version ") + 8).find_first_not_of("0123456789."));
    if (!problem.empty())
        break_down(finding, problem, "install another, or let HIDET_NCU name it");
}

// Needs no GPU: the version is known before the driver is started.
void ask_driver(Finding& finding) {
    auto library = Library::open(finding.path);
    int (*get_version)(int*) = nullptr;
    int version = 0;
    if (!library)
        return break_down(finding, library.error().message, "reinstall NVIDIA's driver");
    if (!library.value().bind(get_version, "cuDriverGetVersion") || get_version(&version) != 0)
        return break_down(finding, cat("'", finding.path, "' does not tell its version"), "reinstall NVIDIA's driver");
    finding.version = cat(version / 1000, ".", version % 1000 / 10);
}

// Loading cuBLAS takes a second; its file says the major version.
void read_cublas(Finding& finding) {
    if (std::size_t at = finding.path.rfind(".so."); at != std::string::npos)
        finding.version = finding.path.substr(at + 4);
}

void ask_nccl(Finding& finding) {
    auto nccl = distributed::Nccl::load(finding.path);
    if (!nccl)
        return break_down(finding, nccl.error().message, "let HIDET_NCCL name another libnccl.so.2");
    finding.version = nccl.value()->version();
}

void ask_z3(Finding& finding) {
    auto z3 = Z3::open(finding.path);
    if (!z3)
        return break_down(finding, z3.error().message, "install libz3-4, or let HIDET_Z3 name another library");
    finding.version = z3.value()->version();
}

void ask_compiler(Finding& finding, InProcessCompiler& compiler) {
    auto cxx = compiler.cxx();
    if (!cxx)
        return break_down(finding, cxx.error().message, "install g++ or clang++, or let CXX name another compiler");
    finding.version = cxx.value()->name();
}

void ask_ptxas(Finding& finding, InProcessCompiler& compiler) {
    auto ptxas = compiler.ptxas();
    if (!ptxas)
        return break_down(finding, ptxas.error().message, "let HIDET_PTXAS name another one");
    finding.version = ptxas.value()->version();
}

void ask_nvrtc(Finding& finding, InProcessCompiler& compiler) {
    auto nvrtc = compiler.nvrtc();
    auto works = nvrtc ? nvrtc.value()->warm_up() : Result<void>(nvrtc.error());
    if (nvrtc)
        finding.version = nvrtc.value()->version();
    if (!works)
        break_down(finding, works.error().message,
                   "let HIDET_NVRTC name another one, or 'pip install nvidia-cuda-nvrtc==13.0.88'");
}

} // namespace

Toolchain::Toolchain(ToolchainOptions options)
    : m_places(std::make_shared<LazyPlaces>(std::move(options.places))), m_in_process(m_places),
      m_uncached(options.compiler ? *options.compiler : m_in_process),
      m_cache(options.cache ? std::move(*options.cache) : default_cache_options()), m_cached(m_uncached, m_cache) {}

Result<std::string> Toolchain::nvdisasm() {
    std::lock_guard lock(m_mutex);
    if (!m_nvdisasm)
        m_nvdisasm = find(Tool::Nvdisasm, m_places->get());
    if (m_nvdisasm->state != State::Found)
        return Error{"nvdisasm-missing", cat(m_nvdisasm->problem, ": ", m_nvdisasm->advice)};
    return m_nvdisasm->path;
}

Result<Disassembly> Toolchain::disassemble(const std::string& cubin, const std::atomic<bool>* cancelled) {
    HIDET_TRY(std::string program, nvdisasm());
    std::string key = cache_key({"disassembly 3", file_identity(program), cubin});
    if (auto known = m_cache.load(key))
        return read_disassembly(*known);
    if (auto known = m_cache.fetch(key))
        return read_disassembly(*known);
    HIDET_TRY(std::string text, toolchain::disassemble(program, {cubin, cancelled}));
    (void)m_cache.store(key, text);
    return read_disassembly(text);
}

Result<void> Toolchain::warm_up() {
    HIDET_TRY(std::shared_ptr<const Nvrtc> nvrtc, m_in_process.nvrtc());
    return nvrtc->warm_up();
}

std::vector<Finding> Toolchain::facts() {
    std::vector<Finding> findings;
    for (Tool tool : {Tool::Nvrtc, Tool::Nvdisasm, Tool::Ptxas, Tool::Driver, Tool::Cublas, Tool::Nccl,
                      Tool::NsightCompute, Tool::CxxCompiler, Tool::Z3}) {
        Finding finding = find(tool, m_places->get());
        if (finding.state == State::Found) {
            switch (tool) {
            case Tool::Nvrtc: ask_nvrtc(finding, m_in_process); break;
            case Tool::Nvdisasm: ask_nvdisasm(finding); break;
            case Tool::Ptxas: ask_ptxas(finding, m_in_process); break;
            case Tool::Driver: ask_driver(finding); break;
            case Tool::Cublas: read_cublas(finding); break;
            case Tool::Nccl: ask_nccl(finding); break;
            case Tool::NsightCompute: ask_ncu(finding); break;
            case Tool::CxxCompiler: ask_compiler(finding, m_in_process); break;
            case Tool::Z3: ask_z3(finding); break;
            }
        }
        findings.push_back(std::move(finding));
    }
    return findings;
}

} // namespace hidet::toolchain
