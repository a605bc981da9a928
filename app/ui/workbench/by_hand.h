// SPDX-License-Identifier: GPL-3.0-only
// CUDA C++ or PTX that began as a stage of a script and is changed by hand: of which script it is, and whether it still is what
// that generates.
#pragma once

#include "app/session/request/edited_stage.h"
#include "app/ui/workbench/studio.h"

namespace hidet::ui {

struct ByHand {
    session::Form form{};
    session::EditedStage head;
    Document* script = nullptr; // null: it is not open
    std::shared_ptr<const session::ModuleSnapshot> module;
    std::shared_ptr<const session::TextSnapshot> generated; // now, for the same GPU; null: `unknown` says why
    QString unknown;
    bool isDiverged = false;       // from that
    bool hasScriptChanged = false; // another text is generated than the copy began from
    QString scriptTitle() const;
};
std::optional<ByHand> byHandOf(Studio& studio, const Document& document); // nothing: it is a script, or IR

// Today's text with the comment that the copy has.
QByteArray begunAgain(const ByHand& text, const Document& document);

// Opens the script where it is: beside the copy, or as the comment names it.
void openScriptOf(Studio& studio, const ByHand& text, const Document& document);

// What ptxas says of its kernels, "matmul: 32 registers, no spills"; empty: nothing is known.
QString registersOf(const LivePipeline& live);

} // namespace hidet::ui
