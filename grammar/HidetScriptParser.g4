// SPDX-License-Identifier: Apache-2.0
//
// The syntax of Hidet Script, which is Python 3.11's. Strictly LL(1): one token decides every alternative, so the parser
// never predicts, takes no lock and costs the same on broken text; a test greps the generated code for that. Hence
//   * operators are a flat list here, and their precedence is a table in lang/parse/operators.cpp;
//   * what Python decides by looking far ahead (soft keywords, `with (a as b)`) is decided by lang/parse/logical_lines.cpp, which
//     emits tokens of their own for it, and for stray or missing blocks as well;
//   * what LL(1) cannot say (assignment targets, the order of arguments, doubled commas) is checked where the tree is
//     built. Actions run with missing parts while the parser recovers: every TreeBuilder function takes null.
parser grammar HidetScriptParser;

options { tokenVocab = HidetScriptLexer; }

@header {
#include "lang/parse/tree_builder.h"
}

@members {
    hidet::lang::TreeBuilder* b = nullptr;

    static hidet::lang::Index at(antlr4::Token* token) {
        return token ? static_cast<hidet::lang::Index>(token->getTokenIndex()) : hidet::lang::no_token;
    }
    hidet::lang::Index last() { return static_cast<hidet::lang::Index>(_input->index()) - 1; }
    // The tokens from the start of the rule to the last one read.
    hidet::lang::Extent here(antlr4::ParserRuleContext* context) { return {at(context->start), last()}; }
}

file: statement* EOF;

// ---- statements -----------------------------------------------------------------------------------------------------

statement locals [std::size_t m = 0]
@init { b->statement.begin_statement(); }
@after { b->statement.end_statement(); }
    : simple_line
    | if_statement
    | while_statement
    | for_statement[at($ctx->start)]
    | try_statement
    | with_statement[at($ctx->start)]
    | function[at($ctx->start)]
    | class_definition
    | async_statement
    | decorated
    | match_statement
    | STRAY_INDENT { $m = b->statement.statements(); } statement+ DEDENT { b->statement.stray_block($m, here($ctx)); }
    | STRAY_CLAUSE
    ;

simple_line: small_statement ( s=SEMICOLON { b->statement.semicolon(at($s)); } small_statement? )* NEWLINE;

block returns [hidet::lang::Block r] locals [std::size_t m = 0]
@init { $m = b->statement.statements(); }
    : ( simple_line | NEWLINE ( INDENT statement+ DEDENT | NO_BODY ) ) { $r = b->statement.take_block($m); }
    ;

small_statement
    : expression_statement
    | delete_statement
    | PASS { b->statement.pass_statement(here($ctx)); }
    | BREAK { b->statement.break_statement(here($ctx)); }
    | CONTINUE { b->statement.continue_statement(here($ctx)); }
    | return_statement
    | raise_statement
    | global_statement
    | import_statement
    | from_statement
    | assert_statement
    ;

expression_statement locals [std::size_t m = 0]
@init { $m = b->expression.mark(); }
    : first=values_or_yield
      ( COLON note=test ( EQUAL given=values_or_yield { b->expression.push($given.e); } )?
        { b->statement.annotated_assignment($first.e, $note.e, $m, here($ctx)); }
      | op=( PLUS_EQUAL | MINUS_EQUAL | STAR_EQUAL | SLASH_EQUAL | SLASH_SLASH_EQUAL | PERCENT_EQUAL | STAR_STAR_EQUAL
           | AT_EQUAL | LEFT_EQUAL | RIGHT_EQUAL | AMPERSAND_EQUAL | BAR_EQUAL | CARET_EQUAL )
        right=values_or_yield { b->statement.augmented_assignment($first.e, at($op), $right.e, here($ctx)); }
      | { b->expression.push($first.e); } ( EQUAL next=values_or_yield { b->expression.push($next.e); } )*
        { b->statement.assignment_or_expression($m, here($ctx)); }
      )
    ;

delete_statement: DEL v=values { b->statement.delete_statement($v.e, here($ctx)); };

