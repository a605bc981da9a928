// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/live/stage_name.h"

#include <QStringList>

#include "app/ui/core/words.h"

namespace hidet::ui {

static const QString ir_key = session::info(session::Form::Ir).name, pass_prefix = ir_key + ':',
                     script_key = pass_prefix + QStringLiteral("script"), definition_key = QStringLiteral("definition");

StageName StageName::afterPass(const QString& pass, int occurrence) {
    StageName out(Kind::Pass);
    out.m_pass = pass;
    out.m_occurrence = occurrence;
    return out;
}

StageName StageName::ofKey(const QString& key) {
    if (key == ir_key)
        return lowered();
    if (key == script_key)
        return ofScript();
    if (key == definition_key)
        return definition();
    if (key.startsWith(pass_prefix)) {
        const QString name = key.mid(pass_prefix.size());
        const qsizetype mark = name.indexOf('#');
        return mark < 0 ? afterPass(name) : afterPass(name.left(mark), name.mid(mark + 1).toInt());
    }
    const auto form = session::find_form(key.toStdString());
    return form ? StageName(*form) : StageName();
}

QString StageName::key() const {
    switch (m_kind) {
    case Kind::None: break;
    case Kind::Lowered: return ir_key;
    case Kind::Script: return script_key;
    case Kind::Definition: return definition_key;
    case Kind::Form: return session::info(m_form).name;
    case Kind::Pass:
        return pass_prefix + m_pass + (m_occurrence == 0 ? QString() : '#' + QString::number(m_occurrence));
    }
    return {};
}

QString StageName::word() const {
    const QString all = key();
    return all.startsWith(pass_prefix) ? all.mid(pass_prefix.size()) : all;
}

std::optional<session::Form> StageName::form() const {
    return m_kind == Kind::Form ? std::optional(m_form) : std::nullopt;
}

bool StageName::needsCompiler() const {
    return m_kind == Kind::Form && session::info(m_form).needs != session::Needs::Nothing;
}

bool StageName::isOf(session::Shown functions) const {
    return m_kind == Kind::Form && session::info(m_form).of == functions;
}

QList<StageName> generatedStages() {
    QList<StageName> out;
    for (const session::FormInfo& form : session::all_forms())
        if (form.content == session::Content::Text && form.of != session::Shown::All)
            out << form.form;
    return out;
}

Language languageOf(const StageName& stage) {
    static constexpr Language languages[] = {
#define HIDET_FORM(name, key, label, language, ...) Language::language,
#include "app/session/snapshot/forms.def"
    };
    if (const auto form = stage.form())
        return languages[static_cast<std::size_t>(*form)];
    return stage.isIr() || stage.isDefinition() ? Language::Ir : Language::Plain;
}

QString titleOf(const StageName& stage) {
    if (const auto form = stage.form())
        return session::info(*form).label;
    if (stage.isDefinition())
        return tr("Definition");
    if (stage.isLowered())
        return tr("IR");
    if (stage.isScript())
        return tr("IR of the script");
    return stage.occurrence() == 0 ? tr("IR after %1").arg(stage.pass())
                                   : tr("IR after %1 (%2)").arg(stage.pass()).arg(stage.occurrence());
}

QString fileNameOf(const QString& base, const StageName& stage) {
    if (const auto form = stage.form())
        return base + '.' + session::info(*form).ending;
    if (stage.isDefinition())
        return base + QStringLiteral(".txt");
    const QString pass = stage.isLowered() ? QString() : '.' + stage.word().replace('#', '-');
    return base + pass + '.' + session::info(session::Form::Ir).ending;
}

StageName nameOfPass(const std::vector<session::PassSnapshot>& passes, int number) {
    if (number == 0)
        return StageName::ofScript();
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
    return StageName::afterPass(QString::fromStdString(name), occurrence == all ? 0 : occurrence);
}

int passNumber(const std::vector<session::PassSnapshot>& passes, const StageName& stage) {
    if (stage.isLowered())
        return session::Stage::last_pass;
    if (!stage.isIr() || passes.empty())
        return -1;
    if (stage.isScript())
        return 0;
    const std::string wanted = stage.pass().toStdString();
    int occurrence = 0, found = -1;
    for (const session::PassSnapshot& pass : passes) {
        if (pass.number == 0 || pass.name != wanted)
            continue;
        found = pass.number;
        if (++occurrence == stage.occurrence())
            break;
    }
    return found;
}

int shownPass(const std::vector<session::PassSnapshot>& passes, const StageName& stage) {
    if (stage.isLowered())
        return passes.empty() ? -1 : passes.back().number;
    return passNumber(passes, stage);
}

session::StageView viewOf(const session::StageBoard& board, session::ModuleId module, const StageName& stage) {
    if (const auto form = stage.form())
        return board.view(module, session::Stage::of_form(*form));
    if (stage.isLowered())
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
