// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/live/live_pipeline.h"

#include <algorithm>
#include <tuple>
#include <vector>

#include "app/ui/core/dispose.h"
#include "app/ui/core/settings.h"
#include "app/ui/core/words.h"
#include "app/ui/document/document.h"
#include "app/ui/live/stage_name.h"

namespace hidet::ui {

namespace {

// What was known of the text before: as much as the script has modules, passes and facts.
struct Replaced {
    std::shared_ptr<const session::LiveSnapshot> arrived, latest;
    std::vector<session::BoardModule> modules;
    session::assist::DocumentRef answers;
    std::shared_ptr<const session::Explained> explained;
};

} // namespace

LivePipeline::LivePipeline(Document& document, Settings& settings, std::shared_ptr<session::Tools> tools,
                           QObject* parent)
    : QObject(parent), m_document(document), m_settings(settings) {
    session::LiveOptions options;
    options.tools = std::move(tools);
    options.threads = std::max(1, settings.number(Setting::CompileWorkers));
    options.listener = [this](std::shared_ptr<const session::LiveSnapshot> snapshot) {
        // Each snapshot holds what those before it held: of those that wait while the window is busy the last is enough.
        std::lock_guard lock(m_mutex);
        const bool posted = m_arrived != nullptr;
        m_arrived = std::move(snapshot);
        // The session stops before this object goes, and Qt drops events to objects that are gone.
        if (!posted)
            QMetaObject::invokeMethod(this, &LivePipeline::takeArrived, Qt::QueuedConnection);
    };
    m_session = std::make_unique<session::LiveSession>(std::move(options));
    connect(&document, &Document::textChanged, this, [this] { submit(pauseOfKey()); });
    settings.follow({Setting::Arch, Setting::Machine}, this, [this] { submitNow(); });
}

LivePipeline::~LivePipeline() {
    m_session->stop();
}

bool LivePipeline::isSettled() const {
    return latest() && latest()->revision == m_request && latest()->complete;
}

bool LivePipeline::answersAreCurrent() const {
    return m_answers && m_answered == m_document.text();
}

bool LivePipeline::explanationIsCurrent() const {
    return m_explained && m_explainedText == m_document.text();
}

// Of keys that follow one another, all but the first wait for the next one: what it begins is cancelled cheaply, and most keys
// are alone.
std::chrono::milliseconds LivePipeline::pauseOfKey() {
    const std::chrono::milliseconds pause(m_settings.number(Setting::DebounceMs));
    const bool follows = m_lastKey.isValid() && m_lastKey.elapsed() < pause.count();
    m_lastKey.start();
    return follows ? pause : std::chrono::milliseconds(0);
}

void LivePipeline::submitNow() {
    submit({});
}

session::Source sourceOf(const Document& document) {
    return {document.name().toStdString(), document.text().toStdString(), document.folder().toStdString(),
            document.isIr()};
}

void LivePipeline::submit(std::chrono::milliseconds pause) {
    session::LiveRequest request;
    request.revision = ++m_request;
    request.pause = pause;
    m_sent = m_document.text();
    request.source = sourceOf(m_document);
    request.calls = utf8Of(m_calls);
    request.arch = m_settings.text(Setting::Arch).toStdString();
    if (!request.source.is_ir) // else it is lowered, from where it was edited, as a script is
        request.source.by_hand = m_document.byHand();
    request.explains = !request.source.by_hand;
    request.explains_machine = m_settings.flag(Setting::Machine);
    request.forms.clear();
    for (const StageName& stage : generatedStages())
        request.forms.push_back(*stage.form());
    if (const session::BoardModule* module = m_board.module(m_module))
        for (const session::FunctionSnapshot& function : module->snapshot->functions)
            request.first_module.push_back(function.name);
    m_board.submitted(request);
    m_session->submit(std::move(request));
}

void LivePipeline::takeArrived() {
    std::unique_lock lock(m_mutex);
    auto snapshot = std::exchange(m_arrived, nullptr);
    lock.unlock();
    take(std::move(snapshot));
}

void LivePipeline::take(std::shared_ptr<const session::LiveSnapshot> snapshot) {
    auto replaced = std::make_shared<Replaced>(Replaced{nullptr, latest(), m_board.modules(), m_answers, m_explained});
    const bool newest = snapshot->revision == m_request;
    const bool answers = newest && snapshot->document != m_answers;
    if (answers) {
        m_answers = snapshot->document;
        m_answered = m_sent;
        m_hasValues = snapshot->evaluated;
    }
    // A text that was only read has no problems and modules yet: those of before are shown until it was evaluated.
    if (snapshot->evaluated || snapshot->complete)
        show(snapshot, newest);
    if (newest)
        takeExplanation(*snapshot);
    if (answers)
        emit analysed();
    replaced->arrived = std::move(snapshot); // it may have come too late
    disposeInBackground(std::move(replaced));
}

// Kernels of a script with mistakes may be missing: what was known of them stays.
void LivePipeline::takeExplanation(const session::LiveSnapshot& snapshot) {
    if (!snapshot.explained || snapshot.explained == m_explained || (snapshot.broken && m_explained))
        return;
    m_explained = snapshot.explained;
    m_explainedText = m_sent;
    emit explanationChanged();
}

void LivePipeline::show(std::shared_ptr<const session::LiveSnapshot> snapshot, bool newest) {
    const session::ModuleId before = module();
    if (!m_board.update(std::move(snapshot)))
        return;
    if (newest)
        m_evaluated = m_sent;
    updateHues();
    if (before != module())
        emit moduleChanged();
    emit updated();
}

void LivePipeline::updateHues() {
    const session::BoardModule* shown = m_board.module(module());
    if (!shown)
        return;
    const std::string file = m_document.name().toStdString();
    std::vector<bool> linked(static_cast<std::size_t>(m_evaluated.count('\n')) + 2);
    const session::TextSnapshot* last = nullptr; // passes that changed nothing share their text
    for (const session::PassSnapshot& pass : shown->snapshot->passes) {
        if (!pass.module || pass.module.get() == last)
            continue;
        last = pass.module.get();
        for (const session::OriginView& line : last->lines)
            if (const auto at = static_cast<std::size_t>(line.place.line);
                at > 0 && at < linked.size() && !linked[at] && line.place.file == file)
                linked[at] = true;
    }
    std::vector<int> lines;
    for (std::size_t line = 1; line < linked.size(); ++line)
        if (linked[line])
            lines.push_back(static_cast<int>(line));
    m_hues.update({m_evaluated.constData(), static_cast<std::size_t>(m_evaluated.size())}, lines);
    updateLinked(*shown->snapshot);
}

bool LivePipeline::areLinksCurrent() const {
    const session::BoardModule* shown = m_board.module(module());
    return !shown || !shown->gone;
}

// What the passes between do to a place is seen in the first text and in the last.
void LivePipeline::updateLinked(const session::ModuleSnapshot& shown) {
    std::vector<std::shared_ptr<const session::TextSnapshot>> texts;
    for (const session::PassSnapshot& pass : shown.passes)
        if (pass.module) {
            texts.resize(std::min<std::size_t>(texts.size(), 1));
            texts.push_back(pass.module);
        }
    if (const auto cuda = form_of(shown, session::Form::Cuda))
        texts.emplace_back(cuda, &cuda->text);
    if (texts == m_linkedTexts)
        return;
    m_linkedTexts = texts;
    m_linked.clear();
    const std::string file = m_document.name().toStdString();
    for (const auto& text : texts)
        for (const session::TokenView& token : text->tokens)
            if (const session::Place& place = token.origin.place; place.known() && place.file == file)
                m_linked.push_back(place);
    auto key = [](const session::Place& place) {
        return std::tie(place.line, place.column, place.end_line, place.end_column);
    };
    std::sort(m_linked.begin(), m_linked.end(), [&](const auto& a, const auto& b) { return key(a) < key(b); });
    const auto last =
        std::unique(m_linked.begin(), m_linked.end(), [&](const auto& a, const auto& b) { return key(a) == key(b); });
    m_linked.erase(last, m_linked.end());
}

const session::Place* LivePipeline::linkedAt(int line, int column) const {
    const std::pair at(line, column);
    auto width = [](const session::Place& place) {
        const int lines = place.end_line - place.line;
        return std::pair(lines, lines == 0 ? place.end_column - place.column : 0);
    };
    const session::Place* found = nullptr;
    for (const session::Place& place : m_linked) {
        if (std::pair(place.line, place.column) > at)
            break;
        if (std::pair(place.end_line, place.end_column) >= at && (!found || width(place) < width(*found)))
            found = &place;
    }
    return found;
}

void LivePipeline::setCalls(const QStringList& calls) {
    if (calls == m_calls)
        return;
    m_calls = calls;
    submitNow();
    emit callsChanged();
}

void LivePipeline::setModule(session::ModuleId module) {
    if (module == m_module)
        return;
    m_module = module;
    updateHues();
    emit moduleChanged();
    emit updated();
}

session::ModuleId LivePipeline::module() const {
    if (m_board.module(m_module))
        return m_module;
    return m_board.modules().empty() ? 0 : m_board.modules().front().id;
}

} // namespace hidet::ui
