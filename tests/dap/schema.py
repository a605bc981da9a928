# SPDX-License-Identifier: Apache-2.0
"""Messages of the Debug Adapter Protocol, held against a JSON schema: protocol.json, which has the messages that are used here, or the
published one, which has the same names."""

import json

KINDS = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}


def fits(kind, value):
    if kind in ("integer", "number"):
        return isinstance(value, int if kind == "integer" else (int, float)) and not isinstance(value, bool)
    return isinstance(value, KINDS[kind])


class Schema:
    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            self.definitions = json.load(file)["definitions"]

    def mistakes(self, value, schema, where):
        """One text for each."""
        if "$ref" in schema:
            yield from self.mistakes(value, self.definitions[schema["$ref"].rsplit("/", 1)[-1]], where)
        for part in schema.get("allOf", []):
            yield from self.mistakes(value, part, where)
        kinds = schema.get("type", [])
        if kinds and not any(fits(kind, value) for kind in ([kinds] if isinstance(kinds, str) else kinds)):
            yield f"{where} is no {kinds}: {value!r}"
            return
        if "enum" in schema and value not in schema["enum"]:
            yield f"{where} is none of {schema['enum']}: {value!r}"
        if isinstance(value, list) and "items" in schema:
            for number, item in enumerate(value):
                yield from self.mistakes(item, schema["items"], f"{where}[{number}]")
        if isinstance(value, dict):
            yield from self.mistakes_of_object(value, schema, where)

    def mistakes_of_object(self, value, schema, where):
        known = schema.get("properties", {})
        for name in schema.get("required", []):
            if name not in value:
                yield f"{where} has no '{name}': {value!r}"
        for name, item in value.items():
            if name in known:
                yield from self.mistakes(item, known[name], f"{where}.{name}")
            elif schema.get("additionalProperties") is False:
                yield f"{where} has a '{name}', which the protocol does not: {value!r}"

    def name_of(self, message):
        """The definition of a message: "SetBreakpointsResponse"; of what is our own, that of its kind alone."""
        kind = message["type"].capitalize()
        name = message["event"] if kind == "Event" else message["command"]
        if kind == "Response" and not message.get("success", True):
            return "ErrorResponse"
        return kind if name.startswith("hidet/") else name[0].upper() + name[1:] + kind

    def check(self, message):
        name = self.name_of(message)
        assert name in self.definitions, f"the protocol has no {name}: {message!r}"
        found = list(self.mistakes(message, self.definitions[name], name))
        assert not found, "\n".join(found)
