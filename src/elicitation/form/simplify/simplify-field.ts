import { ownFields, ownList } from '../../../base/json.ts'
import { type Definitions, deepest, type Keyed, resolved } from './resolve.ts'
import { simplifyNumber } from './simplify-number.ts'

/** One field in the words of a form. */
export interface SimpleField {
  readonly field: unknown
  /** It may be null, which a form says by leaving it out. */
  readonly isOptional: boolean
  readonly pattern?: string
}

/** Formats that say how text or a number is written, and that no form has. Whatever names a secret is not among them. */
const plainFormats = new Set([
  ...[
    'uuid',
    'guid',
    'time',
    'duration',
    'hostname',
    'idn-hostname',
    'ipv4',
    'ipv6',
    'cidrv4',
    'cidrv6',
    'iri',
    'path',
  ],
  ...[
    'uri-reference',
    'iri-reference',
    'file-path',
    'directory-path',
    'regex',
    'emoji',
    'e164',
    'cuid',
    'cuid2',
    'ulid',
  ],
  ...['nanoid', 'xid', 'ksuid', 'json-pointer', 'timespan', 'time-span', 'decimal'],
  ...['int8', 'int16', 'int32', 'int64', 'uint8', 'uint16', 'uint32', 'uint64', 'float', 'double'],
])

/** Some generators write another name of a format that forms have. */
const otherFormats = new Map([
  ['idn-email', 'email'],
  ['url', 'uri'],
])

const mostOptions = 1_000

export function simplifyField(given: unknown, definitions: Definitions): SimpleField {
  const named = ownFields(given)
  if (named === undefined) return { field: given, isOptional: false }
  const { keyed, isOptional } = withoutNull(resolved(named, definitions), definitions)
  simplifyOptions(keyed, 'oneOf', definitions)
  simplifyConstant(keyed)
  simplifyNumber(keyed)
  simplifyItems(keyed, definitions)
  simplifyFormat(keyed)
  if (keyed.get('default') === null) keyed.delete('default')
  const pattern = keyed.get('type') === 'string' ? keyed.get('pattern') : undefined
  return {
    field: Object.fromEntries(keyed),
    isOptional,
    ...(typeof pattern === 'string' && { pattern }),
  }
}

/** Takes null out of unions, types and options. What is left of a union of one type and null is that type. */
function withoutNull(given: Keyed, definitions: Definitions, depth = 0): { keyed: Keyed; isOptional: boolean } {
  let keyed = given
  let isOptional = keyed.get('nullable') === true
  keyed.delete('nullable')
  for (const union of ['anyOf', 'oneOf']) {
    const branches = ownList(keyed.get(union), mostOptions)?.map((one) => branchOf(one, definitions))
    if (branches === undefined) continue
    const others = branches.filter((one) => !isNull(one))
    if (others.length < branches.length) isOptional = true
    const [only] = others
    if (others.length === 1 && only !== undefined && depth < deepest) {
      keyed.delete(union)
      const inner = withoutNull(only, definitions, depth + 1)
      keyed = new Map([...inner.keyed, ...keyed])
      isOptional ||= inner.isOptional
    } else if (others.length < branches.length) {
      keyed.set(
        union,
        others.map((one) => one && Object.fromEntries(one)),
      )
    }
  }
  const types = ownList(keyed.get('type'), mostOptions)
  if (types?.includes('null')) isOptional = true
  if (types !== undefined)
    takeType(
      keyed,
      types.filter((type) => type !== 'null'),
    )
  const values = ownList(keyed.get('enum'), mostOptions)
  if (values?.includes(null)) {
    isOptional = true
    keyed.set(
      'enum',
      values.filter((value) => value !== null),
    )
  }
  return { keyed, isOptional }
}

function branchOf(one: unknown, definitions: Definitions): Keyed | undefined {
  const named = ownFields(one)
  return named && resolved(named, definitions)
}

function isNull(branch: Keyed | undefined): boolean {
  return branch?.get('type') === 'null' || (branch?.has('const') === true && branch.get('const') === null)
}

/** Of text and numbers, the number is asked for if a pattern says so, as C# does it, and text otherwise. */
function takeType(keyed: Keyed, types: readonly unknown[]): void {
  const numeric = ['number', 'integer'].find((type) => types.includes(type))
  if (types.length === 1) keyed.set('type', types[0])
  else if (numeric !== undefined && types.length === 2 && types.includes('string')) {
    const isNumber = keyed.delete('pattern')
    keyed.set('type', isNumber ? numeric : 'string')
  }
}

/** A union of constants is a choice, and an option without a title is called by its value. */
function simplifyOptions(keyed: Keyed, as: 'oneOf' | 'anyOf', definitions: Definitions): void {
  for (const union of ['anyOf', 'oneOf']) {
    const given = ownList(keyed.get(union), mostOptions) ?? []
    const options = given.flatMap((one) => {
      const branch = branchOf(one, definitions)
      const value = branch?.get('const')
      return branch !== undefined && isText(value) ? [Object.fromEntries([['title', value], ...branch])] : []
    })
    if (given.length === 0 || options.length < given.length) continue
    keyed.delete(union)
    keyed.set(as, options)
    if (as === 'oneOf' && keyed.get('type') === undefined) keyed.set('type', 'string')
  }
  const values = ownList(keyed.get('enum'), mostOptions)
  if (keyed.get('type') === undefined && values !== undefined && values.length > 0 && values.every(isText)) {
    keyed.set('type', 'string')
  }
}

const isText = (value: unknown): value is string => typeof value === 'string'

/** A constant text is the one option. A constant yes or no is asked as one: only the server knows what no means to it. */
function simplifyConstant(keyed: Keyed): void {
  if (!keyed.has('const')) return
  const value = keyed.get('const')
  if (typeof value === 'string' && (keyed.get('type') ?? 'string') === 'string') {
    keyed.set('type', 'string')
    keyed.set('enum', [value])
  } else if (typeof value === 'boolean' && (keyed.get('type') ?? 'boolean') === 'boolean') {
    keyed.set('type', 'boolean')
  } else if (typeof value === 'number' && ['number', 'integer', undefined].includes(keyed.get('type') as string)) {
    keyed.set('type', keyed.get('type') ?? 'number')
    keyed.set('minimum', value)
    keyed.set('maximum', value)
  } else return
  keyed.delete('const')
}

function simplifyItems(keyed: Keyed, definitions: Definitions): void {
  const items = ownFields(keyed.get('items'))
  if (keyed.get('type') !== 'array' || items === undefined) return
  const plain = resolved(items, definitions)
  simplifyOptions(plain, 'anyOf', definitions)
  simplifyConstant(plain)
  keyed.set('items', Object.fromEntries(plain))
}

function simplifyFormat(keyed: Keyed): void {
  const format = keyed.get('format')
  if (typeof format !== 'string') return
  if (plainFormats.has(format)) keyed.delete('format')
  const same = otherFormats.get(format)
  if (same !== undefined) keyed.set('format', same)
}
