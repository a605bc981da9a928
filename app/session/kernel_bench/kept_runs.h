// SPDX-License-Identifier: Apache-2.0
// Runs of the past, of whatever was run: lines in a file that the caller names and several programs append to, and beside it
// the text of each run, once for all runs of it (run_texts.h). The file is read whole, and appended to a line at a time. A line
// that cannot be read is skipped and counted; it is kept until the file is trimmed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <fcntl.h>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "app/session/kernel_bench/line_file.h"
#include "app/session/kernel_bench/run_texts.h"
#include "lang/base/files.h"
#include "lang/base/text.h"

namespace hidet::session {

struct HistoryLimits {
    std::int64_t bytes = 4 << 20; // above this the older half of the runs goes, baselines and what has a name excepted
    std::int64_t most_bytes() const { return 2 * bytes; } // of what is read, the newest ones
};

std::string name_line(const std::string& when, int number, const std::string& name); // a run is given a name

// A record has `when` and `number`, which name it: `number`, given by append(), tells runs of one instant apart.
template <class Record>
class KeptRuns {
public:
    // A missing file is an empty history. Those of read_file().
    Result<void> load() {
        HIDET_TRY(const NewestLines lines, read_line_file(m_path, m_limits.most_bytes()));
        m_runs.clear();
        m_note = for_each_line(m_path, lines, [&](std::string_view line) { return apply(line); });
        return {};
    }
    Result<void> load_existing() { // the same, but a missing file is "file-not-found"
        HIDET_TRY_TO(is_line_file(m_path));
        return load();
    }
    // Gives a run a name, or takes it away. False: there is no such run.
    Result<bool> rename(const std::string& when, int number, const std::string& name) {
        return change(when, number, name_line(when, number, name));
    }

    const std::vector<Record>& runs() const { return m_runs; } // oldest first
    const std::string& note() const { return m_note; }         // "2 lines of history.jsonl could not be read"

protected:
    KeptRuns(std::string path, RunTexts texts, HistoryLimits limits)
        : m_path(std::move(path)), m_texts(std::move(texts)), m_limits(limits) {}
    ~KeptRuns() = default;

    virtual bool apply(std::string_view line) = 0; // does to the runs what it says; false: it cannot be read
    virtual std::string line(const Record& run) const = 0;
    virtual std::string lines(const Record& run) const { return line(run); } // all that is to be kept of it
    virtual const std::string& text_hash(const Record& run) const = 0;
    virtual bool lasts(const Record& run) const { return !run.name.empty(); } // trimming leaves it

    Result<void> locked(int flags, const std::function<Result<void>(LineFileLock&)>& body) {
        LineFileLock lock(m_path, flags);
        if (!lock.is_open())
            return unwritable();
        if (Result<void> loaded = load(); !loaded) // others may have added to it
            return loaded;
        return body(lock);
    }
    // Adds to the file and to `runs`; sets record.number. Those of replace_file().
    Result<void> append(Record& record, std::string_view text) {
        HIDET_TRY_TO(m_texts.keep(text));
        const Result<void> done = locked(O_RDWR | O_CREAT | O_APPEND, [&](LineFileLock& file) -> Result<void> {
            record.number = 0;
            for (const Record& run : m_runs)
                if (run.when == record.when)
                    record.number = std::max(record.number, run.number + 1);
            if (!file.append(line(record)))
                return unwritable();
            m_runs.push_back(record);
            return {};
        });
        return done && size_of_line_file(m_path) > m_limits.bytes ? trim() : done;
    }
    // Under the lock of the file: to its end, and to the runs.
    Result<void> add(const std::string& line, LineFileLock& lock) {
        if (!lock.append(line))
            return unwritable();
        apply(std::string_view(line).substr(0, line.size() - 1));
        return {};
    }
    Result<bool> change(const std::string& when, int number, const std::string& line) {
        bool is_known = false;
        const Result<void> done = locked(O_RDWR | O_CREAT | O_APPEND, [&](LineFileLock& lock) {
            is_known = std::ranges::any_of(m_runs,
                                           [&](const Record& run) { return run.when == when && run.number == number; });
            return is_known ? add(line, lock) : Result<void>();
        });
        return done ? Result<bool>(is_known) : done.error();
    }
    // Under the lock of the file. Readers see the old file or the new one.
    Result<void> write_anew(std::vector<Record> kept) {
        std::string text;
        std::set<std::string> hashes;
        for (const Record& run : kept) {
            text += lines(run);
            hashes.insert(text_hash(run));
        }
        HIDET_TRY_TO(replace_file(m_path, text));
        m_runs = std::move(kept);
        m_texts.keep_only(hashes);
        return {};
    }

    const RunTexts& texts() const { return m_texts; }
    std::vector<Record> m_runs;

private:
    Error unwritable() const { return {"file-not-written", cat("cannot write '", m_path, "'")}; }
    // The newer runs up to half of the limit, and all that last.
    Result<void> trim() {
        return locked(O_RDWR, [&](LineFileLock&) {
            std::int64_t bytes = 0;
            std::vector<Record> kept;
            for (auto run = m_runs.rbegin(); run != m_runs.rend(); ++run) {
                bytes += static_cast<std::int64_t>(line(*run).size());
                if (lasts(*run) || bytes <= m_limits.bytes / 2)
                    kept.push_back(*run);
            }
            std::ranges::reverse(kept);
            return write_anew(std::move(kept));
        });
    }

    std::string m_path;
    RunTexts m_texts;
    HistoryLimits m_limits;
    std::string m_note;
};

} // namespace hidet::session
