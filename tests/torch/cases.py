# SPDX-License-Identifier: Apache-2.0
"""Modules as people write them, with what is unusual about each: name -> (module or function, inputs, options).

Options: `train` (gradients are compared), `sizes` (more inputs for the same compilation), `calls`, `mutates` (inputs are compared
after the call), `writes` (the caller writes to results), `between` (done to the module between calls), `grad` (called outside of no_grad), `dynamic`, `cpu` (only there)."""

import math

import torch
import torch.nn.functional as F
from torch import nn

CASES = {}


def case(*inputs, **options):
    def declare(function):
        CASES[function.__name__] = (function, inputs, options)
        return function

    return declare


def r(*shape, dtype=torch.float32):
    return lambda: torch.randn(*shape, dtype=dtype)


def images(*shape):
    return lambda: torch.randn(*shape).to(memory_format=torch.channels_last)


def ints(high, *shape, dtype=torch.int64):
    return lambda: torch.randint(0, high, shape, dtype=dtype)


def distinct(high, *shape):
    """Along the first dimension: where a write meets another, PyTorch leaves open which one stays."""
    return lambda: torch.rand(high, *shape[1:]).argsort(0)[:shape[0]]


def bools(*shape):
    return lambda: torch.rand(*shape) > 0.5


@case(r(4, 8))
def in_place_on_intermediate(x):
    y = x * 2
    y += 1
    y[1] = 0
    y[:, 2:4] *= 3
    return y


@case(r(4, 8), mutates=True)
def in_place_on_input(x):
    x.add_(1)
    return x.sum()


@case(r(4, 8), mutates=True)
def in_place_on_view_of_input(x):
    x[:, 1].mul_(5)
    x.t()[0].zero_()
    return x * 1


@case(r(4, 8))
def result_is_view_of_input(x):
    return x.t(), x[1:3], x.view(2, 16)


@case(r(4, 8))
def result_is_input(x):
    return x, x + 1, x


@case(r(4, 8))
def results_share_memory(x):
    y = x + 1
    return y, y.view(-1), y[0]


@case(r(4, 8))
def same_result_twice(x):
    y = torch.relu(x)
    return y, y


