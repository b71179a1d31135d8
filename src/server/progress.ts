import type { ServerContext } from '@modelcontextprotocol/server'

const everyMs = 10_000

/** How far each request got: progress rises through all its questions, also those asked together. */
const told = new WeakMap<ServerContext, number>()

/** While a person takes their time, tells a client that wants to know, so that it does not give up (X26-04). */
export async function keepingAlive<T>(ctx: ServerContext, work: () => Promise<T>): Promise<T> {
  const progressToken = ctx.mcpReq._meta?.progressToken
  if (progressToken === undefined) return work()
  const tell = () => {
    const progress = (told.get(ctx) ?? 0) + 1
    told.set(ctx, progress)
    const params = { progressToken, progress, message: 'Waiting for a person to answer' }
    ctx.mcpReq.notify({ method: 'notifications/progress', params }).catch(() => {})
  }
  tell()
  const timer = setInterval(tell, everyMs)
  try {
    return await work()
  } finally {
    clearInterval(timer)
  }
}
