import { collectDefaultMetrics, Registry } from 'prom-client'

/** Memory, garbage collection and event loop of this process, counted from now on. */
export function processMetrics(): Registry {
  const register = new Registry()
  collectDefaultMetrics({ register })
  return register
}
