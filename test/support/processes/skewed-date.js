// Preloaded with `node --import`: the Date of this process is off by ASSENT_TEST_SKEW milliseconds, as on a machine whose
// clock is wrong. Timers and performance.now() keep their pace, as they do there.

const RealDate = Date
const skewMs = Number(process.env.ASSENT_TEST_SKEW)
const now = () => RealDate.now() + skewMs

globalThis.Date = new Proxy(RealDate, {
  construct: (target, args, made) =>
    Reflect.construct(target, args.length === 0 ? [now()] : args, made === Date ? target : made),
  apply: () => new RealDate(now()).toString(),
  get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
})
