import { openHttp } from './http/http-upstream.ts'
import type { UpstreamSettings, UpstreamSurroundings } from './options.ts'
import { openStdio } from './stdio/stdio-upstream.ts'
import type { Upstream } from './upstream.ts'

/** An upstream, to be used at once: nothing is started or connected before it is needed. */
export function openUpstream(settings: UpstreamSettings, surroundings: UpstreamSurroundings): Upstream {
  return 'url' in settings ? openHttp(settings, surroundings) : openStdio(settings, surroundings)
}
