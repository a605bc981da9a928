// SPDX-License-Identifier: Apache-2.0
#include "runtime/toolchain/in_process.h"

#include <chrono>

#include "lang/base/text.h"
#include "runtime/toolchain/files.h"

namespace hidet::toolchain {

namespace {

Tool tool_of(const CompileRequest& request) {
    switch (request.language) {
    case artifact::Language::CudaCxx: return Tool::Nvrtc;
    case artifact::Language::Ptx: return Tool::Ptxas;
    case artifact::Language::Cxx: break;
    }
    return Tool::CxxCompiler;
}

std::vector<std::string> options_of(const CompileRequest& request) {
    switch (request.language) {
    case artifact::Language::CudaCxx: return Nvrtc::options(request);
    case artifact::Language::Ptx: return Ptxas::options(request);
    case artifact::Language::Cxx: break;
    }
    return CxxCompiler::options(request);
}

const char* missing(Tool tool) {
    if (tool == Tool::Ptxas)
        return "ptxas-missing";
    return tool == Tool::Nvrtc ? "nvrtc-missing" : "compiler-missing";
}

// Of what loads a compiler, or why it could not be loaded.
template <class Compiler>
Result<CompileResult> compiled_by(const Result<std::shared_ptr<const Compiler>>& compiler,
                                  const CompileRequest& request) {
    return compiler ? compiler.value()->compile(request) : Result<CompileResult>(compiler.error());
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
    return Error{missing(tool), cat(found.problem, ": ", found.advice)};
}

template <class T>
Result<std::shared_ptr<const T>> InProcessCompiler::loaded(Loaded<T>& known, Tool tool) {
    std::lock_guard lock(m_mutex);
    if (!known) {
        auto path = path_of(tool);
        known = path ? T::load(path.value()) : path.error();
    }
    return *known;
}

Result<std::shared_ptr<const Nvrtc>> InProcessCompiler::nvrtc() {
    return loaded(m_nvrtc, Tool::Nvrtc);
}

Result<std::shared_ptr<const CxxCompiler>> InProcessCompiler::cxx() {
    return loaded(m_cxx, Tool::CxxCompiler);
}

Result<std::shared_ptr<const Ptxas>> InProcessCompiler::ptxas() {
    return loaded(m_ptxas, Tool::Ptxas);
}

Result<std::string> InProcessCompiler::recipe(const CompileRequest& request) {
    std::lock_guard lock(m_mutex);
    const Tool tool = tool_of(request);
    HIDET_TRY(std::string path, path_of(tool));
    auto [identity, is_new] = m_identities.try_emplace(tool);
    if (is_new)
        for (const std::string& word : command_words(path))
            identity->second += file_identity(word) + " ";
    std::string recipe = identity->second;
    for (const std::string& option : options_of(request))
        recipe.append("\n").append(option);
    if (tool == Tool::CxxCompiler && request.arch == "native") {
        if (m_native.empty())
            m_native = native_architecture();
        recipe.append("\n").append(m_native);
    }
    return recipe;
}

Result<CompileResult> InProcessCompiler::compile(const CompileRequest& request) {
    auto start = std::chrono::steady_clock::now();
    Result<CompileResult> result = Error{};
    switch (request.language) {
    case artifact::Language::CudaCxx:
        HIDET_CHECK(request.product != Product::SharedObject, "CUDA C++ becomes PTX or a cubin");
        result = compiled_by(nvrtc(), request);
        break;
    case artifact::Language::Ptx: result = compiled_by(ptxas(), request); break;
    case artifact::Language::Cxx: result = compiled_by(cxx(), request); break;
    }
    if (!result)
        return result;
    CompileResult compiled = std::move(result).value();
    compiled.ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    return compiled;
}

} // namespace hidet::toolchain
