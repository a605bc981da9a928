#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes onnx_operands.def: which operands, of which types, the standard gives the operators of onnx_ops.def, version by version.

    make_operands.py

It needs the package onnx, and for the operators of ONNX Runtime's own domain onnxruntime; the table travels with the repository.
"""

import collections
import os
import re

import onnx
from onnxruntime.capi import onnxruntime_pybind11_state as onnxruntime

HERE = os.path.dirname(os.path.abspath(__file__))
# Operators that are no rows of onnx_ops.def, because they are control flow.
CONTROL = {("", "If"), ("", "Loop"), ("", "Scan"), ("ai.onnx.preview", "FlexAttention")}
# Withdrawn by the version that brought it, for what it says of two operands; exporters have written it all the same.
KEPT = {("", "GroupNormalization", 18)}
NAMES = {
    "float": "f32", "double": "f64", "float16": "f16", "bfloat16": "bf16", "int64": "i64", "int32": "i32", "int16": "i16", "int8": "i8",
    "int4": "i4", "int2": "i2", "uint64": "u64", "uint32": "u32", "uint16": "u16", "uint8": "u8", "uint4": "u4", "uint2": "u2",
    "bool": "boolean", "float8e4m3fn": "f8e4m3fn", "float8e4m3fnuz": "f8e4m3fnuz", "float8e5m2": "f8e5m2", "float8e5m2fnuz": "f8e5m2fnuz",
    "float4e2m1": "f4e2m1", "float8e8m0": "f8e8m0",
}
LEFT_OUT = {"string", "complex64", "complex128", "float6e2m3", "float6e3m2"}
GROUPS = {  # as onnx_operands.cpp has them, the widest first
    "numbers": "i8 i16 i32 i64 u8 u16 u32 u64 f16 f32 f64",
    "integers": "i8 i16 i32 i64 u8 u16 u32 u64",
    "floats": "f16 f32 f64",
    "bytes": "i8 u8",
    "f8": "f8e4m3fn f8e4m3fnuz f8e5m2 f8e5m2fnuz",
    "bits4": "i4 u4",
    "bits2": "i2 u2",
}
ORDER = [*GROUPS, "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f16", "f32", "f64", "bf16", "boolean", "f8e4m3fn", "f4e2m1",
         "f8e8m0", "i4", "sequence", "optional"]


def set_of(types):
    """The types of a constraint as an expression over the names of onnx_operands.cpp."""
    left = set()
    for each in types:
        kind, _, element = each.rstrip(")").partition("(")
        if kind == "tensor" and element not in LEFT_OUT:
            left.add(NAMES[element])
        elif kind in ("seq", "optional"):
            left.add({"seq": "sequence"}.get(kind, kind))
    words = []
    for name in ORDER:
        members = set(GROUPS.get(name, name).split())
        if members <= left:
            words.append(name)
            left -= members
    assert not left, left
    return " | ".join(words) or "nothing"


def operators():
    """By domain and name, in the order of onnx_ops.def."""
    with open(os.path.join(HERE, "onnx_ops.def"), encoding="utf-8") as file:
        rows = re.findall(r'^HIDET_ONNX_(?:OP|AS|ADDS)\("([^"]*)", (\w+),', file.read(), re.MULTILINE)
    return sorted({*rows, *CONTROL})


def row_of(schema):
    """What stands after the version in a row."""
    if schema.deprecated and (schema.domain, schema.name, schema.since_version) not in KEPT:
        return None
    sets = {each.type_param_str: each.allowed_type_strs for each in schema.type_constraints}
    words, used = [], {}
    for each in schema.inputs:
        name = getattr(each, "type_str", None) or each.typeStr
        is_one_type = each.is_homogeneous if hasattr(each, "is_homogeneous") else each.isHomogeneous
        types = set_of(sets.get(name, [name]))
        name = name if name in sets else types
        used[name] = types
        words.append(name + {"Single": "", "Optional": "?", "Variadic": "*" if is_one_type else "**"}[str(each.option).rpartition(".")[2]])
    return " ".join(words), ", ".join(f'{{"{name}", {types}}}' for name, types in used.items())


def main():
    schemas = collections.defaultdict(list)
    for each in onnx.defs.get_all_schemas_with_history():
        schemas[each.domain, each.name].append(each)
    # ONNX Runtime writes some operators of the standard into models of earlier versions, too.
    first = {key: min(each.since_version for each in versions) for key, versions in schemas.items()}
    for each in onnxruntime.get_all_operator_schema():
        if each.since_version < first.get((each.domain, each.name), 1000):
            schemas[each.domain, each.name].append(each)
    with open(os.path.join(HERE, "onnx_operands.def"), encoding="utf-8") as file:
        head = [line for line in file if line.startswith("//")]
    lines = []
    for domain, name in operators():
        before = ""
        for schema in sorted(schemas[domain, name], key=lambda each: each.since_version):
            row = row_of(schema)
            if row == before:
                continue
            before = row
            begin = f'("{domain}", {name}, {schema.since_version}'
            lines.append(f'HIDET_ONNX_TAKES{begin}, "{row[0]}", {row[1] or "{}"})\n' if row else f"HIDET_ONNX_REMOVED{begin})\n")
    with open(os.path.join(HERE, "onnx_operands.def"), "w", encoding="utf-8") as file:
        file.writelines(head + lines)


if __name__ == "__main__":
    main()
