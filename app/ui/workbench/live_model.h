// SPDX-License-Identifier: GPL-3.0-only
// A model that is open in the window: its file, its graph after every pass, and what all views of it share: the graph that
// is shown, the selection, which groups are open, the overlay, choices with their undo, and what runs have said. The graph
// that a script traces is one as well: it is read again with every text of the script.
// Everything here is on the GUI thread; reading and the passes work on another one.
#pragma once

#include <memory>
#include <optional>

#include <QByteArray>
#include <QHash>
#include <QObject>
#include <QPointer>
#include <QSet>
#include <QUndoStack>

#include "app/session/model/compare/graph_match.h"
#include "app/session/model/model_history.h"
#include "app/session/model/view/model_view.h"
#include "app/session/model/view/overlay.h"
#include "app/ui/core/latest_task.h"
#include "app/ui/core/one_shot.h"
#include "app/ui/workbench/model_carry.h"

namespace hidet::ui {

class Document;
struct Studio;
class GraphMarks;
class ModelNumbers;

// What can be selected, the same in all graphs of a model and in all views.
struct GraphItem {
    enum class Kind { None, Node, Value, Edge, Group };
    Kind kind = Kind::None;
    quint32 node = session::no_id;  // Node; of an Edge the consumer
    quint32 value = session::no_id; // Value (inputs and outputs of the model have a box); Edge
    drawing::Key group = 0;         // Group

    static GraphItem ofNode(quint32 node) { return {Kind::Node, node, session::no_id, 0}; }
    static GraphItem ofValue(quint32 value) { return {Kind::Value, session::no_id, value, 0}; }
    static GraphItem ofEdge(quint32 value, quint32 consumer) { return {Kind::Edge, consumer, value, 0}; }
    static GraphItem ofGroup(drawing::Key group) { return {Kind::Group, session::no_id, session::no_id, group}; }
    explicit operator bool() const { return kind != Kind::None; }
    friend bool operator==(const GraphItem&, const GraphItem&) = default;
};

// The code of a model as it would be with another schedule of one operator.
struct PeekedCode {
    std::shared_ptr<const session::ModelCode> code;
    quint32 node = session::no_id; // the operator, of the graph that is run
    QString schedule;
};

class LiveModel : public QObject {
    Q_OBJECT
public:
    LiveModel(QString path, Studio& studio, QObject* parent);
    LiveModel(Document& script, Studio& studio, QObject* parent); // the graph that it traces
    ~LiveModel() override;

    const QString& path() const { return m_path; }
    QString title() const;      // "resnet50.onnx"
    Document* document() const; // the script that traces it; null: it is of a file
    // A run of before, shown as a model: its graph compiled as it was, with the times that it took. Its file is the store's.
    const std::shared_ptr<const session::ModelRecord>& kept() const { return m_kept; } // null: it is none
    void setKept(const session::ModelRecord& run);
    QString folder() const;                // of its file
    bool isGone() const { return m_gone; } // its file was there, and is not any more
    void setGone(bool gone);

    // --- the graph ---
    const session::SnapshotPtr& snapshot() const { return m_snapshot; } // null: still being read
    bool isBusy() const;                                                // a snapshot is on its way
    QString doing() const; // "reading", "optimising", "planning"; empty: nothing
    bool isBroken() const; // it could not be read; the snapshot's diagnostics say why
    // A script of the model has mistakes, which these diagnostics say: what is shown is as it was before. Null: no.
    const session::SnapshotPtr& failed() const { return m_failed; }
    // What is shown is of an older text of a script that is being edited.
    bool isBehind() const;
    QString whyBehind() const; // a sentence: the mistake that keeps it so; empty: it is on its way, or not behind
    void textEdited();         // of a script that it is made of: read again soon, and the newest text wins
    // Of the graphs that a script traces the one that is shown, from 1 on; 0: the last.
    int traced() const { return m_traced; }
    void setTraced(int number);
    // Files that it runs on, by the names of its inputs; random numbers for the others.
    const QMap<QString, QString>& inputs() const { return m_inputs; }
    void setInputs(const QMap<QString, QString>& files) { m_inputs = files; }
    // Of boxes, the same from text to text. Null: ids say it, as the file is not being edited.
    const std::shared_ptr<const BoxKeys>& boxKeys() const { return m_boxKeys; }
    void reload(); // reads the file again, keeping all that still has a meaning
    void stopReading();
    // Number of the shown graph in snapshot()->graphs; by default the last one.
    int shown() const;
    void setShown(int graph);                 // -1: the last one, also when it changes
    const session::ModelGraph* graph() const; // that is shown; null: none
    const session::ModelGraph* last() const;  // that is run; null: none

    // --- what views share ---
    const GraphItem& selected() const { return m_selected; }
    void select(const GraphItem& item, QObject* origin = nullptr); // noted for back and forward
    const GraphItem& hovered() const { return m_hovered; }
    void goTo(const GraphItem& item, QObject* origin = nullptr); // selects it, and brings it into view
    void hover(const GraphItem& item, QObject* origin = nullptr);
    void goBack();
    void goForward();
    bool canGoBack() const { return !m_before.isEmpty(); }
    bool canGoForward() const { return !m_after.isEmpty(); }
    GraphMarks& marks() const { return *m_marks; }       // bookmarks and notes
    ModelNumbers& numbers() const { return *m_numbers; } // of a file, to be coloured by

