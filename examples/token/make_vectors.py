#!/usr/bin/env python3
"""Write clienttoken/testdata/vectors.json.

Every expected token is computed here from bytes that are spelled out by hand
beside the case. The program imports none of the token programs, so the vectors
check each of them, ringonce_token.py included.

    python3 make_vectors.py > ../../clienttoken/testdata/vectors.json
"""

import hashlib
import hmac
import json
import sys

N, R, C = "notification-12345", "user-67890", "recall-2"
EVENT = "6a7e8feb-b491-4cf7-a9f1-bf3703467718"
KEY = bytes(range(32))
LONG_KEY = bytes(range(100))  # longer than a block of SHA-256: HMAC hashes it first
READABLE = "call-{notificationId}-{recipientId}"
SPACED = "{keySpace}/{notificationId}/{recipientId}"
RECALL = READABLE + "-{recallId}"

NFC, NFD = "caf\u00e9", "cafe\u0301"
GA_NFC, GA_NFD = "\u304c", "\u304b\u3099"  # hiragana ga, whole and as ka + voiced mark
KANJI_N, KANJI_R = "\u901a\u77e5-\u4e00\u4e8c\u4e09", "\u5229\u7528\u8005-\u7530\u4e2d"
RARE = "\U00020b9f"  # a kanji outside the basic plane
FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466"
FLAG = "\U0001f1ef\U0001f1f5"
WAVE = "\U0001f44b\U0001f3fd"
HEART, HEART_TEXT = "\u2764\ufe0f", "\u2764"

vectors = []


def add(name, recipe, fields, template=None, key=None, **result):
    vector = {"name": name, "recipe": recipe}
    if template is not None:
        vector["template"] = template
    if key is not None:
        vector["keyHex"] = key.hex()
    vector["input"] = fields
    vector.update(result)
    vectors.append(vector)


def sha(text):
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def mac(text, key=KEY):
    return hmac.new(key, text.encode("utf-8"), hashlib.sha256).hexdigest()


def ids(n=N, r=R, c=None, ks=None, ring=None, **more):
    fields = {"keySpace": ks, "notificationId": n, "recipientId": r, "recallId": c, "ring": ring, **more}
    return {k: v for k, v in fields.items() if v is not None}


def hashed(name, framed, **fields):
    """One vector each for sha256 and hmac-sha256: they hash the same bytes."""
    add("sha256 " + name, "sha256", ids(**fields), token=sha(framed))
    add("hmac-sha256 " + name, "hmac-sha256", ids(**fields), key=KEY, token=mac(framed))


def hashed_only(name, framed, **fields):
    add("sha256 " + name, "sha256", ids(**fields), token=sha(framed))


