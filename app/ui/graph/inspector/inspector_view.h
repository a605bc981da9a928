// SPDX-License-Identifier: GPL-3.0-only
// Shows an Inspector: sections that open and close, rows with links that a click or Return follows, pictures of constants.
#pragma once

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QHash>
#include <QHeaderView>
#include <QKeyEvent>
#include <QScrollBar>
#include <QStandardItemModel>
#include <QTreeView>
#include <functional>

#include "app/ui/core/theme.h"
#include "app/ui/graph/inspector/inspector.h"
#include "app/ui/graph/inspector/inspector_delegate.h"

namespace hidet::ui {

class InspectorView : public QTreeView {
    Q_OBJECT
public:
    explicit InspectorView(ThemeSource& themes, QWidget* parent = nullptr) : QTreeView(parent), m_themes(themes) {
        m_model.setColumnCount(2);
        setModel(&m_model);
        setItemDelegate(new InspectorDelegate(themes, *this));
        setHeaderHidden(true);
        header()->setStretchLastSection(true);
        setEditTriggers(NoEditTriggers);
        setSelectionBehavior(SelectRows);
        setVerticalScrollMode(ScrollPerPixel);
        setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
        setIndentation(12);
        setMouseTracking(true);
        setContextMenuPolicy(Qt::ActionsContextMenu);
        auto* copy = new QAction(tr("Copy value"), this);
        connect(copy, &QAction::triggered, this, &InspectorView::copyCurrent);
        auto* copyAll = new QAction(tr("Copy all"), this);
        connect(copyAll, &QAction::triggered, this, [this] { QApplication::clipboard()->setText(text()); });
        addActions({copy, copyAll});
        connect(this, &QTreeView::clicked, this, [this](const QModelIndex& index) {
            if (index.column() == 1)
                follow(index);
        });
        const auto remember = [this](bool isClosed) {
            return [this, isClosed](const QModelIndex& index) {
                if (!m_filling && !index.parent().isValid())
                    m_closed[index.data().toString()] = isClosed;
            };
        };
        connect(this, &QTreeView::collapsed, this, remember(true));
        connect(this, &QTreeView::expanded, this, remember(false));
        themes.follow(this, [this] {
            setFont(m_themes.smallFont());
            scheduleDelayedItemsLayout();
            viewport()->update();
        });
    }

    // sections stay open or closed as the user left them
    void show(const Inspector& inspector) {
        const bool isSame = inspector.title == m_title && inspector.subtitle == m_subtitle;
        const int scrolled = isSame ? verticalScrollBar()->value() : 0;
        const QList<int> current = isSame ? pathOf(currentIndex()) : QList<int>();
        m_title = inspector.title;
        m_subtitle = inspector.subtitle;
        m_filling = true;
        m_model.removeRows(0, m_model.rowCount());
        for (const InspectorSection& section : inspector.sections) {
            auto* item = new QStandardItem(section.title);
            item->setData(int(InspectorItem::Section), InspectorRole::Kind);
            m_model.invisibleRootItem()->appendRow({item, new QStandardItem});
            for (const InspectorRow& row : section.rows)
                add(*item, row);
            setFirstColumnSpanned(item->row(), {}, true);
            setExpanded(item->index(), !m_closed.value(section.title));
        }
        shareWidth();
        m_filling = false;
        QModelIndex at;
        for (const int row : current)
            at = m_model.index(row, 0, at);
        if (at.isValid())
            setCurrentIndex(at);
        verticalScrollBar()->setValue(scrolled);
    }

    using QWidget::show;
    // Constants whose pictures the inspector shows and does not have, in order.
    QList<quint32> wanted() const {
        QList<quint32> out;
        eachItem(m_model.invisibleRootItem(), [&](const QStandardItem* item) {
            const bool isPicture = item->data(InspectorRole::Kind).toInt() == int(InspectorItem::Picture);
            if (isPicture && !item->data(InspectorRole::Picture).value<ConstantPicturePtr>())
                out << item->data(InspectorRole::Constant).toUInt();
            return true;
        });
        return out;
    }

    // null: it has none
    void setPicture(quint32 constant, std::shared_ptr<const session::ConstantPicture> picture) {
        eachItem(m_model.invisibleRootItem(), [&](QStandardItem* item) {
            const bool isIt = item->data(InspectorRole::Kind).toInt() == int(InspectorItem::Picture) &&
                              item->data(InspectorRole::Constant).toUInt() == constant;
            if (isIt) {
                item->setText(picture ? InspectorDelegate::summaryOf(*picture) : tr("It has no numbers to look at"));
                item->setData(QVariant::fromValue(picture), InspectorRole::Picture);
            }
            return true;
        });
        scheduleDelayedItemsLayout();
    }

