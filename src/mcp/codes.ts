/** The JSON-RPC error codes that MCP and Assent use, by name. */
export const codes = {
  parseError: -32_700,
  invalidRequest: -32_600,
  methodNotFound: -32_601,
  invalidParams: -32_602,
  internalError: -32_603,
  /** Any error of a server or of HTTP that has no code of its own. */
  serverError: -32_000,
  /** 2025: the session in `Mcp-Session-Id` does not exist (any more). */
  sessionNotFound: -32_001,
  /** 2025 only; 2026-07-28 uses `invalidParams`. */
  resourceNotFound: -32_002,
  /** 2026-07-28: a header says something else than the body. */
  headerMismatch: -32_020,
  /** 2026-07-28: the client did not declare a capability that the request needs. */
  missingCapability: -32_021,
  /** 2026-07-28: the server does not support the protocol version. */
  unsupportedVersion: -32_022,
  /** 2025-11-25: the person has to visit a page first. */
  urlRequired: -32_042,
  /** Assent's own: nobody said yes. Outside of the ranges that JSON-RPC and MCP reserve. */
  refused: -31_001,
} as const

/** Codes that the protocol reserves for what one hop says to the next. They mean nothing to anybody further away. */
export function isReserved(code: number): boolean {
  return code <= -32_020 && code >= -32_099
}