def over_ids():
    hashed("plain", "notification-12345\nuser-67890")
    hashed("recall", "notification-12345\nuser-67890\nrecall-2", c=C)
    hashed("key space", "orders\nnotification-12345\nuser-67890", ks="orders")
    hashed("key space and recall", "orders\nnotification-12345\nuser-67890\nrecall-2", ks="orders", c=C)
    hashed("ring 0 written out", "notification-12345\nuser-67890", ring=0)
    hashed("ring 1", "notification-12345\nuser-67890\n\n1", ring=1)
    hashed("ring 2", "notification-12345\nuser-67890\n\n2", ring=2)
    hashed("ring 10", "notification-12345\nuser-67890\n\n10", ring=10)
    hashed("recall ring 1", "notification-12345\nuser-67890\nrecall-2\n\n1", c=C, ring=1)
    hashed("everything", "orders\nnotification-12345\nuser-67890\nrecall-2\n\n10", ks="orders", c=C, ring=10)
    hashed("kanji", KANJI_N + "\n" + KANJI_R, n=KANJI_N, r=KANJI_R)
    hashed("emoji with joiners", FAMILY + "\n" + FLAG, n=FAMILY, r=FLAG)
    hashed("accent composed (NFC)", NFC + "\n" + R, n=NFC)
    hashed("accent decomposed (NFD)", NFD + "\n" + R, n=NFD)
    hashed_only("kana composed (NFC)", N + "\n" + GA_NFC, r=GA_NFC)
    hashed_only("kana decomposed (NFD)", N + "\n" + GA_NFD, r=GA_NFD)
    hashed_only("kanji outside the basic plane", RARE + "\n" + R, n=RARE)
    hashed_only("emoji with a skin tone", N + "\n" + WAVE, r=WAVE)
    hashed_only("emoji with a variation selector", HEART + "\n" + R, n=HEART)
    hashed_only("the same emoji without it", HEART_TEXT + "\n" + R, n=HEART_TEXT)
    hashed_only("kanji key space and recall", "\u53d7\u6ce8\n" + N + "\n" + R + "\n\u518d\u901a\u77e5",
                ks="\u53d7\u6ce8", c="\u518d\u901a\u77e5")
    hashed_only("right-to-left ids", "\u0625\u0634\u0639\u0627\u0631\n\u05de\u05e9\u05ea\u05de\u05e9",
                n="\u0625\u0634\u0639\u0627\u0631", r="\u05de\u05e9\u05ea\u05de\u05e9")
    hashed_only("line and paragraph separators are text", "a\u2028b\nc\u2029d", n="a\u2028b", r="c\u2029d")
    hashed_only("no-break space is text", "a\u00a0b\n" + R, n="a\u00a0b")
    hashed_only("byte order mark is text", "\ufeffa\n" + R, n="\ufeffa")
    hashed_only("spaces are kept", " a \n b ", n=" a ", r=" b ")
    hashed_only("case counts", "Notification-12345\nuser-67890", n="Notification-12345")
    hashed_only("digits keep their zeros", "007\n0", n="007", r="0")
    hashed_only("ids that end in a number", "a\nb1\n\n1", n="a", r="b1", ring=1)
    hashed_only("backslash n is two letters", "a\\nb\nc", n="a\\nb", r="c")
    hashed_only("one thousand characters an id", "x" * 1000 + "\n" + "y" * 1000, n="x" * 1000, r="y" * 1000)
    hashed_only("ignores clientToken and eventId", "notification-12345\nuser-67890",
                clientToken="other", eventId="line\nbreak")
    hashed_only("a large ring number", "notification-12345\nuser-67890\n\n2147483647", ring=2147483647)
    hashed_only("clash, named key space", "a\nb\nc", ks="a", n="b", r="c")
    hashed_only("clash, unnamed key space with recall", "a\nb\nc", n="a", r="b", c="c")
    add("hmac-sha256 key longer than a block", "hmac-sha256", ids(), key=LONG_KEY,
        token=mac("notification-12345\nuser-67890", LONG_KEY))


