// SPDX-License-Identifier: Apache-2.0
#include "compiler/codegen/bytecode/generator.h"

#include <charconv>

#include "lang/base/text.h"

namespace hidet::compiler::bytecode {

using ir::IntrinsicId;

namespace {

Op math_op(IntrinsicId id) {
    return static_cast<Op>(static_cast<int>(Op::Sin) + static_cast<int>(id) - static_cast<int>(IntrinsicId::Sin));
}
static_assert(static_cast<int>(Op::IsNan) - static_cast<int>(Op::Sin) ==
              static_cast<int>(IntrinsicId::IsNan) - static_cast<int>(IntrinsicId::Sin));

Op atomic_op(IntrinsicId id) {
    return static_cast<Op>(static_cast<int>(Op::AtomicAdd) + static_cast<int>(id) -
                           static_cast<int>(IntrinsicId::AtomicAdd));
}
static_assert(static_cast<int>(Op::AtomicXor) - static_cast<int>(Op::AtomicAdd) ==
              static_cast<int>(IntrinsicId::AtomicXor) - static_cast<int>(IntrinsicId::AtomicAdd));

bool is_plain_integer(Scalar type) {
    return !is_float(type);
}

} // namespace

std::int32_t Generator::operands_row(std::vector<std::int32_t> items, std::vector<Scalar> types, int definitions,
                                     std::int32_t text) {
    m_out.operands.push_back(
        {.items = std::move(items), .types = std::move(types), .definitions = definitions, .text = text});
    return static_cast<std::int32_t>(m_out.operands.size()) - 1;
}

Value Generator::gen_math(const ir::Intrinsic& e) {
    std::vector<Value> args;
    for (const ir::ExprRef& arg : e.args)
        args.push_back(gen(arg));
    Op op{};
    switch (e.id) {
    case IntrinsicId::Min: op = Op::Min; break;
    case IntrinsicId::Max: op = Op::Max; break;
    case IntrinsicId::Pow: op = Op::Pow; break;
    case IntrinsicId::Atan2: op = Op::Atan2; break;
    case IntrinsicId::Fma: op = Op::Fma; break;
    default: op = math_op(e.id);
    }
    auto one = [&](const std::vector<Value>& values) {
        Scalar type = values[0].type;
        bool rounds = op == Op::Round || op == Op::Ceil || op == Op::Floor || op == Op::Trunc;
        if (is_plain_integer(type) && rounds)
            return values[0];
        if (is_plain_integer(type) && op == Op::Fma)
            return arithmetic_scalar(ir::BinOp::Add, arithmetic_scalar(ir::BinOp::Mul, values[0], values[1]),
                                     values[2]);
        if (is_plain_integer(type) && op != Op::Min && op != Op::Max && op != Op::Abs)
            unsupported(e, cat("'", ir::info(e.id).name, "' of integers"));
        return compute(op, type, values);
    };
    if (args[0].lanes.empty())
        return one(args);
    Value out{.kind = Value::Kind::Vector};
    for (std::size_t lane = 0; lane < args[0].lanes.size(); ++lane) {
        std::vector<Value> values;
        for (const Value& arg : args)
            values.push_back(arg.lanes.empty() ? arg : arg.lanes.at(lane));
        out.lanes.push_back(one(values));
    }
    return out;
}

Value Generator::gen_make_vector(const ir::Intrinsic& e) {
    Value out{.kind = Value::Kind::Vector};
    auto dtype = ir::scalar_of(e.type);
    HIDET_CHECK(dtype && ir::is_vector(*dtype), "make_vector of no vector type");
    Scalar lane = scalar_of_dtype(ir::info(*dtype).lane);
    for (int i = 0; i < ir::info(*dtype).lanes; ++i)
        out.lanes.push_back(convert(gen(e.args.at(e.args.size() == 1 ? 0 : static_cast<std::size_t>(i))), lane));
    return out;
}

// Lanes of a vector are values of their own, so a bit cast packs and unpacks them.
Value Generator::gen_bitcast(const ir::Intrinsic& e) {
    Value value = gen(e.args.at(0));
    auto to = ir::scalar_of(e.type);
    if (!to)
        return in_register(operand(value), Scalar::U64);
    if (value.kind == Value::Kind::Pointer)
        value = materialise(value);
    bool from_vector = !value.lanes.empty();
    bool to_vector = ir::is_vector(*to);
    auto bits_of = [](Scalar s) { return 8 * artifact::scalar_bytes(s); };
    auto zero_extended = [&](Value v) { // narrow signed integers are extended with their sign
        if (bits_of(v.type) == 32 || bits_of(v.type) == 64)
            return v;
        return in_register(
            m_builder.emit_value(Op::Wrap, bits_of(v.type) == 8 ? Scalar::U8 : Scalar::U16, Scalar::U32, operand(v)),
            Scalar::U32);
    };
    auto scalar_bits = [&](const Value& v, Scalar type) {
        if (artifact::scalar_bytes(type) >= 4)
            return in_register(operand(v), type);
        return in_register(m_builder.emit_value(Op::Wrap, type, type, operand(v)), type);
    };
    if (!from_vector && !to_vector)
        return scalar_bits(value, scalar_of_dtype(*to));
    // The words of the value, then the parts of the result.
    std::vector<std::int32_t> words;
    std::vector<Value> parts = from_vector ? value.lanes : std::vector<Value>{value};
    int filled = 0;
    for (const Value& part : parts) {
        int bits = bits_of(part.type);
        if (bits == 64) {
            for (int w = 0; w < 2; ++w)
                words.push_back(m_builder.emit_value(Op::Unpack64, Scalar::U64, Scalar::U32, operand(part), no_operand,
                                                     no_operand, w));
            continue;
        }
        std::int32_t word = operand(zero_extended(part));
        if (filled)
            words.back() =
                m_builder.emit_value(Op::Or, Scalar::U32, Scalar::U32, words.back(),
                                     m_builder.emit_value(Op::Shl, Scalar::U32, Scalar::U32, word,
                                                          m_builder.constant(static_cast<std::uint64_t>(filled))));
        else
            words.push_back(word);
        filled = (filled + bits) % 32;
    }
    Scalar lane = scalar_of_dtype(to_vector ? ir::info(*to).lane : *to);
    int lanes = to_vector ? ir::info(*to).lanes : 1;
    Value out{.kind = Value::Kind::Vector};
    for (int i = 0; i < lanes; ++i) {
        int at = i * bits_of(lane);
        auto word = static_cast<std::size_t>(at / 32);
        if (bits_of(lane) == 64) {
            out.lanes.push_back(in_register(
                m_builder.emit_value(Op::Pack64, Scalar::U64, Scalar::U64, words.at(word), words.at(word + 1)), lane));
            continue;
        }
        std::int32_t reg = words.at(word);
        if (at % 32)
            reg = m_builder.emit_value(Op::Shr, Scalar::U32, Scalar::U32, reg,
                                       m_builder.constant(static_cast<std::uint64_t>(at % 32)));
        out.lanes.push_back(scalar_bits(in_register(reg, Scalar::U32), lane));
    }
    return to_vector ? out : out.lanes[0];
}

Value Generator::gen_atomic(const ir::Intrinsic& e) {
    Value value = gen(e.args.at(1));
    Value other = e.args.size() > 2 ? gen(e.args[2]) : Value{};
    if (!value.lanes.empty())
        unsupported(e, "an atomic operation on vectors");
    auto place = place_of_pointer(e.args[0]);
    std::int32_t row = access_row(*place, value.type, 0, artifact::scalar_bytes(value.type));
    std::int32_t dst = m_is_kernel ? m_builder.new_v(value.type) : m_builder.new_u();
    std::int32_t a = operand(value);
    std::int32_t b = other.kind == Value::Kind::None ? no_operand : operand(other);
    m_builder.emit({.op = atomic_op(e.id), .type = value.type, .dst = dst, .a = a, .b = b, .x = row});
    if (place->space != Space::Shared)
        m_out.needs_order = true;
    return in_register(dst, value.type);
}

Value Generator::gen_shuffle(const ir::Intrinsic& e) {
    Value mask = gen(e.args.at(0));
    Value value = gen(e.args.at(1));
    Value lane = gen(e.args.at(2));
    Value width = gen(e.args.at(3));
    int mode = static_cast<int>(e.id) - static_cast<int>(IntrinsicId::ShflSync);
    auto one = [&](const Value& v, const Value&) {
        std::vector<std::int32_t> items = {operand(mask), operand(v), operand(lane), operand(width)};
        std::int32_t row = operands_row(items, {Scalar::U32, v.type, Scalar::I32, Scalar::I32}, 0, -1);
        std::int32_t dst = m_builder.new_v(v.type);
        m_builder.emit({.op = Op::Shuffle, .type = v.type, .dst = dst, .c = mode, .x = row});
        return in_register(dst, v.type);
    };
    return value.lanes.empty() ? one(value, value) : lane_wise(value, value, one);
}

Value Generator::gen_vote(const ir::Intrinsic& e) {
    std::int32_t mask = operand(gen(e.args.at(0)));
    std::int32_t predicate = operand(convert(gen(e.args.at(1)), Scalar::Bool));
    Op op = e.id == IntrinsicId::BallotSync ? Op::Ballot : e.id == IntrinsicId::AnySync ? Op::Any : Op::All;
    Scalar type = op == Op::Ballot ? Scalar::U32 : Scalar::I32;
    std::int32_t dst = m_builder.new_v(type);
    m_builder.emit({.op = op, .type = Scalar::U32, .dst = dst, .a = mask, .b = predicate});
    return in_register(dst, type);
}

Value Generator::gen_barrier(const ir::Intrinsic& e) {
    if (e.id == IntrinsicId::SyncThreads) {
        m_builder.emit({.op = Op::Barrier, .type = Scalar::I32});
        return {};
    }
    if (e.id == IntrinsicId::BarrierSync || e.id == IntrinsicId::BarrierArrive) {
        std::int32_t id = operand(gen(e.args.at(0)));
        std::int32_t count = e.args.size() > 1 ? operand(gen(e.args[1])) : no_operand;
        if (is_v(id) || is_v(count))
            unsupported(e, "a barrier whose number or count differs between threads");
        Op op = e.id == IntrinsicId::BarrierSync ? Op::Barrier : Op::BarrierArrive;
        m_builder.emit({.op = op, .type = Scalar::I32, .a = id, .b = count});
        return {};
    }
    std::int32_t predicate = operand(convert(gen(e.args.at(0)), Scalar::Bool));
    int what = static_cast<int>(e.id) - static_cast<int>(IntrinsicId::SyncThreadsCount);
    std::int32_t dst = m_builder.new_u();
    m_builder.emit({.op = Op::BarrierReduce, .type = Scalar::Bool, .dst = dst, .a = predicate, .x = what});
    return in_register(dst, Scalar::I32);
}

void Generator::gen_cp_async(const ir::Intrinsic& e) {
    std::int32_t to = operand(gen(e.args.at(0)));
    std::int32_t from = operand(gen(e.args.at(1)));
    std::int32_t source_bytes = e.args.size() > 2 ? operand(convert(gen(e.args[2]), Scalar::I32)) : no_operand;
    int bytes = 0;
    std::from_chars(e.attr.data(), e.attr.data() + e.attr.size(), bytes);
    if (bytes != 4 && bytes != 8 && bytes != 16)
        unsupported(e, cat("cp_async of '", e.attr, "' bytes"));
    if (ir::scalar_of(e.args[0]->type)) { // a 32-bit shared address
        std::int32_t wide = to;
        to = m_builder.emit_value(Op::FromShared, Scalar::U64, Scalar::U64, wide);
    }
    m_builder.emit({.op = Op::CpAsync, .type = Scalar::U64, .a = to, .b = from, .c = source_bytes, .x = bytes});
}

Generator::Words Generator::words_of(const ir::ExprRef& pointer, int count, bool read) {
    Words words;
    words.place = *place_of_pointer(pointer);
    std::vector<LocalElement> elements;
    for (int i = 0; i < count; ++i) {
        auto element = local_element(words.place, Scalar::U32, 4 * i);
        if (element && !element->packed_part)
            words.regs.push_back(element->reg);
    }
    words.in_place = static_cast<int>(words.regs.size()) == count;
    if (words.in_place)
        return words;
    words.regs.clear();
    for (int i = 0; i < count; ++i) {
        if (read)
            words.regs.push_back(v_operand(load_scalar(words.place, Scalar::U32, 4 * i, 4)));
        else
            words.regs.push_back(m_builder.new_v(Scalar::U32, true));
    }
    return words;
}

void Generator::write_back(const Words& words) {
    for (std::size_t i = 0; !words.in_place && i < words.regs.size(); ++i)
        store_scalar(words.place, Scalar::U32, 4 * static_cast<std::int64_t>(i), 4,
                     in_register(words.regs[i], Scalar::U32));
}

void Generator::gen_ldmatrix(const ir::Intrinsic& e) {
    std::size_t count = e.args.size() - 1;
    std::vector<Words> outputs;
    std::vector<std::int32_t> items;
    for (std::size_t i = 0; i < count; ++i) {
        outputs.push_back(words_of(e.args[i], 1, false));
        items.push_back(outputs.back().regs[0]);
    }
    std::vector<Scalar> types(count, Scalar::U32);
    Value row = gen(e.args.back());
    if (!ir::is_pointer(e.args.back()->type))
        row = in_register(m_builder.emit_value(Op::FromShared, Scalar::U64, Scalar::U64, operand(row)), Scalar::U64);
    items.push_back(v_operand(in_register(operand(row), Scalar::U64)));
    types.push_back(Scalar::U64);
    std::int32_t row_index = operands_row(items, types, static_cast<int>(count), string(e.attr));
    m_builder.emit({.op = Op::LdMatrix, .type = Scalar::U32, .x = row_index});
    for (const Words& words : outputs)
        write_back(words);
}

// attr: "m16n8k16_f16_f32": shape, type of a and b, type of c. Counts of 32-bit registers follow from it: a warp holds
// every element once.
void Generator::gen_mma(const ir::Intrinsic& e) {
    int m = 0, n = 0, k = 0;
    char in[16] = {}, out[16] = {};
    if (std::sscanf(e.attr.c_str(), "m%dn%dk%d_%15[^_]_%15s", &m, &n, &k, in, out) != 5)
        unsupported(e, cat("the matrix instruction '", e.attr, "'"));
    auto in_type = ir::find_dtype(in), out_type = ir::find_dtype(out);
    if (!in_type || !out_type)
        unsupported(e, cat("the matrix instruction '", e.attr, "'"));
    int in_bytes = ir::bytes_of(*in_type), out_bytes = ir::bytes_of(*out_type);
    Words a = words_of(e.args.at(0), m * k * in_bytes / 128, true);
    Words b = words_of(e.args.at(1), k * n * in_bytes / 128, true);
    Words c = words_of(e.args.at(2), m * n * out_bytes / 128, true);
    if (!c.in_place)
        for (std::int32_t& reg : c.regs) {
            std::int32_t copy = m_builder.new_v(Scalar::U32, true);
            m_builder.emit({.op = Op::Move, .type = Scalar::U32, .dst = copy, .a = reg});
            reg = copy;
        }
    std::vector<std::int32_t> items = c.regs;
    items.insert(items.end(), a.regs.begin(), a.regs.end());
    items.insert(items.end(), b.regs.begin(), b.regs.end());
    std::vector<Scalar> types(items.size(), Scalar::U32);
    int definitions = static_cast<int>(c.regs.size());
    std::int32_t row = operands_row(items, types, definitions, string(e.attr));
    m_builder.emit({.op = Op::Mma, .type = Scalar::U32, .x = row});
    write_back(c);
}

void Generator::gen_print(const ir::Intrinsic& e) {
    const auto* format = ir::as<ir::Constant>(e.args.at(0));
    const std::string* text = format ? std::get_if<std::string>(&format->value) : nullptr;
    HIDET_CHECK(text, "printf without a constant format");
    std::vector<std::int32_t> items;
    std::vector<Scalar> types;
    std::string spliced;
    std::size_t next = 1;
    // Texts are put into the format now; what is left are numbers.
    for (std::size_t i = 0; i < text->size(); ++i) {
        spliced += (*text)[i];
        if ((*text)[i] != '%')
            continue;
        if (i + 1 < text->size() && (*text)[i + 1] == '%') {
            spliced += (*text)[++i];
            continue;
        }
        std::size_t end = i + 1;
        while (end < text->size() && !std::isalpha(static_cast<unsigned char>((*text)[end])))
            ++end;
        const auto* word = next < e.args.size() ? ir::as<ir::Constant>(e.args[next]) : nullptr;
        const std::string* constant_text = word ? std::get_if<std::string>(&word->value) : nullptr;
        if (constant_text && end < text->size() && (*text)[end] == 's') {
            spliced.pop_back();
            for (char c : *constant_text)
                spliced += c == '%' ? std::string("%%") : std::string(1, c);
            i = end;
            ++next;
            continue;
        }
        if (next < e.args.size()) {
            Value value = gen(e.args[next++]);
            if (!value.lanes.empty())
                value = value.lanes[0];
            items.push_back(operand(value));
            types.push_back(value.type);
        }
    }
    std::int32_t row = operands_row(items, types, 0, string(spliced));
    m_builder.emit({.op = Op::Print, .x = row});
}

Value Generator::gen_host(const ir::Intrinsic& e) {
    auto text_of = [&](const ir::ExprRef& arg) {
        const auto* c = ir::as<ir::Constant>(arg);
        const std::string* text = c ? std::get_if<std::string>(&c->value) : nullptr;
        HIDET_CHECK(text, "a symbol's name that is no text");
        return *text;
    };
    switch (e.id) {
    case IntrinsicId::GetSymbolValue: return symbol(text_of(e.args.at(0)), scalar_of_type(e.type));
    case IntrinsicId::SetSymbolValue: {
        std::int32_t value = operand(gen(e.args.at(1)));
        m_builder.emit({.op = Op::SetSymbol, .type = Scalar::I64, .a = value, .x = string(text_of(e.args.at(0)))});
        return {};
    }
    case IntrinsicId::MemcpyAsync: {
        std::int32_t to = operand(gen(e.args.at(0))), from = operand(gen(e.args.at(1)));
        std::int32_t bytes = operand(convert(gen(e.args.at(2)), Scalar::I64));
        m_builder.emit({.op = Op::Copy, .type = Scalar::U64, .a = to, .b = from, .c = bytes});
        return {};
    }
    default: break;
    }
    std::int32_t bytes = operand(convert(gen(e.args.at(0)), Scalar::I64));
    int options = e.attr == "cpu" ? 0 : 2;
    if (e.args.size() > 1)
        if (Value clean = gen(e.args[1]); clean.is_constant() && clean.integer())
            options |= 1;
    std::int32_t dst = m_builder.new_u();
    m_builder.emit({.op = Op::Workspace, .type = Scalar::U64, .dst = dst, .a = bytes, .x = options});
    return in_register(dst, Scalar::U64);
}

Value Generator::gen_intrinsic(const ir::Intrinsic& e) {
    bool of_threads = (e.id >= IntrinsicId::SyncThreads && e.id <= IntrinsicId::ThreadFence) ||
                      (e.id >= IntrinsicId::CpAsync && e.id <= IntrinsicId::MmaSync);
    if (of_threads && !m_is_kernel)
        unsupported(e, cat("'", ir::info(e.id).name, "' in a host function"));
    switch (e.id) {
    case IntrinsicId::MakeVector: return gen_make_vector(e);
    case IntrinsicId::VectorLane: {
        Value vector = gen(e.args.at(0));
        auto lane = ir::constant_int(e.args.at(1));
        HIDET_CHECK(lane && !vector.lanes.empty(), "a vector's lane that is not constant");
        return vector.lanes.at(static_cast<std::size_t>(*lane));
    }
    case IntrinsicId::Bitcast: return gen_bitcast(e);
    case IntrinsicId::Printf: gen_print(e); return {};
    case IntrinsicId::Assume: return {};
    case IntrinsicId::SyncThreads:
    case IntrinsicId::SyncThreadsCount:
    case IntrinsicId::SyncThreadsAnd:
    case IntrinsicId::SyncThreadsOr:
    case IntrinsicId::BarrierSync:
    case IntrinsicId::BarrierArrive: return gen_barrier(e);
    case IntrinsicId::SyncWarp: {
        std::int32_t mask = e.args.empty() ? m_builder.constant(0xFFFFFFFFu) : operand(gen(e.args[0]));
        m_builder.emit({.op = Op::SyncWarp, .type = Scalar::U32, .a = mask});
        return {};
    }
    case IntrinsicId::ShflSync:
    case IntrinsicId::ShflUpSync:
    case IntrinsicId::ShflDownSync:
    case IntrinsicId::ShflXorSync: return gen_shuffle(e);
    case IntrinsicId::ActiveMask: {
        std::int32_t dst = m_builder.new_v(Scalar::U32);
        m_builder.emit({.op = Op::ActiveMask, .type = Scalar::U32, .dst = dst});
        return in_register(dst, Scalar::U32);
    }
    case IntrinsicId::BallotSync:
    case IntrinsicId::AnySync:
    case IntrinsicId::AllSync: return gen_vote(e);
    case IntrinsicId::ThreadFence: m_builder.emit({.op = Op::Fence}); return {};
    case IntrinsicId::NanoSleep: m_builder.emit({.op = Op::Spin}); return {};
    case IntrinsicId::AtomicAdd:
    case IntrinsicId::AtomicSub:
    case IntrinsicId::AtomicMin:
    case IntrinsicId::AtomicMax:
    case IntrinsicId::AtomicExchange:
    case IntrinsicId::AtomicCas:
    case IntrinsicId::AtomicAnd:
    case IntrinsicId::AtomicOr:
    case IntrinsicId::AtomicXor: return gen_atomic(e);
    case IntrinsicId::LoadAcquire:
        m_out.needs_order = true;
        m_builder.emit({.op = Op::Fence});
        return load(*place_of_pointer(e.args.at(0)), e.type);
    case IntrinsicId::StoreRelease: {
        m_out.needs_order = true;
        Value value = gen(e.args.at(1));
        store(*place_of_pointer(e.args[0]), e.args[1]->type, value);
        return {};
    }
    case IntrinsicId::DynamicSharedMemory:
        return {.kind = Value::Kind::Pointer, .type = Scalar::U64, .place = place_of_pointer(ir::ExprRef(&e))};
    case IntrinsicId::CvtaToShared: {
        std::int32_t pointer = operand(gen(e.args.at(0)));
        return in_register(m_builder.emit_value(Op::ToShared, Scalar::U64, Scalar::U32, pointer), Scalar::U32);
    }
    case IntrinsicId::CpAsync: gen_cp_async(e); return {};
    case IntrinsicId::CpAsyncCommit: m_builder.emit({.op = Op::CpCommit}); return {};
    case IntrinsicId::CpAsyncWait: {
        auto pending = ir::constant_int(e.args.at(0));
        HIDET_CHECK(pending, "cp_async_wait_group of a number that is not constant");
        m_builder.emit({.op = Op::CpWait, .x = static_cast<std::int32_t>(*pending)});
        return {};
    }
    case IntrinsicId::CpAsyncWaitAll: m_builder.emit({.op = Op::CpWait, .x = -1}); return {};
    case IntrinsicId::LdMatrix: gen_ldmatrix(e); return {};
    case IntrinsicId::MmaSync: gen_mma(e); return {};
    case IntrinsicId::MemcpyAsync:
    case IntrinsicId::GetSymbolValue:
    case IntrinsicId::SetSymbolValue:
    case IntrinsicId::RequestWorkspace: return gen_host(e);
    default: return gen_math(e);
    }
}

} // namespace hidet::compiler::bytecode
