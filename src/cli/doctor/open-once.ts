import { systemClock } from '../../base/clock.ts'
import { Budget } from '../../base/limits/budget.ts'
import type { Upstream } from '../../gateway/upstream/upstream.ts'
import type { Config } from '../config/config.ts'
import type { ServerConfig } from '../config/read/servers.ts'
import { version } from '../version.ts'

const self = { name: 'assent', version }

/** Starts or reaches one server of the settings, for a command. Whoever calls it closes it. */
export async function openOnce(server: ServerConfig, { limits }: Config): Promise<Upstream> {
  const { openUpstream } = await import('../../gateway/upstream/open.ts')
  const { defaultUpstreamLimits } = await import('../../gateway/upstream/options.ts')
  const { ProcessSlots } = await import('../../gateway/upstream/stdio/process-slots.ts')
  const context = {
    clock: systemClock,
    self,
    limits: { ...defaultUpstreamLimits, messageBytes: limits.bodyBytes, messageValues: limits.messageValues },
    slots: new ProcessSlots(),
    messages: new Budget(limits.serverBytes, limits.serverBytesEach),
  }
  const name = server.id
  if (server.kind === 'http') return openUpstream({ name, url: new URL(server.url), headers: server.headers }, context)
  const { command, args, env, cwd } = server
  return openUpstream({ name, command, args, env, cwd }, context)
}
