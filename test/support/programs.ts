import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { inject } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** The path of the JavaScript that a TypeScript program of the tests was compiled to, ready to be run by Node. */
export function compiled(program: URL): string {
  return join(inject('programs'), relative(root, fileURLToPath(program))).replace(/\.ts$/, '.js')
}
