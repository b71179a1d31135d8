import { readRedisAddress } from './server/address.ts'
import { openRedisServer } from './server/server.ts'
import { durabilityProblem } from './server/suitable.ts'

/** What the server at this address would lose of what it confirmed, in words; undefined if nothing, or if it does not say. */
export async function redisDurability(url: string): Promise<string | undefined> {
  const server = await openRedisServer(readRedisAddress(url))
  try {
    return await durabilityProblem(server)
  } finally {
    await server.close()
  }
}
