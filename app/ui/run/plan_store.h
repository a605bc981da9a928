// SPDX-License-Identifier: GPL-3.0-only
// The run plans of documents: one for each function, and which function is chosen. Those of files are kept from start to
// start; every change is a step that can be undone.
#pragma once

#include <QHash>
#include <QObject>
#include <QUndoStack>

#include "app/ui/document/document.h"
#include "app/ui/run/run_plan.h"

namespace hidet::ui {

class PlanStore : public QObject {
    Q_OBJECT
public:
    explicit PlanStore(QString file, QObject* parent = nullptr);

    const RunPlan& plan(const Document& document) { return kept(document).plan; }
    // `field` names what was changed: changes of one field in a row are one step.
    void change(Document& document, const RunPlan& plan, const QString& field, const QString& what);
    // The plan that was made for the function before, or a plain one.
    void choose(Document& document, int module, const QString& function);
    QUndoStack& undoStack(const Document& document) { return *kept(document).undo; }
    // All plans of a document, to be kept with a window; empty: all is as the script has it.
    QJsonObject state(const Document& document);
    void restore(Document& document, const QJsonObject& state); // a step of undo
    void forget(const Document& document);                      // it is closed

signals:
    void changed(const hidet::ui::Document* document);

private:
    struct Kept {
        RunPlan plan;
        QHash<QString, RunPlan> others; // of functions that are not chosen, by key
        std::unique_ptr<QUndoStack> undo;
        quint64 used = 0;
    };
    class Step;
    Kept& kept(const Document& document);
    void set(const Document& document, const RunPlan& plan);
    void load();
    void save(const Document& document);

    QString m_file;
    bool m_isLoaded = false;
    QJsonObject m_saved; // by path
    std::unordered_map<const Document*, Kept> m_kept;
};

} // namespace hidet::ui
