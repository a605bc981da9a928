// SPDX-License-Identifier: Apache-2.0
// Chooses schedules for the kernels of a model: all points of the templates' spaces are tried on paper, the model of
// predict.h ranks what was not refused, the first few are measured, and the fastest is chosen. Those that are nearly as fast
// are measured once more between the kernels before and behind them, whose ends and starts they overlap.
//
//     Search search(graph, partition, options);
//     search.run(measurer);              // or cancelled, or over its deadline: what is known by then counts
//     partition = search.chosen(partition);
//
// The same records give the same choice; nothing that was measured is measured again.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "compiler/tune/candidate.h"
#include "compiler/tune/records.h"

namespace hidet::tune {

// One way of computing some operators of a graph: kernels with their schedules, in an order in which they can run.
struct Variant {
    std::string name; // for records and people
    std::vector<graph::Group> groups;
};

// Ways of computing the same operators that are measured together, in alternation.
struct Measurement {
    const graph::Graph& graph;
    Variant reference; // whose results the others' are compared with; it may be one of them, by its name
    std::vector<Variant> variants;
    struct Outcome {
        std::optional<double> seconds;
        double spread = 0;
        std::string problem; // why there is none: it does not compile, its results are wrong
    };
    std::vector<Outcome> outcomes = {}; // by way
    std::vector<RecordKey> keys = {};   // by way: what records know it by
};

class Measurer {
public:
    virtual ~Measurer() = default;
    // Compiles the variants of all measurements in parallel, then measures measurement by measurement, and says when one is done. An error ends the
    // search: what is measured with is gone.
    virtual Result<void> measure(std::vector<Measurement>& measurements,
                                 const std::function<void(Measurement&)>& done) = 0;
    // Something that it was asked for is measured elsewhere, and not known yet: what depends on it has to wait.
    virtual bool is_waiting() const { return false; }
};

// Leaves marks before, so that who comes after a crash knows, and stops at the first error of what keeps results.
Result<void> measure_and_keep(Measurer& measurer, Records& records, std::vector<Measurement>& measurements,
                              const std::function<Result<void>(const Measurement&)>& keep);

struct SearchProgress {
    std::size_t done = 0; // operators
    std::size_t total = 0;
    std::size_t measured = 0; // candidates, in this run
    std::string what;         // the operator
};

struct SearchOptions {
    int level = 1; // 1: at most 8 candidates an operator are measured, 2: at most 200
    const artifact::TargetSpec& target;
    const graph::TemplateProvider& templates;
    Records& records;
    std::string version;         // of the program, which measurements depend on
    double deadline_seconds = 0; // 0: none
    const std::atomic<bool>* cancelled = nullptr;
    std::function<void(const SearchProgress&)> progress = {};
    std::size_t threads = 0; // that evaluate templates; 0: as many as the machine has
    // Seconds of a module whose operator does not say what it computes, 0: not known; an error is why no kernel can be made of
    // it. Where there is this, what was not measured is chosen by it. Null: the work of operators says what to predict.
    std::function<Result<double>(const ir::ModuleRef& module)> predict = {};
    // Operators that have one of these nodes are looked at, no others; nothing: all.
    std::optional<std::vector<graph::NodeId>> only = std::nullopt;
};

class Search {
public:
    // Graph and partition outlive it.
    Search(const graph::Graph& graph, const graph::Partition& partition, const SearchOptions& options);

    Result<void> recall();                             // what the records say, and chooses
    Result<void> run(Measurer& measurer);              // recalls, and measures what is missing
    bool is_complete() const { return m_is_complete; } // neither cancelled nor too late

    const std::vector<Operator>& operators() const { return m_operators; }
    std::size_t measured() const { return m_measured; }
    // With the schedules that were found, but where somebody has chosen one.
    graph::Partition chosen(graph::Partition partition) const;

private:
    struct Neighbours { // of an operator, where it stands first
        std::vector<graph::Group> groups;
        std::size_t own = 0; // which of them is the operator's
        std::string key;     // what records know them by
        std::string source;
    };
    struct Queue { // what is left to be measured of an operator
        Operator* op = nullptr;
        std::vector<Candidate*> together, alone;
        std::size_t without_gain = 0; // measured since the best one was found
    };

    void find_operators(const graph::Partition& partition);
    bool is_asked_for(const graph::Group& group) const;
    void leave_others(const std::vector<bool>& is_wanted); // by operator
    void try_candidates(Operator& op);
    Result<void> recall_alone();
    Result<void> recall(Operator& op);
    Result<void> settle(Measurer* measurer); // in neighbours.cpp
    Neighbours neighbours_of(const Operator& op) const;
    Variant variant(const Operator& op, const std::string& schedule) const;
    std::string source_of(const std::string& schedule) const;
    RecordKey key_of(const Operator& op, const std::string& schedule) const;
    Queue queue_of(Operator& op) const;
    Result<void> measure(Measurer& measurer, std::vector<Queue*>& queues, bool alone);
    Result<void> keep(const Measurement& measurement, Queue& queue);
    bool is_over();
    Result<double> predicted(const Operator& op, const graph::ScheduleAttempt& attempt) const;
    void choose(Operator& op) const;
    void report(const std::string& what, std::size_t done) const;

    const graph::Graph& m_graph;
    const graph::Partition& m_partition;
    const SearchOptions m_options;
    const std::string m_machine;
    std::vector<Operator> m_operators;
    std::vector<std::size_t> m_row_of_group; // SIZE_MAX: not tuned
    std::chrono::steady_clock::time_point m_start = std::chrono::steady_clock::now();
    std::size_t m_measured = 0;
    bool m_is_complete = true;
};

std::string machine_text(const artifact::TargetSpec& target);                   // that records are kept under
std::string source_text(const std::string& version, const std::string& script); // likewise
// Of these the schedule that the records of an operator on a machine say is the fastest, as a search chooses; empty: they say
// nothing. `automatic` is nobody's choice, and all have its source.
Result<std::string> fastest_recorded(Records& records, const RecordKey& automatic,
                                     const std::vector<std::string>& schedules);

} // namespace hidet::tune
