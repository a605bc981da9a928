// SPDX-License-Identifier: Apache-2.0
#include "app/session/script/rehearsal.h"

#include <algorithm>
#include <chrono>
#include <exception>

#include "app/session/script/load.h"
#include "app/session/script/previewed_script.h"
#include "app/session/work/large_thread.h"
#include "app/session/work/work.h"
#include "lang/base/stack.h"
#include "lang/service/facts.h"

namespace hidet::session {

namespace {

using lang::ScriptFile;

std::atomic<Rehearser*> g_rehearser{nullptr};

// The stack that threads of one size have left differs by where they are: what is less by a step is never more.
constexpr std::size_t stack_step = 256u << 10, least_stack = 512u << 10, usual_stack = 8u << 20;

std::uint64_t stack_left() {
    const char* here = static_cast<const char*>(__builtin_frame_address(0));
    const char* end = stack_end();
    const std::size_t left = end && end < here ? static_cast<std::size_t>(here - end) : usual_stack;
    return std::clamp((left - std::min(left, stack_step / 4)) / stack_step * stack_step, least_stack, large_stack);
}

const std::string* text_in(const std::vector<std::pair<std::string, std::string>>& texts, const std::string& path) {
    const auto found = std::ranges::find(texts, path, &std::pair<std::string, std::string>::first);
    return found == texts.end() ? nullptr : &found->second;
}

// Keeps what it finds.
class FoundImports final : public lang::ImportFiles {
public:
    FoundImports(const RehearsalRequest& request, RehearsalResult& result) : m_request(request), m_result(result) {}
    ScriptFile read(const std::string& folder, const std::string& path) override {
        if (const std::string* text = text_in(m_request.texts, path))
            return {ScriptFile::State::Read, *text};
        ScriptFile file = ImportFiles::read(folder, path);
        m_result.files.push_back({path, file.state, file.text});
        return file;
    }
    bool is_folder(const std::string& path) override {
        const bool is_there = ImportFiles::is_folder(path);
        if (is_there)
            m_result.folders.push_back(path);
        return is_there;
    }

private:
    const RehearsalRequest& m_request;
    RehearsalResult& m_result;
};

// Tells now and then, as messages take time.
class StepTeller final : public lang::StepWatcher {
public:
    explicit StepTeller(const std::function<void(std::uint64_t)>& tell) : m_tell(tell) {}
    bool reached(std::uint64_t steps) override {
        if (Clock::now() - m_told < between_messages)
            return true;
        m_tell(steps);
        m_told = Clock::now();
        return true;
    }

private:
    using Clock = std::chrono::steady_clock;
    static constexpr std::chrono::microseconds between_messages{200};
    const std::function<void(std::uint64_t)>& m_tell;
    Clock::time_point m_told = Clock::now();
};

RehearsalRequest request_of(const SourceMap& sources, FileId file, const std::string& folder) {
    RehearsalRequest request;
    request.source = {sources.file(file).name(), sources.file(file).text(), folder};
    for (int i = 1; i <= sources.size(); ++i)
        if (const FileId id = static_cast<FileId>(i); id != file)
            request.texts.emplace_back(sources.file(id).name(), sources.file(id).text());
    request.stack_bytes = stack_left();
    return request;
}

// What the one read is what the other has.
bool is_of(const RehearsalResult& result, const SourceMap& sources) {
    for (int i = 1; i <= sources.size(); ++i) {
        const SourceFile& file = sources.file(static_cast<FileId>(i));
        const auto found = std::ranges::find(result.files, file.name(), &RehearsedImport::path);
        if (found != result.files.end() && (found->state != ScriptFile::State::Read || found->text != file.text()))
            return false;
    }
    return true;
}

// As a live session does it; without its other questions.
void evaluate(Work& work, const RehearsalRequest& request, StepTeller& teller, RehearsalResult& result) {
    const lang::ast::Module module = parse_script(work, request.source, request.calls);
    lang::service::FactRecorder recorder(module.file);
    PreviewOptions options;
    options.folder = request.source.folder;
    options.observer = &recorder;
    options.imports = std::make_shared<FoundImports>(request, result);
    options.watcher = &teller;
    evaluate_preview(work, module, std::move(options));
}

} // namespace

void set_rehearser(Rehearser* rehearser) {
    g_rehearser = rehearser;
}

std::unique_ptr<Rehearsal> begin_rehearsal(const Source& source, const std::vector<std::string>& calls,
                                           const std::map<std::string, std::string>* buffers) {
    Rehearser* rehearser = g_rehearser;
    if (!rehearser)
        return nullptr;
    RehearsalRequest request{source, calls, {}, stack_left()};
    if (buffers && !source.folder.empty())
        for (const auto& [path, text] : *buffers)
            if (path != source.name && path.starts_with(source.folder + "/"))
                request.texts.emplace_back(path, text);
    return rehearser->begin(std::move(request));
}

bool Rehearsal::goes_beyond(std::uint64_t, const std::atomic<bool>* cancelled) {
    return has_survived(wait(cancelled));
}

Rehearsed::Rehearsed(const SourceMap& sources, FileId file, const std::string& folder, std::unique_ptr<Rehearsal> begun,
                     const std::atomic<bool>* cancelled)
    : m_rehearser(g_rehearser), m_rehearsal(std::move(begun)), m_cancelled(cancelled) {
    if (!m_rehearser) {
        m_tried = Tried{};
        return;
    }
    if (!m_rehearsal)
        m_rehearsal = m_rehearser->begin(request_of(sources, file, folder));
    if (sources.size() == 1)
        return;
    if (wait().end == Tried::End::Survived && !is_of(m_tried->result, sources)) { // a file was changed in between
        m_tried.reset();
        m_rehearsal = m_rehearser->begin(request_of(sources, file, folder));
    }
}

bool Rehearsed::reached(std::uint64_t steps) {
    return m_tried ? has_survived(*m_tried) : m_rehearsal->goes_beyond(steps, m_cancelled);
}

// What has changed since it was found there is not seen.
ScriptFile Rehearsed::read(const std::string& folder, const std::string& path) {
    if (wait().end == Tried::End::Unwatched)
        return ImportFiles::read(folder, path);
    if (m_tried->end != Tried::End::Survived)
        return {};
    if (const std::string* text = text_in(m_rehearsal->request.texts, path))
        return {ScriptFile::State::Read, *text};
    const auto found = std::ranges::find(m_tried->result.files, path, &RehearsedImport::path);
    return found == m_tried->result.files.end() ? ScriptFile() : ScriptFile{found->state, found->text};
}

bool Rehearsed::is_folder(const std::string& path) {
    if (wait().end == Tried::End::Unwatched)
        return ImportFiles::is_folder(path);
    return std::ranges::find(m_tried->result.folders, path) != m_tried->result.folders.end();
}

const Tried& Rehearsed::wait() {
    if (!m_tried)
        m_tried = m_rehearsal->wait(m_cancelled);
    return *m_tried;
}

void Rehearsed::abandon(std::shared_ptr<void> made) {
    m_rehearsal->take_back();
    m_rehearser->keep(std::move(m_rehearsal), std::move(made));
}

RehearsalResult rehearse(const RehearsalRequest& request, const std::atomic<bool>* cancelled,
                         const std::function<void(std::uint64_t)>& tell) {
    RehearsalResult result;
    StepTeller teller(tell);
    Work work;
    work.cancelled = cancelled;
    const auto body = [&] {
        try {
            evaluate(work, request, teller, result);
        } catch (const std::bad_alloc&) {
            result.is_out_of_memory = true;
        } catch (const std::exception&) { // which whoever evaluates it next catches as well, and says
        }
    };
    LargeThread(body, std::clamp<std::size_t>(request.stack_bytes, least_stack, large_stack)); // has ended here
    result.is_out_of_memory |=
        std::ranges::any_of(work.sink.all(), [](const Diagnostic& each) { return each.id == DiagId::OutOfMemory; });
    return result;
}

} // namespace hidet::session
