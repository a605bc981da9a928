// SPDX-License-Identifier: Apache-2.0
// Kernels on a GPU that run from a text of the user's in the place of the generated one, with the launches, arguments and checks
// of the script.
#pragma once

#include <set>

#include "app/session/work/user_text.h"
#include "compiler/artifact/source.h"
#include "runtime/cuda/module.h"

namespace hidet::session {

class ReplacedKernels {
public:
    ReplacedKernels(Work& work, const RunRequest& request) : m_work(work), m_request(request) {}

    struct Kernel {
        artifact::EntryPoint entry;
        std::string key; // of its code
        cuda::ModuleImage image;
    };
    // Those of a module that are replaced, compiled for a GPU. Nothing: one of them is refused, and the sink knows why.
    std::optional<std::vector<Kernel>> of(const std::vector<artifact::EntryPoint>& entries,
                                          const std::vector<std::string>& options, const artifact::TargetSpec& gpu,
                                          DiagnosticSink& sink);
    std::vector<std::string> used() const; // "scale by scale.cu"
    // Those that no module of the script has.
    void report_unknown(DiagnosticSink& sink) const;

private:
    struct Text {
        std::string kernel;
        UserText text;
        bool is_used = false;
    };
    std::optional<Kernel> compiled(Text& text, const artifact::EntryPoint& entry,
                                   const std::vector<std::string>& options, const std::string& arch,
                                   DiagnosticSink& sink);
    void open_texts();
    bool takes_the_same(const Text& text, const artifact::EntryPoint& entry, const std::string& ptx,
                        DiagnosticSink& sink) const;

    Work& m_work;
    const RunRequest& m_request;
    std::vector<Text> m_texts;
    std::set<std::string> m_seen; // kernels of the modules
};

} // namespace hidet::session
