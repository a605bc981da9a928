// SPDX-License-Identifier: GPL-3.0-only
// Where a name is used, by file, each with its line: made anew by the command that finds them. Enter goes there.
#include <QLabel>
#include <QStackedWidget>
#include <QTreeWidget>

#include "app/ui/docks/docks.h"
#include "app/ui/widgets/columns.h"
#include "app/ui/widgets/empty_state.h"
#include "app/ui/widgets/hit_delegate.h"
#include "app/ui/widgets/parts.h"
#include "app/ui/workbench/found_uses.h"
#include "app/ui/workbench/studio.h"

namespace hidet::ui {

namespace {

class ReferencesDock : public DockWidget {
public:
    explicit ReferencesDock(Studio& studio) : m_studio(studio) {
        setNames("references", m_list, "list", m_said, "said");
        makeTree(*m_list, tr("Uses"), 12);
        m_list->setItemDelegate(new HitDelegate(studio.themes, m_list));
        m_said->setProperty("muted", true);
        m_said->setContentsMargins(12, 4, 8, 4);
        m_said->hide();
        m_empty->say(tr("Uses of a name will appear here"), {});
        m_empty->offer(studio.commands.action(Command::GoReferences), tr("Find the uses of the name at the caret"));
        m_stack->addWidget(m_empty);
        m_stack->addWidget(m_list);
        newColumn(this, {m_said, {m_stack, 1}});
        setFocusProxy(m_list);
        onChosen(*m_list, this, [this](QTreeWidgetItem* item) { show(item); });
        connect(&studio.requests, &ViewRequests::usesFound, this, &ReferencesDock::take);
        connect(&studio.themes, &ThemeSource::changed, m_list->viewport(), qOverload<>(&QWidget::update));
    }

private:
    void take(const FoundUses& found) {
        m_list->clear();
        m_uses.clear();
        for (const FileOfUses& file : found.files) {
            auto* group = new QTreeWidgetItem(m_list, {tr("%1  (%2)").arg(file.title).arg(file.uses.size())});
            group->setFlags(Qt::ItemIsEnabled);
            for (const FoundUse& use : file.uses)
                group->addChild(rowOf(use));
            group->setExpanded(true);
        }
        m_said->setText(tr("%1: %2 uses in %3 files").arg(found.name).arg(m_uses.size()).arg(found.files.size()));
        if (found.files.size() == 1)
            m_said->setText(tr("%1: %2 uses").arg(found.name).arg(m_uses.size()));
        m_said->setVisible(!m_uses.isEmpty());
        m_stack->setCurrentWidget(m_uses.isEmpty() ? static_cast<QWidget*>(m_empty) : m_list);
        setBadge(m_uses.isEmpty() ? QString() : QString::number(m_uses.size()));
        if (!m_uses.isEmpty())
            m_list->setCurrentItem(m_list->topLevelItem(0)->child(0));
    }

    QTreeWidgetItem* rowOf(const FoundUse& use) {
        auto* row = new QTreeWidgetItem({use.line});
        row->setData(0, HitRole, static_cast<qulonglong>(m_uses.size()));
        row->setData(0, HitBeginRole, use.begin);
        row->setData(0, HitEndRole, use.end);
        row->setData(0, NumberRole, QString::number(use.place.line));
        const QString what = use.isDefinition ? tr("defined in line %1: %2")
                             : use.isWrite    ? tr("assigned in line %1: %2")
                                              : tr("line %1: %2");
        row->setData(0, Qt::AccessibleTextRole, what.arg(use.place.line).arg(use.line));
        row->setToolTip(0, use.isDefinition ? tr("Defined here") : use.isWrite ? tr("Assigned here") : QString());
        m_uses << use;
        return row;
    }

    void show(QTreeWidgetItem* item) {
        if (const QVariant index = item->data(0, HitRole); index.isValid())
            m_studio.requests.show(session::Place(m_uses[index.toLongLong()].place));
    }

    Studio& m_studio;
    QStackedWidget* m_stack = new QStackedWidget(this);
    EmptyState* m_empty = new EmptyState(this);
    QLabel* m_said = new QLabel(this);
    QTreeWidget* m_list = new QTreeWidget(this);
    QList<FoundUse> m_uses;
};

} // namespace

DockWidget* makeReferencesDock(Studio& studio) {
    return new ReferencesDock(studio);
}

} // namespace hidet::ui
