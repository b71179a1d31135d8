import type { ServerContext } from '@modelcontextprotocol/server'

const everyMs = 10_000

/** The last progress that was sent for each request. Progress must rise through all its questions. */
const told = new WeakMap<ServerContext, { last: number }>()

/** Makes two contexts of the same request count their progress together. */
export function shareProgress(ctx: ServerContext, other: ServerContext): void {
  told.set(other, toldOf(ctx))
}

/** The next progress value: the wanted one, if it is higher than the last one sent. */
export function risingProgress(ctx: ServerContext, wanted: number): number {
  const soFar = toldOf(ctx)
  soFar.last = wanted > soFar.last ? wanted : soFar.last + smallStep
  return soFar.last
}

const smallStep = 0.001

function toldOf(ctx: ServerContext): { last: number } {
  const known = told.get(ctx) ?? { last: Number.NEGATIVE_INFINITY }
  told.set(ctx, known)
  return known
}

/** Sends progress while a person decides, if the client asked for it, so that the client does not time out (X26-04). */
export async function keepingAlive<T>(ctx: ServerContext, work: () => Promise<T>): Promise<T> {
  const progressToken = ctx.mcpReq._meta?.progressToken
  if (progressToken === undefined) return work()
  const tell = () => {
    const progress = risingProgress(ctx, Math.max(0, toldOf(ctx).last) + 1)
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