def over_templates():
    def t(name, template, token, **fields):
        add("template " + name, "template", ids(**fields), template=template, token=token)

    plain = "call-notification-12345-user-67890"
    t("plain", READABLE, plain)
    t("ring 1", READABLE, sha(plain + "\n\n1"), ring=1)
    t("ring 2", READABLE, sha(plain + "\n\n2"), ring=2)
    t("ring 10", READABLE, sha(plain + "\n\n10"), ring=10)
    t("recall", RECALL, plain + "-recall-2", c=C)
    t("recall ring 1", RECALL, sha(plain + "-recall-2\n\n1"), c=C, ring=1)
    t("key space", SPACED, "orders/notification-12345/user-67890", ks="orders")
    t("key space ring 2", SPACED, sha("orders/notification-12345/user-67890\n\n2"), ks="orders", ring=2)
    t("placeholders only", "{notificationId}{recipientId}", "ab", n="a", r="b")
    t("placeholder twice", "{recipientId}:{notificationId}:{recipientId}", "b:a:b", n="a", r="b")
    t("a value is not expanded again", READABLE, "call-{recipientId}-b", n="{recipientId}", r="b")
    t("braces in a value stay", READABLE, "call-}{-$1\\1$&", n="}{", r="$1\\1$&")
    t("kanji", "\u67b6\u96fb-{notificationId}-{recipientId}",
      "\u67b6\u96fb-" + KANJI_N + "-" + KANJI_R, n=KANJI_N, r=KANJI_R)
    t("emoji ring 1", READABLE, sha("call-" + FAMILY + "-" + FLAG + "\n\n1"), n=FAMILY, r=FLAG, ring=1)
    t("not injective, first", READABLE, "call-x-y-z", n="x-y", r="z")
    t("not injective, second", READABLE, "call-x-y-z", n="x", r="y-z")
    t("500 characters", READABLE, "call-n-" + "r" * 493, n="n", r="r" * 493)
    t("500 characters ring 1", READABLE, sha("call-n-" + "r" * 493 + "\n\n1"), n="n", r="r" * 493, ring=1)
    t("500 kanji", "{notificationId}{recipientId}", "\u96fb" * 250 + "\u8a71" * 250, n="\u96fb" * 250, r="\u8a71" * 250)
    t("500 characters that need two units in UTF-16", "{notificationId}{recipientId}", RARE * 500, n=RARE * 499, r=RARE)


def over_taken_values():
    def m(name, token, **fields):
        add("message " + name, "message", ids(**fields), token=token)

    def e(name, token, **fields):
        add("event-id " + name, "event-id", ids(**fields), token=token)

    chosen = "call-notification-12345-user-67890"
    m("plain", chosen, clientToken=chosen)
    m("key space", sha("orders\n" + chosen), ks="orders", clientToken=chosen)
    m("ring 1", sha(chosen + "\n\n1"), clientToken=chosen, ring=1)
    m("ring 10", sha(chosen + "\n\n10"), clientToken=chosen, ring=10)
    m("key space ring 2", sha(sha("orders\n" + chosen) + "\n\n2"), ks="orders", clientToken=chosen, ring=2)
    m("ids and recall do not count", chosen, clientToken=chosen, n="other", r="other", c=C)
    m("kanji", "\u67b6\u96fb-1", clientToken="\u67b6\u96fb-1")
    m("accent composed (NFC)", NFC, clientToken=NFC)
    m("accent decomposed (NFD)", NFD, clientToken=NFD)
    m("500 characters", "t" * 500, clientToken="t" * 500)
    m("500 characters in a key space", sha("orders\n" + "t" * 500), ks="orders", clientToken="t" * 500)
    e("plain", EVENT, eventId=EVENT)
    e("key space", sha("orders\n" + EVENT), ks="orders", eventId=EVENT)
    e("ring 1", sha(EVENT + "\n\n1"), eventId=EVENT, ring=1)
    e("ring 2", sha(EVENT + "\n\n2"), eventId=EVENT, ring=2)
    e("key space ring 10", sha(sha("orders\n" + EVENT) + "\n\n10"), ks="orders", eventId=EVENT, ring=10)
    e("kanji key space", sha("\u53d7\u6ce8\n" + EVENT), ks="\u53d7\u6ce8", eventId=EVENT)


