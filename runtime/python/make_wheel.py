# SPDX-License-Identifier: Apache-2.0
"""Makes the wheel hidet_runtime: the modules beside this file, and the library. A wheel is a zip, so nothing is needed but Python;
the same files give the same bytes.

    make_wheel.py --library build/dev/runtime/libhidet_runtime.so.1 --version 0.1.0 --out build/dev/wheel

prints the path of the wheel."""

import argparse
import base64
import hashlib
import os
import zipfile

FOLDER = os.path.dirname(os.path.abspath(__file__))
LICENCE = os.path.join(FOLDER, "..", "..", "LICENSES", "Apache-2.0.txt")
NAME, TAG = "hidet_runtime", "py3-none-linux_x86_64"

METADATA = """\
Metadata-Version: 2.1
Name: hidet-runtime
Version: {version}
Summary: Runs compiled models: packages of Hidet Studio
License: Apache-2.0
Requires-Python: >=3.9
Classifier: Operating System :: POSIX :: Linux
Classifier: Programming Language :: Python :: 3
Classifier: Typing :: Typed
Provides-Extra: numpy
Requires-Dist: numpy; extra == 'numpy'
Description-Content-Type: text/markdown

{readme}"""
WHEEL = f"Wheel-Version: 1.0\nGenerator: hidet_runtime\nRoot-Is-Purelib: false\nTag: {TAG}\n"


def read(path):
    with open(path, "rb") as file:
        return file.read()


def contents(library, version):
    """Path in the wheel -> bytes."""
    info = f"{NAME}-{version}.dist-info"
    package = os.path.join(FOLDER, NAME)
    files = {f"{NAME}/{name}": read(os.path.join(package, name)) for name in os.listdir(package) if name.endswith((".py", ".typed"))}
    files[f"{NAME}/_version.py"] = f'# SPDX-License-Identifier: Apache-2.0\n__version__ = "{version}"\n'.encode()
    files[f"{NAME}/libhidet_runtime.so.1"] = read(library)
    readme = read(os.path.join(FOLDER, "README.md")).decode()
    files[f"{info}/METADATA"] = METADATA.format(version=version, readme=readme).encode()
    files[f"{info}/WHEEL"] = WHEEL.encode()
    files[f"{info}/licenses/LICENSE"] = read(LICENCE)
    return recorded(files, info)


def recorded(files, info):
    """With the list of all of them, as a wheel has it."""
    record = f"{info}/RECORD"
    rows = [f"{path},sha256={digest(data)},{len(data)}" for path, data in sorted(files.items())]
    return {**files, record: "\n".join([*rows, f"{record},,", ""]).encode()}


def digest(data):
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def write_zip(path, files):
    """Python and the library compress to a third. No time stamps, no order of a folder; the metadata stands last, as it should."""
    with zipfile.ZipFile(path, "w") as archive:
        for name in sorted(files, key=lambda name: (".dist-info/" in name, name)):
            member = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            member.create_system = 3
            member.external_attr = (0o100755 if name.endswith((".so", ".so.1", "/hidetc")) else 0o100644) << 16
            archive.writestr(member, files[name], zipfile.ZIP_DEFLATED, 9)


def write(folder, name, files):
    """Appears whole; its path is printed."""
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, name)
    write_zip(path + ".new", files)
    os.replace(path + ".new", path)
    print(path)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--library", required=True)
    parser.add_argument("--version", required=True)
    parser.add_argument("--out", required=True, help="the folder")
    arguments = parser.parse_args()
    write(arguments.out, f"{NAME}-{arguments.version}-{TAG}.whl", contents(arguments.library, arguments.version))


if __name__ == "__main__":
    main()
