// SPDX-License-Identifier: GPL-3.0-only
// One side of a comparison: a stage of a module, today's, the baseline's or as it is for another GPU; a text that was kept; or the
// script itself as it stands in an editor. It may follow what the panes show: the IR after the pass that is shown, or the IR that this pass was
// given.
#pragma once

#include <optional>

#include "app/session/kernel_bench/code_figures.h"
#include "app/ui/workbench/studio.h"

namespace hidet::ui {

struct DiffSide {
    enum class Follows : quint8 { Nothing, After, Before };

    StageName stage = {};  // where it follows nothing
    QString function = {}; // of the module; empty: the module that the panes show
    bool baseline = false;
    Follows follows = Follows::Nothing;
    int pinned =
        0; // the number of a text that was kept (StageHub::keep), of `stage`; without one: of a script. 0: none
    QString document =
        {};            // the title of an open script whose text it is, current_script: the one in front; empty: none
    QString arch = {}; // another one than that of the panes: "sm_80"; empty: theirs

    static DiffSide following(Follows what) { return {{}, {}, false, what}; }
    static DiffSide ofPinned(int number, const StageName& stage) {
        return {stage, {}, false, Follows::Nothing, number};
    }
    static DiffSide ofScript(const QString& title = current_script) {
        return {{}, {}, false, Follows::Nothing, 0, title};
    }
    static DiffSide forArch(const StageName& stage, const QString& function, const QString& arch) {
        return {stage, function, false, Follows::Nothing, 0, {}, arch};
    }
    static constexpr const char* current_script = "*";
    bool isLinked() const { return !baseline && pinned == 0 && document.isEmpty(); } // with the script of today
    // As layouts keep it: "cuda", "cuda@matmul", "baseline:cuda@matmul", "@after", "@before", "pin:3:cuda", "pin:3:",
    // "script:softmax.py", "arch:sm_80:cuda@matmul".
    QString name() const;
    static DiffSide of(const QString& name);
    friend bool operator==(const DiffSide&, const DiffSide&) = default;
};

struct SideText {
    std::shared_ptr<const session::TextSnapshot> text; // null: the reason says why
    QString title;                                     // "IR after simplify of matmul, baseline as of 14:03:12"
    Language language = Language::Plain;
    QString reason;
    std::optional<session::CodeFigures> figures; // nothing: not known
};
SideText resolved(const Studio& studio,
                  const DiffSide& side); // without an architecture of its own: other_gpu.h has those
StageName stageShownBy(const Studio& studio, const DiffSide& side); // that it shows now; none: a script
// A stage of a module that is whole.
std::shared_ptr<const session::TextSnapshot> stageTextIn(const std::shared_ptr<const session::ModuleSnapshot>& module,
                                                         const StageName& stage);

} // namespace hidet::ui
