// SPDX-License-Identifier: GPL-3.0-only
// What runs, on what, and against what it is checked; beside it what the last run showed. Every value that is typed is kept
// for the function, can be undone, and is marked where it is wrong.
#pragma once

#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QSplitter>
#include <QTableView>
#include <QToolButton>

#include "app/ui/run/argument_model.h"
#include "app/ui/run/run_results.h"
#include "app/ui/workbench/dock.h"

class QStackedWidget;

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
    QLineEdit* line(const QString& name, const QString& label, const QString& hint, const QString& help);
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
    QComboBox* m_function;
    QComboBox* m_reference;
    QComboBox* m_sweep;
    QLineEdit* m_values;
    QLineEdit* m_seed;
    QLineEdit* m_absolute;
    QLineEdit* m_relative;
    QLineEdit* m_calls;
    QCheckBox* m_measure;
    QLabel* m_target;
    QLabel* m_message;
    QStackedWidget* m_pages;
    QLabel* m_empty;
    ArgumentModel* m_model;
    QTableView* m_arguments;
    QSplitter* m_splitter;
    RunResults* m_results;
    bool m_refreshing = false;
};

} // namespace hidet::ui
