# SPDX-License-Identifier: Apache-2.0
"""One compiled part of a graph, as a function of tensors."""

import warnings

import torch

import hidet
from hidet import _capture, _value
from hidet.torch._data import Watched, counted, is_owned
from hidet.torch._lower import Dims, inputs_of, lowered, symbol_for
from hidet.torch._packed import needed, packed_weights
from hidet.torch._partition import exchanges


class Part:
    """Takes what its place in the graph is given, and gives what that place gives.

    `written`: place of a result -> place of an input, which it is written to in each call.
    `places` are the positions where weights are given. PyTorch may call one graph for several modules, each with weights of its
    own, and weights change: for others than it knows the part is made anew, and after `most_changes` of that weights are inputs
    like others. build() makes the first; a part that was loaded is made with the weights of its first call."""

    def __init__(self, module, places, settings, most_changes, written):
        self.module = module  # PyTorch's, for what the compiled one refuses
        self.recipe = {"places": tuple(places), "settings": settings, "most_changes": most_changes, "written": written}
        self._written = written
        self._settings = settings
        self._constant_places = list(places)
        self._changes_left = most_changes
        self._left = False
        self._exchanges = settings.mesh is not None or any(map(exchanges, module.graph.nodes))
        self._builds = {}
        self._owned_places = []

    def build(self, constants):
        """With the weights at `places`; gives how many matrices among them stay in few bits. Raises what Hidet says against the graph."""
        self._owned_places = [place for place, each in constants.items() if is_owned(each)]
        self.recipe["places"] = tuple(place for place in constants if place not in self._owned_places)  # no file says what owns it
        first = _Build(self.module, constants, self._settings, self._written)
        self._builds[first.addresses] = first
        return first.few_bits

    def leave_to_pytorch(self):
        """It stays who writes to the inputs: its graph does not say so any more."""
        self._left = True
        self._builds.clear()

    def _build_for(self, args, last=None):
        """`last`: the one that is tried first."""
        if last is not None and last.is_of(args):
            return last
        addresses = tuple([args[position].data_ptr() for position in self._constant_places])
        found = self._builds.get(addresses)
        if found is not None and found.is_current():
            return found
        if self._builds:
            self._changes_left -= 1
        if self._changes_left < 0 or not all(is_owned(args[place]) for place in self._owned_places):  # of another module
            self._constant_places, addresses = [], ()
            self._builds.clear()
        constants = {position: args[position] for position in self._constant_places}
        self._builds[addresses] = _Build(self.module, constants, self._settings, self._written)
        return self._builds[addresses]

    def __call__(self, *args):
        return self.run(args)

    def run(self, args):
        results = self._computed(args)
        if self._written:
            self._write(results if isinstance(results, (tuple, list)) else [results], args)
        return results

    def _write(self, results, args):
        """What is not there already."""
        for place, position in self._written.items():
            if results[place] is not args[position]:
                args[position].copy_(results[place])
        there = [args[position] for place, position in self._written.items() if results[place] is args[position]]
        torch.autograd.graph.increment_version([each for each in there if not each.is_inference()])

    def _computed(self, args):
        if self._left:
            return self.module(*args)
        try:
            only = next(iter(self._builds.values())) if len(self._builds) == 1 else None
            is_begun = only is not None and only.is_asynchronous
            # It writes to no input: the GPU may compute while it is seen whether these are its weights.
            results = only.run(args) if is_begun else None
            build = self._build_for(args, only)
            return results if is_begun and build is only else build.run(args)
        except Exception as error:
            if self._exchanges:  # what the others do is not known
                raise
            results = self.module(*args)  # a mistake in the data, such as an index, is PyTorch's to tell
            self.leave_to_pytorch()
            warnings.warn(f"a part of the graph runs in PyTorch from now on: {error}", RuntimeWarning, stacklevel=2)
            return results


class Called(torch.nn.Module):
    """A part in its place in the graph."""

    def __init__(self, part):
        super().__init__()
        self.part = part
        self.forward = part


