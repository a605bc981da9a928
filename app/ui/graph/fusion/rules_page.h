// SPDX-License-Identifier: GPL-3.0-only
// The passes and rules that a model goes through, how often each matched, and whether it runs: part of the choices.
#pragma once

#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QTreeWidget>
#include <algorithm>

#include "app/session/model/tune/what_if.h"
#include "app/ui/widgets/columns.h"
#include "app/ui/widgets/parts.h"
#include "app/ui/workbench/live_model.h"
#include "app/ui/workbench/studio.h"

namespace hidet::ui {

class RulesPage : public QWidget {
    Q_OBJECT
public:
    explicit RulesPage(Studio& studio, QWidget* parent = nullptr)
        : QWidget(parent), m_studio(studio),
          m_precision(named(new QComboBox(this), "fusion.precision", tr("Precision of the model"))),
          m_filter(newSearchField(this, "fusion.rules_filter", tr("Filter rules"), tr("Filter"))),
          m_list(named(new QTreeWidget(this), "fusion.rules", tr("Passes and rules"))) {
        m_precision->addItem(tr("As the model says"), QString());
        for (const char* dtype : {"float16", "bfloat16", "tf32", "float32"})
            m_precision->addItem(dtype, QString(dtype));
        m_filter->setMaximumWidth(200);
        m_list->setColumnCount(ColumnCount);
        m_list->setHeaderLabels({tr("Pass or rule"), tr("Matched"), tr("What it does")});
        m_list->headerItem()->setTextAlignment(Matches, Qt::AlignRight | Qt::AlignVCenter);
        makeTree(*m_list);
        m_list->header()->setSectionResizeMode(QHeaderView::Interactive);
        m_list->header()->setStretchLastSection(true);
        auto* label = new QLabel(tr("Precision"), this);
        label->setBuddy(m_precision);
        label->setProperty("muted", true);
        newColumn(this, {newRow({8, 4, 8, 4}, 8, {label, m_precision, {m_filter, 1}, stretched(0)}), {m_list, 1}});
        setFocusProxy(m_list);
        connect(m_precision, &QComboBox::activated, this, &RulesPage::choosePrecision);
        connect(m_filter, &QLineEdit::textChanged, this, &RulesPage::filter);
        connect(m_list, &QTreeWidget::itemChanged, this, [this](QTreeWidgetItem* item, int changed) {
            if (changed == Name)
                switchRow(*item);
        });
        studio.themes.follow(this, &RulesPage::applyTheme);
    }

    void show(LiveModel* model) {
        const session::SnapshotPtr snapshot = model ? model->graphs().snapshot() : nullptr;
        const QByteArray choices = model ? model->setup().choices() : QByteArray();
        const bool same = model == m_model && snapshot == m_shown.lock() && choices == m_choices && !m_items.empty();
        m_model = model;
        m_shown = snapshot;
        m_choices = choices;
        if (same)
            return;
        fill();
        const auto chosen = session::choice_about(choices.toStdString(), session::ModelChoice::precision({}, {}));
        m_precision->setCurrentIndex(
            std::max(0, m_precision->findData(chosen ? QString::fromStdString(chosen->what) : QString())));
        setEnabled(model);
    }

    using QWidget::show;

private:
    enum Column { Name, Matches, Summary, ColumnCount };
    void fill() {
        const QSignalBlocker quiet(m_list);
        std::vector<session::SwitchRow> rows = session::switch_rows(m_shown.lock().get(), m_choices.toStdString());
        const bool sameNames =
            std::equal(rows.begin(), rows.end(), m_rows.begin(), m_rows.end(),
                       [](const auto& a, const auto& b) { return a.name == b.name && a.pass == b.pass; });
        m_rows = std::move(rows);
        if (!sameNames || m_items.empty()) {
            m_list->clear();
            m_items.clear();
            QTreeWidgetItem* pass = nullptr;
            for (const session::SwitchRow& row : m_rows)
                addRow(row, pass);
            m_list->expandAll();
        }
        for (std::size_t i = 0; i < m_items.size(); ++i)
            showRow(*m_items[i], m_rows[i]);
        filter();
    }

