import { readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { fileURLToPath } from 'node:url'

/** A place in a file of this command, as a line of a stack trace names it. */
const placeInBundle = /(file:\/\/[^\s()]+\.js):(\d+):(\d+)/

/**
 * Lets stack traces name lines of the sources. Node would do it too, but it reads the map of every file that is loaded,
 * which takes a tenth of a start; this reads maps only when a trace is shown.
 */
export function nameSourcesInStacks(): void {
  const maps = new Map<string, SourceMap | undefined>()

  function mapOf(url: string): SourceMap | undefined {
    if (!maps.has(url)) maps.set(url, readMap(url))
    return maps.get(url)
  }

  function inSources(frame: string): string {
    return frame.replace(placeInBundle, (place, url: string, line: string, column: string) => {
      const entry = mapOf(url)?.findEntry(Number(line) - 1, Number(column) - 1)
      if (entry === undefined || !('originalSource' in entry)) return place
      const source = fileURLToPath(new URL(entry.originalSource, url))
      return `${source}:${entry.originalLine + 1}:${entry.originalColumn + 1}`
    })
  }

  Error.prepareStackTrace = (error, frames) =>
    [headOf(error), ...frames.map((frame) => `    at ${inSources(String(frame))}`)].join('\n')
}

/** Undefined for a file without a map, as those of packages are. */
function readMap(url: string): SourceMap | undefined {
  try {
    return new SourceMap(JSON.parse(readFileSync(fileURLToPath(`${url}.map`), 'utf8')))
  } catch {
    return undefined
  }
}

/** The name and message of anything that was thrown. */
function headOf(error: unknown): string {
  try {
    return String(error)
  } catch {
    return 'Error'
  }
}
