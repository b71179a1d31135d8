import type { Browser, BrowserStore } from '../../participant/browser.ts'
import { AlreadyStored } from '../errors.ts'

/** Stores browsers in memory. */
export function memoryBrowsers(): BrowserStore {
  const kept = new Map<string, Browser>()

  function removeAll(browsers: readonly Browser[]): number {
    for (const { id } of browsers) kept.delete(id)
    return browsers.length
  }

  const all = () => [...kept.values()]

  return {
    async add(browser) {
      if (kept.has(browser.id) || all().some(({ key }) => key === browser.key)) {
        throw new AlreadyStored('browser')
      }
      kept.set(browser.id, browser)
    },
    async getByKey(wanted) {
      return all().find(({ key }) => key === wanted)
    },
    async list(participant) {
      return all().filter((browser) => browser.participant === participant)
    },
    async listLatest(limit) {
      return all().reverse().slice(0, limit)
    },
    async remove(participant, id) {
      return kept.get(id)?.participant === participant && kept.delete(id)
    },
    async deleteOver(moment, limit) {
      return removeAll(
        all()
          .filter(({ expiresAt }) => expiresAt < moment)
          .slice(0, limit),
      )
    },
    async forget(participant) {
      return removeAll(all().filter((browser) => browser.participant === participant))
    },
  }
}
