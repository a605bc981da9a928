// SPDX-License-Identifier: GPL-3.0-only
// The strip above a graph: after which pass it is shown, what is put together, what colours mean, and the search.
#pragma once

#include <QLabel>
#include <QLineEdit>
#include <QPointer>
#include <QSlider>

#include "app/ui/core/one_shot.h"
#include "app/ui/graph/canvas/overlay_commands.h"
#include "app/ui/widgets/bar_parts.h"
#include "app/ui/widgets/field_mistake.h"
#include "app/ui/workbench/live_model.h"
#include "app/ui/workbench/studio.h"

namespace hidet::ui {

// The field that finds operators of the shown graph: what is found is marked as one types, Return goes to the next. While the
// text cannot be read, what was found before stays.
class GraphSearch : public QWidget {
    Q_OBJECT
public:
    GraphSearch(Studio& studio, LiveModel& model, QWidget* parent = nullptr);

    void open(); // takes the keyboard
    void step(int by);
    void toggleExpression();
    bool hasHits() const { return !m_hits.empty(); }
    const std::vector<quint32>& hits() const { return m_hits; }

signals:
    void marking(); // hits, next
    void left();    // the keyboard is no longer wanted

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void find();
    void take(std::vector<quint32> hits, const QString& mistake);
    void refuse(const QString& mistake); // what was found before stays
    void showCount();

    Studio& m_studio;
    LiveModel& m_model;
    BarParts* m_parts;
    QLineEdit* m_field;
    QToolButton* m_expression;
    ElidedLabel* m_count;
    QPointer<FieldMistake> m_told; // a child of the window, which may go first
    QToolButton *m_previous, *m_next;
    std::vector<quint32> m_hits;
    int m_at = -1;
    QString m_mistake;
    static constexpr int typing_ms = 60;
    OneShot m_pause{typing_ms, [this] { find(); }};
    LatestTask m_finding; // last: its results arrive here
};

class GraphStrip : public QWidget {
    Q_OBJECT
public:
    GraphStrip(Studio& studio, LiveModel& model, QWidget* parent = nullptr);

    GraphSearch& search() { return *m_search; }
    QSize minimumSizeHint() const override { return {200, QWidget::minimumSizeHint().height()}; }

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    QToolButton* button(const QString& icon, Command command, int by);
    QToolButton* toggle(const QString& text, Command command, const QString& name);
    void showPasses();
    void showGrouping();

    Studio& m_studio;
    LiveModel& m_model;
    BarParts* m_parts; // before the buttons that are of it
    QToolButton *m_previous, *m_next;
    QSlider* m_slider;
    ElidedLabel* m_pass;
    QToolButton *m_scopes, *m_repeats, *m_kernels;
    OverlayBox* m_overlays;
    GraphSearch* m_search;
};

} // namespace hidet::ui
