// SPDX-License-Identifier: Apache-2.0
// Chooses schedules for the kernels of a model: all points of the templates' spaces are tried on paper, the model of
// predict.h ranks what was not refused, the first few are measured, and the fastest is chosen.
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

// Candidates of one operator that are measured together, in alternation.
struct Trial {
    const graph::Graph& graph;
    const graph::Group& group;
    std::string reference; // a schedule whose results the others' are compared with
    std::vector<std::string> schedules;
    struct Outcome {
        std::optional<double> seconds;
        double spread = 0;
        std::string problem; // why there is none: it does not compile, its results are wrong
    };
    std::vector<Outcome> outcomes = {}; // by schedule
};

class Measurer {
public:
    virtual ~Measurer() = default;
    // Compiles the candidates of all trials in parallel, then measures trial by trial, and says when one is done. An error
    // ends the search: what is measured with is gone.
    virtual Result<void> measure(std::vector<Trial>& trials, const std::function<void(Trial&)>& done) = 0;
};

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
    // Operators that have one of these nodes are looked at, no others; nothing: all.
    std::optional<std::vector<graph::NodeId>> only = std::nullopt;
};

class Search {
public:
    Search(const graph::Graph& graph, const graph::Partition& partition, const SearchOptions& options);

    Result<void> recall();                             // what the records say, and chooses
    Result<void> run(Measurer& measurer);              // recalls, and measures what is missing
    bool is_complete() const { return m_is_complete; } // neither cancelled nor too late

    const std::vector<Operator>& operators() const { return m_operators; }
    std::size_t measured() const { return m_measured; }
    // With the schedules that were found, but where somebody has chosen one.
    graph::Partition chosen(graph::Partition partition) const;

private:
    struct Queue { // what is left to be measured of an operator
        Operator* op = nullptr;
        std::vector<Candidate*> together, alone;
        std::size_t without_gain = 0; // measured since the best one was found
    };

    void find_operators(const graph::Partition& partition);
    bool is_asked_for(const graph::Group& group) const;
    void leave_others(const std::vector<bool>& is_wanted); // by operator
    void try_candidates(Operator& op);
    Result<void> recall(Operator& op);
    std::string source_of(const std::string& schedule) const;
    RecordKey key_of(const Operator& op, const std::string& schedule) const;
    Queue queue_of(Operator& op) const;
    Result<void> measure(Measurer& measurer, std::vector<Queue*>& queues, bool alone);
    Result<void> keep(const Trial& trial, Queue& queue);
    bool is_over();
    void choose(Operator& op) const;
    void report(const std::string& what, std::size_t done) const;

    const graph::Graph& m_graph;
    const SearchOptions m_options;
    const std::string m_machine;
    std::vector<Operator> m_operators;
    std::vector<std::size_t> m_row_of_group; // SIZE_MAX: not tuned
    std::chrono::steady_clock::time_point m_start = std::chrono::steady_clock::now();
    std::size_t m_measured = 0;
    bool m_is_complete = true;
};

std::string machine_text(const artifact::TargetSpec& target); // that records are kept under

} // namespace hidet::tune
