// SPDX-License-Identifier: Apache-2.0
#include "compiler/tune/records.h"

#include <signal.h>
#include <sqlite3.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <functional>

#include <nlohmann/json.hpp>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "lang/base/files.h"
#include "lang/base/text.h"
#include "lang/base/text_hash.h"

namespace hidet::tune {

namespace {

using Json = nlohmann::ordered_json;

constexpr int patience_ms = 20'000; // while other processes write
constexpr int most_bytes_of_row = 16 << 20;
constexpr int steps_at_once = 100'000;
constexpr std::int64_t most_steps = 500'000'000; // of SQLite's machine, as long as the file is open
constexpr std::size_t most_bytes_of_text = std::size_t{1} << 30;
constexpr const char* tables = R"(
create table if not exists operator (id text primary key, signature text not null) without rowid;
create table if not exists measurement (
    operator text, machine text, source text, schedule text, seconds real, spread real not null, problem text not null,
    primary key (operator, machine, source, schedule)) without rowid;
create table if not exists mark (
    operator text, machine text, source text, schedule text, process integer not null, together integer not null,
    primary key (operator, machine, source, schedule)) without rowid;
)";

// SQLite opens the files itself, and would wait for the writer of a FIFO.
Result<void> prepare(const std::string& path) {
    for (const char* ending : {"", "-journal", "-wal", "-shm"})
        if (const Result<InputFile> file = InputFile::open(path + ending);
            !file && file.error().code != "file-not-found")
            return file.error();
    std::error_code failed;
    std::filesystem::create_directories(std::filesystem::path(path).parent_path(), failed);
    return {};
}

bool is_running(std::int64_t process) {
    return ::kill(static_cast<pid_t>(process), 0) == 0 || errno == EPERM;
}

struct Statement {
    Statement(sqlite3* database, const char* text) { sqlite3_prepare_v2(database, text, -1, &handle, nullptr); }
    ~Statement() { sqlite3_finalize(handle); }
    Statement(const Statement&) = delete;
    Statement& operator=(const Statement&) = delete;

    void bind(int at, const std::string& text) {
        sqlite3_bind_text(handle, at, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
    }
    void bind(int at, double number) { sqlite3_bind_double(handle, at, number); } // NaN: null
    void bind(int at, std::int64_t number) { sqlite3_bind_int64(handle, at, number); }
    void bind(int at, const std::optional<double>& number) {
        number ? bind(at, *number) : static_cast<void>(sqlite3_bind_null(handle, at));
    }
    template <class... Values>
    void bind_all(const Values&... values) {
        int at = 0;
        (bind(++at, values), ...);
    }
    std::string text(int column) const {
        const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(handle, column));
        return bytes ? std::string(bytes, static_cast<std::size_t>(sqlite3_column_bytes(handle, column))) : "";
    }
    std::optional<double> real(int column) const {
        return sqlite3_column_type(handle, column) == SQLITE_NULL
                   ? std::nullopt
                   : std::optional(sqlite3_column_double(handle, column));
    }
    std::int64_t whole(int column) const { return sqlite3_column_int64(handle, column); }

    sqlite3_stmt* handle = nullptr;
};

} // namespace

std::string hash_of(const std::string& text) {
    XXH64_canonical_t bytes;
    XXH64_canonicalFromHash(&bytes, XXH3_64bits(text.data(), text.size()));
    return hex_digits({reinterpret_cast<const char*>(bytes.digest), sizeof bytes.digest});
}

