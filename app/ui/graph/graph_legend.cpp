// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/graph/graph_legend.h"

#include <algorithm>
#include <vector>

#include <QPainter>

namespace hidet::ui {

namespace {

constexpr int side = 8, away = 12, swatch = 10, bar_height = 10, bar_width = 168;
constexpr int widest_note = 280;

} // namespace

GraphLegend::GraphLegend(GraphCanvas& canvas, ThemeSource& themes)
    : QWidget(&canvas), m_canvas(canvas), m_themes(themes) {
    setObjectName("graphLegend");
    setAttribute(Qt::WA_TransparentForMouseEvents);
    hide();
    connect(&canvas, &GraphCanvas::dressChanged, this, &GraphLegend::refresh);
    connect(&canvas, &GraphCanvas::viewChanged, this, &GraphLegend::place);
    connect(&canvas, &GraphCanvas::pictureChanged, this, &GraphLegend::place);
}

void GraphLegend::refresh() {
    const session::Overlay& overlay = m_canvas.overlay();
    const session::OverlayInfo& info = session::info_of(m_canvas.model().overlay());
    const OverlayColors& colors = m_canvas.dress().colors;
    m_title = QString::fromUtf8(info.title);
    m_note = QString::fromStdString(overlay.unavailable);
    m_isPredicted = info.source == session::OverlaySource::Predicted;
    m_entries.clear();
    m_hasScale = false;
    if (const auto& compared = m_canvas.model().compared()) {
        listCompared(*compared);
    } else if (m_note.isEmpty() && !overlay.classes.empty()) {
        std::vector<char> isUsed(overlay.classes.size(), 0);
        for (const session::NodeReading& reading : overlay.nodes)
            if (reading.cls < isUsed.size())
                isUsed[reading.cls] = 1;
        for (quint32 i = 0; i < isUsed.size(); ++i)
            if (isUsed[i])
                m_entries << Entry{colors.ofClass(i), QString::fromStdString(overlay.classes[i])};
    } else if (m_note.isEmpty() && overlay.greatest >= overlay.least && !overlay.nodes.empty()) {
        m_hasScale = true;
        const auto text = [&](double value) {
            const QString number = QString::fromStdString(session::text_of_quantity(value, info.unit));
            return m_isPredicted ? u'~' + number : number;
        };
        m_least = text(overlay.least);
        m_greatest = text(overlay.greatest);
        if (overlay.is_logarithmic)
            m_note = tr("each step a power of ten");
    }
    if (m_note.isEmpty() && info.source == session::OverlaySource::Measured && m_canvas.model().isStale())
        m_note = tr("measured before the last change");
    QStringList said{tr("Colours: %1").arg(m_title)};
    for (const Entry& entry : m_entries)
        said << entry.text;
    if (m_hasScale)
        said << tr("from %1 to %2").arg(m_least, m_greatest);
    setAccessibleName(said.join(QStringLiteral(", ")));
    place();
    update();
}

void GraphLegend::listCompared(const LiveModel::Compared& nodes) {
    using session::PairState;
    m_title = tr("Beside the other model");
    m_note.clear();
    QSet<PairState> are;
    for (PairState state : nodes)
        are.insert(state);
    const auto add = [&](PairState state, const QString& text) {
        if (are.contains(state))
            m_entries << Entry{colorOfPair(m_themes.theme(), state),
                               state == PairState::Same ? text : signOfPair(state) + u' ' + text};
    };
    add(PairState::Changed, tr("changed"));
    add(PairState::New, tr("new"));
    add(PairState::Gone, tr("gone"));
    add(PairState::Same, tr("the same"));
}

void GraphLegend::place() {
    if (!m_canvas.picture() || m_canvas.picture()->nodes.empty() ||
        (!m_hasScale && m_entries.isEmpty() && m_note.isEmpty())) {
        hide();
        return;
    }
    const QFontMetrics metrics(m_themes.smallFont());
    const int line = metrics.height() + 2;
    int width = metrics.horizontalAdvance(m_title), height = line;
    for (const Entry& entry : m_entries)
        width = std::max(width, swatch + 6 + metrics.horizontalAdvance(entry.text));
    height += int(m_entries.size()) * line;
    if (m_hasScale) {
        width = std::max({width, bar_width, metrics.horizontalAdvance(m_least + m_greatest) + 24});
        height += bar_height + 4 + line;
    }
    if (!m_note.isEmpty()) {
        const QRect note = metrics.boundingRect(QRect(0, 0, widest_note, 400), Qt::TextWordWrap, m_note);
        width = std::max(width, note.width());
        height += note.height();
    }
    const QSize size(width + 2 * side, height + 2 * side - 2);
    if (size.width() > m_canvas.width() / 2 || size.height() > m_canvas.height() * 2 / 3) {
        hide();
        return;
    }
    setGeometry(QRect(QPoint(away, m_canvas.height() - size.height() - away), size));
    show();
    raise();
}

void GraphLegend::paintEvent(QPaintEvent*) {
    const Theme& theme = m_themes.theme();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setBrush(theme.panel);
    painter.setPen(theme.line);
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
    QFont font = m_themes.smallFont();
    font.setWeight(QFont::DemiBold);
    painter.setFont(font);
    const QFontMetrics metrics(m_themes.smallFont());
    const int line = metrics.height() + 2;
    int y = side - 1;
    painter.setPen(theme.text);
    painter.drawText(QRect(side, y, width() - side, line), Qt::AlignLeft | Qt::AlignVCenter, m_title);
    y += line;
    painter.setFont(m_themes.smallFont());
    for (const Entry& entry : m_entries) {
        painter.setPen(m_canvas.painter().colors().border(entry.color));
        painter.setBrush(entry.color);
        painter.drawRoundedRect(QRectF(side + 0.5, y + (line - swatch) / 2 + 0.5, swatch, swatch), 2, 2);
        painter.setPen(theme.text);
        painter.drawText(QRect(side + swatch + 6, y, width(), line), Qt::AlignLeft | Qt::AlignVCenter, entry.text);
        y += line;
    }
    if (m_hasScale) {
        paintScale(painter, y);
        y += bar_height + 4 + line;
    }
    if (!m_note.isEmpty()) {
        painter.setPen(theme.muted);
        painter.drawText(QRect(side, y, std::max(widest_note, width() - 2 * side), height() - y), Qt::TextWordWrap,
                         m_note);
    }
}

void GraphLegend::paintScale(QPainter& painter, int top) {
    const int width = this->width() - 2 * side;
    QLinearGradient gradient(side, 0, side + width, 0);
    gradient.setStops(m_canvas.dress().colors.stops());
    painter.setPen(m_themes.theme().line);
    painter.setBrush(gradient);
    painter.drawRect(QRectF(side + 0.5, top + 2.5, width - 1, bar_height));
    QFont font = m_themes.smallFont();
    font.setItalic(m_isPredicted);
    painter.setFont(font);
    painter.setPen(m_themes.theme().text);
    const QRect row(side, top + bar_height + 4, width, QFontMetrics(font).height() + 2);
    painter.drawText(row, Qt::AlignLeft, m_least);
    painter.drawText(row, Qt::AlignRight, m_greatest);
    painter.setFont(m_themes.smallFont());
}

} // namespace hidet::ui
