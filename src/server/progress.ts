import type { ServerContext } from '@modelcontextprotocol/server'

const everyMs = 10_000

/** While a person takes their time, tells a client that wants to know, so that it does not give up (X26-04). */
export async function keepingAlive<T>(ctx: ServerContext, work: () => Promise<T>): Promise<T> {
  const progressToken = ctx.mcpReq._meta?.progressToken
  if (progressToken === undefined) return work()
  let progress = 0
  const tell = () => {
    const params = { progressToken, progress: ++progress, message: 'Waiting for a person to answer' }
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
