// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/tensors/tensor_grid.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>

#include "app/ui/core/figures.h"
#include "app/ui/core/words.h"

namespace hidet::ui {

namespace {

constexpr int margin = 8;      // of numbers in their cells, both sides together
constexpr int around = 16;     // cells that are read beside those that are seen
constexpr int most_read = 512; // rows, and columns, at once

QString inBrackets(const std::vector<std::int64_t>& index) {
    const QStringList out = numbersOf(index);
    return '[' + out.join(", ") + ']';
}

int ofScrollBar(std::int64_t value) {
    return static_cast<int>(std::min<std::int64_t>(value, std::numeric_limits<int>::max()));
}

} // namespace

int partOf(const session::TensorOwner& owner, OwnerPart part) {
    switch (part) {
    case OwnerPart::Lane: return owner.lane;
    case OwnerPart::Warp: return owner.warp;
    case OwnerPart::Block: return static_cast<int>(owner.block_number % (1 << 20));
    }
    return 0;
}

TensorGrid::TensorGrid(ThemeSource& themes, QWidget* parent)
    : QAbstractScrollArea(parent), m_themes(themes), m_colors(themes.theme()) {
    setFrameShape(QFrame::NoFrame);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Elements"));
    connect(&themes, &ThemeSource::changed, this, [this] {
        m_colors = TensorColors(m_themes.theme());
        layOut();
    });
}

void TensorGrid::show(const TensorDataPtr& data) {
    const bool isSame = data && m_data && data->entry.file == m_data->entry.file;
    m_data = data;
    m_parts = {};
    if (!isSame)
        m_row = m_column = 0;
    m_row = data ? std::clamp<std::int64_t>(m_row, 0, std::max<std::int64_t>(data->rows() - 1, 0)) : 0;
    m_column = data ? std::clamp<std::int64_t>(m_column, 0, std::max<std::int64_t>(data->columns() - 1, 0)) : 0;
    if (data && (!data->wanted || (m_look == TensorLook::Owners && !data->owners)))
        m_look = TensorLook::Values;
    layOut();
    fill();
    emit currentChanged();
}

void TensorGrid::setLook(TensorLook look) {
    m_look = m_data && m_data->wanted ? look : TensorLook::Values;
    viewport()->update();
}

void TensorGrid::setFormatting(const session::TensorFormatting& how) {
    m_how = how;
    layOut();
    fill();
}

void TensorGrid::setHeat(bool on) {
    m_heat = on;
    viewport()->update();
}

void TensorGrid::setOwnerPart(OwnerPart part) {
    m_part = part;
    viewport()->update();
}

// ---- places ---------------------------------------------------------------------------------------------------------

void TensorGrid::layOut() {
    const QFontMetrics metrics(m_themes.codeFont());
    const std::int64_t rows = m_data ? m_data->rows() : 0, columns = m_data ? m_data->columns() : 0;
    QString longest = numberAt(-1e-4 / 3 * 4); // with as many zeros as there may be before an exponent
    if (m_data && m_data->statistics.min)
        for (const double value : {*m_data->statistics.min, *m_data->statistics.max, *m_data->statistics.min / 3})
            if (const QString text = numberAt(value); text.size() > longest.size())
                longest = text;
    m_cellWidth = metrics.horizontalAdvance(longest) + margin;
    m_cellWidth = std::max(m_cellWidth, metrics.horizontalAdvance(QString::number(columns)) + margin);
    m_cellHeight = metrics.height() + 4;
    m_top = metrics.height() + 4;
    m_left = metrics.horizontalAdvance(QString::number(std::max<std::int64_t>(rows - 1, 0))) + 2 * margin;
    const QSize room = viewport()->size() - QSize(m_left, m_top);
    horizontalScrollBar()->setRange(0, ofScrollBar(std::max<std::int64_t>(0, columns - room.width() / m_cellWidth)));
    horizontalScrollBar()->setPageStep(std::max(1, room.width() / m_cellWidth));
    verticalScrollBar()->setRange(0, ofScrollBar(std::max<std::int64_t>(0, rows - room.height() / m_cellHeight)));
    verticalScrollBar()->setPageStep(std::max(1, room.height() / m_cellHeight));
    viewport()->update();
}

QRect TensorGrid::visibleCells() const {
    if (!m_data || m_data->rows() == 0)
        return {};
    const int row = verticalScrollBar()->value(), column = horizontalScrollBar()->value();
    const int rows = (viewport()->height() - m_top + m_cellHeight - 1) / m_cellHeight;
    const int columns = (viewport()->width() - m_left + m_cellWidth - 1) / m_cellWidth;
    return {column, row, ofScrollBar(std::min<std::int64_t>(columns, m_data->columns() - column)),
            ofScrollBar(std::min<std::int64_t>(rows, m_data->rows() - row))};
}

QRect TensorGrid::rectOf(std::int64_t row, std::int64_t column) const {
    return {m_left + static_cast<int>(column - horizontalScrollBar()->value()) * m_cellWidth,
            m_top + static_cast<int>(row - verticalScrollBar()->value()) * m_cellHeight, m_cellWidth, m_cellHeight};
}

// Reads what is seen, and a little around it, unless that is there.
void TensorGrid::fill() {
    const QRect seen = visibleCells();
    if (seen.isEmpty())
        return m_reading.cancel();
    if (m_parts.got.contains(seen.top(), seen.left()) && m_parts.got.contains(seen.bottom(), seen.right()))
        return;
    const int row = std::max(0, seen.top() - around), column = std::max(0, seen.left() - around);
    const int rows = std::min(most_read, seen.height() + 2 * around);
    const int columns = std::min(most_read, seen.width() + 2 * around);
    m_reading.run(
        [data = m_data, row, column, rows, columns](const std::atomic<bool>& stopped) {
            const auto part = [&](const session::StoredTensorPtr& of) {
                return of ? session::part_of(*of, data->slice, row, column, rows, columns, &stopped)
                          : session::TensorPart();
            };
            return Parts{part(data->got), part(data->wanted), part(data->written), part(data->owners)};
        },
        [this](Parts parts) {
            m_parts = std::move(parts);
            viewport()->update();
            emit currentChanged();
        });
}

// ---- what cells say -------------------------------------------------------------------------------------------------

QString TensorGrid::numberAt(double value) const {
    return QString::fromStdString(
        session::element_text(value, !m_data || !m_data->got || m_data->got->is_float(), m_how));
}

double TensorGrid::greatest() const {
    const session::TensorStatistics& statistics = m_data->statistics;
    return statistics.min ? std::max(std::fabs(*statistics.min), std::fabs(*statistics.max)) : 0;
}

bool TensorGrid::isUnwritten(std::int64_t row, std::int64_t column) const {
    return m_parts.written.contains(row, column) && m_parts.written.at(row, column) == 0;
}

std::optional<session::TensorOwner> TensorGrid::ownerAt(std::int64_t row, std::int64_t column) const {
    if (!m_parts.owners.contains(row, column))
        return std::nullopt;
    return session::owner_of(m_parts.owners.at(row, column), m_data->entry.ownerLaunches);
}

// "3:5": warp and lane.
TensorGrid::Cell TensorGrid::ownerCell(std::int64_t row, std::int64_t column, double error) const {
    const auto owner = ownerAt(row, column);
    if (!owner)
        return {QString(QChar(0x2013)), m_colors.ofOwner(-1, error)};
    return {QString("%1:%2").arg(owner->warp).arg(owner->lane), m_colors.ofOwner(partOf(*owner, m_part), error)};
}

TensorGrid::Cell TensorGrid::cellAt(std::int64_t row, std::int64_t column) const {
    if (!m_parts.got.contains(row, column))
        return {{}, m_themes.theme().panel};
    if (isUnwritten(row, column))
        return {QString(QChar(0x2013)), m_themes.theme().panel};
    const double got = m_parts.got.at(row, column);
    const bool hasWanted = m_parts.wanted.contains(row, column);
    const double wanted = hasWanted ? m_parts.wanted.at(row, column) : got;
    if (m_look == TensorLook::Owners && hasWanted)
        return ownerCell(row, column, session::error_of(got, wanted, m_data->entry.tolerance));
    if (m_look == TensorLook::Differences && hasWanted) {
        const double error = session::error_of(got, wanted, m_data->entry.tolerance);
        return {error == 0 ? QString("0") : numberAt(got - wanted),
                m_heat || error > 1 ? m_colors.ofError(error) : m_themes.theme().panel};
    }
    const double shown = m_look == TensorLook::Wanted ? wanted : got;
    const bool isMarked = m_heat || !std::isfinite(shown);
    return {numberAt(shown), isMarked ? m_colors.ofValue(shown, greatest()) : m_themes.theme().panel};
}

QString TensorGrid::textAt(std::int64_t row, std::int64_t column) const {
    return cellAt(row, column).text;
}

std::int64_t TensorGrid::currentElement() const {
    return m_data && m_data->rows() > 0 ? session::element_at(m_data->got->shape(), m_data->slice, m_row, m_column)
                                        : -1;
}

QString TensorGrid::sentence() const {
    const std::int64_t element = currentElement();
    if (element < 0 || !m_parts.got.contains(m_row, m_column))
        return {};
    const double got = m_parts.got.at(m_row, m_column);
    const QString place = m_data->entry.name + inBrackets(session::index_of(m_data->got->shape(), element));
    if (isUnwritten(m_row, m_column))
        return tr("%1 was never written").arg(place);
    QString out = place + " = " + numberAt(got);
    if (!m_parts.wanted.contains(m_row, m_column))
        return out;
    const double wanted = m_parts.wanted.at(m_row, m_column);
    const double error = session::error_of(got, wanted, m_data->entry.tolerance);
    out += tr(", should be %1").arg(numberAt(wanted));
    if (error > 1 && std::isfinite(error))
        out += tr(", off by %1, %2 times what is tolerated").arg(numberText(got - wanted), numberText(error));
    else if (error > 1)
        out += std::isfinite(got - wanted) ? tr(", off by %1").arg(numberText(got - wanted)) : tr(", which is wrong");
    if (const auto owner = ownerAt(m_row, m_column))
        out +=
            tr(", written by %1").arg(QString::fromStdString(session::owner_text(*owner, m_data->entry.ownerLaunches)));
    return out;
}

// ---- painting -------------------------------------------------------------------------------------------------------

void TensorGrid::paintEvent(QPaintEvent*) {
    QPainter painter(viewport());
    const Theme& theme = m_themes.theme();
    painter.fillRect(viewport()->rect(), theme.panel);
    const QRect seen = visibleCells();
    if (seen.isEmpty())
        return;
    painter.setFont(m_themes.codeFont());
    for (int row = seen.top(); row <= seen.bottom(); ++row)
        for (int column = seen.left(); column <= seen.right(); ++column) {
            const Cell cell = cellAt(row, column);
            const QRect rect = rectOf(row, column);
            painter.fillRect(rect.adjusted(0, 0, -1, -1), cell.ground);
            painter.setPen(m_colors.textOn(cell.ground));
            painter.drawText(rect.adjusted(0, 0, -margin / 2, 0), Qt::AlignRight | Qt::AlignVCenter, cell.text);
        }
    paintHeadings(painter, seen);
    if (!seen.contains(ofScrollBar(m_column), ofScrollBar(m_row)))
        return;
    painter.setPen(QPen(hasFocus() ? theme.accent : theme.muted, hasFocus() ? 2 : 1));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(rectOf(m_row, m_column).adjusted(0, 0, -2, -2));
}

void TensorGrid::paintHeadings(QPainter& painter, const QRect& cells) const {
    const Theme& theme = m_themes.theme();
    painter.fillRect(QRect(0, 0, viewport()->width(), m_top - 2), theme.panel);
    painter.setPen(theme.muted);
    for (int row = cells.top(); row <= cells.bottom(); ++row)
        painter.drawText(QRect(0, rectOf(row, 0).top(), m_left - margin, m_cellHeight),
                         Qt::AlignRight | Qt::AlignVCenter, QString::number(row));
    for (int column = cells.left(); column <= cells.right(); ++column)
        painter.drawText(QRect(rectOf(0, column).left(), 0, m_cellWidth - margin / 2, m_top - 2),
                         Qt::AlignRight | Qt::AlignVCenter, QString::number(column));
}

// ---- mouse and keys -------------------------------------------------------------------------------------------------

void TensorGrid::goTo(std::int64_t row, std::int64_t column) {
    if (!m_data || m_data->rows() == 0)
        return;
    m_row = std::clamp<std::int64_t>(row, 0, m_data->rows() - 1);
    m_column = std::clamp<std::int64_t>(column, 0, m_data->columns() - 1);
    const auto reveal = [](QScrollBar* bar, std::int64_t at, int extent) {
        if (at < bar->value())
            bar->setValue(ofScrollBar(at));
        else if (at >= bar->value() + extent)
            bar->setValue(ofScrollBar(at - extent + 1));
    };
    reveal(verticalScrollBar(), m_row, std::max(1, (viewport()->height() - m_top) / m_cellHeight));
    reveal(horizontalScrollBar(), m_column, std::max(1, (viewport()->width() - m_left) / m_cellWidth));
    viewport()->update();
    emit currentChanged();
}

void TensorGrid::mousePressEvent(QMouseEvent* event) {
    if (event->pos().x() >= m_left && event->pos().y() >= m_top)
        goTo(verticalScrollBar()->value() + (event->pos().y() - m_top) / m_cellHeight,
             horizontalScrollBar()->value() + (event->pos().x() - m_left) / m_cellWidth);
}

void TensorGrid::keyPressEvent(QKeyEvent* event) {
    const int page = verticalScrollBar()->pageStep();
    const bool toEnds = event->modifiers() & Qt::ControlModifier;
    switch (event->key()) {
    case Qt::Key_Left: return goTo(m_row, m_column - 1);
    case Qt::Key_Right: return goTo(m_row, m_column + 1);
    case Qt::Key_Up: return goTo(m_row - 1, m_column);
    case Qt::Key_Down: return goTo(m_row + 1, m_column);
    case Qt::Key_PageUp: return goTo(m_row - page, m_column);
    case Qt::Key_PageDown: return goTo(m_row + page, m_column);
    case Qt::Key_Home: return goTo(toEnds ? 0 : m_row, 0);
    case Qt::Key_End: return goTo(toEnds && m_data ? m_data->rows() : m_row, m_data ? m_data->columns() : 0);
    case Qt::Key_N: return emit seekRequested(session::TensorSeek::NotANumber);
    case Qt::Key_W: return emit seekRequested(session::TensorSeek::Wrong);
    case Qt::Key_G: return emit worstRequested();
    default: return QAbstractScrollArea::keyPressEvent(event);
    }
}

void TensorGrid::focusInEvent(QFocusEvent* event) {
    QAbstractScrollArea::focusInEvent(event);
    viewport()->update();
}

void TensorGrid::focusOutEvent(QFocusEvent* event) {
    QAbstractScrollArea::focusOutEvent(event);
    viewport()->update();
}

void TensorGrid::resizeEvent(QResizeEvent* event) {
    QAbstractScrollArea::resizeEvent(event);
    layOut();
    fill();
    emit scrolled();
}

void TensorGrid::scrollContentsBy(int, int) {
    fill();
    viewport()->update();
    emit scrolled();
}

namespace {

constexpr double below_zero = 255, above_zero = 45; // hues
constexpr double most_error = 1000;                 // times what is tolerated: the full colour

QColor between(const QColor& a, const QColor& b, double share) {
    const auto of = [share](int x, int y) { return int(std::lround(x + (y - x) * share)); };
    return {of(a.red(), b.red()), of(a.green(), b.green()), of(a.blue(), b.blue())};
}

} // namespace

QColor TensorColors::ofValue(double value, double greatest) const {
    if (!std::isfinite(value))
        return between(m_theme->panel, m_theme->error, 0.5);
    const double share = greatest > 0 ? std::min(1.0, std::fabs(value) / greatest) : 0;
    const QColor full = oklch(m_theme->dark ? 0.45 : 0.80, 0.12, value < 0 ? below_zero : above_zero);
    return between(m_theme->panel, full, std::sqrt(share));
}

QColor TensorColors::ofError(double error) const {
    if (error <= 1)
        return between(m_theme->panel, m_theme->ok, 0.12 + 0.13 * std::clamp(error, 0.0, 1.0));
    const double share = std::isfinite(error) ? std::min(1.0, std::log(error) / std::log(most_error)) : 1;
    return between(m_theme->panel, m_theme->error, 0.3 + 0.4 * share);
}

QColor TensorColors::ofOwner(int number, double error) const {
    constexpr double golden = 137.5; // degrees, so that neighbours differ
    if (number < 0)
        return m_theme->panel;
    const QColor full = oklch(m_theme->dark ? 0.5 : 0.75, 0.13, std::fmod(number * golden, 360));
    return between(m_theme->panel, full, error > 1 ? 1 : 0.25);
}

} // namespace hidet::ui
