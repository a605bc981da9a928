// SPDX-License-Identifier: GPL-3.0-only
// The printed graph before and after a pass, with what differs marked down to words; a line is the operator that it prints.
// The comparison is made on another thread, and a large graph is shown as far as a text widget is quick.
#pragma once

#include "app/session/model/compare/graph_diff.h"
#include "app/ui/core/latest_task.h"
#include "app/ui/panes/diff_view.h"
#include "app/ui/workbench/live_model.h"

namespace hidet::ui {

class GraphDiffView : public QWidget {
    Q_OBJECT
public:
    explicit GraphDiffView(Studio& studio, QWidget* parent = nullptr);

    void show(LiveModel* model); // the shown graph of the model against the one before it
    using QWidget::show;
    void follow(); // the selection of the model
    bool hasChanges() const { return m_diff->hasChanges(); }
    void step(int direction) { m_diff->step(direction); }
    void setChangedOnly(bool on) { m_changedOnly->setChecked(on); }
    bool isChangedOnly() const { return m_changedOnly->isChecked(); }
    void setInline(bool on);
    bool isInline() const { return m_diff->isInline(); }
    bool isSettled() const { return !m_job.busy(); }
    const DiffColumns& columns() const { return m_diff->columns(); }
    CodeView& leftView() { return m_diff->left(); }

private:
    using Graph = std::shared_ptr<const session::ModelGraph>;
    struct Asked {
        Graph before, after;
        bool changedOnly = true, isInline = true;
        friend bool operator==(const Asked&, const Asked&) = default;
    };
    struct Shown {
        DiffColumns columns;              // until the view has them
        std::vector<quint32> left, right; // nodes, by line of the columns
        int leftOut = 0;                  // lines that are too many
    };
    static std::optional<Shown> compared(const Asked& asked, const std::atomic<bool>& stopped);
    void build();
    void compare();
    void take(Shown shown);
    void explain(EmptyState& empty);
    int firstChange() const; // a line
    void select(const CodeView& view, int offset);
    std::vector<ByteRange> linesOf(const CodeView& view, quint32 node) const;

    Studio& m_studio;
    ElidedLabel* m_title;
    DiffView* m_diff;
    QToolButton* m_changedOnly;
    QPointer<LiveModel> m_model;
    Asked m_asked;
    Shown m_shown;
    LatestTask m_job; // last: its results arrive here
};

} // namespace hidet::ui
