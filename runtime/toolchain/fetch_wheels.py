# SPDX-License-Identifier: Apache-2.0
"""Fetches what is published as Python wheels and this machine lacks: NVRTC, nvdisasm and ptxas, and what our Python package stands
on. Called by ./studio.

    fetch_wheels.py [--packages] FOLDER    unpacks into FOLDER/lib, FOLDER/bin and FOLDER/python; says nothing when nothing is
                                           missing. --packages: into the last one alone

FOLDER/present then names the files of all of them, wherever they are; where these exist nobody needs to call again.

Needs Python's standard library only. The index, its proxy and its certificates are those that pip is set up with. A wheel
is known by its hash, so it does not matter who serves it. Exit code 0: all is there; 1: something is not, and a line says so.
"""

import base64
import configparser
import glob
import hashlib
import html.parser
import json
import os
import platform
import shutil
import ssl
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request
import zipfile

ADVICE = "{} will be unavailable until a CUDA toolkit is installed, or ./studio finds the network"
READ_SECONDS = 15
ALL_SECONDS = 900


class Wheel:
    def __init__(self, tool, project, version, hashes, keeps, variable, present, purpose=""):
        self.tool = tool
        self.project = project
        self.version = version
        self.hashes = hashes  # machine -> SHA-256
        self.keeps = keeps  # patterns of the files that are kept: the end of a path in the wheel -> folder
        self.variable = variable  # of the environment: names the tool, so none is fetched
        self.present = present  # patterns of the tool's file in a toolkit
        self.purpose = purpose  # what cannot be had without it

    def wanted_name(self, filename):
        start = f"{self.project.replace('-', '_')}-{self.version}-"
        return filename.startswith(start) and "linux" in filename and filename.endswith(f"_{platform.machine()}.whl")

    def unpack(self, path, work, folder):
        """Each file appears whole; the one that is looked for comes last."""
        with zipfile.ZipFile(path) as archive:
            for name, place in self.keeps.items():
                member = next((member for member in archive.namelist() if member.endswith("/" + name)), None)
                if member is None:
                    raise FetchError(f"{os.path.basename(path)} has no {name}")
                unpacked = os.path.join(work, name)
                with archive.open(member) as source, open(unpacked, "wb") as target:
                    shutil.copyfileobj(source, target, 1 << 20)
                os.chmod(unpacked, 0o755)
                os.makedirs(os.path.join(folder, place), exist_ok=True)
                os.replace(unpacked, os.path.join(folder, place, name))


class Package(Wheel):
    """A package of Python for the Python that runs this, unpacked whole into FOLDER/python."""

    def __init__(self, tool, project, version, hashes, member, purpose):
        super().__init__(tool, project, version, {}, {}, "", [], purpose)
        self.by_tag = hashes  # tag of the Python, or "py3" -> SHA-256
        self.member = member  # a file of it
        self.tag = "py3" if "py3" in hashes else f"cp{sys.version_info[0]}{sys.version_info[1]}"
        if self.tag == "py3" or platform.machine() == "x86_64" and self.tag in hashes:
            self.hashes = {platform.machine(): hashes[self.tag]}

    def wanted_name(self, filename):
        start = f"{self.project.replace('-', '_')}-{self.version}-{self.tag}-"
        return filename.startswith(start) and filename.endswith(f"_{platform.machine()}.whl" if self.tag != "py3" else "-any.whl")

    def unpack(self, path, work, folder):
        """The file that is looked for appears when all is there."""
        unpacked = os.path.join(work, "package")
        with zipfile.ZipFile(path) as archive:
            archive.extractall(unpacked)
        target = os.path.join(folder, "python")
        os.makedirs(target, exist_ok=True)
        for name in sorted(os.listdir(unpacked), key=lambda name: name == self.member.split("/")[0]):
            shutil.rmtree(os.path.join(target, name), ignore_errors=True)
            os.replace(os.path.join(unpacked, name), os.path.join(target, name))

    def file_present(self, folder):
        path = os.path.join(folder, "python", self.member)
        return path if os.path.exists(path) else ""


