// SPDX-License-Identifier: GPL-3.0-only
// A model that is open in the window: its file, and the parts that all views of it share, each of which owns its state:
//
//     setup       what a person decided about it: choices with their undo, scripts, dimensions, inputs
//     graphs      its graph after every pass, as far as it is read, and which one is shown
//     selection   what is selected, hovered, marked; the way back and forward
//     display     grouping, open groups, overlay
//     results     what runs have said
//     marks       bookmarks and notes
//     numbers     the file of numbers that it is coloured by
//
// The graph that a script traces is a model as well: it is read again with every text of the script. Everything here is on the
// GUI thread; reading and the passes work on another one.
#pragma once

#include <memory>

#include <QObject>
#include <QPointer>

#include "app/session/model/model_history.h"
#include "app/ui/workbench/graph_display.h"
#include "app/ui/workbench/graph_selection.h"
#include "app/ui/workbench/model_graphs.h"
#include "app/ui/workbench/model_results.h"
#include "app/ui/workbench/model_setup.h"

namespace hidet::ui {

class Document;
struct Studio;
class GraphMarks;
class ModelNumbers;

class LiveModel : public QObject {
    Q_OBJECT
public:
    LiveModel(QString path, Studio& studio, QObject* parent);
    LiveModel(Document& script, Studio& studio, QObject* parent); // the graph that it traces

    const QString& path() const { return m_path; }
    QString title() const;      // "resnet50.onnx"
    QString folder() const;     // of its file
    Document* document() const; // the script that traces it; null: it is of a file
    // A run of before, shown as a model: its graph compiled as it was, with the times that it took. Its file is the store's.
    const std::shared_ptr<const session::ModelRecord>& kept() const { return m_kept; } // null: it is none
    void setKept(const session::ModelRecord& run);
    bool isGone() const { return m_gone; } // its file was there, and is not any more
    void setGone(bool gone);

    ModelSetup& setup() const { return *m_setup; }
    ModelGraphs& graphs() const { return *m_graphs; }
    GraphSelection& selection() const { return *m_selection; }
    GraphDisplay& display() const { return *m_display; }
    ModelResults& results() const { return *m_results; }
    GraphMarks& marks() const { return *m_marks; }
    ModelNumbers& numbers() const { return *m_numbers; }

    void unfollow(const QObject* listener); // it hears no more of the model and its parts

    // What every request on this model has in common: path, target, choices, scripts, dimensions, tools.
    session::ModelRequest request() const;

signals:
    void stateChanged(); // title, busy, behind, gone, where choices are kept

private:
    LiveModel(QString path, Document* script, Studio& studio, QObject* parent);
    void joinParts();
    void followScript(Document& script);
    void read();

    Studio& m_studio;
    QString m_path;
    QPointer<Document> m_document;
    std::shared_ptr<const session::ModelRecord> m_kept;
    bool m_isOfScript = false;
    bool m_gone = false;
    ModelSetup* const m_setup;
    ModelGraphs* const m_graphs;
    GraphSelection* const m_selection;
    GraphDisplay* const m_display;
    ModelResults* const m_results;
    GraphMarks* const m_marks;
    ModelNumbers* const m_numbers;
};

} // namespace hidet::ui
