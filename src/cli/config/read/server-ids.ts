import { createHash } from 'node:crypto'

/** Without `_` in ids, `server__tool` can be split in one way only. */
const idPattern = /^[a-z0-9-]{1,32}$/
const longestId = 32
const digestLength = 6

/** An id for each name: the name itself where it is a valid id, or else one derived from it. The order of the names does not matter. */
export function serverIds(names: readonly string[]): Map<string, string> {
  const made = new Map(names.map((name) => [name, idPattern.test(name) ? name : idLike(name)]))
  const isShared = (id: string) => [...made.values()].filter((other) => other === id).length > 1
  return new Map(
    names.map((name) => {
      const id = made.get(name) as string
      return [name, id === name || !isShared(id) ? id : withDigest(name, id)]
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
  if (letters === '') return withDigest(name, 'server')
  return letters.length <= longestId ? letters : withDigest(name, letters)
}

/** The id with a digest of the name, which tells it apart from ids of similar names. */
function withDigest(name: string, id: string): string {
  const digest = createHash('sha256').update(name).digest('hex').slice(0, digestLength)
  return `${id.slice(0, longestId - digestLength - 1).replace(/-+$/, '')}-${digest}`
}
