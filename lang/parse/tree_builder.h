// SPDX-License-Identifier: Apache-2.0
// What the grammar's actions call. It is compiled as C++17 there, so syntax nodes are only declared here. Lists are built
// on stacks: a rule remembers the height when it begins and takes what lies above it when it ends; a statement that fails
// cuts all stacks back. Parts may be null where the parser recovered.
#pragma once

#include <cstddef>
#include <cstdint>

namespace hidet::lang {

namespace ast {
struct Expr;
struct Stmt;
} // namespace ast
using ast::Expr;

using Index = std::uint32_t; // of a token
constexpr Index no_token = 0xFFFFFFFFu;

struct Extent { // first and last token
    Index first = no_token;
    Index last = no_token;
};
struct Block {
    ast::Stmt** statements = nullptr;
    std::size_t count = 0;
};
using Height = std::size_t;

enum class ParameterForm { Normal, Star, StarStar, Slash };
enum class StarForm { Bitwise, Any, Target }; // what may stand behind a star
enum class Display { Generator, List, DictOrSet };
enum class SequenceForm { Single, Group, Open, List };

class BuilderState;

class StatementBuilder {
public:
    explicit StatementBuilder(BuilderState& state) : s(state) {}

    void begin_statement();
    void end_statement();
    void statement_failed(Extent tokens); // by the error strategy, instead of end_statement
    Height statements();
    void stray_block(Height from, Extent at);
    Block take_block(Height from);
    void semicolon(Index token);
    void pass_statement(Extent at);
    void break_statement(Extent at);
    void continue_statement(Extent at);
    void annotated_assignment(Expr* target, Expr* annotation, Height from, Extent at);
    void augmented_assignment(Expr* target, Index op, Expr* value, Extent at);
    void assignment_or_expression(Height from, Extent at);
    void delete_statement(Expr* targets, Extent at);
    void return_statement(Expr* value, Extent at);
    void raise_statement(Height from, Extent at);
    void assert_statement(Height from, Extent at);

    Height names();
    void push_name(Index token);
    void global_statement(Index word, Height from, Extent at);
    void push_import(Extent name, Index star);
    void import_alias(Index token);
    void import_statement(Height from, Extent at);
    void begin_from();
    void from_dots(int count);
    void from_statement(Extent module, Height from, Extent at);

    Height arms();
    void push_arm(Index word, Expr* head, Block body);
    void push_handler(bool is_group, Expr* type, Index name, Block body, Extent at);
    void if_statement(Height from, Extent at);
    void while_statement(Height from, Extent at);
    void for_statement(Height from, Expr* target, Extent at);
    void try_statement(Height from, Extent at);
    Height items();
    void push_item(Expr* context, Expr* target);
    void with_statement(Height from, Block body, Extent at);
    Height parameters();
    void parameter(ParameterForm form, Index name, Expr* annotation, Expr* value, Extent at);
    void check_parameters(Height from);
    void function(Index name, Height parameters, Expr* result, Block body, Extent at);
    void class_definition(Index name, Height arguments, Block body, Extent at);
    void decorate(Height from);

private:
    BuilderState& s;
};

class MatchBuilder {
public:
    explicit MatchBuilder(BuilderState& state) : s(state) {}

    Expr* subject(Height from, bool comma, Extent at);
    Height cases();
    void push_case(Expr* guard, Block body, Extent at);
    void match_statement(Expr* subject, Height from, Extent at);
    Height patterns();
    void literal_pattern(Extent at);
    void number_pattern(Extent at);
    void string_pattern(Expr* text, Extent at);
    void name_pattern(Extent at);
    void star_pattern(Index name, Extent at);
    void or_pattern(Height from, Extent at);
    void as_pattern(Index name, Extent at);
    void sequence_pattern(Height from, SequenceForm form, Extent at);
    void class_pattern(Height from, Extent at);
    void keyword_pattern(Extent at);
    void end_keyword_pattern();
    void positional_pattern(Extent at);
    void key_pattern(Extent at);
    void end_key_pattern();
    void rest_pattern(Index name, Extent at);
    void mapping_pattern(Height from, Extent at);

private:
    BuilderState& s;
};

class ExpressionBuilder {
public:
    explicit ExpressionBuilder(BuilderState& state) : s(state) {}

    Height mark();
    void push(Expr* value);
    void comma(Index token);
    Expr* tuple_or_single(Height from, bool comma, Extent at);
    Expr* targets(Height from, bool comma, Extent at);
    Expr* starred(Expr* value, StarForm form, Extent at);
    Expr* yield_from(Expr* value, Extent at);
    Expr* yield_value(Expr* value, Extent at);
    Expr* named_expression(Expr* target, Expr* value, Extent at);
    Expr* conditional(Expr* condition, Expr* then_value, Expr* else_value, Extent at);
    Expr* lambda(Height from, Expr* body, Extent at);
    Height begin_operators();
    void prefix(Index op);
    void infix(Index op);
    void operand(Expr* value, Extent at);
    Expr* end_operators(Height from);
    Expr* name(Index token);
    Expr* number(Index token);
    Expr* constant(Index token);
    Expr* error(Extent at);
    Expr* attribute(Expr* object, Index name, Extent at);
    Height arguments();
    void argument(Expr* value);
    void star_argument(Expr* value, Extent at);
    void star_star_argument(Expr* value, Extent at);
    void keyword_argument(Expr* name, Expr* value, Extent at);
    void named_argument(Height from);
    void generator_argument(Height from, Extent at);
    Expr* call(Expr* callee, Height from, Extent at);
    Expr* subscript(Expr* object, Expr* index, Extent at);
    Expr* subscripts(Height from, bool comma, Extent at);
    Expr* slice(Expr* start, Expr* stop, Expr* step, Extent at);
    Expr* group(Height from, bool comma, Extent at);
    Expr* list(Height from, Extent at);
    void begin_entries();
    void push_pair(Expr* key, Expr* value, Extent at);
    void push_element(Expr* value, Extent at);
    Expr* dict_or_set(Height from, Extent at);
    void begin_clauses();
    void clause(bool is_async, Expr* target, Expr* source);
    void clause_condition(Expr* condition);
    Expr* comprehension(Display form, Height from, Extent at);

private:
    BuilderState& s;
};

class StringBuilder {
public:
    explicit StringBuilder(BuilderState& state) : s(state) {}

    Height begin_strings();
    void string_piece(Index token);
    void begin_format(Index token);
    void format_text(Index token);
    void begin_field(Index token);
    void field_value(Expr* value);
    void field_debug(Index token);
    void field_conversion(Index token);
    void begin_spec();
    void end_spec();
    void end_field();
    void end_format();
    Expr* format_value(Height from, bool comma, Extent at);
    Expr* strings(Height from, Extent at);

private:
    BuilderState& s;
};

// A class for each part of the language; what they share is the state.
struct TreeBuilder {
    explicit TreeBuilder(BuilderState& state) : statement(state), match(state), expression(state), string(state) {}

    StatementBuilder statement;
    MatchBuilder match;
    ExpressionBuilder expression;
    StringBuilder string;
};

} // namespace hidet::lang
