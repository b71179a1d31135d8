import * as fs from 'node:fs'
import { register } from 'node:module'

/**
 * For `node --import`: the conformance suite imports `globSync` from `fs`, which Node has from 22 on, and uses it in a
 * command that nobody runs here. On an older Node the suite gets its `fs` with a `globSync` that throws.
 */
if (!('globSync' in fs)) {
  const names = Object.keys(fs).filter((name) => name !== 'default')
  const withGlob = `
    import fs from 'node:fs'
    export default fs
    export const { ${names.join(', ')} } = fs
    export function globSync() { throw new Error('This Node has no globSync.') }`
  const hooks = `
    const suite = /\\/node_modules\\/(@modelcontextprotocol\\/conformance|conformance-2025)\\/dist\\//
    export async function resolve(name, context, next) {
      const isForSuite = (name === 'fs' || name === 'node:fs') && suite.test(context.parentURL)
      return isForSuite ? { url: ${JSON.stringify(asModule(withGlob))}, shortCircuit: true } : next(name, context)
    }`
  register(asModule(hooks))
}

/** @param {string} source */
function asModule(source) {
  return `data:text/javascript,${encodeURIComponent(source)}`
}
