// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/screenshots/screenshots.h"

#include <algorithm>
#include <cstdio>

#include <QApplication>
#include <QCursor>
#include <QDeadlineTimer>
#include <QDir>
#include <QEventLoop>
#include <QFontDatabase>
#include <QPainter>
#include <QStandardPaths>
#include <QTimer>

#include "app/ui/core/background.h"
#include "app/ui/core/paths.h"
#include "app/ui/core/words.h"
#include "app/ui/panes/stage_pane.h"
#include "app/ui/run/run_controller.h"
#include "app/ui/workbench/live_model.h"

namespace hidet::ui {

namespace {

constexpr int longest_wait_ms = 60'000;
constexpr int longest_pause_ms = 250; // of all that the window waits for before it reacts

void reportError(const QString& sentence) {
    std::fprintf(stderr, "hidet-studio: %s\n", qPrintable(sentence));
}

QString fileName(const SceneInfo& scene, const QString& theme, const ScreenshotRequest& request) {
    return QDir(request.folder)
        .filePath(scene.name + "-" + theme + (request.scale == "1" ? QString() : "@" + request.scale + "x") + ".png");
}

} // namespace

const std::vector<SceneInfo>& allScenes() {
    static const std::vector<SceneInfo> scenes = {
#define HIDET_STATE(name, width, height, help) {#name, QSize(width, height), help, show_##name},
#define HIDET_SAMPLE_STATE(name, width, height, sample, view, help)                                                    \
    {#name, QSize(width, height), help, [](Scene& scene) {                                                             \
         scene.openSample(sample);                                                                                     \
         view_##view(scene);                                                                                           \
     }},
#include "app/ui/screenshots/states.def"
    };
    return scenes;
}

Scene::Scene(const QString& theme, QSize size, const QString& model)
    : m_model(model), m_settings(std::make_unique<Settings>(m_folder.filePath("settings.conf"), nullptr)),
      m_themes(std::make_unique<ThemeSource>()) {
    m_themes->setCodeFont({}, 0);
    m_settings->set(Setting::QuietDocks, false); // pictures are of docks, too
    m_themes->use(theme);
    m_window = std::make_unique<MainWindow>(StudioServices{*m_settings, *m_themes, session::open_tools(), {}});
    m_window->resize(size);
    m_window->show();
    waitFor([this] { return m_window->isVisible(); });
}

Scene::~Scene() = default;

void Scene::setTheme(const QString& theme) {
    m_themes->use(theme);
}

bool Scene::waitFor(const std::function<bool()>& condition) {
    const QDeadlineTimer deadline(longest_wait_ms);
    while (!condition()) {
        if (deadline.hasExpired()) {
            showError("a state did not come to rest");
            return false;
        }
        QEventLoop loop;
        QTimer::singleShot(10, &loop, &QEventLoop::quit);
        loop.exec();
    }
    return true;
}

bool Scene::openModelFile(const QString& path) {
    if (!studio().tabs.openFile(path))
        return false;
    settle();
    return true;
}

bool Scene::openModel(const QString& name) {
    return openModelFile(m_model.isEmpty() ? samplesFolder() + "/models/" + name + ".onnx" : m_model);
}

bool Scene::openSample(const QString& name) {
    FileError error;
    if (studio().tabs.open(samplesFolder() + "/kernels/" + name + ".py", error))
        return true;
    showError(error.message);
    return false;
}

void Scene::readSample(const QString& name) {
    openSample(name);
    settle();
}

void Scene::showError(const QString& sentence) {
    reportError(sentence);
    m_hasErrors = true;
}

void Scene::openText(const QByteArray& script) {
    studio().tabs.create(script);
}

void Scene::trigger(const QString& command) {
    QAction* action = studio().commands.find(command);
    if (action && action->isEnabled())
        action->trigger();
    else
        showError("a state needs the command " + command + ", which cannot be done");
}

void Scene::perform(const QString& command) {
    trigger(command);
    settle();
}

void Scene::caretTo(int line, int column) {
    studio().requests.show({studio().tabs.current()->name().toStdString(), line, column, 0, 0});
}

void Scene::caretTo(const QByteArray& text, int behind) {
    const QByteArray& all = studio().tabs.current()->text();
    const qsizetype at = all.indexOf(text);
    caretTo(1 + int(all.left(at).count('\n')), int(at - all.lastIndexOf('\n', at)) + behind);
}

