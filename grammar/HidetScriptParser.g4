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
@init { b->begin_statement(); }
@after { b->end_statement(); }
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
    | STRAY_INDENT { $m = b->statements(); } statement+ DEDENT { b->stray_block($m, here($ctx)); }
    | STRAY_CLAUSE
    ;

simple_line: small_statement ( s=SEMICOLON { b->semicolon(at($s)); } small_statement? )* NEWLINE;

block returns [hidet::lang::Block r] locals [std::size_t m = 0]
@init { $m = b->statements(); }
    : ( simple_line | NEWLINE ( INDENT statement+ DEDENT | NO_BODY ) ) { $r = b->take_block($m); }
    ;

small_statement
    : expression_statement
    | delete_statement
    | PASS { b->pass_statement(here($ctx)); }
    | BREAK { b->break_statement(here($ctx)); }
    | CONTINUE { b->continue_statement(here($ctx)); }
    | return_statement
    | raise_statement
    | global_statement
    | import_statement
    | from_statement
    | assert_statement
    ;

expression_statement locals [std::size_t m = 0]
@init { $m = b->mark(); }
    : first=values_or_yield
      ( COLON note=test ( EQUAL given=values_or_yield { b->push($given.e); } )?
        { b->annotated_assignment($first.e, $note.e, $m, here($ctx)); }
      | op=( PLUS_EQUAL | MINUS_EQUAL | STAR_EQUAL | SLASH_EQUAL | SLASH_SLASH_EQUAL | PERCENT_EQUAL | STAR_STAR_EQUAL
           | AT_EQUAL | LEFT_EQUAL | RIGHT_EQUAL | AMPERSAND_EQUAL | BAR_EQUAL | CARET_EQUAL )
        right=values_or_yield { b->augmented_assignment($first.e, at($op), $right.e, here($ctx)); }
      | { b->push($first.e); } ( EQUAL next=values_or_yield { b->push($next.e); } )*
        { b->assignment_or_expression($m, here($ctx)); }
      )
    ;

delete_statement: DEL v=values { b->delete_statement($v.e, here($ctx)); };

return_statement: RETURN ( v=values { b->return_statement($v.e, here($ctx)); }
                         | { b->return_statement(nullptr, here($ctx)); } );

raise_statement locals [std::size_t m = 0]
@init { $m = b->mark(); }
    : RAISE ( v=test { b->push($v.e); } ( FROM cause=test { b->push($cause.e); } )? )?
      { b->raise_statement($m, here($ctx)); }
    ;

assert_statement locals [std::size_t m = 0]
@init { $m = b->mark(); }
    : ASSERT condition=test { b->push($condition.e); } ( COMMA message=test { b->push($message.e); } )?
      { b->assert_statement($m, here($ctx)); }
    ;

global_statement locals [std::size_t m = 0]
@init { $m = b->names(); }
    : word=( GLOBAL | NONLOCAL ) n=NAME { b->push_name(at($n)); } ( COMMA n=NAME { b->push_name(at($n)); } )*
      { b->global_statement(at($word), $m, here($ctx)); }
    ;

import_statement locals [std::size_t m = 0]
@init { $m = b->names(); }
    : IMPORT import_item ( COMMA import_item )* { b->import_statement($m, here($ctx)); }
    ;

import_item
    : name=dotted_name { b->push_import($name.r, hidet::lang::no_token); }
      ( AS alias=NAME { b->import_alias(at($alias)); } )?
    ;

from_statement locals [std::size_t m = 0, hidet::lang::Extent module]
@init { $m = b->names(); }
    : FROM { b->begin_from(); }
      ( ( DOT { b->from_dots(1); } | ELLIPSIS { b->from_dots(3); } )+ ( name=dotted_name { $module = $name.r; } )?
      | other=dotted_name { $module = $other.r; } )
      IMPORT
      ( s=STAR { b->push_import({at($s), at($s)}, at($s)); }
      | LPAREN from_item ( c=COMMA { b->comma(at($c)); } from_item? )* RPAREN
      | from_item ( COMMA from_item )* )
      { b->from_statement($module, $m, here($ctx)); }
    ;

