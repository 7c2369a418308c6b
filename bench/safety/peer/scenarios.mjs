// The twelve scenarios against the library. Each gets the numbers that it may ring and returns what each delivery was told, in order.
import { setTimeout as sleep } from 'node:timers/promises';
import { advance } from './clock.mjs';
import { deadline, message, worker } from './worker.mjs';

const past = () => advance(deadline + 1_000);

function gate() {
  let open;
  const opened = new Promise((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

const request = (run, number) => ({ notificationId: `n-${run.name}`, recipientId: 'user-67890', destinationPhoneNumber: number });

async function fault(run, kind) {
  const answer = await fetch(`${run.control}/fault?table=${run.table}&kind=${kind}`, { method: 'POST' });
  if (!answer.ok) throw new Error(`set the fault: ${answer.status}`);
}

/** held starts a delivery whose handler rings and then waits at the gate. */
async function held(run, settings, event, after) {
  const rang = gate();
  const end = gate();
  const first = worker(run, settings, {
    rang: async () => {
      rang.open();
      await end.opened;
      return after?.();
    },
  });
  const told = first.deliver('A', event);
  await rang.opened;
  return { told, end: end.open };
}

export const scenarios = {
  async S1(run, settings, [one, two]) {
    const w = worker(run, settings);
    return [await w.deliver('1', { destinationPhoneNumber: one }), await w.deliver('2', { destinationPhoneNumber: two })];
  },

  async S2(run, { strings, ...settings }, [one, two]) {
    const w = worker(run, settings);
    const quote = strings ? '"' : '';
    const told = [];
    for (const [number, id] of [
      [one, '9007199254740992'],
      [two, '9007199254740993'],
    ]) {
      const event = `{"notificationId":${quote}${id}${quote},"recipientId":"user-67890","destinationPhoneNumber":"${number}"}`;
      told.push(await w.deliver(String(told.length + 1), JSON.parse(event)));
    }
    return told;
  },

  async S3(run, settings, [one]) {
    const event = request(run, one);
    const a = await held(run, settings, event, () => {
      throw new Error('LateFailure');
    });
    past();
    const b = await worker(run, settings).deliver('B', event);
    a.end();
    const late = await a.told;
    return [b, late, await worker(run, settings).deliver('3rd', event)];
  },

  async S4(run, settings, [one]) {
    const event = request(run, one);
    const a = await held(run, settings, event);
    past();
    const b = await worker(run, settings).deliver('B', event);
    a.end();
    const late = await a.told;
    return [b, late, await worker(run, settings).deliver('3rd', event)];
  },

  async S5(run, settings, [one]) {
    const event = request(run, one);
    const first = worker(run, settings, { rang: () => fault(run, 'throttle-writes') });
    const told = [await first.deliver('1st', event)];
    await fault(run, 'none');
    told.push(await worker(run, settings).deliver('2nd', event));
    past();
    told.push(await worker(run, settings).deliver('3rd, after the deadline', event));
    return told;
  },

  async S6(run, settings, [one]) {
    const event = request(run, one);
    const large = { rang: (contactId) => ({ contactId, detail: 'x'.repeat(500 << 10) }) };
    const told = [await worker(run, settings, large).deliver('1st', event)];
    told.push(await worker(run, settings, large).deliver('2nd', event));
    past();
    told.push(await worker(run, settings, large).deliver('3rd, after the deadline', event));
    return told;
  },

  async S7(run, settings, [one]) {
    const event = request(run, one);
    const a = await held(run, settings, event);
    const b = await worker(run, settings).deliver('B', event);
    const c = await worker(run, settings).deliver('3rd', event);
    a.end();
    return [b, c, await a.told];
  },

  async S8(run, settings, [one, two]) {
    const w = worker(run, { eventKeyJmesPath: 'messageId', ...settings }, { rang: () => sleep(run.dialTime) });
    const m1 = message('m1', request(run, one));
    const m2 = message('m2', { ...request(run, two), notificationId: `n-${run.name}-2` });
    return [await w.batch('batch', [m1, m2, m1])];
  },

  async S9(run, settings, [one]) {
    const w = worker(run, { eventKeyJmesPath: 'messageId', ...settings });
    const event = request(run, one);
    return [await w.batch('1st', [message('m1', event)]), await w.batch('2nd', [message('m2', event)])];
  },

  async S10(run, settings, [one, changed]) {
    const validated = { payloadValidationJmesPath: 'destinationPhoneNumber', ...settings };
    const a = await held(run, validated, request(run, one));
    past();
    const b = await worker(run, validated).deliver('B, other number', request(run, changed));
    void a; // A never comes back
    return [b];
  },

  async S11(run, settings, [one]) {
    const event = request(run, one);
    const told = [];
    for (const by of ['1st', '2nd', '3rd']) {
      told.push(await worker(run, settings).deliver(by, event));
      advance(120_000);
    }
    return told;
  },

  async S12(run, settings, [one]) {
    const event = request(run, one);
    await fault(run, 'lose-next-put');
    const told = [await worker(run, settings).deliver('1st', event)];
    told.push(await worker(run, settings).deliver('2nd', event));
    past();
    told.push(await worker(run, settings).deliver('3rd, after the deadline', event));
    return told;
  },
};
