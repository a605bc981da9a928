// SPDX-License-Identifier: GPL-3.0-only
// What panes and docks tell each other of stages: which one the current pane shows, which one somebody would like to see,
// and texts that are kept from being replaced.
#pragma once

#include <map>

#include <QHash>
#include <QObject>

#include "app/session/kernel_bench/code_figures.h"
#include "app/session/live/explained.h"
#include "app/ui/live/stage_name.h"

namespace hidet::ui {

class Document;

// A module as it was: what "compare with the baseline" means.
struct BaselineModule {
    std::shared_ptr<const session::ModuleSnapshot> snapshot;
    std::map<session::Form, std::shared_ptr<const session::TextSnapshot>> forms;
    std::optional<session::CodeFigures> figures;                                     // nothing: not known
    std::shared_ptr<const session::TextSnapshot> text(const StageName& stage) const; // null: there was none
};
struct Baseline {
    quint64 revision = 0;
    QString label; // "as of 14:03:12"
    std::vector<BaselineModule> modules;
    std::shared_ptr<const session::Explained> explained;       // null: not known
    const BaselineModule* find(const QString& function) const; // the first without a name; null: none
};

// A pane's text that stays, with all that it takes to show it; kept here when layouts come and go.
struct PinnedText {
    session::StageView view;
    std::shared_ptr<const session::ModuleSnapshot> module;
    QString label;                                    // "matmul, as of 14:03:12"
    StageName stage = {};                             // that it is of; none: a script
    std::optional<session::CodeFigures> figures = {}; // nothing: not known
};

class StageHub : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;

    // Of the pane that last had the keyboard.
    const StageName& shown() const { return m_shown; }
    void setShown(const StageName& stage);
    // The IR stage that was shown last: what the list of passes follows.
    const StageName& shownIr() const { return m_shownIr; }

    // Asks for a pane that shows the stage, and a line of it (1-based; 0: none) with the bytes [begin, end).
    void show(const StageName& stage, int line = 0, int begin = 0, int end = 0) {
        emit stageRequested(stage, line, begin, end);
    }
    // Asks for a comparison of two sides, as DiffSide names them.
    void compare(const QString& left, const QString& right) { emit comparisonRequested(left, right); }
    // The same of a text that is kept, and of one that is open.
    void compareWithText(int number, const QString& title) { emit textComparisonRequested(number, title); }
    // Asks for a section of the analysis beside the script.
    void showFigure(const QString& section) { emit figureRequested(section); }
    void pinBaseline(const Document& document, Baseline baseline);
    const Baseline* baseline(const Document* document) const; // null: none
    void forget(const Document& document);

    int keep(PinnedText text);                  // its number; that of the same text with the same label
    const PinnedText* pinned(int number) const; // null: it is gone
    const std::map<int, PinnedText>& allPinned() const { return m_pinned; }
    void keepAs(int number, PinnedText text) { m_pinned[number] = std::move(text); } // of an earlier start

signals:
    void shownChanged();
    void stageRequested(StageName stage, int line, int begin, int end);
    void comparisonRequested(QString left, QString right);
    void textComparisonRequested(int number, QString title);
    void figureRequested(QString section);
    void baselineChanged();
    void filtersChanged();
    void passRequested(QString pass); // by name: somebody asks which one it is

private:
    StageName m_shown = StageName::lowered();
    StageName m_shownIr = StageName::lowered();
    std::map<const Document*, Baseline> m_baselines;
    std::map<int, PinnedText> m_pinned;
};

// Of everything that the board has fresh texts of, with what is said of their cost; null: nothing is.
Baseline baselineOf(const session::StageBoard& board, std::shared_ptr<const session::Explained> explained);

} // namespace hidet::ui
