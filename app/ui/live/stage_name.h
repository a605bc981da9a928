// SPDX-License-Identifier: GPL-3.0-only
// Stages by name, as layouts keep them and as parts of the window tell each other of them:
//   "ir" after all passes, "ir:script" before any, "ir:simplify" after the last pass of that name, "ir:simplify#2" after
//   the second one; "cuda", "ptx", "sass", "cpp".
#pragma once

#include <optional>

#include <QString>

#include "app/session/live/stage_board.h"
#include "app/ui/code/language.h"

namespace hidet::ui {

class LivePipeline;
using StageName = QString;

QString titleOf(const StageName& stage); // "IR after simplify", "CUDA"
Language languageOf(const StageName& stage);
std::optional<session::Form> formOf(const StageName& stage); // nothing: it is IR
bool isIr(const StageName& stage);

// The name of the stage after a pass; the shortest that says which.
StageName nameOfPass(const std::vector<session::PassSnapshot>& passes, int number);
// -1: there is no such pass; last_pass for "ir".
int passNumber(const std::vector<session::PassSnapshot>& passes, const StageName& stage);
// The number that the stage is the text after; "ir" has that of the last pass. -1: none, or a form.
int shownPass(const std::vector<session::PassSnapshot>& passes, const StageName& stage);

// What the board knows of a stage; a reason where it knows none.
session::StageView viewOf(const session::StageBoard& board, session::ModuleId module, const StageName& stage);

// What a user calls a module: its kernels, or else its first function.
QString moduleTitle(const session::ModuleSnapshot& module);
// By the name of one of its functions; 0: none.
session::ModuleId findModule(const session::StageBoard& board, const QString& function);

} // namespace hidet::ui