class Traced:
    """A part as a graph of Hidet's (`graph`; None: nothing is computed). `standing(node)`: who is told each node before it is made.
    Its inputs and results have their dimensions in the order of memory, which is not PyTorch's for images in channels_last.
    `written`: as a Part's, of results that may take the memory of the input."""

    def __init__(self, module, constants, standing=lambda node: None, written=None):
        self._given = inputs_of(module.graph)
        dims = Dims()
        known = {node: constants[position].detach() for position, node in enumerate(self._given) if position in constants}
        env, symbols, bound = packed_weights(module.graph, known), [], set()
        self.few_bits = len(env)
        wanted = needed(module.graph, env)
        self._tensors = []  # (position, order of its dimensions or None) of each input
        for position, node in enumerate(self._given):
            meta = node.meta["val"]
            if node in known:
                if node in wanted:
                    env[node] = hidet.from_torch(known[node].contiguous())
            elif isinstance(meta, torch.Tensor):
                order = _order(meta)
                symbols.append(symbol_for(_permuted(meta, order), dims))
                env[node] = hidet.ops.transpose(symbols[-1], _inverse(order)) if order else symbols[-1]
                self._tensors.append((position, order))
                bound |= {str(each.node.expr) for each in meta.shape if isinstance(each, torch.SymInt)}
        for node in module.graph.nodes:
            if node.op == "call_function" and node in wanted and node not in env:
                standing(node)
                env[node] = lowered(node, env, dims)
        results = next(node for node in module.graph.nodes if node.op == "output").args[0]
        self._single = not isinstance(results, (tuple, list))
        results = [results] if self._single else results
        self._fixed = {place: _laid(env[node].torch(), node.meta["val"]) for place, node in enumerate(results) if not env[node].is_symbolic()}
        self._bind_extents(dims, bound, symbols)
        traced, self._turned, in_place = [], [], {}
        given = {position: place for place, (position, order) in enumerate(self._tensors) if not order}
        for place, node in enumerate(results):
            if env[node].is_symbolic():
                order = _order(node.meta["val"])
                turn = _turn(node.meta["val"], order)
                self._turned += [(len(traced), *turn)] if turn else []
                if written and not order and written.get(place) in given:
                    in_place[len(traced)] = given[written[place]]
                traced.append(hidet.ops.transpose(env[node], order) if order else env[node])
        self.graph = hidet.trace_from(traced, symbols, in_place=in_place) if traced else None

    def _bind_extents(self, dims, bound, symbols):
        """An extent that no tensor has as its own comes as the extent of an empty tensor."""
        self._extents = []
        self._is_dynamic = bool(dims.symbols)
        for name in dims.symbols:
            if name in bound:
                continue
            position = next((place for place, node in enumerate(self._given)
                             if isinstance(node.meta["val"], torch.SymInt) and str(node.meta["val"].node.expr) == name), None)
            if position is None:
                raise RuntimeError(f"nothing says what {name} is")
            symbols.append(hidet.symbol([dims.symbols[name], 0], dtype="int8"))
            self._extents.append(position)


