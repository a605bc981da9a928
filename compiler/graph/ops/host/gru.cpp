// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/host/recurrent.h"
#include "compiler/graph/ops/host/run_on_host.h"

namespace hidet::graph {

const OpInfo& op_info::GRU() {
    static const OpInfo info = {
        .id = OpId::GRU,
        .python = "gru",
        .parameters = "x, w, r, b: tensor = None, sequence_lens: tensor = None, initial_h: tensor = None, "
                      "direction: str = 'forward', layout: int = 0",
        .more = recurrent_attributes,
        .cls = OpClass::Host,
        .summary = "a layer of gated recurrent units over a sequence: all hidden states, and the last ones",
        .example = "hidet.ops.gru(hidet.randn([5, 2, 3]), hidet.randn([1, 12, 3]), hidet.randn([1, 12, 4]))",
        .infer = [](const OpCall& call, FreshSymbols&) { return infer_recurrent(call, Cell::Gru); },
        .run = run_on_host,
    };
    return info;
}

} // namespace hidet::graph