    // all rows, with tabs
    QString text() const {
        QString out;
        eachItem(m_model.invisibleRootItem(), [&](const QStandardItem* item) {
            int depth = 0;
            for (QModelIndex above = item->index().parent(); above.isValid(); above = above.parent())
                ++depth;
            const QString value = item->index().siblingAtColumn(1).data().toString();
            out += QString(depth, '\t') + item->text() + (value.isEmpty() ? QString() : "\t" + value) + "\n";
            return true;
        });
        return out;
    }

signals:
    void followed(hidet::ui::InspectorLink link);

protected:
    void keyPressEvent(QKeyEvent* event) override {
        const QModelIndex current = currentIndex();
        if (event->matches(QKeySequence::Copy))
            return copyCurrent();
        const bool isReturn = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
        if (isReturn && event->modifiers() == Qt::NoModifier && current.isValid()) {
            if (current.siblingAtColumn(0).data(InspectorRole::Link).value<InspectorLink>())
                return follow(current);
            return setExpanded(current.siblingAtColumn(0), !isExpanded(current.siblingAtColumn(0)));
        }
        QTreeView::keyPressEvent(event);
    }

    void mouseMoveEvent(QMouseEvent* event) override {
        const QModelIndex at = indexAt(event->pos());
        const bool isLink = at.column() == 1 && at.siblingAtColumn(0).data(InspectorRole::Link).value<InspectorLink>();
        viewport()->setCursor(isLink ? Qt::PointingHandCursor : Qt::ArrowCursor);
        QTreeView::mouseMoveEvent(event);
    }

    void resizeEvent(QResizeEvent* event) override {
        QTreeView::resizeEvent(event);
        shareWidth();
        scheduleDelayedItemsLayout(); // sentences break elsewhere
    }

private:
    static QString valueOf(const QModelIndex& index) {
        const QString value = index.siblingAtColumn(1).data().toString();
        return value.isEmpty() ? index.siblingAtColumn(0).data().toString() : value;
    }

    static QList<int> pathOf(QModelIndex index) {
        QList<int> out;
        for (; index.isValid(); index = index.parent())
            out.prepend(index.row());
        return out;
    }

    // In the order of the screen; `visit` says whether to go on.
    static void eachItem(const QStandardItem* above, const std::function<bool(QStandardItem*)>& visit) {
        for (int row = 0; row < above->rowCount(); ++row)
            if (QStandardItem* item = above->child(row); visit(item))
                eachItem(item, visit);
    }

    void add(QStandardItem& above, const InspectorRow& row) {
        const bool isPicture = row.constant != session::no_id;
        const bool spans = row.name.isEmpty();
        auto* name = new QStandardItem(isPicture ? tr("Being looked at") : spans ? row.value : row.name);
        auto* value = new QStandardItem(spans ? QString() : row.value);
        const QString hint = row.hint.isEmpty() ? row.value : row.hint;
        const InspectorItem kind = isPicture ? InspectorItem::Picture
                                   : spans   ? InspectorItem::Sentence
                                             : InspectorItem::Row;
        name->setData(int(kind), InspectorRole::Kind);
        name->setData(int(row.tone), InspectorRole::Tone);
        name->setData(QVariant::fromValue(row.link), InspectorRole::Link);
        name->setData(row.constant, InspectorRole::Constant);
        name->setToolTip(spans ? QString() : row.name);
        value->setToolTip(hint);
        above.appendRow({name, value});
        if (spans)
            setFirstColumnSpanned(name->row(), above.index(), true);
        for (const InspectorRow& below : row.rows)
            add(*name, below);
        if (!row.rows.isEmpty())
            setExpanded(name->index(), row.rows.size() <= 4);
    }

    void shareWidth() { setColumnWidth(0, std::clamp(viewport()->width() * 2 / 5, 80, 220)); }
    void follow(const QModelIndex& index) {
        // A copy: the inspector is another one before the listeners are done.
        const auto link = index.siblingAtColumn(0).data(InspectorRole::Link).value<InspectorLink>();
        if (link)
            emit followed(link);
    }

    void copyCurrent() {
        if (currentIndex().isValid())
            QApplication::clipboard()->setText(valueOf(currentIndex()));
    }

    ThemeSource& m_themes;
    QStandardItemModel m_model;
    QHash<QString, bool> m_closed; // by the section's title
    QString m_title, m_subtitle;   // of what is shown
    bool m_filling = false;
};

} // namespace hidet::ui
