export { createGateway, type Gateway, type GatewayOptions } from './gateway.ts'
export {
  type Behind,
  defaultGatewayClocks,
  defaultGatewayLimits,
  type GatewayClocks,
  type GatewayLimits,
} from './options.ts'
export { openUpstream } from './upstream/open.ts'
export {
  defaultLimits as defaultUpstreamLimits,
  type HttpSettings,
  type StdioSettings,
  type UpstreamLimits,
  type UpstreamSettings,
  type UpstreamSurroundings,
} from './upstream/options.ts'
export { ProcessPlaces } from './upstream/stdio/process-slots.ts'
export type { Upstream, UpstreamState } from './upstream/upstream.ts'
