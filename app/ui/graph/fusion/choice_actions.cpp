// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/graph/fusion/choice_actions.h"

#include <algorithm>

#include <QFileInfo>
#include <QMenu>

#include "app/session/model/tune/what_if.h"
#include "app/ui/core/mnemonics.h"
#include "app/ui/core/words.h"
#include "app/ui/graph/fusion/choice_effects.h"
#include "app/ui/workbench/studio.h"

namespace hidet::ui {

namespace {

using session::ModelChoice;

// The same in tr() of a class that has one.
QString words(const ModelChoice& choice) {
    return QString::fromStdString(session::words_of(choice));
}

std::optional<ChoiceStep> stepTo(const LiveModel& model, const std::vector<ModelChoice>& choices, const QString& what) {
    std::string text = model.setup().choices().toStdString();
    for (const ModelChoice& choice : choices)
        text = session::with_choice(text, choice);
    if (choices.empty() || text == model.setup().choices().toStdString())
        return {};
    return ChoiceStep{QByteArray::fromStdString(text), what};
}

std::optional<ModelChoice> fusionOf(const LiveModel& model, const GraphItem& item, bool fuse) {
    if (item.kind != GraphItem::Kind::Edge || !model.graphs().snapshot())
        return {};
    return session::fusion_of_edge(*model.graphs().snapshot(), item.value, item.node, fuse);
}

std::optional<ChoiceStep> fusionStep(const LiveModel& model, const GraphItem& item, bool fuse) {
    const auto choice = fusionOf(model, item, fuse);
    return choice ? stepTo(model, {*choice}, words(*choice)) : std::nullopt;
}

std::vector<ModelChoice> againstRule(const LiveModel& model, const GraphItem& item) {
    if (item.kind != GraphItem::Kind::Node || model.graphs().shownNumber() < 0)
        return {};
    return session::choices_against_rule(*model.graphs().snapshot(),
                                         static_cast<std::size_t>(model.graphs().shownNumber()), item.node);
}

void bind(Studio& studio, QObject* owner, Command command,
          std::optional<ChoiceStep> (*step)(const LiveModel&, const GraphItem&)) {
    studio.commands.bind(
        command, owner,
        [&studio, step] {
            LiveModel& model = *studio.tabs.model();
            if (const auto found = step(model, model.selection().selected())) {
                model.setup().choose(found->choices, found->what);
                studio.notices.showStatus(capitalized(found->what));
            }
        },
        [&studio, step] {
            return studio.tabs.model() &&
                   step(*studio.tabs.model(), studio.tabs.model()->selection().selected()).has_value();
        });
}

// On another thread it is found out whether it can be done.
void fuse(Studio& studio, LiveModel& model, const GraphItem& edge, const QString& what) {
    studio.notices.withdraw("fuse");
    ChoiceEffects::of(model).fuse(edge, [&studio, what](const QString& reason) {
        studio.notices.notify({"fuse", NoticeKind::Warning, tr("Cannot %1: %2").arg(what, reason), {}, {}});
    });
}

void askForChoices(Studio& studio) {
    LiveModel& model = *studio.tabs.model();
    const QPointer<LiveModel> guarded(&model);
    const QString folder =
        model.setup().choicesPath().isEmpty() ? model.folder() : QFileInfo(model.setup().choicesPath()).absolutePath();
    const QStringList paths =
        studio.dialogs.open(nullptr, tr("Open choices"), folder, tr("Choices (*.json);;All files (*)"));
    if (!paths.isEmpty() && guarded)
        openChoices(studio, *guarded, paths.front());
}

void askWhereToSave(Studio& studio) {
    LiveModel& model = *studio.tabs.model();
    const QPointer<LiveModel> guarded(&model);
    const QFileInfo file(model.path());
    const QString usual = file.absolutePath() + '/' + file.completeBaseName() + ".choices.json";
    const QString path = studio.dialogs.save(
        nullptr, tr("Save choices"), model.setup().choicesPath().isEmpty() ? usual : model.setup().choicesPath(),
        tr("Choices (*.json);;All files (*)"));
    if (!path.isEmpty() && guarded)
        saveChoices(studio, *guarded, path);
}

void showError(Studio& studio, LiveModel& model, const QString& sentence, bool isOfOpening) {
    const QPointer<LiveModel> guarded(&model);
    const Offer another{isOfOpening ? tr("Open another file") : tr("Save elsewhere"), [&studio, guarded, isOfOpening] {
                            if (!guarded)
                                return;
                            studio.tabs.setCurrent(*guarded);
                            isOfOpening ? askForChoices(studio) : askWhereToSave(studio);
                        }};
    studio.notices.notify({"choices", NoticeKind::Error, sentence, {another}, {}});
}

} // namespace

std::optional<ChoiceStep> shareStep(const LiveModel& model, const GraphItem& item) {
    return fusionStep(model, item, true);
}

std::optional<ChoiceStep> apartStep(const LiveModel& model, const GraphItem& item) {
    return item.kind == GraphItem::Kind::Node ? withoutRuleStep(model, item) : fusionStep(model, item, false);
}

std::optional<ChoiceStep> apartStep(const LiveModel& model, const std::vector<quint32>& nodes) {
    const session::ModelGraph* last = model.graphs().last();
    std::vector<ModelChoice> choices;
    for (const quint32 id : nodes)
        if (const session::GraphNode* node = last ? last->node(id) : nullptr)
            for (const quint32 input : node->inputs) {
                const session::GraphValue* value = last->value(input);
                if (!value || std::find(nodes.begin(), nodes.end(), value->producer) == nodes.end())
                    continue;
                if (const auto choice = fusionOf(model, GraphItem::ofEdge(input, id), false))
                    choices.push_back(*choice);
            }
    return stepTo(model, choices, tr("don't fuse %1 operators").arg(nodes.size()));
}

std::optional<ChoiceStep> withoutRuleStep(const LiveModel& model, const GraphItem& item) {
    const std::vector<ModelChoice> choices = againstRule(model, item);
    if (choices.empty())
        return {};
    const QString rest = choices.size() == 1 ? QString() : tr(" and others");
    return stepTo(model, choices, words(choices.front()) + rest);
}

std::optional<ChoiceStep> precisionStep(const LiveModel& model, const GraphItem& item, const QString& dtype) {
    if (item.kind != GraphItem::Kind::Node || model.graphs().shownNumber() < 0)
        return {};
    const auto choices =
        session::precisions_of_node(*model.graphs().snapshot(), static_cast<std::size_t>(model.graphs().shownNumber()),
                                    item.node, dtype.toStdString());
    const session::GraphNode* node = model.graphs().shown()->node(item.node);
    if (choices.empty() || !node)
        return {};
    return stepTo(model, choices, tr("compute '%1' in %2").arg(QString::fromStdString(node->name), dtype));
}

std::optional<ChoiceStep> asUsualStep(const LiveModel& model, const GraphItem& item) {
    if (!model.graphs().snapshot() || model.setup().choices().isEmpty())
        return {};
    const std::string text = model.setup().choices().toStdString();
    std::vector<ModelChoice> choices;
    if (const auto fusion = fusionOf(model, item, true))
        choices = {*fusion};
    else if (item.kind == GraphItem::Kind::Node)
        choices = session::choices_about_node(*model.graphs().snapshot(), text, item.node);
    std::string after = text;
    for (const ModelChoice& choice : choices)
        after = session::without_choice(after, choice);
    if (after == session::text_of_choices(session::choices_in(text)))
        return {};
    return ChoiceStep{QByteArray::fromStdString(after), tr("automatic")};
}

QString ruleOf(const LiveModel& model, const GraphItem& item) {
    const std::vector<ModelChoice> choices = againstRule(model, item);
    return choices.empty() ? QString() : QString::fromStdString(choices.front().what);
}

void addChoiceActions(QMenu& menu, Studio& studio, LiveModel& model, const GraphItem& item) {
    bool isFirst = true;
    auto addAs = [&](const QString& text, const std::optional<ChoiceStep>& step, auto act) {
        if (!step)
            return;
        if (isFirst && !menu.isEmpty())
            menu.addSeparator();
        isFirst = false;
        menu.addAction(withoutMnemonics(text), &model, act);
    };
    auto add = [&](const QString& text, const std::optional<ChoiceStep>& step) {
        addAs(text, step, [&model, step] { model.setup().choose(step->choices, step->what); });
    };
    if (item.kind == GraphItem::Kind::Edge) {
        const auto share = shareStep(model, item);
        addAs(tr("Fuse"), share, [&studio, &model, item, share] { fuse(studio, model, item, share->what); });
        add(tr("Don't fuse"), apartStep(model, item));
    } else if (item.kind == GraphItem::Kind::Node) {
        add(tr("Do not apply %1 here").arg(ruleOf(model, item)), withoutRuleStep(model, item));
        for (const char* dtype : {"float16", "bfloat16", "tf32", "float32"})
            add(tr("Compute in %1").arg(dtype), precisionStep(model, item, dtype));
    }
    add(tr("Automatic"), asUsualStep(model, item));
}

void bindChoiceCommands(Studio& studio, QObject* owner) {
    studio.commands.bind(
        Command::GraphFuse, owner,
        [&studio] {
            LiveModel& model = *studio.tabs.model();
            if (const auto step = shareStep(model, model.selection().selected()))
                fuse(studio, model, model.selection().selected(), step->what);
        },
        [&studio] {
            return studio.tabs.model() && shareStep(*studio.tabs.model(), studio.tabs.model()->selection().selected());
        });
    bind(studio, owner, Command::GraphKeepApart, apartStep);
    bind(studio, owner, Command::GraphAsUsual, asUsualStep);
    const auto hasModel = [&studio] { return studio.tabs.model() && !studio.tabs.model()->graphs().isBroken(); };
    const auto hasChoices = [&studio] {
        return studio.tabs.model() && !studio.tabs.model()->setup().choices().isEmpty();
    };
    const auto canSave = [&studio, hasChoices] {
        return hasChoices() || (studio.tabs.model() && studio.tabs.model()->setup().hasUnsavedChoices());
    };
    const auto clear = [&studio] { studio.tabs.model()->setup().choose({}, tr("forget all choices")); };
    studio.commands.bind(owner, {{Command::ChoicesOpen, [&studio] { askForChoices(studio); }, hasModel},
                                 {Command::ChoicesSave, [&studio] { askWhereToSave(studio); }, canSave},
                                 {Command::ChoicesClear, clear, hasChoices}});
}

bool openChoices(Studio& studio, LiveModel& model, const QString& path) {
    FileError error;
    const auto read = readTextFile(path, error);
    if (!read) {
        showError(studio, model, error.message, true);
        return false;
    }
    const QString name = QFileInfo(path).fileName();
    const session::ChoicesFile file = session::read_choices_file(name.toStdString(), read->text.toStdString());
    if (file.mistake) {
        const session::Place& place = file.mistake->place;
        const QString where = place.known() ? tr(", line %1").arg(place.line) : QString();
        showError(studio, model,
                  tr("The choices are as they were%1: %2").arg(where, QString::fromStdString(file.mistake->message)),
                  true);
        return false;
    }
    studio.notices.withdraw("choices");
    model.setup().choose(QByteArray::fromStdString(file.text), tr("open %1").arg(name));
    model.setup().setChoicesPath(path);
    model.setup().choicesSaved();
    studio.notices.showStatus(tr("Decides as %1 says").arg(name));
    studio.commands.refresh();
    return true;
}

bool saveChoices(Studio& studio, LiveModel& model, const QString& path) {
    FileError error;
    // A file of no choices, so that whoever names it gets what the window shows.
    QByteArray text = model.setup().choices();
    if (text.isEmpty())
        text = "{\"format\": \"hidet-choices\", \"version\": 1\n}\n";
    if (!writeTextFile(path, {text, {}}, error)) {
        showError(studio, model, error.message, false);
        return false;
    }
    studio.notices.withdraw("choices");
    model.setup().setChoicesPath(path);
    model.setup().choicesSaved();
    studio.notices.showStatus(tr("Saved the choices as %1").arg(QFileInfo(path).fileName()));
    studio.commands.refresh();
    return true;
}

} // namespace hidet::ui