std::string line_of(const KeyedRecord& row) {
    const auto& [key, record] = row;
    Json line = {{"operator", key.op}, {"machine", key.machine}, {"source", key.source}, {"schedule", key.schedule}};
    line["seconds"] = record.seconds ? Json(*record.seconds) : Json();
    line["spread"] = record.spread;
    line["problem"] = record.problem;
    return line.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<std::vector<KeyedRecord>> records_in(const std::string& text) {
    std::vector<KeyedRecord> rows;
    std::size_t number = 0;
    for (const std::string& line : split(text, '\n')) {
        ++number;
        if (trimmed(line).empty())
            continue;
        const Json json = Json::parse(line, nullptr, false);
        const auto text_of = [&](const char* name) {
            return json.is_object() && json.contains(name) && json[name].is_string() ? json[name].get<std::string>()
                                                                                     : "";
        };
        RecordKey key{text_of("operator"), text_of("machine"), text_of("source"), text_of("schedule")};
        if (key.op.empty() || key.machine.empty() || key.schedule.empty() || !json.contains("seconds") ||
            !(json["seconds"].is_number() || json["seconds"].is_null()))
            return Error{"records-unreadable", cat("line ", number, " is no record of tuning")};
        Record record{std::nullopt, 0, text_of("problem")};
        if (json["seconds"].is_number())
            record.seconds = json["seconds"].get<double>();
        if (json.contains("spread") && json["spread"].is_number())
            record.spread = json["spread"].get<double>();
        rows.emplace_back(std::move(key), std::move(record));
    }
    return rows;
}

class Records::Database {
public:
    ~Database() { sqlite3_close(m_handle); }

    Result<void> open(const std::string& path) {
        m_path = path;
        HIDET_TRY_TO(path == in_memory ? Result<void>() : prepare(path));
        if (sqlite3_open(path.c_str(), &m_handle) != SQLITE_OK)
            return problem();
        sqlite3_busy_timeout(m_handle, patience_ms);
        distrust();
        if (Result<void> logged = run("pragma journal_mode = wal; pragma synchronous = normal;"); !logged)
            return logged;
        return run(tables);
    }
    Result<void> run(const char* text) {
        return sqlite3_exec(m_handle, text, nullptr, nullptr, nullptr) == SQLITE_OK ? Result<void>() : problem();
    }
    // One row after the other.
    template <class... Values>
    Result<void> each(const char* text, const std::function<void(const Statement&)>& row, const Values&... values) {
        Statement statement(m_handle, text);
        if (!statement.handle)
            return problem();
        statement.bind_all(values...);
        int code = 0;
        while ((code = sqlite3_step(statement.handle)) == SQLITE_ROW)
            row(statement);
        return code == SQLITE_DONE ? Result<void>() : problem();
    }
    template <class... Values>
    Result<void> write(const char* text, const Values&... values) {
        return each(
            text, [](const Statement&) {}, values...);
    }
    // All or nothing.
    Result<void> together(const std::function<Result<void>()>& body) {
        HIDET_TRY_TO(run("begin immediate"));
        Result<void> done = body();
        if (done)
            return run("commit");
        static_cast<void>(run("rollback"));
        return done;
    }

private:
    // The file may be anybody's: its schema may hold views, triggers and generated columns that call functions, its rows
    // anything of any size, and its pages may be damaged.
    void distrust() {
        sqlite3_db_config(m_handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
        sqlite3_db_config(m_handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
        sqlite3_db_config(m_handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
        sqlite3_db_config(m_handle, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
        sqlite3_limit(m_handle, SQLITE_LIMIT_LENGTH, most_bytes_of_row);
        sqlite3_limit(m_handle, SQLITE_LIMIT_ATTACHED, 0);
        sqlite3_progress_handler(m_handle, steps_at_once, count_steps, this);
    }
    static int count_steps(void* self) { return --static_cast<Database*>(self)->m_steps_left < 0; }

    Error problem() const {
        return {"records-unreadable",
                cat("the records of tuning in '", m_path, "' cannot be used: ", sqlite3_errmsg(m_handle))};
    }
    std::string m_path;
    sqlite3* m_handle = nullptr;
    std::int64_t m_steps_left = most_steps / steps_at_once; // of all statements
};

Records::Records(std::unique_ptr<Database> database) : m_database(std::move(database)) {}
Records::~Records() = default;

Result<std::unique_ptr<Records>> Records::open(const std::string& path) {
    auto database = std::make_unique<Database>();
    HIDET_TRY_TO(database->open(path));
    return std::unique_ptr<Records>(new Records(std::move(database)));
}

Result<std::map<ScheduleOfSource, Record>> Records::load(const std::string& op, const std::string& machine) {
    std::map<ScheduleOfSource, Record> found;
    const auto row = [&](const Statement& s) {
        found[{s.text(0), s.text(1)}] = {s.real(2), s.real(3).value_or(0), s.text(4)};
    };
    const Result<void> done = m_database->each(
        "select source, schedule, seconds, spread, problem from measurement where operator = ? and machine = ?", row,
        hash_of(op), machine);
    if (!done)
        return done.error();
    return found;
}

Result<std::map<ScheduleOfSource, int>> Records::unfinished(const std::string& op, const std::string& machine) {
    std::map<ScheduleOfSource, int> found;
    const auto row = [&](const Statement& s) {
        if (!is_running(s.whole(2)))
            found[{s.text(0), s.text(1)}] = static_cast<int>(s.whole(3));
    };
    const Result<void> done =
        m_database->each("select source, schedule, process, together from mark where operator = ? and machine = ?", row,
                         hash_of(op), machine);
    if (!done)
        return done.error();
    return found;
}

Result<void> Records::mark(const std::vector<RecordKey>& begun) {
    return m_database->together([&]() -> Result<void> {
        for (const RecordKey& key : begun)
            HIDET_TRY_TO(m_database->write("insert or replace into mark values (?, ?, ?, ?, ?, ?)", hash_of(key.op),
                                           key.machine, key.source, key.schedule, static_cast<std::int64_t>(::getpid()),
                                           static_cast<std::int64_t>(begun.size())));
        return {};
    });
}

Result<void> Records::unmark(const std::vector<RecordKey>& begun) {
    return m_database->together([&]() -> Result<void> {
        for (const RecordKey& key : begun)
            HIDET_TRY_TO(
                m_database->write("delete from mark where operator = ? and machine = ? and source = ? and schedule = ?",
                                  hash_of(key.op), key.machine, key.source, key.schedule));
        return {};
    });
}

Result<void> Records::store(const RecordKey& key, const Record& record) {
    const std::string op = hash_of(key.op);
    return m_database->together([&]() -> Result<void> {
        HIDET_TRY_TO(m_database->write("insert or ignore into operator values (?, ?)", op, key.op));
        HIDET_TRY_TO(m_database->write("insert or replace into measurement values (?, ?, ?, ?, ?, ?, ?)", op,
                                       key.machine, key.source, key.schedule, record.seconds, record.spread,
                                       record.problem));
        return m_database->write("delete from mark where operator = ? and machine = ? and source = ? and schedule = ?",
                                 op, key.machine, key.source, key.schedule);
    });
}

Result<std::string> Records::text() {
    std::string out;
    const auto row = [&](const Statement& s) {
        if (out.size() <= most_bytes_of_text)
            out +=
                line_of({{s.text(0), s.text(1), s.text(2), s.text(3)}, {s.real(4), s.real(5).value_or(0), s.text(6)}});
    };
    const Result<void> done =
        m_database->each("select signature, machine, source, schedule, seconds, spread, problem from measurement "
                         "join operator on operator = id order by operator, machine, source, schedule",
                         row);
    if (!done)
        return done.error();
    if (out.size() > most_bytes_of_text)
        return Error{"records-unreadable", cat("there is more than ", most_bytes_of_text >> 20, " MB of records")};
    return out;
}

Result<std::size_t> Records::merge(const std::string& text) {
    HIDET_TRY(const std::vector<KeyedRecord> rows, records_in(text));
    Result<void> done = m_database->together([&]() -> Result<void> {
        for (const auto& [key, record] : rows) {
            const std::string op = hash_of(key.op);
            HIDET_TRY_TO(m_database->write("insert or ignore into operator values (?, ?)", op, key.op));
            HIDET_TRY_TO(m_database->write(
                "insert into measurement values (?, ?, ?, ?, ?, ?, ?) on conflict do update set seconds = "
                "excluded.seconds, "
                "spread = excluded.spread, problem = excluded.problem "
                "where excluded.seconds is not null and (seconds is null or excluded.seconds < seconds)",
                op, key.machine, key.source, key.schedule, record.seconds, record.spread, record.problem));
        }
        return {};
    });
    if (!done)
        return done.error();
    return rows.size();
}

} // namespace hidet::tune
