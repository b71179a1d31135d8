import type { ServerContext } from '@modelcontextprotocol/server'

const everyMs = 10_000

/** How far each request got: progress rises through all its questions, also those asked together. */
const told = new WeakMap<ServerContext, { last: number }>()

/** Counts the progress of another context of the same request with this one's. */
export function shareProgress(ctx: ServerContext, other: ServerContext): void {
  told.set(other, toldOf(ctx))
}

/** The number to tell next: the one that is wanted, if it is higher than what was told before. */
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

/** While a person takes their time, tells a client that wants to know, so that it does not give up (X26-04). */
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
