// SPDX-License-Identifier: GPL-3.0-only
// The base of docks about one kernel of the current script, as it is known before it runs: which kernel where there are several,
// from which text that is, and what is said while there is none. They follow the text while it is typed; while one is hidden
// nothing is computed for it.
#pragma once

#include <QComboBox>

#include "app/ui/workbench/dock_parts.h"
#include "app/ui/workbench/explanation_age.h"

namespace hidet::ui {

// The first of the module that the panes show, else of all. Nothing: the script has none.
std::optional<std::size_t> shownKernel(const session::Explained& explained, const LivePipeline* live);

// The same kernel in the baseline of the script in front.
struct BaselineKernel {
    std::shared_ptr<const session::Explained> explained; // null: none is pinned, or that had no such kernel
    std::size_t at = 0;
    const session::KernelExplained* kernel() const { return explained ? &explained->kernels[at] : nullptr; }
};
BaselineKernel baselineOf(const Studio& studio, const session::KernelExplained& kernel);

// What `make(source, kernel)` says of a kernel of known cost and of its baseline (null: there is none), on any thread.
template <class Make>
auto viewsOf(const session::KernelExplained& kernel, const session::ExplainedSource& source,
             const BaselineKernel& before, Make make) {
    using View = decltype(make(source, kernel));
    std::pair<std::shared_ptr<const View>, std::shared_ptr<const View>> out;
    out.first = std::make_shared<const View>(make(source, kernel));
    if (before.explained && before.kernel()->cost && before.explained->sources[before.at])
        out.second = std::make_shared<const View>(make(*before.explained->sources[before.at], *before.kernel()));
    return out;
}

class KernelDock : public DockWidget {
protected:
    // `name`: of the dock and its parts; `what`: it shows, said while it does not.
    KernelDock(Studio& studio, const QString& name, QString what);
    // After the parts have been made: fills the dock, and listens.
    void begin();

    using Source = std::shared_ptr<const session::ExplainedSource>;
    virtual void look(const session::KernelExplained& kernel, const Source& source) = 0; // of a known cost
    virtual void forget() {}
    virtual void fade(bool isStale) = 0; // what is shown is of a text that has changed since
    void refresh();
    void showFull(); // what look() has found
    void sayEmpty(const QString& why);
    void sayEmpty(const QString& what, const QString& why);

    Studio& m_studio;
    QWidget* m_full = new QWidget(this);
    QComboBox* m_kernels = newChoice(tr("Kernel"), m_full);

private:
    void shown() override { refresh(); }
    std::size_t offerKernels(const session::Explained& explained);

    QString m_what;
    QString m_chosen; // of the kernels
    QStackedWidget* m_pages = new QStackedWidget(this);
    EmptyState* m_empty = new EmptyState(this);
    ExplanationAge* m_age = new ExplanationAge(m_studio, this);
};

} // namespace hidet::ui
