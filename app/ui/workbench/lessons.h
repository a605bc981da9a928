// SPDX-License-Identifier: GPL-3.0-only
// What can be learnt from a finding: the picture that shows it, what the manual says of it, a script that has just that, and one
// that is cured of it. The scripts are those of the manual (lang/manual), which tests run.
#pragma once

#include <QToolButton>

#include "app/ui/workbench/studio.h"

class QMenu;

namespace hidet::ui {

// The finding's row of lessons.def; empty: it has none.
QString lessonOf(const session::DiagnosticView& problem);
QString lessonOf(const session::AccessView& access);

// "finding.example.race" and "finding.cure.race" for each, as long as `owner` lives.
void addLessonCommands(Studio& studio, QObject& owner);

// Goes to the line of the current script, and shows the picture of what happens there.
void showFinding(Studio& studio, const QString& lesson, const session::Place& place);
void explainFinding(Studio& studio, const QString& lesson);
// What explains it, and what opens its scripts.
void addLessonActions(QMenu& menu, Studio& studio, const QString& lesson);

// A button with these; it is there only while there is a lesson.
class LessonButton : public QToolButton {
    Q_OBJECT
public:
    LessonButton(Studio& studio, QWidget* parent);
    void setLesson(const QString& lesson);
    const QString& lesson() const { return m_lesson; }

private:
    void applyTheme();

    Studio& m_studio;
    QMenu* m_menu;
    QString m_lesson;
};

} // namespace hidet::ui
