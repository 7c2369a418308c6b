#!/usr/bin/env python3
"""The token recipes of ringonce, with the Python standard library only.

As a module:   from ringonce_token import token
As a program:  python3 ringonce_token.py --notification-id N --recipient-id R
               python3 ringonce_token.py --vectors ../../clienttoken/testdata/vectors.json

docs/tokens.md gives the rules and the meaning of each error code. Checks run in
the order that the document gives, so that every language names the same fault.
"""

import argparse
import hashlib
import hmac
import json
import re
import sys

RECIPES = ("sha256", "template", "message", "event-id", "hmac-sha256")
PLACEHOLDERS = {
    "notificationId": "notification_id",
    "recipientId": "recipient_id",
    "recallId": "recall_id",
    "keySpace": "key_space",
}
MAX_LENGTH = 500  # Unicode code points
MIN_KEY_BYTES = 32

_PLACEHOLDER = re.compile(r"\{([^{}]*)\}")


class TokenError(Exception):
    """Why no token was made; code is stable, field names the member at fault."""

    def __init__(self, code, field):
        super().__init__(f"{code}: {field}")
        self.code = code
        self.field = field


def token(notification_id="", recipient_id="", recall_id="", key_space="", ring=0,
          recipe="sha256", template="", client_token="", event_id="", key=b""):
    """Return the token, or raise TokenError."""
    _check_options(recipe, template, key)
    if ring < 0:
        raise TokenError("ring_negative", "ring")
    if key_space:
        _check_text("keySpace", key_space)
    if recipe == "message":
        _check_present("client_token_missing", "clientToken", client_token)
        return _take(client_token, "clientToken", key_space, ring)
    if recipe == "event-id":
        _check_present("event_id_missing", "eventId", event_id)
        return _take(event_id, "eventId", key_space, ring)

    _check_present("id_missing", "notificationId", notification_id)
    _check_present("id_missing", "recipientId", recipient_id)
    if recall_id:
        _check_text("recallId", recall_id)
    if recipe == "template":
        values = {"notificationId": notification_id, "recipientId": recipient_id,
                  "recallId": recall_id, "keySpace": key_space}
        filled = _fill(template, values)
        _check_length("template", filled)
        return _at_ring(filled, ring)

    framed = "\n".join(part for part in (key_space, notification_id, recipient_id, recall_id) if part)
    if ring > 0:
        framed += f"\n\n{ring}"
    if recipe == "hmac-sha256":
        return hmac.new(key, framed.encode("utf-8"), hashlib.sha256).hexdigest()
    return _sha256(framed)


def _check_options(recipe, template, key):
    if recipe not in RECIPES:
        raise TokenError("recipe_unknown", "recipe")
    if template and recipe != "template":
        raise TokenError("option_unused", "template")
    if key and recipe != "hmac-sha256":
        raise TokenError("option_unused", "key")
    if recipe == "template":
        _check_template(template)
    if recipe == "hmac-sha256":
        if not key:
            raise TokenError("hmac_key_missing", "key")
        if len(key) < MIN_KEY_BYTES:
            raise TokenError("hmac_key_too_short", "key")


def _check_template(template):
    if not template:
        raise TokenError("template_missing", "template")
    if not _is_utf8(template):
        raise TokenError("template_not_utf8", "template")
    if _has_control(template):
        raise TokenError("template_control_character", "template")
    around = _PLACEHOLDER.sub("", template)
    # A nested brace leaves one over; "{a{b}c}" must not turn into "{ac}".
    if "{" in around or "}" in around:
        raise TokenError("template_malformed", "template")
    names = _PLACEHOLDER.findall(template)
    if any(name not in PLACEHOLDERS for name in names):
        raise TokenError("template_placeholder_unknown", "template")
    if "notificationId" not in names or "recipientId" not in names:
        raise TokenError("template_id_missing", "template")


