export { createGateway, type Gateway, type GatewayOptions } from './gateway.ts'
export {
  type Behind,
  defaultGatewayClocks,
  defaultGatewayLimits,
  type GatewayClocks,
  type GatewayLimits,
} from './settings.ts'
export { openUpstream } from './upstream/open.ts'
export {
  defaultLimits as defaultUpstreamLimits,
  type HttpSettings,
  type StdioSettings,
  type UpstreamLimits,
  type UpstreamSettings,
  type UpstreamSurroundings,
} from './upstream/settings.ts'
export { ProcessPlaces } from './upstream/stdio/places.ts'
export type { Upstream, UpstreamState } from './upstream/upstream.ts'
