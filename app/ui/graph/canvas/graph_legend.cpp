// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/graph/canvas/graph_legend.h"

#include <algorithm>
#include <vector>

#include <QPainter>

namespace hidet::ui {

namespace {

constexpr int legend_margin = 12, gap = 16, swatch = 10, bar_height = 10, bar_width = 168, least_entry = 40;

} // namespace

GraphLegend::GraphLegend(GraphCanvas& canvas, ThemeSource& themes, QWidget* parent)
    : QWidget(parent), m_canvas(canvas), m_themes(themes) {
    setObjectName("graphLegend");
    setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    connect(&canvas, &GraphCanvas::styleChanged, this, &GraphLegend::refresh);
    connect(&themes, &ThemeSource::changed, this, &GraphLegend::updateGeometry);
}

QSize GraphLegend::sizeHint() const {
    return {0, QFontMetrics(m_themes.smallFont()).height() + 10};
}

void GraphLegend::refresh() {
    const session::Overlay& overlay = m_canvas.overlay();
    const session::OverlayInfo& info = session::info_of(m_canvas.model().overlay());
    const OverlayColors& colors = m_canvas.graphStyle().colors;
    // Of another kind while the new one is still being read.
    m_title = overlay.kind == info.kind && !overlay.title.empty() ? QString::fromStdString(overlay.title)
                                                                  : QString::fromUtf8(info.title);
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
            const QString number = QString::fromStdString(text_of_quantity(value, overlay.unit));
            return m_isPredicted ? u'~' + number : number;
        };
        m_least = text(overlay.least);
        m_greatest = text(overlay.greatest);
        if (overlay.is_logarithmic)
            m_note = tr("log scale");
        if (!overlay.machine.empty())
            m_note = (m_note.isEmpty() ? QString() : m_note + ", ") +
                     tr("on %1").arg(QString::fromStdString(overlay.machine));
        noteUnmet(overlay);
    }
    if (m_note.isEmpty() && info.source == session::OverlaySource::Measured && m_canvas.model().isStale())
        m_note = tr("measured before the last change");
    QStringList said{tr("Colours: %1").arg(m_title)};
    for (const Entry& entry : m_entries)
        said << entry.text;
    if (m_hasScale)
        said << tr("from %1 to %2").arg(m_least, m_greatest);
    if (!m_note.isEmpty())
        said << m_note;
    setAccessibleName(said.join(QStringLiteral(", ")));
    setToolTip(m_entries.isEmpty() ? m_note : said.join(QStringLiteral(", "))); // the line may be too short for all
    update();
}

// Of a file: whom it says nothing of, and of whom it speaks that is not there.
void GraphLegend::noteUnmet(const session::Overlay& overlay) {
    QStringList parts;
    if (!m_note.isEmpty())
        parts << m_note;
    if (overlay.without > 0)
        parts << (overlay.without == 1 ? tr("1 operator without a number")
                                       : tr("%1 operators without a number").arg(overlay.without));
    if (const std::size_t count = overlay.unmatched.size(); count > 0)
        parts << (count == 1 ? tr("1 name in the file meets no operator")
                             : tr("%1 names in the file meet no operator").arg(count));
    m_note = parts.join(QStringLiteral(", "));
}

void GraphLegend::listCompared(const LiveModel::Compared& nodes) {
    using session::PairState;
    m_title = tr("Compared with the other model");
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

int GraphLegend::paintText(QPainter& painter, int left, const QString& text) const {
    const int wanted = painter.fontMetrics().horizontalAdvance(text) + 2; // advances are rounded
    const int width = std::min(wanted, std::max(0, this->width() - legend_margin - left));
    painter.drawText(QRect(left, 0, width, height()), Qt::AlignLeft | Qt::AlignVCenter,
                     painter.fontMetrics().elidedText(text, Qt::ElideRight, width));
    return left + width;
}

void GraphLegend::paintEvent(QPaintEvent*) {
    const Theme& theme = m_themes.theme();
    QPainter painter(this);
    painter.fillRect(rect(), theme.panel);
    painter.fillRect(0, 0, width(), 1, theme.line);
    QFont font = m_themes.smallFont();
    font.setWeight(QFont::DemiBold);
    painter.setFont(font);
    painter.setPen(theme.text);
    int x = paintText(painter, legend_margin, m_title) + gap;
    painter.setFont(m_themes.smallFont());
    painter.setRenderHint(QPainter::Antialiasing);
    for (const Entry& entry : m_entries) {
        if (x + swatch + 6 + least_entry > width() - legend_margin) {
            painter.setPen(theme.muted);
            paintText(painter, x, QStringLiteral("\u2026"));
            return;
        }
        painter.setPen(m_canvas.painter().colors().border(entry.color));
        painter.setBrush(entry.color);
        painter.drawRoundedRect(QRectF(x + 0.5, (height() - swatch) / 2 + 0.5, swatch, swatch), 2, 2);
        painter.setPen(theme.text);
        x = paintText(painter, x + swatch + 6, entry.text) + gap;
    }
    if (m_hasScale)
        x = paintScale(painter, x) + gap;
    painter.setPen(theme.muted);
    paintText(painter, x, m_note);
}

int GraphLegend::paintScale(QPainter& painter, int left) const {
    QFont font = m_themes.smallFont();
    font.setItalic(m_isPredicted);
    painter.setFont(font);
    painter.setPen(m_themes.theme().text);
    const int bar = paintText(painter, left, m_least) + 6;
    QLinearGradient gradient(bar, 0, bar + bar_width, 0);
    gradient.setStops(m_canvas.graphStyle().colors.stops());
    painter.setPen(m_themes.theme().line);
    painter.setBrush(gradient);
    painter.drawRect(QRectF(bar + 0.5, (height() - bar_height) / 2 + 0.5, bar_width - 1, bar_height));
    painter.setPen(m_themes.theme().text);
    const int end = paintText(painter, bar + bar_width + 6, m_greatest);
    painter.setFont(m_themes.smallFont());
    return end;
}

} // namespace hidet::ui
