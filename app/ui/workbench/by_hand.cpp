// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/workbench/by_hand.h"

#include <QDir>
#include <QFileInfo>

#include "app/session/kernel_bench/kernel_bench.h"
#include "app/session/kernel_bench/run_texts.h"

namespace hidet::ui {

namespace {

std::string_view textOf(const Document& document) {
    return {document.text().constData(), static_cast<std::size_t>(document.text().size())};
}

std::string_view withoutLastLines(std::string_view text) {
    while (text.ends_with('\n'))
        text.remove_suffix(1);
    return text;
}

// The path that the comment has, or a file of that name beside the copy.
QString pathOf(const QString& script, const Document& document) {
    if (QFileInfo(script).isAbsolute() && QFileInfo::exists(script))
        return script;
    const QFileInfo beside(QDir(document.folder()), QFileInfo(script).fileName());
    return !document.path().isEmpty() && beside.exists() ? beside.absoluteFilePath() : QString();
}

// By its name as the comment has it; else by its path, which asks the disk.
Document* findScript(const Studio& studio, const session::EditedStage& head, const Document& document) {
    const QString name = QString::fromStdString(head.script);
    for (Document* open : studio.tabs.documents())
        if (open->isScript() && open->name() == name)
            return open;
    const QString path = pathOf(name, document);
    for (Document* open : studio.tabs.documents())
        if (!path.isEmpty() && open->isScript() && open->path() == path)
            return open;
    return nullptr;
}

} // namespace

QString ByHand::scriptTitle() const {
    return script ? script->title() : QFileInfo(QString::fromStdString(head.script)).fileName();
}

QString ByHand::what() const {
    if (form != session::Form::Ir || head.passes == 0)
        return session::info(form).label;
    return StageHub::tr("IR after %1").arg(QString::fromStdString(head.pass));
}

std::optional<ByHand> byHandOf(const Studio& studio, const Document& document) {
    const auto form = document.byHand();
    if (!form)
        return std::nullopt;
    ByHand out;
    out.form = *form;
    out.head = session::edited_stage(textOf(document), form);
    if (out.head.is_of_script())
        out.script = findScript(studio, out.head, document);
    return out;
}

GeneratedNow generatedNow(Studio& studio, const ByHand& byHand) {
    GeneratedNow out;
    if (!byHand.script)
        return out;
    const LivePipeline& live = *studio.scripts.liveOf(*byHand.script);
    const session::EditedStage& head = byHand.head;
    const QString arch = studio.settings.text(Setting::Arch);
    if (!head.arch.empty() && head.arch != arch.toStdString()) {
        out.unknown =
            StageHub::tr("it is for %1, and the panes are for %2").arg(QString::fromStdString(head.arch), arch);
        return out;
    }
    const session::ModuleId id = findModule(live.board(), QString::fromStdString(head.kernels.front()));
    const session::BoardModule* module = live.board().module(id);
    if (!module || module->gone) {
        out.unknown = live.isSettled() ? StageHub::tr("the script does not build its kernel any more") : QString();
        return out;
    }
    out.stage = byHand.form == session::Form::Ir ? nameOfPass(live.board().passes(id), byHand.head.passes)
                                                 : StageName(byHand.form);
    session::StageView view = viewOf(live.board(), id, out.stage);
    if (view.state != session::Freshness::Fresh || !view.text) {
        out.unknown = QString::fromStdString(view.reason);
        return out;
    }
    out.module = module->snapshot;
    out.text = std::move(view.text);
    return out;
}

bool isDiverged(const Document& document, const session::TextSnapshot& generated) {
    return withoutLastLines(session::without_head(textOf(document))) != withoutLastLines(generated.text);
}

QByteArray begunAgain(const ByHand& byHand, const session::TextSnapshot& generated, const Document& document) {
    const std::string_view now = textOf(document);
    std::string head(now.substr(0, now.size() - session::without_head(now).size()));
    const std::string& began = byHand.head.generated;
    if (const std::size_t at = began.empty() ? std::string::npos : head.find(began); at != std::string::npos)
        head.replace(at, began.size(), hash_text(generated.text));
    return QByteArray::fromStdString(head + generated.text);
}

void openScriptOf(Studio& studio, const ByHand& text, const Document& document) {
    const QString name = QString::fromStdString(text.head.script), path = pathOf(name, document);
    studio.tabs.openFile(path.isEmpty() ? name : path);
}

QString registersOf(const LivePipeline& live) {
    const auto& latest = live.latest();
    const auto cubin = latest && !latest->modules.empty()
                           ? session::form_of(*latest->modules.front().snapshot, session::Form::Cubin)
                           : nullptr;
    QStringList out;
    for (const session::KernelFacts& facts : cubin ? cubin->kernels : std::vector<session::KernelFacts>())
        out << QString::fromStdString(facts.name + ": " + session::registers_text(facts));
    return out.join("; ");
}

} // namespace hidet::ui