from_item
    : n=NAME { b->push_import({at($n), at($n)}, hidet::lang::no_token); }
      ( AS alias=NAME { b->import_alias(at($alias)); } )?
    ;

dotted_name returns [hidet::lang::Extent r]
    : NAME ( DOT NAME )* { $r = here($ctx); }
    ;

if_statement locals [std::size_t m = 0]
@init { $m = b->arms(); }
    : word=IF c=named COLON body=block { b->push_arm(at($word), $c.e, $body.r); }
      ( word=ELIF c=named COLON body=block { b->push_arm(at($word), $c.e, $body.r); } )*
      ( word=ELSE COLON body=block { b->push_arm(at($word), nullptr, $body.r); } )?
      { b->if_statement($m, here($ctx)); }
    ;

while_statement locals [std::size_t m = 0]
@init { $m = b->arms(); }
    : word=WHILE c=named COLON body=block { b->push_arm(at($word), $c.e, $body.r); }
      ( word=ELSE COLON body=block { b->push_arm(at($word), nullptr, $body.r); } )?
      { b->while_statement($m, here($ctx)); }
    ;

for_statement [hidet::lang::Index first] locals [std::size_t m = 0]
@init { $m = b->arms(); }
    : word=FOR t=targets IN source=values COLON body=block { b->push_arm(at($word), $source.e, $body.r); }
      ( word=ELSE COLON body=block { b->push_arm(at($word), nullptr, $body.r); } )?
      { b->for_statement($m, $t.e, {$first, last()}); }
    ;

try_statement locals [std::size_t m = 0]
@init { $m = b->arms(); }
    : word=TRY COLON body=block { b->push_arm(at($word), nullptr, $body.r); }
      handler*
      ( word=ELSE COLON body=block { b->push_arm(at($word), nullptr, $body.r); } )?
      ( word=FINALLY COLON body=block { b->push_arm(at($word), nullptr, $body.r); } )?
      { b->try_statement($m, here($ctx)); }
    ;

handler locals [hidet::lang::Index name = hidet::lang::no_token, bool is_group = false, hidet::lang::Expr* type = nullptr]
    : word=EXCEPT ( STAR { $is_group = true; } )?
      ( kind=test { $type = $kind.e; } ( AS n=NAME { $name = at($n); } )? )?
      COLON body=block { b->push_handler($is_group, $type, $name, $body.r, here($ctx)); }
    ;

with_statement [hidet::lang::Index first] locals [std::size_t m = 0]
@init { $m = b->items(); }
    : WITH ( WITH_PAREN with_item ( c=COMMA { b->comma(at($c)); } with_item? )* RPAREN
           | with_item ( COMMA with_item )* )
      COLON body=block { b->with_statement($m, $body.r, {$first, last()}); }
    ;

with_item locals [hidet::lang::Expr* target = nullptr]
    : v=test ( AS name=target_item { $target = $name.e; } )? { b->push_item($v.e, $target); }
    ;

function [hidet::lang::Index first] locals [hidet::lang::Expr* result = nullptr, std::size_t m = 0]
@init { $m = b->parameters(); }
    : DEF name=NAME LPAREN ( parameter_list )? RPAREN { b->check_parameters($m); }
      ( ARROW r=test { $result = $r.e; } )?
      COLON body=block
      { b->function(at($name), $m, $result, $body.r, {$first, last()}); }
    ;

parameter_list: parameter ( c=COMMA { b->comma(at($c)); } parameter? )*;

parameter locals [hidet::lang::Expr* note = nullptr, hidet::lang::Expr* given = nullptr]
    : n=NAME ( COLON t=test { $note = $t.e; } )? ( EQUAL d=test { $given = $d.e; } )?
      { b->parameter(hidet::lang::ParameterForm::Normal, at($n), $note, $given, here($ctx)); }
    | STAR ( n=NAME ( COLON s=value { $note = $s.e; } )? )?
      { b->parameter(hidet::lang::ParameterForm::Star, at($n), $note, nullptr, here($ctx)); }
    | STAR_STAR n=NAME ( COLON t=test { $note = $t.e; } )?
      { b->parameter(hidet::lang::ParameterForm::StarStar, at($n), $note, nullptr, here($ctx)); }
    | SLASH { b->parameter(hidet::lang::ParameterForm::Slash, hidet::lang::no_token, nullptr, nullptr, here($ctx)); }
    ;

