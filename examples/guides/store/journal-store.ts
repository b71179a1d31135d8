import { randomUUID } from 'node:crypto'
import { closeSync, fstatSync, openSync, readSync, writeSync } from 'node:fs'
import { deserialize, serialize } from 'node:v8'
import type { Store } from 'assent'
import { openMemoryStore } from 'assent/stores/memory'

type Rooms = Omit<Store, 'name' | 'changes' | 'clock' | 'findDamage' | 'shrink' | 'close'>
type Methods = Record<string, (...args: unknown[]) => Promise<unknown>>

/** The methods of each room that change what is kept. All others only read. */
const changing: { readonly [Room in keyof Rooms]: readonly (keyof Rooms[Room])[] } = {
  elicitations: ['add', 'saveIfUnchanged', 'deleteSettled', 'forget'],
  audit: ['append', 'prune', 'pseudonymFor', 'deletePseudonym', 'eraseKept', 'keyFor', 'replaceKey'],
  steps: ['claim', 'finish', 'reseal', 'deleteSteps'],
  browsers: ['add', 'remove', 'deleteOver', 'forget'],
  connections: ['put', 'saveIfUnchanged', 'remove', 'forget', 'addFlow', 'takeFlow', 'deleteFlows'],
  registrations: ['saveIfUnchanged', 'remove'],
  definitions: ['saveIfUnchanged', 'remove'],
  grants: ['add', 'saveIfUnchanged', 'deleteOver', 'forget'],
  usage: ['take', 'giveBack', 'deleteUsage'],
  passkeys: ['add', 'saveIfUnchanged', 'remove', 'forget'],
  tokens: ['add', 'remove', 'deleteOver', 'forget'],
  pushes: ['add', 'remove', 'deleteOver', 'forget'],
  hub: ['append', 'change', 'saveReceived', 'deleteEnvelopes'],
  instances: ['announce', 'remove', 'deleteUnseen'],
  mailbox: ['put', 'take', 'deleteMail'],
  sessions: ['save', 'deleteExpired'],
  rollups: ['add', 'deleteBefore'],
  holdings: ['saveIfUnchanged', 'deleteExpired'],
}

/**
 * A store in a file with one line for each change. Every process keeps the records in memory and replays the lines in the
 * order of the file. A store reads no clock and decides nothing, so the same lines lead to the same records everywhere.
 */
export function openJournalStore(path: string): Store {
  const kept = openMemoryStore()
  const journal = openJournal(path, (room, method, args) => methodsOf(kept, room)[method]?.(...args))
  const polling = setInterval(journal.replay, 100).unref()

  const rooms = Object.entries(changing).map(([room, changes]: [string, readonly string[]]) => {
    const methods = Object.entries(methodsOf(kept, room)).map(([method, read]) => [
      method,
      async (...args: unknown[]) => {
        if (changes.includes(method)) return journal.append(room, method, args)
        journal.replay()
        return read(...args)
      },
    ])
    return [room, Object.fromEntries(methods)]
  })
  return {
    ...kept,
    ...Object.fromEntries(rooms),
    // Mail that is replayed wakes whoever watches for it.
    mailbox: { ...(Object.fromEntries(rooms).mailbox as Store['mailbox']), watch: kept.mailbox.watch },
    name: `journal:${path}`,
    async close() {
      clearInterval(polling)
      journal.close()
    },
  }
}

function methodsOf(store: Store, room: string): Methods {
  return store[room as keyof Rooms] as unknown as Methods
}

type Apply = (room: string, method: string, args: unknown[]) => Promise<unknown> | undefined

/** The file. Lines are appended in one write each, so those of several processes never mix. */
function openJournal(path: string, apply: Apply) {
  const file = openSync(path, 'a+', 0o600)
  let replayedBytes = 0
  let isOpen = true

  /** Applies all lines since the last time. Gives back what came of the line `id`. */
  function replay(id?: string): Promise<unknown> | undefined {
    const unread = Buffer.alloc(fstatSync(file).size - replayedBytes)
    readSync(file, unread, 0, unread.length, replayedBytes)
    const whole = unread.subarray(0, unread.lastIndexOf('\n') + 1)
    replayedBytes += whole.length

    let mine: Promise<unknown> | undefined
    for (const line of whole.toString().split('\n').slice(0, -1)) {
      const [madeBy, change = ''] = line.split(' ')
      const { room, method, args } = deserialize(Buffer.from(change, 'base64'))
      const result = apply(room, method, args)
      // A change that was refused is refused again in every process, and only the one that made it is told.
      if (madeBy === id) mine = result
      else result?.catch(() => {})
    }
    return mine
  }

  return {
    replay: () => void replay(),
    /** Where the line ends up in the file decides who was first. */
    append(room: string, method: string, args: unknown[]) {
      const id = randomUUID()
      // Not JSON, which has no dates.
      writeSync(file, `${id} ${serialize({ room, method, args }).toString('base64')}\n`)
      return replay(id)
    },
    close() {
      if (isOpen) closeSync(file)
      isOpen = false
    },
  }
}
