// SPDX-License-Identifier: Apache-2.0
// What comes after the analysis: from the modules of a script to generated text, and from that text to machine code.
#pragma once

#include "app/session/live/explainer.h"
#include "app/session/preview/lowering.h"
#include "compiler/artifact/source.h"

namespace hidet::session {

// CUDA text of a module that waits for a compiler. Owns all it needs: the front goes on to other modules.
struct CompileTask {
    std::shared_ptr<Revision> revision;
    std::size_t module = 0; // index
    ir::ModuleRef script;
    std::shared_ptr<const artifact::Source> cuda;
    std::shared_ptr<const SourceMap> sources;
};

// What the front knows of the revision before, to do the same only once.
class Memory;

class LoweringStage {
public:
    LoweringStage(std::function<void(CompileTask)> compile, std::function<void(ExplainTask)> explain);
    ~LoweringStage();
    void run(AnalysedScript script);

private:
    std::function<void(CompileTask)> m_compile;
    std::function<void(ExplainTask)> m_explain;
    std::unique_ptr<Memory> m_memory;
};

// PTX, cubin, SASS: whatever the request wants, each published as it is there.
void compile(const CompileTask& task);

// CUDA C++ or PTX that a person changed: there is no script to be read, and the text is a module as it stands.
AnalysedScript analyse_by_hand(const std::shared_ptr<Revision>& revision);
void compile_by_hand(Revision& revision);

// What went wrong in a step: the first error among the diagnostics from `first` on.
std::string reason_in(const Work& work, std::size_t first);

} // namespace hidet::session
