// SPDX-License-Identifier: GPL-3.0-only
// Exports what is in front, or what it was opened with: the format and its choices at the left, the files as they would be
// written at the right, and below them what one does next, where they go, and whether they work.
#pragma once

#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QStackedWidget>

#include "app/ui/exporting/export_checks.h"
#include "app/ui/exporting/export_files.h"
#include "app/ui/exporting/export_formats.h"
#include "app/ui/exporting/export_maker.h"
#include "app/ui/exporting/export_options.h"
#include "app/ui/exporting/export_problems.h"
#include "app/ui/widgets/elided_label.h"
#include "app/ui/widgets/empty_state.h"
#include "app/ui/widgets/work_line.h"

namespace hidet::ui {

class ExportPage : public QWidget {
    Q_OBJECT
public:
    explicit ExportPage(Studio& studio);

    void open(const ExportSubject& subject, const ExportPart& part = {});
    const ExportMaker& maker() const { return m_maker; }
    bool isSettled() const { return !m_maker.isMaking() && !m_maker.isWriting() && m_files->isSettled(); }

protected:
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;

private:
    QWidget* makeHead();
    QWidget* makeChoices();
    QWidget* makeNext();
    QWidget* makeActions();
    void listen();
    void write();
    void chooseFormat();
    void followLive(); // what the script builds is known, or the model is planned
    void ask();
    void refresh();
    void showResult();
    void showProblems();
    void showChecks();
    void say(const QString& sentence, const char* role = "");
    void chooseFolder();
    QString folder() const; // as it was typed, from where the subject is
    void proposeFolder();
    void showWritten(const QStringList& files, const QString& folder);
    void showExisting(const QString& folder, const QStringList& names);
    bool leadsSomewhere(const session::Place& place) const;
    bool isFine() const;

    Studio& m_studio;
    ExportSubject m_subject;
    ExportMaker m_maker;
    QLabel* m_title;
    ElidedLabel* m_doing;
    QPushButton* m_stop;
    WorkLine* m_work;
    ExportFormats* m_formats;
    ExportOptions* m_options;
    QStackedWidget* m_stack;
    ExportFiles* m_files;
    EmptyState* m_message;
    ExportProblems* m_problems;
    ExportChecks* m_checks;
    QWidget* m_below;
    QPlainTextEdit* m_next;
    QLineEdit* m_folder;
    QPushButton *m_check, *m_export, *m_openFolder;
    ElidedLabel* m_said;
    ExportMaker::Result m_shown;
    QString m_writtenTo;
    QMetaObject::Connection m_planned; // of the model whose operator is shown
};

} // namespace hidet::ui
