// SPDX-License-Identifier: GPL-3.0-only
// The list of completions, with the documentation of the chosen one beside it. It only shows: who fills it decides what is
// in it and what keys do.
#pragma once

#include <QAbstractListModel>
#include <QLabel>
#include <QListView>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QTextLayout>
#include <algorithm>

#include "app/session/live/assist.h"
#include "app/ui/editor/item_icons.h"
#include "app/ui/widgets/floating_panel.h"
#include "app/ui/widgets/parts.h"

namespace hidet::ui {

namespace assist = session::assist;

class CompletionModel : public QAbstractListModel {
    Q_OBJECT
public:
    using QAbstractListModel::QAbstractListModel;
    int rowCount(const QModelIndex& parent = {}) const override {
        return parent.isValid() ? 0 : static_cast<int>(m_items.size());
    }

    QVariant data(const QModelIndex& index, int role) const override {
        const assist::Completion& item = at(index.row());
        if (role == Qt::DisplayRole)
            return QString::fromStdString(item.label);
        if (role == Qt::AccessibleTextRole)
            return QString::fromStdString(item.label + ", " + assist::item_kind_name(item.kind) + ", " + item.detail);
        return {};
    }

    void set(std::vector<assist::Completion> items) {
        beginResetModel();
        m_items = std::move(items);
        endResetModel();
    }

    const session::assist::Completion& at(int row) const { return m_items[static_cast<std::size_t>(row)]; }

private:
    std::vector<session::assist::Completion> m_items;
};

class CompletionPopup : public FloatingPanel {
    Q_OBJECT
public:
    explicit CompletionPopup(CodeView& view) : FloatingPanel(view) {
        setObjectName("completions");
        setAccessibleName(tr("Completions"));
        m_list->setAccessibleName(tr("Completions"));
        m_list->setModel(&m_model);
        m_list->setItemDelegate(new RowPainter(m_model, view.themes(), this));
        m_list->setFocusPolicy(Qt::NoFocus);
        m_list->setUniformItemSizes(true);
        m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
        m_list->setFrameShape(QFrame::NoFrame);
        m_documentation->setWordWrap(true);
        m_documentation->setTextFormat(Qt::RichText);
        m_documentation->setAlignment(Qt::AlignTop | Qt::AlignLeft);
        m_documentation->setContentsMargins(popup_padding, popup_padding, popup_padding, popup_padding);
        m_documentation->setObjectName("completionDocumentation");
        newRow({1, 1, 1, 1}, 0, {m_list, m_documentation}, this);
        connect(m_list, &QListView::clicked, this, [this](const QModelIndex& index) {
            choose(index.row());
            emit accepted();
        });
    }

    // Best first; the first one is chosen, or the one that was chosen before when the user has moved to it.
    void show(std::vector<assist::Completion> items, ByteRange word) {
        const assist::Completion* before = chosen();
        const std::string kept = isVisible() && m_userChose && before ? before->label : std::string();
        m_model.set(std::move(items));
        m_userChose = false;
        int row = 0;
        bool documented = false;
        for (int i = 0; i < count(); ++i) {
            documented = documented || !m_model.at(i).documentation.empty();
            if (!kept.empty() && m_model.at(i).label == kept) {
                row = i;
                m_userChose = true;
            }
        }
        const int rowHeight = QFontMetrics(view().themes().codeFont()).height() + popup_padding;
        const int height = std::min(count(), popup_most_rows) * rowHeight;
        m_list->setFixedSize(list_width, height);
        m_documentation->setVisible(documented);
        m_documentation->setFixedSize(documentation_width, height);
        resize(list_width + (documented ? documentation_width : 0) + 2, height + 2);
        choose(row);
        placeAt(word, Prefer::Below);
        setVisible(true);
    }

    // null: nothing is shown
    const session::assist::Completion* chosen() const {
        const int row = m_list->currentIndex().row();
        return row >= 0 && row < count() ? &m_model.at(row) : nullptr;
    }

    // as a whole
    bool offers(const std::string& text) const {
        for (int row = 0; row < count(); ++row)
            if (m_model.at(row).insert == text)
                return true;
        return false;
    }

    bool userChose() const { return m_userChose; }
    int count() const { return m_model.rowCount(); }
    // around the ends
    void move(int rows) {
        if (count() == 0)
            return;
        m_userChose = true;
        choose((m_list->currentIndex().row() + rows + count()) % count());
    }

