// SPDX-License-Identifier: Apache-2.0
// Measured runs of models, kept for later sessions: what each kernel took, and the graph that it was measured of, so that a
// model which is open now can be compared with one of last week as with a second open model.
//
// A history is JSON lines in a file that the caller names; the graphs stand beside it, each once, as documents without
// weights in files that their hashes name (kernel_bench/run_texts.h).
#pragma once

#include "app/session/kernel_bench/history.h"
#include "app/session/model/view/model_view.h"

namespace hidet::session {

struct ModelRecord {
    std::string when;   // as the caller has it, sortable. With `number` it names the run
    int number = 0;     // given by append: tells runs of one instant apart
    std::string model;  // its file, as the user called it
    std::string graph;  // hash of the document of its imported graph
    std::string where;  // the device
    std::string target; // "cuda"
    bool is_emulated = false;
    TimesView times; // without its samples
    std::size_t nodes = 0, kernels = 0, launches = 0;
    double flops = 0, bytes = 0;
    DeviceRoofs roofs;
    std::vector<ModelStepRow> steps;
    // What made these kernels of that graph.
    std::string choices;   // the text of a choices file; may be empty
    std::string precision; // may be empty
    std::string quantize;  // likewise
    std::optional<double> quantize_limit;
    std::vector<Dimension> dims;
    std::string name; // that a user gave it: "before the new template"; empty: none. Set by rename()
};
ModelRecord record_of(const ModelRequest& request, const ModelBenchResult& result, std::string when);
// What the run said, as far as it was kept.
std::shared_ptr<const ModelBenchResult> bench_of(const ModelRecord& record);
std::string title_of(const ModelRecord& record); // "mlp.onnx, before the new template"
// Of a graph before any pass, to be kept; it holds no weights.
std::string document_of(const ModelGraph& imported);

class ModelHistory : public KeptRuns<ModelRecord> {
public:
    explicit ModelHistory(const std::string& path, HistoryLimits limits = {64 << 20});

    // Adds to the file and to `runs`; sets record.number and record.graph. Those of replace_file().
    Result<void> append(ModelRecord& record, std::string_view graph);
    // The document of a run's graph, to be opened as a model. "history-text-missing".
    Result<std::string> graph_file(const ModelRecord& run) const;

private:
    bool apply(std::string_view line) override;
    std::string line(const ModelRecord& run) const override;
    const std::string& text_hash(const ModelRecord& run) const override { return run.graph; }
};

} // namespace hidet::session
