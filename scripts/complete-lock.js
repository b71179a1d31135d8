/**
 * Run after `npm install` of something new, where the registry holds no packages for other platforms. npm leaves those
 * out of package-lock.json, and then `npm ci` refuses the lock, everywhere. This names them again, without a digest.
 *
 *   node scripts/complete-lock.js
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { platformPackagesMissingIn } from './platform-packages.js'

const file = 'package-lock.json'
const lock = JSON.parse(readFileSync(file, 'utf8'))
const missing = platformPackagesMissingIn(lock)
const { '': root, ...packages } = { ...lock.packages, ...missing }
const sorted = Object.entries(packages).sort(([a], [b]) => a.localeCompare(b, 'en'))
lock.packages = { '': root, ...Object.fromEntries(sorted) }
writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`)
console.log(`${Object.keys(missing).length} packages added to ${file}`)
