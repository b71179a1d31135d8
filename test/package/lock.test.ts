import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { platformPackagesMissingIn } from '../../scripts/platform-packages.js'

const lock = JSON.parse(readFileSync('package-lock.json', 'utf8'))

test('the lock names the packages of every platform, else `npm ci` refuses it; if not: node scripts/complete-lock.js', () => {
  expect(platformPackagesMissingIn(lock)).toEqual({})
})

test('the lock says what to install, not where one machine found it', () => {
  expect(
    Object.values<{ resolved?: string; link?: boolean }>(lock.packages).filter(
      (entry) => entry.resolved && !entry.link,
    ),
  ).toEqual([])
})
