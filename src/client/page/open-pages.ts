import { inBackground } from '../../base/under-way.ts'
import type { ClientContext } from '../client-context.ts'
import type { VisibleAsk } from '../question/visible-ask.ts'
import { type PageWait, startPageWait } from './page-wait.ts'

/** A page that one 2026-07-28 call opened, and the wait for the person who is on it. */
export interface OpenPage {
  /** The key of the latest input request for this page. */
  key: string
  /** The address as the server wrote it. */
  readonly address: string
  /** The address as it was checked and opened. */
  readonly url: string
  readonly ask: VisibleAsk
  wait: PageWait
  /** The person reported that they are done. */
  isReportedDone: boolean
}

/** The pages that one call opened, by the addresses that the server gave. */
export interface OpenPages {
  readonly size: number
  get(address: string): OpenPage | undefined
  add(page: Pick<OpenPage, 'key' | 'address' | 'url' | 'ask'>): void
  remove(page: OpenPage): void
  /** Waits once more: the person reported that they are done, and the server still requires the page. */
  waitAgain(page: OpenPage): void
  /** Does the same for every page that the person reported as done. */
  waitAgainForAll(): void
  /** Resolves with the page that the person cancels. */
  whenCancelled(): Promise<OpenPage>
  close(): void
}

export function createOpenPages(context: Pick<ClientContext, 'ui'>): OpenPages {
  const open = new Map<string, OpenPage>()

  function startWait(page: Omit<OpenPage, 'wait'>): OpenPage {
    const wait = startPageWait(context, page.ask, page.url)
    const waiting: OpenPage = Object.assign(page, { wait })
    waiting.isReportedDone = false
    const noted = wait.reply.then((reply) => {
      if (waiting.wait === wait) waiting.isReportedDone = reply === 'done'
    })
    inBackground(noted)
    return waiting
  }

  const pages: OpenPages = {
    get size() {
      return open.size
    },
    get: (address) => open.get(address),
    add: (page) => void open.set(page.address, startWait({ ...page, isReportedDone: false })),
    remove(page) {
      page.wait.close()
      open.delete(page.address)
    },
    waitAgain(page) {
      page.wait.close()
      startWait(page)
    },
    waitAgainForAll() {
      for (const page of open.values()) if (page.isReportedDone) pages.waitAgain(page)
    },
    whenCancelled: () =>
      Promise.race(
        [...open.values()].map(async (page) => {
          const { reply } = page.wait
          return (await reply) === 'cancel' ? page : new Promise<never>(() => {})
        }),
      ),
    close() {
      for (const page of open.values()) page.wait.close()
    },
  }
  return pages
}
