// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/charts/spot_chart.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

namespace hidet::ui {

SpotChart::SpotChart(ThemeSource& themes, const QString& fileName, QWidget* parent)
    : PaintedChart(themes, parent), m_fileName(fileName) {}

void SpotChart::setStale(bool isStale) {
    if (isStale == m_isStale)
        return;
    m_isStale = isStale;
    update();
}

QString SpotChart::words() const {
    return m_spot == nowhere ? wordsOfAll() : wordsOf(m_spot);
}

void SpotChart::renew(int spot) {
    m_spot = spot;
    setAccessibleDescription(words());
    layOut();
    emit wordsChanged();
}

void SpotChart::setSpot(int spot) {
    if (spot == m_spot)
        return;
    m_spot = spot;
    describeChart(*this, words());
    emit wordsChanged();
}

// ---- painting ------------------------------------------------------------------------------------------------------

void SpotChart::paint(QPainter& painter) const {
    painter.fillRect(rect(), theme().panel);
    painter.setFont(themes().smallFont());
    paintPlaces(painter);
    if (m_spot == nowhere)
        return;
    const std::vector<QRectF> frames = framesOf(m_spot);
    painter.setFont(themes().smallFont());
    painter.setPen(QPen(theme().text, 1.5));
    painter.setBrush(Qt::NoBrush);
    for (const QRectF& frame : frames)
        painter.drawRect(frame);
    paintCard(painter, theme(), wordsOf(m_spot), frames.empty() ? QRectF(8, 8, 1, 1) : frames.front(), rect());
}

void SpotChart::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    paint(painter);
    paintFocus(painter);
}

QByteArray SpotChart::svg() const {
    return svgOf(size(), accessibleName(), [this](QPainter& painter) { paint(painter); });
}

void SpotChart::copy() {
    copyChart(*this, tsv(), svg());
}

SavedPicture SpotChart::saved() {
    return pictureOf(*this, m_fileName, tsv(), svg());
}

// ---- what the user does --------------------------------------------------------------------------------------------

void SpotChart::mouseMoveEvent(QMouseEvent* event) {
    setSpot(spotAt(event->position()));
}

void SpotChart::mousePressEvent(QMouseEvent* event) {
    setSpot(spotAt(event->position()));
    if (m_spot != nowhere)
        choose(m_spot);
}

void SpotChart::keyPressEvent(QKeyEvent* event) {
    if (event->matches(QKeySequence::Copy))
        return copy();
    const bool isEnter = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
    if (isEnter && m_spot != nowhere && choose(m_spot))
        return;
    if (const auto to = spotByKey(event->key()))
        return setSpot(*to);
    QWidget::keyPressEvent(event);
}

} // namespace hidet::ui
