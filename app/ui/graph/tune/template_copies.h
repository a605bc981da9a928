// SPDX-License-Identifier: GPL-3.0-only
// Copies of templates' scripts that one model is compiled with in the place of ours. They lie with what the program keeps of
// its sessions; the model has them among its scripts, and so they come back with it.
#pragma once

#include "app/session/model/model_code.h"
#include "app/ui/document/document.h"
#include "app/ui/workbench/live_model.h"

namespace hidet::ui {

QString templateFolder(const LiveModel& model);
bool isTemplateCopy(const LiveModel& model, const QString& path);          // of this model
QString copyOf(const LiveModel& model, const session::CodeTemplate& from); // its path, whether it is there or not
QStringList withoutCopies(const LiveModel& model);                         // the model's other scripts

// An earlier copy is taken again, as it was left. Empty: it cannot be written, and the error says why.
QString takeCopy(LiveModel& model, const session::CodeTemplate& from, FileError& error);
// The model is compiled with the template as it came; the file stays where it is.
void leaveCopy(LiveModel& model, const QString& path);

} // namespace hidet::ui
