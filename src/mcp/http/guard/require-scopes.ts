import {
  type AuthInfo,
  type ScopeChallengeHandler,
  requireScopes as sdkRequireScopes,
} from '@modelcontextprotocol/server'

/**
 * A `scopeChallenge` for a tool, prompt or resource that needs these scopes. Without them the HTTP answer is 403 and names
 * every scope that a new token needs (O-04), on 2025 and 2026 alike. Without a login no scopes are needed.
 */
export function requireScopes(...scopes: readonly [string, ...string[]]): ScopeChallengeHandler {
  const challengeFor = sdkRequireScopes(...scopes)
  return async (context) => {
    const challenge = await challengeFor(context)
    if (challenge === undefined) return undefined
    // A token with the tool's scopes alone would be refused by the endpoint.
    const [first, ...others] = new Set([...challenge.scopes, ...scopesOfDoor(context.authInfo)])
    return { ...challenge, scopes: [first as string, ...others] }
  }
}

function scopesOfDoor(authInfo: AuthInfo | undefined): readonly string[] {
  return (authInfo?.extra?.requiredScopes as string[] | undefined) ?? []
}
