export { createGateway, type Gateway, type GatewayOptions } from './gateway.ts'
export {
  defaultGatewayClocks,
  defaultGatewayLimits,
  type GatewayClocks,
  type GatewayLimits,
  type UpstreamServer,
} from './options.ts'
export { openUpstream } from './upstream/open.ts'
export {
  defaultUpstreamLimits,
  type HttpSettings,
  type StdioSettings,
  type UpstreamContext,
  type UpstreamLimits,
  type UpstreamSettings,
} from './upstream/options.ts'
export { ProcessSlots } from './upstream/stdio/process-slots.ts'
export type { Upstream, UpstreamState } from './upstream/upstream.ts'
