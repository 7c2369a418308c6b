"""Forwards what a contact flow reports to `ringonce serve`, and the answer back to the flow.

RINGONCE_HOST is the host, or host:port, of the service, which is asked over https; RINGONCE_KEY_SECRET is the ARN of the
secret with its API key. What fails is raised: Amazon Connect then invokes the function again, up to three times in 8 seconds.
"""

import http.client
import json
import os

import boto3

key = None  # kept for as long as this instance of the function lives


def handler(event, context):
    global key
    if key is None:
        key = boto3.client("secretsmanager").get_secret_value(SecretId=os.environ["RINGONCE_KEY_SECRET"])["SecretString"].strip()
    service = http.client.HTTPSConnection(os.environ["RINGONCE_HOST"], timeout=2.5)  # the service answers within 2 seconds
    try:
        service.request("POST", "/v1/flow-reports", json.dumps(event), {"Authorization": "Bearer " + key, "Content-Type": "application/json"})
        answer = service.getresponse()
        text = answer.read()
    finally:
        service.close()
    if answer.status == 401:
        key = None  # it may have been replaced: the next try reads it again
    if answer.status != 200:
        raise RuntimeError(f"ringonce answered {answer.status}")
    return json.loads(text)
