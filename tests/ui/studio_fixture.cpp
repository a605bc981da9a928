// SPDX-License-Identifier: GPL-3.0-only
#include "tests/ui/studio_fixture.h"

#include <algorithm>

#include <QRegularExpression>

#include "app/ui/editor/editor_pane.h"
#include "tests/ui/model_contract.h"

namespace hidet::ui::test {

void prepareEnvironment() {
    // Made once a process, and removed with it.
    static QTemporaryDir home;
    const QByteArray root = home.path().toUtf8();
    qputenv("XDG_CONFIG_HOME", root + "/config");
    qputenv("XDG_STATE_HOME", root + "/state");
    qputenv("XDG_DATA_HOME", root + "/data");
    qputenv("XDG_CACHE_HOME", root + "/cache");
    QDir().mkpath(home.path() + "/runtime");
    QFile::setPermissions(home.path() + "/runtime", QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    qputenv("XDG_RUNTIME_DIR", root + "/runtime");
    qputenv("LANG", "C.UTF-8");
    if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    QCoreApplication::setOrganizationName("hidet");
    QCoreApplication::setApplicationName("hidet-studio");
    QApplication::setStyle("Fusion");
}

StudioFixture::StudioFixture(session::ServiceMaker workers, std::shared_ptr<session::Tools> tools) {
    // The platform plugin of tests cannot do what nobody asked it for.
    QTest::failOnWarning(QRegularExpression("^(?!This plugin does not support ).*"));
    m_settings = std::make_unique<Settings>(m_folder.filePath("settings.conf"), nullptr);
    m_settings->set(Setting::QuietDocks, false); // tests look into docks that have nothing to say
    m_themes = std::make_unique<ThemeSource>();
    m_themes->use("light");
    StudioServices services{*m_settings, *m_themes, tools ? std::move(tools) : session::open_tools()};
    services.dialogs.open = [this](auto&&...) {
        return m_answers.isEmpty() ? QStringList() : QStringList(m_answers.takeFirst());
    };
    services.dialogs.save = [this](auto&&...) { return m_answers.isEmpty() ? QString() : m_answers.takeFirst(); };
    services.dialogs.folder = [this](auto&&...) { return m_answers.isEmpty() ? QString() : m_answers.takeFirst(); };
    services.workers = std::move(workers);
    m_window = std::make_unique<MainWindow>(std::move(services));
    m_window->resize(1440, 900);
    m_window->show();
    if (!QTest::qWaitForWindowExposed(m_window.get()))
        qWarning("the window was not shown");
}

StudioFixture::~StudioFixture() = default;

bool StudioFixture::trigger(const QString& command) {
    QAction* action = studio().commands.find(command);
    if (!action || !action->isEnabled())
        return false;
    action->trigger();
    return true;
}

void StudioFixture::openText(const QByteArray& script) {
    studio().create(script);
}

bool StudioFixture::openSample(const QString& name) {
    const QString copy = m_folder.filePath(name + ".py");
    if (!QFile::exists(copy) && !QFile::copy(QStringLiteral(HIDET_SAMPLES "/kernels/%1.py").arg(name), copy))
        return false;
    QFile::setPermissions(copy, QFile::ReadOwner | QFile::WriteOwner);
    FileError error;
    return studio().open(copy, error) != nullptr;
}

void StudioFixture::type(const QString& text) {
    editor().setFocus();
    typeInto(editor(), text);
}

bool StudioFixture::find(const QString& text) {
    if (!trigger("pane.editor") || !trigger("edit.find"))
        return false;
    FindBar* bar = FindBar::of(editor());
    typeHere(text);
    if (!QTest::qWaitFor([&] { return !bar->isSearching() && !bar->hits().empty(); }, 10'000))
        return false;
    press(Qt::Key_Escape);
    return editor().hasFocus() && editor().bytes(editor().selection()) == text.toUtf8();
}

void StudioFixture::typeHere(const QString& text) {
    for (const QChar letter : text)
        typeInto(*QApplication::focusWidget(), letter);
}

void StudioFixture::press(Qt::Key key, Qt::KeyboardModifiers modifiers) {
    QTest::keyClick(QApplication::focusWidget(), key, modifiers);
}

QByteArray marked(CodeView& view, CodeView::Indicator indicator) {
    QByteArray out;
    const auto id = static_cast<unsigned long>(indicator);
    for (int at = 0; at < view.byteCount();) {
        const int end =
            static_cast<int>(view.SendScintilla(QsciScintilla::SCI_INDICATOREND, id, static_cast<long>(at)));
        if (view.SendScintilla(QsciScintilla::SCI_INDICATORVALUEAT, id, static_cast<long>(at)))
            out += view.bytes({at, end}) + '\n';
        if (end <= at)
            break;
        at = end;
    }
    return out;
}

void typeInto(QWidget& widget, const QString& text) {
    for (const QChar letter : text) {
        if (letter == '\n')
            QTest::keyClick(&widget, Qt::Key_Return);
        else
            QTest::keyClicks(&widget, QString(letter));
    }
}

bool StudioFixture::settle() {
    return QTest::qWaitFor(
        [&] {
            const QList<StagePane*> panes = window().stages().stagePanes();
            return studio().live() && studio().live()->isSettled() && studio().turns.isIdle() &&
                   std::all_of(panes.begin(), panes.end(),
                               [](const StagePane* pane) { return !pane->isVisible() || pane->isSettled(); });
        },
        60'000);
}

QByteArray StudioFixture::textOf(const StageName& stage) {
    StagePane* pane = window().stages().show(stage);
    return QTest::qWaitFor([&] { return pane->isSettled(); }, 10'000) ? pane->view().bytes() : QByteArray();
}

int runTests(QObject& tests, int argc, char** argv) {
    ModelContract contract;
    qApp->installEventFilter(&contract);
    return QTest::qExec(&tests, argc, argv);
}

} // namespace hidet::ui::test
