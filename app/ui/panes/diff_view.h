// SPDX-License-Identifier: GPL-3.0-only
// The columns of a difference as text: two that scroll alike, or one; steps from change to change. Whoever compares something
// puts its tools into a line above it.
#pragma once

#include <QStackedWidget>

#include "app/ui/panes/diff_columns.h"
#include "app/ui/widgets/bar_parts.h"
#include "app/ui/widgets/empty_state.h"
#include "app/ui/workbench/studio.h"

namespace hidet::ui {

class DiffView : public QStackedWidget {
    Q_OBJECT
public:
    DiffView(Studio& studio, const QString& name, QWidget* parent); // its parts have names that begin with that

    void show(DiffColumns columns); // in as many columns as isInline() says
    using QWidget::show;
    const DiffColumns& columns() const { return m_columns; }
    bool hasChanges() const { return !m_columns.changes.empty(); }
    void setInline(bool isInline); // of what is shown next
    bool isInline() const { return m_inline; }
    EmptyState& showEmpty(); // in the place of the texts; nothing is said yet
    void showTexts() { setCurrentWidget(m_both); }
    bool isEmpty() const { return currentWidget() == m_empty; }
    // A line of the right text that stays where it is on the screen while the left text becomes another one.
    struct Held {
        int line = 0;  // 1-based
        int below = 0; // rows from the first one that is seen
    };
    std::optional<Held> heldAt(int wanted) const; // that line, where it is seen, or else the first one that is
    void hold(const Held& held);
    void step(int direction);                  // to the next change or the one before
    CodeView& left() const { return *m_left; } // or the only one
    CodeView& right() const { return *m_right; }

    // For the line above.
    ElidedLabel* counts() const { return m_counts; }
    const QList<QToolButton*>& tools() const { return m_tools; }
    QToolButton* addTool(const QString& icon, const QString& name, const QString& tip);

signals:
    void inlineRequested(bool isInline);
    void stepped(int line);
    void resized();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    CodeView* newView(const QString& name);
    void showColumns();
    void applyTheme();

    Studio& m_studio;
    const QString m_name;
    QWidget* m_both;
    CodeView *m_left, *m_right;
    EmptyState* m_empty = new EmptyState(this);
    BarParts* m_parts; // of the line above
    ElidedLabel* m_counts;
    QList<QToolButton*> m_tools;
    QToolButton *m_previous, *m_next, *m_split;
    DiffColumns m_columns;
    bool m_inline = false;
};

} // namespace hidet::ui
