# SPDX-License-Identifier: Apache-2.0
"""Classes of Python below those of the compiler: tasks, operators and rules of the user's; and modules of layers."""

import gc
import io
import json
import unittest

import hidet
from hidet.graph.operator import Operator
from hidet.graph.ops.utils import input_like
from hidet.graph.transforms import SubgraphRewriteRule, TensorPattern, register_rewrite_rule
from hidet.ir.compute import compute
from hidet.ir.task import Task
from hidet.lang import attrs, f32
from hidet.lang.cuda import blockIdx, threadIdx


class ScaleTask(Task):
    def __init__(self, x, factor):
        self.factor = factor
        super().__init__(name="scale", inputs=[x], outputs=[compute("y", x.shape, lambda *i: x[i] * factor)])

    def doubled(self):
        return 2 * self.factor


class Scale(Operator):
    def __init__(self, x, factor):
        super().__init__(inputs=[x], attributes={"factor": factor}, task=ScaleTask(input_like(x, "x"), factor))


class Written(Operator):
    """With a kernel of its own, that does something else than it says."""

    def __init__(self, x):
        super().__init__(inputs=[x], attributes={}, task=ScaleTask(input_like(x, "x"), 2.0))

    def implement_cuda(self, working_dir):
        n = self.inputs[0].shape[0]
        with hidet.script_module() as module:

            @hidet.script
            def add_one(x: f32[n], y: f32[n]):
                attrs.func_kind = "cuda_kernel"
                attrs.cuda.grid_dim = n
                attrs.cuda.block_dim = 1
                y[blockIdx.x + threadIdx.x] = x[blockIdx.x] + 1.0

        return module.ir_module()


class Modules(unittest.TestCase):
    def test_a_module_has_its_weights_by_name_and_makes_its_graph(self):
        class Scaled(hidet.nn.Module):
            def __init__(self):
                super().__init__()
                self.inner = hidet.nn.Linear(2, 3, bias=False)
                self.scale = hidet.full([3], 2.0)

            def forward(self, x):
                return self.inner(x) * self.scale

        model = Scaled()
        self.assertEqual([name for name, _ in model.named_parameters()], ["scale", "inner.weight"])
        model.load_state_dict({"scale": [1.0, 2.0, 3.0], "inner.weight": [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]})
        x = hidet.asarray([[1.0, 2.0]])
        self.assertEqual(model(x).tolist(), [[1.0, 4.0, 9.0]])
        graph = model.flow_graph_for([x])
        self.assertEqual(graph(x).tolist(), [[1.0, 4.0, 9.0]])
        self.assertEqual(([each.shape for each in graph.inputs], graph.outputs[0].dtype.name), ([(1, 2)], "float32"))
        self.assertEqual(str(model), "Scaled(\n  (inner): Linear(in_features=2, out_features=3)\n)")
        self.assertEqual(model.to(dtype="float16").inner.weight.dtype, hidet.float16)
        for wrong, error in (({}, KeyError), ({"scale": [1.0], "inner.weight": [[1.0, 0.0]] * 3}, ValueError)):
            with self.assertRaises(error):
                model.load_state_dict(wrong)

    def test_the_graph_that_netron_shows_is_written_to_a_file(self):
        symbol, file = hidet.symbol([2, 3]), io.StringIO()
        hidet.utils.netron.dump(hidet.trace_from(hidet.ops.relu(symbol), symbol), file)
        self.assertIn("Relu", file.getvalue())
        json.loads(file.getvalue())


class Derived(unittest.TestCase):
    def test_an_operator_of_a_class_of_python_is_computed_traced_and_fused(self):
        x = hidet.ones([3, 4])
        self.assertEqual(Scale(x, 3.0).outputs[0].tolist(), [[3.0] * 4] * 3)
        symbol = hidet.symbol(["n", 4])
        graph = hidet.graph.optimize(hidet.trace_from(Scale(symbol + 1.0, 2.0).outputs[0], symbol))
        self.assertEqual(graph(x).tolist(), [[4.0] * 4] * 3)
        self.assertIn("FlowGraph(AddScalar, UserOperator)", str(graph))

    def test_objects_have_attributes_of_both_halves_and_their_class(self):
        task = ScaleTask(hidet.ir.compute.tensor_input("x", "float32", [4]), 1.5)
        self.assertEqual((task.name, task.factor, task.doubled(), task.inputs[0].name), ("scale", 1.5, 3.0, "x"))
        self.assertIsInstance(task, ScaleTask)
        self.assertIsInstance(task, Task)
        self.assertNotIsInstance(task, Operator)
        task.note = object()  # what the compiler has no value for
        self.assertIs(task.note, task.note)
        with self.assertRaisesRegex(AttributeError, "has no attribute 'nothing'"):
            task.nothing

    def test_kernels_are_those_that_a_method_of_python_returns(self):
        symbol = hidet.symbol([8], device="cuda")
        graph = hidet.graph.optimize(hidet.trace_from(Written(symbol).outputs[0], symbol))
        self.assertEqual(graph(hidet.full([8], 5.0, device="cuda")).cpu().tolist(), [6.0] * 8)

    def test_the_compiler_makes_objects_of_a_rule_and_calls_its_methods(self):
        @register_rewrite_rule
        class Doubling(SubgraphRewriteRule):
            def __init__(self):
                super().__init__(name="doubling")
                self.x = TensorPattern()
                self.y = self.x + self.x

            def source(self):
                return [self.y]

            def target(self, matched):
                return [Scale(matched[self.x], 2.0).outputs[0]]

        self.assertEqual(Doubling.__name__, "Doubling")
        symbol = hidet.symbol([4])
        graph = hidet.graph.optimize(hidet.trace_from(symbol + symbol, symbol))
        self.assertIn("'Scale'", str(graph))
        self.assertEqual(graph(hidet.ones([4])).tolist(), [2.0] * 4)

    def test_objects_go_with_their_attributes(self):
        gone = []

        class Weight:
            def __del__(self):
                gone.append(True)

        task = ScaleTask(hidet.ir.compute.tensor_input("x", "float32", [4]), 1.5)
        task.weight = Weight()
        del task
        gc.collect()
        self.assertEqual(gone, [True])

    def test_bases_that_cannot_be_are_refused(self):
        with self.assertRaisesRegex(TypeError, "derives from 2 classes of hidet"):

            class Both(Task, Operator):
                pass

        with self.assertRaisesRegex(TypeError, "cannot derive from"):

            class OfNumber(hidet.int32(3)):
                pass


if __name__ == "__main__":
    unittest.main()
