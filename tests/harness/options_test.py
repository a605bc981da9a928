# SPDX-License-Identifier: Apache-2.0
"""Every option of scripts does what its table says: each row of lang/host/options.def and of pass_settings.def has a function
here, which fails where the effect is missing; rows without an effect warn. A library that looks like NVRTC notes what it is
asked: options_test.py --bin FOLDER --nvrtc LIBRARY --cuda LIBRARY"""

import json
import os
import re
import subprocess
import sys
import tempfile

ARGUMENTS = dict(zip(sys.argv[1::2], sys.argv[2::2]))
HIDETC = os.path.join(ARGUMENTS["--bin"], "hidetc")
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
WARNING = "[option-without-effect]"

KERNEL = """
with hidet.script_module() as script_module:
    @hidet.script
    def scale(a: f32[4]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = 1
        attrs.cuda.block_dim = 1
        a[0] = a[0] / 3.0
module = script_module.build()
a = hidet.ones([4], device='cuda')
module(a)
"""
CPU = """
with hidet.script_module() as script_module:
    @hidet.script
    def launch(a: f32[4]):
        attrs.func_kind = 'public'
        a[0] = 2.0
module = script_module.build()
"""
GRAPH = """
x = hidet.symbol([2, 4096], dtype='{dtype}', device='{device}')
w = hidet.ones([4096, 64], dtype='{dtype}', device='{device}')
graph = hidet.trace_from(hidet.ops.relu(x @ w) * 1.0)
with hidet.graph.PassContext() as context:
    {setting}
    graph = hidet.graph.optimize(graph)
{then}
"""


def run(body, *words, verb="run", fake=False):
    """What hidetc says of the words and a script, with an empty cache; `log`: the options of each compilation by the library of the tests."""
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "script.py"), "w", encoding="utf-8") as file:
            file.write("import hidet\nfrom hidet.lang import attrs, f32\n" + body)
        environment = {**os.environ, "HIDET_SANDBOX": "off", "HIDET_CACHE_DIR": os.path.join(folder, "cache")}
        log = os.path.join(folder, "log")
        if fake:
            environment |= {"HIDET_NVRTC": ARGUMENTS["--nvrtc"], "HIDET_LIBCUDA": ARGUMENTS["--cuda"],
                            "FAKE_NVRTC": "module", "FAKE_NVRTC_LOG": log, "HIDET_LIBNVML": "/nowhere/libnvidia-ml.so"}
        else:
            environment["HIDET_LIBCUDA"] = "/nowhere/libcuda.so.1"
        done = subprocess.run([HIDETC, *([verb] if verb == "model" else [verb, "script.py"]), *words], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=100)
        done.log = open(log, encoding="utf-8").read().splitlines() if os.path.exists(log) else []
        return done


def printed(body, *words):
    done = run(body, *words)
    assert done.returncode == 0, (body, done.stdout, done.stderr)
    return done.stdout


def refused(body, *words):
    done = run(body, *words)
    assert done.returncode == 1, (body, done.stdout, done.stderr)
    return done.stderr


def graph(setting="pass", device="cpu", dtype="float32", then="print(graph.nodes)"):
    return GRAPH.format(setting=setting, device=device, dtype=dtype, then=then)


def compilations(option, form="ptx"):
    """What the compiler of GPUs is asked when a kernel is written as text, and when it runs on a GPU."""
    asked = []
    for verb, words in (("emit", ["--kind", form]), ("run", ["--target", "cuda"])):
        done = run(option + KERNEL, *words, verb=verb, fake=True)
        assert done.returncode == 0 and done.log, (done.stdout, done.stderr)
        asked += done.log
    return asked


def only_with(word, option):
    for line in compilations(""):
        assert word not in line.split(), line
    for line in compilations(option):
        assert word in line.split(), line


# ---- hidet.option ----------------------------------------------------------------------------------------------------


