import { hungryRound } from '../hungry/hungry-clients.ts'
import { hungryServer } from '../hungry/hungry-server.ts'

// Hungry clients and their upstream, apart from the process that measures how long honest calls take.
const upstream = await hungryServer()
process.on('message', async ({ url, round }: { url: string; round: number }) => {
  process.send?.([...(await hungryRound(new URL(url), round))])
})
// Exits when the parent process has exited.
process.on('disconnect', () => process.exit())
process.send?.(upstream.url)
