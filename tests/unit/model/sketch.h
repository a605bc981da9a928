// SPDX-License-Identifier: Apache-2.0
// Graphs written down by hand or at random, as plain values, with edits whose true matching is known: every operator has a
// mark that edits leave alone.
#pragma once

#include <map>
#include <random>

#include "app/session/model/compare/graph_match.h"

namespace hidet::test {

struct SketchOp {
    std::uint32_t mark = 0;
    std::string op, name;
    std::vector<std::uint32_t> reads; // marks of operators; 0: the input
    std::vector<std::string> weights; // shapes of constants, behind the other operands
    std::vector<std::pair<std::string, std::string>> attributes;
    std::string shape;
};

struct Sketch {
    std::vector<SketchOp> ops; // in any order that has what is read before
    std::uint32_t output = 0;  // mark

    std::uint32_t add(SketchOp op); // its mark, if it has none yet
    SketchOp& of(std::uint32_t mark);
    session::ModelGraph graph(bool is_numbered = false) const; // numbered: names are operators with numbers
    std::uint32_t next = 1;
};

// Convolutions with residuals in stages of equal blocks; layers of attention; something at random.
Sketch residual_net(std::uint32_t blocks);
Sketch transformer(std::uint32_t layers);
Sketch random_net(std::mt19937& random, std::uint32_t ops);

// An operator on an edge; one less, where it had one operand; another attribute; the same graph in another order.
void insert_op(Sketch& sketch, std::mt19937& random);
void remove_op(Sketch& sketch, std::mt19937& random);
void change_op(Sketch& sketch, std::mt19937& random);
void shuffle(Sketch& sketch, std::mt19937& random);
void rename_all(Sketch& sketch);

} // namespace hidet::test
