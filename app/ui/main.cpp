// SPDX-License-Identifier: GPL-3.0-only
#include <QCommandLineParser>

#include "app/ui/core/application.h"
#include "app/ui/core/settings.h"
#include "app/ui/core/theme.h"
#include "app/ui/house/screenshots.h"
#include "app/ui/window/main_window.h"

int main(int argc, char** argv) {
    using namespace hidet;
    QCoreApplication::setOrganizationName("hidet");
    QCoreApplication::setApplicationName("hidet-studio");
    QCoreApplication::setApplicationVersion(HIDET_VERSION);
    QGuiApplication::setDesktopFileName("org.hidet.Studio");
    QApplication::setStyle("Fusion");
    ui::prepareScreenshots(argc, argv);
    ui::Application app(argc, argv);
    QApplication::setApplicationDisplayName("Hidet Studio");

    QCommandLineParser parser;
    parser.setApplicationDescription("Write GPU kernels and watch them become machine code.");
    parser.addHelpOption();
    parser.addVersionOption();
    parser.addOptions({
        {"screenshot", "Writes pictures of the window to a folder, and ends.", "folder"},
        {"state", "With --screenshot: which state of the window; 'all' is all of them.", "name", "all"},
        {"theme", "With --screenshot: 'light', 'dark' or another theme; both of these if not said.", "name"},
        {"scale", "With --screenshot: pixels for each point, 1 or 2.", "factor", "1"},
    });
    parser.addPositionalArgument("files", "Scripts to open.", "[files...]");
    parser.process(app);

    if (parser.isSet("screenshot")) {
        const QStringList themes =
            parser.values("theme").isEmpty() ? QStringList{"light", "dark"} : parser.values("theme");
        return ui::takeScreenshots({parser.value("screenshot"), parser.value("state"), themes, parser.value("scale")});
    }

    ui::Settings settings;
    ui::ThemeSource themes;
    auto useAppearance = [&] {
        themes.setCodeFont(settings.text(ui::Setting::CodeFont), settings.number(ui::Setting::CodeFontSize));
        themes.use(settings.text(ui::Setting::Theme));
    };
    QObject::connect(&settings, &ui::Settings::changed, &themes, [&](ui::Setting setting) {
        if (ui::infoOf(setting).page == "Appearance")
            useAppearance();
    });
    useAppearance();
    ui::MainWindow window({settings, themes, session::open_tools()});
    window.resize(1440, 900);
    window.show();
    for (const QString& file : parser.positionalArguments()) {
        ui::FileError error;
        if (!window.studio().open(file, error))
            window.studio().complain(error.message);
    }
    return QApplication::exec();
}
