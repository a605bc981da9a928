// SPDX-License-Identifier: GPL-3.0-only
// The levels of memory as boxes, and what a launch moves between them: predicted in italics, beside it what a GPU counted. What is
// more than the ideal has the colour of a warning.
#pragma once

#include <QKeyEvent>
#include <QPainter>
#include <QWidget>
#include <algorithm>

#include "app/session/explain/memory_chart.h"
#include "app/ui/charts/chart_frame.h"
#include "app/ui/charts/saved_picture.h"
#include "app/ui/core/figures.h"
#include "app/ui/core/theme.h"
#include "app/ui/core/words.h"

namespace hidet::ui {

class MemoryPicture : public QWidget {
    Q_OBJECT
public:
    MemoryPicture(ThemeSource& themes, QWidget* parent = nullptr) : QWidget(parent), m_themes(themes) {
        setFocusPolicy(Qt::StrongFocus);
        setAttribute(Qt::WA_OpaquePaintEvent);
        setAccessibleName(tr("Levels of memory"));
        connect(&themes, &ThemeSource::changed, this, qOverload<>(&MemoryPicture::update));
    }

    void show(const session::MemoryChart& chart) {
        m_chart = chart;
        setAccessibleDescription(words());
        update();
    }

    using QWidget::show;
    void setStale(bool isStale) {
        m_isStale = isStale;
        update();
    }

    bool hasPicture() const { return !m_chart.flows.empty(); }
    const session::MemoryChart& chart() const { return m_chart; }
    SavedPicture saved() { return pictureOf(*this, "traffic", tsv()); }
    // for screen readers: a line for each flow
    QString words() const {
        QStringList out;
        for (const MemoryFlow& flow : m_chart.flows) {
            QString line =
                tr("%1 and %2: %3, %4")
                    .arg(levelName(flow.from), session::memory_level_name(flow.to), flowBytes(flow), text(flow.says));
            if (flow.counted)
                line += tr(", counted %1").arg(bytesText(*flow.counted));
            out << line;
        }
        return out.join('\n');
    }

    QSize minimumSizeHint() const override { return {480, 120}; }
    QSize sizeHint() const override { return {960, 220}; }

protected:
    void paintEvent(QPaintEvent*) override {
        QPainter painter(this);
        const Theme& theme = m_themes.theme();
        painter.fillRect(rect(), theme.panel);
        painter.setRenderHint(QPainter::Antialiasing);
        for (const MemoryFlow& flow : m_chart.flows)
            paintFlow(painter, flow);
        painter.setFont(font());
        for (const MemoryLevel level : {MemoryLevel::Device, MemoryLevel::Second, MemoryLevel::First,
                                        MemoryLevel::Shared, MemoryLevel::Local, MemoryLevel::Registers}) {
            if (!has(level))
                continue;
            const QRectF box = boxOf(level);
            painter.setPen(QPen(theme.line, 1.5));
            painter.setBrush(theme.raised);
            painter.drawRoundedRect(box, 4, 4);
            painter.setPen(m_isStale ? theme.stale(theme.text) : theme.text);
            painter.drawText(box.adjusted(4, 0, -4, 0), Qt::AlignCenter | Qt::TextWordWrap, levelName(level));
        }
        if (hasFocus())
            painter.fillRect(QRectF(0, 0, 2, height()), theme.accent);
    }

    void keyPressEvent(QKeyEvent* event) override {
        if (event->matches(QKeySequence::Copy))
            return copyChart(*this, tsv(), svgOf(*this));
        QWidget::keyPressEvent(event);
    }

private:
    using MemoryFlow = session::MemoryFlow;
    using MemoryLevel = session::MemoryLevel;
    static constexpr double box_margin = 16, box_height = 40, arrow_head = 6;
    static constexpr double most_box_width = 96, tolerable_ratio = 1.05;
    static constexpr int columns_of_levels = 4;
    struct LevelPlace {
        int column = 0, row = 0;
    };
    static LevelPlace placeOfLevel(MemoryLevel level) {
        switch (level) {
        case MemoryLevel::Device: return {0, 0};
        case MemoryLevel::Second: return {1, 0};
        case MemoryLevel::First: return {2, 0};
        case MemoryLevel::Shared: return {2, 1};
        case MemoryLevel::Local: return {2, 2};
        case MemoryLevel::Registers: return {3, 0};
        }
        return {};
    }

    static QString levelName(MemoryLevel level) { return capitalized(session::memory_level_name(level)); }
    static QString flowBytes(const MemoryFlow& flow) {
        QStringList parts;
        if (flow.read > 0)
            parts << tr("%1 read").arg(bytesText(flow.read));
        if (flow.written > 0)
            parts << tr("%1 written").arg(bytesText(flow.written));
        const QString bytes = parts.isEmpty() ? bytesText(flow.bytes) : parts.join(", ");
        return flow.is_least ? tr("at least %1").arg(bytes) : '~' + bytes;
    }

