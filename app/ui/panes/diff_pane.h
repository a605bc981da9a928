// SPDX-License-Identifier: GPL-3.0-only
// Two stages, side by side or in one column, with what differs marked down to words. Each side says what it is and is chosen
// for itself; the comparison is made on another thread and follows the script.
#pragma once

#include <QBoxLayout>
#include <QStackedWidget>

#include "app/ui/core/latest.h"
#include "app/ui/panes/diff_columns.h"
#include "app/ui/panes/diff_links.h"
#include "app/ui/panes/diff_side.h"
#include "app/ui/panes/pane.h"
#include "app/ui/widgets/elided_label.h"
#include "app/ui/widgets/empty_state.h"

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
    bool isInline() const { return m_inline; }
    void setOptions(bool ignoreWhitespace, bool ignoreRenames);
    bool followsPasses() const { return m_rightSide.stage == "@after"; }
    void step(int direction); // to the next change or the one before
    bool isSettled() const { return !m_job.busy() && !m_dirty; }
    const DiffColumns& shown() const { return m_shown; }
    QString leftTitle() const { return m_leftText.title; }
    QString rightTitle() const { return m_rightText.title; }
    CodeView& rightView() { return *m_right; }

    QString state() const override;
    QString title() const override;
    CodeView& view() override { return *m_left; }
    QByteArray wholeText() override { return QByteArray::fromStdString(m_shown.unified); }
    QString fileName() const override { return QStringLiteral("changes.diff"); }

protected:
    void showEvent(QShowEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void build();
    CodeView* newView(const QString& name);
    QToolButton* newButton(const QString& icon, const QString& name, const QString& tip);
    void fillSideMenu(QMenu& menu, bool isLeft);
    void addStages(QMenu& menu, bool isLeft, const QString& function, bool baseline);
    void refresh();
    void compare();
    void take(DiffColumns columns);
    void showChoices();
    void placeTitles();
    void showLinks();
    void showFocus();
    void applyTheme();
    int change() const; // the index of the one at or before the caret; -1: none

    Studio& m_studio;
    DiffSide m_leftSide, m_rightSide;
    SideText m_leftText, m_rightText;
    bool m_inline = false, m_ignoreWhitespace = false, m_ignoreRenames = false, m_dirty = true, m_isNew = true;
    QBoxLayout* m_header = nullptr;
    QBoxLayout* m_sides = nullptr;
    QToolButton *m_leftButton, *m_rightButton;
    ElidedLabel* m_counts;
    QList<std::pair<QToolButton*, QString>> m_icons; // of the buttons below
    QToolButton *m_previous, *m_next, *m_inlineButton, *m_ignore;
    QStackedWidget* m_body;
    QWidget* m_both;
    CodeView *m_left, *m_right;
    EmptyState* m_empty;
    DiffColumns m_shown;
    DiffLinks m_leftLinks, m_rightLinks;
    DiffRequest m_asked;
    Latest m_job;
};

} // namespace hidet::ui
