// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/window/status_line.h"

#include <algorithm>

#include <QStringList>

#include "app/ui/core/figures.h"
#include "app/ui/run/worker_button.h"
#include "app/ui/window/crumbs.h"
#include "app/ui/workbench/live_model.h"

namespace hidet::ui {

static constexpr auto separator = "   "; // of stages

// As wide as what it mostly says: its line, and the window, are not laid out again at every key.
static void say(ElidedLabel& label, const QString& text, const QString& usual) {
    label.ensurePolished();
    const QFontMetrics metrics = label.fontMetrics();
    label.setFixedWidth(std::max(metrics.horizontalAdvance(text), metrics.horizontalAdvance(usual)) +
                        2 * label.margin() + 2);
    label.setText(text);
}

StatusLine::StatusLine(Studio& studio, QWidget* parent) : QStatusBar(parent), m_studio(studio) {
    setSizeGripEnabled(false);
    setContentsMargins(6, 0, 6, 0); // with what the labels and Qt add, the text stands below that of the docks' tabs
    m_state->setAccessibleName(tr("State"));
    m_latency->setAccessibleName(tr("Time of each stage"));
    m_caret->setAccessibleName(tr("Caret"));
    m_latency->setObjectName("latency");
    for (ElidedLabel* label : {m_state, m_latency, m_caret})
        label->setMargin(4);
    for (ElidedLabel* label : {m_state, m_caret})
        label->setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Preferred);
    m_latency->setSeparator(separator);
    m_latency->setMinimumWidth(24); // beside names of long chains around the caret
    addWidget(m_state);
    addWidget(m_latency, 1);
    addPermanentWidget(new Crumbs(studio, this));
    addPermanentWidget(m_caret);
    addPermanentWidget(new WorkerButton(studio, this));
    studio.scripts.follow({&LiveScripts::liveUpdated}, this, &StatusLine::refresh);
    connect(&studio.tabs, &OpenTabs::modelAdded, this,
            [this](LiveModel* model) { connect(model, &LiveModel::stateChanged, this, &StatusLine::refresh); });
    connect(&studio.tabs, &OpenTabs::currentChanged, this, &StatusLine::refresh);
    connect(&studio.notices, &Notices::said, this, [this](const QString& sentence) { showMessage(sentence, 5000); });
    connect(&studio.notices, &Notices::unsaid, this, [this](const QString& sentence) {
        if (currentMessage() == sentence)
            clearMessage();
    });
    // Qt hides what a message is drawn over only where it is seen just then, and not in a window that is about to be shown.
    connect(this, &QStatusBar::messageChanged, this, [this](const QString& message) {
        for (ElidedLabel* label : {m_state, m_latency})
            label->setVisible(message.isEmpty());
    });
    refresh();
}

void StatusLine::setCaret(int line, int column) {
    const QString place = tr("Ln %1, Col %2");
    say(*m_caret, place.arg(line).arg(column), place.arg(9'999).arg(99));
}

void StatusLine::refresh() {
    const LivePipeline* live = m_studio.scripts.live();
    if (!live) {
        const LiveModel* model = m_studio.tabs.model();
        say(*m_state,
            !model                       ? tr("no script is open")
            : model->graphs().isBusy()   ? model->graphs().doing()
            : model->graphs().isBroken() ? tr("cannot be read")
                                         : tr("ready"),
            tr("working"));
        m_latency->setText({});
        say(*m_caret, {}, {});
        return;
    }
    say(*m_state, live->isSettled() ? tr("ready") : tr("working"), tr("working"));
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
    m_latency->setText(parts.join(separator));
}

} // namespace hidet::ui
