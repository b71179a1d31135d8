import { onTestFinished } from 'vitest'
import type { AskedClient, Connect, ConnectOptions } from '../support/asking/asking-clients.ts'
import { type Gated, type GatedOptions, gated, type Upstreams } from '../support/gateway/gateways.ts'
import { type Balancer, startBalancer } from '../support/server/balancer.ts'

/** Three gateways on one store, behind a balancer that sends every request elsewhere. */
export interface Balanced {
  readonly instances: readonly [Gated, Gated, Gated]
  readonly balancer: Balancer
  connect(how: Connect, options?: ConnectOptions & { token?: string }): Promise<AskedClient>
}

/** Starts three. Everything ends with the test. */
export async function balanced(store: string, upstreams: Upstreams, options: GatedOptions = {}): Promise<Balanced> {
  const one = () => gated(upstreams, { ...options, assentOptions: { ...options.assentOptions, store } })
  const instances = [await one(), await one(), await one()] as const
  for (const { gateway } of instances) gateway.join()
  const balancer = await startBalancer(instances.map(({ url }) => url))
  return {
    instances: [...instances],
    balancer,
    async connect(how, { token, ...connecting } = {}) {
      const at = balancer.url
      const client = await how(token === undefined ? { url: at } : { url: at, token }, connecting)
      onTestFinished(() => client.close())
      return client
    },
  }
}
