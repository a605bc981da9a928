// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/core/application.h"
#include "app/ui/core/background.h"
#include "app/ui/core/held_setting.h"
#include "app/ui/core/paths.h"
#include "app/ui/core/placement.h"
#include "app/ui/core/remote_worker.h"
#include "app/ui/core/settings.h"
#include "app/ui/core/theme.h"
#include "app/ui/pages/diagnostics.h"
#include "app/ui/program/rehearsals.h"
#include "app/ui/program/session_keeper.h"
#include "app/ui/program/start.h"
#include "app/ui/window/main_window.h"
#include "app/ui/workbench/compile_workers.h"

namespace {

using namespace hidet;

void followAppearance(ui::Settings& settings, ui::ThemeSource& themes) {
    auto use = [&] {
        themes.setCodeFont(settings.text(ui::Setting::CodeFont), settings.number(ui::Setting::CodeFontSize));
        themes.use(settings.text(ui::Setting::Theme));
    };
    QObject::connect(&settings, &ui::Settings::changed, &themes, [&settings, use](ui::Setting setting) {
        if (ui::infoOf(setting).page == "Appearance")
            use();
    });
    use();
}

// Settings of its own for safe mode: what a user has set may be what is wrong.
std::unique_ptr<ui::Settings> settingsFor(const ui::Options& options, const QString& state) {
    if (!options.safeMode) {
        auto own = std::make_unique<ui::Settings>();
        ui::moveRemoteWorker(*own);
        return own;
    }
    const QString path = QDir(state).filePath("safe-mode.conf");
    QFile::remove(path);
    auto settings = std::make_unique<ui::Settings>(path, nullptr);
    ui::setPlacement(*settings, session::Placement::Emulate);
    return settings;
}

int runWindow(const ui::Options& options) {
    const QString state = ui::stateFolder();
    const QString crash = ui::takeCrashLine(state);
    ui::watchForCrashes(state);
    ui::startLog();
    const std::unique_ptr<ui::Settings> settings = settingsFor(options, state);
    if (!options.target.isEmpty())
        ui::hold(*settings, ui::Setting::Target, options.target);
    ui::ThemeSource themes;
    followAppearance(*settings, themes);
    ui::Rehearsals rehearsals;
    ui::MainWindow window({*settings, themes, ui::openCompileWorkers(*settings), ui::FileDialogs::ofDesktop()});
    window.resize(1440, 900);
    ui::SessionKeeper keeper(
        window, state,
        {options.session, settings->flag(ui::Setting::RestoreSession), options.newWindow || options.safeMode});
    if (!options.safeMode)
        keeper.start();
    window.show();
    QObject::connect(&rehearsals, &ui::Rehearsals::failed, &window, [&window](const QString& why) {
        window.studio().notices.notify({"rehearsals", ui::NoticeKind::Warning, why, {}, {}});
    });
    if (!crash.isEmpty())
        window.studio().notices.notify(
            {"crash",
             ui::NoticeKind::Warning,
             QObject::tr("Hidet Studio crashed last time: %1").arg(crash),
             {{QObject::tr("Diagnostics"), [&window] { window.studio().requests.showPage("about"); }}},
             {}});
    ui::openFiles(window.studio(), options.files);
    QTimer::singleShot(0, &window, [&] { ui::doCommands(window, options.commands); });
    QObject::connect(qApp, &QCoreApplication::aboutToQuit, &keeper, &ui::SessionKeeper::end);
    return QApplication::exec();
}

} // namespace

int main(int argc, char** argv) {
    QCoreApplication::setOrganizationName("hidet");
    QCoreApplication::setApplicationName("hidet-studio");
    QCoreApplication::setApplicationVersion(HIDET_VERSION);
    QGuiApplication::setDesktopFileName("org.hidet.Studio");
    QApplication::setStyle("Fusion");
    ui::prepareScreenshots(argc, argv);
    if (const std::optional<int> code = ui::answerWithoutWindow(argc, argv))
        return *code;
    ui::Application app(argc, argv);
    QApplication::setApplicationDisplayName("Hidet Studio");
    ui::background().start([] { session::assist::learn_language(); }); // or the first script waits for it
    const ui::Options options = ui::parseOptions(QCoreApplication::arguments());
    return options.screenshot.folder.isEmpty() ? runWindow(options) : ui::takeScreenshots(options.screenshot);
}
