// SPDX-License-Identifier: GPL-3.0-only
// Texts laid out and cut to a width, kept from frame to frame: operators of a model have few names and few widths.
#pragma once

#include <QFont>
#include <QHash>
#include <QPainter>
#include <QStaticText>

namespace hidet::ui {

class TextCache {
public:
    // Within the rectangle, at its left or in its middle, in the middle of its height; cut with an ellipsis where it is too
    // narrow, and not drawn at all where less than two letters are left.
    void draw(QPainter& painter, const QRectF& rect, Qt::Alignment align, const QString& text, const QFont& font);
    double width(const QString& text, const QFont& font);

private:
    struct Key {
        QString text, font;
        int width;
        friend bool operator==(const Key&, const Key&) = default;
        friend std::size_t qHash(const Key& key, std::size_t seed) {
            return qHashMulti(seed, key.text, key.font, key.width);
        }
    };
    struct Entry {
        QStaticText text;
        QSizeF size;
    };
    const Entry& find(const QString& text, const QFont& font, int width);

    QHash<Key, Entry> m_entries;
};

} // namespace hidet::ui
