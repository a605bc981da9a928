# SPDX-License-Identifier: Apache-2.0
"""Hidet: kernels written in Python, and models compiled.

Everything that is not in this file is the compiler's own, under the names that scripts use: `hidet.lang`, `hidet.ops`,
`hidet.randn`, ... It is looked up when it is asked for."""

from . import _capture, _modules, _report, _script, _studio, _value

_modules.install()
_modules.overlay(__name__)

script = _script.script
HidetWarning = _value.HidetWarning
from_dlpack = from_numpy = from_torch = _value.tensor
capture = _capture.capture
emulate = _report.emulate
explain = _report.explain
studio = _studio.studio
