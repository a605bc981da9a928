// SPDX-License-Identifier: GPL-3.0-only
// The formats that something can be exported in, each with what it is.
#pragma once

#include <QListWidget>
#include <QPainter>
#include <QResizeEvent>
#include <QStyledItemDelegate>
#include <algorithm>

#include "app/session/exporting/export.h"
#include "app/ui/core/theme.h"
#include "app/ui/core/words.h"

namespace hidet::ui {

class ExportFormats : public QListWidget {
    Q_OBJECT
public:
    explicit ExportFormats(ThemeSource& themes, QWidget* parent = nullptr) : QListWidget(parent) {
        setObjectName("export.formats");
        setAccessibleName(tr("Format"));
        setItemDelegate(new FormatDelegate(themes, this));
        setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
        setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
        setMouseTracking(true);
        connect(this, &QListWidget::currentRowChanged, this, [this](int row) {
            if (row >= 0)
                emit formatChosen();
        });
    }

    // Keeps what is chosen, if it is among them. `isScript`: else formats that run one cannot be chosen.
    void show(session::ExportSubject subject, bool isScript) {
        const QString before = currentItem() ? currentItem()->text() : QString();
        const QSignalBlocker quiet(this);
        clear();
        m_shown.clear();
        for (const session::ExportFormatInfo& info : session::all_export_formats()) {
            if (info.subject != subject)
                continue;
            m_shown.push_back(&info);
            auto* item = new QListWidgetItem(info.name, this);
            QString what = capitalized(info.summary);
            if (!isScript && session::taken_by(info.format).runs_script) {
                what = tr("Its check is what a script calls, and this is no script");
                item->setFlags(item->flags() & ~Qt::ItemIsEnabled);
            }
            item->setData(summary_role, what);
            item->setToolTip(what);
            item->setData(Qt::AccessibleDescriptionRole, what);
        }
        setCurrentRow(0);
        choose(before);
        fitHeight();
    }

    using QWidget::show;
    const session::ExportFormatInfo& chosen() const {
        return *m_shown[static_cast<std::size_t>(std::max(0, currentRow()))];
    }

    // one that there is not is passed over
    void choose(const QString& name) {
        for (int row = 0; row < count(); ++row)
            if (item(row)->text() == name && item(row)->flags() & Qt::ItemIsEnabled)
                setCurrentRow(row);
    }

signals:
    void formatChosen();

protected:
    // Another width breaks their lines elsewhere.
    void resizeEvent(QResizeEvent* event) override {
        QListWidget::resizeEvent(event);
        if (event->oldSize().width() != event->size().width())
            fitHeight();
    }

private:
    static constexpr int summary_role = Qt::UserRole;
    static constexpr int side = 12, above = 4;
    // Its name, and below it what it is.
    class FormatDelegate : public QStyledItemDelegate {
    public:
        FormatDelegate(ThemeSource& themes, QWidget* parent) : QStyledItemDelegate(parent), m_themes(themes) {}

        QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override {
            const int width = static_cast<const QWidget*>(parent())->width() - 2 * side;
            const QRect summary = QFontMetrics(m_themes.smallFont())
                                      .boundingRect(QRect(0, 0, std::max(120, width), 1000), Qt::TextWordWrap,
                                                    index.data(summary_role).toString());
            return {120, option.fontMetrics.height() + summary.height() + 2 * above};
        }
        void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
            const Theme& theme = m_themes.theme();
            const bool isSelected = option.state & QStyle::State_Selected,
                       isEnabled = option.state & QStyle::State_Enabled;
            const QColor behind = isSelected                               ? theme.selection
                                  : option.state & QStyle::State_MouseOver ? theme.hover
                                                                           : theme.panel;
            painter->fillRect(option.rect, behind);
            if (isSelected && option.state & QStyle::State_HasFocus)
                painter->fillRect(QRect(option.rect.topLeft(), QSize(2, option.rect.height())), theme.accent);
            const QRect inside = option.rect.adjusted(side, above, -side, -above);
            painter->setFont(option.font);
            painter->setPen(isEnabled ? theme.text : theme.stale(theme.muted));
            painter->drawText(inside, Qt::AlignLeft | Qt::AlignTop, index.data(Qt::DisplayRole).toString());
            painter->setFont(m_themes.smallFont());
            painter->setPen(isEnabled ? theme.readable(theme.muted, behind) : theme.stale(theme.muted));
            painter->drawText(inside.adjusted(0, option.fontMetrics.height(), 0, 0),
                              Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap, index.data(summary_role).toString());
        }

    private:
        ThemeSource& m_themes;
    };

    // all of them are seen
    void fitHeight() {
        int height = 2 * frameWidth();
        for (int row = 0; row < count(); ++row)
            height += sizeHintForRow(row);
        doItemsLayout();
        setFixedHeight(height);
    }

    std::vector<const session::ExportFormatInfo*> m_shown;
};

} // namespace hidet::ui
