// SPDX-License-Identifier: Apache-2.0
// What was measured, in an SQLite file that many processes use at a time. A row is known by the operator (its signature: what
// is fused, shapes, dtypes, attributes), the machine, the text of the template's script with the version of the program, and
// the schedule. Whatever ends a process loses no row; who is measuring has left a mark, so that a schedule that takes its
// process down is found out and not tried again.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lang/base/result.h"

namespace hidet::tune {

struct RecordKey {
    std::string op;      // signature
    std::string machine; // "NVIDIA H200, 132 multiprocessors"
    std::string source;  // hash of the script and the version
    std::string schedule;
    friend auto operator<=>(const RecordKey&, const RecordKey&) = default;
};

struct Record {
    std::optional<double> seconds; // nothing: it failed
    double spread = 0;
    std::string problem; // why
};

inline constexpr const char* took_process = "the process ended while it was measured"; // a problem

using KeyedRecord = std::pair<RecordKey, Record>;
// As a line of JSON; and such lines read back: "records-unreadable", with the line.
std::string line_of(const KeyedRecord& row);
Result<std::vector<KeyedRecord>> records_in(const std::string& text);

using ScheduleOfSource = std::pair<std::string, std::string>; // source, schedule

inline constexpr const char* in_memory = ":memory:"; // records of this process alone, in the place of a file

class Records {
public:
    // Makes the file and its folder; none for in_memory. The errors are "records-unreadable".
    static Result<std::unique_ptr<Records>> open(const std::string& path);
    ~Records();

    Result<std::map<ScheduleOfSource, Record>> load(const std::string& op, const std::string& machine);
    // Marks of processes that are gone: how many candidates were being measured together.
    Result<std::map<ScheduleOfSource, int>> unfinished(const std::string& op, const std::string& machine);
    Result<void> mark(const std::vector<RecordKey>& begun);         // by this process
    Result<void> store(const RecordKey& key, const Record& record); // and takes its mark away
    Result<void> unmark(const std::vector<RecordKey>& begun);       // they were not measured after all

    // Lines of JSON in a fixed order; and such lines read back: of two rows of one key the faster one stays.
    Result<std::string> text();
    Result<std::size_t> merge(const std::string& text); // rows that were read

private:
    class Database;
    explicit Records(std::unique_ptr<Database> database);
    std::unique_ptr<Database> m_database;
};

std::string hash_of(const std::string& text); // 16 hexadecimal digits

} // namespace hidet::tune
