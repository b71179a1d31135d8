/** What no program reads as anything but a part of a name: no escapes, wildcards, variables, drives or streams. */
const plainSegment = /^[\p{L}\p{N}_@+=][\p{L}\p{M}\p{N} ._@+=,-]*$/u
const plainHost = /^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?(?::\d{1,5})?$/

/**
 * The parts of a path or an address that has exactly one meaning: its begin (`/`, nothing, or `https://host/`) and its
 * segments. Undefined for everything that a server might read in more than one way.
 */
function plainParts(text: string): { readonly start: string; readonly segments: readonly string[] } | undefined {
  // What is another text in another normal form might be a slash or a dot there.
  if (text.length > 2_000 || !text.isWellFormed() || text.normalize('NFKC') !== text) return undefined
  const start = /^https?:\/\/[^/]*\//.exec(text)?.[0] ?? (text.startsWith('/') ? '/' : '')
  if (start.length > 1 && !isPlainAddress(text, start)) return undefined
  const [rest = '', ...queries] = text.slice(start.length).split('?')
  if (queries.length > (start.length > 1 ? 1 : 0)) return undefined
  const segments = rest.split('/')
  return segments.every(isPlainSegment) ? { start, segments } : undefined
}

/** `.`, `..` and what ends with a dot or a space, which some systems drop, are not. */
function isPlainSegment(segment: string): boolean {
  const isHidden = segment.startsWith('.') && segment.length > 1
  return plainSegment.test(isHidden ? segment.slice(1) : segment) && !/[. ]$/.test(segment)
}

function isPlainAddress(text: string, start: string): boolean {
  if (!plainHost.test(start.slice(start.indexOf('//') + 2, -1)) || text.includes('#')) return false
  try {
    // Anything that a parser would write in another way is left out.
    return new URL(text).href === text
  } catch {
    return false
  }
}

/** Whether a text lies below a folder or an address, whoever reads it. Folders are given without a slash at the end. */
export function isBelow(text: string, folder: string): boolean {
  const parts = plainParts(text)
  return parts !== undefined && text.startsWith(`${folder}/`) && folder !== ''
}

const mostFolders = 3

/** What everybody reads as it is, and what is not cut in a sentence. */
export const plainSight = /^[ -~]{1,80}$/

/** The folders that a path or an address lies in, the nearest first; never all of a machine. */
export function foldersOf(text: string): readonly string[] {
  const { start, segments } = plainParts(text) ?? { start: '', segments: [] }
  const folders = segments.map((_, index) => start + segments.slice(0, segments.length - 1 - index).join('/'))
  // The last is the begin alone: the root of a machine, or all of a host.
  const isHost = start.length > 1
  return folders
    .map((folder) => (folder === start && isHost ? start.slice(0, -1) : folder))
    .filter((folder) => folder !== '' && folder !== '/' && plainSight.test(folder))
    .slice(0, mostFolders)
}

/** Whether a text may name a place for some program: a path, an address, a pattern of either. */
export function mayBePlace(text: string): boolean {
  const trimmed = text.trim()
  // Several lines are content.
  if (/[\r\n]/.test(trimmed)) return false
  if (/^(?:[./\\~$%]|[A-Za-z][A-Za-z0-9+.-]*:)/.test(trimmed)) return true
  // A step up in a name with blanks, also as others write it.
  if (/(?:^|[/\\])\.\.(?:[/\\]|$)|%(?:2e|2f|5c)/i.test(trimmed.normalize('NFKC'))) return true
  const isWord = !/\s/.test(trimmed)
  return isWord && /[/\\%@]|[\u2044\u2215\u29f8\uff0f\uff3c]/u.test(trimmed.normalize('NFKC') + trimmed)
}
