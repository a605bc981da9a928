// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/workbench/lessons.h"

#include <array>

#include <QMenu>

#include "app/session/live/manual.h"
#include "app/ui/core/icons.h"
#include "app/ui/core/words.h"
#include "lang/base/ranges.h"

namespace hidet::ui {

namespace assist = session::assist;

namespace {

struct Lesson {
    const char* word;
    const char* dock;
};

constexpr std::array lessons{
#define HIDET_LESSON(word, dock) Lesson{word, dock},
#include "app/ui/workbench/lessons.def"
};

const Lesson* findLesson(const QString& word) {
    return first_in(lessons, [&](const Lesson& each) { return word == QLatin1String(each.word); });
}

// Of several ids with one section the first has the commands.
QString firstWordOf(const QString& title) {
    for (const Lesson& each : lessons)
        if (text(assist::manual_trial(each.word).title) == title)
            return each.word;
    return {};
}

QString titleOfLesson(const QString& lesson) {
    return text(assist::manual_trial(lesson.toStdString()).title);
}

} // namespace

QString lessonOf(const session::DiagnosticView& problem) {
    const Lesson* found = findLesson(text(problem.id));
    return found ? QString(found->word) : QString();
}

QString lessonOf(const session::AccessView& access) {
    if (access.finding.empty())
        return {};
    return access.memory == "shared" ? QStringLiteral("bank-conflict") : QStringLiteral("uncoalesced");
}

void addLessonCommands(Studio& studio, QObject& owner) {
    for (const Lesson& each : lessons) {
        const assist::ManualTrial trial = assist::manual_trial(each.word);
        const QString title = text(trial.title);
        if (!trial.known() || firstWordOf(title) != each.word)
            continue;
        const auto add = [&](const QString& kind, const QString& name, const QString& help, const std::string& script) {
            studio.commands.add("finding." + kind + '.' + each.word, "Help/Findings", name, help, {}, &owner,
                                [&studio, script = QByteArray::fromStdString(script)] {
                                    studio.tabs.create(script);
                                    emit studio.requests.editorRequested();
                                });
        };
        add("example", tr("%1: a sample").arg(title), tr("Opens a script that has this finding: %1").arg(title),
            trial.example);
        add("cure", tr("%1: the fix").arg(title), tr("Opens that script with the fix"), trial.cure);
    }
}

void showFinding(Studio& studio, const QString& lesson, const session::Place& place) {
    studio.requests.show(session::Place(place));
    const Lesson* found = findLesson(lesson);
    const QString dock = found ? found->dock : QString();
    if (dock == "accesses")
        studio.requests.showAccess(place.line);
    else if (dock == "threads")
        studio.requests.showThreads(place.line);
    else if (!dock.isEmpty())
        studio.requests.showDock(dock);
}

void explainFinding(Studio& studio, const QString& lesson) {
    studio.requests.showManual(lesson);
}

void addLessonActions(QMenu& menu, Studio& studio, const QString& lesson) {
    menu.addAction(tr("Explain: %1").arg(titleOfLesson(lesson)), &studio,
                   [&studio, lesson] { explainFinding(studio, lesson); });
    const QString word = firstWordOf(titleOfLesson(lesson));
    const std::pair<const char*, QString> scripts[] = {{"example", tr("Try a sample of it")},
                                                       {"cure", tr("Try the sample with the fix")}};
    for (const auto& [kind, name] : scripts)
        if (QAction* action = studio.commands.find(QString("finding.%1.%2").arg(kind, word)))
            menu.addAction(name, action, &QAction::trigger)->setObjectName(Commands::idOf(action));
}

LessonButton::LessonButton(Studio& studio, QWidget* parent)
    : QToolButton(parent), m_studio(studio), m_menu(new QMenu(this)) {
    setText(tr("Learn"));
    setAccessibleName(text());
    setToolTip(tr("What this finding is, and scripts to try"));
    setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    setPopupMode(QToolButton::InstantPopup);
    setMenu(m_menu);
    hide();
    connect(m_menu, &QMenu::aboutToShow, this, [this] {
        m_menu->clear();
        addLessonActions(*m_menu, m_studio, m_lesson);
    });
    studio.themes.follow(this, &LessonButton::applyTheme);
}

void LessonButton::applyTheme() {
    setIcon(ui::icon("info", m_studio.themes.theme().text));
}

void LessonButton::setLesson(const QString& lesson) {
    m_lesson = lesson;
    setVisible(!lesson.isEmpty());
}

} // namespace hidet::ui
