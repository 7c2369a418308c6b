"""Places one call with an emulated Amazon Connect, repeats it, looks at it, finds it and stops it. Needs boto3."""

import datetime
import os
import sys

import boto3

INSTANCE = "11111111-2222-4333-8444-555555555555"


def flag(value):
    return str(value).lower()


def place(endpoint, token):
    client = boto3.client(
        "connect",
        endpoint_url=endpoint,
        region_name="us-east-1",
        aws_access_key_id="test",
        aws_secret_access_key="test",
    )
    start = dict(
        InstanceId=INSTANCE,
        ContactFlowId="aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee",
        SourcePhoneNumber="+12025550100",
        DestinationPhoneNumber="+819000000001",
        ClientToken=token,
        Name=token,
    )
    first = client.start_outbound_voice_contact(**start)["ContactId"]
    print("placed:", first)
    second = client.start_outbound_voice_contact(**start)["ContactId"]
    print("repeated, same contact:", flag(second == first))

    contact = client.describe_contact(InstanceId=INSTANCE, ContactId=first)["Contact"]
    print("described:", contact["InitiationMethod"], contact["Name"])

    now = datetime.datetime.now(datetime.timezone.utc)
    found = client.search_contacts(
        InstanceId=INSTANCE,
        TimeRange={
            "Type": "INITIATION_TIMESTAMP",
            "StartTime": now - datetime.timedelta(hours=1),
            "EndTime": now + datetime.timedelta(minutes=1),
        },
        SearchCriteria={"Name": {"MatchType": "MATCH_EXACT", "SearchText": [token]}},
    )
    print("found:", len(found["Contacts"]))

    client.stop_contact(InstanceId=INSTANCE, ContactId=first)
    try:
        client.stop_contact(InstanceId=INSTANCE, ContactId=first)
        gone = False
    except client.exceptions.ContactNotFoundException:
        gone = True
    print("stopped, and gone:", flag(gone))


if __name__ == "__main__":
    place(
        os.environ.get("EMULATOR", "http://127.0.0.1:7465"),
        sys.argv[1] if len(sys.argv) > 1 else "notification-12345",
    )