def refused_values():
    def bad(name, error, recipe="sha256", template=None, key=None, **fields):
        add("refused: " + name, recipe, ids(**fields), template=template, key=key, error=error)

    bad("no notificationId", "id_missing", n="")
    bad("no recipientId", "id_missing", r="")
    bad("no ids in a template", "id_missing", "template", READABLE, n="")
    bad("no ids under a key", "id_missing", "hmac-sha256", key=KEY, r="")
    bad("line feed", "id_control_character", n="a\nb")
    bad("carriage return", "id_control_character", r="a\r")
    bad("tab", "id_control_character", c="a\tb")
    bad("NUL", "id_control_character", n="a\u0000")
    bad("unit separator U+001F", "id_control_character", n="a\u001fb")
    bad("delete U+007F", "id_control_character", r="a\u007f")
    bad("next line U+0085", "id_control_character", r="a\u0085b")
    bad("U+009F", "id_control_character", c="a\u009f")
    bad("line feed in the key space", "id_control_character", ks="a\nb")
    bad("line feed in an id of a template", "id_control_character", "template", READABLE, r="a\nb")
    bad("line feed in the client token", "id_control_character", "message", clientToken="a\nb")
    bad("line feed in the event id", "id_control_character", "event-id", eventId="a\nb")
    bad("no client token", "client_token_missing", "message")
    bad("empty client token", "client_token_missing", "message", ks="orders", clientToken="")
    bad("no event id", "event_id_missing", "event-id")
    bad("negative ring", "ring_negative", ring=-1)
    bad("501 characters in a template", "token_too_long", "template", READABLE, n="n", r="r" * 494)
    bad("501 kanji", "token_too_long", "template", "{notificationId}{recipientId}", n="\u96fb" * 250, r="\u8a71" * 251)
    bad("501 characters, later ring", "token_too_long", "template", READABLE, n="n", r="r" * 494, ring=1)
    bad("501 characters chosen by the producer", "token_too_long", "message", clientToken="t" * 501)
    bad("501 characters chosen by the producer in a key space", "token_too_long", "message", ks="orders",
        clientToken="t" * 501)
    bad("501 characters of event id", "token_too_long", "event-id", eventId="e" * 501)
    bad("key space and a template without it", "template_key_space_missing", "template", READABLE, ks="orders")
    bad("recall and a template without it", "template_recall_id_missing", "template", READABLE, c=C)
    bad("template wants a recall", "template_placeholder_empty", "template", RECALL)
    bad("template wants a key space", "template_placeholder_empty", "template", SPACED)


def refused_options():
    def bad(name, error, recipe, template=None, key=None):
        add("refused: " + name, recipe, ids(), template=template, key=key, error=error)

    bad("unknown recipe", "recipe_unknown", "sha-256")
    bad("recipe in capitals", "recipe_unknown", "SHA256")
    bad("no template", "template_missing", "template")
    bad("unknown placeholder", "template_placeholder_unknown", "template", READABLE + "-{userId}")
    bad("placeholder in other case", "template_placeholder_unknown", "template", "{NotificationID}-{recipientId}")
    bad("empty placeholder", "template_placeholder_unknown", "template", READABLE + "{}")
    bad("open brace", "template_malformed", "template", READABLE + "{")
    bad("closing brace", "template_malformed", "template", READABLE + "}")
    bad("doubled braces", "template_malformed", "template", "{{notificationId}}-{recipientId}")
    bad("template without a recipient", "template_id_missing", "template", "call-{notificationId}")
    bad("template without a notification", "template_id_missing", "template", "call-{recipientId}")
    bad("line feed in a template", "template_control_character", "template", READABLE + "\n")
    bad("no key", "hmac_key_missing", "hmac-sha256")
    bad("key of 31 bytes", "hmac_key_too_short", "hmac-sha256", key=KEY[:31])
    bad("template for another recipe", "option_unused", "sha256", READABLE)
    bad("key for another recipe", "option_unused", "sha256", key=KEY)


def main():
    over_ids()
    over_templates()
    over_taken_values()
    refused_values()
    refused_options()
    document = {
        "about": "Tokens by recipe and input. A vector has a token or the code of its error. "
                 "Absent input members are empty, an absent ring is 0. Written by examples/token/make_vectors.py.",
        "version": 1,
        "vectors": vectors,
    }
    # ASCII only: an editor that normalizes text would merge the NFC and NFD pairs.
    json.dump(document, sys.stdout, ensure_ascii=True, indent=1)
    sys.stdout.write("\n")


if __name__ == "__main__":
    main()
