// SPDX-License-Identifier: Apache-2.0
// What hidet.distributed has behind it: processes that exchange tensors. The evaluator knows that there may be others; the
// session brings them. Its errors are those of a Result: "cancelled" ends the evaluation, "argument" is the script's mistake,
// anything else the environment's.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lang/base/ref.h"
#include "lang/base/result.h"
#include "lang/tensor/tensor.h"

namespace hidet::lang {

enum class Collective : std::uint8_t {
    AllReduce,
    Reduce,
    Broadcast,
    AllGather,
    Gather,
    Scatter,
    ReduceScatter,
    AllToAll,
    Send,
    Receive,
    Barrier,
};

// Tensors of one dtype and shape, with data.
struct Exchange {
    Collective what = Collective::Barrier;
    TensorRef tensor = {};                       // given, filled, or both; of all_to_all one that says the shape
    TensorRef source = {};                       // of all_reduce: given in its place, and left alone; null: itself is
    std::vector<TensorRef> from = {}, into = {}; // one for each process, or none
    bool is_of_one_tensor = false;               // these are parts of one, in all processes
    std::string reduction = {};                  // "sum"
    int other = 0;                               // the root, or who is sent to or received from
    bool is_recorded = false;                    // into a CUDA graph: an error where it goes through the host
    std::vector<int> ranks = {};                 // in rising order: who of all processes exchange; empty: the group
};

struct PartRequest {
    std::string backend;    // empty: that of the whole
    double timeout = 0;     // seconds
    std::vector<int> ranks; // in the whole, with that of this process; the place in it is the rank in the part
    std::string name = {};  // of one that its members alone ask for; empty: all do
};

class ProcessGroup : public RefCounted {
public:
    virtual int rank() const = 0;
    virtual int size() const = 0;
    virtual std::string backend() const = 0;
    virtual Result<void> exchange(const Exchange& exchange) = 0;
    // All processes of the whole ask for the same parts in the same order, those that are in none of them, too: nothing then. Who
    // is not in a part that has a name need not.
    virtual Result<Ref<ProcessGroup>> part(const PartRequest& request) = 0;
    // Memory of the GPU that all of them have alike, of zeros: kernels reach that of the others.
    virtual Result<std::shared_ptr<Storage>> symmetric(std::size_t bytes);
};

// Short texts under keys, which all processes see.
class SharedStore : public RefCounted {
public:
    virtual Result<void> set(const std::string& key, const std::string& value) = 0;
    virtual Result<std::string> get(const std::string& key) = 0; // waits until somebody has set it
    virtual Result<std::int64_t> add(const std::string& key, std::int64_t amount) = 0;
    virtual void set_timeout(double seconds) = 0;
};

struct GroupRequest {
    std::string backend, init_method; // empty: as it fits, and as the environment says
    Ref<SharedStore> store;           // null: as the method says
    double timeout = 0;               // seconds
    std::optional<int> rank, size;    // nothing: as the environment says
};

struct StoreAddress {
    std::string host;
    int port = 0;
    bool is_served = false; // by this process
    double timeout = 0;
};

class Communication {
public:
    virtual ~Communication() = default;
    virtual Result<Ref<ProcessGroup>> join(const GroupRequest& request) = 0;
    virtual Result<Ref<SharedStore>> open_file(const std::string& path) = 0;
    virtual Result<Ref<SharedStore>> open_address(const StoreAddress& address) = 0;
    virtual bool has_nccl() const = 0;
};

} // namespace hidet::lang