WHEELS = [
    Wheel("NVRTC", "nvidia-cuda-nvrtc", "13.0.88",
          {"x86_64": "ad9b6d2ead2435f11cbb6868809d2adeeee302e9bb94bcf0539c7a40d80e8575",
           "aarch64": "d27f20a0ca67a4bb34268a5e951033496c5b74870b868bacd046b1b8e0c3267b"},
          {"libnvrtc-builtins.so.13.0": "lib", "libnvrtc.so.13": "lib"},
          "HIDET_NVRTC", ["lib64/libnvrtc.so.1[23]", "lib/libnvrtc.so.1[23]"], "PTX and SASS"),
    Wheel("nvdisasm", "nvidia-cuda-nvdisasm", "13.5.37",
          {"x86_64": "d3fdbdd49fa53e2e4aacd3db8259d052bd2b049ececdcb69e92e083c6728e7ca",
           "aarch64": "a3a8248074edb9fba63b74c38a5416b712a91ab09e70b8ab37186c3d293fc605"},
          {"nvdisasm": "bin"},
          "HIDET_NVDISASM", ["bin/nvdisasm"], "SASS"),
    Wheel("ptxas", "nvidia-cuda-nvcc", "13.0.88",
          {"x86_64": "56fe502eb77625a12f25172caa3cdddb4e4c8ba2c8c17dba44b164761b380f03",
           "aarch64": "c7ff28f86a24effdc6c034fa15230c549a273e4771b10a7fec14996f8cf3307f"},
          {"ptxas": "bin"},
          "HIDET_PTXAS", ["bin/ptxas"], "machine code of PTX that was changed by hand"),
    Package("tvm-ffi", "apache-tvm-ffi", "0.1.15.post2",
            {"cp39": "536c0f8876326242baa0dbcad5c6f434e6c1ede3a6979606159021ca71297616",
             "cp310": "f39ed18bdf7e0aead59050186174f1626a476897a10680a5be3f5270bd1ef968",
             "cp311": "8ecebe749834f6ac0f2693d5964acf9ac75d0bc26e6ba64c46eb7ab00ea50fac",
             "cp312": "059eed9bfc94bcd41650fb8eefde74040a1bc7e7b1a6f0a8ff897b02b118875b",
             "cp313": "eae72eb5bcbbddbc68d54eb6c16af860c628ca2f2b02cc4af2693e01a8186f73",
             "cp314": "950682d8e5f088e2d4925cb03b6690a2a554e08c28b28ea721e9ca7727ff19d5"},
            "tvm_ffi/__init__.py", "the Python package"),
    Package("typing_extensions", "typing-extensions", "4.16.0",
            {"py3": "481caa481374e813c1b176ada14e97f1f67a4539ce9cfeb3f350d78d6370c2e8"},
            "typing_extensions.py", "the Python package"),
]


class FetchError(Exception):
    """A sentence for the user."""


# ---- what is there ---------------------------------------------------------------------------------------------------

def toolkit_roots():
    for name in ("HIDET_CUDA_HOME", "CUDA_HOME", "CUDA_PATH", "CONDA_PREFIX"):
        if os.environ.get(name):
            yield os.environ[name]
    compiler = shutil.which("nvcc")
    if compiler:
        yield os.path.dirname(os.path.dirname(os.path.realpath(compiler)))
    yield from glob.glob("/usr/local/cuda*") + glob.glob("/opt/cuda*")


