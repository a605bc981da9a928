// SPDX-License-Identifier: GPL-3.0-only
// What the parts of the window share. Each part gets this in its constructor and looks at nothing else: no part knows the
// window, and none knows another. There is one for each window. It has no functions: each of its members does one thing.
#pragma once

#include <functional>
#include <memory>

#include <QObject>

#include "app/session/session.h"
#include "app/ui/core/application.h"
#include "app/ui/core/commands.h"
#include "app/ui/core/settings.h"
#include "app/ui/core/theme.h"
#include "app/ui/live/link_hub.h"
#include "app/ui/live/stage_hub.h"
#include "app/ui/workbench/debug_board.h"
#include "app/ui/workbench/job_runner.h"
#include "app/ui/workbench/live_scripts.h"
#include "app/ui/workbench/notices.h"
#include "app/ui/workbench/open_tabs.h"
#include "app/ui/workbench/view_requests.h"

namespace hidet::ui {

struct Figure;
class ModelRuns;
class Profiles;
class RunController;
class ScriptReducer;

struct StudioServices {
    Settings& settings;
    ThemeSource& themes;
    std::shared_ptr<session::Tools> tools;
    FileDialogs dialogs = FileDialogs::ofDesktop();
    session::ServiceMaker workers = {}; // who runs scripts and models; empty: worker processes
};

struct Studio : QObject {
    Q_OBJECT
public:
    explicit Studio(StudioServices services, QObject* parent = nullptr);

    Settings& settings;
    ThemeSource& themes;
    const std::shared_ptr<session::Tools> tools;
    FileDialogs dialogs;
    Commands commands;
    Notices notices;
    LinkHub links;
    StageHub stages;
    LiveScripts scripts;
    OpenTabs tabs;
    ViewRequests requests;
    DebugBoard debug;
    JobRunner* const jobs;
    Profiles* profiles = nullptr;                        // made by the constructor
    std::function<Figure(const QString& id)> makeFigure; // without content for what is none; of the window
    RunController* runs = nullptr;                       // the window makes these before any part that asks for them
    ModelRuns* modelRuns = nullptr;
    ScriptReducer* reducer = nullptr;
};

} // namespace hidet::ui
