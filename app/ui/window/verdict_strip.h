// SPDX-License-Identifier: GPL-3.0-only
// The line between the code and the docks that says what the last run of the script showed. Every part can be clicked and
// has the keyboard, and leads to its detail; where the window is narrow the least important parts go.
#pragma once

#include <QFrame>
#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QTimer>
#include <QToolButton>

#include "app/ui/run/verdict.h"
#include "app/ui/workbench/studio.h"

namespace hidet::ui {

class RunController;

class VerdictStrip : public QFrame {
    Q_OBJECT
public:
    VerdictStrip(Studio& studio, QWidget* parent = nullptr);

    const VerdictLine& line() const { return m_line; }
    QString sentence() const { return accessibleName(); }
    QStringList shownParts() const; // ids
    QSize minimumSizeHint() const override { return {0, 32}; }

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void refresh();
    bool isRunningHere() const; // what is in front
    const session::Explained* explained() const;
    QString invitation() const;
    void showRunning();
    void showParts();
    void fit();
    void follow(const VerdictPart& part);
    void followModel(const VerdictPart& part);

    Studio& m_studio;
    RunController& m_runs;
    VerdictLine m_line;
    QHBoxLayout* m_row = new QHBoxLayout(this);
    QLabel* m_words = new QLabel(this); // empty state, or what is being done
    QProgressBar* m_progress = new QProgressBar(this);
    QToolButton* m_stop = new QToolButton(this);
    QList<QToolButton*> m_buttons; // one a part
    QTimer m_clock;
};

} // namespace hidet::ui