return_statement: RETURN ( v=values { b->statement.return_statement($v.e, here($ctx)); }
                         | { b->statement.return_statement(nullptr, here($ctx)); } );

raise_statement locals [std::size_t m = 0]
@init { $m = b->expression.mark(); }
    : RAISE ( v=test { b->expression.push($v.e); } ( FROM cause=test { b->expression.push($cause.e); } )? )?
      { b->statement.raise_statement($m, here($ctx)); }
    ;

assert_statement locals [std::size_t m = 0]
@init { $m = b->expression.mark(); }
    : ASSERT condition=test { b->expression.push($condition.e); } ( COMMA message=test { b->expression.push($message.e); } )?
      { b->statement.assert_statement($m, here($ctx)); }
    ;

global_statement locals [std::size_t m = 0]
@init { $m = b->statement.names(); }
    : word=( GLOBAL | NONLOCAL ) n=NAME { b->statement.push_name(at($n)); } ( COMMA n=NAME { b->statement.push_name(at($n)); } )*
      { b->statement.global_statement(at($word), $m, here($ctx)); }
    ;

import_statement locals [std::size_t m = 0]
@init { $m = b->statement.names(); }
    : IMPORT import_item ( COMMA import_item )* { b->statement.import_statement($m, here($ctx)); }
    ;

import_item
    : name=dotted_name { b->statement.push_import($name.r, hidet::lang::no_token); }
      ( AS alias=NAME { b->statement.import_alias(at($alias)); } )?
    ;

from_statement locals [std::size_t m = 0, hidet::lang::Extent module]
@init { $m = b->statement.names(); }
    : FROM { b->statement.begin_from(); }
      ( ( DOT { b->statement.from_dots(1); } | ELLIPSIS { b->statement.from_dots(3); } )+ ( name=dotted_name { $module = $name.r; } )?
      | other=dotted_name { $module = $other.r; } )
      IMPORT
      ( s=STAR { b->statement.push_import({at($s), at($s)}, at($s)); }
      | LPAREN from_item ( c=COMMA { b->expression.comma(at($c)); } from_item? )* RPAREN
      | from_item ( COMMA from_item )* )
      { b->statement.from_statement($module, $m, here($ctx)); }
    ;

from_item
    : n=NAME { b->statement.push_import({at($n), at($n)}, hidet::lang::no_token); }
      ( AS alias=NAME { b->statement.import_alias(at($alias)); } )?
    ;

dotted_name returns [hidet::lang::Extent r]
    : NAME ( DOT NAME )* { $r = here($ctx); }
    ;

if_statement locals [std::size_t m = 0]
@init { $m = b->statement.arms(); }
    : word=IF c=named COLON body=block { b->statement.push_arm(at($word), $c.e, $body.r); }
      ( word=ELIF c=named COLON body=block { b->statement.push_arm(at($word), $c.e, $body.r); } )*
      ( word=ELSE COLON body=block { b->statement.push_arm(at($word), nullptr, $body.r); } )?
      { b->statement.if_statement($m, here($ctx)); }
    ;

while_statement locals [std::size_t m = 0]
@init { $m = b->statement.arms(); }
    : word=WHILE c=named COLON body=block { b->statement.push_arm(at($word), $c.e, $body.r); }
      ( word=ELSE COLON body=block { b->statement.push_arm(at($word), nullptr, $body.r); } )?
      { b->statement.while_statement($m, here($ctx)); }
    ;

for_statement [hidet::lang::Index first] locals [std::size_t m = 0]
@init { $m = b->statement.arms(); }
    : word=FOR t=targets IN source=values COLON body=block { b->statement.push_arm(at($word), $source.e, $body.r); }
      ( word=ELSE COLON body=block { b->statement.push_arm(at($word), nullptr, $body.r); } )?
      { b->statement.for_statement($m, $t.e, {$first, last()}); }
    ;

