// SPDX-License-Identifier: GPL-3.0-only
// IR, CUDA C++ or PTX that began as a stage of a script and is changed by hand: of which script it is, and whether it still is
// what that generates.
#pragma once

#include "app/session/request/edited_stage.h"
#include "app/ui/workbench/studio.h"

namespace hidet::ui {

struct ByHand {
    session::Form form{};
    session::EditedStage head;
    Document* script = nullptr; // null: it is not open
    QString scriptTitle() const;
    QString what() const; // "CUDA", "IR after simplify"
};
std::optional<ByHand> byHandOf(const Studio& studio,
                               const Document& document); // nothing: it is a script, or IR of none

// What its script generates now, for the same GPU.
struct GeneratedNow {
    std::shared_ptr<const session::ModuleSnapshot> module;
    StageName stage;
    std::shared_ptr<const session::TextSnapshot> text; // null: `unknown` says why
    QString unknown;
};
GeneratedNow generatedNow(Studio& studio, const ByHand& byHand);
bool isDiverged(const Document& document, const session::TextSnapshot& generated);

// Today's text with the comment that the copy has.
QByteArray begunAgain(const ByHand& byHand, const session::TextSnapshot& generated, const Document& document);

// Opens the script where it is: beside the copy, or as the comment names it.
void openScriptOf(Studio& studio, const ByHand& text, const Document& document);

// What ptxas says of its kernels, "matmul: 32 registers, no spills"; empty: nothing is known.
QString registersOf(const LivePipeline& live);

} // namespace hidet::ui
