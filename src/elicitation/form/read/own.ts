import { isPlainObject } from '../../../base/json.ts'

/** The own data of a plain object of unknown origin; undefined for anything else. Runs no getter and never throws. */
export function ownFields(value: unknown): Map<string, unknown> | undefined {
  try {
    if (!isPlainObject(value)) return undefined
    return new Map(Object.keys(value).map((key) => [key, ownData(value, key)]))
  } catch {
    // Only a proxy throws when it is looked at, and a proxy is no plain object.
    return undefined
  }
}

/** The first `most` items of a list of unknown origin; undefined for anything else. Runs no getter and never throws. */
export function ownList(value: unknown, most: number): readonly unknown[] | undefined {
  try {
    if (!Array.isArray(value)) return undefined
    return Array.from({ length: Math.min(value.length, most) }, (_, index) => ownData(value, index))
  } catch {
    return undefined
  }
}

function ownData(owner: object, key: string | number): unknown {
  return Object.getOwnPropertyDescriptor(owner, key)?.value
}