try_statement locals [std::size_t m = 0]
@init { $m = b->statement.arms(); }
    : word=TRY COLON body=block { b->statement.push_arm(at($word), nullptr, $body.r); }
      handler*
      ( word=ELSE COLON body=block { b->statement.push_arm(at($word), nullptr, $body.r); } )?
      ( word=FINALLY COLON body=block { b->statement.push_arm(at($word), nullptr, $body.r); } )?
      { b->statement.try_statement($m, here($ctx)); }
    ;

handler locals [hidet::lang::Index name = hidet::lang::no_token, bool is_group = false, hidet::lang::Expr* type = nullptr]
    : word=EXCEPT ( STAR { $is_group = true; } )?
      ( kind=test { $type = $kind.e; } ( AS n=NAME { $name = at($n); } )? )?
      COLON body=block { b->statement.push_handler($is_group, $type, $name, $body.r, here($ctx)); }
    ;

with_statement [hidet::lang::Index first] locals [std::size_t m = 0]
@init { $m = b->statement.items(); }
    : WITH ( WITH_PAREN with_item ( c=COMMA { b->expression.comma(at($c)); } with_item? )* RPAREN
           | with_item ( COMMA with_item )* )
      COLON body=block { b->statement.with_statement($m, $body.r, {$first, last()}); }
    ;

with_item locals [hidet::lang::Expr* target = nullptr]
    : v=test ( AS name=target_item { $target = $name.e; } )? { b->statement.push_item($v.e, $target); }
    ;

function [hidet::lang::Index first] locals [hidet::lang::Expr* result = nullptr, std::size_t m = 0]
@init { $m = b->statement.parameters(); }
    : DEF name=NAME LPAREN ( parameter_list )? RPAREN { b->statement.check_parameters($m); }
      ( ARROW r=test { $result = $r.e; } )?
      COLON body=block
      { b->statement.function(at($name), $m, $result, $body.r, {$first, last()}); }
    ;

parameter_list: parameter ( c=COMMA { b->expression.comma(at($c)); } parameter? )*;

parameter locals [hidet::lang::Expr* note = nullptr, hidet::lang::Expr* given = nullptr]
    : n=NAME ( COLON t=test { $note = $t.e; } )? ( EQUAL d=test { $given = $d.e; } )?
      { b->statement.parameter(hidet::lang::ParameterForm::Normal, at($n), $note, $given, here($ctx)); }
    | STAR ( n=NAME ( COLON s=value { $note = $s.e; } )? )?
      { b->statement.parameter(hidet::lang::ParameterForm::Star, at($n), $note, nullptr, here($ctx)); }
    | STAR_STAR n=NAME ( COLON t=test { $note = $t.e; } )?
      { b->statement.parameter(hidet::lang::ParameterForm::StarStar, at($n), $note, nullptr, here($ctx)); }
    | SLASH { b->statement.parameter(hidet::lang::ParameterForm::Slash, hidet::lang::no_token, nullptr, nullptr, here($ctx)); }
    ;

lambda_parameter locals [hidet::lang::Expr* given = nullptr]
    : n=NAME ( EQUAL d=test { $given = $d.e; } )?
      { b->statement.parameter(hidet::lang::ParameterForm::Normal, at($n), nullptr, $given, here($ctx)); }
    | STAR ( n=NAME )? { b->statement.parameter(hidet::lang::ParameterForm::Star, at($n), nullptr, nullptr, here($ctx)); }
    | STAR_STAR n=NAME { b->statement.parameter(hidet::lang::ParameterForm::StarStar, at($n), nullptr, nullptr, here($ctx)); }
    | SLASH { b->statement.parameter(hidet::lang::ParameterForm::Slash, hidet::lang::no_token, nullptr, nullptr, here($ctx)); }
    ;

class_definition locals [std::size_t m = 0]
@init { $m = b->expression.arguments(); }
    : CLASS name=NAME ( LPAREN ( argument_list )? RPAREN )? COLON body=block
      { b->statement.class_definition(at($name), $m, $body.r, here($ctx)); }
    ;

async_statement
    : word=ASYNC ( function[at($word)] | for_statement[at($word)] | with_statement[at($word)] )
    ;