    bool has(MemoryLevel level) const {
        return std::ranges::any_of(m_chart.flows,
                                   [&](const MemoryFlow& flow) { return flow.from == level || flow.to == level; });
    }

    // Registers are as high as all that leads to them.
    QRectF boxOf(MemoryLevel level) const {
        const LevelPlace place = placeOfLevel(level);
        const int rows = has(MemoryLevel::Local) ? 3 : has(MemoryLevel::Shared) ? 2 : 1;
        const double room = width() - 2 * box_margin;
        const double boxWidth = std::min(most_box_width, room / (2 * columns_of_levels - 1));
        const double step = (room - boxWidth) / (columns_of_levels - 1);
        const double rowStep = (height() - 2 * box_margin - box_height) / std::max(rows - 1, 1);
        const double top = rows == 1 ? (height() - box_height) / 2 : box_margin + place.row * rowStep;
        const double boxHeight =
            level == MemoryLevel::Registers && rows > 1 ? (rows - 1) * rowStep + box_height : box_height;
        return {box_margin + place.column * step, top, boxWidth, boxHeight};
    }

    void paintFlow(QPainter& painter, const MemoryFlow& flow) const {
        const Theme& theme = m_themes.theme();
        const QRectF from = boxOf(flow.from), to = boxOf(flow.to);
        const bool isExcess = flow.ratio > tolerable_ratio && flow.from != MemoryLevel::Device;
        const QColor color = isExcess ? theme.warning : theme.muted;
        painter.setPen(QPen(m_isStale ? theme.stale(color) : color, 1.5));
        const auto head = [&](const QPointF& tip, const QPointF& by) {
            const QPointF across(by.y(), -by.x());
            painter.drawLine(tip, tip - by * arrow_head + across * arrow_head / 2);
            painter.drawLine(tip, tip - by * arrow_head - across * arrow_head / 2);
        };
        if (flow.to == MemoryLevel::Shared) { // below its cache
            const QPointF begin(from.center().x(), from.bottom()), end(to.center().x(), to.top());
            painter.drawLine(begin, end);
            head(end, {0, 1});
            const QPointF middle = (begin + end) / 2;
            return paintWords(painter, flow, middle - QPointF(from.width() * 0.9, 0), from.width() * 1.6);
        }
        const QPointF begin(from.right(), from.center().y()), end(to.left(), from.center().y());
        painter.drawLine(begin, end);
        if (flow.read > 0 || flow.written == 0)
            head(end, {1, 0});
        if (flow.written > 0 || flow.read == 0)
            head(begin, {-1, 0});
        paintWords(painter, flow, (begin + end) / 2, end.x() - begin.x() - 2 * arrow_head);
    }

    void paintWords(QPainter& painter, const MemoryFlow& flow, const QPointF& middle, double width) const {
        const Theme& theme = m_themes.theme();
        const QFontMetricsF metrics(m_themes.smallFont());
        double below = middle.y() + 3;
        const auto draw = [&](const QString& words, bool isAbove, const QColor& color) {
            const QFont used = italic(m_themes.smallFont(), isAbove);
            const QString shown = QFontMetricsF(used).elidedText(words, Qt::ElideRight, width * 9 / 5); // of two lines
            const int flags = int(Qt::AlignHCenter | (isAbove ? Qt::AlignBottom : Qt::AlignTop)) | Qt::TextWordWrap;
            const double height = 2 * metrics.height();
            const QRectF room(middle.x() - width / 2, isAbove ? middle.y() - height - 3 : below, width, height);
            painter.setFont(used);
            painter.setPen(m_isStale ? theme.stale(color) : color);
            QRectF taken;
            painter.drawText(room, flags, shown, &taken);
            if (!isAbove)
                below = taken.bottom();
        };
        const bool isExcess = flow.ratio > tolerable_ratio && flow.from != MemoryLevel::Device;
        draw(flowBytes(flow), true, theme.text);
        draw(text(flow.says), false, isExcess ? theme.warning : theme.muted);
        if (flow.counted)
            draw(tr("counted: %1").arg(bytesText(*flow.counted)), false, theme.ok);
    }

    QString tsv() const {
        QStringList rows{"from\tto\tread\twritten\tbytes\tratio\tcounted"};
        for (const MemoryFlow& flow : m_chart.flows)
            rows << QStringList{session::memory_level_name(flow.from),
                                session::memory_level_name(flow.to),
                                QString::number(flow.read),
                                QString::number(flow.written),
                                QString::number(flow.bytes),
                                QString::number(flow.ratio),
                                flow.counted ? QString::number(*flow.counted) : QString()}
                        .join('\t');
        return rows.join('\n') + '\n';
    }

    ThemeSource& m_themes;
    session::MemoryChart m_chart;
    bool m_isStale = false;
};

} // namespace hidet::ui
