#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the large models of this folder: their graphs without weights, and what ONNX Runtime computes when the weights are
made from a seed by the rule of app/session/model/stages.cpp.

    make.py HIDETC FOLDER [NAME...]      with a Python that has torch, torchvision, transformers, onnx, onnxscript,
                                         onnxruntime and xxhash; FOLDER keeps what PyTorch exported

A model is two files: NAME.json, the graph document as imported (hidetc model show --after import --json), and
NAME.recorded.json, the rule's seed, the inputs and the results: the sum, the sum of magnitudes, and elements evenly spread.
"""

import json
import math
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent.parent
SEED = 7
ELEMENTS = 64
BELOW = {"bert": 30522, "gpt2": 50257}  # tokens
MASK = (1 << 64) - 1


def key_of(text, seed=SEED):
    key = seed
    for c in text.encode():
        key = ((key ^ c) * 0x100000001B3) & MASK
    return key


def uniform(numpy, key, count):
    with numpy.errstate(over="ignore"):
        z = numpy.uint64(key) + (numpy.arange(count, dtype=numpy.uint64) + numpy.uint64(1)) * numpy.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> numpy.uint64(30))) * numpy.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> numpy.uint64(27))) * numpy.uint64(0x94D049BB133111EB)
        z = (z ^ (z >> numpy.uint64(31))) >> numpy.uint64(11)
    return z.astype(numpy.float64) * 2.0**-53


def weight(numpy, digest, dtype, shape):
    count = math.prod(shape)
    numbers = uniform(numpy, key_of(digest), count)
    if not numpy.issubdtype(dtype, numpy.floating):
        return (numbers >= 0.5).astype(dtype).reshape(shape)
    if len(shape) < 2:
        return (0.5 + numbers).astype(dtype).reshape(shape)
    fan = max(count // shape[0] if shape[0] else 1, 1)
    return ((2 * numbers - 1) * math.sqrt(3 / fan)).astype(dtype).reshape(shape)


def input_of(numpy, name, dtype, shape, below):
    """As tests/nightly/large_models.py makes them, which has no numpy."""
    numbers = uniform(numpy, key_of(name), math.prod(shape)).reshape(shape)
    if below:
        return numpy.floor(numbers * below).astype(dtype)
    return ((2 * numbers - 1) * math.sqrt(3)).astype(dtype)


def content_hash(array, shape):
    """As compiler/graph/text/contents.cpp."""
    import xxhash

    text = "(" + ", ".join(map(str, shape)) + (",)" if len(shape) == 1 else ")")
    return xxhash.xxh3_128_hexdigest(str(array.dtype).encode() + text.encode() + array.tobytes())


def replace_weights(onnx, numpy, model, document):
    """The document's large constants, by their contents, in the ONNX model; what is small stands in the document."""
    wanted = {value["constant"]["hash"]: value["shape"] for value in document["graph"]["values"]
              if "constant" in value and "elements" not in value["constant"]}
    tensors = list(model.graph.initializer)
    tensors += [node.attribute[0].t for node in model.graph.node if node.op_type == "Constant"]
    found = set()
    for tensor in tensors:
        old = onnx.numpy_helper.to_array(tensor)
        for shape in {tuple(shape) for shape in wanted.values() if math.prod(shape) == old.size}:
            digest = content_hash(old, shape)
            if digest in wanted:
                new = weight(numpy, digest, old.dtype, shape).reshape(old.shape)
                tensor.CopyFrom(onnx.numpy_helper.from_array(new, tensor.name))
                found.add(digest)
                break
    if len(found) != len(wanted):
        sys.exit(f"{len(wanted) - len(found)} of {len(wanted)} constants are not in the ONNX model")


def record(numpy, name, array):
    flat = array.astype(numpy.float64).reshape(-1)
    places = [i * (flat.size - 1) // (ELEMENTS - 1) for i in range(ELEMENTS)]
    return {"name": name, "dtype": str(array.dtype), "shape": list(array.shape), "sum": float(flat.sum()),
            "magnitude": float(abs(flat).sum()), "places": places, "elements": [float(f"{flat[i]:.9g}") for i in places]}


def make(hidetc, name, folder):
    import numpy
    import onnx
    import onnx.numpy_helper
    import onnxruntime

    path = folder / f"{name}-torchscript-14" / "model.onnx"
    if not path.exists():
        subprocess.run([sys.executable, ROOT / "samples" / "models" / "export_onnx.py", folder, name, "--size", "full",
                        "--exporter", "torchscript", "--opset", "14"], check=True)
    text = subprocess.run([hidetc, "model", "show", path, "--after", "import", "--json", "--target", "cpu"], check=True,
                          capture_output=True, text=True).stdout
    (HERE / f"{name}.json").write_text(text)
    document = json.loads(text)
    model = onnx.load(path)
    replace_weights(onnx, numpy, model, document)
    values = {value["id"]: value for value in document["graph"]["values"]}
    inputs, recorded = {}, []
    for number in document["graph"]["inputs"]:
        value = values[number]
        inputs[value["name"]] = input_of(numpy, value["name"], value["dtype"], value["shape"], BELOW.get(name))
        recorded.append({"name": value["name"], "dtype": value["dtype"], "shape": value["shape"], "below": BELOW.get(name)})
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    names = [output.name for output in session.get_outputs()]
    outputs = [record(numpy, *each) for each in zip(names, session.run(names, inputs))]
    lines = [f'"model": "{name}", "seed": {SEED}, "by": "ONNX Runtime {onnxruntime.__version__}"']
    lines += [f'"{kind}": ' + json.dumps(rows) for kind, rows in (("inputs", recorded), ("outputs", outputs))]
    (HERE / f"{name}.recorded.json").write_text("{" + ",\n".join(lines) + "}\n")
    print(f"{name}: {len(text)} bytes, {[row['elements'][:3] for row in outputs]}", flush=True)


def main():
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    for name in sys.argv[3:] or ["resnet50", "bert", "gpt2"]:
        make(sys.argv[1], name, pathlib.Path(sys.argv[2]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
