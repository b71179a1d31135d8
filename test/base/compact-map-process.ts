import { getHeapStatistics } from 'node:v8'
import { CompactMap } from '../../src/base/compact-map.ts'

/** Puts in and takes out, sixteen at a time, and prints by how many bytes at most the heap grew meanwhile. */
const kept = process.argv[2] === 'roll' ? new CompactMap<number, object>() : new Map<number, object>()
globalThis.gc?.()
const before = getHeapStatistics().used_heap_size
let most = 0
let last = 0

function comeAndGo(): void {
  for (let n = 0; n < 100; n++) {
    last += 1
    kept.set(last, { what: Array.from({ length: 400 }, (_, index) => ({ index })) })
    kept.delete(last - 16)
  }
}

for (let round = 0; round < 150; round++) {
  comeAndGo()
  globalThis.gc?.({ type: 'minor' } as never)
  most = Math.max(most, getHeapStatistics().used_heap_size - before)
}
process.stdout.write(String(most))
