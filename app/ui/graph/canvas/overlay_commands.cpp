// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/graph/canvas/overlay_commands.h"

#include <QActionGroup>

#include "app/ui/workbench/live_model.h"

namespace hidet::ui {

namespace {

// Calls `follow` whenever another model is in front, or another overlay on it.
class OverlayWatch : public QObject {
public:
    OverlayWatch(Studio& studio, QObject* parent, std::function<void()> follow)
        : QObject(parent), m_studio(studio), m_follow(std::move(follow)) {
        connect(&studio.tabs, &OpenTabs::currentChanged, this, [this] { attach(); });
        attach();
    }

private:
    void attach() {
        disconnect(m_connection);
        if (const LiveModel* model = m_studio.tabs.model())
            m_connection = connect(&model->display(), &GraphDisplay::overlayChanged, this, [this] { m_follow(); });
        m_follow();
    }

    Studio& m_studio;
    const std::function<void()> m_follow;
    QMetaObject::Connection m_connection;
};

} // namespace

void addOverlayCommands(Studio& studio, QObject& owner) {
    auto* group = new QActionGroup(&owner);
    QList<QAction*> actions;
    for (const session::OverlayInfo& info : session::all_overlays()) {
        QAction* action =
            studio.commands.add(QString("graph.overlay.%1").arg(info.id), "Graph/Overlay", OverlayBox::tr(info.title),
                                OverlayBox::tr(info.summary), {}, &owner, [&studio, kind = info.kind] {
                                    if (LiveModel* model = studio.tabs.model())
                                        model->display().setOverlay(kind);
                                });
        action->setCheckable(true);
        group->addAction(action);
        actions << action;
    }
    new OverlayWatch(studio, &owner, [&studio, actions] {
        const LiveModel* model = studio.tabs.model();
        for (qsizetype i = 0; i < actions.size(); ++i) {
            actions[i]->setEnabled(model);
            Commands::explain(actions[i], model ? QString() : OverlayBox::tr("no model is open"));
            if (model && model->display().overlay() == session::all_overlays()[std::size_t(i)].kind)
                actions[i]->setChecked(true);
        }
    });
}

OverlayBox::OverlayBox(LiveModel& model, QWidget* parent) : QComboBox(parent), m_model(model) {
    setAccessibleName(tr("What colours and the table show"));
    for (const session::OverlayInfo& info : session::all_overlays()) {
        addItem(tr(info.title));
        setItemData(count() - 1, tr(info.summary), Qt::ToolTipRole);
    }
    connect(this, &QComboBox::activated, this,
            [this](int row) { m_model.display().setOverlay(session::all_overlays()[std::size_t(row)].kind); });
    connect(&model.display(), &GraphDisplay::overlayChanged, this, &OverlayBox::follow);
    follow();
}

void OverlayBox::follow() {
    setCurrentIndex(static_cast<int>(m_model.display().overlay()));
    setToolTip(tr(session::info_of(m_model.display().overlay()).summary));
}

} // namespace hidet::ui
