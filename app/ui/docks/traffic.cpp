// SPDX-License-Identifier: GPL-3.0-only
// What a launch moves between the levels of memory, before anything runs, and beside it what Nsight Compute counted.
#include <QComboBox>
#include <QLabel>

#include "app/ui/charts/memory_picture.h"
#include "app/ui/core/words.h"
#include "app/ui/docks/docks.h"
#include "app/ui/live/cost_text.h"
#include "app/ui/widgets/elided_label.h"
#include "app/ui/workbench/dock_parts.h"
#include "app/ui/workbench/explanation_age.h"
#include "app/ui/workbench/lessons.h"
#include "app/ui/workbench/picture_saver.h"
#include "app/ui/workbench/profiles.h"

namespace hidet::ui {

namespace {

constexpr double bytes_of_sector = 32, bytes_of_shared_wavefront = 128, tolerable = 1.05;

class TrafficDock : public DockWidget {
public:
    explicit TrafficDock(Studio& studio)
        : m_studio(studio), m_pages(new QStackedWidget(this)), m_full(new QWidget(this)),
          m_kernels(new QComboBox(m_full)), m_said(new ElidedLabel(m_full)), m_learn(new LessonButton(studio, m_full)),
          m_picture(new MemoryPicture(studio.themes, m_full)), m_empty(new EmptyState(this)),
          m_age(new ExplanationAge(studio, this)),
          m_saver(new PictureSaver(
              studio, *this, [this] { return m_picture->hasPicture(); }, [this] { return m_picture->saved(); })) {
        setFocusProxy(m_picture);
        m_kernels->setObjectName("traffic.kernel");
        m_kernels->setAccessibleName(tr("Kernel"));
        m_kernels->setProperty("flat", true);
        m_kernels->setSizeAdjustPolicy(QComboBox::AdjustToContents);
        m_said->setObjectName("traffic.sentence");
        m_said->setProperty("muted", true);
        m_learn->setObjectName("traffic.learn");
        m_picture->setObjectName("traffic.picture");
        m_empty->setObjectName("traffic.empty");
        QVBoxLayout* column = newColumn(m_full);
        QHBoxLayout* bar = newBar();
        bar->addWidget(m_kernels);
        bar->addWidget(m_said, 1);
        bar->addWidget(m_learn);
        bar->addWidget(m_saver->newButton(m_full));
        column->addLayout(bar);
        column->addWidget(m_picture, 1);
        fillDock(*this, m_pages, m_empty, m_full);
        for (auto signal : {&Studio::explanationChanged, &Studio::currentChanged})
            connect(&studio, signal, this, &TrafficDock::refresh);
        connect(studio.profiles, &Profiles::changed, this, &TrafficDock::refresh);
        connect(m_kernels, &QComboBox::activated, this, [this] {
            m_kernel = m_kernels->currentText();
            refresh();
        });
        connect(m_age, &ExplanationAge::changed, this, [this](bool isStale) { m_picture->setStale(isStale); });
        refresh();
    }

private:
    void showEvent(QShowEvent* event) override {
        DockWidget::showEvent(event);
        refresh();
    }

    std::optional<session::CountedTraffic> countedOf(const std::string& name) const {
        const auto profile = m_studio.profiles->of(m_studio.current());
        if (!profile)
            return {};
        for (const session::ProfiledKernel& kernel : profile->kernels)
            if (kernel.name == name)
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

    void refresh() {
        if (!isVisible())
            return;
        const auto explained = m_age->explained();
        if (!explained || explained->kernels.empty())
            return sayEmpty();
        const std::size_t at = offerKernels(*m_kernels, *explained, m_kernel);
        const session::KernelExplained& kernel = explained->kernels[at];
        const auto counted = countedOf(kernel.name);
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
            return sayEmpty();
        m_pages->setCurrentWidget(m_full);
        m_age->look();
    }

    void sayEmpty() {
        m_pages->setCurrentWidget(m_empty);
        m_empty->say(tr("What a launch moves between the levels of memory"),
                     m_studio.current() ? tr("Appears here when a kernel of the script touches memory")
                                        : tr("Appears here when a script with kernels is open"));
    }

    Studio& m_studio;
    QStackedWidget* m_pages;
    QWidget* m_full;
    QComboBox* m_kernels;
    ElidedLabel* m_said;
    LessonButton* m_learn;
    MemoryPicture* m_picture;
    EmptyState* m_empty;
    ExplanationAge* m_age;
    PictureSaver* m_saver;
    QString m_kernel; // that was chosen
};

} // namespace

DockWidget* makeTrafficDock(Studio& studio) {
    return new TrafficDock(studio);
}

} // namespace hidet::ui
