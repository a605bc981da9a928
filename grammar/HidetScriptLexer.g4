// SPDX-License-Identifier: Apache-2.0
//
// The tokens of Hidet Script, which are Python 3.11's. This grammar is the definition; at run time a scanner written by
// hand (lang/parse/scanner.cpp) stands in for it, because it is twenty times faster and takes no lock. A test keeps both
// equal. Lines, indentation, soft keywords and the inside of f-strings are the work of lang/parse/logical_lines.cpp, which emits
// the tokens that are only named here.
lexer grammar HidetScriptLexer;

tokens {
    // Lines
    NEWLINE, INDENT, DEDENT,
    // Pairs of words and soft keywords, known from their place
    NOT_IN, IS_NOT, MATCH, CASE, WITH_PAREN,
    // The inside of an f-string
    FS_BEGIN, FS_TEXT, FS_OPEN, FS_DEBUG, FS_CONVERSION, FS_COLON, FS_CLOSE, FS_END,
    // What was reported before the parser ran: the grammar has a place for each, so that nothing is reported twice
    BAD_ATOM, STRAY_INDENT, STRAY_CLAUSE, NO_BODY
}

FALSE: 'False';
NONE: 'None';
TRUE: 'True';
AND: 'and';
AS: 'as';
ASSERT: 'assert';
ASYNC: 'async';
AWAIT: 'await';
BREAK: 'break';
CLASS: 'class';
CONTINUE: 'continue';
DEF: 'def';
DEL: 'del';
ELIF: 'elif';
ELSE: 'else';
EXCEPT: 'except';
FINALLY: 'finally';
FOR: 'for';
FROM: 'from';
GLOBAL: 'global';
IF: 'if';
IMPORT: 'import';
IN: 'in';
IS: 'is';
LAMBDA: 'lambda';
NONLOCAL: 'nonlocal';
NOT: 'not';
OR: 'or';
PASS: 'pass';
RAISE: 'raise';
RETURN: 'return';
TRY: 'try';
WHILE: 'while';
WITH: 'with';
YIELD: 'yield';

LPAREN: '(';
RPAREN: ')';
LBRACK: '[';
RBRACK: ']';
LBRACE: '{';
RBRACE: '}';
COMMA: ',';
COLON: ':';
WALRUS: ':=';
SEMICOLON: ';';
DOT: '.';
ELLIPSIS: '...';
ARROW: '->';
EQUAL: '=';
PLUS_EQUAL: '+=';
MINUS_EQUAL: '-=';
STAR_EQUAL: '*=';
SLASH_EQUAL: '/=';
SLASH_SLASH_EQUAL: '//=';
PERCENT_EQUAL: '%=';
STAR_STAR_EQUAL: '**=';
AT_EQUAL: '@=';
LEFT_EQUAL: '<<=';
RIGHT_EQUAL: '>>=';
AMPERSAND_EQUAL: '&=';
BAR_EQUAL: '|=';
CARET_EQUAL: '^=';
PLUS: '+';
MINUS: '-';
STAR: '*';
SLASH: '/';
SLASH_SLASH: '//';
PERCENT: '%';
STAR_STAR: '**';
AT: '@';
LEFT: '<<';
RIGHT: '>>';
AMPERSAND: '&';
BAR: '|';
CARET: '^';
TILDE: '~';
EQUAL_EQUAL: '==';
NOT_EQUAL: '!=';
LESS: '<';
LESS_EQUAL: '<=';
GREATER: '>';
GREATER_EQUAL: '>=';

NAME: ID_START ID_CONTINUE*;
NUMBER: IMAGINARY | FLOAT | INTEGER;
STRING: PREFIX? (LONG_SINGLE | LONG_DOUBLE | SHORT_SINGLE | SHORT_DOUBLE);

LINE_END: '\r\n' | '\n' | '\r';
COMMENT: '#' ~[\r\n]* -> channel(HIDDEN);
BLANK: ([ \t\f] | '\\' LINE_END)+ -> skip;
BAD_CHARACTER: . ;

fragment ID_START: [_\p{XID_Start}];
fragment ID_CONTINUE: [\p{XID_Continue}];
fragment INTEGER
    : '0' [xX] ('_'? [0-9a-fA-F])+
    | '0' [oO] ('_'? [0-7])+
    | '0' [bB] ('_'? [01])+
    | [1-9] ('_'? [0-9])*
    | '0' ('_'? '0')*
    ;
fragment DIGITS: [0-9] ('_'? [0-9])*;
fragment EXPONENT: [eE] [+-]? DIGITS;
fragment FLOAT: DIGITS '.' DIGITS? EXPONENT? | '.' DIGITS EXPONENT? | DIGITS EXPONENT;
fragment IMAGINARY: (FLOAT | DIGITS) [jJ];

fragment PREFIX: [rRbBuUfF] | [rR] [bBfF] | [bBfF] [rR];
fragment ESCAPED: '\\' ('\r\n' | .);
fragment SHORT_SINGLE: '\'' (~['\\\r\n] | ESCAPED)* '\'';
fragment SHORT_DOUBLE: '"' (~["\\\r\n] | ESCAPED)* '"';
fragment LONG_SINGLE: '\'\'\'' (~[\\] | ESCAPED)*? '\'\'\'';
fragment LONG_DOUBLE: '"""' (~[\\] | ESCAPED)*? '"""';