def bench_config():
    calls = """
count = 0
def called():
    global count
    count += 1
hidet.utils.benchmark_func(called{more})
print(count)
"""
    assert printed(calls.format(more="")) == "33\n"
    assert printed("hidet.option.bench_config(2, 4, 5)\n" + calls.format(more="")) == "22\n"
    assert printed("hidet.option.bench_config(2, 4, 5)\n" + calls.format(more=", number=1, warmup=0")) == "5\n"
    times = "hidet.option.bench_config(1, 1, 4)\n" + graph(then="print(len(graph.latency(median=False)))")
    assert printed(times) == "4\n"
    assert "bench_config" in refused("hidet.option.bench_config(1, 0, 4)\n")


def debug_show_verbose_flow_graph():
    plain = printed(graph(then="print(graph)"))
    verbose = printed("hidet.option.debug_show_verbose_flow_graph(True)\n" + graph(then="print(graph)"))
    assert "sum" not in plain and len(verbose.splitlines()) > len(plain.splitlines()), (plain, verbose)


def execution_mode():
    script = "x = hidet.ones([4], device='cuda')\nprint(hidet.ops.relu(x).tolist())\n"
    for option, kernels in (("", 0), ("hidet.option.execution_mode('compilation')\n", 1)):
        summary = json.loads(run(option + script, "--json").stdout)["summary"]
        assert summary["kernels"] == kernels, (option, summary)
    assert "'interpreter' or 'compilation'" in refused("hidet.option.execution_mode('symbolic')\n")


def parallel_k():
    assert "ReduceSum" not in printed(graph())
    assert "ReduceSum" in printed("hidet.option.parallel_k('default')\n" + graph())
    assert WARNING in run("hidet.option.parallel_k('search')\n" + graph()).stderr
    assert "'disabled', 'default', 'search' or a number of parts" in refused("hidet.option.parallel_k('some')\n")


def cuda_arch():
    option = "hidet.option.cuda.arch('sm_80')\n"
    earlier = run("hidet.option.cuda.arch('sm_75')\n" + KERNEL, "--kind", "ptx", verb="emit", fake=True)
    on_gpu = run("hidet.option.cuda.arch('sm_75')\n" + KERNEL, "--target", "cuda", fake=True)
    for line in earlier.log + on_gpu.log: # the driver translates what is for an earlier GPU
        assert "--gpu-architecture=compute_75" in line.split(), line
    assert len(earlier.log) == len(on_gpu.log) == 1
    assert printed(option + "print(hidet.option.cuda.get_arch(), hidet.option.cuda.get_arch_pair())\n") == "sm_80 (8, 0)\n"
    explicit = run(option + KERNEL, "--kind", "ptx", "--arch", "sm_90a", verb="emit", fake=True)
    assert all("compute_90a" in line for line in explicit.log) and explicit.log
    cluster = KERNEL.replace("grid_dim = 1", "grid_dim = 2\n        attrs.cuda.cluster_dim = 2")
    assert run(cluster, "--kind", "cuda", verb="emit").returncode == 0
    assert "sm_90" in run(option + cluster, "--kind", "cuda", verb="emit").stderr, "sm_80 has no clusters"
    half = graph(device="cuda", dtype="float16", then="graph(hidet.ones([2, 4096], dtype='float16', device='cuda'))")
    assert templates("" + half) == {"matmul_few_rows"}
    assert templates(option + half) == {"product_simt"}
    assert "no-such-arch" in refused("hidet.option.cuda.arch('sm_17')\n" + KERNEL)
    assert "sm_80" in refused("hidet.option.cuda.arch('ampere')\n")
    later = run("hidet.option.cuda.arch('sm_100')\n" + KERNEL, "--target", "cuda", fake=True)
    assert "wants code for sm_100" in later.stderr, later.stderr


def cuda_build_ftz():
    only_with("--ftz=true", "hidet.option.cuda.build.ftz(True)\n")


def cuda_build_prec_div():
    only_with("--prec-div=false", "hidet.option.cuda.build.prec_div(False)\n")


def cpu_arch():
    done = run("hidet.option.cpu.arch('no-such-processor')\n" + CPU, "--target", "cpu")
    assert done.returncode != 0 and "no-such-processor" in done.stderr, done.stderr
    printed("hidet.option.cpu.arch('x86-64-v2')\n" + CPU, "--target", "cpu")
    assert "'cpu.arch' takes" in refused("hidet.option.cpu.arch('a b')\n")