def file_present(wheel, folder):
    """The file of the tool, or ''."""
    if isinstance(wheel, Package):
        return wheel.file_present(folder)
    if os.environ.get(wheel.variable):
        return os.environ[wheel.variable]
    if all(os.path.exists(os.path.join(folder, place, name)) for name, place in wheel.keeps.items()):
        return os.path.join(folder, *reversed(list(wheel.keeps.items())[-1]))
    for root in toolkit_roots():
        for pattern in wheel.present:
            for path in glob.glob(os.path.join(glob.escape(root), pattern)):
                return path
    if wheel.tool != "NVRTC":
        return shutil.which(wheel.tool) or ""
    known = ["/usr/lib/" + platform.machine() + "-linux-gnu", "/usr/lib64"] + os.environ.get("LD_LIBRARY_PATH", "").split(":")
    for place in filter(None, known):
        for path in glob.glob(os.path.join(glob.escape(place), "libnvrtc.so.1[23]")):
            return path
    return ""


# ---- how pip is set up -----------------------------------------------------------------------------------------------

def pip_files():
    """Later ones win, as for pip."""
    if os.environ.get("PIP_CONFIG_FILE") == os.devnull:
        return []
    home = os.path.expanduser("~")
    config_home = os.environ.get("XDG_CONFIG_HOME") or os.path.join(home, ".config")
    files = ["/etc/xdg/pip/pip.conf", "/etc/pip.conf", os.path.join(home, ".pip/pip.conf"), os.path.join(config_home, "pip/pip.conf")]
    if os.environ.get("VIRTUAL_ENV"):
        files.append(os.path.join(os.environ["VIRTUAL_ENV"], "pip.conf"))
    return files + [os.environ["PIP_CONFIG_FILE"]] if os.environ.get("PIP_CONFIG_FILE") else files


def pip_settings():
    config = configparser.RawConfigParser()
    try:
        config.read(pip_files(), encoding="utf-8")
    except (configparser.Error, UnicodeDecodeError):
        config = configparser.RawConfigParser()
    settings = {}
    for key in ("index-url", "extra-index-url", "cert", "proxy"):
        for section in ("global", "install", "download"):
            settings[key] = config.get(section, key, fallback=settings.get(key))
        settings[key] = os.environ.get("PIP_" + key.upper().replace("-", "_")) or settings[key]
    return settings


def make_opener(settings):
    context = ssl.create_default_context()
    for name in (settings["cert"], os.environ.get("REQUESTS_CA_BUNDLE"), os.environ.get("CURL_CA_BUNDLE")):
        if name and os.path.exists(name):
            context.load_verify_locations(**({"capath": name} if os.path.isdir(name) else {"cafile": name}))
    handlers = [urllib.request.HTTPSHandler(context=context)]
    if settings["proxy"]:
        handlers.append(urllib.request.ProxyHandler({"http": settings["proxy"], "https": settings["proxy"]}))
    return urllib.request.build_opener(*handlers)


# ---- the index -------------------------------------------------------------------------------------------------------

