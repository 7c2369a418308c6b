// Powertools as its manual sets it up, around a handler that does nothing and is counted. Reads {first, number, lanes} a line, invokes the handler
// once for each key in so many lanes, and prints what was measured. Arguments: the store's address, its table.
import { createInterface } from 'node:readline';
import { IdempotencyConfig, makeIdempotent } from '@aws-lambda-powertools/idempotency';
import { DynamoDBPersistenceLayer } from '@aws-lambda-powertools/idempotency/dynamodb';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';

const [endpoint, tableName] = process.argv.slice(2);

const client = new DynamoDBClient({ region: 'eu-west-1', endpoint, credentials: { accessKeyId: 'test', secretAccessKey: 'test' } });
let requests = 0;
client.middlewareStack.add(
  (next) => async (input) => {
    requests += 1;
    return next(input);
  },
  { step: 'deserialize', name: 'count' } // after the retries, once for each request
);

let runs = 0;
const handler = makeIdempotent(
  async (_event, _context) => {
    runs += 1;
    return { contactId: `contact-${runs}` };
  },
  {
    persistenceStore: new DynamoDBPersistenceLayer({ tableName, awsSdkV3Client: client }),
    config: new IdempotencyConfig({ eventKeyJmesPath: '[notificationId, recipientId]' }),
  }
);

const context = {
  callbackWaitsForEmptyEventLoop: true,
  functionName: 'place-calls',
  functionVersion: '$LATEST',
  invokedFunctionArn: 'arn:aws:lambda:eu-west-1:111122223333:function:place-calls',
  memoryLimitInMB: '256',
  awsRequestId: '0f8fad5b-d9cb-469f-a165-70867728950e',
  logGroupName: '/aws/lambda/place-calls',
  logStreamName: '2026/11/29/[$LATEST]0123456789abcdef0123456789abcdef',
  getRemainingTimeInMillis: () => 300_000,
  done: () => {},
  fail: () => {},
  succeed: () => {},
};

const order = (n) => ({
  notificationId: `notification-${n}`,
  recipientId: 'user-67890',
  destinationPhoneNumber: '+819000000001',
  profile: 'alert',
  attributes: { language: 'ja-JP' },
});

for await (const line of createInterface({ input: process.stdin })) {
  const { first, number, lanes } = JSON.parse(line);
  const times = [];
  let next = 0;
  const sent = requests;
  const cpu = process.cpuUsage();
  const begun = performance.now();
  const lane = async () => {
    while (next < number) {
      const event = order(first + next++);
      const asked = performance.now();
      await handler(event, context);
      times.push(performance.now() - asked);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  const took = performance.now() - begun;
  const { user, system } = process.cpuUsage(cpu);
  process.stdout.write(`${JSON.stringify({ took, times, cpu: (user + system) / 1000, requests: requests - sent, runs })}\n`);
}
