// SPDX-License-Identifier: Apache-2.0
#include "app/session/worker/remote_workers.h"

#include <algorithm>
#include <utility>

#include "lang/base/files.h"
#include "lang/base/text.h"
#include "lang/base/transformed.h"
#include "runtime/toolchain/user_folder.h"

namespace hidet::session {

namespace {

constexpr std::int64_t most_bytes = 1 << 20;
constexpr std::string_view before_fleet = "fleet.";

Error mistake_at(std::size_t line, const std::string& what) {
    return {"bad-remote-workers", cat("line ", line, " ", what)};
}

// The words of a command line. Within '...' all is as it stands; a backslash makes the next character one of the word, within "..."
// only before " and a backslash. A # that begins a word begins a comment.
class CommandWords {
public:
    explicit CommandWords(std::string_view text) : m_text(text) {}
    // "": it could be split.
    std::string split() {
        for (; m_at < m_text.size(); ++m_at) {
            const char c = m_text[m_at];
            if (c == ' ' || c == '\t')
                end_word();
            else if (c == '#' && !m_is_in_word)
                break;
            else if (const char* mistake = take(c))
                return mistake;
        }
        end_word();
        return "";
    }
    std::vector<std::string> words;

private:
    void end_word() {
        if (m_is_in_word)
            words.push_back(std::exchange(m_word, ""));
        m_is_in_word = false;
    }

    const char* take(char c) {
        m_is_in_word = true;
        if (c == '\'' || c == '"')
            return take_quoted(c);
        if (c == '\\' && ++m_at == m_text.size())
            return "ends with a backslash";
        m_word += m_text[m_at];
        return nullptr;
    }

    const char* take_quoted(char quote) {
        while (++m_at < m_text.size() && m_text[m_at] != quote) {
            const bool escapes = quote == '"' && m_text[m_at] == '\\' && m_at + 1 < m_text.size() &&
                                 (m_text[m_at + 1] == '"' || m_text[m_at + 1] == '\\');
            m_word += m_text[escapes ? ++m_at : m_at];
        }
        return m_at < m_text.size() ? nullptr : "has a quote that is not closed";
    }

    std::string_view m_text;
    std::size_t m_at = 0;
    std::string m_word;
    bool m_is_in_word = false;
};

Result<RemoteWorker> worker_in(std::string_view text, std::size_t line) {
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos)
        return mistake_at(line, "is not 'NAME = COMMAND'");
    RemoteWorker worker{std::string(trimmed(text.substr(0, equals))), {}};
    if (!is_worker_name(worker.name))
        return mistake_at(
            line, cat("has a name that is not made of letters, digits, '-', '_' and '.': ", quote(worker.name)));
    CommandWords command(text.substr(equals + 1));
    if (const std::string wrong = command.split(); !wrong.empty())
        return mistake_at(line, wrong);
    if (command.words.empty())
        return mistake_at(line, cat("has no command for ", quote(worker.name)));
    worker.command = std::move(command.words);
    return worker;
}

} // namespace

bool is_worker_name(std::string_view text) {
    const auto fits = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
               c == '.';
    };
    return !text.empty() && std::ranges::all_of(text, fits);
}

std::string remote_workers_file() {
    const std::string base = toolchain::user_folder(toolchain::environment_variables(), "XDG_CONFIG_HOME", ".config");
    return base.empty() ? "" : base + "/hidet/workers.conf";
}

Result<std::vector<RemoteWorker>> remote_workers_in(std::string_view text) {
    std::vector<RemoteWorker> workers;
    std::size_t number = 0;
    for (const std::string& whole : split(text, '\n')) {
        ++number;
        const std::string_view line = trimmed(whole);
        if (line.empty() || line.starts_with('#'))
            continue;
        HIDET_TRY(RemoteWorker worker, worker_in(line, number));
        if (std::ranges::find(workers, worker.name, &RemoteWorker::name) != workers.end())
            return mistake_at(number, cat("names ", quote(worker.name), " again"));
        workers.push_back(std::move(worker));
    }
    return workers;
}

// Fleets among them.
static Result<std::vector<RemoteWorker>> all_lines() {
    const std::string path = remote_workers_file();
    if (path.empty())
        return std::vector<RemoteWorker>();
    const Result<std::string> text = read_file(path, most_bytes);
    if (!text)
        return text.error().code == "file-not-found" ? Result(std::vector<RemoteWorker>()) : text.error();
    auto workers = remote_workers_in(text.value());
    if (!workers)
        return Error{workers.error().code, cat("'", path, "': ", workers.error().message)};
    return workers;
}

Result<std::vector<RemoteWorker>> remote_workers() {
    HIDET_TRY(std::vector<RemoteWorker> workers, all_lines());
    std::erase_if(workers, [](const RemoteWorker& each) { return each.name.starts_with(before_fleet); });
    return workers;
}

Result<std::vector<std::string>> words_of_fleet(const std::string& name) {
    HIDET_TRY(const std::vector<RemoteWorker> lines, all_lines());
    const auto line = std::ranges::find(lines, cat(before_fleet, name), &RemoteWorker::name);
    return line == lines.end() ? std::vector<std::string>() : line->command;
}

Result<RemoteWorker> remote_worker_named(const std::string& name) {
    HIDET_TRY(const std::vector<RemoteWorker> workers, remote_workers());
    const auto found = std::ranges::find(workers, name, &RemoteWorker::name);
    if (found != workers.end())
        return *found;
    const std::string file = remote_workers_file();
    const std::string known =
        workers.empty() ? cat("'", file, "' names none: a line of it is 'NAME = ssh HOST PATH/hidetc worker'")
                        : cat("'", file, "' has ", join(transformed<std::string>(workers, &RemoteWorker::name), ", "));
    return Error{"unknown-remote-worker", cat("there is no remote worker ", quote(name), "; ",
                                              file.empty() ? "there is no folder of the user's settings" : known)};
}

Result<std::string> keep_remote_worker(const std::string& line) {
    HIDET_TRY(const std::vector<RemoteWorker> given, remote_workers_in(line));
    const std::string path = remote_workers_file();
    if (given.size() != 1 || path.empty())
        return Error{"bad-remote-workers",
                     path.empty() ? "there is no folder of the user's settings" : "one line is 'NAME = COMMAND'"};
    const std::string& name = given.front().name;
    HIDET_TRY(const std::vector<RemoteWorker> known, remote_workers()); // a file that makes no sense stays as it is
    std::vector<std::string> lines;
    if (const Result<std::string> text = read_file(path, most_bytes); text && !text.value().empty())
        lines = split(text.value(), '\n');
    if (!lines.empty() && lines.back().empty())
        lines.pop_back();
    const auto names = [&](const std::string& each) { return trimmed(each.substr(0, each.find('='))) == name; };
    if (const auto old = std::ranges::find_if(lines, names); old != lines.end())
        *old = line;
    else
        lines.push_back(line);
    HIDET_TRY_TO(make_folders(path.substr(0, path.rfind('/'))));
    HIDET_TRY_TO(replace_file(path, join(lines, "\n") + "\n"));
    return name;
}

} // namespace hidet::session