void Scene::run(const std::function<void(RunPlan&)>& how, const QString& command) {
    RunController& runs = *studio().runs;
    settle();
    waitFor([&] { return runs.signatures() != nullptr; });
    if (how) {
        RunPlan plan = runs.plans().plan(*studio().tabs.current());
        how(plan);
        runs.plans().change(*studio().tabs.current(), plan, {}, "arguments");
    }
    trigger(command);
    waitFor([&] { return studio().jobs->running() == nullptr; });
}

void Scene::replaceText(const QByteArray& text, const QByteArray& other) {
    QByteArray all = studio().tabs.current()->text();
    window().editors().current()->replaceAll(all.replace(text, other));
}

void Scene::click(const QString& button) {
    if (auto* found = window().findChild<QToolButton*>(button))
        found->click();
}

bool Scene::isIdle() {
    const LiveModel* model = studio().tabs.model();
    const QList<StagePane*> panes = m_window->stages().stagePanes();
    return !worksBeside() && studio().scripts.turns().isIdle() && !studio().jobs->running() &&
           !(model && model->graphs().isBusy()) && (!studio().scripts.live() || studio().scripts.live()->isSettled()) &&
           std::ranges::all_of(panes, [](const StagePane* pane) { return !pane->isVisible() || pane->isSettled(); });
}

// What pauses before it works has begun to when a longer pause is over, however slow the machine is: timers go off in the
// order of their times.
void Scene::settle() {
    do {
        if (!waitFor([this] { return isIdle(); }))
            return;
        QEventLoop loop;
        QTimer::singleShot(longest_pause_ms, &loop, &QEventLoop::quit);
        loop.exec();
    } while (!isIdle());
}

QImage Scene::picture() {
    settle();
    QPixmap out = m_window->grab();
    if (QWidget* popup = QApplication::activePopupWidget()) { // a window of its own, above this one
        QPainter painter(&out);
        painter.drawPixmap(m_window->mapFromGlobal(popup->pos()), popup->grab());
        popup->close();
    }
    return out.toImage();
}

void prepareLook() {
    QApplication::setCursorFlashTime(0);
    QCursor::setPos(1'000'000, 1'000'000); // on nothing, which would look chosen
    if (QFontDatabase::families().contains("Inter"))
        QApplication::setFont(QFont("Inter", 10));
}

void prepareScreenshots(int argc, char** argv) {
    bool wanted = false;
    QByteArray scale = "1";
    for (int i = 1; i < argc; ++i) {
        const QByteArray argument = argv[i];
        wanted = wanted || argument == "--screenshot" || argument.startsWith("--screenshot=");
        if (argument == "--scale" && i + 1 < argc)
            scale = argv[i + 1];
        else if (argument.startsWith("--scale="))
            scale = argument.mid(8);
    }
    if (!wanted)
        return;
    qputenv("QT_QPA_PLATFORM", "offscreen");
    qputenv("QT_SCALE_FACTOR", scale);
    QStandardPaths::setTestModeEnabled(true);
    // What runs leave behind, their history and plans, is neither shown in pictures nor changed by them.
    static const QTemporaryDir state;
    qputenv("XDG_STATE_HOME", state.path().toUtf8());
}

int takeScreenshots(const ScreenshotRequest& request) {
    if (!QDir().mkpath(request.folder)) {
        reportError("the folder " + request.folder + " cannot be made");
        return 3;
    }
    prepareLook();
    bool known = false, failed = false;
    for (const SceneInfo& info : allScenes()) {
        if (request.state != "all" && request.state != info.name)
            continue;
        known = true;
        for (const QString& theme : request.themes) {
            Scene scene(theme, info.size, request.model);
            info.show(scene);
            const QString file = fileName(info, theme, request);
            failed = failed || scene.hasErrors();
            if (!scene.picture().save(file)) {
                reportError(file + " cannot be written");
                return 3;
            }
            std::printf("%s\n", qPrintable(file));
            std::fflush(stdout);
        }
    }
    if (known)
        return failed ? 1 : 0;
    const QStringList names = listOf(allScenes(), &SceneInfo::name);
    reportError("there is no state " + request.state + "; there are: " + names.join(", "));
    return 2;
}

} // namespace hidet::ui
