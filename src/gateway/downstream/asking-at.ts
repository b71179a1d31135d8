import type { AskingSettings } from '../../asking/context.ts'
import { routeAtOnce, type Scope } from '../catalog/route.ts'
import type { GatewayContext } from '../context.ts'

/** How requests ask that come to one address of the gateway. */
export function askingAt({ asking }: GatewayContext, scope: Scope): AskingSettings {
  return { ...asking, boundTo: boundTo(scope), ownerOf: (tool) => ownerOfTool(scope, tool) }
}

/** Joined names begin with their server. Of resources, the state itself says whose it is. */
function boundTo({ joined, servers }: Scope): string {
  return joined ? 'all servers' : `server ${servers[0]?.id}`
}

/** Whose tool a name seems to be, for the audit of calls that are refused before their route is known. */
export function ownerOfTool(scope: Scope, name: string): { readonly server: string; readonly tool: string } {
  const route = routeAtOnce(scope, name)
  return route === undefined ? { server: '', tool: name } : { server: route.server.id, tool: route.name }
}
