import { openHttp } from './http/http-upstream.ts'
import type { UpstreamContext, UpstreamSettings } from './options.ts'
import { openStdio } from './stdio/stdio-upstream.ts'
import type { Upstream } from './upstream.ts'

/** Makes an upstream that can be used at once. No process or connection is opened before the first request needs it. */
export function openUpstream(settings: UpstreamSettings, context: UpstreamContext): Upstream {
  return 'url' in settings ? openHttp(settings, context) : openStdio(settings, context)
}