    void addRow(const session::SwitchRow& row, QTreeWidgetItem*& pass) {
        auto* item = row.pass.empty() ? new QTreeWidgetItem(m_list) : new QTreeWidgetItem(pass);
        if (row.pass.empty())
            pass = item;
        item->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsUserCheckable);
        item->setTextAlignment(Matches, Qt::AlignRight | Qt::AlignVCenter);
        m_items.push_back(item);
    }

    void showRow(QTreeWidgetItem& item, const session::SwitchRow& row) {
        const Theme& theme = m_studio.themes.theme();
        const bool isChosen = row.is_on != row.is_on_by_default;
        item.setText(Name, QString::fromStdString(row.name));
        item.setCheckState(Name, row.is_on ? Qt::Checked : Qt::Unchecked);
        item.setText(Matches, row.matches ? QString::number(row.matches) : QString());
        const QString summary = QString::fromStdString(row.summary);
        item.setText(Summary,
                     isChosen ? (row.is_on ? tr("switched on: %1") : tr("switched off: %1")).arg(summary) : summary);
        item.setToolTip(Summary, item.text(Summary));
        item.setForeground(Name, row.is_on ? theme.text : theme.muted);
        item.setForeground(Summary, isChosen ? theme.accent : theme.muted);
    }

    void filter() {
        const QString words = m_filter->text();
        for (std::size_t i = 0; i < m_items.size(); ++i) {
            const QString text = QString::fromStdString(m_rows[i].name + ' ' + m_rows[i].summary);
            const bool fits = words.isEmpty() || text.contains(words, Qt::CaseInsensitive);
            m_items[i]->setHidden(!fits);
            if (fits && m_items[i]->parent())
                m_items[i]->parent()->setHidden(false);
        }
    }

    void switchRow(const QTreeWidgetItem& item) {
        const auto found = std::find(m_items.begin(), m_items.end(), &item);
        if (!m_model || found == m_items.end())
            return;
        const session::SwitchRow& row = m_rows[static_cast<std::size_t>(found - m_items.begin())];
        const bool on = item.checkState(Name) == Qt::Checked;
        if (on == row.is_on)
            return;
        const std::string after = session::with_switch(m_model->setup().choices().toStdString(), row, on);
        m_model->setup().choose(QByteArray::fromStdString(after),
                                (on ? tr("switch %1 on") : tr("switch %1 off")).arg(QString::fromStdString(row.name)));
    }

    void choosePrecision() {
        if (!m_model)
            return;
        const QString dtype = m_precision->currentData().toString();
        const std::string before = m_model->setup().choices().toStdString();
        const auto choice = session::ModelChoice::precision({}, dtype.toStdString());
        const std::string after =
            dtype.isEmpty() ? session::without_choice(before, choice) : session::with_choice(before, choice);
        m_model->setup().choose(QByteArray::fromStdString(after),
                                dtype.isEmpty() ? tr("compute as the model says") : tr("compute in %1").arg(dtype));
    }

    void applyTheme() {
        const QFont font = m_studio.themes.smallFont();
        m_list->setFont(font);
        const int digit = QFontMetrics(font).horizontalAdvance('0');
        resizeColumn(*m_list->header(), Name, 40 * digit);
        resizeColumn(*m_list->header(), Matches, 10 * digit);
        const QSignalBlocker quiet(m_list);
        for (std::size_t i = 0; i < m_items.size(); ++i)
            showRow(*m_items[i], m_rows[i]);
    }

    Studio& m_studio;
    QComboBox* m_precision;
    QLineEdit* m_filter;
    QTreeWidget* m_list;
    QPointer<LiveModel> m_model;
    std::weak_ptr<const session::ModelSnapshot> m_shown; // is not kept for this
    QByteArray m_choices;
    std::vector<session::SwitchRow> m_rows;
    std::vector<QTreeWidgetItem*> m_items; // of the rows
};

} // namespace hidet::ui