decorated locals [std::size_t m = 0]
@init { $m = b->expression.mark(); }
    : ( AT v=named { b->expression.push($v.e); } NEWLINE )+
      ( function[at(_input->LT(1))] | class_definition | word=ASYNC function[at($word)] )
      { b->statement.decorate($m); }
    ;

match_statement locals [std::size_t m = 0]
@init { $m = b->match.cases(); }
    : MATCH subject=match_subject COLON NEWLINE INDENT case_block+ DEDENT
      { b->match.match_statement($subject.e, $m, here($ctx)); }
    ;

match_subject returns [hidet::lang::Expr* e = nullptr] locals [std::size_t m = 0, bool comma = false]
@init { $m = b->expression.mark(); }
    : x=named_or_star { b->expression.push($x.e); }
      ( c=COMMA { $comma = true; b->expression.comma(at($c)); } ( y=named_or_star { b->expression.push($y.e); } )? )*
      { $e = b->match.subject($m, $comma, here($ctx)); }
    ;

case_block locals [hidet::lang::Expr* guard = nullptr]
    : CASE open_pattern
      ( IF condition=named { $guard = $condition.e; } )? COLON body=block
      { b->match.push_case($guard, $body.r, here($ctx)); }
    ;

// Patterns are checked, and not kept.
open_pattern locals [std::size_t m = 0, bool comma = false]
@init { $m = b->match.patterns(); }
    : pattern_item ( c=COMMA { $comma = true; b->expression.comma(at($c)); } pattern_item? )*
      { b->match.sequence_pattern($m, $comma ? hidet::lang::SequenceForm::Open : hidet::lang::SequenceForm::Single, here($ctx)); }
    ;

pattern_item: STAR n=NAME { b->match.star_pattern(at($n), here($ctx)); } | as_pattern;

as_pattern locals [std::size_t m = 0]
@init { $m = b->match.patterns(); }
    : closed_pattern ( BAR closed_pattern )* { b->match.or_pattern($m, here($ctx)); }
      ( AS n=NAME { b->match.as_pattern(at($n), here($ctx)); } )?
    ;

closed_pattern locals [std::size_t m = 0, bool comma = false]
@init { $m = b->match.patterns(); }
    : NONE { b->match.literal_pattern(here($ctx)); }
    | TRUE { b->match.literal_pattern(here($ctx)); }
    | FALSE { b->match.literal_pattern(here($ctx)); }
    | number_pattern
    | words=strings { b->match.string_pattern($words.e, here($ctx)); }
    | NAME ( DOT NAME )*
      ( { b->match.name_pattern(here($ctx)); }
      | LPAREN ( class_argument ( c=COMMA { b->expression.comma(at($c)); } class_argument? )* )? RPAREN
        { b->match.class_pattern($m, here($ctx)); } )
    | LPAREN ( pattern_item ( c=COMMA { $comma = true; b->expression.comma(at($c)); } pattern_item? )* )? RPAREN
      { b->match.sequence_pattern($m, $comma ? hidet::lang::SequenceForm::Open : hidet::lang::SequenceForm::Group, here($ctx)); }
    | LBRACK ( pattern_item ( c=COMMA { b->expression.comma(at($c)); } pattern_item? )* )? RBRACK
      { b->match.sequence_pattern($m, hidet::lang::SequenceForm::List, here($ctx)); }
    | LBRACE ( mapping_item ( c=COMMA { b->expression.comma(at($c)); } mapping_item? )* )? RBRACE { b->match.mapping_pattern($m, here($ctx)); }
    | BAD_ATOM { b->match.literal_pattern(here($ctx)); }
    ;

number_pattern
    : MINUS? NUMBER ( ( PLUS | MINUS ) NUMBER )? { b->match.number_pattern(here($ctx)); }
    ;

class_argument
    : as_pattern
      ( EQUAL { b->match.keyword_pattern(here($ctx)); } as_pattern { b->match.end_keyword_pattern(); }
      | { b->match.positional_pattern(here($ctx)); } )
    ;

