#!/usr/bin/env python3
"""Write clienttoken/testdata/rule-vectors.json: tokens of AWS operations.

A second implementation of the fitting in clienttoken/ruletoken.go, from its
published description. The base is the token of a key by any recipe.

    python3 make_rule_vectors.py > ../../clienttoken/testdata/rule-vectors.json
"""

import hashlib
import json
import pathlib
import re
import sys

BASES = [
    "e6fc7b01ac85556d5376864f508b985202b5cbe380bc8503c15c523a2c922221",
    "call-notification-12345-user-67890",
]
SHARED = {("sqs", "SendMessageBatch"): "SendMessage", ("sns", "PublishBatch"): "Publish"}
apis = json.loads((pathlib.Path(__file__).parent / "../../clienttoken/apis.json").read_text(encoding="utf-8"))


def uuid8(digest):
    raw = bytearray(digest[:16])
    raw[6] = raw[6] & 0x0F | 0x80
    raw[8] = raw[8] & 0x3F | 0x80
    h = raw.hex()
    return "-".join((h[:8], h[8:12], h[12:16], h[16:20], h[20:]))


def legal(api, token):
    if len(token) < api.get("min", 0) or len(token) > api.get("max", len(token)):
        return False
    return "pattern" not in api or re.fullmatch(api["pattern"], token) is not None


def token(api, base):
    name = (api["service"], api["operation"])
    if name == ("connect", "StartOutboundVoiceContact"):
        return base
    if api["repeat"] in ("again", "natural", "unsuitable"):
        return None
    digest = hashlib.sha256(f"{base}\n\n{name[0]} {SHARED.get(name, name[1])}".encode()).digest()
    for form in (digest.hex(), uuid8(digest), digest.hex()[:32]):
        if legal(api, form):
            return form
    raise SystemExit(f"{name} takes no form")


vectors = [
    {"service": a["service"], "operation": a["operation"], "base": b, **({"token": t} if (t := token(a, b)) else {})}
    for a in apis
    for b in BASES
]
json.dump({"about": "Tokens of AWS operations by base; without a token the operation has none. Written by examples/token/make_rule_vectors.py.", "vectors": vectors}, sys.stdout, indent=1)
print()
