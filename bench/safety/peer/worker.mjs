// One worker: an execution environment with the library as its manual sets it up, and a handler that places the call and returns its id.
import { createHash } from 'node:crypto';
import { BatchProcessor, EventType, processPartialResponse } from '@aws-lambda-powertools/batch';
import { IdempotencyConfig, makeIdempotent } from '@aws-lambda-powertools/idempotency';
import { DynamoDBPersistenceLayer } from '@aws-lambda-powertools/idempotency/dynamodb';
import { makeHandlerIdempotent } from '@aws-lambda-powertools/idempotency/middleware';
import { ConnectClient, StartOutboundVoiceContactCommand } from '@aws-sdk/client-connect';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import middy from '@middy/core';

/** The remaining time of an invocation, in milliseconds: the deadline that a record in progress gets. */
export const deadline = 30_000;

const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };

/** What the manual's key selection picks of an event. */
const businessKey = '[notificationId, recipientId]';

function context(id) {
  return {
    callbackWaitsForEmptyEventLoop: true,
    functionName: 'place-calls',
    functionVersion: '$LATEST',
    invokedFunctionArn: 'arn:aws:lambda:us-east-1:111122223333:function:place-calls',
    memoryLimitInMB: '256',
    awsRequestId: id,
    logGroupName: '/aws/lambda/place-calls',
    logStreamName: '2026/11/29/[$LATEST]0123456789abcdef0123456789abcdef',
    getRemainingTimeInMillis: () => deadline,
    done: () => {},
    fail: () => {},
    succeed: () => {},
  };
}

/**
 * worker returns an execution environment of its own: clients, table, configuration. hooks.rang is called after each ring, before the handler
 * goes on; what it returns replaces the result when it is not undefined.
 */
export function worker(run, settings = {}, hooks = {}) {
  const { api = 'wrapper', returnUnknown = false, parallel = true, ...options } = settings;
  const telephone = new ConnectClient({ region: 'us-east-1', endpoint: run.telephone, credentials });
  const persistenceStore = new DynamoDBPersistenceLayer({
    tableName: run.table,
    awsSdkV3Client: new DynamoDBClient({ region: 'us-east-1', endpoint: run.store, credentials }),
  });
  const config = new IdempotencyConfig({ eventKeyJmesPath: businessKey, ...options });
  let rings = 0;
  let invocations = 0;

  const place = async (event) => {
    rings += 1;
    let placed;
    try {
      placed = await telephone.send(
        new StartOutboundVoiceContactCommand({
          InstanceId: '11111111-2222-4333-8444-555555555555',
          ContactFlowId: '22222222-2222-4222-8222-222222222222',
          QueueId: '33333333-3333-4333-8333-333333333333',
          DestinationPhoneNumber: event.destinationPhoneNumber,
          ...(run.token ? { ClientToken: token(event) } : {}),
        })
      );
    } catch (error) {
      if (returnUnknown) return { outcome: 'unknown' };
      throw error;
    }
    const instead = await hooks.rang?.(placed.ContactId);
    return instead ?? { contactId: placed.ContactId };
  };

  const handler =
    api === 'middy'
      ? middy(place).use(makeHandlerIdempotent({ persistenceStore, config }))
      : makeIdempotent(async (event, _context) => place(event), { persistenceStore, config });

  const processor = new BatchProcessor(EventType.SQS);
  const record = makeIdempotent(async (one) => place(JSON.parse(one.body)), { persistenceStore, config });

  return {
    /** deliver invokes the handler and tells how it ended. */
    async deliver(by, event) {
      const before = rings;
      try {
        const result = await handler(event, context(`${run.name}-${++invocations}`));
        return { by, ok: true, text: words(result), dialed: rings > before };
      } catch (error) {
        return { by, ok: false, text: error.cause?.name ? `${error.name}: ${error.cause.name}` : error.name, dialed: rings > before };
      }
    },

    /** batch invokes a handler of SQS messages and tells which of them were reported as failed. */
    async batch(by, records) {
      const before = rings;
      const lambda = context(`${run.name}-batch`);
      config.registerLambdaContext(lambda);
      const response = await processPartialResponse({ Records: records }, record, processor, { context: lambda, processInParallel: parallel });
      const failed = response.batchItemFailures.map((item) => item.itemIdentifier);
      return { by, ok: failed.length === 0, text: failed.length === 0 ? 'no item failed' : `reported as failed: ${failed.join(', ')}`, dialed: rings > before };
    },
  };
}

function words(result) {
  if (result?.contactId) return 'placed';
  return JSON.stringify(result).slice(0, 60);
}

/** The recipe that ringonce and the documentation of tokens use. */
function token(event) {
  return createHash('sha256').update(`${event.notificationId}\n${event.recipientId}`).digest('hex');
}

/** message is an SQS record as Lambda hands it over. */
export function message(messageId, event) {
  return {
    messageId,
    receiptHandle: 'EXAMPLE',
    body: JSON.stringify(event),
    attributes: { ApproximateReceiveCount: '1', SentTimestamp: String(Date.now()), SenderId: 'AIDAEXAMPLE', ApproximateFirstReceiveTimestamp: String(Date.now()) },
    messageAttributes: {},
    md5OfBody: createHash('md5').update(JSON.stringify(event)).digest('hex'),
    eventSource: 'aws:sqs',
    eventSourceARN: 'arn:aws:sqs:us-east-1:111122223333:calls',
    awsRegion: 'us-east-1',
  };
}
