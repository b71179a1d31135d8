import { openHttp } from './http/http-upstream.ts'
import type { UpstreamContext, UpstreamSettings } from './options.ts'
import { openStdio } from './stdio/stdio-upstream.ts'
import type { Upstream } from './upstream.ts'

/** An upstream, to be used at once: nothing is started or connected before it is needed. */
export function openUpstream(settings: UpstreamSettings, context: UpstreamContext): Upstream {
  return 'url' in settings ? openHttp(settings, context) : openStdio(settings, context)
}
