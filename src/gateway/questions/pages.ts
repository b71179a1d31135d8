import { isPlainObject, type JsonObject } from '../../base/json.ts'
import { codes } from '../../mcp/codes.ts'
import type { RpcError, UpstreamReply } from '../upstream/upstream.ts'
import { type Page, safePage } from './ask-open.ts'

/** The pages that an error -32042 of a 2025 upstream names. Undefined for any other reply. */
export function pagesIn(reply: UpstreamReply): (Page & JsonObject)[] | undefined {
  if (reply.kind !== 'error' || reply.error.code !== codes.urlRequired) return undefined
  const { data } = reply.error
  const elicitations = isPlainObject(data) && Array.isArray(data.elicitations) ? data.elicitations : []
  const pages = elicitations.flatMap((one) =>
    isPlainObject(one) && typeof one.message === 'string' && typeof one.url === 'string'
      ? [
          {
            message: one.message,
            url: one.url,
            ...(typeof one.elicitationId === 'string' && { elicitationId: one.elicitationId }),
          },
        ]
      : [],
  )
  return pages.length > 0 ? pages : undefined
}

/** The same error for a 2025-11-25 client, with checked addresses and the upstream's name in each message. */
export function pagesError(server: string, pages: readonly Page[]): RpcError {
  const elicitations = pages.map((page, index) => ({
    mode: 'url',
    ...safePage(server, page),
    elicitationId: page.elicitationId ?? `${server}-${index}`,
  }))
  return { code: codes.urlRequired, message: `${server} needs you to visit a page first`, data: { elicitations } }
}

export function samePages(some: readonly Page[], others: readonly Page[]): boolean {
  const names = (pages: readonly Page[]) => pages.map(({ url, elicitationId }) => elicitationId ?? url).sort()
  return names(some).join('\n') === names(others).join('\n')
}
