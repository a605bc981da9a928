// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/mapping/mapping_view.h"

#include <algorithm>

#include <QKeyEvent>
#include <QMouseEvent>
#include <QScrollBar>

#include "app/ui/charts/grid_keys.h"
#include "app/ui/charts/saved_picture.h"
#include "app/ui/core/words.h"
#include "app/ui/widgets/parts.h"

namespace hidet::ui {

MappingView::MappingView(ThemeSource& themes, QWidget* parent)
    : QAbstractScrollArea(parent), m_themes(themes), m_cells(themes.theme()) {
    setFrameShape(QFrame::NoFrame);
    setFocusPolicy(Qt::StrongFocus);
    viewport()->setMouseTracking(true);
    connect(&themes, &ThemeSource::changed, this, [this] {
        m_cells.setTheme(m_themes.theme());
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
    named(this, "mapping.legend", tr("Legend"));
    setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    connect(&view, &MappingView::legendChanged, this, &MappingLegend::refresh);
}

QSize MappingLegend::sizeHint() const {
    return {160, QFontMetrics(m_themes.smallFont()).height() + 6};
}

void MappingLegend::refresh() {
    const QStringList words = listOf(m_view.cells().legend(), &MappingLegendRow::text);
    setAccessibleDescription(words.join("; "));
    update();
}

void MappingLegend::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setFont(m_themes.smallFont());
    paintLegend(painter, m_view.cells().legend(), m_themes.theme(), rect().adjusted(8, 0, -8, 0));
}

namespace {

constexpr int least_cell = 4;   // pixels
constexpr int most_height = 24; // of a cell
constexpr int most_width = 64;  // of a cell
constexpr int gap = 8;          // between headings and cells
constexpr int gap_from_edge = 8;
constexpr int least_marked = 8;    // a cell that has room for a mark and a gap
constexpr int most_pixels = 8'000; // of a picture that is saved, each way
constexpr QSize saved_area(1200, 700);

void paintMark(QPainter& painter, MappingMark mark, const Theme& theme, const QRect& cell) {
    painter.setBrush(Qt::NoBrush);
    switch (mark) {
    case MappingMark::Conflict:
    case MappingMark::Now:
        painter.setPen(mark == MappingMark::Now ? theme.accent : theme.error);
        painter.drawRect(cell.adjusted(0, 0, -1, -1));
        break;
    case MappingMark::Several: { // a corner that is turned down
        const QPoint corner = cell.topRight() + QPoint(1, 0);
        painter.setPen(Qt::NoPen);
        painter.setBrush(theme.warning);
        painter.drawPolygon(QPolygon({corner, corner - QPoint(7, 0), corner + QPoint(0, 7)}));
        break;
    }
    case MappingMark::Nobody:
        painter.fillRect(cell, QBrush(theme.muted, Qt::BDiagPattern));
        painter.setPen(theme.line);
        painter.drawRect(cell.adjusted(0, 0, -1, -1));
        break;
    case MappingMark::None: break;
    }
}

} // namespace

// ---- places ---------------------------------------------------------------------------------------------------------

void MappingPicture::layOut(const MappingCells& cells, const QSize& area, const QFont& font) {
    m_font = font;
    const QFontMetrics metrics(font);
    const int rows = cells.rows(), columns = cells.columns();
    m_top = metrics.height() + 4;
    m_left = gap_from_edge + metrics.horizontalAdvance(QString::number(std::max(rows - 1, 0))) + gap;
    const int longest = metrics.horizontalAdvance(cells.longestText());
    const QSize room = area - QSize(m_left + gap_from_edge, m_top + gap_from_edge);
    const auto fit = [](int space, int count, int wanted) {
        return std::clamp(count > 0 ? space / count : wanted, least_cell, wanted);
    };
    // Numbers are worth some scrolling downwards, and none to the side.
    m_cellWidth = fit(room.width(), columns, std::min(most_width, std::max(longest + 8, most_height)));
    m_hasText = m_cellWidth >= longest + 4;
    m_cellHeight = m_hasText ? std::clamp(fit(room.height(), rows, most_height), metrics.height() + 2,
                                          std::max(most_height, metrics.height() + 2))
                             : fit(room.height(), rows, std::max(m_cellWidth, least_cell));
    m_size = {m_left + columns * m_cellWidth + gap_from_edge, m_top + rows * m_cellHeight + gap_from_edge};
}

QRect MappingPicture::rectOf(int row, int column) const {
    return {m_left + column * m_cellWidth, m_top + row * m_cellHeight, m_cellWidth, m_cellHeight};
}

MappingSpot MappingPicture::spotAt(const MappingCells& cells, const QPoint& place) const {
    if (place.x() < m_left || place.y() < m_top)
        return {};
    const MappingSpot spot{(place.y() - m_top) / m_cellHeight, (place.x() - m_left) / m_cellWidth};
    return cells.contains(spot) ? spot : MappingSpot{};
}

// ---- painting -------------------------------------------------------------------------------------------------------

void MappingPicture::paint(QPainter& painter, const MappingCells& cells, const Theme& theme, const QRect& part) const {
    if (cells.rows() == 0 || cells.columns() == 0)
        return;
    painter.setFont(m_font);
    const int firstRow = std::clamp((part.top() - m_top) / m_cellHeight, 0, cells.rows() - 1);
    const int lastRow = std::clamp((part.bottom() - m_top) / m_cellHeight, 0, cells.rows() - 1);
    const int firstColumn = std::clamp((part.left() - m_left) / m_cellWidth, 0, cells.columns() - 1);
    const int lastColumn = std::clamp((part.right() - m_left) / m_cellWidth, 0, cells.columns() - 1);
    if (m_cellWidth < least_marked || m_cellHeight < least_marked)
        paintDots(painter, cells, QRect(QPoint(firstColumn, firstRow), QPoint(lastColumn, lastRow)));
    else
        for (int row = firstRow; row <= lastRow; ++row)
            for (int column = firstColumn; column <= lastColumn; ++column)
                paintCell(painter, cells, theme, row, column);
    paintParts(painter, cells, theme, QRect(QPoint(firstColumn, firstRow), QPoint(lastColumn, lastRow)));
    paintHeadings(painter, cells, theme, part);
    if (!cells.spot)
        return;
    painter.setPen(QPen(theme.accent, 2));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(rectOf(cells.spot.row, cells.spot.column).adjusted(0, 0, -1, -1));
}

// Many small cells are one image with a pixel for each: tens of thousands of rectangles would take too long.
void MappingPicture::paintDots(QPainter& painter, const MappingCells& cells, const QRect& shown) const {
    QImage dots(shown.size(), QImage::Format_ARGB32_Premultiplied);
    for (int row = shown.top(); row <= shown.bottom(); ++row) {
        auto* line = reinterpret_cast<QRgb*>(dots.scanLine(row - shown.top()));
        for (int column = shown.left(); column <= shown.right(); ++column) {
            QColor color = cells.color(row, column);
            color.setAlphaF(static_cast<float>(cells.strength(row, column)));
            line[column - shown.left()] = qPremultiply(color.rgba());
        }
    }
    const QRect first = rectOf(shown.top(), shown.left());
    painter.drawImage(QRect(first.topLeft(), QSize(shown.width() * m_cellWidth, shown.height() * m_cellHeight)), dots);
}

// Lines between the parts of what is pointed at, and around all of them.
void MappingPicture::paintParts(QPainter& painter, const MappingCells& cells, const Theme& theme,
                                const QRect& shown) const {
    if (!cells.share || cells.look == MappingLook::Workers)
        return;
    painter.setPen(QPen(theme.accent, 2));
    const auto partAt = [&](int row, int column) {
        return cells.contains({row, column}) ? cells.part(row, column) : -1;
    };
    for (int row = shown.top(); row <= shown.bottom(); ++row)
        for (int column = shown.left(); column <= shown.right(); ++column) {
            const qint64 part = partAt(row, column);
            const QRect rect = rectOf(row, column);
            const bool isFirst = row == 0 && part >= 0, isLeftmost = column == 0 && part >= 0;
            if (isFirst || (row > 0 && part != partAt(row - 1, column)))
                painter.drawLine(rect.topLeft(), rect.topRight());
            if (isLeftmost || (column > 0 && part != partAt(row, column - 1)))
                painter.drawLine(rect.topLeft(), rect.bottomLeft());
            if (part >= 0 && row + 1 == cells.rows())
                painter.drawLine(rect.bottomLeft(), rect.bottomRight());
            if (part >= 0 && column + 1 == cells.columns())
                painter.drawLine(rect.topRight(), rect.bottomRight());
        }
}

void MappingPicture::paintCell(QPainter& painter, const MappingCells& cells, const Theme& theme, int row,
                               int column) const {
    const double strength = cells.strength(row, column);
    QColor color = cells.color(row, column);
    color.setAlphaF(static_cast<float>(strength));
    const QRect rect = rectOf(row, column).adjusted(0, 0, -1, -1);
    painter.fillRect(rect, color);
    for (const MappingMark mark : {MappingMark::Nobody, MappingMark::Several, MappingMark::Conflict, MappingMark::Now})
        if (cells.has(mark, row, column))
            paintMark(painter, mark, theme, rect);
    if (!m_hasText)
        return;
    painter.setPen(strength < 0.5 ? theme.muted : theme.text);
    painter.drawText(rect, Qt::AlignCenter, cells.text(row, column));
}

void MappingPicture::paintHeadings(QPainter& painter, const MappingCells& cells, const Theme& theme,
                                   const QRect& part) const {
    const QFontMetrics metrics = painter.fontMetrics();
    painter.fillRect(QRect(part.left(), part.top(), m_left - gap / 2, part.height()), theme.panel);
    painter.fillRect(QRect(part.left(), part.top(), part.width(), m_top - 2), theme.panel);
    painter.setPen(theme.muted);
    const int rowStep = std::max(1, (metrics.height() + m_cellHeight - 1) / m_cellHeight);
    for (int row = 0; row < cells.rows(); row += rowStep) {
        const QRect cell = rectOf(row, 0);
        if (cell.top() >= part.top() + m_top && cell.top() < part.bottom())
            painter.drawText(QRect(part.left(), cell.top(), m_left - gap, std::max(m_cellHeight, metrics.height())),
                             Qt::AlignRight | (rowStep == 1 ? Qt::AlignVCenter : Qt::AlignTop), QString::number(row));
    }
    const int widest = metrics.horizontalAdvance(QString::number(cells.columns())) + 4;
    const int columnStep = std::max(1, (widest + m_cellWidth - 1) / m_cellWidth);
    for (int column = 0; column < cells.columns(); column += columnStep) {
        const QRect cell = rectOf(0, column);
        if (cell.right() > part.left() + m_left && cell.left() < part.right())
            painter.drawText(QRect(cell.left(), part.top(), m_cellWidth * columnStep, m_top - 2),
                             columnStep == 1 ? Qt::AlignCenter : Qt::AlignLeft | Qt::AlignVCenter,
                             QString::number(column));
    }
}

int paintLegend(QPainter& painter, const QList<MappingLegendRow>& rows, const Theme& theme, const QRect& line) {
    constexpr int box = 10, between = 16;
    int x = line.left();
    for (const MappingLegendRow& row : rows) {
        QRect cell(x, line.center().y() - box / 2, box, box);
        for (const QColor& color : row.colors) {
            painter.fillRect(cell, color);
            cell.translate(box, 0);
        }
        if (row.colors.isEmpty()) {
            painter.fillRect(cell, theme.window);
            paintMark(painter, row.mark, theme, cell);
            cell.translate(box, 0);
        }
        x = cell.left() + 6;
        const int width = painter.fontMetrics().horizontalAdvance(row.text);
        painter.setPen(theme.muted);
        painter.drawText(QRect(x, line.top(), width + 1, line.height()), Qt::AlignVCenter | Qt::AlignLeft, row.text);
        x += width + between;
    }
    return x - line.left();
}

// ---- files ----------------------------------------------------------------------------------------------------------

namespace {

// The text, the picture and the legend, one below the other.
class Sheet {
public:
    Sheet(MappingCells cells, const Theme& theme, const QFont& font)
        : m_cells(std::move(cells)), m_theme(theme), m_font(font) {
        m_cells.spot = {};
        m_cells.share.reset();
        m_picture.layOut(m_cells, saved_area, m_font);
        const QFontMetrics metrics(m_font);
        m_line = metrics.height() + 8;
        m_title = m_cells.data ? QString::fromStdString(m_cells.data->canvas.text).simplified() : QString();
        if (m_cells.data)
            m_title += "   " + m_cells.sentenceOfWhole();
        QImage ruler(1, 1, QImage::Format_ARGB32_Premultiplied);
        QPainter painter(&ruler);
        painter.setFont(m_font);
        const int legend = paintLegend(painter, m_cells.legend(), m_theme, QRect(0, 0, 1, m_line));
        const int width = std::max({m_picture.size().width(), metrics.horizontalAdvance(m_title) + 16, legend + 16});
        m_size = {width, m_picture.size().height() + 2 * m_line};
    }
    QSize size() const { return m_size; }
    const QString& title() const { return m_title; }
    void paint(QPainter& painter) const {
        painter.setFont(m_font);
        painter.fillRect(QRect(QPoint(), m_size), m_theme.panel);
        painter.setPen(m_theme.text);
        painter.drawText(QRect(8, 0, m_size.width() - 8, m_line), Qt::AlignVCenter | Qt::AlignLeft, m_title);
        painter.translate(0, m_line);
        m_picture.paint(painter, m_cells, m_theme, QRect(QPoint(), m_picture.size()));
        paintLegend(painter, m_cells.legend(), m_theme, QRect(8, m_picture.size().height(), m_size.width(), m_line));
        painter.translate(0, -m_line);
    }

private:
    MappingCells m_cells;
    const Theme& m_theme;
    QFont m_font;
    MappingPicture m_picture;
    QString m_title;
    QSize m_size;
    int m_line = 0;
};

} // namespace

QByteArray mappingSvg(const MappingCells& cells, const Theme& theme, const QFont& font) {
    const Sheet sheet(cells, theme, font);
    return svgOf(sheet.size(), sheet.title(), [&sheet](QPainter& painter) { sheet.paint(painter); });
}

QImage mappingImage(const MappingCells& cells, const Theme& theme, const QFont& font) {
    const Sheet sheet(cells, theme, font);
    const double scale = std::min(2.0, 1.0 * most_pixels / std::max(sheet.size().width(), sheet.size().height()));
    QImage out(sheet.size() * scale, QImage::Format_ARGB32_Premultiplied);
    QPainter painter(&out);
    painter.scale(scale, scale);
    sheet.paint(painter);
    return out;
}

} // namespace hidet::ui
