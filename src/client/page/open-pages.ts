import type { Conversation } from '../conversation.ts'
import type { ReadAsk } from '../question/read-ask.ts'
import { type WatchedPage, watchPage } from './watch-page.ts'

/** A page that one call of 2026 had opened, and somebody who may say that they are done there, or want out. */
export interface OpenPage {
  /** The key of the question that asked for it last. */
  key: string
  readonly address: string
  readonly url: string
  readonly ask: ReadAsk
  watched: WatchedPage
  /** They said that they are done. */
  isSaid: boolean
}

/** The pages that one call had opened, by the addresses that the server gave. */
export interface OpenPages {
  readonly size: number
  get(address: string): OpenPage | undefined
  add(page: Pick<OpenPage, 'key' | 'address' | 'url' | 'ask'>): void
  remove(page: OpenPage): void
  /** Asks once more: they said that they are done, and the server does not agree. */
  watchAgain(page: OpenPage): void
  /** The same for all of them. */
  watchAll(): void
  /** Resolves with a page that the person wants out of. */
  left(): Promise<OpenPage>
  close(): void
}

export function createOpenPages(conversation: Pick<Conversation, 'ui'>): OpenPages {
  const open = new Map<string, OpenPage>()

  function watch(page: Omit<OpenPage, 'watched'>): OpenPage {
    const watching: OpenPage = Object.assign(page, { watched: watchPage(conversation, page.ask, page.url) })
    watching.isSaid = false
    const { watched } = watching
    watched.said.then((said) => {
      if (watching.watched === watched) watching.isSaid = said === 'done'
    })
    return watching
  }

  const pages: OpenPages = {
    get size() {
      return open.size
    },
    get: (address) => open.get(address),
    add: (page) => void open.set(page.address, watch({ ...page, isSaid: false })),
    remove(page) {
      page.watched.close()
      open.delete(page.address)
    },
    watchAgain(page) {
      page.watched.close()
      watch(page)
    },
    watchAll() {
      for (const page of open.values()) if (page.isSaid) pages.watchAgain(page)
    },
    left: () =>
      Promise.race(
        [...open.values()].map(async (page) => {
          const { said } = page.watched
          return (await said) === 'cancel' ? page : new Promise<never>(() => {})
        }),
      ),
    close() {
      for (const page of open.values()) page.watched.close()
    },
  }
  return pages
}
