import { isPlainObject, type JsonObject, writeJson } from '../../base/json.ts'

/** The gateway, as it names itself to clients. */
export interface ServerInfo {
  readonly name: string
  readonly version: string
}

const perRequestPrefix = 'io.modelcontextprotocol/'
const serverInfoKey = `${perRequestPrefix}serverInfo`

/** An upstream's result in the revision of the client: 2026-07-28 if `self` is given, else 2025. */
export function resultFor(result: JsonObject, self: ServerInfo | undefined): JsonObject {
  return self === undefined ? sessionResult(result) : perRequestResult(result, self)
}

/** 2026-07-28 wants `resultType`, and the name of the server in `_meta`. */
function perRequestResult(result: JsonObject, { name, version }: ServerInfo): JsonObject {
  const meta = isPlainObject(result._meta) ? (result._meta as JsonObject) : {}
  return { resultType: 'complete', ...result, _meta: { ...meta, [serverInfoKey]: { name, version } } }
}

/**
 * The same in the words of the upstream, whose text of the result is `written`. Undefined: more has to be changed than a
 * beginning and an end.
 */
export function writtenResultFor(
  result: JsonObject,
  written: string,
  self: ServerInfo | undefined,
): string | undefined {
  if (self === undefined) return sessionResult(result) === result ? written : undefined
  const rest = withoutMeta(result, written)
  if (rest === undefined) return undefined
  const type = Object.hasOwn(result, 'resultType') ? '' : '"resultType":"complete",'
  return `{${type}${rest}${rest === '' ? '' : ','}"_meta":${metaWith(result._meta as JsonObject | undefined, self)}}`
}

/** The members in the text of a result but its `_meta`, if that comes first or last. */
function withoutMeta({ _meta }: JsonObject, written: string): string | undefined {
  if (_meta === undefined) return written.slice(1, -1)
  if (!isPlainObject(_meta)) return undefined
  // The text is one JSON object. So where this ends it, or begins it, this is a member of it and not part of a string.
  const member = `"_meta":${writeJson(_meta)}`
  if (written.endsWith(`,${member}}`)) return written.slice(1, -member.length - 2)
  if (written.startsWith(`{${member},`)) return written.slice(member.length + 2, -1)
  return undefined
}

const namedBy = new WeakMap<ServerInfo, string>()

function metaWith(meta: JsonObject | undefined, self: ServerInfo): string {
  const { name, version } = self
  for (const key in meta) {
    if (key !== serverInfoKey) return writeJson({ ...meta, [serverInfoKey]: { name, version } })
  }
  const known = namedBy.get(self)
  if (known !== undefined) return known
  const made = writeJson({ [serverInfoKey]: { name, version } })
  namedBy.set(self, made)
  return made
}

/** A 2025 client does not know `resultType`, nor the keys that 2026-07-28 reserves in `_meta`. */
export function sessionResult(result: JsonObject): JsonObject {
  const meta = isPlainObject(result._meta) ? (result._meta as JsonObject) : undefined
  const hasKeys = meta !== undefined && Object.keys(meta).some((key) => key.startsWith(perRequestPrefix))
  if (result.resultType === undefined && !hasKeys) return result
  const { resultType: _, _meta: __, ...rest } = result
  const kept = Object.entries(meta ?? {}).filter(([key]) => !key.startsWith(perRequestPrefix))
  return kept.length === 0 ? rest : { ...rest, _meta: Object.fromEntries(kept) }
}