lambda_parameter locals [hidet::lang::Expr* given = nullptr]
    : n=NAME ( EQUAL d=test { $given = $d.e; } )?
      { b->parameter(hidet::lang::ParameterForm::Normal, at($n), nullptr, $given, here($ctx)); }
    | STAR ( n=NAME )? { b->parameter(hidet::lang::ParameterForm::Star, at($n), nullptr, nullptr, here($ctx)); }
    | STAR_STAR n=NAME { b->parameter(hidet::lang::ParameterForm::StarStar, at($n), nullptr, nullptr, here($ctx)); }
    | SLASH { b->parameter(hidet::lang::ParameterForm::Slash, hidet::lang::no_token, nullptr, nullptr, here($ctx)); }
    ;

class_definition locals [std::size_t m = 0]
@init { $m = b->arguments(); }
    : CLASS name=NAME ( LPAREN ( argument_list )? RPAREN )? COLON body=block
      { b->class_definition(at($name), $m, $body.r, here($ctx)); }
    ;

async_statement
    : word=ASYNC ( function[at($word)] | for_statement[at($word)] | with_statement[at($word)] )
    ;

decorated locals [std::size_t m = 0]
@init { $m = b->mark(); }
    : ( AT v=named { b->push($v.e); } NEWLINE )+
      ( function[at(_input->LT(1))] | class_definition | word=ASYNC function[at($word)] )
      { b->decorate($m); }
    ;

match_statement locals [std::size_t m = 0]
@init { $m = b->cases(); }
    : MATCH subject=match_subject COLON NEWLINE INDENT case_block+ DEDENT
      { b->match_statement($subject.e, $m, here($ctx)); }
    ;

match_subject returns [hidet::lang::Expr* e = nullptr] locals [std::size_t m = 0, bool comma = false]
@init { $m = b->mark(); }
    : x=named_or_star { b->push($x.e); }
      ( c=COMMA { $comma = true; b->comma(at($c)); } ( y=named_or_star { b->push($y.e); } )? )*
      { $e = b->subject($m, $comma, here($ctx)); }
    ;

case_block locals [hidet::lang::Expr* guard = nullptr]
    : CASE open_pattern
      ( IF condition=named { $guard = $condition.e; } )? COLON body=block
      { b->push_case($guard, $body.r, here($ctx)); }
    ;

// Patterns are checked, and not kept.
open_pattern locals [std::size_t m = 0, bool comma = false]
@init { $m = b->patterns(); }
    : pattern_item ( c=COMMA { $comma = true; b->comma(at($c)); } pattern_item? )*
      { b->sequence_pattern($m, $comma ? hidet::lang::SequenceForm::Open : hidet::lang::SequenceForm::Single, here($ctx)); }
    ;

pattern_item: STAR n=NAME { b->star_pattern(at($n), here($ctx)); } | as_pattern;

as_pattern locals [std::size_t m = 0]
@init { $m = b->patterns(); }
    : closed_pattern ( BAR closed_pattern )* { b->or_pattern($m, here($ctx)); }
      ( AS n=NAME { b->as_pattern(at($n), here($ctx)); } )?
    ;

