import { isPlainObject, type JsonObject } from '../../../base/json.ts'

const path = /^args(?:\.[A-Za-z_$][\w$-]*){1,8}$/

/** Whether a text is the path of an argument, such as `args.amount` or `args.order.total`. */
export function isArgumentPath(text: string): boolean {
  return path.test(text)
}

/** The value at a path; undefined: the call has none there. */
export function argumentAt(given: JsonObject, at: string): unknown {
  let value: unknown = given
  for (const name of at.split('.').slice(1)) {
    if (!isPlainObject(value) || !Object.hasOwn(value, name)) return undefined
    value = value[name]
  }
  return value
}
