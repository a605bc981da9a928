// SPDX-License-Identifier: GPL-3.0-only
// Two stages, side by side or in one column, with what differs marked down to words. Each side says what it is and is chosen
// for itself; the comparison is made on another thread and follows the script.
#pragma once

#include <QBoxLayout>

#include "app/ui/core/latest_task.h"
#include "app/ui/panes/diff_links.h"
#include "app/ui/panes/diff_side.h"
#include "app/ui/panes/diff_view.h"
#include "app/ui/panes/other_gpu.h"
#include "app/ui/panes/pane.h"

class QMenu;
class QToolButton;

namespace hidet::ui {

class DiffPane : public Pane {
    Q_OBJECT
public:
    // "diff:side:ir:script|cuda@matmul", "diff:inline:@before|@after"
    DiffPane(Studio& studio, const QString& state, QWidget* parent = nullptr);

    void setSides(const DiffSide& left, const DiffSide& right);
    void setInline(bool isInline);
    bool isInline() const { return m_diff->isInline(); }
    void setCaretLine(int line) { m_caretLine = line; } // of the script: it stays at its place on the screen
    void setOptions(bool ignoreWhitespace, bool ignoreRenames);
    bool followsPasses() const { return m_right.chosen.follows == DiffSide::Follows::After; }
    static QString stateOf(bool isInline, const DiffSide& left, const DiffSide& right);
    void step(int direction) { m_diff->step(direction); }
    bool isSettled() const { return !m_job.busy() && !m_dirty && !m_left.gpu.isBusy() && !m_right.gpu.isBusy(); }
    const DiffColumns& shown() const { return m_diff->columns(); }
    QString leftTitle() const { return m_left.text.title; }
    QString rightTitle() const { return m_right.text.title; }
    CodeView& rightView() { return m_diff->right(); }

    QString state() const override { return stateOf(isInline(), m_left.chosen, m_right.chosen); }
    QString title() const override;
    CodeView& view() { return m_diff->left(); }
    CodeView* codeView() override { return &m_diff->left(); }
    QByteArray wholeText() override { return QByteArray::fromStdString(shown().unified); }
    QString fileName() const override { return QStringLiteral("changes.diff"); }

protected:
    void showEvent(QShowEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    struct Side {
        OtherGpu gpu;
        DiffSide chosen = {};
        SideText text = {};
        DiffLinks links = {};
        QToolButton* button = nullptr;
        ElidedLabel* figures = nullptr;
    };
    void build();
    void fillSideMenu(QMenu& menu, Side& side);
    void addChoice(QMenu& menu, Side& side, const DiffSide& choice, const QString& text);
    void addTexts(QMenu& menu, Side& side);
    void addStages(QMenu& menu, Side& side, const QString& function, bool baseline);
    void refresh();
    void compare();
    bool hasSameRight() const; // what is taken now, as what is shown
    void take(DiffColumns columns);
    void addGpus(QMenu& menu, Side& side);
    void showChoices();
    void showFigures();
    void placeTitles();
    void showFocus();
    void applyTheme();

    Studio& m_studio;
    Side m_left, m_right;
    bool m_ignoreWhitespace = false, m_ignoreRenames = false, m_dirty = true, m_isNew = true;
    QBoxLayout* m_header = nullptr;
    QBoxLayout* m_sides = nullptr;
    QToolButton* m_ignore;
    QWidget* m_figures; // one label above each column, or a line each above the only one
    QBoxLayout* m_figuresLine;
    DiffView* m_diff;
    DiffRequest m_asked;
    DiffRequest m_taken; // what is shown
    int m_caretLine = 0; // of the script, 1-based; 0: not known
    LatestTask m_job;
};

} // namespace hidet::ui
