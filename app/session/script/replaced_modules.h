// SPDX-License-Identifier: Apache-2.0
// Modules of a script that run from the text of their IR, as a person changed it after a pass: the passes that are left, the
// generated code, launches and checks are those of what that text says.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "app/session/request/edited_stage.h"
#include "app/session/request/request.h"
#include "app/session/work/work.h"
#include "compiler/artifact/target_spec.h"
#include "compiler/ir/func.h"

namespace hidet::session {

class ReplacedModules {
public:
    ReplacedModules(Work& work, const RunRequest& request);

    // What runs in the place of a module, which has the public functions that it has at that pass. The module itself: nothing
    // replaces it. Null: the text is refused, and the sink knows why.
    ir::ModuleRef of(const ir::ModuleRef& module, const artifact::TargetSpec& target, DiagnosticSink& sink);

    std::vector<std::string> used() const;           // "scale by scale.ir"
    void report_unknown(DiagnosticSink& sink) const; // those that no module of the script has

private:
    struct Text {
        const KernelReplacement* asked = nullptr;
        EditedStage head;
        bool is_read = false;
        ir::ModuleRef module = nullptr; // once it was read; null: it is refused
        bool is_used = false;
    };
    ir::ModuleRef read(Text& text, DiagnosticSink& sink);
    // Whether it is in the place of a kernel of this module, which is the last so far.
    bool replaces(const Text& text, const std::vector<std::string>& kernels) const;
    bool has_one_text(const ir::Module& module, const Text& text, DiagnosticSink& sink) const;

    Work& m_work;
    std::vector<Text> m_texts;
    int m_count = 0;              // of modules so far
    std::set<std::string> m_seen; // kernels of the modules
};

} // namespace hidet::session
