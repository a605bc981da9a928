// SPDX-License-Identifier: Apache-2.0
#include "app/lsp/workspace.h"

#include <filesystem>
#include <thread>

#include "app/lsp/uri.h"
#include "app/session/live/findings.h"
#include "lang/base/text.h"

namespace hidet::lsp {

namespace {

// Typing goes on sooner than this: lowering waits, and what cannot be lowered in time is not waited for.
constexpr std::chrono::milliseconds typing_pause{200}, longest_wait{700};

std::string folder_of(const std::string& path) {
    return std::filesystem::path(path).parent_path().string();
}

// The codes are those of the manual: "hidetc manual uncoalesced".
Finding finding(const char* code, Severity severity, const session::Place& place, std::string message) {
    Finding out;
    out.diagnostic.id = code;
    out.diagnostic.severity = severity;
    out.diagnostic.place = place;
    out.diagnostic.message = std::move(message);
    return out;
}

Finding finding_of(const session::AccessView& view) {
    std::string message = cat(view.kind, view.tensor.empty() ? "" : cat(" of '", view.tensor, "'"), ": ", view.finding);
    if (!view.cure.empty())
        message += "\ncure: " + view.cure;
    Finding out =
        finding(view.memory == "shared" ? "bank-conflict" : "uncoalesced", Severity::Note, view.place, message);
    out.repair = view.fixes;
    return out;
}

// What the studio writes into the margin beside a line, as diagnostics: accesses that leave their tensors, that move more
// than they would have to, contracts that are broken. Of the places in `file`.
std::vector<Finding> findings_of(const session::Explained& explained, const std::string& file) {
    const session::LineFindings found = line_findings(explained, file);
    std::vector<Finding> out;
    for (const session::BoundsAccess* view : found.leaving)
        out.push_back(finding("out-of-bounds", Severity::Error, view->place, cat(view->kind, ": ", view->example)));
    for (const session::AccessView* view : found.costly)
        out.push_back(finding_of(*view));
    for (const session::ContractView* view : found.contracts)
        if (view->state == session::ContractState::Broken)
            out.push_back(finding("contract", Severity::Warning, view->place, cat(view->text, ": ", view->sentence)));
    return out;
}

} // namespace

OpenDocument::OpenDocument(std::string address, std::string content, std::function<void()> arrived)
    : uri(std::move(address)), path(path_of_uri(uri).empty() ? uri : path_of_uri(uri)),
      folder(folder_of(path_of_uri(uri))), text(std::move(content)) {
    session::LiveOptions options;
    options.listener = [slot = m_arrived,
                        arrived = std::move(arrived)](std::shared_ptr<const session::LiveSnapshot> snapshot) {
        {
            std::lock_guard lock(slot->mutex);
            slot->newest = std::move(snapshot);
        }
        arrived();
    };
    m_session = std::make_unique<session::LiveSession>(std::move(options));
}

// What is under way ends by itself; nobody waits for it.
OpenDocument::~OpenDocument() {
    std::thread([session = std::move(m_session)] { session->stop(); }).detach();
}

void OpenDocument::submit(std::chrono::milliseconds pause, std::shared_ptr<const assist::Buffers> buffers,
                          const Client& client) {
    session::LiveRequest request;
    request.revision = ++m_revision;
    request.pause = pause;
    request.source = {path, text.text(), folder, path.ends_with(".ir")};
    request.buffers = std::move(buffers);
    request.forms.clear();
    request.explains = client.wants_findings;
    m_submitted = Clock::now();
    m_complete = m_is_published = false;
    m_session->submit(std::move(request));
}

bool OpenDocument::take_arrived() {
    std::shared_ptr<const session::LiveSnapshot> snapshot;
    {
        std::lock_guard lock(m_arrived->mutex);
        snapshot = std::exchange(m_arrived->newest, nullptr);
    }
    if (!snapshot || snapshot->revision != m_revision)
        return false;
    if (snapshot->document) {
        m_answers = snapshot->document;
        m_answered = snapshot->revision;
    }
    if (snapshot->evaluated || snapshot->complete) {
        m_diagnostics = snapshot->diagnostics;
        m_findings = snapshot->explained ? findings_of(*snapshot->explained, path) : std::vector<Finding>();
        m_diagnosed = snapshot->revision;
        m_complete = snapshot->complete;
    }
    return true;
}

std::optional<Clock::time_point> OpenDocument::publish_at() const {
    if (m_diagnosed != m_revision || m_is_published)
        return std::nullopt;
    if (m_complete)
        return Clock::now();
    if (m_published == m_diagnosed)
        return std::nullopt; // the rest comes when it is complete
    return m_submitted + longest_wait;
}

OpenDocument& Workspace::open(const std::string& uri, std::string text) {
    m_buffers = nullptr;
    auto& document = m_documents[uri];
    document = std::make_unique<OpenDocument>(uri, std::move(text), m_arrived);
    document->submit(std::chrono::milliseconds(0), buffers(), client);
    if (!document->folder.empty())
        analyse_again(document->folder, document.get());
    return *document;
}

void Workspace::close(const std::string& uri) {
    auto found = m_documents.find(uri);
    if (found == m_documents.end())
        return;
    std::string folder = found->second->folder;
    m_documents.erase(found);
    m_buffers = nullptr;
    if (!folder.empty())
        analyse_again(folder, nullptr);
}

OpenDocument* Workspace::find(const std::string& uri) {
    auto found = m_documents.find(uri);
    return found == m_documents.end() ? nullptr : found->second.get();
}

OpenDocument* Workspace::find_path(const std::string& path) {
    for (const auto& [uri, document] : m_documents)
        if (document->path == path)
            return document.get();
    return nullptr;
}

void Workspace::changed(OpenDocument& document) {
    m_buffers = nullptr;
    document.text_changed();
    document.submit(typing_pause, buffers(), client);
    if (!document.folder.empty())
        analyse_again(document.folder, &document);
}

void Workspace::analyse_again(const std::string& folder, const OpenDocument* but) {
    for (const auto& [uri, document] : m_documents) {
        bool can_import = !document->folder.empty() && (folder + "/").starts_with(document->folder + "/");
        bool imports = !document->answers() || assist::imports_files(*document->answers());
        if (document.get() != but && can_import && imports)
            document->submit(typing_pause, buffers(), client);
    }
}

std::shared_ptr<const assist::Buffers> Workspace::buffers() {
    if (m_buffers)
        return m_buffers;
    auto made = std::make_shared<assist::Buffers>();
    for (const auto& [uri, document] : m_documents)
        if (!document->folder.empty())
            made->emplace(document->path, document->text.text());
    return m_buffers = std::move(made);
}

std::string Workspace::uri_of(const std::string& path) {
    if (OpenDocument* document = find_path(path))
        return document->uri;
    return uri_of_path(path);
}

IndexedText Workspace::text_of(const std::string& path) {
    if (OpenDocument* document = find_path(path))
        return document->text;
    return IndexedText(assist::text_of_file(path));
}

} // namespace hidet::lsp
