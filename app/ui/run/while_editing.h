// SPDX-License-Identifier: GPL-3.0-only
// Checks and measures the kernel in front again when nobody has typed for a while and the text is free of mistakes; off until
// the user says otherwise. The newest text wins, and what the user runs himself comes first.
#pragma once

#include <QObject>

#include "app/ui/core/one_shot.h"
#include "app/ui/workbench/studio.h"

namespace hidet::ui {

class RunController;

class WhileEditing : public QObject {
    Q_OBJECT
public:
    WhileEditing(Studio& studio, RunController& runs);

private:
    bool isOn() const;
    void wait(); // for the pause
    void run();  // if it is time

    Studio& m_studio;
    RunController& m_runs;
    OneShot m_pause;
    bool m_isDue = false; // the pause is over, and the text was not run yet
};

} // namespace hidet::ui