mapping_item
    : STAR_STAR n=NAME { b->match.rest_pattern(at($n), here($ctx)); }
    | closed_pattern { b->match.key_pattern(here($ctx)); } COLON as_pattern { b->match.end_key_pattern(); }
    ;

// ---- expressions ----------------------------------------------------------------------------------------------------

// a, *b, c
values returns [hidet::lang::Expr* e = nullptr] locals [std::size_t m = 0, bool comma = false]
@init { $m = b->expression.mark(); }
    : x=value { b->expression.push($x.e); } ( c=COMMA { $comma = true; b->expression.comma(at($c)); } ( y=value { b->expression.push($y.e); } )? )*
      { $e = b->expression.tuple_or_single($m, $comma, here($ctx)); }
    ;

values_or_yield returns [hidet::lang::Expr* e = nullptr]
    : v=values { $e = $v.e; }
    | y=yield_expression { $e = $y.e; }
    ;

value returns [hidet::lang::Expr* e = nullptr]
    : t=test { $e = $t.e; }
    | STAR t=test { $e = b->expression.starred($t.e, hidet::lang::StarForm::Bitwise, here($ctx)); }
    ;

yield_expression returns [hidet::lang::Expr* e = nullptr]
    : YIELD ( FROM t=test { $e = b->expression.yield_from($t.e, here($ctx)); }
            | v=values { $e = b->expression.yield_value($v.e, here($ctx)); }
            | { $e = b->expression.yield_value(nullptr, here($ctx)); } )
    ;

// A value that may be named: n := value
named returns [hidet::lang::Expr* e = nullptr]
    : t=test { $e = $t.e; } ( WALRUS v=test { $e = b->expression.named_expression($e, $v.e, here($ctx)); } )?
    ;

named_or_star returns [hidet::lang::Expr* e = nullptr]
    : n=named { $e = $n.e; }
    | STAR t=test { $e = b->expression.starred($t.e, hidet::lang::StarForm::Bitwise, here($ctx)); }
    ;

test returns [hidet::lang::Expr* e = nullptr] locals [std::size_t m = 0]
    : f=flat { $e = $f.e; }
      ( IF condition=flat ELSE other=test { $e = b->expression.conditional($condition.e, $e, $other.e, here($ctx)); } )?
    | LAMBDA { $m = b->statement.parameters(); } ( lambda_parameter ( c=COMMA { b->expression.comma(at($c)); } lambda_parameter? )* )?
      { b->statement.check_parameters($m); } COLON body=test { $e = b->expression.lambda($m, $body.e, here($ctx)); }
    ;

// Operands and operators as they come; the tree is made by precedence.
flat returns [hidet::lang::Expr* e = nullptr] locals [std::size_t m = 0]
@init { $m = b->expression.begin_operators(); }
    : ( op=( PLUS | MINUS | TILDE | NOT | AWAIT ) { b->expression.prefix(at($op)); } )* x=primary { b->expression.operand($x.e, {at($x.start), last()}); }
      ( op=( PLUS | MINUS | STAR | SLASH | SLASH_SLASH | PERCENT | STAR_STAR | AT | LEFT | RIGHT | AMPERSAND | BAR
           | CARET | EQUAL_EQUAL | NOT_EQUAL | LESS | LESS_EQUAL | GREATER | GREATER_EQUAL | IN | NOT_IN | IS | IS_NOT
           | AND | OR ) { b->expression.infix(at($op)); }
        ( op=( PLUS | MINUS | TILDE | NOT | AWAIT ) { b->expression.prefix(at($op)); } )* x=primary { b->expression.operand($x.e, {at($x.start), last()}); } )*
      { $e = b->expression.end_operators($m); }
    ;

