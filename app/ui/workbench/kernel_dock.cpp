// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/workbench/kernel_dock.h"

#include <algorithm>

#include "app/ui/live/cost_text.h"

namespace hidet::ui {

KernelDock::KernelDock(Studio& studio, const QString& name, QString what) : m_studio(studio), m_what(std::move(what)) {
    m_kernels->setObjectName(name + ".kernel");
    m_empty->setObjectName(name + ".empty");
}

void KernelDock::begin() {
    fillDock(*this, m_pages, m_empty, m_full);
    m_studio.scripts.follow({&LiveScripts::explanationChanged}, this, &KernelDock::refresh);
    connect(&m_studio.tabs, &OpenTabs::currentChanged, this, &KernelDock::refresh);
    connect(&m_studio.stages, &StageHub::baselineChanged, this, &KernelDock::refresh);
    connect(m_kernels, &QComboBox::activated, this, [this] {
        m_chosen = m_kernels->currentText();
        refresh();
    });
    connect(m_age, &ExplanationAge::changed, this, [this](bool isStale) { fade(isStale); });
}

void KernelDock::refresh() {
    if (!isVisible())
        return;
    const auto explained = m_age->explained();
    if (!explained || explained->kernels.empty())
        return sayEmpty(explained ? tr("This script has no kernel")
                                  : tr("Appears here when the kernels of the script have been looked at"));
    const std::size_t at = offerKernels(*explained);
    if (!explained->sources[at] || !explained->kernels[at].cost)
        return sayEmpty(tr("Nothing is known of the launch of this kernel"));
    look(explained->kernels[at], explained->sources[at]);
}

void KernelDock::showFull() {
    m_pages->setCurrentWidget(m_full);
    m_age->look();
}

void KernelDock::sayEmpty(const QString& why) {
    sayEmpty(m_what, m_studio.tabs.current() ? why : tr("Appears here when a script with kernels is open"));
}

void KernelDock::sayEmpty(const QString& what, const QString& why) {
    forget();
    m_pages->setCurrentWidget(m_empty);
    m_empty->say(what, why);
}

// Which one: that was chosen, else the one in front.
std::size_t KernelDock::offerKernels(const session::Explained& explained) {
    std::optional<std::size_t> chosen;
    m_kernels->clear();
    for (std::size_t i = 0; i < explained.kernels.size(); ++i) {
        const QString name = kernelName(explained, i);
        m_kernels->addItem(name);
        if (name == m_chosen)
            chosen = i;
    }
    const std::size_t at = chosen ? *chosen : shownKernel(explained, m_studio.scripts.live()).value_or(0);
    m_kernels->setCurrentIndex(int(at));
    m_kernels->setVisible(m_kernels->count() > 1);
    return at;
}

BaselineKernel baselineOf(const Studio& studio, const session::KernelExplained& kernel) {
    const Baseline* pinned = studio.stages.baseline(studio.tabs.current());
    if (!pinned || !pinned->explained)
        return {};
    const auto& all = pinned->explained->kernels;
    const auto found = std::ranges::find_if(all, [&](const session::KernelExplained& each) {
        return each.name == kernel.name && each.module == kernel.module;
    });
    return found == all.end() ? BaselineKernel() : BaselineKernel{pinned->explained, std::size_t(found - all.begin())};
}

std::optional<std::size_t> shownKernel(const session::Explained& explained, const LivePipeline* live) {
    if (explained.kernels.empty())
        return std::nullopt;
    const session::BoardModule* shown = live ? live->board().module(live->module()) : nullptr;
    for (std::size_t i = 0; shown && i < explained.kernels.size(); ++i)
        if (shown->snapshot->number == explained.kernels[i].module)
            return i;
    return 0;
}

} // namespace hidet::ui
