// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/panes/pane_commands.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QSaveFile>

#include "app/session/request/edited_stage.h"
#include "app/ui/charts/saved_picture.h"
#include "app/ui/code/colored_copy.h"

namespace hidet::ui {

void copyAll(Pane& pane, Studio& studio) {
    CodeView& view = *pane.codeView();
    auto data = coloredCopy(view, {0, view.byteCount()});
    data->setText(QString::fromUtf8(pane.wholeText()));
    QGuiApplication::clipboard()->setMimeData(data.release());
    studio.notices.showStatus(StageArea::tr("Copied %1").arg(pane.title()));
}

static QList<Offer> saveElsewhere(Pane& pane, Studio& studio, void (*save)(Pane&, Studio&)) {
    return {{StageArea::tr("Save elsewhere"), [pane = QPointer<Pane>(&pane), &studio, save] {
                 if (pane)
                     save(*pane, studio);
             }}};
}

void saveText(Pane& pane, Studio& studio) {
    const QString path =
        studio.dialogs.save(&pane, StageArea::tr("Save stage"), pane.fileName(), StageArea::tr("All files (*)"));
    if (path.isEmpty())
        return;
    QSaveFile file(path);
    if (file.open(QIODevice::WriteOnly) && file.write(pane.madeBy() + pane.wholeText()) >= 0 && file.commit())
        studio.notices.showStatus(StageArea::tr("Saved %1").arg(path));
    else
        studio.notices.showError(StageArea::tr("%1 cannot be written: %2").arg(path, file.errorString()),
                                 saveElsewhere(pane, studio, saveText));
}

void savePicture(Pane& pane, Studio& studio) {
    const QString name = pane.fileName().section('.', 0, -2) + ".png";
    const QString path =
        studio.dialogs.save(&pane, StageArea::tr("Save picture"), name, StageArea::tr("Pictures (*.png *.svg)"));
    if (path.isEmpty())
        return;
    const QString error = writePicture(pictureOf(pane, {}), path);
    if (error.isEmpty())
        studio.notices.showStatus(StageArea::tr("Saved %1").arg(path));
    else
        studio.notices.showError(error, saveElsewhere(pane, studio, savePicture));
}

// What the pane is of. The pane itself shows it in an event of its own, which may come later.
static session::StageView viewNow(const StagePane& pane, const Studio& studio) {
    const LivePipeline* live = studio.scripts.live();
    return live ? viewOf(live->board(), live->module(), pane.stage()) : session::StageView();
}

// Why what the current pane shows cannot be gone on with by hand; empty: it can.
static QString whyNotEdited(const StageArea& area, Studio& studio) {
    const StagePane* pane = area.currentStage();
    const Document* script = studio.tabs.current();
    const StageName stage = pane ? pane->stage() : StageName();
    if (!stage.isIr() && stage != session::Form::Cuda && stage != session::Form::Ptx)
        return StageArea::tr("only IR, CUDA and PTX are edited");
    if (!script || !script->isScript())
        return StageArea::tr("this text is edited already");
    const session::StageView now = viewNow(*pane, studio);
    if (pane->isPinned() || !now.text || now.state != session::Freshness::Fresh)
        return StageArea::tr("the pane does not show what the script generates now");
    return {};
}

// "IR after simplify (pass 12)": the passes go on from there.
static std::string whatOf(const std::vector<session::PassSnapshot>& passes, const StageName& stage) {
    const int number = shownPass(passes, stage);
    for (const session::PassSnapshot& pass : passes)
        if (pass.number == number)
            return session::ir_after(pass.name, number);
    return session::ir_after({}, 0);
}

// A copy with its place in the script as a comment before it, in a tab of its own.
static void editStage(const StagePane& pane, Studio& studio) {
    const LivePipeline& live = *studio.scripts.live();
    std::optional<session::SavedStage> made = pane.savedStage();
    const session::BoardModule* module = live.board().module(live.module());
    if (!made || !module)
        return;
    for (const session::FunctionSnapshot& function : module->snapshot->functions)
        if (function.kind == "cuda_kernel")
            made->kernels.push_back(function.name);
    made->path = studio.tabs.current()->name().toStdString();
    made->text = studio.tabs.current()->text().toStdString();
    made->generated = viewNow(pane, studio).text->text;
    if (pane.stage().isIr()) {
        made->what = whatOf(live.board().passes(live.module()), pane.stage());
        made->temporaries = viewNow(pane, studio).text->temporaries;
        made->module = live.board().modules().size() > 1 ? module->snapshot->number : 0;
    }
    const session::Form form = pane.stage().form().value_or(session::Form::Ir);
    const std::string head = session::comment_of(*made, session::info(form).comment);
    studio.tabs.create(QByteArray::fromStdString(head + made->generated));
    emit studio.requests.editorRequested();
}

namespace {

void closeOthers(StageArea& area) {
    Pane* kept = area.current();
    PaneGroup* group = area.groupOf(kept);
    for (int i = group->count(); i-- > 0;)
        if (group->pane(i) != kept)
            area.close(group->pane(i));
}

void moveToNext(StageArea& area) {
    const QList<PaneGroup*> groups = area.groups();
    const qsizetype at = groups.indexOf(area.groupOf(area.current()));
    area.move(area.current(), groups[(at + 1) % groups.size()]);
}

constexpr const char* usual_other = "sm_80";

// A stage beside what it came from.
void compareCurrent(StageArea& area, Studio& studio) {
    const StageName stage = area.currentStage() ? area.currentStage()->stage() : studio.stages.shown();
    const StageName before = stage.isIr() ? StageName::ofScript() : StageName::lowered();
    area.compare({before}, {stage.isScript() ? StageName::lowered() : stage})->setFocus();
}

// The stage beside what it is for another GPU; which one, its title chooses.
void compareGpus(StageArea& area, Studio& studio) {
    const StageName stage = area.currentStage() ? area.currentStage()->stage() : studio.stages.shown();
    const QString here = studio.settings.text(Setting::Arch);
    area.compare(DiffSide::forArch(stage, {}, here == usual_other ? session::default_arch : usual_other), {stage})
        ->setFocus();
}

void bindComparisons(StageArea& area, Studio& studio) {
    Commands& commands = studio.commands;
    auto open = [&studio] { return studio.tabs.current() != nullptr; };
    auto comparison = [&area] { return qobject_cast<DiffPane*>(area.current()); };
    commands.bind(&area, open,
                  {{Command::PaneCompare, [&area, &studio] { compareCurrent(area, studio); }},
                   {Command::PaneCompareGpus, [&area, &studio] { compareGpus(area, studio); }},
                   {Command::PanePinBaseline, [&studio] {
                        studio.stages.pinBaseline(
                            *studio.tabs.current(),
                            baselineOf(studio.scripts.live()->board(), studio.scripts.live()->explained()));
                        studio.commands.refresh();
                        studio.notices.showStatus(StageArea::tr("This version is the baseline"));
                    }}});
    commands.bind(
        Command::PaneCompareBaseline, &area,
        [&area, &studio] {
            const StageName stage = area.currentStage() ? area.currentStage()->stage() : studio.stages.shown();
            area.compare({stage, {}, true}, {stage})->setFocus();
        },
        [&studio] { return studio.stages.baseline(studio.tabs.current()) != nullptr; });
    commands.bind(&area, comparison,
                  {{Command::PaneInline, [comparison] { comparison()->setInline(!comparison()->isInline()); }},
                   {Command::PaneNextChange, [comparison] { comparison()->step(1); }},
                   {Command::PanePreviousChange, [comparison] { comparison()->step(-1); }}});
}

void addFilters(StageArea& area, Studio& studio) {
    for (const session::FilterInfo& filter : session::all_filters()) {
        const QString form = session::info(filter.form).label;
        const QString title = StageArea::tr("%1: hide or show %2").arg(form, QString(filter.title).toLower());
        studio.commands.add(
            QString("pane.filter.") + filter.id, "Pane", title, filter.summary, {}, &area, [&studio, &filter] {
                const bool on = isFilterOn(studio.settings, filter);
                studio.settings.setExtra(QString("filters/") + filter.id, on ? QVariant() : QVariant(true));
                emit studio.stages.filtersChanged();
            });
    }
}

// What the chooser in a pane's header has; the list of passes has the other stages.
void addStages(StageArea& area, Studio& studio) {
    const QList<StageName> stages = QList<StageName>{StageName::lowered(), StageName::ofScript()} + generatedStages();
    for (const StageName& stage : stages)
        studio.commands.add("pane.stage." + stage.word(), "Pane/Stage", titleOf(stage),
                            StageArea::tr("Shows this stage in the pane: %1").arg(titleOf(stage)), {}, &area,
                            [&area, &studio, stage] {
                                if (studio.tabs.model())
                                    return studio.requests.showStage(stage);
                                StagePane* pane = area.currentStage() ? area.currentStage() : area.show(stage);
                                pane->setStage(stage);
                                studio.stages.setShown(stage);
                            });
}

} // namespace

void bindPaneCommands(StageArea& area, Studio& studio) {
    Commands& commands = studio.commands;
    auto some = [&area] { return area.current() != nullptr; };
    auto text = [&area] { return area.current() && area.current()->codeView(); };
    auto stage = [&area] { return area.currentStage() != nullptr; };
    commands.bind(Command::PaneNew, &area, [&area] { area.open(StageName::lowered().key())->setFocus(); });
    commands.bind(Command::PaneSplit, &area, [&area] { area.split(Qt::Horizontal)->setFocus(); });
    commands.bind(Command::PaneSplitDown, &area, [&area] { area.split(Qt::Vertical)->setFocus(); });
    commands.bind(&area, some,
                  {{Command::PaneDuplicate, [&area] { area.open(area.current()->state())->setFocus(); }},
                   {Command::PaneClose, [&area] { area.close(area.current()); }},
                   {Command::PanePicture, [&area, &studio] { savePicture(*area.current(), studio); }}});
    commands.bind(
        Command::PaneCloseOthers, &area, [&area] { closeOthers(area); },
        [&area] { return area.current() && area.groupOf(area.current())->count() > 1; });
    commands.bind(
        Command::PaneMove, &area, [&area] { moveToNext(area); },
        [&area] { return area.current() && area.groups().size() > 1; });
    commands.bind(&area, stage,
                  {{Command::PanePin, [&area] { area.currentStage()->setPinned(!area.currentStage()->isPinned()); }},
                   {Command::PaneExplain, [&area, &studio] {
                        StagePane* pane = area.currentStage();
                        if (!pane->explain(pane->view().caret()))
                            studio.notices.showStatus(StageArea::tr("There is nothing to say of this line"));
                    }}});
    commands.bind(
        Command::PaneEdit, &area, [&area, &studio] { editStage(*area.currentStage(), studio); },
        [&area, &studio, action = commands.action(Command::PaneEdit)] {
            const QString reason = whyNotEdited(area, studio);
            Commands::explain(action, reason);
            return reason.isEmpty();
        });
    commands.bind(&area, text,
                  {{Command::PaneCopyAll, [&area, &studio] { copyAll(*area.current(), studio); }},
                   {Command::PaneSaveText, [&area, &studio] { saveText(*area.current(), studio); }}});
    commands.bind(Command::PaneSyncScroll, &area, [&studio] {
        const bool on = studio.settings.flag(Setting::SyncScroll);
        studio.settings.set(Setting::SyncScroll, !on);
        studio.notices.showStatus(on ? StageArea::tr("Panes scroll one by one")
                                     : StageArea::tr("Panes scroll together"));
    });
    commands.bind(Command::PaneMachine, &area, [&area, &studio] {
        const bool on = studio.settings.flag(Setting::Machine);
        studio.settings.set(Setting::Machine, !on);
        if (!on && (!area.currentStage() || area.currentStage()->stage() != session::Form::Sass))
            studio.requests.showStage(session::Form::Sass);
        studio.notices.showStatus(on ? StageArea::tr("Machine code stands alone")
                                     : StageArea::tr("Machine code is explained beside it"));
    });
    bindComparisons(area, studio);
    addStages(area, studio);
    addFilters(area, studio);
}

} // namespace hidet::ui
