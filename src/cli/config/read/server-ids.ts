import { createHash } from 'node:crypto'

/** What an id must be, so that `server__tool` can be read in one way only. */
const idPattern = /^[a-z0-9-]{1,32}$/
const longestId = 32
const digestLength = 6

/** An id for each name: the name itself where it can be one, else one made of it. Which one depends on no order. */
export function serverIds(names: readonly string[]): Map<string, string> {
  const made = new Map(names.map((name) => [name, idPattern.test(name) ? name : idLike(name)]))
  const isShared = (id: string) => [...made.values()].filter((other) => other === id).length > 1
  return new Map(
    names.map((name) => {
      const id = made.get(name) as string
      return [name, id === name || !isShared(id) ? id : told(name, id)]
    }),
  )
}

function idLike(name: string): string {
  const letters = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
  if (letters === '') return told(name, 'server')
  return letters.length <= longestId ? letters : told(name, letters)
}

/** Told apart from other names that look like it. */
function told(name: string, id: string): string {
  const digest = createHash('sha256').update(name).digest('hex').slice(0, digestLength)
  return `${id.slice(0, longestId - digestLength - 1).replace(/-+$/, '')}-${digest}`
}