    void movePage(int direction) {
        if (count() == 0)
            return;
        m_userChose = true;
        choose(std::clamp(m_list->currentIndex().row() + direction * popup_most_rows, 0, count() - 1));
    }

signals:
    void accepted(); // by a click

private:
    static constexpr int popup_most_rows = 10;
    static constexpr int list_width = 400;
    static constexpr int documentation_width = 296;
    static constexpr int popup_padding = 8;
    // A row: what it is, its name with the letters that were typed, and its type at the right.
    class RowPainter : public QStyledItemDelegate {
    public:
        RowPainter(const CompletionModel& model, ThemeSource& themes, QObject* parent)
            : QStyledItemDelegate(parent), m_model(model), m_themes(themes) {}

        QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const override {
            return {list_width, QFontMetrics(m_themes.codeFont()).height() + popup_padding};
        }

        void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
            const Theme& theme = m_themes.theme();
            const assist::Completion& item = m_model.at(index.row());
            const bool chosen = option.state & QStyle::State_Selected;
            if (chosen)
                painter->fillRect(option.rect, theme.selection);
            QRect rect = option.rect.adjusted(popup_padding, 0, -popup_padding, 0);
            const int icon = 16;
            iconOf(item.kind, theme).paint(painter, QRect(rect.left(), rect.center().y() - icon / 2 + 1, icon, icon));
            rect.setLeft(rect.left() + icon + popup_padding);

            const QString label = QString::fromStdString(item.label);
            QTextLayout layout(label, m_themes.codeFont());
            QList<QTextLayout::FormatRange> formats;
            for (const assist::Range& match : item.matches) {
                QTextLayout::FormatRange range;
                range.start = static_cast<int>(QString::fromStdString(item.label.substr(0, match.begin)).size());
                range.length = static_cast<int>(
                    QString::fromStdString(item.label.substr(match.begin, match.end - match.begin)).size());
                range.format.setFontWeight(QFont::Bold);
                range.format.setForeground(theme.readable(theme.accent, chosen ? theme.selection : theme.raised));
                formats << range;
            }
            layout.setFormats(formats);
            layout.beginLayout();
            QTextLine line = layout.createLine();
            layout.endLayout();
            painter->save();
            painter->setClipRect(rect);
            painter->setPen(theme.text);
            layout.draw(painter, QPointF(rect.left(), rect.top() + (rect.height() - line.height()) / 2));
            painter->restore();

            rect.setLeft(rect.left() + static_cast<int>(line.naturalTextWidth()) + 2 * popup_padding);
            if (rect.width() < 3 * popup_padding)
                return;
            painter->setFont(m_themes.smallFont());
            painter->setPen(chosen ? theme.text : theme.muted);
            const QString detail = QString::fromStdString(item.detail).simplified();
            painter->drawText(rect, Qt::AlignRight | Qt::AlignVCenter,
                              painter->fontMetrics().elidedText(detail, Qt::ElideRight, rect.width()));
        }

    private:
        const CompletionModel& m_model;
        ThemeSource& m_themes;
    };

    void choose(int row) {
        m_list->setCurrentIndex(m_model.index(row));
        m_list->scrollTo(m_model.index(row));
        showDocumentation();
    }

    void showDocumentation() {
        const assist::Completion* item = chosen();
        if (!item)
            return m_documentation->clear();
        const QString kind = QString::fromUtf8(assist::item_kind_name(item->kind));
        const QString code = view().themes().codeFont().family();
        QString text =
            QString("<span style='font-family:\"%1\"'>%2</span><br><span style='color:%3'>%4</span>")
                .arg(code, QString::fromStdString(item->detail.empty() ? item->label : item->detail).toHtmlEscaped(),
                     theme().muted.name(), kind.toHtmlEscaped());
        if (!item->documentation.empty())
            text += "<p style='margin-top:8px'>" +
                    QString::fromStdString(item->documentation).toHtmlEscaped().replace('\n', "<br>") + "</p>";
        m_documentation->setText(text);
    }

    CompletionModel m_model;
    QListView* m_list = new QListView(this);
    QLabel* m_documentation = new QLabel(this);
    bool m_userChose = false;
};

} // namespace hidet::ui
