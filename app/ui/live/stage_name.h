// SPDX-License-Identifier: GPL-3.0-only
// Stages by name: which text is meant, whatever module it is of. Parts of the window tell each other of them; layouts and
// settings keep their keys:
//   "ir" after all passes, "ir:script" before any, "ir:simplify" after the last pass of that name, "ir:simplify#2" after
//   the second one; "cuda" and the other names of forms; "definition" of an operator of a model.
#pragma once

#include <optional>

#include <QList>
#include <QString>

#include "app/session/live/stage_board.h"
#include "app/ui/code/language.h"

namespace hidet::ui {

class LivePipeline;

class StageName {
public:
    StageName() = default; // none
    StageName(session::Form form) : m_kind(Kind::Form), m_form(form) {}
    static StageName lowered() { return StageName(Kind::Lowered); }
    static StageName ofScript() { return StageName(Kind::Script); }
    static StageName definition() { return StageName(Kind::Definition); }
    static StageName afterPass(const QString& pass, int occurrence = 0); // 0: the last of that name
    static StageName ofKey(const QString& key);                          // none, where it is no key
    QString key() const;
    QString word() const; // the same without what all IR has in common: "script", "simplify#2", "cuda"

    bool isEmpty() const { return m_kind == Kind::None; }
    bool isIr() const { return m_kind == Kind::Lowered || m_kind == Kind::Script || m_kind == Kind::Pass; }
    bool isLowered() const { return m_kind == Kind::Lowered; }
    bool isScript() const { return m_kind == Kind::Script; }
    bool isDefinition() const { return m_kind == Kind::Definition; }
    std::optional<session::Form> form() const;
    bool needsCompiler() const;                // a form that no part of this program makes
    bool isOf(session::Shown functions) const; // a form that shows these, and no others
    const QString& pass() const { return m_pass; }
    int occurrence() const { return m_occurrence; }

    friend bool operator==(const StageName&, const StageName&) = default;

private:
    enum class Kind : quint8 { None, Lowered, Script, Pass, Form, Definition };
    explicit StageName(Kind kind) : m_kind(kind) {}

    Kind m_kind = Kind::None;
    session::Form m_form{};
    QString m_pass;
    int m_occurrence = 0;
};

// What is generated from IR, and has a pane: in the order of the table.
QList<StageName> generatedStages();

QString titleOf(const StageName& stage); // "IR after simplify", "CUDA"
Language languageOf(const StageName& stage);
QString fileNameOf(const QString& base, const StageName& stage); // "matmul.simplify.ir", "matmul.cu"

// The name of the stage after a pass; the shortest that says which.
StageName nameOfPass(const std::vector<session::PassSnapshot>& passes, int number);
// -1: there is no such pass; last_pass after all of them.
int passNumber(const std::vector<session::PassSnapshot>& passes, const StageName& stage);
// The number of the pass that the stage is the text after. -1: none, or a form.
int shownPass(const std::vector<session::PassSnapshot>& passes, const StageName& stage);

// What the board knows of a stage; a reason where it knows none.
session::StageView viewOf(const session::StageBoard& board, session::ModuleId module, const StageName& stage);

// What a user calls a module: its kernels, or else its first function.
QString moduleTitle(const session::ModuleSnapshot& module);
// By the name of one of its functions; 0: none.
session::ModuleId findModule(const session::StageBoard& board, const QString& function);

} // namespace hidet::ui