# ---- PassContext -----------------------------------------------------------------------------------------------------


def templates(body):
    """The templates of products that kernels of an emulated graph were made by."""
    done = run(body, "--counters", verb="emulate")
    assert done.returncode == 0, done.stderr
    return set(re.findall(r"^\s*((?:matmul|product)_\w+)\.py:", done.stdout + done.stderr, re.MULTILINE))


def set_precision():
    assert "Cast" not in printed(graph())
    assert "Cast" in printed(graph("context.set_precision('float16')"))
    assert "one of 'float16'" in refused(graph("context.set_precision('int8')"))


def set_reduce_precision():
    assert WARNING in run(graph("context.set_reduce_precision('float16')")).stderr
    assert WARNING not in run(graph("context.set_reduce_precision('float32')")).stderr


def set_mma():
    def half(setting):
        then = "graph(hidet.ones([2, 4096], dtype='float16', device='cuda'))"
        return graph(setting, "cuda", "float16", then)

    assert templates(half("pass")) == {"matmul_few_rows"}
    assert templates(half("context.set_mma('mma')")) == {"matmul_few_rows"}
    assert templates(half("context.set_mma('simt')")) == {"product_simt"}
    assert "float32 by matrix units" in run(graph("context.set_mma('mma')", device="cuda")).stderr
    assert "has no matrix units" in run(graph("context.set_mma('mma')")).stderr
    assert "'simt', 'mma'" in refused(graph("context.set_mma('wmma')"))


def set_mesh():
    assert "the process is in no group yet" in refused(graph("context.set_mesh(data=2)"))
    assert "the process is in no group yet" in refused(graph("context.set_mesh(pipe=2)"))


def set_parallel_k():
    assert "ReduceSum" in printed(graph("context.set_parallel_k(nparts=4)"))
    assert "ReduceSum" in printed(graph("context.set_parallel_k(default=True)"))
    assert "ReduceSum" not in printed(graph("context.set_parallel_k(disabled=True)"))
    assert "not tuned" in refused(graph("context.set_parallel_k(search=True)"))
    assert "'disabled'" in refused(graph("context.set_parallel_k(disabled=True, nparts=2)"))


def set_verbose():
    assert "drop-neutral" in printed(graph("context.set_verbose()"))
    assert "drop-neutral" not in printed(graph())


def save_graph_instrument():
    assert WARNING in run(graph("context.save_graph_instrument('out')")).stderr


def profile_pass_instrument():
    assert "fuse-operator" in printed(graph("context.profile_pass_instrument(print_stdout=True)"))
    assert "fuse-operator" not in printed(graph())
    assert WARNING in run(graph("context.profile_pass_instrument('times.txt')")).stderr


def reduce_cuda_compile_mem():
    assert WARNING in run(graph("context.reduce_cuda_compile_mem(False)")).stderr
    assert WARNING not in run(graph("context.reduce_cuda_compile_mem(True)")).stderr


def allow_source_graph_removal():
    assert WARNING in run(graph("context.allow_source_graph_removal(True)")).stderr


def quantize_weights():
    product = "graph = hidet.trace_from(hidet.symbol([2, 64]) @ hidet.randn([64, 8]))\n"
    optimised = "with hidet.graph.PassContext() as context:\n    {}\n    print(hidet.graph.optimize(graph).nodes)\n"
    for kind in ("int8", "int4", "fp8"):
        assert "PackedMatmul" in printed(product + optimised.format(f"context.quantize_weights('{kind}')"))
    assert "PackedMatmul" not in printed(product + optimised.format("context.quantize_weights('int4', limit=0.001)"))
    assert "PackedMatmul" not in printed(product + optimised.format("context.quantize_weights(None)"))
    assert "'int8', 'int4', 'fp8'" in refused(product + optimised.format("context.quantize_weights('int3')"))
    assert "a relative error of -1" in refused(product + optimised.format("context.quantize_weights('int8', limit=-1)"))


def add_quantize_rules():
    assert "'quantize_weights'" in refused(graph("context.add_quantize_rules([])"))
    printed(graph("context.add_quantize_rules(None)"))


def switch_off():
    assert "Multiply" in printed(graph("context.switch_off('drop-neutral')"))
    assert "Multiply" not in printed(graph())


