// SPDX-License-Identifier: GPL-3.0-only
// Paints the rows of an inspector: links, predicted figures, sentences over the whole width, pictures of constants.
#pragma once

#include <QImage>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QTreeView>
#include <algorithm>
#include <cmath>
#include <memory>

#include "app/ui/core/theme.h"
#include "app/ui/graph/canvas/overlay_colors.h"
#include "app/ui/graph/inspector/inspector.h"
#include "lang/base/quantity.h"

namespace hidet::ui {

struct InspectorRole {                            // of the first column
    static constexpr int Kind = Qt::UserRole + 1; // InspectorItem
    static constexpr int Link = Qt::UserRole + 2;
    static constexpr int Tone = Qt::UserRole + 3;
    static constexpr int Constant = Qt::UserRole + 4;
    static constexpr int Picture = Qt::UserRole + 5;
};
enum class InspectorItem { Section, Row, Sentence, Picture };
using ConstantPicturePtr = std::shared_ptr<const session::ConstantPicture>;

class InspectorDelegate : public QStyledItemDelegate {
public:
    InspectorDelegate(ThemeSource& themes, QTreeView& view)
        : QStyledItemDelegate(&view), m_themes(themes), m_view(view) {}
    void paint(QPainter* painter, const QStyleOptionViewItem& given, const QModelIndex& index) const override {
        QStyleOptionViewItem option = given;
        const InspectorItem kind = kindOf(index);
        if (kind == InspectorItem::Picture)
            return paintPicture(*painter, option, index);
        if (kind == InspectorItem::Sentence)
            return paintSentence(*painter, option, index);
        const QColor color = colorOf(index);
        option.palette.setColor(QPalette::Text, color);
        option.palette.setColor(QPalette::HighlightedText, color);
        option.font.setBold(kind == InspectorItem::Section);
        // The end of "/layer1/block2/conv" tells it from its neighbours.
        if (index.data().toString().startsWith('/'))
            option.textElideMode = Qt::ElideLeft;
        if (index.column() == 1) {
            const auto tone = static_cast<InspectorTone>(index.siblingAtColumn(0).data(InspectorRole::Tone).toInt());
            option.font.setItalic(tone == InspectorTone::Predicted);
        }
        QStyledItemDelegate::paint(painter, option, index);
    }

    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        const InspectorItem kind = kindOf(index);
        const int line = option.fontMetrics.height();
        if (kind == InspectorItem::Section || kind == InspectorItem::Row)
            return {40, line + 8};
        int depth = 1;
        for (QModelIndex above = index.parent(); above.isValid(); above = above.parent())
            ++depth;
        const int width = std::max(80, m_view.viewport()->width() - depth * m_view.indentation() - 12);
        const auto picture = index.data(InspectorRole::Picture).value<ConstantPicturePtr>();
        if (kind == InspectorItem::Picture && !picture)
            return {width, line + 8};
        const QString text = kind == InspectorItem::Picture ? summaryOf(*picture) : index.data().toString();
        const QRect bounds =
            option.fontMetrics.boundingRect(QRect(0, 0, width, 10000), Qt::TextWordWrap, breakable(text));
        return {width, bounds.height() + 8 + (kind == InspectorItem::Picture ? picture_height + 2 + line : 0)};
    }

    // "1.2 million numbers, mean 0.01, deviation 0.2, 3 % zeros"
    static QString summaryOf(const session::ConstantPicture& picture) {
        QStringList parts;
        parts << tr("%1 elements").arg(picture.count);
        if (picture.looked_at < picture.count)
            parts << tr("%1 of them looked at").arg(picture.looked_at);
        if (picture.not_finite < picture.looked_at)
            parts << tr("mean %1, deviation %2").arg(number(picture.mean), number(picture.deviation));
        if (picture.zeros > 0 && picture.looked_at > 0)
            parts << tr("%1 % zeros")
                         .arg(number(std::round(1000.0 * double(picture.zeros) / double(picture.looked_at)) / 10));
        if (picture.not_finite > 0)
            parts << tr("%1 not finite").arg(picture.not_finite);
        return parts.join(", ");
    }

private:
    static constexpr int picture_height = 64;
    static constexpr int gap = 8;
    static InspectorItem kindOf(const QModelIndex& index) {
        return static_cast<InspectorItem>(index.siblingAtColumn(0).data(InspectorRole::Kind).toInt());
    }

    static QString number(double value) { return QString::fromStdString(number_text(value)); }
    static void paintHistogram(QPainter& painter, const QRect& area, const session::ConstantPicture& picture,
                               const Theme& theme) {
        const auto most = std::max_element(picture.histogram.begin(), picture.histogram.end());
        if (most == picture.histogram.end() || *most <= 0)
            return;
        const double width = double(area.width()) / double(picture.histogram.size());
        for (std::size_t i = 0; i < picture.histogram.size(); ++i) {
            const double height = double(area.height()) * double(picture.histogram[i]) / double(*most);
            const double left = area.left() + width * double(i);
            if (picture.histogram[i] > 0) // what is there is seen, however little it is
                painter.fillRect(QRectF(left, area.bottom() + 1 - std::max(1.0, height), std::max(1.0, width - 1),
                                        std::max(1.0, height)),
                                 theme.accent);
        }
        painter.fillRect(QRect(area.left(), area.bottom() + 1, area.width(), 1), theme.line);
    }