closed_pattern locals [std::size_t m = 0, bool comma = false]
@init { $m = b->patterns(); }
    : NONE { b->literal_pattern(here($ctx)); }
    | TRUE { b->literal_pattern(here($ctx)); }
    | FALSE { b->literal_pattern(here($ctx)); }
    | number_pattern
    | words=strings { b->string_pattern($words.e, here($ctx)); }
    | NAME ( DOT NAME )*
      ( { b->name_pattern(here($ctx)); }
      | LPAREN ( class_argument ( c=COMMA { b->comma(at($c)); } class_argument? )* )? RPAREN
        { b->class_pattern($m, here($ctx)); } )
    | LPAREN ( pattern_item ( c=COMMA { $comma = true; b->comma(at($c)); } pattern_item? )* )? RPAREN
      { b->sequence_pattern($m, $comma ? hidet::lang::SequenceForm::Open : hidet::lang::SequenceForm::Group, here($ctx)); }
    | LBRACK ( pattern_item ( c=COMMA { b->comma(at($c)); } pattern_item? )* )? RBRACK
      { b->sequence_pattern($m, hidet::lang::SequenceForm::List, here($ctx)); }
    | LBRACE ( mapping_item ( c=COMMA { b->comma(at($c)); } mapping_item? )* )? RBRACE { b->mapping_pattern($m, here($ctx)); }
    | BAD_ATOM { b->literal_pattern(here($ctx)); }
    ;

number_pattern
    : MINUS? NUMBER ( ( PLUS | MINUS ) NUMBER )? { b->number_pattern(here($ctx)); }
    ;

class_argument
    : as_pattern
      ( EQUAL { b->keyword_pattern(here($ctx)); } as_pattern { b->end_keyword_pattern(); }
      | { b->positional_pattern(here($ctx)); } )
    ;

mapping_item
    : STAR_STAR n=NAME { b->rest_pattern(at($n), here($ctx)); }
    | closed_pattern { b->key_pattern(here($ctx)); } COLON as_pattern { b->end_key_pattern(); }
    ;

// ---- expressions ----------------------------------------------------------------------------------------------------

// a, *b, c
values returns [hidet::lang::Expr* e = nullptr] locals [std::size_t m = 0, bool comma = false]
@init { $m = b->mark(); }
    : x=value { b->push($x.e); } ( c=COMMA { $comma = true; b->comma(at($c)); } ( y=value { b->push($y.e); } )? )*
      { $e = b->tuple_or_single($m, $comma, here($ctx)); }
    ;

values_or_yield returns [hidet::lang::Expr* e = nullptr]
    : v=values { $e = $v.e; }
    | y=yield_expression { $e = $y.e; }
    ;

value returns [hidet::lang::Expr* e = nullptr]
    : t=test { $e = $t.e; }
    | STAR t=test { $e = b->starred($t.e, hidet::lang::StarForm::Bitwise, here($ctx)); }
    ;

yield_expression returns [hidet::lang::Expr* e = nullptr]
    : YIELD ( FROM t=test { $e = b->yield_from($t.e, here($ctx)); }
            | v=values { $e = b->yield_value($v.e, here($ctx)); }
            | { $e = b->yield_value(nullptr, here($ctx)); } )
    ;

// A value that may be named: n := value
named returns [hidet::lang::Expr* e = nullptr]
    : t=test { $e = $t.e; } ( WALRUS v=test { $e = b->named_expression($e, $v.e, here($ctx)); } )?
    ;

named_or_star returns [hidet::lang::Expr* e = nullptr]
    : n=named { $e = $n.e; }
    | STAR t=test { $e = b->starred($t.e, hidet::lang::StarForm::Bitwise, here($ctx)); }
    ;

test returns [hidet::lang::Expr* e = nullptr] locals [std::size_t m = 0]
    : f=flat { $e = $f.e; }
      ( IF condition=flat ELSE other=test { $e = b->conditional($condition.e, $e, $other.e, here($ctx)); } )?
    | LAMBDA { $m = b->parameters(); } ( lambda_parameter ( c=COMMA { b->comma(at($c)); } lambda_parameter? )* )?
      { b->check_parameters($m); } COLON body=test { $e = b->lambda($m, $body.e, here($ctx)); }
    ;

