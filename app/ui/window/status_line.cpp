// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/window/status_line.h"

#include <QStringList>

#include "app/ui/core/figures.h"
#include "app/ui/run/worker_button.h"
#include "app/ui/window/crumbs.h"
#include "app/ui/workbench/live_model.h"

namespace hidet::ui {

StatusLine::StatusLine(Studio& studio, QWidget* parent)
    : QStatusBar(parent), m_studio(studio), m_state(new QLabel(this)), m_latency(new QLabel(this)),
      m_caret(new QLabel(this)) {
    setSizeGripEnabled(false);
    setContentsMargins(6, 0, 6, 0); // with what the labels and Qt add, the text stands below that of the docks' tabs
    m_state->setAccessibleName(tr("State"));
    m_latency->setAccessibleName(tr("Time of each stage"));
    m_caret->setAccessibleName(tr("Caret"));
    m_latency->setObjectName("latency");
    for (QLabel* label : {m_state, m_latency, m_caret})
        label->setMargin(4);
    addWidget(m_state);
    addWidget(m_latency, 1);
    addPermanentWidget(new Crumbs(studio, this));
    addPermanentWidget(m_caret);
    addPermanentWidget(new WorkerButton(studio, this));
    connect(&studio, &Studio::liveUpdated, this, &StatusLine::refresh);
    connect(&studio, &Studio::modelAdded, this,
            [this](LiveModel* model) { connect(model, &LiveModel::stateChanged, this, &StatusLine::refresh); });
    connect(&studio, &Studio::currentChanged, this, &StatusLine::refresh);
    connect(&studio, &Studio::said, this, [this](const QString& sentence) { showMessage(sentence, 5000); });
    refresh();
}

void StatusLine::setCaret(int line, int column) {
    m_caret->setText(tr("Ln %1, Col %2").arg(line).arg(column));
}

void StatusLine::refresh() {
    const LivePipeline* live = m_studio.live();
    if (!live) {
        const LiveModel* model = m_studio.model();
        m_state->setText(!model              ? tr("no script is open")
                         : model->isBusy()   ? model->doing()
                         : model->isBroken() ? tr("cannot be read")
                                             : tr("ready"));
        m_latency->clear();
        m_caret->clear();
        return;
    }
    m_state->setText(live->isSettled() ? tr("ready") : tr("working"));
    if (!live->latest())
        return;
    const session::StageLatency& latency = live->latest()->latency;
    QStringList parts;
    auto add = [&](const QString& name, std::optional<double> ms) {
        if (ms)
            parts << name + ' ' + timeText(*ms * 1e-3);
    };
    add(titleOf(StageName::lowered()), latency.ir);
    for (const session::FormInfo& form : session::all_forms())
        add(form.label, latency.of(form.form));
    m_latency->setText(parts.join("   "));
}

} // namespace hidet::ui
