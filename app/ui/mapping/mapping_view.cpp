// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/mapping/mapping_view.h"

#include <algorithm>

#include <QKeyEvent>
#include <QMouseEvent>
#include <QScrollBar>

#include "app/ui/charts/grid_keys.h"

namespace hidet::ui {

MappingView::MappingView(ThemeSource& themes, QWidget* parent)
    : QAbstractScrollArea(parent), m_themes(themes), m_cells(themes.theme()) {
    setFrameShape(QFrame::NoFrame);
    setFocusPolicy(Qt::StrongFocus);
    viewport()->setMouseTracking(true);
    connect(&themes, &ThemeSource::changed, this, [this] {
        MappingCells cells(m_themes.theme());
        cells.data = m_cells.data;
        cells.look = m_cells.look;
        cells.step = m_cells.step;
        cells.spot = m_cells.spot;
        cells.share = m_cells.share;
        m_cells = std::move(cells);
        layOut();
        emit legendChanged();
    });
}

void MappingView::show(const MappingDataPtr& data) {
    m_cells.data = data;
    if (!m_cells.contains(m_cells.spot))
        m_cells.spot = {};
    layOut();
    pointAtFactor(m_factor);
    emit sentenceChanged();
    emit legendChanged();
}

void MappingView::pointAtFactor(int factor) {
    m_factor = factor;
    m_cells.share = factor < 0 || !m_cells.data ? std::nullopt
                                                : session::share_of(m_cells.data->canvas, m_cells.data->shown(),
                                                                    static_cast<std::size_t>(factor));
    viewport()->update();
    emit sentenceChanged();
}

void MappingView::setLook(MappingLook look) {
    if (look == m_cells.look)
        return;
    m_cells.look = look;
    m_cells.spot = {};
    layOut();
    emit sentenceChanged();
    emit legendChanged();
}

void MappingView::setStep(int task) {
    m_cells.step = task;
    viewport()->update();
    emit legendChanged();
}

void MappingView::setStale(bool stale) {
    m_stale = stale;
    viewport()->update();
}

void MappingView::layOut() {
    m_picture.layOut(m_cells, viewport()->size(), m_themes.smallFont());
    const QSize size = m_picture.size();
    horizontalScrollBar()->setRange(0, std::max(0, size.width() - viewport()->width()));
    horizontalScrollBar()->setPageStep(viewport()->width());
    horizontalScrollBar()->setSingleStep(m_picture.cellSize().width());
    verticalScrollBar()->setRange(0, std::max(0, size.height() - viewport()->height()));
    verticalScrollBar()->setPageStep(viewport()->height());
    verticalScrollBar()->setSingleStep(m_picture.cellSize().height());
    viewport()->update();
}

QPoint MappingView::scrolled() const {
    return {horizontalScrollBar()->value(), verticalScrollBar()->value()};
}

void MappingView::setSpot(MappingSpot spot) {
    if (spot == m_cells.spot)
        return;
    m_cells.spot = spot;
    if (spot) // what is pointed at last counts
        pointAtFactor(-1);
    viewport()->update();
    emit sentenceChanged();
}

void MappingView::paintEvent(QPaintEvent* event) {
    QPainter painter(viewport());
    painter.fillRect(event->rect(), m_themes.theme().panel);
    painter.translate(-scrolled());
    if (m_stale)
        painter.setOpacity(0.5);
    m_picture.paint(painter, m_cells, m_themes.theme(), viewport()->rect().translated(scrolled()));
}

// ---- mouse and keys -------------------------------------------------------------------------------------------------

void MappingView::mouseMoveEvent(QMouseEvent* event) {
    setSpot(m_picture.spotAt(m_cells, event->pos() + scrolled()));
}

void MappingView::mousePressEvent(QMouseEvent* event) {
    setSpot(m_picture.spotAt(m_cells, event->pos() + scrolled()));
}

void MappingView::leaveEvent(QEvent*) {
    if (!hasFocus())
        setSpot({});
}

void MappingView::focusInEvent(QFocusEvent* event) {
    QAbstractScrollArea::focusInEvent(event);
    if (!m_cells.spot && m_cells.rows() > 0 && event->reason() != Qt::MouseFocusReason)
        setSpot({0, 0});
}

void MappingView::focusOutEvent(QFocusEvent* event) {
    QAbstractScrollArea::focusOutEvent(event);
    setSpot({});
}

void MappingView::keyPressEvent(QKeyEvent* event) {
    // The first arrow stands on the first cell.
    GridStep at{m_cells.spot ? m_cells.spot.row : -1, m_cells.spot ? m_cells.spot.column : -1};
    if (!moveByKey(event->key(), m_cells.columns(), at))
        return QAbstractScrollArea::keyPressEvent(event);
    if (m_cells.rows() == 0 || m_cells.columns() == 0)
        return;
    const MappingSpot to{std::clamp(at.row, 0, m_cells.rows() - 1), std::clamp(at.column, 0, m_cells.columns() - 1)};
    setSpot(to);
    reveal(to);
}

void MappingView::reveal(MappingSpot spot) {
    const QRect cell = m_picture.rectOf(spot.row, spot.column);
    const auto move = [](QScrollBar* bar, int begin, int end, int heading, int extent) {
        if (begin - heading < bar->value())
            bar->setValue(begin - heading);
        else if (end > bar->value() + extent)
            bar->setValue(end - extent);
    };
    move(horizontalScrollBar(), cell.left(), cell.right() + 1, m_picture.headings().width(), viewport()->width());
    move(verticalScrollBar(), cell.top(), cell.bottom() + 1, m_picture.headings().height(), viewport()->height());
}

void MappingView::resizeEvent(QResizeEvent* event) {
    QAbstractScrollArea::resizeEvent(event);
    layOut();
}

void MappingView::scrollContentsBy(int, int) {
    viewport()->update(); // the headings stay
}

// ---- the legend -----------------------------------------------------------------------------------------------------

MappingLegend::MappingLegend(ThemeSource& themes, const MappingView& view, QWidget* parent)
    : QWidget(parent), m_themes(themes), m_view(view) {
    setObjectName("mapping.legend");
    setAccessibleName(tr("Legend"));
    setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    connect(&view, &MappingView::legendChanged, this, &MappingLegend::refresh);
}

QSize MappingLegend::sizeHint() const {
    return {160, QFontMetrics(m_themes.smallFont()).height() + 6};
}

void MappingLegend::refresh() {
    QStringList words;
    for (const MappingLegendRow& row : m_view.cells().legend())
        words << row.text;
    setAccessibleDescription(words.join("; "));
    update();
}

void MappingLegend::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setFont(m_themes.smallFont());
    paintLegend(painter, m_view.cells().legend(), m_themes.theme(), rect().adjusted(8, 0, -8, 0));
}

} // namespace hidet::ui