// Operands and operators as they come; the tree is made by precedence.
flat returns [hidet::lang::Expr* e = nullptr] locals [std::size_t m = 0]
@init { $m = b->begin_operators(); }
    : ( op=( PLUS | MINUS | TILDE | NOT | AWAIT ) { b->prefix(at($op)); } )* x=primary { b->operand($x.e, {at($x.start), last()}); }
      ( op=( PLUS | MINUS | STAR | SLASH | SLASH_SLASH | PERCENT | STAR_STAR | AT | LEFT | RIGHT | AMPERSAND | BAR
           | CARET | EQUAL_EQUAL | NOT_EQUAL | LESS | LESS_EQUAL | GREATER | GREATER_EQUAL | IN | NOT_IN | IS | IS_NOT
           | AND | OR ) { b->infix(at($op)); }
        ( op=( PLUS | MINUS | TILDE | NOT | AWAIT ) { b->prefix(at($op)); } )* x=primary { b->operand($x.e, {at($x.start), last()}); } )*
      { $e = b->end_operators($m); }
    ;

primary returns [hidet::lang::Expr* e = nullptr] locals [std::size_t m = 0]
    : ( t=NAME { $e = b->name(at($t)); }
      | t=NUMBER { $e = b->number(at($t)); }
      | t=( TRUE | FALSE | NONE | ELLIPSIS ) { $e = b->constant(at($t)); }
      | s=strings { $e = $s.e; }
      | g=group { $e = $g.e; }
      | l=list { $e = $l.e; }
      | d=dict_or_set { $e = $d.e; }
      | t=BAD_ATOM { $e = b->error(here($ctx)); }
      )
      ( DOT t=NAME { $e = b->attribute($e, at($t), here($ctx)); }
      | LPAREN { $m = b->arguments(); } ( argument_list )? RPAREN { $e = b->call($e, $m, here($ctx)); }
      | LBRACK i=subscripts RBRACK { $e = b->subscript($e, $i.e, here($ctx)); }
      )*
    ;

group returns [hidet::lang::Expr* e = nullptr] locals [std::size_t m = 0, bool comma = false, bool comprehension = false]
@init { $m = b->mark(); }
    : LPAREN
      ( y=yield_expression { b->push($y.e); }
      | x=named_or_star { b->push($x.e); }
        ( { $comprehension = true; b->begin_clauses(); } clause+
        | ( c=COMMA { $comma = true; b->comma(at($c)); } ( z=named_or_star { b->push($z.e); } )? )* )
      )?
      RPAREN { $e = $comprehension ? b->comprehension(hidet::lang::Display::Generator, $m, here($ctx))
                                   : b->group($m, $comma, here($ctx)); }
    ;

list returns [hidet::lang::Expr* e = nullptr] locals [std::size_t m = 0, bool comprehension = false]
@init { $m = b->mark(); }
    : LBRACK
      ( x=named_or_star { b->push($x.e); }
        ( { $comprehension = true; b->begin_clauses(); } clause+
        | ( c=COMMA { b->comma(at($c)); } ( y=named_or_star { b->push($y.e); } )? )* )
      )?
      RBRACK { $e = $comprehension ? b->comprehension(hidet::lang::Display::List, $m, here($ctx))
                                   : b->list($m, here($ctx)); }
    ;

dict_or_set returns [hidet::lang::Expr* e = nullptr] locals [std::size_t m = 0, bool comprehension = false]
@init { $m = b->mark(); b->begin_entries(); }
    : LBRACE
      ( entry
        ( { $comprehension = true; b->begin_clauses(); } clause+
        | ( c=COMMA { b->comma(at($c)); } entry? )* )
      )?
      RBRACE { $e = $comprehension ? b->comprehension(hidet::lang::Display::DictOrSet, $m, here($ctx))
                                   : b->dict_or_set($m, here($ctx)); }
    ;

entry
    : STAR_STAR v=flat { b->push_pair(nullptr, $v.e, here($ctx)); }
    | STAR t=test { b->push_element(b->starred($t.e, hidet::lang::StarForm::Bitwise, here($ctx)), here($ctx)); }
    | k=named ( { b->push_element($k.e, here($ctx)); } | COLON v2=test { b->push_pair($k.e, $v2.e, here($ctx)); } )
    ;

clause locals [bool async = false]
    : ( ASYNC { $async = true; } )? FOR t=targets IN source=flat { b->clause($async, $t.e, $source.e); }
      ( IF c=flat { b->clause_condition($c.e); } )*
    ;

