// SPDX-License-Identifier: GPL-3.0-only
// What a launch moves between the levels of memory, before anything runs, and beside it what Nsight Compute counted.
#include <QLabel>

#include "app/ui/charts/memory_picture.h"
#include "app/ui/core/words.h"
#include "app/ui/docks/docks.h"
#include "app/ui/widgets/elided_label.h"
#include "app/ui/workbench/kernel_dock.h"
#include "app/ui/workbench/lessons.h"
#include "app/ui/workbench/picture_saver.h"
#include "app/ui/workbench/profiles.h"

namespace hidet::ui {

namespace {

constexpr double bytes_of_sector = 32, bytes_of_shared_wavefront = 128, tolerable = 1.05;

class TrafficDock : public KernelDock {
public:
    explicit TrafficDock(Studio& studio)
        : KernelDock(studio, "traffic", tr("What a launch moves between the levels of memory")) {
        setFocusProxy(m_picture);
        setNames("traffic", m_said, "sentence", m_learn, "learn", m_picture, "picture");
        m_said->setProperty("muted", true);
        newColumn(m_full, {newBar({m_kernels, {m_said, 1}, m_learn, m_saver->newButton(m_full)}), {m_picture, 1}});
        connect(studio.profiles, &Profiles::changed, this, &TrafficDock::refresh);
        begin();
    }

private:
    std::optional<session::CountedTraffic> countedOf(const session::KernelExplained& of) const {
        const auto profile = m_studio.profiles->of(m_studio.tabs.current());
        if (!profile)
            return {};
        for (const session::ProfiledKernel& kernel : profile->kernels)
            if (kernel.name == of.name && kernel.module == of.module)
                return session::CountedTraffic{
                    kernel.dram_bytes, kernel.l2_bytes, static_cast<double>(kernel.sectors.count) * bytes_of_sector,
                    static_cast<double>(kernel.wavefronts.count) * bytes_of_shared_wavefront};
        return {};
    }

    // What is worst of what moves too much.
    static QString worstOf(const session::MemoryChart& chart) {
        QString out;
        for (const session::MemoryFlow& flow : chart.flows) {
            if (flow.from == session::MemoryLevel::Local)
                return "spill";
            if (flow.ratio > tolerable && flow.from == session::MemoryLevel::Second)
                out = "uncoalesced";
            if (flow.ratio > tolerable && flow.from == session::MemoryLevel::Shared && out.isEmpty())
                out = "bank-conflict";
        }
        return out;
    }

    void fade(bool isStale) override { m_picture->setStale(isStale); }

    void look(const session::KernelExplained& kernel, const Source&) override {
        const auto counted = countedOf(kernel);
        const session::MemoryChart chart = session::memory_chart(kernel, counted);
        QString said = tr("What a launch of %1 moves%2")
                           .arg(text(kernel.name), counted ? tr(", and what a GPU counted") : QString());
        if (!kernel.sizes.empty())
            said += tr(", at %1").arg(text(kernel.sizes));
        if (!chart.unknown.empty())
            said += "; " + text(chart.unknown);
        m_said->setText(said);
        m_picture->show(chart);
        m_learn->setLesson(worstOf(chart));
        if (chart.flows.empty())
            return sayEmpty(tr("Appears here when a kernel of the script touches memory"));
        showFull();
    }

    ElidedLabel* m_said = new ElidedLabel(m_full);
    LessonButton* m_learn = new LessonButton(m_studio, m_full);
    MemoryPicture* m_picture = new MemoryPicture(m_studio.themes, m_full);
    PictureSaver* m_saver = new PictureSaver(
        m_studio, *this, [this] { return m_picture->hasPicture(); }, [this] { return m_picture->saved(); });
};

} // namespace

DockWidget* makeTrafficDock(Studio& studio) {
    return new TrafficDock(studio);
}

} // namespace hidet::ui
