// SPDX-License-Identifier: Apache-2.0
#include "runtime/toolchain/in_process.h"

#include <chrono>

#include "lang/base/text.h"
#include "runtime/toolchain/files.h"

namespace hidet::toolchain {

namespace {

bool is_cuda(const CompileRequest& request) {
    return request.language == artifact::Language::CudaCxx;
}

} // namespace

// Called with the lock held.
Result<std::string> InProcessCompiler::path_of(Tool tool) {
    auto [place, is_new] = m_found.try_emplace(tool);
    if (is_new)
        place->second = find(tool, m_places->get());
    const Finding& found = place->second;
    if (found.state == State::Found)
        return found.path;
    return Error{tool == Tool::Nvrtc ? "nvrtc-missing" : "compiler-missing", cat(found.problem, ": ", found.advice)};
}

Result<std::shared_ptr<const Nvrtc>> InProcessCompiler::nvrtc() {
    std::lock_guard lock(m_mutex);
    if (!m_nvrtc) {
        auto path = path_of(Tool::Nvrtc);
        m_nvrtc = path ? Nvrtc::load(path.value()) : path.error();
    }
    return *m_nvrtc;
}

Result<std::shared_ptr<const CxxCompiler>> InProcessCompiler::cxx() {
    std::lock_guard lock(m_mutex);
    if (!m_cxx) {
        auto path = path_of(Tool::CxxCompiler);
        m_cxx = path ? CxxCompiler::load(path.value()) : path.error();
    }
    return *m_cxx;
}

Result<std::string> InProcessCompiler::recipe(const CompileRequest& request) {
    std::lock_guard lock(m_mutex);
    Tool tool = is_cuda(request) ? Tool::Nvrtc : Tool::CxxCompiler;
    HIDET_TRY(std::string path, path_of(tool));
    auto [identity, is_new] = m_identities.try_emplace(tool);
    if (is_new)
        for (const std::string& word : command_words(path))
            identity->second += file_identity(word) + " ";
    std::string recipe = identity->second;
    for (const std::string& option : is_cuda(request) ? Nvrtc::options(request) : CxxCompiler::options(request))
        recipe.append("\n").append(option);
    if (!is_cuda(request) && request.arch == "native") {
        if (m_native.empty())
            m_native = native_architecture();
        recipe.append("\n").append(m_native);
    }
    return recipe;
}

Result<CompileResult> InProcessCompiler::compile(const CompileRequest& request) {
    auto start = std::chrono::steady_clock::now();
    Result<CompileResult> result = Error{};
    if (is_cuda(request)) {
        HIDET_CHECK(request.product != Product::SharedObject, "CUDA C++ becomes PTX or a cubin");
        HIDET_TRY(std::shared_ptr<const Nvrtc> compiler, nvrtc());
        result = compiler->compile(request);
    } else {
        HIDET_TRY(std::shared_ptr<const CxxCompiler> compiler, cxx());
        result = compiler->compile(request);
    }
    if (!result)
        return result;
    CompileResult compiled = std::move(result).value();
    compiled.ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    return compiled;
}

} // namespace hidet::toolchain
