// SPDX-License-Identifier: Apache-2.0
// The messages that are no questions: the beginning and the end, and what happens to texts.
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <map>
#include <set>

#include <nlohmann/json.hpp>

#include "app/lsp/features/features.h"
#include "app/lsp/server.h"
#include "app/lsp/uri.h"
#include "lang/base/text.h"

#ifndef HIDET_VERSION
#define HIDET_VERSION "unknown"
#endif

namespace hidet::lsp {

namespace {

// What the server says of itself.
Json capabilities(const Client& client) {
    constexpr int incremental = 2;
    Json out = {{"positionEncoding", encoding_name(client.encoding)},
                {"textDocumentSync", {{"openClose", true}, {"change", incremental}}},
                {"semanticTokensProvider", {{"legend", token_legend()}, {"full", true}, {"range", true}}}};
    out["workspace"]["workspaceFolders"] = {{"supported", true}, {"changeNotifications", true}};
    for (const Feature& feature : features())
        if (*feature.capability)
            out[feature.capability] = Json::parse(feature.value);
    return out;
}

// Each change is of the text that the one before it made.
void apply(IndexedText& text, const Json& change, Encoding encoding) {
    std::string inserted = text_at(change, "/text");
    if (!find(change, "/range")) {
        text = IndexedText(std::move(inserted));
        return;
    }
    assist::Range range = Places{text, encoding}.range_at(change, "/range");
    text.replace(range.begin, range.end, inserted);
}

std::optional<std::int64_t> version_of(const Json& params) {
    const Json* version = find(params, "/textDocument/version");
    return version && version->is_number_integer() ? std::optional(version->get<std::int64_t>()) : std::nullopt;
}

// One that is not here when it is named is one of another machine: it says nothing about the client.
long process_that_is_here(long process) {
    bool is_missing = process <= 0 || (kill(static_cast<pid_t>(process), 0) != 0 && errno == ESRCH);
    return is_missing ? 0 : process;
}

} // namespace

void Server::notification(const std::string& method, const Json& message) {
    using Handler = void (Server::*)(const Json& params);
    static const std::map<std::string, Handler> handlers = {
        {"initialized", &Server::initialized},
        {"textDocument/didChange", &Server::did_change},
        {"textDocument/didClose", &Server::did_close},
        {"textDocument/didOpen", &Server::did_open},
        {"workspace/didChangeWatchedFiles", &Server::did_change_files},
        {"workspace/didChangeWorkspaceFolders", &Server::did_change_folders},
    };
    if (method == "exit") {
        m_state = State::Left;
        return;
    }
    auto handler = handlers.find(method);
    if (handler != handlers.end() && m_state == State::Running && !m_shut_down)
        (this->*handler->second)(find(message, "/params") ? message["params"] : Json::object());
}

void Server::initialize(const Json& message) {
    if (m_state != State::New)
        return refuse(message["id"], ErrorCode::InvalidRequest, "the server is initialized already");
    Json params = find(message, "/params") ? message["params"] : Json::object();
    m_workspace.client = read_client(params);
    m_state = State::Running;
    m_inbox.live_with(process_that_is_here(m_workspace.client.process));
    reply(message["id"], {{"capabilities", capabilities(m_workspace.client)},
                          {"serverInfo", {{"name", "hidetc"}, {"version", HIDET_VERSION}}}});
}

void Server::initialized(const Json&) {
    if (!m_workspace.client.watches_files)
        return;
    Json watcher = {{"globPattern", "**/*.py"}};
    Json registration = {{"id", "scripts"}, {"method", "workspace/didChangeWatchedFiles"}};
    registration["registerOptions"] = {{"watchers", Json::array({watcher})}};
    call("client/registerCapability", {{"registrations", Json::array({registration})}});
}

void Server::did_open(const Json& params) {
    std::string uri = text_at(params, "/textDocument/uri");
    m_workspace.open(uri, text_at(params, "/textDocument/text")).version = version_of(params);
}

void Server::did_change(const Json& params) {
    OpenDocument* document = m_workspace.find(text_at(params, "/textDocument/uri"));
    const Json* changes = find(params, "/contentChanges");
    if (!document || !changes || !changes->is_array())
        return;
    for (const Json& change : *changes)
        apply(document->text, change, m_workspace.client.encoding);
    document->version = version_of(params);
    m_workspace.changed(*document);
}

void Server::did_close(const Json& params) {
    std::string uri = text_at(params, "/textDocument/uri");
    if (!m_workspace.find(uri))
        return;
    m_workspace.close(uri);
    notify("textDocument/publishDiagnostics", {{"uri", uri}, {"diagnostics", Json::array()}});
}

void Server::did_change_files(const Json& params) {
    const Json* changes = find(params, "/changes");
    if (!changes || !changes->is_array())
        return;
    std::set<std::string> folders;
    for (const Json& change : *changes) {
        std::string path = path_of_uri(text_at(change, "/uri"));
        if (!path.empty() && !m_workspace.find_path(path)) // an open one has its text from the client
            folders.insert(std::filesystem::path(path).parent_path().string());
    }
    for (const std::string& folder : folders)
        m_workspace.analyse_again(folder, nullptr);
}

void Server::did_change_folders(const Json& params) {
    std::vector<std::string>& roots = m_workspace.client.roots;
    auto each = [&](const char* which, auto&& use) {
        const Json* folders = find(params, which);
        for (const Json& folder : folders && folders->is_array() ? *folders : Json::array())
            use(path_of_uri(text_at(folder, "/uri")));
    };
    each("/event/removed", [&](const std::string& path) { std::erase(roots, path); });
    each("/event/added", [&](const std::string& path) { roots.push_back(path); });
}

} // namespace hidet::lsp
