/*
 * Loaded with `--import` before a process of a test: its wall clock differs by CLOCK_SHIFT_MS from that of the machine. The
 * monotonic clock and timers stay right, as on a machine whose clock was set wrong.
 */
const shiftMs = Number(process.env['CLOCK_SHIFT_MS'])
const RealDate = Date

globalThis.Date = new Proxy(RealDate, {
  construct: (target, values: [], newTarget) =>
    Reflect.construct(target, values.length === 0 ? [RealDate.now() + shiftMs] : values, newTarget),
  get: (target, name, receiver) => (name === 'now' ? () => RealDate.now() + shiftMs : Reflect.get(target, name, receiver)),
})

// The waits between attempts are random from 0 on. At their longest, one that is missing can be told from a short one.
Math.random = () => 0.999
