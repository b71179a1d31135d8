import type { Config, MetricsConfig } from '../config.ts'
import { defaults } from '../defaults.ts'
import { settingNames } from '../names.ts'
import { isOurHost, readHostAndPort, readRanges } from './addresses.ts'
import type { Setting } from './setting.ts'

const exampleAddress = '0.0.0.0:9464'

/** Who may read `/metrics`. A list that no request could ever match is refused, since it would look like it worked. */
export function readMetrics(setting: Setting, main: Config['listen'] | undefined): MetricsConfig {
  const { listen, allow } = setting.only(settingNames.metrics)
  const own = listen.isThere ? readHostAndPort(listen, exampleAddress) : undefined
  if (own !== undefined && own.port !== 0 && own.port === main?.port && own.host === main.host) {
    listen.wrong('listen is the same; write another port')
  }
  const allowed = readRanges(allow)
  const served = [main, own].filter((address) => address !== undefined)
  if (allowed.length > 0 && served.length > 0 && served.every(({ host }) => isOurHost(host))) {
    allow.say(
      `has no effect, since no other machine reaches this one; write metrics.listen, such as ${exampleAddress}.`,
    )
  }
  return {
    allow: allow.isThere ? allowed : defaults.metrics.allow,
    ...(own !== undefined && { listen: own }),
  }
}
