// SPDX-License-Identifier: GPL-3.0-only
// Pictures of named states of the window, rendered offscreen: for the README, and to look at after every change. The
// same state gives the same picture, but for times that were measured.
#pragma once

#include <vector>

#include <QTemporaryDir>

#include "app/ui/run/run_plan.h"
#include "app/ui/window/main_window.h"

namespace hidet::ui {

// The window of one picture, and what brings it into its state. Everything happens in the window as users do it.
class Scene {
public:
    Scene(const QString& theme, QSize size, const QString& model = {});
    ~Scene();

    MainWindow& window() { return *m_window; }
    Studio& studio() { return m_window->studio(); }
    Settings& settings() { return *m_settings; }
    QString folder() const { return m_folder.path(); } // for files of the scene

    bool openSample(const QString& name);
    void readSample(const QString& name); // and waits until all is known of it
    // Of the samples: "encoder"; or the user's own, if one was named. Waits until it is read.
    bool openModel(const QString& name);
    bool openModelFile(const QString& path);
    void openText(const QByteArray& script);
    void trigger(const QString& command);                 // one that is disabled is a mistake of the scene: it says so
    void perform(const QString& command);                 // and waits for what it brings
    void caretTo(int line, int column);                   // 1-based
    void caretTo(const QByteArray& text, int behind = 0); // where the script has it first
    // Runs the script and waits for its end, once it is known what it can run with.
    void run(const std::function<void(RunPlan&)>& how = {}, const QString& command = "run.emulate");
    void replaceText(const QByteArray& text, const QByteArray& other); // in the editor
    void click(const QString& button);
    void setTheme(const QString& theme);
    // Until nothing is on its way in the window any more: stages, what is laid out or searched on other threads, runs, and
    // what pauses before it reacts.
    void settle();
    bool waitFor(const std::function<bool()>& condition); // false: it took too long, which is an error
    QImage picture();
    void showError(const QString& sentence);
    bool hasErrors() const { return m_hasErrors; }

private:
    bool isIdle();

    const QString m_model;
    QTemporaryDir m_folder;
    bool m_hasErrors = false;
    std::unique_ptr<Settings> m_settings;
    std::unique_ptr<ThemeSource> m_themes;
    std::unique_ptr<MainWindow> m_window;
};

struct SceneInfo {
    QString name;
    QSize size;
    QString help;
    void (*show)(Scene& scene);
};
const std::vector<SceneInfo>& allScenes();

#define HIDET_STATE(name, width, height, help) void show_##name(Scene& scene);
#define HIDET_SAMPLE_STATE(name, width, height, sample, view, help) void view_##view(Scene& scene);
#include "app/ui/screenshots/states.def"

// After QApplication is made: no caret that blinks, no mouse over anything, the font of all pictures.
void prepareLook();

// Before QApplication is made: pictures need no display, and their scale is a matter of the environment.
void prepareScreenshots(int argc, char** argv);

struct ScreenshotRequest {
    QString folder;
    QString state; // or "all"
    QStringList themes;
    QString scale; // "1" or "2": part of the name of the file
    QString model; // that states of graphs show; empty: a sample
};
// Files are <state>-<theme>.png, or <state>-<theme>@2x.png. An exit code: 1 where a state is not what it should show.
int takeScreenshots(const ScreenshotRequest& request);

} // namespace hidet::ui
