// SPDX-License-Identifier: Apache-2.0
#include "runtime/toolchain/in_process.h"

#include <chrono>

#include "lang/base/text.h"

namespace hidet::toolchain {

Result<std::shared_ptr<const Nvrtc>> InProcessCompiler::nvrtc() {
    std::lock_guard lock(m_mutex);
    if (!m_nvrtc) {
        Finding found = find(Tool::Nvrtc, m_places);
        if (found.state == State::Found)
            m_nvrtc = Nvrtc::load(found.path);
        else
            m_nvrtc = Error{"nvrtc-missing", cat(found.problem, ": ", found.advice)};
    }
    return *m_nvrtc;
}

Result<CompileResult> InProcessCompiler::compile(const CompileRequest& request) {
    auto start = std::chrono::steady_clock::now();
    if (request.language != artifact::Language::CudaCxx)
        return Error{"compiler-missing", "no C++ compiler was found"};
    HIDET_CHECK(request.product != Product::SharedObject, "CUDA C++ becomes PTX or a cubin");
    HIDET_TRY(std::shared_ptr<const Nvrtc> compiler, nvrtc());
    HIDET_TRY(CompileResult result, compiler->compile(request));
    result.ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    return result;
}

} // namespace hidet::toolchain
