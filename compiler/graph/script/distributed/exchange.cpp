// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/script/distributed/exchange.h"

#include <algorithm>

#include "lang/host/modules/communication.h"

namespace hidet::graph {

namespace {

using lang::Collective;
using lang::Exchange;
using lang::TensorRef;

class Exchanging {
public:
    // `result`: where it goes; null: to a tensor that is made.
    Exchanging(const lang::Engine& engine, const OpCall& call, const TensorRef& x, TensorRef result)
        : m_engine(engine), m_call(call), m_x(x), m_result(std::move(result)),
          m_size(call.attributes.get<std::int64_t>("size")) {}

    // `what`: the result, whose elements are there when it has been performed.
    TensorRef prepared(Exchange& what) const {
        switch (m_call.op->id) {
        case OpId::AllReduce: return reduced(what);
        case OpId::BroadcastFrom: return told(what);
        case OpId::AllGather: return gathered(what);
        case OpId::ReduceScatter: return scattered(what);
        case OpId::AllToAll: return turned(what);
        default: HIDET_CHECK(false, m_call.op->name); return nullptr;
        }
    }

private:
    TensorRef made(std::vector<std::int64_t> shape) const {
        if (m_result)
            return m_result;
        TensorRef result(new lang::Tensor(*m_x));
        result->shape = std::move(shape);
        result->offset = 0;
        const auto bytes = static_cast<std::size_t>(std::max<std::int64_t>(1, bytes_of(*result)));
        const bool is_on_gpu = m_x->device == Device::Cuda && m_engine.has_cuda();
        result->storage = is_on_gpu ? std::make_shared<lang::Storage>(bytes, lang::Storage::OnDemand{})
                                    : std::make_shared<lang::Storage>(bytes);
        result->storage->uninitialised = is_on_gpu; // else zeros would be uploaded
        return result;
    }
    static std::int64_t bytes_of(const lang::Tensor& tensor) { return tensor.count() * ir::bytes_of(tensor.dtype); }
    std::vector<std::int64_t> part() const {
        std::vector<std::int64_t> shape = m_x->shape;
        if (shape[0] % m_size != 0)
            throw OpError("a first dimension of ", shape[0], " has no equal parts for ", m_size, " processes");
        shape[0] /= m_size;
        return shape;
    }
    std::vector<TensorRef> parts_of(const TensorRef& whole, const std::vector<std::int64_t>& shape) const {
        std::vector<TensorRef> out;
        for (std::int64_t i = 0; i < m_size; ++i) {
            TensorRef& each = out.emplace_back(new lang::Tensor(*whole));
            each->shape = shape;
            each->offset += static_cast<std::size_t>(i * bytes_of(*each));
        }
        return out;
    }
    std::string reduction() const { return m_call.attributes.get<std::string>("reduction"); }

    TensorRef reduced(Exchange& what) const {
        what.what = Collective::AllReduce;
        what.tensor = made(m_x->shape);
        what.source = m_x;
        what.reduction = reduction();
        return what.tensor;
    }
    TensorRef told(Exchange& what) const {
        what.what = Collective::Broadcast;
        what.other = static_cast<int>(m_call.attributes.get<std::int64_t>("src"));
        what.tensor = made(m_x->shape);
        what.tensor->storage->copy(what.tensor->offset, *m_x->storage, m_x->offset,
                                   static_cast<std::size_t>(bytes_of(*m_x)));
        what.tensor->storage->uninitialised = false;
        return what.tensor;
    }
    TensorRef gathered(Exchange& what) const {
        std::vector<std::int64_t> shape = m_x->shape;
        shape[0] *= m_size;
        TensorRef result = made(std::move(shape));
        what.what = Collective::AllGather;
        what.tensor = m_x;
        what.into = parts_of(result, m_x->shape);
        what.is_of_one_tensor = true;
        return result;
    }
    TensorRef scattered(Exchange& what) const {
        TensorRef result = made(part());
        what.what = Collective::ReduceScatter;
        what.tensor = result;
        what.from = parts_of(m_x, result->shape);
        what.is_of_one_tensor = true;
        what.reduction = reduction();
        return result;
    }
    TensorRef turned(Exchange& what) const {
        TensorRef result = made(m_x->shape);
        what.what = Collective::AllToAll;
        what.from = parts_of(m_x, part());
        what.into = parts_of(result, part());
        what.tensor = what.from[0];
        return result;
    }

    const lang::Engine& m_engine;
    const OpCall& m_call;
    const TensorRef& m_x;
    const TensorRef m_result;
    const std::int64_t m_size;
};

} // namespace

Result<std::vector<TensorRef>> exchange_on(lang::Engine& engine, const OpCall& call,
                                           const std::vector<TensorRef>& inputs) {
    if (!engine.exchange)
        return Error{"argument", cat(call.op->name, " exchanges tensors with other processes, and this one is in no "
                                                    "group: call hidet.distributed.init_process_group()")};
    Exchange what;
    TensorRef result = Exchanging(engine, call, inputs[0], nullptr).prepared(what);
    if (auto done = engine.exchange(call.attributes.get<std::int64_t>("group"), what); !done)
        return done.error();
    return std::vector<TensorRef>{std::move(result)};
}

Result<void> record_exchange(lang::Engine& engine, const OpCall& call, const TensorRef& input, TensorRef result) {
    Exchange what{.is_recorded = true};
    Exchanging(engine, call, input, std::move(result)).prepared(what);
    return engine.exchange(call.attributes.get<std::int64_t>("group"), what);
}

} // namespace hidet::graph
