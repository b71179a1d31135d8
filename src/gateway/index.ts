export { createGateway, type Gateway } from './gateway.ts'
export type {
  AddressOptions,
  GatewayClockOptions,
  GatewayLimits,
  GatewayOptions,
  ProgramOptions,
  ServerOptions,
} from './options.ts'
export { defaultUpstreamLimits, type UpstreamLimits } from './upstream/options.ts'
export type { Upstream, UpstreamState } from './upstream/upstream.ts'
