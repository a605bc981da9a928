// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/host/recurrent.h"
#include "compiler/graph/ops/host/run_on_host.h"

namespace hidet::graph {

const OpInfo& op_info::LSTM() {
    static const OpInfo info = {
        .id = OpId::LSTM,
        .python = "lstm",
        .parameters = "x, w, r, b: tensor = None, sequence_lens: tensor = None, initial_h: tensor = None, initial_c: "
                      "tensor = None, p: tensor = None, "
                      "direction: str = 'forward', layout: int = 0",
        .more = recurrent_attributes,
        .cls = OpClass::Host,
        .summary = "a layer of long short-term memory over a sequence: all hidden states, and the last ones",
        .example = "hidet.ops.lstm(hidet.randn([5, 2, 3]), hidet.randn([1, 16, 3]), hidet.randn([1, 16, 4]))",
        .infer = [](const OpCall& call, FreshSymbols&) { return infer_recurrent(call, Cell::Lstm); },
        .run = run_on_host,
    };
    return info;
}

} // namespace hidet::graph
