"""Asks a ringonce service for one call, twice, through the client that was generated from its document (README.md)."""

import os
import sys
from http import HTTPStatus

from ringonce_client import AuthenticatedClient, Client
from ringonce_client.api.calls import get_call, place_call
from ringonce_client.models import CallRequest, Placed


def connect():
    """The service at SERVER; the key is in the file that RINGONCE_API_KEY_FILE names, if any."""
    server, key = os.environ["SERVER"], os.environ.get("RINGONCE_API_KEY_FILE")
    if key is None:
        return Client(base_url=server)
    with open(key, encoding="ascii") as file:
        return AuthenticatedClient(base_url=server, token=file.read().strip())


def place(client, request):
    answer = place_call.sync_detailed(client=client, body=request, prefer="wait=10")
    if not isinstance(answer.parsed, Placed):
        sys.exit(f"refused with {answer.status_code}: {answer.parsed.code}: {answer.parsed.detail} {answer.parsed.fix}")
    return answer.status_code, answer.parsed


def said(holds):
    return "true" if holds else "false"


notification, number = sys.argv[1], sys.stdin.readline().strip()
with connect() as client:
    request = CallRequest(notification_id=notification, recipient_id="kim", destination_phone_number=number)
    status, first = place(client, request)
    print(f"{first.answer.value} {said(status == HTTPStatus.OK)}")
    _, second = place(client, request)
    print(f"{second.answer.value} of the same call: {said(second.duplicate_of == first.call_id)}")
    print(f"now {get_call.sync(client=client, id=first.call_id).call.state.value}")