primary returns [hidet::lang::Expr* e = nullptr] locals [std::size_t m = 0]
    : ( t=NAME { $e = b->expression.name(at($t)); }
      | t=NUMBER { $e = b->expression.number(at($t)); }
      | t=( TRUE | FALSE | NONE | ELLIPSIS ) { $e = b->expression.constant(at($t)); }
      | s=strings { $e = $s.e; }
      | g=group { $e = $g.e; }
      | l=list { $e = $l.e; }
      | d=dict_or_set { $e = $d.e; }
      | t=BAD_ATOM { $e = b->expression.error(here($ctx)); }
      )
      ( DOT t=NAME { $e = b->expression.attribute($e, at($t), here($ctx)); }
      | LPAREN { $m = b->expression.arguments(); } ( argument_list )? RPAREN { $e = b->expression.call($e, $m, here($ctx)); }
      | LBRACK i=subscripts RBRACK { $e = b->expression.subscript($e, $i.e, here($ctx)); }
      )*
    ;

group returns [hidet::lang::Expr* e = nullptr] locals [std::size_t m = 0, bool comma = false, bool comprehension = false]
@init { $m = b->expression.mark(); }
    : LPAREN
      ( y=yield_expression { b->expression.push($y.e); }
      | x=named_or_star { b->expression.push($x.e); }
        ( { $comprehension = true; b->expression.begin_clauses(); } clause+
        | ( c=COMMA { $comma = true; b->expression.comma(at($c)); } ( z=named_or_star { b->expression.push($z.e); } )? )* )
      )?
      RPAREN { $e = $comprehension ? b->expression.comprehension(hidet::lang::Display::Generator, $m, here($ctx))
                                   : b->expression.group($m, $comma, here($ctx)); }
    ;

list returns [hidet::lang::Expr* e = nullptr] locals [std::size_t m = 0, bool comprehension = false]
@init { $m = b->expression.mark(); }
    : LBRACK
      ( x=named_or_star { b->expression.push($x.e); }
        ( { $comprehension = true; b->expression.begin_clauses(); } clause+
        | ( c=COMMA { b->expression.comma(at($c)); } ( y=named_or_star { b->expression.push($y.e); } )? )* )
      )?
      RBRACK { $e = $comprehension ? b->expression.comprehension(hidet::lang::Display::List, $m, here($ctx))
                                   : b->expression.list($m, here($ctx)); }
    ;

dict_or_set returns [hidet::lang::Expr* e = nullptr] locals [std::size_t m = 0, bool comprehension = false]
@init { $m = b->expression.mark(); b->expression.begin_entries(); }
    : LBRACE
      ( entry
        ( { $comprehension = true; b->expression.begin_clauses(); } clause+
        | ( c=COMMA { b->expression.comma(at($c)); } entry? )* )
      )?
      RBRACE { $e = $comprehension ? b->expression.comprehension(hidet::lang::Display::DictOrSet, $m, here($ctx))
                                   : b->expression.dict_or_set($m, here($ctx)); }
    ;

entry
    : STAR_STAR v=flat { b->expression.push_pair(nullptr, $v.e, here($ctx)); }
    | STAR t=test { b->expression.push_element(b->expression.starred($t.e, hidet::lang::StarForm::Bitwise, here($ctx)), here($ctx)); }
    | k=named ( { b->expression.push_element($k.e, here($ctx)); } | COLON v2=test { b->expression.push_pair($k.e, $v2.e, here($ctx)); } )
    ;

clause locals [bool async = false]
    : ( ASYNC { $async = true; } )? FOR t=targets IN source=flat { b->expression.clause($async, $t.e, $source.e); }
      ( IF c=flat { b->expression.clause_condition($c.e); } )*
    ;

targets returns [hidet::lang::Expr* e = nullptr] locals [std::size_t m = 0, bool comma = false]
@init { $m = b->expression.mark(); }
    : x=target_item { b->expression.push($x.e); } ( c=COMMA { $comma = true; b->expression.comma(at($c)); } ( y=target_item { b->expression.push($y.e); } )? )*
      { $e = b->expression.targets($m, $comma, here($ctx)); }
    ;

