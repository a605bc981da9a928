// SPDX-License-Identifier: Apache-2.0
// Compiles in this process: CUDA C++ with NVRTC; C++ and PTX with the system's compiler and ptxas. Each is looked for when first needed.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>

#include "runtime/toolchain/compiler.h"
#include "runtime/toolchain/cxx.h"
#include "runtime/toolchain/locate.h"
#include "runtime/toolchain/nvrtc.h"
#include "runtime/toolchain/ptxas.h"

namespace hidet::toolchain {

class InProcessCompiler final : public Compiler {
public:
    explicit InProcessCompiler(Places places) : m_places(std::make_shared<LazyPlaces>(std::move(places))) {}
    explicit InProcessCompiler(std::shared_ptr<LazyPlaces> places) : m_places(std::move(places)) {}
    Result<CompileResult> compile(const CompileRequest& request) override;
    Result<std::string> recipe(const CompileRequest& request) override;
    Result<std::shared_ptr<const Nvrtc>> nvrtc();     // loaded once
    Result<std::shared_ptr<const CxxCompiler>> cxx(); // asked for its version once
    Result<std::shared_ptr<const Ptxas>> ptxas();     // likewise

private:
    template <class T>
    using Loaded = std::optional<Result<std::shared_ptr<const T>>>;

    Result<std::string> path_of(Tool tool);
    template <class T>
    Result<std::shared_ptr<const T>> loaded(Loaded<T>& known, Tool tool);

    const std::shared_ptr<LazyPlaces> m_places;
    std::mutex m_mutex;
    std::map<Tool, Finding> m_found;
    Loaded<Nvrtc> m_nvrtc;
    Loaded<CxxCompiler> m_cxx;
    Loaded<Ptxas> m_ptxas;
    std::map<Tool, std::string> m_identities;
    std::string m_native;
};

} // namespace hidet::toolchain
