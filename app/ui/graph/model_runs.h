// SPDX-License-Identifier: GPL-3.0-only
// Compiles, runs and measures models in worker processes, and tells the model what came of it. One for each window.
#pragma once

#include <QObject>

namespace hidet::ui {

struct Studio;

class ModelRuns : public QObject {
    Q_OBJECT
public:
    explicit ModelRuns(Studio& studio);

private:
    Studio& m_studio;
};

} // namespace hidet::ui
