import { existsSync } from 'node:fs'
import { readAddress } from '../../stores/open.ts'
import type { Config } from '../config/config.ts'

/** Whether there is a store already. Commands that only look create none. */
export function hasStore({ store }: Pick<Config, 'store'>): boolean {
  const address = readAddress(store)
  return address.kind === 'sqlite' ? existsSync(address.path) : address.kind !== 'memory'
}
