// SPDX-License-Identifier: GPL-3.0-only
// The notices above the scripts, newest last, each a line with its buttons. What is only said and offers nothing goes away
// with the next of its kind.
#pragma once

#include <QLabel>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>
#include <QWidget>
#include <vector>

#include "app/ui/core/icons.h"
#include "app/ui/core/words.h"
#include "app/ui/widgets/parts.h"
#include "app/ui/workbench/studio.h"

class QVBoxLayout;

namespace hidet::ui {

class NoticeBar : public QWidget {
    Q_OBJECT
public:
    NoticeBar(Studio& studio, QWidget* parent = nullptr)
        : QWidget(parent), m_studio(studio), m_column(new QVBoxLayout(this)) {
        setObjectName("notices");
        setAccessibleName(tr("Notices"));
        m_column->setContentsMargins(0, 0, 0, 0);
        m_column->setSpacing(0);
        connect(&studio.notices, &Notices::noticed, this, &NoticeBar::add);
        connect(&studio.notices, &Notices::withdrawn, this,
                [this](const QString& id) { removeIf([&](const Notice& notice) { return notice.id == id; }); });
        connect(&studio.tabs, &OpenTabs::documentClosing, this, [this](Document* document) {
            removeIf([&](const Notice& notice) { return notice.about == document; });
        });
        connect(&studio.themes, &ThemeSource::changed, this, &NoticeBar::applyTheme);
        studio.commands.bind(
            Command::ViewDismiss, this, [this] { dismissAll(); }, [this] { return !m_rows.empty(); });
        hide();
    }

    // what is shown
    QStringList sentences() const {
        return listOf(m_rows, [](const Row& row) { return row.notice.sentence; });
    }

    // Takes an offer by its text, as its button does; false: nothing shown offers it.
    bool take(const QString& offer) {
        for (const Row& row : m_rows)
            for (auto* button : row.widget->findChildren<QPushButton*>())
                if (button->text() == offer) {
                    button->click();
                    return true;
                }
        return false;
    }

    void dismissAll() {
        removeIf([](const Notice&) { return true; });
        emit m_studio.requests.editorRequested();
    }

private:
    static constexpr std::size_t most_rows = 4; // older ones make room
    static QString iconOf(NoticeKind kind) {
        switch (kind) {
        case NoticeKind::Info: return "info";
        case NoticeKind::Warning: return "warning";
        case NoticeKind::Error: return "error";
        }
        return {};
    }

    static QColor colorOf(NoticeKind kind, const Theme& theme) {
        switch (kind) {
        case NoticeKind::Info: return theme.accent;
        case NoticeKind::Warning: return theme.warning;
        case NoticeKind::Error: return theme.error;
        }
        return {};
    }

    struct Row {
        Notice notice;
        QWidget* widget;
        QLabel* icon;
    };
    void add(const Notice& notice) {
        removeIf([&](const Notice& shown) {
            return shown.id.isEmpty() ? shown.offers.isEmpty() && notice.id.isEmpty() : shown.id == notice.id;
        });
        while (m_rows.size() >= most_rows)
            remove(0);
        QLabel* icon = nullptr;
        QWidget* widget = widgetOf(notice, icon);
        m_rows.push_back({notice, widget, icon});
        m_column->addWidget(widget);
        applyTheme();
        show();
        m_studio.commands.refresh();
    }

    void dismiss(QWidget* widget) {
        for (std::size_t i = 0; i < m_rows.size(); ++i)
            if (m_rows[i].widget == widget)
                remove(i);
        emit m_studio.requests.editorRequested();
    }

    void remove(std::size_t index) {
        m_rows[index].widget->hide();
        m_rows[index].widget->deleteLater();
        m_rows.erase(m_rows.begin() + static_cast<std::ptrdiff_t>(index));
        setVisible(!m_rows.empty());
        m_studio.commands.refresh();
    }

    void removeIf(const std::function<bool(const Notice&)>& condition) {
        for (std::size_t i = m_rows.size(); i-- > 0;)
            if (condition(m_rows[i].notice))
                remove(i);
    }

    QWidget* widgetOf(const Notice& notice, QLabel*& icon) {
        auto* widget = new QWidget(this);
        widget->setObjectName("notice");
        widget->setProperty("notice", true);
        widget->setAttribute(Qt::WA_StyledBackground);
        icon = new QLabel(widget);
        icon->setFixedSize(16, 16);
        auto* text = new QLabel(notice.sentence, widget);
        text->setTextFormat(Qt::PlainText);
        text->setWordWrap(true);
        text->setTextInteractionFlags(Qt::TextSelectableByMouse);
        auto* row = newRow({16, 4, 8, 4}, 8, {}, widget);
        row->addStrut(text->fontMetrics().height() + 10); // as high without buttons
        row->addWidget(icon);
        row->addWidget(text, 1);
        for (const Offer& offer : notice.offers) {
            auto* button = new QPushButton(offer.text, widget);
            button->setAutoDefault(false);
            connect(button, &QPushButton::clicked, this, [this, widget, act = offer.act] {
                dismiss(widget);
                act();
            });
            row->addWidget(button);
        }
        auto* close = new QToolButton(widget);
        close->setObjectName("dismiss");
        close->setAccessibleName(tr("Dismiss"));
        close->setToolTip(tr("Dismiss"));
        connect(close, &QToolButton::clicked, this, [this, widget] { dismiss(widget); });
        row->addWidget(close);
        return widget;
    }

    void applyTheme() {
        const Theme& theme = m_studio.themes.theme();
        for (const Row& row : m_rows) {
            const NoticeKind kind = row.notice.kind;
            row.icon->setPixmap(icon(iconOf(kind), colorOf(kind, theme)).pixmap(QSize(16, 16), devicePixelRatioF()));
            for (auto* close : row.widget->findChildren<QToolButton*>())
                close->setIcon(icon("close", theme.muted));
        }
    }

    Studio& m_studio;
    QVBoxLayout* m_column;
    std::vector<Row> m_rows;
};

} // namespace hidet::ui