targets returns [hidet::lang::Expr* e = nullptr] locals [std::size_t m = 0, bool comma = false]
@init { $m = b->mark(); }
    : x=target_item { b->push($x.e); } ( c=COMMA { $comma = true; b->comma(at($c)); } ( y=target_item { b->push($y.e); } )? )*
      { $e = b->targets($m, $comma, here($ctx)); }
    ;

target_item returns [hidet::lang::Expr* e = nullptr]
    : p=primary { $e = $p.e; }
    | STAR p=primary { $e = b->starred($p.e, hidet::lang::StarForm::Target, here($ctx)); }
    ;

argument_list: argument ( c=COMMA { b->comma(at($c)); } argument? )*;

argument locals [std::size_t m = 0]
    : STAR t=test { b->star_argument($t.e, here($ctx)); }
    | STAR_STAR t=test { b->star_star_argument($t.e, here($ctx)); }
    | t=test
      ( { b->argument($t.e); }
      | WALRUS v=test { $m = b->mark(); b->push(b->named_expression($t.e, $v.e, here($ctx))); }
        ( { b->named_argument($m); } | { b->begin_clauses(); } clause+ { b->generator_argument($m, here($ctx)); } )
      | EQUAL v=test { b->keyword_argument($t.e, $v.e, here($ctx)); }
      | { $m = b->mark(); b->push($t.e); b->begin_clauses(); } clause+ { b->generator_argument($m, here($ctx)); }
      )
    ;

subscripts returns [hidet::lang::Expr* e = nullptr] locals [std::size_t m = 0, bool comma = false]
@init { $m = b->mark(); }
    : x=subscript_item { b->push($x.e); }
      ( c=COMMA { $comma = true; b->comma(at($c)); } ( y=subscript_item { b->push($y.e); } )? )*
      { $e = b->subscripts($m, $comma, here($ctx)); }
    ;

subscript_item returns [hidet::lang::Expr* e = nullptr]
    locals [hidet::lang::Expr* from = nullptr, hidet::lang::Expr* to = nullptr, hidet::lang::Expr* by = nullptr]
    : STAR t=test { $e = b->starred($t.e, hidet::lang::StarForm::Any, here($ctx)); }
    | n=named { $e = $n.e; }
      ( c=COLON { $from = $e; } ( upper=test { $to = $upper.e; } )? ( COLON ( step=test { $by = $step.e; } )? )?
        { $e = b->slice($from, $to, $by, here($ctx)); } )?
    | COLON ( upper=test { $to = $upper.e; } )? ( COLON ( step=test { $by = $step.e; } )? )?
      { $e = b->slice(nullptr, $to, $by, here($ctx)); }
    ;

// Adjacent literals are one value.
strings returns [hidet::lang::Expr* e = nullptr] locals [std::size_t m = 0]
@init { $m = b->begin_strings(); }
    : ( s=STRING { b->string_piece(at($s)); } | format_string )+ { $e = b->strings($m, here($ctx)); }
    ;

format_string: s=FS_BEGIN { b->begin_format(at($s)); } format_part* FS_END { b->end_format(); };

format_part
    : t=FS_TEXT { b->format_text(at($t)); }
    | o=FS_OPEN { b->begin_field(at($o)); } v=format_value { b->field_value($v.e); }
      ( d=FS_DEBUG { b->field_debug(at($d)); } )?
      ( r=FS_CONVERSION { b->field_conversion(at($r)); } )?
      ( FS_COLON { b->begin_spec(); } format_part* { b->end_spec(); } )?
      FS_CLOSE { b->end_field(); }
    ;

// As in parentheses.
format_value returns [hidet::lang::Expr* e = nullptr] locals [std::size_t m = 0, bool comma = false]
@init { $m = b->mark(); }
    : y=yield_expression { $e = $y.e; }
    | x=named_or_star { b->push($x.e); }
      ( { b->begin_clauses(); } clause+ { $e = b->comprehension(hidet::lang::Display::Generator, $m, here($ctx)); }
      | ( c=COMMA { $comma = true; b->comma(at($c)); } ( z=named_or_star { b->push($z.e); } )? )*
        { $e = b->format_value($m, $comma, here($ctx)); } )
    ;
