import type { Assent } from '../../assent.ts'
import { milliseconds } from '../../base/durations.ts'
import { shortId, showInstances } from '../../instance/shown-instances.ts'
import type { Config } from '../config/config.ts'
import { type Finding, good, warning } from './finding.ts'

/** Lists the gateways that share the store, and compares their clocks. */
export async function checkInstances(assent: Assent, { clocks }: Config): Promise<Finding> {
  const all = await assent.store.instances.list()
  const { running, problems } = showInstances(all, assent.clock.now(), milliseconds(clocks.skew))
  if (problems.length > 0) return warning('instances', problems.join(' '))
  if (running.length === 0) return good('instances', 'No gateway runs on this store.')
  const list = running.map(
    (one) => `${shortId(one)} since ${one.startedAt.toISOString()}${one.isStopping ? ', stopping' : ''}`,
  )
  return good(
    'instances',
    `${running.length === 1 ? '1 gateway runs' : `${running.length} gateways run`} on this store: ${list.join('; ')}.`,
  )
}
