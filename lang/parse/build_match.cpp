// SPDX-License-Identifier: Apache-2.0
// The match statement: accepted as Python does. Patterns leave nothing but their mistakes.
#include <algorithm>

#include "lang/parse/builder_state.h"

namespace hidet::lang {

Height TreeBuilder::cases() {
    return s.cases.size();
}

void TreeBuilder::push_case(Expr* guard, Block body, Extent at) {
    s.cases.push_back({guard, s.block(body), s.span(at)});
}

void TreeBuilder::match_statement(Expr* subject, Height from, Extent at) {
    ast::Match node;
    node.subject = s.or_error(subject);
    node.cases = s.take(s.cases, from);
    std::uint16_t depth = node.subject->depth;
    for (const ast::MatchCase& item : node.cases)
        depth = std::max({depth, s.depth_of(item.body), item.guard ? item.guard->depth : std::uint16_t{0}});
    s.statement(s.node(at, node), {depth});
}

void TreeBuilder::begin_patterns() {}
void TreeBuilder::end_patterns(Extent) {}
Height TreeBuilder::patterns() {
    return 0;
}
void TreeBuilder::literal_pattern(Extent) {}
void TreeBuilder::number_pattern(Extent) {}
void TreeBuilder::string_pattern(Expr*, Extent) {}
void TreeBuilder::name_pattern(Extent) {}
void TreeBuilder::star_pattern(Index, Extent) {}
void TreeBuilder::or_pattern_bar() {}
void TreeBuilder::or_pattern(Height, Extent) {}
void TreeBuilder::as_pattern(Index, Extent) {}
void TreeBuilder::sequence_pattern(Height, SequenceForm, Extent) {}
void TreeBuilder::begin_class_pattern(Extent) {}
void TreeBuilder::class_pattern(Height, Extent) {}
void TreeBuilder::keyword_pattern(Extent) {}
void TreeBuilder::end_keyword_pattern() {}
void TreeBuilder::positional_pattern(Extent) {}
void TreeBuilder::key_pattern(Extent) {}
void TreeBuilder::end_key_pattern() {}
void TreeBuilder::rest_pattern(Index, Extent) {}
void TreeBuilder::mapping_pattern(Height, Extent) {}

} // namespace hidet::lang
