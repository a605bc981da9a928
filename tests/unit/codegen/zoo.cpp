// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/codegen/zoo.h"

#include "compiler/ir/ops.h"
#include "lang/base/text.h"

namespace hidet::compiler {

using namespace ir;

namespace {

const char* const matrix_names[] = {
#define HIDET_SCRIPT_MMA(m, n, k, input, output) "m" #m "n" #n "k" #k "_" input "_" output,
#include "lang/script/mma.def"
#undef HIDET_SCRIPT_MMA
};

class Collector {
public:
    std::vector<ZooCall> calls;

    void add(IntrinsicId id, ExprVec args, const TypeRef& type, const std::string& attr, const std::string& what) {
        ExprRef expr = make_intrinsic(id, std::move(args), type, attr);
        calls.push_back({cat(info(id).name, attr.empty() ? "" : cat(" ", attr), what.empty() ? "" : cat(" ", what)),
                         ir::cast<Intrinsic>(expr)});
    }
    void add_math(IntrinsicId id, DType dtype) {
        ExprVec args;
        for (int i = 0; i < info(id).max_args; ++i)
            args.push_back(make_var("x", data_type(dtype)));
        try {
            ExprRef expr = math(id, args);
            if (as<Intrinsic>(expr))
                calls.push_back({cat(info(id).name, " ", info(dtype).short_name), ir::cast<Intrinsic>(expr)});
        } catch (const TypeError&) { // not defined for the type
        }
    }
};

ExprRef value(const TypeRef& type) {
    return make_var("x", type);
}
ExprRef value(DType dtype) {
    return value(data_type(dtype));
}
TypeRef pointer(DType dtype) {
    return pointer_type(data_type(dtype));
}

void add_atomics(Collector& out, DType dtype) {
    std::vector<std::string> orders{""};
    for (const char* sem : {"relaxed", "acquire", "release", "acq_rel"})
        for (const char* scope : {"cta", "cluster", "gpu", "sys"})
            if (std::string(sem) != "relaxed" || std::string(scope) != "gpu")
                orders.push_back(cat(sem, ".global.", scope));
    for (const std::string& order : orders)
        for (IntrinsicId id : {IntrinsicId::AtomicAdd, IntrinsicId::AtomicSub, IntrinsicId::AtomicMin,
                               IntrinsicId::AtomicMax, IntrinsicId::AtomicExchange, IntrinsicId::AtomicCas,
                               IntrinsicId::AtomicAnd, IntrinsicId::AtomicOr, IntrinsicId::AtomicXor}) {
            ExprVec args{value(pointer(dtype)), value(dtype)};
            if (id == IntrinsicId::AtomicCas)
                args.push_back(value(dtype));
            out.add(id, args, data_type(dtype), order, info(dtype).short_name);
        }
}

void add_accesses(Collector& out, DType dtype) {
    for (const char* scope : {"cta", "cluster", "gpu", "sys"}) {
        for (const char* sem : {"relaxed", "acquire"})
            out.add(IntrinsicId::LoadAcquire, {value(pointer(dtype))}, data_type(dtype), cat(sem, ".generic.", scope),
                    info(dtype).short_name);
        for (const char* sem : {"relaxed", "release"})
            out.add(IntrinsicId::StoreRelease, {value(pointer(dtype)), value(dtype)}, void_type(),
                    cat(sem, ".global.", scope), info(dtype).short_name);
    }
    out.add(IntrinsicId::LoadAcquire, {value(pointer(dtype))}, data_type(dtype), "", info(dtype).short_name);
    out.add(IntrinsicId::DynamicSharedMemory, {value(DType::I32)}, pointer(dtype), "", info(dtype).short_name);
    for (IntrinsicId id :
         {IntrinsicId::ShflSync, IntrinsicId::ShflUpSync, IntrinsicId::ShflDownSync, IntrinsicId::ShflXorSync})
        for (bool is_whole : {true, false})
            out.add(
                id,
                {value(DType::U32), value(dtype), value(DType::I32), is_whole ? int_constant(32) : value(DType::I32)},
                data_type(dtype), "", cat(info(dtype).short_name, is_whole ? "" : " width"));
}

void add_vectors(Collector& out, DType dtype) {
    const DTypeInfo& row = info(dtype);
    ExprVec lanes(static_cast<std::size_t>(row.lanes), nullptr);
    for (ExprRef& lane : lanes)
        lane = value(row.lane);
    out.add(IntrinsicId::MakeVector, lanes, data_type(dtype), "", row.short_name);
    out.add(IntrinsicId::MakeVector, {value(row.lane)}, data_type(dtype), "", cat(row.short_name, " of one"));
    out.add(IntrinsicId::VectorLane, {value(dtype), int_constant(row.lanes - 1)}, data_type(row.lane), "",
            row.short_name);
}

void add_simple(Collector& out) {
    TypeRef i32 = data_type(DType::I32), u32 = data_type(DType::U32), none = void_type();
    ExprRef flag = value(DType::Bool), mask = value(DType::U32), number = value(DType::I32);
    out.add(IntrinsicId::Assume, {flag}, none, "", "");
    out.add(IntrinsicId::SyncThreads, {}, none, "", "");
    for (IntrinsicId id : {IntrinsicId::SyncThreadsCount, IntrinsicId::SyncThreadsAnd, IntrinsicId::SyncThreadsOr})
        out.add(id, {flag}, i32, "", "");
    out.add(IntrinsicId::SyncWarp, {}, none, "", "");
    out.add(IntrinsicId::SyncWarp, {mask}, none, "", "mask");
    out.add(IntrinsicId::BarrierSync, {number}, none, "", "");
    out.add(IntrinsicId::BarrierSync, {number, number}, none, "", "count");
    out.add(IntrinsicId::BarrierArrive, {number, number}, none, "", "");
    out.add(IntrinsicId::ActiveMask, {}, u32, "", "");
    out.add(IntrinsicId::BallotSync, {mask, flag}, u32, "", "");
    out.add(IntrinsicId::AnySync, {mask, flag}, i32, "", "");
    out.add(IntrinsicId::AllSync, {mask, flag}, i32, "", "");
    for (const char* sem : {"acq_rel", "sc"})
        for (const char* scope : {"cta", "cluster", "gpu", "sys"})
            out.add(IntrinsicId::ThreadFence, {}, none, cat(sem, ".", scope), "");
    out.add(IntrinsicId::NanoSleep, {mask}, none, "", "");
    out.add(IntrinsicId::CvtaToShared, {value(pointer(DType::F16))}, u32, "", "");
    out.add(IntrinsicId::CpAsyncCommit, {}, none, "", "");
    for (int groups = 0; groups < 10; ++groups)
        out.add(IntrinsicId::CpAsyncWait, {int_constant(groups)}, none, "", std::to_string(groups));
    out.add(IntrinsicId::CpAsyncWaitAll, {}, none, "", "");
}

void add_copies(Collector& out) {
    ExprRef to = value(pointer(DType::F16)), from = value(pointer(DType::F16)), bytes = value(DType::I32);
    for (const char* size : {"4", "8", "16"})
        for (const char* cache : {"always", "global"})
            for (const char* prefetch : {"0", "64", "128", "256"}) {
                if (std::string(cache) == "global" && std::string(size) != "16")
                    continue;
                std::string attr = cat(size, " ", cache, " ", prefetch);
                out.add(IntrinsicId::CpAsync, {to, from}, void_type(), attr, "");
                out.add(IntrinsicId::CpAsync, {to, from, bytes}, void_type(), attr, "source bytes");
            }
    for (const char* trans : {"", "trans"})
        for (int count : {1, 2, 4})
            for (bool is_shared_address : {false, true}) {
                ExprVec args(static_cast<std::size_t>(count), value(pointer(DType::U32)));
                args.push_back(is_shared_address ? value(DType::U32) : to);
                out.add(IntrinsicId::LdMatrix, args, void_type(), trans,
                        cat("x", count, is_shared_address ? " shared address" : ""));
            }
    for (const char* name : matrix_names)
        out.add(IntrinsicId::MmaSync, {to, from, value(pointer(DType::F32))}, void_type(), name, "");
}

void add_host(Collector& out) {
    ExprRef p = value(pointer_type(void_type())), bytes = value(DType::I64), name = string_constant("n");
    for (const char* kind : {"cpu_to_cpu", "cpu_to_cuda", "cuda_to_cpu", "cuda_to_cuda"})
        out.add(IntrinsicId::MemcpyAsync, {p, p, bytes}, void_type(), kind, "");
    for (const char* device : {"cpu", "cuda"})
        out.add(IntrinsicId::RequestWorkspace, {bytes, value(DType::Bool)}, pointer_type(void_type()), device, "");
    out.add(IntrinsicId::GetSymbolValue, {name}, data_type(DType::I32), "", "");
    out.add(IntrinsicId::SetSymbolValue, {name, value(DType::I32)}, void_type(), "", "");
    out.add(IntrinsicId::Printf, {string_constant("%d"), value(DType::I32)}, void_type(), "", "");
}

// "float* x0"
std::string parameter(const Dialect& dialect, const TypeRef& type, std::size_t index, Pieces& pieces) {
    bool is_address = is_pointer(type);
    TypeRef element = is_address ? element_of(type) : type;
    std::string text = "void";
    if (auto dtype = scalar_of(element)) {
        Spelling spelling = *dialect.type(*dtype);
        text = spelling.text;
        pieces.merge(spelling.needs);
    }
    return cat(text, is_address ? "* x" : " x", index);
}

std::string substituted(std::string text, const ExprVec& args) {
    for (std::size_t i = 0; i < args.size(); ++i) {
        std::string hole = cat("{", i, "}");
        auto number = constant_int(args[i]);
        std::string shown = number ? std::to_string(*number) : as<Constant>(args[i]) ? "\"n\"" : cat("x", i);
        for (std::size_t at = text.find(hole); at != std::string::npos; at = text.find(hole))
            text.replace(at, hole.size(), shown);
    }
    return text;
}

} // namespace

std::vector<ZooCall> all_calls() {
    Collector out;
    for (const DTypeInfo& row : all_dtypes()) {
        for (int id = static_cast<int>(IntrinsicId::Sin); id <= static_cast<int>(IntrinsicId::Fma); ++id)
            out.add_math(static_cast<IntrinsicId>(id), row.dtype);
        if (is_vector(row.dtype))
            add_vectors(out, row.dtype);
        add_atomics(out, row.dtype);
        add_accesses(out, row.dtype);
        for (const DTypeInfo& to : all_dtypes())
            if (row.bits == to.bits && row.dtype != to.dtype)
                out.add(IntrinsicId::Bitcast, {value(row.dtype)}, data_type(to.dtype), "",
                        cat(row.short_name, " to ", to.short_name));
    }
    add_simple(out);
    add_copies(out);
    add_host(out);
    return std::move(out.calls);
}

std::vector<DType> all_types(const Dialect& dialect) {
    std::vector<DType> out;
    for (const DTypeInfo& row : all_dtypes())
        if (dialect.type(row.dtype))
            out.push_back(row.dtype);
    return out;
}

std::string function_of(const Dialect& dialect, const ZooCall& zoo, const Spelling& spelling, std::string_view name,
                        Pieces& pieces) {
    const Intrinsic& call = *zoo.call;
    pieces.insert(spelling.needs.begin(), spelling.needs.end());
    std::string result = "void", params;
    if (!as<VoidType>(call.type)) {
        result = parameter(dialect, call.type, 0, pieces);
        result = result.substr(0, result.find(" x"));
    }
    for (std::size_t i = 0; i < call.args.size(); ++i)
        if (!as<Constant>(call.args[i]))
            params += cat(params.empty() ? "" : ", ", parameter(dialect, call.args[i]->type, i, pieces));
    return cat(result, " ", name, "(", params, ") { ", result == "void" ? "" : "return ",
               substituted(spelling.text, call.args), "; }\n");
}

std::string operators_of(const Dialect& dialect, DType dtype, std::string_view specifier, int& number, Pieces& pieces) {
    std::string text;
    std::string type = dialect.type(dtype)->text;
    for (BinOp op : {BinOp::Add, BinOp::Sub, BinOp::Mul, BinOp::Div, BinOp::Lt, BinOp::Le, BinOp::Eq, BinOp::Ne}) {
        Pieces needs = dialect.operators(op, dtype);
        if (needs.empty())
            continue;
        pieces.merge(needs);
        text += cat(specifier, is_comparison(op) ? "bool" : type, " f", number++, "(", type, " a, ", type,
                    " b) { return a ", spelling(op), " b; }\n");
    }
    Pieces needs = dialect.operators(UnOp::Neg, dtype);
    if (needs.empty())
        return text;
    pieces.merge(needs);
    return text + cat(specifier, type, " f", number++, "(", type, " a) { return -a; }\n");
}

std::string conversion_of(const Dialect& dialect, DType from, DType to, std::string_view name, Pieces& pieces) {
    auto cast = dialect.cast(from, to);
    std::string source = parameter(dialect, data_type(from), 0, pieces);
    std::string target = parameter(dialect, data_type(to), 0, pieces);
    target = target.substr(0, target.find(' '));
    if (cast)
        pieces.insert(cast->needs.begin(), cast->needs.end());
    std::string text = cast ? cast->text : cat("static_cast<", target, ">({0})");
    text.replace(text.find("{0}"), 3, "x0");
    return cat(target, " ", name, "(", source, ") { return ", text, "; }\n");
}

} // namespace hidet::compiler
