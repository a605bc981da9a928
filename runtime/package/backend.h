// SPDX-License-Identifier: Apache-2.0
// What whoever runs a plan does for it: memory, calls, launches, host operators. A table of plain functions; those that
// return false have said why. A backend that has no such function leaves it out.
#pragma once

#include "runtime/package/plan.h"
#include "runtime/package/problem.h"

namespace hidet::package {

struct Buffer; // memory of the backend, which alone knows what it is

struct Address {
    Buffer* buffer = nullptr;
    std::uint64_t offset = 0; // bytes
    std::uint64_t bytes = 0;  // from there to the end of the buffer
};

// A box of a tensor, as a kernel on a GPU reads and writes it.
struct TensorMapValue {
    const PlanTensorMap<Flat>* map = nullptr;
    std::int64_t extents[most_map_rank] = {};     // innermost first
    std::int64_t strides[most_map_rank - 1] = {}; // bytes
};

struct ArgumentValue {
    ArgumentKind kind = ArgumentKind::Address;
    Row value = no_row;      // Address, TensorMap
    bool is_inside = false;  // Address, TensorMap: somewhere in the value
    Address address;         // Address, TensorMap
    Scalar type{};           // Scalar
    std::int64_t scalar = 0; // Scalar: a whole number; bits of an f64 where the type is real
    TensorMapValue map;      // TensorMap
};

class Execution;

// Of the CPU. Its arguments are those of the step.
struct FunctionCall {
    const Execution* execution = nullptr; // whose body has the step and its values
    Row step = 0;
    Row function = 0;
    List<ArgumentValue> arguments;
};
struct KernelLaunch : FunctionCall {
    std::int64_t grid[3] = {}, block[3] = {}, cluster[3] = {};
    std::int64_t dynamic_shared = 0; // bytes
    bool overlaps = false;           // may begin before the launch before it has ended
};

struct TensorValue {
    Text dtype;
    const std::int64_t* extents = nullptr;
    std::uint32_t rank = 0;
    Address address;
};
struct HostStep {
    const Execution* execution = nullptr; // whose body has the step; its expressions are attributes that are shapes
    Row step = 0;
    List<TensorValue> inputs;
    List<TensorValue>
        results; // for the operator to fill in; it gives the buffers away, and lends the rest until its next call
};

struct Backend {
    void* self = nullptr;
    Buffer* (*allocate)(void* self, std::uint64_t bytes,
                        Problem& problem) = nullptr; // of the plan's target; null: failed
    void (*release)(void* self, Buffer* buffer) = nullptr;
    bool (*launch)(void* self, const KernelLaunch& launch, Problem& problem) = nullptr;
    bool (*call)(void* self, const FunctionCall& call, Problem& problem) = nullptr;
    bool (*host)(void* self, HostStep& step, Problem& problem) = nullptr;
    bool (*copy)(void* self, Address to, Address from, std::uint64_t bytes, Problem& problem) = nullptr; // may overlap
    // Between the plan's target and the host, after all that has been begun. Few bytes: conditions and numbers of trips.
    bool (*read)(void* self, void* to, Address from, std::uint64_t bytes, Problem& problem) = nullptr;
    bool (*write)(void* self, Address to, const void* from, std::uint64_t bytes, Problem& problem) = nullptr;
    bool (*fill)(void* self, Address to, std::uint8_t byte, std::uint64_t bytes, Problem& problem) = nullptr;
    bool (*is_cancelled)(void* self) = nullptr;
};

// A method of the object that `self` points at, as a function of such a table.
template <auto method>
struct Bound;
template <class T, class Result, class... Arguments, Result (T::*method)(Arguments...)>
struct Bound<method> {
    static Result call(void* self, Arguments... arguments) { return (static_cast<T*>(self)->*method)(arguments...); }
};

} // namespace hidet::package
