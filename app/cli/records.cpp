// SPDX-License-Identifier: Apache-2.0
// hidetc records: what tuning has measured, as text that travels between machines.
#include "app/cli/output.h"
#include "app/cli/text/numbers.h"
#include "app/cli/verbs.h"
#include "app/session/request/source.h"
#include "app/session/tune/tuning.h"

namespace hidet::cli {

using namespace session;

namespace {

struct RecordsOptions {
    std::string file;
    std::string records; // empty: the user's
};

int export_records(const RecordsOptions& options, const Cancelled&) {
    const Result<std::string> text = text_of_records(options.records);
    if (!text)
        return refuse_environment(text.error());
    return write_file(options.file, text.value()) ? exit_fine : exit_environment;
}

int merge(const RecordsOptions& options, const Cancelled&) {
    Source source;
    if (!open_file(options.file, source))
        return exit_usage;
    const Result<std::size_t> count = merge_records(options.records, source.text);
    if (!count)
        return refuse_environment(count.error());
    print_note(cat(count_of(static_cast<std::int64_t>(count.value()), "record"), " read"));
    return exit_fine;
}

void add(Verb& records, Action& chosen, const char* name, const char* what,
         int (*run)(const RecordsOptions&, const Cancelled&)) {
    Verb verb = records.add_verb(name, what);
    RecordsOptions& options = options_for(verb, chosen, run);
    verb.file("FILE", options.file, "lines of JSON, a measurement each");
    verb.text("--records", options.records, "FILE", "the records (one file of the user's)");
}

} // namespace

void add_records(Verb& program, Action& chosen) {
    Verb records = program.add_verb("records", "what tuning has measured: export, merge");
    records.require_verb();
    add(records, chosen, "export", "write all measurements to a text file", export_records);
    add(records, chosen, "merge", "add those of a text file", merge);
}

} // namespace hidet::cli
