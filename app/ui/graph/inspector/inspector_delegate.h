// SPDX-License-Identifier: GPL-3.0-only
// Paints the rows of an inspector: links, predicted figures, sentences over the whole width, pictures of constants.
#pragma once

#include <memory>

#include <QStyledItemDelegate>
#include <QTreeView>

#include "app/ui/core/theme.h"
#include "app/ui/graph/inspector/inspector.h"

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
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

private:
    void paintSentence(QPainter& painter, const QStyleOptionViewItem& option, const QModelIndex& index) const;
    void paintPicture(QPainter& painter, const QStyleOptionViewItem& option, const QModelIndex& index) const;
    QColor colorOf(const QModelIndex& index) const;

    ThemeSource& m_themes;
    QTreeView& m_view;
};

// "1.2 million numbers, mean 0.01, deviation 0.2, 3 % zeros"
QString summaryOf(const session::ConstantPicture& picture);

} // namespace hidet::ui

Q_DECLARE_METATYPE(hidet::ui::InspectorLink)
Q_DECLARE_METATYPE(hidet::ui::ConstantPicturePtr)
