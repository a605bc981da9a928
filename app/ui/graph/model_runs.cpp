// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/graph/model_runs.h"

#include "app/ui/window/studio.h"

namespace hidet::ui {

ModelRuns::ModelRuns(Studio& studio) : QObject(&studio), m_studio(studio) {}

} // namespace hidet::ui
