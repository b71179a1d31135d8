import { milliseconds } from '../../../base/durations.ts'
import { signals } from '../../../telemetry/options.ts'
import type { TelemetryConfig } from '../config.ts'
import { defaults } from '../defaults.ts'
import { settingNames } from '../names.ts'
import type { Setting } from './setting.ts'

/** Where telemetry is sent to, and what of it. */
export function readTelemetry(setting: Setting): TelemetryConfig {
  const { endpoint, endpoints, headers, serviceName, send, sample, every, queue } = setting.only(settingNames.telemetry)
  const own = endpoints.only(settingNames.telemetryEndpoints)
  const base = endpoint.url({ plain: true })
  const chosen = send.isThere ? send.items().map((one) => one.choice(signals)) : signals
  const addresses = signals.flatMap((signal) => {
    if (!chosen.includes(signal)) return []
    // As the environment variables of OpenTelemetry have it: the path of a signal is added to the common address only.
    const url = own[signal].url({ plain: true })?.href ?? (base && `${base.href.replace(/\/+$/, '')}/v1/${signal}`)
    return url === undefined ? [] : [[signal, url]]
  })
  if (!endpoint.isThere && !endpoints.isThere)
    endpoint.needed('write the address of a collector, such as http://127.0.0.1:4318')
  return {
    endpoints: Object.fromEntries(addresses),
    headers: headers.words(),
    serviceName: serviceName.text() ?? defaults.telemetry.serviceName,
    sample: readShare(sample) ?? defaults.telemetry.sample,
    everyMs: every.duration() ?? milliseconds(defaults.telemetry.every),
    queue: queue.count() ?? defaults.telemetry.queue,
  }
}

function readShare(setting: Setting): number | undefined {
  if (!setting.isThere) return undefined
  const share = typeof setting.value === 'string' && setting.value !== '' ? Number(setting.value) : setting.value
  if (typeof share === 'number' && share >= 0 && share <= 1) return share
  return setting.wrong('write a number from 0 to 1, such as 0.1')
}