class _Build(Traced):
    """The part with these weights, which it keeps, so that nothing else comes to lie where they are."""

    def __init__(self, module, constants, settings, written):
        self._module = module
        self._settings = settings
        self._weights = [each.detach() for each in constants.values()]  # the memory, also when a parameter is given another
        self._data = Watched(self._weights)
        self._counted = [each for weight in constants.values() for each in counted(weight)]
        self._versions = self._versions_now()
        self.addresses = tuple([each.data_ptr() for each in self._weights])
        self._places = list(constants)
        self._fresh = None  # which results are copied, because they lie in memory of others; found at the first call
        # Elsewhere a run that fails may have begun, and PyTorch would then compute from what is half written.
        is_captured = settings.captures and self._weights and not settings.report
        super().__init__(module, constants, written=written if is_captured else None)
        expected = dict(zip(self._places, self.addresses))
        self._expected = [expected.get(place) for place in range(len(self._given))]
        graph, self.graph = self.graph, None  # it would keep what its compiled form does not need
        self._run = self._function(graph) if graph is not None else None
        self._in_place = self._run.in_place if isinstance(self._run, _Captured) else {}
        self.is_asynchronous = isinstance(self._run, _Captured) and not settings.report and not self._in_place

    def is_of(self, args):
        """Whether the weights among the arguments are its own, unchanged. `parameter.data = other` changes nothing but the address."""
        return torch._C._tensors_data_ptrs_at_indices_equal(list(args), self._expected, self._places) and self.is_current()

    def is_current(self):
        return self._versions_now() == self._versions

    def _versions_now(self):
        return [*[each._version for each in self._counted], self._data.writes()]

    def _function(self, graph):
        compiled = self._settings.compiled(graph)
        if self._settings.captures and self._weights and not self._is_dynamic:
            try:
                return _Captured(compiled)
            except RuntimeError:  # it is not on a GPU
                pass
        return lambda *tensors: _value.run(compiled, *tensors)

    def traced_again(self):
        """Its graph, which is not kept: hidet.capture() asks for it."""
        with torch.no_grad():
            return Traced(self._module, dict(zip(self._places, self._weights))).graph

    def run(self, args):
        given = [_permuted(args[position], order).contiguous() for position, order in self._tensors]
        given += [torch.empty((args[position], 0), dtype=torch.int8) for position in self._extents]
        if _capture.recording is not None and self._run is not None:
            _capture.recording.part(self, given)
        results = list(map(_as_torch, self._run(*given) if self._run is not None else ()))
        if self._fresh is None:
            self._fresh = [place for place in _shared_places(results, given) if place not in self._in_place]
        for place in self._fresh:
            results[place] = results[place].clone()
        for place, turn, *arguments in self._turned:
            results[place] = turn(results[place], *arguments)
        if self._settings.report:
            self._report(args, results)
        for place, value in self._fixed.items():
            results.insert(place, value.clone())
        return results[0] if self._single else tuple(results)

    def _report(self, args, results):
        wanted = self._module(*args)
        wanted = [each for place, each in enumerate([wanted] if self._single else wanted) if place not in self._fixed]
        for place, (mine, theirs) in enumerate(zip(results, wanted)):
            difference = float((mine.double() - theirs.double()).abs().max()) if mine.numel() else 0.0
            print(f"result {place} of a part of {len(self._given)} inputs differs from PyTorch's by at most {difference:.3g}")


class _Captured:
    """A compiled graph whose launches are one graph of CUDA, captured for each of the few places where a caller has its inputs and results,
    as PyTorch gives the same memory again and again. Where that is too many, small inputs that move are copied to memory of its own, then
    results come to lie there and are cloned, and in the end all inputs. `in_place`: result -> the input that it is written to."""

    ALIGNMENT = 16  # bytes; a graph reads and writes nothing that lies otherwise
    PLACES = 8
    SMALL = 1 << 16  # bytes

    def __init__(self, compiled):
        self._graph = compiled.cuda_graph()
        self.in_place = dict(self._graph.in_place)
        self._launch = self._graph.run
        self._run_into = self._graph.run_into
        self._own = [each.torch() for each in self._graph.inputs]
        self._small = [each.nbytes <= self.SMALL for each in self._own]
        self._device = next((each.device.index for each in self._own), torch.cuda.current_device())
        self._own_places = _places(self._own)
        self._outputs = None
        self._numbers = {}  # of the graphs, by where inputs and results lie
        self._ways = [self._run_anywhere, self._run_settled, self._run_cloned, self._run_copied]
        self._places = None  # of the inputs that stay, at the first call after a large one has moved, and of our own for the others
        self._moving = set()  # which inputs are copied

    def __call__(self, *tensors):
        _value.follow(torch._C._cuda_getCurrentRawStream(self._device))
        if self._outputs is None:
            self._outputs = [(each.torch(), self.in_place.get(place)) for place, each in enumerate(self._listed())]
        while (results := self._ways[0](tensors)) is None:
            del self._ways[0]
        return results

    def _run_on(self, inputs, given, places, fresh=torch.empty_like):
        results = [fresh(own) if source is None else given[source] for own, source in self._outputs]
        # A result that takes an input's place is there, unless that input was read from a copy.
        places = (*places, *[each.data_ptr() for each, (_, source) in zip(results, self._outputs)
                             if source is None or source in self._moving])
        number = self._numbers.get(places)
        if number is None or not self._graph.run_at(number):
            number = self._run_into(self.PLACES, *inputs, *results)
            if len(self._numbers) > 4 * self.PLACES:
                self._numbers.clear()
            self._numbers[places] = number
        return results if number else None

    def _run_anywhere(self, tensors):
        return self._run_on(tensors, tensors, _places(tensors))

    def _run_settled(self, tensors, **options):
        places = _places(tensors)
        self._copied_places(places)
        if places != self._places:
            self._settle(places)
            self._copied_places(places)
        inputs = list(tensors)
        if self._moving:
            torch._foreach_copy_([self._own[i] for i in self._moving], [tensors[i] for i in self._moving])
        for i in self._moving:
            inputs[i] = self._own[i]
        return self._run_on(inputs, tensors, places, **options)

    def _copied_places(self, places):
        for i in self._moving:
            places[i] = self._own_places[i]

    def _settle(self, places):
        """At these places, but for the small inputs that are elsewhere than before, and those that lie at no multiple."""
        before = self._places
        if before is None or any(here != there for here, there, small in zip(places, before, self._small) if not small):
            before = places
        self._moving.update(i for i, (here, there) in enumerate(zip(places, before))
                            if self._small[i] and (here != there or here % self.ALIGNMENT))
        self._places = list(before)
        self._copied_places(self._places)

    def _run_cloned(self, tensors):
        results = self._run_settled(tensors, fresh=lambda own: own)
        return results and [each if place in self.in_place else each.clone() for place, each in enumerate(results)]

    def _run_copied(self, tensors):
        for own, given in zip(self._own, tensors):
            own.copy_(given)
        return [each.torch().clone() for each in self._listed()]

    def _listed(self):
        outputs = self._launch()
        return outputs if isinstance(outputs, (list, tuple)) else [outputs]


