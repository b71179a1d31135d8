import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const text = readFileSync('ARCHITECTURE.md', 'utf8')
const named = [...text.matchAll(/`(src\/[\w./-]+|[\w-]+\.ts)`/g)].map(([, path = '']) => path)

test('every file that ARCHITECTURE.md names exists', () => {
  const files = readdirSync('src', { recursive: true }).map(String)
  const missing = named.filter((path) =>
    path.startsWith('src/') ? !existsSync(path) : !files.some((file) => file.endsWith(`/${path}`) || file === path),
  )
  expect(named.length).toBeGreaterThan(60)
  expect(missing).toEqual([])
})

test('every room is on the map', () => {
  const rooms = readdirSync('src', { withFileTypes: true }).filter((entry) => entry.isDirectory())
  expect(rooms.map(({ name }) => name).filter((name) => !text.includes(`${name}/`))).toEqual([])
})
