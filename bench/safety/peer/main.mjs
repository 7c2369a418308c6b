// Reads the runs as one JSON object on standard input and prints what was told in each, one JSON object a line.
import './clock.mjs';
import { text } from 'node:stream/consumers';
import { scenarios } from './scenarios.mjs';
import { worker } from './worker.mjs';

const { runs, warmUp, ...servers } = JSON.parse(await text(process.stdin));

// A first call that is not counted: clients are made, modules loaded, the wire is open.
const warm = await worker({ ...servers, ...warmUp }).deliver('warm up', { notificationId: 'warm-up', recipientId: 'user-67890', destinationPhoneNumber: warmUp.numbers[0] });
if (!warm.ok) throw new Error(`the warm-up was refused: ${warm.text}`);

for (const run of runs) {
  const told = await scenarios[run.scenario]({ ...servers, ...run }, run.settings ?? {}, run.numbers);
  process.stdout.write(`${JSON.stringify({ name: run.name, told })}\n`);
}
process.exit(0); // workers that were left hanging on purpose