def _places(tensors):
    return list(map(torch.Tensor.data_ptr, tensors))


def _order(meta):
    """Of its dimensions in memory, where that is not their own and there are no gaps; else None. Of extents that vary it is that of
    the example: PyTorch compiles again for another one."""
    extents, strides = _numbers(meta.shape), _numbers(meta.stride())
    if None in (*extents, *strides) or _is_dense(extents, strides):
        return None
    order = sorted(range(len(extents)), key=lambda axis: -strides[axis])
    return order if _is_dense(*([values[axis] for axis in order] for values in (extents, strides))) else None


def _numbers(values):
    return [each.node.hint if isinstance(each, torch.SymInt) else each for each in values]


def _is_dense(extents, strides):
    """Row by row and without gaps."""
    step = 1
    for extent, stride in zip(reversed(extents), reversed(strides)):
        if extent != 1 and stride != step:
            return not all(extents)
        step *= extent
    return True


def _has_known_strides(meta, order):
    """Numbers, of memory without gaps that has this order."""
    return all(isinstance(each, int) for each in (*meta.shape, *meta.stride())) and (order is not None or _is_dense(meta.shape, meta.stride()))


def _turn(meta, order):
    """What gives a result that lies row by row, its dimensions in this order, the strides that PyTorch foretold, of extents of 1, too,
    where they are numbers: a function and its arguments, or None."""
    if _has_known_strides(meta, order):
        rows = torch.empty(meta.shape, device="meta").stride()
        return (torch.as_strided, tuple(meta.shape), tuple(meta.stride())) if tuple(meta.stride()) != rows else None
    return (torch.permute, _inverse(order)) if order else None


def _laid(tensor, meta):
    """A constant with the strides that PyTorch foretold, which a copy of it has, too."""
    if not _has_known_strides(meta, _order(meta)):
        return tensor
    return torch.empty_strided(meta.shape, meta.stride(), dtype=tensor.dtype, device=tensor.device).copy_(tensor)


def _inverse(order):
    return [order.index(axis) for axis in range(len(order))]


def _permuted(tensor, order):
    return tensor if order is None else tensor.permute(order)


def _as_torch(value):
    return value if isinstance(value, torch.Tensor) else torch.from_dlpack(value)


def _shared_places(results, inputs):
    """A caller may write to what it is given."""
    seen = {each.data_ptr() for each in inputs}
    places = []
    for place, each in enumerate(results):
        if each.numel() and each.data_ptr() in seen:
            places.append(place)
        seen.add(each.data_ptr())
    return places
