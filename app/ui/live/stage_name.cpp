// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/live/stage_name.h"

#include <QCoreApplication>
#include <QStringList>

#include "app/ui/core/words.h"

namespace hidet::ui {

namespace {

struct PassName {
    std::string name;
    int occurrence = 0; // 0: the last
};

PassName split(const StageName& stage) {
    const QString name = stage.mid(3);
    const qsizetype mark = name.indexOf('#');
    if (mark < 0)
        return {name.toStdString(), 0};
    return {name.left(mark).toStdString(), name.mid(mark + 1).toInt()};
}

} // namespace

bool isIr(const StageName& stage) {
    return stage == "ir" || stage.startsWith("ir:");
}

std::optional<session::Form> formOf(const StageName& stage) {
    return isIr(stage) ? std::nullopt : session::find_form(stage.toStdString());
}

Language languageOf(const StageName& stage) {
    if (isIr(stage))
        return Language::Ir;
    if (stage == "cuda")
        return Language::Cuda;
    if (stage == "cpp")
        return Language::Cpp;
    if (stage == "ptx")
        return Language::Ptx;
    return stage == "sass" ? Language::Sass : Language::Plain;
}

QString titleOf(const StageName& stage) {
    if (stage == "ir")
        return tr("IR");
    if (stage == "ir:script")
        return tr("IR of the script");
    if (isIr(stage)) {
        const PassName pass = split(stage);
        const QString name = QString::fromStdString(pass.name);
        return pass.occurrence == 0 ? tr("IR after %1").arg(name)
                                    : tr("IR after %1 (%2)").arg(name).arg(pass.occurrence);
    }
    return stage == "cpp" ? QStringLiteral("C++") : stage.toUpper();
}

StageName nameOfPass(const std::vector<session::PassSnapshot>& passes, int number) {
    if (number == 0)
        return QStringLiteral("ir:script");
    std::string name;
    for (const session::PassSnapshot& pass : passes)
        if (pass.number == number)
            name = pass.name;
    int occurrence = 0, all = 0;
    for (const session::PassSnapshot& pass : passes)
        if (pass.number > 0 && pass.name == name) {
            ++all;
            occurrence += pass.number <= number;
        }
    const StageName stage = "ir:" + QString::fromStdString(name);
    return occurrence == all ? stage : stage + '#' + QString::number(occurrence);
}

int passNumber(const std::vector<session::PassSnapshot>& passes, const StageName& stage) {
    if (stage == "ir")
        return session::Stage::last_pass;
    if (!isIr(stage) || passes.empty())
        return -1;
    if (stage == "ir:script")
        return 0;
    const PassName wanted = split(stage);
    int occurrence = 0, found = -1;
    for (const session::PassSnapshot& pass : passes) {
        if (pass.number == 0 || pass.name != wanted.name)
            continue;
        found = pass.number;
        if (++occurrence == wanted.occurrence)
            break;
    }
    return found;
}

int shownPass(const std::vector<session::PassSnapshot>& passes, const StageName& stage) {
    if (stage == "ir")
        return passes.empty() ? -1 : passes.back().number;
    return passNumber(passes, stage);
}

session::StageView viewOf(const session::StageBoard& board, session::ModuleId module, const StageName& stage) {
    if (const auto form = formOf(stage))
        return board.view(module, session::Stage::of_form(*form));
    if (stage == "ir")
        return board.view(module, session::Stage::after_pass(session::Stage::last_pass));
    const int pass = passNumber(board.passes(module), stage);
    if (pass >= 0)
        return board.view(module, session::Stage::after_pass(pass));
    // Without passes the board says why there are none.
    session::StageView none = board.view(module, session::Stage::after_pass(session::Stage::last_pass));
    if (!board.passes(module).empty()) {
        none.text = nullptr;
        none.state = session::Freshness::Unavailable;
        none.reason = tr("no pass of this module has this name").toStdString();
    }
    return none;
}

QString moduleTitle(const session::ModuleSnapshot& module) {
    QStringList kernels;
    for (const session::FunctionSnapshot& function : module.functions)
        if (function.kind == "cuda_kernel" || function.kind == "cpu_kernel")
            kernels << QString::fromStdString(function.name);
    if (kernels.isEmpty() && !module.functions.empty())
        kernels << QString::fromStdString(module.functions.front().name);
    return kernels.isEmpty() ? tr("Module %1").arg(module.number) : kernels.join(", ");
}

session::ModuleId findModule(const session::StageBoard& board, const QString& function) {
    for (const session::BoardModule& module : board.modules())
        for (const session::FunctionSnapshot& known : module.snapshot->functions)
            if (QString::fromStdString(known.name) == function)
                return module.id;
    return 0;
}

} // namespace hidet::ui
