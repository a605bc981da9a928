# SPDX-License-Identifier: Apache-2.0
"""The layers of hidet.nn with PyTorch's weights give what PyTorch's give, at once and as an optimised graph.

    layers_test.py       with the Python that has PyTorch; PYTHONPATH leads to the package"""

import unittest

import torch

import hidet
from hidet import nn


def trained(module):
    """With a mean and a variance of its own."""
    module.running_mean.normal_()
    module.running_var.uniform_(0.5, 2)
    return module.eval()


T = torch.nn
PAIRS = {
    "linear": (nn.Linear(5, 7), T.Linear(5, 7), lambda: torch.randn(3, 5)),
    "convolution": (nn.Conv2d(4, 6, 3, padding=1, stride=2, groups=2, bias=True), T.Conv2d(4, 6, 3, padding=1, stride=2, groups=2),
                    lambda: torch.randn(2, 4, 9, 9)),
    "batch norm": (nn.BatchNorm2d(4), trained(T.BatchNorm2d(4)), lambda: torch.randn(2, 4, 5, 5)),
    "layer norm": (nn.LayerNorm([4, 5]), T.LayerNorm([4, 5]), lambda: torch.randn(2, 4, 5)),
    "group norm": (nn.GroupNorm(2, 4), T.GroupNorm(2, 4), lambda: torch.randn(2, 4, 5, 5)),
    "largest of windows": (nn.MaxPool2d(3, 2, 1), T.MaxPool2d(3, 2, 1), lambda: torch.randn(2, 4, 9, 9)),
    "mean of windows": (nn.AvgPool2d(3, 2, 1), T.AvgPool2d(3, 2, 1), lambda: torch.randn(2, 4, 9, 9)),
    "adaptive mean": (nn.AdaptiveAvgPool2d(2), T.AdaptiveAvgPool2d(2), lambda: torch.randn(2, 4, 9, 9)),
    "embedding": (nn.Embedding(9, 4), T.Embedding(9, 4), lambda: torch.randint(0, 9, (2, 3))),
    "in order": (nn.Sequential(nn.Linear(5, 8), nn.Relu(), nn.Linear(8, 2), nn.Gelu(), nn.Tanh()),
                 T.Sequential(T.Linear(5, 8), T.ReLU(), T.Linear(8, 2), T.GELU(), T.Tanh()), lambda: torch.randn(3, 5)),
}


class Layers(unittest.TestCase):
    def test_layers_give_what_those_of_pytorch_give(self):
        for name, (ours, theirs, make) in PAIRS.items():
            with self.subTest(name):
                ours.load_state_dict(theirs.state_dict())
                given = make()
                wanted = theirs(given).detach()
                x = hidet.from_torch(given)
                torch.testing.assert_close(ours(x).torch(), wanted, atol=1e-4, rtol=1e-4)
                graph = hidet.graph.optimize(ours.flow_graph_for([x]))
                torch.testing.assert_close(graph(x).torch(), wanted, atol=1e-4, rtol=1e-4)

    def test_dtypes_that_numpy_lacks_are_shared_with_pytorch_and_copied_to_numpy(self):
        for dtype in torch.bfloat16, torch.float8_e4m3fn, torch.float8_e5m2:
            given = torch.tensor([0.5, -2.0, 3.0]).to(dtype)
            tensor = hidet.from_torch(given)
            self.assertEqual((tensor.torch().dtype, tensor.torch().data_ptr()), (dtype, given.data_ptr()))
            self.assertEqual(tensor.numpy().tolist(), given.float().tolist())
        self.assertEqual(torch.abs(hidet.asarray([-1.0, 2.0])).tolist(), [1.0, 2.0])

    def test_attention_is_that_of_pytorch_between_linear_layers(self):
        layer = nn.CrossAttention(16, 12, heads=2, dim_head=8)
        layer.load_state_dict({name: torch.randn(*each.shape) for name, each in layer.named_parameters()})
        x, others = torch.randn(2, 3, 16), torch.randn(2, 5, 12)
        weights = {name: each.torch() for name, each in layer.named_parameters()}
        q, k, v = ((value @ weights[f"to_{one}.weight"].T).view(2, -1, 2, 8).transpose(1, 2) for one, value in
                   (("q", x), ("k", others), ("v", others)))
        wanted = T.functional.scaled_dot_product_attention(q, k, v).transpose(1, 2).reshape(2, 3, 16)
        wanted = wanted @ weights["to_out.0.weight"].T + weights["to_out.0.bias"]
        got = layer(hidet.from_torch(x), hidet.from_torch(others))
        torch.testing.assert_close(got.torch(), wanted, atol=1e-3, rtol=1e-3)


if __name__ == "__main__":
    unittest.main()
