// SPDX-License-Identifier: GPL-3.0-only
// The kernels of the model in front; a kernel that is chosen is marked in the graph.
#pragma once

#include <QTreeView>

#include "app/ui/workbench/live_model.h"
#include "app/ui/workbench/studio.h"

namespace hidet::ui {

class KernelTree; // of the file

class KernelsPage : public QTreeView {
    Q_OBJECT
public:
    explicit KernelsPage(Studio& studio, QWidget* parent = nullptr);
    void show(LiveModel* model); // its state now; null: none
    using QWidget::show;
    std::size_t count() const;
    void follow(); // the selection of the model

private:
    void choose(const QModelIndex& index);
    void openMenu(const QPoint& at);
    void applyTheme();

    Studio& m_studio;
    KernelTree* m_tree;
    QPointer<LiveModel> m_model;
    std::weak_ptr<const session::ModelSnapshot> m_shown; // is not kept for this
    std::shared_ptr<const session::ModelBenchResult> m_bench;
    bool m_stale = false;
};

} // namespace hidet::ui