def _fill(template, values):
    names = _PLACEHOLDER.findall(template)
    if values["keySpace"] and "keySpace" not in names:
        raise TokenError("template_key_space_missing", "template")
    if values["recallId"] and "recallId" not in names:
        raise TokenError("template_recall_id_missing", "template")
    for name in names:
        if not values[name]:
            raise TokenError("template_placeholder_empty", name)
    # One pass with a function: a value is neither scanned again nor read as a pattern.
    return _PLACEHOLDER.sub(lambda match: values[match.group(1)], template)


def _take(value, field, key_space, ring):
    _check_length(field, value)
    return _at_ring(_sha256(f"{key_space}\n{value}") if key_space else value, ring)


def _check_length(field, value):
    if len(value) > MAX_LENGTH:
        raise TokenError("token_too_long", field)


def _at_ring(first, ring):
    return _sha256(f"{first}\n\n{ring}") if ring > 0 else first


def _check_present(code, field, value):
    if not value:
        raise TokenError(code, field)
    _check_text(field, value)


def _check_text(field, value):
    if not _is_utf8(value):
        raise TokenError("id_not_utf8", field)
    if _has_control(value):
        raise TokenError("id_control_character", field)


def _is_utf8(value):
    # Python strings can hold lone surrogates, which have no UTF-8 form.
    return not any("\ud800" <= char <= "\udfff" for char in value)


def _has_control(value):
    return any(char < "\x20" or "\x7f" <= char <= "\x9f" for char in value)


def _sha256(text):
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def _result_of(vector):
    fields = vector["input"]
    try:
        made = token(
            notification_id=fields.get("notificationId", ""),
            recipient_id=fields.get("recipientId", ""),
            recall_id=fields.get("recallId", ""),
            key_space=fields.get("keySpace", ""),
            ring=fields.get("ring", 0),
            recipe=vector["recipe"],
            template=vector.get("template", ""),
            client_token=fields.get("clientToken", ""),
            event_id=fields.get("eventId", ""),
            key=bytes.fromhex(vector.get("keyHex", "")),
        )
    except TokenError as refusal:
        return "error", refusal.code
    return "token", made


def check_vectors(path):
    """Return how many vectors the file holds, or raise ValueError at the first mismatch."""
    with open(path, encoding="utf-8") as file:
        vectors = json.load(file)["vectors"]
    if not vectors:
        raise ValueError("no vectors")
    for vector in vectors:
        if ("token" in vector) == ("error" in vector):
            raise ValueError(f"{vector['name']}: needs a token or an error")
        kind, got = _result_of(vector)
        if vector.get(kind) != got:
            want = vector.get("token", vector.get("error"))
            raise ValueError(f"{vector['name']}: got {kind} {got!r}, want {want!r}")
    return len(vectors)


def main(arguments=None):
    """Run the command line and return the exit code: 0 done, 1 refused, 2 usage."""
    parser = argparse.ArgumentParser(description="Print the token of a request.", allow_abbrev=False)
    for name in ("notification-id", "recipient-id", "recall-id", "key-space", "template",
                 "client-token", "event-id", "key-hex"):
        parser.add_argument("--" + name, default="")
    parser.add_argument("--ring", type=int, default=0)
    parser.add_argument("--recipe", default="sha256")
    parser.add_argument("--vectors", metavar="FILE", help="check every vector of FILE instead")
    options = parser.parse_args(arguments)
    if options.vectors is not None:
        try:
            print(check_vectors(options.vectors), "vectors ok")
        except (OSError, ValueError) as mismatch:
            print(mismatch, file=sys.stderr)
            return 1
        return 0
    try:
        key = bytes.fromhex(options.key_hex)
    except ValueError:
        parser.error("--key-hex is not hexadecimal")
    try:
        made = token(options.notification_id, options.recipient_id, options.recall_id, options.key_space,
                     options.ring, options.recipe, options.template, options.client_token, options.event_id, key)
    except TokenError as refusal:
        print(refusal, file=sys.stderr)
        return 1
    sys.stdout.buffer.write(made.encode("utf-8") + b"\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