@case(images(2, 4, 9, 9), module=True)
class ChannelsLast(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(4, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.AdaptiveAvgPool2d(1))

    def forward(self, x):
        y = self.features[:3](x)
        return y, y.permute(0, 2, 3, 1).reshape(2, 81, 8), self.features[3](y).flatten(1)


@case(images(2, 4, 9, 9), module=True, train=True)
class ChannelsLastTraining(ChannelsLast):
    pass


@case(images(2, 4, 6, 6), lambda: torch.randn(2, 5, 7).permute(2, 0, 1), lambda: torch.randn(6, 8)[:, :5])
def dimensions_in_another_order(x, y, z):
    return x + 1, x.view(2, 4, 36) * 2, y.sum(0), y * 2, z * 2, z.t().contiguous()


@case(r(4, 8), mutates=True)
def copy_before_a_change(x):
    y = x.clone()
    x.add_(1)
    return y, y.view(-1)


@case(r(4, 8), writes=True)
def results_of_equal_computations(x):
    return torch.relu(x), torch.relu(x), torch.relu(x).clone(), torch.ones(3), torch.ones(3)


@case(r(4, 8), r(8))
def dictionary_of_results(x, y):
    return {"sum": x + y, "list": [x * y, (x - y, 3, None)]}


@case(r(4, 8), ints(4, 3))
def index_rows(x, i):
    return x[i], x[i, i], x[i][:, i]


@case(r(4, 8), ints(4, 3), ints(8, 3))
def index_two(x, i, j):
    return x[i, j]


@case(r(4, 8, 5), ints(4, 3), ints(5, 3))
def index_not_neighbours(x, i, j):
    return x[i, :, j]


@case(r(4, 8), bools(4, 8))
def index_by_mask(x, m):
    return x[m].sum(), x.masked_fill(m, 2.0)


@case(r(4, 8), distinct(4, 3), r(3, 8))
def index_put(x, i, y):
    z = x.clone()
    z[i] = y
    return z


@case(r(2, 3, 16, 4), lambda: torch.tensor([-9]), r(2, 3, 1, 4), mutates=True)
def token_into_a_cache(x, i, y):
    x.index_copy_(2, i + 16, y)
    return x.sum(2)


@case(r(2, 6, 5, 4), distinct(6, 3), ints(1, 2, 1), r(2, 3, 4))
def index_put_of_inner_dimensions(x, i, j, y):
    z, w = x.clone(), x.clone()
    z[:, i] = y[:, :, None]
    w[:, i, j - 1] = y.mean(0)[0]
    return z, w


@case(r(4, 8), ints(4, 6), r(6, 8))
def index_add(x, i, y):
    return torch.index_add(x, 0, i, y)


@case(r(4, 8), distinct(4, 3, 8), r(3, 8))
def scatter_and_gather(x, i, y):
    return x.scatter(0, i, y), x.gather(0, i), x.scatter_add(0, i, y), x.scatter(0, i, 1.5)


@case(r(4, 8), ints(4, 3, 8), r(3, 8))
def scatter_reduce(x, i, y):
    return x.scatter_reduce(0, i, y, "amax"), x.scatter_reduce(0, i, y, "sum", include_self=False)


@case(r(2, 6, 6))
def complex_mask(x):
    causal = torch.ones(6, 6, dtype=torch.bool).tril()
    window = torch.ones(6, 6, dtype=torch.bool).triu(-2)
    return torch.where(causal & window, x, float("-inf")).softmax(-1)


@case(r(2, 3, 6, 4), r(2, 3, 6, 4), r(2, 3, 6, 4), bools(2, 1, 6, 6))
def attention_with_mask(q, k, v, m):
    m = m | torch.eye(6, dtype=torch.bool, device=q.device)
    return F.scaled_dot_product_attention(q, k, v, attn_mask=m)


@case(r(2, 3, 6, 4), r(2, 3, 6, 4), r(2, 3, 6, 4), bools(2, 1, 6, 6))
def attention_of_queries_without_keys(q, k, v, m):
    hidden = torch.where(m, 0.0, float("-inf")).index_fill(-2, torch.tensor([2], device=q.device), float("-inf"))
    causal = torch.ones(6, 6, dtype=torch.bool, device=q.device).tril(-1)
    return F.scaled_dot_product_attention(q, k, v, attn_mask=hidden), F.scaled_dot_product_attention(q, k, v, attn_mask=causal)


@case(r(2, 3, 6, 4), r(2, 3, 6, 4), r(2, 3, 6, 4))
def attention_causal(q, k, v):
    return F.scaled_dot_product_attention(q, k, v, is_causal=True), F.scaled_dot_product_attention(q, k, v, scale=0.3)


@case(r(2, 8, 6, 4), r(2, 8, 6, 4), r(2, 8, 6, 4), module=True, train=True)
class AttentionTraining(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(4))

    def forward(self, q, k, v):
        q = q * self.scale
        mask = torch.ones(6, 6, dtype=torch.bool, device=q.device).tril(2)
        return F.scaled_dot_product_attention(q, k, v, is_causal=True), F.scaled_dot_product_attention(q, k, v, attn_mask=mask)


@case(r(2, 8, 6, 4), r(2, 8, 6, 4), r(2, 8, 6, 4), cpu=True)
def attention_under_autocast(q, k, v):
    with torch.autocast("cpu", torch.bfloat16):
        return F.scaled_dot_product_attention(q, k, v)


@case(r(2, 8, 6, 4), r(2, 2, 6, 4), r(2, 2, 6, 4))
def attention_of_groups(q, k, v):
    return F.scaled_dot_product_attention(q, k, v, enable_gqa=True)


@case(ints(10, 4, 3, dtype=torch.int32), ints(10, 4, 3))
def integers(x, y):
    return x + y, x // 3, x % 4, x * 2, x / 3, (x > 2) & (y < 5), x.sum(), -x, x ** 2, x.float().mean()


@case(ints(10, 4, 3), ints(5, 4, 3))
def negative_integers(x, y):
    x = x - 5
    return x // 2, x % 3, torch.div(x, 2, rounding_mode="trunc"), torch.remainder(x, y + 1), torch.fmod(x, y + 1), x.abs(), x >> 1


@case(r(4, 8), r(4, 8))
def negative_floats(x, y):
    return x // 0.7, x % 0.7, torch.div(x, y, rounding_mode="trunc"), torch.fmod(x, y), torch.remainder(x, y), x.floor(), x.trunc(), x.frac()


@case(bools(4, 3), bools(4, 3))
def booleans(x, y):
    return x & y, x | y, x ^ y, ~x, x.sum(), x.any(), x.all(1), x.float(), x + y, x * y, x.cumsum(0), x == y


@case(lambda: torch.tensor([float("nan"), float("inf"), -float("inf"), -0.0, 0.0, 1.0, -1.0]))
def special_values(x):
    return (x.relu(), x.sigmoid(), x.tanh(), x.exp(), x.sign(), x.isnan(), x.isinf(), x.clamp(-0.5, 0.5), torch.maximum(x, x.flip(0)),
            x.max(), x.amin(), x.nan_to_num(), x.sqrt(), 1 / x, x == x, F.silu(x), x.abs(), x.round(), x.softmax(0))


@case(r(4, 8, dtype=torch.bfloat16), r(8, 5, dtype=torch.bfloat16))
def short_floats(x, w):
    return x @ w, x * 0.1, x.sum(), x.softmax(1), F.layer_norm(x, [8]), x.float() + 1, x + torch.ones(8), x.mean(0), F.gelu(x)


@case(r(4, 8, dtype=torch.float16), r(8, dtype=torch.float16))
def half_floats(x, w):
    return x * w, x / 3, F.silu(x), x.norm(), x.var(1), x.exp().log()


@case(r(4, 8, dtype=torch.float64), r(8, 3, dtype=torch.float64))
def long_floats(x, w):
    return x @ w, x.std(), x.softmax(0), x.exp()


@case(r(4, 8), r(8, 8))
def autocast(x, w):
    with torch.autocast(x.device.type, dtype=torch.bfloat16):
        return (x @ w).relu() @ w


@case(r(3, 8), sizes=[[r(5, 8)], [r(7, 8)], [r(1, 8)]], dynamic=True)
def batch_of_any_size(x):
    return (x.softmax(1) @ x.t()).sum(0), x.mean(0), x.reshape(-1), x.view(x.shape[0] * 2, 4)


@case(r(2, 5, 8), sizes=[[r(3, 9, 8)], [r(2, 6, 8)]], dynamic=True)
def sequence_of_any_length(x):
    n = x.shape[1]
    mask = torch.ones(n, n, dtype=torch.bool, device=x.device).tril()
    scores = (x @ x.transpose(1, 2) / math.sqrt(8)).masked_fill(~mask, float("-inf"))
    positions = torch.arange(n, device=x.device)
    return scores.softmax(-1) @ x, x + positions[:, None], torch.cat([x, x[:, : n - 1]], 1), x[:, n // 2:]


@case(r(4, 8), sizes=[[r(6, 8)], [r(9, 8)]], dynamic=True)
def size_as_number(x):
    return x * x.shape[0] / (x.shape[0] + 1), torch.full((x.shape[0], 2), 3.0), x.new_zeros(x.shape[0] + 1)


@case(r(4, 8))
def number_from_data(x):
    n = int((x > 0).sum().item())
    return x * n


@case(r(4, 8))
def branch_on_data(x):
    if x.sum() > 0:
        return x + 1
    return x - 1


@case(r(4, 8))
def print_in_the_middle(x):
    y = x * 2
    torch._dynamo.graph_break()
    return y.relu()


@case(r(6, 4))
def nonzero(x):
    return torch.nonzero(x > 0).sum()


@case(r(10))
def sorting(x):
    values, places = x.sort(descending=True)
    return values, places, x.argsort(), x.topk(3), x.max(0), x.median(), torch.unique(x.round())


@case(r(4, 6))
def reductions(x):
    return (x.sum(), x.sum(1, keepdim=True), x.mean((0, 1)), x.prod(1), x.amax(0), x.argmin(1), x.var(1, unbiased=False), x.std(0),
            x.logsumexp(1), x.cumsum(1), x.norm(dim=1), x.norm(1), x.all(), x.any(0), x.argmax(), x.cumprod(1), torch.var_mean(x, 0),
            x.norm(float("inf")), x.var(), x.std(1, correction=2))


@case(r(2, 3, 4))
def shapes(x):
    return (x.permute(2, 0, 1), x.transpose(0, 2) + 1, x.flatten(1), x.unsqueeze(1).expand(2, 5, 3, 4) * 1, x.repeat(1, 2, 1), x.flip(1),
            x.roll(1, 2), x.roll((1, 2), (0, 1)), x.roll(3), x.unfold(2, 2, 1), x.movedim(0, 2), x.split(2, 1), x.chunk(3, 2), x.unbind(1),
            torch.stack([x, x], 1), torch.cat([x, x], -1), x[..., ::2], x[:, -1], x[:, -2:], x.narrow(2, 1, 2), x.diagonal(0, 1, 2), x.tile(2, 1),
            x.repeat_interleave(2, 1), x.swapaxes(0, 1), x.squeeze(), F.pad(x, (1, 2, 0, 1)), F.pad(x, (-1, 1)), F.pad(x, (1, 1), "reflect"),
            F.pad(x, (1, 1), "replicate"), F.pad(x, (1, 1), "circular"))


@case(r(0, 4), r(3, 0))
def empty_tensors(x, y):
    return x.sum(), x + 1, y.sum(1), torch.cat([x, torch.ones(2, 4)]), y @ torch.ones(0, 2), x.relu().t()


@case(lambda: torch.tensor(2.5), r(3))
def numbers_as_tensors(x, y):
    return x * 2, x + y, x.exp(), x.reshape(1), y * x, x.sum(), torch.stack([x, x]), x > 1


@case(lambda: torch.randn(8, 4).t(), lambda: torch.randn(4, 16)[:, ::2])
def inputs_with_strides(x, y):
    return x + y, x @ y.t(), x.contiguous(), x.sum(0)


@case(lambda: torch.randn(1, 8).expand(4, 8), r(4, 8))
def expanded_input(x, y):
    return x * y, x.sum()


@case(lambda: torch.randn(2, 3, 8, 8).to(memory_format=torch.channels_last))
def channels_last(x):
    return F.avg_pool2d(x, 2), F.max_pool2d(x, 3, 1, 1), x * 2


@case(images(2, 3, 8, 8), images(2, 1, 8, 8), lambda: torch.randn(4, 6, 3).permute(2, 0, 1), sizes=[(images(3, 5, 8, 6), images(3, 1, 8, 6),
      lambda: torch.randn(5, 7, 2).permute(2, 0, 1))], dynamic=True)
def strides_of_extents_that_vary(x, gray, z):
    return F.max_pool2d(x, 2), torch.cat([x, x * 2], 1), x + gray, torch.exp(z), z.sum(1), x.contiguous() + 1


@case(images(2, 8, 4, 4), images(2, 1, 4, 4), lambda: torch.randn(2, 3, 4, 4, 4).to(memory_format=torch.channels_last_3d))
def strides_of_ones_and_constants(x, gray, volume):
    return gray * 2, F.adaptive_avg_pool2d(x, 1) * 2, torch.zeros_like(x) + 1, torch.relu(volume), (x * 2).contiguous(), x.softmax(1)


@case(lambda: torch.randn(4, 4, dtype=torch.complex64))
def complex_numbers(x):
    return (x * x.conj()).real, torch.view_as_real(x), x.abs()


@case(r(8, 8))
def linear_algebra(x):
    y = x @ x.t() + 8 * torch.eye(8, device=x.device)
    return torch.linalg.cholesky(y), torch.linalg.inv(y), torch.linalg.det(y), torch.trace(y), torch.outer(x[0], x[1])


@case(r(3, 8))
def constants_made_in_each_call(x):
    """What reads no input and has no row is computed once; random numbers are not, nor a result itself."""
    here = {"device": x.device}
    basis = torch.linalg.inv(torch.eye(8, **here) * 2 + torch.ones(8, 8, **here))
    shifted = torch.fft.fft(torch.arange(8.0, **here)).real
    noise = torch.rand(8, **here) * 0
    return x @ basis + shifted + noise, torch.linalg.inv(torch.eye(2, **here) * 4)


@case(r(16))
def fourier(x):
    return torch.fft.rfft(x).abs(), torch.fft.ifft(torch.fft.fft(x)).real


@case(r(3, 4), r(4, 5), r(5))
def einsums(x, y, z):
    return torch.einsum("ij,jk->ik", x, y), torch.einsum("ij,jk,k->i", x, y, z), torch.einsum("ij->ji", x), torch.einsum("ij,ij->", x, x)


@case(r(2, 3, 8, 8))
def windows(x):
    return (F.max_pool2d(x, 2), F.max_pool2d(x, 3, 2, 1, ceil_mode=True), F.avg_pool2d(x, 3, 2, 1), F.avg_pool2d(x, 3, 2, 1, count_include_pad=False),
            F.adaptive_avg_pool2d(x, 3), F.adaptive_max_pool2d(x, 2), F.unfold(x, 3), F.lp_pool2d(x, 2, 2), F.max_pool2d(x, 2, return_indices=True),
            F.avg_pool2d(x, 2, divisor_override=3), F.pixel_unshuffle(x, 2), F.pixel_shuffle(x.repeat(1, 4, 1, 1), 2))


@case(r(2, 3, 5, 6))
def resampling(x):
    return (F.interpolate(x, scale_factor=2), F.interpolate(x, (7, 9), mode="bilinear"), F.interpolate(x, scale_factor=2, mode="bilinear", align_corners=True),
            F.interpolate(x, (4, 4), mode="bicubic"), F.interpolate(x, scale_factor=0.5, mode="area"), F.interpolate(x, (3, 5), mode="nearest"),
            F.interpolate(x, (10, 12), mode="nearest-exact"), F.interpolate(x, (3, 3), mode="bilinear", antialias=True),
            F.interpolate(x, scale_factor=1.7, mode="bilinear"))


@case(r(2, 3, 5, 6), lambda: torch.rand(2, 4, 4, 2) * 2 - 1)
def grid_sample(x, grid):
    return F.grid_sample(x, grid, align_corners=False), F.grid_sample(x, grid, mode="nearest", padding_mode="border", align_corners=True)


@case(r(2, 8, 10))
def activations(x):
    return (F.relu6(x), F.elu(x), F.selu(x), F.celu(x), F.leaky_relu(x), F.hardtanh(x), F.hardswish(x), F.hardsigmoid(x), F.softplus(x), F.mish(x),
            F.softsign(x), F.tanhshrink(x), F.softshrink(x), F.hardshrink(x), F.threshold(x, 0.1, 2.0), F.logsigmoid(x), F.glu(x, 1), F.gelu(x, approximate="tanh"),
            F.prelu(x, torch.full((8,), 0.2)), F.rrelu(x), F.softmin(x, 1), F.log_softmax(x, 2), F.normalize(x, dim=1), F.cosine_similarity(x, x + 1))


@case(r(3, 5), ints(5, 3))
def losses(x, y):
    return (F.cross_entropy(x, y), F.cross_entropy(x, y, label_smoothing=0.1), F.nll_loss(x.log_softmax(1), y, reduction="none"), F.mse_loss(x, x + 1),
            F.l1_loss(x, x * 2), F.smooth_l1_loss(x, x * 2), F.huber_loss(x, x * 2), F.binary_cross_entropy_with_logits(x, (x > 0).float()),
            F.kl_div(x.log_softmax(1), x.softmax(1), reduction="batchmean"))


@case(ints(10, 3, 4), lambda: nn.Embedding(10, 6).weight.detach())
def embeddings(i, w):
    return F.embedding(i, w), F.embedding(i, w).sum(1), F.one_hot(i, 10), F.embedding_bag(i, w)


@case(r(4, 6))
def random_numbers_keep_their_range(x):
    y = torch.rand_like(x)
    return (y >= 0).all() & (y < 1).all(), F.dropout(x, 0.5, training=False)


@case(r(3, 4))
def loops_and_closures(x):
    for i in range(3):
        x = torch.tanh(x + i) if i % 2 else x * 0.5

    def inner(y):
        return y @ x.t()

    return inner(x), [inner(x + k) for k in range(2)]


@case(r(2, 4), cpu=True)
def numpy_in_between(x):
    return torch.from_numpy(x.numpy() * 2) + 1


@case(r(64, 64), calls=5)
def results_do_not_share_memory_between_calls(x):
    return torch.relu(x @ x)


class Norms(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b, self.c, self.d = nn.BatchNorm2d(4), nn.GroupNorm(2, 4), nn.InstanceNorm2d(4, affine=True), nn.LayerNorm([5, 5])
        self.e = nn.RMSNorm(5)

    def forward(self, x):
        return self.e(self.d(self.c(self.b(self.a(x)))))


class Convolutions(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Conv2d(4, 6, 3, padding=1, stride=2), nn.Conv2d(6, 6, 3, groups=6, padding="same")
        self.c, self.d = nn.ConvTranspose2d(6, 4, 3, stride=2, output_padding=1), nn.Conv2d(4, 4, 3, dilation=2, padding_mode="reflect", padding=2)
        self.e, self.f = nn.Conv1d(4, 3, 3), nn.Conv3d(1, 2, 2)

    def forward(self, x):
        y = self.d(self.c(self.b(self.a(x))))
        return y, self.e(y.flatten(2)), self.f(y[:, None])


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm, self.gru = nn.LSTM(5, 6, batch_first=True), nn.GRU(6, 4, bidirectional=True, batch_first=True)

    def forward(self, x):
        return self.gru(self.lstm(x)[0])


class Counter(nn.Module):
    """A buffer that each call changes."""

    def __init__(self):
        super().__init__()
        self.register_buffer("count", torch.zeros(1))

    def forward(self, x):
        self.count += 1
        return x * self.count


class Changed(nn.Module):
    """Its weight is changed between calls, as loading another state does."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(6, 6)

    def forward(self, x):
        return self.layer(x)


def change_what_was_taken(model):
    """Of a view of the weight, once."""
    if not hasattr(model, "taken"):
        model.taken = model.layer.weight.detach().view(-1).data
    model.taken.mul_(2)


class Shared(nn.Module):
    """One weight in two places."""

    def __init__(self):
        super().__init__()
        self.first = nn.Linear(6, 6)
        self.second = nn.Linear(6, 6)
        self.second.weight = self.first.weight

    def forward(self, x):
        return self.second(F.dropout(self.first(x), 0.0, self.training))


class Block(nn.Module):
    def __init__(self, n=16):
        super().__init__()
        self.norm, self.qkv, self.out = nn.LayerNorm(n), nn.Linear(n, 3 * n), nn.Linear(n, n)
        self.mlp = nn.Sequential(nn.LayerNorm(n), nn.Linear(n, 4 * n), nn.GELU(), nn.Linear(4 * n, n))

    def forward(self, x):
        b, s, n = x.shape
        q, k, v = self.qkv(self.norm(x)).view(b, s, 3, 4, n // 4).permute(2, 0, 3, 1, 4)
        x = x + self.out(F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(b, s, n))
        return x + self.mlp(x)


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(8, 8, 3, stride=2), nn.ReLU(),
                                  nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 5))

    def forward(self, x):
        return self.body(x)


for _name, _type, _inputs, _options in (
    ("norms", Norms, [r(2, 4, 5, 5)], {}), ("convolutions", Convolutions, [r(2, 4, 8, 8)], {}), ("recurrent", Recurrent, [r(2, 3, 5)], {}),
    ("buffer_that_changes", Counter, [r(3)], {"calls": 3}), ("weight_that_changes", Changed, [r(2, 6)], {"between": lambda model: model.layer.weight.mul_(2), "calls": 3}),
    ("weight_that_is_replaced", Changed, [r(2, 6)], {"between": lambda model: setattr(model.layer.weight, "data", model.layer.weight.data * 3), "calls": 3}),
    ("weight_that_changes_through_data", Changed, [r(2, 6)], {"between": lambda model: model.layer.weight.data.mul_(2), "calls": 3}),
    ("weight_that_changes_later", Changed, [r(2, 6)], {"between": change_what_was_taken, "calls": 5}),
    ("shared_weight", Shared, [r(2, 6)], {}), ("block", Block, [r(2, 7, 16)], {}),
    ("block_in_any_length", Block, [r(2, 7, 16)], {"dynamic": True, "sizes": [[r(3, 9, 16)], [r(2, 12, 16)]]}),
    ("encoder_layer", lambda: nn.TransformerEncoderLayer(16, 4, 32, batch_first=True), [r(2, 5, 16)], {}),
    ("attention_layer", lambda: nn.MultiheadAttention(16, 4, batch_first=True), [r(2, 5, 16), r(2, 6, 16), r(2, 6, 16)], {}),
    ("train_block", Block, [r(2, 7, 16)], {"train": True}), ("train_classifier", Classifier, [r(2, 3, 12, 12)], {"train": True}),
    ("train_norms", Norms, [r(2, 4, 5, 5)], {"train": True}), ("train_shared", Shared, [r(2, 6)], {"train": True}),
    ("train_convolutions", Convolutions, [r(2, 4, 8, 8)], {"train": True}), ("train_recurrent", Recurrent, [r(2, 3, 5)], {"train": True}),
    ("train_embedding", lambda: nn.Sequential(nn.Embedding(10, 6), nn.Linear(6, 3), nn.LogSoftmax(-1)), [ints(10, 4, 3)], {"train": True}),
    ("eval_with_gradients", Classifier, [r(2, 3, 12, 12)], {"grad": True}),
):
    CASES[_name] = (_type, _inputs, {**_options, "module": True})
