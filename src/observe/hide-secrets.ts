const hidden = '[hidden]'
const deepest = 8
const longestList = 100
const longestText = 2_000

const secretWords = new Set(
  'auth authorization assertion bearer code codes cookie cookies credential credentials jwt key keys passphrase passwd password passwords secret secrets signature state token tokens verifier'.split(
    ' ',
  ),
)

/** A copy that is safe to log: values that are named like a secret, or look like one, are hidden at any depth. */
export function hideSecrets(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return hideInText(value)
  if (typeof value === 'bigint') return String(value)
  if (typeof value === 'function' || typeof value === 'symbol') return undefined
  if (typeof value !== 'object' || value === null) return value
  if (value instanceof Date) return value
  if (value instanceof URL) return hideInText(value.href)
  // Bytes do not belong into a log, whatever they are.
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return hidden
  if (depth >= deepest) return '[too deep]'
  if (value instanceof Error) return hideInError(value, depth)
  if (value instanceof Map || value instanceof Headers) return hideInPairs([...value.entries()], depth)
  if (Symbol.iterator in value) {
    return [...(value as Iterable<unknown>)].slice(0, longestList).map((item) => hideSecrets(item, depth + 1))
  }
  return hideInPairs(Object.entries(value), depth)
}

function hideInPairs(pairs: readonly (readonly [unknown, unknown])[], depth: number): Record<string, unknown> {
  const shown = pairs
    .slice(0, longestList)
    .map(([name, item]) => [
      hideInText(String(name)),
      isSecretName(String(name)) && item !== undefined ? hidden : hideSecrets(item, depth + 1),
    ])
  return Object.fromEntries(shown)
}

/** The `code` of an error is logged as `problem`: under the name `code` it would be hidden, since OAuth codes are secret. */
function hideInError(error: Error, depth: number): Record<string, unknown> {
  const { name, message, stack, cause, code, detail } = error as Error & { code?: unknown; detail?: unknown }
  return {
    type: name,
    message: hideInText(message),
    ...(isWord(code) && { problem: code }),
    ...(detail !== undefined && { detail: hideSecrets(detail, depth + 1) }),
    ...(stack !== undefined && { stack: hideInText(stack) }),
    ...(cause !== undefined && { cause: hideSecrets(cause, depth + 1) }),
  }
}

const isWord = (code: unknown) =>
  typeof code === 'number' || (typeof code === 'string' && /^[A-Za-z_]{1,60}$/.test(code))

function isSecretName(name: string): boolean {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/)
  return words.some(
    (word) =>
      secretWords.has(word) || /^(api|access|private)key$|(token|secret|password|verifier|state|cookie)$/.test(word),
  )
}

const looks: readonly (readonly [RegExp, string])[] = [
  [/\b(Bearer|Basic|DPoP)\s+[\w.~+/=-]+/gi, `$1 ${hidden}`],
  // A JWT, or the beginning of one that was cut off.
  [/\beyJ[\w-]{6,}(\.[\w-]*)*/g, hidden],
  [/\b(sk|pk|rk|ghp|gho|ghu|ghs|ghr|github_pat|glpat|npm|xox[a-z])[_-][\w-]{6,}/g, hidden],
  [/\b(AKIA|ASIA)[A-Z0-9]{12,}/g, hidden],
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(-----END [A-Z ]*-----|$)/g, hidden],
  // The user and password in a url.
  [/(:\/\/)[^\s/@"']+@/g, `$1${hidden}@`],
]
/** A name and its value inside a text: `code=…` in a query, `"token":"…"` in JSON, `Cookie: …` in a header. */
const named =
  /([\w-]*(?:authorization|cookie|token|secret|password|passwd|key|verifier|\bcode|\bstate|credential|assertion|signature)\\?["']?\s*(?:=|:)\s*)(\\?"(?:[^"\\]|\\(?!")|\\.)*"?|'[^']*'?|[^\s&"',;}]+)/gi

function hideInText(text: string): string {
  let shown = text.length > longestText ? `${text.slice(0, longestText)}…` : text
  for (const [look, instead] of looks) shown = shown.replace(look, instead)
  return shown.replace(named, (all, name: string, value: string) => (value.includes(hidden) ? all : `${name}${hidden}`))
}