def switch_on():
    product = "graph = hidet.trace_from(hidet.symbol([2, 3, 4]) @ hidet.ones([4, 5]))\n"
    optimised = "with hidet.graph.PassContext() as context:\n    {}\n    print(hidet.graph.optimize(graph).nodes)\n"
    assert "Reshape" in printed(product + optimised.format("context.switch_on('flatten-matmul')"))
    assert "Reshape" not in printed(product + optimised.format("pass"))


# ---- keywords --------------------------------------------------------------------------------------------------------


def keywords_of_build():
    build = "module = script_module.build({})"
    kernel = KERNEL.replace("script_module.build()", "script_module.build({})")
    seventy_five = run(kernel.format("target='cuda --arch=sm_75'"), "--kind", "ptx", verb="emit", fake=True)
    assert all("compute_75" in line for line in seventy_five.log) and seventy_five.log, build
    assert "'scale' is one" in refused(kernel.format("target='cpu'"))
    assert "'hip'" in refused(kernel.format("target='hip'"))
    assert WARNING in run(kernel.format("output_dir='out'")).stderr
    assert WARNING not in run(kernel.format("target='cuda'")).stderr


def keywords_of_graphs():
    assert "0, 1 and 2" in refused(graph(then="graph.build(space=3)"))
    printed(graph(then="graph.build(space=0)"))
    assert printed(graph(then="print(len(graph.latency(repeat=2, median=False)))")) == "2\n"
    assert "operator-refused" in refused(graph(then="graph.latency(dummy_inputs=[hidet.ones([3])])"))


def keywords_of_benchmarks():
    bench = "from hidet.utils.benchmark import do_bench\ntimes = do_bench(lambda: None, warmup=0, rep=1{})\nprint({})\n"
    assert printed(bench.format("", "len(times)")) == "3\n"
    assert printed(bench.format(", percentiles=[0.0, 1.0]", "times[0] <= times[1], len(times)")) == "True 2\n"
    assert printed(bench.format(", percentiles=None", "times > 0")) == "True\n"


def scripts_of_models():
    """A script that is given with a model says how the model's code is made."""
    model = os.path.join(ROOT, "tests", "models", "mlp", "mlp.onnx")
    for option, is_asked in (("", False), ("hidet.option.cuda.build.ftz(True)\n", True)):
        done = run(option, "run", model, "--with", "script.py", "--target", "cuda", "--dim", "batch=2", verb="model", fake=True)
        assert done.returncode == 0 and done.log, done.stderr
        assert all(("--ftz=true" in line.split()) == is_asked for line in done.log), done.log


# ---- all of them -----------------------------------------------------------------------------------------------------

VALUES = {"Bool": "not hidet.option.get_option('{}')", "Int": "hidet.option.get_option('{}') + 1", "Str": "'other'"}
TUNED = {"search_space"}  # tests/unit/graph and tests of tuning know what it does


def rows(path, macro):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return re.findall(rf'^{macro}\("?([\w.]+)"?, "?(\w*)', file.read(), re.MULTILINE)


def idle_rows_warn():
    idle = rows("lang/host/options.def", "HIDET_IDLE_OPTION")
    assert len(idle) > 10
    set_to = "".join(f"hidet.option.{name}({VALUES[kind].format(name)})\n" for name, kind in idle)
    done = run(set_to)
    for name, _ in idle:
        assert f"'{name}' changes nothing here" in done.stderr, (name, done.stderr)
    usual = "".join(f"hidet.option.set_option('{name}', hidet.option.get_option('{name}'))\n" for name, _ in idle)
    assert WARNING not in run(usual).stderr


def main():
    tested = {name.replace(".", "_") for name, _ in rows("lang/host/options.def", "HIDET_OPTION")} - TUNED
    tested |= {name for name, _ in rows("compiler/graph/script/pass_settings.def", "HIDET_PASS_SETTING")}
    assert len(tested) > 15
    for name in sorted(tested):
        globals()[name]()  # each row has its test
    for test in (keywords_of_build, keywords_of_graphs, keywords_of_benchmarks, scripts_of_models, idle_rows_warn):
        test()
    print("fine")


main()
