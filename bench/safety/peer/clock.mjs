// The clock of this process can be moved forward, so that a deadline of 30 s passes without waiting for it.
const RealDate = Date;
let offset = 0;

globalThis.Date = class extends RealDate {
  constructor(...given) {
    if (given.length > 0) super(...given);
    else super(RealDate.now() + offset);
  }

  static now() {
    return RealDate.now() + offset;
  }
};

/** advance moves the clock by a number of milliseconds. */
export function advance(milliseconds) {
  offset += milliseconds;
}
