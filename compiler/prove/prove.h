// SPDX-License-Identifier: Apache-2.0
// What holds of a kernel for every size, block and thread: that accesses stay within their tensors, that no two threads race,
// that barriers are reached by all threads of a block, that wide accesses are aligned.
//
// Each claim becomes questions to a solver: is there a launch that the script allows, and a thread (or two), of which the
// contrary holds? If none is, the claim is proved. An example refutes it where nothing in the question was approximated. Two
// threads stand for all, as in GPUVerify (Betts et al., OOPSLA 2012): a race is of two, and between barriers it does not matter
// what the others do.
//
// Assumed of every kernel: arithmetic of indices does not overflow, tensors that it is given do not overlap and begin where
// wide accesses want them to, and numbers of tensors and of launches are below 2^31.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "compiler/ir/func.h"
#include "compiler/prove/question.h"

namespace hidet::compiler::prove {

enum class Claim : std::uint8_t { Bounds, Races, Barriers, Alignment };
inline constexpr std::array all_claims = {Claim::Bounds, Claim::Races, Claim::Barriers, Claim::Alignment};
enum class Verdict : std::uint8_t {
    Proved,
    ProvedIf, // of bounds: as much memory lies behind a pointer as it is said to need
    Open,
    Refuted,
};
const char* claim_name(Claim claim);       // "bounds"
const char* verdict_name(Verdict verdict); // "proved", "proved if", "open", "refuted"

struct ThreadAt {
    std::array<std::int64_t, 3> block{}, thread{};
};

struct Counterexample {
    std::vector<std::pair<std::string, std::int64_t>> sizes; // of the launch
    ThreadAt first, second;                                  // of a claim about two threads
    std::vector<std::int64_t> index, shape;                  // of the element, where it is one
    std::string view;                                        // whose shape that is; empty: the tensor's own
};

// A place where a claim is not proved.
struct Doubt {
    Claim claim{};
    Verdict verdict{}; // all but Proved
    Origin at, beside; // of a race, the other access
    std::string tensor;
    std::string why; // Open; ProvedIf: the condition
    std::optional<Counterexample> example;
    bool writes = false, others_writes = false; // of a race
};

struct KernelProof {
    std::array<Verdict, 4> verdicts{}; // of each claim, the worst of all places
    std::array<int, 4> places{};       // that each claim is about: accesses, pairs of them, barriers
    std::vector<Doubt> doubts;         // in the order of the script
    int questions = 0;
    Verdict of(Claim claim) const { return verdicts[static_cast<std::size_t>(claim)]; }
};

struct ProofLimits {
    int doubts = 12; // of a claim: who has so many, has another problem
    const std::atomic<bool>* cancelled = nullptr;
};

// `module` was lowered for the emulator, and holds the function that launches the kernel, if one does.
KernelProof prove(const ir::Module& module, const ir::Function& kernel, const Ask& solver,
                  const ProofLimits& limits = {});

} // namespace hidet::compiler::prove