class Links(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.addresses = []

    def handle_starttag(self, tag, attrs):
        if tag == "a" and dict(attrs).get("href"):
            self.addresses.append(dict(attrs)["href"])


def get(opener, address, accept="*/*"):
    parts = urllib.parse.urlsplit(address)
    headers = {"Accept": accept, "User-Agent": "hidet-studio"}
    if parts.username:  # a name and a password in the address of the index
        login = f"{urllib.parse.unquote(parts.username)}:{urllib.parse.unquote(parts.password or '')}"
        headers["Authorization"] = "Basic " + base64.b64encode(login.encode()).decode()
        address = parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()
    return opener.open(urllib.request.Request(address, headers=headers), timeout=READ_SECONDS)


def addresses_in(opener, index, project):
    page = index.rstrip("/") + "/" + project + "/"
    with get(opener, page, "application/vnd.pypi.simple.v1+json, text/html;q=0.5") as answer:
        text = answer.read().decode("utf-8")
        base = answer.geturl()
        is_json = "json" in answer.headers.get_content_type()
    if is_json:
        addresses = [file["url"] for file in json.loads(text)["files"]]
    else:
        links = Links()
        links.feed(text)
        addresses = links.addresses
    login = urllib.parse.urlsplit(index).netloc.rpartition("@")[0]
    for address in addresses:
        parts = urllib.parse.urlsplit(urllib.parse.urljoin(base, address))
        if login and parts.hostname == urllib.parse.urlsplit(base).hostname:
            parts = parts._replace(netloc=login + "@" + parts.netloc.rpartition("@")[2])
        yield parts._replace(fragment="").geturl()


def address_of(opener, indexes, wheel):
    reason = "no index has it"
    for index in indexes:
        try:
            for address in addresses_in(opener, index, wheel.project):
                if wheel.wanted_name(urllib.parse.unquote(address.rsplit("/", 1)[-1])):
                    return address
        except (OSError, ValueError, KeyError) as error:
            reason = f"{urllib.parse.urlsplit(index).hostname}: {error}"
    raise FetchError(f"{wheel.project} {wheel.version} was not found ({reason})")


# ---- one wheel -------------------------------------------------------------------------------------------------------

def download(opener, address, path, expected, deadline):
    digest = hashlib.sha256()
    try:
        with get(opener, address) as answer, open(path, "wb") as file:
            while True:
                block = answer.read(1 << 20)
                if not block:
                    break
                if time.monotonic() > deadline:
                    raise FetchError("the network is too slow")
                digest.update(block)
                file.write(block)
    except (OSError, ValueError) as error:
        raise FetchError(f"the download failed ({error})") from error
    if digest.hexdigest() != expected:
        raise FetchError("what was downloaded has another hash than what was asked for")


def fetch(wheel, folder, opener, indexes):
    machine = platform.machine()
    if machine not in wheel.hashes:
        raise FetchError(f"there is no wheel for {machine}")
    address = address_of(opener, indexes, wheel)
    print(f"fetching {wheel.tool} {wheel.version}, which this machine lacks", file=sys.stderr)
    os.makedirs(folder, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".new-", dir=folder) as work:
        path = os.path.join(work, wheel.project + ".whl")
        download(opener, address, path, wheel.hashes[machine], time.monotonic() + ALL_SECONDS)
        wheel.unpack(path, work, folder)


def is_abandoned(work):
    """By a call that was killed; a younger one belongs to a call that runs at the same time."""
    try:
        return time.time() - os.stat(work).st_mtime > 2 * ALL_SECONDS
    except OSError:
        return False  # it has ended meanwhile


def fetch_all(wheels, folder, advice=""):
    for left in glob.glob(os.path.join(glob.escape(folder), ".new-*")):
        if is_abandoned(left):
            shutil.rmtree(left, ignore_errors=True)
    settings = pip_settings()
    indexes = [settings["index-url"] or "https://pypi.org/simple"] + (settings["extra-index-url"] or "").split()
    for wheel in wheels:
        try:
            fetch(wheel, folder, make_opener(settings), indexes)
        except (FetchError, OSError, zipfile.BadZipFile) as error:
            print(f"{wheel.tool}: {error}; {advice or ADVICE.format(wheel.purpose)}", file=sys.stderr)
            return False
    return True


def main(arguments):
    only_packages = arguments[:1] == ["--packages"]
    arguments = arguments[only_packages:]
    if len(arguments) != 1:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    folder = os.path.abspath(arguments[0])
    wanted = [wheel for wheel in WHEELS if isinstance(wheel, Package) or not only_packages]
    missing = [wheel for wheel in wanted if not file_present(wheel, folder)]
    if missing and not fetch_all(missing, folder):
        return 1
    if only_packages:
        return 0
    if any(os.environ.get(wheel.variable) for wheel in WHEELS if wheel.variable):
        return 0  # true for this call only
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "present"), "w", encoding="utf-8") as file:
        file.writelines(file_present(wheel, folder) + "\n" for wheel in WHEELS)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
