import { isPlainObject, type JsonObject } from '../../base/json.ts'

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

/** A 2025 client does not know `resultType`, nor the keys that 2026-07-28 reserves in `_meta`. */
export function sessionResult(result: JsonObject): JsonObject {
  const meta = isPlainObject(result._meta) ? (result._meta as JsonObject) : undefined
  const hasKeys = meta !== undefined && Object.keys(meta).some((key) => key.startsWith(perRequestPrefix))
  if (result.resultType === undefined && !hasKeys) return result
  const { resultType: _, _meta: __, ...rest } = result
  const kept = Object.entries(meta ?? {}).filter(([key]) => !key.startsWith(perRequestPrefix))
  return kept.length === 0 ? rest : { ...rest, _meta: Object.fromEntries(kept) }
}