target_item returns [hidet::lang::Expr* e = nullptr]
    : p=primary { $e = $p.e; }
    | STAR p=primary { $e = b->expression.starred($p.e, hidet::lang::StarForm::Target, here($ctx)); }
    ;

argument_list: argument ( c=COMMA { b->expression.comma(at($c)); } argument? )*;

argument locals [std::size_t m = 0]
    : STAR t=test { b->expression.star_argument($t.e, here($ctx)); }
    | STAR_STAR t=test { b->expression.star_star_argument($t.e, here($ctx)); }
    | t=test
      ( { b->expression.argument($t.e); }
      | WALRUS v=test { $m = b->expression.mark(); b->expression.push(b->expression.named_expression($t.e, $v.e, here($ctx))); }
        ( { b->expression.named_argument($m); } | { b->expression.begin_clauses(); } clause+ { b->expression.generator_argument($m, here($ctx)); } )
      | EQUAL v=test { b->expression.keyword_argument($t.e, $v.e, here($ctx)); }
      | { $m = b->expression.mark(); b->expression.push($t.e); b->expression.begin_clauses(); } clause+ { b->expression.generator_argument($m, here($ctx)); }
      )
    ;

subscripts returns [hidet::lang::Expr* e = nullptr] locals [std::size_t m = 0, bool comma = false]
@init { $m = b->expression.mark(); }
    : x=subscript_item { b->expression.push($x.e); }
      ( c=COMMA { $comma = true; b->expression.comma(at($c)); } ( y=subscript_item { b->expression.push($y.e); } )? )*
      { $e = b->expression.subscripts($m, $comma, here($ctx)); }
    ;

subscript_item returns [hidet::lang::Expr* e = nullptr]
    locals [hidet::lang::Expr* from = nullptr, hidet::lang::Expr* to = nullptr, hidet::lang::Expr* by = nullptr]
    : STAR t=test { $e = b->expression.starred($t.e, hidet::lang::StarForm::Any, here($ctx)); }
    | n=named { $e = $n.e; }
      ( c=COLON { $from = $e; } ( upper=test { $to = $upper.e; } )? ( COLON ( step=test { $by = $step.e; } )? )?
        { $e = b->expression.slice($from, $to, $by, here($ctx)); } )?
    | COLON ( upper=test { $to = $upper.e; } )? ( COLON ( step=test { $by = $step.e; } )? )?
      { $e = b->expression.slice(nullptr, $to, $by, here($ctx)); }
    ;

// Adjacent literals are one value.
strings returns [hidet::lang::Expr* e = nullptr] locals [std::size_t m = 0]
@init { $m = b->string.begin_strings(); }
    : ( s=STRING { b->string.string_piece(at($s)); } | format_string )+ { $e = b->string.strings($m, here($ctx)); }
    ;

format_string: s=FS_BEGIN { b->string.begin_format(at($s)); } format_part* FS_END { b->string.end_format(); };

format_part
    : t=FS_TEXT { b->string.format_text(at($t)); }
    | o=FS_OPEN { b->string.begin_field(at($o)); } v=format_value { b->string.field_value($v.e); }
      ( d=FS_DEBUG { b->string.field_debug(at($d)); } )?
      ( r=FS_CONVERSION { b->string.field_conversion(at($r)); } )?
      ( FS_COLON { b->string.begin_spec(); } format_part* { b->string.end_spec(); } )?
      FS_CLOSE { b->string.end_field(); }
    ;

// As in parentheses.
format_value returns [hidet::lang::Expr* e = nullptr] locals [std::size_t m = 0, bool comma = false]
@init { $m = b->expression.mark(); }
    : y=yield_expression { $e = $y.e; }
    | x=named_or_star { b->expression.push($x.e); }
      ( { b->expression.begin_clauses(); } clause+ { $e = b->expression.comprehension(hidet::lang::Display::Generator, $m, here($ctx)); }
      | ( c=COMMA { $comma = true; b->expression.comma(at($c)); } ( z=named_or_star { b->expression.push($z.e); } )? )*
        { $e = b->string.format_value($m, $comma, here($ctx)); } )
    ;
