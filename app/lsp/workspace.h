// SPDX-License-Identifier: Apache-2.0
// The documents that the client has open. Their texts come before those of their files, also where another script imports
// them; each is analysed by a live session of its own.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "app/lsp/client.h"
#include "app/lsp/shapes.h"
#include "app/session/live/live_session.h"
#include "app/session/live/taken_file.h"

namespace hidet::lsp {

using Clock = std::chrono::steady_clock;

// What the studio says beside a line, as a diagnostic.
struct Finding {
    session::DiagnosticView diagnostic;
    std::vector<session::FixView> repair; // edits that belong together; the script was tried with them
};

class OpenDocument {
public:
    OpenDocument(std::string uri, std::string text, std::function<void()> arrived);
    ~OpenDocument();

    const std::string uri;
    const std::string path;   // the URI itself where it is no file
    const std::string folder; // empty: imports nothing
    IndexedText text;
    std::optional<std::int64_t> version; // as the client counts

    void text_changed() { m_first_of_text = m_revision + 1; } // before it is submitted
    // The text changed, or what it imports did: it is analysed, and lowered after the pause.
    void submit(std::chrono::milliseconds pause, std::shared_ptr<const assist::Buffers> buffers, const Client& client);
    // Takes what the session has published; false: nothing new.
    bool take_arrived();

    // What the newest analysis says; null before the first.
    const assist::DocumentRef& answers() const { return m_answers; }
    bool is_read() const { return m_answers && m_answered >= m_first_of_text; } // the answers are of this text
    bool has_no_answers() const { return m_complete && !is_read(); }            // and will have none: it is no script
    bool is_evaluated() const { return is_read() && m_diagnosed >= m_first_of_text; }
    std::uint64_t text_number() const { return m_first_of_text; } // another one for each text

    const std::vector<session::DiagnosticView>& diagnostics() const { return m_diagnostics; }
    const std::vector<Finding>& findings() const { return m_findings; }
    // When diagnostics shall be published: at once when all is known, else when a moment has passed. Nothing: they were, or
    // there are none yet.
    std::optional<Clock::time_point> publish_at() const;
    void published() {
        m_is_published = m_complete;
        m_published = m_diagnosed;
    }

private:
    struct Arrived {
        std::mutex mutex;
        std::shared_ptr<const session::LiveSnapshot> newest;
    };

    std::uint64_t m_revision = 0;
    std::uint64_t m_first_of_text = 1; // the revision
    std::uint64_t m_answered = 0;
    std::uint64_t m_diagnosed = 0;
    std::uint64_t m_published = 0;
    bool m_complete = false;
    bool m_is_published = false; // all of it
    Clock::time_point m_submitted;
    assist::DocumentRef m_answers;
    std::vector<session::DiagnosticView> m_diagnostics;
    std::vector<Finding> m_findings;
    std::shared_ptr<Arrived> m_arrived = std::make_shared<Arrived>();
    std::unique_ptr<session::LiveSession> m_session;
};

class Workspace {
public:
    explicit Workspace(std::function<void()> arrived) : m_arrived(std::move(arrived)) {}

    Client client;
    session::TakenFile taken_file{session::TakenFile::of_user()};
    assist::TakenNames taken = taken_file.read(); // from lists of completions

    OpenDocument& open(const std::string& uri, std::string text);
    void close(const std::string& uri);
    OpenDocument* find(const std::string& uri);
    OpenDocument* find_path(const std::string& path);
    const std::map<std::string, std::unique_ptr<OpenDocument>>& documents() const { return m_documents; }

    // A document's text changed.
    void changed(OpenDocument& document);
    // Those that import from the folder are analysed again.
    void analyse_again(const std::string& folder, const OpenDocument* but);

    std::shared_ptr<const assist::Buffers> buffers(); // of all files that are open, by path
    // As the client calls it, where it has it open.
    std::string uri_of(const std::string& path);
    // The text of a document or of a file; places in it can then be told.
    IndexedText text_of(const std::string& path);

private:
    std::function<void()> m_arrived;
    std::map<std::string, std::unique_ptr<OpenDocument>> m_documents; // by URI
    std::shared_ptr<const assist::Buffers> m_buffers;                 // null: not collected since the last change
};

} // namespace hidet::lsp