    // Values on the scale that overlays have, from the least cell to the greatest.
    static QImage heatMap(const session::ConstantPicture& picture, const Theme& theme) {
        session::Overlay scale;
        scale.least = HUGE_VAL;
        scale.greatest = -HUGE_VAL;
        for (const float cell : picture.cells)
            if (std::isfinite(cell)) {
                scale.least = std::min(scale.least, double(cell));
                scale.greatest = std::max(scale.greatest, double(cell));
            }
        const OverlayColors colors(theme, scale);
        QImage image(int(picture.columns), int(picture.rows), QImage::Format_RGB32);
        const double span = scale.greatest - scale.least;
        for (int y = 0; y < image.height(); ++y)
            for (int x = 0; x < image.width(); ++x) {
                const double cell = picture.cells[std::size_t(y) * picture.columns + std::size_t(x)];
                image.setPixelColor(
                    x, y, !std::isfinite(cell) ? theme.error : colors.at(span > 0 ? (cell - scale.least) / span : 0.5));
            }
        return image;
    }

    // Names of operators are long words: they may be broken where a part of them ends.
    static QString breakable(QString text) {
        constexpr QChar zero_width_space(0x200b);
        for (const QChar end : {u'/', u'_', u'.'})
            text.replace(end, QString(end) + zero_width_space);
        return text;
    }

    void paintSentence(QPainter& painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
        if (option.state & QStyle::State_Selected)
            painter.fillRect(option.rect, m_themes.theme().selection);
        painter.setFont(option.font);
        painter.setPen(colorOf(index));
        painter.drawText(option.rect.adjusted(6, 4, -6, -4), Qt::TextWordWrap, breakable(index.data().toString()));
    }

    void paintPicture(QPainter& painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
        const Theme& theme = m_themes.theme();
        if (option.state & QStyle::State_Selected)
            painter.fillRect(option.rect, theme.selection);
        painter.save();
        painter.setFont(option.font);
        painter.setPen(
            theme.readable(theme.muted, option.state & QStyle::State_Selected ? theme.selection : theme.panel));
        const QRect area = option.rect.adjusted(6, 4, -6, -4);
        const auto picture = index.data(InspectorRole::Picture).value<ConstantPicturePtr>();
        if (!picture) {
            painter.drawText(area, Qt::AlignLeft | Qt::AlignTop, index.data().toString());
            return painter.restore();
        }
        const int line = option.fontMetrics.height();
        const bool isMatrix = picture->rows > 1 && picture->columns > 1;
        const int map = isMatrix ? std::min(picture_height * 2, area.width() / 3) : 0;
        const QRect bars(area.left(), area.top(), area.width() - (map ? map + gap : 0), picture_height);
        paintHistogram(painter, bars, *picture, theme);
        painter.drawText(QRect(bars.left(), bars.bottom() + 2, bars.width(), line), Qt::AlignLeft,
                         number(picture->least));
        painter.drawText(QRect(bars.left(), bars.bottom() + 2, bars.width(), line), Qt::AlignRight,
                         number(picture->greatest));
        if (map) {
            const QImage image = heatMap(*picture, theme);
            painter.drawImage(QRect(bars.right() + gap, area.top(), map, picture_height), image);
            painter.drawText(
                QRect(bars.right() + gap, bars.bottom() + 2, map, line), Qt::AlignLeft,
                option.fontMetrics.elidedText(QString::fromStdString(picture->shape), Qt::ElideRight, map));
        }
        painter.drawText(
            QRect(area.left(), bars.bottom() + 2 + line, area.width(), area.bottom() - bars.bottom() - line),
            Qt::TextWordWrap, summaryOf(*picture));
        painter.restore();
    }

    QColor colorOf(const QModelIndex& index) const {
        const Theme& theme = m_themes.theme();
        const bool isSelected = m_view.selectionModel()->isRowSelected(index.row(), index.parent());
        const QColor behind = isSelected ? theme.selection : theme.panel;
        const QModelIndex first = index.siblingAtColumn(0);
        switch (static_cast<InspectorTone>(first.data(InspectorRole::Tone).toInt())) {
        case InspectorTone::Error: return theme.readable(theme.error, behind);
        case InspectorTone::Stale: return theme.stale(theme.text);
        case InspectorTone::Muted: return theme.readable(theme.muted, behind);
        default: break;
        }
        if (index.column() == 1 && first.data(InspectorRole::Link).value<InspectorLink>())
            return theme.readable(theme.accent, behind);
        return index.column() == 0 && kindOf(index) == InspectorItem::Row ? theme.readable(theme.muted, behind)
                                                                          : theme.text;
    }

    ThemeSource& m_themes;
    QTreeView& m_view;
};

} // namespace hidet::ui

Q_DECLARE_METATYPE(hidet::ui::InspectorLink)
Q_DECLARE_METATYPE(hidet::ui::ConstantPicturePtr)
