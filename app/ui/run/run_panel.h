// SPDX-License-Identifier: GPL-3.0-only
// What runs, on what, and against what it is checked; beside it what the last run showed. Every value that is typed is kept
// for the function, can be undone, and is marked where it is wrong.
#pragma once

#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QSplitter>
#include <QStackedWidget>
#include <QTableView>

#include "app/ui/core/one_shot.h"
#include "app/ui/run/argument_model.h"
#include "app/ui/run/run_results.h"
#include "app/ui/widgets/parts.h"
#include "app/ui/workbench/dock.h"

namespace hidet::ui {

class RunPanel : public DockWidget {
    Q_OBJECT
public:
    explicit RunPanel(Studio& studio);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    QWidget* makeForm();
    QWidget* makeArguments();
    QLineEdit* line(QString RunPlan::*member, const QString& name, const QString& label, const QString& hint,
                    const QString& help);
    // A change of the plan by one of the fields.
    void change(const QString& field, const QString& what, const std::function<void(RunPlan&)>& how);
    void refresh();
    void showFunctions(const RunPlan& plan);
    void showReferences(const RunPlan& plan);
    void showSweep(const RunPlan& plan);
    void mark(QWidget* field, const QString& reason);
    void undo(bool forwards);

    Studio& m_studio;
    RunController& m_runs;
    QComboBox* m_function = new QComboBox(this);
    QComboBox* m_reference = new QComboBox(this);
    QComboBox* m_sweep = new QComboBox(this);
    QList<std::pair<QLineEdit*, QString RunPlan::*>> m_lines; // and what they say of the plan
    QLineEdit* m_values;
    QLineEdit* m_seed;
    QLineEdit* m_absolute;
    QLineEdit* m_relative;
    QLineEdit* m_calls;
    QCheckBox* m_measure = new QCheckBox(tr("Measure"), this);
    QLabel* m_target = new QLabel(this);
    QLabel* m_message = new QLabel(this);
    QStackedWidget* m_pages = new QStackedWidget(this);
    QLabel* m_empty = newHint(8, this);
    OneShot m_late{150, [this] { refresh(); }}; // where an evaluation takes longer than a blink
    ArgumentModel* m_model = new ArgumentModel(m_studio, this);
    QTableView* m_arguments = new QTableView(this);
    QSplitter* m_splitter = new QSplitter(Qt::Horizontal, this);
    RunResults* m_results = new RunResults(m_studio, this);
    bool m_refreshing = false;
};

} // namespace hidet::ui
