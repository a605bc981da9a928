// SPDX-License-Identifier: GPL-3.0-only
// The real window for tests: offscreen, with empty folders for all that the program keeps, driven through the command
// registry. Any warning of Qt's fails the test.
#pragma once

#include <memory>

#include <QTemporaryDir>
#include <QTest>

#include "app/ui/window/main_window.h"

namespace hidet::ui {

// By its key: "ir:simplify"_stage.
inline StageName operator""_stage(const char* key, std::size_t size) {
    return StageName::ofKey(QString::fromUtf8(key, qsizetype(size)));
}

} // namespace hidet::ui

namespace hidet::ui::test {

// Before QApplication is made: platform, scale, folders, fonts.
void prepareEnvironment();

class StudioFixture {
public:
    // An empty window of 1440 x 900, shown; `workers` run scripts, or else processes do; `tools` compile, or else this one does.
    explicit StudioFixture(session::ServiceMaker workers = {}, std::shared_ptr<session::Tools> tools = nullptr);
    ~StudioFixture();

    MainWindow& window() { return *m_window; }
    Studio& studio() { return m_window->studio(); }
    ScriptEditor& editor() { return *m_window->editors().current(); }
    QString folder() const { return m_folder.path(); } // for files of the test

    // Does what the palette does; false: there is no such command, or it is disabled.
    bool trigger(const QString& command);
    void openText(const QByteArray& script);
    bool openSample(const QString& name); // "naive_matmul": a copy of it, which the test may change
    // What the next file dialogs answer, in order; without an answer they are refused.
    void answerDialogs(const QStringList& paths) { m_answers = paths; }
    // Types at the caret, key by key.
    void type(const QString& text);
    // Until the live pipeline has shown all that comes of the text in the editor; false: it took too long.
    bool settle();
    QByteArray textOf(const StageName& stage); // of a pane that shows it, made to if there is none
    // As a user does it: finds the text in the script with the bar, and types over what is found.
    bool find(const QString& text);
    bool retype(const QString& text, const QString& now) { return find(text) && (typeHere(now), true); }
    void typeHere(const QString& text);                                        // where the keyboard is
    void press(Qt::Key key, Qt::KeyboardModifiers modifiers = Qt::NoModifier); // the same

private:
    QTemporaryDir m_folder;
    QStringList m_answers;
    std::unique_ptr<Settings> m_settings;
    std::unique_ptr<ThemeSource> m_themes;
    std::unique_ptr<MainWindow> m_window;
};

// The widget of that name, of which there is one.
template <class T>
T& in(StudioFixture& studio, const char* name) {
    T* found = studio.window().findChild<T*>(name);
    if (!found)
        qFatal("there is no widget %s", name);
    return *found;
}

// The text of all ranges of an indicator, one a line.
QByteArray marked(CodeView& view, CodeView::Indicator indicator);

// Key by key; a line's end is Return.
void typeInto(QWidget& widget, const QString& text);

// main() of a test program.
int runTests(QObject& tests, int argc, char** argv);

} // namespace hidet::ui::test

#define HIDET_UI_TEST_MAIN(Class)                                                                                      \
    int main(int argc, char** argv) {                                                                                  \
        hidet::ui::test::prepareEnvironment();                                                                         \
        hidet::ui::Application app(argc, argv);                                                                        \
        Class tests;                                                                                                   \
        return hidet::ui::test::runTests(tests, argc, argv);                                                           \
    }
