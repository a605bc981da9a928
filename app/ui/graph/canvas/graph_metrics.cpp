// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/graph/canvas/graph_metrics.h"

#include <cmath>

#include <QFontMetricsF>

namespace hidet::ui {

GraphMetrics GraphMetrics::ofFonts(const QFont& label, const QFont& detail) {
    GraphMetrics out;
    for (GraphFace which : {GraphFace::Label, GraphFace::Detail}) {
        const QFontMetricsF metrics(which == GraphFace::Label ? label : detail);
        Face& face = out.m_faces[std::size_t(which)];
        for (std::size_t i = 32; i < face.ascii.size(); ++i)
            face.ascii[i] = float(metrics.horizontalAdvance(QChar(ushort(i))));
        face.other = float(std::max(metrics.maxWidth() / 2, metrics.horizontalAdvance(QChar(0x4E00))));
        face.height = float(std::ceil(metrics.height()));
    }
    return out;
}

GraphMetrics GraphMetrics::fixed() {
    GraphMetrics out;
    for (GraphFace which : {GraphFace::Label, GraphFace::Detail}) {
        Face& face = out.m_faces[std::size_t(which)];
        face.ascii.fill(which == GraphFace::Label ? 8.0f : 7.0f);
        face.other = 16;
        face.height = which == GraphFace::Label ? 17.0f : 15.0f;
    }
    return out;
}

double GraphMetrics::width(QStringView text, GraphFace which) const {
    const Face& face = m_faces[std::size_t(which)];
    double sum = 0;
    for (QChar letter : text)
        sum += letter.unicode() < face.ascii.size() ? face.ascii[letter.unicode()] : face.other;
    return sum;
}

QString GraphMetrics::elided(const QString& text, GraphFace face, double width) const {
    if (this->width(text, face) <= width)
        return text;
    const QChar ellipsis(0x2026);
    double left = width - this->width(QStringView(&ellipsis, 1), face);
    qsizetype count = 0;
    for (; count < text.size(); ++count) {
        left -= this->width(QStringView(text).mid(count, 1), face);
        if (left < 0)
            break;
    }
    if (count > 0 && count < text.size() && text[count - 1].isHighSurrogate())
        --count;
    return count > 0 ? text.left(count) + ellipsis : QString();
}

} // namespace hidet::ui