    const session::GroupingOptions& grouping() const { return m_grouping; }
    void setGrouping(const session::GroupingOptions& grouping);
    const QSet<drawing::Key>& open() const { return m_open; } // groups that show what is in them
    void setOpen(drawing::Key group, bool open);
    void setAllOpen(const QSet<drawing::Key>& groups);

    session::OverlayKind overlay() const { return m_overlay; }
    void setOverlay(session::OverlayKind kind);

    // What a comparison with another model says of nodes of the shown graph: in the place of the overlay while it is on.
    using Compared = QHash<quint32, session::PairState>;
    const std::optional<Compared>& compared() const { return m_compared; }
    void setCompared(std::optional<Compared> nodes); // overlayChanged()

    // In the place of the model's own code, until another operator is selected or the model is another.
    const std::optional<PeekedCode>& peeked() const { return m_peeked; }
    void peek(std::optional<PeekedCode> code);

    // Nodes that a search or a path marks; others are fainter. Nothing: none is marked.
    const std::optional<QSet<quint32>>& marked() const { return m_marked; }
    void mark(std::optional<QSet<quint32>> nodes);

    // --- choices ---
    const QByteArray& choices() const { return m_choices; } // the text of a choices file; empty: none
    // One step of undo, "Keep conv1 and relu1 apart"; the graph is optimised again with them.
    void choose(const QByteArray& choices, const QString& what);
    const QString& choicesPath() const { return m_choicesPath; } // where they are kept; empty: nowhere yet
    void setChoicesPath(const QString& path);
    bool hasUnsavedChoices() const;
    void choicesSaved();
    QUndoStack& undo() { return m_undo; }

    // Scripts with operators and rules, as --with.
    const QStringList& scripts() const { return m_scripts; }
    void setScripts(const QStringList& paths);
    // Values of dynamic dimensions, as --dim.
    const QHash<QString, qint64>& dimensions() const { return m_dimensions; }
    void setDimensions(const QHash<QString, qint64>& dimensions);

    // What every request on this model has in common: path, target, choices, scripts, dimensions, tools.
    session::ModelRequest request() const;
    // Grows with everything that makes an earlier result stale: file, choices, scripts, dimensions, target.
    quint64 revision() const { return m_revision; }

    // --- what runs have said; of an older revision they are stale ---
    const session::ModelFindings& findings() const { return m_findings; }
    bool isStale() const { return m_findingsRevision != m_revision; }
    void setBench(std::shared_ptr<const session::ModelBenchResult> result, quint64 revision);
    void setComparison(std::shared_ptr<const session::ModelRunResult> result, quint64 revision);
    void setNumbers(std::shared_ptr<const session::NumberFile> numbers); // what numbers() has read

    // Asks the canvas to bring the item into view, opening the groups around it.
    void reveal(const GraphItem& item);

signals:
    void snapshotChanged();
    void shownChanged(); // another graph, or the same one from a new snapshot
    void selectionChanged(QObject* origin);
    void hoverChanged(QObject* origin);
    void foldingChanged();
    void groupingChanged();
    void overlayChanged();
    void markedChanged();
    void peekChanged();
    void choicesChanged();
    void findingsChanged();
    void stateChanged(); // title, busy, gone
    void revealRequested(hidet::ui::GraphItem item);

private:
    class ChooseStep;
    struct Arrived {
        session::SnapshotPtr snapshot;
        ModelCarry carry;
    };
    void watchSettings();
    void submit();
    void take(session::SnapshotPtr snapshot, const ModelCarry& carry);
    bool isFollowed() const; // its scripts are being edited: what was shown stays until the new text has a graph
    void carry(const ModelCarry& carry);
    void setChoices(const QByteArray& choices);
    void outdate(); // what was asked for has changed
    bool exists(const GraphItem& item) const;
    void forgetFindings(quint64 revision); // those of another
    void setSelected(const GraphItem& item, QObject* origin);

    Studio& m_studio;
    QString m_path;
    QPointer<Document> m_document;
    std::shared_ptr<const session::ModelRecord> m_kept;
    bool m_isOfScript = false;
    bool m_isTyped = false; // since it was read
    bool m_gone = false;
    session::SnapshotPtr m_snapshot;
    session::SnapshotPtr m_failed;
    session::SnapshotPtr m_arriving; // of the newest request, as far as it is
    quint64 m_request = 0;
    int m_shown = -1;
    QMap<QString, QString> m_inputs;
    int m_traced = 0;
    std::shared_ptr<const BoxKeys> m_boxKeys;
    OneShot m_editing{0, [this] { outdate(); }}; // until somebody has stopped typing for a moment
    GraphItem m_selected, m_hovered;
    QList<GraphItem> m_before, m_after;
    session::GroupingOptions m_grouping;
    QSet<drawing::Key> m_open;
    session::OverlayKind m_overlay{};
    std::optional<Compared> m_compared;
    std::optional<QSet<quint32>> m_marked;
    std::optional<PeekedCode> m_peeked;
    QByteArray m_choices, m_savedChoices;
    QString m_choicesPath;
    QUndoStack m_undo;
    QStringList m_scripts;
    QHash<QString, qint64> m_dimensions;
    quint64 m_revision = 1, m_findingsRevision = 0;
    session::ModelFindings m_findings;
    GraphMarks* m_marks;
    ModelNumbers* m_numbers;
    LatestTask m_reading{LatestTask::Wanted::ByPerson}; // last: its results arrive here
};

} // namespace hidet::ui
