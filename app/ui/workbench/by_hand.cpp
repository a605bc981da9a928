// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/workbench/by_hand.h"

#include <QDir>
#include <QFileInfo>

#include "app/session/kernel_bench/kernel_bench.h"
#include "app/session/kernel_bench/run_texts.h"

namespace hidet::ui {

namespace {

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

Document* findScript(const Studio& studio, const session::EditedStage& head, const Document& document) {
    const QString name = QString::fromStdString(head.script), path = pathOf(name, document);
    for (Document* open : studio.documents())
        if (open->isScript() && (open->name() == name || (!path.isEmpty() && open->path() == path)))
            return open;
    return nullptr;
}

// What is generated now, if it can be compared.
void compareWithScript(Studio& studio, const Document& document, ByHand& out) {
    const LivePipeline& live = *studio.liveOf(*out.script);
    const QString arch = studio.settings.text(Setting::Arch);
    if (!out.head.arch.empty() && out.head.arch != arch.toStdString()) {
        out.unknown =
            StageHub::tr("it is for %1, and the panes are for %2").arg(QString::fromStdString(out.head.arch), arch);
        return;
    }
    const session::ModuleId id =
        findModule(live.board(), QString::fromStdString(out.head.kernels.empty() ? "" : out.head.kernels.front()));
    const session::BoardModule* module = live.board().module(id);
    if (!module || module->gone) {
        out.unknown = live.isSettled() ? StageHub::tr("the script does not build its kernel any more") : QString();
        return;
    }
    const session::StageView view = viewOf(live.board(), id, StageName(out.form));
    if (view.state != session::Freshness::Fresh || !view.text) {
        out.unknown = QString::fromStdString(view.reason);
        return;
    }
    out.module = module->snapshot;
    out.generated = view.text;
    const std::string text = document.text().toStdString();
    out.isDiverged = withoutLastLines(session::without_head(text)) != withoutLastLines(view.text->text);
    out.hasScriptChanged = !out.head.generated.empty() && session::hash_text(view.text->text) != out.head.generated;
}

} // namespace

QString ByHand::scriptTitle() const {
    return script ? script->title() : QFileInfo(QString::fromStdString(head.script)).fileName();
}

std::optional<ByHand> byHandOf(Studio& studio, const Document& document) {
    const auto form = document.byHand();
    if (!form)
        return std::nullopt;
    ByHand out;
    out.form = *form;
    out.head = session::edited_stage(document.text().toStdString(), form);
    if (!out.head.is_of_script())
        return out;
    out.script = findScript(studio, out.head, document);
    if (out.script)
        compareWithScript(studio, document, out);
    return out;
}

QByteArray begunAgain(const ByHand& text, const Document& document) {
    const std::string now = document.text().toStdString();
    std::string head = now.substr(0, now.size() - session::without_head(now).size());
    const std::string hash = session::hash_text(text.generated->text);
    if (const std::size_t at = text.head.generated.empty() ? std::string::npos : head.find(text.head.generated);
        at != std::string::npos)
        head.replace(at, text.head.generated.size(), hash);
    return QByteArray::fromStdString(head + text.generated->text);
}

void openScriptOf(Studio& studio, const ByHand& text, const Document& document) {
    const QString name = QString::fromStdString(text.head.script), path = pathOf(name, document);
    studio.openFile(path.isEmpty() ? name : path);
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
