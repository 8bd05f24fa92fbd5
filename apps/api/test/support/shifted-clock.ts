/*
 * Shifts the wall clock of a process by CLOCK_SHIFT_MS, as if the machine's clock were wrong. The monotonic clock and timers
 * are not affected. Load it with `--import`.
 */
const shiftMs = Number(process.env['CLOCK_SHIFT_MS'])
const RealDate = Date

globalThis.Date = new Proxy(RealDate, {
  construct: (target, values: [], newTarget) =>
    Reflect.construct(target, values.length === 0 ? [RealDate.now() + shiftMs] : values, newTarget),
  get: (target, name, receiver) => (name === 'now' ? () => RealDate.now() + shiftMs : Reflect.get(target, name, receiver)),
})

// Backoff times are random and may be close to 0. Here, they are always close to the maximum, so that tests can detect a
// missing backoff.
Math.random = () => 0.999
