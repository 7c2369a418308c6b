"""Applies the SAM transform to a template and prints the CloudFormation template that comes out, as JSON.

Usage: transform.py TEMPLATE. The code of a function, which sam deploy would have uploaded, becomes an address in S3.
"""

import json
import sys

from cfnlint.decode import decode
from samtranslator.parser.parser import Parser
from samtranslator.translator.translator import Translator

template, matches = decode(sys.argv[1])
if matches:
    sys.exit("\n".join(str(match) for match in matches))
template = json.loads(json.dumps(template, default=str))
for resource in template["Resources"].values():
    if resource["Type"] == "AWS::Serverless::Function":
        resource["Properties"]["CodeUri"] = "s3://packages/package.zip"
try:
    print(json.dumps(Translator({}, Parser()).translate(template, {}), indent=1))
except Exception as failure:  # the transform's errors carry what is wrong in their causes
    sys.exit(f"{failure}\n" + "\n".join(cause.message for cause in getattr(failure, "causes", [])))
